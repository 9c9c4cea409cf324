//! What is evaluated and watched at every accepted point: carried forces, constraint violations, the balance.

use super::Integrator;
use super::hop::MOST;
use crate::assembly::{Want, Weights};
use crate::integrate::quadrature::Quadrature;
use crate::integrate::scheme::{StepEnds, StepEnergy};

/// Largest point, in numbers, at which the power balance is evaluated together with the forces.
const TOGETHER: usize = 5_000;

/// What is looked at in every accepted point: carried forces and constraint violations.
fn observed() -> Want {
    Want::F | Want::REACTION | Want::G | Want::GDOT | Want::K
}

impl Integrator<'_> {
    /// Evaluates what is carried and watched at the point reached; rows that are not in the equations
    /// too.
    pub(super) fn evaluate(&mut self) {
        let weights = Weights::of(&self.to);
        let mut evaluate =
            |want| self.system.eval_every_row(&self.to, &weights, want, &mut self.pieces);
        // The balance sums over all statements, which takes what is asked for with it from the
        // threads that a large system is divided among.
        if self.to.flat().len() <= TOGETHER {
            evaluate(observed() | Want::BALANCE);
        } else {
            evaluate(observed());
            evaluate(Want::BALANCE);
        }
    }

    /// Takes account of what was evaluated, and leaves the rows of the equations.
    pub(super) fn watch(&mut self) {
        self.forces.swap(0, 1);
        for (i, force) in self.forces[1].iter_mut().enumerate() {
            *force = self.pieces.f[i] - self.pieces.reaction[i];
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let pieces = &self.pieces;
        self.drift.position = self.drift.position.max(largest(&pieces.g));
        self.drift.velocity =
            self.drift.velocity.max(largest(&pieces.gdot)).max(largest(&pieces.k));
        self.system.silence(&mut self.pieces);
        if self.scales.raise(&self.to, &self.pieces) || self.stats.steps == 0 {
            self.stepper.measure(&self.scales);
        }
    }

    pub(super) fn observe(&mut self) {
        self.evaluate();
        self.watch();
    }

    /// Lets the method take the step, and enters it in the power balance.
    pub(super) fn take(&mut self) {
        let Integrator {
            system,
            stepper,
            from,
            to,
            pieces,
            forces,
            ledger,
            quadrature,
            hopped,
            ..
        } = self;
        let [before, after] = &*forces;
        let ends = StepEnds { from, to, before, after, pieces };
        let energy = if hopped.0 {
            hopped.1 += 1;
            stepper.start(system, to);
            StepEnergy::default()
        } else {
            hopped.1 = if hopped.1 < MOST { 0 } else { MOST };
            let energy = stepper.energy(system, &ends);
            stepper.accept(system, from, to, pieces);
            energy
        };
        let (system, stepper) = (&**system, &**stepper);
        let look_inside = |tolerance: f64| {
            let quadrature =
                quadrature.get_or_insert_with(|| Box::new(Quadrature::new(system, stepper)));
            quadrature.over(system, stepper, &ends, tolerance, energy.trapezoidal)
        };
        ledger.enter(&ends, energy, (&self.scales, &self.step), look_inside);
    }

    pub(super) fn count(&mut self, h: f64) {
        let stats = &mut self.stats;
        stats.h_min = if stats.steps == 0 { h } else { stats.h_min.min(h) };
        stats.h_max = stats.h_max.max(h);
        stats.steps += 1;
        stats.substituted += usize::from(self.sliding.substituted);
    }
}
