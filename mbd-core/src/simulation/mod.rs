//! Running a mechanism: from parameters and initial values to a recorded solution, or step by step, led from
//! outside.

mod certificate;
mod feed;
mod run;
mod stepper;

pub use run::{DEFAULT_MAX_STEPS, Progress, Record, Simulation, Started};
pub use stepper::{InputId, QuantityId, State as Now, Stepper};
