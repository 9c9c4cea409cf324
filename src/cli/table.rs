//! Tables that runs have written, read again.

use crate::solution::OutputError;
use std::path::Path;

/// A table of a run: names with units, rows.
pub(super) struct Table {
    pub(super) headings: Vec<String>,
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
    let mut lines = text.lines();
    let headings = fields(lines.next().unwrap_or_default());
    if headings.len() < 2 || !headings[0].starts_with('t') {
        return Err(failed("its first line does not name the time and other quantities".into()));
    }
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (k, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let number = |field: String| field.trim().parse::<f64>().map_err(|_| field);
        let row: Result<Vec<f64>, String> = fields(line).into_iter().map(number).collect();
        let row = row.map_err(|field| failed(format!("line {}: `{field}` is no number", k + 2)))?;
        if row.len() != headings.len() {
            let (found, wanted) = (row.len(), headings.len());
            return Err(failed(format!("line {}: {found} numbers for {wanted} names", k + 2)));
        }
        if rows.last().is_some_and(|last| !(row[0] >= last[0])) {
            return Err(failed(format!("line {}: time goes back", k + 2)));
        }
        rows.push(row);
    }
    Ok(Table { headings, rows })
}

/// The fields of a line, some of which may be in quotation marks.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}
