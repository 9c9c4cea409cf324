//! A stepper of any [`Scheme`]: predict, solve by the shared Newton iteration, estimate.

use super::controller::Estimate;
use super::predictor::Predictor;
use super::scheme::{
    Accuracy, Attempt, Block, Failure, Probe, Scheme, StepEnds, StepEnergy, StepSpan, Stepper,
};
use crate::assembly::{Point, Residual, SlotKind, System};
use crate::checkpoint::State;
use crate::linear::LinearError;
use crate::nonlinear::{
    Equations, MatrixPolicy, Newton, NewtonFailure, NewtonOptions, NewtonStats, move_by_rounding,
};
use crate::scales::Scales;
use crate::solution::Stats;

/// A method with one nonlinear system per step.
pub struct Implicit<S> {
    scheme: S,
    newton: Newton,
    predictor: Predictor,
    u: Vec<f64>,
    /// The unknowns, each moved by one rounding.
    rounded: Vec<f64>,
    span: StepSpan,
    /// Whether the scheme predicts by itself.
    predicts: bool,
}

impl<S: Scheme> Implicit<S> {
    /// Around a scheme; `policy` and `trust_rate` are those of [`NewtonOptions`], the scheme's own
    /// when `None`.
    pub fn new(scheme: S, policy: Option<MatrixPolicy>, trust_rate: Option<bool>) -> Self {
        let size = scheme.plan().pattern().size();
        let instants = scheme.instants();
        let predictor = Predictor::new(if instants.is_empty() { 0 } else { size }, instants);
        let own = scheme.newton_options();
        let options = NewtonOptions {
            policy: policy.unwrap_or(own.policy),
            trust_rate: trust_rate.unwrap_or(own.trust_rate),
            ..own
        };
        let newton = scheme.newton(options);
        let span = StepSpan { t: 0.0, t_next: 0.0, h: 0.0 };
        let (u, rounded) = (vec![0.0; size], vec![0.0; size]);
        Implicit { scheme, newton, predictor, u, rounded, span, predicts: false }
    }

    /// Bounds the predictor's degree, for studies.
    pub fn limit_degree(&mut self, degree: usize) {
        self.predictor.limit_degree(degree);
    }

    /// Begins from a point, whatever was before.
    fn forget(&mut self, at: &Point) {
        self.predictor.reset();
        self.newton.invalidate();
        self.gather(at);
        self.predictor.push(at.t(), 0.0, &self.u);
    }

    fn gather(&mut self, at: &Point) {
        for block in self.scheme.blocks() {
            let u = &mut self.u[block.range];
            match block.local {
                None => {
                    let count = u.len();
                    u.copy_from_slice(&at.get(block.kind)[..count])
                }
                Some(_) => u.fill(0.0),
            }
        }
    }
}

/// Newton's failure as the driver sees it.
pub(super) fn failure(failure: NewtonFailure) -> Failure {
    match failure {
        NewtonFailure::NotFinite { equation, value, .. } => {
            Failure::NotFinite { row: equation, value }
        }
        NewtonFailure::Linear(LinearError::Singular { column, .. }) => {
            Failure::Singular { index: column }
        }
        NewtonFailure::Diverged { iterations, worst, correction, .. }
        | NewtonFailure::TooSlow { iterations, worst, correction, .. } => {
            Failure::Diverged { iterations, worst, correction }
        }
        // A matrix with NaN at a finite residual: a derivative that does not exist.
        _ => Failure::NotFinite { row: 0, value: f64::NAN },
    }
}

/// Adds the work of an iteration to that of a run.
pub(super) fn count(stats: &mut Stats, before: NewtonStats, after: NewtonStats) {
    stats.newton_iterations += after.iterations - before.iterations;
    stats.residuals += after.residuals - before.residuals;
    stats.jacobians += after.matrices - before.matrices;
    stats.factorizations += after.factorizations - before.factorizations;
}

/// The equations of one step, as Newton sees them.
struct StepEquations<'a, S> {
    scheme: &'a mut S,
    system: &'a System,
    from: &'a Point,
    to: &'a mut Point,
    rounded: &'a mut [f64],
}

impl<S: Scheme> StepEquations<'_, S> {
    /// The point of `u`, which and whose coordinates, velocities and states are moved by one rounding.
    fn round(&mut self, u: &[f64]) {
        self.rounded.copy_from_slice(u);
        move_by_rounding(self.rounded);
        self.scheme.update(self.from, self.rounded, self.to);
        for kind in [SlotKind::Q, SlotKind::V, SlotKind::X] {
            move_by_rounding(self.to.get_mut(kind));
        }
    }
}

impl<S: Scheme> Equations for StepEquations<'_, S> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.scheme.update(self.from, u, self.to);
        self.scheme.residual(self.system, self.to, u, r);
    }

    fn rounded_residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.round(u);
        self.scheme.residual(self.system, self.to, self.rounded, r);
    }

    fn disturbed_residual(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        self.scheme.update(self.from, u, self.to);
        let StepEquations { scheme, system, to, .. } = self;
        system.disturbed(to, |to| scheme.residual(system, to, u, r));
        true
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        self.scheme.update(self.from, u, self.to);
        self.scheme.matrix(self.system, self.to, u, values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.scheme.norms(du)
    }

    fn norm_of_motion(&self, du: &[f64]) -> Option<f64> {
        self.scheme.norm_of_motion(du)
    }

    /// Where a comparison is not held on its side, as one of a law that has no value beyond it. What is held is smooth, and
    /// where that has no solution nearby the step is too long.
    fn may_shorten(&self) -> bool {
        self.from.sides().contains(&0.0)
    }

    fn constraints(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        self.scheme.update(self.from, u, self.to);
        self.scheme.constraints(self.system, self.to, u, r)
    }

    fn rounded_constraints(&mut self, u: &[f64], r: &mut [f64]) {
        self.round(u);
        self.scheme.constraints(self.system, self.to, self.rounded, r);
    }

    fn disturbed_constraints(&mut self, u: &[f64], r: &mut [f64]) -> bool {
        self.scheme.update(self.from, u, self.to);
        let StepEquations { scheme, system, to, .. } = self;
        system.disturbed(to, |to| scheme.constraints(system, to, u, r))
    }

    fn rounding(&self, du: &[f64]) -> f64 {
        self.scheme.rounding(self.to, du)
    }

    fn violation(&self) -> f64 {
        self.scheme.violation(self.to)
    }
}

