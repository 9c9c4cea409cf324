//! Consistent accelerations, multipliers, rates and variables: all level-two unknowns at once.

use std::cell::Cell;

use super::error::StartError;
use super::project::not_finite;
use crate::assembly::{
    Dims, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};
use crate::linear::LinearError;
use crate::nonlinear::{
    Equations, MatrixPolicy, Newton, NewtonFailure, NewtonOptions, NewtonStats, Stop,
};

/// Blocks of unknowns, in order.
const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];

/// Change of an unknown, relative to the largest of its kind, that no longer matters.
const FINE: f64 = 1e-14;
/// The same that is still accepted as rounding when it no longer shrinks.
const COARSE: f64 = 1e-8;

/// How the iteration is tried: damped or not, and how far from the guesses. A force nonlinear in a
/// multiplier, f(λ², …), may have no slope at the guess λ = 0, where the matrix is then singular
/// though the equations have a solution (seed 001, problem (15)).
const ATTEMPTS: [(bool, f64); 5] =
    [(false, 0.0), (true, 0.0), (false, 1.0), (true, 1.0), (true, -1.0)];

/// Solves for a, λ, ψ, ẋ and w at given t, q, v, x, from the values of the point as guesses:
///
/// ```text
///     M a + Gᵀλ + Kᵀψ − f = 0        M − f_a   Gᵀ − f_λ   Kᵀ − f_ψ   −f_ẋ   −f_w
///     G a + γ             = 0        G
///     K a + ζ             = 0        K
///     d                   = 0        d_a       d_λ        d_ψ        d_ẋ    d_w
///     w − φ               = 0        −φ_a      −φ_λ       −φ_ψ       −φ_ẋ   1 − φ_w
/// ```
///
/// by Newton's iteration with that matrix, exact; damped when it does not converge at once.
/// Returns the iterations. Redundant rows must have been declared before.
///
/// # Errors
/// [`StartError::Singular`], [`StartError::Unsolved`], [`StartError::NotFinite`].
pub fn solve_accelerations(system: &System, point: &mut Point) -> Result<usize, StartError> {
    let mut accelerations = Accelerations::new(system, MatrixPolicy::EveryIteration);
    let guesses = accelerations.gather(point);
    let first_multiplier = accelerations.offsets[1];
    let mut iterations = 0;
    let mut outcome: Result<usize, StartError> = Ok(0);
    for (damping, aside) in ATTEMPTS {
        let options = NewtonOptions {
            policy: MatrixPolicy::EveryIteration,
            max_iterations: if damping { 100 } else { 20 },
            damping,
            ..Default::default()
        };
        accelerations.newton = Newton::new(accelerations.plan.pattern(), options);
        let mut u = guesses.clone();
        u[first_multiplier..].iter_mut().for_each(|u| *u += aside);
        let solved = accelerations.solve_from(system, point, u);
        iterations += accelerations.newton.stats().iterations;
        match solved {
            Ok(()) => return Ok(iterations),
            // What the user's own guesses led to says most.
            Err(failure) if outcome.is_ok() => {
                outcome = Err(accelerations.equations(system, point).explain(failure));
            }
            Err(_) => {}
        }
    }
    outcome
}

/// The equations of [`solve_accelerations`], to be solved at one point after another.
///
/// # Allocations
/// None after construction, by [`solve`](Self::solve).
#[derive(Debug)]
pub(crate) struct Accelerations {
    plan: Plan,
    coefficients: Vec<f64>,
    offsets: [usize; 6],
    out: Residual,
    /// Rows that read "multiplier = 0".
    inactive: Vec<usize>,
    newton: Newton,
    u: Vec<f64>,
}

