//! Sparse LU: one pivoting factorization, then refactorization in the same pattern.

use super::backward::{COMPLETE_LARGEST, Digits, LARGE, Refinement, Verdict};
use super::best::best_of_all;
use super::complete::CompleteLu;
use super::entry::Entry;
use super::equilibrate::{Equilibrated, Scaling};
use super::order::minimum_degree;
use super::pattern::Pattern;
use super::pivoting::{KEEP_DIAGONAL, NoPivot, RowWeights, Search, singletons};
use super::solver::{LinearError, LinearSolver};
use super::structure::{PANEL, Shape, Structure};
use std::sync::Arc;

/// A pivot is kept in a refactorization while it is at least this part of its column's largest
/// candidate (rows scaled); below it a new pivot order is chosen.
const KEEP_PIVOT: f64 = 0.01;
/// Entries of L and U up to which they keep the room they took while they grew: a search for pivots
/// that allocates takes little longer, and beyond this the memory counts.
const KEEP_SEARCH: usize = 1 << 18;
/// Factor by which what a column adds to others may grow beside its pivot, since solutions were judged
/// good, before they are judged anew.
const GROWTH: f64 = 16.0;

/// LU of a sparse matrix, P A Q = L D U with unit diagonals of L and U: Q by minimum degree; P and the
/// patterns of L and U by a factorization that takes pivots on the diagonal where they are good enough;
/// the values by a refactorization that follows those patterns without searching or pivoting, which
/// is what every later factorization costs as long as the pivots stay good. Q, P and the patterns are
/// found once for all matrices of a pattern and its clones: the others only look for pivots of their
/// own where those found are not good for them.
///
/// Singletons come first (`linear/pivoting.rs`), and of them the pivots that they have.
///
/// Along a chain of bodies every row of a solution waits for the one before. So U is divided by its
/// pivots when it is computed, and no division stands in that way.
///
/// Pivots are compared with rows weighed; the values themselves are not scaled.
///
/// Whenever pivots were chosen, or taken over from another matrix, the componentwise backward errors of
/// solutions are found (`linear/backward.rs`); and again where entries, or the numbers above pivots, are
/// larger than those of matrices whose solutions were good. Where they are bad, pivots are chosen anew,
/// then as large as can be, then solutions are refined, and at last pivots are the largest of all entries
/// left.
///
/// # Allocations
/// None in a refactorization; the factors grow when a new pivot order needs more room.
pub struct SparseLu<T: Entry = f64> {
    pattern: Pattern,
    structure: Arc<Structure>,
    /// Scaling of the row in the place of each pivot.
    row_scale: Vec<f64>,
    /// The same by rows, for the choice of pivots.
    weights: RowWeights,
    l: Vec<T>,
    u: Vec<T>,
    pivots: Vec<T>,
    /// 1/pivots.
    inverse: Vec<T>,
    x: Vec<T>,
    refinement: Refinement<T>,
    /// In place of the factors, where they are no good.
    complete: Option<Box<CompleteLu<T>>>,
    /// How good solutions were when pivots were chosen.
    best: Verdict,
    /// Largest number above each pivot, relative to it, up to which solutions are good.
    above: Vec<f64>,
    search: Search,
    /// Place of the pivot in each row, in a search.
    place: Vec<u32>,
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
        SparseLu {
            pattern,
            structure: Arc::default(),
            row_scale: vec![1.0; n],
            weights: RowWeights::default(),
            l: Vec::new(),
            u: Vec::new(),
            pivots: vec![T::default(); n],
            inverse: vec![T::default(); n],
            x: vec![T::default(); n],
            refinement: Refinement::default(),
            complete: None,
            best: Verdict::Good,
            above: vec![0.0; n],
            search: Search::default(),
            place: Vec::new(),
            has_pattern: false,
            factorized: false,
            counts: Counts::default(),
        }
    }

    /// The same for solutions of which so many digits are needed.
    pub(super) fn to(pattern: &Pattern, digits: Digits) -> Self {
        SparseLu { refinement: Refinement::to(digits), ..SparseLu::new(pattern) }
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Entries of L and U together, the diagonals counted once.
    pub fn factor_entries(&self) -> usize {
        self.l.len() + self.u.len() + self.pivots.len()
    }

    /// Pivots that are not on the diagonal.
    #[cfg(test)]
    pub(super) fn off_diagonal_pivots(&self) -> usize {
        self.structure
            .row_perm
            .iter()
            .zip(&*self.structure.order)
            .filter(|(row, column)| row != column)
            .count()
    }

    /// How often each kind of factorization was done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Forgets the pivots: the next factorization searches them anew.
    pub fn choose_again(&mut self) {
        self.has_pattern = false;
    }

    /// Chooses pivots and takes over the patterns of L and U; a column without a pivot, if there is one.
    /// Largest pivots make no difference between diagonal entries and others.
    fn choose_pivots(&mut self, values: &[T], largest: bool) -> Result<(), usize> {
        let Some((col_ptr, row_idx)) = self.pattern.columns() else {
            return Ok(());
        };
        self.has_pattern = false;
        self.counts.pivoting += 1;
        // What others follow stays as it is.
        let mut structure = match Arc::get_mut(&mut self.structure) {
            Some(own) => std::mem::take(own),
            None => Structure::default(),
        };
        let matrix = (col_ptr, row_idx, values);
        self.weights.find(matrix);
        let find = || minimum_degree(&self.pattern, &self.weights.have_diagonal());
        let given = singletons(matrix);
        if let Some(order) = self.pattern.order(find) {
            structure.order = match given.is_empty() {
                true => order,
                false => {
                    let mut own: Vec<u32> = given.iter().map(|one| one.column).collect();
                    let mut first = vec![false; order.len()];
                    own.iter().for_each(|&j| first[j as usize] = true);
                    own.extend(order.iter().filter(|&&j| !first[j as usize]));
                    Arc::new(own)
                }
            };
        }
        structure.singletons = given.len();
        if largest {
            let mut scales = Equilibrated::default();
            scales.find(matrix, Scaling::AtOnce);
            self.weights.take(scales.rows(false).to_vec());
        }
        let n = self.pattern.size();
        structure.row_perm.resize(n, 0);
        self.place.resize(n, 0);
        let Structure { order, singletons: _, row_perm, places, l, u, alike } = &mut structure;
        let outcome = self.search.run(
            matrix,
            (order, &given),
            (self.weights.rows(), if largest { 1.0 } else { KEEP_DIAGONAL }),
            (row_perm, &mut self.place),
            (l, &mut self.l, u),
            &mut self.x,
        );
        if let Err(NoPivot(place)) = outcome {
            return Err(order[place] as usize);
        }
        if l.idx.len() + u.idx.len() > KEEP_SEARCH {
            l.idx.shrink_to_fit();
            u.idx.shrink_to_fit();
            self.l.shrink_to_fit();
        }
        l.find_alike(alike);
        places.clear();
        for &j in &**order {
            let range = col_ptr[j as usize] as usize..col_ptr[j as usize + 1] as usize;
            places.extend(row_idx[range].iter().map(|&i| self.place[i as usize]));
        }
        self.structure = Arc::new(structure);
        self.pattern.offer(&self.structure);
        self.follow();
        self.has_pattern = true;
        Ok(())
    }

    /// Takes over what another matrix of the pattern follows, if there is one.
    fn adopt(&mut self, values: &[T]) -> bool {
        let (Some(structure), Some((col_ptr, row_idx))) =
            (self.pattern.structure(), self.pattern.columns())
        else {
            return false;
        };
        self.weights.find((col_ptr, row_idx, values));
        self.structure = structure;
        self.follow();
        true
    }

    /// Makes room for what the structure says.
    fn follow(&mut self) {
        self.refinement.forget();
        self.above.fill(GROWTH);
        let Structure { row_perm, l, u, .. } = &*self.structure;
        for (scale, &row) in self.row_scale.iter_mut().zip(row_perm) {
            *scale = self.weights.rows()[row as usize];
        }
        self.l.resize(l.idx.len(), T::default());
        self.u.resize(u.idx.len(), T::default());
    }

    /// Computes L and U in their patterns, and says whether what is above the pivots is no larger than it
    /// was, by much; the first column whose pivot is no longer good, or vanishes, if there is one.
    fn refactorize(&mut self, values: &[T], any_pivot: bool) -> Result<bool, usize> {
        let Some((col_ptr, _)) = self.pattern.columns() else {
            return Ok(true);
        };
        let mut alike = true;
        let Structure { order, singletons, places, l, u, alike: panels, .. } = &*self.structure;
        let x = &mut self.x[..];
        let mut first = 0;
        for (j, &pj) in order.iter().enumerate() {
            let column = col_ptr[pj as usize] as usize..col_ptr[pj as usize + 1] as usize;
            let places = &places[first..first + column.len()];
            first += column.len();
            for (&i, value) in places.iter().zip(&values[column]) {
                x[i as usize] = *value;
            }
            let mut above = 0.0f64;
            let mut entries = u.column(j);
            while let Some(first) = entries.next() {
                let i = u.idx[first] as usize;
                // Columns alike lead to each other: their entries are next to each other here too.
                let count = l.eliminate_alike(panels, j - i, &self.l, i, x);
                for k in 0..count {
                    let value = std::mem::take(&mut x[i + k]);
                    self.u[first + k] = value * self.inverse[i + k];
                    above = above.max(value.size());
                }
                entries.start = first + count;
            }
            let pivot = std::mem::take(&mut x[j]);
            let below = l.column(j);
            let mut largest = 0.0f64;
            for &i in &l.idx[below.clone()] {
                largest = largest.max(x[i as usize].size() * self.row_scale[i as usize]);
            }
            let good = pivot.size() * self.row_scale[j] >= KEEP_PIVOT * largest;
            let inverse = pivot.reciprocal();
            let usable = pivot.finite() && inverse.finite();
            if !usable || !(good || any_pivot || j < *singletons) {
                x.fill(T::default());
                return Err(pj as usize);
            }
            for k in below {
                let i = l.idx[k] as usize;
                self.l[k] = std::mem::take(&mut x[i]) * inverse;
            }
            (self.pivots[j], self.inverse[j]) = (pivot, inverse);
            if above > self.above[j] * pivot.size() {
                alike = false;
                self.above[j] = GROWTH * above / pivot.size();
                if pivot.size() < 1e-10 * above {
                    let original = places
                        .iter()
                        .zip(&values[col_ptr[pj as usize] as usize..])
                        .find(|(place, _)| **place as usize == j)
                        .map_or(0.0, |(_, value)| value.size());
                    let terms = original + accumulated((l, &self.l), (u, &self.u), &self.pivots, j);
                    if pivot.size() <= 4.0 * f64::EPSILON * terms {
                        x.fill(T::default());
                        return Err(pj as usize);
                    }
                }
            }
        }
        Ok(alike)
    }
}

