//! Work over a step from the motion inside it, where powers at its ends say too little.
//!
//! The power balance integrates powers through accepted points, which a method places where its *errors* want
//! them. Where nothing has an error, as in a mechanism all of whose motion is prescribed, that can be twice in
//! a turn, and says nothing about work. So work is integrated here by Clenshaw and Curtis's rule over 4, 8, 16
//! and 32 intervals, until two of them agree, on points [`between`](super::between) the ends that solve the
//! equations of motion.
//!
//! # What a difference formula takes
//! Along any path with dq = v dt the kinetic energy changes by ∫ v·M dv, and the forces F = f − Gᵀλ − Kᵀψ do
//! the work ∫ F·dq. What the second is more than the first the path has taken, since its v̇ is not the
//! acceleration that F makes: ∫ F·dq − (M v)·dv, with the differentials of the polynomials through the
//! nodes. The trapezoidal rule of [`balance`](super::balance) is the same with two nodes.

use super::between::Between;
use super::scheme::{StepEnds, Stepper};
use crate::assembly::{Point, Residual, RowSink, System, Want, Weights};
use std::f64::consts::PI;

/// Intervals of the finest rule, and of the coarsest.
const FINEST: usize = 32;
const COARSEST: usize = 4;

/// What went through a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Passed {
    /// Work and dissipated energy, in J.
    pub(super) exchanged: [f64; 2],
    /// ∫ |power| dt, in J.
    pub(super) turned: f64,
    /// What the method's formulas took, where that is asked for.
    pub(super) taken: Option<f64>,
    /// What the last two rules differ by, in J.
    pub(super) doubt: f64,
    /// At how many points the motion was looked at for it.
    pub(super) looks: usize,
}

/// Integrates over steps of one system.
#[derive(Debug)]
pub(super) struct Quadrature {
    between: Between,
    point: Point,
    pieces: Residual,
    powers: [[f64; 2]; FINEST + 1],
    /// q, v, F and M v of each node, where they are asked for.
    paths: [Vec<f64>; FINEST + 1],
}

impl Quadrature {
    pub(super) fn new(system: &System, stepper: &dyn Stepper) -> Self {
        Quadrature {
            between: Between::new(system, stepper),
            point: system.initial_point(),
            pieces: Residual::new(&system.dims()),
            powers: [[0.0; 2]; FINEST + 1],
            paths: [const { Vec::new() }; FINEST + 1],
        }
    }

    /// Integrates over the stepper's last step until two rules agree to `tolerance` in J, with what a difference
    /// formula took if `taken` says so. `None` where powers are not finite.
    pub(super) fn over(
        &mut self,
        system: &System,
        stepper: &dyn Stepper,
        ends: &StepEnds<'_>,
        tolerance: f64,
        taken: bool,
    ) -> Option<Passed> {
        // What a step is found to be does not depend on the ones looked at before it.
        self.between.forget();
        let [start, end] = [ends.from, ends.to].map(|end| end.t());
        let mut last: Option<Passed> = None;
        let mut stride = FINEST / COARSEST;
        while stride > 0 {
            let known = |node: usize| last.is_some() && node.is_multiple_of(2 * stride);
            for node in (0..=FINEST).step_by(stride).filter(|node| !known(*node)) {
                match node {
                    0 => self.point.copy_from(ends.from),
                    FINEST => self.point.copy_from(ends.to),
                    _ => {
                        let part = 0.5 * (1.0 - (PI * node as f64 / FINEST as f64).cos());
                        let t = start + part * (end - start);
                        let ends = (ends.from, ends.to);
                        self.between.fill(system, stepper, ends, t, &mut self.point);
                    }
                }
                self.look(system, node, taken);
            }
            let mut passed = self.sum(stride, end - start, taken);
            passed.looks = FINEST / stride - 1;
            if !passed.exchanged.iter().chain(&passed.taken).all(|sum| sum.is_finite()) {
                return None;
            }
            if let Some(before) = last {
                let changes = (0..2).map(|k| passed.exchanged[k] - before.exchanged[k]);
                let change = passed.taken.zip(before.taken).map(|(now, before)| now - before);
                passed.doubt = changes.chain(change).map(f64::abs).sum();
                if passed.doubt <= tolerance {
                    return Some(passed);
                }
            }
            last = Some(passed);
            stride /= 2;
        }
        last
    }

