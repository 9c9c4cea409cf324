use nalgebra::{DMatrix, DVector};

use super::fixtures::{
    Random, chain, dense_of, full_values, net, places, random_sparse, values_of,
};
use super::*;

fn both(pattern: &Pattern) -> [Box<dyn LinearSolver>; 2] {
    [Box::new(DenseLu::new(pattern.size())), Box::new(SparseLu::new(pattern))]
}

#[test]
fn pattern_finds_every_entry_and_sends_others_to_the_bin() {
    let pattern = Pattern::sparse(4, &[(3, 1), (0, 0), (3, 1), (2, 3), (9, 9)]);
    assert_eq!(pattern.value_len(), 3);
    assert_eq!(pattern.entries().collect::<Vec<_>>(), [(0, 0), (3, 1), (2, 3)]);
    for (k, (i, j)) in pattern.entries().enumerate() {
        assert_eq!(pattern.position(i, j), k);
    }
    assert_eq!(pattern.position(1, 1), 3);
    assert_eq!(pattern.position(0, 7), 3);
    let all: Vec<_> = (0..9).map(|k| (k % 3, k / 3)).collect();
    let dense = Pattern::from_entries(3, &all[2..]);
    assert!(dense.is_dense());
    assert_eq!(dense.entries().count(), 9);
    assert_eq!(dense.position(1, 2), 7);
    assert!(!Pattern::from_entries(100, &[(0, 0)]).is_dense());
}

/// Matrices of one iteration with steps from long to short, each entry in a power of the step.
#[test]
fn a_few_digits_are_had_of_every_matrix_and_a_singular_one_is_refused() {
    let mut random = Random(7);
    for trial in 0..40 {
        let n = 2 + trial % 30;
        let (pattern, values) = random_sparse(&mut random, n, 2 + trial % 4);
        let levels: Vec<i32> = values.iter().map(|_| random.below(3) as i32).collect();
        let mut solver = solver_of_few_digits(&pattern);
        for step in [1.0f64, 0.5, 2.0, 0.02, 1e-3, 1.0] {
            let scaled: Vec<f64> =
                values.iter().zip(&levels).map(|(v, level)| v * step.powi(*level)).collect();
            let all =
                if pattern.is_dense() { full_values(&pattern, &scaled) } else { scaled.clone() };
            let a = dense_of(&pattern, &scaled);
            if solver.factorize(&all).is_err() {
                let sizes = a.singular_values();
                assert!(sizes.min() < 1e-12 * sizes.max(), "{trial} {step}: {sizes}");
                continue;
            }
            let b = DVector::from_fn(n, |_, _| random.next());
            let mut x = b.clone();
            solver.solve(x.as_mut_slice());
            let (left, terms) = (&a * &x - &b, a.abs() * x.abs() + b.abs());
            let error = left.iter().zip(&terms).fold(0.0f64, |m, (r, t)| m.max((r / t).abs()));
            assert!(error < 1e-7, "{trial} {step}: {error:e}");
        }
        let nothing = vec![0.0; if pattern.is_dense() { n * n } else { values.len() }];
        assert!(solver.factorize(&nothing).is_err(), "{trial}");
    }
}

#[test]
fn solvers_agree_with_nalgebra_on_random_matrices() {
    let mut random = Random(1);
    for trial in 0..60 {
        let n = 1 + trial % 30;
        let (pattern, mut values) = random_sparse(&mut random, n, 1 + trial % 5);
        let mut solvers = both(&pattern);
        for _ in 0..3 {
            let a = dense_of(&pattern, &values);
            let b = DVector::from_fn(n, |_, _| random.next());
            let exact = a.clone().full_piv_lu();
            if !exact.is_invertible() || exact.determinant().abs() < 1e-9 {
                break;
            }
            let x = exact.solve(&b).unwrap();
            let y = a.transpose().full_piv_lu().solve(&b).unwrap();
            let dense = full_values(&pattern, &values);
            for (solver, values) in solvers.iter_mut().zip([&dense, &values]) {
                solver.factorize(values).unwrap();
                let (mut got, mut got_t) = (b.clone(), b.clone());
                solver.solve(got.as_mut_slice());
                solver.solve_transpose(got_t.as_mut_slice());
                assert!((got - &x).norm() <= 1e-8 * (1.0 + x.norm()), "{solver:?}");
                assert!((got_t - &y).norm() <= 1e-8 * (1.0 + y.norm()), "{solver:?}");
            }
            // The same pattern with values that ask for other pivots.
            values.iter_mut().for_each(|v| *v = random.next());
        }
    }
}