/// Σ |l_jk d_k u_kj|: the size of the terms that pivot j is the sum of.
fn accumulated<T: Entry>(
    (l, l_values): (&Shape, &[T]),
    (u, u_values): (&Shape, &[T]),
    d: &[T],
    j: usize,
) -> f64 {
    u.column(j)
        .map(|k| {
            let column = l.column(u.idx[k] as usize);
            let row = l.idx[column.clone()].iter().position(|&i| i as usize == j);
            let pivot = d[u.idx[k] as usize];
            row.map_or(0.0, |at| (l_values[column.start + at] * pivot * u_values[k]).size())
        })
        .sum()
}

impl<T: Entry> LinearSolver<T> for SparseLu<T> {
    fn size(&self) -> usize {
        self.pattern.size()
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        self.factorized = false;
        let refined = self.refinement.is_on();
        let alike = self.refinement.alike(values).filter(|_| self.has_pattern && !refined);
        let (values, alike) = match alike {
            Some(values) => (values, true),
            None => (self.pattern.checked(values)?, false),
        };
        self.complete = None;
        self.refinement.switch_off();
        let adopted = !self.has_pattern && self.counts == Counts::default() && self.adopt(values);
        if (self.has_pattern || adopted)
            && let Ok(unchanged) = self.refactorize(values, false)
            && (alike && unchanged || self.judge(values) <= self.best)
        {
            if alike && unchanged {
                self.refinement.watch(values);
            }
            self.has_pattern = true;
            self.counts.refactorizations += 1;
            self.factorized = true;
            return Ok(());
        }
        let mut left = 0;
        let mut verdicts = [Verdict::Bad; 2];
        for largest in [false, true] {
            let chosen = self.choose_pivots(values, largest);
            let verdict = match chosen.and_then(|()| self.refactorize(values, true)) {
                Ok(_) => self.judge(values),
                Err(column) => {
                    left = column;
                    self.has_pattern = false;
                    continue;
                }
            };
            verdicts[usize::from(largest)] = verdict;
            // Largest pivots fill large matrices.
            let last = largest || verdict == Verdict::Fair || self.pattern.size() > LARGE;
            if verdict == Verdict::Good || (last && verdict != Verdict::Bad) {
                self.best = verdict;
                self.factorized = true;
                return Ok(());
            }
        }
        self.best = Verdict::Good;
        self.refinement.switch_off();
        let has_factors = verdicts[1] != Verdict::Bad || self.has_pattern;
        self.has_pattern = false;
        match self.pattern.columns() {
            Some((col_ptr, row_idx)) if self.pattern.size() <= COMPLETE_LARGEST => {
                let matrix = (col_ptr, row_idx, values);
                self.complete = Some(best_of_all(matrix, &mut self.refinement)?);
            }
            // Nothing better is known: solutions are as good as they were before refinement.
            _ if has_factors => self.has_pattern = true,
            _ => return Err(LinearError::Singular { column: left, condition: f64::INFINITY }),
        }
        self.factorized = true;
        Ok(())
    }

