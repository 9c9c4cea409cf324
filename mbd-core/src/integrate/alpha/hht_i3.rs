//! `hht-i3`: the Hilber–Hughes–Taylor method on the index-3 equations, with user states (paper 002).
//!
//! Newmark's formulas (eq. 2) express q and v by the acceleration, eq. 9a expresses x by its rate,
//! and the equations of motion weight the forces of both ends of the step (eq. 11a):
//!
//! ```text
//! q' = q + h v + h²/2 ((1−2β) a + 2β a')         β = (1−α)²/4
//! v' = v + h ((1−γ) a + γ a')                    γ = 1/2 − α
//! x' = x + h ẋ + h ρ (ẋ' − ẋ)
//! 0  = M⁺a'/(1+α) + R' − α/(1+α) R               R = Gᵀλ + Kᵀψ − f,  M⁺ = M(t⁺, q⁺)
//! (t⁺, q⁺) = (1+α)(t', q') − α (t, q)
//! 0  = g'/(βh²),   0 = k'/(γh),   0 = d',   0 = w' − φ'
//! ```
//!
//! Primes mark the end of the step. R of the previous step is carried, not evaluated anew.
//!
//! # Where the mass matrix is taken
//! a' belongs to the instant t' + αh, and so must the mass matrix it is multiplied by. Taken at
//! the step's end, as eq. 10 prints it, M'a' is off by αh Ṁa and the method is of order 1 wherever
//! M changes: measured on Andrews' mechanism in its angles, where the error then halves with the
//! step and is 190 times larger at h = 5e-6. A constant M, as in the paper's bodies, hides it.
//! [`HhtI3::mass_at_end`] restores the printed form for comparison.
//!
//! # What is reported as acceleration
//! In the running regime a is the acceleration at t + α h, not at t: the *algorithmic*
//! acceleration, which the next step needs and which is reported as computed. It is of order 2 at
//! its own instant and of order 1 at t. λ has a transient of order 1 over the first 12 to 15 steps
//! and is of order 2 after it.
//!
//! # Measured
//! Order 2 in q, v and (late) λ; the velocity constraints drift with h².

use super::family::{AlphaFamily, Carried};
use crate::assembly::{Dims, Plan, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::controller::Estimate;
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use crate::integrate::options::{Common, Options, Setting};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Scheme, StepEnds, StepEnergy, StepSpan, Stepper};
use crate::integrate::weights::{Mean, SHARES, SHARES_TIGHT, TIGHT, largest_in_sizes, rms, worse};
use crate::nonlinear::{MatrixPolicy, Newton, NewtonOptions};
use crate::scales::{Scale, Scales};

/// Part of the characteristic acceleration of the model that a step much shorter than the one before may take to make
/// good what that has left of the constraints.
const MADE_GOOD: f64 = 1e-3;

/// Part of an acceleration that may be rounding of positions.
const ROUNDED: f64 = 1e-3;

/// Part of the step before from which on a step is not one that the error control has chosen.
const SHORT: f64 = 0.1;

/// Options of `hht-i3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HhtI3 {
    family: AlphaFamily,
    rho_x: f64,
    sharp: bool,
    mass_at_end: bool,
}

impl Default for HhtI3 {
    /// α = −0.3, as in the paper's runs; ρ = 1/2 for the states; the paper's error constant.
    fn default() -> Self {
        HhtI3 { family: AlphaFamily::HHT_DEFAULT, rho_x: 0.5, sharp: false, mass_at_end: false }
    }
}

