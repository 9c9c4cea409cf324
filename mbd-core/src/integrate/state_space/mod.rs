//! `state-space` and `state-space-fv`: Newmark's formulas on the independent coordinates (Haug,
//! Negrut, Iancu: paper 004).
//!
//! The coordinates split into dependent ones u and independent ones v, the paper's letters
//! ([`partition`](crate::integrate::partition), pivoting on all of Φ_q). The unknowns of a step are the
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

mod equations;
mod options;
mod stepper;

pub use options::{Jacobian, Prediction, StateSpace};
