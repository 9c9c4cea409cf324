//! What happens at times that the model knows beforehand: comparisons with time, which steps end at,
//! and what else of time alone changes within less than a step.
//!
//! No estimate sees a pulse that begins and ends between the instants a method evaluates. The parts
//! of statements that depend on time alone are looked at before the steps get there, on intervals
//! ([`Clock`]), so that none is missed however narrow it is:
//!
//! * where the sign of a compared expression of time changes, a [`Break`]: a step ends on one side
//!   and the next begins on the other; so where an expression of time jumps without one, as an angle by `atan2` does once a
//!   turn;
//! * an expression that changes within a small part of the run bounds the steps there to
//!   [`REACH`] · [`PART`] of its whole change, so that they meet it; what the error control makes of it
//!   then is its own business. One that changes in the same way all along, as the sine of a drive,
//!   is met anyhow by what it moves. Where it moves nothing, since something holds the motion, and where it is compared with
//!   what moves, no error tells that a step passes over its turns: it bounds those ([`Steady`]).

use crate::assembly::{Point, SlotKind, Statement, System};
use crate::checkpoint::State;
use crate::digits::instant;
use crate::scalar::{Clock, Interval};
use crate::statement::{ElementGroup, Watch, Watched};
use std::collections::BinaryHeap;

/// Part of its whole change by which a watched expression changes over a leaf at most.
const PART: f64 = 1.0 / 64.0;

/// Length of a step in leaves, at most.
const REACH: f64 = 32.0;

/// Ratio to the shortest leaf up to which leaves are alike. Where those take up half of a window, the
/// expression changes in the same way all along.
const UNIFORM: f64 = 64.0;

/// Evaluations for one part of a statement over a window; what needs more gets a shorter window.
const BUDGET: usize = 4096;

/// Divisions after which it is first asked whether a part is constant.
const FEW: usize = 64;

/// Instants at which it is asked what rounding leaves of a part.
const INSTANTS: usize = 15;

/// Windows that are tried, each a quarter of the one before.
const TRIES: usize = 7;

/// Parts looked at last that another instance may have too.
const ALIKE: usize = 8;

/// Jumps of one part of a statement over a window; what has more gets a shorter window.
const JUMPS: usize = 64;

/// How far beside the ends of a piece, where it may jump, an expression is looked at, relative to its length and to the
/// instant: nearer than that rounding puts it on either side.
const BESIDE: [f64; 2] = [1e-12, 64.0 * f64::EPSILON];

/// Rounding of an instant, relative to the window.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Where a comparison with time changes: its last instant on one side and the first on the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Break {
    pub(super) before: f64,
    pub(super) after: f64,
}

/// What of a step is at most one way of an expression that goes up and down: for what it is compared with, and for what holds.
const STEADY: [f64; 2] = [64.0, 32.0];

/// No step over these times may be longer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound {
    from: f64,
    to: f64,
    h: f64,
    only: Option<Steady>,
}

/// Which steps an expression bounds that changes in the same way all along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Steady {
    /// Those in which what it is compared with may come near.
    Compared,
    /// And those in which something is held that may let go.
    Held,
}

/// A step that is too long for what it passes over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overstepped {
    /// Time in s.
    pub t: f64,
    /// The step that would have met it, in s.
    pub needed: f64,
}

impl std::fmt::Display for Overstepped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Overstepped { t, needed } = self;
        write!(
            f,
            "the prescribed steps pass over what the model does at t = {} s: there an expression of \
             time changes within less than a step. Take steps of {needed:.1e} s or less there, or adaptive \
             ones",
            instant(t)
        )
    }
}

/// An instance of a statement that reads time.
struct Timed {
    group: Statement,
    instance: usize,
}

