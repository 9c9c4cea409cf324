//! Dense LU for small systems, in place; the inverse where it is asked for often enough.

use super::backward::{Refinement, Seen, Usual, Verdict};
use super::complete::{CompleteLu, best_of_all};
use super::pattern::Pattern;
use super::pivoting::RowWeights;
use super::{Entry, LinearError, LinearSolver};

/// Largest matrix whose inverse is formed.
const INVERSE_LARGEST: usize = 40;

/// Solutions with one factorization from which its inverse pays: forming it takes as long as n
/// solutions, and multiplying by it a quarter (n = 10) to a half (n = 40) of one.
fn inverse_from(n: usize) -> usize {
    n + n / 2
}

/// LU of a dense matrix with partial pivoting, P A = L U.
///
/// Pivots are compared with rows weighed (a row of a constraint and a row of the equations of motion
/// have different units); the values themselves are not scaled. Growth and pivots are watched in every
/// factorization; where they are worse than usual, the backward error of a solution is found.
///
/// Substitution is a chain of n steps each of which waits for the one before, which is what a small
/// system takes its time for. A factorization that is kept for many solutions, as Newton's iteration
/// keeps it, is therefore followed by its inverse: a solution then is a product without such a chain.
/// (In place of a residual of the size of rounding the solution has an error of the size of rounding
/// times the condition; where the residual shows that, the inverse is not used.)
///
/// # Allocations
/// None after the first factorization, but where pivots are bad.
pub struct DenseLu<T = f64> {
    n: usize,
    /// L below the diagonal (unit diagonal not stored), U on and above it, by columns.
    lu: Vec<T>,
    /// Row exchanged with row k at step k.
    exchanged: Vec<u32>,
    row_scale: Vec<f64>,
    /// What the matrix is weighed by, from when its pivots were last worse than usual.
    weights: RowWeights,
    weighed: bool,
    usual: Usual,
    refinement: Refinement<T>,
    /// In place of the factors, where they are no good.
    complete: Option<Box<CompleteLu<T>>>,
    /// The matrix as columns with all their rows.
    col_ptr: Vec<u32>,
    row_idx: Vec<u32>,
    /// The matrix, where its inverse may be asked for.
    matrix: Vec<T>,
    /// Reciprocals of the pivots.
    reciprocals: Vec<T>,
    /// A⁻¹ by columns, once there have been solutions enough.
    inverse: Vec<T>,
    /// Right-hand side of a product with it.
    b: Vec<T>,
    /// Solutions with this factorization.
    solutions: usize,
    /// Whether products with the inverse have a small residual.
    use_inverse: bool,
    factorized: bool,
}

impl<T: Entry> std::fmt::Debug for DenseLu<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DenseLu { n, factorized, .. } = self;
        f.debug_struct("DenseLu").field("size", n).field("factorized", factorized).finish_non_exhaustive()
    }
}

impl<T: Entry> DenseLu<T> {
    /// For matrices of `n` rows.
    pub fn new(n: usize) -> Self {
        let small = if n <= INVERSE_LARGEST { n } else { 0 };
        DenseLu {
            n,
            lu: vec![T::default(); n * n],
            exchanged: vec![0; n],
            row_scale: vec![1.0; n],
            weights: RowWeights::default(),
            weighed: false,
            usual: Usual::default(),
            refinement: Refinement::default(),
            complete: None,
            col_ptr: (0..=n as u32).map(|j| j * n as u32).collect(),
            row_idx: Vec::new(),
            matrix: vec![T::default(); small * small],
            reciprocals: vec![T::default(); n],
            inverse: vec![T::default(); small * small],
            b: vec![T::default(); small],
            solutions: 0,
            use_inverse: true,
            factorized: false,
        }
    }

    /// Weighs rows by a matrix.
    fn weigh(&mut self, values: &[T]) {
        let n = self.n;
        if self.row_idx.is_empty() {
            self.row_idx = (0..n * n).map(|k| (k % n) as u32).collect();
        }
        self.weights.find((&self.col_ptr, &self.row_idx, values));
        self.weighed = true;
    }

    /// Solves L U x = P b.
    fn substitute(&self, b: &mut [T]) {
        let n = self.n;
        let b = &mut b[..n];
        for (k, &p) in self.exchanged.iter().enumerate() {
            b.swap(k, p as usize);
        }
        for (k, column) in self.lu.chunks_exact(n).enumerate() {
            let (done, below) = b.split_at_mut(k + 1);
            let x = done[k];
            for (t, l) in below.iter_mut().zip(&column[k + 1..]) {
                *t -= *l * x;
            }
        }
        for (k, column) in self.lu.chunks_exact(n).enumerate().rev() {
            let x = b[k] * self.reciprocals[k];
            b[k] = x;
            for (t, u) in b[..k].iter_mut().zip(column) {
                *t -= *u * x;
            }
        }
    }

