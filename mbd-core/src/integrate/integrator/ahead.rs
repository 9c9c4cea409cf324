//! What time alone does within a step to what holds a motion, and to what is compared with it.
//!
//! What is at rest has no errors, and steps of any length are right as long as it stays there. Whether it does is looked at
//! at a few instants of each step: a load that goes up and down would be seen anywhere. So where something is held, or
//! compared with time, no step passes over more than one way of an expression of time, nor over a row of a spline; unless
//! what they do there keeps far from where anything would happen.

use super::Integrator;
use crate::assembly::{Point, System};
use crate::nonlinear::MatrixPolicy;
use crate::start::Accelerations;

/// Instants of a step at which it is looked at, besides the rows of splines.
const LOOKS: usize = 12;

/// Rows of splines in a step beyond which nothing is looked at.
const MOST_ROWS: usize = 1000;

/// Part of a step from which on a shorter one costs less than the looks.
const SHORTER: f64 = 0.25;

/// The way of a guard in a step may be this many times that at its rate.
const FASTER: f64 = 2.0;

/// The least and the largest of a number of values at each of some instants.
struct Ranges(Vec<[f64; 2]>);

impl Ranges {
    fn new() -> Self {
        Ranges(Vec::new())
    }

    fn add(&mut self, values: impl IntoIterator<Item = f64>) {
        for (k, value) in values.into_iter().enumerate() {
            match self.0.get_mut(k) {
                Some([least, most]) => (*least, *most) = (least.min(value), most.max(value)),
                None => self.0.push([value; 2]),
            }
        }
    }
}

impl Integrator<'_> {
    /// The longest step from the beginning of the one attempted, `h` at most, that passes over nothing which time alone does to
    /// what holds the motion, or to what is compared with it.
    pub(super) fn resolved(&mut self, h: f64) -> f64 {
        let t = self.from.t();
        let holds = self.is_held() || self.guards.senses();
        let mut least = self.timetable.resolved(t, h, holds);
        if holds || self.timetable.compares_inputs {
            least = least.min(self.next_row(t) - t);
        }
        let shorter = least < h && (least > SHORTER * h || self.may_happen(h, holds));
        if shorter { least } else { h }
    }

    /// The next row of a spline, with no step of rounding before it.
    fn next_row(&self, t: f64) -> f64 {
        let beyond = t + super::SMALLEST * t.abs().max(self.span);
        let rows = self.system.signals().iter().map(|signal| signal.next_bend(beyond));
        rows.fold(f64::INFINITY, f64::min)
    }

    /// Whether what time alone does in a step comes near to where a guard crosses, or something lets go.
    fn may_happen(&mut self, h: f64, holds: bool) -> bool {
        let t = self.from.t();
        let mut instants: Vec<f64> = (0..=LOOKS).map(|k| t + h * k as f64 / LOOKS as f64).collect();
        let mut row = self.next_row(t);
        while row <= t + h {
            if instants.len() > MOST_ROWS {
                return true;
            }
            instants.push(row);
            row = self.next_row(row);
        }
        let (mut guards, mut shares, mut sensed) = (Ranges::new(), Ranges::new(), Ranges::new());
        let held = if holds { self.held_in_equations() } else { Vec::new() };
        let mut at = self.from.clone();
        for instant in instants {
            at.copy_from(&self.from);
            at.set_t(instant);
            self.system.feed(&mut at);
            guards.add(self.guards.values(&at).iter().copied());
            if !holds {
                continue;
            }
            if !self.solve_for_shares(&mut at) {
                return true;
            }
            shares.add(held.iter().map(|&kept| self.beyond(kept, &at).0));
            sensed.add(self.guards.sensed(&at));
        }
        let sides = &self.events.jumps.sensed;
        let lets_go = shares.0.iter().any(|[least, most]| most + (most - least) > 0.0);
        let changes = sensed.0.iter().zip(sides).any(|(&[least, most], &side)| {
            let left = if side < 0.0 { -most } else { least };
            most > least && left - (most - least) <= 0.0
        });
        lets_go || changes || self.may_cross(&guards, h)
    }

    /// Whether a guard comes near to its boundary whose values have these ranges by time alone.
    fn may_cross(&mut self, ranges: &Ranges, h: f64) -> bool {
        let rates = self.guards.rates(&self.from).to_vec();
        let sides = self.from.sides();
        self.events.guards.iter().any(|held| {
            let ([least, most], side) = (ranges.0[held.guard], held.on(sides));
            let left = if side < 0.0 { -most } else { least };
            side != 0.0
                && most > least
                && left - (most - least) <= FASTER * h * rates[held.guard].abs()
        })
    }

    /// Solves the equations of motion at a point for what holds; whether they have a solution.
    pub(super) fn solve_for_shares(&mut self, at: &mut Point) -> bool {
        let system = &*self.system;
        let own = self.sliding.solver.get_or_insert_with(|| {
            Box::new(Accelerations::of_steps(system, MatrixPolicy::RECYCLE))
        });
        solved(own, system, at)
    }
}

/// Solves the equations of motion at a point, anew where the matrix at hand does not do; whether they have a solution.
pub(super) fn solved(solver: &mut Accelerations, system: &System, at: &mut Point) -> bool {
    if solver.solve(system, at).is_ok() {
        return true;
    }
    solver.forget();
    solver.solve(system, at).is_ok()
}
