//! Sparse LU: one pivoting factorization, then refactorization in the same pattern.

use super::order::minimum_degree;
use super::pattern::Pattern;
use super::pivoting::{NoPivot, RowWeights, Search};
use super::{Entry, LinearError, LinearSolver};
use std::sync::Arc;

/// A pivot is kept in a refactorization while it is at least this part of its column's largest
/// candidate (rows scaled); below it a new pivot order is chosen.
const KEEP_PIVOT: f64 = 0.01;
/// Entries of L and U up to which they keep the room they took while they grew: a search for pivots
/// that allocates takes little longer, and beyond this the memory counts.
const KEEP_SEARCH: usize = 1 << 18;

/// LU of a sparse matrix, P A Q = L D U with unit diagonals of L and U: Q by minimum degree, once per
/// pattern, which keeps it; P and the patterns of L and U by a factorization that takes pivots on the
/// diagonal where they are good enough; the values by a refactorization that follows those patterns
/// without searching or pivoting, which is what every later factorization costs as long as the
/// pivots stay good.
///
/// Along a chain of bodies every row of a solution waits for the one before. So U is divided by its
/// pivots when it is computed, and no division stands in that way.
///
/// Pivots are compared with rows weighed; the values themselves are not scaled.
///
/// # Allocations
/// None in a refactorization; the factors grow when a new pivot order needs more room.
pub struct SparseLu<T: Entry = f64> {
    pattern: Pattern,
    /// The order of the columns, found by the first factorization of any matrix of the pattern.
    order: Arc<Vec<u32>>,
    /// Row in the place of each pivot.
    row_perm: Vec<u32>,
    row_perm_inv: Vec<u32>,
    /// Pivot place of the row of every entry of A, in the order of the columns of A Q.
    places: Vec<u32>,
    /// Scaling of the row in the place of each pivot.
    row_scale: Vec<f64>,
    /// The same by rows, for the choice of pivots.
    weights: RowWeights,
    l: Factor<T>,
    u: Factor<T>,
    pivots: Vec<T>,
    /// 1/pivots.
    inverse: Vec<T>,
    x: Vec<T>,
    search: Search,
    has_pattern: bool,
    factorized: bool,
    counts: Counts,
}

/// How often each kind of factorization was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// With a search for pivots.
    pub pivoting: usize,
    /// In the pattern of an earlier one.
    pub refactorizations: usize,
}

/// Off-diagonal part of L or U by columns; U's rows in an order in which they can be eliminated.
#[derive(Debug)]
pub(super) struct Factor<T> {
    pub(super) ptr: Vec<u32>,
    pub(super) idx: Vec<u32>,
    pub(super) val: Vec<T>,
}

impl<T: Entry> Factor<T> {
    pub(super) fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.ptr[j] as usize..self.ptr[j + 1] as usize
    }

    pub(super) fn clear(&mut self) {
        self.ptr.clear();
        self.ptr.push(0);
        self.idx.clear();
        self.val.clear();
    }

    pub(super) fn end_column(&mut self) {
        self.ptr.push(self.idx.len() as u32);
    }

    /// x ← x − x_j · (column j).
    #[inline(always)]
    fn eliminate(&self, j: usize, x: &mut [T]) {
        let xj = x[j];
        let range = self.column(j);
        for (&i, value) in self.idx[range.clone()].iter().zip(&self.val[range]) {
            x[i as usize] -= *value * xj;
        }
    }

    #[inline(always)]
    fn dot(&self, j: usize, x: &[T]) -> T {
        let range = self.column(j);
        let rows = &self.idx[range.clone()];
        rows.iter().zip(&self.val[range]).map(|(&i, value)| *value * x[i as usize]).sum()
    }
}

impl<T: Entry> std::fmt::Debug for SparseLu<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseLu")
            .field("size", &self.pattern.size())
            .field("entries", &self.pattern.value_len())
            .field("factor_entries", &self.factor_entries())
            .field("counts", &self.counts)
            .finish_non_exhaustive()
    }
}

