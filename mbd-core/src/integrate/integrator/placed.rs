//! On which sides guards are where a motion begins or goes on after an event.
//!
//! A guard that is at its boundary there, or that rounding leaves a little beyond it, is on the side on which the motion goes
//! on: its rate says which, where that is zero the rate's own, and where nothing moves it stays where it was. What a blow drives
//! to its contact is hit at once.

use super::Integrator;
use super::carried::{BEYOND, Held, One};
use super::sliding::AT_REST;
use crate::assembly::{Point, Residual, Want};
use crate::integrate::guards::INSTANTS;
use crate::integrate::timetable::sign;
use crate::scalar::SLIDES;
use crate::start::reconcile;
use crate::statement::Stated;

/// Part of the last step within which a crossing has been met: what a guard changes by in it is at its boundary.
const THERE: f64 = 2e-6;

/// Part of a rate before an event up to which one after it is rounding.
pub(super) const STILL: f64 = 1e-12;

/// And in parts of what the guard would change by in the characteristic time.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// A comparison this near to its boundary after an event, relative to what it has been, was set there.
const SET_THERE: f64 = 1e-12;

/// Gaps that blows close within this part of the characteristic time of the model close at once: which of them is hit first would be
/// decided by rounding.
const AT_ONCE: f64 = 1e-10;

/// How far ahead it is looked where a guard is at its boundary and does not move, in parts of a step.
pub(super) const AHEAD: f64 = 0.1;

/// Rounds in which what compares choices is put right, each by the one before.
const ROUNDS: usize = 32;

