//! The search for pivots: left-looking sparse LU with threshold pivoting (Gilbert and Peierls 1988,
//! the depth-first search pruned after Eisenstat and Liu 1993).

use super::entry::Entry;
use super::structure::Shape;

/// The diagonal entry is the pivot while it is at least this part of its column's largest candidate
/// (rows scaled): what the order of the columns counts on.
pub(super) const KEEP_DIAGONAL: f64 = 0.1;

/// Part of |a_ij|² that the product of two entries of the diagonal must be for the smaller to count.
const DIAGONAL: f64 = 1e-9;

const NONE: u32 = u32::MAX;

/// Work space of [`Search::run`].
#[derive(Default)]
pub(super) struct Search {
    /// Column that a row was last reached in.
    reached: Vec<u32>,
    /// Pivotal columns reached, in the order in which they are left: a column before those that
    /// lead to it.
    order: Vec<u32>,
    /// Rows without a pivot reached.
    candidates: Vec<u32>,
    /// Columns on the way down, with the next entry to follow.
    path: Vec<(u32, u32)>,
    /// End of the part of each column of L that need be searched.
    pruned: Vec<u32>,
    /// Place of each column.
    turn: Vec<u32>,
}

/// The place of a column without a pivot in the order of elimination.
pub(super) struct NoPivot(pub(super) usize);

impl Search {
    /// Chooses a row for each column of A Q and finds the patterns of L and U, rows by the places of
    /// their pivots, ascending in every column. `scale` weighs rows in comparisons; `x` is zero and is
    /// left so; what is in `l_values` then does not belong to those patterns. The first columns have the pivots
    /// that are `given`, others one that is at least `keep` of the largest candidate.
    pub(super) fn run<T: Entry>(
        &mut self,
        (col_ptr, row_idx, values): (&[u32], &[u32], &[T]),
        (col_perm, given): (&[u32], &[Singleton]),
        (scale, keep): (&[f64], f64),
        (row_perm, row_perm_inv): (&mut [u32], &mut [u32]),
        (l, l_values, u): (&mut Shape, &mut Vec<T>, &mut Shape),
        x: &mut [T],
    ) -> Result<(), NoPivot> {
        let n = col_perm.len();
        self.turn.resize(n, 0);
        for (place, &column) in col_perm.iter().enumerate() {
            self.turn[column as usize] = place as u32;
        }
        self.reached.clear();
        self.reached.resize(n, NONE);
        self.pruned.clear();
        row_perm_inv.fill(NONE);
        l.clear();
        l_values.clear();
        u.clear();
        for (j, &column) in col_perm.iter().enumerate() {
            let entries = col_ptr[column as usize] as usize..col_ptr[column as usize + 1] as usize;
            self.reach(j as u32, &row_idx[entries.clone()], row_perm_inv, l);
            for (&i, value) in row_idx[entries.clone()].iter().zip(&values[entries]) {
                x[i as usize] = *value;
            }
            for &k in self.order.iter().rev() {
                // L holds original rows until the end.
                let xk = std::mem::take(&mut x[row_perm[k as usize] as usize]);
                u.idx.push(k);
                for e in l.column(k as usize) {
                    x[l.idx[e] as usize] -= l_values[e] * xk;
                }
            }
            u.end_column();
            let size = |i: u32, x: &[T]| x[i as usize].size() * scale[i as usize];
            let mut best = (NONE, 0.0);
            for &i in &self.candidates {
                let candidate = size(i, x);
                if candidate > best.1 || !candidate.is_finite() {
                    best = (i, candidate);
                }
            }
            let on_diagonal = self.reached[column as usize] == j as u32
                && row_perm_inv[column as usize] == NONE
                && size(column, x) >= keep * best.1;
            let row = if let Some(given) = given.get(j) {
                given.row
            } else if on_diagonal && best.0 != NONE {
                column
            } else {
                // Of those as good, the row whose own turn comes next leaves the order least changed.
                let good = |&&i: &&u32| size(i, x) >= keep * best.1;
                let next =
                    self.candidates.iter().filter(good).min_by_key(|&&i| self.turn[i as usize]);
                next.copied().unwrap_or(best.0)
            };
            let pivot = if row == NONE { T::default() } else { x[row as usize] };
            if row == NONE || !best.1.is_finite() || pivot == T::default() {
                x.fill(T::default());
                return Err(NoPivot(j));
            }
            row_perm[j] = row;
            row_perm_inv[row as usize] = j as u32;
            let reciprocal = pivot.reciprocal();
            for &i in &self.candidates {
                let value = std::mem::take(&mut x[i as usize]);
                if i != row {
                    l.idx.push(i);
                    l_values.push(value * reciprocal);
                }
            }
            l.end_column();
            self.pruned.push(l.idx.len() as u32);
            self.prune(j, row, row_perm_inv, (l, l_values), u);
        }
        for i in &mut l.idx {
            *i = row_perm_inv[*i as usize];
        }
        // What a column needs is then met in the order of memory, and what its neighbour needs first.
        for j in 0..n {
            l.idx[l.ptr[j] as usize..l.ptr[j + 1] as usize].sort_unstable();
            u.idx[u.ptr[j] as usize..u.ptr[j + 1] as usize].sort_unstable();
        }
        Ok(())
    }