#[test]
fn solutions_are_the_same_however_often_a_factorization_is_used() {
    let mut random = Random(41);
    for n in [1, 2, 7, 40, 41] {
        let all: Vec<_> = (0..n * n).map(|k| ((k % n) as u32, (k / n) as u32)).collect();
        let pattern = Pattern::sparse(n, &all);
        for solver in &mut both(&pattern) {
            for _ in 0..2 {
                let mut values: Vec<f64> = (0..n * n).map(|_| random.next()).collect();
                (0..n).for_each(|i| values[i * (n + 1)] += n as f64);
                solver.factorize(&values).unwrap();
                for k in 0..2 * n + 3 {
                    let x: Vec<f64> = (0..n).map(|_| random.next()).collect();
                    let mut b = vec![0.0; n];
                    pattern.multiply(&values, &x, &mut b);
                    solver.solve(&mut b);
                    let error = b.iter().zip(&x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                    assert!(error < 1e-12, "{n}, solution {k}, {solver:?}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn empty_and_scalar_systems() {
    for pattern in [Pattern::dense(0), Pattern::sparse(0, &[])] {
        for solver in &mut both(&pattern) {
            solver.factorize(&[]).unwrap();
            solver.solve(&mut []);
            solver.solve_transpose(&mut []);
        }
        assert_eq!(inverse_norm_1(&mut *solver_for(&pattern), &[], &[]), 0.0);
    }
    let pattern = Pattern::sparse(1, &[(0, 0)]);
    for solver in &mut both(&pattern) {
        let mut b = [3.0];
        solver.solve(&mut b);
        assert!(b[0].is_nan(), "no factorization yet");
        solver.factorize(&[4.0]).unwrap();
        let mut b = [3.0];
        solver.solve(&mut b);
        assert_eq!(b, [0.75]);
        let condition = condition_1(solver.as_mut(), &pattern, &[4.0]);
        assert_eq!(condition, 1.0);
        assert_eq!(
            solver.factorize(&[0.0]),
            Err(LinearError::Singular { column: 0, condition: f64::INFINITY })
        );
    }
}

#[test]
fn singular_matrices_name_a_dependent_column() {
    let mut random = Random(7);
    for n in [2, 5, 12, 40] {
        let (pattern, values) = {
            let all: Vec<_> = (0..n * n).map(|k| ((k % n) as u32, (k / n) as u32)).collect();
            (Pattern::sparse(n, &all), (0..n * n).map(|_| random.next()).collect::<Vec<_>>())
        };
        let mut exact = values.clone();
        // Column n−1 := column 0, exactly; then as a combination, up to rounding.
        for i in 0..n {
            exact[i + (n - 1) * n] = exact[i];
        }
        let mut rounded = values.clone();
        for i in 0..n {
            rounded[i + (n - 1) * n] =
                (0..n - 1).map(|j| 0.3 * (j + 1) as f64 * values[i + j * n]).sum();
        }
        for solver in &mut both(&pattern) {
            for bad in [&exact, &rounded] {
                match solver.factorize(bad) {
                    Err(LinearError::Singular { .. }) => {}
                    other => panic!("n = {n}, {solver:?}: {other:?}"),
                }
            }
            // A singular matrix must not spoil the next one.
            solver.factorize(&values).unwrap();
            let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let mut b = vec![0.0; n];
            pattern.multiply(&values, &x, &mut b);
            solver.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-7), "{n}: {b:?}");
        }
    }
    // A column without entries.
    let pattern = Pattern::sparse(3, &[(0, 0), (1, 0), (2, 2)]);
    let mut lu = SparseLu::new(&pattern);
    assert_eq!(
        lu.factorize(&[1.0, 1.0, 1.0]),
        Err(LinearError::Singular { column: 1, condition: f64::INFINITY })
    );
}

#[test]
fn nan_and_short_arrays_are_refused() {
    let pattern = Pattern::sparse(2, &[(0, 0), (1, 1), (0, 1)]);
    let mut lu = SparseLu::new(&pattern);
    let error = lu.factorize(&[1.0, f64::NAN, 1.0]).unwrap_err();
    assert!(matches!(error, LinearError::NotFinite { row: 0, column: 1, .. }), "{error:?}");
    assert_eq!(lu.factorize(&[1.0]), Err(LinearError::WrongLength { len: 1, expected: 3 }));
    // The bin of assembly may hold anything.
    lu.factorize(&[1.0, 1.0, 1.0, f64::NAN]).unwrap();
    let mut dense = DenseLu::new(2);
    let error = dense.factorize(&[1.0, 2.0, f64::INFINITY, 4.0]).unwrap_err();
    assert!(matches!(error, LinearError::NotFinite { row: 0, column: 1, .. }), "{error:?}");
}

/// Masses of 1e-6 kg beside constraint rows scaled by 1/(βh²) = 4e12: each unknown must be as good
/// as the same problem in sensible units gives it.
#[test]
fn bad_units_do_not_cost_digits() {
    let mut random = Random(3);
    for (mass, constraint) in [(1e-6, 1.0), (1e-6, 4e12), (1e6, 4e12), (1.0, 1e-9), (1e-9, 1e6)] {
        for links in [2, 40] {
            let (size, entries) = chain(links, &mut random);
            let n = 3 * links;
            let pattern = Pattern::sparse(size, &places(&entries));
            let good = values_of(&pattern, &entries);
            let scale = |i: usize, j: usize| {
                let row = if i < n { 1.0 } else { constraint };
                row * if i < n && j < n { mass } else { 1.0 }
            };
            let scaled: Vec<_> = entries.iter().map(|&(i, j, v)| (i, j, v * scale(i, j))).collect();
            let bad = values_of(&pattern, &scaled);
            let rhs: Vec<f64> = (0..size).map(|_| random.next()).collect();
            let mut reference = rhs.clone();
            let mut lu = DenseLu::new(size);
            lu.factorize(&full_values(&pattern, &good)).unwrap();
            lu.solve(&mut reference);
            let dense = full_values(&pattern, &bad);
            for (solver, values) in both(&pattern).iter_mut().zip([&dense, &bad]) {
                solver.factorize(values).unwrap();
                let mut x: Vec<f64> = rhs
                    .iter()
                    .enumerate()
                    .map(|(i, b)| if i < n { mass * b } else { constraint * b })
                    .collect();
                solver.solve(&mut x);
                x[n..].iter_mut().for_each(|l| *l /= mass);
                let largest = reference.iter().fold(0.0f64, |m, v| m.max(v.abs()));
                let error = x.iter().zip(&reference).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(
                    error < 1e-11 * largest,
                    "mass {mass:e}, rows {constraint:e}, {links} links, {solver:?}: {error:e}"
                );
                let condition = condition_equilibrated(solver.as_mut(), &pattern, values);
                let _ = condition;
            }
        }
    }
}

#[test]
fn condition_estimate_is_near_the_truth() {
    let mut random = Random(11);
    for n in [3, 8, 25] {
        for _ in 0..10 {
            let (pattern, values) = random_sparse(&mut random, n, 5);
            let a = dense_of(&pattern, &values);
            let Some(inverse) = a.clone().try_inverse() else { continue };
            let one = |m: &DMatrix<f64>| m.column_iter().map(|c| c.lp_norm(1)).fold(0.0, f64::max);
            let exact = one(&a) * one(&inverse);
            if exact > 1e12 {
                continue;
            }
            let mut lu = SparseLu::new(&pattern);
            lu.factorize(&values).unwrap();
            let estimate = condition_1(&mut lu, &pattern, &values);
            assert!(
                estimate <= exact * (1.0 + 1e-6) && estimate >= exact / 5.0,
                "{estimate} {exact}"
            );
        }
    }
    // Units only: 1e-8 beside 1e8 is no bad condition.
    let pattern = Pattern::dense(2);
    let values = [1e-8, 1e-8, 1e8, -1e8];
    let mut lu = DenseLu::new(2);
    lu.factorize(&values).unwrap();
    assert!(condition_1(&mut lu, &pattern, &values) > 1e15);
    assert!(condition_equilibrated(&mut lu, &pattern, &values) < 10.0);
}

#[test]
fn refactorization_keeps_pivots_until_they_go_bad() {
    let pattern = Pattern::sparse(2, &[(0, 0), (1, 0), (0, 1), (1, 1)]);
    let mut lu = SparseLu::new(&pattern);
    lu.factorize(&[2.0, 1.0, 1.0, 3.0]).unwrap();
    lu.factorize(&[2.1, 1.0, 1.0, 3.0]).unwrap();
    assert_eq!((lu.counts().pivoting, lu.counts().refactorizations), (1, 1));
    lu.factorize(&[0.0, 1.0, 1.0, 3.0]).unwrap();
    assert_eq!(lu.counts().pivoting, 2);
    let mut b = [1.0, 4.0];
    lu.solve(&mut b);
    assert_eq!(b, [1.0, 1.0]);
}

#[test]
fn factors_that_fill_up_go_over_to_a_dense_factorization() {
    let mut random = Random(31);
    for (n, per_column, dense) in [(30, 12, true), (30, 1, false)] {
        let (pattern, mut values) = random_sparse(&mut random, n, per_column);
        let mut lu = AutoLu::new(&pattern);
        for _ in 0..3 {
            lu.factorize(&values).unwrap();
            assert_eq!(lu.is_dense(), dense, "{lu:?}");
            let x: Vec<f64> = (0..n).map(|_| random.next()).collect();
            let mut b = vec![0.0; n];
            pattern.multiply(&values, &x, &mut b);
            lu.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-8));
            pattern.multiply_transpose(&values, &x, &mut b);
            lu.solve_transpose(&mut b);
            assert!(b.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-8));
            values.iter_mut().for_each(|v| *v = random.next());
        }
        let len = pattern.value_len();
        assert_eq!(
            lu.factorize(&values[1..]),
            Err(LinearError::WrongLength { len: len - 1, expected: len })
        );
        values[3] = f64::NAN;
        let error = lu.factorize(&values).unwrap_err();
        let (row, column) = pattern.entries().nth(3).unwrap();
        assert!(
            matches!(error, LinearError::NotFinite { row: r, column: c, .. } if (r, c) == (row, column)),
            "{error}"
        );
    }
}

#[test]
fn a_long_chain_is_solved_to_rounding() {
    let mut random = Random(5);
    let (size, entries) = chain(2000, &mut random);
    let pattern = Pattern::from_entries(size, &places(&entries));
    let values = values_of(&pattern, &entries);
    let mut lu = solver_for(&pattern);
    let x: Vec<f64> = (0..size).map(|_| random.next()).collect();
    let mut b = vec![0.0; size];
    for _ in 0..2 {
        lu.factorize(&values).unwrap();
        pattern.multiply(&values, &x, &mut b);
        lu.solve(&mut b);
        let error = b.iter().zip(&x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-7, "{error:e}");
        pattern.multiply_transpose(&values, &x, &mut b);
        lu.solve_transpose(&mut b);
        let error = b.iter().zip(&x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-7, "{error:e}");
    }
}

/// The order counts on pivots on the diagonal, where constraints have none: nearly all of them are,
/// and the factors of a net grow as n log n.
#[test]
fn a_net_is_factorized_along_its_diagonal() {
    let per_row = [10, 20, 40].map(|side| {
        let mut random = Random(8);
        let (size, entries) = net(side, &mut random);
        let pattern = Pattern::from_entries(size, &places(&entries));
        let values = values_of(&pattern, &entries);
        let mut lu = SparseLu::<f64>::new(&pattern);
        lu.factorize(&values).unwrap();
        assert!(lu.off_diagonal_pivots() < size / 50, "side {side}");
        let x: Vec<f64> = (0..size).map(|_| random.next()).collect();
        let mut b = vec![0.0; size];
        pattern.multiply(&values, &x, &mut b);
        lu.solve(&mut b);
        let error = b.iter().zip(&x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-6, "side {side}: {error:e}");
        lu.factor_entries() as f64 / size as f64
    });
    // From one doubling of the side to the next: by the same amount, not by a factor.
    assert!(per_row[2] - per_row[1] < 1.5 * (per_row[1] - per_row[0]), "{per_row:?}");
}

/// Every unknown once, whatever the diagonal: full, empty, with rows all others read.
#[test]
fn minimum_degree_orders_every_unknown_once() {
    let mut random = Random(31);
    for n in [1, 2, 3, 10, 60, 400] {
        for per_column in [1, 2, 5] {
            let (pattern, _) = random_sparse(&mut random, n, per_column);
            let mut entries: Vec<_> =
                pattern.entries().map(|(i, j)| (i as u32, j as u32)).collect();
            for i in 0..n as u32 {
                entries.push((0, i));
            }
            let with_dense_row = Pattern::sparse(n, &entries);
            for pattern in [&pattern, &with_dense_row] {
                for part in [0.0, 0.5, 1.0] {
                    let has: Vec<bool> = (0..n).map(|_| random.next() < 2.0 * part - 1.0).collect();
                    let mut order = super::order::minimum_degree(pattern, &has);
                    order.sort_unstable();
                    assert!(order.iter().enumerate().all(|(i, &o)| i == o as usize), "{n}");
                    assert_eq!(order.len(), n);
                }
            }
        }
    }
}

/// An unknown without a diagonal comes after its neighbours that have one.
#[test]
fn constraints_wait_for_their_bodies() {
    let (size, entries) = net(12, &mut Random(3));
    let pattern = Pattern::from_entries(size, &places(&entries));
    let has: Vec<bool> = (0..size).map(|i| i < 3 * 144).collect();
    let order = super::order::minimum_degree(&pattern, &has);
    let mut place = vec![0; size];
    order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k);
    for (row, column) in pattern.entries().filter(|&(row, column)| !has[row] && has[column]) {
        assert!(place[row] > place[column]);
    }
}

