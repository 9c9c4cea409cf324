//! The rows of the constraints' Jacobians, for questions about their rank.

use super::project::Metric;
use crate::assembly::{Plan, PlanBuilder, Point, System, Term, Weights};
use crate::linear::RowSet;

/// The rows of G over K of one system, ready to be evaluated at many points.
#[derive(Debug)]
pub(super) struct ConstraintRows {
    rows: usize,
    columns: usize,
    plan: Plan,
    coefficients: Vec<f64>,
    values: Vec<f64>,
    metric: Metric,
}

impl ConstraintRows {
    /// Rows as a plan has them: without what is zero by form, as in the matrices of the steps, and those that
    /// are not in the equations as zeros.
    pub(super) fn new(system: &System) -> Self {
        let dims = system.dims();
        let (rows, columns) = (dims.m + dims.p, dims.n);
        let mut plan = PlanBuilder::new(columns.max(rows));
        plan.term(Term::G, 0, 0);
        plan.term(Term::K, dims.m, 0);
        let plan = plan.build_once(system);
        let coefficients = vec![1.0; plan.coefficients()];
        let (values, metric) = (plan.values(), Metric::new(system));
        ConstraintRows { rows, columns, plan, coefficients, values, metric }
    }

    /// The rows at a point, in the metric of the masses, those `without` as zeros, and one more with the entries of
    /// `more` if there are any.
    pub(super) fn at(
        &mut self,
        system: &System,
        point: &Point,
        more: &[(usize, f64)],
        without: &dyn Fn(usize) -> bool,
    ) -> RowSet {
        let metric = self.metric.at(system, point);
        let weights = Weights::of(point);
        self.plan.fill(system, point, &weights, &self.coefficients, &mut self.values);
        // The pattern is square and has its whole diagonal, also where there are more rows than coordinates.
        let entries = self
            .plan
            .pattern()
            .entries()
            .zip(&self.values)
            .filter(|((r, c), _)| *r < self.rows && *c < self.columns && !without(*r));
        let more_entries = more.iter().map(|(c, value)| ((self.rows, *c), value));
        let entries = entries.chain(more_entries).map(|((r, c), v)| (r, c, v * metric[c]));
        let rows = self.rows + usize::from(!more.is_empty());
        RowSet::from_entries(rows, self.columns, entries)
    }
}