    /// What a column's entries lead to in the graph of L.
    fn reach(&mut self, j: u32, rows: &[u32], row_perm_inv: &[u32], l: &Shape) {
        self.order.clear();
        self.candidates.clear();
        for &start in rows {
            let mut row = start;
            loop {
                if self.reached[row as usize] != j {
                    self.reached[row as usize] = j;
                    match row_perm_inv[row as usize] {
                        NONE => self.candidates.push(row),
                        k => self.path.push((k, l.ptr[k as usize])),
                    }
                }
                // Next row to look at: on from the deepest column with something left to follow.
                let next = loop {
                    let Some((k, at)) = self.path.last_mut() else { break None };
                    if *at < self.pruned[*k as usize] {
                        *at += 1;
                        break Some(l.idx[*at as usize - 1]);
                    }
                    self.order.push(*k);
                    self.path.pop();
                };
                match next {
                    Some(next) => row = next,
                    None => break,
                }
            }
        }
    }

    /// Where u_kj and l_jk are both there, what column k leads to beyond row j column j leads to as
    /// well: later searches follow only the rows of column k that have a pivot by now.
    fn prune<T: Entry>(
        &mut self,
        j: usize,
        row: u32,
        row_perm_inv: &[u32],
        (l, l_values): (&mut Shape, &mut [T]),
        u: &Shape,
    ) {
        for e in u.column(j) {
            let k = u.idx[e] as usize;
            let column = l.column(k);
            if (self.pruned[k] as usize) < column.end || !l.idx[column.clone()].contains(&row) {
                continue;
            }
            let (mut front, mut back) = (column.start, column.end);
            while front < back {
                if row_perm_inv[l.idx[front] as usize] != NONE {
                    front += 1;
                } else {
                    back -= 1;
                    l.idx.swap(front, back);
                    l_values.swap(front, back);
                }
            }
            self.pruned[k] = front as u32;
        }
    }
}

/// A row and a column of which one has no other entry than that which they share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Singleton {
    pub(super) row: u32,
    pub(super) column: u32,
}

/// The singletons of a matrix, and those of what is left without their rows and columns, one after the other. As the
/// first pivots they cause no fill, and their unknowns come out of no sum: what a row of its own says of one unknown,
/// as a drive of a coordinate does, holds to the last bit. A diagonal entry that is zero is none: it is the place
/// of a multiplier whose row may leave the equations.
pub(super) fn singletons<T: Entry>(
    (col_ptr, row_idx, values): (&[u32], &[u32], &[T]),
) -> Vec<Singleton> {
    let n = col_ptr.len() - 1;
    let counts = |i: usize, j: usize, value: &T| i != j || *value != T::default();
    let entries = || {
        columns(col_ptr).flat_map(|(j, range)| {
            let column = row_idx[range.clone()].iter().zip(&values[range]);
            column.map(move |(&i, value)| (i as usize, j, value))
        })
    };
    // How many entries each row and column has left, and the exclusive or of their places: of a single one its place.
    let mut rows = vec![(0u32, 0u32); n];
    let mut cols = rows.clone();
    let turn = |of: &mut (u32, u32), at: usize, more: bool| {
        of.0 = if more { of.0 + 1 } else { of.0 - 1 };
        of.1 ^= at as u32;
    };
    for (i, j, _) in entries().filter(|(i, j, value)| counts(*i, *j, value)) {
        turn(&mut rows[i], j, true);
        turn(&mut cols[j], i, true);
    }
    let mut open: Vec<(usize, bool)> = Vec::new();
    open.extend((0..n).filter(|&i| rows[i].0 == 1).map(|i| (i, true)));
    open.extend((0..n).filter(|&j| cols[j].0 == 1).map(|j| (j, false)));
    if open.is_empty() {
        return Vec::new();
    }
    // Entries by rows.
    let mut first = vec![0usize; n + 1];
    entries().for_each(|(i, ..)| first[i + 1] += 1);
    (0..n).for_each(|i| first[i + 1] += first[i]);
    let mut by_rows = vec![(0usize, false); row_idx.len()];
    let mut next = first.clone();
    for (i, j, value) in entries() {
        by_rows[next[i]] = (j, counts(i, j, value));
        next[i] += 1;
    }
    let mut all = Vec::new();
    let mut taken = [vec![false; n], vec![false; n]];
    while let Some((at, is_row)) = open.pop() {
        let (own, of) = if is_row { (&taken[0], rows[at]) } else { (&taken[1], cols[at]) };
        if own[at] || of.0 != 1 {
            continue;
        }
        let (row, column) = if is_row { (at, of.1 as usize) } else { (of.1 as usize, at) };
        (taken[0][row], taken[1][column]) = (true, true);
        all.push(Singleton { row: row as u32, column: column as u32 });
        for &(j, counted) in &by_rows[first[row]..first[row + 1]] {
            if counted && !taken[1][j] {
                turn(&mut cols[j], row, false);
                open.extend((cols[j].0 == 1).then_some((j, false)));
            }
        }
        let range = col_ptr[column] as usize..col_ptr[column + 1] as usize;
        for (&i, value) in row_idx[range.clone()].iter().zip(&values[range]) {
            let i = i as usize;
            if counts(i, column, value) && !taken[0][i] {
                turn(&mut rows[i], column, false);
                open.extend((rows[i].0 == 1).then_some((i, true)));
            }
        }
    }
    all
}

