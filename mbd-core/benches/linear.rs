//! Factorization and solution: dense, sparse with kept pivots, sparse with pivoting, and faer's
//! convenience call, as times within one run. `cargo bench -p mbd-core --bench linear`

use mbd_core::linear::{DenseLu, LinearSolver, Pattern, SparseLu};
use std::hint::black_box;
use std::time::Instant;

#[path = "../src/linear/fixtures.rs"]
mod fixtures;
use fixtures::{Random, chain, full_values, places, random_sparse, values_of};

fn main() {
    crossover();
    by_fill();
    net();
}

fn microseconds(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    let mut repeats = 1;
    for _ in 0..12 {
        let start = Instant::now();
        for _ in 0..repeats {
            work();
        }
        let elapsed = start.elapsed().as_secs_f64();
        best = best.min(elapsed / repeats as f64);
        if elapsed < 2e-3 {
            repeats *= 2;
        }
    }
    best * 1e6
}

/// Where dense and sparse meet, and what faer's convenience call costs beside them.
fn crossover() {
    use faer::linalg::solvers::Solve;
    println!(
        "links  size    dense  sparse refactor  sparse pivoting  faer convenience  symbolic [us]"
    );
    for links in [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 64, 256, 1024, 4096] {
        let (size, entries) = chain(links, &mut Random(2));
        let pattern = Pattern::sparse(size, &places(&entries));
        let values = values_of(&pattern, &entries);
        let dense_values = (size < 400).then(|| full_values(&pattern, &values));
        let mut b = vec![1.0; size];
        let dense = dense_values.as_ref().map_or(f64::NAN, |values| {
            let mut lu = DenseLu::<f64>::new(size);
            microseconds(|| {
                lu.factorize(black_box(values)).unwrap();
                b.fill(1.0);
                lu.solve(&mut b);
            })
        });
        let mut lu = SparseLu::<f64>::new(&pattern);
        lu.factorize(&values).unwrap();
        let refactor = microseconds(|| {
            lu.factorize(black_box(&values)).unwrap();
            b.fill(1.0);
            lu.solve(&mut b);
        });
        let pivoting = microseconds(|| {
            lu.choose_again();
            lu.factorize(black_box(&values)).unwrap();
            b.fill(1.0);
            lu.solve(&mut b);
        });
        let symbolic = microseconds(|| {
            black_box(SparseLu::<f64>::new(&pattern));
        });
        let triplets: Vec<_> =
            entries.iter().map(|&(r, c, v)| faer::sparse::Triplet::new(r, c, v)).collect();
        let a =
            faer::sparse::SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &triplets)
                .unwrap();
        let convenience = microseconds(|| {
            let rhs = faer::Mat::<f64>::from_fn(size, 1, |_, _| 1.0);
            black_box(a.sp_lu().unwrap().solve(&rhs));
        });
        println!(
            "{links:5} {size:5} {dense:8.2} {refactor:16.2} {pivoting:16.2} {convenience:17.2} {symbolic:9.2}   fill {:.3} factor {:.1} per row",
            values.len() as f64 / (size * size) as f64,
            lu.factor_entries() as f64 / size as f64
        );
    }
}

/// Dense against sparse by fill, for small systems.
fn by_fill() {
    let mut random = Random(4);
    println!("size   fill   factor fill   dense   sparse [us]");
    for n in [6usize, 10, 13, 20, 30, 50, 100, 200] {
        for per_column in [2, 3, 5, 8, 13, 20, 40, 80, 200] {
            if per_column > n {
                continue;
            }
            let (pattern, values) = random_sparse(&mut random, n, per_column);
            let dense_values = full_values(&pattern, &values);
            let (mut dense, mut sparse) = (DenseLu::<f64>::new(n), SparseLu::<f64>::new(&pattern));
            if sparse.factorize(&values).is_err() {
                continue;
            }
            let mut b = vec![1.0; n];
            let dense_time = microseconds(|| {
                let _ = dense.factorize(black_box(&dense_values));
                b.fill(1.0);
                dense.solve(&mut b);
            });
            let sparse_time = microseconds(|| {
                let _ = sparse.factorize(black_box(&values));
                b.fill(1.0);
                sparse.solve(&mut b);
            });
            let square = (n * n) as f64;
            println!(
                "{n:4} {:6.2} {:13.2} {dense_time:7.2} {sparse_time:8.2}",
                values.len() as f64 / square,
                sparse.factor_entries() as f64 / square
            );
        }
    }
}

/// A net of bodies: the fill of a two-dimensional mesh.
fn net() {
    use faer::linalg::solvers::Solve;
    for side in [8usize, 16, 32, 48, 96] {
        let (row, entries) = fixtures::net(side, &mut Random(9));
        let pattern = Pattern::sparse(row, &places(&entries));
        let values = values_of(&pattern, &entries);
        let mut lu = SparseLu::<f64>::new(&pattern);
        let mut b = vec![1.0; row];
        lu.factorize(&values).unwrap();
        let refactor = microseconds(|| {
            lu.factorize(black_box(&values)).unwrap();
            b.fill(1.0);
            lu.solve(&mut b);
        });
        let triplets: Vec<_> =
            entries.iter().map(|&(r, c, v)| faer::sparse::Triplet::new(r, c, v)).collect();
        let a =
            faer::sparse::SparseColMat::<usize, f64>::try_new_from_triplets(row, row, &triplets)
                .unwrap();
        let convenience = microseconds(|| {
            let rhs = faer::Mat::<f64>::from_fn(row, 1, |_, _| 1.0);
            black_box(a.sp_lu().unwrap().solve(&rhs));
        });
        println!(
            "side {side}: size {row}, factor {:.1} per row, refactor {refactor:.0} us, faer convenience {convenience:.0} us",
            lu.factor_entries() as f64 / row as f64
        );
    }
}
