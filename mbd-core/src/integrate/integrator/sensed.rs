//! Conditions of stated events on what follows from the motion (reactions, accelerations, rates of states, variables), and
//! those that no program can be made of, as of a function that assigns in an `if`.
//!
//! No side holds such a comparison, for it stands in no equation of the motion, or in no program of them. What follows from
//! the motion is known where the equations are solved for it. So an attempted step is looked at as it is for what holds a
//! motion on a surface ([`shares`](super::shares)): solved at instants within it. Where a comparison changes its outcome the step is taken
//! again to end just beyond, and the condition is looked at there.

use super::Integrator;
use super::bracket::Bracket;
use super::carried::{Crossed, TRIES};
use super::crossing::LEAST;
use super::dip::above_between;
use crate::integrate::guards::INSTANTS;
use crate::integrate::scheme::StepSpan;
use crate::solution::Unestimated;

/// A step that was to end beyond a change and does not is longer by this many times what is missing.
const LONGER: f64 = 2.0;

/// The part of a step at the end of which a condition is looked at that has changed before it.
const AT_ONCE: f64 = 1e-3;

impl Integrator<'_> {
    /// The outcomes that hold where conditions were looked at last: at the point reached.
    pub(super) fn note_sensed(&mut self) {
        if self.guards.senses() {
            let now = self.guards.sensed(&self.to);
            let sides = &mut self.events.jumps.sensed;
            sides.resize(now.len(), 0.0);
            for (side, now) in sides.iter_mut().zip(now) {
                *side = if now == 0.0 { *side } else { now.signum() };
            }
        }
    }

    /// How its instant depends on the motion is not followed.
    pub(super) fn end_estimate_and_saltation(&mut self) {
        if self.companion.is_ok() {
            self.companion = Err(Unestimated::Sensed { t: self.to.t() });
        }
        if let Some(now) = &mut self.saltations.now {
            now.freed = true;
        }
    }

    /// Looks for changes in an attempted step, as [`crossed`](Self::crossed) does.
    pub(super) fn crossed_sensed(
        &mut self,
        span: StepSpan,
        tries: usize,
        whole: f64,
        near: f64,
    ) -> Crossed {
        let sought = std::mem::take(&mut self.events.jumps.seeks);
        self.events.jumps.direction = 0;
        if !self.guards.senses() {
            return Crossed::No;
        }
        let near = near.max(LEAST * whole);
        let parts = [0.0, INSTANTS[0], INSTANTS[1], INSTANTS[2], INSTANTS[3]];
        let seen: Vec<(f64, Vec<f64>)> =
            parts.iter().filter_map(|&part| Some((part, self.sensed_at(span, part)?))).collect();
        let sides = self.events.jumps.sensed.clone();
        let mut first: Option<(f64, usize)> = None;
        for (which, &side) in sides.iter().enumerate() {
            let value = |k: usize| seen[k].1[which] * side;
            let left =
                |k: usize| if side == 0.0 { seen[k].1[which] != 0.0 } else { value(k) < 0.0 };
            let bracket = match (0..seen.len()).find(|&k| left(k)) {
                // Forces have jumped since it was looked at, or it begins at its boundary.
                Some(k) if k == 0 || side == 0.0 => None,
                Some(k) => Some([k - 1, k].map(|k| [seen[k].0, value(k)])),
                None => {
                    let Ok(known) =
                        <[f64; 5]>::try_from(Vec::from_iter((0..seen.len()).map(|k| -value(k))))
                    else {
                        continue;
                    };
                    let above = above_between(&parts, &known, 0.0, |part| {
                        Some(-side * self.sensed_at(span, part)?[which])
                    });
                    let Some((parts, values)) = above else { continue };
                    Some([0, 1].map(|k| [parts[k], -values[k]]))
                }
            };
            let part = match bracket {
                None => AT_ONCE,
                Some([before, beyond]) => {
                    let mut bracket = Bracket { before, beyond };
                    // What is equal has not changed yet.
                    bracket.narrow(0.1 * near / span.h, |part| {
                        let value = self.sensed_at(span, part)?[which] * side;
                        Some(if value == 0.0 { f64::MIN_POSITIVE } else { value })
                    });
                    bracket.beyond[0]
                }
            };
            if first.is_none_or(|(known, _)| part < known) {
                first = Some((part, which));
            }
        }
        match first {
            Some((part, which)) => {
                let least = LEAST * whole;
                if (1.0 - part) * span.h <= near || tries >= TRIES || span.h <= least {
                    self.events.jumps.look = true;
                    let now = seen.last().map_or(0.0, |(_, values)| values[which]);
                    self.events.jumps.direction = if now > 0.0 { 1 } else { -1 };
                    return Crossed::Ends;
                }
                self.events.jumps.seeks = true;
                Crossed::Sooner((part * span.h).max(least).min(span.h))
            }
            // The step that was to end beyond ends before it, by a little.
            None if sought && tries < TRIES && seen.len() > 1 => {
                let [(p0, before), (p1, last)] = [&seen[seen.len() - 2], &seen[seen.len() - 1]];
                let missing = (0..sides.len()).filter_map(|which| {
                    let rate = (last[which] - before[which]) / ((p1 - p0) * span.h);
                    let missing = -last[which] / rate;
                    (rate * sides[which] < 0.0).then_some(missing)
                });
                let missing = missing.fold(f64::INFINITY, f64::min);
                let longer = span.h + (LONGER * missing).max(LEAST * whole);
                if longer > whole {
                    return Crossed::No;
                }
                self.events.jumps.seeks = true;
                Crossed::Sooner(longer)
            }
            None => Crossed::No,
        }
    }

    /// What is compared at a part of an attempted step; `None` where the equations have no solution.
    fn sensed_at(&mut self, span: StepSpan, part: f64) -> Option<Vec<f64>> {
        let at = match self.guards.senses_solutions() {
            true => self.shares_at(span, part)?,
            false => self.at_part(span, part),
        };
        Some(self.guards.sensed(&at))
    }
}
