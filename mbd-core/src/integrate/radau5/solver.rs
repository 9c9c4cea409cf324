//! The linear algebra of a step: three coupled stages as one real and one complex system of the
//! size of a single one.

use super::tableau::{PAIR, REAL, STAGES, T, T_INVERSE};
use crate::linear::{LinearError, LinearSolver, Pattern, solver_for, solver_of_corrections};
use nalgebra::Complex;
use std::ops::Range;

/// Solves the stages' Newton systems
///
/// ```text
///     I ⊗ J₀ + hA ⊗ J₁ + h²A² ⊗ J₂,      A⁻¹ = T Λ T⁻¹
/// ```
///
/// as E(h/γ) and E(h/(α + iβ)), E(s) = J₀ + s J₁ + s² J₂, after a change of variables by T.
///
/// The value array holds the real matrix and the real and imaginary parts of the complex one, each
/// with the bin of assembly behind it.
#[derive(Debug)]
pub(super) struct StageSolver {
    size: usize,
    entries: usize,
    real: Box<dyn LinearSolver>,
    complex: Box<dyn LinearSolver<Complex<f64>>>,
    /// Rows that are one derivative lower than the others, divided by h: velocity constraints.
    lower: Range<usize>,
    values: Vec<Complex<f64>>,
    w: Vec<f64>,
    z: Vec<Complex<f64>>,
}

const COMPLEX: Complex<f64> = Complex::new(PAIR[0], PAIR[1]);

impl StageSolver {
    pub(super) fn new(pattern: &Pattern, lower: Range<usize>) -> Self {
        let (size, entries) = (pattern.size(), pattern.value_len());
        StageSolver {
            size,
            entries,
            real: solver_for(pattern),
            // What vanishes in its corrections the real system finds, and the next residual shows.
            complex: solver_of_corrections(pattern),
            lower,
            values: vec![Complex::default(); entries],
            w: vec![0.0; size],
            z: vec![Complex::default(); size],
        }
    }

    /// Length of the value array for a pattern.
    pub(super) fn value_len(pattern: &Pattern) -> usize {
        STAGES * (pattern.value_len() + 1)
    }
}

/// Σ_k row_k b_k of the stages' entries.
#[inline(always)]
fn combine(row: &[f64; STAGES], b: [f64; STAGES]) -> f64 {
    row[0] * b[0] + row[1] * b[1] + row[2] * b[2]
}

/// The entries of the three stages, one beside the other.
fn stages(b: &mut [f64], size: usize) -> impl Iterator<Item = [&mut f64; STAGES]> {
    let (first, rest) = b.split_at_mut(size);
    let (second, third) = rest.split_at_mut(size);
    first.iter_mut().zip(second).zip(third).map(|((x, y), z)| [x, y, z])
}

impl LinearSolver for StageSolver {
    fn size(&self) -> usize {
        STAGES * self.size
    }

    fn factorize(&mut self, values: &[f64]) -> Result<(), LinearError> {
        let expected = STAGES * (self.entries + 1);
        if values.len() < expected {
            return Err(LinearError::WrongLength { len: values.len(), expected });
        }
        let (real, parts) = values.split_at(self.entries + 1);
        let (re, im) = parts.split_at(self.entries + 1);
        self.real.factorize(&real[..self.entries])?;
        for ((value, re), im) in self.values.iter_mut().zip(re).zip(im) {
            *value = Complex::new(*re, *im);
        }
        self.complex.factorize(&self.values)
    }

    fn solve(&mut self, b: &mut [f64]) {
        let n = self.size;
        for ((b, w), z) in stages(b, n).zip(&mut self.w).zip(&mut self.z) {
            let b = b.map(|b| *b);
            let [x, y] = [1, 2].map(|k| combine(&T_INVERSE[k], b));
            (*w, *z) = (combine(&T_INVERSE[0], b), Complex::new(x, y));
        }
        for i in self.lower.clone() {
            self.w[i] *= REAL;
            self.z[i] *= COMPLEX;
        }
        self.real.solve(&mut self.w);
        self.complex.solve(&mut self.z);
        for ((b, w), z) in stages(b, n).zip(&self.w).zip(&self.z) {
            for (b, row) in b.into_iter().zip(&T) {
                *b = combine(row, [*w, z.re, z.im]);
            }
        }
    }