impl HhtI3 {
    /// α ∈ [−1/3, 0]: 0 is the trapezoidal rule without numerical damping, −1/3 damps most.
    ///
    /// With constraints, take α ≤ −0.05 or so. Position constraints leave a component of a and λ
    /// that changes sign from step to step and that only numerical damping removes; near α = 0 it
    /// stays, the error estimate takes it for a change of a, and adaptive steps shrink (measured on
    /// a pendulum, tolerance 1e-6, 20 s: 1466 steps at −0.3, 1873 at −0.05, 12105 at −0.02, not
    /// finished at 0).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn alpha(alpha: f64) -> Result<Self, OptionError> {
        Self::default().with_alpha(alpha)
    }

    /// By the spectral radius at infinite frequency, ρ∞ ∈ [1/2, 1]: α = −(1−ρ∞)/(1+ρ∞).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn rho(rho: f64) -> Result<Self, OptionError> {
        Self::default().with_rho(rho)
    }

    /// The same options with another [`alpha`](Self::alpha).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn with_alpha(self, alpha: f64) -> Result<Self, OptionError> {
        Ok(HhtI3 { family: AlphaFamily::hht(alpha)?, ..self })
    }

    /// The same options with another [`rho`](Self::rho).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn with_rho(self, rho: f64) -> Result<Self, OptionError> {
        Ok(HhtI3 { family: AlphaFamily::hht_rho(rho)?, ..self })
    }

    /// ρ of eq. 9a for the states, in [1/2, 1].
    ///
    /// 1/2 (default) is the trapezoidal rule, of order 2; ψ_d of eq. 37a is infinite there, so the
    /// states' error is estimated one order higher, from differences of three rates.
    /// Above 1/2 the states are of order 1 and damped, and drag everything they act on along.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn states(mut self, rho: f64) -> Result<Self, OptionError> {
        if (0.5..=1.0).contains(&rho) {
            self.rho_x = rho;
            Ok(self)
        } else {
            Err(OptionError::OutOfRange {
                name: "rho_x",
                value: rho,
                range: "the formula for the states takes rho from 0.5 (order 2) to 1 (order 1)",
            })
        }
    }

    /// Uses the sharp error constant 1/12 + α²/4 of the running regime instead of eq. 26, which
    /// overestimates the local error (by 1.742 at α = −0.3).
    pub fn sharp(mut self, sharp: bool) -> Self {
        self.sharp = sharp;
        self
    }

    /// Takes the mass matrix at the end of the step, as eq. 10 is printed: of order 1 where M is
    /// not constant. For comparison only.
    pub fn mass_at_end(mut self, at_end: bool) -> Self {
        self.mass_at_end = at_end;
        self
    }

    /// α.
    pub fn alpha_value(&self) -> f64 {
        self.family.alpha()
    }

    /// Builds the method for a system.
    pub fn scheme(&self, system: &System) -> HhtScheme {
        HhtScheme::new(*self, system)
    }
}

impl Options for HhtI3 {
    fn name(&self) -> &'static str {
        "hht-i3"
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        *self = match setting {
            Setting::Rho(rho) => self.with_rho(rho)?,
            Setting::Alpha(alpha) => self.with_alpha(alpha)?,
            other => return other.refuse(self.name(), ""),
        };
        Ok(())
    }

    fn stepper(
        &self,
        system: &System,
        _: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        // Its accelerations belong to other instants than its speeds.
        if system.slides_by_accelerations() {
            return Err(OptionError::NotForModel {
                method: self.name(),
                statement: "a comparison of speeds and states".into(),
                what: "holds the motion by accelerations",
                alternative: "gen-alpha-soi2",
            });
        }
        Ok(common.implicit(self.scheme(system)))
    }
}

/// The method for one system: unknowns a, λ, ψ, ẋ, w.
pub struct HhtScheme {
    options: HhtI3,
    beta: f64,
    gamma: f64,
    dims: Dims,
    matrix: NewtonMatrix<Factors, Part>,
    /// Where a mass matrix that is not constant is taken.
    inertia: Option<Inertia>,
    pieces: Residual,
    /// R = Gᵀλ + Kᵀψ − f at the last accepted point.
    carried: Vec<f64>,
    /// M⁺a of the last accepted step.
    momentum: Vec<f64>,
    scales: Scales,
    /// ẋ before the last accepted step.
    earlier_xd: Vec<f64>,
    span: StepSpan,
    previous_h: Option<f64>,
    /// Size of the step that left the violation of the constraints.
    violated_over: Option<f64>,
    /// What Newton's iteration has left of the holonomic constraints at the start of the step.
    violation: Vec<f64>,
    accuracy: Accuracy,
    /// Size of each acceleration and rate at the start of the step.
    size_a: Vec<f64>,
    size_xd: Vec<f64>,
}

