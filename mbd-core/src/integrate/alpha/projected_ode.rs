//! `projected-ode`: the α-method on the underlying ODE, projected onto both constraint levels (seed
//! 000, eq. 2.5), from which the DAE α-method is derived.
//!
//! With the hats of `history.rs` and q̃ = q̂ + β̂h²φ', ṽ = v̂ + γ̂hφ' (eq. 2.6):
//!
//! ```text
//! 0 = M'φ' + R' − f'                       R = Gᵀλ
//! 0 = M(q̃)(q' − q̃)/(β̂h²) + G(q̃,t')ᵀν̃
//! 0 = M(q̃)(v' − ṽ)/(γ̂h)  + G(q̃,t')ᵀμ̃
//! 0 = d',   0 = w' − φ'_w,   0 = G'φ' + γ',   0 = g',   0 = G'v' + g_t'
//! ```
//!
//! φ' and λ' are unknowns of the step, so forces, states and variables may depend on them.
//! Nonholonomic constraints are refused by name; `gen-alpha-soi2` treats them.
//!
//! # Measured
//! Order 2 in q, v and λ.

use super::dae_form::{DaeAlpha, Form};
use super::history::History;
use crate::assembly::{Dims, Plan, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::checkpoint::State;
use crate::integrate::controller::Estimate;
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::scales::Scales;

/// Where the blocks of unknowns begin, and their number: q, v, φ, ẋ, w, λ, ν̃, μ̃. The rows of each
/// block hold the equations in the order above, those of the motion in the place of φ.
#[derive(Clone, Copy)]
struct Places {
    v: usize,
    a: usize,
    xd: usize,
    w: usize,
    lambda: usize,
    nu: usize,
    mu: usize,
    size: usize,
}

impl Places {
    fn new(dims: &Dims) -> Self {
        let Dims { n, m, nx, nw, .. } = *dims;
        let (xd, w, lambda) = (3 * n, 3 * n + nx, 3 * n + nx + nw);
        let (nu, mu, size) = (lambda + m, lambda + 2 * m, lambda + 3 * m);
        Places { v: n, a: 2 * n, xd, w, lambda, nu, mu, size }
    }
}

/// Eq. 2.5 for one system.
pub struct ProjectedScheme {
    at: Places,
    pub(in crate::integrate) history: History,
    matrix: NewtonMatrix<Factors, Pass>,
    pieces: Residual,
    /// The point with q̃, ṽ.
    tilde: Point,
    /// (q' − q̃)/(β̂h²) and (v' − ṽ)/(γ̂h).
    slope: [Vec<f64>; 2],
}

type Coefficient = fn(&Factors) -> f64;

/// The derivatives of a family of rows by any kind of scalar.
type Of = fn(SlotKind) -> Term;

/// Which point and weights a term of the Newton matrix is evaluated with.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    /// The iterate, with u = φ' and s = λ'.
    Motion,
    /// q̃ with the weights of the projection of positions, or with none.
    Positions,
    /// q̃ with the weights of the projection of velocities.
    Velocities,
}

/// The derivatives of the step's formulas.
struct Factors {
    /// β̂h² = ∂q̃/∂φ'.
    q: f64,
    /// γ̂h = ∂ṽ/∂φ' = ∂x'/∂ẋ'.
    v: f64,
}