    fn solve_transpose(&mut self, b: &mut [f64]) {
        let n = self.size;
        let column = |m: &[[f64; STAGES]; STAGES], k: usize| [m[0][k], m[1][k], m[2][k]];
        let [into, back] = [T, T_INVERSE].map(|m| [0, 1, 2].map(|k| column(&m, k)));
        for ((b, w), z) in stages(b, n).zip(&mut self.w).zip(&mut self.z) {
            let b = b.map(|b| *b);
            let [x, y] = [1, 2].map(|k| combine(&into[k], b));
            // The transpose of the real form of a complex matrix is that of its conjugate transpose.
            (*w, *z) = (combine(&into[0], b), Complex::new(x, -y));
        }
        self.real.solve_transpose(&mut self.w);
        self.complex.solve_transpose(&mut self.z);
        for i in self.lower.clone() {
            self.w[i] *= REAL;
            self.z[i] *= COMPLEX;
        }
        for ((b, w), z) in stages(b, n).zip(&self.w).zip(&self.z) {
            let z = z.conj();
            for (b, row) in b.into_iter().zip(&back) {
                *b = combine(row, [*w, z.re, z.im]);
            }
        }
    }

    fn solve_first(&mut self, b: &mut [f64]) {
        b[self.lower.clone()].iter_mut().for_each(|b| *b *= REAL);
        self.real.solve(b);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tableau::A;
    use super::*;
    use nalgebra::{DMatrix, DVector};

    /// The stages' system put together whole, for J₀, J₁, J₂ of three unknowns of which the last is
    /// a row one derivative lower, against the solver.
    #[test]
    fn the_transformed_systems_solve_the_stages() {
        let (n, h) = (3, 0.3);
        let j: [DMatrix<f64>; 3] = [
            DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 1.0, -0.4, 3.0, 0.5, 1.0, 0.7, 0.0]),
            DMatrix::from_row_slice(3, 3, &[0.5, 0.1, 0.0, 0.2, -0.6, 0.0, 0.4, -0.3, 0.0]),
            DMatrix::from_row_slice(3, 3, &[9.0, 1.0, 0.0, -2.0, 7.0, 0.0, 0.0, 0.0, 0.0]),
        ];
        let a = DMatrix::from_fn(3, 3, |i, k| A[i][k]);
        let powers = [DMatrix::identity(3, 3), &a * h, (&a * &a) * h * h];
        let mut whole = DMatrix::zeros(9, 9);
        for (level, j) in j.iter().enumerate() {
            for row in 0..n {
                // The lower row's J multiplies one derivative less, and the row is divided by h.
                let lower = usize::from(row == 2);
                let Some(power) = powers.get(level + lower) else { continue };
                let scale = if lower == 1 { 1.0 / h } else { 1.0 };
                for (s, t, col) in
                    (0..3).flat_map(|s| (0..3).flat_map(move |t| (0..n).map(move |c| (s, t, c))))
                {
                    whole[(s * n + row, t * n + col)] += scale * power[(s, t)] * j[(row, col)];
                }
            }
        }
        let pattern = Pattern::dense(n);
        let mut solver = StageSolver::new(&pattern, 2..3);
        let mut values = Vec::new();
        let one = Complex::new(1.0, 0.0);
        let shifts = [one * h / REAL, one * h / COMPLEX];
        let e = |s: Complex<f64>, i: usize, k: usize| {
            one * j[0][(i, k)] + s * j[1][(i, k)] + s * s * j[2][(i, k)]
        };
        for part in 0..3 {
            for k in 0..n {
                for i in 0..n {
                    let value = e(shifts[part.min(1)], i, k);
                    values.push(if part == 2 { value.im } else { value.re });
                }
            }
            values.push(0.0);
        }
        solver.factorize(&values).unwrap();
        let b = DVector::from_fn(9, |i, _| (i as f64 * 1.7).sin());
        for transposed in [false, true] {
            let matrix = if transposed { whole.transpose() } else { whole.clone() };
            let exact = matrix.lu().solve(&b).unwrap();
            let mut x: Vec<f64> = b.iter().copied().collect();
            if transposed {
                solver.solve_transpose(&mut x);
            } else {
                solver.solve(&mut x);
            }
            for (x, exact) in x.iter().zip(exact.iter()) {
                assert!((x - exact).abs() < 1e-11, "{transposed}: {x} {exact}");
            }
        }
    }
}