impl Integrator<'_> {
    /// Puts the guards of stated events on their sides where a motion begins: one that is at its boundary
    /// comes from the other side, so that what the motion goes into at once happens. What holds already
    /// does not become true.
    pub(super) fn place_stated(&mut self) {
        if self.events.jumps.is_empty() {
            return;
        }
        self.events.jumps.met.clear();
        for index in 0..self.events.guards.len() {
            let Held { side, stated, .. } = self.events.guards[index];
            if !stated || self.to.sides()[side] != 0.0 {
                continue;
            }
            let towards = self.towards(index, 0.0);
            self.to.sides_mut()[side] = if towards == 0.0 { 1.0 } else { -towards };
            if towards != 0.0 {
                self.events.due.push(index);
            }
        }
        self.settle_conditions();
        self.events.jumps.look = !self.events.due.is_empty();
    }

    /// The side into which the motion takes a guard that is at its boundary, 0 where it stays; a rate up to `least` may be
    /// rounding.
    pub(super) fn towards(&mut self, index: usize, least: f64) -> f64 {
        let Held { guard, largest, .. } = self.events.guards[index];
        let rate = self.guards.rates(&self.to)[guard];
        let rounding = ROUNDING * largest * self.scales.rate();
        if rate.abs() > rounding.max(least) {
            return f64::from(sign(rate) % 2);
        }
        let h = AHEAD * self.first_step();
        let now = self.guards.values(&self.to)[guard];
        self.from.copy_from(&self.to);
        // Both say the same but for rounding, the one farther ahead by more.
        let [far, near] = [h, 0.5 * h].map(|h| {
            self.go_on_bending(h);
            self.guards.values(&self.within)[guard] - now - h * rate
        });
        let least = f64::EPSILON * (now.abs() + (h * rate).abs());
        match far.abs() > least && far * near > 0.0 && far.abs() > near.abs() {
            true => f64::from(sign(far) % 2),
            false => 0.0,
        }
    }

    /// The point reached as it goes on with accelerations that change as they do ahead.
    fn go_on_bending(&mut self, h: f64) {
        self.go_on(h);
        let mut ahead = self.within.clone();
        if !matches!(reconcile(&self.system, &mut ahead), Ok(true)) {
            return;
        }
        let (now, at) = (&self.to, &mut self.within);
        for (i, q) in at.q_mut().iter_mut().enumerate() {
            *q += h * h / 6.0 * (ahead.a()[i] - now.a()[i]);
        }
        for (i, v) in at.v_mut().iter_mut().enumerate() {
            *v += 0.5 * h * (ahead.a()[i] - now.a()[i]);
        }
        for (i, x) in at.x_mut().iter_mut().enumerate() {
            *x += 0.5 * h * (ahead.xd()[i] - now.xd()[i]);
        }
    }

    /// Puts guards on the sides on which what they compare has jumped: where it is made of choices itself, its
    /// value is known once they are on theirs. Those but that the motion has `come_to`, by their number, as long as they differ
    /// from their boundary by no more than what stands with them.
    pub(super) fn put_right(&mut self, come_to: &[(usize, f64)]) {
        for _ in 0..ROUNDS {
            let near = self.nearness();
            let is = self.guards.values(&self.to).to_vec();
            let sides = self.to.sides();
            let wrong = |held: &Held| {
                let side = sides[held.side];
                let beyond =
                    side * held.of(&is) < 0.0 && side != SLIDES && !held.rests && !held.silent;
                // Where the motion goes from a surface that it is on has been decided.
                beyond
                    && held.of(&is).abs() > near * held.rates[0].abs()
                    && !self.may_hold(held, false, &is)
            };
            let guards = self.events.guards.iter().enumerate();
            let there = |i: usize, held: &Held| {
                come_to.iter().any(|&(of, off)| of == i && held.of(&is).abs() <= off)
            };
            let due = guards.filter(|&(i, held)| wrong(held) && !there(i, held));
            let due: Vec<usize> = due.map(|(index, _)| index).collect();
            if due.is_empty() {
                return;
            }
            self.events.due = due;
            self.turn(false);
        }
    }

    /// The time within which a crossing has been met at the end of the last step.
    pub(super) fn nearness(&self) -> f64 {
        (THERE * self.last.0).max(8.0 * f64::EPSILON * self.to.t().abs())
    }

    /// Takes what these events compare, and is at its boundary, for met: an event that happens because of another has not
    /// been crossed.
    pub(super) fn note_own(&mut self, list: &[One]) {
        let stated = list.iter().filter_map(|&one| Some((one.stated(&self.system)?, one.instance)));
        let stated: Vec<(&Stated, usize)> = stated.collect();
        let values = self.guards.values(&self.to).to_vec();
        let mut gaps = vec![0.0; values.len()];
        for one in list {
            let Some(contact) = self.contact_of(one.group, one.instance) else { continue };
            let size = self.late() * self.scales.holonomic()[self.gap_row(contact)];
            self.guards_of(contact)
                .iter()
                .for_each(|&index| gaps[self.events.guards[index].guard] = size);
        }
        for (index, held) in self.events.guards.iter().enumerate() {
            let gap = gaps[held.guard];
            let near = (SET_THERE * held.largest).max(2.0 * held.offset.abs()).max(gap);
            let there = held.stated && values[held.guard].abs() <= near;
            let own = || {
                let belongs = |&(event, i)| self.guards.belongs(held.guard, event, i);
                stated.iter().any(belongs)
            };
            if there && !self.events.jumps.met.contains(&index) && own() {
                self.events.jumps.met.push(index);
            }
        }
    }

    /// How much guards change where velocities are moved onto the constraints at the point reached: methods that hold
    /// positions alone leave them off, and where an event was met it is not met once more by that.
    pub(super) fn off_by_velocities(&mut self) -> Vec<f64> {
        let mut out = Residual::new(&self.system.dims());
        self.system.eval_at(&self.to, Want::GDOT | Want::K, &mut out);
        let met = !self.events.jumps.met.is_empty();
        let mut aligned = self.to.clone();
        let moves = met
            && out.gdot.iter().chain(out.k.iter()).any(|rate| *rate != 0.0)
            && matches!(reconcile(&self.system, &mut aligned), Ok(true));
        if !moves {
            return Vec::new();
        }
        let is = self.guards.values(&self.to).to_vec();
        let aligned = self.guards.values(&aligned);
        is.iter().zip(aligned).map(|(is, aligned)| (is - aligned).abs()).collect()
    }

    /// Puts the guards on the sides on which the motion goes on, `off` by no more than that where they are at their
    /// boundaries.
    pub(super) fn place_after(&mut self, before: &Point, off: &[f64]) {
        let met = std::mem::take(&mut self.events.jumps.met);
        let [was, rates] =
            [self.guards.values(before).to_vec(), self.guards.rates(before).to_vec()];
        let rates_now = self.guards.rates(&self.to).to_vec();
        let is = self.guards.values(&self.to).to_vec();
        let near = self.nearness();
        let (t, soon) = (self.to.t(), AT_ONCE / self.scales.rate());
        // At their boundary, though rounding leave them on the side before.
        let mut placed = Vec::new();
        for index in 0..self.events.guards.len() {
            let Held { guard, side, stated, rates: known, offset, fresh, largest, met_at, .. } =
                self.events.guards[index];
            let contact =
                self.events.guards[index].contact.and_then(|contact| self.contact(contact));
            // What a blow drives to its contact is hit where it is, not where it may drift to as it leaves; at once, where it is
            // as good as there.
            let towards = contact.map_or(0.0, |of| self.closed_side(of, side));
            let [rate_was, rate] = [&rates, &rates_now].map(|all| towards * all[guard]);
            let driven = rate > rate_was && rate > AT_REST * largest * self.scales.rate();
            let there = || contact.is_some_and(|of| self.events.jumps.has_struck(of, t));
            let strikes = driven && (-towards * is[guard] <= soon * rate || there());
            if offset != 0.0 && !met.contains(&index) {
                if !driven {
                    continue;
                }
                self.events.guards[index].offset = 0.0;
            }
            let by = off.get(guard).copied().unwrap_or(0.0);
            let at_boundary =
                is[guard].abs() <= 4.0 * (was[guard].abs() + by) + near * known[0].abs();
            // What an event sets to where a comparison is at its boundary is there but for rounding, and what has stayed where
            // it was met as near as it was met, as what a latch holds; contacts know for themselves where they have opened.
            let is_free = self.events.guards[index].contact.is_none();
            let may_rest = stated && is_free && !met.contains(&index);
            let met_there = if may_rest { 2.0 * met_at } else { 0.0 };
            let nearest = (SET_THERE * largest.max(was[guard].abs())).max(met_there);
            let set_there = is[guard].abs() <= nearest;
            if strikes {
                placed.push((index, 4.0 * is[guard].abs()));
            }
            let now = match at_boundary || set_there {
                _ if strikes => towards,
                true if set_there || stated && (fresh || met.contains(&index)) => {
                    let held = &self.events.guards[index];
                    if may_rest || self.events.jumps.come_to.contains(&index) {
                        placed.push((index, 4.0 * is[guard].abs()));
                    }
                    // What has rested there all along the last step has no rate but what rounding leaves.
                    let near = |k: usize| held.values[k].abs() <= nearest;
                    let stepped = self.last.0 > 0.0;
                    let rested = may_rest && stepped && near(0) && near(INSTANTS.len());
                    let rested = if rested { nearest / self.last.0 } else { 0.0 };
                    self.towards(index, rested.max(STILL * rates[guard].abs()))
                }
                true if !stated => continue,
                _ => f64::from(sign(is[guard]) % 2),
            };
            let known_rate = known[0];
            let known = self.events.guards[index].on(self.to.sides());
            if now == 0.0 || known == 0.0 {
                continue;
            }
            // Where the step has gone beyond a gap by more than rounding, the impact has happened, and the next will
            // where this was.
            let off = is[guard];
            let beyond =
                (off + offset) * now <= 0.0 && (off + offset).abs() > near * known_rate.abs();
            let opens = contact.is_some() && now != towards;
            let moved = by > 0.0 && contact.is_none() && stated && met.contains(&index);
            // What has been let go of goes on from where it was met, beyond or not.
            let let_go = set_there && may_rest && off * now < 0.0;
            if at_boundary && beyond && (opens || moved) || let_go {
                self.events.guards[index].offset = -(1.0 + BEYOND) * off;
            }
            if now == known {
                continue;
            }
            if stated {
                self.to.sides_mut()[side] = now;
                self.events.guards[index].turned(now);
            } else {
                self.events.due.push(index);
            }
        }
        // What forces compare has jumped too.
        if !self.events.due.is_empty() {
            self.turn(false);
        }
        self.put_right(&placed);
        self.events.jumps.met.clear();
    }
}
