//! A step: its unknowns, equations, matrix, error estimate, and projection.

use super::collocation::{self, Collocation};
use super::form::Form;
use super::pace::Pace;
use super::solver::StageSolver;
use super::stages::{Formulas, Levels, UNKNOWNS};
use super::tableau::{A, C, ERROR, PAIR, REAL, STAGES, loss};
use crate::assembly::{Plan, Point, Residual, SlotKind, System, Want};
use crate::checkpoint::State;
use crate::integrate::balance::exchange;
use crate::integrate::controller::Estimate;
use crate::integrate::dense;
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::integrate::weights::{Mean, SHARES, SHARES_TIGHT, TIGHT, largest_in, worse};
use crate::linear::LinearSolver;
use crate::nonlinear::{Converged, Newton, NewtonOptions};
use crate::scales::{Scale, Scales};
use nalgebra::Complex;
use std::ops::Range;

/// Θ up to which an estimate is looked into: one after which the step would grow to more than double.
const DOUBTFUL: f64 = 1e-3;

/// What the estimate is held to, from the ε of the step control. The embedded formula is of order 3
/// and its estimate goes with h⁴, the method's error with h⁵ over a run: held to ε^(4/5), it makes
/// errors go with ε.
pub(super) fn tolerance(eps: f64) -> f64 {
    eps.powf(0.8)
}

/// Newton's iteration stops at this part of the tolerance. RADAU5's fnewt is √tolerance, for
/// velocities themselves; here they are measured by h v, and what is left of one step's iteration
/// is felt over T/h steps. Over fourteen examples and tolerances from 1e-3 to 1e-9 a factor of 0.3
/// costs 7 % less at equal error than 0.1, 10 % less than 0.03, and as much as 1.
fn newton_part(tolerance: f64) -> f64 {
    (0.3 * tolerance.sqrt()).min(0.03)
}

/// A matrix with which the last correction of a step was not smaller than the one before by this
/// factor is evaluated anew in the next step: one matrix costs little more than an iteration.
/// Measured over fourteen examples, work at equal error: 1 with 0.01, 1.01 with 0.003, 1.03 with
/// 0.02, 1.2 with 0.1.
const SLOWEST_KEPT: f64 = 0.01;

/// Ratio of corrections supposed in the first iteration: a correction this small beside what is
/// asked for needs no second one.
const ASSUMED_RATE: f64 = 0.5;

/// What a step is remembered by in the next one, for how long its errors are felt.
const REMEMBERED: f64 = 0.9;

/// Largest growth from step to step, as RADAU5's.
const GROWTH: f64 = 8.0;

/// Newton iterations of a step at most.
const MOST_ITERATIONS: usize = 30;

/// Projections of a step at most; more than the second are rare.
const PROJECTIONS: usize = 8;

/// The method for one system.
pub struct RadauScheme {
    form: Form,
    pub(super) formulas: Formulas,
    levels: Levels,
    /// The point the step begins from.
    pub(super) from: Point,
    stages: [Point; STAGES],
    pub(super) pieces: Residual,
    pub(super) scales: Scales,
    accuracy: Accuracy,
    /// Size of each velocity, acceleration and rate at the start of the step.
    size_v: Vec<f64>,
    size_a: Vec<f64>,
    size_xd: Vec<f64>,
    /// The step begins where none has been accepted from: the first, or one after a rejection.
    doubtful: bool,
    pub(super) estimate: Estimate,
    /// Θ and size of the last accepted step.
    last: Option<(f64, f64)>,
    pace: Pace,
    /// Where values are compared, the longest of the last steps, each one less by [`REMEMBERED`].
    reach: Option<f64>,
    past: Collocation,
    /// Right-hand side and solution of the real system.
    pub(super) rhs: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// What J₀ and J₁ multiply in the error estimate.
    by: [Vec<f64>; 2],
    /// The start moved by the estimate.
    pub(super) shifted: Point,
    /// The weights of what a step takes of the energy.
    loss: [[f64; STAGES]; 2],
    /// δa, δv, Σ w_i M a_i and Σ d_i (M a_i − F_0), one after the other.
    lost: Vec<f64>,
}