fn rank_of(rows: usize, columns: usize, entries: &[(usize, usize, f64)]) -> RankReport {
    redundant_rows(
        &RowSet::from_entries(rows, columns, entries.iter().copied()),
        1e-9,
        &Patterns::default(),
    )
}

#[test]
fn the_later_row_of_a_dependent_set_is_reported_with_its_support() {
    // Rows 0, 1, 3 independent; 2 = 2·row 0 − row 1; 4 is zero; 5 = row 3 in other units.
    let entries = [
        (0, 0, 1.0),
        (0, 1, 2.0),
        (1, 1, 1.0),
        (1, 2, -1.0),
        (2, 0, 2.0),
        (2, 1, 3.0),
        (2, 2, 1.0),
        (3, 3, 5.0),
        (3, 3, 1.0),
        (5, 3, 6e-7),
    ];
    let report = rank_of(6, 4, &entries);
    assert_eq!(report.rank, 3);
    let rows: Vec<usize> = report.redundant.iter().map(|r| r.row).collect();
    assert_eq!(rows, [2, 4, 5]);
    let support = |k: usize| {
        report.redundant[k]
            .depends_on
            .iter()
            .map(|&(r, f)| (r, (f * 1e9).round() / 1e9))
            .collect::<Vec<_>>()
    };
    assert_eq!(support(0), [(0, 2.0), (1, -1.0)]);
    assert_eq!(support(1), []);
    assert_eq!(report.redundant[2].depends_on[0].0, 3);
}

