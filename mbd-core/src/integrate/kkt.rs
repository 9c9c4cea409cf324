//! Accelerations of a point whose forces do not depend on them: one linear system.

use super::scheme::Failure;
use crate::assembly::{
    Dims, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};
use crate::linear::{LinearError, LinearSolver, solver_for};

/// Solves the equations of motion with the constraints differentiated twice,
///
/// ```text
///     a   λ
///     M   Gᵀ  =  f
///     G       = −γ
/// ```
///
/// for models without nonholonomic constraints whose forces do not depend on a or λ.
///
/// # Allocations
/// None after construction.
#[derive(Debug)]
pub(super) struct Kkt {
    plan: Plan,
    values: Vec<f64>,
    solver: Box<dyn LinearSolver>,
    pieces: Residual,
    b: Vec<f64>,
}

impl Kkt {
    pub(super) fn new(system: &System) -> Self {
        let Dims { n, m, .. } = system.dims_in_use();
        let mut plan = PlanBuilder::new(n + m);
        plan.term(Term::M, 0, 0);
        plan.term(Term::Gt, 0, n);
        plan.term(Term::G, n, 0);
        plan.constraints(SlotKind::Lambda, n, n);
        let plan = plan.build(system);
        Kkt {
            values: plan.values(),
            solver: solver_for(plan.pattern()),
            plan,
            pieces: Residual::new(&system.dims()),
            b: vec![0.0; n + m],
        }
    }

    /// Sets a and λ of a point from the rest of it. A singular matrix is reported by the index of
    /// its column.
    pub(super) fn solve(&mut self, system: &System, at: &mut Point) -> Result<(), Failure> {
        let n = at.a().len();
        let weights = Weights::of(at);
        let residual = (Want::F | Want::GAMMA, &mut self.pieces);
        self.plan.fill_with(system, at, &weights, &[1.0; 3], &mut self.values, residual);
        self.b[..n].copy_from_slice(&self.pieces.f);
        for (b, gamma) in self.b[n..].iter_mut().zip(&self.pieces.gamma) {
            *b = -gamma;
        }
        if let Some(row) = self.b.iter().position(|b| !b.is_finite()) {
            return Err(Failure::NotFinite { row, value: self.b[row] });
        }
        self.solver.factorize(&self.values).map_err(|error| match error {
            LinearError::Singular { column, .. } => Failure::Singular { index: column },
            LinearError::NotFinite { row, value, .. } => Failure::NotFinite { row, value },
            _ => Failure::NotFinite { row: 0, value: f64::NAN },
        })?;
        self.solver.solve(&mut self.b);
        at.a_mut().copy_from_slice(&self.b[..n]);
        at.lambda_mut().copy_from_slice(&self.b[n..]);
        Ok(())
    }
}
