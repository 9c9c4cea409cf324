//! `state-space` and `state-space-fv`: Newmark's formulas on the independent coordinates (Haug,
//! Negrut, Iancu: seed 004).
//!
//! The coordinates split into dependent ones u and independent ones v, the paper's letters
//! ([`partition`](super::independent::partition), pivoting on all of Φ_q). The unknowns of a step are the
//! independent accelerations v̈', in the points' own order of coordinates:
//!
//! ```text
//! v' = ṽ + βh² v̈',   v̇' = ṽ̇ + γh v̈'                         (16), (17) with (18), (19)
//! Φ(u', v', t') = 0,  Φ_u u̇' + Φ_v v̇' + Φ_t = 0,  Φ_u ü' + Φ_v v̈' + γ = 0   (11) to (13)
//! Φ_uᵀ λ' = (f − M a)ᵘ                                        (38)
//! 0 = Ψ(v̈') = (M a − f + Φ_qᵀλ')ᵛ                             (20)
//! ```
//!
//! so every constraint, and the dependent rows of the equations of motion, hold at every iterate.
//! First-order states and variables join the unknowns with their own equations: x' = x̃ + γh ẋ'.
//! Past points are kept with all their coordinates, so a change of the partition costs no order.
//!
//! # The Jacobian
//! With E = (H; 1) the directions the constraints leave, H = −Φ_u⁻¹Φ_v, a change of v̈ changes
//!
//! ```text
//! q by βh² E       v by B = γh E + βh² (J; 0)       a by A = E + βh² (L; 0) + γh (N; 0)
//! Φ_u J = −(Φ_q v)_q E          Φ_u N = −γ_v E       Φ_u L = −[(Φ_q a)_q + γ_q] E − γ_v (J; 0)
//! Ψ_v̈ = Eᵀ {M A − f_a A + βh² [(M a)_q + (Φ_qᵀλ)_q − f_q] E − f_v B}
//! ```
//!
//! which is (29), R and S of (35) and (36) being rows of the braces; −γ is the paper's τ, and
//! nonconstant mass and time-dependent constraints are included. Column by column it takes three
//! solutions with Φ_u.
//!
//! `state-space-fv` is the quasi-Newton matrix of Fisette and Vaneghem, for comparison
//! ([`Jacobian`]): the same solution, more iterations.
//!
//! # Measured
//! Order 2 with γ = 1/2, in coordinates, velocities, accelerations and λ, also over changes of the
//! partition; order 1 with another γ.

use super::alpha::history::History;
use super::controller::Estimate;
use super::implicit::{count, failure};
use super::independent::manifold::Manifold;
use super::limits::Limit;
use super::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use super::options::{Common, NO_DAMPING, Options, Setting};
use super::predictor::{Instant, Predictor};
use super::scheme::{Accuracy, Attempt, Block, Failure, Probe, StepSpan, Stepper};
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::linear::Pattern;
use crate::nonlinear::{Converged, Equations, MatrixPolicy, Newton, NewtonOptions, Stop};
use crate::scales::Scales;
use crate::solution::Stats;
use crate::start::Accelerations;
use std::cell::Cell;

/// The matrix of Newton's iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jacobian {
    /// Eq. 29.
    Exact,
    /// Fisette and Vaneghem's as eq. 40 is printed: without L and N, the change of the dependent
    /// accelerations through the right side of (13), and without the derivative of Φ_qᵀλ.
    FisetteVaneghem,
    /// The same as the text of section 3.2.2 has it: only L and N are left out.
    WithoutAccelerations,
}

/// Where Newton's iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// The shared polynomial through past accelerations.
    Polynomial,
    /// Section 3.3: the accelerations that solve the equations of motion (39) at the point which
    /// (16) and (17) give with β = γ = 0 in the new terms.
    Motion,
}

/// Options of the state-space methods.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    jacobian: Jacobian,
    prediction: Prediction,
    beta: f64,
    gamma: f64,
    independent: Vec<String>,
}