#[test]
fn rank_agrees_with_singular_values() {
    let mut random = Random(17);
    for trial in 0..40 {
        let (m, n, rank) = (3 + trial % 9, 4 + trial % 7, 1 + trial % 4);
        let a = DMatrix::from_fn(m, rank, |_, _| random.next())
            * DMatrix::from_fn(rank, n, |_, _| random.next());
        let entries: Vec<_> = (0..m * n).map(|k| (k % m, k / m, a[(k % m, k / m)])).collect();
        let report = rank_of(m, n, &entries);
        assert_eq!(report.rank, rank.min(m).min(n), "trial {trial}");
        for redundant in &report.redundant {
            let mut left = a.row(redundant.row).into_owned();
            for &(r, f) in &redundant.depends_on {
                assert!(r < redundant.row);
                left -= a.row(r) * f;
            }
            assert!(left.norm() < 1e-8, "{redundant:?}: {left}");
        }
    }
}

#[test]
fn rank_of_a_long_chain_and_of_the_same_chain_closed_twice() {
    let links = 3000;
    let (_, entries) = chain(links, &mut Random(23));
    let n = 3 * links;
    let mut rows: Vec<_> = entries
        .iter()
        .filter(|&&(r, c, _)| r >= n && c < n)
        .map(|&(r, c, v)| (r - n, c, v))
        .collect();
    let report = rank_of(2 * links, n, &rows);
    assert_eq!((report.rank, report.redundant.len()), (2 * links, 0));
    // The middle link pinned a second time: copies of its rows at the end.
    let middle = links / 2;
    let copies: Vec<_> = rows
        .iter()
        .filter(|&&(r, _, _)| r / 2 == middle)
        .map(|&(r, c, v)| (2 * links + r % 2, c, 3.0 * v))
        .collect();
    rows.extend(copies);
    let report = rank_of(2 * links + 2, n, &rows);
    assert_eq!(report.rank, 2 * links);
    let found: Vec<_> =
        report.redundant.iter().map(|r| (r.row, r.depends_on[0].0, r.depends_on.len())).collect();
    assert_eq!(found, [(2 * links, 2 * middle, 1), (2 * links + 1, 2 * middle + 1, 1)]);
}

