//! The power balance of a run: what its energy changes by, held against what is known to change it.
//!
//! With E = v·T_v − T + U of a model the exact motion satisfies
//!
//! ```text
//! dE/dt = Q·v − v·D_v + λᵀg_t − ψᵀK v − T_t + U_t + ½ vᵀṀv          Ṁ of mass entries only
//! ```
//!
//! since d/dt T_v − T_q + U_q = Q − D_v − Gᵀλ − Kᵀψ, Gv = −g_t, and d/dt (v·T_v − T) =
//! v·(d/dt T_v − T_q) − T_t; a mass entry contributes ½ vᵀMv to E and M v̇ to the equations. Reactions
//! the model states itself are among Q. That the rates of constraints are g_t and not Gv of the
//! computed velocities is on purpose: what velocities off the constraints let reactions do is an
//! error, not work.
//!
//! The right side is integrated along the accepted points, and what remains of E's change beside it
//! and beside what the method's own damping took ([`StepEnergy`]) is the remainder. The power is
//! integrated by the polynomial through up to [`PAST`] + 1 accepted points, so of the order of any
//! method here and without an evaluation between them. Methods of order 5 integrate by their stages:
//! their steps are long, and what `radau5` states of energy holds for its quadrature.
//!
//! Accepted points lie where errors of the motion want them, and may be too few for its power: in a driven
//! mechanism nothing has an error. So before a step adds to a remainder that comes near to being told, it is
//! looked into ([`Quadrature`](super::quadrature::Quadrature)): what is blamed on the motion is not the
//! quadrature's.

use super::quadrature::Passed;
use super::scheme::{StepEnds, StepEnergy};
use super::step::Step;
use crate::assembly::{ElementGroup, Point, Residual, RowSink, System, Want, Weights};
use crate::checkpoint::State;
use crate::scales::Scales;
use crate::solution::{Abrupt, Balance};

/// Accepted points before a step that its power is interpolated through, its beginning included.
const PAST: usize = 4;

/// The remainder that is not told, for fixed steps: no accuracy was asked for, and one of a
/// twentieth is nobody's result.
const UNTOLD: f64 = 0.05;

/// The part of all energy turned over that no tolerance explains.
const NEVER_TOLERATED: f64 = 0.5;

/// The same in units of the tolerance, where that is less.
const TOLERATED: f64 = 1000.0;

/// Errors of positions, in units of the tolerance, whose work in the mean forces of the run is not told:
/// where all energy is in vibrations smaller than the tolerance it may well be lost.
const DISPLACED: f64 = 10.0;

/// The part of what is explained from which on steps are looked into.
const NEAR: f64 = 0.25;

/// What two rules may differ by over a step, in units of what is explained of the energy it turns over and of what
/// steps are looked into from on.
const AGREED: f64 = 0.02;

/// Changes of the remainder that are no more than another, in units of it.
const ALIKE: f64 = 2.0;

/// What looking into a step corrects, relative to the energy that it turns over, that is hardly worth it; how many such steps
/// are looked into, and of how many more one is: else runs at tight tolerances would take ten times as long.
const SLIGHT: f64 = 1e-4;
const SLIGHT_AT_FIRST: usize = 64;
const ONE_IN: usize = 128;

/// Points at which the motion is looked at inside steps, at most, and how many more of them for each step: else runs whose
/// powers are rough, as those of fast rotors in absolute coordinates at loose tolerances, would take many times as long.
const LOOKS: usize = 16_384;
const LOOKS_A_STEP: usize = 4;

/// What the doubts of the others, which are of either sign, may come to, in units of the root of the sum of their squares.
const SPREAD: f64 = 4.0;

/// Part of the energies of a statement from which on their change over an instant is a jump; how often a step is halved
/// to find one.
const JUMP: f64 = 1e-9;
const HALVINGS: usize = 50;

/// The part of the energy that is missing from which on a jump accounts for it. Where a step ends at the boundary of a
/// comparison to the tolerance only, an energy that is continuous there differs by that.
const ACCOUNTS: f64 = 0.1;

/// Steps that are not looked into, at most, after others that were to no avail.
const MOST_SKIPS: usize = 64;

