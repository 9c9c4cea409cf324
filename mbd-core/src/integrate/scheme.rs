//! What a method is to the driver: [`Scheme`] for the methods that solve one nonlinear system per
//! step, [`Stepper`] for all.
//!
//! A scheme holds only what is particular to a method: its unknowns, residual, matrix, update and
//! error estimate. [`Implicit`](super::implicit::Implicit) makes a stepper of it with the shared
//! predictor and Newton iteration; explicit and multistage methods are steppers of their own. The
//! driver steps a stepper with the shared controller, failure handling and dense output.

use super::controller::{Estimate, GROWTH};
use super::dense;
use super::predictor::Instant;
use crate::assembly::{Plan, Point, Residual, SlotKind, System};
use crate::checkpoint::State;
use crate::linear::LinearSolver;
use crate::nonlinear::{Converged, Newton, NewtonOptions, Stop};
use crate::scales::Scales;
use crate::solution::Stats;
use std::ops::Range;

/// A step: from `t` to `t_next`, of size `h`.
///
/// `t_next` is kept apart so that equal steps end at multiples of h without accumulated rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSpan {
    /// Start.
    pub t: f64,
    /// End.
    pub t_next: f64,
    /// Size.
    pub h: f64,
}

/// How accurately a step's equations are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Accuracy {
    /// So that the error estimate is right to a small part of this tolerance.
    Tolerance(f64),
    /// To round-off: fixed steps, when nothing else is said.
    RoundOff,
}

impl Stop {
    /// When Newton's iteration has converged so far that the error estimate is right to a
    /// thousandth of the tolerance (paper 002, eq. 40), or to round-off.
    pub(super) fn at(accuracy: Accuracy) -> Self {
        match accuracy {
            Accuracy::Tolerance(_) => Stop::RATE,
            Accuracy::RoundOff => Stop::ROUND_OFF,
        }
    }
}

/// An accepted step as energy sees it.
#[derive(Clone, Copy, Debug)]
pub struct StepEnds<'a> {
    /// The point it began from.
    pub from: &'a Point,
    /// The point it led to.
    pub to: &'a Point,
    /// f − Gᵀλ − Kᵀψ (n) at its beginning.
    pub before: &'a [f64],
    /// The same at its end.
    pub after: &'a [f64],
    /// What was evaluated at its end.
    pub pieces: &'a Residual,
}

/// What a method states of the energy in a step, from its own formulas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepEnergy {
    /// What its numerical damping took, in J; negative where it gave. `None` for a method without,
    /// and for one of which no formula is known.
    pub taken: Option<f64>,
    /// Work and dissipated energy over the step in J by the method's own quadrature; `None` leaves
    /// it to the driver.
    pub exchanged: Option<[f64; 2]>,
    /// What that quadrature may be off by, in J.
    pub doubt: f64,
    /// Whether `taken` is what the difference formula is off the trapezoidal rule by, which the driver may replace by
    /// finer ones.
    pub trapezoidal: bool,
}

/// A block of a method's unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// The scalars they are, or belong to, for names in messages.
    pub kind: SlotKind,
    /// Where they are in the vector of unknowns; the equations that belong to them stand in the
    /// same rows.
    pub range: Range<usize>,
    /// Index of the first among the scalars of its kind.
    pub first: usize,
    /// What they are to those scalars when they are not the scalars of the point themselves, such
    /// as `the correction of`. Such unknowns live in a step only and are predicted from 0.
    pub local: Option<&'static str>,
}

impl Block {
    /// Scalars of the point.
    pub fn of(kind: SlotKind, range: Range<usize>) -> Self {
        Block { kind, range, first: 0, local: None }
    }

    /// One scalar of the point.
    pub fn one(kind: SlotKind, scalar: usize, at: usize) -> Self {
        Block { kind, range: at..at + 1, first: scalar, local: None }
    }

    /// Index of an unknown among the scalars of its kind.
    pub fn scalar(&self, index: usize) -> usize {
        self.first + index - self.range.start
    }

    /// Unknowns of the step that belong to scalars of the point, and what they are to them.
    pub fn local(what: &'static str, kind: SlotKind, range: Range<usize>) -> Self {
        Block { kind, range, first: 0, local: Some(what) }
    }
}

/// A method that solves one nonlinear system per step.
pub trait Scheme {
    /// Name of the method.
    fn name(&self) -> &'static str;

    /// Blocks of unknowns; they cover the vector in order.
    fn blocks(&self) -> Vec<Block>;