/// Structurally symmetric elimination in an order: entries of L in every column.
fn symbolic(pattern: &Pattern, order: &[u32]) -> Vec<std::collections::BTreeSet<usize>> {
    let n = order.len();
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k);
    let mut columns = vec![std::collections::BTreeSet::new(); n];
    for (row, column) in pattern.entries().map(|(i, j)| (place[i], place[j])) {
        if row != column {
            columns[row.min(column)].insert(row.max(column));
        }
    }
    for k in 0..n {
        if let Some(&parent) = columns[k].first() {
            let above: Vec<usize> = columns[k].iter().copied().skip(1).collect();
            columns[parent].extend(above);
        }
    }
    columns
}

/// Large matrices are ordered part by part: without more fill, and what is eliminated next to each
/// other is near in memory.
#[test]
fn parts_of_the_tree_keep_fill_and_are_near() {
    for (size, entries) in [net(26, &mut Random(4)), chain(2000, &mut Random(4))] {
        let pattern = Pattern::from_entries(size, &places(&entries));
        let (columns, rows) = pattern.columns().unwrap();
        let has: Vec<bool> =
            (0..size).map(|i| pattern.position(i, i) < pattern.value_len()).collect();
        let found = super::order::by_degree(&pattern, &has);
        let ordered = super::order::by_parts(&found, columns, rows);
        let (before, after) = (symbolic(&pattern, &found), symbolic(&pattern, &ordered));
        let entries = |columns: &[std::collections::BTreeSet<usize>]| {
            columns.iter().map(|column| column.len()).sum::<usize>()
        };
        assert_eq!(entries(&before), entries(&after));
        let far = |columns: &[std::collections::BTreeSet<usize>]| {
            let next = |(k, column): (usize, &std::collections::BTreeSet<usize>)| {
                column.first().is_some_and(|parent| parent - k > 1024)
            };
            columns.iter().enumerate().filter(|&entry| next(entry)).count()
        };
        assert!(far(&after) < size / 20, "{} of {size}, {} before", far(&after), far(&before));
    }
}

