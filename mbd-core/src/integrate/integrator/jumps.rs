//! Stated events: what the model says happens where a condition becomes true.
//!
//! The comparisons of a condition are guards, held and met like those of forces ([`events`](super::events)).
//! Where one of them changes its side, where a comparison with time does, and where an event has set
//! something, the conditions are looked at: those that hold and did not before happen together. What they set
//! is computed from the values before, then everything is set at once; velocities jump by impulses through the
//! mass matrix and the constraints that hold ([`impulse`](crate::start)), and what follows from q, v, x and the
//! discrete values is solved for anew. Guards are put on the sides on which the motion goes on
//! ([`placed`](super::placed)). Events whose conditions became true by this happen next, at the same instant.

use super::Integrator;
use super::applied::{Also, Applied, Struck, apply};
use super::carried::{BEYOND, Held, Jumps, One, Rested};
use super::placed::{AHEAD, STILL};
use super::saltation::{made, of_round};
use super::sliding::AT_REST;
use crate::assembly::{Point, System};
use crate::checkpoint::State;
use crate::error::StepError;
use crate::integrate::timetable::sign;
use crate::model::Switched;
use crate::solution::{Event, EventKind, StoppedBy};
use crate::start::reconcile;
use crate::statement::{Action, Law, Settable, Stated};

/// Rounds of events at one instant, each made true by the one before; and where contacts strike each other: what flies between a
/// wall and a body that comes to it is reflected some π/2 √(m/m₀) times by each.
const ROUNDS: usize = 32;
const BLOWS: usize = 1024;

impl Jumps {
    pub(super) fn new(system: &System) -> Self {
        let stated = system.groups().enumerate().filter(|(_, group)| group.event().is_some());
        let list = stated.flat_map(|(group, statement)| {
            let one = move |instance| One {
                group,
                instance,
                held: false,
                side: 0,
                times: [f64::NEG_INFINITY; 4],
                slow: 0.0,
                falls: 0.0,
                ends_until: f64::NEG_INFINITY,
                count: 0,
                doubled: [f64::NEG_INFINITY; 4],
            };
            (0..statement.instances()).map(one)
        });
        let solves = system.groups().filter_map(|group| group.event()).any(Stated::reads_solution);
        Jumps { list: list.collect(), solves, ..Jumps::default() }
    }

    /// Lets a sample happen, by its number.
    pub(super) fn tick(&mut self, event: usize) {
        self.ticked.push(event);
        self.look = true;
    }

    /// Whether the motion is at the boundary of a guard at the instant that is looked at.
    pub(super) fn has_met(&self, guard: usize) -> bool {
        self.met.contains(&guard)
    }

    /// A guard at its boundary has been put on the side on which the motion goes on.
    pub(super) fn forget_met(&mut self, guard: usize) {
        self.met.retain(|met| *met != guard);
    }

    /// The event of a contact that closes holds; whether it did not.
    pub(super) fn hold(&mut self, contact: crate::model::Contact) -> bool {
        let of = |one: &&mut One| (one.group, one.instance) == (contact.group, contact.instance);
        self.list.iter_mut().find(of).is_some_and(|one| !std::mem::replace(&mut one.held, true))
    }

    /// Whether an event of a contact has happened at an instant.
    pub(super) fn has_struck(&self, contact: crate::model::Contact, t: f64) -> bool {
        let of = |&(event, _): &(usize, f64)| {
            let one = self.list[event];
            (one.group, one.instance) == (contact.group, contact.instance)
        };
        let now = self.blows.iter().rev().take_while(|(at, _)| *at == t);
        now.flat_map(|(_, blows)| blows).any(of)
    }

