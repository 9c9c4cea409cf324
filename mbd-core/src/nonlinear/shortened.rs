//! Corrections that are shortened.

use super::equations::Equations;
use super::newton::{Matrix, Newton, Unfinished};
use super::options::{Damping, MatrixPolicy, Stop};
use super::outcome::{Converged, NewtonFailure};

/// Corrections go back and forth where each is the one before taken back, up to this part of it, and as large up to this factor.
const ASIDE: f64 = 0.25;
const UNLIKE: f64 = 2.0;
/// Smallest damping factor.
const LEAST_DAMPING: f64 = 1e-4;

impl Newton {
    /// Once more from the predicted unknowns, with the matrix of every iterate and corrections shortened, where the
    /// iteration that has failed went back and forth. Elsewhere what shorter corrections lead to may be another solution
    /// than the one that the motion goes on to.
    pub(super) fn shortened<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        coefficient: f64,
        stop: Stop,
        failure: NewtonFailure,
    ) -> Result<Converged, NewtonFailure> {
        use NewtonFailure::{Diverged, TooSlow};

        let wanted = self.options.damping == Damping::AtLast
            && matches!(failure, Diverged { .. } | TooSlow { .. });
        if !wanted || !equations.may_shorten() || !self.goes_back_and_forth(equations) {
            return Err(failure);
        }
        let options = self.options;
        self.options.damping = Damping::Always;
        self.options.policy = MatrixPolicy::EveryIteration;
        u.copy_from_slice(&self.predicted);
        let outcome = match self.renew(equations, u, coefficient) {
            Ok(()) => self.iterate(equations, u, coefficient, stop, Matrix::ThisIterate),
            Err(failure) => Err(Unfinished::Failed(failure)),
        };
        self.options = options;
        self.age = 1;
        outcome.map(|c| Converged { own_matrix: true, ..c }).map_err(|_| failure)
    }

    /// Whether the last correction takes back the one before it, and does little else.
    fn goes_back_and_forth<E: Equations + ?Sized>(&mut self, equations: &E) -> bool {
        let size = |norms: [f64; 2]| norms[0].hypot(norms[1]);
        let last = size(equations.norms(&self.du));
        let part = last / size(equations.norms(&self.du_before));
        let sums = self.rounded.iter_mut().zip(&self.du).zip(&self.du_before);
        sums.for_each(|((sum, du), before)| *sum = du + part * before);
        let aside = size(equations.norms(&self.rounded));
        (1.0 / UNLIKE..=UNLIKE).contains(&part) && aside <= ASIDE * last
    }

    /// Applies the correction, shortened until the simplified next correction J⁻¹r(u + λΔu) is
    /// smaller: ‖·‖ ≤ (1 − λ/2)‖Δu‖. Returns whether the residual at the new `u` is at hand.
    pub(super) fn damped<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        norms: [f64; 2],
    ) -> bool {
        let size = norms[0].hypot(norms[1]);
        self.trial.resize(u.len(), 0.0);
        self.trial_du.resize(u.len(), 0.0);
        let mut factor = 1.0;
        loop {
            self.trial.copy_from_slice(u);
            equations.correct(&mut self.trial, &self.du, factor);
            self.stats.residuals += 1;
            equations.residual(&self.trial, &mut self.r);
            let finite = self.r.iter().all(|r| r.is_finite());
            if finite {
                self.trial_du.copy_from_slice(&self.r);
                self.solver.solve(&mut self.trial_du);
                self.stats.solves += 1;
                let next = equations.norms(&self.trial_du);
                if next[0].hypot(next[1]) <= (1.0 - factor / 2.0) * size || size == 0.0 {
                    u.copy_from_slice(&self.trial);
                    return true;
                }
            }
            if factor <= LEAST_DAMPING {
                // Nothing helps: take the full correction and let the ratios decide.
                equations.correct(u, &self.du, 1.0);
                return false;
            }
            factor *= 0.5;
        }
    }
}