/// The Newton matrix. Coefficients: q = β̂h², v = γ̂h; u and s as in the rows; a tilde marks what is
/// evaluated at q̃
///
/// ```text
///       q              v        φ                              ẋ             w      λ        ν̃   μ̃
/// q     M̃/q            0        −M̃ + q[(M̃u)_q + (G̃ᵀν̃)_q]      0             0      0        G̃ᵀ  0
/// v     0              M̃/v      −M̃ + q[(M̃u)_q + (G̃ᵀμ̃)_q]      0             0      0        0   G̃ᵀ
/// φ     (Mφ+R−f)_q     (R−f)_v  M − f_a                        −f_ẋ − v f_x  −f_w   R_λ−f_λ  0   0
/// d     d_q            d_v      d_a                            d_ẋ + v d_x   d_w    d_λ      0   0
/// w     (w−φ)_q        (…)_v    (…)_a                          (…)_ẋ + v(…)_x (…)_w (…)_λ    0   0
/// λ     (Gφ)_q + γ_q   γ_v      G                              0             0      0        0   0
/// ν̃     G              0        0                              0             0      0        0   0
/// μ̃     (Gv + g_t)_q   G        0                              0             0      0        0   0
/// ```
fn matrix(system: &System, at: &Places) -> NewtonMatrix<Factors, Pass> {
    use Pass::{Motion, Positions, Velocities};
    use SlotKind::{A, Lambda, Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::<Factors, Pass>::new(at.size);
    matrix.term(Positions, Term::M, 0, 0, |c| 1.0 / c.q);
    matrix.term(Positions, Term::M, at.v, at.v, |c| 1.0 / c.v);
    for (pass, row, multiplier) in [(Positions, 0, at.nu), (Velocities, at.v, at.mu)] {
        matrix.term(Positions, Term::M, row, at.a, |_| -1.0);
        matrix.term(pass, Term::MuQ, row, at.a, |c| c.q);
        matrix.term(pass, Term::GtsQ, row, at.a, |c| c.q);
        matrix.term(Positions, Term::Gt, row, multiplier, |_| 1.0);
    }
    matrix.term(Motion, Term::M, at.a, at.a, |_| 1.0);
    matrix.term(Motion, Term::MuQ, at.a, 0, |_| 1.0);
    matrix.term(Motion, Term::ReactQ, at.a, 0, |_| 1.0);
    matrix.term(Motion, Term::React, at.a, at.lambda, |_| 1.0);
    let all: [(Of, usize, Coefficient, Coefficient); 3] = [
        (Term::F, at.a, |_| -1.0, |c| -c.v),
        (Term::D, at.xd, |_| 1.0, |c| c.v),
        (Term::W, at.w, |_| 1.0, |c| c.v),
    ];
    for (of, row, one, rate) in all {
        matrix.term(Motion, of(Q), row, 0, one);
        matrix.term(Motion, of(V), row, at.v, one);
        matrix.term(Motion, of(A), row, at.a, one);
        matrix.term(Motion, of(Xd), row, at.xd, one);
        matrix.term(Motion, of(X), row, at.xd, rate);
        matrix.term(Motion, of(W), row, at.w, one);
        matrix.term(Motion, of(Lambda), row, at.lambda, one);
    }
    matrix.term(Motion, Term::GuQ, at.lambda, 0, |_| 1.0);
    matrix.term(Motion, Term::GammaQ, at.lambda, 0, |_| 1.0);
    matrix.term(Motion, Term::GammaV, at.lambda, at.v, |_| 1.0);
    matrix.term(Motion, Term::G, at.lambda, at.a, |_| 1.0);
    matrix.term(Motion, Term::G, at.nu, 0, |_| 1.0);
    matrix.term(Motion, Term::GdotQ, at.mu, 0, |_| 1.0);
    matrix.term(Motion, Term::G, at.mu, at.v, |_| 1.0);
    for row in [at.lambda, at.nu, at.mu] {
        matrix.constraints(Lambda, row);
    }
    matrix.build(system)
}

impl ProjectedScheme {
    pub(in crate::integrate) fn new(options: &DaeAlpha, system: &System, start: &Point) -> Self {
        let dims = system.dims_in_use();
        let at = Places::new(&dims);
        ProjectedScheme {
            at,
            history: History::new(options.family, options.adjust, system),
            matrix: matrix(system, &at),
            pieces: Residual::new(&system.dims()),
            tilde: start.clone(),
            slope: [vec![0.0; dims.n], vec![0.0; dims.n]],
        }
    }

    /// Eq. 2.6 and the corrections by the projections.
    fn set_tilde(&mut self, to: &Point) {
        let (q, v) = (self.history.q_factor(), self.history.v_factor());
        self.tilde.copy_from(to);
        for (i, phi) in to.a().iter().enumerate() {
            let (q_tilde, v_tilde) =
                (self.history.q_hat[i] + q * phi, self.history.v_hat[i] + v * phi);
            self.tilde.q_mut()[i] = q_tilde;
            self.tilde.v_mut()[i] = v_tilde;
            self.slope[0][i] = (to.q()[i] - q_tilde) / q;
            self.slope[1][i] = (to.v()[i] - v_tilde) / v;
        }
    }
}

impl Scheme for ProjectedScheme {
    fn name(&self) -> &'static str {
        Form::ProjectedOde.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = &self.at;
        vec![
            Block::of(SlotKind::Q, 0..at.v),
            Block::of(SlotKind::V, at.v..at.a),
            Block::of(SlotKind::A, at.a..at.xd),
            Block::of(SlotKind::Xd, at.xd..at.w),
            Block::of(SlotKind::W, at.w..at.lambda),
            Block::of(SlotKind::Lambda, at.lambda..at.nu),
            Block::local("the position correction along", SlotKind::Lambda, at.nu..at.mu),
            Block::local("the velocity correction along", SlotKind::Lambda, at.mu..at.size),
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

    fn update(&self, _: &Point, u: &[f64], to: &mut Point) {
        let at = &self.at;
        to.q_mut().copy_from_slice(&u[..at.v]);
        to.v_mut().copy_from_slice(&u[at.v..at.a]);
        to.a_mut().copy_from_slice(&u[at.a..at.xd]);
        to.xd_mut().copy_from_slice(&u[at.xd..at.w]);
        to.set_unknowns(SlotKind::W, &u[at.w..at.lambda]);
        to.lambda_mut().copy_from_slice(&u[at.lambda..at.nu]);
        self.history.place_states(&u[at.xd..at.w], to);
    }

    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        self.set_tilde(to);
        let (at, pieces) = (self.at, &mut self.pieces);
        let motion = Want::MU | Want::F | Want::REACTION | Want::D | Want::W;
        let constraints = Want::GU | Want::GAMMA | Want::G | Want::GDOT;
        system.eval_at(to, motion | constraints, pieces);
        for (i, e) in r[at.a..at.xd].iter_mut().enumerate() {
            *e = pieces.mu[i] + pieces.reaction[i] - pieces.f[i];
        }
        r[at.xd..at.w].copy_from_slice(&pieces.d);
        r[at.w..at.lambda].copy_from_slice(&pieces.w[..at.lambda - at.w]);
        for (i, e) in r[at.lambda..at.nu].iter_mut().enumerate() {
            *e = pieces.gu[i] + pieces.gamma[i];
        }
        r[at.nu..at.mu].copy_from_slice(&pieces.g);
        r[at.mu..].copy_from_slice(&pieces.gdot);
        for i in system.trivial_rows(SlotKind::Lambda) {
            for row in [at.lambda + i, at.nu + i, at.mu + i] {
                r[row] = u[row];
            }
        }
        let levels = [(0, &u[at.nu..at.mu]), (at.v, &u[at.mu..])];
        for ((row, s), slope) in levels.into_iter().zip(&self.slope) {
            let weights = Weights { u: slope, s, r: to.psi() };
            system.eval(&self.tilde, &weights, Want::MU | Want::GTS, pieces);
            for (i, e) in r[row..row + at.v].iter_mut().enumerate() {
                *e = pieces.mu[i] + pieces.gts[i];
            }
        }
    }

    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]) {
        self.set_tilde(to);
        let at = self.at;
        let factors = Factors { q: self.history.q_factor(), v: self.history.v_factor() };
        let [of_q, of_v] = &self.slope;
        let matrix = &mut self.matrix;
        matrix.fill(&[Pass::Motion], &factors, system, (to, Weights::of(to)), values);
        for (pass, u, s) in
            [(Pass::Positions, of_q, &u[at.nu..at.mu]), (Pass::Velocities, of_v, &u[at.mu..])]
        {
            let projection = (&self.tilde, Weights { u, s, r: to.psi() });
            matrix.accumulate(&[pass], &factors, system, projection, values);
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let at = &self.at;
        self.history.norms([&du[..at.v], &du[at.v..at.a], &du[at.xd..at.w]], None)
    }

    fn constraints(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) -> bool {
        let at = self.at;
        system.eval_at(to, Want::G | Want::GDOT, &mut self.pieces);
        r[..at.nu].fill(0.0);
        r[at.nu..at.mu].copy_from_slice(&self.pieces.g);
        r[at.mu..].copy_from_slice(&self.pieces.gdot);
        true
    }

    fn rounding(&self, _: &Point, du: &[f64]) -> f64 {
        self.history.rounding(&du[..self.at.v], &du[self.at.v..self.at.a])
    }

    fn complete(&mut self, _: &System, to: &mut Point, _: &[f64]) -> Result<(), Failure> {
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
        let ProjectedScheme { at: _, history, matrix: _, pieces: _, tilde: _, slope: _ } = self;
        history.state(state);
    }

    fn algorithmic(&self) -> Option<&[f64]> {
        Some(&self.history.a)
    }
}
