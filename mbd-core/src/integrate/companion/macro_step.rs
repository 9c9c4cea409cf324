//! One macro-step: its formulas, the run over it, and what its unknowns mean.

use super::super::radau5::Formulas;
use super::sums::{Place, largest, raise, weighted};
use super::tableau::Tableau;
use crate::assembly::{Point, SlotKind};
use crate::checkpoint::State;

/// Points of the run that a macro-step looks at, at most.
const MOST_NODES: usize = 8;

/// Relative changes that are rounding.
const ROUNDING: f64 = 1e-13;

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
    /// The largest of each coordinate or state over the stages, while they are gone through.
    pub(super) sizes: Vec<f64>,
}

impl Macro {
    /// Saves or restores what is carried from step to step.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Macro {
            tableau: _,
            formulas: _,
            scales: _,
            at,
            run,
            nodes: _,
            weights: _,
            h,
            u: _,
            sizes: _,
        } = self;
        state.numbers(at.flat_mut());
        run.iter_mut().for_each(|point| state.numbers(point.flat_mut()));
        state.number(h);
    }

    /// Fills the point of a stage from the unknowns.
    pub(super) fn place(&self, stage: usize, to: &mut Point) {
        let (at, size) = (self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        for (k, kind) in UNKNOWNS.into_iter().enumerate() {
            let first = stage * size;
            to.set_unknowns(kind, &self.u[first + at[k]..first + at[k + 1]]);
        }
        self.integrate(t.c[stage], t.row(&t.a, stage), t.row(&t.squared, stage), to);
    }

    /// Fills the point between two stages from the stages' polynomial.
    pub(super) fn place_between(&self, index: usize, to: &mut Point) {
        let (at, size) = (self.formulas.at, self.formulas.size());
        let (t, of) = (&self.tableau, &self.tableau.between);
        for (k, kind) in UNKNOWNS.into_iter().enumerate() {
            weighted(
                t.row(&of.value, index),
                &self.u,
                Place { first: at[k], size },
                &mut to.get_mut(kind)[..at[k + 1] - at[k]],
            );
        }
        self.integrate(of.c[index], t.row(&of.a, index), t.row(&of.squared, index), to);
    }

    /// Fills q, v, x at the part `c` of the step, with the weights of the integrals up to there.
    fn integrate(&self, c: f64, first: &[f64], second: &[f64], to: &mut Point) {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        to.set_t(self.at.t() + c * h);
        to.hold_as(&self.at);
        let (q, v, x) = (self.at.q(), self.at.v(), self.at.x());
        weighted(second, &self.u, Place { first: 0, size }, to.q_mut());
        for ((y, q), v) in to.q_mut().iter_mut().zip(q).zip(v) {
            *y = q + h * (c * v + h * *y);
        }
        weighted(first, &self.u, Place { first: 0, size }, to.v_mut());
        to.v_mut().iter_mut().zip(v).for_each(|(y, v)| *y = v + h * *y);
        weighted(first, &self.u, Place { first: at[3], size }, to.x_mut());
        to.x_mut().iter_mut().zip(x).for_each(|(y, x)| *y = x + h * *y);
    }

    /// The largest change of q, v, x by rates that differ by `du` over the step.
    pub(super) fn change_by(&self, du: &[f64]) -> f64 {
        let (h, at) = (self.h, self.formulas.at);
        let [sq, sv, sx] = &self.scales;
        let of_a = du[..at[1]].iter().zip(sq.iter().zip(sv));
        let of_x = du[at[3]..at[4]].iter().zip(sx);
        largest(
            of_a.map(|(a, (sq, sv))| (h * a).abs() * (h / sq).max(1.0 / sv))
                .chain(of_x.map(|(xd, sx)| (h * xd / sx).abs())),
        )
    }

    /// Lagrange's weights of the run's points at an instant.
    pub(super) fn weights_at(run: &[Point], t: f64, weights: &mut [f64]) {
        for (i, weight) in weights.iter_mut().enumerate() {
            let (mut above, mut below) = (1.0, 1.0);
            for (_, p) in run.iter().enumerate().filter(|(j, _)| *j != i) {
                above *= t - p.t();
                below *= run[i].t() - p.t();
            }
            *weight = above / below;
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
                combine(of_stage, run, kind, &mut u[at[k]..at[k + 1]]);
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
                combine(&rates, run, kind, &mut u[first..first + len]);
            }
        }
    }

    /// Whether the run has the same accelerations and rates all over it, but for rounding.
    pub(super) fn is_even(&self) -> bool {
        let run = &self.run[..self.nodes];
        let h = run[run.len() - 1].t() - run[0].t();
        let [sq, _, sx] = &self.scales;
        let alike = |kind: SlotKind, scales: &[f64], by: f64| {
            let begin = run[0].get(kind);
            run[1..].iter().all(|point| {
                let mut pairs = point.get(kind).iter().zip(begin).zip(scales);
                pairs.all(|((a, b), scale)| by * (a - b).abs() <= ROUNDING * scale)
            })
        };
        alike(SlotKind::A, sq, h * h) && alike(SlotKind::Xd, sx, h)
    }

    /// The run in the middle of the step, where the matrix is taken.
    pub(super) fn middle(&mut self, to: &mut Point) {
        let t = self.at.t() + 0.5 * self.h;
        let run = &self.run[..self.nodes];
        let mut weights = [0.0; MOST_NODES];
        Self::weights_at(run, t, &mut weights[..run.len()]);
        for kind in SlotKind::ALL {
            combine(&weights, run, kind, to.get_mut(kind));
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
    pub(super) fn norm(&mut self, du: &[f64]) -> f64 {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        let (t, sizes) = (&self.tableau, &mut self.sizes);
        let [sq, sv, sx] = &self.scales;
        let mut of = |matrix: &[f64], first: usize, scales: &[f64]| -> f64 {
            let sizes = &mut sizes[..scales.len()];
            sizes.fill(0.0);
            for stage in 0..t.stages {
                raise(t.row(matrix, stage), du, Place { first, size }, sizes);
            }
            largest(sizes.iter().zip(scales).map(|(size, scale)| size / scale))
        };
        let rates = [of(&t.a, 0, sv), of(&t.a, at[3], sx), h * of(&t.squared, 0, sq)];
        h * largest(rates.into_iter())
    }

    /// The companion's own error in the macro-step, from how the coefficients of its accelerations in
    /// Legendre's polynomials decrease: the first that the stages do not resolve, times what the equations
    /// make of a disturbance of that shape, which decreases alike.
    pub(super) fn local_error(&mut self) -> f64 {
        let (h, at, size, s) =
            (self.h, self.formulas.at, self.formulas.size(), self.tableau.stages);
        let (t, to) = (&self.tableau, &mut self.sizes);
        let [sq, sv, sx] = &self.scales;
        let mut sizes = [0.0f64; MOST_NODES];
        for (k, coefficients) in sizes[..s].iter_mut().enumerate() {
            let mut of = |first: usize, count: usize, by: &dyn Fn(usize) -> f64| {
                let to = &mut to[..count];
                to.fill(0.0);
                raise(t.row(&t.legendre, k), &self.u, Place { first, size }, to);
                to.iter().enumerate().fold(0.0f64, |m, (i, size)| m.max(by(i) * size))
            };
            let accelerations = of(0, at[1], &|i| (h / sv[i]).max(h * h / sq[i]));
            *coefficients = accelerations.max(of(at[3], sx.len(), &|i| h / sx[i]));
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

/// Σ_m weights_m run_m of a kind.
fn combine(weights: &[f64], run: &[Point], kind: SlotKind, to: &mut [f64]) {
    to.fill(0.0);
    for (weight, point) in weights.iter().zip(run) {
        to.iter_mut().zip(point.get(kind)).for_each(|(y, x)| *y += weight * x);
    }
}