    fn solve(&mut self, b: &mut [T]) {
        self.solve_either(b, false);
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        self.solve_either(b, true);
    }
}

impl<T: Entry> SparseLu<T> {
    #[inline(always)]
    fn solve_either(&mut self, b: &mut [T], transposed: bool) {
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        if self.complete.is_none() && !self.refinement.is_due(transposed) {
            return self.with_factors(b, transposed);
        }
        let mut refinement = std::mem::take(&mut self.refinement);
        let mut complete = self.complete.take();
        let pattern = self.pattern.clone();
        let mut solve = |b: &mut [T], transposed: bool| match &mut complete {
            Some(complete) => complete.solve(b, transposed),
            None => self.with_factors(b, transposed),
        };
        match pattern.columns() {
            Some(columns) if refinement.is_due(transposed) => {
                refinement.solve(columns, b, transposed, &mut solve);
            }
            _ => solve(b, transposed),
        }
        (self.refinement, self.complete) = (refinement, complete);
    }

    /// How solutions with the factors are to be had.
    fn judge(&mut self, values: &[T]) -> Verdict {
        let pattern = self.pattern.clone();
        let Some((col_ptr, row_idx)) = pattern.columns() else {
            return Verdict::Good;
        };
        let mut refinement = std::mem::take(&mut self.refinement);
        let verdict = refinement.judge((col_ptr, row_idx, values), &mut |b, transposed| {
            self.with_factors(b, transposed);
        });
        self.refinement = refinement;
        if verdict <= Verdict::Fair {
            self.refinement.widen((col_ptr, row_idx, values));
        }
        if row_idx.len() > KEEP_SEARCH {
            self.refinement.shrink();
        }
        verdict
    }