impl<S: Scheme> Stepper for Implicit<S> {
    fn name(&self) -> &'static str {
        self.scheme.name()
    }

    fn blocks(&self) -> Vec<Block> {
        self.scheme.blocks()
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.scheme.start(system, at);
        self.forget(at);
    }

    fn start_after_event(&mut self, system: &System, at: &Point) {
        self.scheme.start_after_event(system, at);
        self.forget(at);
    }

    fn measure(&mut self, scales: &Scales) {
        self.scheme.measure(scales);
    }

    fn attempt(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<Attempt, Failure> {
        self.span = span;
        self.scheme.begin(from, span, accuracy);
        self.predicts = self.scheme.predict(system, from, &mut self.u);
        if !self.predicts {
            self.predictor.predict(span.t_next, span.h, &mut self.u);
        }
        let stop = self.scheme.stop(accuracy);
        let coefficient = self.scheme.coefficient();
        let before = self.newton.stats();
        let (scheme, rounded) = (&mut self.scheme, &mut self.rounded[..]);
        let mut equations = StepEquations { scheme, system, from, to, rounded };
        let solved = self.newton.solve(&mut equations, &mut self.u, coefficient, stop);
        let solved = solved.and_then(|converged| {
            self.newton.polish(&mut equations, &mut self.u, coefficient)?;
            Ok(converged)
        });
        count(stats, before, self.newton.stats());
        let converged = solved.map_err(failure)?;
        self.scheme.converged(&converged, self.newton.trace());
        self.scheme.update(from, &self.u, to);
        self.scheme.complete(system, to, &self.u)?;
        self.scheme.refine(system, &self.u, to, self.newton.solver())?;
        let estimate = match accuracy {
            Accuracy::Tolerance(eps) => self.scheme.estimate(from, to, &self.u, eps),
            Accuracy::RoundOff => Estimate::NONE,
        };
        Ok(Attempt { estimate, iterations: converged.iterations })
    }

    fn energy(&mut self, system: &System, ends: &StepEnds<'_>) -> StepEnergy {
        self.scheme.energy(system, ends, &self.u)
    }

    fn accept(&mut self, system: &System, from: &Point, to: &Point, pieces: &Residual) {
        if !self.predicts {
            let scheme = &self.scheme;
            self.predictor.judge(&self.u, |e| {
                let [q, x] = scheme.norms(e);
                q.max(x)
            });
            self.predictor.push(self.span.t_next, self.span.h, &self.u);
        }
        self.scheme.accept(system, from, to, &self.u, pieces);
    }

    fn distrust(&mut self) {
        self.predictor.distrust();
        self.scheme.distrust();
        self.newton.invalidate();
    }

    fn shortest(&mut self, from: &Point) -> f64 {
        self.scheme.shortest(from)
    }

    fn growth(&self) -> f64 {
        self.scheme.growth()
    }

    fn inner_points(&self) -> &[Point] {
        self.scheme.inner_points()
    }

    fn order(&self) -> usize {
        self.scheme.order()
    }

    fn stages(&self) -> f64 {
        self.scheme.stages()
    }

    fn algorithmic(&self) -> Option<&[f64]> {
        self.scheme.algorithmic()
    }

    fn state(&mut self, state: &mut State<'_>) {
        // Newton's iteration begins with a matrix of its own.
        let Implicit { scheme, newton: _, predictor, u, rounded: _, span: _, predicts: _ } = self;
        scheme.state(state);
        predictor.state(state);
        state.numbers(u);
    }

    fn interpolate(&self, from: &Point, to: &Point, t: f64, out: &mut Point) {
        self.scheme.interpolate(from, to, t, out);
    }

    fn solves_motion(&self) -> bool {
        self.scheme.solves_motion()
    }

    fn is_of_order_5(&self) -> bool {
        self.scheme.is_of_order_5()
    }

    fn newton_norms(&self) -> &[f64] {
        self.newton.trace()
    }

    fn unknowns(&self) -> &[f64] {
        &self.u
    }

    fn matrix_entries(&self) -> usize {
        self.scheme.plan().pattern().value_len()
    }

    fn probe(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        u: Option<&[f64]>,
    ) -> Option<Probe> {
        if !self.scheme.probes() {
            return None;
        }
        if u.is_none() {
            self.gather(from);
        }
        let u = u.map_or_else(|| self.u.clone(), <[f64]>::to_vec);
        let mut to = from.clone();
        self.scheme.begin(from, span, Accuracy::RoundOff);
        self.scheme.update(from, &u, &mut to);
        let mut residual = vec![0.0; u.len()];
        self.scheme.residual(system, &to, &u, &mut residual);
        let mut values = self.scheme.plan().values();
        self.scheme.matrix(system, &to, &u, &mut values);
        let mut matrix = vec![vec![0.0; u.len()]; u.len()];
        for ((row, col), value) in self.scheme.plan().pattern().entries().zip(values) {
            matrix[row][col] = value;
        }
        Some(Probe { u, residual, matrix })
    }
}
