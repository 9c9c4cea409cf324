//! (1.3), the stabilized index-2 equations, with all a model may have:
//!
//! ```text
//! 0 = S⁻²(q̇ − v) + Gᵀμ
//! 0 = M v̇ − f + Gᵀλ + Kᵀψ
//! 0 = d,   0 = w − φ_w,   0 = g,   0 = G v + g_t,   0 = k
//! ```
//!
//! with the coordinates' scales S, so that no unit of length is preferred (S = 1 with the published
//! weights, as in the paper), at the end of the step, with q̇, v̇ and ẋ by the formula ([`past`](super::past)); the unknowns are
//! q, v, x, w, μ, λ and ψ. The acceleration reported is v̇.

use super::ahead::second_rates;
use super::form::{Bdf, BdfForm};
use super::past::Past;
use super::policy::Policy;
use crate::assembly::{Dims, Plan, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::balance::taken_from_trapezoid;
use crate::integrate::controller::Estimate;
use crate::integrate::independent::partition::{Choice, Partition};
use crate::integrate::limits::Limit;
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::integrate::weights::largest_in;
use crate::model::Label;
use crate::nonlinear::Stop;
use crate::scales::{Scales, Weighting};
use std::ops::Range;

/// Newton's unit at round-off accuracy, in units of rounding of the largest entry.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// Where the blocks of unknowns begin, and their number: q, v, x, w, μ, λ, ψ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) v: usize,
    pub(super) x: usize,
    pub(super) w: usize,
    pub(super) mu: usize,
    pub(super) lambda: usize,
    pub(super) psi: usize,
    pub(super) size: usize,
}

impl Places {
    fn new(dims: &Dims) -> Self {
        let Dims { n, m, p, nx, nw, .. } = *dims;
        let (x, w, mu) = (2 * n, 2 * n + nx, 2 * n + nx + nw);
        let psi = mu + 2 * m;
        Places { v: n, x, w, mu, lambda: mu + m, psi, size: psi + p }
    }
}

/// Which weights a term of the Newton matrix is evaluated with.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// λ, or none.
    Motion,
    /// μ.
    Positions,
}

/// c, and the weight of the derivative of Gᵀ.
struct Factors {
    c: f64,
    bend: f64,
}

/// The Newton matrix, c = ∂ẏ/∂y, b = 1 but for the iteration CM:
///
/// ```text
///     q                              v                      x           w      μ   λ             ψ
/// q   c S⁻² + b(Gᵀμ)_q               −S⁻²                                      Gᵀ
/// v   (Mv̇)_q + b(Gᵀλ+Kᵀψ)_q − f_q    c(M−f_a)−f_v+(Kᵀψ)_v   −f_x−c f_ẋ  −f_w       Gᵀ − f_λ      Kᵀ − f_ψ
/// d   d_q                            d_v + c d_a            d_x+c d_ẋ   d_w        d_λ           d_ψ
/// w   …_q                            …_v + c …_a            …_x+c …_ẋ   …_w        …_λ           …_ψ
/// g   G
/// ġ   (Gv + g_t)_q                   G
/// k   k_q                            K
/// ```
fn matrix(system: &System, at: &Places) -> NewtonMatrix<Factors, Pass> {
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::<Factors, Pass>::new(at.size);
    let mut place = |term, row, col, value: fn(&Factors) -> f64| {
        matrix.term(Pass::Motion, term, row, col, value);
    };
    place(Term::M, at.v, at.v, |f| f.c);
    place(Term::MuQ, at.v, 0, |_| 1.0);
    place(Term::ReactQ, at.v, 0, |f| f.bend);
    place(Term::ReactV, at.v, at.v, |_| 1.0);
    place(Term::React, at.v, at.lambda, |_| 1.0);
    place(Term::ReactPsi, at.v, at.psi, |_| 1.0);
    type Kind = fn(SlotKind) -> Term;
    let of: [(Kind, usize, fn(&Factors) -> f64, fn(&Factors) -> f64); 3] = [
        (Term::F, at.v, |_| -1.0, |f| -f.c),
        (Term::D, at.x, |_| 1.0, |f| f.c),
        (Term::W, at.w, |_| 1.0, |f| f.c),
    ];
    for (of, row, one, c) in of {
        for (kind, col) in
            [(Q, 0), (V, at.v), (X, at.x), (W, at.w), (Lambda, at.lambda), (Psi, at.psi)]
        {
            place(of(kind), row, col, one);
        }
        place(of(A), row, at.v, c);
        place(of(Xd), row, at.x, c);
    }
    place(Term::G, at.mu, 0, |_| 1.0);
    place(Term::GdotQ, at.lambda, 0, |_| 1.0);
    place(Term::G, at.lambda, at.v, |_| 1.0);
    place(Term::KQ, at.psi, 0, |_| 1.0);
    place(Term::K, at.psi, at.v, |_| 1.0);
    place(Term::Gt, 0, at.mu, |_| 1.0);
    matrix.term(Pass::Positions, Term::GtsQ, 0, 0, |f| f.bend);
    // Places only: the metric comes with each filling.
    matrix.unit(Pass::Motion, at.v, 0, 0, |_| 0.0);
    matrix.unit(Pass::Motion, at.v, 0, at.v, |_| 0.0);
    matrix.constraints(SlotKind::Lambda, at.mu);
    matrix.constraints(SlotKind::Lambda, at.lambda);
    matrix.constraints(SlotKind::Psi, at.psi);
    matrix.build(system)
}

