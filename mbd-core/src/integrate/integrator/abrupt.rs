//! Energies that jump while positions and velocities stay: over an instant of the clock, or where a comparison changes.
//!
//! What changes by the clock or from outside, as a spring whose other end an input moves at once, does work by its jump:
//! U_t, ½ vᵀṀv and −T_t of the [power balance](super::super::balance), over no time. An energy that jumps at a place does none: its
//! force there is without bound, and no motion follows it.

use super::Integrator;
use crate::assembly::{Point, Residual, Want, Weights};
use crate::integrate::balance::{is_kinetic_energy, jump};
use crate::solution::Abrupt;

impl Integrator<'_> {
    /// Takes account of energies that are others at a point than at one that differs from it by time, inputs and the sides of
    /// comparisons alone. `clock`: it is time or an input that changes them.
    pub(super) fn account_for_jumps(&mut self, before: &Point, after: &Point, clock: bool) {
        let system = &*self.system;
        let mut pieces = [before, after].map(|_| Residual::new(&system.dims()));
        // All of them together are a program; one by one they are evaluated from their expressions.
        for (at, pieces) in [before, after].into_iter().zip(&mut pieces) {
            system.eval_all(at, &Weights::of(at), Want::BALANCE, pieces);
        }
        if jump(&pieces[0], &pieces[1]).is_none() {
            return;
        }
        for group in system.groups().filter(|group| clock || group.sees().comparisons) {
            for (at, pieces) in [before, after].into_iter().zip(&mut pieces) {
                system.eval_group(group, at, Want::BALANCE, pieces);
            }
            let Some((by, stores)) = jump(&pieces[0], &pieces[1]) else { continue };
            let is_kinetic = is_kinetic_energy(group);
            if !clock && (is_kinetic || stores) {
                let statement = group.name().to_string();
                self.ledger.tear(Abrupt { t: after.t(), statement, by, is_kinetic });
            } else {
                self.ledger.drive(by);
            }
        }
    }
}
