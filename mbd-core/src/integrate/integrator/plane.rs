//! Friction in a plane: the motion sticks where a speed of two components is 0, whatever its direction was.
//!
//! Each component has a surface with its row and its share ([`sliding`](super::sliding)), both of which hold the motion or
//! neither, as one: with the shares ψ of both, |ψ| ≤ ½ in size. Three guards are of a plane. Two compare the components
//! with 0; while the motion slips their sides are the quadrant of the speed, taken anew after each step, and nothing
//! jumps where the speed goes from one to the next. The third says that the speed is on that quadrant's way: past 0
//! the force goes on as it was, for a step goes straight through there, and ends where the third guard crosses. What the
//! speed is there, across, is 0 as a rule; else it is a turn, and the sides are taken anew.
//!
//! Where the motion lets go the speed has no direction yet. It gets one by the accelerations that it has without what has
//! held it, as small a speed as the errors of the first steps are. Where it lets go of several at once they turn each other
//! ([`slips`](super::slips)).

use super::Integrator;
use super::carried::{Held, Kept, Mode, Touched};
use super::sliding::AT_REST;
use crate::assembly::{Point, System};
use crate::integrate::scheme::Accuracy;
use crate::scalar::SLIDES;
use crate::solution::{EventKind, Unestimated};
use crate::start::reconcile;
use crate::statement::ShareOf;
use nalgebra::{Matrix2, Vector2};

/// A speed that is lost within this part of a prescribed step is 0: what it leads to is far below the error of the step.
/// Parts of a step that Newton's iteration does not solve are as short.
const LEFT: f64 = 1.0 / 256.0;

/// A speed across that comes to rest within this many times the tolerance of a step is 0.
const NEAR: f64 = 64.0;

/// A comparison of a component that is longer than this is not written out.
const LONGEST: usize = 60;

/// By how much slower a speed is than one that is near to 0, where it need not turn to be 0.
const SLOWER: f64 = 1e4;

/// And of prescribed steps one that is lost within this part of a step.
const PART: f64 = 0.25;

/// The cosine of the angle by which a direction that is resolved turns in a step at most.
const TURNS: f64 = 0.7;

/// The least speed that is not 0 yet, in parts of its unit.
const LEAST: f64 = 1e-11;

/// The motion leaves a plane with this many times the tolerance of a step, in units of the speed: what Newton's iteration
/// leaves is less.
const RESOLVED: f64 = 10.0;

/// Of a prescribed step the part after which friction would have given that speed, at least: at a slower one its slope, as
/// steep as the speed is slow, leaves nothing of the masses in the matrix.
const STEEP: f64 = 1e-8;

/// Speeds in a plane from which on a motion that has left it is swift, in their unit.
const SWIFT: f64 = 1e-3;

/// Steps that end short of a speed of 0 from a swift one on, and these and turns near 0 after which the motion has come to
/// rest.
const MOST_SHORT: usize = 8;
const MOST_TURNS: usize = 24;

/// How often the direction in which the motion leaves a plane is corrected at most, and by how little at last.
const DIRECTIONS: usize = 16;
const TURNED: f64 = 1e-9;

/// Halvings that lead to the direction in which the motion leaves a plane, to rounding.
const BISECTIONS: usize = 60;

/// The first step after that in times in which friction gives that speed.
const FIRST: f64 = 8.0;

/// Over how many times the speed with which the motion leaves a plane it does not come to rest again.
const LEAVES: f64 = 4.0;

