//! Everything between a [`System`](crate::assembly::System) and a
//! [`Solution`](crate::solution::Solution).
//!
//! | file | what it holds |
//! |---|---|
//! | `scheme` | what a method is: [`Scheme`] (one nonlinear system per step), [`Stepper`] (any) |
//! | `implicit` | a stepper of any scheme, with the shared predictor and Newton iteration |
//! | `family` | the parameters of the α-family |
//! | `hht_i3` | one method per file: its unknowns, residual, matrix and update |
//! | `predictor` | polynomial extrapolation of the unknowns |
//! | `controller` | step sizes from error estimates |
//! | `dense` | values between accepted points |
//! | `step` | how step sizes come about: adaptive, fixed, prescribed |
//! | `method` | the methods by name, with their options |
//! | `failure` | from a failed attempt to an error in the model's names |
//! | `integrator` | the driver |

pub mod controller;
pub mod dense;
mod failure;
mod family;
pub mod hht_i3;
mod implicit;
mod integrator;
mod method;
pub mod predictor;
mod scheme;
mod step;

pub use family::AlphaFamily;
pub use hht_i3::HhtI3;
pub use crate::nonlinear::MatrixPolicy;
pub use implicit::Implicit;
pub use integrator::{Accepted, Integrator};
pub use method::{METHODS, Method, MethodInfo};
pub use scheme::{Accuracy, Attempt, Block, Failure, Probe, Scheme, StepSpan, Stepper};
pub use step::{DEFAULT_TOLERANCE, Step};

#[cfg(test)]
mod tests;
