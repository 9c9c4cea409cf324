//! A step's equations, unknowns, error estimate and what is carried to the next one.

use super::followed::Followed;
use super::matrix::{Factors, Pass, matrix};
use super::options::{Soi2, Start};
use super::places::Places;
use super::solver::{self, SplitSolver};
use crate::assembly::{
    Dims, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::alpha::family::{AlphaFamily, Carried};
use crate::integrate::controller::Estimate;
use crate::integrate::newton_matrix::NewtonMatrix;
use crate::integrate::options::{Common, Options, Setting};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Scheme, StepEnds, StepEnergy, StepSpan, Stepper};
use crate::integrate::weights::{Mean, TIGHT, largest_in_sizes, rms, rms_of};
use crate::linear::Patterns;
use crate::nonlinear::{MatrixPolicy, Newton, NewtonOptions};
use crate::scales::{Scale, Scales};

/// The method for one system: unknowns a_α, λ, ψ, ẋ, w, δ, μ, ν and, where variables depend on
/// multipliers, ω.
pub struct Soi2Scheme {
    options: Soi2,
    dims: Dims,
    places: Places,
    /// Whether f is evaluated twice.
    general: bool,
    matrix: NewtonMatrix<Factors, Pass>,
    /// Redundant constraint rows, those of k after those of g.
    redundant: Vec<usize>,
    patterns: Patterns,
    /// M̂ (n×n).
    mass: Plan,
    mass_values: Vec<f64>,
    /// Whether M̂ belongs to the step under way.
    mass_known: bool,
    /// Whether it belongs to all.
    mass_constant: bool,
    /// The point of M̂.
    middle: Point,
    /// The end of the step with λ̃, ψ̃, w̃.
    tilde: Point,
    /// The end of the step with ṽ'.
    swift: Point,
    pieces: Residual,
    other: Residual,
    product: Vec<f64>,
    /// R = Gᵀλ + Kᵀψ − f at the last accepted point.
    carried: Vec<f64>,
    /// a_α, M̂ a_α and ẋ_α: of the last step's end, those used in the last step, and those used in
    /// the step under way.
    acceleration: Followed,
    momentum: Followed,
    rate: Followed,
    /// a_α = used + κ (a'_α − used): 0 but in a shifted first step.
    kappa: f64,
    scales: Scales,
    earlier_xd: Vec<f64>,
    span: StepSpan,
    previous_h: Option<f64>,
    /// Whether the last start was after an event.
    after_event: bool,
    accuracy: Accuracy,
    /// What one rounding of each coordinate makes of its acceleration, and that of all of the multipliers, in parts of
    /// their scales; NaN until it is known for the step.
    rounded: Vec<f64>,
    noise: f64,
    /// Size of each acceleration and rate at the start of the step.
    size_a: Vec<f64>,
    size_xd: Vec<f64>,
}

impl Soi2Scheme {
    fn new(options: Soi2, system: &System) -> Self {
        let dims = system.dims_in_use();
        let offers = |wanted: &[Term]| {
            system.groups_in_use().any(|g| g.terms().iter().any(|term| wanted.contains(term)))
        };
        use SlotKind::{Lambda, Psi};
        let through = dims.nw > 0 && offers(&[Term::W(Lambda), Term::W(Psi)]);
        let direct = offers(&[Term::F(Lambda), Term::F(Psi)]);
        let general = options.general || direct || through;
        let places = Places::new(&dims, through);
        let mut mass = PlanBuilder::new(dims.n);
        mass.term(Term::M, 0, 0);
        let mass = mass.build(system);
        let point = system.initial_point();
        Soi2Scheme {
            options,
            matrix: matrix(system, &places, general, through),
            places,
            general,
            patterns: system.patterns().clone(),
            redundant: system
                .trivial_rows(Lambda)
                .chain(system.trivial_rows(Psi).map(|i| dims.m + i))
                .collect(),
            mass_values: mass.values(),
            mass,
            mass_known: false,
            mass_constant: system.has_constant_mass(),
            middle: point.clone(),
            tilde: point.clone(),
            swift: point,
            pieces: Residual::new(&system.dims()),
            other: Residual::new(&system.dims()),
            product: vec![0.0; dims.n],
            carried: vec![0.0; dims.n],
            acceleration: Followed::new(dims.n),
            momentum: Followed::new(dims.n),
            rate: Followed::new(dims.nx),
            kappa: 0.0,
            scales: Scales::ones(system),
            earlier_xd: vec![0.0; dims.nx],
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            previous_h: None,
            after_event: false,
            accuracy: Accuracy::RoundOff,
            rounded: vec![0.0; dims.n],
            noise: f64::NAN,
            size_a: vec![1.0; dims.n],
            size_xd: vec![1.0; dims.nx],
            dims,
        }
    }

