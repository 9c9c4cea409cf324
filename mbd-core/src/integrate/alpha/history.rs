//! What the methods of paper 000 carry from step to step, and the one-step formulas they share;
//! with α_m = α_f = 0 those of Newmark, which paper 004 takes.
//!
//! φ is the acceleration that solves the equations of motion at the end of a step, a the
//! algorithmic one ([`AlphaFamily`]): a = φ at the start, and then
//!
//! ```text
//! a' = [(1−α_f) φ' + α_f φ − α_m a] / (1−α_m)
//! q' = q + h v + h² [(1/2−β) a + β a'] = q̂ + β̂ h² φ'     β̂ = β (1−α_f)/(1−α_m)
//! v' = v + h [(1−γ) a + γ a']          = v̂ + γ̂ h φ'      γ̂ = γ (1−α_f)/(1−α_m)
//! q̂  = q + h v + h² [(1/2 − β/(1−α_m)) a + β α_f/(1−α_m) φ]
//! v̂  = v + h [(1 − γ/(1−α_m)) a + γ α_f/(1−α_m) φ]
//! ```
//!
//! which is (4.2) with the sign of φ_n corrected, and (3.4) for α_m = 0, α_f = −α. States follow the
//! formula for velocities, with ẋ' of the equations d = 0 in the place of φ': x' = x̂ + γ̂ h ẋ'.
//!
//! # Changes of the step size
//! a belongs to t + α h, so a − φ = α h φ̇ + O(h²). When the next step is h₁, a is replaced by
//! φ + (h₁/h)(a − φ), which belongs to t + α h₁. Without that, v is of order 1 when steps alternate.
//!
//! # Error estimate
//! Between exact accelerations at t + α h and t' + α h the formula for q errs by C h³ q⃛ with
//! C = 1/12 + α²/4 ([`AlphaFamily::position_error`]), and a' − a = h q⃛ + O(h²): the estimate is
//! C h² (a' − a), with a as adjusted to the step. In the first step a = φ, so a' − a is not h q⃛ but
//! φ' − φ is, and the constant is β̂ − 1/6. What the projection onto the constraints takes away is
//! not subtracted. For states, C h³ x⃛ with [`AlphaFamily::rate_error`] and x⃛ from the second
//! divided difference of three rates; in the first step h x⃛ is taken as large as ẍ.

use super::family::{AlphaFamily, Carried};
use crate::assembly::{Point, System};
use crate::checkpoint::State;
use crate::integrate::controller::Estimate;
use crate::integrate::scheme::{Accuracy, StepEnds, StepEnergy, StepSpan};
use crate::integrate::weights::{Mean, largest_in, rms, rms_of, worse};
use crate::scales::Scales;

/// Newton's unit at round-off accuracy, in units of rounding of the largest entry.
const ROUNDINGS: f64 = 8.0 * f64::EPSILON;

/// Newmark's parameters, with the constants of the local errors C h³ q⃛ and C h³ x⃛.
#[derive(Clone, Copy, Debug)]
struct Newmark {
    beta: f64,
    gamma: f64,
    position_error: f64,
    rate_error: f64,
}

/// φ, a, ẋ and the algorithmic ẋ, with the hats of the step under way.
#[derive(Debug)]
pub(in crate::integrate) struct History {
    family: AlphaFamily,
    formula: Newmark,
    adjust: bool,
    span: StepSpan,
    accuracy: Accuracy,
    previous_h: Option<f64>,
    /// Accelerations and rates of the last accepted point.
    phi: Vec<f64>,
    xd: Vec<f64>,
    earlier_xd: Vec<f64>,
    /// Algorithmic ones, as the last step left them, as adjusted to this step, and after it.
    pub(in crate::integrate) a: Vec<f64>,
    xa: Vec<f64>,
    used_a: Vec<f64>,
    used_xa: Vec<f64>,
    next_a: Vec<f64>,
    next_xa: Vec<f64>,
    /// How far a is from φ beside where the last step left it: h/h_before.
    ratio: f64,
    /// M a as the last step left it, and after this one.
    momentum: Vec<f64>,
    next_momentum: Vec<f64>,
    pub(in crate::integrate) q_hat: Vec<f64>,
    pub(in crate::integrate) v_hat: Vec<f64>,
    x_hat: Vec<f64>,
    scales: Scales,
    /// Size of what each velocity is computed from.
    size_v: Vec<f64>,
}