impl Default for StateSpace {
    /// The trapezoidal rule, β = 1/4 and γ = 1/2, with the exact Jacobian.
    fn default() -> Self {
        StateSpace {
            jacobian: Jacobian::Exact,
            prediction: Prediction::Polynomial,
            beta: 0.25,
            gamma: 0.5,
            independent: Vec::new(),
        }
    }
}

impl StateSpace {
    /// Fisette and Vaneghem's iteration as eq. 40 is printed.
    pub fn fisette_vaneghem() -> Self {
        StateSpace { jacobian: Jacobian::FisetteVaneghem, ..Default::default() }
    }

    /// Newmark's parameters: β = 1/4, γ = 1/2 is the trapezoidal rule, β = 0, γ = 1/2 Störmer's;
    /// 2β ≥ γ ≥ 1/2 is stable at every step size, γ > 1/2 damps and is of order 1.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`] unless 0 ≤ β ≤ 1 and 1/2 ≤ γ ≤ 3/2: with a smaller γ every
    /// oscillation grows.
    pub fn newmark(self, beta: f64, gamma: f64) -> Result<Self, OptionError> {
        let refuse = |name, value, range| Err(OptionError::OutOfRange { name, value, range });
        if !(0.0..=1.0).contains(&beta) {
            return refuse(
                "beta",
                beta,
                "Newmark's beta goes from 0 to 1; 1/4 is the trapezoidal rule",
            );
        }
        if !(0.5..=1.5).contains(&gamma) {
            return refuse(
                "gamma",
                gamma,
                "Newmark's gamma goes from 1/2, below which oscillations grow, to 3/2",
            );
        }
        Ok(StateSpace { beta, gamma, ..self })
    }

    /// The matrix of Newton's iteration; any but [`Jacobian::Exact`] makes it `state-space-fv`.
    pub fn jacobian(self, jacobian: Jacobian) -> Self {
        StateSpace { jacobian, ..self }
    }

    /// Where Newton's iteration starts.
    pub fn prediction(self, prediction: Prediction) -> Self {
        StateSpace { prediction, ..self }
    }

    /// Names the independent coordinates; none leaves the choice to the method. The names are
    /// checked against the model when a run starts.
    pub fn independent(self, names: Vec<String>) -> Self {
        StateSpace { independent: names, ..self }
    }
}

impl Options for StateSpace {
    fn name(&self) -> &'static str {
        match self.jacobian {
            Jacobian::Exact => "state-space",
            _ => "state-space-fv",
        }
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        match setting {
            Setting::Independent(names) => self.independent = names,
            other => return other.refuse(self.name(), NO_DAMPING),
        }
        Ok(())
    }

    fn limits(&self) -> (&'static [Limit], &'static str) {
        use Limit::{ForcesOfMultipliers, Nonholonomic, StatedReactions};
        (&[Nonholonomic, StatedReactions, ForcesOfMultipliers], "gen-alpha-soi2")
    }

    fn stepper(
        &self,
        system: &System,
        at: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        let core = Core::new(self, system, at)?;
        let Dims { n, nx, nw, .. } = system.dims();
        let full = n + nx + nw;
        let mut predictor = Predictor::new(full, vec![Instant::shifted(0..full, 0.0)]);
        if let Some(degree) = common.degree {
            predictor.limit_degree(degree);
        }
        let options =
            NewtonOptions { policy: common.matrix.unwrap_or_default(), ..Default::default() };
        Ok(Box::new(StateSpaceStepper {
            newton: Newton::new(&Pattern::dense(core.at.size), options),
            predictor,
            motion: Accelerations::new(system, MatrixPolicy::EveryStep),
            full: vec![0.0; full],
            u: vec![0.0; core.at.size],
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            trusted: true,
            prediction: self.prediction,
            name: self.name(),
            core,
        }))
    }
}

/// Where the blocks of unknowns begin, and their number: v̈, ẋ, w.
#[derive(Clone, Copy, Debug)]
struct Places {
    xd: usize,
    w: usize,
    size: usize,
}