/// What the model knows of the times ahead.
pub(super) struct Timetable {
    statements: Vec<Timed>,
    /// Discrete values that these read, by their places in the flat point.
    modes: Vec<usize>,
    /// The flat point at which statements are asked; its time is changed.
    point: Vec<f64>,
    time: usize,
    /// Something that a model compares stands with an input.
    pub(super) compares_inputs: bool,
    /// Up to where it is known.
    horizon: f64,
    window: f64,
    /// The next instant at which something happens from outside, or by the clock.
    pub(super) alarm: f64,
    /// In order of time; those passed are dropped.
    breaks: Vec<Break>,
    bounds: Vec<Bound>,
    room: Vec<Interval>,
    watched: Watched,
}

/// A window has more in it than can be looked at in one go.
#[derive(Debug)]
struct TooMuch;

/// A part of a window without comparisons that change, and the clocks valid there.
struct Segment {
    from: f64,
    to: f64,
    clocks: Vec<Clock>,
}

impl Timetable {
    pub(super) fn new(system: &System, start: &Point) -> Self {
        let all = (0..system.groups().count()).map(|index| system.statement(index));
        let statements = all.filter(|group| group.sees().time).flat_map(|group| {
            let instances = 0..group.instances();
            instances.map(move |instance| Timed { group: group.clone(), instance })
        });
        // What compares nothing is the same at all times: one that reads time as its inputs do, say, or in a straight line.
        let mut watched = Watched::default();
        let statements = statements.filter(|timed| {
            watched.clocks.clear();
            timed.group.watch(
                timed.instance,
                start.flat(),
                Watch { time: true, ..Watch::default() },
                &mut watched,
            );
            timed.group.sees().comparisons || watched.clocks.iter().any(|clock| !clock.is_idle())
        });
        let statements: Vec<_> = statements.collect();
        let read =
            |mode: &usize| statements.iter().any(|timed| timed.group.reads(timed.instance, *mode));
        let modes = system.layout().modes().filter(read).collect();
        let feeds = |group: &dyn ElementGroup| {
            let instances = 0..group.instances();
            let mut inputs = system.layout().inputs();
            group.sees().comparisons
                && inputs.any(|input| instances.clone().any(|i| group.reads(i, input)))
        };
        let compares_inputs = system.groups().any(feeds);
        let point = if statements.is_empty() { Vec::new() } else { start.flat().to_vec() };
        Timetable {
            statements,
            modes,
            compares_inputs,
            point,
            time: system.layout().range(SlotKind::T).start,
            horizon: start.t(),
            window: f64::INFINITY,
            alarm: f64::INFINITY,
            breaks: Vec::new(),
            bounds: Vec::new(),
            room: Vec::new(),
            watched: Watched::default(),
        }
    }

