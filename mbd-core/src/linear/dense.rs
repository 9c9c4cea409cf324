//! Dense LU for small systems, in place; the inverse where it is asked for often enough.

use super::backward::{COMPLETE_LARGEST, Digits, LARGER, Refinement, Verdict};
use super::best::best_of_all;
use super::complete::CompleteLu;
use super::entry::{Entry, power_of_two_reciprocal};
use super::pattern::Pattern;
use super::solver::{LinearError, LinearSolver};

/// Largest matrix whose inverse is formed.
const INVERSE_LARGEST: usize = 40;

/// Factor by which the largest number above a pivot may grow beside it, since solutions were judged good,
/// before they are judged anew.
const GROWTH: f64 = 16.0;

/// Solutions with one factorization from which its inverse pays: forming it takes as long as n
/// solutions, and multiplying by it a quarter (n = 10) to a half (n = 40) of one.
fn inverse_from(n: usize) -> usize {
    n + n / 2
}

/// LU of a dense matrix with partial pivoting, P A = L U.
///
/// Pivots are compared after scaling each row by a power of two (a row of a constraint and a row of
/// the equations of motion have different units), the values themselves are not scaled.
///
/// Substitution is a chain of n steps each of which waits for the one before, which is what a small
/// system takes its time for. A factorization that is kept for many solutions, as Newton's iteration
/// keeps it, is therefore followed by its inverse: a solution then is a product without such a chain.
/// (In place of a residual of the size of rounding the solution has an error of the size of rounding
/// times the condition, as corrections may have.)
///
/// The componentwise backward errors of solutions are found with the first factorization, and again where
/// entries, or the numbers above pivots, are larger than those of matrices whose solutions were good.
/// Where they are bad, solutions are refined, or else the largest of all entries are the pivots.
///
/// # Allocations
/// None after construction.
#[derive(Clone, Debug)]
pub struct DenseLu<T = f64> {
    n: usize,
    /// L below the diagonal (unit diagonal not stored), U on and above it, by columns.
    lu: Vec<T>,
    /// Row exchanged with row k at step k.
    exchanged: Vec<u32>,
    row_scale: Vec<f64>,
    /// Reciprocals of the pivots.
    reciprocals: Vec<T>,
    /// A⁻¹ by columns, once there have been solutions enough.
    inverse: Vec<T>,
    /// Right-hand side of a product with it.
    b: Vec<T>,
    /// Solutions with this factorization.
    solutions: usize,
    factorized: bool,
    /// First entry of each column, and rows.
    places: (Vec<u32>, Vec<u32>),
    /// Largest number above a pivot, relative to it, up to which solutions are good.
    above: f64,
    /// Scales of rows from which, and up to which, they are.
    rows: Vec<(f64, f64)>,
    refinement: Refinement<T>,
    /// In place of the factors, where they are no good.
    complete: Option<Box<CompleteLu<T>>>,
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
            reciprocals: vec![T::default(); n],
            inverse: vec![T::default(); small * small],
            b: vec![T::default(); small],
            solutions: 0,
            factorized: false,
            places: (
                (0..=n).map(|j| (j * n) as u32).collect(),
                (0..n * n).map(|k| (k % n) as u32).collect(),
            ),
            above: 0.0,
            rows: vec![(f64::INFINITY, 0.0); n],
            refinement: Refinement::default(),
            complete: None,
        }
    }

    /// The same for solutions of which so many digits are needed.
    pub(super) fn to(n: usize, digits: Digits) -> Self {
        DenseLu { refinement: Refinement::to(digits), ..DenseLu::new(n) }
    }

    fn scale_rows(&mut self) {
        self.row_scale.fill(0.0);
        for column in self.lu.chunks_exact(self.n) {
            for (largest, value) in self.row_scale.iter_mut().zip(column) {
                *largest = largest.max(value.size());
            }
        }
        for scale in &mut self.row_scale {
            *scale = power_of_two_reciprocal(*scale);
        }
    }

    /// Brings the scales of rows back from the order of the pivots.
    fn restore_rows(&mut self) {
        for (k, &p) in self.exchanged.iter().enumerate().rev() {
            self.row_scale.swap(k, p as usize);
        }
    }

    /// Computes L and U, and finds the largest number above a pivot, relative to it, and whether rows are as
    /// large as those of matrices whose solutions were good; a column whose pivot vanishes, or is rounding,
    /// if there is one.
    fn eliminate(&mut self, values: &[T]) -> Result<(f64, bool), usize> {
        let n = self.n;
        self.lu.copy_from_slice(values);
        self.scale_rows();
        let mut rows = self.row_scale.iter().zip(&self.rows);
        let alike = rows.all(|(scale, (least, most))| scale >= least && scale <= most);
        let mut most = 0.0f64;
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
            let reciprocal = pivot.reciprocal();
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
            // The check below reads row k of L, so it costs n² in all; it is needed only when the
            // pivot is small beside the rest of its column.
            let column = &self.lu[k * n..k * n + k + 1];
            let above = column[..k].iter().fold(0.0f64, |m, u| m.max(u.size()));
            most = most.max(above * reciprocal.size());
            if column[k].size() < 1e-10 * above {
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
        Ok((most, alike))
    }

    /// How solutions are to be had.
    fn judge(&mut self, values: &[T]) -> Verdict {
        let mut refinement = std::mem::take(&mut self.refinement);
        let matrix = (&self.places.0[..], &self.places.1[..], values);
        let verdict = refinement.judge(matrix, &mut |b, transposed| {
            if transposed { self.substitute_transposed(b) } else { self.substitute(b) }
        });
        self.refinement = refinement;
        verdict
    }

    /// A solution that is refined, or by complete pivoting.
    fn solve_well(&mut self, b: &mut [T], transposed: bool) {
        let mut refinement = std::mem::take(&mut self.refinement);
        let mut complete = self.complete.take();
        let mut solve = |b: &mut [T], transposed: bool| match &mut complete {
            Some(complete) => complete.solve(b, transposed),
            None if transposed => self.substitute_transposed(b),
            None => self.substitute(b),
        };
        if refinement.is_due(transposed) {
            let places = (&self.places.0[..], &self.places.1[..]);
            refinement.solve(places, b, transposed, &mut solve);
        } else {
            solve(b, transposed);
        }
        (self.refinement, self.complete) = (refinement, complete);
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

    /// Solves (L U)ᵀ P x = b.
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

    /// The inverse, column by column.
    fn invert(&mut self) {
        let n = self.n;
        let mut inverse = std::mem::take(&mut self.inverse);
        inverse.fill(T::default());
        for (k, column) in inverse.chunks_exact_mut(n).enumerate() {
            column[k] = T::from(1.0);
            self.substitute(column);
        }
        self.inverse = inverse;
    }

    /// Whether pivot `k` is nothing but the rounding errors of the terms it is the sum of.
    fn is_rounding(&self, k: usize, original: T) -> bool {
        let column = &self.lu[k * self.n..(k + 1) * self.n];
        let sum: f64 = (0..k).map(|j| (self.lu[k + j * self.n] * column[j]).size()).sum();
        column[k].size() <= 4.0 * f64::EPSILON * (sum + original.size())
    }
}

impl<T: Entry> LinearSolver<T> for DenseLu<T> {
    fn size(&self) -> usize {
        self.n
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        let n = self.n;
        self.factorized = false;
        self.solutions = 0;
        self.complete = None;
        self.refinement.switch_off();
        let values = Pattern::dense(n).checked(values)?;
        if n > 0 {
            let eliminated = self.eliminate(values);
            let verdict = match eliminated {
                Ok((above, true)) if above <= self.above => {
                    self.refinement.watch(values);
                    Verdict::Good
                }
                Ok((above, _)) => {
                    let verdict = self.judge(values);
                    if verdict <= Verdict::Fair {
                        self.above = self.above.max(GROWTH * above.max(1.0));
                        self.restore_rows();
                        for ((least, most), scale) in self.rows.iter_mut().zip(&self.row_scale) {
                            *least = least.min(scale / LARGER);
                            *most = most.max(scale * LARGER);
                        }
                    }
                    verdict
                }
                Err(_) => Verdict::Bad,
            };
            if verdict == Verdict::Bad {
                let matrix = (&self.places.0[..], &self.places.1[..], values);
                if n <= COMPLETE_LARGEST {
                    self.complete = Some(best_of_all(matrix, &mut self.refinement)?);
                } else if let Err(column) = eliminated {
                    return Err(LinearError::Singular { column, condition: f64::INFINITY });
                }
            }
        }
        self.factorized = true;
        Ok(())
    }

    fn solve(&mut self, b: &mut [T]) {
        let n = self.n;
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        if self.complete.is_some() || self.refinement.is_due(false) {
            return self.solve_well(b, false);
        }
        self.solutions += 1;
        let from = inverse_from(n);
        if n == 0 {
            return;
        }
        if self.inverse.is_empty() || self.solutions < from {
            return self.substitute(b);
        }
        if self.solutions == from {
            self.invert();
        }
        self.b.copy_from_slice(&b[..n]);
        b.fill(T::default());
        for (column, x) in self.inverse.chunks_exact(n).zip(&self.b) {
            for (sum, value) in b.iter_mut().zip(column) {
                *sum += *value * *x;
            }
        }
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        if !self.factorized {
            return b.fill(T::from(f64::NAN));
        }
        if self.complete.is_some() || self.refinement.is_due(true) {
            return self.solve_well(b, true);
        }
        self.substitute_transposed(b);
    }
}
