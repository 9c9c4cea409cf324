//! Events: the instants at which the motion crosses a comparison of the model.
//!
//! Every [guard](crate::integrate::guards) that can be held is held on the side on which the motion is. So a
//! step, its predictor and its error estimate see smooth equations, continued past the boundary where
//! the step passes it. An accepted step is looked at along its dense output; where guards leave their
//! sides in it the earliest crossing is located there, the step is taken again to end at it, corrected
//! by the guard's value and rate at its own end, and the sides change. From there the method begins
//! anew: accelerations and multipliers are solved for on the other side.
//!
//! Where the motion on the other side leads back at once (friction that sticks), no side can be held.
//! Such a guard is *free*: its operands decide in every evaluation, until it has kept a sign over
//! several steps.

use super::Integrator;
use super::carried::{Events, Held, Jumps, Met};
use super::crossing::STILL;
use super::hop::MOST;
use crate::assembly::{Point, SlotKind};
use crate::checkpoint::State;
use crate::integrate::guards::INSTANTS;
use crate::integrate::scheme::{Accuracy, StepSpan};
use crate::integrate::timetable::sign;
use crate::integrate::weights::rms;
use crate::scalar::SLIDES;
use crate::solution::{Chatter, Event, EventKind, Unestimated};
use crate::start::reconcile;

/// Steps over which a free guard has to keep its sign before it is held, at first; then twice as many
/// each time it was held in vain.
const STEADY: usize = 4;
const STEADIEST: usize = 1 << 12;

/// How far ahead of an event accelerations are looked at, in parts of a first step.
const AHEAD: f64 = 1e-3;

/// The step after an event in parts of the shortest time scale.
const RESOLVED: f64 = 0.5;

/// Changes of a free guard from which on it is said to chatter.
const CHATTER: usize = 50;

/// Sides changed at one instant before the guards concerned are free.
const TURNS: usize = 8;

impl Events {
    /// What is known of guards at the beginning of a step holds no more.
    pub(super) fn forget_known(&mut self) {
        self.known = None;
    }

    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Events {
            guards,
            of_contacts: _,
            ignored: _,
            due,
            known: _,
            turns: (t, turns),
            list,
            short: _,
            grazed,
            disordered,
            jumps,
        } = self;
        let mut is = disordered.is_some();
        let (mut when, mut first, mut then) = disordered.unwrap_or_default();
        state.flag(&mut is);
        state.number(&mut when);
        state.count(&mut first);
        state.count(&mut then);
        *disordered = is.then_some((when, first, then));
        let mut any = grazed.is_some();
        let (mut at, mut guard, mut on) = grazed.unwrap_or_default();
        state.flag(&mut any);
        state.number(&mut at);
        state.count(&mut guard);
        state.number(&mut on);
        *grazed = any.then_some((at, guard, on));
        for held in guards {
            let Held {
                guard: _,
                side: _,
                stated: _,
                contact: _,
                silent: _,
                quadrant,
                rests,
                offset,
                fresh,
                largest,
                met_at,
                still: _,
                values: _,
                rates: _,
                sign,
                steady,
                patience,
                since,
                changes,
                first,
                last,
            } = held;
            state.flag(rests);
            quadrant.iter_mut().flatten().for_each(|side| state.number(side));
            state.number(offset);
            state.flag(fresh);
            state.number(largest);
            state.number(met_at);
            let mut number = f64::from(*sign);
            state.number(&mut number);
            *sign = number as i8;
            state.count(steady);
            state.count(patience);
            state.number(since);
            state.count(changes);
            state.number(first);
            state.number(last);
        }
        state.counts(due);
        state.number(t);
        state.count(turns);
        state.every(list, Event::default(), |state, event| event.state(state));
        jumps.state(state);
    }
}