/// A chain of bodies in Euler parameters whose hinges couple those of neighbours, λ(hinge) at hand: the norm row of a body
/// need not wait for its hinges, and fill grows as the chain does. It was 1.2 million entries of L for 256 links.
#[test]
fn norms_of_euler_parameters_do_not_wait_for_hinges() {
    // Of each body four parameters, the norm, five rows of the hinge to the body before.
    const BODY: usize = 10;
    let fill = |bodies: usize| {
        let mut entries = Vec::new();
        let mut both = |i: usize, j: usize| entries.extend([(i, j, 1.0), (j, i, 1.0)]);
        for body in 0..bodies {
            let first = BODY * body;
            for i in 0..4 {
                (0..=i).for_each(|j| both(first + i, first + j));
                both(first + 4, first + i);
                for hinge in first + 5..first + BODY {
                    both(hinge, first + i);
                    if body > 0 {
                        both(hinge, first - BODY + i);
                    }
                }
                if body > 0 {
                    (0..4).for_each(|j| both(first + i, first - BODY + j));
                }
            }
        }
        let pattern = Pattern::from_entries(BODY * bodies, &places(&entries));
        let has: Vec<bool> = (0..BODY * bodies).map(|i| i % BODY < 4).collect();
        let order = super::order::minimum_degree(&pattern, &has);
        symbolic(&pattern, &order).iter().map(|column| column.len()).sum::<usize>()
    };
    assert!(fill(16) < 2200 && fill(256) < 36_000, "{} {}", fill(16), fill(256));
}

