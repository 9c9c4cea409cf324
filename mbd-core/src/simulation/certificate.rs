//! Certified runs: local tolerances are tightened until the estimate of the global error meets the
//! tolerance, or it is known that it cannot.

use crate::integrate::Step;
use crate::solution::{ErrorEstimate, Unestimated};

/// Runs that a certified one is made of at most.
const MOST_RUNS: usize = 10;

/// Part of the tolerance that the estimate is asked to stay below, for what it may be wrong by.
const SAFE: f64 = 0.5;

/// Part of the tolerance that the next run aims at.
const AIM: f64 = 0.25;

/// The power of a local tolerance that errors go with, until two runs tell: that of methods of
/// order 2.
const POWER: f64 = 2.0 / 3.0;

/// The power that two runs may tell.
const POWERS: [f64; 2] = [0.35, 1.3];

/// A run is tightened by no more than this at once, and at least by half.
const MOST_AT_ONCE: f64 = 1e-4;

/// Local tolerances below which steps would follow rounding.
const LEAST: f64 = 1e-15;

/// What comes after a run.
pub(super) enum Next {
    /// The estimate meets the tolerance.
    Reached,
    /// Another run, with these steps.
    Again(Step),
    /// It will not be met.
    Beyond(String),
}

/// The course of a certified run.
pub(super) struct Certificate {
    tolerance: f64,
    share: f64,
    runs: usize,
    /// Share and error of the run before.
    before: Option<(f64, f64)>,
}

impl Certificate {
    /// For the steps of the first run; `None` where nothing is adaptive.
    pub(super) fn new(step: &Step) -> Option<Self> {
        match *step {
            Step::Adaptive { tolerance, share, .. } => {
                Some(Certificate { tolerance, share, runs: 0, before: None })
            }
            _ => None,
        }
    }

    /// The tolerance.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Runs judged.
    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    /// Judges a finished run.
    pub(super) fn judge(
        &mut self,
        step: &Step,
        estimate: Result<ErrorEstimate, Unestimated>,
    ) -> Next {
        self.runs += 1;
        let error = estimate.map_or(f64::INFINITY, |estimate| estimate.motion());
        if error <= SAFE * self.tolerance {
            return Next::Reached;
        }
        // What ends the estimate in a motion does so at any tolerance.
        if let Err(why) = estimate
            && !matches!(
                why,
                Unestimated::Costly { .. } | Unestimated::Lost { .. } | Unestimated::Unclear { .. }
            )
        {
            return Next::Beyond(format!("there is no estimate of the error: {why}"));
        }
        if self.runs >= MOST_RUNS {
            return Next::Beyond(format!(
                "{MOST_RUNS} runs with ever smaller local tolerances did not get there"
            ));
        }
        let mut power = POWER;
        if let Some((share, earlier)) = self.before {
            let told = (error / earlier).ln() / (self.share / share).ln();
            if told < 0.05 && self.share < 0.1 * share {
                return Next::Beyond(
                    "smaller local tolerances no longer make the error smaller".into(),
                );
            }
            if told.is_finite() {
                power = told.clamp(POWERS[0], POWERS[1]);
            }
        }
        self.before = Some((self.share, error));
        let wanted = if !error.is_finite() {
            0.01
        } else {
            (AIM * self.tolerance / error).powf(1.0 / power)
        };
        self.share *= wanted.clamp(MOST_AT_ONCE, 0.5);
        if self.share * self.tolerance < LEAST {
            return Next::Beyond(
                "local tolerances would come down to the rounding of numbers".into(),
            );
        }
        Next::Again(step.clone().share(self.share))
    }
}
