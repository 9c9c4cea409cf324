//! What happens by the clock, or is set from outside: knots of the tables that inputs are fed with, samples of
//! controllers, inputs that a stepper sets.
//!
//! A step ends exactly at each instant ([`Timetable`](super::Timetable)); the next one begins with the courses
//! that the inputs have from there on, and with accelerations and multipliers that are consistent with them.
//! Samples are stated events that become true by the clock: at phase + n·period, each computed from its number,
//! so that rounding does not add up. What happens at the end of a run, or of what a stepper was asked for,
//! happens when the motion goes on.

use super::carried::{Clockwork, Sample};
use super::{Integrator, STRETCH};
use crate::assembly::{Point, SlotKind, System};
use crate::checkpoint::State;
use crate::error::StepError;
use crate::integrate::balance::is_kinetic_energy;
use crate::integrate::step::Step;
use crate::integrate::timetable::Break;
use crate::solution::{Event, Unestimated};
use crate::start::reconcile;
use crate::statement::ElementGroup;

/// Change of an acceleration or multiplier where a comparison with time changes, relative to the
/// largest of its kind, from which on the motion begins anew there.
const JUMP: f64 = 1e-9;

/// Times next to each other, in units of rounding.
const NEXT_TO: f64 = 2.0;

impl Sample {
    fn time(self) -> f64 {
        self.phase + self.next * self.period
    }
}

impl Clockwork {
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Clockwork { passed, set, samples, kinetic: _ } = self;
        state.part("the clock");
        state.number(passed);
        state.flag(set);
        for Sample { event: _, period: _, phase: _, next } in samples {
            state.number(next);
        }
    }

    /// Begins with what comes at `t` or later. A sample that rounding has put before it comes as well.
    fn new(system: &System, at: &Point) -> Self {
        let (t, stated) = (at.t(), system.groups().filter_map(|group| group.event()));
        let all = stated.flat_map(|event| (0..event.instances_of()).map(move |i| (event, i)));
        let sample = |(event, (stated, i)): (usize, (&crate::statement::Stated, usize))| {
            let [period, phase] = stated.every(i, at.flat())?;
            let nearest = ((t - phase) / period).round();
            let here =
                (phase + nearest * period - t).abs() <= 8.0 * f64::EPSILON * t.abs().max(period);
            let next = if here { nearest } else { ((t - phase) / period).ceil() };
            Some(Sample { event, period, phase, next })
        };
        let samples = all.enumerate().filter_map(sample).collect();
        let compares =
            |group: &dyn ElementGroup| is_kinetic_energy(group) && group.sees().comparisons;
        let all = 0..system.model().groups.len();
        let kinetic = all.filter(|&k| compares(system.group(k))).collect();
        Clockwork { passed: t, set: false, samples, kinetic }
    }

    /// The next time.
    fn next(&self, system: &System) -> f64 {
        let knots = system.signals().iter().map(|signal| signal.next_knot(self.passed));
        knots.chain(self.samples.iter().map(|sample| sample.time())).fold(f64::INFINITY, f64::min)
    }
}