/// The point (t⁺, q⁺) at which the mass matrix is taken.
struct Inertia {
    at: Point,
    start_q: Vec<f64>,
}

impl Inertia {
    /// Moves to (1+α)(t', q') − α (t, q).
    fn place(&mut self, alpha: f64, start_t: f64, to: &Point) {
        self.at.copy_from(to);
        self.at.set_t((1.0 + alpha) * to.t() - alpha * start_t);
        for ((q, end), start) in self.at.q_mut().iter_mut().zip(to.q()).zip(&self.start_q) {
            *q = (1.0 + alpha) * end - alpha * start;
        }
    }
}

/// The derivatives of the step's formulas by the unknowns.
struct Factors {
    /// 1/(1+α).
    m: f64,
    /// The same times the derivative of the point of M by a': βh², or βh²/(1+α) at the step's end.
    m_q: f64,
    /// ∂q'/∂a' = βh².
    q: f64,
    /// ∂v'/∂a' = γh.
    v: f64,
    /// ∂x'/∂ẋ' = ρh.
    x: f64,
}

/// Which point the terms of the Newton matrix are evaluated at.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// M and (Ma)_q: at the point of [`Inertia`], or at the end of the step.
    Inertia,
    /// At the end of the step.
    End,
}

const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];

impl HhtScheme {
    fn new(options: HhtI3, system: &System) -> Self {
        let alpha = options.alpha_value();
        let dims = system.dims_in_use();
        HhtScheme {
            options,
            beta: (1.0 - alpha).powi(2) / 4.0,
            gamma: 0.5 - alpha,
            matrix: matrix(system),
            inertia: (alpha != 0.0 && !options.mass_at_end && !system.has_constant_mass())
                .then(|| Inertia { at: system.initial_point(), start_q: vec![0.0; dims.n] }),
            pieces: Residual::new(&system.dims()),
            carried: vec![0.0; dims.n],
            momentum: vec![0.0; dims.n],
            scales: Scales::ones(system),
            earlier_xd: vec![0.0; dims.nx],
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            previous_h: None,
            violated_over: None,
            violation: vec![0.0; dims.m],
            accuracy: Accuracy::RoundOff,
            size_a: vec![1.0; dims.n],
            size_xd: vec![1.0; dims.nx],
            dims,
        }
    }

    /// Corrections of the shares with which surfaces hold the motion.
    fn of_shares(&self, du: &[f64]) -> f64 {
        let at = self.dims.unknown_offsets();
        self.scales.of_shares(&du[at[2]..at[3]], &du[at[4]..at[5]])
    }

    fn factors(&self) -> Factors {
        let h = self.span.h;
        let (m, q) = (1.0 / (1.0 + self.options.alpha_value()), self.beta * h * h);
        Factors {
            m,
            m_q: if self.inertia.is_some() { q } else { m * q },
            q,
            v: self.gamma * h,
            x: self.options.rho_x * h,
        }
    }

    /// Of a step that is much shorter than the one that left the violation of the constraints, as those are that end at an
    /// event or begin at one, how much shorter.
    fn part_of_before(&self) -> Option<f64> {
        let part = self.span.h / self.violated_over?;
        (part < SHORT).then_some(part)
    }

    /// The part of the violation of the constraints that a step makes good: all, unless that took accelerations that count.
    fn made_good(&self) -> f64 {
        let Some(part) = self.part_of_before() else { return 1.0 };
        let sizes = self.violation.iter().zip(self.scales.holonomic());
        let violation = sizes.map(|(g, size)| g.abs() / size).fold(0.0, f64::max);
        let step = self.span.h * self.scales.rate();
        let little = MADE_GOOD * self.beta * step * step / violation;
        // Written so that NaN counts: there is no violation, or no rate.
        if little < 1.0 { part.max(little) } else { 1.0 }
    }