    /// Saves or restores what is known of the times ahead.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Timetable {
            statements: _,
            modes: _,
            compares_inputs: _,
            point: _,
            time: _,
            horizon,
            window,
            alarm,
            breaks,
            bounds,
            room: _,
            watched: _,
        } = self;
        state.part("the times ahead");
        state.number(horizon);
        state.number(window);
        state.number(alarm);
        state.every(breaks, Break { before: 0.0, after: 0.0 }, |state, one| {
            let Break { before, after } = one;
            state.number(before);
            state.number(after);
        });
        state.every(bounds, Bound { from: 0.0, to: 0.0, h: 0.0, only: None }, |state, one| {
            let Bound { from, to, h, only } = one;
            state.number(from);
            state.number(to);
            state.number(h);
            let [mut compared, mut held] =
                [Steady::Compared, Steady::Held].map(|one| *only == Some(one));
            state.flag(&mut compared);
            state.flag(&mut held);
            *only = if compared { Some(Steady::Compared) } else { held.then_some(Steady::Held) };
        });
    }

    /// Forgets everything: the motion goes on from another point.
    pub(super) fn restart(&mut self, at: &Point) {
        if !self.statements.is_empty() {
            self.point.copy_from_slice(at.flat());
        }
        self.horizon = at.t();
        self.breaks.clear();
        self.bounds.clear();
    }

    /// The same after an event, unless it leaves all that expressions of time read as it was: the times ahead are known then.
    pub(super) fn restart_after(&mut self, before: &Point, at: &Point) {
        let (before, after) = (before.flat(), at.flat());
        if self.modes.iter().any(|&mode| before[mode] != after[mode]) {
            self.restart(at);
        }
    }

    /// Looks ahead from `at` so far that a step of size `h` is covered, `t_end` at the latest.
    pub(super) fn look_ahead(&mut self, at: &Point, h: f64, t_end: f64) {
        let t = at.t();
        // Steps end at what may change the expressions anyhow, and what lies beyond would be looked at again.
        let t_end =
            if self.modes.is_empty() || self.alarm <= t { t_end } else { self.alarm.min(t_end) };
        while !self.statements.is_empty() && self.horizon < t_end && self.horizon <= t + h {
            self.point.copy_from_slice(at.flat());
            self.bounds.retain(|bound| bound.to > t);
            let ahead = t_end - self.horizon;
            let whole = self.window.min(ahead);
            let end = |window: f64| if window >= ahead { t_end } else { self.horizon + window };
            let windows: [f64; TRIES] = std::array::from_fn(|k| 0.25f64.powi(k as i32) * whole);
            let ends = windows.map(end);
            let found = ends.iter().position(|&to| self.scan(self.horizon, to, false).is_ok());
            // What cannot be resolved at all is left to the error control.
            let taken = found.unwrap_or_else(|| {
                let _ = self.scan(self.horizon, ends[0], true);
                0
            });
            self.horizon = ends[taken];
            // What was not there may be gone again.
            self.window = if taken > 0 { 4.0 * windows[taken] } else { 2.0 * whole };
        }
    }

    /// Where a step from `t` has to end at the latest, for breaks and the alarm.
    pub(super) fn stop(&self, t: f64) -> f64 {
        let next = self.breaks.iter().find(|b| b.before > t);
        next.map_or(f64::INFINITY, |b| b.before).min(self.alarm)
    }

    /// Whether a break or the alarm comes before a time, both sides of it.
    pub(super) fn is_due_before(&self, t: f64) -> bool {
        self.alarm < t || self.breaks.iter().any(|b| b.after <= t)
    }

    /// Up to where the times are known.
    pub(super) fn horizon(&self, t_end: f64) -> f64 {
        if self.statements.is_empty() { t_end } else { self.horizon.min(t_end) }
    }

    /// The break that `t` stands before, within `slack`; it is passed then, and those before it.
    pub(super) fn pass(&mut self, t: f64, slack: f64) -> Option<Break> {
        let reached = self.breaks.iter().take_while(|b| b.before <= t + slack).count();
        let passed = self.breaks.drain(..reached).next_back();
        passed.filter(|b| b.after > t)
    }

    /// The longest step from `t`, `h` at most, that meets what lies ahead.
    pub(super) fn bounded(&self, t: f64, h: f64) -> f64 {
        self.least(t, h, |only| only.is_none())
    }

    /// And that passes over no more than one way of what goes up and down all along, where something is `held` also of what
    /// nothing is compared with.
    pub(super) fn resolved(&self, t: f64, h: f64, held: bool) -> f64 {
        self.least(t, h, |only| {
            only == Some(Steady::Compared) || held && only == Some(Steady::Held)
        })
    }

    fn least(&self, t: f64, mut h: f64, counts: impl Fn(Option<Steady>) -> bool) -> f64 {
        for bound in &self.bounds {
            if bound.from >= t + h {
                break;
            }
            if bound.to > t && counts(bound.only) {
                h = h.min(bound.h.max(bound.from - t));
            }
        }
        h
    }

    fn scan(&mut self, from: f64, to: f64, last_try: bool) -> Result<(), TooMuch> {
        let statements = std::mem::take(&mut self.statements);
        let mut breaks = Vec::new();
        let mut bounds = Vec::new();
        // Instances of a loop have the same parts of time as a rule.
        let mut known: Vec<Segment> = Vec::new();
        let scanned = statements.iter().try_for_each(|timed| {
            let mut segments = Vec::new();
            self.segments(timed, (from, to), last_try, &mut segments, &mut breaks, 0)?;
            for segment in segments {
                let is_known = |s: &Segment| {
                    s.from == segment.from && s.to == segment.to && s.clocks == segment.clocks
                };
                if !known.iter().rev().take(ALIKE).any(is_known) {
                    self.bounds_of(&segment, (from, to), last_try, (&mut bounds, &mut breaks))?;
                    known.push(segment);
                }
            }
            Ok(())
        });
        self.statements = statements;
        scanned?;
        breaks.extend_from_slice(&self.breaks);
        breaks.sort_by(|a, b| a.before.total_cmp(&b.before));
        // Those next to each other are passed as one.
        breaks.dedup_by(|b, a| {
            let overlaps = b.before < a.after;
            if overlaps {
                a.after = a.after.max(b.after);
            }
            overlaps
        });
        self.breaks = breaks;
        self.bounds.extend(bounds);
        self.bounds.sort_by(|a, b| a.from.total_cmp(&b.from));
        Ok(())
    }

    /// Asks a statement at an instant.
    fn ask(&mut self, timed: &Timed, t: f64, ask: Watch) {
        self.point[self.time] = t;
        self.watched.decisions.clear();
        self.watched.clocks.clear();
        timed.group.watch(timed.instance, &self.point, ask, &mut self.watched);
    }

    /// The signs that decide at an instant.
    fn signs(&mut self, timed: &Timed, t: f64) -> Vec<i8> {
        self.ask(timed, t, Watch { comparisons: true, ..Watch::default() });
        self.watched.decisions.iter().map(|&x| sign(x)).collect()
    }

    /// Takes a window apart at the comparisons of a statement that change in it.
    fn segments(
        &mut self,
        timed: &Timed,
        (from, to): (f64, f64),
        last_try: bool,
        out: &mut Vec<Segment>,
        breaks: &mut Vec<Break>,
        depth: usize,
    ) -> Result<(), TooMuch> {
        const DEEPEST: usize = 64;
        self.ask(timed, 0.5 * (from + to), Watch { time: true, ..Watch::default() });
        let clocks = std::mem::take(&mut self.watched.clocks);
        let rounding = ROUNDING * from.abs().max(to.abs());
        let mut roots = Vec::new();
        let mut all_found = true;
        for clock in &clocks {
            for look in 0..clock.looks() {
                match self.roots(clock, look, (from, to), rounding, &mut roots) {
                    Err(TooMuch) if !last_try => return Err(TooMuch),
                    Err(TooMuch) => all_found = false,
                    Ok(()) => {}
                }
            }
        }
        // What is zero where it is first looked at may be anything there by rounding.
        if depth == 0 && clocks.iter().any(|clock| clock.looks() > 0) {
            roots.push(from);
        }
        roots.sort_by(f64::total_cmp);
        let mut cuts: Vec<f64> = Vec::new();
        for root in roots {
            let found = self.change(timed, root, 4.0 * rounding);
            if let Some(found) = found
                && breaks.iter().all(|b| *b != found)
            {
                breaks.push(found);
            }
            // What bounds the steps beyond a break begins where a step ends anyhow, not a few roundings before.
            let cut = found.map_or(root, |found| found.before);
            let inside = cut > from + 8.0 * rounding && cut < to - 8.0 * rounding;
            if inside && cuts.last().is_none_or(|last| cut - last > 8.0 * rounding) {
                cuts.push(cut);
            }
        }
        if cuts.is_empty() || depth > DEEPEST {
            let mut clocks = clocks;
            // Nothing compared changes in it but at its ends, which are known to rounding.
            if cuts.is_empty() && all_found {
                let (middle, room) = (0.5 * (from + to), &mut self.room);
                clocks = clocks.into_iter().map(|clock| clock.decided(middle, room)).collect();
            }
            out.push(Segment { from, to, clocks });
            return Ok(());
        }
        cuts.push(to);
        let mut begin = from;
        for end in cuts {
            self.segments(timed, (begin, end), last_try, out, breaks, depth + 1)?;
            begin = end;
        }
        Ok(())
    }

    /// The instants at which a compared expression may change its sign.
    fn roots(
        &mut self,
        clock: &Clock,
        look: usize,
        (from, to): (f64, f64),
        rounding: f64,
        roots: &mut Vec<f64>,
    ) -> Result<(), TooMuch> {
        let mut open = vec![(from, to)];
        let mut found: Option<f64> = None;
        let mut evaluations = 0;
        // From the left: the last is taken first.
        while let Some((a, b)) = open.pop() {
            evaluations += 1;
            if evaluations > BUDGET {
                return Err(TooMuch);
            }
            if !clock.look(look, Interval::new(a, b), &mut self.room).has_zero() {
                continue;
            }
            let middle = 0.5 * (a + b);
            if b - a <= rounding || middle <= a || middle >= b {
                if found.is_none_or(|last| middle - last > 4.0 * rounding) {
                    roots.push(middle);
                }
                found = Some(middle);
                continue;
            }
            open.extend([(middle, b), (a, middle)]);
        }
        Ok(())
    }

    /// The change of decisions at an instant known to rounding, if there is one.
    fn change(&mut self, timed: &Timed, t: f64, rounding: f64) -> Option<Break> {
        let (mut before, mut after) = (t - rounding, t + rounding);
        let left = self.signs(timed, before);
        let right = self.signs(timed, after);
        if left == right {
            return None;
        }
        let finest = f64::EPSILON * t.abs().max(1e-3 * rounding / ROUNDING);
        // What is zero between the two belongs to neither.
        let (mut inner, mut outer) = (after, before);
        for (reached, other, signs) in
            [(&mut before, &mut inner, left), (&mut after, &mut outer, right)]
        {
            while (*reached - *other).abs() > finest {
                let middle = 0.5 * (*reached + *other);
                if middle == *reached || middle == *other {
                    break;
                }
                if self.signs(timed, middle) == signs {
                    *reached = middle;
                } else {
                    *other = middle;
                }
            }
        }
        Some(Break { before, after })
    }

    /// The bounds that the parts of a segment set, and where they jump.
    fn bounds_of(
        &mut self,
        segment: &Segment,
        (from, to): (f64, f64),
        last_try: bool,
        (out, breaks): (&mut Vec<Bound>, &mut Vec<Break>),
    ) -> Result<(), TooMuch> {
        let whole = segment.from == from && segment.to == to;
        // Over all of the run a polynomial of low degree is smooth; between two comparisons it can
        // begin and end with the same value.
        let least = if whole { 4 } else { 2 };
        for clock in &segment.clocks {
            let mut clock = clock.clone();
            let mut part = 0;
            while part < clock.parts() {
                if clock.degree(part) >= least {
                    match self.pieces(&clock, part, segment, to - from, (&mut *out, &mut *breaks)) {
                        Ok(Seen::Constant) => clock.open(part),
                        Err(TooMuch) if !last_try => return Err(TooMuch),
                        _ => {}
                    }
                }
                part += 1;
            }
        }
        Ok(())
    }

    /// The bounds of one part, piece by piece between its jumps.
    fn pieces(
        &mut self,
        clock: &Clock,
        part: usize,
        segment: &Segment,
        window: f64,
        (out, breaks): (&mut Vec<Bound>, &mut Vec<Break>),
    ) -> Result<Seen, TooMuch> {
        let mut open = vec![(segment.from, segment.to)];
        let mut jumps = 0;
        let mut all = Seen::Constant;
        while let Some((from, to)) = open.pop() {
            let beside = (BESIDE[0] * (to - from)).max(BESIDE[1] * to.abs());
            let within = (from + beside, to - beside);
            if within.0 >= within.1 {
                continue;
            }
            let seen = self.leaves(clock, part, within, window, out)?;
            if seen != Seen::Constant {
                all = Seen::Changing;
            }
            let Seen::Jump(jump) = seen else { continue };
            jumps += 1;
            if jumps > JUMPS {
                return Err(TooMuch);
            }
            open.extend([(from, jump.before), (jump.after, to)]);
            if breaks.iter().all(|known| known.after < jump.before || known.before > jump.after) {
                breaks.push(jump);
            }
        }
        Ok(all)
    }

    /// Where the value of a part jumps within a leaf over which it changes by more than this, if it does.
    fn jump(&mut self, clock: &Clock, part: usize, leaf: &Leaf, most: f64) -> Option<Break> {
        let mut value = |t: f64| clock.part(part, Interval::new(t, t), &mut self.room).middle();
        let (mut before, mut after) = (leaf.from, leaf.to);
        let (left, right) = (value(before), value(after));
        // Written so that what is no number is none.
        if !((left - right).abs() > most) {
            return None;
        }
        loop {
            let middle = 0.5 * (before + after);
            if middle <= before || middle >= after {
                // What the statement makes of instants rounds otherwise.
                let rounding = ROUNDING * after.abs();
                return Some(Break { before: before - rounding, after: after + rounding });
            }
            let here = value(middle);
            if (here - left).abs() <= (here - right).abs() {
                before = middle;
            } else {
                after = middle;
            }
        }
    }

    /// Divides a piece until an expression changes little over each leaf, the leaf of the largest
    /// change first; or finds where it jumps.
    fn leaves(
        &mut self,
        clock: &Clock,
        part: usize,
        (from, to): (f64, f64),
        window: f64,
        out: &mut Vec<Bound>,
    ) -> Result<Seen, TooMuch> {
        let room = &mut self.room;
        let mut value = |t: f64| clock.part(part, Interval::new(t, t), room);
        let mut seen = value(from).hull(value(to));
        let mut shortest = to - from;
        let smallest = 1e-13 * (to - from);
        let mut open = BinaryHeap::new();
        let mut done: Vec<(f64, f64)> = Vec::new();
        let change = |a, b, room: &mut Vec<Interval>| Leaf {
            change: clock.part(part, Interval::new(a, b), room).width(),
            from: a,
            to: b,
        };
        open.push(change(from, to, &mut self.room));
        let mut left = BUDGET;
        while let Some(leaf) = open.pop() {
            // Rounding of the values is no change, nor are the few digits of what is nearly zero.
            let noise =
                (8.0 * f64::EPSILON * seen.low.abs().max(seen.high.abs())).max(f64::MIN_POSITIVE);
            if leaf.change <= (PART * seen.width()).max(noise) {
                done.push((leaf.from, leaf.to));
                continue;
            }
            let middle = 0.5 * (leaf.from + leaf.to);
            if leaf.to - leaf.from <= smallest {
                let jump = self.jump(clock, part, &leaf, (PART * seen.width()).max(noise));
                if let Some(jump) = jump {
                    return Ok(Seen::Jump(jump));
                }
                done.push((leaf.from, leaf.to));
                continue;
            }
            left -= 1;
            let divided = BUDGET - left;
            if divided.is_power_of_two() && divided >= FEW {
                let size = self.constant(clock, part, (from, to), seen);
                if size.is_some_and(|size| leaf.change <= PART * size) {
                    return Ok(Seen::Constant);
                }
            }
            if left == 0 {
                open.push(leaf);
                break;
            }
            shortest = shortest.min(middle - leaf.from);
            let at = clock.part(part, Interval::new(middle, middle), &mut self.room);
            if at.width().is_finite() {
                seen = seen.hull(at);
            }
            open.push(change(leaf.from, middle, &mut self.room));
            open.push(change(middle, leaf.to, &mut self.room));
        }
        done.extend(open.into_iter().map(|leaf| (leaf.from, leaf.to)));
        let lengths = done.iter().map(|(a, b)| b - a);
        let alike: f64 = lengths.filter(|length| *length <= UNIFORM * shortest).sum();
        if alike >= 0.5 * window {
            if left == 0 && self.constant(clock, part, (from, to), seen).is_some() {
                return Ok(Seen::Constant);
            }
            let leaf =
                if left == 0 { self.finest(clock, part, &done, seen.width()) } else { shortest };
            let (only, reach) = match clock.is_compared(part) {
                true => (Steady::Compared, STEADY[0]),
                false => (Steady::Held, STEADY[1]),
            };
            let bound = Bound { from, to, h: reach * leaf, only: Some(only) };
            out.extend(Some(bound).filter(|bound| bound.h < window));
            return Ok(Seen::Changing);
        }
        if left == 0 {
            return Err(TooMuch);
        }
        let bounds =
            done.into_iter().map(|(a, b)| Bound { from: a, to: b, h: REACH * (b - a), only: None });
        out.extend(bounds.filter(|bound| bound.h < window));
        Ok(Seen::Changing)
    }
}

