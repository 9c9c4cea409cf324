//! The patterns of L and U, and the order in which they come about.

use super::entry::Entry;
use std::sync::Arc;

/// Columns of L with a common pattern that are eliminated at once.
pub(super) const PANEL: usize = 4;

/// What a factorization follows.
#[derive(Clone, Debug, Default)]
pub(super) struct Structure {
    /// The order of the columns.
    pub(super) order: Arc<Vec<u32>>,
    /// How many of the first are singletons, whose pivots stay whatever their size.
    pub(super) singletons: usize,
    /// Row in the place of each pivot.
    pub(super) row_perm: Vec<u32>,
    /// Pivot place of the row of every entry of A, in the order of the columns of A Q.
    pub(super) places: Vec<u32>,
    pub(super) l: Shape,
    pub(super) u: Shape,
    /// Number of columns of L from each on, up to [`PANEL`], of which each has the pattern of the one
    /// before below its pivot.
    pub(super) alike: Vec<u8>,
}

/// Where the off-diagonal part of L or U is, by columns, rows ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    pub(super) ptr: Vec<u32>,
    pub(super) idx: Vec<u32>,
}

impl Shape {
    #[inline]
    pub(super) fn column(&self, j: usize) -> std::ops::Range<usize> {
        self.ptr[j] as usize..self.ptr[j + 1] as usize
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.ptr.clear();
        self.ptr.push(0);
        self.idx.clear();
    }

    #[inline]
    pub(super) fn end_column(&mut self) {
        self.ptr.push(self.idx.len() as u32);
    }

    /// [`Structure::alike`].
    pub(super) fn find_alike(&self, alike: &mut Vec<u8>) {
        alike.clear();
        alike.resize(self.ptr.len().saturating_sub(1), 1);
        for j in (1..alike.len()).rev() {
            let (before, this) = (&self.idx[self.column(j - 1)], &self.idx[self.column(j)]);
            if before.split_first() == Some((&(j as u32), this)) {
                alike[j - 1] = (alike[j] + 1).min(PANEL as u8);
            }
        }
    }

    /// x ← x − Σ x_j · (column j) for W columns from k on that are alike.
    #[inline(always)]
    pub(super) fn eliminate_panel<T: Entry, const W: usize>(
        &self,
        values: &[T],
        k: usize,
        x: &mut [T],
    ) {
        let mut factors = [T::default(); W];
        for c in 0..W {
            factors[c] = x[k + c];
            let first = self.ptr[k + c] as usize;
            for d in c + 1..W {
                x[k + d] -= values[first + d - c - 1] * factors[c];
            }
        }
        let rows = &self.idx[self.column(k + W - 1)];
        let columns: [&[T]; W] = std::array::from_fn(|c| {
            let end = self.ptr[k + c + 1] as usize;
            &values[end - rows.len()..end]
        });
        for (e, &i) in rows.iter().enumerate() {
            let mut sum = columns[0][e] * factors[0];
            for c in 1..W {
                sum += columns[c][e] * factors[c];
            }
            x[i as usize] -= sum;
        }
    }

    /// The same for as many as there are, at most `most`; returns their number.
    #[inline(always)]
    pub(super) fn eliminate_alike<T: Entry>(
        &self,
        alike: &[u8],
        most: usize,
        values: &[T],
        k: usize,
        x: &mut [T],
    ) -> usize {
        let count = usize::from(alike[k]).min(most);
        match count {
            4 => self.eliminate_panel::<T, 4>(values, k, x),
            3 => self.eliminate_panel::<T, 3>(values, k, x),
            2 => self.eliminate_panel::<T, 2>(values, k, x),
            _ => {
                self.eliminate(values, k, x);
                return 1;
            }
        }
        count
    }

    /// x ← x − x_j · (column j).
    #[inline(always)]
    pub(super) fn eliminate<T: Entry>(&self, values: &[T], j: usize, x: &mut [T]) {
        let xj = x[j];
        let range = self.column(j);
        for (&i, value) in self.idx[range.clone()].iter().zip(&values[range]) {
            x[i as usize] -= *value * xj;
        }
    }

    #[inline(always)]
    pub(super) fn dot<T: Entry>(&self, values: &[T], j: usize, x: &[T]) -> T {
        let range = self.column(j);
        let rows = &self.idx[range.clone()];
        rows.iter().zip(&values[range]).map(|(&i, value)| *value * x[i as usize]).sum()
    }
}