impl History {
    pub(in crate::integrate) fn new(family: AlphaFamily, adjust: bool, system: &System) -> Self {
        let dims = system.dims();
        let (n, nx) = (vec![0.0; dims.n], vec![0.0; dims.nx]);
        let formula = Newmark {
            beta: family.beta(),
            gamma: family.gamma(),
            position_error: family.position_error(),
            rate_error: family.rate_error(),
        };
        History {
            family,
            formula,
            adjust,
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            accuracy: Accuracy::RoundOff,
            previous_h: None,
            phi: n.clone(),
            xd: nx.clone(),
            earlier_xd: nx.clone(),
            a: n.clone(),
            xa: nx.clone(),
            used_a: n.clone(),
            used_xa: nx.clone(),
            next_a: n.clone(),
            next_xa: nx.clone(),
            ratio: 1.0,
            momentum: n.clone(),
            next_momentum: n.clone(),
            q_hat: n.clone(),
            v_hat: n.clone(),
            size_v: n,
            x_hat: nx,
            scales: Scales::ones(system),
        }
    }

    /// Newmark's formulas (paper 004, eq. 16 to 19): φ is the only acceleration. Of γ ≠ 1/2, whose
    /// velocities err by (γ − 1/2) h² q⃛, the error is taken as what that adds to q in one more step.
    pub(in crate::integrate) fn newmark(beta: f64, gamma: f64, system: &System) -> Self {
        let family = AlphaFamily { alpha_m: 0.0, alpha_f: 0.0 };
        let first_order = (gamma - 0.5).abs();
        let formula = Newmark {
            beta,
            gamma,
            position_error: (beta - 1.0 / 6.0).abs() + first_order,
            rate_error: 1.0 / 12.0 + first_order,
        };
        History { formula, ..History::new(family, false, system) }
    }

    pub(in crate::integrate) fn start(&mut self, at: &Point) {
        self.previous_h = None;
        self.phi.copy_from_slice(at.a());
        self.a.copy_from_slice(at.a());
        self.xd.copy_from_slice(at.xd());
        self.xa.copy_from_slice(at.xd());
    }

    /// Saves or restores what is carried.
    pub(in crate::integrate) fn state(&mut self, state: &mut State<'_>) {
        let History {
            family: _,
            formula: _,
            adjust: _,
            span: _,
            accuracy: _,
            previous_h,
            phi,
            xd,
            earlier_xd,
            a,
            xa,
            used_a: _,
            used_xa: _,
            next_a: _,
            next_xa: _,
            ratio: _,
            momentum,
            next_momentum: _,
            q_hat: _,
            v_hat: _,
            x_hat: _,
            scales,
            size_v,
        } = self;
        state.part("the accelerations carried");
        state.maybe(previous_h);
        for values in [phi, xd, earlier_xd, a, xa, momentum] {
            state.numbers(values);
        }
        scales.kept(state);
        state.numbers(size_v);
    }

    /// β̂h² = ∂q'/∂φ'.
    pub(in crate::integrate) fn q_factor(&self) -> f64 {
        self.formula.beta / self.family.mass_factor() * self.span.h.powi(2)
    }

    /// γ̂h = ∂v'/∂φ' = ∂x'/∂ẋ'.
    pub(in crate::integrate) fn v_factor(&self) -> f64 {
        self.formula.gamma / self.family.mass_factor() * self.span.h
    }

    /// The end of the step as time and states: x' = x̂ + γ̂ h ẋ'.
    pub(in crate::integrate) fn place_states(&self, xd: &[f64], to: &mut Point) {
        to.set_t(self.span.t_next);
        let factor = self.v_factor();
        for ((x, hat), xd) in to.x_mut().iter_mut().zip(&self.x_hat).zip(xd) {
            *x = hat + factor * xd;
        }
    }

