//! The iteration.

use super::attainable::{Attainable, SPREAD};
use super::ending::{End, FIRMLY_STUCK, STUCK, ending, ratio, remaining};
use super::equations::Equations;
use super::options::{Damping, MatrixPolicy, NewtonOptions, Stop};
use super::outcome::{Converged, NewtonFailure, NewtonStats};
use crate::linear::{
    LinearSolver, Pattern, all_finite, solver_for, solver_of_corrections, solver_of_few_digits,
};

/// Corrections are rounding, to be reckoned with in later solves, if they stay as they are after they
/// have fallen to this part of the largest of their solve.
pub(super) const FALLEN: f64 = 0.1;
/// Corrections are rounding up to so many times what moving everything by one rounding makes.
pub(super) const ROUNDINGS: f64 = 32.0;
/// Units of rounding of coordinates and velocities up to which a correction may be rounding: the step's
/// formulas divide by h and h².
const PLAUSIBLE: f64 = 1e7;
/// Corrections are rounding up to so many times what moving the constraints by bounds of their rounding makes.
pub(super) const BOUNDS: f64 = 4.0;
/// Corrections that may grow in a solve before it counts as diverging. Far from the solution the
/// first ones do, also with the matrix of every iterate: one growth renews a matrix, and the first
/// correction with the new one need not be smaller yet.
const MOST_GROWTHS: usize = 3;
/// A rate measured in an earlier solve is taken for no better than this.
const LEAST_TRUSTED: f64 = 0.01;

/// Newton's iteration with its matrix, kept from solve to solve.
///
/// One solve repeats
///
/// ```text
///     J Δu = −r(u),   u ← u + Δu,   ξ = ‖Δu‖/‖Δu before‖
/// ```
///
/// until [`Stop`] is met. A correction of zero is convergence. Two ratios ξ ≥ 1, or NaN, are
/// divergence. An iteration that diverges or is slow with a matrix from an earlier solve starts
/// again, once, from the predicted unknowns with a fresh matrix ([`NewtonOptions::go_on`]); with a
/// matrix from the beginning of this solve it goes on with a fresh one. Where corrections go back and forth, it
/// begins once more, with the matrix of every iterate and corrections shortened ([`Damping::AtLast`]): at a
/// signed square root, whose slope is infinite, full corrections do so for ever.
///
/// # Allocations
/// None after construction (but for the factors of the linear solver, and once where corrections are first shortened).
#[derive(Debug)]
pub struct Newton {
    pub(super) options: NewtonOptions,
    pub(super) solver: Box<dyn LinearSolver>,
    values: Vec<f64>,
    pub(super) predicted: Vec<f64>,
    pub(super) r: Vec<f64>,
    pub(super) du: Vec<f64>,
    pub(super) du_before: Vec<f64>,
    /// A correction that stands for rounding.
    pub(super) rounded: Vec<f64>,
    pub(super) trial: Vec<f64>,
    pub(super) trial_du: Vec<f64>,
    pub(super) trace: Vec<f64>,
    pub(super) stats: NewtonStats,
    /// Whether the solver holds a factorization worth using.
    pub(super) factorized: bool,
    /// The coefficient the factorization belongs to.
    pub(super) coefficient: f64,
    /// Solves since the matrix was evaluated.
    pub(super) age: usize,
    /// Rates of both norms measured with this matrix.
    rates: Option<[f64; 2]>,
    /// The highest of the last solve that measured any, with the coefficient of that solve and the
    /// matrix's age.
    highest: Option<([f64; 2], f64, usize)>,
    /// Largest ratio of a polishing correction to the violation it was for, with this matrix.
    pub(super) amplification: f64,
    /// What rounding leaves of corrections down to [`Stop::RoundOff`].
    attainable: [Attainable; 2],
    /// The same of constraints' violations.
    pub(super) floor: Attainable,
    /// ρ/(1−ρ) of the last mean rate, and the coefficient of the solve it was measured in.
    pub(super) left: (f64, f64),
}

/// Where the matrix in use comes from.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Matrix {
    EarlierSolve,
    ThisSolve,
    ThisIterate,
}

/// Why an attempt ends without convergence.
pub(super) enum Unfinished {
    /// A fresh matrix is needed; `astray` when the iterate is no better than the prediction.
    Renew {
        astray: bool,
    },
    Failed(NewtonFailure),
}

