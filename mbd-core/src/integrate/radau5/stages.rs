//! The stages of a step: their points, their equations, and the derivatives of these.

use super::form::Form;
use super::tableau::{A, C, STAGES, squared};
use crate::assembly::{Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::integrate::scheme::StepSpan;
use crate::linear::Pattern;
use std::ops::Range;

pub(in crate::integrate) const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];

/// The formulas of a step: what the stages' points are.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrate) struct Formulas {
    form: Form,
    /// Where each block of a stage's unknowns starts, and their number.
    pub(in crate::integrate) at: [usize; 6],
    squared: [[f64; STAGES]; STAGES],
    pub(in crate::integrate) span: StepSpan,
}

/// An entry of J₀, J₁ or J₂.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrate) struct Entry {
    pub(in crate::integrate) level: usize,
    pub(in crate::integrate) row: usize,
    pub(in crate::integrate) col: usize,
    pub(in crate::integrate) position: usize,
}

/// J₀, J₁ and J₂ of a point, which every collocation method's Newton matrix is composed of.
pub(in crate::integrate) struct Levels {
    /// J₀, J₁, J₂ one below the other.
    pub(in crate::integrate) plan: Plan,
    coefficients: Vec<f64>,
    pub(in crate::integrate) stacked: Vec<f64>,
    /// The pattern of their sum, and where each entry of the three goes in it.
    pub(in crate::integrate) pattern: Pattern,
    pub(in crate::integrate) entries: Vec<Entry>,
}

impl Levels {
    pub(in crate::integrate) fn new(system: &System, form: Form) -> Self {
        let size = system.dims_in_use().unknown_offsets()[5];
        let (plan, coefficients) = matrix_plan(system, form);
        let fold = |i: usize| (i / size.max(1), i % size.max(1));
        let folded: Vec<(u32, u32)> =
            plan.pattern().entries().map(|(i, j)| (fold(i).1 as u32, j as u32)).collect();
        let pattern = Pattern::from_entries(size, &folded);
        let entries = plan.pattern().entries().map(|(i, col)| {
            let (level, row) = fold(i);
            Entry { level, row, col, position: pattern.position(row, col) }
        });
        Levels { entries: entries.collect(), stacked: plan.values(), plan, coefficients, pattern }
    }

    /// Evaluates them at a point.
    pub(in crate::integrate) fn fill(&mut self, system: &System, at: &Point) {
        let weights = Weights::of(at);
        self.plan.fill(system, at, &weights, &self.coefficients, &mut self.stacked);
    }
}

/// The derivatives of a stage's equations by its (a, ẋ), (v, x), q one below the other; multipliers
/// and variables stand with a. Rows and columns of a block
///
/// ```text
///          a                  λ         ψ         ẋ        w
/// motion   M − f_a            Gᵀ − f_λ  Kᵀ − f_ψ  −f_ẋ     −f_w      J₀
///          R_v                                    −f_x               J₁
///          (Ma)_q + R_q                                              J₂
/// λ        G | γ_v | (Ga)_q + γ_q           or, index 2,  G | (Gv + g_t)_q
/// ψ        K | (Ka)_v + ζ_v | (Ka)_q + ζ_q  or, index 2,  K | k_q
/// d        d_a | d_v | d_q    d_λ       d_ψ       d_ẋ | d_x  d_w
/// w        (w − φ)_…, likewise
/// ```
///
/// with R = Gᵀλ + Kᵀψ − f.
fn matrix_plan(system: &System, form: Form) -> (Plan, Vec<f64>) {
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let [a, lambda, psi, xd, w, size] = system.dims_in_use().unknown_offsets();
    let mut plan = PlanBuilder::new(STAGES * size);
    let mut signs = Vec::new();
    let mut place = |level: usize, term: Term, row: usize, col: usize, sign: f64| {
        plan.term(term, level * size + row, col);
        signs.push(sign);
    };
    place(0, Term::M, a, a, 1.0);
    place(2, Term::MuQ, a, a, 1.0);
    place(2, Term::ReactQ, a, a, 1.0);
    place(1, Term::ReactV, a, a, 1.0);
    place(0, Term::React, a, lambda, 1.0);
    place(0, Term::ReactPsi, a, psi, 1.0);
    let functions: [(fn(SlotKind) -> Term, usize, f64); 3] =
        [(Term::F, a, -1.0), (Term::D, xd, 1.0), (Term::W, w, 1.0)];
    for (term, row, sign) in functions {
        place(0, term(A), row, a, sign);
        place(1, term(V), row, a, sign);
        place(2, term(Q), row, a, sign);
        place(0, term(Lambda), row, lambda, sign);
        place(0, term(Psi), row, psi, sign);
        place(0, term(Xd), row, xd, sign);
        place(1, term(X), row, xd, sign);
        place(0, term(W), row, w, sign);
    }
    place(0, Term::G, lambda, a, 1.0);
    place(0, Term::K, psi, a, 1.0);
    match form {
        Form::Acceleration => {
            place(1, Term::GammaV, lambda, a, 1.0);
            place(2, Term::GammaQ, lambda, a, 1.0);
            place(2, Term::GuQ, lambda, a, 1.0);
            place(1, Term::ZetaV, psi, a, 1.0);
            place(1, Term::KuV, psi, a, 1.0);
            place(2, Term::ZetaQ, psi, a, 1.0);
            place(2, Term::KuQ, psi, a, 1.0);
        }
        Form::Velocity => {
            place(1, Term::GdotQ, lambda, a, 1.0);
            place(1, Term::KQ, psi, a, 1.0);
        }
    }
    plan.constraints(Lambda, lambda, lambda);
    plan.constraints(Psi, psi, psi);
    (plan.build(system), signs)
}

