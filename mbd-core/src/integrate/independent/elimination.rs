//! Gaussian elimination of the rows of G, which chooses the coordinates that they determine.

const NONE: usize = usize::MAX;

/// Part by which an entry has to exceed another to be larger: of those alike, as of links in line, the units decided by their
/// rounding which coordinates are independent, and so the motion by a part of the tolerance.
const ALIKE: f64 = 1e-10;

fn is_larger(size: f64, than: f64) -> bool {
    size > (1.0 + ALIKE) * than
}

/// The order in which constraints take their coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pivoting {
    /// As declared; each takes the coordinate with its largest entry (paper 000, eq. 3.8).
    #[default]
    Coordinates,
    /// The largest entry of all constraints and coordinates left comes next (paper 004).
    Full,
}

/// Rows of G that are left, as entries by columns, ascending. A pivot's row is needed for the rows that
/// have its column only, and then no more: so memory is that of the rows left, and the work that of their
/// entries, where a full matrix takes rows times rows times columns.
#[derive(Debug)]
pub(in crate::integrate) struct Elimination {
    rows: Vec<Row>,
    /// Rows that have an entry in each column, some of which may be done.
    of_column: Vec<Vec<u32>>,
    /// Columns without a pivot.
    free: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
struct Row {
    entries: Vec<(u32, f64)>,
    /// Column and size of the largest entry, the first of those alike, of a free column.
    largest: (usize, f64),
}

impl Row {
    fn find_largest(&mut self, free: &[bool]) {
        self.largest = (NONE, 0.0);
        for &(j, value) in &self.entries {
            if is_larger(value.abs(), self.largest.1) && free[j as usize] {
                self.largest = (j as usize, value.abs());
            }
        }
    }

    fn value(&self, column: usize) -> Option<f64> {
        let at = self.entries.binary_search_by_key(&(column as u32), |entry| entry.0);
        at.ok().map(|at| self.entries[at].1)
    }
}

impl Elimination {
    /// Of a matrix of zeros.
    pub(in crate::integrate) fn new(rows: usize, columns: usize) -> Self {
        Elimination {
            rows: vec![Row::default(); rows],
            of_column: vec![Vec::new(); columns],
            free: vec![true; columns],
        }
    }

    /// Adds to an entry.
    pub(in crate::integrate) fn add(&mut self, row: usize, column: usize, value: f64) {
        let entries = &mut self.rows[row].entries;
        match entries.binary_search_by_key(&(column as u32), |entry| entry.0) {
            Ok(at) => entries[at].1 += value,
            Err(at) => {
                entries.insert(at, (column as u32, value));
                self.of_column[column].push(row as u32);
            }
        }
    }

    /// Whether a column has no pivot.
    pub(in crate::integrate) fn is_free(&self, column: usize) -> bool {
        self.free[column]
    }