/// A change that is none, in parts of what changes and of its scale.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Integrator<'_> {
    /// The events so far, in order.
    pub fn events(&self) -> &[Event] {
        &self.events.list
    }

    /// The comparison that the motion has crossed back and forth most often, if one was so often that it
    /// matters.
    pub fn chatter(&mut self) -> Option<Chatter> {
        let busiest = self.events.guards.iter().max_by_key(|held| held.changes)?;
        let &Held { guard, changes, first: t, .. } = busiest;
        if changes < CHATTER {
            return None;
        }
        let described = self.guards.describe(&self.system, guard, &self.to, 1);
        described.map(|[name, condition]| Chatter { t, changes, name, condition })
    }

    /// Steps through comparisons of forces, energies, rates and definitions instead of ending steps where the
    /// motion crosses them, from the point reached on: what `simulate --no-events` does. By default comparisons
    /// are held. Events that the model states happen all the same.
    pub fn ignore_events(&mut self) {
        self.leave_surfaces();
        self.events = Events { ignored: true, ..Events::default() };
        self.hold_guards();
    }

    /// Holds every guard on the side on which the point reached is.
    pub(super) fn hold_guards(&mut self) {
        self.to.sides_mut().fill(0.0);
        if self.events.guards.is_empty() && self.events.jumps.is_empty() {
            let held = self.guards.held().map(|(guard, side)| {
                let stated = self.guards.is_stated(guard);
                let part = self.guards.part(guard);
                let silent = part.is_some_and(|part| part < 2);
                let quadrant = (part == Some(2)).then_some([1.0; 2]);
                Held { guard, side, stated, silent, quadrant, patience: STEADY, ..Held::default() }
            });
            let ignored = self.events.ignored;
            self.events.guards = held.filter(|held| held.stated || !ignored).collect();
            self.events.jumps = Jumps::new(&self.system);
            self.assign_guards();
        }
        self.events.due.clear();
        self.events.known = None;
        if self.events.guards.is_empty() && !self.guards.senses() {
            self.settle_conditions();
            return;
        }
        let values = self.guards.values(&self.to).to_vec();
        for held in &mut self.events.guards {
            let side = match (self.guards.part(held.guard), f64::from(sign(values[held.guard]) % 2))
            {
                (Some(_), 0.0) => 1.0,
                (_, side) => side,
            };
            self.to.sides_mut()[held.side] = side;
            *held =
                Held { patience: STEADY, last: side, guard: held.guard, side: held.side, ..*held };
            (held.rests, held.offset) = (false, 0.0);
        }
        self.begin_on_sides();
        self.note_slopes();
        let contacts = self.begin_on_contacts();
        self.place_stated();
        self.follow_planes();
        self.begin_on_surfaces(&contacts);
        self.rest_on_tied();
        if self.guards.senses() {
            // By the reactions of the contacts on which the motion begins.
            self.settle_conditions();
        }
    }

    /// Holds guards that are at their boundary where the motion begins on the side into which it goes, with the accelerations
    /// and multipliers there; those that have surfaces, and those of events, are placed by themselves.
    fn begin_on_sides(&mut self) {
        let mut placed = false;
        for index in 0..self.events.guards.len() {
            let Held { guard, side, stated, .. } = self.events.guards[index];
            let open = !stated && self.to.sides()[side] == 0.0;
            if !open || self.guards.surface(guard).is_some() || self.guards.part(guard).is_some() {
                continue;
            }
            let towards = self.towards(index, 0.0);
            if towards != 0.0 {
                self.to.sides_mut()[side] = towards;
                self.events.guards[index].turned(towards);
                placed = true;
            }
        }
        if placed && self.settle() {
            self.from.copy_from(&self.to);
            self.stepper.start(&self.system, &self.to);
        }
    }

    /// The guards whose boundary a step has come to that is kept, with the sides that they leave, and which conditions held.
    pub(super) fn take_met(&mut self, at: &Point) -> Option<Met> {
        let due = std::mem::take(&mut self.events.due);
        if due.is_empty() || at.t() <= self.from.t() {
            return None;
        }
        let side = |index: usize| self.events.guards[index].on(self.to.sides());
        let due = due.into_iter().map(|index| (index, side(index))).collect();
        Some(Met { due, conditions: self.events.jumps.conditions() })
    }

    /// Lets them be met still after guards have been held anew.
    pub(super) fn give_met(&mut self, met: Option<Met>) {
        let Some(Met { due, conditions }) = met else { return };
        self.events.due.clear();
        for (index, side) in due {
            self.to.sides_mut()[self.events.guards[index].side] = side;
            self.events.due.push(index);
        }
        self.events.jumps.set_conditions(&conditions);
    }

    /// Where an attempted step met what is no number: frees the guards that the motion crosses within it if it
    /// goes on as it is, since their side may have no continuation; whether there are any.
    pub(super) fn free_those_passed(&mut self, span: StepSpan) -> bool {
        if self.events.guards.is_empty() {
            return false;
        }
        let mut any = false;
        for part in [1.0, 0.5, 0.25, 0.125] {
            self.go_on(part * span.h);
            let values = self.guards.values(&self.within);
            let sides = self.from.sides();
            let passed = |held: &Held| !held.stated && values[held.guard] * held.on(sides) < 0.0;
            let guards = self.events.guards.iter().enumerate();
            let beyond: Vec<usize> =
                guards.filter(|(_, held)| passed(held)).map(|(index, _)| index).collect();
            any |= !beyond.is_empty();
            beyond.into_iter().for_each(|index| self.free(index));
        }
        any
    }

    /// Lets the operands of a guard decide from the beginning of the step on.
    pub(super) fn free(&mut self, index: usize) {
        let held = &mut self.events.guards[index];
        self.from.sides_mut()[held.side] = 0.0;
        (held.fresh, held.steady, held.sign) = (false, 0, 0);
        held.patience = (2 * held.patience).min(STEADIEST);
        let guard = held.guard;
        self.add_free(self.from.t(), &[guard]);
    }

    /// Makes the sides due that guards leave where a comparison with time changes, since what they compare
    /// jumps there; whether there are any.
    pub(super) fn jumped(&mut self, after: &Point) -> bool {
        if self.events.guards.is_empty() {
            return false;
        }
        let values = self.guards.values(after);
        let sides = self.to.sides();
        let jumped = |held: &Held| held.of(values) * held.on(sides) < 0.0;
        let guards = self.events.guards.iter().enumerate();
        let due = guards.filter(|(_, held)| jumped(held)).map(|(index, _)| index);
        self.events.due.extend(due);
        !self.events.due.is_empty()
    }

    /// Changes the sides that are due, at the point reached, and begins anew from there; `crossed` says that the
    /// motion has come to their boundary, rather than that what they compare has jumped.
    pub(super) fn turn(&mut self, crossed: bool) {
        let mut due = std::mem::take(&mut self.events.due);
        // A guard along whose zero the motion slides has no side to change.
        due.retain(|&index| self.events.guards[index].on(self.to.sides()) != 0.0);
        // Nor has one that constraints bring to rest: friction there is as it was while it moved.
        due.retain(|&index| !self.comes_to_rest_tied(index));
        if due.is_empty() && !self.leaves() && (crossed || !self.is_held()) {
            return;
        }
        let turned = self.come_to_planes(&mut due);
        self.join_surfaces(&mut due);
        let first = due.first().filter(|_| crossed).map(|&first| self.events.guards[first].guard);
        let t = self.to.t();
        self.events.known = None;
        self.note_stated(&due, crossed);
        // Reactions jump where forces do.
        self.events.jumps.look |= self.guards.senses();
        let before = self.to.clone();
        for &index in &due {
            let held = &mut self.events.guards[index];
            if held.silent {
                continue;
            }
            let side = &mut self.to.sides_mut()[held.side];
            *side = -*side;
            (held.fresh, held.last) = (true, *side);
        }
        if crossed && !due.is_empty() {
            let mut beyond = before.clone();
            beyond.sides_mut().copy_from_slice(self.to.sides());
            self.account_for_jumps(&before, &beyond, false);
        }
        let decided = self.decide_surfaces(&due, crossed);
        due.retain(|&index| !self.events.guards[index].silent);
        if decided {
            // What was decided about is told.
            let values = self.guards.values(&self.to).to_vec();
            due.retain(|&index| !self.may_hold(&self.events.guards[index], crossed, &values));
        }
        // What has no effect at this point changes its side and nothing else.
        let mut effective = decided || turned;
        let mut told = Vec::new();
        for &index in &due {
            let Held { guard, side, stated, .. } = self.events.guards[index];
            if stated {
                continue;
            }
            let surface = self.guards.surface(guard).map(|(surface, _)| surface);
            if surface.is_some_and(|surface| told.contains(&surface)) {
                continue;
            }
            told.extend(surface);
            let direction = if self.to.sides()[side] > 0.0 { 1 } else { -1 };
            effective |= self.list_event(t, guard, EventKind::Switch, direction);
        }
        if !effective {
            return;
        }
        let too_often = self.turns_too_often(t);
        // A side from which the motion leads back at once cannot be held, nor one without a value here.
        let settled = due.is_empty() || self.settle();
        // What has jumped beyond a boundary may go back to it.
        let leads = match crossed {
            true => self.guards.rates(&self.to),
            false => self.guards.values(&self.to),
        };
        let back = |held: &Held| !(leads[held.guard] * self.to.sides()[held.side] > 0.0);
        let guards = &self.events.guards;
        due.retain(|&index| !guards[index].stated);
        due.retain(|&index| too_often || !settled || back(&guards[index]));
        for &index in &due {
            let held = &mut self.events.guards[index];
            self.to.sides_mut()[held.side] = 0.0;
            (held.fresh, held.steady, held.sign) = (false, 0, 0);
            held.patience = (2 * held.patience).min(STEADIEST);
        }
        if !due.is_empty() {
            self.settle();
            let freed = due.iter().map(|&index| self.events.guards[index].guard);
            self.add_free(t, &freed.collect::<Vec<_>>());
        }
        if let Ok(companion) = &mut self.companion {
            companion.turn(&self.system, [&before, &self.to], first, &mut self.guards);
        }
        self.begin_anew();
        let begins = self.step_after_leaving();
        if self.step.is_adaptive() {
            self.h = self.h.min(begins);
            let least = super::SMALLEST * self.to.t().abs().max(self.span);
            self.h = self.h.min(self.step_after_event()).max(least);
        } else {
            self.grow_from(0.5 * begins);
        }
    }

    /// Takes notice of one more decision at an instant; whether there were more than can come to an end.
    pub(super) fn turns_too_often(&mut self, t: f64) -> bool {
        let turns = &mut self.events.turns;
        *turns = if turns.0 == t { (t, turns.1 + 1) } else { (t, 1) };
        turns.1 > TURNS
    }

    /// Lists what happens at the boundary of a guard; whether anything depends on it at the point reached.
    pub(super) fn list_event(
        &mut self,
        t: f64,
        guard: usize,
        kind: EventKind,
        direction: i8,
    ) -> bool {
        let side = if kind == EventKind::Stick { 0 } else { direction };
        let described = self.guards.describe(&self.system, guard, &self.to, side);
        let Some([name, condition]) = described else { return false };
        self.events.list.push(Event { t, kind, name, condition, direction, ..Event::default() });
        true
    }

    /// Decides again where the motion goes from the surface of a guard that leaves its side as soon as a step
    /// begins; false where it is on none, or nothing else was found.
    pub(super) fn decide_again(&mut self, index: usize) -> bool {
        let t = self.from.t();
        if self.turns_too_often(t) || self.guards.surface(self.events.guards[index].guard).is_none()
        {
            return false;
        }
        self.to.copy_from(&self.from);
        let listed = self.events.list.len();
        let mut due = vec![index];
        self.join_surfaces(&mut due);
        for &index in &due {
            let held = &mut self.events.guards[index];
            let side = &mut self.to.sides_mut()[held.side];
            *side = -*side;
            (held.fresh, held.last) = (true, *side);
        }
        if !self.decide_surfaces(&due, true) {
            return false;
        }
        if self.to.sides() == self.from.sides() {
            // The same again: speeds of the method are known no better than where the motion goes.
            self.events.list.truncate(listed);
            return false;
        }
        if self.companion.is_ok() {
            self.companion = Err(Unestimated::Slides { t });
        }
        self.begin_anew();
        self.from.copy_from(&self.to);
        true
    }

    /// Adds the guards of the surfaces that are due already.
    fn join_surfaces(&self, due: &mut Vec<usize>) {
        let surface = |index: usize| self.guards.surface(self.events.guards[index].guard);
        let surfaces: Vec<usize> = due.iter().filter_map(|&i| Some(surface(i)?.0)).collect();
        if surfaces.is_empty() {
            return;
        }
        for index in 0..self.events.guards.len() {
            let joins = surface(index).is_some_and(|(of, _)| surfaces.contains(&of));
            let on = self.events.guards[index].on(self.to.sides()) != 0.0;
            if joins && on && !due.contains(&index) {
                due.push(index);
            }
        }
    }

    /// Begins the method anew at the point reached, where forces have jumped.
    pub(super) fn begin_anew(&mut self) {
        self.events.known = None;
        if self.hopped.1 == MOST {
            self.hopped.1 = 0;
        }
        self.stepper.start_after_event(&self.system, &self.to);
        self.observe();
        self.ledger.turn(self.to.t(), &self.pieces);
    }

    /// A step from the point reached that resolves what the motion meets there: a part of the shortest time
    /// scale of the accelerations along the motion, 1/ω with ω² = |Δa|/|Δq| and ω = |Δa|/|Δv|, and
    /// likewise of the states. Error estimates of stiff methods are blind beyond it.
    pub(super) fn step_after_event(&self) -> f64 {
        let first = self.first_step();
        if self.stepper.order() < 2 {
            return first;
        }
        let h = AHEAD * first;
        // By the motion, not by time: what that alone changes says nothing of how stiff the motion is.
        let (now, mut ahead) = (&self.to, self.to.clone());
        for (kind, rate) in
            [(SlotKind::Q, SlotKind::V), (SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)]
        {
            let rates = now.get(rate);
            ahead.get_mut(kind).iter_mut().zip(rates).for_each(|(y, rate)| *y += h * rate);
        }
        if !matches!(reconcile(&self.system, &mut ahead), Ok(true)) {
            return first;
        }
        let (of_q, of_x) = (self.scales.q().weights(), self.scales.x().weights());
        // What a motion that has come to rest changes by is rounding, and no time scale.
        let rate = self.scales.rate();
        let change = |kind: SlotKind, weights: &[f64]| {
            let pairs = ahead.get(kind).iter().zip(now.get(kind));
            let change: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
            let unit = match kind {
                SlotKind::V | SlotKind::Xd => rate,
                SlotKind::A => rate * rate,
                _ => 1.0,
            };
            let change = rms(&change, weights);
            if change > ROUNDING * (unit + rms(now.get(kind), weights)) { change } else { 0.0 }
        };
        let [q, v, a] = [SlotKind::Q, SlotKind::V, SlotKind::A].map(|kind| change(kind, of_q));
        let [x, xd] = [SlotKind::X, SlotKind::Xd].map(|kind| change(kind, of_x));
        let ratio = |a: f64, b: f64| if a > 0.0 && b > 0.0 { a / b } else { 0.0 };
        let fastest = ratio(a, q).sqrt().max(ratio(a, v)).max(ratio(xd, x));
        // An algorithmic acceleration is off by O(h) where a method of order 2 begins.
        let part = match self.step.accuracy() {
            Accuracy::Tolerance(eps) if self.stepper.order() < 3 => 0.1 * eps.cbrt().min(1.0),
            _ => RESOLVED,
        };
        if fastest > 0.0 { part / fastest } else { f64::INFINITY }
    }

    /// Whether the last accepted step ends where sides change.
    pub(super) fn ends_at_event(&self) -> bool {
        !self.events.due.is_empty() || self.leaves()
    }

    /// Solves for the accelerations and multipliers on the sides of the point reached; they stay where
    /// that cannot be done. Whether it could.
    pub(super) fn settle(&mut self) -> bool {
        let mut settled = self.to.clone();
        let done = matches!(reconcile(&self.system, &mut settled), Ok(true))
            && settled.flat().iter().all(|y| y.is_finite());
        if done {
            self.to.copy_from(&settled);
        }
        done
    }

    /// After an accepted step: guards that are free and have kept their sign for some time are held.
    pub(super) fn hold_again(&mut self) {
        if self.events.guards.is_empty() {
            return;
        }
        let t = self.to.t();
        for held in &mut self.events.guards {
            held.fresh = false;
            (held.values[0], held.rates[0]) = (held.values[INSTANTS.len()], held.rates[1]);
            held.largest = held.largest.max(held.values[0].abs());
        }
        self.events.known = self.events.known.and(Some(t));
        self.watch_opened();
        self.follow_planes();
        if self.events.guards.iter().any(|held| held.rests) {
            let values = self.guards.values(&self.to).to_vec();
            self.forget_tied(&values);
        }
        let sides = self.to.sides();
        if self.events.guards.iter().all(|held| sides[held.side] != 0.0) {
            return;
        }
        let values = self.guards.values(&self.to);
        let (mut begun, mut changed) = (Vec::new(), Vec::new());
        for held in &mut self.events.guards {
            if held.stated || self.to.sides()[held.side] != 0.0 {
                continue;
            }
            // At rest by rows it is rounding, which has no side and changes nothing.
            if values[held.guard].abs() <= STILL * held.largest {
                held.steady = 0;
                continue;
            }
            let now = sign(values[held.guard]);
            if now != held.sign || now.abs() != 1 {
                if held.changes == 0 {
                    held.first = t;
                }
                held.changes += usize::from(held.sign != 0);
                changed.extend((held.sign != 0).then_some(held.guard));
                (held.sign, held.steady, held.since) = (now, 0, t);
            }
            held.steady += 1;
            if held.steady >= held.patience {
                self.to.sides_mut()[held.side] = f64::from(now);
                if held.last * f64::from(now) < 0.0 {
                    begun.push((held.guard, held.since, now));
                }
                held.last = f64::from(now);
            }
        }
        self.add_free(t, &changed);
        for (guard, t, now) in begun {
            self.list_event(t, guard, EventKind::Switch, now);
        }
    }
}

impl Held {
    /// σ among those of a point, with what is added to it.
    pub(super) fn of(&self, values: &[f64]) -> f64 {
        self.along(values) + self.offset
    }

    /// σ or σ̇ among those of a point.
    pub(super) fn along(&self, values: &[f64]) -> f64 {
        match self.quadrant {
            Some([x, y]) => x * values[self.guard - 2] + y * values[self.guard - 1],
            None => values[self.guard],
        }
    }

    /// Takes notice of a side that has changed where a step begins.
    pub(super) fn turned(&mut self, side: f64) {
        (self.fresh, self.last) = (true, side);
    }

    /// The side on which it is held among those of a point; 0 where the operands decide, or the motion
    /// slides along its zero.
    pub(super) fn on(&self, sides: &[f64]) -> f64 {
        let side = sides[self.side];
        if side == SLIDES || self.rests || self.silent { 0.0 } else { side }
    }
}
