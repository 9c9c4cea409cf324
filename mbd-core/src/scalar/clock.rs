//! What of a statement depends on time alone: its bounds over whole intervals of time, and the
//! intervals over which it changes little.
//!
//! A pulse between two steps is seen by no estimate of their errors. But a statement's tape is
//! known, and so are its parts that depend on nothing but time and parameters. They are evaluated on
//! intervals (Moore: Interval Analysis, 1966): what holds of an interval's image holds at each of its
//! instants, so nothing is missed however narrow it is.

use super::function::Function;
use super::step::{Place, Step};
use super::test::{Sign, Test};
use num_dual::DualNum;
use std::f64::consts::{FRAC_PI_2, PI};

/// What an input of a statement is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// Time.
    Time,
    /// A number that stays as it is.
    Fixed(f64),
    /// Part of the motion.
    Motion,
}

/// A closed interval of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    const ALL: Interval = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub(crate) fn new(low: f64, high: f64) -> Self {
        // Where a bound is no number nothing is known.
        if low <= high { Interval { low, high } } else { Interval::ALL }
    }

    fn one(x: f64) -> Self {
        Interval::new(x, x)
    }

    pub(crate) fn width(self) -> f64 {
        self.high - self.low
    }

    pub(crate) fn middle(self) -> f64 {
        0.5 * (self.low + self.high)
    }

    /// Whether it holds numbers of both signs, or zero.
    pub(crate) fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    pub(crate) fn hull(self, other: Self) -> Self {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    fn rising(self, f: impl Fn(f64) -> f64) -> Self {
        Interval::new(f(self.low), f(self.high))
    }

    fn falling(self, f: impl Fn(f64) -> f64) -> Self {
        Interval::new(f(self.high), f(self.low))
    }

    /// An even function that rises from zero.
    fn even(self, f: impl Fn(f64) -> f64) -> Self {
        let (a, b) = (self.low.abs(), self.high.abs());
        let least = if self.has_zero() { 0.0 } else { a.min(b) };
        Interval::new(f(least), f(a.max(b)))
    }

    fn add(self, other: Self) -> Self {
        Interval::new(self.low + other.low, self.high + other.high)
    }

    fn neg(self) -> Self {
        Interval::new(-self.high, -self.low)
    }

    fn scale(self, x: f64) -> Self {
        if x < 0.0 { self.falling(|y| x * y) } else { self.rising(|y| x * y) }
    }

    fn mul(self, other: Self) -> Self {
        // Zero times an unbounded interval is zero in each of its numbers.
        let product = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
        let (a, b) = (self, other);
        let all = [
            product(a.low, b.low),
            product(a.low, b.high),
            product(a.high, b.low),
            product(a.high, b.high),
        ];
        let low = all.into_iter().fold(f64::INFINITY, f64::min);
        Interval::new(low, all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    fn recip(self) -> Self {
        if self.has_zero() { Interval::ALL } else { self.falling(f64::recip) }
    }

    /// sin or cos, by whether the interval has a maximum `top` + 2kπ, or a minimum halfway between two.
    fn wave(self, f: impl Fn(f64) -> f64, top: f64) -> Self {
        if !self.width().is_finite() || self.width() >= 2.0 * PI {
            return Interval::new(-1.0, 1.0);
        }
        let passes = |offset: f64| {
            let turns = |x: f64| ((x - offset) / (2.0 * PI)).floor();
            turns(self.low) != turns(self.high)
        };
        let (a, b) = (f(self.low), f(self.high));
        let low = if passes(top + PI) { -1.0 } else { a.min(b) };
        Interval::new(low, if passes(top) { 1.0 } else { a.max(b) })
    }

    fn tan(self) -> Self {
        let branch = |x: f64| ((x + FRAC_PI_2) / PI).floor();
        let one = self.width() < PI && branch(self.low) == branch(self.high);
        if one { self.rising(f64::tan) } else { Interval::ALL }
    }

    fn powi(self, n: i32) -> Self {
        match n {
            0 => Interval::one(1.0),
            n if n < 0 => self.powi(n.saturating_neg()).recip(),
            n if n % 2 == 0 => self.even(|x| x.powi(n)),
            n => self.rising(|x| x.powi(n)),
        }
    }

    fn powf(self, n: f64) -> Self {
        if n < 0.0 { self.falling(|x| x.powf(n)) } else { self.rising(|x| x.powf(n)) }
    }

    fn atan2(self, x: Self) -> Self {
        // Away from the cut and the origin the corners bound it.
        if x.low > 0.0 || !self.has_zero() {
            let corners = [
                self.low.atan2(x.low),
                self.low.atan2(x.high),
                self.high.atan2(x.low),
                self.high.atan2(x.high),
            ];
            let all = corners.map(Interval::one);
            all[1..].iter().fold(all[0], |hull, corner| hull.hull(*corner))
        } else {
            Interval::new(-PI, PI)
        }
    }

    fn apply(self, function: Function) -> Self {
        let f = |x: f64| function.value(x);
        match function {
            Function::Recip => self.recip(),
            Function::Sin => self.wave(f64::sin, FRAC_PI_2),
            Function::Cos => self.wave(f64::cos, 0.0),
            Function::Tan => self.tan(),
            Function::Cosh => self.even(f64::cosh),
            Function::Acos => self.falling(f),
            // The others rise wherever they are defined; where they are not a bound is no number.
            _ => self.rising(f),
        }
    }
}

impl Test {
    /// Whether all numbers of an interval pass, or none; `None` where some may.
    fn over(self, on: Interval) -> Option<bool> {
        let (low, high) =
            (Test { not: false, ..self }.holds(on.low), Test { not: false, ..self }.holds(on.high));
        let sign = match self.sign {
            // Zero is between numbers of both signs too.
            Sign::Zero if on.has_zero() && on.width() > 0.0 => return None,
            _ if low == high => low,
            _ => return None,
        };
        Some(sign != self.not)
    }
}

/// The parts of a statement that depend on time alone, as the statement is at one instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clock {
    steps: Vec<Step>,
    /// Values whose signs decided.
    looks: Vec<Place>,
    /// Values that are no polynomials of low degree.
    parts: Vec<Bent>,
}

/// A value that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bent {
    place: Place,
    /// Its degree in time.
    degree: u32,
    /// It is compared with what moves.
    compared: bool,
}

