//! The estimate of the global error: a second, better solution carried along with the first.
//!
//! The *companion* starts where the run starts and is continued by Radau IIA with three or five
//! stages (order 5 or 9, index-1 form) over *macro-steps* that are as long as the motion allows and
//! span many steps of the method: how the run came by its points does not matter, so one estimate
//! serves every method. What makes it cheap is that the run itself is nearly the solution. It is read
//! at the stages' instants from the dense output, and its rates there are the starting values: what
//! Newton's iteration is left to find is the change of the error, which it finds with one matrix in
//! one or two iterations. What is left of it is known from the ratio of corrections; where the frozen
//! matrix falsifies the result the iteration goes on, and macro-steps shrink.
//!
//! The error is the difference of the two at the end of each macro-step, relative to the largest
//! value of its kind so far. The estimate is its largest value over the run.

mod solver;
mod tableau;

use super::radau5::{Form, Formulas, Levels};
use super::scheme::Stepper;
use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::scales::Scales;
use crate::solution::{ErrorEstimate, Stats};
use solver::Stages;
use tableau::Tableau;

/// Newton iterations of a macro-step at most.
const MOST_ITERATIONS: usize = 12;

/// Part of the error that the companion's own error may be, and what is left of its iteration.
const PART: f64 = 0.05;

/// The ratio of corrections supposed before one is known.
const FIRST_RATE: f64 = 0.3;

/// Part of the run's work that the companion may take where its accuracy asks for it: of a run of
/// order 2, and of one of higher order, whose steps are long.
const BUDGET: f64 = 0.25;
const HIGH_BUDGET: f64 = 0.5;

/// Relative errors beyond which nothing of the result is left.
const LOST: f64 = 1.0;

/// Changes of the size of macro-steps.
const GROW: f64 = 2.0;
const SMALLEST_PART: f64 = 1.0 / 64.0;
const SHRINK: f64 = 0.3;

/// Steps of the run that the first macro-step spans, of the size of the first.
const FIRST_STEPS: f64 = 20.0;

/// What perturbations are multiplied by to be projected.
const SMALL: f64 = 1e-6;

/// Ratio of corrections from which on the matrix does not stand for the equations in perturbations,
/// and what they are refined by at most.
const SLOW: f64 = 0.03;
const REFINEMENTS: usize = 3;

/// Relative error by kind.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    q: f64,
    v: f64,
}

/// A macro-step: its formulas, beginning and unknowns.
struct Macro {
    tableau: Tableau,
    formulas: Formulas,
    /// What errors of q, v, x are measured against.
    scales: [Vec<f64>; 3],
    /// The companion's own point.
    at: Point,
    /// The run at the beginning of the macro-step, near the instants of all stages but the last,
    /// and at the end, which is an accepted point.
    run: Vec<Point>,
    /// Weights of these points in the run at the stages' instants.
    weights: Vec<f64>,
    h: f64,
    u: Vec<f64>,
}

/// The companion of a run.
pub(super) struct Companion {
    m: Macro,
    levels: Levels,
    solver: Stages,
    pieces: Residual,
    violated: Residual,
    next: Point,
    /// Number of instants that the run has passed.
    passed: usize,
    stage: Point,
    t_start: f64,
    b: Vec<f64>,
    rhs: Vec<f64>,
    /// What the perturbation makes of the unknowns; residuals and unknowns without it.
    change: Vec<f64>,
    base: Vec<f64>,
    unperturbed: Vec<f64>,
    saved: Point,
    /// A perturbation of q, v, x and its norm at the start.
    perturbation: [Vec<f64>; 3],
    growth: f64,
    /// Largest errors of q, v, x over the run.
    absolute: [Vec<f64>; 3],
    /// And of λ and ψ.
    reactions: [Vec<f64>; 2],
    /// What one step may use up of the tolerance.
    eps: f64,
    rate: f64,
    errors: Errors,
    largest: Errors,
    lost: bool,
    /// Work of the run at the beginning of the macro-step, and of the last macro-step.
    work_before: f64,
    work: f64,
    pub(super) counts: Counts,
}