impl Formulas {
    /// Of a form of the equations, before any step.
    pub(in crate::integrate) fn new(system: &System, form: Form) -> Self {
        let span = StepSpan { t: f64::NAN, t_next: 0.0, h: 0.0 };
        Formulas { form, at: system.dims_in_use().unknown_offsets(), squared: squared(), span }
    }

    pub(in crate::integrate) fn size(&self) -> usize {
        self.at[5]
    }

    /// The constraints' rows of a stage.
    pub(in crate::integrate) fn constraint_rows(&self) -> Range<usize> {
        self.at[1]..self.at[3]
    }

    /// The rows that are one derivative lower than the others.
    pub(in crate::integrate) fn lower_rows(&self) -> Range<usize> {
        match self.form {
            Form::Acceleration => 0..0,
            Form::Velocity => self.constraint_rows(),
        }
    }

    /// Fills the point of a stage.
    pub(in crate::integrate) fn place(
        &self,
        from: &Point,
        u: &[f64],
        stage: usize,
        to: &mut Point,
    ) {
        let (h, at, size) = (self.span.h, self.at, self.size());
        // The end of the step is not left to rounding.
        let end = stage == STAGES - 1;
        to.set_t(if end { self.span.t_next } else { self.span.t + C[stage] * h });
        to.hold_as(from);
        for (kind, range) in UNKNOWNS.into_iter().zip(at.windows(2)) {
            let first = stage * size;
            to.set_unknowns(kind, &u[first + range[0]..first + range[1]]);
        }
        let sums = |row: [f64; STAGES], range: Range<usize>| {
            let [a, b, c] = [0, 1, 2].map(|k| &u[k * size + range.start..k * size + range.end]);
            a.iter().zip(b).zip(c).map(move |((a, b), c)| row[0] * a + row[1] * b + row[2] * c)
        };
        let (first, second, c) = (A[stage], self.squared[stage], C[stage]);
        let ends = to.q_mut().iter_mut().zip(from.q()).zip(from.v());
        for (((to, q), v), sum) in ends.zip(sums(second, 0..at[1])) {
            *to = q + h * (c * v + h * sum);
        }
        for ((to, v), sum) in to.v_mut().iter_mut().zip(from.v()).zip(sums(first, 0..at[1])) {
            *to = v + h * sum;
        }
        let of_x = sums(first, at[3]..at[4]);
        for ((to, x), sum) in to.x_mut().iter_mut().zip(from.x()).zip(of_x) {
            *to = x + h * sum;
        }
    }

    /// The residual of a stage's equations at its point.
    pub(in crate::integrate) fn residual(
        &self,
        system: &System,
        at: &Point,
        pieces: &mut Residual,
        r: &mut [f64],
    ) {
        let constraints = match self.form {
            Form::Acceleration => Want::GAMMA | Want::GU | Want::ZETA | Want::KU,
            Form::Velocity => Want::GDOT | Want::K,
        };
        let motion = Want::MU | Want::F | Want::REACTION | Want::D | Want::W;
        system.eval_at(at, motion | constraints, pieces);
        let [_, lambda, psi, xd, w, end] = self.at;
        for (i, e) in r[..lambda].iter_mut().enumerate() {
            *e = pieces.mu[i] + (pieces.reaction[i] - pieces.f[i]);
        }
        let by_h = 1.0 / self.span.h;
        for (i, e) in r[lambda..psi].iter_mut().enumerate() {
            *e = match self.form {
                Form::Acceleration => pieces.gu[i] + pieces.gamma[i],
                Form::Velocity => by_h * pieces.gdot[i],
            };
        }
        for (i, e) in r[psi..xd].iter_mut().enumerate() {
            *e = match self.form {
                Form::Acceleration => pieces.ku[i] + pieces.zeta[i],
                Form::Velocity => by_h * pieces.k[i],
            };
        }
        for i in system.trivial_rows(SlotKind::Lambda) {
            r[lambda + i] = at.lambda()[i];
        }
        for i in system.trivial_rows(SlotKind::Psi) {
            r[psi + i] = at.psi()[i] - system.given_psi()[i];
        }
        r[xd..w].copy_from_slice(&pieces.d);
        r[w..end].copy_from_slice(&pieces.w[..end - w]);
    }
}
