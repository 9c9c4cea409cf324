//! Order and step size of the backward differentiation formulas, as in DASSL (Brenan, Campbell,
//! Petzold, section 5.2.4).
//!
//! The terms h^{j+1}‖y^{(j+1)}‖ of the Taylor series are compared for j from two below to one above
//! the order k. They should decrease; the order is lowered where they do not, and raised, after
//! k + 2 equal steps, where the next one is smaller still. Then the step that would halve the error
//! test is taken: doubled, kept, or reduced by a factor from 0.9 to 0.5. Until a step is first
//! rejected, fails or wants a lower order, order and step size are raised at every step.

use super::past::Past;
use crate::checkpoint::State;

/// What a solved step's errors say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Verdict {
    /// Estimated local error in units of the tolerance.
    pub(super) error: f64,
    /// Factor on the step size: of the next step, or of this one's next attempt.
    pub(super) factor: f64,
    order: usize,
    lowered: bool,
}

/// Chooses orders and step sizes.
#[derive(Debug)]
pub(super) struct Policy {
    max: usize,
    order: usize,
    starting: bool,
    /// Error tests failed at this step.
    failed: usize,
    verdict: Option<Verdict>,
    /// Whether an attempt has begun that is not accepted.
    open: bool,
}

impl Policy {
    pub(super) fn new(max: usize) -> Self {
        Policy { max, order: 1, starting: true, failed: 0, verdict: None, open: false }
    }

    pub(super) fn max_order(&self) -> usize {
        self.max
    }

    pub(super) fn start(&mut self) {
        *self = Policy::new(self.max);
    }

    /// Begins with the formula of this order, where it may.
    pub(super) fn start_with(&mut self, order: usize) {
        self.start();
        self.order = order.min(self.max);
    }

    /// Saves or restores what it goes by between steps.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Policy { max: _, order, starting, failed, verdict: _, open } = self;
        state.count(order);
        state.flag(starting);
        state.count(failed);
        state.flag(open);
    }

    /// The order of an attempt that begins. One after another without an accepted step means that
    /// the first was rejected, or not solved; or that it was good and is taken again to end sooner, with the same formula.
    pub(super) fn begin(&mut self) -> usize {
        let before = self.verdict.take();
        if self.open && before.is_none_or(|verdict| verdict.error > 1.0 || verdict.error.is_nan()) {
            self.starting = false;
            if let Some(verdict) = before {
                self.failed += 1;
                self.order = verdict.order;
            }
        }
        self.open = true;
        self.order
    }

    /// Judges the solved step by `norm`, a norm over the unknowns under test of what it is given
    /// by index, in units of the tolerance.
    pub(super) fn judge(&mut self, past: &Past, norm: impl Fn(&dyn Fn(usize) -> f64) -> f64) {
        let k = past.order();
        let estimate = |j: usize| norm(&|i| past.error_of_order(j, i));
        let term = |j: usize, estimate: f64| (j + 1) as f64 * estimate;
        let at = estimate(k);
        let mut chosen = (k, at);
        let below = if k > 1 { estimate(k - 1) } else { f64::INFINITY };
        let lowered = match k {
            1 => false,
            2 => term(1, below) <= 0.5 * term(2, at),
            _ => term(k - 1, below).max(term(k - 2, estimate(k - 2))) <= term(k, at),
        };
        if lowered {
            chosen = (k - 1, below);
        }
        let error = norm(&|i| past.local_error(i));
        // A step that would halve the error, with a little for an error of nothing.
        let fitting =
            |(order, error): (usize, f64)| (2.0 * error + 1e-4).powf(-1.0 / (order + 1) as f64);
        let verdict = if error <= 1.0 {
            let starting = self.starting && !lowered && k < self.max;
            let steady = past.equal_steps() > k + 1 && k != past.last_order() + 1;
            if starting {
                Verdict { error, factor: 2.0, order: k + 1, lowered }
            } else {
                if !lowered && k < self.max && steady {
                    let above = estimate(k + 1);
                    let (before, here, after) =
                        (term(k - 1, below), term(k, at), term(k + 1, above));
                    if k > 1 && before <= here.min(after) {
                        chosen = (k - 1, below);
                    } else if after < if k == 1 { 0.5 * here } else { here } {
                        chosen = (k + 1, above);
                    }
                }
                let factor = match fitting(chosen) {
                    r if r >= 2.0 => 2.0,
                    r if r > 1.0 => 1.0,
                    r => r.clamp(0.5, 0.9),
                };
                Verdict { error, factor, order: chosen.0, lowered }
            }
        } else {
            let (order, factor) = match self.failed {
                0 if !error.is_nan() => (chosen.0, (0.9 * fitting(chosen)).clamp(0.25, 0.9)),
                0 | 1 => (chosen.0, 0.25),
                _ => (1, 0.25),
            };
            Verdict { error, factor, order, lowered }
        };
        self.verdict = Some(verdict);
    }

    /// The last verdict, when a step has been judged that is neither accepted nor rejected yet.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The attempt is accepted. Without a verdict, in prescribed steps solved to round-off, the
    /// order rises to its highest.
    pub(super) fn accept(&mut self, order: usize) {
        match self.verdict.take() {
            Some(verdict) => {
                self.starting &= !verdict.lowered && order < self.max;
                self.order = verdict.order;
            }
            None => self.order = (order + 1).min(self.max),
        }
        (self.open, self.failed) = (false, 0);
    }
}