    /// Solves Aᵀ x = b.
    fn substitute_transposed(&self, b: &mut [T]) {
        let n = self.n;
        let dot = |a: &[T], c: &[T]| a.iter().zip(c).map(|(x, y)| *x * *y).sum::<T>();
        for k in 0..n {
            let column = &self.lu[k * n..k * n + k + 1];
            b[k] = (b[k] - dot(&column[..k], &b[..k])) * self.reciprocals[k];
        }
        for k in (0..n).rev() {
            let below = dot(&self.lu[k * n + k + 1..(k + 1) * n], &b[k + 1..n]);
            b[k] -= below;
        }
        for (k, &p) in self.exchanged.iter().enumerate().rev() {
            b.swap(k, p as usize);
        }
    }

    fn with_factors(&self, b: &mut [T], transposed: bool) {
        if transposed { self.substitute_transposed(b) } else { self.substitute(b) }
    }

    /// The inverse, column by column.
    fn invert(&mut self) {
        let n = self.n;
        let mut inverse = std::mem::take(&mut self.inverse);
        inverse.fill(T::default());
        for (k, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[k] = T::from(1.0);
            self.substitute(column);
        }
        let mut refinement = std::mem::take(&mut self.refinement);
        let mut product = vec![T::default(); n];
        self.use_inverse = refinement.passes(
            (&self.col_ptr, &self.row_idx, &self.matrix),
            self.weights.rows(),
            &mut |b, _| {
                multiply(&inverse, b, &mut product);
                b.copy_from_slice(&product);
            },
        );
        self.refinement = refinement;
        self.inverse = inverse;
    }

    /// Computes L and U with the weights there are; the step and the column that has no pivot, if
    /// one has not.
    fn eliminate(&mut self, values: &[T]) -> Result<Seen, usize> {
        let n = self.n;
        self.lu.copy_from_slice(values);
        self.row_scale.copy_from_slice(self.weights.rows());
        let mut seen = Seen { growth: 0.0, pivot: f64::INFINITY };
        for k in 0..n {
            let column = &self.lu[k * n..(k + 1) * n];
            let mut p = k;
            let mut largest = -1.0;
            for (i, (value, scale)) in column.iter().zip(&self.row_scale).enumerate().skip(k) {
                let size = value.size() * scale;
                if size > largest {
                    (p, largest) = (i, size);
                }
            }
            self.exchanged[k] = p as u32;
            if p != k {
                for column in self.lu.chunks_exact_mut(n) {
                    column.swap(k, p);
                }
                self.row_scale.swap(k, p);
            }
            let (left, right) = self.lu.split_at_mut((k + 1) * n);
            let column = &mut left[k * n..];
            let pivot = column[k];
            let multipliers = &mut column[k + 1..];
            let reciprocal = T::from(1.0) / pivot;
            if !pivot.finite() || !reciprocal.finite() {
                return Err(k);
            }
            self.reciprocals[k] = reciprocal;
            multipliers.iter_mut().for_each(|l| *l *= reciprocal);
            for target in right.chunks_exact_mut(n) {
                let u = target[k];
                if u != T::default() {
                    for (t, l) in target[k + 1..].iter_mut().zip(&*multipliers) {
                        *t -= *l * u;
                    }
                }
            }
            let column = &self.lu[k * n..k * n + k + 1];
            let scaled = column[..k].iter().zip(&self.row_scale);
            let above = scaled.fold(0.0f64, |m, (u, scale)| m.max(u.size() * scale));
            let scale = self.weights.columns()[k];
            seen.growth = seen.growth.max(above.max(largest) * scale);
            seen.pivot = seen.pivot.min(largest * scale);
            // The check below reads row k of L, so it costs n² in all; it is needed only when the
            // pivot is small beside the rest of its column.
            if largest < 1e-10 * above {
                let mut row = k;
                for (step, &p) in self.exchanged[..=k].iter().enumerate().rev() {
                    if row == step {
                        row = p as usize;
                    } else if row == p as usize {
                        row = step;
                    }
                }
                if self.is_rounding(k, values[row + k * n]) {
                    return Err(k);
                }
            }
        }
        Ok(seen)
    }