/// Rows and columns of the derivatives the Jacobian is composed of.
///
/// ```text
///                q                           v     a         ẋ                  w       λ
/// motion         (M a)_q + (Φ_qᵀλ)_q − f_q   −f_v  M − f_a   −f_ẋ − γh f_x      −f_w
/// states         d_q                         d_v   d_a       d_ẋ + γh d_x       d_w     d_λ
/// variables      (w−φ)_q                     …
/// velocities     (Φ_q v + Φ_t)_q
/// accelerations  (Φ_q a)_q + γ_q             γ_v
/// ```
#[derive(Clone, Copy, Debug)]
struct Blocks {
    // Columns.
    v: usize,
    a: usize,
    xd: usize,
    w: usize,
    lambda: usize,
    columns: usize,
    // Rows.
    states: usize,
    variables: usize,
    velocities: usize,
    accelerations: usize,
    rows: usize,
}

/// Entries of the derivatives: (value, row, column).
type Entries = Vec<(usize, usize, usize)>;

/// What scales the derivatives.
struct Factors {
    /// ∂x'/∂ẋ' = γh.
    x: f64,
    /// Weight of (Φ_qᵀλ)_q.
    bend: f64,
}

/// The derivatives of the motion, of states and variables, and of the differentiated constraints.
fn derivatives(system: &System, blocks: &Blocks) -> NewtonMatrix<Factors, ()> {
    use SlotKind::{A, Lambda, Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::new(blocks.columns.max(blocks.rows));
    type Coefficient = fn(&Factors) -> f64;
    let mut place = |term, row, col, value: Coefficient| matrix.term((), term, row, col, value);
    place(Term::M, 0, blocks.a, |_| 1.0);
    place(Term::MuQ, 0, 0, |_| 1.0);
    place(Term::ReactQ, 0, 0, |c| c.bend);
    let all: [(fn(SlotKind) -> Term, usize, Coefficient, Coefficient); 3] = [
        (Term::F, 0, |_| -1.0, |c| -c.x),
        (Term::D, blocks.states, |_| 1.0, |c| c.x),
        (Term::W, blocks.variables, |_| 1.0, |c| c.x),
    ];
    for (of, row, one, rate) in all {
        place(of(Q), row, 0, one);
        place(of(V), row, blocks.v, one);
        place(of(A), row, blocks.a, one);
        place(of(Xd), row, blocks.xd, one);
        place(of(X), row, blocks.xd, rate);
        place(of(W), row, blocks.w, one);
        if row > 0 {
            place(of(Lambda), row, blocks.lambda, one);
        }
    }
    place(Term::GdotQ, blocks.velocities, 0, |_| 1.0);
    place(Term::GuQ, blocks.accelerations, 0, |_| 1.0);
    place(Term::GammaQ, blocks.accelerations, 0, |_| 1.0);
    place(Term::GammaV, blocks.accelerations, blocks.v, |_| 1.0);
    matrix.build(system)
}

/// A step's equations and their derivative.
struct Core {
    jacobian: Jacobian,
    at: Places,
    blocks: Blocks,
    manifold: Manifold,
    history: History,
    derivatives: NewtonMatrix<Factors, ()>,
    values: Vec<f64>,
    /// Entries of the rows of velocities, of accelerations, of the others, and of columns λ.
    entries: [Entries; 4],
    pieces: Residual,
    /// Rows of the motion, those of the dependent coordinates 0.
    motion: Vec<f64>,
    s: Vec<f64>,
    /// Columns of E when the matrix was evaluated.
    directions: Vec<f64>,
    /// A column of all changes, and the rows it gives.
    change: Vec<f64>,
    rows: Vec<f64>,
    b: Vec<f64>,
    /// What a correction changes: q, v, ẋ.
    moved: Cell<[Vec<f64>; 2]>,
    /// The unknowns the point was last completed for.
    completed: Vec<f64>,
    is_complete: bool,
    /// Why a point could not be completed.
    failure: Option<Failure>,
}

impl Core {
    fn new(options: &StateSpace, system: &System, at: &Point) -> Result<Self, OptionError> {
        let dims = system.dims();
        let Dims { n, m, nx, nw, .. } = dims;
        let manifold = Manifold::new(system, at, &options.independent)?;
        let free = manifold.independent().len();
        let places = Places { xd: free, w: free + nx, size: free + nx + nw };
        let blocks = Blocks {
            v: n,
            a: 2 * n,
            xd: 3 * n,
            w: 3 * n + nx,
            lambda: 3 * n + nx + nw,
            columns: 3 * n + nx + nw + m,
            states: n,
            variables: n + nx,
            velocities: n + nx + nw,
            accelerations: n + nx + nw + m,
            rows: n + nx + nw + 2 * m,
        };
        let derivatives = derivatives(system, &blocks);
        let mut entries: [Entries; 4] = Default::default();
        for (k, (row, col)) in derivatives.plan().pattern().entries().enumerate() {
            if row >= blocks.rows || col >= blocks.columns {
                continue;
            }
            let group = match (row >= blocks.velocities, col >= blocks.lambda) {
                (true, _) if row < blocks.accelerations => 0,
                (true, _) => 1,
                (_, false) => 2,
                (_, true) => 3,
            };
            entries[group].push((k, row, col));
        }
        Ok(Core {
            jacobian: options.jacobian,
            at: places,
            manifold,
            history: History::newmark(options.beta, options.gamma, system),
            values: derivatives.plan().values(),
            derivatives,
            entries,
            pieces: Residual::new(&dims),
            motion: vec![0.0; n],
            s: vec![0.0; m],
            directions: vec![0.0; n * free],
            change: vec![0.0; blocks.columns],
            rows: vec![0.0; blocks.rows],
            b: vec![0.0; m],
            moved: Cell::new([vec![0.0; n], vec![0.0; n]]),
            completed: vec![f64::NAN; places.size],
            is_complete: false,
            failure: None,
            blocks,
        })
    }

    /// The point of given unknowns; false when the constraints have none, with the reason kept.
    fn complete(&mut self, system: &System, u: &[f64], to: &mut Point) -> bool {
        if self.is_complete && self.completed == u {
            return true;
        }
        self.is_complete = false;
        self.completed.copy_from_slice(u);
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        self.history.place_states(&u[self.at.xd..self.at.w], to);
        for (k, &j) in self.manifold.independent().iter().enumerate() {
            to.q_mut()[j] = self.history.q_hat[j] + by_q * u[k];
            to.v_mut()[j] = self.history.v_hat[j] + by_v * u[k];
            to.a_mut()[j] = u[k];
        }
        to.xd_mut().copy_from_slice(&u[self.at.xd..self.at.w]);
        to.w_mut().copy_from_slice(&u[self.at.w..]);
        if let Err(failure) = self.manifold.place(system, to) {
            self.failure = Some(failure);
            return false;
        }
        self.manifold.accelerate(system, to);
        system.eval_at(to, Want::MU | Want::F, &mut self.pieces);
        for (i, r) in self.motion.iter_mut().enumerate() {
            *r = self.pieces.mu[i] - self.pieces.f[i];
        }
        self.manifold.partition.annihilate(&mut self.motion, &mut self.s);
        to.lambda_mut().copy_from_slice(&self.s);
        self.is_complete = true;
        true
    }

    /// rows ← the rows of a group of entries for the changes at hand.
    fn apply(&mut self, group: usize) {
        for &(k, row, col) in &self.entries[group] {
            self.rows[row] += self.values[k] * self.change[col];
        }
    }

    /// −(rows of a constraint level) as the right side of its dependent entries.
    fn take_rows(&mut self, first: usize) {
        for (b, row) in self.b.iter_mut().zip(&self.rows[first..]) {
            *b = -row;
        }
    }

    /// (29), or what is left of it, by columns.
    fn matrix(&mut self, system: &System, to: &Point, values: &mut [f64]) {
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        let bend = if self.jacobian == Jacobian::FisetteVaneghem { 0.0 } else { 1.0 };
        let factors = Factors { x: by_v, bend };
        self.derivatives.fill(&[()], &factors, system, (to, Weights::of(to)), &mut self.values);
        let Places { xd, size, .. } = self.at;
        let Blocks { v, a, lambda, velocities, accelerations, .. } = self.blocks;
        let n = v;
        for column in 0..size {
            self.change.fill(0.0);
            self.rows.fill(0.0);
            if column < xd {
                let j = self.manifold.independent()[column];
                self.change[j] = 1.0;
                self.b.fill(0.0);
                self.manifold.partition.complete(&self.b, &mut self.change[..n]);
                let direction = &mut self.directions[column * n..(column + 1) * n];
                direction.copy_from_slice(&self.change[..n]);
                self.change[..n].iter_mut().for_each(|c| *c *= by_q);

                self.apply(0);
                self.take_rows(velocities);
                self.change[v + j] = by_v;
                self.manifold.partition.complete(&self.b, &mut self.change[v..a]);

                self.apply(1);
                self.take_rows(accelerations);
                if self.jacobian != Jacobian::Exact {
                    self.b.fill(0.0);
                }
                self.change[a + j] = 1.0;
                self.manifold.partition.complete(&self.b, &mut self.change[a..a + n]);
            } else {
                self.change[self.blocks.xd + column - xd] = 1.0;
            }
            self.apply(2);
            let motion = &mut self.rows[..n];
            self.manifold.partition.annihilate(motion, &mut self.change[lambda..]);
            self.apply(3);
            let values = &mut values[column * size..(column + 1) * size];
            for (value, &j) in values.iter_mut().zip(self.manifold.independent()) {
                *value = self.rows[j];
            }
            values[xd..].copy_from_slice(&self.rows[n..velocities]);
        }
    }

    fn residual(&mut self, system: &System, to: &Point, r: &mut [f64]) {
        for (r, &j) in r.iter_mut().zip(self.manifold.independent()) {
            *r = self.motion[j];
        }
        let Places { xd, w, size } = self.at;
        if size > xd {
            system.eval_at(to, Want::D | Want::W, &mut self.pieces);
            r[xd..w].copy_from_slice(&self.pieces.d);
            r[w..].copy_from_slice(&self.pieces.w);
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let [mut q, mut v] = self.moved.take();
        let (by_q, by_v) = (self.history.q_factor(), self.history.v_factor());
        q.fill(0.0);
        for (du, direction) in du.iter().zip(self.directions.chunks_exact(q.len().max(1))) {
            for (q, e) in q.iter_mut().zip(direction) {
                *q += e * du;
            }
        }
        for (v, q) in v.iter_mut().zip(&mut q) {
            *v = by_v * *q;
            *q *= by_q;
        }
        let norms = self.history.norms([&q, &v, &du[self.at.xd..self.at.w]], None);
        self.moved.set([q, v]);
        norms
    }

    /// The error estimate: that of the independent coordinates, and what the constraints make of it.
    fn estimate(&mut self, to: &Point, eps: f64) -> Estimate {
        let n = self.blocks.v;
        let errors = &mut self.change[..n];
        for &j in self.manifold.independent() {
            errors[j] = self.history.position_error(to, j);
        }
        self.b.fill(0.0);
        self.manifold.partition.complete(&self.b, errors);
        let errors = &self.change;
        self.history.estimate_of(to, |i| errors[i], self.at.size, self.at.xd, eps)
    }
}

/// The equations of one step, as Newton sees them.
struct StepEquations<'a> {
    core: &'a mut Core,
    system: &'a System,
    to: &'a mut Point,
}

impl Equations for StepEquations<'_> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        if self.core.complete(self.system, u, self.to) {
            self.core.residual(self.system, self.to, r);
        } else {
            r.fill(f64::NAN);
        }
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        if self.core.complete(self.system, u, self.to) {
            self.core.matrix(self.system, self.to, values);
        } else {
            values.fill(f64::NAN);
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.core.norms(du)
    }
}

