//! Events along the companion's motion: its own comes to them a little sooner or later than the run.

use super::budget::Near;
use super::{Companion, PART};
use crate::assembly::{Point, SlotKind, System};
use crate::integrate::guards::Guards;
use crate::solution::Unestimated;
use crate::start::reconcile;

/// Moves a point along its motion by a short time, with the accelerations and rates of another one.
fn shift(at: &mut Point, by: f64, rates: &Point) {
    let v = at.v().to_vec();
    for ((q, v), a) in at.q_mut().iter_mut().zip(v).zip(rates.a()) {
        *q += by * (v + 0.5 * by * a);
    }
    for (kind, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
        at.get_mut(kind).iter_mut().zip(rates.get(rate)).for_each(|(y, rate)| *y += by * rate);
    }
    at.set_t(at.t() + by);
}

/// What is left of a guard's value where it is 0 to first order, in units of it: where more is left the instant is not known.
const LEFT: f64 = 0.5;

/// Roundings of positions, velocities and states whose effect on a guard is nothing.
const ROUNDINGS: f64 = 8.0;

/// Times by which an instant is off in which guards go on as they do, and may be off by rounding, in units of the time since
/// the start.
const SHORT: f64 = 1e-6;

/// How many times what the companion comes nearer, or stays farther, may be too little.
const UNSURE: f64 = 2.0;

impl Companion {
    /// Whether the run's error may decide if it crosses the comparison that it has come near to in the step that ends at `to`:
    /// its own motion comes nearer to it by what is left of it there. Then there is no estimate any more.
    pub(in crate::integrate) fn may_cross(
        &mut self,
        to: &Point,
        near: Near,
        guards: &mut Guards,
    ) -> bool {
        if self.ended.is_some() || self.m.at.t() != to.t() {
            return false;
        }
        let Near { guard, side, t, left, errors } = near;
        let mut of = |at: &Point| {
            let value = guards.values(at)[guard] * side;
            [value, guards.rates(at)[guard] * side]
        };
        let ([run, fast], [own, own_fast]) = (of(to), of(&self.m.at));
        // Along parabolas that bend alike.
        let bend = fast * fast / (run - left);
        let fall = |rate: f64| if rate == 0.0 { 0.0 } else { rate * rate / bend };
        let nearer = left - (own - fall(own_fast));
        let crosses = errors < PART[0] || !(UNSURE * nearer < left);
        if crosses {
            self.ended = Some(Unestimated::Unclear { t });
        }
        crosses
    }

    /// How much later the run comes to a guard than the companion; 0 for none, or one that does not move. `None`, and no
    /// estimate, where the companion is so far off that its own instant cannot be told.
    fn late(&mut self, before: &Point, guard: Option<usize>, guards: &mut Guards) -> Option<f64> {
        let Some(guard) = guard else { return Some(0.0) };
        let value = guards.values(&self.m.at)[guard];
        let late = value / guards.rates(before)[guard];
        if !late.is_finite() || late.abs() <= SHORT * (before.t() - self.t_start) {
            return Some(if late.is_finite() { late } else { 0.0 });
        }
        let mut rounding = 0.0f64;
        for draw in 0..2 {
            self.next.copy_from(&self.m.at);
            for kind in [SlotKind::Q, SlotKind::V, SlotKind::X] {
                for (k, y) in self.next.get_mut(kind).iter_mut().enumerate() {
                    let sign = if (k + draw) % 2 == 0 { ROUNDINGS } else { -ROUNDINGS };
                    *y += sign * f64::EPSILON * *y;
                }
            }
            rounding = rounding.max((guards.values(&self.next)[guard] - value).abs());
        }
        self.next.copy_from(&self.m.at);
        shift(&mut self.next, -late, before);
        let left = guards.values(&self.next)[guard].abs();
        if left <= rounding.max(LEFT * value.abs()) {
            return Some(late);
        }
        self.ended = Some(Unestimated::Unclear { t: before.t() });
        None
    }

    /// Goes on from the other side of a comparison with time, as the run does at `to`.
    pub(in crate::integrate) fn cross(&mut self, system: &System, to: &Point) {
        self.m.at.hold_as_beside_modes(to);
        self.next.copy_from(&self.m.at);
        self.next.set_t(to.t());
        if !matches!(reconcile(system, &mut self.next), Ok(true)) {
            self.next.copy_from(&self.m.at);
            self.next.set_t(to.t());
        }
        std::mem::swap(&mut self.m.at, &mut self.next);
        self.m.run[0].copy_from(to);
    }

    /// Goes on from the other side of guards, as the run does: from the point before to the one after.
    /// Its own motion crosses the guard that the run has come to a little sooner or later, and gets what the
    /// motion on one side gains on that on the other in that time.
    pub(in crate::integrate) fn turn(
        &mut self,
        system: &System,
        [before, after]: [&Point; 2],
        first: Option<usize>,
        guards: &mut Guards,
    ) {
        let Some(late) = self.late(before, first, guards) else { return };
        let at = &mut self.m.at;
        if late != 0.0 {
            for (kind, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
                let gain = after.get(rate).iter().zip(before.get(rate)).map(|(a, b)| a - b);
                at.get_mut(kind).iter_mut().zip(gain).for_each(|(y, gain)| *y += late * gain);
            }
        }
        at.hold_as_beside_modes(after);
        self.cross(system, after);
    }

    /// Goes on past stated events, as the run does from the point before to the one after. Its own motion comes
    /// to the guard that the run has come to a little sooner or later, and jumps there: `apply` makes a point
    /// jump, and says whether it could.
    pub(in crate::integrate) fn jump(
        &mut self,
        system: &System,
        [before, after]: [&Point; 2],
        first: Option<usize>,
        guards: &mut Guards,
        apply: &mut dyn FnMut(&mut Point) -> bool,
    ) {
        let Some(late) = self.late(before, first, guards) else { return };
        let at = &mut self.m.at;
        at.hold_as_beside_modes(before);
        shift(at, -late, before);
        let solved = matches!(reconcile(system, at), Ok(true));
        if !solved || !apply(at) {
            self.ended = Some(Unestimated::NotFollowed { t: before.t() });
            return;
        }
        at.hold_as_beside_modes(after);
        let held = |at: &Point| system.model().held_by_modes(at);
        if held(at) != held(after) {
            // Which rows hold is the same for both.
            at.modes_mut().copy_from_slice(after.modes());
        }
        shift(at, late, after);
        self.cross(system, after);
    }
}
