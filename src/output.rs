//! Writing a run: CSV files, and files in general.

mod checkpoint;
mod csv;
mod destination;

pub use checkpoint::CheckpointFile;
pub use csv::CsvStream;
#[cfg(feature = "cli")]
pub(crate) use csv::headings;
#[cfg(feature = "cli")]
pub(crate) use destination::Destination;
pub(crate) use destination::Draft;

use crate::assembly::SlotKind;
use crate::solution::ColumnKind;
use crate::{CoordId, OutputError, OutputId, Solution, StateId};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What a [`Solution`] can be asked by typed names, and turned into.
///
/// Typed names ([`OutputId`], …) are constants of the mechanism that `mechanism!` wrote. Asked for
/// a name of another mechanism, a run has nothing: the list is empty. By plain names there is
/// [`Solution::series`].
pub trait SolutionExt {
    /// An output at all recorded points.
    fn output(&self, id: OutputId) -> Vec<f64>;

    /// A coordinate at all recorded points.
    fn coordinate(&self, id: CoordId) -> Vec<f64>;

    /// A coordinate's velocity at all recorded points.
    fn velocity(&self, id: CoordId) -> Vec<f64>;

    /// A state at all recorded points.
    fn state(&self, id: StateId) -> Vec<f64>;

    /// Writes every recorded quantity as CSV: a header of names with units (`t [s]`,
    /// `theta [rad]`, `der(theta) [rad/s]`, `lambda(close_x)`, …), then a line per recorded
    /// point, in numbers that read back exactly.
    ///
    /// # Errors
    /// [`OutputError::Write`] when the file cannot be written.
    fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError>;

    /// The same into any writer.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_csv_to(&self, out: &mut dyn Write) -> io::Result<()>;

    /// A plot of quantities over time, by their names in the CSV header (`theta`, `der(theta)`,
    /// `lambda(close_x)`, an output, `energy`); an array's name stands for all its entries. Names
    /// are looked up when the plot is made.
    ///
    /// ```no_run
    /// # use mbd::prelude::*;
    /// # fn example(sol: mbd::Solution) -> Result<(), Box<dyn std::error::Error>> {
    /// sol.plot(&["x", "guide_force"]).save_svg("crank.svg")?;
    /// sol.plot(&["y"]).against("x").save_svg("path.svg")?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "plot")]
    fn plot(&self, names: &[impl AsRef<str>]) -> crate::plot::Plot<'_>;
}

/// The column of a name among those of one kind: an output may share a coordinate's name.
fn column_of(run: &Solution, kind: ColumnKind, name: &str) -> Vec<f64> {
    let found = run.range(kind).find(|&i| run.columns()[i].name == name);
    found.map_or(Vec::new(), |i| run.column(i))
}

impl SolutionExt for Solution {
    fn output(&self, id: OutputId) -> Vec<f64> {
        column_of(self, ColumnKind::Output, id.name())
    }

    fn coordinate(&self, id: CoordId) -> Vec<f64> {
        column_of(self, ColumnKind::Slot(SlotKind::Q), id.name())
    }

    fn velocity(&self, id: CoordId) -> Vec<f64> {
        column_of(self, ColumnKind::Slot(SlotKind::V), &format!("der({id})"))
    }

    fn state(&self, id: StateId) -> Vec<f64> {
        column_of(self, ColumnKind::Slot(SlotKind::X), id.name())
    }

    fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_file(path.as_ref(), |out| self.write_csv_to(out))
    }

    fn write_csv_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = Vec::new();
        csv::header(self, &mut line);
        out.write_all(&line)?;
        for i in 0..self.len() {
            line.clear();
            csv::line(self.row(i), &mut line);
            out.write_all(&line)?;
        }
        Ok(())
    }

    #[cfg(feature = "plot")]
    fn plot(&self, names: &[impl AsRef<str>]) -> crate::plot::Plot<'_> {
        crate::plot::Plot::new(self, names)
    }
}

/// A field of a CSV file.
pub(crate) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

/// Writes a file through a buffer: what stood there stands until all of the new one is written.
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

/// A number in few digits for people: `0.25`, `1.234e-7`.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-4..1e7).contains(&value.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

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
        let line = format!("  {:width$} = {} {}", columns[i].name, short(row[i]), columns[i].unit);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if hidden > 0 {
        let _ = writeln!(out, "  and {hidden} more");
    }
    out
}