    fn factors(&self) -> Factors {
        let (h, family, kappa) = (self.span.h, self.options.family, self.kappa);
        let AlphaFamily { alpha_m, alpha_f } = family;
        let (alpha, beta, gamma) = (family.alpha(), family.beta(), family.gamma());
        let m = family.mass_factor();
        // ẋ_α depends on ẋ' in a shifted first step.
        let shifted = if kappa == 0.0 { 0.0 } else { alpha };
        let rate = (1.0 - alpha_f - alpha_m * shifted) / (1.0 - alpha_m);
        Factors {
            m,
            mass: m + alpha_m / (1.0 - alpha_f) * kappa,
            q: h * h * (beta + (0.5 - beta) * kappa),
            v: h * (gamma + (1.0 - gamma) * kappa),
            a: 1.0 - alpha + alpha * kappa,
            x: h * (gamma * rate + (1.0 - gamma) * shifted),
            beta: beta * h * h,
            gamma: gamma * h,
        }
    }

    /// a_α of the step under way, given a'_α.
    fn a_used(&self, i: usize, a: f64) -> f64 {
        let used = self.acceleration.used[i];
        used + self.kappa * (a - used)
    }

    /// p of the step under way, given M̂ a'_α.
    fn p_used(&self, i: usize, ma: f64) -> f64 {
        let used = self.momentum.used[i];
        used + self.kappa * (ma - used)
    }

    /// ẋ_α of the step under way and ẋ'_α, given both rates.
    fn rates(&self, i: usize, xd: f64, xd_next: f64) -> (f64, f64) {
        let AlphaFamily { alpha_m, alpha_f } = self.options.family;
        let mut used = self.rate.used[i];
        if self.kappa != 0.0 {
            used += self.options.family.alpha() * (xd_next - used);
        }
        let next = ((1.0 - alpha_f) * xd_next + alpha_f * xd - alpha_m * used) / (1.0 - alpha_m);
        (used, next)
    }

    fn find_mass(&mut self, system: &System) {
        if !self.mass_known {
            let weights = Weights::of(&self.middle);
            self.mass.fill(system, &self.middle, &weights, &[1.0], &mut self.mass_values);
            self.mass_known = true;
            let starts = self.previous_h.is_none() && self.kappa == 0.0;
            if !self.mass_constant && starts && self.options.family.alpha_m != 0.0 {
                self.start_momentum(system);
            }
        }
        if self.noise.is_nan() {
            self.find_noise();
        }
    }

    /// Rounding of q moves accelerations by that over β h², which forces of constraints answer: at small steps
    /// multipliers are known no better.
    fn find_noise(&mut self) {
        let by = 4.0 * f64::EPSILON / self.coefficient();
        for (rounded, size) in self.rounded.iter_mut().zip(self.scales.q().magnitude()) {
            *rounded = by * size;
        }
        self.mass.pattern().multiply(&self.mass_values, &self.rounded, &mut self.product);
        let works = self.product.iter().zip(self.scales.q().weights());
        let most = works.fold(0.0f64, |most, (force, way)| most.max((force * way).abs()));
        self.noise = if most > 0.0 { most / self.scales.energy() } else { 0.0 };
    }

