//! Exit codes: a fixed contract that scripts rely on.

use crate::Error;
use crate::error::StepError;
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
pub(super) const MEANINGS: &str = "\
  0    finished
  2    the command line was not understood
  10   the model or a value given to it is not valid
  11   the mechanism cannot be put together at the start
  12   the equations are singular or contradict each other
  13   a step failed
  14   a check of accuracy failed
  20   a file cannot be read or written
  130  interrupted (Ctrl-C); what was computed is written";

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The exit code of an error, by its cause.
    pub fn of(error: &Error) -> Exit {
        match error {
            Error::Model(_) => Exit::Model,
            Error::Option(_) => Exit::Usage,
            Error::Start(error) => of_start(error),
            Error::Step(StepError::Singular { .. }) | Error::Linear(_) => Exit::Singular,
            Error::Step(_) => Exit::Step,
            Error::Output(OutputError::UnknownColumn { .. }) => Exit::Usage,
            Error::Output(_) => Exit::InputOutput,
            // Error may grow; a cause without a code of its own stopped the computation.
            _ => Exit::Step,
        }
    }
}

fn of_start(error: &crate::start::StartError) -> Exit {
    match error {
        _ => Exit::Assembly,
    }
}
