//! Signals from files, for the inputs of a model.
//!
//! A table is a text file of rows of numbers, separated by commas, semicolons or tabs, with the time in s in its
//! first column. A first row that is not of numbers names the columns; empty lines and those that begin with `#`
//! are passed over. Tables that [`simulate --out`](crate::SolutionExt::write_csv) writes can be read.

use crate::signal::{Interpolation, Signal, SignalError};
use crate::solution::{LEAST_SHARE, NOT_DETERMINED};
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
    let unreadable = |reason: String| TableError::Read { path: path.clone(), reason };
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
    let mut header: Vec<String> = Vec::new();
    let mut chosen: Option<usize> = None;
    let (mut times, mut values, mut places) = (Vec::new(), Vec::new(), Vec::new());
    let by = text.lines().find(|line| !is_passed_over(line)).map_or(b',', separator);
    let mut rows = Rows::of(&text, by);
    while let Some(row) = rows.read().map_err(|error| unreadable(error.to_string()))? {
        let place = match chosen {
            Some(place) => place,
            None => {
                let named = row.fields.iter().any(|field| field.parse::<f64>().is_err());
                if named {
                    header.extend(row.fields.iter().map(String::from));
                }
                let place = place_of(&header, row.fields.len(), column, name, &path)?;
                chosen = Some(place);
                if named {
                    continue;
                }
                place
            }
        };
        let field = |k: usize| {
            let text = row.fields.get(k).ok_or_else(|| TableError::Short {
                path: path.clone(),
                line: row.line,
                fields: row.fields.len(),
                column: k + 1,
            })?;
            text.parse::<f64>().map_err(|_| TableError::Number {
                path: path.clone(),
                line: row.line,
                text: text.into(),
            })
        };
        times.push(field(0)?);
        values.push(field(place)?);
        places.push(row.line);
    }
    Signal::table(times, values, between).map_err(|cause| {
        let line = cause.row().and_then(|row| places.get(row).copied());
        TableError::Table { path, line, cause }
    })
}

/// Empty lines, and remarks.
fn is_passed_over(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// What stands between the fields of a line.
fn separator(line: &str) -> u8 {
    [b';', b'\t', b','].into_iter().find(|by| line.contains(char::from(*by))).unwrap_or(b',')
}

/// The rows of a table, without empty ones and remarks.
pub(crate) struct Rows<'t> {
    reader: csv::Reader<&'t [u8]>,
    text: &'t [u8],
    fields: csv::StringRecord,
    /// How far it is read, and the lines until there.
    at: usize,
    lines: usize,
}

/// A row of a table.
pub(crate) struct Row<'r> {
    /// Its fields, without space around them.
    pub(crate) fields: &'r csv::StringRecord,
    /// The line in which it ends, from 1.
    pub(crate) line: usize,
}

impl<'t> Rows<'t> {
    pub(crate) fn of(text: &'t str, by: u8) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(by)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let text = text.as_bytes();
        Rows { reader, text, fields: csv::StringRecord::new(), at: 0, lines: 0 }
    }

    /// The next one.
    ///
    /// # Errors
    /// None where the text is one in memory.
    pub(crate) fn read(&mut self) -> Result<Option<Row<'_>>, csv::Error> {
        while self.reader.read_record(&mut self.fields)? {
            // The reader's own number of a row's line is that of an empty line or remark before it.
            let end = usize::try_from(self.reader.position().byte()).unwrap_or(usize::MAX);
            let read = self.text.get(self.at..end).unwrap_or_default();
            self.lines += read.iter().filter(|byte| **byte == b'\n').count();
            self.at = end;
            if self.fields.len() != 1 || !self.fields[0].is_empty() {
                let line = self.lines + usize::from(read.last() != Some(&b'\n'));
                return Ok(Some(Row { fields: &self.fields, line }));
            }
        }
        Ok(None)
    }
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
        let (field, _) = unmarked(field);
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

/// A heading without the mark of a share that the equations do not determine, and the mark.
pub(crate) fn unmarked(heading: &str) -> (&str, Option<&'static str>) {
    for mark in [NOT_DETERMINED, LEAST_SHARE] {
        let before = heading.strip_suffix(')').and_then(|rest| rest.strip_suffix(mark));
        if let Some(before) = before.and_then(|rest| rest.strip_suffix(" (")) {
            return (before, Some(mark));
        }
    }
    (heading, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_found_without_its_unit_and_its_mark() {
        let header = ["t [s]", "lambda(rod) (share not determined)", "load [N] (least share)"];
        let header = header.map(String::from);
        for (name, place) in [("lambda(rod)", 1), ("load", 2), ("load [N]", 2), ("3", 2)] {
            assert_eq!(
                place_of(&header, 3, Some(name), "u", "run.csv").ok(),
                Some(place),
                "{name}"
            );
        }
        assert!(place_of(&header, 3, Some("lambda"), "u", "run.csv").is_err());
    }
}