impl Accelerations {
    /// For a system whose redundant rows have been declared.
    pub(crate) fn new(system: &System, policy: MatrixPolicy) -> Self {
        let dims = system.dims();
        let offsets = offsets(&dims);
        let plan = plan(system, &offsets);
        let mut coefficients = vec![1.0; plan.coefficients()];
        coefficients[..UNKNOWNS.len()].fill(-1.0);
        let inactive = [SlotKind::Lambda, SlotKind::Psi]
            .iter()
            .zip([offsets[1], offsets[2]])
            .flat_map(|(&kind, at)| system.inactive_rows(kind).map(move |i| at + i))
            .collect();
        let options = NewtonOptions { policy, ..Default::default() };
        Accelerations {
            newton: Newton::new(plan.pattern(), options),
            plan,
            coefficients,
            offsets,
            out: Residual::new(&dims),
            inactive,
            u: Vec::with_capacity(offsets[5]),
        }
    }

    /// Solves from the values of the point as guesses; its a, λ, ψ, ẋ and w are what the iteration
    /// got to also when it fails. Unknowns and equations of a failure are numbered in this order.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        point: &mut Point,
    ) -> Result<(), NewtonFailure> {
        let mut u = std::mem::take(&mut self.u);
        u.clear();
        for kind in UNKNOWNS {
            u.extend_from_slice(point.get(kind));
        }
        self.solve_from(system, point, u)
    }

    /// Work done since construction.
    pub(crate) fn stats(&self) -> NewtonStats {
        self.newton.stats()
    }

    fn gather(&self, point: &Point) -> Vec<f64> {
        UNKNOWNS.iter().flat_map(|&kind| point.get(kind)).copied().collect()
    }

    fn solve_from(
        &mut self,
        system: &System,
        point: &mut Point,
        mut u: Vec<f64>,
    ) -> Result<(), NewtonFailure> {
        if u.is_empty() {
            return Ok(());
        }
        let Accelerations { plan, coefficients, offsets, out, inactive, newton, .. } = self;
        let sizes = Cell::new([0.0; 5]);
        let mut equations =
            LevelTwo { system, plan, coefficients, offsets: *offsets, out, inactive, sizes, point };
        let stop = Stop::RoundOff { noise: COARSE / FINE };
        let solved = newton.solve(&mut equations, &mut u, 1.0, stop);
        equations.write(&u);
        self.u = u;
        solved.map(|_| ())
    }

    fn equations<'a>(&'a mut self, system: &'a System, point: &'a mut Point) -> LevelTwo<'a> {
        let Accelerations { plan, coefficients, offsets, out, inactive, .. } = self;
        let sizes = Cell::new([0.0; 5]);
        LevelTwo { system, plan, coefficients, offsets: *offsets, out, inactive, sizes, point }
    }
}

fn offsets(dims: &Dims) -> [usize; 6] {
    let mut at = [0; 6];
    for (i, len) in [dims.n, dims.m, dims.p, dims.nx, dims.nw].into_iter().enumerate() {
        at[i + 1] = at[i] + len;
    }
    at
}

fn plan(system: &System, at: &[usize; 6]) -> Plan {
    let mut plan = PlanBuilder::new(at[5]);
    for (kind, &col) in UNKNOWNS.iter().zip(at) {
        plan.term(Term::F(*kind), 0, col);
    }
    plan.term(Term::M, 0, 0);
    plan.term(Term::React, 0, at[1]);
    plan.term(Term::ReactPsi, 0, at[2]);
    plan.term(Term::G, at[1], 0);
    plan.term(Term::K, at[2], 0);
    for (kind, &col) in UNKNOWNS.iter().zip(at) {
        plan.term(Term::D(*kind), at[3], col);
        plan.term(Term::W(*kind), at[4], col);
    }
    plan.constraints(SlotKind::Lambda, at[1], at[1]);
    plan.constraints(SlotKind::Psi, at[2], at[2]);
    plan.build(system)
}

struct LevelTwo<'a> {
    system: &'a System,
    plan: &'a Plan,
    coefficients: &'a [f64],
    offsets: [usize; 6],
    out: &'a mut Residual,
    /// Rows that read "multiplier = 0".
    inactive: &'a [usize],
    /// Largest entry of each block so far.
    sizes: Cell<[f64; 5]>,
    point: &'a mut Point,
}