/// Rounding of an energy, in units of its largest value, that is not told.
const ROUNDING: f64 = 1e4 * f64::EPSILON;

/// Rounding of a speed, in units of those that the largest force makes, whose energy is not told: a body at
/// rest keeps no balance of what rounding moves it by.
const RESTING: f64 = 1e5 * f64::EPSILON;

/// What has gone into the energy of a run so far.
pub(super) struct Ledger {
    /// Whether the power of every statement is known.
    known: bool,
    /// E where the account begins.
    opening: f64,
    energy: f64,
    /// What events have changed it by; the account begins anew with them.
    jumps: f64,
    work: f64,
    dissipated: f64,
    /// What the method's damping took; `None` for a method that states nothing of it.
    taken: Option<f64>,
    /// The most it had taken at any time, and the most it has given back of it since, with the time:
    /// damping gives nothing back but what a method carries from step to step.
    most_taken: f64,
    made: f64,
    made_at: f64,
    /// max |v·T_v − T|, max |U| and ∫ |power| dt.
    kinetic: f64,
    potential: f64,
    turned: f64,
    /// ∫ Σ |f_i − (Gᵀλ + Kᵀψ)_i| y_i dt with what an error in each coordinate is measured against, and
    /// the time it is over.
    pushed: f64,
    duration: f64,
    /// Work of the largest force over the scale of its coordinate.
    largest: f64,
    /// The largest remainder, signed, and when.
    remainder: f64,
    at: f64,
    last: f64,
    /// Times and powers of the last points, the latest first.
    past: [(f64, [f64; 2]); PAST],
    points: usize,
    /// The step that changed the remainder most.
    jump: f64,
    ends: [Point; 2],
    /// The sums of what steps changed the remainder by that were not looked into, and of what was in doubt of
    /// them; and what is left in doubt of the others.
    unseen: [f64; 2],
    doubt: f64,
    /// Steps entered; those of them that were looked into for next to nothing since the last that was worth it; and the sum of
    /// the squares of what was in doubt of those that were not looked into because of these.
    entered: usize,
    slight: usize,
    spared: f64,
    /// Points at which the motion was looked at inside steps; of those steps what looking corrected, and what was in doubt
    /// before.
    looks: usize,
    corrected: [f64; 2],
    /// How many steps in a row were looked into to no avail, how many more are not looked into for that, and what
    /// the last of them changed the remainder by and was in doubt of it: only steps of which both are no more are
    /// left out.
    futile: usize,
    skips: usize,
    vain: [f64; 2],
    /// The largest jump of an energy that no motion follows.
    abrupt: Option<Abrupt>,
}

