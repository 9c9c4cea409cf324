//! Everything between a [`System`](crate::assembly::System) and a
//! [`Solution`](crate::solution::Solution).
//!
//! | file | what it holds |
//! |---|---|
//! | `scheme` | what a method is: [`Scheme`] (one nonlinear system per step), [`Stepper`] (any) |
//! | `implicit` | a stepper of any scheme, with the shared predictor and Newton iteration |
//! | `family` | the parameters of the α-family |
//! | `hht_i3` | one method per file: its unknowns, residual, matrix and update |
//! | `soi2` | generalized-α and HHT on both constraint levels |
//! | `dae_alpha` | the DAE α-method on the stabilized index-2 equations |
//! | `coordinate_split` | the same without multipliers |
//! | `bdf` | backward differentiation on the stabilized and the split equations |
//! | `projected_ode` | the α-method on the underlying ODE, projected |
//! | `radau5` | Radau IIA of order 5 |
//! | `history` | what these three carry, and their one-step formulas |
//! | `state_space` | Newmark's formulas on the independent coordinates |
//! | `explicit` | the state-space equations as an ODE |
//! | `explicit_abm`, `explicit_rk` | Adams, Bashforth and Moulton; Dormand and Prince |
//! | `manifold` | dependent coordinates, velocities and accelerations from the independent ones |
//! | `partition` | dependent and independent coordinates |
//! | `limits` | what a method cannot treat |
//! | `kkt` | accelerations of a point |
//! | `newton_matrix` | the terms of a Newton matrix, each with its coefficient |
//! | `predictor` | polynomial extrapolation of the unknowns |
//! | `companion` | the estimate of the global error |
//! | `weights` | norms in units of what matters |
//! | `controller` | step sizes from error estimates |
//! | `dense` | q, v and x between accepted points |
//! | `between` | from these to all that a point has |
//! | `step` | how step sizes come about: adaptive, fixed, prescribed |
//! | `options` | what the options of every family of methods have in common |
//! | `method` | the methods by name, with their options |
//! | `failure` | from a failed attempt to an error in the model's names |
//! | `balance` | the power balance of a run |
//! | `resolution` | whether prescribed steps resolve the motion |
//! | `mass` | whether a mass vanishes or turns negative along a run |
//! | `integrator` | the driver |

mod alpha;
mod balance;
pub mod bdf;
mod between;
mod companion;
pub mod controller;
pub mod dense;
pub mod explicit;
mod failure;
mod guards;
mod implicit;
mod independent;
mod integrator;
mod kkt;
mod limits;
mod mass;
mod method;
mod newton_matrix;
mod options;
pub mod predictor;
pub mod radau5;
mod resolution;
mod scheme;
pub mod state_space;
mod step;
mod timetable;
mod weights;

pub use crate::nonlinear::MatrixPolicy;
pub use alpha::dae_form::{DaeAlpha, Form};
pub use alpha::family::AlphaFamily;
pub use alpha::hht_i3::HhtI3;
pub use alpha::soi2::Soi2;
pub use alpha::{coordinate_split, dae_alpha, hht_i3, projected_ode, soi2};
pub use bdf::{Bdf, BdfForm, INCONSISTENT};
pub use explicit::{Explicit, Formula};
pub use implicit::Implicit;
pub use independent::partition::{self, Choice, Partition, Pivoting};
pub use integrator::{Accepted, Integrator};
pub use method::{METHODS, Method, MethodInfo};
pub use radau5::Radau5;
pub use scheme::{
    Accuracy, Attempt, Block, Failure, Probe, Scheme, StepEnds, StepEnergy, StepSpan, Stepper,
};
pub use state_space::{Jacobian, Prediction, StateSpace};
pub use step::{DEFAULT_TOLERANCE, SHARE, Step};
pub use timetable::Overstepped;

#[cfg(test)]
mod tests;