impl RadauScheme {
    pub(super) fn new(form: Form, system: &System) -> Self {
        let dims = system.dims();
        let formulas = Formulas::new(system, form);
        let size = formulas.size();
        let point = system.initial_point();
        RadauScheme {
            form,
            formulas,
            levels: Levels::new(system, form),
            from: point.clone(),
            stages: std::array::from_fn(|_| point.clone()),
            pieces: Residual::new(&dims),
            scales: Scales::ones(system),
            accuracy: Accuracy::RoundOff,
            size_v: vec![1.0; dims.n],
            size_a: vec![1.0; dims.n],
            size_xd: vec![1.0; dims.nx],
            doubtful: true,
            estimate: Estimate::NONE,
            last: None,
            pace: Pace::new(),
            reach: system.groups().any(|group| group.sees().comparisons).then_some(0.0),
            past: Collocation::new(size),
            rhs: vec![0.0; size],
            y: vec![0.0; size],
            by: [vec![0.0; size], vec![0.0; size]],
            shifted: point,
            loss: loss(),
            lost: Vec::with_capacity(4 * dims.n),
        }
    }

    /// Takes a point as all that is known of the motion.
    fn remember(&mut self, at: &Point) {
        let u = self.past.start(at.t());
        for (kind, range) in UNKNOWNS.into_iter().zip(self.formulas.at.windows(2)) {
            let range = range[0]..range[1];
            u[range.clone()].copy_from_slice(&at.get(kind)[..range.len()]);
        }
    }

    /// Solves E(h/γ) y = rhs with the factorization at hand.
    pub(super) fn solve_real(&mut self, solver: &mut dyn LinearSolver) {
        self.y.copy_from_slice(&self.rhs);
        solver.solve_first(&mut self.y);
    }

    /// How long an error of the velocities counts as being felt: for the step. But in a contact of
    /// milliseconds between flights of seconds it is felt for seconds: the step is small for the
    /// contact's sake only.
    pub(super) fn felt(&self) -> f64 {
        let h = self.formulas.span.h;
        self.reach.map_or(h, |reach| reach.max(h))
    }

    /// The error of the embedded formula of order 3: with c = γ/h and ρ = ẏ + Σ_i e_i (y_i − y)/h
    /// for y = q, v, x, the solution of
    ///
    /// ```text
    ///     c δq − δv = ρ_q,   c δv − δa = ρ_v,   c δx − δẋ = ρ_x
    /// ```
    ///
    /// together with the equations linearized. Eliminated for c²δq, cδx and the rest, whose matrix
    /// is E(h/γ). The errors counted are δq, h δv and δx.
    fn embedded(&mut self, system: &System, eps: f64, solver: &mut dyn LinearSolver) {
        let [_, lambda, _, xd, w, _] = self.formulas.at;
        let lower = self.formulas.lower_rows();
        let h = self.formulas.span.h;
        let c = REAL / h;
        let felt = self.felt();
        let eps = tolerance(eps);
        self.shifted.copy_from(&self.from);
        for again in [false, true] {
            let [by_a, by_v] = &mut self.by;
            let (from, stages) = (&self.from, &self.stages);
            let rho = |rates: &[f64], kind: SlotKind, out: &mut [f64]| {
                let [one, two, three] = [0, 1, 2].map(|stage| stages[stage].get(kind));
                let moved = one.iter().zip(two).zip(three).zip(from.get(kind));
                for ((out, rate), (((one, two), three), start)) in
                    out.iter_mut().zip(rates).zip(moved)
                {
                    let ends = [one - start, two - start, three - start];
                    *out =
                        rate + (ERROR[0] * ends[0] + ERROR[1] * ends[1] + ERROR[2] * ends[2]) / h;
                }
            };
            rho(self.shifted.v(), SlotKind::Q, &mut by_v[..lambda]);
            rho(from.a(), SlotKind::V, &mut by_a[..lambda]);
            rho(from.xd(), SlotKind::X, &mut by_a[xd..w]);
            by_a[..lambda].iter_mut().zip(&*by_v).for_each(|(a, v)| *a += c * v);
            self.rhs.fill(0.0);
            if again {
                self.formulas.residual(system, &self.shifted, &mut self.pieces, &mut self.rhs);
                self.rhs.iter_mut().for_each(|r| *r = -*r);
            }
            for (entry, value) in self.levels.entries.iter().zip(&self.levels.stacked) {
                let factor = match (entry.level, lower.contains(&entry.row)) {
                    (0, false) => by_a[entry.col],
                    (1, false) => by_v[entry.col],
                    // This row's J₀ belongs to v; the row is divided by h.
                    (0, true) => by_v[entry.col] / h,
                    _ => 0.0,
                };
                self.rhs[entry.row] += value * factor;
            }
            self.solve_real(solver);
            let (mut q, mut x) = (Mean::default(), Mean::default());
            let by_v = &self.by[1];
            for (i, y) in self.scales.q().weights().iter().enumerate() {
                q.add(self.y[i] / (c * c) / (y * eps), i);
                q.add(felt * (self.y[i] / c - by_v[i]) / (y * eps), i);
            }
            for (i, y) in self.scales.x().weights().iter().enumerate() {
                x.add(self.y[xd + i] / c / (y * eps), i);
            }
            let motion = Estimate::of_order(q.theta(), 4, q.worst);
            let both = motion.and(Estimate::of_order(x.theta(), 4, xd + x.worst));
            self.estimate = both.with_trend(self.last.map(|(theta, size)| (theta, size / h)), 4);
            if again || !self.doubtful || !(self.estimate.theta > 1.0) {
                return;
            }
            // Once more from the estimate, which filters what it has of stiff components.
            for (i, value) in self.shifted.q_mut().iter_mut().enumerate() {
                *value += self.y[i] / (c * c);
            }
            for (i, value) in self.shifted.v_mut().iter_mut().enumerate() {
                *value += self.y[i] / c - self.by[1][i];
            }
            for (i, value) in self.shifted.x_mut().iter_mut().enumerate() {
                *value += self.y[xd + i] / c;
            }
        }
    }