impl Ledger {
    /// Saves or restores the account.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Ledger {
            known,
            opening,
            energy,
            jumps,
            work,
            dissipated,
            taken,
            most_taken,
            made,
            made_at,
            kinetic,
            potential,
            turned,
            pushed,
            duration,
            largest,
            remainder,
            at,
            last,
            past,
            points,
            jump,
            ends,
            unseen,
            doubt,
            entered,
            slight,
            spared,
            looks,
            corrected,
            futile,
            skips,
            vain,
            abrupt,
        } = self;
        state.part("the power balance");
        state.flag(known);
        state.maybe(taken);
        for value in [
            opening, energy, jumps, work, dissipated, most_taken, made, made_at, kinetic,
            potential, turned, pushed, duration, largest, remainder, at, last, jump, doubt, spared,
        ] {
            state.number(value);
        }
        [unseen, corrected, vain].into_iter().for_each(|values| state.numbers(values));
        for (t, powers) in past {
            state.number(t);
            state.numbers(powers);
        }
        let counts = [points, entered, slight, looks, futile, skips];
        counts.into_iter().for_each(|count| state.count(count));
        ends.iter_mut().for_each(|end| state.numbers(end.flat_mut()));
        let mut list: Vec<Abrupt> = abrupt.take().into_iter().collect();
        state.every(&mut list, Abrupt::default(), |state, one| one.state(state));
        *abrupt = list.pop();
    }

    pub(super) fn new(system: &System, at: &Point) -> Self {
        Ledger {
            known: system.groups().all(|group| group.balances()),
            opening: 0.0,
            energy: 0.0,
            jumps: 0.0,
            work: 0.0,
            dissipated: 0.0,
            taken: None,
            most_taken: 0.0,
            made: 0.0,
            made_at: at.t(),
            kinetic: 0.0,
            potential: 0.0,
            turned: 0.0,
            pushed: 0.0,
            duration: 0.0,
            largest: 0.0,
            remainder: 0.0,
            at: at.t(),
            last: 0.0,
            past: [(0.0, [0.0; 2]); PAST],
            points: 0,
            jump: 0.0,
            ends: [at.clone(), at.clone()],
            unseen: [0.0; 2],
            doubt: 0.0,
            entered: 0,
            slight: 0,
            spared: 0.0,
            looks: 0,
            corrected: [0.0; 2],
            futile: 0,
            skips: 0,
            vain: [0.0; 2],
            abrupt: None,
        }
    }

    /// Goes on from a point that no step led to.
    pub(super) fn begin(&mut self, t: f64, pieces: &Residual) {
        let energy = self.look(pieces);
        self.opening += energy - self.energy;
        self.energy = energy;
        self.points = 1;
        self.past[0] = (t, powers(pieces));
    }

    /// Goes on from the same point on the other side of an event, where powers have jumped.
    pub(super) fn turn(&mut self, t: f64, pieces: &Residual) {
        self.points = 1;
        self.past[0] = (t, powers(pieces));
    }

    /// Goes on from the same instant after events that have set velocities or anything else.
    pub(super) fn jump(&mut self, t: f64, pieces: &Residual) {
        let energy = self.look(pieces);
        self.jumps += energy - self.energy;
        self.opening += energy - self.energy;
        self.energy = energy;
        self.turn(t, pieces);
    }

    /// Enters what the clock or an input adds to the energy over an instant: work.
    pub(super) fn drive(&mut self, by: f64) {
        self.energy += by;
        self.work += by;
        self.turned += by.abs();
    }

    /// Takes notice of an energy that jumps as no motion follows it; it is missing from then on.
    pub(super) fn tear(&mut self, abrupt: Abrupt) {
        if self.abrupt.as_ref().is_none_or(|known| abrupt.by.abs() > known.by.abs()) {
            self.abrupt = Some(abrupt);
        }
    }

    /// Takes notice of the energies of a point; E.
    fn look(&mut self, pieces: &Residual) -> f64 {
        let [inertial, potential] = energies(pieces);
        self.kinetic = self.kinetic.max(inertial.abs());
        self.potential = self.potential.max(potential.abs());
        inertial + potential
    }

    /// Enters an accepted step; `look_inside` integrates over it to a tolerance in J.
    pub(super) fn enter(
        &mut self,
        ends: &StepEnds<'_>,
        step: StepEnergy,
        (scales, steps): (&Scales, &Step),
        look_inside: impl FnOnce(f64) -> Option<Passed>,
    ) {
        let pieces = ends.pieces;
        let (t, now) = (ends.to.t(), powers(pieces));
        self.energy = self.look(pieces);
        let before = self.past[0].1;
        let h = t - self.past[0].0;
        let (exchanged, doubt) = match step.exchanged {
            Some(exchanged) => (exchanged, step.doubt),
            None => {
                let [(work, doubt), (dissipated, other)] =
                    std::array::from_fn(|k| self.integral(t, now[k], k));
                ([work, dissipated], doubt + other)
            }
        };
        let turned = 0.5 * h * (0..2).map(|k| before[k].abs() + now[k].abs()).sum::<f64>();
        let push = |forces: &[f64]| -> f64 {
            forces.iter().zip(scales.q().weights()).map(|(f, y)| f.abs() * y).sum()
        };
        self.pushed += 0.5 * h * (push(ends.before) + push(ends.after));
        self.duration += h;
        self.largest = scales.energy();
        let outside = Passed { exchanged, turned, taken: step.taken, doubt, looks: 0 };
        let passed = self.passed(outside, step, steps.tolerance(), look_inside);
        self.work += passed.exchanged[0];
        self.dissipated += passed.exchanged[1];
        self.turned += passed.turned;
        self.doubt += passed.doubt;
        if let Some(taken) = passed.taken {
            let sum = self.taken.unwrap_or(0.0) + taken;
            self.taken = Some(sum);
            self.most_taken = self.most_taken.max(sum);
            if self.most_taken - sum > self.made {
                (self.made, self.made_at) = (self.most_taken - sum, t);
            }
        }
        self.past.rotate_right(1);
        self.past[0] = (t, now);
        self.points = (self.points + 1).min(PAST);
        let remainder = self.remainder_with(&Passed::default());
        // Written so that NaN counts.
        if !(remainder.abs() <= self.remainder.abs()) {
            (self.remainder, self.at) = (remainder, t);
        }
        let given = -passed.taken.unwrap_or(0.0);
        let change = (remainder - self.last).abs().max(given);
        if change > self.jump {
            self.jump = change;
            self.ends[0].copy_from(ends.from);
            self.ends[1].copy_from(ends.to);
        }
        self.last = remainder;
    }

    /// What remains of the energy's change once a step is entered.
    fn remainder_with(&self, step: &Passed) -> f64 {
        let [work, dissipated] = step.exchanged;
        let taken = self.taken.unwrap_or(0.0) + step.taken.unwrap_or(0.0);
        let explained = self.work + work - self.dissipated - dissipated - taken;
        self.energy - self.opening - explained
    }

    /// What a step changes the remainder by, or gives.
    fn change(&self, step: &Passed) -> f64 {
        (self.remainder_with(step) - self.last).abs().max(-step.taken.unwrap_or(0.0))
    }

    /// What went through a step of which `outside` is known from accepted points: where that comes near to being
    /// told, from the motion inside it.
    fn passed(
        &mut self,
        outside: Passed,
        step: StepEnergy,
        tolerance: Option<f64>,
        look_inside: impl FnOnce(f64) -> Option<Passed>,
    ) -> Passed {
        let size = self.kinetic + self.turned + outside.turned;
        let near = NEAR * self.explained(size, tolerance);
        let change = self.change(&outside);
        let taken = self.taken.unwrap_or(0.0) + outside.taken.unwrap_or(0.0);
        let comes_near = self.remainder_with(&outside).abs().max(self.most_taken - taken) > near
            && self.unseen[0] + change > near;
        let is_doubtful = self.unseen[1] + outside.doubt > near;
        // What a method states of its damping may hold for its own quadrature only.
        let fixed = step.exchanged.is_some() && step.taken.is_some();
        let powerless = outside.turned == 0.0 && outside.exchanged == [0.0; 2];
        let alike = [change, outside.doubt].iter().zip(self.vain).all(|(now, v)| *now <= ALIKE * v);
        let skips = self.skips > 0 && alike;
        self.skips -= usize::from(skips);
        self.entered += 1;
        let asks = self.known && !fixed && !powerless && (comes_near || is_doubtful) && !skips;
        let spares = asks && self.slight >= SLIGHT_AT_FIRST + self.entered / ONE_IN;
        if spares {
            self.spared += outside.doubt.powi(2);
            return Passed { doubt: 0.0, ..outside };
        }
        if asks && self.looks > LOOKS + LOOKS_A_STEP * self.entered {
            // As much of its doubt as there was in those that were looked into.
            let [corrected, doubt] = self.corrected;
            let part = if doubt > 0.0 { (corrected / doubt).min(1.0) } else { 1.0 };
            return Passed { doubt: part * outside.doubt, ..outside };
        }
        let tolerance = AGREED * (part(tolerance) * outside.turned + near);
        let Some(inside) = asks.then(|| look_inside(tolerance)).flatten() else {
            self.unseen[0] += change;
            self.unseen[1] += outside.doubt;
            return Passed { doubt: 0.0, ..outside };
        };
        let inside = Passed { taken: inside.taken.or(outside.taken), ..inside };
        let off: f64 = (0..2).map(|k| (inside.exchanged[k] - outside.exchanged[k]).abs()).sum();
        self.slight = if off <= SLIGHT * inside.turned { self.slight + 1 } else { 0 };
        self.looks += inside.looks;
        self.corrected[0] += off;
        self.corrected[1] += outside.doubt;
        if self.change(&inside) > 0.5 * change && off < 0.1 * outside.doubt {
            (self.futile, self.vain) = (self.futile + 1, [change, outside.doubt]);
        } else {
            self.futile = 0;
        }
        self.skips = self.futile.min(MOST_SKIPS);
        inside
    }

    /// What tolerance and rounding explain of a remainder, where so much energy was there or turned over.
    fn explained(&self, size: f64, tolerance: Option<f64>) -> f64 {
        let mean = if self.duration > 0.0 { self.pushed / self.duration } else { 0.0 };
        let tolerated = part(tolerance) * size + DISPLACED * tolerance.unwrap_or(0.0) * mean;
        let rounding = ROUNDING * (self.kinetic + self.potential) + RESTING.powi(2) * self.largest;
        let doubt = self.doubt + SPREAD * self.spared.sqrt();
        (tolerated + doubt).min(NEVER_TOLERATED * size) + rounding
    }

    /// ∫ of a power over the step to `t`, where it is `now`: the trapezoid's and what the next terms
    /// of Newton's interpolation add, while they decrease. (Where they do not, the power is not
    /// smooth on the scale of the steps.) With the size of the last term, which is what is in doubt.
    fn integral(&self, t: f64, now: f64, k: usize) -> (f64, f64) {
        let (start, before) = (self.past[0].0, self.past[0].1[k]);
        let h = t - start;
        let nothing = now == 0.0 && self.past[..self.points].iter().all(|past| past.1[k] == 0.0);
        if nothing || !(h > 0.0) {
            return (0.0, 0.0);
        }
        let mut sum = 0.5 * h * (before + now);
        // Divided differences through t, t₀, t₋₁, …, and the integral of (s − h) s (s + k₁) (s + k₂) …
        // over s from 0 to h as a polynomial in s.
        let mut differences = [0.0; PAST + 1];
        let mut times = [0.0; PAST + 1];
        (differences[0], times[0]) = (now, t);
        for i in 0..self.points {
            (differences[i + 1], times[i + 1]) = (self.past[i].1[k], self.past[i].0);
        }
        let count = self.points + 1;
        for level in 1..count {
            for i in (level..count).rev() {
                differences[i] =
                    (differences[i] - differences[i - 1]) / (times[i] - times[i - level]);
            }
        }
        let mut basis = [0.0; PAST + 2];
        (basis[1], basis[2]) = (-h, 1.0);
        let mut most = 0.5 * h * (before.abs() + now.abs());
        let mut doubt = 0.5 * h * (now - before).abs();
        for i in 2..count {
            let area: f64 = (1..=i)
                .map(|power| basis[power] * h.powi(power as i32 + 1) / (power + 1) as f64)
                .sum();
            let term = differences[i] * area;
            doubt = term.abs();
            if !(term.abs() <= most) {
                break;
            }
            sum += term;
            most = term.abs();
            let shift = start - times[i];
            for power in (1..=i + 1).rev() {
                basis[power] = basis[power - 1] + shift * basis[power];
            }
        }
        (sum, doubt)
    }

    /// What has been entered so far: work, dissipation, the method's damping, what events changed, and what remains of
    /// the energy's change.
    pub(super) fn account(&self) -> Option<[f64; 5]> {
        let taken = self.taken.unwrap_or(0.0);
        self.known.then_some([self.work, self.dissipated, taken, self.jumps, self.last])
    }

    /// The account so far; `None` where the power of a statement is not known.
    pub(super) fn balance(&self, system: &System, step: &Step) -> Option<Balance> {
        if !self.known {
            return None;
        }
        let size = self.kinetic + self.turned;
        let explained = self.explained(size, step.tolerance());
        // Energy that a method makes by its formulas comes from nowhere all the same.
        let (missing, at) = match self.made > explained.max(self.remainder.abs()) {
            true => (self.made, self.made_at),
            false => (self.remainder, self.at),
        };
        let told = !(missing.abs() <= explained);
        let worst = told.then(|| blame(system, &self.ends)).flatten();
        let closes = if missing == 0.0 { 0.0 } else { missing.abs() / size };
        Some(Balance {
            energy: self.energy - self.opening + self.jumps,
            jumps: self.jumps,
            work: self.work,
            dissipated: self.dissipated,
            numerical: self.taken,
            closes,
            explained,
            missing,
            at,
            blamed: worst.map(|group| group.name().to_string()),
            holds: !told,
            abrupt: worst.and_then(|worst| {
                let accounts = |jump: &Abrupt| jump.by.abs() > ACCOUNTS * missing.abs();
                let known = self.abrupt.clone().filter(accounts);
                known.or_else(|| abrupt(system, worst, &self.ends).filter(accounts))
            }),
        })
    }
}

