//! The scale that the rows and columns of a matrix have in common with all matrices that differ from
//! it by units only.

use super::Entry;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Binary digits below the largest of a row that still count for its scale.
const WINDOW: i32 = 8;
/// Sweeps over rows and columns.
const SWEEPS: usize = 4;
/// Sweeps over the rows and columns of a set at most.
const BALANCED: usize = 30;
/// Size up to which the set is looked for; it may take as long as its cube.
const MATCHED_LARGEST: usize = 2000;
/// Largest exponent of a scale.
const LARGEST: i32 = 900;
/// Stands for an entry that is zero.
const ABSENT: i16 = i16::MIN;

/// Powers of two by which rows and columns are scaled, so that what is decided on the scaled matrix
/// does not depend on units: for D A E, with D and E diagonal matrices of powers of four, the scaled
/// matrix is that of A to the last bit, up to one more factor for each row and its column that leaves
/// their diagonal entry and its ratios to others as they are. All is done in whole exponents, hence
/// exactly.
///
/// Most matrices here are symmetric but for the units of equations and unknowns: a mass matrix with
/// the rows of constraints and their transpose. A walk through the pattern gives each row the factor
/// that takes a_ij to the size of a_ji for most of the j met before; if that fits most pairs, it is
/// all. Other matrices are scaled so that no entry is larger than 1, and those of a set with one entry
/// in every row and column are 1: the set with the largest product (Duff and Koster 2001). What is
/// rounding then has no say. The search starts with a walk that gives each row and column the scale
/// of its largest entry among those met before, and with sweeps of means over entries that are not
/// negligible beside the largest (after Curtis and Reid, 1972); what freedom the set leaves is used
/// to have the largest other entries of each row and its column alike.
#[derive(Default)]
pub(super) struct Gauge {
    symmetric: bool,
    /// Proposals for a factor.
    votes: Vec<i32>,
    /// Exponents of columns, then of rows.
    potentials: Vec<i32>,
    exponents: Vec<i16>,
    /// Entries by rows: column and place.
    row_ptr: Vec<u32>,
    by_row: Vec<(u32, u32)>,
    state: Vec<State>,
    queue: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    New,
    Met,
    Known,
}

impl Gauge {
    /// 2^(exponents of row and column).
    pub(super) fn scale(&self, row: usize, column: usize) -> f64 {
        power(self.potentials[column] + self.row(row))
    }

    /// Whether the scaled matrix is symmetric for the most part.
    pub(super) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    fn row(&self, row: usize) -> i32 {
        self.potentials[self.potentials.len() / 2 + row]
    }

    /// Factor of a row.
    pub(super) fn row_scale(&self, row: usize) -> f64 {
        power(self.row(row))
    }

    /// Factor of a column.
    pub(super) fn column_scale(&self, column: usize) -> f64 {
        power(self.potentials[column])
    }

    /// Finds the scales of a matrix.
    pub(super) fn find<T: Entry>(&mut self, (col_ptr, row_idx, values): (&[u32], &[u32], &[T])) {
        let n = col_ptr.len() - 1;
        self.exponents.clear();
        self.exponents.extend(values[..row_idx.len()].iter().map(|v| exponent(v.size())));
        self.row_ptr.clear();
        self.row_ptr.resize(n + 1, 0);
        row_idx.iter().for_each(|&i| self.row_ptr[i as usize + 1] += 1);
        for i in 0..n {
            self.row_ptr[i + 1] += self.row_ptr[i];
        }
        self.by_row.clear();
        self.by_row.resize(row_idx.len(), (0, 0));
        for (j, range) in col_ptr.windows(2).enumerate() {
            for k in range[0]..range[1] {
                let next = &mut self.row_ptr[row_idx[k as usize] as usize];
                self.by_row[*next as usize] = (j as u32, k);
                *next += 1;
            }
        }
        self.row_ptr.rotate_right(1);
        self.row_ptr[0] = 0;
        self.potentials.clear();
        self.potentials.resize(2 * n, 0);
        self.state.clear();
        self.state.resize(2 * n, State::New);
        self.queue.clear();
        self.symmetric = self.symmetrize((col_ptr, row_idx));
        if !self.symmetric {
            self.forget_symmetry((col_ptr, row_idx));
        }
    }

