//! The one Newton iteration of all implicit methods.
//!
//! A method supplies [`Equations`]; [`Newton`] holds the factorization from step to step, decides
//! when it is renewed ([`MatrixPolicy`]), when the iteration has converged ([`Stop`]), and says
//! why when it has not ([`NewtonFailure`]).

mod attainable;
mod mean_rate;
mod newton;
mod options;
mod outcome;

pub(crate) use attainable::move_by_rounding;
pub use newton::{Equations, Newton};
pub use options::{MatrixPolicy, NewtonOptions, Stop};
pub use outcome::{Converged, NewtonFailure, NewtonStats};

#[cfg(test)]
mod tests;