impl Timetable {
    /// The size of a part that has one value, to rounding, at all instants at which it was `seen`.
    ///
    /// Bounds of cos² + sin² are apart by the length of the interval, since they do not know that what one gains the other
    /// loses: no division shows that it changes by less than rounding.
    fn constant(
        &self,
        clock: &Clock,
        part: usize,
        (from, to): (f64, f64),
        seen: Interval,
    ) -> Option<f64> {
        let at = |k: usize| from + (to - from) * (k as f64 + 0.5) / INSTANTS as f64;
        let mut roundings: [f64; INSTANTS] = std::array::from_fn(|k| clock.rounding(part, at(k)));
        roundings.sort_by(f64::total_cmp);
        let rounding = roundings[INSTANTS / 2];
        let size = seen.low.abs().max(seen.high.abs()).max(rounding / f64::EPSILON);
        // Where an operation has no slope, nothing is known of what rounding leaves.
        (rounding.is_finite() && seen.width() <= 8.0 * rounding).then_some(size)
    }

    /// The leaves into which those have to be divided over which a part changes most, where there are too many to be looked at.
    fn finest(&mut self, clock: &Clock, part: usize, leaves: &[(f64, f64)], width: f64) -> f64 {
        let change = |&(a, b): &(f64, f64), room: &mut Vec<Interval>| {
            clock.part(part, Interval::new(a, b), room).width()
        };
        let mut most: Option<((f64, f64), f64)> = None;
        for leaf in leaves {
            let here = change(leaf, &mut self.room);
            if most.is_none_or(|(_, known)| here > known) {
                most = Some((*leaf, here));
            }
        }
        let Some((mut leaf, mut here)) = most else { return f64::INFINITY };
        while here > PART * width && leaf.1 - leaf.0 > ROUNDING * leaf.1.abs() {
            let middle = 0.5 * (leaf.0 + leaf.1);
            let halves = [(leaf.0, middle), (middle, leaf.1)];
            let changes = halves.map(|half| change(&half, &mut self.room));
            let larger = usize::from(changes[1] > changes[0]);
            (leaf, here) = (halves[larger], changes[larger]);
        }
        leaf.1 - leaf.0
    }
}

/// What is found of a part over a piece of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    Constant,
    Changing,
    Jump(Break),
}

/// A part of a segment, by how much an expression changes over it.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    change: f64,
    from: f64,
    to: f64,
}

impl PartialEq for Leaf {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Leaf {}
impl PartialOrd for Leaf {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Leaf {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // Changes of one size are divided alike, the longest leaf first.
        let size = |leaf: &Leaf| (0.5 * leaf.change.log2()).floor();
        let length = |leaf: &Leaf| leaf.to - leaf.from;
        let by_size = size(self).total_cmp(&size(other));
        by_size.then(length(self).total_cmp(&length(other)))
    }
}

/// −1, 0 or 1; 2 for what is no number.
pub(super) fn sign(x: f64) -> i8 {
    if x > 0.0 {
        1
    } else if x < 0.0 {
        -1
    } else if x == 0.0 {
        0
    } else {
        2
    }
}
