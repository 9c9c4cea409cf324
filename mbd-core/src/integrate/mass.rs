//! Looks at the mass of every coordinate, at the start and, where it changes, along a run: a mass that
//! turns negative makes every result wrong and no step fail, and one that vanishes leaves no
//! acceleration.
//!
//! What is looked at is the diagonal of M, after every step or, while it is far from zero, every few. A
//! negative entry is looked into on the motions that the constraints leave ([`indefinite_mass`]), for
//! it may be none of them.

use crate::assembly::{Plan, PlanBuilder, Point, SlotKind, System, Term, Weights};
use crate::checkpoint::State;
use crate::error::StepError;
use crate::start::{IndefiniteMass, indefinite_mass, mass_changes};

/// Rounding of an entry, relative to the largest it has been.
const ROUNDING: f64 = 1e-10;
/// Part of the largest it has been below which the mass of a coordinate has vanished, where no step
/// succeeds;
const VANISHED: f64 = 1e-4;
/// below which it is about to, where it also falls to this part of itself within the step that failed.
const VANISHING: f64 = 1e-2;
const FALLING: f64 = 0.6;

/// Looks are further apart while zero is so many changes of the mass away.
const FAR: f64 = 4.0;
/// Steps from one look to the next, at most.
const MOST_APART: usize = 8;

pub(super) struct MassWatch {
    plan: Plan,
    values: Vec<f64>,
    /// Coordinates with a mass of their own, and where in the values it is.
    entries: Vec<(usize, usize)>,
    /// The largest that each has been.
    largest: Vec<f64>,
    /// What it was when it was last looked at.
    before: Vec<f64>,
    changes: bool,
    /// Steps from one look to the next, and to the next one.
    apart: usize,
    wait: usize,
}

impl MassWatch {
    pub(super) fn new(system: &System) -> Self {
        let n = system.dims().n;
        let mut plan = PlanBuilder::new(n);
        plan.term(Term::M, 0, 0);
        let plan = plan.build(system);
        let pattern = plan.pattern();
        let entries = (0..n).map(|i| (i, pattern.position(i, i)));
        let entries: Vec<_> = entries.filter(|(_, at)| *at < pattern.value_len()).collect();
        MassWatch {
            values: plan.values(),
            plan,
            largest: vec![0.0; entries.len()],
            before: vec![0.0; entries.len()],
            entries,
            changes: mass_changes(system),
            apart: 1,
            wait: 0,
        }
    }

    /// Saves or restores what was seen.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let MassWatch { plan: _, values: _, entries: _, largest, before, changes: _, apart, wait } =
            self;
        state.part("the masses seen");
        state.numbers(largest);
        state.numbers(before);
        state.count(apart);
        state.count(wait);
    }

    /// Looks at a point reached; whether it is worth while to look at further ones.
    ///
    /// # Errors
    /// [`StepError::Mass`].
    pub(super) fn look(&mut self, system: &System, at: &Point) -> Result<bool, StepError> {
        if self.wait > 1 {
            self.wait -= 1;
            return Ok(true);
        }
        self.plan.fill(system, at, &Weights::of(at), &[1.0], &mut self.values);
        let (mut negative, mut far) = (false, true);
        let entries = self.entries.iter().zip(&mut self.largest).zip(&mut self.before);
        for ((&(_, place), largest), before) in entries {
            let mass = self.values[place];
            *largest = largest.max(mass);
            negative |= mass < -ROUNDING * *largest;
            // What stays zero goes nowhere.
            far &= mass >= FAR * (mass - *before).abs();
            *before = mass;
        }
        if !negative {
            self.apart = if far { (2 * self.apart).min(MOST_APART) } else { 1 };
            self.wait = self.apart;
            return Ok(self.changes);
        }
        match indefinite_mass(system, at) {
            Some(cause) if cause.mass < 0.0 => Err(StepError::Mass { t: at.t(), cause }),
            // That of a motion which the constraints do not allow.
            _ => Ok(false),
        }
    }

    /// Whether a step of size `h` from a point failed where a mass vanishes: at the point, or where the
    /// velocities lead.
    pub(super) fn vanished(&mut self, system: &System, from: &Point, h: f64) -> Option<StepError> {
        let here = self.parts(system, from);
        let least = |parts: &[f64]| {
            parts.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
        };
        if let Some(k) = least(&here).filter(|&k| here[k] < VANISHED) {
            return Some(self.error(system, from, k));
        }
        let mut ahead = from.clone();
        ahead.set_t(from.t() + h);
        for (q, v) in ahead.q_mut().iter_mut().zip(from.v()) {
            *q += h * v;
        }
        if !ahead.flat().iter().all(|y| y.is_finite()) {
            return None;
        }
        let there = self.parts(system, &ahead);
        let k = least(&there).filter(|&k| there[k] < VANISHING && there[k] < FALLING * here[k])?;
        Some(self.error(system, &ahead, k))
    }

    /// The masses at a point as parts of the largest that each has been.
    fn parts(&mut self, system: &System, at: &Point) -> Vec<f64> {
        self.plan.fill(system, at, &Weights::of(at), &[1.0], &mut self.values);
        let part = |((_, place), largest): (&(usize, usize), &f64)| {
            if *largest > 0.0 { self.values[*place] / largest } else { 1.0 }
        };
        self.entries.iter().zip(&self.largest).map(part).collect()
    }

    fn error(&self, system: &System, at: &Point, k: usize) -> StepError {
        let (i, place) = self.entries[k];
        let cause = indefinite_mass(system, at).unwrap_or(IndefiniteMass {
            coordinates: vec![system.scalar_name(SlotKind::Q, i)],
            mass: self.values[place],
            statement: None,
            t: at.t(),
        });
        StepError::Mass { t: at.t(), cause }
    }
}