/// What the companion sees of the run: the accepted step from `from` to `to`.
pub(super) struct Watched<'a> {
    pub(super) system: &'a System,
    pub(super) stepper: &'a dyn Stepper,
    pub(super) scales: &'a Scales,
    pub(super) from: &'a Point,
    pub(super) to: &'a Point,
    /// When the run ends.
    pub(super) t_end: f64,
    pub(super) stats: &'a Stats,
}

/// What the companion did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) steps: usize,
    pub(super) iterations: usize,
    pub(super) failures: usize,
}

/// Work in units of a residual.
fn work_of(stats: &Stats, stages: f64) -> f64 {
    stages * (stats.residuals + stats.newton_iterations) as f64
        + 3.0 * stats.jacobians as f64
        + 2.0 * (2.0 * stages - 1.0) * stats.factorizations as f64
        + 2.0 * stats.steps as f64
}

impl Macro {
    /// Fills the point of a stage from the unknowns.
    fn place(&self, stage: usize, to: &mut Point) {
        let (h, at, size) = (self.h, self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        to.set_t(self.at.t() + t.c[stage] * h);
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
    fn weights_at(run: &[Point], t: f64, weights: &mut [f64]) {
        for (i, weight) in weights.iter_mut().enumerate() {
            let others = run.iter().enumerate().filter(|(j, _)| *j != i);
            *weight = others.map(|(_, p)| (t - p.t()) / (run[i].t() - p.t())).product();
        }
    }

    /// The run's rates in the stages, and its multipliers and variables.
    fn guess(&mut self) {
        let (at, size) = (self.formulas.at, self.formulas.size());
        let t = &self.tableau;
        let (run, nodes) = (&self.run, self.run.len());
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
    fn middle(&mut self, to: &mut Point) {
        let t = self.at.t() + 0.5 * self.h;
        let nodes = self.run.len();
        let mut weights = [0.0; MOST_NODES];
        Self::weights_at(&self.run, t, &mut weights[..nodes]);
        for kind in SlotKind::ALL {
            for (i, y) in to.get_mut(kind).iter_mut().enumerate() {
                *y = weights.iter().zip(&self.run).map(|(w, p)| w * p.get(kind)[i]).sum();
            }
        }
        to.set_t(t);
        // Accelerations of methods that carry others than those of the point.
        let (size, n) = (self.formulas.size(), self.formulas.at[1]);
        let first = self.tableau.stages / 2 * size;
        to.a_mut().copy_from_slice(&self.u[first..first + n]);
    }

    /// Largest weighted change of q, v, x in the stages by a change `du` of the unknowns.
    fn norm(&self, du: &[f64]) -> f64 {
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

    /// The companion's own error in the macro-step, from how the coefficients of its accelerations
    /// decrease: C h^(2s) y^(2s) with the derivatives continued geometrically.
    fn local_error(&self) -> f64 {
        let t = &self.tableau;
        let (h, at, size, s) = (self.h, self.formulas.at, self.formulas.size(), t.stages);
        let [sq, sv, sx] = &self.scales;
        let (mut top, mut all) = (0.0f64, 0.0f64);
        let mut take = |first: usize, by: f64| {
            let value = |j: usize| self.u[j * size + first];
            let sum: f64 = t.top.iter().enumerate().map(|(j, w)| w * value(j)).sum();
            top = top.max(by * sum.abs());
            all = (0..s).fold(all, |m, j| m.max(by * value(j).abs()));
        };
        for i in 0..at[1] {
            take(i, (h / sv[i]).max(h * h / sq[i]));
        }
        for i in 0..sx.len() {
            take(at[3] + i, h / sx[i]);
        }
        if top == 0.0 {
            return 0.0;
        }
        let factorial: f64 = (1..s).map(|k| k as f64).product();
        let fastest = (factorial * top / all).powf(1.0 / (s - 1) as f64);
        t.constant * factorial * top * fastest.powi(s as i32)
    }
}

impl Companion {
    pub(super) fn new(system: &System, start: &Point, eps: f64, stages: usize) -> Self {
        let tableau = Tableau::new(stages);
        let formulas = Formulas::new(system, Form::Acceleration);
        let levels = Levels::new(system, Form::Acceleration);
        let size = formulas.size();
        let dims = system.dims();
        Companion {
            solver: Stages::new(&levels, &tableau),
            levels,
            pieces: Residual::new(&dims),
            violated: Residual::new(&dims),
            next: start.clone(),
            passed: 0,
            stage: start.clone(),
            t_start: start.t(),
            b: vec![0.0; stages * size],
            rhs: vec![0.0; size],
            change: vec![0.0; stages * size],
            base: vec![0.0; stages * size],
            unperturbed: vec![0.0; stages * size],
            saved: start.clone(),
            perturbation: [vec![0.0; dims.n], vec![0.0; dims.n], vec![0.0; dims.nx]],
            growth: 1.0,
            absolute: [vec![0.0; dims.n], vec![0.0; dims.n], vec![0.0; dims.nx]],
            reactions: [vec![0.0; dims.m], vec![0.0; dims.p]],
            eps,
            rate: FIRST_RATE,
            errors: Errors::default(),
            largest: Errors::default(),
            lost: false,
            work_before: 0.0,
            work: 0.0,
            counts: Counts::default(),
            m: Macro {
                scales: [vec![1.0; dims.n], vec![1.0; dims.n], vec![1.0; dims.nx]],
                at: start.clone(),
                run: vec![start.clone(); stages + 1],
                weights: vec![0.0; stages * (stages + 1)],
                h: 0.0,
                u: vec![0.0; stages * size],
                formulas,
                tableau,
            },
        }
    }

    /// The estimate so far.
    pub(super) fn estimate(&self, scales: &Scales) -> ErrorEstimate {
        let relative = |errors: &[f64], scales: &[f64]| -> Option<f64> {
            let ratios = errors.iter().zip(scales).map(|(e, scale)| e / scale);
            ratios.reduce(f64::max)
        };
        let larger = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let [q, v, x] = &self.absolute;
        let [lambda, psi] = &self.reactions;
        let scale = [scales.q(), scales.v(), scales.x()].map(|scale| scale.weights());
        ErrorEstimate {
            q: larger(relative(q, scale[0]), relative(x, scale[2])),
            v: relative(v, scale[1]),
            lambda: larger(relative(lambda, scales.lambda()), relative(psi, scales.psi())),
            growth: (!q.is_empty() || !x.is_empty()).then_some(self.growth),
            lost: self.lost,
        }
    }

    /// Takes an accepted step of the run.
    pub(super) fn observe(&mut self, run: &Watched<'_>) {
        if self.lost {
            return;
        }
        let Watched { stepper, from, to, .. } = *run;
        if self.m.h == 0.0 {
            self.m.h = FIRST_STEPS * (to.t() - from.t());
        }
        let inner = self.m.tableau.stages - 1;
        let start = self.m.at.t();
        let planned = self.m.h.min(run.t_end - start);
        while self.passed < inner {
            let t = start + self.m.tableau.c[self.passed] * planned;
            if t >= to.t() {
                break;
            }
            stepper.interpolate(from, to, t, &mut self.m.run[self.passed + 1]);
            self.passed += 1;
        }
        if self.passed == inner && to.t() >= start + planned * (1.0 - 1e-9) {
            self.m.run[inner + 1].copy_from(to);
            let scales = [run.scales.q(), run.scales.v(), run.scales.x()];
            for (own, scale) in self.m.scales.iter_mut().zip(scales) {
                own.copy_from_slice(scale.weights());
            }
            self.leap(run.system, run.stats, stepper.stages());
            self.m.run.swap(0, inner + 1);
            self.passed = 0;
        }
    }

    /// A macro-step.
    fn leap(&mut self, system: &System, stats: &Stats, stages: f64) {
        let work_of_run = work_of(stats, stages);
        let spent = (work_of_run - self.work_before).max(1.0);
        self.work_before = work_of_run;
        self.counts.steps += 1;
        let before = self.errors;
        let (s, start_t) = (self.m.tableau.stages, self.m.at.t());
        let end_t = self.m.run[s].t();
        let whole = end_t - start_t;
        // In parts, where the iteration does not converge on the whole.
        let (mut part, mut local, mut work) = (whole, 0.0, 0.0);
        loop {
            let left = end_t - self.m.at.t();
            let last = part >= 0.999 * left;
            self.m.h = if last { left } else { part };
            let solved = self.solve(system);
            match solved {
                Some(error) => {
                    local += error;
                    self.magnify(system);
                    work += self.work;
                    let t = self.m.at.t() + self.m.h;
                    self.next.set_t(if last { end_t } else { t });
                    std::mem::swap(&mut self.m.at, &mut self.next);
                    if last {
                        break;
                    }
                }
                None => {
                    self.counts.failures += 1;
                    self.rate = FIRST_RATE;
                    part *= 0.5;
                    if part < SMALLEST_PART * whole {
                        self.lost = true;
                        return;
                    }
                }
            }
        }
        self.work = work;
        self.errors = self.differences();
        self.take_errors();
        // Errors that the companion may make, from what the run has made so far.
        let span = (end_t - self.t_start).max(whole);
        let made = (self.errors.q - before.q).abs().max((self.errors.v - before.v).abs());
        let share = self.largest.q.max(self.largest.v) * whole / span;
        let allowed = PART * made.max(share).max(self.eps);
        let power = 1.0 / (2 * s - 1) as f64;
        let mut factor =
            (0.9 * (allowed / local.max(f64::MIN_POSITIVE)).powf(power)).clamp(SHRINK, GROW);
        if self.rate > 0.3 {
            factor = factor.min(0.7);
        }
        // No shorter than the budget allows, but as short as the iteration needs.
        let budget = if s > 5 { HIGH_BUDGET } else { BUDGET };
        let least = self.work / (budget * spent);
        let factor = if part < whole { part / whole } else { factor.max(least.min(GROW)) };
        self.m.h = whole * factor;
    }

    fn take_errors(&mut self) {
        let Errors { q, v } = self.errors;
        self.largest.q = self.largest.q.max(q);
        self.largest.v = self.largest.v.max(v);
        self.lost |= !(q.max(v) < LOST);
    }

    /// Errors of the run at the end of the macro-step.
    fn differences(&mut self) -> Errors {
        let run = &self.m.run[self.m.tableau.stages];
        let mut largest = [0.0f64; 3];
        let kinds = [SlotKind::Q, SlotKind::V, SlotKind::X].into_iter().zip(&self.m.scales);
        for (k, (kind, scale)) in kinds.enumerate() {
            let ends = self.m.at.get(kind).iter().zip(run.get(kind));
            let to = self.absolute[k].iter_mut().zip(scale);
            for ((a, b), (absolute, weight)) in ends.zip(to) {
                let error = (a - b).abs();
                *absolute = absolute.max(error);
                largest[k] = largest[k].max(error / weight);
            }
        }
        for (errors, kind) in self.reactions.iter_mut().zip([SlotKind::Lambda, SlotKind::Psi]) {
            let ends = self.m.at.get(kind).iter().zip(run.get(kind));
            for (error, (a, b)) in errors.iter_mut().zip(ends) {
                *error = error.max((a - b).abs());
            }
        }
        Errors { q: largest[0].max(largest[2]), v: largest[1] }
    }

    /// Solves the macro-step into `next`; returns an estimate of the companion's own error in it.
    fn solve(&mut self, system: &System) -> Option<f64> {
        self.m.guess();
        let solved = self.iterate(system);
        self.m.place(self.m.tableau.stages - 1, &mut self.next);
        solved.then(|| {
            self.project(system, None);
            self.m.local_error()
        })
    }

    fn iterate(&mut self, system: &System) -> bool {
        let s = self.m.tableau.stages;
        let reference = self.largest.q.max(self.largest.v).max(self.eps);
        let mut last = f64::INFINITY;
        self.work = 3.0 + 2.0 * (1.0 + 2.0 * (s - 1) as f64);
        self.m.middle(&mut self.stage);
        self.levels.fill(system, &self.stage);
        if self.solver.factorize(&self.levels, &self.m.tableau, self.m.h).is_err() {
            return false;
        }
        for iteration in 0..MOST_ITERATIONS {
            self.residuals(system);
            self.work += s as f64;
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.solver.solve(&self.m.tableau, &mut self.b);
            let norm = self.m.norm(&self.b);
            for (u, du) in self.m.u.iter_mut().zip(&self.b) {
                *u += du;
            }
            self.counts.iterations += 1;
            if !norm.is_finite() {
                return false;
            }
            let rate = if iteration == 0 { self.rate.max(0.1) } else { norm / last };
            if iteration > 0 {
                self.rate = rate;
            }
            let left = norm * rate / (1.0 - rate).max(0.05);
            if left <= PART * reference || norm < 1e-13 {
                return true;
            }
            if rate >= 2.0 || (rate > 0.9 && iteration > 2) {
                return false;
            }
            last = norm;
        }
        false
    }

    /// Moves `next` onto the constraints by one correction; or the stage's point onto what `next`, or
    /// the companion's point, violates of them.
    fn project(&mut self, system: &System, of_stage: Option<bool>) {
        let [_, lambda, psi, xd, ..] = self.m.formulas.at;
        if lambda == xd {
            return;
        }
        let want = Want::G | Want::GDOT | Want::K;
        let point = match of_stage {
            None => &mut self.next,
            Some(next) => {
                let at = if next { &self.next } else { &self.m.at };
                system.eval_at(at, want, &mut self.violated);
                &mut self.stage
            }
        };
        system.eval_at(point, want, &mut self.pieces);
        if of_stage.is_some() {
            let Residual { g, gdot, k, .. } = &mut self.pieces;
            let base = &self.violated;
            for (rows, base) in [(g, &base.g), (gdot, &base.gdot), (k, &base.k)] {
                rows.iter_mut().zip(base).for_each(|(row, base)| *row -= base);
            }
        }
        let s = self.m.h / self.m.tableau.real.mu;
        for kind in [SlotKind::Q, SlotKind::V] {
            let pieces = &self.pieces;
            let (scale, g, k) = match kind {
                SlotKind::Q => (s * s, &pieces.g[..], &[][..]),
                _ => (s, &pieces.gdot[..], &pieces.k[..]),
            };
            self.rhs.fill(0.0);
            for (r, g) in self.rhs[lambda..psi].iter_mut().zip(g) {
                *r = -g / scale;
            }
            for (r, k) in self.rhs[psi..xd].iter_mut().zip(k) {
                *r = -k / scale;
            }
            self.solver.solve_real(&mut self.rhs);
            for (y, change) in point.get_mut(kind).iter_mut().zip(&self.rhs) {
                *y += scale * change;
            }
        }
    }

    /// Carries the perturbation over the macro-step by the equations linearized.
    fn magnify(&mut self, system: &System) {
        let (h, at, size, s) =
            (self.m.h, self.m.formulas.at, self.m.formulas.size(), self.m.tableau.stages);
        if self.counts.steps == 1 {
            let mut random = 0x9e37_79b9_7f4a_7c15u64;
            for (values, scale) in self.perturbation.iter_mut().zip(&self.m.scales) {
                for (y, w) in values.iter_mut().zip(scale) {
                    random =
                        random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    *y = w * ((random >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
                }
            }
            self.fit(system, false);
            let size = self.size_of_perturbation();
            if size > 0.0 {
                self.perturbation.iter_mut().flatten().for_each(|y| *y /= size);
            }
        }
        let mut b = std::mem::take(&mut self.change);
        b.fill(0.0);
        let [dq, dv, dx] = &self.perturbation;
        for (k, b) in b.chunks_exact_mut(size.max(1)).enumerate() {
            let c = self.m.tableau.c[k];
            for (entry, value) in self.levels.entries.iter().zip(&self.levels.stacked) {
                let by = match entry.level {
                    1 if entry.col < at[1] => dv[entry.col],
                    1 if (at[3]..at[4]).contains(&entry.col) => dx[entry.col - at[3]],
                    2 if entry.col < at[1] => dq[entry.col] + c * h * dv[entry.col],
                    _ => continue,
                };
                b[entry.row] -= value * by;
            }
        }
        self.solver.solve(&self.m.tableau, &mut b);
        self.refine_perturbation(system, &mut b);
        let t = &self.m.tableau;
        let (first, second) = (t.row(&t.a, s - 1), t.row(&t.squared, s - 1));
        let sum = |row: &[f64], i: usize| -> f64 {
            row.iter().enumerate().map(|(j, w)| w * b[j * size + i]).sum()
        };
        let [dq, dv, dx] = &mut self.perturbation;
        for i in 0..at[1] {
            dq[i] += h * (dv[i] + h * sum(second, i));
            dv[i] += h * sum(first, i);
        }
        for (i, dx) in dx.iter_mut().enumerate() {
            *dx += h * sum(first, at[3] + i);
        }
        self.change = b;
        self.fit(system, true);
        let size = self.size_of_perturbation();
        if size.is_finite() {
            self.growth = self.growth.max(size);
        }
    }

    /// Makes the change `b` of the unknowns by the perturbation one of the equations as they are,
    /// not as the matrix has them in the middle of the macro-step, where the two differ.
    fn refine_perturbation(&mut self, system: &System, b: &mut [f64]) {
        let size = self.size_of_perturbation();
        if self.rate < SLOW || !(size > 0.0) {
            return;
        }
        let by = SMALL / size;
        self.saved.copy_from(&self.m.at);
        self.residuals(system);
        self.base.copy_from_slice(&self.b);
        self.unperturbed.copy_from_slice(&self.m.u);
        for (kind, d) in [SlotKind::Q, SlotKind::V, SlotKind::X].into_iter().zip(&self.perturbation)
        {
            for (y, d) in self.m.at.get_mut(kind).iter_mut().zip(d) {
                *y += by * d;
            }
        }
        let mut last = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            for ((u, from), d) in self.m.u.iter_mut().zip(&self.unperturbed).zip(&*b) {
                *u = from + by * d;
            }
            self.residuals(system);
            for (r, base) in self.b.iter_mut().zip(&self.base) {
                *r = (base - *r) / by;
            }
            self.solver.solve(&self.m.tableau, &mut self.b);
            let norm = self.m.norm(&self.b);
            if !(norm < last) {
                break;
            }
            for (b, c) in b.iter_mut().zip(&self.b) {
                *b += c;
            }
            if norm < 0.02 * size {
                break;
            }
            last = norm;
        }
        self.m.u.copy_from_slice(&self.unperturbed);
        self.m.at.copy_from(&self.saved);
    }

    /// Evaluates the stages' residuals into `b`.
    fn residuals(&mut self, system: &System) {
        let size = self.m.formulas.size().max(1);
        for (k, r) in self.b.chunks_exact_mut(size).enumerate() {
            self.m.place(k, &mut self.stage);
            self.m.formulas.residual(system, &self.stage, &mut self.pieces, r);
        }
        self.work += self.m.tableau.stages as f64;
    }

    fn size_of_perturbation(&self) -> f64 {
        let mut size = 0.0f64;
        for (values, scale) in self.perturbation.iter().zip(&self.m.scales) {
            for (y, w) in values.iter().zip(scale) {
                size = size.max(y.abs() / w);
            }
        }
        size
    }

    /// Makes the perturbation one along the constraints, at `next` or at the companion's point.
    fn fit(&mut self, system: &System, next: bool) {
        let size = self.size_of_perturbation();
        if !(size > 0.0) || self.m.formulas.at[1] == self.m.formulas.at[3] {
            return;
        }
        let by = SMALL / size;
        let kinds = [SlotKind::Q, SlotKind::V];
        self.stage.copy_from(if next { &self.next } else { &self.m.at });
        for (kind, values) in kinds.into_iter().zip(&self.perturbation) {
            for (y, d) in self.stage.get_mut(kind).iter_mut().zip(values) {
                *y += by * d;
            }
        }
        self.project(system, Some(next));
        let at = if next { &self.next } else { &self.m.at };
        for (kind, values) in kinds.into_iter().zip(&mut self.perturbation) {
            for ((d, y), from) in values.iter_mut().zip(self.stage.get(kind)).zip(at.get(kind)) {
                *d = (y - from) / by;
            }
        }
    }
}

/// Points of the run that a macro-step looks at, at most.
const MOST_NODES: usize = 8;

const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];
