//! Signals from files, for the inputs of a model.
//!
//! A table is a text file of rows of numbers, separated by commas, semicolons or tabs, with the time in s in its
//! first column. A first row that is not of numbers names the columns; empty lines and those that begin with `#`
//! are passed over. Tables that [`simulate --out`](crate::SolutionExt::write_csv) writes can be read.

use crate::signal::{Interpolation, Signal, SignalError};
use std::path::Path;

/// A file that is no table, or not the one that is asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// It has no such column.
    #[error(
        "{path} has no column `{column}`; its columns after the time are {}. Choose one by its name or number \
         (2 is the first after the time)", known.join(", ")
    )]
    Column {
        /// The file.
        path: String,
        /// What was asked for.
        column: String,
        /// What there is.
        known: Vec<String>,
    },
    /// Several columns, and none chosen.
    #[error(
        "{path} has several columns, and none is called `{column}`: say which, as in `{path}:{}`; there are {}",
        known.first().map_or("2", |name| name), known.join(", ")
    )]
    Which {
        /// The file.
        path: String,
        /// The name that was looked for.
        column: String,
        /// What there is.
        known: Vec<String>,
    },
    /// What should be a number is none.
    #[error("{path}, line {line}: `{text}` is not a number")]
    Number {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// A row ends before the column.
    #[error("{path}, line {line} has {fields} columns, and column {column} is read")]
    Short {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// Its columns.
        fields: usize,
        /// The column read, from 1.
        column: usize,
    },
    /// The rows make no table.
    #[error("{path}{}: {cause}", line.map_or(String::new(), |line| format!(", line {line}")))]
    Table {
        /// The file.
        path: String,
        /// The line at fault, from 1, if one is.
        line: Option<usize>,
        /// What is the matter.
        cause: SignalError,
    },
}

/// A column of a table in a file as a [`Signal`]: by its name, by its number (the time's is 1), or the only one.
///
/// ```no_run
/// use mbd::input::read_table;
/// use mbd::signal::Interpolation;
/// let torque = read_table("measured.csv", Some("torque"), Interpolation::Linear)?;
/// # Ok::<(), mbd::input::TableError>(())
/// ```
///
/// # Errors
/// [`TableError`], with the line.
pub fn read_table(
    path: impl AsRef<Path>,
    column: Option<&str>,
    between: Interpolation,
) -> Result<Signal, TableError> {
    read(path.as_ref(), column, "", between)
}

/// `name`: the column that is meant where none is chosen and there are several.
pub(crate) fn read(
    file: &Path,
    column: Option<&str>,
    name: &str,
    between: Interpolation,
) -> Result<Signal, TableError> {
    let path = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|error| TableError::Read { path: path.clone(), reason: error.to_string() })?;
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let mut rows = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let mut header: Vec<String> = Vec::new();
    let mut chosen: Option<usize> = None;
    let (mut times, mut values, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let separators = |line: &str| [';', '\t', ','].into_iter().find(|by| line.contains(*by));
    let mut by = ',';
    let mut first = true;
    for (number, line) in &mut rows {
        if first {
            by = separators(line).unwrap_or(',');
        }
        let fields = split(line, by);
        let line = number + 1;
        if std::mem::take(&mut first) {
            let named = fields.iter().any(|field| field.parse::<f64>().is_err());
            if named {
                header.clone_from(&fields);
            }
            let place = place_of(&header, fields.len(), column, name, &path)?;
            chosen = Some(place);
            if named {
                continue;
            }
        }
        let Some(place) = chosen else { continue };
        let field = |k: usize| {
            let text = fields.get(k).ok_or_else(|| TableError::Short {
                path: path.clone(),
                line,
                fields: fields.len(),
                column: k + 1,
            })?;
            text.parse::<f64>().map_err(|_| TableError::Number {
                path: path.clone(),
                line,
                text: text.clone(),
            })
        };
        times.push(field(0)?);
        values.push(field(place)?);
        places.push(line);
    }
    Signal::table(times, values, between).map_err(|cause| {
        let line = cause.row().and_then(|row| places.get(row).copied());
        TableError::Table { path, line, cause }
    })
}

/// Which column is meant, from 0.
fn place_of(
    header: &[String],
    count: usize,
    column: Option<&str>,
    name: &str,
    path: &str,
) -> Result<usize, TableError> {
    let after_time = header.iter().skip(1).cloned();
    let known: Vec<String> = if header.is_empty() {
        (2..=count).map(|k| k.to_string()).collect()
    } else {
        after_time.collect()
    };
    // Its unit may stand behind a name.
    let is = |field: &String, wanted: &str| {
        field == wanted || field.split_once(" [").is_some_and(|(name, _)| name == wanted)
    };
    let by_name =
        |wanted: &str| header.iter().skip(1).position(|field| is(field, wanted)).map(|k| k + 1);
    match column {
        Some(column) => {
            let number = column.parse::<usize>().ok();
            let number = number.filter(|k| (2..=count).contains(k)).map(|k| k - 1);
            by_name(column).or(number).ok_or_else(|| TableError::Column {
                path: path.into(),
                column: column.into(),
                known,
            })
        }
        None => by_name(name).or((count <= 2).then_some(1)).ok_or_else(|| TableError::Which {
            path: path.into(),
            column: name.into(),
            known,
        }),
    }
}

/// The fields of a row; quotation marks around one belong to the file, and two within stand for one.
fn split(line: &str, by: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.len() - 1;
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                fields[field].push('"');
            }
            '"' => quoted = !quoted,
            letter if letter == by && !quoted => fields.push(String::new()),
            letter => fields[field].push(letter),
        }
    }
    fields.iter_mut().for_each(|field| *field = field.trim().to_string());
    fields
}
