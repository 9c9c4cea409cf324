//! Events along the companion's motion: its own comes to them a little sooner or later than the run.

use super::Companion;
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

impl Companion {
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
        let at = &mut self.m.at;
        let late = first.map(|guard| guards.values(at)[guard] / guards.rates(before)[guard]);
        if let Some(late) = late.filter(|late| late.is_finite()) {
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
        let at = &mut self.m.at;
        let late = first.map(|guard| guards.values(at)[guard] / guards.rates(before)[guard]);
        let late = late.filter(|late| late.is_finite()).unwrap_or(0.0);
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
