//! Where the entries of a square matrix are, and where their values live.

use super::entry::{Entry, all_finite};
use super::solver::LinearError;
use super::structure::Structure;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Fill above which a matrix is stored dense, up to [`DENSE_LARGEST`]: its factors are full then, and
/// a dense factorization is faster from a fill of the factors of 0.8 on, however small the matrix.
const DENSE_FILL: f64 = 0.6;
const DENSE_LARGEST: usize = 1000;
/// Patterns kept though no matrix has them.
const LATEST: usize = 4;

/// The pattern of a square matrix: dense, column by column, or compressed sparse columns. Clones
/// share their entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    size: usize,
    entries: Entries,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entries {
    Dense,
    Sparse(Arc<Columns>),
}

/// Patterns that matrices have in common, each kept once: the matrices of a mechanism's start and of
/// its steps often have one pattern, and what a factorization of the first finds to follow serves all
/// of them. Clones share what they keep.
///
/// The latest are kept for matrices to come, the others while there are matrices of theirs.
#[derive(Clone, Debug, Default)]
pub struct Patterns(Arc<Mutex<Vec<Pattern>>>);

impl Patterns {
    /// The pattern kept that equals this one, which is kept if there is none.
    pub fn share(&self, pattern: Pattern) -> Pattern {
        if pattern.is_dense() {
            return pattern;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = kept.iter().find(|known| **known == pattern) {
            return same.clone();
        }
        // Of older ones those that a matrix still has.
        let old = kept.len().saturating_sub(LATEST);
        let mut index = 0;
        kept.retain(|pattern| {
            index += 1;
            index > old || pattern.is_shared()
        });
        kept.push(pattern.clone());
        pattern
    }
}

/// Compressed sparse columns.
#[derive(Debug)]
struct Columns {
    ptr: Vec<u32>,
    rows: Vec<u32>,
    order: OnceLock<Arc<Vec<u32>>>,
    structure: OnceLock<Arc<Structure>>,
}

impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        self.ptr == other.ptr && self.rows == other.rows
    }
}

impl Eq for Columns {}

impl Pattern {
    /// The pattern of the given (row, column) entries, in any order, repeated or not; dense or
    /// sparse by fill. Entries outside the matrix are left out.
    pub fn from_entries(size: usize, entries: &[(u32, u32)]) -> Self {
        let sparse = Pattern::sparse(size, entries);
        let fill = sparse.value_len() as f64 / (size * size).max(1) as f64;
        if size <= DENSE_LARGEST && fill > DENSE_FILL { Pattern::dense(size) } else { sparse }
    }

    /// A full matrix.
    pub fn dense(size: usize) -> Self {
        Pattern { size, entries: Entries::Dense }
    }