/// The method for one system.
pub(super) struct StateSpaceStepper {
    name: &'static str,
    core: Core,
    newton: Newton,
    predictor: Predictor,
    prediction: Prediction,
    /// Eq. 39, for [`Prediction::Motion`].
    motion: Accelerations,
    /// a, ẋ and w of all coordinates, states and variables.
    full: Vec<f64>,
    u: Vec<f64>,
    span: StepSpan,
    /// False when the last attempt failed: the next begins with the last accepted values and a
    /// partition of its own.
    trusted: bool,
}

impl StateSpaceStepper {
    fn gather(&mut self, at: &Point) {
        let (n, nx) = (at.a().len(), at.xd().len());
        self.full[..n].copy_from_slice(at.a());
        self.full[n..n + nx].copy_from_slice(at.xd());
        self.full[n + nx..].copy_from_slice(at.w());
    }

    /// The unknowns among `full`.
    fn select(&mut self) {
        let n = self.core.blocks.v;
        let free = self.core.at.xd;
        for (u, &j) in self.u.iter_mut().zip(self.core.manifold.independent()) {
            *u = self.full[j];
        }
        self.u[free..].copy_from_slice(&self.full[n..]);
    }

    /// Accelerations, rates and variables to start from.
    fn predict(&mut self, system: &System, from: &Point, to: &mut Point) {
        let StepSpan { t_next, h, .. } = self.span;
        match self.prediction {
            Prediction::Polynomial => self.predictor.predict(t_next, h, &mut self.full),
            Prediction::Motion => {
                self.gather(from);
                if self.trusted {
                    to.set_t(t_next);
                    for i in 0..from.q().len() {
                        let (v, a) = (from.v()[i], from.a()[i]);
                        to.q_mut()[i] = from.q()[i] + h * (v + 0.5 * h * a);
                        to.v_mut()[i] = v + h * a;
                    }
                    for (x, xd) in to.x_mut().iter_mut().zip(from.xd()) {
                        *x += h * xd;
                    }
                    let placed = self.core.manifold.place(system, to);
                    if placed.is_ok() && self.motion.solve(system, to).is_ok() {
                        self.gather(to);
                    }
                }
            }
        }
        self.trusted = true;
    }