    /// The event of a contact that has opened may happen again.
    pub(super) fn forget_held(&mut self, contact: crate::model::Contact) {
        let of = |one: &&mut One| (one.group, one.instance) == (contact.group, contact.instance);
        for one in self.list.iter_mut().filter(of) {
            one.held = false;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Which conditions hold as far as is known, and on which side is what has to be met exactly.
    pub(super) fn conditions(&self) -> Vec<(bool, i8)> {
        self.list.iter().map(|one| (one.held, one.side)).collect()
    }

    pub(super) fn set_conditions(&mut self, known: &[(bool, i8)]) {
        for (one, known) in self.list.iter_mut().zip(known) {
            (one.held, one.side) = *known;
        }
    }

    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Jumps {
            list,
            solves: _,
            met,
            crossed,
            come_to: _,
            look,
            sensed,
            seeks: _,
            direction,
            stopped,
            begins: _,
            ticked: _,
            blows,
            joints: _,
        } = self;
        let mut by: Vec<StoppedBy> = stopped.take().into_iter().collect();
        state.every(&mut by, StoppedBy::default(), |state, by| by.state(state));
        *stopped = by.pop();
        state.every(sensed, 0.0, |state, side| state.number(side));
        let mut sign = f64::from(*direction);
        state.number(&mut sign);
        *direction = sign as i8;
        for One {
            group: _,
            instance: _,
            held,
            side,
            times,
            slow,
            falls,
            ends_until,
            count,
            doubled,
        } in list
        {
            state.numbers(times);
            state.numbers(doubled);
            state.number(slow);
            state.number(falls);
            state.number(ends_until);
            state.count(count);
            state.flag(held);
            let mut number = f64::from(*side);
            state.number(&mut number);
            *side = number as i8;
        }
        state.every(blows, (0.0, Vec::new()), |state, (t, blows)| {
            state.number(t);
            state.every(blows, (0, 0.0), |state, (event, rate)| {
                state.count(event);
                state.number(rate);
            });
        });
        state.counts(met);
        let mut first: Vec<usize> = crossed.iter().copied().collect();
        state.counts(&mut first);
        *crossed = first.first().copied();
        state.flag(look);
    }
}

impl One {
    pub(super) fn stated(self, system: &System) -> Option<&Stated> {
        system.group(self.group).event()
    }

    pub(super) fn is_sample(self, system: &System) -> bool {
        self.stated(system).is_some_and(Stated::is_sample)
    }

    /// Whether the condition holds, and the side of what has to be met exactly.
    fn truth(self, system: &System, at: &Point) -> (bool, i8) {
        self.stated(system).map_or((false, 0), |stated| stated.truth(self.instance, at.flat()))
    }
}

impl Integrator<'_> {
    /// The event that ended the run, if one did.
    pub fn stopped(&self) -> Option<&StoppedBy> {
        self.events.jumps.stopped.as_ref()
    }

    /// How often each sampled controller has happened, by its name.
    pub fn samples(&self) -> impl Iterator<Item = (String, usize)> {
        let list = self.events.jumps.list.iter();
        list.filter_map(|one| {
            let stated = one.stated(&self.system).filter(|stated| stated.is_sample())?;
            Some((stated.instance_name(one.instance), one.count))
        })
    }

    /// Whether the last step began after events that have changed the point which the step before had led to.
    pub fn began_after_events(&self) -> bool {
        self.events.jumps.begins
    }

    /// Takes notice of guards of stated events that change their sides, since the motion has crossed them or since
    /// what they compare has jumped.
    pub(super) fn note_stated(&mut self, due: &[usize], crossed: bool) {
        let guards = &self.events.guards;
        let jumps = &mut self.events.jumps;
        jumps.met.extend(due.iter().filter(|index| guards[**index].stated));
        jumps.look |= !jumps.met.is_empty();
        if crossed && jumps.crossed.is_none() {
            jumps.crossed = jumps.met.first().copied();
        }
    }

    /// Remembers which conditions hold.
    pub(super) fn settle_conditions(&mut self) {
        let system = &*self.system;
        for one in &mut self.events.jumps.list {
            (one.held, one.side) = one.truth(system, &self.to);
        }
        self.note_sensed();
    }