    /// Moves q and v of the step's end onto the constraints, to round-off. After the first correction of the
    /// positions, which moves the velocities off again, both go together, an evaluation for both: what the
    /// positions still lack is felt in the velocities' next correction.
    fn project(
        &mut self,
        system: &System,
        to: &mut Point,
        solver: &mut dyn LinearSolver,
    ) -> Result<(), Failure> {
        let [_, lambda, psi, xd, ..] = self.formulas.at;
        let mut levels =
            [Level::new(SlotKind::Q, psi > lambda), Level::new(SlotKind::V, xd > lambda)];
        for turn in 0..=PROJECTIONS {
            let later = if turn == 0 && levels[0].open { 1 } else { levels.len() };
            let open = levels[..later].iter().filter(|level| level.open);
            let want = open.fold(Want::NONE, |want, level| want | level.want());
            if want == Want::NONE {
                break;
            }
            system.eval_at(to, want, &mut self.pieces);
            // Velocities are done when they are on the constraints of positions that were.
            let settled = !levels[0].open;
            for level in levels[..later].iter_mut().filter(|level| level.open) {
                let change = self.correct(level.kind, to, solver)?;
                level.judge(change, settled || level.kind == SlotKind::Q);
            }
        }
        Ok(())
    }

    /// One correction of q or v by what was evaluated of the constraints; returns its largest
    /// entry, relative to the magnitude of the values.
    fn correct(
        &mut self,
        kind: SlotKind,
        to: &mut Point,
        solver: &mut dyn LinearSolver,
    ) -> Result<f64, Failure> {
        let [_, lambda, psi, xd, ..] = self.formulas.at;
        let s = self.formulas.span.h / REAL;
        let (scale, g, k) = match kind {
            SlotKind::Q => (s * s, &self.pieces.g[..], &[][..]),
            _ => (s, &self.pieces.gdot[..], &self.pieces.k[..]),
        };
        // The solver multiplies the lower rows by γ.
        let row = if self.formulas.lower_rows().is_empty() { 1.0 } else { 1.0 / REAL };
        self.rhs.fill(0.0);
        for (r, g) in self.rhs[lambda..psi].iter_mut().zip(g) {
            *r = -row / scale * g;
        }
        for (r, k) in self.rhs[psi..xd].iter_mut().zip(k) {
            *r = -row / scale * k;
        }
        if let Some(i) = self.rhs.iter().position(|r| !r.is_finite()) {
            return Err(Failure::NotFinite { row: i, value: self.rhs[i] });
        }
        self.solve_real(solver);
        let magnitude = match kind {
            SlotKind::Q => self.scales.q().magnitude(),
            _ => self.scales.v().magnitude(),
        };
        let change = scale * largest_in(&self.y[..lambda], |i| magnitude[i]);
        if change.is_nan() {
            return Err(Failure::NotFinite { row: lambda, value: change });
        }
        for (value, y) in to.get_mut(kind).iter_mut().zip(&self.y) {
            *value += scale * y;
        }
        Ok(change)
    }
}

