//! `explicit-abm`: the predictor–corrector pair of Adams, Bashforth and Moulton of order 2, the
//! explicit method paper 004 compares with.
//!
//! ```text
//! y*  = y + h [(1 + r/2) f − (r/2) f₋₁]       r = h/h₋₁; in the first step y* = y + h f
//! y'  = y + h/2 (f + f(y*))
//! ```
//!
//! and f' = f(y') is evaluated for the next step and the point's accelerations: two evaluations per
//! step. With y* − y' = [1/12 + (2 + 3/r)/12] h³ y⃛ the error −h³y⃛/12 of y' is estimated from the
//! difference (Milne's device); in the first step the difference itself is, which is h² ÿ/2.

use super::motion::{Motion, Rates};
use crate::assembly::{Point, Residual, System};
use crate::checkpoint::State;
use crate::integrate::controller::Estimate;
use crate::integrate::scheme::{Accuracy, Attempt, Block, Failure, StepSpan, Stepper};
use crate::scales::Scales;
use crate::solution::Stats;

/// The method for one system.
pub(super) struct AdamsBashforthMoulton {
    motion: Motion,
    /// Rates of the last accepted point, the one before and the predicted one.
    now: Rates,
    before: Rates,
    predicted: Rates,
    previous_h: Option<f64>,
    h: f64,
    /// Whether the last attempt failed.
    failed: bool,
}

impl AdamsBashforthMoulton {
    pub(super) fn new(motion: Motion, system: &System) -> Self {
        AdamsBashforthMoulton {
            motion,
            now: Rates::new(system),
            before: Rates::new(system),
            predicted: Rates::new(system),
            previous_h: None,
            h: 0.0,
            failed: false,
        }
    }
}

impl Stepper for AdamsBashforthMoulton {
    /// The dependent coordinates and accelerations are solved for at each.
    fn stages(&self) -> f64 {
        1.5
    }

    fn name(&self) -> &'static str {
        super::formula::Formula::AdamsBashforthMoulton.name()
    }

    fn divergence(&self) -> &'static str {
        self.motion.divergence()
    }

    fn blocks(&self) -> Vec<Block> {
        self.motion.blocks()
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.motion.accept(system, at);
        self.previous_h = None;
        self.now.take(at);
    }

    fn measure(&mut self, scales: &Scales) {
        self.motion.measure(scales);
    }

    fn attempt(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<Attempt, Failure> {
        let (h, t) = (span.h, span.t_next);
        self.h = h;
        let half = match self.previous_h {
            Some(before) => 0.5 * h / before,
            None => 0.0,
        };
        if std::mem::take(&mut self.failed) {
            self.motion.choose_again(system, from);
        }
        to.copy_from(from);
        let Self { motion, now, before, predicted, .. } = self;
        let predictor = [(h * (1.0 + half), &*now), (-h * half, &*before)];
        motion.advance(system, from, t, &predictor, to, stats)?;
        predicted.take(to);
        let corrector = [(0.5 * h, &*now), (0.5 * h, &*predicted)];
        motion.advance(system, from, t, &corrector, to, stats)?;
        let estimate = match accuracy {
            Accuracy::Tolerance(eps) => {
                // y* − y' in terms of the rates, and the part of it that is the error of y'.
                let (part, order) = match self.previous_h {
                    Some(before) => (h / (3.0 * (h + before)), 3),
                    None => (1.0, 2),
                };
                let difference = [
                    (part * h * (0.5 + half), &*now),
                    (-part * h * half, &*before),
                    (-part * 0.5 * h, &*predicted),
                ];
                motion.estimate(&difference, order, eps)
            }
            Accuracy::RoundOff => Estimate::NONE,
        };
        Ok(Attempt { estimate, iterations: 0 })
    }

    fn keeps_branch(&self, from: &Point, to: &Point) -> Result<(), Failure> {
        self.motion.keeps_branch(from, to)
    }

    fn accept(&mut self, system: &System, _: &Point, to: &Point, _: &Residual) {
        self.motion.accept(system, to);
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.take(to);
        self.previous_h = Some(self.h);
    }

    fn solves_motion(&self) -> bool {
        true
    }

    fn is_explicit(&self) -> bool {
        true
    }

    fn state(&mut self, state: &mut State<'_>) {
        let Self { motion, now, before, predicted: _, previous_h, h: _, failed } = self;
        motion.state(state);
        state.part("rates");
        now.state(state);
        before.state(state);
        state.maybe(previous_h);
        state.flag(failed);
    }

    fn distrust(&mut self) {
        self.failed = true;
    }
}