    /// p of the first step: M(t + α h, q + h α v) a_0. Before an event the mass may have been another one, and after one
    /// that is continued from within the step: 2 M(t, q) a_0 − M(t − α h, q − h α v) a_0.
    fn start_momentum(&mut self, system: &System) {
        let (alpha, h) = (self.options.family.alpha(), self.span.h);
        self.tilde.copy_from(&self.middle);
        self.momentum.used.fill(0.0);
        let from_within = [(0.0, 2.0), (-alpha, -1.0)];
        let before = [(alpha, 1.0)];
        for &(share, factor) in if self.after_event { &from_within[..] } else { &before } {
            self.tilde.set_t(self.span.t + share * h);
            let middle = self.middle.q().iter().zip(self.middle.v());
            for (q, (of_middle, v)) in self.tilde.q_mut().iter_mut().zip(middle) {
                *q = of_middle + (share - 1.0 - alpha) * h * v;
            }
            let a = &self.acceleration.used;
            let weights = Weights { u: a, s: self.tilde.lambda(), r: self.tilde.psi() };
            system.eval(&self.tilde, &weights, Want::MU, &mut self.other);
            for (p, mu) in self.momentum.used.iter_mut().zip(&self.other.mu) {
                *p += factor * mu;
            }
        }
    }

    /// product = M̂ u.
    fn multiply(&mut self, u: &[f64]) {
        self.mass.pattern().multiply(&self.mass_values, u, &mut self.product);
    }

    /// The end of the step with ṽ'.
    fn set_swift(&mut self, to: &Point, u: &[f64]) {
        self.swift.copy_from(to);
        let by = self.options.family.gamma() * self.span.h;
        for (v, delta) in self.swift.v_mut().iter_mut().zip(&u[self.places.delta..]) {
            *v += by * delta;
        }
    }

    /// The end of the step with λ̃, ψ̃, w̃.
    fn set_tilde(&mut self, to: &Point, u: &[f64]) {
        let (p, m) = (self.places, self.options.family.mass_factor());
        self.tilde.copy_from(to);
        for (l, mu) in self.tilde.lambda_mut().iter_mut().zip(&u[p.mu..p.nu]) {
            *l -= m * mu;
        }
        for (l, nu) in self.tilde.psi_mut().iter_mut().zip(&u[p.nu..p.omega]) {
            *l -= m * nu;
        }
        for (w, omega) in self.tilde.w_mut().iter_mut().zip(&u[p.omega..p.end]) {
            *w -= omega;
        }
    }

    /// The rows of g, G v + g_t and k from the pieces at hand.
    fn constraint_rows(&self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        let (p, h, family) = (self.places, self.span.h, self.options.family);
        let (beta, gamma) = (family.beta() * h * h, family.gamma() * h);
        let rows = [
            (p.mu..p.nu, &self.pieces.g, beta),
            (p.lambda..p.psi, &self.pieces.gdot, gamma),
            (p.psi..p.xd, &self.pieces.k, gamma),
            (p.nu..p.omega, &self.other.k, gamma),
        ];
        for (rows, values, by) in rows {
            for (e, value) in r[rows].iter_mut().zip(values) {
                *e = value / by;
            }
        }
        for i in system.trivial_rows(SlotKind::Lambda) {
            r[p.lambda + i] = to.lambda()[i];
            r[p.mu + i] = u[p.mu + i];
        }
        for i in system.trivial_rows(SlotKind::Psi) {
            r[p.psi + i] = to.psi()[i] - system.given_psi()[i];
            r[p.nu + i] = u[p.nu + i];
        }
    }

    fn carry(&mut self, pieces: &Residual) {
        for (i, carried) in self.carried.iter_mut().enumerate() {
            *carried = pieces.reaction[i] - pieces.f[i];
        }
    }
}

