//! The table that a run writes, in any format.

use super::csv::CsvStream;
use super::destination::Draft;
use super::format::Format;
use crate::{OutputError, Solution};
use mbd_core::checkpoint::State;
use mbd_core::solution::RowSink;
use std::path::Path;

/// A table in the making.
pub(crate) enum TableStream<'a> {
    /// Written line by line while the run goes.
    Csv(CsvStream<'a>),
    /// Written at the end: column after column.
    #[cfg(any(feature = "npz", feature = "parquet"))]
    Data(DataFile),
}

/// A file of columns, whose rows are kept until the run ends.
#[cfg(any(feature = "npz", feature = "parquet"))]
pub(crate) struct DataFile {
    draft: Draft,
    format: super::format::DataFormat,
    named: Vec<(String, String)>,
    rows: Vec<f64>,
}

impl<'a> TableStream<'a> {
    /// Into a draft; `columns` are those of the run to come.
    pub(crate) fn new(draft: Draft, format: Format, columns: &Solution) -> Self {
        match format {
            Format::Csv => {
                // Their names come with the run.
                let _ = columns;
                TableStream::Csv(CsvStream::of_draft(draft))
            }
            #[cfg(any(feature = "npz", feature = "parquet"))]
            Format::Data(format) => {
                let named = super::format::names_and_units(columns);
                TableStream::Data(DataFile { draft, format, named, rows: Vec::new() })
            }
        }
    }

    /// The file that is written line by line until it is whole; `None` where nothing is.
    pub(crate) fn part(&self) -> Option<&Path> {
        match self {
            TableStream::Csv(table) => table.part(),
            #[cfg(any(feature = "npz", feature = "parquet"))]
            TableStream::Data(_) => None,
        }
    }

    /// Writes what is left, and puts the file in its place.
    ///
    /// # Errors
    /// [`OutputError::Write`].
    pub(crate) fn finish(self) -> Result<(), OutputError> {
        match self {
            TableStream::Csv(table) => table.finish(),
            #[cfg(any(feature = "npz", feature = "parquet"))]
            TableStream::Data(file) => file.finish(),
        }
    }
}

impl RowSink for TableStream<'_> {
    fn begin(&mut self, run: &Solution) -> Result<(), OutputError> {
        match self {
            TableStream::Csv(table) => table.begin(run),
            #[cfg(any(feature = "npz", feature = "parquet"))]
            TableStream::Data(_) => Ok(()),
        }
    }

    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        match self {
            TableStream::Csv(table) => table.row(row),
            #[cfg(any(feature = "npz", feature = "parquet"))]
            TableStream::Data(file) => {
                file.rows.extend_from_slice(row);
                Ok(())
            }
        }
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        match self {
            TableStream::Csv(table) => table.state(state),
            #[cfg(any(feature = "npz", feature = "parquet"))]
            TableStream::Data(file) => {
                state.part("the rows so far (--out)");
                state.list(&mut file.rows);
                Ok(())
            }
        }
    }
}

#[cfg(any(feature = "npz", feature = "parquet"))]
impl DataFile {
    fn finish(mut self) -> Result<(), OutputError> {
        let table = super::format::Columns { named: &self.named, rows: &self.rows };
        match super::data::write(self.format, &table, &mut self.draft) {
            Ok(()) => self.draft.finish(),
            Err(error) => Err(OutputError::write(self.draft.path().display().to_string(), &error)),
        }
    }
}