    /// Scales the matrix as if it had no symmetry.
    pub(super) fn forget_symmetry(&mut self, (col_ptr, row_idx): (&[u32], &[u32])) {
        let n = col_ptr.len() - 1;
        self.symmetric = false;
        self.potentials.fill(0);
        self.state.fill(State::New);
        self.queue.clear();
        for root in 0..n {
            if self.state[root] == State::New {
                self.walk(root, (col_ptr, row_idx));
            }
        }
        if n <= MATCHED_LARGEST {
            self.match_up((col_ptr, row_idx));
        }
    }

    /// Scales so that no entry is larger than 1 and as many as can be are, in rows and columns of
    /// their own: shortest augmenting paths, costs the digits below 1.
    fn match_up(&mut self, matrix: (&[u32], &[u32])) {
        let n = self.row_ptr.len() - 1;
        let slack = |gauge: &Self, node: usize| {
            let scaled = gauge.neighbours(node, matrix).map(|(i, e)| e + gauge.potentials[i]);
            scaled.max().map(|largest| -(largest + gauge.potentials[node]))
        };
        for node in (n..2 * n).chain(0..n) {
            self.potentials[node] += slack(self, node).unwrap_or(0);
        }
        // The column of each row, and the row of each column.
        let mut partner = vec![usize::MAX; 2 * n];
        let mut distance = vec![i64::MAX; 2 * n];
        let mut from = vec![usize::MAX; 2 * n];
        let mut heap = BinaryHeap::new();
        for source in 0..n {
            distance.fill(i64::MAX);
            heap.clear();
            heap.push(Reverse((0i64, source)));
            distance[source] = 0;
            // Columns only are in the heap, or rows that are free.
            let mut end = None;
            while let Some(Reverse((d, node))) = heap.pop() {
                if d > distance[node] {
                    continue;
                }
                if node >= n {
                    end = Some((d, node));
                    break;
                }
                for (row, e) in self.neighbours(node, matrix) {
                    let cost = -i64::from(e + self.potentials[row] + self.potentials[node]);
                    if d + cost < distance[row] {
                        (distance[row], from[row]) = (d + cost, node);
                        let next = if partner[row] == usize::MAX { row } else { partner[row] };
                        if next != row {
                            distance[next] = d + cost;
                        }
                        heap.push(Reverse((d + cost, next)));
                    }
                }
            }
            let Some((shortest, mut row)) = end else { continue };
            for node in 0..2 * n {
                if distance[node] < shortest {
                    let change = (shortest - distance[node]) as i32;
                    self.potentials[node] += if node < n { change } else { -change };
                }
            }
            loop {
                let column = from[row];
                let before = partner[column];
                (partner[row], partner[column]) = (column, row);
                if column == source {
                    break;
                }
                row = before;
            }
        }
        let largest = |gauge: &Self, node: usize, but: usize| {
            let others = gauge.neighbours(node, matrix).filter(|&(i, _)| i != but);
            let scaled = others.map(|(i, e)| e + gauge.potentials[i] + gauge.potentials[node]);
            scaled.max()
        };
        for _ in 0..BALANCED {
            let mut moved = false;
            for column in 0..n {
                let row = partner[column];
                if row == usize::MAX {
                    continue;
                }
                let (in_column, in_row) = (largest(self, column, row), largest(self, row, column));
                if let (Some(in_column), Some(in_row)) = (in_column, in_row) {
                    let shift = (in_column - in_row).div_euclid(2);
                    self.potentials[row] += shift;
                    self.potentials[column] -= shift;
                    moved |= shift != 0;
                }
            }
            if !moved {
                break;
            }
        }
        self.potentials.iter_mut().for_each(|p| *p = (*p).clamp(-LARGEST, LARGEST));
    }