/// What the first factorization of a pattern found serves the matrices of its clones, unless its
/// pivots are bad for them.
#[test]
fn matrices_of_a_pattern_follow_the_first() {
    let mut random = Random(12);
    let (size, entries) = chain(300, &mut random);
    let patterns = Patterns::default();
    let pattern = patterns.share(Pattern::sparse(size, &places(&entries)));
    let same = patterns.share(Pattern::sparse(size, &places(&entries)));
    let values = values_of(&pattern, &entries);
    let mut first = SparseLu::<f64>::new(&pattern);
    first.factorize(&values).unwrap();
    let x: Vec<f64> = (0..size).map(|_| random.next()).collect();
    let check = |lu: &mut SparseLu<f64>, values: &[f64]| {
        let mut b = vec![0.0; size];
        pattern.multiply(values, &x, &mut b);
        lu.solve(&mut b);
        let error = b.iter().zip(&x).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(error < 1e-7, "{error:e}");
    };
    // Other masses, other pivots.
    let mut heavier = values.clone();
    (0..900).for_each(|i| heavier[pattern.position(i, i)] *= 1.0 + (i % 5) as f64);
    let mut second = SparseLu::<f64>::new(&same);
    second.factorize(&heavier).unwrap();
    assert_eq!((second.counts().pivoting, second.counts().refactorizations), (0, 1));
    check(&mut second, &heavier);
    // A coordinate without mass has no pivot of its own.
    let mut massless = values.clone();
    massless[pattern.position(450, 450)] = 0.0;
    let mut third = SparseLu::<f64>::new(&same);
    third.factorize(&massless).unwrap();
    assert_eq!(third.counts().pivoting, 1);
    check(&mut third, &massless);
    first.factorize(&heavier).unwrap();
    assert_eq!(first.counts().pivoting, 1);
    check(&mut first, &heavier);
}

/// A coordinate that a row of its own drives, and what follows from it alone, come out to the last bit, whatever the others are,
/// with the first matrix and with later ones, though the drive is tiny beside the rest of its column.
#[test]
fn what_a_row_of_its_own_says_holds_to_the_last_bit() {
    let mut random = Random(11);
    for trial in 0..200 {
        let (n, driven) = (3 + trial % 12, 1 + trial % 3);
        let size = n + driven;
        let mut places: Vec<(u32, u32)> = Vec::new();
        for j in 0..n as u32 {
            places.extend((0..n as u32).map(|i| (i, j)));
        }
        for r in 0..driven as u32 {
            let row = n as u32 + r;
            // With the place of a multiplier whose row may leave the equations.
            places.extend([(row, r), (r, row), (row, row)]);
        }
        // Of two entries of the first row the second drives one: what is left is a row of its own.
        if driven > 1 {
            places.push((n as u32, 1));
        }
        let pattern = Pattern::sparse(size, &places);
        let mut solver = SparseLu::new(&pattern);
        for turn in 0..3 {
            let drive = [1.0, 1e-6, 1e6][(trial + turn) % 3];
            let value = |(i, j): (usize, usize)| match (i, j) {
                (i, j) if i < n && j < n => {
                    random.next() + if i == j { 2.0 * n as f64 } else { 0.0 }
                }
                (i, j) if i == j => 0.0,
                _ => drive * (1.5 + 0.5 * random.next()),
            };
            let values: Vec<f64> = pattern.entries().map(value).collect();
            solver.factorize(&values).unwrap();
            let a = dense_of(&pattern, &values);
            let mut b = DVector::from_fn(size, |i, _| if i < n { random.next() } else { 0.0 });
            let mut x = b.clone();
            solver.solve(x.as_mut_slice());
            let of_its_own = if driven == 1 { 0..1 } else { 1..driven };
            assert!((0..driven).all(|r| x[r] == 0.0), "{trial} {turn}: {x}");
            let error = (&a * &x - &b).amax() / (a.abs() * x.abs() + b.abs()).amax();
            assert!(error < 1e-14, "{trial} {turn}: {error:e}");
            for r in of_its_own.clone() {
                b[n + r] = random.next();
            }
            let mut x = b.clone();
            solver.solve(x.as_mut_slice());
            for r in of_its_own {
                let exact = b[n + r] / a[(n + r, r)];
                assert!((x[r] - exact).abs() <= 2.0 * f64::EPSILON * exact.abs(), "{trial} {r}");
            }
            let mut y = b.clone();
            solver.solve_transpose(y.as_mut_slice());
            let error =
                (a.transpose() * &y - &b).amax() / (a.transpose().abs() * y.abs() + b.abs()).amax();
            assert!(error < 1e-13, "{trial} {turn}: {error:e}");
        }
    }
}
