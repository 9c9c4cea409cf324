//! Backward errors of solutions, and iterative refinement.

use super::complete::CompleteLu;
use super::condition::inverse_norm;
use super::{Entry, SINGULAR};

/// Backward error up to which solutions are used as they are.
pub(super) const PASSES: f64 = 1e-13;
/// Backward error up to which what was found about a factorization is taken as usual for a matrix.
const GOOD: f64 = 1e-14;
/// Largest entry of L D U, and smallest pivot, up to which nothing need be asked of a factorization:
/// for a matrix whose rows and columns have a largest entry of 1.
const GROWTH: f64 = 16.0;
const PIVOT: f64 = 1.0 / 1024.0;
/// Bounds of these, whatever a question showed: others with the same may be worse.
const GROWTH_AT_MOST: f64 = 256.0;
const PIVOT_AT_LEAST: f64 = 1.0 / 65536.0;
/// Factor by which these may get worse from one question to the next.
const SLACK: f64 = 8.0;
/// Backward error at which refinement ends.
const REFINED: f64 = 4.0 * f64::EPSILON;
/// Corrections of a solution at most.
const CORRECTIONS: usize = 10;

/// Size up to which complete pivoting is turned to.
pub(super) const COMPLETE_LARGEST: usize = 200;

/// A matrix by columns: first entry of each, rows, values.
pub(super) type Matrix<'a, T> = (&'a [u32], &'a [u32], &'a [T]);

/// What a factorization showed of itself, in the scale of the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Largest entry.
    pub(super) growth: f64,
    /// Smallest pivot.
    pub(super) pivot: f64,
}

/// Up to where nothing need be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    growth: f64,
    pivot: f64,
}

impl Default for Usual {
    fn default() -> Self {
        Usual { growth: GROWTH, pivot: PIVOT }
    }
}

impl Usual {
    pub(super) fn has(&self, seen: Seen) -> bool {
        seen.growth <= self.growth && seen.pivot >= self.pivot
    }

    /// After a backward error was found.
    fn learn(&mut self, seen: Seen, error: f64) {
        *self = Usual::default();
        if error <= GOOD {
            self.growth = self.growth.max((SLACK * seen.growth).min(GROWTH_AT_MOST));
            self.pivot = self.pivot.min((seen.pivot / SLACK).max(PIVOT_AT_LEAST));
        }
    }
}

/// How solutions with a factorization are to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// As they are.
    Good,
    /// Refined.
    Refined,
    /// Not.
    Bad,
}

/// Work space of refinement.
#[derive(Clone, Debug, Default)]
pub(super) struct Refinement<T> {
    /// Values of the matrix, while solutions are refined.
    kept: Vec<T>,
    b: Vec<T>,
    r: Vec<T>,
    x: Vec<T>,
    best: Vec<T>,
    /// What is turned to where refinement fails for a right-hand side.
    other: Option<Box<CompleteLu<T>>>,
    size: Vec<f64>,
}

impl<T: Entry> Refinement<T> {
    /// Whether solutions are refined.
    pub(super) fn is_on(&self) -> bool {
        !self.kept.is_empty()
    }

    pub(super) fn switch_off(&mut self) {
        self.kept.clear();
        self.other = None;
    }