impl Newton {
    /// For matrices of a pattern.
    pub fn new(pattern: &Pattern, options: NewtonOptions) -> Self {
        Newton::with_solver(solver_for(pattern), pattern.value_len() + 1, options)
    }

    /// For the systems of steps, each of which begins where the last one ended: what vanishes in a correction beside the
    /// others is rounding of the residual, and is not refined.
    pub(crate) fn of_steps(pattern: &Pattern, options: NewtonOptions) -> Self {
        let solver = solver_of_corrections(pattern);
        Newton::with_solver(solver, pattern.value_len() + 1, options)
    }

    /// Where a few digits of a correction are enough, as the residual after it shows what it lacks.
    pub(crate) fn of_few_digits(pattern: &Pattern, options: NewtonOptions) -> Self {
        let solver = solver_of_few_digits(pattern);
        Newton::with_solver(solver, pattern.value_len() + 1, options)
    }

    /// With linear algebra of one's own, whose value array has the given length.
    pub fn with_solver(
        solver: Box<dyn LinearSolver>,
        value_len: usize,
        options: NewtonOptions,
    ) -> Self {
        let n = solver.size();
        Newton {
            options,
            solver,
            values: vec![0.0; value_len],
            predicted: vec![0.0; n],
            r: vec![0.0; n],
            du: vec![0.0; n],
            du_before: vec![0.0; n],
            rounded: vec![0.0; n],
            trial: Vec::new(),
            trial_du: Vec::new(),
            trace: Vec::with_capacity(4 * options.max_iterations + 4),
            stats: NewtonStats::default(),
            factorized: false,
            coefficient: f64::NAN,
            age: 0,
            rates: None,
            highest: None,
            amplification: f64::NAN,
            attainable: Default::default(),
            floor: Attainable::default(),
            left: (f64::NAN, f64::NAN),
        }
    }

    /// Forgets the matrix: the next solve evaluates it anew.
    pub fn invalidate(&mut self) {
        self.factorized = false;
    }

    /// Work done since construction.
    pub fn stats(&self) -> NewtonStats {
        self.stats
    }

    /// Norms (the larger of the two) of the last solve's corrections, in order, those before a
    /// restart included.
    pub fn trace(&self) -> &[f64] {
        &self.trace
    }

    /// The last correction.
    pub fn correction(&self) -> &[f64] {
        &self.du
    }

    /// The last residual evaluated.
    pub fn residual(&self) -> &[f64] {
        &self.r
    }

    /// The factorization in use, for solves with the same matrix.
    pub fn solver(&mut self) -> &mut dyn LinearSolver {
        self.solver.as_mut()
    }