    /// Takes down what is at a node.
    fn look(&mut self, system: &System, node: usize, taken: bool) {
        let Quadrature { point, pieces, .. } = self;
        let weights = Weights { u: point.v(), ..Weights::of(point) };
        let forces = Want::MU | Want::F | Want::REACTION;
        let want = if taken { Want::BALANCE | forces } else { Want::BALANCE };
        system.eval(point, &weights, want, pieces);
        self.powers[node] = [RowSink::WORK, RowSink::DISSIPATED].map(|power| pieces.balance[power]);
        if taken {
            let path = &mut self.paths[node];
            path.clear();
            path.extend(point.q().iter().chain(point.v()));
            path.extend(pieces.f.iter().zip(&pieces.reaction).map(|(f, reaction)| f - reaction));
            path.extend(&pieces.mu);
        }
    }

    /// The sums over every node of a stride.
    fn sum(&self, stride: usize, h: f64, taken: bool) -> Passed {
        let intervals = FINEST / stride;
        let mut passed = Passed::default();
        let mut took = 0.0;
        for i in 0..=intervals {
            let weight = weight(i, intervals);
            let [work, dissipated] = self.powers[i * stride];
            passed.exchanged[0] += 0.5 * h * weight * work;
            passed.exchanged[1] += 0.5 * h * weight * dissipated;
            passed.turned += 0.5 * h * weight * (work.abs() + dissipated.abs());
            if !taken {
                continue;
            }
            let here = &self.paths[i * stride];
            let n = here.len() / 4;
            let (force, momentum) = (&here[2 * n..3 * n], &here[3 * n..]);
            for j in (0..=intervals).filter(|j| *j != i) {
                // The derivative of a constant is zero: changes from here count, and round least.
                let slope = weight * slope(i, j, intervals);
                let there = &self.paths[j * stride];
                for k in 0..n {
                    let (dq, dv) = (there[k] - here[k], there[n + k] - here[n + k]);
                    took += slope * (force[k] * dq - momentum[k] * dv);
                }
            }
        }
        Passed { taken: taken.then_some(took), ..passed }
    }
}

/// Weight of a node in Clenshaw and Curtis's rule on (−1, 1).
fn weight(node: usize, intervals: usize) -> f64 {
    let angle = 2.0 * PI * node as f64 / intervals as f64;
    let half = intervals / 2;
    let sum: f64 = (1..=half)
        .map(|j| {
            let factor = if j == half { 1.0 } else { 2.0 };
            factor * (j as f64 * angle).cos() / (4.0 * (j * j) as f64 - 1.0)
        })
        .sum();
    let factor = if node == 0 || node == intervals { 1.0 } else { 2.0 };
    factor * (1.0 - sum) / intervals as f64
}

/// Factor of the value at node `j` in the derivative at another node `i` of the polynomial through the nodes on
/// (−1, 1).
fn slope(i: usize, j: usize, intervals: usize) -> f64 {
    let twice = |node: usize| if node == 0 || node == intervals { 2.0 } else { 1.0 };
    let sign = if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
    let angle = 0.5 * PI / intervals as f64;
    // x_i − x_j of x = −cos.
    let apart = 2.0 * ((i + j) as f64 * angle).sin() * ((i as f64 - j as f64) * angle).sin();
    sign * twice(i) / (twice(j) * apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(node: usize, intervals: usize) -> f64 {
        -(PI * node as f64 / intervals as f64).cos()
    }

    #[test]
    fn polynomials_are_integrated_exactly() {
        for intervals in [4, 8, 16, 32] {
            for power in 0..=intervals as i32 {
                let nodes = 0..=intervals;
                let sum: f64 = nodes
                    .map(|node| weight(node, intervals) * at(node, intervals).powi(power))
                    .sum();
                let exact = if power % 2 == 0 { 2.0 / f64::from(power + 1) } else { 0.0 };
                assert!((sum - exact).abs() < 1e-14, "{intervals} {power}: {sum}");
            }
        }
    }

    #[test]
    fn polynomials_are_differentiated_exactly() {
        for intervals in [4, 8, 16, 32] {
            let f = |x: f64| x.powi(4) - 2.0 * x.powi(3) + x;
            let d = |x: f64| 4.0 * x.powi(3) - 6.0 * x * x + 1.0;
            for i in 0..=intervals {
                let here = at(i, intervals);
                let others = (0..=intervals).filter(|j| *j != i);
                let rate: f64 =
                    others.map(|j| slope(i, j, intervals) * (f(at(j, intervals)) - f(here))).sum();
                assert!((rate - d(here)).abs() < 1e-11, "{intervals} {i}");
            }
        }
    }
}