    /// Prepares a step: adjusts what is carried to its size and sums up the past in the hats.
    pub(in crate::integrate) fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        (self.span, self.accuracy) = (span, accuracy);
        let h = span.h;
        let ratio = match self.previous_h {
            // Equal steps differ by rounding when they end at multiples of h.
            Some(before) if self.adjust && (h / before - 1.0).abs() > 1e-9 => h / before,
            _ => 1.0,
        };
        self.ratio = ratio;
        let Newmark { beta, gamma, .. } = self.formula;
        let AlphaFamily { alpha_m, alpha_f } = self.family;
        let (of_a, of_phi) = (1.0 / (1.0 - alpha_m), alpha_f / (1.0 - alpha_m));
        let (q, v, x) = (from.q(), from.v(), from.x());
        for i in 0..q.len() {
            let phi = self.phi[i];
            let a = phi + ratio * (self.a[i] - phi);
            self.used_a[i] = a;
            self.q_hat[i] = q[i] + h * (v[i] + h * ((0.5 - beta * of_a) * a + beta * of_phi * phi));
            self.v_hat[i] = v[i] + h * ((1.0 - gamma * of_a) * a + gamma * of_phi * phi);
        }
        // From rest, velocities have the rounding of what the step makes of them.
        self.scales.largest(&self.used_a, &mut self.size_v);
        for (size, magnitude) in self.size_v.iter_mut().zip(self.scales.v().magnitude()) {
            *size = magnitude.max(h * *size);
        }
        for i in 0..x.len() {
            let xd = self.xd[i];
            let xa = xd + ratio * (self.xa[i] - xd);
            self.used_xa[i] = xa;
            self.x_hat[i] = x[i] + h * ((1.0 - gamma * of_a) * xa + gamma * of_phi * xd);
        }
    }

    /// The algorithmic acceleration and rate after the step, from those at its end.
    pub(in crate::integrate) fn finish(&mut self, to: &Point) {
        let AlphaFamily { alpha_m, alpha_f } = self.family;
        let next = |end: f64, before: f64, used: f64| {
            ((1.0 - alpha_f) * end + alpha_f * before - alpha_m * used) / (1.0 - alpha_m)
        };
        for (i, phi) in to.a().iter().enumerate() {
            self.next_a[i] = next(*phi, self.phi[i], self.used_a[i]);
        }
        for (i, xd) in to.xd().iter().enumerate() {
            self.next_xa[i] = next(*xd, self.xd[i], self.used_xa[i]);
        }
    }

    /// What the finished step took of the energy.
    pub(in crate::integrate) fn energy(&mut self, ends: &StepEnds<'_>) -> StepEnergy {
        let first = self.previous_h.is_none();
        for (i, next) in self.next_momentum.iter_mut().enumerate() {
            let f = [ends.before[i], ends.after[i]];
            let before = if first { f[0] } else { f[0] + self.ratio * (self.momentum[i] - f[0]) };
            self.momentum[i] = before;
            *next = self.family.next_momentum(f, before);
        }
        let coordinates = (0..self.phi.len()).map(|i| Carried {
            dq: ends.to.q()[i] - ends.from.q()[i],
            f: [ends.before[i], ends.after[i]],
            p: [self.momentum[i], self.next_momentum[i]],
            a: [self.used_a[i], self.next_a[i]],
        });
        let taken = self.family.taken(self.span.h, coordinates);
        std::mem::swap(&mut self.momentum, &mut self.next_momentum);
        StepEnergy { taken: Some(taken), ..StepEnergy::default() }
    }

    /// Takes the finished step.
    pub(in crate::integrate) fn advance(&mut self, to: &Point) {
        self.previous_h = Some(self.span.h);
        self.earlier_xd.copy_from_slice(&self.xd);
        self.phi.copy_from_slice(to.a());
        self.xd.copy_from_slice(to.xd());
        self.a.copy_from_slice(&self.next_a);
        self.xa.copy_from_slice(&self.next_xa);
    }

    /// Takes what errors are measured against.
    pub(in crate::integrate) fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
    }

    /// The error estimate; `at_q` and `at_x` are where the unknowns of q and x begin.
    pub(in crate::integrate) fn estimate(
        &self,
        to: &Point,
        at_q: usize,
        at_x: usize,
        eps: f64,
    ) -> Estimate {
        self.estimate_of(to, |i| self.position_error(to, i), at_q, at_x, eps)
    }

    /// The local error of a coordinate.
    pub(in crate::integrate) fn position_error(&self, to: &Point, i: usize) -> f64 {
        let h = self.span.h;
        let delta = match self.previous_h {
            Some(_) => self.formula.position_error * (self.next_a[i] - self.used_a[i]),
            None => (self.q_factor() / (h * h) - 1.0 / 6.0) * (to.a()[i] - self.phi[i]),
        };
        h * h * delta
    }

    /// The error estimate from given local errors of the coordinates.
    pub(in crate::integrate) fn estimate_of(
        &self,
        to: &Point,
        error: impl Fn(usize) -> f64,
        at_q: usize,
        at_x: usize,
        eps: f64,
    ) -> Estimate {
        let h = self.span.h;
        let mut q = Mean::default();
        for (i, y) in self.scales.q().weights().iter().enumerate() {
            q.add(error(i) / (y * eps), i);
        }
        let mut x = Mean::default();
        for (i, y) in self.scales.x().weights().iter().enumerate() {
            let change = to.xd()[i] - self.xd[i];
            let delta = match self.previous_h {
                Some(before) => {
                    let earlier = (self.xd[i] - self.earlier_xd[i]) / before;
                    2.0 * h.powi(3) * (change / h - earlier) / (h + before)
                }
                None => h * change,
            };
            x.add(self.formula.rate_error * delta / (y * eps), i);
        }
        let states = Estimate::of_order(x.theta(), 3, at_x + x.worst);
        Estimate::of_order(q.theta(), 3, at_q + q.worst).and(states)
    }

    /// What corrections of q, v and ẋ change of the error estimates, relative to ε; or, at
    /// round-off accuracy, their size in units of rounding.
    ///
    /// `multipliers` are corrections of ν and μ, tested too when given: of the accelerations that
    /// they make, relative to the scales.
    pub(in crate::integrate) fn norms(
        &self,
        [q, v, xd]: [&[f64]; 3],
        multipliers: Option<[&[f64]; 2]>,
    ) -> [f64; 2] {
        let h = self.span.h;
        match self.accuracy {
            Accuracy::Tolerance(eps) => {
                let of_q = self.formula.position_error / self.formula.beta.max(f64::MIN_POSITIVE);
                let of_v = self.formula.position_error / self.formula.gamma * h;
                let weights = self.scales.q().weights();
                let mut motion = of_q * rms(q, weights);
                motion = worse(motion, of_v * rms(v, weights));
                if let Some([nu, mu]) = multipliers {
                    let mean = |d: &[f64]| rms_of(d.len(), self.scales.multipliers(), |i| d[i]);
                    motion = worse(motion, of_q * self.q_factor() * mean(nu));
                    motion = worse(motion, of_v * self.v_factor() * mean(mu));
                }
                let of_x = self.formula.rate_error.abs() * h;
                [motion / eps, of_x * rms(xd, self.scales.x().weights()) / eps]
            }
            Accuracy::RoundOff => {
                let by_x = ROUNDINGS / self.v_factor();
                let states = largest_in(xd, |i| by_x * self.scales.x().magnitude()[i]);
                [self.in_roundings(ROUNDINGS, q, v), states]
            }
        }
    }

    /// Corrections of q and v in units of their rounding.
    pub(in crate::integrate) fn rounding(&self, q: &[f64], v: &[f64]) -> f64 {
        self.in_roundings(4.0 * f64::EPSILON, q, v)
    }

    fn in_roundings(&self, unit: f64, q: &[f64], v: &[f64]) -> f64 {
        let of_q = largest_in(q, |i| unit * self.scales.q().magnitude()[i]);
        worse(of_q, largest_in(v, |i| unit * self.size_v[i]))
    }
}