/// Which unknowns the tests look at, and in what unit.
#[derive(Debug)]
struct Measure {
    accuracy: Accuracy,
    velocities: bool,
    dependent: bool,
    /// One over ε times the scale of q, v, x, w, μ, λ, ψ; with the published weights over ε(1 + |y|),
    /// or ε for an angle.
    weights: Vec<f64>,
    angle: Vec<bool>,
    /// The first so many unknowns are tested for convergence, and the last ones from the other
    /// index on: without μ and λ unless they are.
    converging: [Range<usize>; 2],
    /// What the error test takes.
    tested: Vec<usize>,
    scales: Scales,
}

impl Measure {
    fn eps(&self) -> f64 {
        match self.accuracy {
            Accuracy::Tolerance(eps) => eps,
            Accuracy::RoundOff => 1.0,
        }
    }

    fn weigh(&mut self, at: &Places, y: &[f64]) {
        let eps = self.eps();
        if self.scales.weighting() == Weighting::Published {
            for ((weight, y), angle) in self.weights.iter_mut().zip(y).zip(&self.angle) {
                *weight = 1.0 / (eps * if *angle { 1.0 } else { 1.0 + y.abs() });
            }
            return;
        }
        let scales = &self.scales;
        for (first, of) in [
            (0, scales.q().weights()),
            (at.v, scales.v().weights()),
            (at.x, scales.x().weights()),
            (at.w, scales.w().weights()),
            (at.mu, scales.position_multipliers()),
            (at.lambda, scales.lambda()),
            (at.psi, scales.psi()),
        ] {
            for (weight, scale) in self.weights[first..].iter_mut().zip(of) {
                *weight = 1.0 / (eps * scale);
            }
        }
    }

    /// Puts the independent coordinates given, or all if they are tested, with their velocities if
    /// these are, and the states into the error test.
    fn test(&mut self, at: &Places, coordinates: &[usize]) {
        self.tested.clear();
        if self.dependent {
            self.tested.extend(0..at.v);
        } else {
            self.tested.extend(coordinates);
        }
        if self.velocities {
            let count = self.tested.len();
            self.tested.extend_from_within(..);
            self.tested[count..].iter_mut().for_each(|i| *i += at.v);
        }
        self.tested.extend(at.x..at.w);
    }

    /// Saves or restores what was seen, and which unknowns are tested.
    fn state(&mut self, state: &mut State<'_>) {
        let Measure {
            accuracy: _,
            velocities: _,
            dependent: _,
            weights: _,
            angle: _,
            converging: _,
            tested,
            scales,
        } = self;
        state.counts(tested);
        scales.kept(state);
    }

    /// Root mean square of a correction over the unknowns tested for convergence, in units of the
    /// tolerance; or, at round-off accuracy, its size in units of rounding. The rounding of q
    /// makes c times as much of v = q̇.
    fn of_corrections(&self, at: &Places, c: f64, du: &[f64]) -> f64 {
        self.of_those(&self.converging, at, c, du)
    }

