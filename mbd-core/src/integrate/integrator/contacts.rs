//! Contacts: what an impact leaves closed is held by a row, until its force would pull.
//!
//! Each impact by a law of restitution has a holonomic row −s = 0 of its gap s, whose multiplier λ is the force that
//! pushes the gap open ([`ad`](crate::ad)). An impact that leaves no rate of the gap, or one of those that
//! follow each other ever sooner, may leave it closed. Which of the contacts that touch stay closed and which open is
//! decided together with surfaces ([`sliding`](super::sliding)): with the accelerations s̈ of the gaps that open and the
//! forces λ of those that stay, 0 ≤ s̈ ⊥ λ ≥ 0. This linear complementarity problem is solved by principal
//! pivots, each of which is a solution of the equations of motion, forces that depend on λ included; a few contacts
//! take as many pivots. A blow lets go of all contacts, which then take part in the impact as those that meet it
//! ([`impulse`](crate::start)).
//!
//! While a contact is closed its force is looked at along each step; where it falls to 0 the step ends and the
//! contact opens. The comparisons of its event keep their sides meanwhile.

use super::Integrator;
use super::carried::{BEYOND, Held, Kept, Mode, Rested, Touched};
use super::sliding::AT_REST;
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::error::StepError;
use crate::integrate::scheme::Accuracy;
use crate::model::{Contact, Switch, Switched};
use crate::solution::{Event, EventKind};
use crate::start::{analyse_rank, assembled, reconcile};
use crate::statement::{Action, Settable, Stated};
use std::collections::HashMap;

/// A guard of a closed contact is at its boundary where it is this near, relative to what it was before.
const STILL: f64 = 1e-9;

/// Part of the tolerance, and of a guard's size at most, by which a contact that has just opened may seem closed, and a
/// surface that has just been left crossed.
const SLACK: f64 = 1e-3;

/// Times that a gap may be off where its contact opens.
const MOST: f64 = 10.0;

/// And of what it is off by, what it may be off more the next time.
const SAME: f64 = 1e-6;

/// Height of a rebound, relative to the size of the gap, that is none; and in units of rounding of what the gap is
/// made of.
const HEIGHT: f64 = 1e-13;
const RESOLVED: f64 = 256.0;

/// Violation of a constraint by positions, relative to its size, that is more than rounding.
const OFF: f64 = 16.0 * f64::EPSILON;

/// What is told where nothing agrees.
const CONTRADICTION: &str = "brings bodies together of which no contacts could be found that hold them by forces \
                             which push: the contacts contradict each other, or friction in them does. Where friction acts \
                             while they touch and not in their impacts, state it in both: \
                             `unilateral name: [gap, slide], restitution(e).friction(mu)`";

/// The system with the rows that hold while a condition on discrete values does, as these are at a point; `None` where
/// it has them.
pub(super) fn switched(system: &System, at: &Point) -> Option<System> {
    let mut holds = system.holds().to_vec();
    let switches = system.model().switches();
    let by_modes = system.model().held_by_modes(at);
    for ((holds, switch), now) in holds.iter_mut().zip(switches).zip(by_modes) {
        if let Switched::Modes { .. } = switch.by {
            *holds = now;
        }
    }
    if holds == system.holds() {
        return None;
    }
    let mut system = system.clone();
    system.set_holds(&holds);
    if let Ok(rank) = analyse_rank(&system, at) {
        rank.declare(&mut system);
    }
    Some(system)
}

fn touches(contact: usize) -> Touched {
    Touched::new(Kept::Contact(contact), 1.0)
}

