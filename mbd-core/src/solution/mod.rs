//! A recorded run: samples of every quantity with names and units, statistics, drift, and how the
//! run ended.

mod columns;
mod estimate;
mod events;
mod failed;
mod findings;
mod run;
mod saltation;
mod sink;
mod stats;

pub use crate::error::{Chatter, OutputError};
pub use columns::{Column, ColumnKind, rate_unit};
pub use estimate::{ErrorEstimate, Unestimated};
pub use events::{Event, EventKind, Impulse, RankChange, StoppedBy};
pub use failed::RunError;
pub use findings::{Abrupt, Ambiguity, Balance, Coarse, Disorder, Drift, Grazing, OnDualNumbers};
pub use run::{LEAST_SHARE, NOT_DETERMINED, Solution};
pub use saltation::{EventDerivatives, NoSaltation, Saltation};
pub use sink::RowSink;
pub use stats::{Stats, Status, StepRecord};
