//! Which rows of a sparse matrix depend on earlier ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::condition::inverse_norm_1;
use super::pattern::{Pattern, Patterns};
use super::solver::LinearSolver;
use super::sparse::SparseLu;

/// From this many rows on, a sparse LU of [I Gᵀ; G 0] first asks whether all rows are independent.
const TEST_FIRST: usize = 500;
/// ‖[I Gᵀ; G 0]⁻¹‖ up to which that answer is trusted: it grows as 1/σ², σ the smallest singular
/// value of the rows brought to unit length.
const CLEARLY_REGULAR: f64 = 1e11;

/// Rows of a sparse matrix, in declaration order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSet {
    columns: usize,
    ptr: Vec<usize>,
    idx: Vec<u32>,
    val: Vec<f64>,
    /// Size below which what is left of a row counts as little of it, though the row itself is as small.
    size: f64,
}

impl RowSet {
    /// From (row, column, value) entries in any order; entries of one place add up, entries outside
    /// are left out.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, f64)>,
    ) -> Self {
        let inside = |&(r, c, _): &(usize, usize, f64)| r < rows && c < columns;
        let entries: Vec<_> = entries.into_iter().filter(inside).collect();
        // Distributed to rows, then every row for itself.
        let mut first = vec![0; rows + 1];
        entries.iter().for_each(|&(r, ..)| first[r + 1] += 1);
        for row in 0..rows {
            first[row + 1] += first[row];
        }
        let mut next = first.clone();
        let mut by_row = vec![(0u32, 0.0); entries.len()];
        for (r, c, value) in entries {
            by_row[next[r]] = (c as u32, value);
            next[r] += 1;
        }
        let mut set = RowSet { columns, ptr: vec![0], ..Default::default() };
        for row in 0..rows {
            let entries = &mut by_row[first[row]..first[row + 1]];
            entries.sort_by_key(|entry| entry.0);
            let start = set.idx.len();
            for &mut (col, value) in entries {
                match set.val.last_mut() {
                    Some(sum) if set.idx[start..].last() == Some(&col) => *sum += value,
                    _ => {
                        set.idx.push(col);
                        set.val.push(value);
                    }
                }
            }
            set.ptr.push(set.idx.len());
        }
        set
    }

    /// The same rows, each divided by the largest of its entries here and elsewhere, of which `largest` keeps account: a
    /// row that vanishes at this point is then as good as dependent.
    pub fn by_largest(mut self, largest: &mut [f64]) -> RowSet {
        for (row, largest) in largest.iter_mut().enumerate() {
            let values = &mut self.val[self.ptr[row]..self.ptr[row + 1]];
            *largest = values.iter().fold(*largest, |most, value| most.max(value.abs()));
            if *largest > 0.0 {
                values.iter_mut().for_each(|value| *value /= *largest);
            }
        }
        RowSet { size: 1.0, ..self }
    }

    /// The same rows, some of them as zeros.
    pub fn without(&self, left_out: &dyn Fn(usize) -> bool) -> RowSet {
        let (columns, size) = (self.columns, self.size);
        let mut set = RowSet { columns, size, ptr: vec![0], ..Default::default() };
        for row in 0..self.rows() {
            if !left_out(row) {
                let range = self.ptr[row]..self.ptr[row + 1];
                set.idx.extend_from_slice(&self.idx[range.clone()]);
                set.val.extend_from_slice(&self.val[range]);
            }
            set.ptr.push(set.idx.len());
        }
        set
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.ptr.len().saturating_sub(1)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The (column, value) entries of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.ptr[row]..self.ptr[row + 1];
        self.idx[range.clone()].iter().zip(&self.val[range]).map(|(&c, &v)| (c as usize, v))
    }

    /// Euclidean length of a row.
    pub fn norm(&self, row: usize) -> f64 {
        self.row(row).map(|(_, v)| v * v).sum::<f64>().sqrt()
    }
}

/// A row that depends on earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The row.
    pub row: usize,
    /// The earlier independent rows it is a combination of, with their factors, in declaration
    /// order; empty for a row of zeros.
    pub depends_on: Vec<(usize, f64)>,
}

/// Rank of a set of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankReport {
    /// Number of independent rows.
    pub rank: usize,
    /// The others, in declaration order.
    pub redundant: Vec<RedundantRow>,
    /// The least that was left of an independent row, relative to its terms: how far these rows are from dependent. 1 where
    /// a factorization has shown that all are independent.
    pub distance: f64,
}

/// Finds the rows that depend on earlier ones: of a dependent set the latest is reported.
///
/// A row is dependent when what is left of it after elimination by the earlier independent rows is
/// at most `tolerance` of its largest entry (and of the terms subtracted from it). The elimination
/// is a sparse LU of the transpose with partial pivoting, rows in declaration order; large sets are
/// first tested as a whole, at the cost of one factorization of a matrix whose pattern is shared.
pub fn redundant_rows(rows: &RowSet, tolerance: f64, patterns: &Patterns) -> RankReport {
    let m = rows.rows();
    if m >= TEST_FIRST && m <= rows.columns() && clearly_independent(rows, patterns) {
        return RankReport { rank: m, redundant: Vec::new(), distance: 1.0 };
    }
    let mut elimination = Elimination::new(rows.columns());
    for row in 0..m {
        elimination.add(rows, row, tolerance);
    }
    let Elimination { basis, redundant, distance, .. } = elimination;
    RankReport { rank: basis.len(), redundant, distance }
}