/// Where the projection of q or of v stands.
#[derive(Clone, Copy, Debug)]
struct Level {
    kind: SlotKind,
    open: bool,
    /// The last correction.
    before: f64,
}

impl Level {
    fn new(kind: SlotKind, open: bool) -> Self {
        Level { kind, open, before: f64::INFINITY }
    }

    fn want(&self) -> Want {
        match self.kind {
            SlotKind::Q => Want::G,
            _ => Want::GDOT | Want::K,
        }
    }

    /// Whether another correction is needed after one of `change`, relative to the values: not when it
    /// would be lost in rounding by the ratio of the last two, nor when corrections no longer
    /// decrease, which is rounding too.
    fn judge(&mut self, change: f64, may_close: bool) {
        let ratio = (change / self.before).min(1.0);
        let rounding = 4.0 * f64::EPSILON;
        let left = if self.before.is_finite() { ratio * change } else { change };
        if may_close && (left <= rounding || ratio > 0.5) {
            self.open = false;
        }
        self.before = change;
    }
}

impl Scheme for RadauScheme {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let Formulas { at, .. } = self.formulas;
        let stages = 0..STAGES;
        let of_stage = |stage: usize| {
            let first = stage * at[5];
            UNKNOWNS
                .into_iter()
                .enumerate()
                .map(move |(i, kind)| Block::of(kind, first + at[i]..first + at[i + 1]))
        };
        stages.flat_map(of_stage).collect()
    }

    fn instants(&self) -> Vec<Instant> {
        Vec::new()
    }

    fn predict(&mut self, _: &System, from: &Point, u: &mut [f64]) -> bool {
        let StepSpan { t, h, .. } = self.formulas.span;
        if self.past.is_empty() {
            self.remember(from);
        }
        self.past.predict(t, h, u);
        true
    }

    fn distrust(&mut self) {
        self.past.distrust();
        self.pace.failed(self.formulas.span.h);
    }

    fn growth(&self) -> f64 {
        GROWTH
    }

    fn inner_points(&self) -> &[Point] {
        &self.stages[..STAGES - 1]
    }

    fn order(&self) -> usize {
        2 * STAGES - 1
    }

    fn stages(&self) -> f64 {
        STAGES as f64
    }

    /// J₀, J₁, J₂ one below the other.
    fn plan(&self) -> &Plan {
        &self.levels.plan
    }

    fn newton(&self, options: NewtonOptions) -> Newton {
        let solver = Box::new(StageSolver::new(&self.levels.pattern, self.formulas.lower_rows()));
        // One matrix stands for those of three stages: convergence is linear, not quadratic.
        let options = NewtonOptions {
            max_iterations: MOST_ITERATIONS,
            assumed_rate: Some(ASSUMED_RATE),
            slowest_kept: SLOWEST_KEPT,
            go_on: true,
            ..options
        };
        Newton::with_solver(solver, StageSolver::value_len(&self.levels.pattern), options)
    }

    fn probes(&self) -> bool {
        false
    }

    fn start(&mut self, _: &System, at: &Point) {
        self.doubtful = true;
        self.last = None;
        self.pace = Pace::new();
        self.remember(at);
        self.formulas.span.t = f64::NAN;
    }

    fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        self.doubtful |= self.formulas.span.t == span.t;
        self.formulas.span = span;
        self.from.copy_from(from);
        self.accuracy = accuracy;
        self.scales.largest(from.v(), &mut self.size_v);
        self.scales.accelerations(from.a(), &mut self.size_a);
        self.scales.rates(from.xd(), &mut self.size_xd);
    }

    fn coefficient(&self) -> f64 {
        self.formulas.span.h
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        self.formulas.place(from, u, STAGES - 1, to);
    }

    fn residual(&mut self, system: &System, _: &Point, u: &[f64], r: &mut [f64]) {
        let size = self.formulas.size().max(1);
        for (stage, r) in r.chunks_exact_mut(size).enumerate() {
            let point = &mut self.stages[stage];
            self.formulas.place(&self.from, u, stage, point);
            self.formulas.residual(system, point, &mut self.pieces, r);
        }
    }

    fn matrix(&mut self, system: &System, _: &Point, u: &[f64], values: &mut [f64]) {
        // In the middle stage, which is near to both others.
        let middle = &mut self.stages[1];
        self.formulas.place(&self.from, u, 1, middle);
        self.levels.fill(system, middle);
        let h = self.formulas.span.h;
        let part = self.levels.pattern.value_len() + 1;
        values.fill(0.0);
        let (real, parts) = values.split_at_mut(part);
        let (re, im) = parts.split_at_mut(part);
        let s = h / REAL;
        let z = Complex::new(h, 0.0) / Complex::new(PAIR[0], PAIR[1]);
        let powers = [(1.0, Complex::new(1.0, 0.0)), (s, z), (s * s, z * z)];
        for (entry, value) in self.levels.entries.iter().zip(&self.levels.stacked) {
            let (s, z) = powers[entry.level];
            real[entry.position] += s * value;
            re[entry.position] += z.re * value;
            im[entry.position] += z.im * value;
        }
    }

    /// Of h Δv in the stages, with the shares of surfaces, and of Δx.
    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let Formulas { at, span: StepSpan { h, .. }, .. } = self.formulas;
        let size = at[5];
        // A kept matrix may enlarge the share with which friction sticks while nothing moves.
        let stages = du.chunks_exact(size);
        let shares = stages
            .map(|stage| self.scales.of_shares(&stage[at[2]..at[3]], &stage[at[4]..at[5]]))
            .fold(0.0, worse);
        match self.accuracy {
            Accuracy::Tolerance(eps) => {
                let eps = tolerance(eps);
                // The stages are increments: rounding is that of h v and h ẋ.
                let least = 10.0 * f64::EPSILON * h;
                let part = newton_part(eps) * eps;
                let norm =
                    |first: usize, scale: &Scale, factor: f64, changed: &dyn Fn(usize) -> f64| {
                        let mut mean = Mean::default();
                        for (i, y) in scale.weights().iter().enumerate() {
                            let unit = (part * y).max(least * changed(i)) / 1e-3;
                            for row in A {
                                let terms = row.iter().enumerate();
                                let sum: f64 =
                                    terms.map(|(j, w)| w * du[j * size + first + i]).sum();
                                mean.add(factor * sum / unit, i);
                            }
                        }
                        mean.theta().sqrt()
                    };
                let moved = |i: usize| self.size_v[i] + h * self.size_a[i];
                [
                    worse(norm(0, self.scales.q(), h * h, &moved), shares / eps.powf(SHARES)),
                    norm(at[3], self.scales.x(), h, &|i| self.size_xd[i]),
                ]
            }
            Accuracy::RoundOff => {
                let norm = |range: Range<usize>, sizes: &[f64], scale: &Scale, by: f64| {
                    let rounding = 4.0 * f64::EPSILON / by;
                    let unit = |i: usize| TIGHT * sizes[i] + rounding * scale.magnitude()[i];
                    let stages =
                        (0..STAGES).map(|j| &du[j * size + range.start..j * size + range.end]);
                    let norms = stages.map(|d| largest_in(d, unit));
                    norms.fold(0.0, |m: f64, norm| if norm.is_nan() { norm } else { m.max(norm) })
                };
                [
                    worse(
                        norm(0..at[1], &self.size_a, self.scales.q(), h * h),
                        shares / SHARES_TIGHT,
                    ),
                    norm(at[3]..at[4], &self.size_xd, self.scales.x(), h),
                ]
            }
        }
    }

    /// The rate is that of the last corrections, which are linear; one of the first two alone is mixed with
    /// what the prediction has of all others.
    fn converged(&mut self, converged: &Converged, norms: &[f64]) {
        let rate = match norms {
            [first, .., last] if converged.own_matrix => {
                Some((last / first).powf(1.0 / (norms.len() - 1) as f64))
            }
            _ => None,
        };
        self.pace.converged(rate);
    }

    fn refine(
        &mut self,
        system: &System,
        u: &[f64],
        to: &mut Point,
        solver: &mut dyn LinearSolver,
    ) -> Result<(), Failure> {
        for (stage, point) in self.stages.iter_mut().enumerate() {
            self.formulas.place(&self.from, u, stage, point);
        }
        if let Accuracy::Tolerance(eps) = self.accuracy {
            self.embedded(system, eps, solver);
            if self.estimate.theta <= DOUBTFUL {
                self.look_between(system, u, eps, solver);
            }
            if self.estimate.theta > 1.0 {
                return Ok(());
            }
        }
        self.project(system, to, solver)
    }

    fn is_of_order_5(&self) -> bool {
        true
    }

    /// λ, ψ, ẋ and w by the collocation polynomial, and x by its integral: of the step that is attempted, or of the last
    /// one. A step that another formula has taken has none.
    fn interpolate(&self, from: &Point, to: &Point, t: f64, out: &mut Point) {
        dense::interpolate(from, to, t, out);
        let StepSpan { t: begins, t_next, .. } = self.formulas.span;
        let attempted = (begins, t_next) == (from.t(), to.t());
        let nodes = |kind: SlotKind, first: usize| match attempted {
            true => {
                let [one, two, three] = &self.stages[..] else { return None };
                Some([from, one, two, three].map(|at| at.get(kind)))
            }
            false => self.past.of_step([from.t(), to.t()], first),
        };
        let h = to.t() - from.t();
        for (kind, first) in UNKNOWNS.into_iter().zip(self.formulas.at).skip(1) {
            let Some(nodes) = nodes(kind, first) else { return };
            if kind == SlotKind::Xd {
                dense::raise_states(from, to, t, (C[0], nodes[1]), out);
            }
            collocation::within(from.t(), h, nodes, t, out.get_mut(kind));
        }
    }

    fn estimate(&self, _: &Point, _: &Point, _: &[f64], _: f64) -> Estimate {
        let most = self.pace.most(self.formulas.span.h);
        Estimate { factor: self.estimate.factor.min(most), ..self.estimate }
    }

    /// Of the stages as [`refine`](Self::refine) left them.
    fn energy(&mut self, system: &System, ends: &StepEnds<'_>, _: &[f64]) -> StepEnergy {
        let Formulas { at, span: StepSpan { h, .. }, .. } = self.formulas;
        let [w, d] = self.loss;
        let n = at[1];
        self.lost.clear();
        self.lost.resize(4 * n, 0.0);
        let mut exchanged = [0.0; 2];
        for stage in 0..STAGES {
            let end = stage == STAGES - 1;
            let point = &self.stages[stage];
            if !end {
                system.eval_at(point, Want::MU | Want::BALANCE, &mut self.pieces);
            }
            let pieces = if end { ends.pieces } else { &self.pieces };
            exchange(&mut exchanged, h * A[STAGES - 1][stage], pieces);
            for i in 0..n {
                let force = if end { ends.after[i] } else { pieces.mu[i] };
                let terms = [
                    w[stage] * point.a()[i],
                    w[stage] * point.v()[i],
                    w[stage] * force,
                    d[stage] * (force - ends.before[i]),
                ];
                for (k, term) in terms.into_iter().enumerate() {
                    self.lost[k * n + i] += term;
                }
            }
        }
        let dot = |k: usize, l: usize| -> f64 {
            (0..n).map(|i| self.lost[k * n + i] * self.lost[l * n + i]).sum()
        };
        let taken = 0.5 * h * (h * dot(0, 2) - dot(1, 3));
        StepEnergy { taken: Some(taken), exchanged: Some(exchanged), ..StepEnergy::default() }
    }

    fn state(&mut self, state: &mut State<'_>) {
        let RadauScheme {
            form: _,
            formulas: _,
            levels: _,
            from: _,
            stages: _,
            pieces: _,
            scales,
            accuracy: _,
            size_v: _,
            size_a: _,
            size_xd: _,
            doubtful,
            estimate: _,
            last,
            pace,
            reach,
            past,
            rhs: _,
            y: _,
            by: _,
            shifted: _,
            loss: _,
            lost: _,
        } = self;
        state.part("radau5");
        scales.kept(state);
        state.flag(doubtful);
        let [mut theta, mut size] = [last.map(|l| l.0), last.map(|l| l.1)];
        state.maybe(&mut theta);
        state.maybe(&mut size);
        *last = theta.zip(size);
        pace.state(state);
        state.maybe(reach);
        past.state(state);
    }

    fn accept(&mut self, _: &System, from: &Point, _: &Point, u: &[f64], _: &Residual) {
        let h = self.formulas.span.h;
        self.past.push(from.t(), h, u);
        self.last = Some((self.estimate.theta, h));
        self.pace.accepted();
        self.reach = self.reach.map(|reach| h.max(REMEMBERED * reach));
        self.doubtful = false;
        self.formulas.span.t = f64::NAN;
    }
}
