//! Results that cannot be read or written.

use super::nearest;

/// Errors of reading or writing a solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A name no column has.
    #[error("there is no `{name}` in this run{}", way_out(name, suggestion.as_deref(), *of_a_part))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The nearest existing name.
        suggestion: Option<String>,
        /// Whether it begins with the name of a body, joint or component: much of what these have is in a run once an
        /// output reads it.
        of_a_part: bool,
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
    /// The points of a run that went elsewhere while it ran.
    #[error(
        "of this run its first and its last point were kept only, since its rows were streamed; stream them to what they are wanted for, or run without `stream`"
    )]
    Streamed,
    /// A run that has not the columns that are asked for.
    #[error(
        "the run has no column `{column}`; it is of another model, or recorded without `history`"
    )]
    OtherColumns {
        /// The first of those it does not have.
        column: String,
    },
}

/// What to do about a name that no column has.
fn way_out(name: &str, suggestion: Option<&str>, of_a_part: bool) -> String {
    match suggestion {
        Some(near) => format!("; did you mean `{near}`?"),
        None if of_a_part => {
            format!(
                "; what is no column is there once an output of the model reads it: `output seen = {name};`"
            )
        }
        None => "; `info` lists what there is".into(),
    }
}

impl OutputError {
    /// A name that is none of those of the columns.
    pub(crate) fn unknown_column<'a>(
        name: &str,
        columns: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let name = name.trim();
        let all = || columns.clone().into_iter();
        // `tip` of the vector `tip[0]`, `tip[1]`.
        let entry = all()
            .find(|column| column.strip_prefix(name).is_some_and(|rest| rest.starts_with('[')));
        let part = name.split_once('.').map(|(part, _)| part);
        let of = |column: &str, part: &str| {
            let inner =
                ["der(", "lambda(", "psi("].iter().find_map(|kind| column.strip_prefix(kind));
            let rest = inner.unwrap_or(column).strip_prefix(part);
            rest.is_some_and(|rest| rest.starts_with(['.', '[', ')']))
        };
        let of_a_part = part.is_some_and(|part| all().any(|column| of(column, part)));
        // What a joint or a body has is not a slip of the pen for the column of another one.
        let near = if entry.is_some() { entry.map(String::from) } else { nearest(name, all()) };
        let known = |near: &String| !of_a_part || part.is_some_and(|part| of(near, part));
        OutputError::UnknownColumn { name: name.into(), suggestion: near.filter(known), of_a_part }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_column_has_are_told_with_a_way_out() {
        let columns =
            ["t", "arm.x", "lambda(hinge[0])", "lambda(slot)", "tip[0]", "tip[1]", "load"];
        let told = |name: &str| OutputError::unknown_column(name, columns).to_string();
        let output = "what is no column is there once an output of the model reads it";
        for (name, way_out) in [
            ("tip", "; did you mean `tip[0]`?".into()),
            ("laod", "; did you mean `load`?".into()),
            ("arm.y", "; did you mean `arm.x`?".into()),
            ("hinge.force", format!("; {output}: `output seen = hinge.force;`")),
            ("slot.force", format!("; {output}: `output seen = slot.force;`")),
            ("arm.position", format!("; {output}: `output seen = arm.position;`")),
            ("nothing.at.all", "; `info` lists what there is".into()),
        ] {
            assert_eq!(told(name), format!("there is no `{name}` in this run{way_out}"));
        }
    }
}
