//! `dae-alpha`: the DAE α-method on the stabilized index-2 equations (paper 000), and the options of
//! its relatives `dae-alpha-cs`, `dae-alpha-cm`, `dae-alpha-cm-frozen` and `projected-ode`.
//!
//! With the hats of `history.rs`, eq. 3.3 with rheonomic constraints and scaled by
//! β̂h² and γ̂h, so that the unknowns ν̃ = ν/(β̂h²) and μ̃ = μ/(γ̂h) are approximations of λ:
//!
//! ```text
//! 0 = M'(q' − q̂)/(β̂h²) − f' + G'ᵀν̃
//! 0 = M'(v' − v̂)/(γ̂h)  − f' + G'ᵀμ̃
//! 0 = d',   0 = w' − φ'_w,   0 = g',   0 = G'v' + g_t'
//! ```
//!
//! Primes mark the end of the step; x' = x̂ + γ̂hẋ'. Both constraint levels are met to round-off at
//! every tolerance. After the step φ' and λ' are solved from
//!
//! ```text
//! M'φ' + G'ᵀλ' = f',   G'φ' + γ' = 0
//! ```
//!
//! and reported as acceleration and multipliers: they belong to the end of the step. The
//! algorithmic acceleration is carried under a name of its own.
//!
//! # Measured
//! Order 2 in q, v and λ, for fixed and alternating steps. ν̃ is of order 1, μ̃ of order 2: they are
//! not reported.
//!
//! # What it does not treat
//! Nonholonomic constraints, and forces, states or variables that depend on accelerations or
//! multipliers, are refused by name; `gen-alpha-soi2` treats them.

use super::dae_form::{DaeAlpha, Form};
use super::history::History;
use crate::assembly::{Dims, Plan, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::checkpoint::State;
use crate::integrate::controller::Estimate;
use crate::integrate::kkt::Kkt;
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::scales::Scales;

/// Where the blocks of unknowns begin, and their number: q, v, ẋ, w, ν̃, μ̃.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrate) struct Places {
    pub(in crate::integrate) v: usize,
    pub(in crate::integrate) xd: usize,
    pub(in crate::integrate) w: usize,
    pub(in crate::integrate) nu: usize,
    pub(in crate::integrate) mu: usize,
    pub(in crate::integrate) size: usize,
}

impl Places {
    fn new(dims: &Dims) -> Self {
        let Dims { n, m, nx, nw, .. } = *dims;
        let (xd, w, nu) = (2 * n, 2 * n + nx, 2 * n + nx + nw);
        Places { v: n, xd, w, nu, mu: nu + m, size: nu + 2 * m }
    }
}

/// Eq. 3.3 for one system.
pub struct DaeScheme {
    test_multipliers: bool,
    at: Places,
    pub(in crate::integrate) history: History,
    matrix: NewtonMatrix<Factors, Pass>,
    pieces: Residual,
    kkt: Kkt,
    /// (q' − q̂)/(β̂h²) and (v' − v̂)/(γ̂h): what φ' would be by either formula.
    slope: [Vec<f64>; 2],
}

/// Which point and weights a term of the Newton matrix is evaluated with.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// The iterate, with the weights of the positions' rows, or with none.
    Positions,
    /// The iterate, with the weights of the velocities' rows.
    Velocities,
    /// Gᵀ in the direction of the multipliers.
    Reactions,
}

/// The derivatives of the step's formulas.
struct Factors {
    /// 1/(β̂h²).
    q: f64,
    /// 1/(γ̂h).
    v: f64,
    /// ∂x'/∂ẋ' = γ̂h.
    x: f64,
    /// Weight of the derivative of Gᵀ.
    bend: f64,
}