    #[inline(always)]
    fn with_factors(&mut self, b: &mut [T], transposed: bool) {
        if transposed { self.substitute_transposed(b) } else { self.substitute(b) }
    }

    fn substitute(&mut self, b: &mut [T]) {
        let Structure { order, row_perm, l, u, alike, .. } = &*self.structure;
        let x = &mut self.x[..];
        for (place, &row) in x.iter_mut().zip(row_perm) {
            *place = b[row as usize];
        }
        let mut j = 0;
        while j < x.len() {
            j += l.eliminate_alike(alike, PANEL, &self.l, j, x);
        }
        for (value, inverse) in x.iter_mut().zip(&self.inverse) {
            *value *= *inverse;
        }
        for j in (0..x.len()).rev() {
            u.eliminate(&self.u, j, x);
        }
        for (value, &column) in x.iter_mut().zip(&**order) {
            b[column as usize] = std::mem::take(value);
        }
    }

    fn substitute_transposed(&mut self, b: &mut [T]) {
        let Structure { order, row_perm, l, u, .. } = &*self.structure;
        let x = &mut self.x[..];
        for (place, &column) in x.iter_mut().zip(&**order) {
            *place = b[column as usize];
        }
        for j in 0..x.len() {
            let above = u.dot(&self.u, j, x);
            x[j] -= above;
        }
        for (value, inverse) in x.iter_mut().zip(&self.inverse) {
            *value *= *inverse;
        }
        for j in (0..x.len()).rev() {
            let below = l.dot(&self.l, j, x);
            x[j] -= below;
        }
        for (value, &row) in x.iter_mut().zip(row_perm) {
            b[row as usize] = std::mem::take(value);
        }
    }
}