impl Scheme for Soi2Scheme {
    fn name(&self) -> &'static str {
        self.options.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let p = self.places;
        let what = "the correction to the position constraints of";
        let mut blocks = vec![
            Block::of(SlotKind::A, p.a..p.lambda),
            Block::of(SlotKind::Lambda, p.lambda..p.psi),
            Block::of(SlotKind::Psi, p.psi..p.xd),
            Block::of(SlotKind::Xd, p.xd..p.w),
            Block::of(SlotKind::W, p.w..p.delta),
            Block::local(what, SlotKind::A, p.delta..p.mu),
            Block::local(what, SlotKind::Lambda, p.mu..p.nu),
            Block::local(what, SlotKind::Psi, p.nu..p.omega),
        ];
        if p.end > p.omega {
            blocks.push(Block::local(what, SlotKind::W, p.omega..p.end));
        }
        blocks
    }

    fn instants(&self) -> Vec<Instant> {
        let p = self.places;
        vec![
            Instant::shifted(p.a..p.lambda, self.options.family.alpha()),
            Instant::shifted(p.lambda..p.delta, 0.0),
            Instant { range: p.delta..p.end, shift: 0.0, power: 1 },
        ]
    }

    fn plan(&self) -> &Plan {
        self.matrix.plan()
    }

    fn newton_options(&self) -> NewtonOptions {
        NewtonOptions { policy: MatrixPolicy::RECYCLE_LONGER, ..Default::default() }
    }

    /// Of half the size by elimination, but where a second evaluation of the forces couples all.
    fn newton(&self, options: NewtonOptions) -> Newton {
        let pattern = self.matrix.plan().pattern();
        if self.general {
            return Newton::of_steps(pattern, options);
        }
        let redundant = self.redundant.clone();
        let solver = SplitSolver::new(pattern, self.places, redundant, &self.patterns);
        Newton::with_solver(Box::new(solver), SplitSolver::value_len(pattern), options)
    }

    fn start(&mut self, system: &System, at: &Point) {
        let mut pieces = std::mem::take(&mut self.pieces);
        system.eval_at(at, Want::MU | Want::F | Want::REACTION, &mut pieces);
        self.carry(&pieces);
        self.acceleration.start(at.a());
        self.momentum.start(&pieces.mu);
        self.rate.start(at.xd());
        self.pieces = pieces;
        self.previous_h = None;
        self.after_event = false;
    }

    fn start_after_event(&mut self, system: &System, at: &Point) {
        self.start(system, at);
        self.after_event = true;
    }

    fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        let family = self.options.family;
        let alpha = family.alpha();
        self.span = span;
        self.accuracy = accuracy;
        self.noise = f64::NAN;
        if accuracy == Accuracy::RoundOff {
            self.scales.accelerations(from.a(), &mut self.size_a);
            self.scales.rates(from.xd(), &mut self.size_xd);
        }
        let change = match self.previous_h {
            Some(before) if self.options.adjust => alpha * (span.h / before - 1.0),
            _ => 0.0,
        };
        for history in [&mut self.acceleration, &mut self.momentum, &mut self.rate] {
            history.follow(change);
        }
        let shifted = self.previous_h.is_none()
            && self.options.start == Start::Shifted
            && family.alpha_m != 0.0
            && alpha > -0.75;
        self.kappa = if shifted { alpha / (1.0 + alpha) } else { 0.0 };
        if !self.mass_constant {
            self.mass_known = false;
            self.middle.copy_from(from);
            self.middle.set_t(span.t + (1.0 + alpha) * span.h);
            for (q, v) in self.middle.q_mut().iter_mut().zip(from.v()) {
                *q += (1.0 + alpha) * span.h * v;
            }
        }
    }

    fn coefficient(&self) -> f64 {
        self.options.family.beta() * self.span.h * self.span.h
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        let (p, h, family) = (self.places, self.span.h, self.options.family);
        let (alpha, beta, gamma) = (family.alpha(), family.beta(), family.gamma());
        to.set_t(self.span.t_next);
        to.lambda_mut().copy_from_slice(&u[p.lambda..p.psi]);
        to.set_unknowns(SlotKind::Psi, &u[p.psi..p.xd]);
        to.xd_mut().copy_from_slice(&u[p.xd..p.w]);
        to.set_unknowns(SlotKind::W, &u[p.w..p.delta]);
        let (next, delta) = (&u[p.a..p.lambda], &u[p.delta..p.mu]);
        let (q, v) = (from.q(), from.v());
        for (i, q_next) in to.q_mut().iter_mut().enumerate() {
            let a = (0.5 - beta) * self.a_used(i, next[i]) + beta * (next[i] + delta[i]);
            *q_next = q[i] + h * v[i] + h * h * a;
        }
        for (i, v_next) in to.v_mut().iter_mut().enumerate() {
            *v_next = v[i] + h * ((1.0 - gamma) * self.a_used(i, next[i]) + gamma * next[i]);
        }
        for (i, a) in to.a_mut().iter_mut().enumerate() {
            *a = (1.0 - alpha) * next[i] + alpha * self.a_used(i, next[i]);
        }
        let (x, xd) = (from.x(), from.xd());
        for (i, x_next) in to.x_mut().iter_mut().enumerate() {
            let (rate, next) = self.rates(i, xd[i], u[p.xd + i]);
            *x_next = x[i] + h * ((1.0 - gamma) * rate + gamma * next);
        }
    }

    /// Eq. 13.
    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        let AlphaFamily { alpha_m, alpha_f } = self.options.family;
        let m = self.options.family.mass_factor();
        let (past, past_force) = (alpha_m / (1.0 - alpha_f), alpha_f / (1.0 - alpha_f));
        let (p, n) = (self.places, self.dims.n);
        let mut want = Want::F | Want::REACTION | Want::G | Want::GDOT | Want::K;
        want = want | Want::D | Want::W;
        system.eval_at(to, want, &mut self.pieces);
        if self.general {
            self.set_tilde(to, u);
            system.eval_at(&self.tilde, Want::F | Want::REACTION | Want::W, &mut self.other);
        } else {
            let weights = Weights { u: to.a(), s: &u[p.mu..p.nu], r: &u[p.nu..p.omega] };
            system.eval(to, &weights, Want::REACTION, &mut self.other);
        }
        if self.dims.p > 0 {
            self.set_swift(to, u);
            system.eval_at(&self.swift, Want::K, &mut self.other);
        }
        self.find_mass(system);
        self.multiply(&u[p.a..p.lambda]);
        for i in 0..n {
            let (ma, pieces) = (self.product[i], &self.pieces);
            let now = pieces.reaction[i] - pieces.f[i];
            r[p.a + i] = m * ma + past * self.p_used(i, ma) + now + past_force * self.carried[i];
        }
        self.multiply(&u[p.delta..p.mu]);
        for i in 0..n {
            let (pieces, other) = (&self.pieces, &self.other);
            let correction = if self.general {
                (other.reaction[i] - other.f[i] - (pieces.reaction[i] - pieces.f[i])) / m
            } else {
                -other.reaction[i]
            };
            r[p.delta + i] = self.product[i] + correction;
        }
        self.constraint_rows(system, to, u, r);
        r[p.xd..p.w].copy_from_slice(&self.pieces.d);
        r[p.w..p.delta].copy_from_slice(&self.pieces.w[..self.dims.nw]);
        if p.end > p.omega {
            r[p.omega..p.end].copy_from_slice(&self.other.w[..self.dims.nw]);
        }
    }

    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]) {
        let p = self.places;
        let (values, scales) = values.split_at_mut(self.matrix.plan().pattern().value_len() + 1);
        let c = self.factors();
        let sigma = c.q / c.beta;
        let velocity = sigma * c.gamma / c.v;
        solver::Scales { mass: c.mass / sigma, position: 1.0 / sigma, velocity }.write(scales);
        let middle = (&self.middle, Weights::of(&self.middle));
        self.matrix.fill(&[Pass::Mass], &c, system, middle, values);
        self.matrix.accumulate(&[Pass::End], &c, system, (to, Weights::of(to)), values);
        if self.general {
            self.set_tilde(to, u);
            let tilde = (&self.tilde, Weights::of(&self.tilde));
            self.matrix.accumulate(&[Pass::Other], &c, system, tilde, values);
        } else {
            let weights = Weights { u: to.a(), s: &u[p.mu..p.nu], r: &u[p.nu..p.omega] };
            self.matrix.accumulate(&[Pass::Other], &c, system, (to, weights), values);
        }
        if self.dims.p > 0 {
            self.set_swift(to, u);
            let swift = (&self.swift, Weights::of(to));
            self.matrix.accumulate(&[Pass::Swift], &c, system, swift, values);
        }
    }

    /// What a correction changes of the error estimates, relative to ε. Multipliers are in no estimate,
    /// and where constraints alone determine the motion nothing else tells whether they have converged:
    /// what was left of them then came back enlarged by the prediction of the next step, and reactions
    /// grew without bound. So their corrections count too, relative to their size and to ∛ε; where forces
    /// depend on them to ε^{2/3}, as their order suggests; and no finer than what one rounding of q makes of them.
    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let (p, h, family) = (self.places, self.span.h, self.options.family);
        let (a, xd, delta) = (&du[..self.dims.n], &du[p.xd..p.w], &du[p.delta..p.mu]);
        let (lambda, psi) = (&du[p.lambda..p.psi], &du[p.psi..p.xd]);
        let multipliers = self.scales.of_multipliers(lambda, psi);
        let order = if self.general { 2.0 / 3.0 } else { 1.0 / 3.0 };
        match self.accuracy {
            Accuracy::Tolerance(eps) => {
                let (by_a, by_delta) = (family.position_error(), family.beta());
                let change = rms_of(self.dims.n, self.scales.q().weights(), |i| {
                    by_a * a[i] + by_delta * delta[i]
                });
                let q = h * h * change / eps;
                let x = self.factors().x * rms(xd, self.scales.x().weights()) / eps;
                [q.max(multipliers / (eps.powf(order) + self.noise)), x]
            }
            Accuracy::RoundOff => {
                // Relative to the largest entry in the same unit, and no finer than what one
                // rounding of q or x makes of a or ẋ.
                let norm = |d: &[f64], size: &[f64], scale: &Scale, by: f64| {
                    let rounding = 4.0 * f64::EPSILON / by;
                    largest_in_sizes(d, [size, scale.magnitude()], [TIGHT, rounding])
                };
                let by = family.beta() * h * h;
                let [of_a, of_delta] =
                    [a, delta].map(|d| norm(d, &self.size_a, self.scales.q(), by));
                let of_xd = norm(xd, &self.size_xd, self.scales.x(), self.factors().x);
                [of_a.max(of_delta).max(multipliers / (TIGHT + self.noise)), of_xd]
            }
        }
    }

    fn constraints(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) -> bool {
        if self.dims.m + self.dims.p == 0 {
            return false;
        }
        system.eval_at(to, Want::G | Want::GDOT | Want::K, &mut self.pieces);
        if self.dims.p > 0 {
            self.set_swift(to, u);
            system.eval_at(&self.swift, Want::K, &mut self.other);
        }
        r.fill(0.0);
        self.constraint_rows(system, to, u, r);
        true
    }

    fn rounding(&self, _: &Point, du: &[f64]) -> f64 {
        let (p, factors) = (self.places, self.factors());
        let (a, delta) = (&du[p.a..p.lambda], &du[p.delta..p.mu]);
        let (of_q, of_v) = (self.scales.q().magnitude(), self.scales.v().magnitude());
        let swift = if self.dims.p > 0 { factors.gamma } else { 0.0 };
        let mut most = 0.0f64;
        let mut finite = 0.0;
        for (i, (a, delta)) in a.iter().zip(delta).enumerate() {
            let q = (factors.q * a + factors.beta * delta).abs() / of_q[i];
            let v = (factors.v * a).abs().max((factors.v * a + swift * delta).abs()) / of_v[i];
            most = most.max(q).max(v);
            finite += 0.0 * (a + delta);
        }
        most / (4.0 * f64::EPSILON) + finite
    }

    fn violation(&self, _: &Point) -> f64 {
        let swift = if self.dims.p > 0 { &self.other.k[..] } else { &[] };
        let Residual { g, gdot, k, .. } = &self.pieces;
        let velocity =
            self.scales.of_velocity([gdot, k]).max(self.scales.of_velocity([&[], swift]));
        self.scales.of_position(g).max(velocity) / (4.0 * f64::EPSILON)
    }

    /// # Error estimates
    /// Positions: Newmark's formula between exact accelerations at t + α h and t' + α h errs by
    /// (1/12 + α²/4) h³ q⃛, and h q⃛ = a'_α − a_α. What δ takes away of it across the constraints is
    /// not subtracted: with it steps are up to a third longer, but less is rejected without it, the
    /// error follows the tolerance alike on all problems, and the same error takes less work.
    ///
    /// States: [`AlphaFamily::rate_error`] h³ x⃛ with x⃛ = 2·ẋ[t₋, t, t'] from the last three points;
    /// in the first step, without a third, h x⃛ is taken as large as ẍ.
    fn estimate(&self, from: &Point, to: &Point, u: &[f64], eps: f64) -> Estimate {
        let (p, h, family) = (self.places, self.span.h, self.options.family);
        let mut q = Mean::default();
        for (i, y) in self.scales.q().weights().iter().enumerate() {
            let change = match self.previous_h {
                Some(_) => u[p.a + i] - self.acceleration.used[i],
                None => to.a()[i] - from.a()[i],
            };
            q.add(family.position_error() * h * h * change / (y * eps), i);
        }
        let mut x = Mean::default();
        let constant = family.rate_error();
        for (i, y) in self.scales.x().weights().iter().enumerate() {
            let change = to.xd()[i] - from.xd()[i];
            let delta = match self.previous_h {
                Some(before) => {
                    let earlier = (from.xd()[i] - self.earlier_xd[i]) / before;
                    2.0 * constant * h.powi(3) * (change / h - earlier) / (h + before)
                }
                None => constant * h * change,
            };
            x.add(delta / (y * eps), i);
        }
        let states = Estimate::of_order(x.theta(), 3, p.xd + x.worst);
        Estimate::of_order(q.theta(), 3, q.worst).and(states)
    }

    fn energy(&mut self, _: &System, ends: &StepEnds<'_>, u: &[f64]) -> StepEnergy {
        let (family, at) = (self.options.family, self.places.a);
        let coordinates = (0..self.dims.n).map(|i| {
            let f = [-self.carried[i], ends.after[i]];
            let before = self.momentum.used[i];
            let p = [before, family.next_momentum(f, before)];
            let a = [self.a_used(i, u[at + i]), u[at + i]];
            Carried { dq: ends.to.q()[i] - ends.from.q()[i], f, p, a }
        });
        let taken = Some(family.taken(self.span.h, coordinates));
        StepEnergy { taken, ..StepEnergy::default() }
    }

    fn state(&mut self, state: &mut State<'_>) {
        let Soi2Scheme {
            options: _,
            dims: _,
            places: _,
            general: _,
            matrix: _,
            redundant: _,
            patterns: _,
            mass: _,
            mass_values: _,
            mass_known: _,
            mass_constant: _,
            middle: _,
            tilde: _,
            swift: _,
            pieces: _,
            other: _,
            product: _,
            carried,
            acceleration,
            momentum,
            rate,
            kappa: _,
            scales,
            earlier_xd,
            span: _,
            previous_h,
            after_event,
            accuracy: _,
            rounded: _,
            noise: _,
            size_a: _,
            size_xd: _,
        } = self;
        state.part("soi2");
        state.numbers(carried);
        for Followed { latest, used_before, used } in [acceleration, momentum, rate] {
            for values in [latest, used_before, used] {
                state.numbers(values);
            }
        }
        scales.kept(state);
        state.numbers(earlier_xd);
        state.maybe(previous_h);
        state.flag(after_event);
    }

    fn accept(&mut self, system: &System, from: &Point, to: &Point, u: &[f64], pieces: &Residual) {
        let p = self.places;
        // What the step used, after its own move.
        self.find_mass(system);
        self.multiply(&u[p.a..p.lambda]);
        for i in 0..self.dims.n {
            self.acceleration.used[i] = self.a_used(i, u[p.a + i]);
            self.momentum.used[i] = self.p_used(i, self.product[i]);
        }
        for i in 0..self.dims.nx {
            let (used, next) = self.rates(i, from.xd()[i], to.xd()[i]);
            self.rate.used[i] = used;
            self.rate.latest[i] = next;
        }
        self.acceleration.accept(u[p.a..p.lambda].iter().copied());
        self.momentum.accept(self.product.iter().copied());
        std::mem::swap(&mut self.rate.used, &mut self.rate.used_before);
        self.earlier_xd.copy_from_slice(from.xd());
        self.previous_h = Some(self.span.h);
        self.carry(pieces);
    }

    fn algorithmic(&self) -> Option<&[f64]> {
        Some(&self.acceleration.latest)
    }
}

impl Soi2 {
    /// Builds the method for a system.
    pub fn scheme(&self, system: &System) -> Soi2Scheme {
        Soi2Scheme::new(*self, system)
    }
}

impl Options for Soi2 {
    fn name(&self) -> &'static str {
        if self.hht { "hht-soi2" } else { "gen-alpha-soi2" }
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        *self = match setting {
            Setting::Rho(rho) => self.with_rho(rho)?,
            Setting::Alpha(alpha) => self.with_alpha(alpha)?,
            Setting::Adjust(adjust) => Soi2 { adjust, ..*self },
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
        Ok(common.implicit(self.scheme(system)))
    }
}
