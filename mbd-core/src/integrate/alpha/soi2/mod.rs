//! `gen-alpha-soi2` and `hht-soi2`: the generalized-α and HHT methods with both the position and
//! the velocity constraints met at the end of every step (paper 001: stabilized, overdetermined,
//! index 2).
//!
//! ```text
//! q' = q + h v + h²/2 ((1−2β) a_α + 2β (a'_α + δ))
//! v' = v + h ((1−γ) a_α + γ a'_α)
//! ṽ' = v' + h γ δ
//! 0  = m M̂ a'_α + c p + R' + c_f R               m = (1−α_m)/(1−α_f),  R = Gᵀλ + Kᵀψ − f
//! 0  = M̂ δ − Gᵀμ − Kᵀν                           c = α_m/(1−α_f),  c_f = α_f/(1−α_f)
//! 0  = g(q'),  0 = G v' + g_t,  0 = k(q', v'),  0 = k(q', ṽ')
//! 0  = d',  0 = w' − φ'
//! ```
//!
//! (eq. 13; with α_m = 0 and without k eq. 17.) Primes mark the end of the step,
//! M̂ = M(t + (1+α) h, q + h (1+α) v) is the mass matrix at the instant of a'_α, and p = M̂ a_α that
//! of the step before. The *algorithmic acceleration* a_α and p are carried as two vectors. The
//! correction δ, local to the step, is what lets q' meet g beside v' meeting G v + g_t; μ and ν are
//! its multipliers: λ̃ = λ − m μ and ψ̃ = ψ − m ν in the paper's notation.
//!
//! # Forces that depend on multipliers
//! Where f depends on λ or ψ (friction of a reaction, reactions stated by the model), directly or
//! through variables, the equation of δ is the difference of eq. 13d and 13e with a second
//! evaluation of f at λ̃, ψ̃ and, if a variable depends on multipliers, w̃ = w − ω:
//!
//! ```text
//! 0 = M̂ δ + (R̃ − R')/m
//! ```
//!
//! # Step changes
//! a_α and p belong to t + α h of the step that produced them. When the step size changes, both are
//! moved along their last change to the new instant (eq. 14); the earlier value is that used in the
//! previous step, after its own move. Without it ([`adjust`](Soi2::adjust)) a, λ, ψ, and where
//! steps alternate v too, fall to order 1.
//!
//! # What is reported as acceleration
//! a at the end of the step, (1−α) a'_α + α a_α: the line through the algorithmic accelerations,
//! read at t'. It is of order 2, and it is what forces, state equations and variables read.
//!
//! # First-order states
//! By the same family: x' = x + h ((1−γ) ẋ_α + γ ẋ'_α) with
//! (1−α_m) ẋ'_α + α_m ẋ_α = (1−α_f) ẋ' + α_f ẋ; of order 2 and damped like the coordinates.
//!
//! # Constraints
//! Both levels are met to round-off, for any tolerance of the rest: after Newton's iteration the
//! constraint rows alone are iterated on with the factorization at hand
//! ([`Newton::polish`](crate::nonlinear::Newton::polish)).
//!
//! # Measured
//! Order 2 in q, v, a, λ, ψ and x for every ρ∞ and for steps that alternate; the spectral radius at
//! infinite frequency is ρ∞. Adaptive runs of the bushing pendulum, tolerance 10⁻⁶, to t = 2:
//!
//! | ρ∞ | steps | rejected | Newton iterations | largest error of q |
//! |---|---|---|---|---|
//! | 0.5 | 1446 | 6 | 2907 | 7.1e-5 |
//! | 0.7 | 1354 | 7 | 2731 | 6.1e-5 |
//! | 0.8 | 1330 | 6 | 2695 | 5.8e-5 |
//! | 0.9 | 1318 | 6 | 2716 | 5.6e-5 |
//! | 1 | 1385 | 229 | 4178 | 5.6e-5 |
//!
//! Without numerical damping the algorithmic acceleration rings and the estimate with it; 0.8 costs
//! 1 % against 0.9 and damps four times as fast. Over 23 examples and four tolerances the work of
//! equal error is least at 0.7 and 0.8 (docs/book/src/history.md), hence the default.
//!
//! # What the projection costs
//! Newmark's formula errs by C h³ q⃛ in a step, C = 1/12 + α²/4. Left alone these errors add up to
//! C h² times the change of a, which stays bounded. Here δ takes the part across the constraints
//! away in every step, and what is left of the others does not telescope: q drifts along the
//! constraints like h² t. Measured on the slider-crank (1 s, tolerance 1e-6): the crank's angle is
//! off by 9.5e-5 at the end, growing evenly, whatever ρ∞ (0.5: 1.0e-4; 0.95: 9.3e-5) and alike for
//! `hht-soi2` and `dae-alpha`, which project too; by 1.6e-7 with `hht-i3`, which does not. Velocities
//! (6.7e-4 and 2.4e-5) and states (1.6e-6 and 2.5e-7) differ less, and reactions are off alike
//! (1.6e-3 and 1.7e-3). It is the methods' own error, not the estimate's.
//!
//! # Linear algebra
//! Newton's system is that of `hht-i3` twice. It is solved as two systems of `hht-i3`'s size, one
//! after the other (`solver`), but where forces depend on multipliers.
//!
//! # Start
//! a_α = a_0 ([`Start::Initial`], the default; exact enough for α_m = 0), or eq. 8 through the
//! unknowns of the first step ([`Start::Shifted`]). Measured on five problems, the choice makes no
//! difference after the first steps.

mod followed;
mod matrix;
mod options;
mod places;
mod scheme;
mod solver;

pub use options::{DEFAULT_RHO, Soi2, Start};
pub use scheme::Soi2Scheme;