    /// The columns of the pivots of all rows, in the order they are taken in: the largest entry of the
    /// next row, or of all rows left, in a column that has no pivot.
    pub(in crate::integrate) fn pivots(&mut self, pivoting: Pivoting) -> Vec<usize> {
        let count = self.rows.len();
        let mut order: Vec<usize> = (0..count).collect();
        let mut pivots = Vec::with_capacity(count);
        self.rows.iter_mut().for_each(|row| row.find_largest(&self.free));
        let mut sum = Vec::new();
        for k in 0..count {
            let mut best = k;
            if pivoting == Pivoting::Full {
                for at in k + 1..count {
                    let [this, most] = [at, best].map(|k| self.rows[order[k]].largest.1);
                    if is_larger(this, most) {
                        best = at;
                    }
                }
            }
            order.swap(k, best);
            let (mut column, _) = self.rows[order[k]].largest;
            if column == NONE {
                // Of rows that vanish any column is the pivot.
                let Some(first) = self.free.iter().position(|&free| free) else { break };
                column = first;
            }
            self.free[column] = false;
            pivots.push(column);
            let pivot = std::mem::take(&mut self.rows[order[k]]);
            for i in std::mem::take(&mut self.of_column[column]) {
                let row = &mut self.rows[i as usize];
                let Some(value) = row.value(column) else { continue };
                let of_pivot = pivot.value(column).filter(|p| *p != 0.0 && value != 0.0);
                if let Some(of_pivot) = of_pivot {
                    subtract(row, value / of_pivot, &pivot, column, &mut sum);
                    for &(j, _) in &sum[..] {
                        // Entries that are new.
                        if row.value(j as usize).is_none() {
                            self.of_column[j as usize].push(i);
                        }
                    }
                    std::mem::swap(&mut row.entries, &mut sum);
                }
                row.find_largest(&self.free);
            }
        }
        pivots
    }
}

/// The entries of row − factor·pivot but for those of a column.
fn subtract(row: &Row, factor: f64, pivot: &Row, column: usize, sum: &mut Vec<(u32, f64)>) {
    sum.clear();
    let (mut a, mut b) = (row.entries.iter().peekable(), pivot.entries.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) if x.0 == y.0 => {
                let next = (x.0, x.1 - factor * y.1);
                a.next();
                b.next();
                next
            }
            (Some(x), Some(y)) if x.0 > y.0 => {
                let next = (y.0, -factor * y.1);
                b.next();
                next
            }
            (Some(x), _) => {
                let next = **x;
                a.next();
                next
            }
            (None, Some(y)) => {
                let next = (y.0, -factor * y.1);
                b.next();
                next
            }
            (None, None) => break,
        };
        if next.0 as usize != column {
            sum.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pivoting::{Coordinates, Full};
    use super::*;

    /// The same by a full matrix.
    fn dense(mut g: Vec<Vec<f64>>, pivoting: Pivoting) -> Vec<usize> {
        let mut pivots: Vec<usize> = Vec::with_capacity(g.len());
        for k in 0..g.len() {
            let last = if pivoting == Full { g.len() } else { k + 1 };
            let mut best = (k, usize::MAX, -1.0);
            for (i, row) in g.iter().enumerate().take(last).skip(k) {
                for (j, value) in row.iter().enumerate() {
                    let larger = best.2 < 0.0 || is_larger(value.abs(), best.2);
                    if larger && !pivots.contains(&j) {
                        best = (i, j, value.abs());
                    }
                }
            }
            let (row, column, size) = best;
            if column == usize::MAX {
                break;
            }
            pivots.push(column);
            g.swap(k, row);
            if size > 0.0 {
                let (done, left) = g.split_at_mut(k + 1);
                let pivot = &done[k];
                for row in left.iter_mut().filter(|row| row[column] != 0.0) {
                    let factor = row[column] / pivot[column];
                    for (value, p) in row.iter_mut().zip(pivot) {
                        *value -= factor * p;
                    }
                }
            }
        }
        pivots
    }

    /// Of matrices with rows that depend or vanish, and with entries alike.
    #[test]
    fn pivots_are_those_of_a_full_matrix() {
        let mut state = 7u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for trial in 0..2000 {
            let (m, extra) = (1 + below(9), below(5));
            let n = m + extra;
            let mut g = vec![vec![0.0; n]; m];
            for i in 0..m {
                for _ in 0..below(5) {
                    let value = below(2000) as f64 / 1000.0 - 1.0;
                    g[i][below(n)] = if trial % 2 == 0 { value } else { value.round() };
                }
                if i > 0 && below(6) == 0 {
                    g[i] = g[below(i)].clone();
                }
            }
            for pivoting in [Coordinates, Full] {
                let mut sparse = Elimination::new(m, n);
                for (i, row) in g.iter().enumerate() {
                    for (j, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                        sparse.add(i, j, value);
                    }
                }
                let pivots = sparse.pivots(pivoting);
                assert_eq!(pivots, dense(g.clone(), pivoting), "trial {trial}: {g:?}");
                assert!((0..n).all(|j| sparse.is_free(j) != pivots.contains(&j)));
            }
        }
    }
}