    /// The instants the unknowns belong to, for the predictor; none for a scheme that
    /// [predicts](Self::predict) itself.
    fn instants(&self) -> Vec<Instant>;

    /// The plan of the Newton matrix.
    fn plan(&self) -> &Plan;

    /// Newton's iteration for the method's systems; with the linear algebra of the plan's pattern
    /// unless the method has one of its own.
    fn newton(&self, options: NewtonOptions) -> Newton {
        Newton::of_steps(self.plan().pattern(), options)
    }

    /// How its systems are iterated on, when nothing else is said.
    fn newton_options(&self) -> NewtonOptions {
        NewtonOptions::default()
    }

    /// Whether the plan's matrix is the derivative of the residual, as [`Probe`] wants it.
    fn probes(&self) -> bool {
        true
    }

    /// Takes a consistent point as the beginning, or as a new one after a discontinuity.
    fn start(&mut self, system: &System, at: &Point);

    /// The same after an event: what a start makes up for in small steps is paid at each of them, so that a method
    /// may ask how accelerations go on from there.
    fn start_after_event(&mut self, system: &System, at: &Point) {
        self.start(system, at);
    }

    /// Takes what errors are measured against, and what a rounding is: after the start, and
    /// whenever the motion has changed it.
    fn measure(&mut self, scales: &Scales);

    /// Prepares a step.
    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy);

    /// The coefficient whose change makes an old Newton matrix unfit, βh² here.
    fn coefficient(&self) -> f64;

    /// Predicts the unknowns of the step that has begun; false leaves it to the shared predictor.
    fn predict(&mut self, system: &System, from: &Point, u: &mut [f64]) -> bool {
        let _ = (system, from, u);
        false
    }

    /// Forgets what it predicts from but for the last values, for schemes that predict themselves.
    fn distrust(&mut self) {}

    /// The size of a step from a point below which the method makes accelerations of the rounding of positions, so that
    /// they, and the reactions with them, are off by more than a thousandth; 0 for a method that makes them of velocities.
    fn shortest(&mut self, from: &Point) -> f64 {
        let _ = from;
        0.0
    }

    /// Largest growth from step to step.
    fn growth(&self) -> f64 {
        GROWTH
    }

    /// Points within the last attempted step at which its forces act; none where they act at the ends
    /// alone.
    fn inner_points(&self) -> &[Point] {
        &[]
    }

    /// Order in q and v.
    fn order(&self) -> usize {
        2
    }

    /// Work of what counts as one residual: points at which it is evaluated, and what else is solved for.
    fn stages(&self) -> f64 {
        1.0
    }

    /// When Newton's iteration has converged; by default the error estimate is then right to a
    /// thousandth of the tolerance (paper 002, eq. 40).
    fn stop(&self, accuracy: Accuracy) -> Stop {
        Stop::at(accuracy)
    }

    /// The point that the unknowns `u` stand for.
    fn update(&self, from: &Point, u: &[f64], to: &mut Point);

    /// The equations' residual at the unknowns `u`, which stand for the point `to`.
    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]);

    /// Its derivative by the unknowns.
    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]);

    /// Weighted norms of a correction in units of the tolerance; each must be small.
    fn norms(&self, du: &[f64]) -> [f64; 2];

    /// The same of the motion alone, for methods whose norms have multipliers in them.
    fn norm_of_motion(&self, du: &[f64]) -> Option<f64> {
        let _ = du;
        None
    }

    /// The constraints' part of the residual, all other rows 0; false when they need not hold more
    /// accurately than the rest. For methods that meet them to round-off whatever the tolerance.
    fn constraints(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) -> bool {
        let _ = (system, to, u, r);
        false
    }

    /// Takes how Newton's iteration on the step has converged, with the norms of its corrections.
    fn converged(&mut self, converged: &Converged, norms: &[f64]) {
        let _ = (converged, norms);
    }

    /// What a correction changes of coordinates and velocities, in units of their round-off.
    fn rounding(&self, to: &Point, du: &[f64]) -> f64 {
        let _ = (to, du);
        0.0
    }

    /// What the last [`constraints`](Self::constraints) left, in units of the round-off of the
    /// coordinates and velocities they were computed from; infinite when not known.
    fn violation(&self, to: &Point) -> f64 {
        let _ = to;
        f64::INFINITY
    }

    /// Completes the point of a solved step by what it reports but does not solve for, such as the
    /// acceleration at its end. Estimates and the next step may use it.
    ///
    /// # Errors
    /// [`Failure`]; the step counts as not solved.
    fn complete(&mut self, system: &System, to: &mut Point, u: &[f64]) -> Result<(), Failure> {
        let _ = (system, to, u);
        Ok(())
    }

    /// Refines a solved step with the factorization its iteration ended with: estimates that are
    /// solutions of linear systems, projections.
    ///
    /// # Errors
    /// [`Failure`]; the step counts as not solved.
    fn refine(
        &mut self,
        system: &System,
        u: &[f64],
        to: &mut Point,
        solver: &mut dyn LinearSolver,
    ) -> Result<(), Failure> {
        let _ = (system, u, to, solver);
        Ok(())
    }

    /// The error estimate of a solved step.
    fn estimate(&self, from: &Point, to: &Point, u: &[f64], tolerance: f64) -> Estimate;

    /// What the method states of the energy in the step that is about to be taken.
    fn energy(&mut self, system: &System, ends: &StepEnds<'_>, u: &[f64]) -> StepEnergy {
        let _ = (system, ends, u);
        StepEnergy::default()
    }

    /// Takes a step; `pieces` holds f, the reaction, g, Gv + g_t and k at its end.
    fn accept(&mut self, system: &System, from: &Point, to: &Point, u: &[f64], pieces: &Residual);

    /// Fills `out` with the solution at a time within the last accepted step, as far as that goes
    /// without the equations of motion: t, q, v and x, and guesses of the rest.
    fn interpolate(&self, from: &Point, to: &Point, t: f64, out: &mut Point) {
        dense::interpolate(from, to, t, out);
    }

    /// Whether a, λ, ψ, ẋ and w of accepted points solve the equations of motion there, with the constraints on accelerations:
    /// what other methods leave of them is told only where that has no solution.
    fn solves_motion(&self) -> bool {
        false
    }

    /// Whether q and v are of order 5, which the cubics of [`interpolate`](Self::interpolate) are
    /// not: polynomials of higher degree through the accelerations take their place.
    fn is_of_order_5(&self) -> bool {
        false
    }
    /// Saves or restores what is carried from step to step ([`checkpoint`](crate::checkpoint), also
    /// for how to add a field). Restoring follows [`start`](Self::start).
    fn state(&mut self, state: &mut State<'_>);

    /// The algorithmic acceleration after the last accepted step, which is not that of its end
    /// ([`AlphaFamily`](super::AlphaFamily)); `None` for methods that carry none of their own.
    fn algorithmic(&self) -> Option<&[f64]> {
        None
    }
}

