//! One macro-step: its formulas, the run over it, and what its unknowns mean.

use super::super::radau5::Formulas;
use super::tableau::Tableau;
use crate::assembly::{Point, SlotKind};
use crate::checkpoint::State;

/// Points of the run that a macro-step looks at, at most.
const MOST_NODES: usize = 8;

const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];

/// Relative errors: of q and x, and of v.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Errors {
    pub(super) q: f64,
    pub(super) v: f64,
}

impl Errors {
    pub(super) fn larger(self) -> f64 {
        self.q.max(self.v)
    }
}

/// A macro-step: its formulas, beginning and unknowns.
pub(super) struct Macro {
    pub(super) tableau: Tableau,
    pub(super) formulas: Formulas,
    /// What errors of q, v, x are measured against.
    pub(super) scales: [Vec<f64>; 3],
    /// The companion's own point.
    pub(super) at: Point,
    /// The run at the beginning of the macro-step, near the instants of all stages but the last,
    /// and at the end, which is an accepted point.
    pub(super) run: Vec<Point>,
    /// How many of these there are; fewer where something changes before the stages have passed.
    pub(super) nodes: usize,
    /// Weights of these points in the run at the stages' instants.
    pub(super) weights: Vec<f64>,
    pub(super) h: f64,
    pub(super) u: Vec<f64>,
}

