//! The one Newton iteration of all implicit methods.
//!
//! A method supplies [`Equations`]; [`Newton`] holds the factorization from step to step, decides
//! when it is renewed ([`MatrixPolicy`]), when the iteration has converged ([`Stop`]), and says
//! why when it has not ([`NewtonFailure`]).

mod attainable;
mod ending;
mod equations;
mod mean_rate;
mod newton;
mod options;
mod outcome;
mod polishing;
mod shortened;

pub(crate) use attainable::move_by_rounding;
pub use equations::Equations;
pub use newton::Newton;
pub use options::{Damping, MatrixPolicy, NewtonOptions, Stop};
pub use outcome::{Converged, NewtonFailure, NewtonStats};

#[cfg(test)]
mod tests;
