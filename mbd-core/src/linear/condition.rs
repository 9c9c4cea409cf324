//! Condition numbers estimated from a factorization.

use super::entry::{Entry, power_of_two_reciprocal};
use super::pattern::Pattern;
use super::solver::LinearSolver;

/// Estimate of κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁ for a matrix that `solver` has factorized; a lower bound, rarely
/// off by more than a factor of 3 (Higham, ACM TOMS 14, 1988). Infinite when a solve is not finite.
pub fn condition_1(solver: &mut dyn LinearSolver, pattern: &Pattern, values: &[f64]) -> f64 {
    let ones = vec![1.0; pattern.size()];
    pattern.norm_1(values) * inverse_norm_1(solver, &ones, &ones)
}

/// κ₁ of R A C, with powers of two R and C that bring rows and columns near unit size: what is left
/// when the units of equations and unknowns no longer count.
pub fn condition_equilibrated(
    solver: &mut dyn LinearSolver,
    pattern: &Pattern,
    values: &[f64],
) -> f64 {
    let n = pattern.size();
    let (mut rows, mut cols) = (vec![1.0f64; n], vec![1.0f64; n]);
    let mut largest = vec![0.0f64; n];
    for by_row in [true, false, true, false] {
        largest.fill(0.0);
        for ((i, j), value) in pattern.entries().zip(values) {
            let k = if by_row { i } else { j };
            largest[k] = largest[k].max((rows[i] * value * cols[j]).abs());
        }
        let scales = if by_row { &mut rows } else { &mut cols };
        for (scale, size) in scales.iter_mut().zip(&largest) {
            *scale *= power_of_two_reciprocal(*size);
        }
    }
    let mut sums = vec![0.0; n];
    for ((i, j), value) in pattern.entries().zip(values) {
        sums[j] += (rows[i] * value * cols[j]).abs();
    }
    sums.into_iter().fold(0.0, f64::max) * inverse_norm_1(solver, &rows, &cols)
}

/// Estimate of ‖(R A C)⁻¹‖₁ for diagonal R, C and a factorized A: Hager's iteration with Higham's
/// safeguards, at most six solves and five with the transpose.
pub fn inverse_norm_1(solver: &mut dyn LinearSolver, rows: &[f64], cols: &[f64]) -> f64 {
    let n = solver.size();
    inverse_norm(n, (rows, cols), &mut |b: &mut [f64], transposed| {
        if transposed { solver.solve_transpose(b) } else { solver.solve(b) }
    })
}

/// The same for whatever solves A x = b, or Aᵀ x = b where it is told to.
pub(super) fn inverse_norm<T: Entry>(
    n: usize,
    (rows, cols): (&[f64], &[f64]),
    solve: &mut dyn FnMut(&mut [T], bool),
) -> f64 {
    if n == 0 {
        return 0.0;
    }
    let mut apply = |x: &mut [T], transposed: bool| {
        let (first, last) = if transposed { (cols, rows) } else { (rows, cols) };
        divide(x, first);
        solve(x, transposed);
        divide(x, last);
    };
    let mut x: Vec<T> = (0..n)
        .map(|i| {
            let size = 1.0 + i as f64 / (n.max(2) - 1) as f64;
            T::from(if i % 2 == 0 { size } else { -size })
        })
        .collect();
    apply(&mut x, false);
    let mut estimate = 2.0 * norm_1(&x) / (3.0 * n as f64);
    if !estimate.is_finite() {
        return f64::INFINITY;
    }
    x.fill(T::from(1.0 / n as f64));
    let mut last = usize::MAX;
    for _ in 0..5 {
        apply(&mut x, false);
        let size = norm_1(&x);
        if !size.is_finite() {
            return f64::INFINITY;
        }
        let grew = size > estimate;
        estimate = estimate.max(size);
        if !grew && last != usize::MAX {
            break;
        }
        // Aᴴ by way of Aᵀ.
        for v in &mut x {
            let size = v.size();
            *v = if size > 0.0 { (*v / T::from(size)).conjugate() } else { T::from(1.0) };
        }
        apply(&mut x, true);
        let steepest = largest(&x);
        if steepest == last {
            break;
        }
        last = steepest;
        x.fill(T::default());
        x[steepest] = T::from(1.0);
    }
    estimate
}

fn divide<T: Entry>(x: &mut [T], by: &[f64]) {
    x.iter_mut().zip(by).for_each(|(x, d)| *x /= T::from(*d));
}

fn norm_1<T: Entry>(x: &[T]) -> f64 {
    x.iter().map(|v| v.size()).sum()
}

fn largest<T: Entry>(x: &[T]) -> usize {
    let mut best = 0;
    for (i, v) in x.iter().enumerate() {
        if v.size() > x[best].size() {
            best = i;
        }
    }
    best
}