    /// Solves r(u) = 0 from the predicted `u`; `coefficient` is what the matrix scales with (such
    /// as βh²), by which [`MatrixPolicy::Recycle`] judges whether an old one still fits.
    ///
    /// # Errors
    /// [`NewtonFailure`]; `u` is then as predicted, and the matrix is forgotten.
    pub fn solve<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        coefficient: f64,
        stop: Stop,
    ) -> Result<Converged, NewtonFailure> {
        self.predicted.copy_from_slice(u);
        self.trace.clear();
        let mut matrix = Matrix::EarlierSolve;
        if !self.still_fits(coefficient) {
            self.factorized = false;
        }
        loop {
            if !self.factorized {
                if let Err(failure) = self.renew(equations, u, coefficient) {
                    return Err(self.give_up(u, failure));
                }
                matrix = Matrix::ThisIterate;
            }
            let outcome = match stop {
                Stop::MeanRate { noise } => {
                    self.iterate_by_mean_rate(equations, u, coefficient, noise, matrix)
                }
                _ => self.iterate(equations, u, coefficient, stop, matrix),
            };
            match outcome {
                Ok(converged) => {
                    let own_matrix = self.age == 0;
                    self.age += 1;
                    return Ok(Converged { own_matrix, ..converged });
                }
                Err(Unfinished::Renew { astray }) => {
                    self.factorized = false;
                    self.stats.restarts += 1;
                    if astray || !self.options.go_on {
                        u.copy_from_slice(&self.predicted);
                    }
                }
                Err(Unfinished::Failed(failure)) => {
                    return self
                        .shortened(equations, u, coefficient, stop, failure)
                        .map_err(|failure| self.give_up(u, failure));
                }
            }
        }
    }

    /// Makes sure that there is a factorization that fits the coefficient: of the matrix at `u` where
    /// there is none.
    ///
    /// # Errors
    /// [`NewtonFailure`]; the matrix is then forgotten.
    pub(crate) fn prepare<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        coefficient: f64,
    ) -> Result<(), NewtonFailure> {
        if self.still_fits(coefficient) { Ok(()) } else { self.renew(equations, u, coefficient) }
    }

    fn give_up(&mut self, u: &mut [f64], failure: NewtonFailure) -> NewtonFailure {
        self.stats.failures += 1;
        self.factorized = false;
        u.copy_from_slice(&self.predicted);
        failure
    }

    /// Which of the norms of corrections that stay as they are bounds of the constraints' rounding explain.
    pub(super) fn bounds_explain<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        norms: [f64; 2],
    ) -> [bool; 2] {
        if !equations.disturbed_residual(u, &mut self.rounded) {
            return [false; 2];
        }
        self.stats.residuals += 2;
        equations.residual(u, &mut self.r);
        self.solve_rounded();
        let bounds = equations.norms(&self.rounded);
        [0, 1].map(|i| norms[i] <= BOUNDS * bounds[i])
    }

    /// Norms of the correction that moving everything by one rounding makes, with the matrix at hand.
    /// Where rounding is not known they are 0; NaN, which explains nothing, where the equations have no
    /// value. Not asked for, and 0, where the last correction is far too large to be rounding.
    pub(super) fn rounding<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
    ) -> [f64; 2] {
        if !(equations.rounding(&self.du) <= PLAUSIBLE) {
            return [0.0; 2];
        }
        self.stats.residuals += 2;
        equations.rounded_residual(u, &mut self.rounded);
        equations.residual(u, &mut self.r);
        self.solve_rounded();
        equations.norms(&self.rounded)
    }

    pub(super) fn solve_rounded(&mut self) {
        for (moved, r) in self.rounded.iter_mut().zip(&self.r) {
            *moved -= r;
        }
        self.solver.solve(&mut self.rounded);
        self.stats.solves += 1;
    }

    fn still_fits(&self, coefficient: f64) -> bool {
        match self.options.policy {
            MatrixPolicy::Recycle { change, age, .. } => {
                let ratio = coefficient / self.coefficient;
                let fast = self.rates.is_none_or(|r| r[0].max(r[1]) <= self.options.slowest_kept);
                let near = ratio <= change && ratio * change >= 1.0;
                self.factorized && self.age < age && fast && near
            }
            _ => false,
        }
    }

    /// Evaluates and factorizes the matrix at `u`.
    pub(super) fn renew<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        coefficient: f64,
    ) -> Result<(), NewtonFailure> {
        self.factorized = false;
        self.stats.matrices += 1;
        equations.matrix(u, &mut self.values);
        self.stats.factorizations += 1;
        self.solver.factorize(&self.values)?;
        self.factorized = true;
        self.coefficient = coefficient;
        self.age = 0;
        self.rates = None;
        self.highest = None;
        self.amplification = f64::NAN;
        Ok(())
    }

    /// Evaluates the residual at `u`.
    pub(super) fn evaluate<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        iteration: usize,
    ) -> Result<(), NewtonFailure> {
        self.stats.residuals += 1;
        equations.residual(u, &mut self.r);
        match not_finite(&self.r) {
            Some(equation) => {
                Err(NewtonFailure::NotFinite { equation, value: self.r[equation], iteration })
            }
            None => Ok(()),
        }
    }

    /// What the rates measured in an earlier solve with this matrix say about one with another
    /// coefficient and an older matrix: where the coefficient rules, the rate is off by its change;
    /// where the distance from the matrix's point does, the rate goes with the age.
    fn trusted_rates(&self, coefficient: f64) -> Option<[f64; 2]> {
        let (rates, at, age) = self.highest.filter(|_| self.options.trust_rate)?;
        let change = ((coefficient - at) / self.coefficient).abs();
        let older = (self.age + 1) as f64 / (age + 1) as f64;
        Some(rates.map(|rate| older * rate.max(LEAST_TRUSTED) + change))
    }

    pub(super) fn iterate<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        coefficient: f64,
        stop: Stop,
        mut matrix: Matrix,
    ) -> Result<Converged, Unfinished> {
        let every = self.options.policy == MatrixPolicy::EveryIteration;
        let mut before: Option<[f64; 2]> = None;
        let mut grown = 0;
        let (mut evaluated, mut asked, mut bounds_asked) = (false, false, 0);
        let mut largest = [0.0f64; 2];
        let mut levels = [0.0f64; 2];
        let mut rate = 0.0;
        let trusted = self.trusted_rates(coefficient);
        let mut highest = None;
        let to_rounding = matches!(stop, Stop::RoundOff { .. });
        let targets = self.attainable.map(|a| if to_rounding { a.level().max(1.0) } else { 1.0 });
        for k in 1..=self.options.max_iterations {
            let outcome = if evaluated { Ok(()) } else { self.evaluate(equations, u, k) };
            if let Err(failure) = outcome {
                // An old matrix may have led astray; the predicted unknowns may not.
                return Err(if matrix == Matrix::EarlierSolve && k > 1 {
                    Unfinished::Renew { astray: true }
                } else {
                    Unfinished::Failed(failure)
                });
            }
            evaluated = false;
            if every && k > 1 && matrix != Matrix::ThisIterate {
                self.renew(equations, u, coefficient).map_err(Unfinished::Failed)?;
                matrix = Matrix::ThisIterate;
            }
            std::mem::swap(&mut self.du, &mut self.du_before);
            for (du, r) in self.du.iter_mut().zip(&self.r) {
                *du = -r;
            }
            self.solver.solve(&mut self.du);
            self.stats.solves += 1;
            self.stats.iterations += 1;
            let norms = equations.norms(&self.du);
            let norm = norms[0].max(norms[1]);
            let finite = norms[0].is_finite() && norms[1].is_finite();
            self.trace.push(if finite { norm } else { f64::INFINITY });
            if self.options.damping == Damping::Always && every && finite {
                evaluated = self.damped(equations, u, norms);
            } else {
                equations.correct(u, &self.du, 1.0);
            }
            if matrix == Matrix::ThisIterate {
                matrix = Matrix::ThisSolve;
            }

            let measured = before.map(|b| [ratio(norms[0], b[0]), ratio(norms[1], b[1])]);
            if let Some(rates) = measured {
                highest = Some(larger(highest, rates));
                self.rates = Some(rates);
                rate = rates[0].max(rates[1]);
            }
            let assumed = self.options.assumed_rate.map(|xi| [xi; 2]);
            let rates = measured.or(trusted).or(assumed);
            for (l, n) in largest.iter_mut().zip(norms) {
                *l = l.max(n);
            }
            let mut end = [0, 1].map(|i| {
                let [measured, rates] = [measured, rates].map(|rates| rates.map(|r| r[i]));
                ending(norms[i], measured, rates, (targets[i], largest[i]), stop)
            });
            let mut rounding = false;
            let stays =
                |i: usize| end[i] == End::NotYet && measured.is_some_and(|xi| xi[i] > STUCK);
            if finite
                && !asked
                && (0..2).any(stays)
                && (to_rounding || matrix != Matrix::EarlierSolve)
            {
                asked = true;
                let explained = self.rounding(equations, u);
                for (i, end) in end.iter_mut().enumerate() {
                    if *end == End::NotYet && norms[i] <= ROUNDINGS * explained[i] {
                        (*end, rounding) = (End::Stuck, true);
                    }
                }
            }
            // A bound is larger than what it bounds, and takes time: of what goes on falling it says nothing.
            let firm =
                |i: usize| end[i] == End::NotYet && measured.is_some_and(|xi| xi[i] > FIRMLY_STUCK);
            if finite
                && bounds_asked < MOST_GROWTHS
                && (0..2).any(firm)
                && matrix != Matrix::EarlierSolve
            {
                bounds_asked += 1;
                for (end, explained) in end.iter_mut().zip(self.bounds_explain(equations, u, norms))
                {
                    if *end == End::NotYet && explained {
                        (*end, rounding) = (End::Stuck, true);
                    }
                }
            }
            // Rounding jumps up and down: what was at its level stays there, whatever the last ratio.
            for ((end, norm), level) in end.iter_mut().zip(norms).zip(&mut levels) {
                match *end {
                    End::Stuck => *level = level.max(norm),
                    End::NotYet if to_rounding && norm <= SPREAD * *level => *end = End::Stuck,
                    _ => {}
                }
            }
            if finite && end.iter().all(|e| *e != End::NotYet) {
                if let Some(rates) = highest {
                    self.highest = Some((rates, coefficient, self.age));
                }
                let stuck = end.contains(&End::Stuck);
                let noise = rounding || self.is_rounding(norms, stop);
                if stuck && matrix == Matrix::EarlierSolve && !noise {
                    return Err(Unfinished::Renew { astray: true });
                }
                if to_rounding {
                    for (i, attainable) in self.attainable.iter_mut().enumerate() {
                        let left = before.filter(|_| stuck).map(|b| b[i].max(norms[i]));
                        attainable.learn(left.filter(|s| rounding || *s <= FALLEN * largest[i]));
                    }
                }
                let stagnated = stuck || (to_rounding && norm > 1.0);
                let iterations = self.trace.len();
                return Ok(Converged { iterations, rate, stagnated, own_matrix: false });
            }

            before = Some(norms);
            if !finite || (measured.is_some() && rate >= 1.0) {
                grown += 1;
                if !finite || grown == MOST_GROWTHS || matrix == Matrix::EarlierSolve {
                    if matrix == Matrix::EarlierSolve {
                        return Err(Unfinished::Renew { astray: true });
                    }
                    let (worst, correction) = self.worst();
                    let iterations = self.trace.len();
                    return Err(Unfinished::Failed(NewtonFailure::Diverged {
                        iterations,
                        rate: if finite { rate } else { f64::INFINITY },
                        worst,
                        correction,
                    }));
                }
            }
            if let (false, Some(rates)) = (every, measured) {
                let left = [0, 1].map(|i| remaining(norms[i], rates[i], targets[i], stop));
                let total = k as f64 + left[0].max(left[1]);
                let patience = match (self.options.policy, matrix) {
                    (MatrixPolicy::Recycle { patience, .. }, Matrix::EarlierSolve) => patience,
                    _ => self.options.max_iterations * 2 / 3,
                };
                if total > patience as f64 {
                    if matrix == Matrix::EarlierSolve {
                        return Err(Unfinished::Renew { astray: false });
                    }
                    self.renew(equations, u, coefficient).map_err(Unfinished::Failed)?;
                    matrix = Matrix::ThisIterate;
                    // The next ratio belongs to two matrices; it is no worse than the true one.
                }
            }
        }
        if matrix == Matrix::EarlierSolve {
            return Err(Unfinished::Renew { astray: false });
        }
        let (worst, correction) = self.worst();
        let iterations = self.trace.len();
        Err(Unfinished::Failed(NewtonFailure::TooSlow { iterations, rate, worst, correction }))
    }

    /// Whether corrections that no longer decrease with an old matrix are rounding: small enough to
    /// be, or as large as a fresh one left them.
    fn is_rounding(&self, norms: [f64; 2], stop: Stop) -> bool {
        match stop {
            Stop::Rate { fraction } => norms.iter().all(|n| *n <= fraction),
            Stop::RoundOff { .. } => {
                self.attainable.iter().zip(norms).all(|(a, norm)| a.explains(norm))
            }
            Stop::MeanRate { .. } => norms.iter().all(|n| *n <= 1.0),
        }
    }

    pub(super) fn worst(&self) -> (usize, f64) {
        let mut worst = 0;
        for (i, du) in self.du.iter().enumerate() {
            if du.abs() > self.du[worst].abs() || (du.is_nan() && !self.du[worst].is_nan()) {
                worst = i;
            }
        }
        (worst, self.du.get(worst).copied().unwrap_or(0.0))
    }
}

/// The larger of each rate.
fn larger(rates: Option<[f64; 2]>, others: [f64; 2]) -> [f64; 2] {
    rates.map_or(others, |rates| [rates[0].max(others[0]), rates[1].max(others[1])])
}

/// The first entry that is NaN or infinite.
pub(super) fn not_finite(values: &[f64]) -> Option<usize> {
    if all_finite(values) { None } else { values.iter().position(|r| !r.is_finite()) }
}
