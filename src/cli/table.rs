//! Tables that runs have written, read again.

use crate::input::{Row, Rows, unmarked};
use crate::solution::OutputError;
use std::path::Path;

/// A table of a run: names with units, rows.
pub(super) struct Table {
    pub(super) headings: Vec<String>,
    /// Of each column the mark of a share that the equations do not determine.
    pub(super) marks: Vec<Option<&'static str>>,
    pub(super) rows: Vec<Vec<f64>>,
}

/// Reads a table.
///
/// # Errors
/// [`OutputError::Read`] with the line that is none of a table.
pub(super) fn read(path: &Path) -> Result<Table, OutputError> {
    let failed = |reason: String| OutputError::Read { path: path.display().to_string(), reason };
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        failed("it is no text; tables are read from CSV files, as `simulate --out run.csv` writes them".into())
    })?;
    let mut lines = Rows::of(&text, b',');
    let (mut headings, mut marks): (Vec<String>, Vec<_>) = Default::default();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while let Some(Row { fields, line }) =
        lines.read().map_err(|error| failed(error.to_string()))?
    {
        if headings.is_empty() {
            for heading in fields.iter() {
                let (heading, mark) = unmarked(heading);
                headings.push(heading.into());
                marks.push(mark);
            }
            if headings.len() < 2 || !headings[0].starts_with('t') {
                break;
            }
            continue;
        }
        let number = |field: &str| {
            let found = field.parse::<f64>();
            found.map_err(|_| failed(format!("line {line}: `{field}` is no number")))
        };
        let row = fields.iter().map(number).collect::<Result<Vec<f64>, OutputError>>()?;
        if row.len() != headings.len() {
            let (found, wanted) = (row.len(), headings.len());
            return Err(failed(format!("line {line}: {found} numbers for {wanted} names")));
        }
        if rows.last().is_some_and(|last| !(row[0] >= last[0])) {
            return Err(failed(format!("line {line}: time goes back")));
        }
        rows.push(row);
    }
    if headings.len() < 2 || !headings[0].starts_with('t') {
        return Err(failed("its first line does not name the time and other quantities".into()));
    }
    Ok(Table { headings, marks, rows })
}
