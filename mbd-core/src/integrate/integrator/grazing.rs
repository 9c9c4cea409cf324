//! Comparisons that the motion comes near to and goes back from: where it comes as near as its error, that decides whether
//! something happens there.

use super::Integrator;
use super::carried::{Events, Held};
use super::changes::NOISE;
use super::crossing::PARTS;
use super::dip::Dip;
use crate::assembly::Point;
use crate::integrate::companion::Near;
use crate::integrate::guards::INSTANTS;
use crate::integrate::scheme::{Accuracy, StepSpan};
use crate::solution::Grazing;
use crate::start::reconcile;

/// How many times the error so far may leave between the motion and a comparison for it to be looked at.
const SUSPECT: f64 = 10.0;

/// A force jumps where it changes accelerations by this part of what they are.
const JUMPS: f64 = 1e-3;

/// A step is taken again to end where a comparison is nearest if that is farther than this part of it from both ends: between
/// them its interpolation may be worse than the motion.
const INSIDE: f64 = 0.05;

impl Integrator<'_> {
    /// The comparison that the motion has come nearest to in the accepted step and has gone back from, where the error so far
    /// may hide that it is crossed.
    pub(super) fn nears(&mut self, h: f64) -> Option<Near> {
        let error = self.companion.as_ref().ok()?.error();
        let span = StepSpan { t: self.from.t(), t_next: self.to.t(), h };
        self.nearest(span, error).map(|(_, near)| near)
    }

    /// The part of an attempted step at which it is to end, to be as exact there as steps are: where a comparison is nearest.
    /// By what a step may err alone: what is known of errors so far changes nothing of the run.
    pub(super) fn turns_near(&mut self, span: StepSpan) -> Option<f64> {
        let found = self.nearest(span, 0.0).map(|(part, _)| part);
        found.filter(|part| (INSIDE..1.0 - INSIDE).contains(part))
    }

    /// The comparison that the motion comes nearest to within a step, and goes back from, relative to an error that is no less
    /// than what a step may make, if that may hide that it is crossed; and the part of the step at which it is nearest.
    fn nearest(&mut self, span: StepSpan, error: f64) -> Option<(f64, Near)> {
        let Accuracy::Tolerance(eps) = self.step.accuracy() else { return None };
        let sides = self.from.sides();
        let turns = |held: &Held| held.turns_back(held.on(sides), span.h);
        let guards = self.events.guards.iter().enumerate();
        let turning: Vec<usize> =
            guards.filter(|(_, held)| turns(held)).map(|(index, _)| index).collect();
        if turning.is_empty() {
            return None;
        }
        let error = eps.max(error);
        let values = self.guards.values(&self.to).to_vec();
        let hidden = self.moved_by(SUSPECT * error, &values, |guards, at, out| {
            out.clear();
            out.extend_from_slice(guards.values(at));
        });
        let mut nearest: Option<(f64, Near)> = None;
        for index in turning {
            let held = self.events.guards[index];
            let side = held.on(self.from.sides());
            let left = held.values.map(|y| y * side);
            let slopes = held.rates.map(|rate| rate * side * span.h);
            let lowest = Dip { parts: &PARTS, left: &left, slopes }.lowest(f64::INFINITY);
            let looked = lowest.into_iter().map(|part| (part, self.left_at(span, &held, part)));
            let all: Vec<(f64, f64)> = looked.chain(PARTS.iter().copied().zip(left)).collect();
            let Some(&(part, left)) = all.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else {
                continue;
            };
            let errors = SUSPECT * left / held.along(&hidden).abs();
            let nearer = nearest.is_none_or(|(_, known)| errors < known.errors);
            // What is no farther away than rounding, turns over and over.
            let suspect = (NOISE / error..=SUSPECT).contains(&errors);
            if suspect && nearer && self.matters(span, &held, (part, left)) {
                let t = span.t + part * span.h;
                nearest = Some((part, Near { guard: held.guard, side, t, left, errors }));
            }
        }
        nearest
    }

    /// What is left between a guard and its boundary at a part of the accepted step.
    fn left_at(&mut self, span: StepSpan, held: &Held, part: f64) -> f64 {
        let side = held.on(self.from.sides());
        held.of(self.values_at(span, part)) * side
    }

    /// Whether something happens where a guard is crossed, of which so much is left at a part of the step: a stated event, or a
    /// force that jumps. What it jumps by there is that on both sides as it would be with nothing left.
    fn matters(&mut self, span: StepSpan, held: &Held, (part, left): (f64, f64)) -> bool {
        if held.stated {
            return self.would_happen(held);
        }
        let side = held.on(self.from.sides());
        let [begins, ends] = [held.values[0], held.values[INSTANTS.len()]].map(|y| y * side);
        let mut near = self.from.clone();
        if part >= 1.0 {
            near.copy_from(&self.to);
        } else if part > 0.0 {
            let t = span.t + part * span.h;
            self.stepper.interpolate(&self.from, &self.to, t, &mut near);
        }
        let (far, most) = if begins > ends { (&self.from, begins) } else { (&self.to, ends) };
        let (Some((near, size)), Some((far, _))) =
            (self.differs_beyond(&near, held), self.differs_beyond(far, held))
        else {
            return true;
        };
        let ahead = if most > left { left / (most - left) } else { 0.0 };
        let jumps = near.iter().zip(&far).map(|(near, far)| near - ahead * (far - near));
        jumps.fold(0.0, |most: f64, jump| most.max(jump.abs())) > JUMPS * size
    }

    /// Whether a stated event happens where one of its comparisons is crossed: what else its condition asks for may not hold.
    fn would_happen(&self, held: &Held) -> bool {
        let Some((event, instance)) = self.guards.event_of(held.guard) else { return true };
        let mut beyond = self.to.clone();
        beyond.sides_mut()[held.side] *= -1.0;
        let [(holds, side), (would, other)] =
            [&self.to, &beyond].map(|at| event.truth(instance, at.flat()));
        would && if other == 0 { !holds } else { side != other && side != 0 }
    }

    /// By what accelerations and rates differ on both sides of a guard at a point, and how large they are.
    fn differs_beyond(&self, at: &Point, held: &Held) -> Option<(Vec<f64>, f64)> {
        let [mut here, mut beyond] = [at.clone(), at.clone()];
        beyond.sides_mut()[held.side] *= -1.0;
        for at in [&mut here, &mut beyond] {
            if !matches!(reconcile(&self.system, at), Ok(true)) {
                return None;
            }
        }
        let rates = |at: &Point| [at.a(), at.xd()].concat();
        let (here, beyond) = (rates(&here), rates(&beyond));
        let size = here.iter().chain(&beyond).fold(0.0, |most: f64, a| most.max(a.abs()));
        Some((here.iter().zip(&beyond).map(|(a, b)| a - b).collect(), size))
    }

    /// Where the error of the motion first decided whether a comparison is crossed, as far as it was followed.
    pub fn grazing(&mut self) -> Option<Grazing> {
        let Events { grazed: Some((t, guard, side)), .. } = self.events else { return None };
        let direction = if side > 0.0 { -1 } else { 1 };
        let described = self.guards.describe(&self.system, guard, &self.to, direction);
        described.map(|[name, condition]| Grazing { t, name, condition })
    }
}

impl Held {
    /// Whether a guard comes towards its boundary where an accepted step begins, and goes away from it where it ends.
    fn turns_back(&self, side: f64, h: f64) -> bool {
        // What is near to rest in a plane comes to rest, or turns about, as far as steps are exact.
        let of_plane = self.quadrant.is_some();
        let settled = side != 0.0 && !self.fresh && !self.still && !of_plane && self.offset == 0.0;
        let [begins, ends] = self.rates.map(|rate| rate * side);
        let last = self.values[INSTANTS.len()];
        settled
            && self.values[0] * side > 0.0
            && last * side > 0.0
            && begins < 0.0
            && ends >= 0.0
            && !self.is_far(side, h)
    }
}