    /// Whether nothing need be asked of the factors.
    fn is_usual(&self, seen: Seen) -> bool {
        self.usual.has(seen) && !self.weights.are_in_doubt()
    }

    /// Whether the factors are good for solutions, be it refined ones.
    fn accept(&mut self, values: &[T], seen: Seen) -> Verdict {
        let mut refinement = std::mem::take(&mut self.refinement);
        let mut usual = self.usual;
        let verdict = refinement.judge(
            (&self.col_ptr, &self.row_idx, values),
            (self.weights.rows(), self.weights.columns()),
            (seen, &mut usual),
            self.weights.are_in_doubt(),
            &mut |b, transposed| self.with_factors(b, transposed),
        );
        (self.usual, self.refinement) = (usual, refinement);
        verdict
    }

    /// Where partial pivoting fails.
    fn last_resort(&mut self, values: &[T], failed: Option<usize>) -> Result<(), LinearError> {
        let complete = best_of_all(
            (&self.col_ptr, &self.row_idx, values),
            &self.weights,
            failed,
            &mut self.refinement,
            &mut self.usual,
        )?;
        self.complete = Some(complete);
        Ok(())
    }

    /// Whether pivot `k` is nothing but the rounding errors of the terms it is the sum of.
    fn is_rounding(&self, k: usize, original: T) -> bool {
        let column = &self.lu[k * self.n..(k + 1) * self.n];
        let sum: f64 = (0..k).map(|j| (self.lu[k + j * self.n] * column[j]).size()).sum();
        column[k].size() <= 4.0 * f64::EPSILON * (sum + original.size())
    }
}

/// y ← A x for a full matrix by columns.
fn multiply<T: Entry>(a: &[T], x: &[T], y: &mut [T]) {
    y.fill(T::default());
    for (column, x) in a.chunks_exact(x.len()).zip(x) {
        for (sum, value) in y.iter_mut().zip(column) {
            *sum += *value * *x;
        }
    }
}

impl<T: Entry> LinearSolver<T> for DenseLu<T> {
    fn size(&self) -> usize {
        self.n
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        self.factorized = false;
        self.solutions = 0;
        self.use_inverse = true;
        let values = Pattern::dense(self.n).checked(values)?;
        if self.n == 0 {
            self.factorized = true;
            return Ok(());
        }
        self.refinement.switch_off();
        self.complete = None;
        let fresh = !self.weighed;
        if fresh {
            self.weigh(values);
        }
        let mut seen = self.eliminate(values);
        let mut good = seen.as_ref().is_ok_and(|seen| self.is_usual(*seen));
        if !good {
            // Other values may be of another scale.
            if !fresh {
                self.weigh(values);
                seen = self.eliminate(values);
            }
            good = seen.as_ref().is_ok_and(|&seen| self.accept(values, seen) != Verdict::Bad);
        }
        if !good {
            self.last_resort(values, seen.err())?;
        }
        if !self.inverse.is_empty() {
            self.matrix.copy_from_slice(values);
        }
        self.factorized = true;
        Ok(())
    }

    fn solve(&mut self, b: &mut [T]) {
        let n = self.n;
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        if n == 0 {
            return;
        }
        if self.complete.is_some() || self.refinement.is_on() {
            return self.solve_carefully(b, false);
        }
        self.solutions += 1;
        let from = inverse_from(n);
        if self.inverse.is_empty() || self.solutions < from || !self.use_inverse {
            return self.substitute(b);
        }
        if self.solutions == from {
            self.invert();
            if !self.use_inverse {
                return self.substitute(b);
            }
        }
        self.b.copy_from_slice(&b[..n]);
        multiply(&self.inverse, &self.b, b);
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        if self.complete.is_some() || self.refinement.is_on() {
            return self.solve_carefully(b, true);
        }
        self.substitute_transposed(b);
    }
}

impl<T: Entry> DenseLu<T> {
    /// With complete pivoting or refinement.
    fn solve_carefully(&mut self, b: &mut [T], transposed: bool) {
        let mut refinement = std::mem::take(&mut self.refinement);
        let mut complete = self.complete.take();
        let mut solve = |b: &mut [T], transposed: bool| match &mut complete {
            Some(complete) => complete.solve(b, transposed),
            None => self.with_factors(b, transposed),
        };
        if refinement.is_on() {
            refinement.solve((&self.col_ptr, &self.row_idx), b, transposed, &mut solve);
        } else {
            solve(b, transposed);
        }
        (self.refinement, self.complete) = (refinement, complete);
    }
}
