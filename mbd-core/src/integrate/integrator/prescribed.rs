//! Steps of prescribed sizes.

use super::carried::Crossed;
use super::{Accepted, Integrator, Rest, STRETCH};
use crate::error::StepError;
use crate::integrate::failure::step_error;
use crate::integrate::scheme::{Attempt, Failure, StepSpan};
use crate::integrate::timetable::Overstepped;
use crate::solution::StepRecord;

/// A prescribed step whose equations Newton's iteration does not solve is halved down to this part; one that began with a
/// short part, down to this part of the largest since.
const SMALLEST_PART: f64 = 1.0 / 1024.0;

impl Integrator<'_> {
    /// Takes the prescribed steps from the point reached on as after a part of this size: each part is twice as long as the
    /// one before, until a step is whole.
    pub(super) fn grow_from(&mut self, part: f64) {
        let (whole, t_next) = match self.rest {
            Some(rest) => (rest.whole, rest.t_next),
            None => self.step.next(self.origin, self.to.t()),
        };
        if 2.0 * part < whole {
            self.rest = Some(Rest { t_next, whole, part, largest: part });
        }
    }

    /// A step of the prescribed size. One whose equations Newton's iteration does not solve, or that reaches
    /// beyond an event to where they have no values, is halved until this is not so, and the grid of the
    /// prescribed steps reached again by as few parts as can be solved.
    pub(super) fn prescribed(&mut self, t_end: f64) -> Result<Accepted, StepError> {
        let t = self.from.t();
        let (whole, t_next) = match self.rest {
            Some(rest) => (rest.whole, rest.t_next),
            None => self.step.next(self.origin, t),
        };
        let h = if self.rest.is_some() { t_next - t } else { whole };
        let remaining = t_end - t;
        // Equal steps that end at t_end but for rounding keep their size; of one that reaches beyond it a part is left.
        let (full, grid) = if h > remaining * (1.0 + STRETCH) {
            (StepSpan { t, t_next: t_end, h: remaining }, t_next)
        } else if h >= remaining * (1.0 - STRETCH) {
            (StepSpan { t, t_next: t_end, h }, t_end)
        } else {
            (StepSpan { t, t_next, h }, t_next)
        };
        let needed = self.timetable.bounded(t, full.h);
        let needed = self.resolved(needed);
        let known = self.overstepped.map_or(full.h * (1.0 - STRETCH), |known| known.needed);
        if needed < known {
            self.overstepped = Some(Overstepped { t, needed });
        }
        // A comparison with time is met by a part of the step, or by its end where it is near.
        let (end, stop) = (full.t_next, self.timetable.stop(t));
        let breaks_in = stop < end - STRETCH * whole;
        let is_part = breaks_in || end < grid;
        let full = if breaks_in {
            StepSpan { t, t_next: stop, h: stop - t }
        } else if stop <= end + STRETCH * whole {
            StepSpan { t_next: stop.min(t_end), ..full }
        } else {
            full
        };
        let accuracy = self.step.accuracy();
        let mut h = self.rest.map_or(full.h, |rest| 2.0 * rest.part);
        self.forget_short_step(h.min(full.h));
        let largest = self.rest.map_or(whole, |rest| rest.largest);
        let mut anew = false;
        let (mut tries, mut tried) = (0, 0.0);
        loop {
            let span =
                if h >= full.h * (1.0 - STRETCH) { full } else { StepSpan { t, t_next: t + h, h } };
            let mut attempt = self.attempt(span, accuracy);
            if attempt.is_err() {
                // Once more from the last values, with a matrix of its own.
                self.stats.newton_failures += 1;
                self.stepper.distrust();
                attempt = self.attempt(span, accuracy);
            }
            match attempt {
                Ok(Attempt { iterations, .. }) => {
                    if tries == 0 {
                        tried = span.h;
                    }
                    let ends = match self.crossed(span, tries, tried) {
                        Crossed::No => false,
                        Crossed::Ends => true,
                        Crossed::Again => {
                            tries = 0;
                            continue;
                        }
                        Crossed::Sooner(sooner) => {
                            tries += 1;
                            h = sooner;
                            continue;
                        }
                        Crossed::TooLong if 0.5 * span.h < SMALLEST_PART * largest => {
                            return Err(self.collapsed_on_surface(span));
                        }
                        Crossed::TooLong => {
                            tries = 0;
                            h = 0.5 * span.h;
                            continue;
                        }
                    };
                    if ends && span != full {
                        // The rest of the step is as whole as it was.
                        self.rest = Some(Rest { t_next: grid, whole, part: whole, largest: whole });
                    } else if span == full && !is_part {
                        self.rest = None;
                        self.origin.1 += 1;
                        if largest < whole {
                            self.grow_from(largest.max(span.h));
                        }
                    } else {
                        let part = if span == full { whole } else { span.h };
                        let largest = largest.max(span.h);
                        self.rest = Some(Rest { t_next: grid, whole, part, largest });
                    }
                    return Ok(StepRecord { t: span.t_next, h: span.h, iterations, theta: 0.0 });
                }
                Err(failure) => {
                    self.note_failed(&failure);
                    if matches!(failure, Failure::NotFinite { .. }) && self.free_those_passed(span)
                    {
                        self.stepper.distrust();
                        continue;
                    }
                    let hopeless = match failure {
                        Failure::Diverged { .. } => false,
                        // What ends the step sooner may be where there are values still.
                        Failure::NotFinite { .. } => self.events.guards.is_empty(),
                        _ => true,
                    };
                    if hopeless || 0.5 * span.h < SMALLEST_PART * largest {
                        if let Some(error) = self.fed_no_number(span.t_next) {
                            return Err(error);
                        }
                        let at = &self.to;
                        let blocks = self.stepper.blocks();
                        let failure = (&failure, self.stepper.divergence());
                        return Err(step_error(&self.system, &blocks, failure, at, t, span.h));
                    }
                    if !std::mem::replace(&mut anew, true) {
                        self.reconcile();
                    }
                    self.stepper.distrust();
                    h = 0.5 * span.h;
                }
            }
        }
    }
}