    /// The same of the motion alone, without μ and λ.
    fn of_motion(&self, at: &Places, c: f64, du: &[f64]) -> f64 {
        self.of_those(&[0..at.mu, at.psi..at.size], at, c, du)
    }

    fn of_those(&self, those: &[Range<usize>; 2], at: &Places, c: f64, du: &[f64]) -> f64 {
        if self.accuracy == Accuracy::RoundOff {
            let [q, v, x] =
                [self.scales.q(), self.scales.v(), self.scales.x()].map(|s| s.magnitude());
            let parts = [
                largest_in(&du[..at.v], |i| q[i]),
                largest_in(&du[at.v..at.x], |i| v[i].max(c * q[i])),
                largest_in(&du[at.x..at.w], |i| x[i]),
            ];
            return parts.into_iter().fold(0.0, |m: f64, p| if p.is_nan() { p } else { m.max(p) })
                / ROUNDINGS;
        }
        let mut sum = 0.0;
        for range in those {
            let corrections = du[range.clone()].iter().zip(&self.weights[range.clone()]);
            sum += corrections.map(|(d, w)| (d * w).powi(2)).sum::<f64>();
        }
        let count: usize = those.iter().map(ExactSizeIterator::len).sum();
        (sum / count.max(1) as f64).sqrt()
    }

    /// Root mean square over the error test's unknowns.
    fn of_errors(&self, error: &dyn Fn(usize) -> f64) -> f64 {
        let sum: f64 = self.tested.iter().map(|&i| (error(i) * self.weights[i]).powi(2)).sum();
        (sum / self.tested.len().max(1) as f64).sqrt()
    }
}

/// (1.3) for one system.
pub(in crate::integrate) struct StabilizedScheme {
    form: BdfForm,
    at: Places,
    matrix: NewtonMatrix<Factors, Pass>,
    pieces: Residual,
    /// v' − v of an accepted step.
    change: Vec<f64>,
    past: Past,
    policy: Policy,
    measure: Measure,
    /// Of each coordinate one over the square of its scale, and where its row's entries of q and v
    /// stand.
    metric: Vec<(f64, usize, usize)>,
    t_next: f64,
    zero_psi: Vec<f64>,
    /// What the multipliers of a prediction are computed with, for [`BdfForm::StabilizedStar`].
    split: Option<Box<Splitter>>,
}

/// A partition, and room for the residual of a prediction.
struct Splitter {
    partition: Partition,
    point: Point,
    r: Vec<f64>,
    zero: Vec<f64>,
    s: Vec<f64>,
}

impl StabilizedScheme {
    pub(in crate::integrate) fn new(
        options: &Bdf,
        system: &System,
        start: &Point,
    ) -> Result<Self, OptionError> {
        let dims = system.dims_in_use();
        let at = Places::new(&dims);
        let model = system.model();
        let mut angle = vec![false; at.size];
        let labels = model.coords().iter().map(Label::is_angle);
        angle.iter_mut().zip(labels).for_each(|(angle, is)| *angle = is);
        let labels = model.states().iter().map(Label::is_angle);
        angle[at.x..].iter_mut().zip(labels).for_each(|(angle, is)| *angle = is);
        // −(GY)⁻ᵀYᵀr gives no multipliers that r itself reads, and those have to converge.
        let reads = Limit::ForcesOfMultipliers;
        let read = system.groups_in_use().any(|group| reads.of(&group.terms()).is_some());
        let form = match options.form {
            BdfForm::StabilizedStar if read => BdfForm::Stabilized,
            form => form,
        };
        let converging = match form {
            BdfForm::Stabilized => [0..at.size, at.size..at.size],
            _ => [0..at.mu, at.psi..at.size],
        };
        let split = match form {
            BdfForm::StabilizedStar => {
                let choice = Choice::by_names(system, &options.independent)?;
                Some(Box::new(Splitter {
                    partition: Partition::new(system, start, choice)?,
                    point: start.clone(),
                    r: vec![0.0; at.size],
                    zero: vec![0.0; dims.m],
                    s: vec![0.0; dims.m],
                }))
            }
            _ => None,
        };
        let matrix = matrix(system, &at);
        let place = |i: usize, j: usize| matrix.plan().pattern().position(i, j);
        let mut scheme = StabilizedScheme {
            form: options.form,
            at,
            metric: (0..at.v).map(|i| (1.0, place(i, i), place(i, at.v + i))).collect(),
            matrix,
            pieces: Residual::new(&system.dims()),
            change: Vec::with_capacity(dims.n),
            past: Past::new(at.size, options.order),
            policy: Policy::new(options.order),
            measure: Measure {
                accuracy: Accuracy::RoundOff,
                velocities: options.test_velocities,
                dependent: options.test_dependent || form == BdfForm::Stabilized,
                weights: vec![1.0; at.size],
                angle,
                converging,
                tested: Vec::with_capacity(at.size),
                scales: Scales::ones(system),
            },
            t_next: 0.0,
            zero_psi: vec![0.0; dims.p],
            split,
        };
        let split = scheme.split.as_deref().map(|s| s.partition.independent());
        scheme.measure.test(&at, split.unwrap_or_default());
        Ok(scheme)
    }