    /// The componentwise backward error of solutions A x = b and Aᵀ x = b with a factorization, for b
    /// of general position in the scale of the rows and columns, refined or not as it must be.
    pub(super) fn judge(
        &mut self,
        (col_ptr, row_idx, values): Matrix<'_, T>,
        (rows, columns): (&[f64], &[f64]),
        (seen, usual): (Seen, &mut Usual),
        in_doubt: bool,
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> Verdict {
        self.kept.clear();
        let matrix = (col_ptr, row_idx, values);
        let mut worst = 0.0f64;
        for (transposed, scale) in [(false, rows), (true, columns)] {
            self.general(scale);
            worst = worst.max(self.solve_once(matrix, transposed, solve));
        }
        usual.learn(seen, worst);
        if worst <= PASSES && !in_doubt {
            return Verdict::Good;
        }
        if worst > PASSES {
            // What general right-hand sides say of a matrix that is singular is not true of others.
            let mut sums = vec![0.0; columns.len()];
            for (j, range) in col_ptr.windows(2).enumerate() {
                let range = range[0] as usize..range[1] as usize;
                for (&i, value) in row_idx[range.clone()].iter().zip(&values[range]) {
                    sums[j] += rows[i as usize] * value.size() * columns[j];
                }
            }
            let norm = sums.into_iter().fold(0.0, f64::max);
            if norm * inverse_norm(columns.len(), (rows, columns), solve) > SINGULAR {
                return Verdict::Bad;
            }
        }
        worst = 0.0;
        for (transposed, scale) in [(false, rows), (true, columns)] {
            self.general(scale);
            worst = worst.max(self.iterate(matrix, transposed, solve));
        }
        if worst <= PASSES {
            self.kept.extend_from_slice(&values[..row_idx.len()]);
            return Verdict::Refined;
        }
        Verdict::Bad
    }

    /// Whether solutions of `solve` are good as they are.
    pub(super) fn passes(
        &mut self,
        matrix: Matrix<'_, T>,
        rows: &[f64],
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> bool {
        self.general(rows);
        self.solve_once(matrix, false, solve) <= PASSES
    }

    /// Frees what a large matrix needs only when it is judged.
    pub(super) fn shrink(&mut self) {
        if !self.is_on() {
            *self = Refinement::default();
        }
    }

    /// A solution as good as refinement makes it. Where that is not enough for this right-hand side,
    /// in a scale of its own, complete pivoting in the scale of the matrix as it is.
    pub(super) fn solve(
        &mut self,
        (col_ptr, row_idx): (&[u32], &[u32]),
        b: &mut [T],
        transposed: bool,
        solve: &mut dyn FnMut(&mut [T], bool),
    ) {
        let n = col_ptr.len() - 1;
        self.b.clear();
        self.b.extend_from_slice(&b[..n]);
        let kept = std::mem::take(&mut self.kept);
        let matrix = (col_ptr, row_idx, &kept[..]);
        let error = self.iterate(matrix, transposed, solve);
        b[..n].copy_from_slice(&self.x);
        if error > PASSES && n <= COMPLETE_LARGEST {
            let other = self.other.get_or_insert_with(|| Box::new(CompleteLu::as_it_is(matrix)));
            let mut other = std::mem::take(&mut **other);
            let again = self.iterate(matrix, transposed, &mut |b, transposed| {
                other.solve(b, transposed);
            });
            if again < error {
                b[..n].copy_from_slice(&self.x);
            }
            self.other = Some(Box::new(other));
        }
        self.kept = kept;
    }

    /// A right-hand side without a pattern of its own.
    fn general(&mut self, scale: &[f64]) {
        self.b.clear();
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        self.b.extend(scale.iter().map(|scale| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let size = 1.0 + (state >> 11) as f64 / (1u64 << 53) as f64;
            T::from(if state >> 63 == 0 { size / scale } else { -size / scale })
        }));
    }

    /// Solves for `b`; the solution is in `x`, its residual in `r`.
    fn solve_once(
        &mut self,
        matrix: Matrix<'_, T>,
        transposed: bool,
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> f64 {
        self.x.clone_from(&self.b);
        solve(&mut self.x, transposed);
        self.error(matrix, transposed)
    }

    /// The same, refined until the backward error gets no smaller.
    fn iterate(
        &mut self,
        matrix: Matrix<'_, T>,
        transposed: bool,
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> f64 {
        let mut best = self.solve_once(matrix, transposed, solve);
        self.best.clone_from(&self.x);
        // What is rounding in one residual may be all of the next: so not only while it gets better.
        let mut in_vain = 0;
        for _ in 0..CORRECTIONS {
            if best <= REFINED || in_vain > 2 {
                break;
            }
            solve(&mut self.r, transposed);
            self.x.iter_mut().zip(&self.r).for_each(|(x, dx)| *x += *dx);
            let error = self.error(matrix, transposed);
            in_vain = if error < 0.5 * best { 0 } else { in_vain + 1 };
            if error < best {
                best = error;
                self.best.clone_from(&self.x);
            }
            if !error.is_finite() {
                break;
            }
        }
        self.x.clone_from(&self.best);
        best
    }

    /// max |b − A x|ᵢ / (|A||x| + |b|)ᵢ (Oettli and Prager 1964).
    fn error(&mut self, (col_ptr, row_idx, values): Matrix<'_, T>, transposed: bool) -> f64 {
        self.r.clone_from(&self.b);
        self.size.clear();
        self.size.extend(self.b.iter().map(|b| b.size()));
        for (j, range) in col_ptr.windows(2).enumerate() {
            let range = range[0] as usize..range[1] as usize;
            for (&i, value) in row_idx[range.clone()].iter().zip(&values[range]) {
                let (row, column) = if transposed { (j, i as usize) } else { (i as usize, j) };
                let x = self.x[column];
                self.r[row] -= *value * x;
                self.size[row] += value.size() * x.size();
            }
        }
        let mut worst = 0.0f64;
        for (r, size) in self.r.iter().zip(&self.size) {
            let r = r.size();
            if !(r <= f64::MAX && *size <= f64::MAX) {
                return f64::INFINITY;
            }
            if r > 0.0 {
                worst = worst.max(r / size);
            }
        }
        worst
    }
}
