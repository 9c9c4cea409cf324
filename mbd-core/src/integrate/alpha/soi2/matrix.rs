//! Which derivative goes where in the Newton matrix of a step.

use super::places::Places;
use crate::assembly::{SlotKind, System, Term};
use crate::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};

/// The derivatives of the step's formulas by the unknowns.
pub(super) struct Factors {
    /// (1−α_m)/(1−α_f).
    pub(super) m: f64,
    /// Factor on M̂ a' in the equations of motion: m, and c ∂p/∂(M̂ a') in a shifted first step.
    pub(super) mass: f64,
    /// ∂q'/∂a'_α.
    pub(super) q: f64,
    /// ∂v'/∂a'_α.
    pub(super) v: f64,
    /// ∂a'/∂a'_α.
    pub(super) a: f64,
    /// ∂x'/∂ẋ'.
    pub(super) x: f64,
    /// βh² = ∂q'/∂δ.
    pub(super) beta: f64,
    /// γh = ∂ṽ'/∂δ.
    pub(super) gamma: f64,
}

/// Where a block of the matrix is evaluated.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Pass {
    /// At the instant of a'_α.
    Mass,
    /// At the end of the step.
    End,
    /// There with the weights μ, ν; or with the multipliers λ̃, ψ̃ and variables w̃.
    Other,
    /// At the end of the step with the velocities ṽ'.
    Swift,
}