    /// Lets the events happen whose conditions have become true at the point reached; whether any did.
    pub(super) fn happen(&mut self) -> Result<bool, StepError> {
        self.events.jumps.begins = false;
        self.events.jumps.come_to.clear();
        if !std::mem::take(&mut self.events.jumps.look) {
            return Ok(false);
        }
        let first = self.events.jumps.crossed.take();
        // What the motion has come to is at its boundary, though rounding leave it on the side before.
        let come_to = first.map_or(Vec::new(), |_| self.events.jumps.met.clone());
        let all: Vec<_> = come_to.iter().map(|&index| (index, f64::INFINITY)).collect();
        self.put_right(&all);
        if !come_to.is_empty() {
            let values = self.guards.values(&self.to);
            for &index in &come_to {
                let held = &mut self.events.guards[index];
                held.met_at = values[held.guard].abs();
            }
        }
        self.events.jumps.come_to = come_to;
        let before = self.to.clone();
        let first = first.map(|index| self.events.guards[index].guard);
        let direction = std::mem::take(&mut self.events.jumps.direction);
        if self.events.jumps.solves {
            // A method's own accelerations and multipliers are those of its formulas.
            if let Some(solved) = self.solved_at_end() {
                self.to.copy_from(&solved);
            }
        }
        let looked_at = self.to.clone();
        let mut rounds: Vec<Vec<One>> = Vec::new();
        loop {
            let due = self.becoming_true();
            let due = self.but_separating(due);
            if rounds.len() >= ROUNDS && (rounds.len() >= BLOWS || !self.are_contacts(&due)) {
                return Err(self.without_end(&due));
            }
            if due.is_empty() || self.stopped().is_some() {
                self.events.jumps.met.clear();
                self.note_sensed();
                if !rounds.is_empty() && direction != 0 {
                    self.end_estimate_and_saltation();
                }
                // A sample that changes nothing is no reason to begin anew.
                let samples = rounds.iter().flatten().all(|one| one.is_sample(&self.system));
                if !samples || self.to.flat() != looked_at.flat() {
                    self.go_on_anew(&before, first, &rounds);
                } else {
                    self.to.copy_from(&before);
                }
                return Ok(!rounds.is_empty());
            }
            self.let_happen(&due)?;
            rounds.push(due.iter().map(|&index| self.events.jumps.list[index]).collect());
        }
    }

    /// These events, without the impacts of contacts that open: what has closed beside one has moved it below 0 by as much as
    /// it has closed at, and that is no impact. It goes on from where it is.
    fn but_separating(&mut self, mut due: Vec<usize>) -> Vec<usize> {
        if !due.iter().any(|index| self.are_contacts(&[*index])) {
            return due;
        }
        let gaps = self.gaps(&self.to);
        let values = self.guards.values(&self.to).to_vec();
        due.retain(|&index| {
            let one = self.events.jumps.list[index];
            let Some(contact) = self.contact_of(one.group, one.instance) else { return true };
            let Some(of) = self.contact(contact) else { return true };
            let size = self.scales.holonomic()[self.gap_row(contact)];
            let [_, rate, _] = gaps[contact];
            let below = |&guard: &usize| {
                let Held { guard, side, .. } = self.events.guards[guard];
                let off = values[guard] * self.closed_side(of, side);
                off > 0.0 && off <= AT_REST * size
            };
            let below: Vec<usize> = self.guards_of(contact).iter().copied().filter(below).collect();
            if rate <= AT_REST * size * self.scales.rate() || below.is_empty() {
                return true;
            }
            for guard in below {
                let held = &mut self.events.guards[guard];
                let side = &mut self.to.sides_mut()[held.side];
                *side = f64::from(-sign(values[held.guard]));
                held.turned(*side);
                held.offset = -(1.0 + BEYOND) * values[held.guard];
            }
            self.events.jumps.list[index].held = false;
            false
        });
        due
    }

    /// Whether all of these events are impacts of contacts.
    fn are_contacts(&self, due: &[usize]) -> bool {
        due.iter().all(|&index| {
            let one = self.events.jumps.list[index];
            self.contact_of(one.group, one.instance).is_some()
        })
    }

    /// One of these events makes another one happen, and so on.
    fn without_end(&self, due: &[usize]) -> StepError {
        let name = due.first().map_or(String::new(), |&index| self.name_of(index));
        if self.are_contacts(due) {
            return self.passed(name);
        }
        let why = "makes another one happen, and that one it, without end: their conditions have to exclude \
                   each other";
        StepError::Event { t: self.to.t(), name, why }
    }

    pub(super) fn name_of(&self, index: usize) -> String {
        let one = self.events.jumps.list[index];
        one.stated(&self.system).map_or(String::new(), |stated| stated.instance_name(one.instance))
    }

    /// The events whose conditions hold and did not before.
    fn becoming_true(&mut self) -> Vec<usize> {
        let (system, to) = (&*self.system, &self.to);
        let mut found = std::mem::take(&mut self.events.jumps.ticked);
        for (index, one) in self.events.jumps.list.iter_mut().enumerate() {
            let (holds, side) = one.truth(system, to);
            let becomes = if side == 0 { !one.held } else { one.side != side && one.side != 0 };
            if holds && becomes {
                found.push(index);
            }
            (one.held, one.side) = (holds, side);
        }
        found
    }

