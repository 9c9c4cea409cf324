//! Everything between a [`System`](crate::assembly::System) and a
//! [`Solution`](crate::solution::Solution).
//!
//! *What a method is*
//!
//! | file | what it holds |
//! |---|---|
//! | `scheme` | what a method states: [`Scheme`] (one nonlinear system per step), [`Stepper`] (any) |
//! | `implicit` | a stepper of any scheme, with the shared predictor and Newton iteration |
//! | `newton_matrix` | the terms of a Newton matrix, each with its coefficient |
//! | `method`, `options` | the methods by name; what the options of every family have in common |
//! | `limits` | what a method cannot treat |
//! | `user_defined` | methods from outside the library |
//!
//! *The methods*
//!
//! | folder | what it holds |
//! |---|---|
//! | `alpha` | the α-family: [`hht_i3`], [`soi2`] on both constraint levels, [`dae_alpha`] on the stabilized index-2 equations, [`coordinate_split`] without multipliers, [`projected_ode`] |
//! | `bdf` | backward differentiation on the stabilized and the split equations |
//! | `radau5` | Radau IIA of order 5 |
//! | `state_space` | Newmark's formulas on the independent coordinates |
//! | `explicit` | the state-space equations as an ODE: Adams, Bashforth and Moulton; Dormand and Prince |
//! | `independent` | dependent and independent coordinates, for these two |
//!
//! *What drives them*
//!
//! | file | what it holds |
//! |---|---|
//! | `integrator` | the driver; beside it events, jumps, contacts, surfaces |
//! | `step`, `controller` | how step sizes come about: prescribed, or from error estimates |
//! | `predictor` | polynomial extrapolation of the unknowns |
//! | `dense`, `between` | q, v and x between accepted points; from these all that a point has |
//! | `guards`, `timetable` | what is compared along the motion; the times at which something is known to happen |
//! | `companion` | the estimate of the global error |
//! | `kkt` | accelerations of a point |
//! | `weights` | norms in units of what matters |
//! | `balance`, `resolution`, `mass` | what is looked at along a run: power, coarse steps, vanishing masses |
//! | `quadrature` | work from the motion inside a step |
//! | `failure` | from a failed attempt to an error in the model's names |

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
pub mod newton_matrix;
mod options;
pub mod predictor;
mod quadrature;
pub mod radau5;
mod resolution;
mod scheme;
pub mod state_space;
mod step;
mod struggle;
mod timetable;
mod user_defined;
pub mod weights;

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
pub use limits::Limit;
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
