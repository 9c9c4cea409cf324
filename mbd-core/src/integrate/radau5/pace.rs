//! How far Newton's iteration lets steps grow.
//!
//! One matrix, of the middle stage, stands for those of all three. Where stiff forces turn with the
//! mechanism it is the less like the others' the longer the step, and the iteration becomes slow, and
//! then diverges, at steps whose errors are as small as can be: an estimate of errors alone would
//! propose such a step again after each failure. So the rate of the iteration takes part in the choice
//! of the next step (Gustafsson, Söderlind, Control strategies for the iterative solution of nonlinear
//! equations in ODE solvers, SIAM J. Sci. Comput. 18, 1997), and a failure is remembered.

use crate::checkpoint::State;

/// The rate that steps may grow to, and the power of h that rates are supposed to grow with: forces
/// c v along a direction that turns with ω make one of h c (ω h)².
const WANTED: f64 = 0.25;
const POWER: f64 = 3.0;

/// After a failure steps stay below this part of the failed one, and that bound grows by this factor from
/// step to step: fast, for what failed may have been a contact of milliseconds before a flight.
const AFTER_FAILURE: f64 = 0.7;
const RECOVERY: f64 = 1.5;

/// What is known of Newton's iteration in the last steps.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    /// The rate with a matrix of the step's own.
    rate: Option<f64>,
    /// Largest step.
    bound: f64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Pace { rate: None, bound: f64::INFINITY }
    }

    /// Saves or restores what it carries from step to step.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Pace { rate: _, bound } = self;
        state.number(bound);
    }

    /// Takes the rate of a step's iteration, if it was measured with a matrix of the step's own: an older
    /// one says nothing of the step's size.
    pub(super) fn converged(&mut self, rate: Option<f64>) {
        self.rate = rate;
    }

    /// Takes that a step of this size could not be solved.
    pub(super) fn failed(&mut self, h: f64) {
        self.bound = self.bound.min(AFTER_FAILURE * h);
    }

    /// A step has been accepted.
    pub(super) fn accepted(&mut self) {
        self.bound *= RECOVERY;
    }

    /// The largest next step, relative to one of size h.
    pub(super) fn most(&self, h: f64) -> f64 {
        let by_rate = self.rate.map_or(f64::INFINITY, |rate| (WANTED / rate).powf(1.0 / POWER));
        by_rate.min(self.bound / h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An iteration whose rate is 10 h³ and fails from h = 0.5 on, errors that ask for any step.
    #[test]
    fn steps_settle_where_the_iteration_converges() {
        let (mut pace, mut h, mut failures, mut sum) = (Pace::new(), 0.01, 0, 0.0);
        for _ in 0..100 {
            let rate = 10.0 * f64::powi(h, 3);
            if rate >= 1.0 {
                pace.failed(h);
                failures += 1;
                h *= 0.25;
                continue;
            }
            sum += h;
            pace.converged((rate > 1e-3).then_some(rate));
            let most = pace.most(h).min(8.0);
            pace.accepted();
            h *= most;
        }
        assert!(failures <= 1, "{failures}");
        assert!(sum > 25.0, "{sum}");
    }

    #[test]
    fn a_failure_is_forgotten_slowly() {
        let mut pace = Pace::new();
        assert_eq!(pace.most(1.0), f64::INFINITY);
        pace.failed(1.0);
        assert_eq!(pace.most(0.25), AFTER_FAILURE / 0.25);
        pace.failed(2.0);
        assert_eq!(pace.most(0.25), AFTER_FAILURE / 0.25, "the smallest that failed");
        let steps = (0..100).take_while(|_| {
            pace.accepted();
            pace.most(0.25) < 8.0
        });
        assert_eq!(steps.count(), 2);
    }
}
