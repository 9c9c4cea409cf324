//! What a step's equations lack between the stages.
//!
//! The embedded formula knows the stages and the beginning of a step. A force that is felt between
//! them only leaves no trace in it, and its estimate is then far too small. So a step that is to be
//! followed by a much longer one is looked at between its stages too.

use super::scheme::{RadauScheme, tolerance};
use super::stages::UNKNOWNS;
use super::tableau::{C, REAL, STAGES};
use crate::assembly::{SlotKind, System};
use crate::integrate::controller::Estimate;
use crate::integrate::weights::Mean;
use crate::linear::LinearSolver;

/// Where, as a part of the step: in the middle of the longest gap between the stages.
const BETWEEN: f64 = 0.4;

/// The stages' weights at a part of a step: of their polynomial, its integral, and the integral of that.
fn weights(s: f64) -> [[f64; STAGES]; 3] {
    let mut weights = [[0.0; STAGES]; 3];
    for j in 0..STAGES {
        let [a, b] = [C[(j + 1) % STAGES], C[(j + 2) % STAGES]];
        let scale = 1.0 / ((C[j] - a) * (C[j] - b));
        // (s − a)(s − b), s² − (a + b) s + a b.
        let [c0, c1] = [a * b, -(a + b)];
        weights[0][j] = scale * (c0 + s * (c1 + s));
        weights[1][j] = scale * s * (c0 + s * (c1 / 2.0 + s / 3.0));
        weights[2][j] = scale * s * s * (c0 / 2.0 + s * (c1 / 6.0 + s / 12.0));
    }
    weights
}

impl RadauScheme {
    /// Joins to the estimate what the equations of motion and of the states lack between the stages,
    /// as the error it makes in the unknowns of the estimate.
    pub(super) fn look_between(
        &mut self,
        system: &System,
        u: &[f64],
        eps: f64,
        solver: &mut dyn LinearSolver,
    ) {
        let [_, lambda, _, xd, _, size] = self.formulas.at;
        let h = self.formulas.span.h;
        let [value, first, second] = weights(BETWEEN);
        let sum = |row: &[f64; STAGES], i: usize| -> f64 {
            row.iter().enumerate().map(|(stage, w)| w * u[stage * size + i]).sum()
        };
        let (from, at) = (&self.from, &mut self.shifted);
        at.set_t(self.formulas.span.t + BETWEEN * h);
        at.hold_as(from);
        for (kind, range) in UNKNOWNS.into_iter().zip(self.formulas.at.windows(2)) {
            let values = at.get_mut(kind).iter_mut().zip(range[0]..range[1]);
            values.for_each(|(y, i)| *y = sum(&value, i));
        }
        for (i, q) in at.q_mut().iter_mut().enumerate() {
            *q = from.q()[i] + h * (BETWEEN * from.v()[i] + h * sum(&second, i));
        }
        for (i, v) in at.v_mut().iter_mut().enumerate() {
            *v = from.v()[i] + h * sum(&first, i);
        }
        for (i, x) in at.get_mut(SlotKind::X).iter_mut().enumerate() {
            *x = from.x()[i] + h * sum(&first, xd + i);
        }
        self.formulas.residual(system, &self.shifted, &mut self.pieces, &mut self.rhs);
        self.rhs[lambda..xd].fill(0.0);
        self.solve_real(solver);
        let c = REAL / h;
        let eps = tolerance(eps);
        let (mut q, mut x) = (Mean::default(), Mean::default());
        for (i, y) in self.scales.q().weights().iter().enumerate() {
            q.add(self.y[i] / (c * c) / (y * eps), i);
            q.add(self.felt() * self.y[i] / c / (y * eps), i);
        }
        for (i, y) in self.scales.x().weights().iter().enumerate() {
            x.add(self.y[xd + i] / c / (y * eps), xd + i);
        }
        let motion = Estimate::of_order(q.theta(), 4, q.worst);
        let states = Estimate::of_order(x.theta(), 4, x.worst);
        self.estimate = self.estimate.and(motion.and(states));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_integrate_parabolas() {
        for s in [0.1, BETWEEN, 0.9] {
            for k in 0..3 {
                let sum = |row: [f64; STAGES]| -> f64 {
                    row.iter().zip(C).map(|(w, c): (_, f64)| w * c.powi(k)).sum()
                };
                let n = f64::from(k);
                let exact =
                    [s.powi(k), s.powi(k + 1) / (n + 1.0), s.powi(k + 2) / ((n + 1.0) * (n + 2.0))];
                for (row, exact) in weights(s).into_iter().zip(exact) {
                    assert!((sum(row) - exact).abs() < 1e-14, "{s} {k}");
                }
            }
        }
    }
}