    /// Lets events happen together: everything they set is computed from the values before.
    fn let_happen(&mut self, due: &[usize]) -> Result<(), StepError> {
        let t = self.to.t();
        let listed = self.events.list.len();
        self.note_times(due);
        let (mut also, hit) = self.coming_to_rest(due)?;
        for &index in due {
            let one = &mut self.events.jumps.list[index];
            if one.is_sample(&self.system) {
                one.count += 1;
                continue;
            }
            let one = *one;
            let direction = self.direction_of(one);
            let Some(stated) = one.stated(&self.system) else { continue };
            self.events.list.push(Event {
                t,
                kind: kind_of(stated),
                name: stated.instance_name(one.instance),
                condition: stated.text.clone(),
                direction,
                impulses: Vec::new(),
            });
        }
        self.sliding.left = (f64::NAN, Vec::new());
        let list: Vec<One> = due.iter().map(|&index| self.events.jumps.list[index]).collect();
        // What a finite force holds it does not hold against a blow; what changes forces alone it may go on to hold.
        let strikes = self.may_strike(&list);
        self.note_own(&list);
        if strikes && self.sliding.closed.contains(&true) {
            self.settle_contacts();
        }
        let before = self.to.clone();
        let off = self.off_by_velocities();
        let unstruck = self.differentiates().then(|| self.system.clone().into_owned());
        let struck = |contact: &usize| {
            let of = |one: &One| self.contact_of(one.group, one.instance) == Some(*contact);
            list.iter().any(of)
        };
        let mut touching = if strikes { self.touching_contacts() } else { Vec::new() };
        touching.retain(|contact| !struck(contact) && !also.closed.contains(contact));
        let mut held = if strikes { self.let_go() } else { Rested::default() };
        also.closed.retain(|contact| !held.contacts.contains(contact));
        also.closed.splice(0..0, held.contacts.iter().copied());
        also.closed.extend(touching);
        let Applied { stop, blow, switched } = apply(&self.system, &list, &also, &mut self.to)
            .map_err(|(which, why)| StepError::Event { t, name: self.name_of(due[which]), why })?;
        if let Some(unstruck) = unstruck {
            let system = switched.as_ref().unwrap_or(&self.system);
            let (set, origins) = made(system, &list, &also.ending, &also.closed);
            let points = [&before, &self.to];
            let round = of_round([&unstruck, system], points, (&set, &origins), blow.as_ref());
            let names = due.iter().map(|&index| self.name_of(index)).collect();
            self.add_round(names, round);
        }
        self.events.jumps.stopped =
            stop.map(|(which, text)| StoppedBy { t, event: self.name_of(due[which]), text });
        if self.to.v() != before.v() {
            // Onto rows that hold from now on.
            let switches = self.events.list[listed..].iter_mut();
            let switches = switches.filter(|event| event.kind == EventKind::Switch);
            switches.for_each(|event| event.kind = EventKind::Jump);
        }
        let of_events = self.events.list.len() > listed;
        self.keeps_rows(&before, due)?;
        let switched = self.switch_rows()?;
        if let Some((demand, blow)) = blow.filter(|_| of_events) {
            self.events.list[listed].impulses = self.impulses(
                &demand,
                &blow,
                &Struck { list: &list, also: &also, before: &before },
            );
        }
        self.note_order(&before, &list);
        // A belt whose speed jumps tears what sticks to it loose: a finite force does not make it jump along.
        let torn = !strikes && self.is_sliding() && self.leaves_at(&self.to.clone());
        let stays = !strikes && !torn && self.is_held();
        let goes_on = stays && self.settle() && self.goes_on_holding();
        if !strikes && !goes_on {
            held = self.let_go();
        }
        self.hold_again_after_blow(&held, &hit, (&before, false), &self.name_of(due[0]))?;
        if switched {
            self.note_shared();
        }
        if !goes_on && !self.settle() {
            let why = "leaves velocities from which the equations of motion have no solution";
            return Err(StepError::Event { t, name: self.name_of(due[0]), why });
        }
        if let Some(which) = self.closes(&list, &before) {
            let name = self.name_of(due[which]);
            return Err(StepError::Closed { t, name });
        }
        self.place_after(&before, &off);
        if let Some(name) = self.passed_over() {
            return Err(self.passed(name));
        }
        // What jumps over a value has not met it.
        let system = &*self.system;
        for one in &mut self.events.jumps.list {
            one.side = one.truth(system, &self.to).1;
        }
        Ok(())
    }