impl Macro {
    /// Saves or restores what is carried from step to step.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Macro { tableau: _, formulas: _, scales: _, at, run, nodes: _, weights: _, h, u: _ } =
            self;
        state.numbers(at.flat_mut());
        run.iter_mut().for_each(|point| state.numbers(point.flat_mut()));
        state.number(h);
    }

    /// Fills the point of a stage from the unknowns.
    pub(super) fn place(&self, stage: usize, to: &mut Point) {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        to.set_t(self.at.t() + t.c[stage] * h);
        to.hold_as(&self.at);
        for (k, kind) in UNKNOWNS.into_iter().enumerate() {
            let first = stage * size;
            to.get_mut(kind).copy_from_slice(&self.u[first + at[k]..first + at[k + 1]]);
        }
        let (first, second) = (t.row(&t.a, stage), t.row(&t.squared, stage));
        let sum = |row: &[f64], i: usize| -> f64 {
            row.iter().enumerate().map(|(j, w)| w * self.u[j * size + i]).sum()
        };
        let (q, v, x) = (self.at.q(), self.at.v(), self.at.x());
        for (i, y) in to.q_mut().iter_mut().enumerate() {
            *y = q[i] + h * (t.c[stage] * v[i] + h * sum(second, i));
        }
        for (i, y) in to.v_mut().iter_mut().enumerate() {
            *y = v[i] + h * sum(first, i);
        }
        for (i, y) in to.x_mut().iter_mut().enumerate() {
            *y = x[i] + h * sum(first, at[3] + i);
        }
    }

    /// Lagrange's weights of the run's points at an instant.
    pub(super) fn weights_at(run: &[Point], t: f64, weights: &mut [f64]) {
        for (i, weight) in weights.iter_mut().enumerate() {
            let others = run.iter().enumerate().filter(|(j, _)| *j != i);
            *weight = others.map(|(_, p)| (t - p.t()) / (run[i].t() - p.t())).product();
        }
    }

    /// The run's rates in the stages, and its multipliers and variables.
    pub(super) fn guess(&mut self) {
        let (at, size) = (self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        let (run, nodes) = (&self.run[..self.nodes], self.nodes);
        for (c, weights) in t.c.iter().zip(self.weights.chunks_exact_mut(nodes)) {
            Self::weights_at(run, self.at.t() + c * self.h, weights);
        }
        // At the beginning of a part of the macro-step.
        let mut start = [0.0; MOST_NODES];
        Self::weights_at(run, self.at.t(), &mut start[..nodes]);
        for stage in 0..t.stages {
            let u = &mut self.u[stage * size..(stage + 1) * size];
            let of_stage = &self.weights[stage * nodes..(stage + 1) * nodes];
            for (k, kind) in [(1, SlotKind::Lambda), (2, SlotKind::Psi), (4, SlotKind::W)] {
                for (i, u) in u[at[k]..at[k + 1]].iter_mut().enumerate() {
                    *u = of_stage.iter().zip(run).map(|(w, p)| w * p.get(kind)[i]).sum();
                }
            }
            // Σ_j (A⁻¹)_ij (V_j − V_0)/h as weights of the run's points.
            let mut rates = [0.0; MOST_NODES];
            for (m, rate) in rates[..nodes].iter_mut().enumerate() {
                let row = t.row(&t.inverse, stage).iter().enumerate();
                let sum: f64 = row.map(|(j, w)| w * (self.weights[j * nodes + m] - start[m])).sum();
                *rate = sum / self.h;
            }
            for (first, kind) in [(0, SlotKind::V), (at[3], SlotKind::X)] {
                let len = run[0].get(kind).len();
                for (i, u) in u[first..first + len].iter_mut().enumerate() {
                    *u = rates.iter().zip(run).map(|(w, p)| w * p.get(kind)[i]).sum();
                }
            }
        }
    }

    /// The run in the middle of the step, where the matrix is taken.
    pub(super) fn middle(&mut self, to: &mut Point) {
        let t = self.at.t() + 0.5 * self.h;
        let run = &self.run[..self.nodes];
        let mut weights = [0.0; MOST_NODES];
        Self::weights_at(run, t, &mut weights[..run.len()]);
        for kind in SlotKind::ALL {
            for (i, y) in to.get_mut(kind).iter_mut().enumerate() {
                *y = weights.iter().zip(run).map(|(w, p)| w * p.get(kind)[i]).sum();
            }
        }
        to.set_t(t);
        // Accelerations of methods that carry others than those of the point.
        let (size, n) = (self.formulas.size(), self.formulas.at[1]);
        let first = self.tableau.stages / 2 * size;
        to.a_mut().copy_from_slice(&self.u[first..first + n]);
    }

    /// What makes a change of each kind of unknown one of q or v, whichever is more, relative to their
    /// scales: of the accelerations and of the rates of states.
    pub(super) fn importance(&self, to: &mut [f64]) {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        let [sq, sv, sx] = &self.scales;
        to.fill(0.0);
        for to in to.chunks_exact_mut(size.max(1)) {
            for (i, y) in to[..at[1]].iter_mut().enumerate() {
                *y = (h / sv[i]).max(h * h / sq[i]);
            }
            for (y, scale) in to[at[3]..at[4]].iter_mut().zip(sx) {
                *y = h / scale;
            }
        }
    }

    /// What a point differs by from the run at the end, relative to the scales.
    pub(super) fn errors(&self, point: &Point) -> Errors {
        let run = &self.run[self.nodes - 1];
        let of = |kind: SlotKind, scale: &[f64]| -> f64 {
            let pairs = point.get(kind).iter().zip(run.get(kind)).zip(scale);
            pairs.fold(0.0, |m: f64, ((a, b), scale)| {
                let error = (a - b).abs() / scale;
                if error > m || error.is_nan() { error } else { m }
            })
        };
        let [q, v, x] = &self.scales;
        Errors { q: of(SlotKind::Q, q).max(of(SlotKind::X, x)), v: of(SlotKind::V, v) }
    }

    /// Largest weighted change of q, v, x in the stages by a change `du` of the unknowns.
    pub(super) fn norm(&self, du: &[f64]) -> f64 {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        let sum = |row: &[f64], i: usize| -> f64 {
            row.iter().enumerate().map(|(j, w)| w * du[j * size + i]).sum()
        };
        let [sq, sv, sx] = &self.scales;
        let mut norm = 0.0f64;
        let mut take = |x: f64| norm = if x.abs() > norm || x.is_nan() { x.abs() } else { norm };
        for stage in 0..t.stages {
            let (first, second) = (t.row(&t.a, stage), t.row(&t.squared, stage));
            for i in 0..at[1] {
                take(h * sum(first, i) / sv[i]);
                take(h * h * sum(second, i) / sq[i]);
            }
            for i in 0..sx.len() {
                take(h * sum(first, at[3] + i) / sx[i]);
            }
        }
        norm
    }

    /// The companion's own error in the macro-step, from how the coefficients of its accelerations in
    /// Legendre's polynomials decrease: the first that the stages do not resolve, times what the equations
    /// make of a disturbance of that shape, which decreases alike.
    pub(super) fn local_error(&self) -> f64 {
        let t = &self.tableau;
        let (h, at, size, s) = (self.h, self.formulas.at, self.formulas.size(), t.stages);
        let [sq, sv, sx] = &self.scales;
        let mut sizes = [0.0f64; MOST_NODES];
        let mut take = |first: usize, by: f64| {
            for (k, largest) in sizes[..s].iter_mut().enumerate() {
                let row = t.row(&t.legendre, k).iter().enumerate();
                let sum: f64 = row.map(|(j, w)| w * self.u[j * size + first]).sum();
                *largest = largest.max(by * sum.abs());
            }
        };
        for i in 0..at[1] {
            take(i, (h / sv[i]).max(h * h / sq[i]));
        }
        for i in 0..sx.len() {
            take(at[3] + i, h / sx[i]);
        }
        // What is left from each on.
        for k in (0..s - 1).rev() {
            sizes[k] = sizes[k].max(sizes[k + 1]);
        }
        let all = sizes[0];
        if all == 0.0 {
            return 0.0;
        }
        let rate = |k: usize| (sizes[k] / all).powf(1.0 / k as f64);
        let slowest = rate(s - 1).max(rate(s - 2));
        all * slowest.powi(2 * s as i32 - 1)
    }
}