    /// Prepares a step: the unknowns as predicted, and the point with guesses of what depends on
    /// them.
    fn begin(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
    ) {
        self.span = span;
        self.core.history.begin(from, span, accuracy);
        self.core.is_complete = false;
        self.core.failure = None;
        if !self.trusted {
            self.core.manifold.choose_again(system, from);
        }
        to.copy_from(from);
        self.predict(system, from, to);
        let history = &self.core.history;
        let (by_q, by_v) = (history.q_factor(), history.v_factor());
        for i in 0..from.q().len() {
            let a = self.full[i];
            to.q_mut()[i] = history.q_hat[i] + by_q * a;
            to.v_mut()[i] = history.v_hat[i] + by_v * a;
            to.a_mut()[i] = a;
        }
        self.select();
    }

    /// A coordinate that could not be solved for, by its place in the blocks.
    fn placed(&self, failure: Failure) -> Failure {
        let size = self.core.at.size;
        failure.placed(|i| size + i)
    }
}

impl Stepper for StateSpaceStepper {
    /// The dependent coordinates and accelerations are solved for at each.
    fn stages(&self) -> f64 {
        2.0
    }

    fn name(&self) -> &'static str {
        self.name
    }

    /// The unknowns, and after them all coordinates, for failures of eq. 11.
    fn blocks(&self) -> Vec<Block> {
        let Places { xd, w, size } = self.core.at;
        let independent = self.core.manifold.independent().iter().enumerate();
        let mut blocks: Vec<Block> =
            independent.map(|(k, &j)| Block::one(SlotKind::A, j, k)).collect();
        blocks.push(Block::of(SlotKind::Xd, xd..w));
        blocks.push(Block::of(SlotKind::W, w..size));
        blocks.push(Block::of(SlotKind::Q, size..size + self.core.blocks.v));
        blocks
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.core.manifold.renew(system, at);
        self.core.history.start(at);
        self.predictor.reset();
        self.newton.invalidate();
        self.trusted = true;
        self.gather(at);
        self.select();
        self.predictor.push(at.t(), 0.0, &self.full);
    }

    fn measure(&mut self, scales: &Scales) {
        self.core.history.measure(scales);
        self.core.manifold.measure(scales);
    }

    fn attempt(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<Attempt, Failure> {
        self.begin(system, from, span, accuracy, to);
        let before = self.newton.stats();
        let mut equations = StepEquations { core: &mut self.core, system, to };
        let coefficient = span.h * span.h;
        let solved =
            self.newton.solve(&mut equations, &mut self.u, coefficient, Stop::at(accuracy));
        count(stats, before, self.newton.stats());
        let Converged { iterations, .. } = solved.map_err(|newton| {
            let inner = self.core.failure.take();
            inner.map_or_else(|| failure(newton), |inner| self.placed(inner))
        })?;
        if !self.core.complete(system, &self.u, to) {
            let inner = self.core.failure.take();
            return Err(self.placed(inner.unwrap_or(Failure::Singular { index: 0 })));
        }
        self.core.manifold.keeps_branch(accuracy, from, to).map_err(|leap| self.placed(leap))?;
        self.gather(to);
        self.core.history.finish(to);
        let estimate = match accuracy {
            Accuracy::Tolerance(eps) => self.core.estimate(to, eps),
            Accuracy::RoundOff => Estimate::NONE,
        };
        Ok(Attempt { estimate, iterations })
    }

    fn accept(&mut self, system: &System, _: &Point, to: &Point, _: &Residual) {
        let (n, nx) = (self.core.blocks.v, to.xd().len());
        let history = &self.core.history;
        let (by_q, by_v) = (history.q_factor(), history.v_factor());
        let mut moved = self.core.moved.take();
        self.predictor.judge(&self.full, |e| {
            let [q, v] = &mut moved;
            for (i, e) in e[..n].iter().enumerate() {
                (q[i], v[i]) = (by_q * e, by_v * e);
            }
            let [motion, states] = history.norms([q, v, &e[n..n + nx]], None);
            motion.max(states)
        });
        self.core.moved.set(moved);
        self.predictor.push(self.span.t_next, self.span.h, &self.full);
        self.core.history.advance(to);
        if self.core.manifold.renew(system, to) {
            self.newton.invalidate();
            self.select();
        }
    }

    fn distrust(&mut self) {
        self.predictor.distrust();
        self.newton.invalidate();
        self.trusted = false;
    }

    fn state(&mut self, state: &mut State<'_>) {
        let StateSpaceStepper {
            name: _,
            core,
            newton: _,
            predictor,
            prediction: _,
            motion: _,
            full,
            u: _,
            span: _,
            trusted,
        } = self;
        let Core {
            jacobian: _,
            at: _,
            blocks: _,
            manifold,
            history,
            derivatives: _,
            values: _,
            entries: _,
            pieces: _,
            motion: _,
            s: _,
            directions: _,
            change: _,
            rows: _,
            b: _,
            moved: _,
            completed: _,
            is_complete: _,
            failure: _,
        } = core;
        manifold.state(state);
        history.state(state);
        predictor.state(state);
        state.numbers(full);
        state.flag(trusted);
        if state.restores() && state.is_right() {
            self.select();
        }
    }

    fn newton_norms(&self) -> &[f64] {
        self.newton.trace()
    }

    fn unknowns(&self) -> &[f64] {
        &self.u
    }

    fn matrix_entries(&self) -> usize {
        self.core.at.size * self.core.at.size
    }

    fn probe(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        u: Option<&[f64]>,
    ) -> Option<Probe> {
        let mut to = from.clone();
        self.begin(system, from, span, Accuracy::RoundOff, &mut to);
        self.gather(from);
        self.select();
        let u = u.map_or_else(|| self.u.clone(), <[f64]>::to_vec);
        let size = u.len();
        let mut residual = vec![0.0; size];
        let mut values = vec![0.0; size * size + 1];
        let mut equations = StepEquations { core: &mut self.core, system, to: &mut to };
        equations.residual(&u, &mut residual);
        equations.matrix(&u, &mut values);
        let matrix = (0..size)
            .map(|row| (0..size).map(|column| values[row + column * size]).collect())
            .collect();
        Some(Probe { u, residual, matrix })
    }
}