/// The Newton matrix. q, v, a, x are the derivatives of q', v', a', x' by a_α and ẋ; β stands for
/// βh², γ for γh. Rows and columns, with R = Gᵀλ + Kᵀψ − f and R̂ = Gᵀμ + Kᵀν:
///
/// ```text
///         a_α                         λ          ψ          ẋ             w     δ              μ     ν
/// motion  m M̂ + q R_q + v R_v + a R_a Gᵀ − f_λ   Kᵀ − f_ψ   R_ẋ + x R_x   R_w   β R_q
/// ġ/γ     (v G + q (Gv+g_t)_q)/γ                                                (β/γ)(Gv+g_t)_q
/// k/γ     (v K + q k_q)/γ                                                       (β/γ) k_q
/// d       a d_a + v d_v + q d_q       d_λ        d_ψ        d_ẋ + x d_x   d_w   β d_q
/// w       likewise
/// δ       −q R̂_q − v R̂_v                                                        M̂ − β R̂_q     −Gᵀ   −Kᵀ
/// g/β     (q/β) G                                                               G
/// k̃/γ     (v K̃ + q k̃_q)/γ                                                       K̃ + (β/γ) k̃_q
/// ```
///
/// M̂ is that of the instant of a_α, K̃ and k̃_q those at ṽ'. Where forces depend on multipliers the
/// row of δ holds the derivatives of M̂ δ + (R̃ − R)/m, and there is a row and a column for ω.
pub(super) fn matrix(
    system: &System,
    at: &Places,
    general: bool,
    through: bool,
) -> NewtonMatrix<Factors, Pass> {
    use Pass::{End, Mass, Other, Swift};
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let mut matrix = NewtonMatrixBuilder::<Factors, Pass>::new(at.end);
    matrix.term(Mass, Term::M, at.a, at.a, |c| c.mass);
    matrix.term(Mass, Term::M, at.delta, at.delta, |_| 1.0);

    // R and its derivatives times a factor, in given rows.
    let mut reaction = |pass: Pass, row: usize, factor: fn(&Factors) -> f64| {
        let mut put = |term: Term, col: usize, by: fn(&Factors) -> f64| {
            matrix.term(pass, term, row, col, move |c| factor(c) * by(c));
        };
        put(Term::ReactQ, at.a, |c| c.q);
        put(Term::ReactQ, at.delta, |c| c.beta);
        put(Term::ReactV, at.a, |c| c.v);
        put(Term::React, at.lambda, |_| 1.0);
        put(Term::ReactPsi, at.psi, |_| 1.0);
        put(Term::F(Q), at.a, |c| -c.q);
        put(Term::F(Q), at.delta, |c| -c.beta);
        put(Term::F(V), at.a, |c| -c.v);
        put(Term::F(A), at.a, |c| -c.a);
        put(Term::F(Lambda), at.lambda, |_| -1.0);
        put(Term::F(Psi), at.psi, |_| -1.0);
        put(Term::F(Xd), at.xd, |_| -1.0);
        put(Term::F(X), at.xd, |c| -c.x);
        put(Term::F(W), at.w, |_| -1.0);
        if pass == Other {
            // λ̃ = λ − m μ, ψ̃ = ψ − m ν, w̃ = w − ω.
            put(Term::React, at.mu, |c| -c.m);
            put(Term::ReactPsi, at.nu, |c| -c.m);
            put(Term::F(Lambda), at.mu, |c| c.m);
            put(Term::F(Psi), at.nu, |c| c.m);
            if through {
                put(Term::F(W), at.omega, |_| 1.0);
            }
        }
    };
    reaction(End, at.a, |_| 1.0);
    if general {
        reaction(End, at.delta, |c| -1.0 / c.m);
        reaction(Other, at.delta, |c| 1.0 / c.m);
    }

    let mut put = |pass: Pass, term: Term, row: usize, col: usize, rule: fn(&Factors) -> f64| {
        matrix.term(pass, term, row, col, rule);
    };
    if !general {
        put(End, Term::React, at.delta, at.mu, |_| -1.0);
        put(End, Term::ReactPsi, at.delta, at.nu, |_| -1.0);
        put(Other, Term::ReactQ, at.delta, at.a, |c| -c.q);
        put(Other, Term::ReactQ, at.delta, at.delta, |c| -c.beta);
        put(Other, Term::ReactV, at.delta, at.a, |c| -c.v);
    }
    put(End, Term::G, at.lambda, at.a, |c| c.v / c.gamma);
    put(End, Term::GdotQ, at.lambda, at.a, |c| c.q / c.gamma);
    put(End, Term::GdotQ, at.lambda, at.delta, |c| c.beta / c.gamma);
    put(End, Term::G, at.mu, at.a, |c| c.q / c.beta);
    put(End, Term::G, at.mu, at.delta, |_| 1.0);
    for (pass, row) in [(End, at.psi), (Swift, at.nu)] {
        put(pass, Term::K, row, at.a, |c| c.v / c.gamma);
        put(pass, Term::KQ, row, at.a, |c| c.q / c.gamma);
        put(pass, Term::KQ, row, at.delta, |c| c.beta / c.gamma);
    }
    put(Swift, Term::K, at.nu, at.delta, |_| 1.0);

    let mut rows = |pass: Pass, term: fn(SlotKind) -> Term, row: usize| {
        put(pass, term(A), row, at.a, |c| c.a);
        put(pass, term(V), row, at.a, |c| c.v);
        put(pass, term(Q), row, at.a, |c| c.q);
        put(pass, term(Q), row, at.delta, |c| c.beta);
        put(pass, term(Lambda), row, at.lambda, |_| 1.0);
        put(pass, term(Psi), row, at.psi, |_| 1.0);
        put(pass, term(Xd), row, at.xd, |_| 1.0);
        put(pass, term(X), row, at.xd, |c| c.x);
        put(pass, term(W), row, at.w, |_| 1.0);
        if pass == Other {
            put(pass, term(Lambda), row, at.mu, |c| -c.m);
            put(pass, term(Psi), row, at.nu, |c| -c.m);
            put(pass, term(W), row, at.omega, |_| -1.0);
        }
    };
    rows(End, Term::D, at.xd);
    rows(End, Term::W, at.w);
    if through {
        rows(Other, Term::W, at.omega);
    }
    for (kind, place) in [(Lambda, at.lambda), (Psi, at.psi), (Lambda, at.mu), (Psi, at.nu)] {
        matrix.constraints(kind, place);
    }
    matrix.build(system)
}