    /// Says which coordinates are independent, for the error test.
    pub(super) fn test(&mut self, coordinates: &[usize]) {
        self.measure.test(&self.at, coordinates);
    }

    /// Where the unknowns are.
    pub(super) fn places(&self) -> Places {
        self.at
    }

    /// v̇ by the formula.
    pub(super) fn set_acceleration(&self, u: &[f64], to: &mut Point) {
        for (i, a) in (self.at.v..).zip(to.a_mut()) {
            *a = self.past.rate(i, u[i]);
        }
    }

    /// The residual with given multipliers in the place of μ and λ.
    pub(super) fn residual_with(
        &mut self,
        system: &System,
        to: &Point,
        u: &[f64],
        [mu, lambda]: [&[f64]; 2],
        r: &mut [f64],
    ) {
        let (at, pieces) = (self.at, &mut self.pieces);
        let weights = Weights { u: to.a(), s: mu, r: &self.zero_psi };
        system.eval(to, &weights, Want::GTS, pieces);
        for (i, e) in r[..at.v].iter_mut().enumerate() {
            *e = self.metric[i].0 * (self.past.rate(i, u[i]) - to.v()[i]) + pieces.gts[i];
        }
        let want = Want::MU
            | Want::F
            | Want::REACTION
            | Want::G
            | Want::GDOT
            | Want::K
            | Want::D
            | Want::W;
        system.eval(to, &Weights { u: to.a(), s: lambda, r: to.psi() }, want, pieces);
        for (i, e) in r[at.v..at.x].iter_mut().enumerate() {
            *e = pieces.mu[i] - pieces.f[i] + pieces.reaction[i];
        }
        r[at.x..at.w].copy_from_slice(&pieces.d);
        r[at.w..at.mu].copy_from_slice(&pieces.w[..at.mu - at.w]);
        r[at.mu..at.lambda].copy_from_slice(&pieces.g);
        r[at.lambda..at.psi].copy_from_slice(&pieces.gdot);
        r[at.psi..].copy_from_slice(&pieces.k[..at.size - at.psi]);
        for i in system.trivial_rows(SlotKind::Lambda) {
            (r[at.mu + i], r[at.lambda + i]) = (mu[i], lambda[i]);
        }
        for i in system.trivial_rows(SlotKind::Psi) {
            r[at.psi + i] = to.psi()[i] - system.given_psi()[i];
        }
    }

    /// The matrix with given multipliers; without any the derivative of Gᵀ is left out.
    pub(super) fn matrix_with(
        &mut self,
        system: &System,
        to: &Point,
        multipliers: Option<[&[f64]; 2]>,
        values: &mut [f64],
    ) {
        let bend = if multipliers.is_some() { 1.0 } else { 0.0 };
        let factors = Factors { c: self.past.leading(), bend };
        let [mu, lambda] = multipliers.unwrap_or([to.lambda(); 2]);
        let at = |s| (to, Weights { u: to.a(), s, r: to.psi() });
        self.matrix.fill(&[Pass::Motion], &factors, system, at(lambda), values);
        self.matrix.accumulate(&[Pass::Positions], &factors, system, at(mu), values);
        for &(metric, of_q, of_v) in &self.metric {
            values[of_q] += metric * factors.c;
            values[of_v] -= metric;
        }
    }

    /// Takes the unknowns of a solved step.
    pub(super) fn solved(&mut self, u: &[f64]) {
        self.past.solved(u);
        if let Accuracy::Tolerance(_) = self.measure.accuracy {
            let measure = &self.measure;
            self.policy.judge(&self.past, |error| measure.of_errors(error));
        }
    }
}