impl Integrator<'_> {
    /// The contact of a row that comes and goes, if it is one.
    pub(super) fn contact(&self, switch: usize) -> Option<Contact> {
        match self.system.model().switches().get(switch)?.by {
            Switched::Contact(contact) => Some(contact),
            Switched::Modes { .. } => None,
        }
    }

    /// The contact of an instance of an event, if it has one.
    pub(super) fn contact_of(&self, group: usize, instance: usize) -> Option<usize> {
        let switches = self.system.model().switches();
        switches.iter().position(|switch| {
            matches!(switch.by, Switched::Contact(c) if (c.group, c.instance) == (group, instance))
        })
    }

    /// The row of a contact among the multipliers λ.
    pub(super) fn gap_row(&self, contact: usize) -> usize {
        self.system.model().switches()[contact].rows.start
    }

    /// The `unilateral` contacts that are open and yet touch at rest, as of bodies that fall together and do not press on each
    /// other: a blow on one is one on both.
    pub(super) fn touching_contacts(&self) -> Vec<usize> {
        if self.sliding.closed.iter().all(|closed| *closed) {
            return Vec::new();
        }
        let gaps = self.gaps(&self.to).into_iter().enumerate();
        let touch = gaps.filter(|&(contact, [gap, rate, _])| {
            let size = self.scales.holonomic()[self.gap_row(contact)];
            let is = self.contact(contact).is_some_and(|of| of.unilateral);
            let rests = rate.abs() <= AT_REST * size * self.scales.rate();
            is && !self.sliding.closed[contact] && gap.abs() <= self.late() * size && rests
        });
        touch.map(|(contact, _)| contact).collect()
    }

    /// The contacts that forces have opened where they were, and have not led away yet: what has closed since may press them
    /// together again.
    fn just_left(&self) -> Vec<usize> {
        let contacts = 0..self.sliding.closed.len();
        let open = contacts.filter(|&contact| {
            let guards = self.guards_of(contact).iter();
            !self.sliding.closed[contact]
                && guards.into_iter().any(|&index| self.events.guards[index].offset != 0.0)
        });
        let open: Vec<usize> = open.collect();
        if open.is_empty() {
            return open;
        }
        let gaps = self.gaps(&self.to);
        let there = |&contact: &usize| {
            gaps[contact][0].abs() <= AT_REST * self.scales.holonomic()[self.gap_row(contact)]
        };
        open.into_iter().filter(there).collect()
    }

    /// The contacts that are closed.
    pub(super) fn closed_contacts(&self) -> Vec<usize> {
        let closed = self.sliding.closed.iter().enumerate();
        closed.filter(|(_, closed)| **closed).map(|(contact, _)| contact).collect()
    }

    /// Whether a surface or a contact holds the motion.
    pub(super) fn is_held(&self) -> bool {
        self.is_sliding() || self.sliding.closed.contains(&true)
    }

    /// The gap, its rate and its second rate at a point, of each row that comes and goes.
    pub(super) fn gaps(&self, at: &Point) -> Vec<[f64; 3]> {
        let mut out = Residual::new(&self.system.dims());
        let want = Want::G | Want::GDOT | Want::GAMMA | Want::GU;
        self.system.eval_all(at, &Weights::of(at), want, &mut out);
        let switches = self.system.model().switches().iter();
        let rows = switches.map(|switch| switch.rows.start);
        rows.map(|r| [-out.g[r], -out.gdot[r], -(out.gu[r] + out.gamma[r])]).collect()
    }

    /// Where what rebounds from a contact with no more than the speed of its impact comes back from a height that is
    /// as good as none, the rate that it does so with at most; else 0. The gap closes with the second rate `falls`.
    pub(super) fn hardly_rebounds(&self, contact: usize, falls: f64) -> f64 {
        let [gap, rate, _] = self.gaps(&self.to)[contact];
        let Some(of) = self.contact(contact) else { return 0.0 };
        let Some((event, along, _)) = of.impact(&self.system.model().groups) else { return 0.0 };
        let directions = event.directions(along, of.instance, self.to.flat());
        let terms = directions.first().into_iter().flat_map(|gap| &gap.gradient);
        let terms: f64 = terms.map(|&(i, slope)| (slope * self.to.q()[i]).abs()).sum();
        let size = self.scales.holonomic()[self.gap_row(contact)];
        // What does not come out of where the step has gone beyond the gap does not rebound.
        let least = (HEIGHT * size).max(RESOLVED * f64::EPSILON * terms).max(-gap);
        let most = (2.0 * falls * least).sqrt();
        if rate.abs() <= most { most } else { 0.0 }
    }

    /// Finds which guards belong to the event of which contact.
    pub(super) fn assign_guards(&mut self) {
        let name = |(event, instance): (&Stated, usize)| (std::ptr::from_ref(event), instance);
        let groups = &self.system.model().groups;
        let contact_name =
            |contact: Contact| Some(name((contact.impact(groups)?.0, contact.instance)));
        let switches = 0..self.system.model().switches().len();
        let names: Vec<_> = switches.map(|k| self.contact(k).and_then(contact_name)).collect();
        let mut guards_of = HashMap::<_, Vec<usize>>::new();
        let stated = self.events.guards.iter().enumerate().filter(|(_, held)| held.stated);
        for (index, held) in stated {
            if let Some(event) = self.guards.event_of(held.guard) {
                guards_of.entry(name(event)).or_default().push(index);
            }
        }
        let of = |event: &Option<_>| event.and_then(|event| guards_of.get(&event).cloned());
        let of_contacts: Vec<_> = names.iter().map(|event| of(event).unwrap_or_default()).collect();
        // Of several contacts of one event the first has its guards.
        for (contact, guards) in of_contacts.iter().enumerate().rev() {
            guards.iter().for_each(|&index| self.events.guards[index].contact = Some(contact));
        }
        self.events.of_contacts = of_contacts;
    }

    /// The guards of the event of a contact, by their numbers.
    pub(super) fn guards_of(&self, contact: usize) -> &[usize] {
        self.events.of_contacts.get(contact).map_or(&[], Vec::as_slice)
    }

    /// Closes a contact: the comparisons of its event that are at their boundaries keep their sides.
    fn close(&mut self, contact: usize, before: Option<&Point>) {
        self.sliding.closed[contact] = true;
        let Some(of) = self.contact(contact) else { return };
        // What comes to rest with others need not have met its gap.
        let meets = self.events.jumps.hold(of);
        let is = self.guards.values(&self.to).to_vec();
        let was = before.map(|before| self.guards.values(before).to_vec());
        let size = self.scales.holonomic()[self.gap_row(contact)];
        for index in self.guards_of(contact).to_vec() {
            let Held { guard, rates, side, .. } = self.events.guards[index];
            let was = was.as_ref().map_or(0.0, |was| was[guard].abs());
            let near = (self.nearness() * rates[0].abs()).max(AT_REST * size).max(STILL * was);
            if self.events.jumps.has_met(index) || is[guard].abs() <= near {
                self.events.guards[index].rests = true;
                if meets {
                    self.to.sides_mut()[side] = self.closed_side(of, side);
                }
                let side = self.to.sides()[side];
                self.events.guards[index].turned(side);
            }
        }
    }

    /// What a guard of this size may come back by when the motion has just left its boundary, and is there all the same.
    pub(super) fn slack(&self, size: f64) -> f64 {
        match self.step.accuracy() {
            Accuracy::Tolerance(eps) => size * (SLACK * eps.min(SLACK)).max(HEIGHT),
            Accuracy::RoundOff => size * AT_REST,
        }
    }

    /// Opens a contact: the comparisons of its event go to the sides on which it does not hold.
    pub(super) fn open(&mut self, contact: usize) {
        self.sliding.closed[contact] = false;
        let Some(of) = self.contact(contact) else { return };
        let size = self.scales.holonomic()[self.gap_row(contact)];
        // Where a blow has opened it, its rate leads away.
        let moves = self.gaps(&self.to)[contact][1] > AT_REST * size * self.scales.rate();
        let slack = if moves { 0.0 } else { self.slack(size) };
        let values = self.guards.values(&self.to).to_vec();
        for index in self.guards_of(contact).to_vec() {
            // Of a contact that has met and stays open all the same, too.
            let met = self.events.jumps.has_met(index);
            let held = &mut self.events.guards[index];
            if std::mem::take(&mut held.rests) || met {
                let side = &mut self.to.sides_mut()[held.side];
                *side = -*side;
                held.turned(*side);
                let off = values[held.guard].abs();
                let below = (-values[held.guard] * *side).max(0.0);
                // Where the gap has been met below zero as before, it goes on to be met there.
                let again = met && (values[held.guard] + held.offset) * *side >= -SAME * off;
                held.offset = match off <= MOST * slack {
                    true => (slack + off) * *side,
                    false if again && held.offset * *side > 0.0 => {
                        held.offset.abs().max(below) * *side
                    }
                    // Forces open it from where it has been met.
                    false if !moves => (slack + below) * *side,
                    false => 0.0,
                };
                // What forces have decided no rate is asked, which is rounding.
                if !moves {
                    self.events.jumps.forget_met(index);
                }
            }
        }
        self.events.jumps.forget_held(of);
    }

    /// Puts rows into the equations, and takes them out, that hold while a condition on discrete values does, after these
    /// have changed; the velocities have jumped already. Whether there are any.
    ///
    /// # Errors
    /// [`StepError::Latch`] where the position is not that of a row that holds from now on.
    pub(super) fn switch_rows(&mut self) -> Result<bool, StepError> {
        let Some(system) = switched(&self.system, &self.to) else { return Ok(false) };
        let mut out = Residual::new(&self.system.dims());
        system.eval_all(&self.to, &Weights::of(&self.to), Want::G, &mut out);
        let allowed = match self.step.accuracy() {
            Accuracy::Tolerance(eps) => eps.max(AT_REST),
            Accuracy::RoundOff => AT_REST,
        };
        let now = system.holds().iter().zip(self.system.holds()).zip(system.model().switches());
        for (_, switch) in now.filter(|((now, was), _)| **now && !**was) {
            for row in switch.rows.clone() {
                let off = out.g[row].abs();
                // Written so that NaN counts.
                if !(off <= allowed * self.scales.holonomic()[row]) {
                    let name = system.model().switch_name(switch);
                    return Err(StepError::Latch { t: self.to.t(), name, off });
                }
            }
        }
        let changed = system.holds().iter().zip(self.system.holds()).zip(system.model().switches());
        let changed: Vec<(String, bool)> = changed
            .filter(|((now, was), switch)| {
                now != was && matches!(switch.by, Switched::Modes { .. })
            })
            .map(|((now, _), switch)| (system.model().switch_name(switch), *now))
            .collect();
        let mut at = self.to.clone();
        if assembled(&system, &mut at) && matches!(reconcile(&system, &mut at), Ok(true)) {
            self.go_on_with(system, &at);
        } else {
            let at = self.to.clone();
            self.go_on_with(system, &at);
        }
        for (name, closes) in changed {
            self.tell_closed(self.to.t(), name, closes);
        }
        Ok(true)
    }

    /// Looks whether rows that hold before and after discrete values have changed, by the events `due`, are met as before.
    ///
    /// # Errors
    /// [`StepError::Moved`].
    pub(super) fn keeps_rows(&self, before: &Point, due: &[usize]) -> Result<(), StepError> {
        let model = self.system.model();
        let by_modes = |switch: &Switch| matches!(switch.by, Switched::Modes { .. });
        if before.modes() == self.to.modes() || !model.switches().iter().any(by_modes) {
            return Ok(());
        }
        let mut was = self.to.clone();
        was.modes_mut().copy_from_slice(before.modes());
        let [was, is] = [&was, &self.to].map(|at| {
            let mut out = Residual::new(&self.system.dims());
            self.system.eval_all(at, &Weights::of(at), Want::G | Want::GDOT, &mut out);
            out
        });
        let rate = self.scales.rate();
        let on = self.system.holds().iter().zip(model.held_by_modes(&self.to));
        for (_, switch) in on.zip(model.switches()).filter(|((was, is), _)| **was && *is) {
            for row in switch.rows.clone() {
                let size = AT_REST * self.scales.holonomic()[row];
                let by = [was.g[row] - is.g[row], (was.gdot[row] - is.gdot[row]) / rate];
                // Written so that NaN counts.
                if by.iter().any(|by| !(by.abs() <= size)) {
                    let sets = |action: &Action| {
                        matches!(action, Action::Set { what: Settable::Mode, .. })
                    };
                    let set = due.iter().filter(|&&of| {
                        let stated = self.events.jumps.list[of].stated(&self.system);
                        stated.is_some_and(|stated| stated.actions.iter().any(sets))
                    });
                    let names: Vec<String> = set.map(|&of| self.name_of(of)).collect();
                    let (name, event) = (model.switch_name(switch), names.join("`, `"));
                    return Err(StepError::Moved { t: self.to.t(), name, event });
                }
            }
        }
        Ok(())
    }

    /// After a blow: surfaces and contacts hold the motion again as far as they do, those too whose impacts it was
    /// (`hit`, each with the time at which it is said to close), in an event of this name. `torn`: a constraint prescribes
    /// another rate, from which a gap may open though nothing strikes.
    ///
    /// # Errors
    /// Where no set of contacts can stay closed, or the method has no means to hold them.
    pub(super) fn hold_again_after_blow(
        &mut self,
        held: &Rested,
        hit: &[(usize, f64)],
        (before, torn): (&Point, bool),
        name: &str,
    ) -> Result<(), StepError> {
        let listed = self.hold_after_blow(held, hit, (before, torn), name);
        self.tell_torn(&held.surfaces);
        listed
    }

    /// The same, without what is left.
    fn hold_after_blow(
        &mut self,
        held: &Rested,
        hit: &[(usize, f64)],
        (before, torn): (&Point, bool),
        name: &str,
    ) -> Result<(), StepError> {
        let t = self.to.t();
        if self.to.v() != before.v() {
            self.hold_free_surfaces();
        }
        let mut touched = self.resting_surfaces(&held.surfaces);
        if !hit.is_empty() || !held.contacts.is_empty() {
            let struck = torn || !hit.is_empty() || self.to.v() != before.v();
            let rates = self.gaps(before);
            let mut contacts = held.contacts.clone();
            let hit = hit.iter().map(|(contact, _)| contact);
            contacts.extend(hit.filter(|hit| !held.contacts.contains(hit)));
            let mut left = if struck { self.just_left() } else { Vec::new() };
            left.retain(|left| !contacts.contains(left));
            contacts.extend(left.iter().copied());
            let contacts: Vec<(usize, f64)> =
                contacts.into_iter().map(|contact| (contact, rates[contact][1])).collect();
            // What has not been struck touches as before, though a method may leave it a small rate.
            let mut touching = match struck {
                true => self.touching(&contacts),
                false => contacts.iter().map(|&(contact, _)| touches(contact)).collect(),
            };
            for &contact in &held.contacts {
                if touching.iter().all(|t| t.kept != Kept::Contact(contact)) {
                    self.open(contact);
                    self.tell_contact(contact, t, 1);
                }
            }
            // What forces have opened closes where they press it now, not where they leave it alone.
            let opened = |t: &&mut Touched| left.iter().any(|&left| t.kept == Kept::Contact(left));
            touching.iter_mut().filter(opened).for_each(|t| t.mode = Mode::Leaves(1.0));
            touched.extend(touching);
        }
        let part = self.part_at_rest(hit);
        self.add_resting(&mut touched, part, |_| Mode::Stays);
        if touched.is_empty() {
            return Ok(());
        }
        let any_contact = touched.iter().any(|t| matches!(t.kept, Kept::Contact(_)));
        match self.decide(touched) {
            Some((system, at, modes)) => {
                if self.go_on_with(system, &at) {
                    self.close_and_open_after(&modes, true, Some((before, hit)));
                    for touched in &modes {
                        if let (Kept::Surface(surface), Mode::Stays) = (touched.kept, touched.mode)
                            && !held.surfaces.contains(&surface)
                        {
                            // From the side that it was on.
                            self.tell_surface(t, surface, EventKind::Stick, -touched.otherwise);
                        }
                    }
                } else if any_contact {
                    return Err(StepError::Closed { t, name: name.into() });
                }
                Ok(())
            }
            None if any_contact => {
                Err(StepError::Event { t, name: name.into(), why: CONTRADICTION })
            }
            None => Ok(()),
        }
    }

    /// The same where nothing has struck: what was closed still touches, and opens where its force would pull.
    pub(super) fn hold_what_rested(&mut self, held: &Rested) {
        let mut touched = self.resting_surfaces(&held.surfaces);
        touched.extend(held.contacts.iter().map(|&contact| touches(contact)));
        if touched.is_empty() {
            return;
        }
        if let Some((system, at, modes)) = self.decide(touched)
            && self.go_on_with(system, &at)
        {
            self.close_and_open(&modes, true);
        } else {
            self.open_all(&held.contacts);
        }
        self.tell_torn(&held.surfaces);
    }

    /// Contacts that have opened by more than errors are watched as all are.
    pub(super) fn watch_opened(&mut self) {
        if self.events.guards.iter().all(|held| held.offset == 0.0) {
            return;
        }
        let values = self.guards.values(&self.to).to_vec();
        for held in self.events.guards.iter_mut().filter(|held| held.offset != 0.0) {
            if values[held.guard] * held.offset.signum() > held.offset.abs() {
                held.offset = 0.0;
            }
        }
        self.events.forget_known();
    }

    /// Whether positions violate the constraints by more than rounding, as methods of index 3 leave them.
    pub(super) fn is_off_constraints(&self) -> bool {
        let mut out = Residual::new(&self.system.dims());
        self.system.eval_all(&self.to, &Weights::of(&self.to), Want::G, &mut out);
        let mut rows = out.g.iter().zip(self.scales.holonomic()).enumerate();
        let inactive: Vec<usize> = self.system.inactive_rows(SlotKind::Lambda).collect();
        rows.any(|(row, (g, size))| g.abs() > OFF * size && !inactive.contains(&row))
    }

    /// Moves the motion onto the constraints before contacts open, or friction holds it: methods that hold positions alone
    /// leave rates that would close contacts at once, and positions that are off.
    pub(super) fn settle_contacts(&mut self) {
        let mut at = self.to.clone();
        if assembled(&self.system, &mut at) && matches!(reconcile(&self.system, &mut at), Ok(true))
        {
            let was = self.guards.values(&self.to).to_vec();
            self.to.copy_from(&at);
            self.keep_sides(&was);
        }
    }

    /// Conditions that have been met are not met once more because the motion is moved onto the constraints, from where
    /// guards had these values.
    fn keep_sides(&mut self, was: &[f64]) {
        let is = self.guards.values(&self.to).to_vec();
        for held in self.events.guards.iter_mut().filter(|held| held.stated && held.fresh) {
            let side = held.on(self.to.sides());
            let beyond = |value: f64| (value + held.offset) * side < 0.0;
            if held.contact.is_none() && beyond(is[held.guard]) && !beyond(was[held.guard]) {
                held.offset = -(1.0 + BEYOND) * is[held.guard];
            }
        }
    }

    /// Lets the motion leave what it leaves where an attempted step begins; whether anything was left.
    pub(super) fn leaves_at_once(&mut self) -> bool {
        let from = self.from.clone();
        self.to.copy_from(&from);
        if self.turns_too_often(from.t()) {
            return false;
        }
        self.leave_beyond(&from);
        if !self.leaves() || !self.decide_surfaces(&[], true) {
            return false;
        }
        self.begin_anew();
        self.from.copy_from(&self.to);
        true
    }

    /// Opens contacts, and lists it.
    pub(super) fn open_all(&mut self, contacts: &[usize]) {
        for &contact in contacts {
            self.open(contact);
            self.tell_contact(contact, self.to.t(), 1);
        }
    }

    /// Takes over which contacts close and open; `tell`: they are listed among the events.
    pub(super) fn close_and_open(&mut self, modes: &[Touched], tell: bool) {
        self.close_and_open_after(modes, tell, None);
    }

    /// The same after impacts, from the point before, with the times at which these contacts are said to close.
    pub(super) fn close_and_open_after(
        &mut self,
        modes: &[Touched],
        tell: bool,
        after: Option<(&Point, &[(usize, f64)])>,
    ) {
        let mut any = false;
        for &Touched { kept, mode, .. } in modes {
            let Kept::Contact(contact) = kept else { continue };
            any = true;
            let (was, closes) = (self.sliding.closed[contact], mode == Mode::Stays);
            match closes {
                true if !was => self.close(contact, after.map(|(before, _)| before)),
                false => self.open(contact),
                true => {}
            }
            if tell && was != closes {
                let of = |(_, hit): (&Point, &[(usize, f64)])| {
                    hit.iter().find(|(hit, _)| *hit == contact).map(|&(_, t)| t)
                };
                let t = after.and_then(of).filter(|_| closes).unwrap_or(self.to.t());
                self.tell_contact(contact, t, if closes { -1 } else { 1 });
            }
        }
        if any {
            self.note_shared();
        }
    }

    /// The first of these contacts, all open now, whose gap would close at once.
    pub(super) fn sinks(&self, contacts: &[usize]) -> Option<usize> {
        let gaps = self.gaps(&self.to);
        let sinks = |&&contact: &&usize| {
            let least = AT_REST * self.size_of_rate(Kept::Contact(contact));
            gaps[contact][2] < -least
        };
        contacts.iter().find(sinks).copied()
    }

    /// Refuses to go on where contacts have been found to contradict each other.
    ///
    /// # Errors
    /// [`StepError::Event`], by the name of the first.
    pub(super) fn agrees(&mut self) -> Result<(), StepError> {
        let Some(contact) = self.sliding.contradiction.take() else { return Ok(()) };
        let of = self.contact(contact).and_then(|of| {
            let (event, ..) = of.impact(&self.system.model().groups)?;
            Some(event.instance_name(of.instance))
        });
        Err(StepError::Event { t: self.to.t(), name: of.unwrap_or_default(), why: CONTRADICTION })
    }

    /// Lists that a contact closes (−1) or opens (1).
    fn tell_contact(&mut self, contact: usize, t: f64, direction: i8) {
        let Some(of) = self.contact(contact) else { return };
        let Some((event, ..)) = of.impact(&self.system.model().groups) else { return };
        self.tell_closed(t, event.instance_name(of.instance), direction < 0);
    }

    /// Lists that what has this name closes or opens.
    fn tell_closed(&mut self, t: f64, name: String, closes: bool) {
        let (kind, condition, direction) = match closes {
            true => (EventKind::Close, "closes", -1),
            false => (EventKind::Open, "opens", 1),
        };
        let condition = condition.to_owned();
        let event = Event { t, kind, name, condition, direction, ..Event::default() };
        self.events.list.push(event);
    }

    /// The contacts with which a motion may begin closed, of those that hold from the start (`unilateral`) and those
    /// that were closed. Where one begins closed its comparison is held on that side; where the gap closes at once,
    /// that is due.
    pub(super) fn begin_on_contacts(&mut self) -> Vec<usize> {
        let len = self.system.model().switches().len();
        let was = std::mem::replace(&mut self.sliding.closed, vec![false; len]);
        if len == 0 {
            return Vec::new();
        }
        let gaps = self.gaps(&self.to);
        let mut begin = Vec::new();
        for (switch, [gap, rate, _]) in gaps.into_iter().enumerate() {
            let Some(contact) = self.contact(switch) else { continue };
            let size = self.scales.holonomic()[self.gap_row(switch)];
            let was = was.get(switch).copied().unwrap_or(false);
            // What is below zero by rounding must not go on to fall.
            let touches = gap <= AT_REST * size && (contact.unilateral || gap >= -AT_REST * size);
            if !(contact.unilateral || was) || !touches {
                continue;
            }
            let rests = rate.abs() <= AT_REST * size * self.scales.rate();
            let values = self.guards.values(&self.to).to_vec();
            for index in self.guards_of(switch).to_vec() {
                let Held { guard, side, .. } = self.events.guards[index];
                if values[guard].abs() > AT_REST * size {
                    continue;
                }
                let closed = self.closed_side(contact, side);
                self.to.sides_mut()[side] = if rests { closed } else { -closed };
                self.events.guards[index].turned(self.to.sides()[side]);
                self.events.guards[index].rests = rests;
                if !rests && rate < 0.0 {
                    self.events.due.push(index);
                }
            }
            if rests {
                self.sliding.closed[switch] = true;
                begin.push(switch);
            }
        }
        begin
    }

    /// The side of a comparison on which the condition of a contact's event holds.
    pub(super) fn closed_side(&self, contact: Contact, side: usize) -> f64 {
        let mut at = self.to.clone();
        at.sides_mut()[side] = 1.0;
        let holds = contact
            .impact(&self.system.model().groups)
            .is_some_and(|(event, ..)| event.truth(contact.instance, at.flat()).0);
        if holds { 1.0 } else { -1.0 }
    }

    /// Of these contacts those whose gaps neither open nor close any more after a blow, before which their rates were
    /// these.
    pub(super) fn touching(&mut self, contacts: &[(usize, f64)]) -> Vec<Touched> {
        let gaps = self.gaps(&self.to);
        let still = |&&(contact, before): &&(usize, f64)| {
            let size = self.scales.holonomic()[self.gap_row(contact)] * self.scales.rate();
            gaps[contact][1].abs() <= AT_REST * size.max(before.abs())
        };
        let touching = contacts.iter().filter(still);
        touching.map(|&(contact, _)| touches(contact)).collect()
    }
}