/// The Newton matrix. Coefficients: c_q = 1/(β̂h²), c_v = 1/(γ̂h), x = γ̂h; u = c_q(q' − q̂) and
/// c_v(v' − v̂) in the two rows; b = 1, or 0 for the iteration CM
///
/// ```text
///        q                                v             ẋ             w        ν̃   μ̃
/// q      c_q M + (Mu)_q + b(Gᵀν̃)_q − f_q  −f_v          −f_ẋ − x f_x  −f_w     Gᵀ  0
/// v      (Mu)_q + b(Gᵀμ̃)_q − f_q          c_v M − f_v   −f_ẋ − x f_x  −f_w     0   Gᵀ
/// d      d_q                              d_v           d_ẋ + x d_x   d_w      0   0
/// w      (w−φ)_q                          (…)_v         (…)_ẋ + x(…)_x (…)_w   0   0
/// g      G                                0             0             0        0   0
/// ġ      (Gv + g_t)_q                     G             0             0        0   0
/// ```
fn matrix(system: &System, at: &Places) -> NewtonMatrix<Factors, Pass> {
    use Pass::{Positions, Reactions, Velocities};
    use SlotKind::{Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::<Factors, Pass>::new(at.size);
    matrix.term(Positions, Term::M, 0, 0, |c| c.q);
    matrix.term(Positions, Term::M, at.v, at.v, |c| c.v);
    for (pass, row, multiplier) in [(Positions, 0, at.nu), (Velocities, at.v, at.mu)] {
        matrix.term(pass, Term::MuQ, row, 0, |_| 1.0);
        matrix.term(pass, Term::ReactQ, row, 0, |c| c.bend);
        matrix.term(Reactions, Term::React, row, multiplier, |_| 1.0);
        matrix.term(Positions, Term::F(Q), row, 0, |_| -1.0);
        matrix.term(Positions, Term::F(V), row, at.v, |_| -1.0);
        matrix.term(Positions, Term::F(Xd), row, at.xd, |_| -1.0);
        matrix.term(Positions, Term::F(X), row, at.xd, |c| -c.x);
        matrix.term(Positions, Term::F(W), row, at.w, |_| -1.0);
    }
    for (of, row) in [(Term::D as fn(SlotKind) -> Term, at.xd), (Term::W, at.w)] {
        matrix.term(Positions, of(Q), row, 0, |_| 1.0);
        matrix.term(Positions, of(V), row, at.v, |_| 1.0);
        matrix.term(Positions, of(Xd), row, at.xd, |_| 1.0);
        matrix.term(Positions, of(X), row, at.xd, |c| c.x);
        matrix.term(Positions, of(W), row, at.w, |_| 1.0);
    }
    matrix.term(Positions, Term::G, at.nu, 0, |_| 1.0);
    matrix.term(Positions, Term::GdotQ, at.mu, 0, |_| 1.0);
    matrix.term(Positions, Term::G, at.mu, at.v, |_| 1.0);
    matrix.constraints(SlotKind::Lambda, at.nu);
    matrix.constraints(SlotKind::Lambda, at.mu);
    matrix.build(system)
}

impl DaeScheme {
    pub(in crate::integrate) fn new(options: &DaeAlpha, system: &System) -> Self {
        let dims = system.dims_in_use();
        let at = Places::new(&dims);
        DaeScheme {
            test_multipliers: options.test_multipliers && options.form == Form::Stabilized,
            at,
            history: History::new(options.family, options.adjust, system),
            matrix: matrix(system, &at),
            pieces: Residual::new(&system.dims()),
            kkt: Kkt::new(system),
            slope: [vec![0.0; dims.n], vec![0.0; dims.n]],
        }
    }

    /// Where the unknowns are.
    pub(in crate::integrate) fn places(&self) -> Places {
        self.at
    }

    fn set_slopes(&mut self, to: &Point) {
        let History { q_hat, v_hat, .. } = &self.history;
        let (c_q, c_v) = (1.0 / self.history.q_factor(), 1.0 / self.history.v_factor());
        for (i, slope) in self.slope[0].iter_mut().enumerate() {
            *slope = c_q * (to.q()[i] - q_hat[i]);
        }
        for (i, slope) in self.slope[1].iter_mut().enumerate() {
            *slope = c_v * (to.v()[i] - v_hat[i]);
        }
    }

    /// The residual with given multipliers of both levels.
    pub(in crate::integrate) fn residual_with(
        &mut self,
        system: &System,
        to: &Point,
        [nu, mu]: [&[f64]; 2],
        r: &mut [f64],
    ) {
        self.set_slopes(to);
        let (at, pieces) = (self.at, &mut self.pieces);
        let want = Want::MU | Want::F | Want::REACTION | Want::G | Want::GDOT | Want::D | Want::W;
        let weights = Weights { u: &self.slope[0], s: nu, r: to.psi() };
        system.eval(to, &weights, want, pieces);
        for (i, e) in r[..at.v].iter_mut().enumerate() {
            *e = pieces.mu[i] - pieces.f[i] + pieces.reaction[i];
        }
        r[at.xd..at.w].copy_from_slice(&pieces.d);
        r[at.w..at.nu].copy_from_slice(&pieces.w[..at.nu - at.w]);
        r[at.nu..at.mu].copy_from_slice(&pieces.g);
        r[at.mu..].copy_from_slice(&pieces.gdot);
        for i in system.trivial_rows(SlotKind::Lambda) {
            (r[at.nu + i], r[at.mu + i]) = (nu[i], mu[i]);
        }
        let weights = Weights { u: &self.slope[1], s: mu, r: to.psi() };
        system.eval(to, &weights, Want::MU | Want::REACTION, pieces);
        for (i, e) in r[at.v..at.xd].iter_mut().enumerate() {
            *e = pieces.mu[i] - pieces.f[i] + pieces.reaction[i];
        }
    }

    /// The matrix with given multipliers; without any the derivative of Gᵀ is left out. The
    /// multipliers act along Gᵀ of the point `reactions`, or of the iterate.
    pub(in crate::integrate) fn matrix_with(
        &mut self,
        system: &System,
        to: &Point,
        multipliers: Option<[&[f64]; 2]>,
        reactions: Option<&Point>,
        values: &mut [f64],
    ) {
        self.set_slopes(to);
        let factors = Factors {
            q: 1.0 / self.history.q_factor(),
            v: 1.0 / self.history.v_factor(),
            x: self.history.v_factor(),
            bend: if multipliers.is_some() { 1.0 } else { 0.0 },
        };
        let s = multipliers.unwrap_or([to.lambda(); 2]);
        let at = |point, level: usize| {
            (point, Weights { u: &self.slope[level], s: s[level], r: to.psi() })
        };
        let matrix = &mut self.matrix;
        match reactions {
            None => {
                let both = [Pass::Positions, Pass::Reactions];
                matrix.fill(&both, &factors, system, at(to, 0), values);
            }
            Some(frozen) => {
                matrix.fill(&[Pass::Positions], &factors, system, at(to, 0), values);
                matrix.accumulate(&[Pass::Reactions], &factors, system, at(frozen, 0), values);
            }
        }
        matrix.accumulate(&[Pass::Velocities], &factors, system, at(to, 1), values);
    }

    /// Both constraint levels; all other rows 0.
    pub(in crate::integrate) fn constraint_rows(
        &mut self,
        system: &System,
        to: &Point,
        r: &mut [f64],
    ) {
        system.eval_at(to, Want::G | Want::GDOT, &mut self.pieces);
        r[..self.at.nu].fill(0.0);
        r[self.at.nu..self.at.mu].copy_from_slice(&self.pieces.g);
        r[self.at.mu..].copy_from_slice(&self.pieces.gdot);
    }

    /// The norms of a correction, of the multipliers too when asked for.
    pub(in crate::integrate) fn norms_of(&self, du: &[f64], with_multipliers: bool) -> [f64; 2] {
        let at = &self.at;
        let multipliers = [&du[at.nu..at.mu], &du[at.mu..]];
        let motion = [&du[..at.v], &du[at.v..at.xd], &du[at.xd..at.w]];
        self.history.norms(motion, with_multipliers.then_some(multipliers))
    }
}

impl Scheme for DaeScheme {
    fn name(&self) -> &'static str {
        Form::Stabilized.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = &self.at;
        vec![
            Block::of(SlotKind::Q, 0..at.v),
            Block::of(SlotKind::V, at.v..at.xd),
            Block::of(SlotKind::Xd, at.xd..at.w),
            Block::of(SlotKind::W, at.w..at.nu),
            Block::of(SlotKind::Lambda, at.nu..at.mu),
            Block::of(SlotKind::Lambda, at.mu..at.size),
        ]
    }

    fn instants(&self) -> Vec<Instant> {
        vec![Instant::shifted(0..self.at.size, 0.0)]
    }

    fn plan(&self) -> &Plan {
        self.matrix.plan()
    }

    fn start(&mut self, _: &System, at: &Point) {
        self.history.start(at);
    }

    fn measure(&mut self, scales: &Scales) {
        self.history.measure(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        self.history.begin(from, span, accuracy);
    }

    fn coefficient(&self) -> f64 {
        self.history.q_factor()
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        let at = &self.at;
        to.q_mut().copy_from_slice(&u[..at.v]);
        to.v_mut().copy_from_slice(&u[at.v..at.xd]);
        to.xd_mut().copy_from_slice(&u[at.xd..at.w]);
        to.set_unknowns(SlotKind::W, &u[at.w..at.nu]);
        // Nothing reads these in the step; they are completed after it.
        to.a_mut().copy_from_slice(from.a());
        to.lambda_mut().copy_from_slice(from.lambda());
        self.history.place_states(&u[at.xd..at.w], to);
    }

    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        let at = self.at;
        self.residual_with(system, to, [&u[at.nu..at.mu], &u[at.mu..]], r);
    }

    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]) {
        let at = self.at;
        self.matrix_with(system, to, Some([&u[at.nu..at.mu], &u[at.mu..]]), None, values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.norms_of(du, self.test_multipliers)
    }

    fn constraints(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) -> bool {
        self.constraint_rows(system, to, r);
        true
    }

    fn rounding(&self, _: &Point, du: &[f64]) -> f64 {
        self.history.rounding(&du[..self.at.v], &du[self.at.v..self.at.xd])
    }

    fn complete(&mut self, system: &System, to: &mut Point, _: &[f64]) -> Result<(), Failure> {
        let (n, nu) = (self.at.v, self.at.nu);
        // Rows and columns of accelerations and multipliers, by the unknowns they belong to.
        let place = |i: usize| if i < n { i } else { nu + i - n };
        self.kkt.solve(system, to).map_err(|failure| failure.placed(place))?;
        self.history.finish(to);
        Ok(())
    }

    fn estimate(&self, _: &Point, to: &Point, _: &[f64], eps: f64) -> Estimate {
        self.history.estimate(to, 0, self.at.xd, eps)
    }

    fn energy(&mut self, _: &System, ends: &StepEnds<'_>, _: &[f64]) -> StepEnergy {
        self.history.energy(ends)
    }

    fn accept(&mut self, _: &System, _: &Point, to: &Point, _: &[f64], _: &Residual) {
        self.history.advance(to);
    }

    fn solves_motion(&self) -> bool {
        true
    }

    fn state(&mut self, state: &mut State<'_>) {
        let DaeScheme {
            test_multipliers: _,
            at: _,
            history,
            matrix: _,
            pieces: _,
            kkt: _,
            slope: _,
        } = self;
        history.state(state);
    }

    fn algorithmic(&self) -> Option<&[f64]> {
        Some(&self.history.a)
    }
}