/// The part of the energy turned over that a tolerance explains.
fn part(tolerance: Option<f64>) -> f64 {
    tolerance.map_or(UNTOLD, |tolerance| UNTOLD.min(TOLERATED * tolerance))
}

/// Adds to work and dissipated energy what was evaluated at a node of a quadrature, of weight
/// `weight` in s.
pub(super) fn exchange(sum: &mut [f64; 2], weight: f64, pieces: &Residual) {
    sum.iter_mut().zip(powers(pieces)).for_each(|(sum, power)| *sum += weight * power);
}

/// Work and dissipation at a point, in W.
fn powers(pieces: &Residual) -> [f64; 2] {
    [pieces.balance[RowSink::WORK], pieces.balance[RowSink::DISSIPATED]]
}

/// The statement whose own part of the balance closes worst over a step: the change of its energy
/// against its power and the work of its part of M a − f + Gᵀλ + Kᵀψ, the sum of which over the
/// statements is zero at both ends.
fn blame<'s>(system: &'s System, ends: &[Point; 2]) -> Option<&'s dyn ElementGroup> {
    let h = ends[1].t() - ends[0].t();
    let want = Want::BALANCE | Want::MU | Want::F | Want::REACTION;
    let mut pieces = Residual::new(&system.dims());
    let mut worst: Option<(f64, &dyn ElementGroup)> = None;
    for group in system.groups() {
        let mut left = 0.0;
        for (end, sign) in ends.iter().zip([-1.0, 1.0]) {
            system.eval_group(group, end, want, &mut pieces);
            let [work, dissipated] = powers(&pieces);
            left += sign * energies(&pieces).iter().sum::<f64>() - 0.5 * h * (work - dissipated);
            for i in 0..pieces.f.len() {
                let force = pieces.mu[i] - pieces.f[i] + pieces.reaction[i];
                left -= 0.5 * force * (ends[1].q()[i] - ends[0].q()[i]);
            }
        }
        if worst.is_none_or(|(most, _)| left.abs() > most) {
            worst = Some((left.abs(), group));
        }
    }
    worst.map(|(_, group)| group)
}