    /// Constant of eq. 26: the local error of q is this times h²x, x = a' − a.
    fn constant_q(&self) -> f64 {
        let alpha = self.options.alpha_value();
        (self.beta - 1.0 / (6.0 * (1.0 + alpha))).abs()
    }
}

/// The Newton matrix, eq. 12 with the corrected eq. 14. Coefficients: m = 1/(1+α), q = βh²,
/// v = γh, x = ρh; rows and columns
///
/// ```text
///          a                                     λ         ψ         ẋ             w
/// motion   m M⁺ + q (M⁺a)_q + q R_q + v R_v − f_a Gᵀ − f_λ  Kᵀ − f_ψ  −f_ẋ − x f_x  −f_w
/// g/q      G                                     0         0         0             0
/// k/v      K + (q/v) k_q                         0         0         0             0
/// d        d_a + v d_v + q d_q                   d_λ       d_ψ       d_ẋ + x d_x   d_w
/// w        (w−φ)_a + v (…)_v + q (…)_q           (…)_λ     (…)_ψ     (…)_ẋ + x (…)_x  (…)_w
/// ```
///
/// with R = Gᵀλ + Kᵀψ − f. (With M' in place of M⁺, (Ma)_q has the factor m q.)
fn matrix(system: &System) -> NewtonMatrix<Factors, Part> {
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let [at_a, at_lambda, at_psi, at_xd, at_w, size] = system.dims_in_use().unknown_offsets();
    let mut matrix = NewtonMatrixBuilder::<Factors, Part>::new(size);
    matrix.term(Part::Inertia, Term::M, at_a, at_a, |c| c.m);
    matrix.term(Part::Inertia, Term::MuQ, at_a, at_a, |c| c.m_q);
    let mut place = |term: Term, row: usize, col: usize, rule: fn(&Factors) -> f64| {
        matrix.term(Part::End, term, row, col, rule);
    };
    place(Term::ReactQ, at_a, at_a, |c| c.q);
    place(Term::ReactV, at_a, at_a, |c| c.v);
    place(Term::React, at_a, at_lambda, |_| 1.0);
    place(Term::ReactPsi, at_a, at_psi, |_| 1.0);
    place(Term::F(Q), at_a, at_a, |c| -c.q);
    place(Term::F(V), at_a, at_a, |c| -c.v);
    place(Term::F(A), at_a, at_a, |_| -1.0);
    place(Term::F(Lambda), at_a, at_lambda, |_| -1.0);
    place(Term::F(Psi), at_a, at_psi, |_| -1.0);
    place(Term::F(Xd), at_a, at_xd, |_| -1.0);
    place(Term::F(X), at_a, at_xd, |c| -c.x);
    place(Term::F(W), at_a, at_w, |_| -1.0);
    place(Term::G, at_lambda, at_a, |_| 1.0);
    place(Term::K, at_psi, at_a, |_| 1.0);
    place(Term::KQ, at_psi, at_a, |c| c.q / c.v);
    for (term, row) in [(Term::D as fn(SlotKind) -> Term, at_xd), (Term::W, at_w)] {
        place(term(A), row, at_a, |_| 1.0);
        place(term(V), row, at_a, |c| c.v);
        place(term(Q), row, at_a, |c| c.q);
        place(term(Lambda), row, at_lambda, |_| 1.0);
        place(term(Psi), row, at_psi, |_| 1.0);
        place(term(Xd), row, at_xd, |_| 1.0);
        place(term(X), row, at_xd, |c| c.x);
        place(term(W), row, at_w, |_| 1.0);
    }
    matrix.constraints(Lambda, at_lambda);
    matrix.constraints(Psi, at_psi);
    matrix.build(system)
}