impl<T: Entry> SparseLu<T> {
    /// For matrices of a pattern. A dense pattern is treated as one with every
    /// entry stored.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.size();
        let pattern = match pattern.columns() {
            Some(_) => pattern.clone(),
            None => {
                let all: Vec<_> = pattern.entries().map(|(r, c)| (r as u32, c as u32)).collect();
                Pattern::sparse(n, &all)
            }
        };
        let entries = pattern.value_len();
        SparseLu {
            pattern,
            order: Arc::default(),
            row_perm: vec![0; n],
            row_perm_inv: vec![0; n],
            places: vec![0; entries],
            row_scale: vec![1.0; n],
            weights: RowWeights::default(),
            l: Factor { ptr: Vec::new(), idx: Vec::new(), val: Vec::new() },
            u: Factor { ptr: Vec::new(), idx: Vec::new(), val: Vec::new() },
            pivots: vec![T::default(); n],
            inverse: vec![T::default(); n],
            x: vec![T::default(); n],
            search: Search::default(),
            has_pattern: false,
            factorized: false,
            counts: Counts::default(),
        }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Entries of L and U together, the diagonals counted once.
    pub fn factor_entries(&self) -> usize {
        self.l.idx.len() + self.u.idx.len() + self.pivots.len()
    }

    /// Pivots that are not on the diagonal.
    #[cfg(test)]
    pub(super) fn off_diagonal_pivots(&self) -> usize {
        self.row_perm.iter().zip(&*self.order).filter(|(row, column)| row != column).count()
    }

    /// How often each kind of factorization was done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Forgets the pivots: the next factorization searches them anew.
    pub fn choose_again(&mut self) {
        self.has_pattern = false;
    }

    /// Chooses pivots and takes over the patterns of L and U.
    fn choose_pivots(&mut self, values: &[T]) -> Result<(), LinearError> {
        let Some((col_ptr, row_idx)) = self.pattern.columns() else {
            return Ok(());
        };
        self.has_pattern = false;
        self.counts.pivoting += 1;
        let matrix = (col_ptr, row_idx, values);
        self.weights.find(matrix);
        let find = || minimum_degree(&self.pattern, &self.weights.have_diagonal());
        if let Some(order) = self.pattern.order(find) {
            self.order = order;
        }

        let outcome = self.search.run(
            matrix,
            &self.order,
            self.weights.rows(),
            (&mut self.row_perm, &mut self.row_perm_inv),
            (&mut self.l, &mut self.u),
            &mut self.x,
        );
        if let Err(NoPivot { place, value }) = outcome {
            let column = self.order[place] as usize;
            return Err(LinearError::Singular { column, pivot: value.shown() });
        }
        for (place, &row) in self.row_scale.iter_mut().zip(&self.row_perm) {
            *place = self.weights.rows()[row as usize];
        }

        if self.l.idx.len() + self.u.idx.len() > KEEP_SEARCH {
            self.l.idx.shrink_to_fit();
            self.l.val.shrink_to_fit();
            self.u.idx.shrink_to_fit();
        }
        self.u.val.resize(self.u.idx.len(), T::default());
        let mut k = 0;
        for &j in &*self.order {
            let range = col_ptr[j as usize] as usize..col_ptr[j as usize + 1] as usize;
            for &i in &row_idx[range] {
                self.places[k] = self.row_perm_inv[i as usize];
                k += 1;
            }
        }
        self.has_pattern = true;
        Ok(())
    }