    /// Whether velocities may jump where these events happen: by impulses, by what is set, or onto rows that hold from
    /// then on.
    fn may_strike(&self, list: &[One]) -> bool {
        let switches = self.system.model().switches().iter();
        let mut stated = list.iter().filter_map(|one| one.stated(&self.system));
        switches.into_iter().any(|switch| matches!(switch.by, Switched::Modes { .. }))
            || stated.any(|stated| stated.actions.iter().any(Action::strikes))
    }

    /// The direction of the comparison by which the condition of an event has become true: of what the motion has
    /// met, of what no side holds, else of the first that has to be on its side.
    fn direction_of(&mut self, one: One) -> i8 {
        let Some(stated) = one.stated(&self.system) else { return 1 };
        let span = self.whole();
        let sides = self.to.sides();
        let guards = &self.events.guards;
        let own = |held: &&Held| self.guards.belongs(held.guard, stated, one.instance);
        let met = self.events.jumps.met.iter().map(|&index| &guards[index]).find(own);
        let met = met.map(|held| sides[held.side]);
        let needed = || {
            let mut at = self.to.clone();
            let needed = guards.iter().filter(own).find(|held| {
                at.sides_mut()[held.side] = -sides[held.side];
                let needed = !stated.truth(one.instance, at.flat()).0;
                at.sides_mut()[held.side] = sides[held.side];
                needed
            });
            needed.map(|held| sides[held.side])
        };
        let otherwise = needed();
        let side = met
            .or_else(|| self.guards.side_of_unheld(stated, one.instance, &self.to, span))
            .or(otherwise);
        if side.is_some_and(|side| side < 0.0) { -1 } else { 1 }
    }

    /// The impact among these after which its gap neither opens nor stays as it is, but would go on to close.
    fn closes(&mut self, list: &[One], before: &Point) -> Option<usize> {
        let h = AHEAD * self.first_step();
        self.from.copy_from(&self.to);
        self.go_on(h);
        let system = &*self.system;
        let (now, ahead) = (&self.to, &self.within);
        list.iter().position(|one| {
            if self.contact_of(one.group, one.instance).is_some() {
                return false;
            }
            let Some(stated) = one.stated(system) else { return false };
            let mut impacts = stated.actions.iter().filter_map(|action| match action {
                Action::Impulse { along, law: Law::Restitution, .. } => Some(&**along),
                _ => None,
            });
            impacts.any(|along| {
                let rate = |at: &Point| {
                    let directions = stated.directions(along, one.instance, at.flat());
                    directions.first().map_or(0.0, |gap| gap.rate)
                };
                rate(now).abs() <= STILL * rate(before).abs() && rate(ahead) < 0.0
            })
        })
    }

    /// Begins the method anew after events that a guard was met at, and others followed.
    fn go_on_anew(&mut self, before: &Point, first: Option<usize>, rounds: &[Vec<One>]) {
        self.events.jumps.begins = true;
        self.timetable.restart_after(before, &self.to);
        self.stepper.start_after_event(&self.system, &self.to);
        self.observe();
        self.ledger.jump(self.to.t(), &self.pieces);
        self.resolution.restart(&self.to);
        if let Ok(companion) = &mut self.companion {
            let system = &*self.system;
            let mut all = |at: &mut Point| {
                rounds.iter().all(|list| {
                    apply(system, list, &Also::default(), at).is_ok()
                        && matches!(reconcile(system, at), Ok(true))
                })
            };
            companion.jump(system, [before, &self.to], first, &mut self.guards, &mut all);
        }
        if self.step.is_adaptive() {
            self.h = self.h.min(self.step_after_event());
        }
    }
}

/// What the list of a run calls an event, as far as its statement says.
fn kind_of(stated: &Stated) -> EventKind {
    let has = |what: fn(&Action) -> bool| stated.actions.iter().any(what);
    if has(|action| matches!(action, Action::Stop { .. })) {
        EventKind::Stop
    } else if has(|action| {
        action.strikes() || matches!(action, Action::Set { what: Settable::State, .. })
    }) {
        EventKind::Jump
    } else {
        EventKind::Switch
    }
}
