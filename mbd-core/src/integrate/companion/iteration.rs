//! The equations of a macro-step: Newton's iteration with one matrix, and the projection of its end.

use super::budget::{FACTORIZATION, MATRIX, PROJECTION};
use super::{Companion, Halt, MOST_ITERATIONS, Share};
use crate::assembly::{SlotKind, System, Want};

/// Corrections at most that take the end of a macro-step onto the constraints, and the ratio of them
/// beyond which they take a matrix of their own.
const PROJECTIONS: usize = 8;
const SLOWEST: f64 = 0.2;

/// Relative corrections below which those that no longer decrease are rounding.
const ROUNDING: f64 = 1e-12;

/// Corrections at most by which the errors are found that steps make themselves, until what is left is this part of
/// them.
const CORRECTIONS: usize = 4;
const ENOUGH: f64 = 0.3;

/// What the companion misses of a motion over what it would miss of a smooth one beyond which it is not smooth.
const ROUGH: f64 = 10.0;

/// A macro-step, or a part of one, that has been solved.
pub(super) struct Solved {
    /// The companion's own error.
    pub(super) local: f64,
    /// Whether that is of a high derivative that jumps.
    pub(super) rough: bool,
    pub(super) iterations: usize,
}

impl Companion {
    /// What the run's steps have made themselves of the error over the macro-step just solved: the solution
    /// from where the run began it, found from the companion's by a few corrections, less the run at its
    /// end. `None` where the corrections do not get there.
    pub(super) fn error_made(&mut self, system: &System) -> Option<f64> {
        std::mem::swap(&mut self.m.at, &mut self.m.run[0]);
        self.kept.copy_from_slice(&self.m.u);
        let mut made = None;
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            self.residuals(system);
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.solver.solve(&self.m.tableau, &mut self.b);
            let whole = self.m.norm(&self.b);
            self.mixing.improve(&mut self.b, &mut self.rest);
            for (u, du) in self.m.u.iter_mut().zip(&self.b) {
                *u += du;
            }
            self.work += 2.0 * self.m.tableau.stages as f64;
            self.m.place(self.m.tableau.stages - 1, &mut self.stage);
            let error = self.m.errors(&self.stage).larger();
            let rate = if last.is_finite() { whole / last } else { self.rate.max(0.3) };
            last = self.m.norm(&self.rest);
            if rate * last <= ENOUGH * error {
                made = Some(error);
                break;
            }
        }
        std::mem::swap(&mut self.m.at, &mut self.m.run[0]);
        std::mem::swap(&mut self.m.u, &mut self.kept);
        made
    }

    /// Solves the macro-step into `next`.
    pub(super) fn solve(
        &mut self,
        system: &System,
        goal: f64,
        whole: Option<f64>,
        share: Option<Share>,
    ) -> Result<Solved, Halt> {
        self.m.guess();
        let iterations = self.iterate(system, goal, share)?;
        self.m.place(self.m.tableau.stages - 1, &mut self.next);
        let smooth = self.m.local_error();
        let missed = self.missed(system);
        if let Some(whole) = whole
            && let Some(made) = self.error_made(system)
        {
            self.making = made / whole;
        }
        if !self.project(system, goal) {
            return Err(Halt::Stuck);
        }
        Ok(Solved { local: smooth.max(missed), rough: missed > ROUGH * smooth, iterations })
    }

    /// What the companion's solution misses of the macro-step, from the residuals between the stages. Where the
    /// motion is smooth they cancel each other but for the companion's own error; where a high derivative
    /// jumps, as in the knots of a spline, they do not. That they may there by chance, which halving a
    /// macro-step until they are small would find, is why their first moment is looked at too.
    fn missed(&mut self, system: &System) -> f64 {
        let (s, size) = (self.m.tableau.stages, self.m.formulas.size());
        let (sum, rest) = self.b[..3 * size].split_at_mut(size);
        let (moment, residual) = rest.split_at_mut(size);
        sum.fill(0.0);
        moment.fill(0.0);
        for index in 0..s {
            self.m.place_between(index, &mut self.stage);
            self.m.formulas.residual(system, &self.stage, &mut self.pieces, residual);
            let between = &self.m.tableau.between;
            let (weight, arm) = (between.weights[index], 2.0 * between.c[index] - 1.0);
            for ((sum, moment), r) in sum.iter_mut().zip(&mut *moment).zip(&*residual) {
                *sum += weight * r;
                *moment += weight * arm * r;
            }
        }
        self.work += s as f64;
        self.solver.solve_real(sum);
        self.solver.solve_real(moment);
        self.m.change_by(&self.b[..size]).max(self.m.change_by(&self.b[size..2 * size]))
    }

    fn iterate(&mut self, system: &System, goal: f64, share: Option<Share>) -> Result<usize, Halt> {
        self.m.middle(&mut self.stage);
        self.levels.fill(system, &self.stage);
        self.solver.factorize(&self.levels, &self.m.tableau, self.m.h).map_err(|_| Halt::Stuck)?;
        let s = self.m.tableau.stages as f64;
        self.work += MATRIX + FACTORIZATION * (2.0 * s - 1.0);
        self.mixing.begin();
        self.m.importance(&mut self.mixing.importance);
        let mut last = f64::INFINITY;
        let mut left = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            self.residuals(system);
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.solver.solve(&self.m.tableau, &mut self.b);
            let whole = self.m.norm(&self.b);
            self.mixing.improve(&mut self.b, &mut self.rest);
            for (u, du) in self.m.u.iter_mut().zip(&self.b) {
                *u += du;
            }
            self.work += 2.0 * s;
            if !whole.is_finite() {
                return Err(Halt::Stuck);
            }
            if iteration == 1
                && let Some(share) = share
            {
                self.m.place(self.m.tableau.stages - 1, &mut self.stage);
                let local = self.m.local_error();
                let allowed = self.allowed(self.m.errors(&self.stage), local, share);
                if local > self.rejected * allowed {
                    return Err(Halt::Coarse(allowed / local));
                }
            }
            // What the matrix alone makes of what was left.
            let rate = if iteration == 1 { self.rate.clamp(0.05, 0.5) } else { whole / last };
            if iteration > 1 {
                self.rate = rate;
            }
            // The first correction has nothing to be improved by.
            let norm = if iteration == 1 { whole } else { self.m.norm(&self.rest) };
            left = norm * rate / (1.0 - rate).max(0.05);
            if left <= goal || norm < 1e-14 {
                return Ok(iteration);
            }
            if iteration > 3 && norm > 2.0 * last {
                return Err(Halt::Stuck);
            }
            last = norm;
        }
        // Where it goes slowly, shorter macro-steps would leave more in all.
        if left <= goal / self.left { Ok(MOST_ITERATIONS) } else { Err(Halt::Stuck) }
    }

    /// Moves `next` onto the constraints, to a part of `goal`: with the matrix at hand, or with one of its
    /// own where the middle of the macro-step says little of its end.
    pub(super) fn project(&mut self, system: &System, goal: f64) -> bool {
        let [_, lambda, _, xd, ..] = self.m.formulas.at;
        if lambda == xd {
            return true;
        }
        let mut last = f64::INFINITY;
        let mut own = false;
        for _ in 0..PROJECTIONS {
            system.eval_at(&self.next, Want::G | Want::GDOT | Want::K, &mut self.pieces);
            self.work += PROJECTION;
            let change = self.correct(SlotKind::Q).max(self.correct(SlotKind::V));
            if change <= 0.1 * goal || change < 1e-14 {
                return true;
            }
            if !own && (change > SLOWEST * last || !last.is_finite() && change > goal) {
                self.levels.fill(system, &self.next);
                if self.solver.factorize_real(&self.levels, &self.m.tableau, self.m.h).is_err() {
                    return false;
                }
                self.work += MATRIX + FACTORIZATION;
                own = true;
            } else if !(change < last) {
                return change < ROUNDING;
            }
            last = change;
        }
        false
    }

    /// A correction of q or v by what was evaluated of the constraints; returns its largest entry relative
    /// to the scales.
    fn correct(&mut self, kind: SlotKind) -> f64 {
        let [_, lambda, psi, xd, ..] = self.m.formulas.at;
        let s = self.m.h / self.m.tableau.real.mu;
        let pieces = &self.pieces;
        let (scale, g, k) = match kind {
            SlotKind::Q => (s * s, &pieces.g[..], &[][..]),
            _ => (s, &pieces.gdot[..], &pieces.k[..]),
        };
        self.rhs.fill(0.0);
        for (r, g) in self.rhs[lambda..psi].iter_mut().zip(g) {
            *r = -g / scale;
        }
        for (r, k) in self.rhs[psi..xd].iter_mut().zip(k) {
            *r = -k / scale;
        }
        self.solver.solve_real(&mut self.rhs);
        let weights = &self.m.scales[usize::from(kind == SlotKind::V)];
        let mut largest = 0.0f64;
        for ((y, change), weight) in self.next.get_mut(kind).iter_mut().zip(&self.rhs).zip(weights)
        {
            *y += scale * change;
            let size = (scale * change / weight).abs();
            largest = if size > largest || size.is_nan() { size } else { largest };
        }
        largest
    }

    /// Evaluates the stages' residuals into `b`.
    fn residuals(&mut self, system: &System) {
        let size = self.m.formulas.size().max(1);
        for (k, r) in self.b.chunks_exact_mut(size).enumerate() {
            self.m.place(k, &mut self.stage);
            self.m.formulas.residual(system, &self.stage, &mut self.pieces, r);
        }
    }
}