impl LevelTwo<'_> {
    fn want() -> Want {
        Want::MU
            | Want::F
            | Want::REACTION
            | Want::GU
            | Want::GAMMA
            | Want::KU
            | Want::ZETA
            | Want::D
            | Want::W
    }

    fn write(&mut self, u: &[f64]) {
        for (k, kind) in UNKNOWNS.into_iter().enumerate() {
            let block = &u[self.offsets[k]..self.offsets[k + 1]];
            self.point.get_mut(kind).copy_from_slice(block);
        }
    }

    fn name(&self, index: usize) -> String {
        let k = (0..5).rfind(|&k| self.offsets[k] <= index && index < self.offsets[k + 1]);
        k.map_or("?".into(), |k| self.system.scalar_name(UNKNOWNS[k], index - self.offsets[k]))
    }

    fn explain(&self, failure: NewtonFailure) -> StartError {
        match failure {
            NewtonFailure::NotFinite { .. } => not_finite(self.system, self.point, Self::want()),
            NewtonFailure::Linear(LinearError::Singular { column, .. }) => {
                StartError::Singular { unknown: self.name(column) }
            }
            NewtonFailure::Linear(LinearError::NotFinite { row, column, value }) => {
                StartError::NotFinite {
                    what: format!(
                        "the derivative of the equation of {} by {}",
                        self.name(row),
                        self.name(column)
                    ),
                    value,
                    statement: self.name(row),
                    reads: String::new(),
                }
            }
            NewtonFailure::Diverged { iterations, worst, correction, .. }
            | NewtonFailure::TooSlow { iterations, worst, correction, .. } => {
                StartError::Unsolved { iterations, unknown: self.name(worst), correction }
            }
            NewtonFailure::Linear(_) => StartError::Singular { unknown: "any unknown".into() },
        }
    }
}

impl Equations for LevelTwo<'_> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.write(u);
        self.system.eval_at(self.point, Self::want(), self.out);
        let at = self.offsets;
        let out = &*self.out;
        for (i, r) in r[..at[1]].iter_mut().enumerate() {
            *r = out.mu[i] + out.reaction[i] - out.f[i];
        }
        for (i, r) in r[at[1]..at[2]].iter_mut().enumerate() {
            *r = out.gu[i] + out.gamma[i];
        }
        for (i, r) in r[at[2]..at[3]].iter_mut().enumerate() {
            *r = out.ku[i] + out.zeta[i];
        }
        r[at[3]..at[4]].copy_from_slice(&out.d);
        r[at[4]..].copy_from_slice(&out.w);
        for &row in self.inactive {
            r[row] = u[row];
        }
        let mut sizes = self.sizes.get();
        for (k, size) in sizes.iter_mut().enumerate() {
            *size = u[at[k]..at[k + 1]].iter().fold(*size, |m: f64, v| m.max(v.abs()));
        }
        self.sizes.set(sizes);
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        self.write(u);
        let point = &*self.point;
        let weights = Weights::of(point);
        self.plan.fill(self.system, point, &weights, self.coefficients, values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        // Rounding of one kind of unknown (a reaction) is felt in the others (accelerations at
        // rest), so that none is judged more finely than a little of the largest.
        let sizes = self.sizes.get();
        let least = 1e-3 * sizes.iter().fold(0.0f64, |m, s| m.max(*s));
        let mut norm = 0.0f64;
        for (k, size) in sizes.into_iter().enumerate() {
            let block = &du[self.offsets[k]..self.offsets[k + 1]];
            if block.iter().any(|change| change.is_nan()) {
                return [f64::NAN, 0.0];
            }
            let largest = block.iter().fold(0.0f64, |m, change| m.max(change.abs()));
            if largest > 0.0 {
                norm = norm.max(largest / (FINE * size.max(least).max(largest)));
            }
        }
        [norm, 0.0]
    }
}