/// Whether [I Gᵀ; G 0], rows of G brought to unit length, is far from singular.
fn clearly_independent(rows: &RowSet, patterns: &Patterns) -> bool {
    let (m, n) = (rows.rows(), rows.columns());
    let Some(size) = n.checked_add(m).filter(|&s| u32::try_from(s).is_ok()) else {
        return false;
    };
    let norms: Vec<f64> = (0..m).map(|i| rows.norm(i)).collect();
    if norms.iter().any(|norm| !(norm.is_normal() && norm.is_finite())) {
        return false;
    }
    let mut entries: Vec<(u32, u32)> = (0..n as u32).map(|i| (i, i)).collect();
    for i in 0..m {
        for (j, _) in rows.row(i) {
            entries.push(((n + i) as u32, j as u32));
            entries.push((j as u32, (n + i) as u32));
        }
    }
    let pattern = patterns.share(Pattern::sparse(size, &entries));
    let mut values = vec![0.0; pattern.value_len()];
    for i in 0..n {
        values[pattern.position(i, i)] = 1.0;
    }
    for (i, norm) in norms.iter().enumerate() {
        for (j, value) in rows.row(i) {
            values[pattern.position(n + i, j)] = value / norm;
            values[pattern.position(j, n + i)] = value / norm;
        }
    }
    let mut lu = SparseLu::new(&pattern);
    let ones = vec![1.0; size];
    lu.factorize(&values).is_ok() && inverse_norm_1(&mut lu, &ones, &ones) < CLEARLY_REGULAR
}

/// One independent row after elimination by those before it.
struct Reduced {
    row: usize,
    pivot_column: usize,
    pivot: f64,
    entries: Vec<(u32, f64)>,
    /// Factors of the reduced rows subtracted from it.
    subtracted: Vec<(usize, f64)>,
}

/// Row elimination in declaration order.
struct Elimination {
    /// The least that was left of a row in the basis, relative to its terms.
    distance: f64,
    basis: Vec<Reduced>,
    redundant: Vec<RedundantRow>,
    /// The basis row that has its pivot in a column.
    pivot_of: Vec<Option<u32>>,
    x: Vec<f64>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    pending: BinaryHeap<Reverse<u32>>,
}

impl Elimination {
    fn new(columns: usize) -> Self {
        Elimination {
            distance: 1.0,
            basis: Vec::new(),
            redundant: Vec::new(),
            pivot_of: vec![None; columns],
            x: vec![0.0; columns],
            touched: Vec::new(),
            is_touched: vec![false; columns],
            pending: BinaryHeap::new(),
        }
    }

    fn touch(&mut self, column: usize) {
        if !self.is_touched[column] {
            self.is_touched[column] = true;
            self.touched.push(column as u32);
            if let Some(k) = self.pivot_of[column] {
                self.pending.push(Reverse(k));
            }
        }
    }

    fn add(&mut self, rows: &RowSet, row: usize, tolerance: f64) {
        let mut size = rows.size;
        for (column, value) in rows.row(row) {
            self.touch(column);
            self.x[column] += value;
            size = size.max(value.abs());
        }
        let mut subtracted = Vec::new();
        // Reduced row k has no entries in the pivot columns of earlier ones, so ascending order
        // meets every factor once.
        while let Some(Reverse(k)) = self.pending.pop() {
            let k = k as usize;
            let (column, pivot) = (self.basis[k].pivot_column, self.basis[k].pivot);
            let value = self.x[column];
            if value == 0.0 {
                continue;
            }
            size = size.max(value.abs());
            let factor = value / pivot;
            subtracted.push((k, factor));
            let entries = std::mem::take(&mut self.basis[k].entries);
            for &(j, r) in &entries {
                self.touch(j as usize);
                self.x[j as usize] -= factor * r;
            }
            self.basis[k].entries = entries;
            self.x[column] = 0.0;
        }
        let mut entries = Vec::new();
        let mut best = (0, 0.0f64);
        for column in self.touched.drain(..) {
            let value = std::mem::take(&mut self.x[column as usize]);
            self.is_touched[column as usize] = false;
            if value != 0.0 {
                entries.push((column, value));
                if value.abs() > best.1.abs() {
                    best = (column as usize, value);
                }
            }
        }
        if best.1.abs() > tolerance * size {
            self.pivot_of[best.0] = Some(self.basis.len() as u32);
            let (pivot_column, pivot) = best;
            self.distance = self.distance.min(pivot.abs() / size);
            self.basis.push(Reduced { row, pivot_column, pivot, entries, subtracted });
        } else {
            let depends_on = self.combination(&subtracted, rows, row);
            self.redundant.push(RedundantRow { row, depends_on });
        }
    }

    /// Rewrites a combination of reduced rows as one of the rows themselves.
    fn combination(
        &self,
        subtracted: &[(usize, f64)],
        rows: &RowSet,
        row: usize,
    ) -> Vec<(usize, f64)> {
        let mut factors: std::collections::BTreeMap<usize, f64> =
            subtracted.iter().copied().collect();
        let mut found = Vec::new();
        while let Some((k, factor)) = factors.pop_last() {
            let source = &self.basis[k];
            found.push((source.row, factor));
            for &(j, f) in &source.subtracted {
                *factors.entry(j).or_insert(0.0) -= factor * f;
            }
        }
        // Rounding leaves traces of rows that cancel; what counts is a part of the row itself.
        let enough = 1e-8 * rows.norm(row);
        found.retain(|&(r, f)| f.abs() * rows.norm(r) > enough);
        found.reverse();
        found
    }
}