/// Why an attempted step yields no point.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Newton's iteration did not converge.
    Diverged {
        /// Iterations.
        iterations: usize,
        /// Unknown with the largest correction, by its index.
        worst: usize,
        /// That correction.
        correction: f64,
    },
    /// The equations gave NaN or infinity; `to` holds the point where.
    NotFinite {
        /// Index of the equation.
        row: usize,
        /// Its value.
        value: f64,
    },
    /// The matrix is singular.
    Singular {
        /// Index of the unknown or equation.
        index: usize,
    },
    /// A coordinate that constraints determine has changed as its velocity does not change it, or this
    /// as no acceleration does.
    Leapt {
        /// Index of the coordinate among the unknowns.
        index: usize,
        /// Whether it is the velocity.
        velocity: bool,
        /// By how much.
        by: f64,
    },
}

impl Failure {
    /// A failure of another system's equations by the unknowns of the method they belong to.
    pub(super) fn placed(self, place: impl Fn(usize) -> usize) -> Self {
        match self {
            Failure::Diverged { iterations, worst, correction } => {
                Failure::Diverged { iterations, worst: place(worst), correction }
            }
            Failure::NotFinite { row, value } => Failure::NotFinite { row: place(row), value },
            Failure::Singular { index } => Failure::Singular { index: place(index) },
            Failure::Leapt { index, velocity, by } => {
                Failure::Leapt { index: place(index), velocity, by }
            }
        }
    }
}

/// What a solved step reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// The error estimate, or [`Estimate::NONE`] when none was asked for.
    pub estimate: Estimate,
    /// Newton iterations.
    pub iterations: usize,
}

/// The Newton system of a step, for tests and studies.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The unknowns it was evaluated at.
    pub u: Vec<f64>,
    /// The residual.
    pub residual: Vec<f64>,
    /// The matrix, row by row.
    pub matrix: Vec<Vec<f64>>,
}

/// A method as the driver steps it.
pub trait Stepper {
    /// Name of the method.
    fn name(&self) -> &'static str;