impl Integrator<'_> {
    /// Begins with what comes next at the point reached.
    pub(super) fn wind_up(&mut self) {
        self.clockwork = Clockwork::new(&self.system, &self.to);
        self.timetable.alarm = self.clockwork.next(&self.system);
    }

    /// What happens at the point reached, at `t` within `slack`: its instant.
    pub(super) fn ring(&mut self, t: f64, slack: f64) -> Option<f64> {
        let mut rung = None;
        while self.timetable.alarm <= t + slack {
            let now = self.timetable.alarm;
            self.clockwork.passed = self.clockwork.passed.max(now);
            for sample in self.clockwork.samples.iter_mut().filter(|s| s.time() <= now) {
                self.events.jumps.tick(sample.event);
                sample.next += 1.0;
            }
            self.timetable.alarm = self.clockwork.next(&self.system);
            rung = Some(now.max(t));
        }
        rung
    }

    /// Where an input tears the motion from a surface, as a belt does whose speed jumps: a finite force holds
    /// it no more, and its velocity does not jump along. Whether it does.
    pub(super) fn tears_loose(&mut self, t: f64) -> bool {
        if !self.is_sliding() {
            return false;
        }
        let mut beyond = self.to.clone();
        beyond.set_t(t);
        self.system.feed(&mut beyond);
        if !self.leaves_at(&beyond) {
            return false;
        }
        let held = self.let_go();
        self.to.set_t(t);
        self.system.feed(&mut self.to);
        self.hold_what_rested(&held);
        self.settle();
        if self.companion.is_ok() {
            self.companion = Err(Unestimated::Slides { t });
        }
        self.events.jumps.look = true;
        self.begin_anew();
        if self.step.is_adaptive() {
            self.h = self.h.min(self.step_after_event());
        }
        let after = self.to.clone();
        self.jumped(&after);
        self.turn(false);
        true
    }

    /// Sets an input, by its number, from the point reached on: before the next step begins accelerations and
    /// multipliers are made consistent with it.
    pub(crate) fn set_input(&mut self, index: usize, value: f64) {
        if self.system.signals()[index].as_constant() == Some(value) {
            return;
        }
        self.system.to_mut().hold_input(index, value);
        self.clockwork.set = true;
        self.timetable.alarm = self.clockwork.next(&self.system);
    }

    /// Says up to when the motion is expected to go on, which scales and first steps take from what they are asked
    /// to step to otherwise.
    pub(crate) fn expect(&mut self, t_end: f64) {
        self.horizon = t_end;
    }

    /// Sets the clock to a time that is ahead by no more than rounding, where nothing is due before it; whether it is there.
    /// A step of that size would be made of rounding alone.
    pub(crate) fn reach(&mut self, t: f64) -> bool {
        let now = self.to.t();
        if (t - now).abs() > NEXT_TO * f64::EPSILON * t.abs().max(now.abs()) {
            return false;
        }
        self.timetable.look_ahead(&self.to, t - now, t);
        if now < t && self.timetable.is_due_before(t) {
            return false;
        }
        self.to.set_t(now.max(t));
        true
    }

    /// Sets the clock to the next instant at which something happens by the clock, where that is ahead by no more than
    /// rounding; whether it did.
    pub(super) fn reach_next(&mut self, t_end: f64) -> bool {
        let now = self.to.t();
        let next = self.timetable.horizon(t_end).min(self.timetable.stop(now));
        let near = next > now && next - now <= NEXT_TO * f64::EPSILON * now.abs();
        if near {
            self.to.set_t(next);
        }
        near
    }

    /// Lets equal steps be counted from the point reached where that is none of theirs.
    pub(crate) fn count_steps_from_here(&mut self) {
        let Step::Fixed { h, .. } = self.step else { return };
        let (t, (origin, count)) = (self.to.t(), self.origin);
        if (t - (origin + count as f64 * h)).abs() > STRETCH * h {
            self.origin = (t, 0);
            self.rest = None;
        }
    }

    /// Hands out the events so far.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events.list)
    }

    /// Looks ahead in the timetable, as far as a step from the point reached may go.
    pub(super) fn look_ahead(&mut self, t_end: f64) {
        let t = self.to.t();
        let reach = match self.step.is_adaptive() {
            true => 0.0,
            false => self.step.next(self.origin, t).0,
        };
        self.timetable.look_ahead(&self.to, reach, t_end);
    }

    /// Looks ahead in the timetable, and passes the break that the point reached stands before.
    pub(super) fn read_timetable(&mut self, t_end: f64) -> Result<(), StepError> {
        let t = self.to.t();
        let slack = match self.step.is_adaptive() {
            true => 4.0 * f64::EPSILON * t.abs(),
            false => STRETCH * self.step.next(self.origin, t).0,
        };
        let rung = self.ring(t, slack);
        self.look_ahead(t_end);
        let passed = self.timetable.pass(t, slack);
        let instant = |t| Break { before: t, after: t };
        let passed = match (passed, rung.map(instant)) {
            (Some(a), Some(b)) => {
                Some(Break { before: a.before.min(b.before), after: a.after.max(b.after) })
            }
            (passed, rung) => passed.or(rung),
        };
        // What a stepper has set is another one from here on.
        let set = std::mem::take(&mut self.clockwork.set);
        if let Some(passed) = passed.or(set.then_some(instant(t))) {
            self.cross(passed, rung.is_some() || set, set)?;
        }
        Ok(())
    }

    /// Goes on from the other side of a comparison with time: from the accelerations and multipliers
    /// there, where they differ from those on this side; velocities jump where constraints prescribe it.
    /// `fed`: inputs have other courses beyond; `surely`: without a look at this side.
    fn cross(&mut self, passed: Break, fed: bool, surely: bool) -> Result<(), StepError> {
        if fed && self.tears_loose(passed.after) {
            return Ok(());
        }
        let jolted = self.jolt(passed, fed)?;
        let surely = surely || jolted;
        let mut sides = [passed.before, passed.after].map(|t| {
            let mut side = self.to.clone();
            side.set_t(t);
            side
        });
        if fed {
            self.system.feed(&mut sides[1]);
        }
        let mut unknown = sides.iter_mut().skip(usize::from(surely));
        let solved = unknown.all(|side| matches!(reconcile(&self.system, side), Ok(true)));
        let [before, after] = &sides;
        if !jolted {
            self.account_for_jumps(before, after, true);
        }
        let jumps = |kind: SlotKind| {
            let (a, b) = (before.get(kind), after.get(kind));
            let size = a.iter().chain(b).fold(0.0f64, |m, x| m.max(x.abs()));
            a.iter().zip(b).any(|(a, b)| (a - b).abs() > JUMP * size)
        };
        use SlotKind::{A, Lambda, Psi, V, W, Xd};
        let turned = self.jumped(after);
        self.events.jumps.look = true;
        if !surely && solved && !turned && ![V, A, Lambda, Psi, Xd, W].into_iter().any(jumps) {
            if fed || !self.events.jumps.is_empty() {
                self.to.set_t(passed.after);
            }
            if fed {
                self.to.hold_as(after);
                // Rates of what is compared may jump.
                self.events.known = None;
            }
            return Ok(());
        }
        if solved {
            self.to.copy_from(after);
        }
        self.to.set_t(passed.after);
        if fed {
            self.to.hold_as(after);
        }
        if let Ok(companion) = &mut self.companion
            && !jolted
        {
            companion.cross(&self.system, &self.to);
        }
        self.begin_anew();
        if self.step.is_adaptive() {
            self.h = self.h.min(self.first_step());
        }
        self.turn(false);
        Ok(())
    }
}
