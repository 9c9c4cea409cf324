//! `--input NAME=SIGNAL`: numbers and tables.

use super::args::Request;
use super::stop::Stop;
use crate::input;
use crate::signal::{Interpolation, Signal};
use std::path::Path;

/// What the inputs are fed with, by name.
pub(super) fn signals(request: &Request) -> Result<Vec<(String, Signal)>, Stop> {
    let one = |(name, text): &(String, String)| Ok((name.clone(), signal(name, text)?));
    request.input.iter().map(one).collect()
}

/// A number, or `file.csv:column,spline,held`.
fn signal(name: &str, text: &str) -> Result<Signal, Stop> {
    if let Ok(value) = text.trim().parse::<f64>() {
        return Ok(Signal::constant(value));
    }
    let mut parts = text.split(',');
    let file = parts.next().unwrap_or_default().trim();
    let (mut between, mut held) = (Interpolation::Linear, false);
    for part in parts {
        match part.trim() {
            "linear" => between = Interpolation::Linear,
            "spline" => between = Interpolation::Spline,
            "steps" => between = Interpolation::Steps,
            "held" => held = true,
            other => {
                return Err(Stop::Usage(format!(
                    "--input {name}: behind a table may stand `linear`, `spline`, `steps` and `held`, not \
                     `{other}`"
                )));
            }
        }
    }
    if file.is_empty() {
        return Err(Stop::Usage(format!(
            "--input {name}: `{text}` is neither a number nor a file"
        )));
    }
    let (path, column) = file_and_column(file);
    let signal = input::read(Path::new(path), column, name, between)
        .map_err(|cause| Stop::File(format!("--input {name}: {cause}")))?;
    Ok(if held { signal.held_beyond() } else { signal })
}

/// The file of `file.csv:column`, which may have a colon in its own name, and the column.
fn file_and_column(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((path, column)) if !Path::new(text).exists() => (path, Some(column)),
        _ => (text, None),
    }
}

/// The files that the inputs are read from.
pub(super) fn files(request: &Request) -> impl Iterator<Item = &Path> {
    let tables = request.input.iter().filter(|(_, text)| text.trim().parse::<f64>().is_err());
    tables.map(|(_, text)| {
        let file = text.split(',').next().unwrap_or_default().trim();
        Path::new(file_and_column(file).0)
    })
}