    /// Blocks of unknowns.
    fn blocks(&self) -> Vec<Block>;

    /// Takes a consistent point as the beginning, or as a new one after a discontinuity.
    fn start(&mut self, system: &System, at: &Point);

    /// The same after an event: what a start makes up for in small steps is paid at each of them, so that a method
    /// may ask how accelerations go on from there.
    fn start_after_event(&mut self, system: &System, at: &Point) {
        self.start(system, at);
    }

    /// Takes what errors are measured against, and what a rounding is: after the start, and
    /// whenever the motion has changed it.
    fn measure(&mut self, scales: &Scales);

    /// Attempts a step; estimates its error when `accuracy` is a tolerance.
    ///
    /// # Errors
    /// [`Failure`]; the step may be attempted again with another size.
    fn attempt(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<Attempt, Failure>;

    /// Whether a step that was just solved keeps to its branch of the motion.
    ///
    /// # Errors
    /// [`Failure::Leapt`], by the [`blocks`](Self::blocks).
    fn keeps_branch(&self, from: &Point, to: &Point) -> Result<(), Failure> {
        let _ = (from, to);
        Ok(())
    }

    /// What the method states of the energy in the attempted step ([`Scheme::energy`]).
    fn energy(&mut self, system: &System, ends: &StepEnds<'_>) -> StepEnergy {
        let _ = (system, ends);
        StepEnergy::default()
    }

    /// What has happened when an attempt [diverged](Failure::Diverged).
    fn divergence(&self) -> &'static str {
        "Newton's iteration did not converge"
    }

    /// Takes the attempted step.
    fn accept(&mut self, system: &System, from: &Point, to: &Point, pieces: &Residual);

    /// Distrusts what was kept from earlier steps: the next attempt starts with a fresh matrix
    /// from the last accepted values.
    fn distrust(&mut self);

    /// The size of a step from a point below which the method makes accelerations of the rounding of positions
    /// ([`Scheme::shortest`]).
    fn shortest(&mut self, from: &Point) -> f64 {
        let _ = from;
        0.0
    }

    /// Largest growth from step to step.
    fn growth(&self) -> f64 {
        GROWTH
    }

    /// Points within the last attempted step at which its forces act ([`Scheme::inner_points`]).
    fn inner_points(&self) -> &[Point] {
        &[]
    }

    /// Order in q and v.
    fn order(&self) -> usize {
        2
    }

    /// Work of what counts as one residual: points at which it is evaluated, and what else is solved for.
    fn stages(&self) -> f64 {
        1.0
    }

    /// Weighted correction norms of the last attempt's Newton iteration, one per iteration.
    fn newton_norms(&self) -> &[f64] {
        &[]
    }

    /// The algorithmic acceleration after the last accepted step ([`Scheme::algorithmic`]).
    fn algorithmic(&self) -> Option<&[f64]> {
        None
    }

    /// The unknowns of the last attempt, in [`blocks`](Self::blocks); none for a method without.
    fn unknowns(&self) -> &[f64] {
        &[]
    }

    /// Fills `out` with the solution at a time within the last accepted step, as far as that goes
    /// without the equations of motion: t, q, v and x, and guesses of the rest.
    fn interpolate(&self, from: &Point, to: &Point, t: f64, out: &mut Point) {
        dense::interpolate(from, to, t, out);
    }

    /// Whether steps are short against the fastest of the motion, stiff or not.
    fn is_explicit(&self) -> bool {
        false
    }

    /// Whether a, λ, ψ, ẋ and w of accepted points solve the equations of motion there, with the constraints on accelerations:
    /// what other methods leave of them is told only where that has no solution.
    fn solves_motion(&self) -> bool {
        false
    }

    /// Whether q and v are of order 5, which the cubics of [`interpolate`](Self::interpolate) are
    /// not: polynomials of higher degree through the accelerations take their place.
    fn is_of_order_5(&self) -> bool {
        false
    }
    /// Saves or restores what is carried from step to step ([`checkpoint`](crate::checkpoint), also
    /// for how to add a field). Restoring follows [`start`](Self::start).
    fn state(&mut self, state: &mut State<'_>);

    /// Nonzero entries of the Newton matrix; 0 for a method without.
    fn matrix_entries(&self) -> usize {
        0
    }

    /// The Newton system of a step at given unknowns, or at the last accepted ones. `None` for a
    /// method without.
    fn probe(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        u: Option<&[f64]>,
    ) -> Option<Probe> {
        let _ = (system, from, span, u);
        None
    }
}
