//! Newton matrices as methods write them down: terms in their places, each with its coefficient as a
//! function of the step and with the evaluation it belongs to.
//!
//! A method names the derivatives of its formulas (βh², γh, …) in a struct of factors `F`. Where its
//! matrix mixes evaluations, at several points or with several weights, it names them in an enum `E`;
//! `()` stands for one alone.

use crate::assembly::{Plan, PlanBuilder, Point, SlotKind, System, Term, Weights};

/// A coefficient as a function of the step.
type Coefficient<F> = Box<dyn Fn(&F) -> f64>;

/// States the blocks of a matrix.
pub struct NewtonMatrixBuilder<F, E> {
    plan: PlanBuilder,
    rules: Vec<(E, Coefficient<F>)>,
}

impl<F, E: PartialEq> NewtonMatrixBuilder<F, E> {
    /// An empty matrix of the given size.
    pub fn new(size: usize) -> Self {
        NewtonMatrixBuilder { plan: PlanBuilder::new(size), rules: Vec::new() }
    }

    /// Places a term's block with its first entry at (row, col).
    pub fn term(
        &mut self,
        evaluation: E,
        term: Term,
        row: usize,
        col: usize,
        coefficient: impl Fn(&F) -> f64 + 'static,
    ) {
        self.plan.term(term, row, col);
        self.rules.push((evaluation, Box::new(coefficient)));
    }

    /// Places an identity block.
    pub fn unit(
        &mut self,
        evaluation: E,
        len: usize,
        row: usize,
        col: usize,
        coefficient: impl Fn(&F) -> f64 + 'static,
    ) {
        self.plan.unit(len, row, col);
        self.rules.push((evaluation, Box::new(coefficient)));
    }

    /// Says where the rows of the constraints of a kind begin, and the columns of their multipliers:
    /// at the same index. A redundant row becomes the equation "multiplier = 0".
    pub fn constraints(&mut self, kind: SlotKind, at: usize) {
        self.plan.constraints(kind, at, at);
    }

    /// Computes the pattern and all positions.
    pub fn build(self, system: &System) -> NewtonMatrix<F, E> {
        let plan = self.plan.build(system);
        NewtonMatrix { coefficients: vec![0.0; plan.coefficients()], plan, rules: self.rules }
    }
}

/// The Newton matrix of a method for one system.
pub struct NewtonMatrix<F, E> {
    plan: Plan,
    rules: Vec<(E, Coefficient<F>)>,
    coefficients: Vec<f64>,
}

impl<F, E: PartialEq> NewtonMatrix<F, E> {
    /// Where everything stands.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Fills `values` with the terms of some evaluations, at one point with one set of weights.
    pub fn fill(
        &mut self,
        evaluations: &[E],
        factors: &F,
        system: &System,
        (point, weights): (&Point, Weights<'_>),
        values: &mut [f64],
    ) {
        self.choose(evaluations, factors);
        self.plan.fill(system, point, &weights, &self.coefficients, values);
    }

    /// Adds the terms of further evaluations.
    pub fn accumulate(
        &mut self,
        evaluations: &[E],
        factors: &F,
        system: &System,
        (point, weights): (&Point, Weights<'_>),
        values: &mut [f64],
    ) {
        self.choose(evaluations, factors);
        self.plan.accumulate(system, point, &weights, &self.coefficients, values);
    }

    /// Terms with coefficient 0 are not evaluated.
    fn choose(&mut self, evaluations: &[E], factors: &F) {
        for (c, (evaluation, coefficient)) in self.coefficients.iter_mut().zip(&self.rules) {
            *c = if evaluations.contains(evaluation) { coefficient(factors) } else { 0.0 };
        }
    }
}