    /// Computes L and U in their patterns; false when a pivot is no longer good.
    fn refactorize(&mut self, values: &[T], any_pivot: bool) -> Result<bool, LinearError> {
        let Some((col_ptr, _)) = self.pattern.columns() else {
            return Ok(true);
        };
        let x = &mut self.x[..];
        let mut first = 0;
        for (j, &pj) in self.order.iter().enumerate() {
            let column = col_ptr[pj as usize] as usize..col_ptr[pj as usize + 1] as usize;
            let places = &self.places[first..first + column.len()];
            first += column.len();
            for (&i, value) in places.iter().zip(&values[column]) {
                x[i as usize] = *value;
            }
            let mut above = 0.0f64;
            for k in self.u.column(j) {
                let i = self.u.idx[k] as usize;
                self.l.eliminate(i, x);
                self.u.val[k] = x[i] * self.inverse[i];
                above = above.max(x[i].size());
                x[i] = T::default();
            }
            let pivot = std::mem::take(&mut x[j]);
            let below = self.l.column(j);
            let mut largest = 0.0f64;
            for &i in &self.l.idx[below.clone()] {
                largest = largest.max(x[i as usize].size() * self.row_scale[i as usize]);
            }
            let good = pivot.size() * self.row_scale[j] >= KEEP_PIVOT * largest;
            let inverse = T::from(1.0) / pivot;
            let usable = pivot.finite() && inverse.finite();
            if !usable || !(good || any_pivot) {
                x.fill(T::default());
                return if any_pivot {
                    Err(LinearError::Singular { column: pj as usize, pivot: pivot.shown() })
                } else {
                    Ok(false)
                };
            }
            for k in below {
                let i = self.l.idx[k] as usize;
                self.l.val[k] = std::mem::take(&mut x[i]) * inverse;
            }
            (self.pivots[j], self.inverse[j]) = (pivot, inverse);
            if pivot.size() < 1e-10 * above {
                let original = places
                    .iter()
                    .zip(&values[col_ptr[pj as usize] as usize..])
                    .find(|(place, _)| **place as usize == j)
                    .map_or(0.0, |(_, value)| value.size());
                let terms = original + accumulated(&self.l, &self.u, &self.pivots, j);
                if pivot.size() <= 4.0 * f64::EPSILON * terms {
                    x.fill(T::default());
                    return if any_pivot {
                        Err(LinearError::Singular { column: pj as usize, pivot: pivot.shown() })
                    } else {
                        Ok(false)
                    };
                }
            }
        }
        Ok(true)
    }
}

/// Σ |l_jk d_k u_kj|: the size of the terms that pivot j is the sum of.
fn accumulated<T: Entry>(l: &Factor<T>, u: &Factor<T>, d: &[T], j: usize) -> f64 {
    u.column(j)
        .map(|k| {
            let column = l.column(u.idx[k] as usize);
            let row = l.idx[column.clone()].iter().position(|&i| i as usize == j);
            let pivot = d[u.idx[k] as usize];
            row.map_or(0.0, |at| (l.val[column.start + at] * pivot * u.val[k]).size())
        })
        .sum()
}

impl<T: Entry> LinearSolver<T> for SparseLu<T> {
    fn size(&self) -> usize {
        self.pattern.size()
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        self.factorized = false;
        let values = self.pattern.checked(values)?;
        if self.has_pattern && self.refactorize(values, false)? {
            self.counts.refactorizations += 1;
        } else {
            self.choose_pivots(values)?;
            self.refactorize(values, true)?;
        }
        self.factorized = true;
        Ok(())
    }

    fn solve(&mut self, b: &mut [T]) {
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        let x = &mut self.x[..];
        for (place, &row) in x.iter_mut().zip(&self.row_perm) {
            *place = b[row as usize];
        }
        for j in 0..x.len() {
            self.l.eliminate(j, x);
        }
        for (value, inverse) in x.iter_mut().zip(&self.inverse) {
            *value *= *inverse;
        }
        for j in (0..x.len()).rev() {
            self.u.eliminate(j, x);
        }
        for (value, &column) in x.iter_mut().zip(&*self.order) {
            b[column as usize] = std::mem::take(value);
        }
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        let x = &mut self.x[..];
        for (place, &column) in x.iter_mut().zip(&*self.order) {
            *place = b[column as usize];
        }
        for j in 0..x.len() {
            let above = self.u.dot(j, x);
            x[j] -= above;
        }
        for (value, inverse) in x.iter_mut().zip(&self.inverse) {
            *value *= *inverse;
        }
        for j in (0..x.len()).rev() {
            let below = self.l.dot(j, x);
            x[j] -= below;
        }
        for (value, &row) in x.iter_mut().zip(&self.row_perm) {
            b[row as usize] = std::mem::take(value);
        }
    }
}