impl Scheme for StabilizedScheme {
    fn order(&self) -> usize {
        5
    }

    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = &self.at;
        vec![
            Block::of(SlotKind::Q, 0..at.v),
            Block::of(SlotKind::V, at.v..at.x),
            Block::of(SlotKind::X, at.x..at.w),
            Block::of(SlotKind::W, at.w..at.mu),
            Block::local("the position-level multiplier of", SlotKind::Lambda, at.mu..at.lambda),
            Block::of(SlotKind::Lambda, at.lambda..at.psi),
            Block::of(SlotKind::Psi, at.psi..at.size),
        ]
    }

    fn instants(&self) -> Vec<Instant> {
        vec![Instant::shifted(0..self.at.size, 0.0)]
    }

    fn plan(&self) -> &Plan {
        self.matrix.plan()
    }

    fn start(&mut self, _: &System, point: &Point) {
        let at = self.at;
        let mut y = vec![0.0; at.size];
        y[..at.v].copy_from_slice(point.q());
        y[at.v..at.x].copy_from_slice(point.v());
        y[at.x..at.w].copy_from_slice(point.x());
        y[at.w..at.mu].copy_from_slice(&point.w()[..at.mu - at.w]);
        y[at.lambda..at.psi].copy_from_slice(point.lambda());
        y[at.psi..].copy_from_slice(&point.psi()[..at.size - at.psi]);
        let rates = self.past.start(&y);
        rates[..at.v].copy_from_slice(point.v());
        rates[at.v..at.x].copy_from_slice(point.a());
        rates[at.x..at.w].copy_from_slice(point.xd());
        self.policy.start();
    }

    fn start_after_event(&mut self, system: &System, point: &Point) {
        self.start(system, point);
        if self.policy.max_order() < 2 {
            return;
        }
        if let Some([jerk, of_x]) = second_rates(system, point, &self.measure.scales) {
            let mut second = vec![0.0; self.at.size];
            second[..self.at.v].copy_from_slice(point.a());
            second[self.at.v..self.at.x].copy_from_slice(&jerk);
            second[self.at.x..self.at.w].copy_from_slice(&of_x);
            self.past.bend(&second);
            self.policy.start_with(2);
        }
    }

    fn measure(&mut self, scales: &Scales) {
        self.measure.scales.copy_from(scales);
        if scales.weighting() == Weighting::Model {
            for (metric, scale) in self.metric.iter_mut().zip(scales.lengths()) {
                metric.0 = 1.0 / (scale * scale);
            }
        }
    }

    fn begin(&mut self, _: &Point, span: StepSpan, accuracy: Accuracy) {
        self.t_next = span.t_next;
        self.measure.accuracy = accuracy;
        self.measure.weigh(&self.at, self.past.last());
        self.past.begin(span.h, self.policy.begin());
    }

    fn coefficient(&self) -> f64 {
        self.past.leading()
    }

    fn predict(&mut self, system: &System, from: &Point, u: &mut [f64]) -> bool {
        u.copy_from_slice(self.past.predicted());
        if let Some(mut splitter) = self.split.take() {
            let Splitter { partition, point, r, zero, s } = &mut *splitter;
            point.hold_as(from);
            self.update(from, u, point);
            self.residual_with(system, point, u, [zero, zero], r);
            if partition.evaluate(system, point).is_ok() {
                let at = self.at;
                partition.multiplier(&r[..at.v], s);
                u[at.mu..at.lambda].copy_from_slice(s);
                partition.multiplier(&r[at.v..at.x], s);
                u[at.lambda..at.psi].copy_from_slice(s);
            }
            self.split = Some(splitter);
        }
        true
    }

    fn stop(&self, accuracy: Accuracy) -> Stop {
        match accuracy {
            Accuracy::Tolerance(eps) => Stop::MeanRate { noise: 100.0 * f64::EPSILON / eps },
            Accuracy::RoundOff => Stop::ROUND_OFF,
        }
    }

    fn update(&self, _: &Point, u: &[f64], to: &mut Point) {
        let at = &self.at;
        to.set_t(self.t_next);
        to.q_mut().copy_from_slice(&u[..at.v]);
        to.v_mut().copy_from_slice(&u[at.v..at.x]);
        to.x_mut().copy_from_slice(&u[at.x..at.w]);
        to.set_unknowns(SlotKind::W, &u[at.w..at.mu]);
        to.lambda_mut().copy_from_slice(&u[at.lambda..at.psi]);
        to.set_unknowns(SlotKind::Psi, &u[at.psi..]);
        self.set_acceleration(u, to);
        for (i, xd) in to.xd_mut().iter_mut().enumerate() {
            *xd = self.past.rate(at.x + i, u[at.x + i]);
        }
    }

    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        let at = self.at;
        self.residual_with(system, to, u, [&u[at.mu..at.lambda], &u[at.lambda..at.psi]], r);
    }

    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]) {
        let at = self.at;
        let multipliers = [&u[at.mu..at.lambda], &u[at.lambda..at.psi]];
        self.matrix_with(system, to, Some(multipliers), values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [self.measure.of_corrections(&self.at, self.past.leading(), du), 0.0]
    }

    fn norm_of_motion(&self, du: &[f64]) -> Option<f64> {
        Some(self.measure.of_motion(&self.at, self.past.leading(), du))
    }

    fn constraints(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) -> bool {
        let (at, pieces) = (self.at, &mut self.pieces);
        system.eval_at(to, Want::G | Want::GDOT | Want::K, pieces);
        r[..at.mu].fill(0.0);
        r[at.mu..at.lambda].copy_from_slice(&pieces.g);
        r[at.lambda..at.psi].copy_from_slice(&pieces.gdot);
        r[at.psi..].copy_from_slice(&pieces.k[..at.size - at.psi]);
        true
    }

    fn rounding(&self, _: &Point, du: &[f64]) -> f64 {
        let (at, measure) = (&self.at, &self.measure);
        let [of_q, of_v] = [measure.scales.q(), measure.scales.v()].map(|s| s.magnitude());
        let q = largest_in(&du[..at.v], |i| 4.0 * f64::EPSILON * of_q[i]);
        let v = largest_in(&du[at.v..at.x], |i| 4.0 * f64::EPSILON * of_v[i]);
        if q.is_nan() || q > v { q } else { v }
    }

    fn complete(&mut self, _: &System, _: &mut Point, u: &[f64]) -> Result<(), Failure> {
        let split = self.split.as_deref().and_then(|split| split.partition.nearly_singular());
        if let Some(index) = split {
            return Err(Failure::Singular { index });
        }
        self.solved(u);
        Ok(())
    }

    fn estimate(&self, _: &Point, _: &Point, _: &[f64], _: f64) -> Estimate {
        let Some(verdict) = self.policy.verdict() else { return Estimate::NONE };
        let size = |i: usize| (self.past.local_error(i) * self.measure.weights[i]).abs();
        let tested = self.measure.tested.iter().copied();
        let worst = tested.max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(0);
        Estimate::settled(verdict.error * verdict.error, verdict.factor, worst)
    }

    fn energy(&mut self, system: &System, ends: &StepEnds<'_>, _: &[f64]) -> StepEnergy {
        let taken = taken_from_trapezoid(system, ends, &mut self.change, &mut self.pieces);
        StepEnergy { taken: Some(taken), trapezoidal: true, ..StepEnergy::default() }
    }

    fn state(&mut self, state: &mut State<'_>) {
        let StabilizedScheme {
            form: _,
            at: _,
            matrix: _,
            pieces: _,
            change: _,
            past,
            policy,
            measure,
            metric,
            t_next: _,
            zero_psi: _,
            split,
        } = self;
        past.state(state);
        policy.state(state);
        measure.state(state);
        metric.iter_mut().for_each(|(metric, ..)| state.number(metric));
        if let Some(splitter) = split {
            let Splitter { partition, point: _, r: _, zero: _, s: _ } = &mut **splitter;
            partition.state(state);
        }
    }

    fn accept(&mut self, system: &System, _: &Point, to: &Point, _: &[f64], _: &Residual) {
        self.policy.accept(self.past.order());
        self.past.accept();
        if let Some(splitter) = &mut self.split {
            // A singular choice shows when it is used.
            let _ = splitter.partition.renew(system, to);
            let independent = splitter.partition.independent();
            self.measure.test(&self.at, independent);
        }
    }
}