impl Integrator<'_> {
    /// σ of the surface of a guard, among the values of all: of a plane the size of its speed.
    pub(super) fn sigma_of(&self, held: &Held, values: &[f64]) -> f64 {
        match self.guards.part(held.guard) {
            Some(0) => values[held.guard].hypot(values[held.guard + 1]),
            _ => values[held.guard],
        }
    }

    /// Whether a surface is the first of a plane's.
    pub(super) fn is_plane(&self, surface: usize) -> bool {
        self.guards.second(surface).is_some()
    }

    /// A surface, and of a plane its second.
    pub(super) fn all_of(&self, surface: usize) -> impl Iterator<Item = usize> + use<> {
        std::iter::once(surface).chain(self.guards.second(surface))
    }

    /// Whether the motion is held in a plane, or at rest in it.
    pub(super) fn is_on_plane(&mut self, surface: usize) -> bool {
        let at = self.to.clone();
        self.is_plane(surface)
            && (self.on_surfaces().contains(&surface) || self.components(surface, &at) == [0.0; 2])
    }

    /// Says of the event listed last that it is of both components, the first of which a guard compares.
    pub(super) fn tell_of_plane(&mut self, guard: usize) {
        let to = self.to.clone();
        let both = [guard, guard + 1].map(|g| self.guards.describe(&self.system, g, &to, 0));
        if let ([Some([_, x]), Some([_, y])], Some(event)) = (both, self.events.list.last_mut()) {
            event.condition = match event.kind {
                // Of a point of a body in space they fill a page.
                EventKind::Stick if x.len() > LONGEST => "both speeds are 0".into(),
                _ if x.len() > LONGEST => "the speeds are not both 0".into(),
                EventKind::Stick => format!("{x} and {y}"),
                _ => format!("{x} or {y}").replace(" = ", " != "),
            };
        }
    }

    /// The speed's components of a plane, by its first surface.
    fn components(&mut self, surface: usize, at: &Point) -> [f64; 2] {
        let values = self.guards.values(at).to_vec();
        let first = self
            .events
            .guards
            .iter()
            .find(|held| self.surface_of(held).is_some_and(|(of, _)| of == surface));
        first.map_or([0.0; 2], |held| [values[held.guard], values[held.guard + 1]])
    }

    /// How fast the size of a plane's speed grows: σ̇ of a surface that a guard of these values and rates is of.
    pub(super) fn rate_of_size(&self, held: &Held, values: &[f64], rates: &[f64]) -> f64 {
        let of = |all: &[f64]| [all[held.guard], all[held.guard + 1]];
        let ([x, y], [dx, dy]) = (of(values), of(rates));
        let size = x.hypot(y);
        if size > 0.0 { (x * dx + y * dy) / size } else { dx.hypot(dy) }
    }

    /// Puts the guards of a plane on the sides of its speed at a point, or lets them hold the motion.
    pub(super) fn set_plane(&mut self, at: &mut Point, surface: usize, mode: Mode) {
        let values = self.guards.values(at).to_vec();
        let firsts = self
            .events
            .guards
            .iter()
            .filter(|held| self.surface_of(held).is_some_and(|(of, _)| of == surface));
        let firsts: Vec<usize> = firsts.map(|held| held.guard).collect();
        let quadrant =
            |guard: usize| [guard, guard + 1].map(|g| if values[g] < 0.0 { -1.0 } else { 1.0 });
        for held in &mut self.events.guards {
            let Some(part) = self.guards.part(held.guard) else { continue };
            let first = held.guard - usize::from(part);
            if firsts.contains(&first) {
                held.quadrant = held.quadrant.map(|_| quadrant(first));
                at.sides_mut()[held.side] = match (mode, part) {
                    (Mode::Stays | Mode::Floats, _) => SLIDES,
                    (Mode::Leaves(_), 2) => 1.0,
                    _ if values[held.guard] < 0.0 => -1.0,
                    _ => 1.0,
                };
            }
        }
    }

    /// The speed in a plane that is none where it decreases at the end of an attempted step.
    fn as_good_as_none(&mut self, surface: usize) -> f64 {
        let unit = self.unit(surface);
        match self.step.accuracy() {
            Accuracy::Tolerance(_) => LEAST * unit,
            Accuracy::RoundOff => {
                let at = self.to.clone();
                let lost = self.rate_along(surface, &at).abs() * self.step_of(0.0);
                (LEFT * lost).max(AT_REST * unit)
            }
        }
    }

    /// What a speed in a plane is measured against.
    fn unit(&self, surface: usize) -> f64 {
        self.size_of_sigma(surface)
    }

    /// The speed with which the motion leaves a plane: what Newton's iteration resolves is less.
    fn speed_of_leaving(&self, surface: usize) -> f64 {
        let unit = self.unit(surface);
        match self.step.accuracy() {
            Accuracy::Tolerance(eps) => (RESOLVED * eps).max(LEAST) * unit,
            Accuracy::RoundOff => AT_REST * unit,
        }
    }

    /// The size of a plane's speed up to which the motion does not come to rest again after it has left.
    pub(super) fn offset_of_leaving(&self, surface: usize) -> f64 {
        LEAVES * self.speed_of_leaving(surface)
    }

    /// A first step after the motion has left a plane in which its direction is resolved.
    pub(super) fn step_after_leaving(&mut self) -> f64 {
        let least = match self.step.accuracy() {
            Accuracy::RoundOff => STEEP * self.step_of(0.0),
            Accuracy::Tolerance(_) => 0.0,
        };
        match std::mem::take(&mut self.sliding.begins.1) {
            true => FIRST * self.sliding.begins.0.max(least),
            false => f64::INFINITY,
        }
    }

    /// Whether the speed in a plane is none at the end of an attempted step, and decreases: what says so is due.
    pub(super) fn arrives_in_planes(&mut self) -> bool {
        let passing = self.events.guards.iter().enumerate().filter(|(_, held)| {
            held.quadrant.is_some() && held.on(self.to.sides()) != 0.0 && held.offset == 0.0
        });
        let passing: Vec<(usize, usize)> =
            passing.map(|(index, held)| (index, held.guard)).collect();
        if passing.is_empty() {
            return false;
        }
        let values = self.guards.values(&self.to).to_vec();
        self.events.due.clear();
        for (index, guard) in passing {
            let Some((surface, _)) = self.guards.surface(guard - 2) else { continue };
            let now = [values[guard - 2], values[guard - 1]];
            let size = now[0].hypot(now[1]);
            let [at, from] = [self.to.clone(), self.from.clone()];
            let was = self.components(surface, &from);
            // Within a step in which it turns so far its direction is not resolved.
            let turns = now[0] * was[0] + now[1] * was[1] < TURNS * size * was[0].hypot(was[1]);
            // So slow a step that would end there is all error in methods that hold positions alone.
            let none = size <= self.as_good_as_none(surface)
                || turns && self.is_near(surface, guard - 2, size, &at)
                || self.is_near(surface, guard - 2, SLOWER * size, &at);
            if none && self.rate_along(surface, &at) < 0.0 {
                self.events.due.push(index);
            }
        }
        !self.events.due.is_empty()
    }

    /// A prescribed step, of which one of this size may be a part, or it.
    fn step_of(&self, h: f64) -> f64 {
        match self.step.accuracy() {
            Accuracy::RoundOff => self.step.next(self.origin, self.to.t()).0.max(h),
            Accuracy::Tolerance(_) => h,
        }
    }

    /// The acceleration in a plane, by the first of its guards: what a speed is lost at where it comes to rest.
    fn lost_at(&mut self, guard: usize, at: &Point) -> f64 {
        let rates = self.guards.rates(at);
        rates[guard].hypot(rates[guard + 1])
    }

    /// Whether a speed comes to rest within less than what steps are exact to: its direction is not resolved.
    fn is_near(&mut self, surface: usize, guard: usize, speed: f64, at: &Point) -> bool {
        let size = self.size_of_sigma(surface) / self.scales.rate();
        match self.step.accuracy() {
            Accuracy::Tolerance(eps) => {
                speed * speed <= NEAR * eps * size * self.lost_at(guard, at)
            }
            Accuracy::RoundOff => speed <= PART * self.lost_at(guard, at) * self.step_of(0.0),
        }
    }

    /// Whether the step in which a guard crosses is to end short of that: at a speed of 0 the direction is none, which
    /// Newton's iteration must not meet. A few such steps lead as near as rounding.
    pub(super) fn stops_short(&mut self, index: usize) -> bool {
        let held = self.events.guards[index];
        let Some((surface, _)) = held.quadrant.and_then(|_| self.guards.surface(held.guard - 2))
        else {
            return false;
        };
        let from = self.from.clone();
        let [x, y] = self.components(surface, &from);
        let speed = x.hypot(y);
        let none = speed <= self.as_good_as_none(surface)
            || self.is_near(surface, held.guard - 2, 0.5 * speed, &from);
        let (count, now) = &mut self.events.short;
        *now = *count < MOST_SHORT && !none;
        *now
    }

    /// Whether a system lets go of a plane that the motion is on.
    pub(super) fn leaves_plane(&self, system: &System) -> bool {
        let slides = self.system.slides().iter().zip(system.slides()).enumerate();
        let mut left = slides.filter(|(_, (was, now))| **was && !**now).map(|(k, _)| k);
        left.any(|surface| self.is_plane(self.guards.first(surface)))
    }

    /// Whether the motion slips in any plane, and is not swift there: prescribed steps have to tell its direction, and so do
    /// those that come next, where what else takes steps after the motion has left a plane is to end.
    fn is_slow(&mut self, values: &[f64]) -> bool {
        let rates = self.guards.rates(&self.to).to_vec();
        let next = match (self.sliding.lingers, self.step.is_adaptive()) {
            (true, true) => self.h,
            (true, false) => self.step_of(0.0),
            (false, _) => 0.0,
        };
        let turns_in = self.sliding.begins.0;
        self.events.guards.iter().any(|held| {
            let part = self.guards.part(held.guard) == Some(0);
            let surface =
                self.surface_of(held).filter(|_| part && self.to.sides()[held.side] != SLIDES);
            surface.is_some_and(|(surface, _)| {
                let lost = rates[held.guard].hypot(rates[held.guard + 1]) * self.step_of(0.0);
                let resolved = match next > 0.0 && turns_in > 0.0 {
                    true => next * self.speed_of_leaving(surface) / turns_in,
                    false => 0.0,
                };
                let swift = (SWIFT * self.unit(surface)).max(2.0 * lost.max(resolved));
                self.sigma_of(held, values) < swift
            })
        })
    }

    /// The method itself takes the steps again once the motion in all planes that it has left is swift.
    fn end_lingering(&mut self) {
        if self.is_sliding() || self.ends_at_event() {
            return;
        }
        let (system, at) = (self.system.clone().into_owned(), self.to.clone());
        if self.take_stepper(&system, &at, false) {
            self.begin_anew();
            if self.step.is_adaptive() {
                self.h = self.h.min(self.step_after_event());
            }
        }
    }

    /// What happens in a plane has no derivative, and ends the estimate of the error.
    pub(super) fn free_plane(&mut self, t: f64, surface: usize) {
        let of = |held: &Held| self.surface_of(held).is_some_and(|(of, _)| of == surface);
        let first = self.events.guards.iter().find(|&held| of(held)).map(|held| held.guard);
        self.add_free(t, first.as_slice());
        if self.companion.is_ok() {
            self.companion = Err(Unestimated::Slides { t });
        }
    }

    /// Of the guards that are due, those that say that a plane's speed passes 0: in their place stand the first of the
    /// planes that the speed has come to 0 in; those of others take their sides anew. Whether there were any of these.
    pub(super) fn come_to_planes(&mut self, due: &mut Vec<usize>) -> bool {
        let passes = |index: &usize| self.guards.part(self.events.guards[*index].guard) == Some(2);
        let (passed, others): (Vec<usize>, Vec<usize>) =
            due.iter().partition(|index| passes(index));
        *due = others;
        let mut turned = false;
        for index in passed {
            let guard = self.events.guards[index].guard - 2;
            let first = self.events.guards.iter().position(|held| held.guard == guard);
            let Some(first) = first else { continue };
            let Some((surface, _)) = self.surface_of(&self.events.guards[first]) else { continue };
            self.free_plane(self.to.t(), surface);
            let [at, from] = [self.to.clone(), self.from.clone()];
            let size = |[x, y]: [f64; 2]| x.hypot(y);
            let now = size(self.components(surface, &at));
            let before = size(self.components(surface, &from));
            let lost = self.lost_at(guard, &at) * self.step_of(at.t() - from.t());
            // Where it turns about again and again it is lost within each step.
            self.events.short.0 += 1;
            let near = self.is_near(surface, guard, now, &at)
                || self.step.accuracy() == Accuracy::RoundOff && now <= LEFT * before
                || self.events.short.0 > MOST_TURNS && now <= lost;
            if near || now <= self.as_good_as_none(surface) {
                due.push(first);
            } else {
                let mut at = at;
                self.set_plane(&mut at, surface, Mode::Leaves(1.0));
                self.to.copy_from(&at);
                turned = true;
            }
        }
        turned
    }

    /// Speeds in planes that are near 0 and do not stay there turn about; false where there are none, or they have too often.
    pub(super) fn turn_about(&mut self, planes: &[usize]) -> bool {
        self.events.short.0 += 1;
        if planes.is_empty() || self.events.short.0 > MOST_TURNS {
            return false;
        }
        let mut at = self.to.clone();
        planes.iter().for_each(|&plane| self.set_plane(&mut at, plane, Mode::Leaves(1.0)));
        self.to.copy_from(&at);
        true
    }

    /// After an accepted step: planes take the quadrants in which their speeds are.
    pub(super) fn follow_planes(&mut self) {
        let here = |held: &&Held| self.guards.part(held.guard).is_some_and(|part| part < 2);
        if !self.events.guards.iter().any(|held| here(&held)) {
            return;
        }
        let values = self.guards.values(&self.to).to_vec();
        let mut changed = false;
        for held in &mut self.events.guards {
            if self.guards.part(held.guard).is_none() || self.to.sides()[held.side] == SLIDES {
                continue;
            }
            let mut take = |side: &mut f64, guard: usize| {
                let now = if values[guard] == 0.0 { *side } else { values[guard].signum() };
                changed |= now != *side;
                *side = now;
            };
            match &mut held.quadrant {
                Some([x, y]) => {
                    take(x, held.guard - 2);
                    take(y, held.guard - 1);
                }
                None => take(&mut self.to.sides_mut()[held.side], held.guard),
            }
        }
        if changed {
            self.events.forget_known();
        }
        if !self.is_slow(&values) {
            self.events.short.0 = 0;
            if self.sliding.lingers {
                self.end_lingering();
            }
        }
    }

    /// The planes among what is touched whose speeds are 0, and those that the motion has come to rest in (`true`).
    pub(super) fn planes_at_rest(&mut self, touched: &[Touched]) -> Vec<(usize, bool)> {
        let mut planes = Vec::new();
        for t in touched {
            if let Kept::Surface(surface) = t.kept
                && self.is_plane(surface)
            {
                let rests = self.is_on_plane(surface);
                // What has just left it goes on.
                if rests || t.mode == Mode::Stays {
                    planes.push((surface, !rests));
                }
            }
        }
        planes
    }

    /// Planes that are not among what is touched, and in which the motion is at rest at a point: to rounding, or, if it comes
    /// to rest in others, as far as steps are exact.
    pub(super) fn planes_at_rest_too(
        &mut self,
        touched: &[Touched],
        at: &Point,
        comes: bool,
    ) -> Vec<usize> {
        let passing = |held: &&Held| self.guards.part(held.guard) == Some(2);
        let passing: Vec<Held> = self.events.guards.iter().filter(passing).copied().collect();
        let mut planes = Vec::new();
        for held in passing {
            let Some((plane, _)) = self.guards.surface(held.guard - 2) else { continue };
            // Several statements may read one.
            if touched.iter().any(|t| t.is(plane)) || planes.contains(&plane) {
                continue;
            }
            let [x, y] = self.components(plane, at);
            let speed = x.hypot(y);
            let near =
                comes && held.offset == 0.0 && self.is_near(plane, held.guard - 2, speed, at);
            if self.rests_on(plane, speed) || near {
                planes.push(plane);
            }
        }
        planes
    }

    /// Whether a plane that is to be left, in which the motion gets this rate, is not: it has no speed in it.
    pub(super) fn does_not_slip(&mut self, surface: usize, rate: f64, at: &Point) -> bool {
        if !self.is_plane(surface) || rate > AT_REST * self.size_of_rate(Kept::Surface(surface)) {
            return false;
        }
        let [x, y] = self.components(surface, at);
        x.hypot(y) < LEAST * self.unit(surface)
    }

    /// What the components of a plane's speed change by with these changes of the velocities.
    fn components_of(&mut self, surface: usize, at: &Point, dv: &[f64]) -> Vector2<f64> {
        let mut moved = at.clone();
        moved.v_mut().iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
        let [before, after] = [at, &moved].map(|at| Vector2::from(self.components(surface, at)));
        after - before
    }

    /// In place of what accelerations without all friction begin in one plane: where inertia is not the same in all
    /// directions the motion turns away from those at once, and at so small a speed friction would stop it again. It slips in
    /// the direction n in which it goes on, with the accelerations u that it has without friction and what friction of both
    /// components makes of them, C: α n = u + ρ C n, α ≥ 0, where ρ is the part of what has held it that is left.
    /// Of `system` the plane is left out of the equations. As large as u; `None` where there is no such direction.
    fn first_direction(
        &mut self,
        system: &System,
        surface: usize,
        [stays, free]: [&Point; 2],
        all_in: &dyn Fn(Mode) -> Vec<Touched>,
    ) -> Option<Vec<f64>> {
        let change = |a: &Point, b: &Point| -> Vec<f64> {
            a.a().iter().zip(b.a()).map(|(a, b)| a - b).collect()
        };
        let loose = self.components_of(surface, stays, &change(free, stays));
        let size = loose.norm();
        if !(size > 0.0 && size.is_finite()) {
            return None;
        }
        // What friction does at its bound in each component, by what the velocities change by.
        let mut by = Vec::new();
        for of in self.all_of(surface) {
            let mut system = system.clone();
            let ShareOf::Speeds(row) = system.share_of(of) else { return None };
            let mut given = system.given_psi().to_vec();
            given[row] += 0.5;
            system.give_psi(&given);
            let mut at = free.clone();
            at.psi_mut()[row] = given[row];
            if !matches!(reconcile(&system, &mut at), Ok(true)) {
                return None;
            }
            by.push(change(&at, free));
        }
        let columns = [0, 1].map(|k| self.components_of(surface, stays, &by[k]));
        let friction = Matrix2::from_columns(&columns);
        let solve = |matrix: Matrix2<f64>, right: Vector2<f64>| {
            let found = matrix.lu().solve(&right)?;
            found.iter().all(|x| x.is_finite()).then_some(found)
        };
        let velocities = |direction: Vector2<f64>| -> Option<Vec<f64>> {
            let shares = solve(friction, size * direction)?;
            Some(by[0].iter().zip(&by[1]).map(|(x, y)| shares[0] * x + shares[1] * y).collect())
        };
        // First against what has held it, to see what of that is left; what bounds it may depend on what friction does.
        let mut direction = solve(friction, -loose)?.normalize();
        let mut part = f64::NAN;
        let slow = self.speed_of_leaving(surface) / size;
        for _ in 0..DIRECTIONS {
            let mut slips = stays.clone();
            let dv = velocities(direction)?;
            slips.v_mut().iter_mut().zip(&dv).for_each(|(v, dv)| *v += slow * dv);
            let slips =
                self.assumed_from(slips, &mut system.clone(), &all_in(Mode::Leaves(1.0)))?;
            let left = self.components_of(surface, stays, &change(&slips, free));
            if part.is_nan() {
                part = solve(friction, left)?.norm();
            }
            let loose = loose + left - part * friction * direction;
            let at = |alpha: f64| solve(alpha * Matrix2::identity() - part * friction, loose);
            let (mut low, mut high) = (0.0, 2.0 * loose.norm());
            if at(low)?.norm() > 1.0 {
                for _ in 0..BISECTIONS {
                    let middle = 0.5 * (low + high);
                    if at(middle)?.norm() > 1.0 { low = middle } else { high = middle }
                }
            }
            let next = at(low)?.normalize();
            let turns = (next - direction).norm();
            direction = next;
            if turns < TURNED {
                break;
            }
        }
        velocities(direction)
    }

    /// How many times a change of the velocities the motion leaves planes with in which it is at rest at a point: what
    /// their components change by are speeds then.
    pub(super) fn factor_of_leaving(
        &mut self,
        planes: &[usize],
        stays: &Point,
        dv: &[f64],
    ) -> Option<f64> {
        let mut moved = stays.clone();
        moved.v_mut().iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
        let mut factor = f64::INFINITY;
        for &surface in planes {
            let [x0, y0] = self.components(surface, stays);
            let [x, y] = self.components(surface, &moved);
            let size = (x - x0).hypot(y - y0);
            if size > 0.0 {
                factor = factor.min(self.speed_of_leaving(surface) / size);
            }
        }
        (factor.is_finite() && factor > 0.0).then_some(factor)
    }

    /// What the velocities change by where the motion leaves those of these planes that it is to leave: onto rest where it
    /// has come to rest in them (`true`), and along the accelerations that it has without what holds it in all of them.
    pub(super) fn first_velocity(
        &mut self,
        touched: &[Touched],
        planes: &[(usize, bool)],
    ) -> Option<Vec<f64>> {
        let leaves =
            |surface: usize| touched.iter().any(|t| t.is(surface) && t.mode != Mode::Stays);
        let left: Vec<(usize, bool)> =
            planes.iter().copied().filter(|&(surface, _)| leaves(surface)).collect();
        if left.is_empty() {
            return None;
        }
        let all_in = |now: Mode| -> Vec<Touched> {
            let of = |t: &Touched| left.iter().any(|&(surface, _)| t.is(surface));
            let mode = |t: &Touched| if of(t) { now } else { t.mode };
            touched.iter().map(|t| Touched { mode: mode(t), ..*t }).collect()
        };
        let mut system = self.system.clone().into_owned();
        let at = self.to.clone();
        let stays = self.assumed_from(at, &mut system, &all_in(Mode::Stays))?;
        let free = self.assumed_from(stays.clone(), &mut system, &all_in(Mode::Floats))?;
        let mut dv: Vec<f64> = free.a().iter().zip(stays.a()).map(|(a, b)| a - b).collect();
        let surfaces: Vec<usize> = left.iter().map(|&(surface, _)| surface).collect();
        let first = match surfaces[..] {
            [surface] => self.first_direction(&system, surface, [&stays, &free], &all_in),
            _ => self.first_directions(&system, &surfaces, [&stays, &free]),
        };
        if let Some(first) = first {
            dv = first;
        }
        let mut factor = self.factor_of_leaving(&surfaces, &stays, &dv)?;
        self.sliding.begins.0 = factor;
        // Where several are left together each turns the others: parts of a prescribed step resolve directions that
        // change no faster.
        if self.step.accuracy() == Accuracy::RoundOff {
            let part = if left.len() > 1 { 0.25 * LEFT } else { STEEP };
            factor = factor.max(part * self.step_of(0.0));
        }
        dv.iter_mut().for_each(|dv| *dv *= factor);
        if left.iter().any(|&(_, arrives)| arrives) {
            let stopped = stays.v().iter().zip(self.to.v());
            dv.iter_mut().zip(stopped).for_each(|(dv, (v, was))| *dv += v - was);
        }
        Some(dv)
    }
}