/// Degree of what is no polynomial of time.
const BENT: u32 = u32::MAX;

/// What is known of a step when a clock is made: its value, or its place.
#[derive(Clone, Copy)]
enum Known {
    Fixed(f64),
    Timed(Place),
    Motion,
}

impl Clock {
    pub(super) fn new(
        tape: &[Step],
        rows: impl Iterator<Item = Place>,
        input: impl Fn(usize) -> Reading,
    ) -> Clock {
        let mut clock = Clock::default();
        let mut known: Vec<Known> = Vec::with_capacity(tape.len());
        // Places on the clock of what goes on into the motion or into a row, and of what is compared with the motion.
        let (mut roots, mut compared) = (Vec::new(), Vec::new());
        for (k, &step) in tape.iter().enumerate() {
            let operands = step.operands();
            let all = || operands.into_iter().flatten().map(|place| known[place as usize]);
            let next = match step {
                Step::Input(k) => match input(k as usize) {
                    Reading::Time => Known::Timed(Clock::append(&mut clock.steps, step)),
                    Reading::Fixed(x) => Known::Fixed(x),
                    Reading::Motion => Known::Motion,
                },
                Step::Constant(x) => Known::Fixed(x),
                Step::Plane => Known::Motion,
                Step::Guard(place, _) | Step::Look(place, _) => {
                    match known[place as usize] {
                        Known::Timed(at) => clock.looks.push(at),
                        Known::Motion => compared.extend(timed_in(&tape[..k], &known, place)),
                        Known::Fixed(_) => {}
                    }
                    Known::Motion
                }
                _ if all().all(|x| matches!(x, Known::Fixed(_))) => {
                    let at = |place: Place| match known[place as usize] {
                        Known::Fixed(x) => Interval::one(x),
                        _ => Interval::ALL,
                    };
                    let value = evaluate(step, at);
                    // What is no number is not watched.
                    if value.low.is_finite() { Known::Fixed(value.low) } else { Known::Motion }
                }
                _ if all().any(|x| matches!(x, Known::Motion)) => {
                    roots.extend(all().filter_map(|x| match x {
                        Known::Timed(at) => Some(at),
                        _ => None,
                    }));
                    Known::Motion
                }
                _ => clock.write(step, &known),
            };
            known.push(next);
        }
        roots.extend(rows.filter_map(|place| match known[place as usize] {
            Known::Timed(at) => Some(at),
            _ => None,
        }));
        let degrees = clock.all_degrees();
        let mut visited = vec![false; degrees.len()];
        clock.find_parts(&degrees, &mut visited, compared, true);
        clock.find_parts(&degrees, &mut visited, roots, false);
        clock.parts.sort_unstable();
        clock
    }

