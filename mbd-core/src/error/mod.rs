//! The errors of a run, by phase; each says what, where, the likely cause and what to try.

mod any;
mod input;
mod nearest;
mod option;
mod output;
mod step;

pub use any::{AccuracyError, Error};
pub use input::InputError;
pub use nearest::nearest;
pub use option::OptionError;
pub use output::OutputError;
pub use step::{Chatter, StepError, Struggle, Unresolved};