/// Where an energy jumps within a step, on the straight line between its ends: it is halved around the larger change until
/// that is over an instant, or gone.
fn abrupt(system: &System, group: &dyn ElementGroup, ends: &[Point; 2]) -> Option<Abrupt> {
    let mut pieces = Residual::new(&system.dims());
    let mut energies_at = |at: &Point| {
        system.eval_group(group, at, Want::BALANCE, &mut pieces);
        energies(&pieces)
    };
    let change = |[from, to]: [[f64; 2]; 2]| to[0] - from[0] + (to[1] - from[1]);
    let mut found = ends.each_ref().map(|end| (end.clone(), energies_at(end)));
    let size: f64 = found.iter().flat_map(|(_, energies)| energies).map(|e| e.abs()).sum();
    for _ in 0..HALVINGS {
        let mut middle = found[0].0.clone();
        for (y, to) in middle.flat_mut().iter_mut().zip(found[1].0.flat()) {
            *y = 0.5 * (*y + to);
        }
        let energies = energies_at(&middle);
        let [before, after] = [[found[0].1, energies], [energies, found[1].1]].map(change);
        found[usize::from(before.abs() >= after.abs())] = (middle, energies);
    }
    let [from, to] = &found;
    let by = change([from.1, to.1]);
    let is_kinetic = from.1[0] != to.1[0];
    // Entries of `mass` take mass on or off.
    let counts = !is_kinetic || is_kinetic_energy(group);
    let statement = group.name().to_string();
    (counts && by.abs() > JUMP * size).then(|| Abrupt { t: to.0.t(), statement, by, is_kinetic })
}