    /// Writes a step whose operands are fixed or timed.
    fn write(&mut self, step: Step, known: &[Known]) -> Known {
        let steps = &mut self.steps;
        let step = step.on(|place| match known[place as usize] {
            Known::Timed(at) => at,
            Known::Fixed(x) => Clock::append(steps, Step::Constant(x)),
            Known::Motion => 0,
        });
        Known::Timed(Clock::append(steps, step))
    }

    fn append(steps: &mut Vec<Step>, step: Step) -> Place {
        steps.push(step);
        (steps.len() - 1) as Place
    }

    /// The degree in time of each step.
    fn all_degrees(&self) -> Vec<u32> {
        let mut degrees: Vec<u32> = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            let at = |place: Place| degrees[place as usize];
            degrees.push(match step {
                Step::Input(_) => 1,
                Step::Constant(_) => 0,
                Step::Add(a, b) | Step::Sub(a, b) => at(a).max(at(b)),
                Step::Mul(a, b) => at(a).saturating_add(at(b)),
                Step::Div(a, b) if at(b) == 0 => at(a),
                Step::Neg(a)
                | Step::AddNumber(a, _)
                | Step::MulNumber(a, _)
                | Step::DivNumber(a, _) => at(a),
                Step::Powi(a, n) if n > 0 => at(a).saturating_mul(n as u32),
                // Where it switches steps end.
                Step::When(_, _, a) => at(a),
                _ => BENT,
            });
        }
        degrees
    }

    /// The values that are watched: those that go on into the motion, sums and products taken
    /// apart, so that a small part is not hidden beside a large one; none that has been visited.
    fn find_parts(
        &mut self,
        degrees: &[u32],
        visited: &mut [bool],
        mut open: Vec<Place>,
        compared: bool,
    ) {
        while let Some(place) = open.pop() {
            let degree = degrees[place as usize];
            // Straight lines are seen at the ends of steps.
            if degree < 2 || std::mem::replace(&mut visited[place as usize], true) {
                continue;
            }
            let bent = Bent { place, degree, compared };
            match self.steps[place as usize] {
                Step::Add(a, b) | Step::Sub(a, b) => open.extend([a, b]),
                Step::Neg(a)
                | Step::AddNumber(a, _)
                | Step::MulNumber(a, _)
                | Step::DivNumber(a, _)
                | Step::When(_, _, a) => open.push(a),
                Step::Mul(a, b) | Step::Div(a, b) => {
                    if degrees[a as usize] > 0 && degrees[b as usize] > 0 {
                        self.parts.push(bent);
                    }
                    open.extend([a, b]);
                }
                _ => self.parts.push(bent),
            }
        }
    }

    /// Whether there is nothing to look at.
    pub(crate) fn is_idle(&self) -> bool {
        self.looks.is_empty() && self.parts.is_empty()
    }

    /// Values whose signs decided, by their number.
    pub(crate) fn looks(&self) -> usize {
        self.looks.len()
    }

    /// What is watched, by its number.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The degree in time of a part by its number.
    pub(crate) fn degree(&self, number: usize) -> u32 {
        self.parts[number].degree
    }

    /// Whether what is watched is compared with what moves, by its number.
    pub(crate) fn is_compared(&self, number: usize) -> bool {
        self.parts[number].compared
    }

    /// The values over an interval of time of the one that decided by its number.
    pub(crate) fn look(&self, number: usize, t: Interval, room: &mut Vec<Interval>) -> Interval {
        self.range(self.looks[number], t, room)
    }

    /// The values over an interval of time of a part by its number.
    pub(crate) fn part(&self, number: usize, t: Interval, room: &mut Vec<Interval>) -> Interval {
        self.range(self.parts[number].place, t, room)
    }

    /// The steps up to a part by its number.
    pub(super) fn steps_of(&self, number: usize) -> &[Step] {
        &self.steps[..=self.parts[number].place as usize]
    }

    /// Watches what a part by its number is a function of, in its place, where that is not watched yet.
    pub(crate) fn open(&mut self, number: usize) {
        let Bent { place, compared, .. } = self.parts[number];
        let degrees = self.all_degrees();
        let mut visited = vec![false; degrees.len()];
        self.parts.iter().for_each(|part| visited[part.place as usize] = true);
        let beneath = self.steps[place as usize].operands().into_iter().flatten().collect();
        self.find_parts(&degrees, &mut visited, beneath, compared);
    }

    /// The same with each comparison decided as it is at an instant: for a stretch of time over which none changes.
    ///
    /// The ends of such a stretch are known to rounding only. On an interval that holds the instant of a comparison a
    /// choice may be any of its sides, however short the interval is; that would be taken for a change.
    pub(crate) fn decided(mut self, t: f64, room: &mut Vec<Interval>) -> Clock {
        let Some(last) = self.steps.len().checked_sub(1) else { return self };
        self.range(last as Place, Interval::one(t), room);
        for step in &mut self.steps {
            if let Step::When(test, on, a) = *step {
                match test.over(room[on as usize]) {
                    Some(true) => *step = Step::AddNumber(a, 0.0),
                    Some(false) => *step = Step::Constant(0.0),
                    // What is compared is known within bounds only.
                    None => {}
                }
            }
        }
        self
    }

    fn range(&self, place: Place, t: Interval, room: &mut Vec<Interval>) -> Interval {
        room.clear();
        for &step in &self.steps[..=place as usize] {
            let next = match step {
                Step::Input(_) => t,
                other => evaluate(other, |place| room[place as usize]),
            };
            room.push(next);
        }
        room[place as usize]
    }
}

