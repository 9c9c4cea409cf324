//! Errors of reactions: those of the run, as they are told, at the ends of macro-steps.
//!
//! What a run tells of λ and ψ solves the equations of motion at its positions and velocities
//! ([`between`](crate::integrate::between)), whatever the method makes of them. So their errors come of those of q, v and x, and
//! the ends of macro-steps say as much of them as of these.

use super::macro_step::Macro;
use crate::assembly::{Point, SlotKind};
use crate::checkpoint::State;

/// The largest errors of λ and of ψ so far.
pub(super) struct Reactions {
    errors: [Vec<f64>; 2],
}

impl Reactions {
    pub(super) fn new(m: usize, p: usize) -> Self {
        Reactions { errors: [vec![0.0; m], vec![0.0; p]] }
    }

    /// Saves or restores them.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        self.errors.iter_mut().for_each(|errors| state.numbers(errors));
    }

    /// Largest errors of λ and of ψ.
    pub(super) fn errors(&self) -> (&[f64], &[f64]) {
        (&self.errors[0], &self.errors[1])
    }

    /// Compares those of the run with those of the macro-step that has just been solved and ends there.
    pub(super) fn compare(&mut self, m: &Macro, run: &Point) {
        let last = m.tableau.stages - 1;
        let own = &m.u[last * m.formulas.size()..];
        // Rows of surfaces, the last ones, are in the formulas only while the motion slides along one.
        let places =
            [SlotKind::Lambda, SlotKind::Psi].into_iter().zip(m.formulas.at[1..].windows(2));
        for ((kind, at), errors) in places.zip(&mut self.errors) {
            let ends = own[at[0]..at[1]].iter().zip(run.get(kind));
            for (error, (own, run)) in errors.iter_mut().zip(ends) {
                *error = error.max((own - run).abs());
            }
        }
    }
}