impl Scheme for HhtScheme {
    fn name(&self) -> &'static str {
        self.options.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = self.dims.unknown_offsets();
        UNKNOWNS
            .into_iter()
            .zip(at.windows(2))
            .map(|(kind, range)| Block::of(kind, range[0]..range[1]))
            .collect()
    }

    fn instants(&self) -> Vec<Instant> {
        let at = self.dims.unknown_offsets();
        vec![
            Instant::shifted(at[0]..at[1], self.options.alpha_value()),
            Instant::shifted(at[1]..at[5], 0.0),
        ]
    }

    fn plan(&self) -> &Plan {
        self.matrix.plan()
    }

    /// Positions alone hold what is at rest: what vanishes in a correction has to vanish altogether, or it is a speed.
    fn newton(&self, options: NewtonOptions) -> Newton {
        Newton::new(self.plan().pattern(), options)
    }

    fn newton_options(&self) -> NewtonOptions {
        NewtonOptions { policy: MatrixPolicy::RECYCLE_LONGER, ..Default::default() }
    }

    fn start(&mut self, system: &System, at: &Point) {
        system.eval_at(at, Want::F | Want::REACTION | Want::G, &mut self.pieces);
        let pieces = std::mem::take(&mut self.pieces);
        self.carry(&pieces);
        self.momentum.iter_mut().zip(&self.carried).for_each(|(p, r)| *p = -r);
        self.pieces = pieces;
        self.previous_h = None;
    }

    fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        self.span = span;
        self.accuracy = accuracy;
        if accuracy == Accuracy::RoundOff {
            self.scales.accelerations(from.a(), &mut self.size_a);
            self.scales.rates(from.xd(), &mut self.size_xd);
        }
        if let Some(inertia) = &mut self.inertia {
            inertia.start_q.copy_from_slice(from.q());
        }
    }

    fn coefficient(&self) -> f64 {
        self.beta * self.span.h * self.span.h
    }

    fn shortest(&mut self, from: &Point) -> f64 {
        self.scales.accelerations(from.a(), &mut self.size_a);
        let sizes = self.scales.q().magnitude().iter().zip(&self.size_a);
        let worst = sizes.map(|(q, a)| f64::EPSILON * q / (self.beta * a));
        (worst.fold(0.0, f64::max) / ROUNDED).sqrt()
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        let h = self.span.h;
        let (beta, gamma, rho) = (self.beta, self.gamma, self.options.rho_x);
        let at = self.dims.unknown_offsets();
        to.set_t(self.span.t_next);
        for (kind, range) in UNKNOWNS.into_iter().zip(at.windows(2)) {
            to.set_unknowns(kind, &u[range[0]..range[1]]);
        }
        let (q, v, a) = (from.q(), from.v(), from.a());
        for (i, q_next) in to.q_mut().iter_mut().enumerate() {
            *q_next = q[i] + h * v[i] + h * h * ((0.5 - beta) * a[i] + beta * u[i]);
        }
        for (i, v_next) in to.v_mut().iter_mut().enumerate() {
            *v_next = v[i] + h * ((1.0 - gamma) * a[i] + gamma * u[i]);
        }
        let (x, xd) = (from.x(), from.xd());
        let xd_next = &u[at[3]..at[4]];
        for (i, x_next) in to.x_mut().iter_mut().enumerate() {
            *x_next = x[i] + h * ((1.0 - rho) * xd[i] + rho * xd_next[i]);
        }
    }

    /// Eq. 13.
    fn residual(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) {
        let want = Want::F | Want::REACTION | Want::G | Want::K | Want::D | Want::W;
        let share = self.made_good();
        let pieces = &mut self.pieces;
        if let Some(inertia) = &mut self.inertia {
            inertia.place(self.options.alpha_value(), self.span.t, to);
            system.eval_at(&inertia.at, Want::MU, pieces);
            system.eval_at(to, want, pieces);
        } else {
            system.eval_at(to, want | Want::MU, pieces);
        }
        let alpha = self.options.alpha_value();
        let (m, history) = (1.0 / (1.0 + alpha), alpha / (1.0 + alpha));
        let Dims { n, m: rows, p, nx, nw, .. } = self.dims;
        let (motion, r) = r.split_at_mut(n);
        for (i, e) in motion.iter_mut().enumerate() {
            *e = m * pieces.mu[i] + (pieces.reaction[i] - pieces.f[i]) - history * self.carried[i];
        }
        let (holonomic, r) = r.split_at_mut(rows);
        let scale = 1.0 / (self.beta * self.span.h * self.span.h);
        // A step that an event cuts short does not make good what a longer one has left: βh²a would be that.
        for ((e, g), before) in holonomic.iter_mut().zip(&pieces.g).zip(&self.violation) {
            *e = scale * (g - (1.0 - share) * before);
        }
        for i in system.trivial_rows(SlotKind::Lambda) {
            holonomic[i] = to.lambda()[i];
        }
        let (nonholonomic, r) = r.split_at_mut(p);
        let scale = 1.0 / (self.gamma * self.span.h);
        for (e, k) in nonholonomic.iter_mut().zip(&pieces.k) {
            *e = scale * k;
        }
        for i in system.trivial_rows(SlotKind::Psi) {
            nonholonomic[i] = to.psi()[i] - system.given_psi()[i];
        }
        let (states, variables) = r.split_at_mut(nx);
        states.copy_from_slice(&pieces.d);
        variables.copy_from_slice(&pieces.w[..nw]);
    }

    fn matrix(&mut self, system: &System, to: &Point, _: &[f64], values: &mut [f64]) {
        let factors = self.factors();
        let at_end: &[Part] =
            if self.inertia.is_some() { &[Part::End] } else { &[Part::Inertia, Part::End] };
        self.matrix.fill(at_end, &factors, system, (to, Weights::of(to)), values);
        if let Some(inertia) = &mut self.inertia {
            inertia.place(self.options.alpha_value(), self.span.t, to);
            let at = (&inertia.at, Weights::of(to));
            self.matrix.accumulate(&[Part::Inertia], &factors, system, at, values);
        }
    }

    /// Eq. 48b and 49b: what a correction changes of the error estimates, relative to ε.
    ///
    /// For ρ = 1/2 the state's own change ρhΔẋ takes the place of the vanishing (ρ − 1/2)hΔẋ.
    ///
    /// The shares with which surfaces hold the motion are in no estimate. Where what they are shares of grows, as friction
    /// that sticks by a reaction, a matrix that is kept may enlarge their error from correction to correction while
    /// nothing moves, and each step begins with what the one before has left: they grew without bound (by 15 a step under
    /// a foot that lands). So they count too, to ε^{2/3}.
    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let (h, at) = (self.span.h, self.dims.unknown_offsets());
        let (a, xd) = (&du[..self.dims.n], &du[at[3]..at[4]]);
        match self.accuracy {
            Accuracy::Tolerance(eps) => {
                let rho = self.options.rho_x;
                let constant_x = if rho > 0.5 { rho - 0.5 } else { rho };
                // Of a step that an event has cut short, velocities are as accurate as of the one before.
                let step = h / self.part_of_before().unwrap_or(1.0);
                let of_a = self.constant_q() * h * step * rms(a, self.scales.q().weights()) / eps;
                [
                    worse(of_a, self.of_shares(du) / eps.powf(SHARES)),
                    constant_x * h * rms(xd, self.scales.x().weights()) / eps,
                ]
            }
            Accuracy::RoundOff => {
                // Relative to the largest entry in the same unit, and no finer than what one
                // rounding of q or x makes of a or ẋ.
                let norm = |d: &[f64], size: &[f64], scale: &Scale, by: f64| {
                    let rounding = 4.0 * f64::EPSILON / by;
                    largest_in_sizes(d, [size, scale.magnitude()], [TIGHT, rounding])
                };
                let of_a = norm(a, &self.size_a, self.scales.q(), self.beta * h * h);
                [
                    worse(of_a, self.of_shares(du) / SHARES_TIGHT),
                    norm(xd, &self.size_xd, self.scales.x(), self.options.rho_x * h),
                ]
            }
        }
    }

    /// # Error estimates
    /// Positions, eq. 26: δ = (β − 1/(6(1+α))) h² (a' − a); or, [sharp](HhtI3::sharp), with
    /// (1/12 + α²/4) h³ q⃛ where q⃛ is the change of a over the time between the instants that the
    /// two accelerations belong to.
    ///
    /// States, ρ > 1/2, eq. 34: δ = (ρ − 1/2) h (ẋ' − ẋ), of order 2. For ρ = 1/2 the trapezoidal
    /// rule's δ = h³/12 x⃛ with x⃛ = 2·ẋ[t₋, t, t'], the second divided difference over the last
    /// three points. In the first step, without a third point, h x⃛ is taken as large as ẍ:
    /// δ = h (ẋ' − ẋ)/12.
    fn estimate(&self, from: &Point, to: &Point, _: &[f64], eps: f64) -> Estimate {
        let (h, alpha) = (self.span.h, self.options.alpha_value());
        let constant = match (self.options.sharp, self.previous_h) {
            (true, Some(before)) => {
                (1.0 / 12.0 + alpha * alpha / 4.0) * h
                    / (h + alpha * (h - before)).abs().max(0.1 * h)
            }
            _ => self.constant_q(),
        };
        let mut q = Mean::default();
        for (i, y) in self.scales.q().weights().iter().enumerate() {
            q.add(constant * h * h * (to.a()[i] - from.a()[i]) / (y * eps), i);
        }
        let mut x = Mean::default();
        let rho = self.options.rho_x;
        for (i, y) in self.scales.x().weights().iter().enumerate() {
            let change = to.xd()[i] - from.xd()[i];
            let delta = match self.previous_h {
                _ if rho > 0.5 => (rho - 0.5) * h * change,
                Some(before) => {
                    let earlier = (from.xd()[i] - self.earlier_xd[i]) / before;
                    h.powi(3) / 6.0 * (change / h - earlier) / (h + before)
                }
                None => h * change / 12.0,
            };
            x.add(delta / (y * eps), i);
        }
        let at_xd = self.dims.unknown_offsets()[3];
        let order_x = if rho > 0.5 { 2 } else { 3 };
        let states = Estimate::of_order(x.theta(), order_x, at_xd + x.worst);
        Estimate::of_order(q.theta(), 3, q.worst).and(states)
    }

    fn energy(&mut self, _: &System, ends: &StepEnds<'_>, u: &[f64]) -> StepEnergy {
        let family = self.options.family;
        let coordinates = (0..self.dims.n).map(|i| {
            let f = [-self.carried[i], ends.after[i]];
            let p = [self.momentum[i], family.next_momentum(f, self.momentum[i])];
            let dq = ends.to.q()[i] - ends.from.q()[i];
            Carried { dq, f, p, a: [ends.from.a()[i], u[i]] }
        });
        let taken = Some(family.taken(self.span.h, coordinates));
        StepEnergy { taken, ..StepEnergy::default() }
    }

    fn state(&mut self, state: &mut State<'_>) {
        let HhtScheme {
            options: _,
            beta: _,
            gamma: _,
            dims: _,
            matrix: _,
            inertia: _,
            pieces: _,
            carried,
            momentum,
            scales,
            earlier_xd,
            span: _,
            previous_h,
            violated_over,
            violation,
            accuracy: _,
            size_a: _,
            size_xd: _,
        } = self;
        state.part("hht-i3");
        state.numbers(carried);
        state.numbers(momentum);
        scales.kept(state);
        state.numbers(earlier_xd);
        state.maybe(previous_h);
        state.maybe(violated_over);
        state.numbers(violation);
    }

    fn accept(&mut self, _: &System, from: &Point, _: &Point, _: &[f64], pieces: &Residual) {
        let family = self.options.family;
        for (i, p) in self.momentum.iter_mut().enumerate() {
            let f = [-self.carried[i], pieces.f[i] - pieces.reaction[i]];
            *p = family.next_momentum(f, *p);
        }
        self.earlier_xd.copy_from_slice(from.xd());
        self.previous_h = Some(self.span.h);
        if self.part_of_before().is_none() {
            self.violated_over = self.previous_h;
        }
        self.carry(pieces);
    }
}

impl HhtScheme {
    fn carry(&mut self, pieces: &Residual) {
        for (i, carried) in self.carried.iter_mut().enumerate() {
            *carried = pieces.reaction[i] - pieces.f[i];
        }
        self.violation.copy_from_slice(&pieces.g);
    }
}