/// Places on the clock of what depends on time alone and goes on into a value that does not.
fn timed_in(tape: &[Step], known: &[Known], place: Place) -> Vec<Place> {
    let mut needed = vec![false; place as usize + 1];
    needed[place as usize] = true;
    let mut found = Vec::new();
    for k in (0..=place as usize).rev() {
        match known[k] {
            _ if !needed[k] => {}
            Known::Timed(at) => found.push(at),
            Known::Fixed(_) => {}
            Known::Motion => {
                tape[k]
                    .operands()
                    .into_iter()
                    .flatten()
                    .for_each(|operand| needed[operand as usize] = true);
            }
        }
    }
    found
}

/// Takes a step on intervals.
fn evaluate(step: Step, at: impl Fn(Place) -> Interval) -> Interval {
    match step {
        Step::Constant(x) => Interval::one(x),
        Step::Add(a, b) => at(a).add(at(b)),
        Step::Sub(a, b) => at(a).add(at(b).neg()),
        Step::Mul(a, b) if a == b => at(a).even(|x| x * x),
        Step::Mul(a, b) => at(a).mul(at(b)),
        Step::Div(a, b) => at(a).mul(at(b).recip()),
        Step::Neg(a) => at(a).neg(),
        Step::AddNumber(a, x) => at(a).rising(|y| y + x),
        Step::MulNumber(a, x) => at(a).scale(x),
        Step::DivNumber(a, x) => at(a).scale(1.0 / x),
        Step::Unary(function, a) => at(a).apply(function),
        Step::Powi(a, n) => at(a).powi(n),
        Step::Powf(a, n) => at(a).powf(n),
        Step::Log(a, base) if base > 1.0 => at(a).rising(|x| x.log(base)),
        Step::Log(a, base) => at(a).falling(|x| x.log(base)),
        Step::Atan2(a, b) => at(a).atan2(at(b)),
        Step::Bessel(n, a) => {
            let Interval { low, high } = at(a);
            let value = |x: f64| match n {
                0 => x.sph_j0(),
                1 => x.sph_j1(),
                _ => x.sph_j2(),
            };
            // Their slopes are at most 1/2 everywhere, their values at most 1.
            let (middle, radius) = (value(0.5 * (low + high)), 0.25 * (high - low));
            Interval::new((middle - radius).max(-1.0), (middle + radius).min(1.0))
        }
        Step::When(test, on, a) => match test.over(at(on)) {
            Some(true) => at(a),
            Some(false) => Interval::one(0.0),
            None => at(a).hull(Interval::one(0.0)),
        },
        Step::Input(_) | Step::Guard(..) | Step::Held(..) | Step::Look(..) | Step::Plane => {
            Interval::ALL
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Num, Tape, Trace};

    fn clock(f: impl Fn(Num<Trace>, Num<Trace>) -> Num<Trace>, t: f64) -> Clock {
        let mut tape = Tape::default();
        tape.record([t, 0.7].into_iter(), 1, |z, rows| rows[0] = f(z[0], z[1]));
        tape.clock(|k| if k == 0 { Reading::Time } else { Reading::Motion })
    }

    fn range(f: impl Fn(Num<Trace>) -> Num<Trace>, low: f64, high: f64) -> Interval {
        let clock = clock(|t, _| f(t), low);
        let part = clock.parts() - 1;
        clock.part(part, Interval::new(low, high), &mut Vec::new())
    }

    /// Every function over many intervals: no value within lies outside the bounds, and over short
    /// intervals the bounds are near.
    #[test]
    fn an_interval_bounds_every_value_in_it() {
        type F = fn(Num<Trace>) -> Num<Trace>;
        let functions: [(&str, F); 20] = [
            ("sin", |t| (3.0 * t).sin()),
            ("cos", |t| (3.0 * t).cos()),
            ("tan", |t| t.tan()),
            ("gauss", |t| (-((t - 0.3) * (t - 0.3)) / 0.01).exp()),
            ("even", |t| (t - 0.5).powi(4)),
            ("odd", |t| (t - 0.5).powi(5)),
            ("inverse", |t| (t + 0.1).powi(-3)),
            ("bell", |t| 1.0 / (1.0 + (t * t) * 30.0)),
            ("quotient", |t| t.sin() / (2.0 + t.cos())),
            ("root", |t| (t + 2.0).sqrt()),
            ("power", |t| (t + 2.0).powf(1.7)),
            ("falling", |t| (t + 2.0).powf(-0.7)),
            ("logarithm", |t| (t + 2.0).ln()),
            ("angle", |t| (t - 0.3).atan2(t * t + 0.2)),
            ("cut", |t| (t - 0.3).atan2(t - 1.0)),
            ("cosh", |t| (t - 0.3).cosh()),
            ("tanh", |t| ((t - 0.3) * 50.0).tanh()),
            ("acos", |t| (0.4 * t).acos()),
            ("product", |t| t.sin() * (2.0 * t).cos()),
            ("sum", |t| (t.exp() - t.sin()).exp()),
        ];
        for (name, f) in functions {
            let value = |t: f64| f(Num::from(t)).value();
            for k in 0..400 {
                let low = -1.9 + 0.01 * f64::from(k % 373);
                let high = low + [1e-3, 0.05, 0.7, 2.0][k as usize % 4];
                let bounds = range(f, low, high);
                let mut near = Interval::one(value(low));
                for i in 0..=20 {
                    let x = value(low + (high - low) * f64::from(i) / 20.0);
                    if x.is_nan() {
                        continue;
                    }
                    let room = 1e-14 * x.abs().max(1.0);
                    assert!(
                        bounds.low <= x + room && x <= bounds.high + room,
                        "{name} over {low} to {high}: {x} outside {bounds:?}"
                    );
                    near = near.hull(Interval::one(x));
                }
                if k % 4 == 0 && bounds.width().is_finite() && name != "cut" {
                    let slack = 0.05 * near.high.abs().max(1.0);
                    assert!(bounds.width() <= 10.0 * near.width() + slack, "{name} at {low}");
                }
            }
        }
    }

    #[test]
    fn parts_are_what_is_bent_of_what_enters_the_motion() {
        let degrees = |f: fn(Num<Trace>, Num<Trace>) -> Num<Trace>| -> Vec<u32> {
            clock(f, 0.2).parts.iter().map(|part| part.degree).collect()
        };
        assert_eq!(degrees(|t, x| 3.0 * t * x - 2.0 * t), []);
        assert_eq!(degrees(|t, x| t * t + x), [2]);
        // The sum is taken apart, the argument of a function is not.
        assert_eq!(degrees(|t, x| x * (1000.0 * t.sin() + (-t * t).exp())), [BENT, BENT]);
        assert_eq!(degrees(|_, x| x.sin()), []);
    }

    /// A product of products of the same: each is looked at once, though there are 2⁶⁴ ways to it.
    #[test]
    fn what_is_shared_is_looked_at_once() {
        let squares = |t: Num<Trace>, _| (0..64).fold(t.sin(), |x, _| x * x + x);
        assert!(clock(squares, 0.2).parts() <= 65);
    }

    /// At the end of a ramp, which is known to rounding, a square of it may be anything from 0 to 4; after it, 1.
    #[test]
    fn what_is_decided_over_a_stretch_is_no_change_at_its_ends() {
        let clock = clock(|t, _| ((t - 1.0) / 2.0).clamp(0.0, 1.0).powi(2), 3.5);
        let room = &mut Vec::new();
        let end = Interval::new(3.0 - 1e-14, 3.0 + 1e-14);
        assert!(clock.part(0, end, room).width() > 0.9);
        let after = clock.clone().decided(3.5, room);
        assert_eq!(after.part(0, Interval::new(3.0 - 1e-14, 4.0), room), Interval::one(1.0));
        let within = clock.clone().decided(2.0, room);
        assert!(within.part(0, end, room).width() < 1e-13);
        assert_eq!(clock.decided(0.5, room).part(0, Interval::new(-1.0, 1.1), room).width(), 0.0);
    }

    #[test]
    fn a_comparison_with_time_is_known_by_its_difference() {
        let pulse = |t: Num<Trace>, x: Num<Trace>| if t > 0.1 && x < 5.0 { x * 2.0 } else { x };
        let before = clock(pulse, 0.0);
        assert_eq!(before.looks(), 1, "what depends on the motion is none");
        let at = |t| before.look(0, Interval::one(t), &mut Vec::new());
        assert!((at(0.1).low).abs() < 1e-16 && (at(0.3).low - 0.2).abs() < 1e-15);
        assert!(before.look(0, Interval::new(0.0, 1.0), &mut Vec::new()).has_zero());
        assert!(!before.look(0, Interval::new(0.2, 1.0), &mut Vec::new()).has_zero());
    }
}
