//! Why a command ends early.

use super::exit::Exit;
use crate::Error;

/// Why a command ends early.
pub(in crate::cli) enum Stop {
    /// The command line asks for what cannot be.
    Usage(String),
    /// A file cannot be read.
    File(String),
    /// An error of the library.
    Error(Error),
    /// An error of a command of its own, with the exit code that it has.
    Told { message: String, exit: Exit },
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Error(error.into())
    }
}

impl Stop {
    pub(in crate::cli) fn message(&self) -> String {
        match self {
            Stop::Usage(message) | Stop::File(message) | Stop::Told { message, .. } => {
                message.clone()
            }
            Stop::Error(error) => error.to_string(),
        }
    }

    pub(in crate::cli) fn exit(&self) -> Exit {
        match self {
            Stop::Usage(_) => Exit::Usage,
            Stop::File(_) => Exit::InputOutput,
            Stop::Error(error) => Exit::of(error),
            Stop::Told { exit, .. } => *exit,
        }
    }
}
