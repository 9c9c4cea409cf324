//! Scales of rows and columns that bring a matrix near unit size.

use super::entry::Entry;
use super::entry::Matrix;

/// Steps at most, each of which takes off half of the digits.
const STEPS: usize = 20;
/// Largest entries of rows and columns are near 1 where they are within this factor of it.
const NEAR: f64 = 2.0;
/// Entries beside the largest of their rows and columns, from which on they are of even size.
const EVEN: f64 = 1.0 / 1024.0;

/// Which scales are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scaling {
    /// Largest entries near 1, of rows and columns at once.
    AtOnce,
    /// The same in turn.
    InTurn,
    /// The geometric means of the entries of rows and columns near 1 (Curtis and Reid 1972): where units are far from the size
    /// of a mechanism, as with masses of 1e-27 beside constraints of 1, largest entries say nothing of the masses.
    Mean,
}

/// Scales that bring the largest entries of rows and columns near 1: of both by like amounts (Ruiz 2001).
#[derive(Clone, Debug, Default)]
pub(super) struct Equilibrated {
    rows: Vec<f64>,
    columns: Vec<f64>,
    largest: Vec<[f64; 2]>,
    even: bool,
}

impl Equilibrated {
    /// Finds the scales of a matrix.
    pub(super) fn find<T: Entry>(
        &mut self,
        (col_ptr, row_idx, values): Matrix<'_, T>,
        scaling: Scaling,
    ) {
        if scaling == Scaling::Mean {
            return self.find_means((col_ptr, row_idx, values));
        }
        let in_turn = scaling == Scaling::InTurn;
        let n = col_ptr.len() - 1;
        let Equilibrated { rows, columns, largest, .. } = self;
        for scale in [&mut *rows, &mut *columns] {
            scale.clear();
            scale.resize(n, 1.0);
        }
        largest.resize(n, [0.0; 2]);
        let mut even = true;
        for step in 0..if in_turn { 2 * STEPS } else { STEPS } {
            largest.fill([0.0; 2]);
            even = true;
            for (j, range) in col_ptr.windows(2).enumerate() {
                let range = range[0] as usize..range[1] as usize;
                let mut in_column = 0.0f64;
                for (&i, value) in row_idx[range.clone()].iter().zip(&values[range]) {
                    let size = value.size() * rows[i as usize] * columns[j];
                    let in_row = &mut largest[i as usize][0];
                    *in_row = in_row.max(size);
                    in_column = in_column.max(size);
                    even &= size >= EVEN || size == 0.0;
                }
                largest[j][1] = in_column;
            }
            let mut near = true;
            for ((&[in_row, in_column], row), column) in
                largest.iter().zip(&mut *rows).zip(&mut *columns)
            {
                let odd = step % 2 == 1;
                for (size, scale, skipped) in [(in_row, row, odd), (in_column, column, !odd)] {
                    if size > 0.0 && !(1.0 / NEAR..=NEAR).contains(&size) {
                        near = false;
                        if !(in_turn && skipped) {
                            *scale /= size.sqrt();
                        }
                    }
                }
            }
            if near {
                break;
            }
        }
        self.even = even;
    }

    /// Those of [`Scaling::Mean`]: alternating least squares of the logarithms.
    fn find_means<T: Entry>(&mut self, (col_ptr, row_idx, values): Matrix<'_, T>) {
        let n = col_ptr.len() - 1;
        let (mut rows, mut columns) = (vec![0.0f64; n], vec![0.0f64; n]);
        let columns_of = || col_ptr.windows(2).map(|r| r[0] as usize..r[1] as usize).enumerate();
        let entries = || {
            columns_of().flat_map(|(j, range)| {
                let of = row_idx[range.clone()].iter().zip(&values[range]);
                of.filter(|(_, value)| value.size() > 0.0)
                    .map(move |(&i, value)| (i as usize, j, value.size().ln()))
            })
        };
        for _ in 0..2 * STEPS {
            for of_rows in [true, false] {
                let mut sums = vec![(0.0, 0usize); n];
                for (i, j, log) in entries() {
                    let (at, other) = if of_rows { (i, columns[j]) } else { (j, rows[i]) };
                    sums[at].0 -= log + other;
                    sums[at].1 += 1;
                }
                let to = if of_rows { &mut rows } else { &mut columns };
                let means = to.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0);
                means.for_each(|(to, (sum, count))| *to = sum / count as f64);
            }
        }
        self.even = entries().all(|(i, j, log)| (log + rows[i] + columns[j]).exp() >= EVEN);
        self.rows = rows.into_iter().map(f64::exp).collect();
        self.columns = columns.into_iter().map(f64::exp).collect();
    }

    /// Scales of the rows of A, or of Aᵀ.
    pub(super) fn rows(&self, transposed: bool) -> &[f64] {
        if transposed { &self.columns } else { &self.rows }
    }

    /// Scales of the columns of A, or of Aᵀ.
    pub(super) fn columns(&self, transposed: bool) -> &[f64] {
        self.rows(!transposed)
    }

    /// Whether entries are of even size, in this scale.
    pub(super) fn is_even(&self) -> bool {
        self.even
    }
}