/// Kinetic and potential energy of what was evaluated, in J.
fn energies(pieces: &Residual) -> [f64; 2] {
    [pieces.balance[RowSink::INERTIAL], pieces.balance[RowSink::POTENTIAL]]
}

/// What the energy of a statement changes by between two points, where that is more than rounding, and whether it is stored
/// in another way than in inertia.
pub(super) fn jump(was: &Residual, is: &Residual) -> Option<(f64, bool)> {
    let [was, is] = [was, is].map(energies);
    let size: f64 = was.iter().chain(&is).map(|energy| energy.abs()).sum();
    let by = is[0] - was[0] + (is[1] - was[1]);
    (by.abs() > JUMP * size).then_some((by, is[1] != was[1]))
}

/// Whether a statement is a kinetic energy, of which the momentum goes on.
pub(super) fn is_kinetic_energy(group: &dyn ElementGroup) -> bool {
    (0..group.instances()).any(|i| !group.moved(i).is_empty())
}

/// What a step took by the work theorem of the trapezoidal rule: with F̄ the mean of the total forces
/// at both ends, which are M a there, the kinetic energy changes by ½ (v + v')ᵀM̄(v' − v) while they
/// do the work F̄ᵀ(q' − q). For methods whose accelerations solve the equations of motion at the ends
/// of steps; exact where those are linear, of any step.
pub(super) fn taken_from_trapezoid(
    system: &System,
    ends: &StepEnds<'_>,
    change: &mut Vec<f64>,
    pieces: &mut Residual,
) -> f64 {
    let (from, to) = (ends.from, ends.to);
    change.clear();
    change.extend(to.v().iter().zip(from.v()).map(|(to, from)| to - from));
    let mut taken = 0.0;
    for (end, force) in [(from, ends.before), (to, ends.after)] {
        let weights = Weights { u: change, s: end.lambda(), r: end.psi() };
        system.eval(end, &weights, Want::MU, pieces);
        for i in 0..force.len() {
            let mean = 0.5 * (from.v()[i] + to.v()[i]);
            let work = force[i] * (to.q()[i] - from.q()[i]);
            taken += 0.5 * (work - mean * pieces.mu[i]);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::tests::models::{consistent, mass_pi};

    /// Steps that are looked into, of so many with powers that are in doubt at a tight tolerance, where looking shows that
    /// the work was another by this part of the energy that a step turns over.
    fn looked_into(off: f64, looks: usize) -> usize {
        const STEPS: usize = 20_000;
        let system = mass_pi();
        let mut ledger = Ledger::new(&system, &consistent(&system));
        let mut count = 0;
        for _ in 0..STEPS {
            let outside =
                Passed { exchanged: [1.0, 0.0], turned: 1.0, doubt: 1e-3, ..Passed::default() };
            let inside = Passed { exchanged: [1.0 + off, 0.0], doubt: 0.0, looks, ..outside };
            ledger.energy += 1.0 + off;
            let entered = ledger.passed(outside, StepEnergy::default(), Some(1e-12), |_| {
                count += 1;
                Some(inside)
            });
            ledger.work += entered.exchanged[0];
            ledger.turned += entered.turned;
            ledger.last = ledger.remainder_with(&Passed::default());
        }
        count
    }

    /// A run at a tight tolerance, the work of which is in doubt by less than matters, took ten times as long for being
    /// looked into at every step.
    #[test]
    fn steps_are_looked_into_where_that_is_worth_it() {
        assert_eq!(looked_into(0.1, 1), 20_000);
        let slight = looked_into(1e-6, 7);
        assert!(slight > 64 && slight < 64 + 20_000 / 100, "{slight}");
        // What takes much is not looked into everywhere, however much it corrects.
        let rough = looked_into(0.1, 31);
        assert!(rough > LOOKS / 31 && rough <= (LOOKS + LOOKS_A_STEP * 20_000) / 31 + 1, "{rough}");
    }
}
