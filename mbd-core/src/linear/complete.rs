//! Dense LU with complete pivoting: slow, and what the others turn to where they fail.

use super::entry::{Entry, Matrix, power_of_two_reciprocal};
use super::equilibrate::{Equilibrated, Scaling};

/// Pivots that may be rounding, beside a largest entry of 1.
const SMALL: f64 = 1e-10;

/// P R A C Q = L U, with powers of two R and C that bring rows and columns near unit size, and the
/// largest of all entries left as pivot.
#[derive(Clone, Debug, Default)]
pub(super) struct CompleteLu<T> {
    n: usize,
    lu: Vec<T>,
    rows: Vec<u32>,
    pub(super) columns: Vec<u32>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    x: Vec<T>,
}

impl<T: Entry> CompleteLu<T> {
    /// Factorizes; a column that vanishes beside it, if there is one.
    pub(super) fn factorize(
        &mut self,
        matrix: Matrix<'_, T>,
        scales: &Equilibrated,
    ) -> Result<(), usize> {
        let n = matrix.0.len() - 1;
        self.n = n;
        let power = |scale: &f64| 1.0 / power_of_two_reciprocal(*scale);
        self.row_scale = scales.rows(false).iter().map(power).collect();
        self.column_scale = scales.columns(false).iter().map(power).collect();
        self.rows = (0..n as u32).collect();
        self.columns = (0..n as u32).collect();
        self.x = vec![T::default(); n];
        self.lu.clear();
        self.lu.resize(n * n, T::default());
        for (i, j, value) in entries(matrix) {
            self.lu[i + j * n] = value * self.row_scale[i] * self.column_scale[j];
        }
        // The largest entry of each column that is left. What the matrix holds of bodies that do not touch stays apart, so
        // that few columns change with a pivot.
        let mut largest: Vec<(usize, f64)> =
            self.lu.chunks_exact(n.max(1)).map(|column| largest_of(column, 0)).collect();
        for k in 0..n {
            let mut best = (k, k, -1.0);
            for (j, (i, size)) in largest.iter().enumerate().skip(k) {
                if *size > best.2 {
                    best = (*i, j, *size);
                }
            }
            let (p, q, size) = best;
            if !(size > 0.0) {
                return Err(self.columns[k] as usize);
            }
            self.rows.swap(k, p);
            self.columns.swap(k, q);
            largest.swap(k, q);
            for j in 0..n {
                self.lu.swap(k + j * n, p + j * n);
            }
            for i in 0..n {
                self.lu.swap(i + k * n, i + q * n);
            }
            let (left, right) = self.lu.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let pivot = column[k];
            column[k + 1..].iter_mut().for_each(|l| *l /= pivot);
            let rest = right.chunks_exact_mut(n).zip(&mut largest[k + 1..]);
            for (target, largest) in rest {
                let u = target[k];
                let (changes, moves) = (u != T::default(), target[p] != T::default());
                if changes {
                    for (t, l) in target[k + 1..].iter_mut().zip(&column[k + 1..]) {
                        *t -= *l * u;
                    }
                }
                if changes || moves {
                    *largest = largest_of(target, k + 1);
                }
            }
        }
        Ok(())
    }

    /// In the scale of the matrix. Without pivots for all columns solutions are not finite.
    pub(super) fn as_it_is(matrix: Matrix<'_, T>) -> Self {
        let mut scales = Equilibrated::default();
        scales.find(matrix, Scaling::AtOnce);
        let mut complete = CompleteLu::default();
        // The pivot of a column without one is zero.
        let _ = complete.factorize(matrix, &scales);
        complete
    }

    /// A column whose pivot is nothing but the rounding errors of the terms it is the sum of, if there is one.
    pub(super) fn rounding(&self, matrix: Matrix<'_, T>) -> Option<usize> {
        let (n, lu) = (self.n, &self.lu);
        (0..n).find_map(|k| {
            let (row, column) = (self.rows[k] as usize, self.columns[k] as usize);
            let pivot = lu[k + k * n].size();
            if pivot > SMALL {
                return None;
            }
            let (col_ptr, row_idx, values) = matrix;
            let range = col_ptr[column] as usize..col_ptr[column + 1] as usize;
            let at = row_idx[range.clone()].iter().position(|&i| i as usize == row);
            let scale = self.row_scale[row] * self.column_scale[column];
            let original = at.map_or(0.0, |at| values[range.start + at].size() * scale);
            let terms = (0..k).map(|i| (lu[k + i * n] * lu[i + k * n]).size()).sum::<f64>();
            (pivot <= 4.0 * f64::EPSILON * (original + terms)).then_some(column)
        })
    }

    pub(super) fn solve(&mut self, b: &mut [T], transposed: bool) {
        let (n, lu, x) = (self.n, &self.lu, &mut self.x);
        if transposed {
            for (x, &j) in x.iter_mut().zip(&self.columns) {
                *x = b[j as usize] * self.column_scale[j as usize];
            }
            for k in 0..n {
                let above: T = (0..k).map(|i| lu[i + k * n] * x[i]).sum();
                x[k] = (x[k] - above) / lu[k + k * n];
            }
            for k in (0..n).rev() {
                let below: T = (k + 1..n).map(|i| lu[i + k * n] * x[i]).sum();
                x[k] -= below;
            }
            for (x, &i) in x.iter().zip(&self.rows) {
                b[i as usize] = *x * self.row_scale[i as usize];
            }
        } else {
            for (x, &i) in x.iter_mut().zip(&self.rows) {
                *x = b[i as usize] * self.row_scale[i as usize];
            }
            for k in 0..n {
                let xk = x[k];
                if xk != T::default() {
                    (k + 1..n).for_each(|i| x[i] -= lu[i + k * n] * xk);
                }
            }
            for k in (0..n).rev() {
                x[k] /= lu[k + k * n];
                let xk = x[k];
                if xk != T::default() {
                    (0..k).for_each(|i| x[i] -= lu[i + k * n] * xk);
                }
            }
            for (x, &j) in x.iter().zip(&self.columns) {
                b[j as usize] = *x * self.column_scale[j as usize];
            }
        }
    }
}

/// The first of the largest entries of a column from a row on, and its size.
fn largest_of<T: Entry>(column: &[T], from: usize) -> (usize, f64) {
    let mut largest = (from, -1.0);
    for (i, value) in column.iter().enumerate().skip(from) {
        let size = value.size();
        if size > largest.1 {
            largest = (i, size);
        }
    }
    largest
}

/// Entries of a matrix by columns.
fn entries<'a, T: Entry>(
    (col_ptr, row_idx, values): Matrix<'a, T>,
) -> impl Iterator<Item = (usize, usize, T)> + 'a {
    col_ptr.windows(2).enumerate().flat_map(move |(j, range)| {
        let range = range[0] as usize..range[1] as usize;
        let rows = row_idx[range.clone()].iter();
        rows.zip(&values[range]).map(move |(&i, value)| (i as usize, j, *value))
    })
}
