//! Backward errors of solutions, and iterative refinement.

use super::complete::CompleteLu;
use super::condition::inverse_norm;
use super::{Entry, SINGULAR};

/// Backward error up to which solutions are used as they are; and the same for matrices too large for
/// complete pivoting: refinement of all that is worse than the first doubles the time of a net of 576
/// bodies, whose solutions are no worse for use in Newton's iteration.
const PASSES: f64 = 1e-12;
const PASSES_LARGE: f64 = 1e-9;
/// Backward error at which refinement ends.
const REFINED: f64 = 4.0 * f64::EPSILON;
/// Corrections of a solution at most.
const CORRECTIONS: usize = 10;
/// Roundings per row of the largest terms that a row might have, below which its own terms do not
/// count (Arioli, Demmel and Duff 1989).
const NEGLIGIBLE: f64 = 1e3;

/// Size up to which complete pivoting is turned to.
pub(super) const COMPLETE_LARGEST: usize = 200;

/// A matrix by columns: first entry of each, rows, values.
pub(super) type Matrix<'a, T> = (&'a [u32], &'a [u32], &'a [T]);

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
    /// Scales of the rows and columns of the matrix judged last.
    scales: [Vec<f64>; 2],
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
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> Verdict {
        self.kept.clear();
        for (kept, scale) in self.scales.iter_mut().zip([rows, columns]) {
            kept.clear();
            kept.extend_from_slice(scale);
        }
        let matrix = (col_ptr, row_idx, values);
        let mut worst = 0.0f64;
        for (transposed, scale) in [(false, rows), (true, columns)] {
            self.general(scale);
            worst = worst.max(self.solve_once(matrix, transposed, solve));
        }
        let enough = if rows.len() > COMPLETE_LARGEST { PASSES_LARGE } else { PASSES };
        if worst <= enough {
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
        if worst <= enough {
            self.kept.extend_from_slice(&values[..row_idx.len()]);
            return Verdict::Refined;
        }
        Verdict::Bad
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

    /// max |b − A x|ᵢ / (|A||x| + |b|)ᵢ (Oettli and Prager 1964). A row whose terms are rounding beside
    /// what they might be in the scale of the matrix, as rows are in parts of the right-hand side and the
    /// solution that vanish, is measured by the latter: no refinement could do better, and what becomes
    /// of the other rows must not depend on it.
    fn error(&mut self, (col_ptr, row_idx, values): Matrix<'_, T>, transposed: bool) -> f64 {
        self.r.clone_from(&self.b);
        self.size.clear();
        self.size.resize(self.b.len(), 0.0);
        for (j, range) in col_ptr.windows(2).enumerate() {
            let range = range[0] as usize..range[1] as usize;
            for (&i, value) in row_idx[range.clone()].iter().zip(&values[range]) {
                let (row, column) = if transposed { (j, i as usize) } else { (i as usize, j) };
                let x = self.x[column];
                self.r[row] -= *value * x;
                self.size[row] += value.size() * x.size();
            }
        }
        let [rows, columns] = &self.scales;
        let (rows, columns) = if transposed { (columns, rows) } else { (rows, columns) };
        let relative = self.x.iter().zip(columns).map(|(x, scale)| x.size() / scale);
        let largest = relative.fold(0.0, f64::max);
        let negligible = NEGLIGIBLE * f64::EPSILON * self.b.len() as f64;
        let mut worst = 0.0f64;
        for (((r, terms), b), scale) in self.r.iter().zip(&self.size).zip(&self.b).zip(rows) {
            let (r, mut size) = (r.size(), terms + b.size());
            if !(r <= f64::MAX && size <= f64::MAX) {
                return f64::INFINITY;
            }
            let possible = largest / scale;
            if size <= negligible * (possible + b.size()) {
                size = terms + possible;
            }
            if r > 0.0 {
                worst = worst.max(r / size);
            }
        }
        worst
    }
}
