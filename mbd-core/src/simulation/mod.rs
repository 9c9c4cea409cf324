//! Running a mechanism: from parameters and initial values to a recorded solution, or step by step, led from
//! outside.

mod certificate;
mod feed;
mod initial;
mod joints;
mod options;
mod recorder;
mod run;
mod stepper;

pub use initial::Started;
pub use joints::{JointLoad, JointPlace, joint_loads, joint_loads_as_shared, joint_places};
pub use options::{DEFAULT_MAX_STEPS, Progress, Record, Simulation};
pub use stepper::{InputId, QuantityId, State as Now, Stepper};
