//! Steps as long as their errors allow.

use super::carried::Crossed;
use super::changes::Sought;
use super::{Accepted, Integrator, SMALLEST, STRETCH};
use crate::error::StepError;
use crate::integrate::failure::estimated_name;
use crate::integrate::scheme::{Accuracy, Attempt, Failure, StepSpan};
use crate::solution::StepRecord;

/// Steps in a row that end at changes of guards; where there are more they come too often for steps
/// to end at each, as in friction that sticks, and error control chooses the steps alone.
const CHANGES: usize = 32;

/// After a step that ended at a change, the part of the step tried before it in which no step ends at the
/// change of another guard: those that change together, as of equal parts, would each ask for its own.
const CLUSTER: f64 = 1e-3;

/// Attempts to end a step at a change; what still changes in it then does so in another way each time.
const CUTS: usize = 16;

/// Least part of the step tried first that is taken to end at a change: what reactions decide would be
/// decided by their noise in ever smaller steps.
const SHORTEST_CUT: f64 = 1e-2;

/// Least part of the step tried before a guard changed that is tried after it.
const AFTER_CHANGE: f64 = 0.01;

impl Integrator<'_> {
    pub(super) fn adaptive(&mut self, t_end: f64) -> Result<Accepted, StepError> {
        let accuracy = self.step.accuracy();
        let Accuracy::Tolerance(_) = accuracy else { return self.prescribed(t_end) };
        let t = self.from.t();
        let h_min = self.step.h_min().unwrap_or(SMALLEST * t.abs().max(self.span));
        let end = self.timetable.horizon(t_end).min(self.timetable.stop(t));
        // The step tried before a guard was seen to change in it, and how often it was cut for that.
        let (mut tried, mut cuts): (Option<f64>, usize) = (None, 0);
        let mut sought: Option<Sought> = None;
        // The step that ends at a crossing, the one before it was found, and how often it was corrected.
        let (mut crossing, mut tries): (Option<[f64; 2]>, usize) = (None, 0);
        // Whether the velocities that it begins with were put right.
        let (mut first, mut settled) = (true, false);
        self.forget_short_step(self.h.min(end - t));
        loop {
            let remaining = end - t;
            let h = match crossing {
                Some([h, _]) => h.min(remaining),
                None => {
                    let bounded = self.timetable.bounded(t, self.cut(remaining));
                    self.resolved(bounded)
                }
            };
            let last = h == remaining;
            let t_next = if last { end } else { t + h };
            // Not once it was rejected: then it is another step for good.
            let h = if std::mem::take(&mut first) { self.alike(h, t_next) } else { h };
            let span = StepSpan { t, t_next, h };
            let outcome = self.attempt(span, accuracy);
            let outcome = outcome.and_then(|attempt| self.keeps_branch().map(|()| attempt));
            match outcome {
                Ok(Attempt { estimate, iterations }) if estimate.theta <= 1.0 => {
                    let whole = crossing.map_or(h, |[_, whole]| whole);
                    match self.crossed(span, tries, whole) {
                        Crossed::No => {}
                        Crossed::Again => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (None, 0);
                            continue;
                        }
                        Crossed::Sooner(_) if !settled && self.shakes_forces(h) => {
                            self.stats.rejected += 1;
                            (crossing, tries, settled) = (None, 0, true);
                            self.reconcile();
                            continue;
                        }
                        Crossed::Sooner(h) => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (Some([h, whole]), tries + 1);
                            continue;
                        }
                        Crossed::TooLong => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (None, 0);
                            self.h = 0.5 * h;
                            if h <= h_min {
                                return Err(self.collapsed_on_surface(span));
                            }
                            continue;
                        }
                        Crossed::Ends => {
                            self.last.1 = 0;
                            self.h = whole;
                            return Ok(StepRecord {
                                t: span.t_next,
                                h,
                                iterations,
                                theta: estimate.theta,
                            });
                        }
                    }
                    if let Some([_, whole]) = crossing {
                        tried = tried.or(Some(whole));
                    }
                    // Of changes in a row the first step tried counts: each cut of a cut would lead to nothing.
                    let in_a_row = if self.last.1 > 0 { self.cluster.whole } else { 0.0 };
                    let least = SHORTEST_CUT * tried.unwrap_or(h).max(in_a_row);
                    let changes = self.change(span, least / h);
                    if self.last.1 < CHANGES
                        && cuts < CUTS
                        && let Some(next) = self.aim(&mut sought, changes, span)
                    {
                        self.stats.rejected += 1;
                        cuts += 1;
                        if cuts == 1 && self.drifts_in_velocity() {
                            self.reconcile();
                        }
                        tried = Some(tried.unwrap_or(h));
                        self.h = next.max(h_min);
                        if h > h_min {
                            continue;
                        }
                    }
                    if let Some(whole) = tried {
                        self.cluster.end = self.cluster.end.max(span.t_next + CLUSTER * whole);
                    }
                    self.cluster.changed.clone_from(&self.cluster.within);
                    let at_change = tried.is_some() || changes.first.is_some() || changes.sooner;
                    if at_change {
                        let changed = self.cluster.changed.clone();
                        self.add_free(span.t_next, &changed);
                    }
                    self.last.1 = if at_change { self.last.1 + 1 } else { 0 };
                    self.cluster.whole = tried.unwrap_or(h).max(in_a_row);
                    let factor = self.controller.accepted(&estimate);
                    let next = match tried {
                        // A step cut short says little about the next.
                        Some(_) => {
                            let whole = self.cluster.whole;
                            (h * factor).max(AFTER_CHANGE * whole).min(whole)
                        }
                        None if last => self.h.max(h * factor),
                        None => h * factor,
                    };
                    // What holds a motion on a surface is looked at in parts of a step, and not in longer
                    // and longer ones before it was seen to change little.
                    let next = if self.is_held() { next.min(2.0 * h) } else { next };
                    self.h = self.step.limit(next).max(h_min);
                    return Ok(StepRecord { t: span.t_next, h, iterations, theta: estimate.theta });
                }
                Ok(Attempt { estimate, .. }) => {
                    self.stats.rejected += 1;
                    (crossing, tries) = (None, 0);
                    self.h = (h * self.controller.rejected(&estimate)).max(h_min);
                    if h <= h_min {
                        return Err(StepError::StepSizeCollapsed {
                            t,
                            h,
                            cause: format!(
                                "the estimated error stays {:.1e} times the tolerance",
                                estimate.theta.sqrt()
                            ),
                            worst: estimated_name(
                                &self.system,
                                &self.stepper.blocks(),
                                estimate.worst,
                            ),
                        });
                    }
                }
                Err(failure) => {
                    self.note_failed(&failure);
                    self.stepper.distrust();
                    (crossing, tries) = (None, 0);
                    if matches!(failure, Failure::NotFinite { .. }) && self.free_those_passed(span)
                    {
                        continue;
                    }
                    self.h = (h * self.controller.failed()).max(h_min);
                    if h <= h_min {
                        return Err(self.collapsed(&failure, span));
                    }
                }
            }
        }
    }

    /// The step size to try, so that no tiny step is left before the end.
    fn cut(&self, remaining: f64) -> f64 {
        if self.h >= remaining * (1.0 - STRETCH) {
            remaining
        } else if self.h > 0.5 * remaining {
            0.5 * remaining
        } else {
            self.h
        }
    }

    /// The size of the last step where this one's differs by the rounding of time only, as those of the
    /// two halves of a remainder do: what a method keeps from step to step, the rate of Newton's iteration
    /// and the count of equal steps, must not hang on the last bit of `t`.
    fn alike(&self, h: f64, t_next: f64) -> f64 {
        let rounding = (2.0 * f64::EPSILON * t_next.abs()).min(STRETCH * h);
        if (h - self.last.0).abs() <= rounding { self.last.0 } else { h }
    }
}
