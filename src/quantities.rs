//! What a run can be asked by typed names, and turned into.

#[cfg(any(feature = "csv", feature = "npz", feature = "parquet"))]
use crate::OutputError;
use crate::assembly::SlotKind;
#[cfg(any(feature = "npz", feature = "parquet"))]
use crate::output::{DataFormat, write_data};
#[cfg(feature = "csv")]
use crate::output::{csv_line, headings, write_file};
use crate::solution::ColumnKind;
use crate::{CoordId, OutputId, Solution, StateId};
#[cfg(feature = "csv")]
use std::io::{self, Write};
#[cfg(any(feature = "csv", feature = "npz", feature = "parquet"))]
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
    #[cfg(feature = "csv")]
    fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError>;

    /// The same quantities as NumPy's archive, uncompressed: an array of doubles per quantity by its name in the CSV,
    /// and, as arrays of texts, `[columns]` and `[units]`. An output that has the name of a coordinate is followed by
    /// `(output)`.
    ///
    /// # Errors
    /// [`OutputError::Write`] when the file cannot be written.
    #[cfg(feature = "npz")]
    fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), OutputError>;

    /// The same quantities as Apache Parquet, uncompressed: a column of doubles per quantity by its name in the CSV, its
    /// unit in the metadata of the file under `unit:NAME`.
    ///
    /// # Errors
    /// [`OutputError::Write`] when the file cannot be written.
    #[cfg(feature = "parquet")]
    fn write_parquet(&self, path: impl AsRef<Path>) -> Result<(), OutputError>;

    /// The CSV into any writer.
    ///
    /// # Errors
    /// Those of the writer.
    #[cfg(feature = "csv")]
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

    #[cfg(feature = "csv")]
    fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_file(path.as_ref(), |out| self.write_csv_to(out))
    }

    #[cfg(feature = "npz")]
    fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_data(self, path.as_ref(), DataFormat::Npz)
    }

    #[cfg(feature = "parquet")]
    fn write_parquet(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_data(self, path.as_ref(), DataFormat::Parquet)
    }

    #[cfg(feature = "csv")]
    fn write_csv_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(headings(self))?;
        for i in 0..self.len() {
            csv_line(self.row(i), &mut out)?;
        }
        out.flush()
    }

    #[cfg(feature = "plot")]
    fn plot(&self, names: &[impl AsRef<str>]) -> crate::plot::Plot<'_> {
        crate::plot::Plot::new(self, names)
    }
}