    /// The (other index j, exponents of a_ij and a_ji) of an index i, where one of the two is there.
    fn pairs<'a>(
        &'a self,
        i: usize,
        (col_ptr, row_idx): (&'a [u32], &'a [u32]),
    ) -> impl Iterator<Item = (usize, i16, i16)> + 'a {
        let mut row = self.row_ptr[i] as usize..self.row_ptr[i + 1] as usize;
        let mut column = col_ptr[i] as usize..col_ptr[i + 1] as usize;
        std::iter::from_fn(move || {
            let in_row = (!row.is_empty()).then(|| self.by_row[row.start].0);
            let in_column = (!column.is_empty()).then(|| row_idx[column.start]);
            let j = in_row.unwrap_or(u32::MAX).min(in_column.unwrap_or(u32::MAX));
            let mut exponents = (ABSENT, ABSENT);
            if in_row.is_none() && in_column.is_none() {
                return None;
            }
            if in_row == Some(j) {
                exponents.0 = self.exponents[self.by_row[row.start].1 as usize];
                row.start += 1;
            }
            if in_column == Some(j) {
                exponents.1 = self.exponents[column.start];
                column.start += 1;
            }
            Some((j as usize, exponents.0, exponents.1))
        })
    }

    /// Factors of rows that make most pairs of entries alike; whether they do.
    fn symmetrize(&mut self, matrix: (&[u32], &[u32])) -> bool {
        let n = self.row_ptr.len() - 1;
        let mut diagonal = vec![ABSENT; n];
        for (i, diagonal) in diagonal.iter_mut().enumerate() {
            *diagonal = self.pairs(i, matrix).find(|&(j, ..)| j == i).map_or(ABSENT, |p| p.1);
        }
        let mut queue = std::mem::take(&mut self.queue);
        let mut state = std::mem::take(&mut self.state);
        let mut votes = std::mem::take(&mut self.votes);
        // Those with a partner both ways first: a link one way says little.
        let mut roots = 0..n;
        let mut one_way = Vec::new();
        let (mut at, mut next) = (0, 0);
        loop {
            if at == queue.len() {
                let linked = std::iter::from_fn(|| {
                    next += 1;
                    one_way.get(next - 1).copied()
                });
                let root = linked.chain(&mut roots).find(|&i: &usize| state[i] == State::New);
                let Some(root) = root else { break };
                state[root] = State::Met;
                queue.push(root as u32);
            }
            let i = queue[at] as usize;
            at += 1;
            votes.clear();
            let mut link = None;
            for (j, ij, ji) in self.pairs(i, matrix).filter(|&(j, ..)| j != i) {
                let known = state[j] == State::Known;
                let t = self.potentials[n + j];
                match (ij != ABSENT, ji != ABSENT) {
                    (true, true) if known => votes.push(t + i32::from(ji) - i32::from(ij)),
                    (true, true) => {
                        if state[j] == State::New {
                            state[j] = State::Met;
                            queue.push(j as u32);
                        }
                    }
                    (false, false) => {}
                    _ if !known => one_way.push(j),
                    (of_row, _) => {
                        if link.is_none() && diagonal[i] != ABSENT && diagonal[j] != ABSENT {
                            // Of the size of the geometric mean of the diagonal entries.
                            let e = i32::from(if of_row { ij } else { ji });
                            let excess = 2 * e - i32::from(diagonal[i]) - i32::from(diagonal[j]);
                            link = Some(if of_row { t - excess } else { t + excess });
                        }
                    }
                }
            }
            votes.sort_unstable();
            let voted = votes.get(votes.len() / 2).copied();
            self.potentials[n + i] = voted.or(link).unwrap_or(0);
            state[i] = State::Known;
        }
        let (mut alike, mut pairs) = (0, 0);
        for i in 0..n {
            for (j, ij, ji) in self.pairs(i, matrix).filter(|&(j, ..)| j != i) {
                let (ti, tj) = (self.potentials[n + i], self.potentials[n + j]);
                let both = ij != ABSENT && ji != ABSENT;
                pairs += usize::from(ij != ABSENT || ji != ABSENT);
                let apart = i32::from(ij) + ti - i32::from(ji) - tj;
                alike += usize::from(both && apart.abs() <= 1);
            }
        }
        (self.queue, self.state, self.votes) = (queue, state, votes);
        for t in &mut self.potentials[n..] {
            *t = (*t).clamp(-LARGEST, LARGEST);
        }
        4 * alike >= 3 * pairs
    }

    /// Neighbours of a node, columns first, and the exponent of the entry between.
    fn neighbours<'a>(
        &'a self,
        node: usize,
        (col_ptr, row_idx): (&'a [u32], &'a [u32]),
    ) -> impl Iterator<Item = (usize, i32)> + 'a {
        let n = self.row_ptr.len() - 1;
        let column = match node < n {
            true => col_ptr[node] as usize..col_ptr[node + 1] as usize,
            false => 0..0,
        };
        let row = match node < n {
            true => 0..0,
            false => self.row_ptr[node - n] as usize..self.row_ptr[node - n + 1] as usize,
        };
        let rows = column.map(move |k| (n + row_idx[k] as usize, self.exponents[k]));
        let columns = self.by_row[row].iter();
        let columns = columns.map(|&(j, k)| (j as usize, self.exponents[k as usize]));
        rows.chain(columns).filter(|&(_, e)| e != ABSENT).map(|(node, e)| (node, i32::from(e)))
    }

    /// All that is connected with a column.
    fn walk(&mut self, root: usize, matrix: (&[u32], &[u32])) {
        let n = self.row_ptr.len() - 1;
        let first = self.queue.len();
        self.queue.push(root as u32);
        self.state[root] = State::Met;
        let mut at = first;
        while at < self.queue.len() {
            let node = self.queue[at] as usize;
            at += 1;
            let mut largest = i32::MIN;
            let mut queue = std::mem::take(&mut self.queue);
            let mut state = std::mem::take(&mut self.state);
            for (other, e) in self.neighbours(node, matrix) {
                match state[other] {
                    State::Known => largest = largest.max(e + self.potentials[other]),
                    State::Met => {}
                    State::New => {
                        state[other] = State::Met;
                        queue.push(other as u32);
                    }
                }
            }
            state[node] = State::Known;
            (self.queue, self.state) = (queue, state);
            self.potentials[node] = if largest == i32::MIN { 0 } else { -largest };
        }
        for _ in 0..SWEEPS {
            // Rows, then columns: those of one kind do not depend on each other.
            for rows in [true, false] {
                for k in first..self.queue.len() {
                    let node = self.queue[k] as usize;
                    if (node >= n) == rows {
                        self.potentials[node] = self.mean(node, matrix);
                    }
                }
            }
        }
        // Rows and columns by like amounts.
        let (mut sums, mut counts) = ([0i64; 2], [0i64; 2]);
        for &node in &self.queue[first..] {
            let kind = usize::from(node as usize >= n);
            sums[kind] += i64::from(self.potentials[node as usize]);
            counts[kind] += 1;
        }
        let shift = (sums[1].div_euclid(counts[1].max(1)) - sums[0].div_euclid(counts[0])) / 2;
        for &node in &self.queue[first..] {
            let sign = if node as usize >= n { -1 } else { 1 };
            let potential = &mut self.potentials[node as usize];
            *potential = (*potential + sign * shift as i32).clamp(-LARGEST, LARGEST);
        }
    }

    fn mean(&self, node: usize, matrix: (&[u32], &[u32])) -> i32 {
        let scaled = || self.neighbours(node, matrix).map(|(other, e)| e + self.potentials[other]);
        let Some(largest) = scaled().max() else { return 0 };
        let (sum, count) = scaled()
            .filter(|&e| e >= largest - WINDOW)
            .fold((0i64, 0i64), |(sum, count), e| (sum + i64::from(e), count + 1));
        -(sum.div_euclid(count) as i32)
    }
}

/// e with 2ᵉ ≤ x < 2ᵉ⁺¹, for every x > 0.
fn exponent(x: f64) -> i16 {
    let of_bits = |x: f64| (x.to_bits() >> 52) as i16 - 1023;
    if x == 0.0 {
        ABSENT
    } else if x < f64::MIN_POSITIVE {
        of_bits(x * 2f64.powi(64)) - 64
    } else {
        of_bits(x)
    }
}

/// 2ᵉ, for exponents of normal numbers.
fn power(e: i32) -> f64 {
    f64::from_bits(((e.clamp(-1022, 1023) + 1023) as u64) << 52)
}
