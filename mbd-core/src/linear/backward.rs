//! Backward errors of solutions, and iterative refinement.

use super::complete::CompleteLu;
use super::condition::inverse_norm;
use super::{Entry, SINGULAR};

/// Backward error up to which solutions are used as they are.
const PASSES: f64 = 1e-13;
/// The same for matrices too large to refine every solution with: in a net of 576 bodies that doubles the
/// time, and solutions are no better for use in Newton's iteration.
const PASSES_LARGE: f64 = 1e-9;
/// Size from which on a matrix is large.
const LARGE: usize = 200;
/// Factor by which errors vary from one matrix of a pattern to the next.
const WORSE: f64 = 4.0;
/// Backward error at which refinement ends.
const REFINED: f64 = 4.0 * f64::EPSILON;
/// Corrections of a solution at most.
const CORRECTIONS: usize = 10;

/// Size up to which complete pivoting is turned to, which takes a tenth of a second then.
pub(super) const COMPLETE_LARGEST: usize = 400;

/// A matrix by columns: first entry of each, rows, values.
pub(super) type Matrix<'a, T> = (&'a [u32], &'a [u32], &'a [T]);

/// ‖R A C‖₁.
pub(super) fn norm<T: Entry>(
    (col_ptr, row_idx, values): Matrix<'_, T>,
    (rows, columns): (&[f64], &[f64]),
) -> f64 {
    let sum = |(j, range): (usize, &[u32])| {
        let range = range[0] as usize..range[1] as usize;
        let entries = row_idx[range.clone()].iter().zip(&values[range]);
        columns[j] * entries.map(|(&i, value)| rows[i as usize] * value.size()).sum::<f64>()
    };
    col_ptr.windows(2).enumerate().map(sum).fold(0.0, f64::max)
}

/// How solutions with a factorization are to be had, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// As they are.
    Good,
    /// As they are, if no other pivots are better.
    Fair,
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
    /// The error of solutions used as they are when that was judged last.
    usual: f64,
    /// Sum of the errors of all rows, of the last solution.
    sum: f64,
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
        self.scale((rows.iter().copied(), columns.iter().copied()));
        let matrix = (col_ptr, row_idx, values);
        let mut worst = 0.0f64;
        for (transposed, scale) in [(false, rows), (true, columns)] {
            self.general(scale);
            worst = worst.max(self.solve_once(matrix, transposed, solve));
        }
        let enough = if rows.len() > LARGE { PASSES_LARGE } else { PASSES };
        if worst <= enough {
            self.usual = worst;
            return if worst <= PASSES { Verdict::Good } else { Verdict::Fair };
        }
        // What general right-hand sides say of a matrix that is singular is not true of others.
        let norm = norm((col_ptr, row_idx, values), (rows, columns));
        if norm * inverse_norm(columns.len(), (rows, columns), solve) > SINGULAR {
            return Verdict::Bad;
        }
        worst = 0.0;
        for (transposed, scale) in [(false, rows), (true, columns)] {
            self.general(scale);
            worst = worst.max(self.iterate(matrix, transposed, solve));
        }
        if worst <= enough {
            self.keep(&values[..row_idx.len()]);
            return Verdict::Refined;
        }
        Verdict::Bad
    }

    /// Takes the scale of a matrix.
    pub(super) fn scale(&mut self, scales: (impl Iterator<Item = f64>, impl Iterator<Item = f64>)) {
        let [rows, columns] = &mut self.scales;
        rows.clear();
        rows.extend(scales.0);
        columns.clear();
        columns.extend(scales.1);
    }

    /// Keeps the matrix, so that all solutions are refined.
    pub(super) fn keep(&mut self, values: &[T]) {
        self.kept.clear();
        self.kept.extend_from_slice(values);
    }

    /// Whether a solution A x = b, or Aᵀ x = b, with a factorization passes as it is: b in its own scale or
    /// that taken last.
    pub(super) fn passes(
        &mut self,
        matrix: Matrix<'_, T>,
        (transposed, scale): (bool, Option<&[f64]>),
        solve: &mut dyn FnMut(&mut [T], bool),
    ) -> bool {
        let which = usize::from(transposed);
        match scale {
            Some(scale) => self.general(scale),
            None => {
                let scale = std::mem::take(&mut self.scales[which]);
                self.general(&scale);
                self.scales[which] = scale;
            }
        }
        let passes = PASSES.max(WORSE * self.usual);
        self.solve_once(matrix, transposed, solve) <= passes
    }

    /// Frees what a large matrix needs only when it is judged.
    pub(super) fn shrink(&mut self) {
        if !self.is_on() {
            let (scales, usual) = (std::mem::take(&mut self.scales), self.usual);
            *self = Refinement { scales, usual, ..Refinement::default() };
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
        let sum = self.sum;
        b[..n].copy_from_slice(&self.x);
        if error > PASSES && n <= COMPLETE_LARGEST {
            let other = self.other.get_or_insert_with(|| Box::new(CompleteLu::as_it_is(matrix)));
            let mut other = std::mem::take(&mut **other);
            self.iterate(matrix, transposed, &mut |b, transposed| other.solve(b, transposed));
            if self.sum < sum {
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
        let mut best = (self.solve_once(matrix, transposed, solve), self.sum);
        self.best.clone_from(&self.x);
        // What is rounding in one residual may be all of the next: so not only while it gets better.
        let mut in_vain = 0;
        for _ in 0..CORRECTIONS {
            if best.0 <= REFINED || in_vain > 2 {
                break;
            }
            solve(&mut self.r, transposed);
            self.x.iter_mut().zip(&self.r).for_each(|(x, dx)| *x += *dx);
            let error = self.error(matrix, transposed);
            in_vain = if self.sum < 0.5 * best.1 { 0 } else { in_vain + 1 };
            // Not by the worst: in parts of the unknowns that vanish errors are as large as their terms,
            // whatever is done, and must not decide about the others.
            if self.sum < best.1 {
                best = (error, self.sum);
                self.best.clone_from(&self.x);
            }
            if !error.is_finite() {
                break;
            }
        }
        self.sum = best.1;
        let best = best.0;
        self.x.clone_from(&self.best);
        best
    }

    /// max |b − A x|ᵢ / (|A||x| + |b|)ᵢ (Oettli and Prager 1964); the sum of these goes to `sum`.
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
        self.sum = 0.0;
        for (r, size) in self.r.iter().zip(&self.size) {
            let r = r.size();
            if !(r <= f64::MAX && *size <= f64::MAX) {
                self.sum = f64::INFINITY;
                return f64::INFINITY;
            }
            if r > 0.0 {
                worst = worst.max(r / size);
                self.sum += r / size;
            }
        }
        worst
    }
}
