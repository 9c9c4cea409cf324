//! Dense LU with complete pivoting: slow, and what the others turn to where they fail.

use super::backward::{Matrix, Refinement, Verdict, norm};
use super::condition::inverse_norm;
use super::{Entry, LinearError, SINGULAR, power_of_two_reciprocal};

/// Steps of [`equilibrate`] where all digits count, each of which takes off half of the digits.
const EQUILIBRATIONS: usize = 20;
/// P R A C Q = L U, with powers of two R and C that bring rows and columns near unit size, and the
/// largest of all entries left as pivot.
#[derive(Clone, Debug, Default)]
pub(super) struct CompleteLu<T> {
    n: usize,
    lu: Vec<T>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    x: Vec<T>,
}

impl<T: Entry> CompleteLu<T> {
    /// Factorizes; a column that vanishes beside it, if there is one.
    pub(super) fn factorize(
        &mut self,
        n: usize,
        entries: impl Iterator<Item = (usize, usize, T)>,
        (rows, columns): (&[f64], &[f64]),
    ) -> Result<(), usize> {
        self.n = n;
        let power = |scale: &f64| 1.0 / power_of_two_reciprocal(*scale);
        self.row_scale = rows.iter().map(power).collect();
        self.column_scale = columns.iter().map(power).collect();
        self.rows = (0..n as u32).collect();
        self.columns = (0..n as u32).collect();
        self.x = vec![T::default(); n];
        self.lu.clear();
        self.lu.resize(n * n, T::default());
        for (i, j, value) in entries {
            self.lu[i + j * n] = value * self.row_scale[i] * self.column_scale[j];
        }
        for k in 0..n {
            let mut best = (k, k, -1.0);
            for j in k..n {
                for i in k..n {
                    let size = self.lu[i + j * n].size();
                    if size > best.2 {
                        best = (i, j, size);
                    }
                }
            }
            let (p, q, size) = best;
            if !(size > 0.0) {
                return Err(self.columns[k] as usize);
            }
            self.rows.swap(k, p);
            self.columns.swap(k, q);
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
            for target in right.chunks_exact_mut(n) {
                let u = target[k];
                for (t, l) in target[k + 1..].iter_mut().zip(&column[k + 1..]) {
                    *t -= *l * u;
                }
            }
        }
        Ok(())
    }

    /// In the scale of [`equilibrate`]. Without pivots for all columns solutions are not finite.
    pub(super) fn as_it_is((col_ptr, row_idx, values): Matrix<'_, T>) -> Self {
        let (rows, columns) = equilibrate((col_ptr, row_idx, values), EQUILIBRATIONS, false);
        let mut complete = CompleteLu::default();
        let entries = entries((col_ptr, row_idx, values));
        // The pivot of a column without one is zero.
        let _ = complete.factorize(col_ptr.len() - 1, entries, (&rows, &columns));
        complete
    }

    /// κ₁ in the given scale of the matrix it has factorized.
    fn condition(&mut self, matrix: Matrix<'_, T>, scales: (&[f64], &[f64])) -> f64 {
        let inverse = inverse_norm(scales.1.len(), scales, &mut |b, transposed| {
            self.solve(b, transposed);
        });
        norm(matrix, scales) * inverse
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
                (k + 1..n).for_each(|i| x[i] -= lu[i + k * n] * xk);
            }
            for k in (0..n).rev() {
                x[k] /= lu[k + k * n];
                let xk = x[k];
                (0..k).for_each(|i| x[i] -= lu[i + k * n] * xk);
            }
            for (x, &j) in x.iter().zip(&self.columns) {
                b[j as usize] = *x * self.column_scale[j as usize];
            }
        }
    }
}

/// Complete pivoting where other pivots fail; solutions are refined where they must be.
///
/// # Errors
/// [`LinearError::Singular`] for a matrix that is singular to working precision.
pub(super) fn best_of_all<T: Entry>(
    matrix: Matrix<'_, T>,
    refinement: &mut Refinement<T>,
) -> Result<Box<CompleteLu<T>>, LinearError> {
    let mut complete = Box::new(CompleteLu::default());
    let mut least = f64::INFINITY;
    // Two scales, of which one may show less of a condition that is scale only.
    for in_turn in [false, true] {
        let (rows, columns) = equilibrate(matrix, EQUILIBRATIONS, in_turn);
        let scales = (&rows[..], &columns[..]);
        if let Err(column) = complete.factorize(rows.len(), entries(matrix), scales) {
            return Err(LinearError::Singular { column, condition: f64::INFINITY });
        }
        let condition = complete.condition(matrix, scales);
        if condition <= SINGULAR {
            let mut solve = |b: &mut [T], transposed: bool| complete.solve(b, transposed);
            if refinement.judge(matrix, scales, &mut solve) != Verdict::Good {
                // Nothing is better than these pivots with refinement.
                refinement.keep(&matrix.2[..matrix.1.len()]);
            }
            return Ok(complete);
        }
        least = least.min(condition);
    }
    let column = complete.columns.last().map_or(0, |&column| column as usize);
    Err(LinearError::Singular { column, condition: least })
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

/// Scales that bring the largest entries of rows and columns near 1: of both by like amounts (Ruiz 2001),
/// or of rows and of columns in turn.
pub(super) fn equilibrate<T: Entry>(
    matrix: Matrix<'_, T>,
    steps: usize,
    in_turn: bool,
) -> (Vec<f64>, Vec<f64>) {
    let n = matrix.0.len() - 1;
    let (mut rows, mut columns) = (vec![1.0; n], vec![1.0; n]);
    let mut largest = vec![(0.0f64, 0.0f64); n];
    let parts: &[(bool, bool)] =
        if in_turn { &[(true, false), (false, true)] } else { &[(true, true)] };
    for &(of_rows, of_columns) in parts.iter().cycle().take(steps * parts.len()) {
        largest.fill((0.0, 0.0));
        for (i, j, value) in entries(matrix) {
            let size = value.size() * rows[i] * columns[j];
            largest[i].0 = largest[i].0.max(size);
            largest[j].1 = largest[j].1.max(size);
        }
        let factor = |size: f64| if size > 0.0 { 1.0 / size.sqrt() } else { 1.0 };
        for (k, &(in_row, in_column)) in largest.iter().enumerate() {
            if of_rows {
                rows[k] *= factor(in_row);
            }
            if of_columns {
                columns[k] *= factor(in_column);
            }
        }
    }
    (rows, columns)
}
