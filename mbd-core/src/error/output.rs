//! Results that cannot be read or written.

/// Errors of reading or writing a solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A name no column has.
    #[error("there is no `{name}` in this run{}", .suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The nearest existing name.
        suggestion: Option<String>,
    },
    /// A file that cannot be written.
    #[error("cannot write `{path}`: {reason}")]
    Write {
        /// The file.
        path: String,
        /// What the operating system said, and what to do about it.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Read {
        /// The file.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// Nothing was recorded.
    #[error("nothing was recorded")]
    Empty,
}

impl OutputError {
    /// A file that cannot be written, with what can be done about it.
    pub fn write(path: impl Into<String>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let mend = match error.kind() {
            ErrorKind::NotFound => "; check that the folder exists",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; check that the folder and the file may be written to"
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "; make room, write elsewhere, or write fewer rows (`every`)"
            }
            ErrorKind::BrokenPipe => "; whoever was to read it has gone",
            _ => "",
        };
        OutputError::Write { path: path.into(), reason: format!("{error}{mend}") }
    }
}