/// Weights of rows by which pivots are compared: as if the matrix were scaled to a diagonal of ones,
/// and rows and columns without a diagonal to a largest entry of 1 against it. Light bodies and small
/// units of constraints then cost no pivot on the diagonal. A row with larger entries than its
/// diagonal counts by its largest.
#[derive(Default)]
pub(super) struct RowWeights {
    rows: Vec<f64>,
    columns: Vec<f64>,
    diagonal: Vec<f64>,
    /// Largest entry of each row and column.
    largest: Vec<(f64, f64)>,
}

impl RowWeights {
    /// The weights found last.
    pub(super) fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Takes others.
    pub(super) fn take(&mut self, rows: Vec<f64>) {
        self.rows = rows;
    }

    /// Of which unknowns the diagonal counts.
    pub(super) fn have_diagonal(&self) -> Vec<bool> {
        self.diagonal.iter().map(|&d| d != 0.0).collect()
    }

    /// Finds the weights for a matrix.
    pub(super) fn find<T: Entry>(&mut self, (col_ptr, row_idx, values): (&[u32], &[u32], &[T])) {
        let entries = || {
            columns(col_ptr).flat_map(|(j, range)| {
                let rows = row_idx[range.clone()].iter();
                rows.zip(&values[range]).map(move |(&i, value)| (i as usize, j, value.size()))
            })
        };
        let RowWeights { rows, columns: cols, diagonal, largest } = self;
        // The diagonal, but for what is nothing beside that which its row shares with a larger entry
        // of it, as terms are that only keep a constraint's equation from being singular.
        rows.clear();
        rows.extend(columns(col_ptr).map(|(j, range)| {
            let at = row_idx[range.clone()].binary_search(&(j as u32));
            at.map_or(0.0, |at| values[range.start + at].size())
        }));
        diagonal.clone_from(rows);
        for (i, j, size) in entries() {
            if rows[i] < rows[j] && rows[i] * rows[j] < DIAGONAL * size * size {
                diagonal[i] = 0.0;
            }
        }
        let reciprocal = |x: f64| if x > 0.0 && (1.0 / x).is_finite() { 1.0 / x } else { 1.0 };
        for (row, &d) in rows.iter_mut().zip(&*diagonal) {
            *row = if d > 0.0 { reciprocal(d.sqrt()) } else { 0.0 };
        }
        cols.clone_from(rows);
        largest.clear();
        largest.resize(rows.len(), (0.0, 0.0));
        for (i, j, size) in entries() {
            largest[i].0 = largest[i].0.max(size * cols[j]);
            largest[j].1 = largest[j].1.max(size * rows[i]);
        }
        for (j, &(in_row, in_column)) in largest.iter().enumerate() {
            if diagonal[j] == 0.0 {
                (rows[j], cols[j]) = (reciprocal(in_row), reciprocal(in_column));
            }
        }
        largest.fill((0.0, 0.0));
        for (i, j, size) in entries() {
            largest[i].0 = largest[i].0.max(size * rows[i] * cols[j]);
        }
        for (row, &(size, _)) in rows.iter_mut().zip(&*largest) {
            *row /= size.max(1.0);
        }
    }
}

fn columns(col_ptr: &[u32]) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + '_ {
    col_ptr.windows(2).enumerate().map(|(j, range)| (j, range[0] as usize..range[1] as usize))
}
