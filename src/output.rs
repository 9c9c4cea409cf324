//! Writing a run: CSV files, and files in general.

mod checkpoint;
#[cfg(feature = "csv")]
mod csv;
#[cfg(any(feature = "npz", feature = "parquet"))]
mod data;
// Pictures and checkpoints alone need less of it.
#[cfg_attr(not(feature = "csv"), allow(dead_code))]
mod destination;
#[cfg(any(feature = "cli", feature = "npz", feature = "parquet"))]
mod format;
#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "cli")]
mod table;

#[cfg(feature = "csv")]
pub use self::csv::CsvStream;
#[cfg(feature = "csv")]
pub(crate) use self::csv::{headings, line as csv_line, number as csv_number};
pub use checkpoint::CheckpointFile;
#[cfg(feature = "cli")]
pub(crate) use destination::Destination;
pub(crate) use destination::Draft;
#[cfg(any(feature = "npz", feature = "parquet"))]
pub(crate) use format::DataFormat;
#[cfg(feature = "cli")]
pub(crate) use format::{Format, names};
#[cfg(feature = "cli")]
pub(crate) use table::TableStream;

use crate::assembly::SlotKind;
use crate::solution::ColumnKind;
use crate::{OutputError, Solution};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file through a buffer: what stood there stands until all of the new one is written.
#[cfg_attr(not(any(feature = "csv", feature = "plot")), allow(dead_code))]
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let draft = Draft::open(&destination::Destination::of(path)?)?;
    let part = draft.part().map(Path::to_path_buf);
    let mut out = BufWriter::new(draft);
    let result = write(&mut out).and_then(|()| out.flush());
    // Taken out without another attempt to write what is in the buffer.
    let (draft, _) = out.into_parts();
    match result {
        Ok(()) => draft.finish(),
        Err(error) => {
            drop(draft);
            if let Some(part) = part {
                // Half of a small file is of no use.
                let _ = std::fs::remove_file(part);
            }
            Err(OutputError::write(path.display().to_string(), &error))
        }
    }
}

/// The recorded rows of a run as a file of columns.
#[cfg(any(feature = "npz", feature = "parquet"))]
pub(crate) fn write_data(
    run: &Solution,
    path: &Path,
    format: DataFormat,
) -> Result<(), OutputError> {
    let named = format::names_and_units(run);
    let rows: Vec<f64> = (0..run.len()).flat_map(|i| run.row(i).iter().copied()).collect();
    let table = format::Columns { named: &named, rows: &rows };
    write_file(path, |out| data::write(format, &table, out))
}

pub(crate) use mbd_core::digits::short;

/// The last recorded point for people: `name = value unit`, a line each; of each kind all while
/// they are few, else the first.
pub(crate) fn state_text(solution: &Solution) -> String {
    use std::fmt::Write as _;
    const FEW: usize = 12;
    const OF_MANY: usize = 3;
    let kinds = [
        ColumnKind::Slot(SlotKind::Q),
        ColumnKind::Slot(SlotKind::V),
        ColumnKind::Slot(SlotKind::X),
        ColumnKind::Slot(SlotKind::W),
        ColumnKind::Slot(SlotKind::Lambda),
        ColumnKind::Slot(SlotKind::Psi),
        ColumnKind::Mode,
        ColumnKind::Output,
    ];
    let mut out = String::new();
    if solution.is_empty() {
        return out;
    }
    let row = solution.row(solution.len() - 1);
    let columns = solution.columns();
    let ranges = kinds.map(|kind| {
        let of_use = solution.range(kind).filter(|&i| !columns[i].housekeeping);
        (kind, of_use.collect::<Vec<usize>>())
    });
    let all: usize = ranges.iter().map(|(_, r)| r.len()).sum();
    let few = |(kind, mut r): (ColumnKind, Vec<usize>)| {
        // What the model asks for is shown.
        let few = if kind == ColumnKind::Output { 4 * FEW } else { FEW };
        r.truncate(if r.len() > few { OF_MANY } else { few });
        r
    };
    let shown: Vec<usize> = ranges.into_iter().flat_map(few).collect();
    let hidden = all - shown.len();
    let width = shown.iter().map(|&i| columns[i].name.chars().count()).max().unwrap_or(0);
    for i in shown {
        let mut line =
            format!("  {:width$} = {} {}", columns[i].name, short(row[i]), columns[i].unit);
        if let Some(mark) = solution.mark_at_end(i) {
            line = format!("{} ({mark})", line.trim_end());
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if hidden > 0 {
        let _ = writeln!(out, "  and {hidden} more");
    }
    out
}
