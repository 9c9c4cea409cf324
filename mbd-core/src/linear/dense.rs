//! Dense LU for small systems, in place.

use super::pattern::Pattern;
use super::{Entry, LinearError, LinearSolver, power_of_two_reciprocal};

/// LU of a dense matrix with partial pivoting, P A = L U.
///
/// Pivots are compared after scaling each row by a power of two (a row of a constraint and a row of
/// the equations of motion have different units), the values themselves are not scaled.
///
/// # Allocations
/// None after construction.
#[derive(Clone, Debug)]
pub struct DenseLu<T = f64> {
    n: usize,
    /// L below the diagonal (unit diagonal not stored), U on and above it, by columns.
    lu: Vec<T>,
    /// Row exchanged with row k at step k.
    exchanged: Vec<u32>,
    row_scale: Vec<f64>,
    factorized: bool,
}

impl<T: Entry> DenseLu<T> {
    /// For matrices of `n` rows.
    pub fn new(n: usize) -> Self {
        DenseLu {
            n,
            lu: vec![T::default(); n * n],
            exchanged: vec![0; n],
            row_scale: vec![1.0; n],
            factorized: false,
        }
    }

    fn scale_rows(&mut self) {
        self.row_scale.fill(0.0);
        for column in self.lu.chunks_exact(self.n) {
            for (largest, value) in self.row_scale.iter_mut().zip(column) {
                *largest = largest.max(value.size());
            }
        }
        for scale in &mut self.row_scale {
            *scale = power_of_two_reciprocal(*scale);
        }
    }

    /// Whether pivot `k` is nothing but the rounding errors of the terms it is the sum of.
    fn is_rounding(&self, k: usize, original: T) -> bool {
        let column = &self.lu[k * self.n..(k + 1) * self.n];
        let sum: f64 = (0..k).map(|j| (self.lu[k + j * self.n] * column[j]).size()).sum();
        column[k].size() <= 4.0 * f64::EPSILON * (sum + original.size())
    }
}

impl<T: Entry> LinearSolver<T> for DenseLu<T> {
    fn size(&self) -> usize {
        self.n
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        let n = self.n;
        self.factorized = false;
        let values = Pattern::dense(n).checked(values)?;
        if n == 0 {
            self.factorized = true;
            return Ok(());
        }
        self.lu.copy_from_slice(values);
        self.scale_rows();
        for k in 0..n {
            let column = &self.lu[k * n..(k + 1) * n];
            let mut p = k;
            let mut largest = -1.0;
            for (i, (value, scale)) in column.iter().zip(&self.row_scale).enumerate().skip(k) {
                let size = value.size() * scale;
                if size > largest {
                    (p, largest) = (i, size);
                }
            }
            self.exchanged[k] = p as u32;
            if p != k {
                for column in self.lu.chunks_exact_mut(n) {
                    column.swap(k, p);
                }
                self.row_scale.swap(k, p);
            }
            let (left, right) = self.lu.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let pivot = column[k];
            let multipliers = &mut column[k + 1..];
            if pivot == T::default() || !pivot.finite() {
                return Err(LinearError::Singular { column: k, pivot: pivot.shown() });
            }
            let reciprocal = T::from(1.0) / pivot;
            if reciprocal.finite() {
                multipliers.iter_mut().for_each(|l| *l *= reciprocal);
            } else {
                multipliers.iter_mut().for_each(|l| *l /= pivot);
            }
            for target in right.chunks_exact_mut(n) {
                let u = target[k];
                if u != T::default() {
                    for (t, l) in target[k + 1..].iter_mut().zip(&*multipliers) {
                        *t -= *l * u;
                    }
                }
            }
            // The check below reads row k of L, so it costs n² in all; it is needed only when the
            // pivot is small beside the rest of its column.
            let column = &self.lu[k * n..k * n + k + 1];
            let above = column[..k].iter().fold(0.0f64, |m, u| m.max(u.size()));
            if column[k].size() < 1e-10 * above {
                let mut row = k;
                for (step, &p) in self.exchanged[..=k].iter().enumerate().rev() {
                    if row == step {
                        row = p as usize;
                    } else if row == p as usize {
                        row = step;
                    }
                }
                if self.is_rounding(k, values[row + k * n]) {
                    let pivot = self.lu[k + k * n];
                    return Err(LinearError::Singular { column: k, pivot: pivot.shown() });
                }
            }
        }
        self.factorized = true;
        Ok(())
    }

    fn solve(&mut self, b: &mut [T]) {
        let n = self.n;
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        for (k, &p) in self.exchanged.iter().enumerate() {
            b.swap(k, p as usize);
        }
        for k in 0..n {
            let x = b[k];
            if x != T::default() {
                let column = &self.lu[k * n + k + 1..(k + 1) * n];
                for (t, l) in b[k + 1..n].iter_mut().zip(column) {
                    *t -= *l * x;
                }
            }
        }
        for k in (0..n).rev() {
            let column = &self.lu[k * n..k * n + k + 1];
            let x = b[k] / column[k];
            b[k] = x;
            if x != T::default() {
                for (t, u) in b[..k].iter_mut().zip(column) {
                    *t -= *u * x;
                }
            }
        }
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        let n = self.n;
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        let dot = |a: &[T], c: &[T]| a.iter().zip(c).map(|(x, y)| *x * *y).sum::<T>();
        for k in 0..n {
            let column = &self.lu[k * n..k * n + k + 1];
            b[k] = (b[k] - dot(&column[..k], &b[..k])) / column[k];
        }
        for k in (0..n).rev() {
            let below = dot(&self.lu[k * n + k + 1..(k + 1) * n], &b[k + 1..n]);
            b[k] -= below;
        }
        for (k, &p) in self.exchanged.iter().enumerate().rev() {
            b.swap(k, p as usize);
        }
    }
}
