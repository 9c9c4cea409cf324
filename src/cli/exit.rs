//! Exit codes: a fixed contract that scripts rely on.

use crate::Error;
use crate::error::{OptionError, StepError};
use crate::solution::OutputError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All went well.
    Ok = 0,
    /// The command line was not understood.
    Usage = 2,
    /// The model, or a value given to it, is not valid.
    Model = 10,
    /// The mechanism cannot be put together.
    Assembly = 11,
    /// The equations are singular, or contradict each other.
    Singular = 12,
    /// A step failed.
    Step = 13,
    /// The result is not as exact as it has to be.
    Accuracy = 14,
    /// A file cannot be read or written.
    InputOutput = 20,
    /// Stopped on request; partial results are written.
    Interrupted = 130,
}

/// The codes with their meaning, for the help text.
pub(super) const MEANINGS: [(Exit, &str); 9] = [
    (Exit::Ok, "finished"),
    (Exit::Usage, "the command line was not understood"),
    (Exit::Model, "the model, or a value given to it, is not valid"),
    (Exit::Assembly, "the mechanism cannot be put together at the start"),
    (Exit::Singular, "the equations are singular or contradict each other"),
    (Exit::Step, "a step failed"),
    (Exit::Accuracy, "a check of accuracy failed, or the accuracy asked for is not reached"),
    (Exit::InputOutput, "a file cannot be read or written"),
    (Exit::Interrupted, "interrupted (Ctrl-C, TERM, HUP); what was computed is written"),
];

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit code of an error, by its cause.
    pub fn of(error: &Error) -> Exit {
        match error {
            Error::Model(_) | Error::Input(_) => Exit::Model,
            Error::Option(OptionError::NoCheckpoint { .. }) => Exit::InputOutput,
            Error::Option(OptionError::NoIndependent { .. }) => Exit::Singular,
            Error::Option(_) => Exit::Usage,
            Error::Start(error) if error.is_assembly() => Exit::Assembly,
            Error::Start(_) => Exit::Singular,
            Error::Step(
                StepError::Singular { .. }
                | StepError::Leapt { .. }
                | StepError::Constraints { .. }
                | StepError::Mass { .. },
            )
            | Error::Linear(_) => Exit::Singular,
            Error::Step(_) => Exit::Step,
            Error::Accuracy(_) => Exit::Accuracy,
            Error::Output(OutputError::UnknownColumn { .. }) => Exit::Usage,
            Error::Output(_) => Exit::InputOutput,
            // Error may grow; a cause without a code of its own stopped the computation.
            _ => Exit::Step,
        }
    }
}