    /// Compressed sparse columns, whatever the size.
    pub fn sparse(size: usize, entries: &[(u32, u32)]) -> Self {
        let inside = |&&(r, c): &&(u32, u32)| (r as usize) < size && (c as usize) < size;
        // Distributed to columns, then every column for itself.
        let mut ptr = vec![0u32; size + 1];
        entries.iter().filter(inside).for_each(|&(_, c)| ptr[c as usize + 1] += 1);
        for j in 0..size {
            ptr[j + 1] += ptr[j];
        }
        let mut next = ptr.clone();
        let mut rows = vec![0u32; ptr[size] as usize];
        for &(r, c) in entries.iter().filter(inside) {
            let next = &mut next[c as usize];
            rows[*next as usize] = r;
            *next += 1;
        }
        let (mut start, mut len) = (0, 0);
        for end in &mut ptr[1..] {
            let column = start..*end as usize;
            rows[column.clone()].sort_unstable();
            let first = len;
            for k in column.clone() {
                if len == first || rows[len - 1] != rows[k] {
                    rows[len] = rows[k];
                    len += 1;
                }
            }
            start = column.end;
            *end = len as u32;
        }
        rows.truncate(len);
        rows.shrink_to_fit();
        let columns = Columns { ptr, rows, order: OnceLock::new(), structure: OnceLock::new() };
        Pattern { size, entries: Entries::Sparse(Arc::new(columns)) }
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether every entry is stored.
    pub fn is_dense(&self) -> bool {
        matches!(self.entries, Entries::Dense)
    }

    /// Number of stored values.
    pub fn value_len(&self) -> usize {
        match &self.entries {
            Entries::Dense => self.size * self.size,
            Entries::Sparse(columns) => columns.rows.len(),
        }
    }

    /// Index of an entry in the value array; [`value_len`](Self::value_len) (one past the end, the
    /// bin of assembly) for an entry that is not stored.
    pub fn position(&self, row: usize, col: usize) -> usize {
        match &self.entries {
            Entries::Dense if row < self.size && col < self.size => row + col * self.size,
            Entries::Dense => self.value_len(),
            Entries::Sparse(columns) => {
                let Columns { ptr, rows, .. } = &**columns;
                if col >= self.size {
                    return rows.len();
                }
                let (start, end) = (ptr[col] as usize, ptr[col + 1] as usize);
                rows[start..end].binary_search(&(row as u32)).map_or(rows.len(), |i| start + i)
            }
        }
    }

    /// Every stored entry as (row, column), in the order of the values.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let dense = match self.entries {
            Entries::Dense => self.size,
            Entries::Sparse(_) => 0,
        };
        let size = self.size;
        let sparse = self.columns().into_iter().flat_map(|(col_ptr, row_idx)| {
            col_ptr.windows(2).enumerate().flat_map(move |(j, range)| {
                row_idx[range[0] as usize..range[1] as usize].iter().map(move |&i| (i as usize, j))
            })
        });
        (0..dense).flat_map(move |j| (0..size).map(move |i| (i, j))).chain(sparse)
    }

    /// Column pointers and row indices of a sparse pattern.
    pub fn columns(&self) -> Option<(&[u32], &[u32])> {
        match &self.entries {
            Entries::Dense => None,
            Entries::Sparse(columns) => Some((&columns.ptr, &columns.rows)),
        }
    }

    /// The order of the columns that `find` gives, found once for all clones of a sparse pattern.
    pub(super) fn order(&self, find: impl FnOnce() -> Vec<u32>) -> Option<Arc<Vec<u32>>> {
        match &self.entries {
            Entries::Dense => None,
            Entries::Sparse(columns) => {
                Some(Arc::clone(columns.order.get_or_init(|| Arc::new(find()))))
            }
        }
    }

    /// Whether there are clones.
    fn is_shared(&self) -> bool {
        matches!(&self.entries, Entries::Sparse(columns) if Arc::strong_count(columns) > 1)
    }

    /// What the first factorization of a matrix of this pattern found to follow, if there was one.
    pub(super) fn structure(&self) -> Option<Arc<Structure>> {
        match &self.entries {
            Entries::Dense => None,
            Entries::Sparse(columns) => columns.structure.get().cloned(),
        }
    }

    /// Says what a factorization found to follow, for all clones.
    pub(super) fn offer(&self, structure: &Arc<Structure>) {
        if let Entries::Sparse(columns) = &self.entries {
            columns.structure.get_or_init(|| Arc::clone(structure));
        }
    }

    /// y ← A x.
    pub fn multiply(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        match &self.entries {
            Entries::Dense => {
                for (column, x) in values.chunks_exact(self.size.max(1)).zip(x) {
                    for (y, value) in y.iter_mut().zip(column) {
                        *y += value * x;
                    }
                }
            }
            Entries::Sparse(columns) => {
                for (range, x) in columns.ptr.windows(2).zip(x) {
                    let range = range[0] as usize..range[1] as usize;
                    for (&i, value) in columns.rows[range.clone()].iter().zip(&values[range]) {
                        y[i as usize] += value * x;
                    }
                }
            }
        }
    }

    /// y ← Aᵀ x.
    pub fn multiply_transpose(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for ((i, j), value) in self.entries().zip(values) {
            y[j] += value * x[i];
        }
    }

    /// ‖A‖₁, the largest column sum.
    pub fn norm_1(&self, values: &[f64]) -> f64 {
        let mut sums = vec![0.0; self.size];
        for ((_, j), value) in self.entries().zip(values) {
            sums[j] += value.abs();
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The values of the pattern, or why they cannot be factorized.
    pub(super) fn checked<'a, T: Entry>(&self, values: &'a [T]) -> Result<&'a [T], LinearError> {
        let expected = self.value_len();
        let Some(values) = values.get(..expected) else {
            return Err(LinearError::WrongLength { len: values.len(), expected });
        };
        if all_finite(values) {
            return Ok(values);
        }
        let found = self.entries().zip(values).find(|(_, v)| !v.finite());
        match found {
            Some(((row, column), value)) => {
                Err(LinearError::NotFinite { row, column, value: value.shown() })
            }
            None => Ok(values),
        }
    }
}
