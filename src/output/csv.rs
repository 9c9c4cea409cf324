//! Rows as CSV, as they come.

use super::destination::{Destination, Draft};
use crate::{OutputError, Solution};
use csv::Writer;
use mbd_core::checkpoint::{HASH, State, hash_on};
use mbd_core::solution::RowSink;
use std::io::{self, Write};
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows wait this long at most for the one after them to be written too.
const FLUSH: Duration = Duration::from_millis(10);
/// And not until there is more than this [bytes].
const MOST: usize = 1 << 16;

/// A CSV file that a run writes while it goes: what [`SolutionExt::write_csv`](crate::SolutionExt)
/// writes afterwards, with no row kept in memory.
///
/// ```no_run
/// # use mbd::prelude::*;
/// # fn example(mechanism: impl Mechanism) -> Result<(), Box<dyn std::error::Error>> {
/// let mut rows = mbd::CsvStream::create("run.csv")?;
/// let ends = Simulation::new(&mechanism).until(1e4).stream(&mut rows).run()?;
/// rows.finish()?;
/// # Ok(())
/// # }
/// ```
///
/// A file is written beside its place, as `run.csv.part`, and put there by
/// [`finish`](Self::finish): what stood there stands until then. A run that is killed leaves the
/// part, with every row but those of the last moment (rows wait at most 10 ms for the next one).
pub struct CsvStream<'a> {
    out: Out<'a>,
    /// Whole lines that wait.
    lines: Writer<Vec<u8>>,
    flushed: Instant,
    /// Number and hash of the bytes written.
    first: (u64, u64),
    /// Whether rows have got lost: then nothing is put in its place.
    failed: bool,
}

enum Out<'a> {
    Writer(&'a mut dyn Write),
    Draft(Draft),
}

impl<'a> CsvStream<'a> {
    /// Into a file, or whatever a path leads to: a pipe with a name, a device.
    ///
    /// # Errors
    /// [`OutputError::Write`] when nothing can be written there.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, OutputError> {
        Draft::open(&Destination::of(path.as_ref())?).map(Self::of_draft)
    }

    /// Into any writer.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self::of(Out::Writer(out))
    }

    pub(crate) fn of_draft(draft: Draft) -> Self {
        Self::of(Out::Draft(draft))
    }

    fn of(out: Out<'a>) -> Self {
        CsvStream {
            out,
            lines: Writer::from_writer(Vec::new()),
            flushed: Instant::now(),
            first: (0, HASH),
            failed: false,
        }
    }

    /// The file that is written until [`finish`](Self::finish) puts it in its place; `None` where
    /// nothing is written beside.
    pub fn part(&self) -> Option<&Path> {
        match &self.out {
            Out::Draft(draft) => draft.part(),
            Out::Writer(_) => None,
        }
    }

    /// Writes what is left, and puts the file in its place.
    ///
    /// # Errors
    /// [`OutputError::Write`], also when it was given for a row already; the part is there then,
    /// with what could be written, and its place is as it was.
    pub fn finish(mut self) -> Result<(), OutputError> {
        if !self.failed {
            self.flush()?;
        }
        match self.out {
            Out::Draft(draft) if self.failed => Err(draft.abandon()),
            Out::Draft(draft) => draft.finish(),
            Out::Writer(_) if self.failed => Err(missing()),
            Out::Writer(_) => Ok(()),
        }
    }

    fn error(&self, error: &io::Error) -> OutputError {
        let path = match &self.out {
            Out::Draft(draft) => draft.part().unwrap_or(draft.path()).display().to_string(),
            Out::Writer(_) => "standard output".into(),
        };
        OutputError::write(path, error)
    }

    fn flush(&mut self) -> Result<(), OutputError> {
        self.flushed = Instant::now();
        let lines = mem::replace(&mut self.lines, Writer::from_writer(Vec::new()));
        let lines = lines.into_inner().map_err(|error| error.into_error());
        let result = lines.and_then(|lines| {
            let (len, hash) = self.first;
            self.first = (len + lines.len() as u64, hash_on(hash, &lines));
            match &mut self.out {
                Out::Draft(draft) => draft.write_all(&lines).and_then(|()| draft.flush()),
                Out::Writer(out) => out.write_all(&lines).and_then(|()| out.flush()),
            }
        });
        self.told(result)
    }

    /// After an error nothing is put in its place.
    fn told(&mut self, result: io::Result<()>) -> Result<(), OutputError> {
        result.map_err(|error| {
            self.failed = true;
            self.error(&error)
        })
    }
}

impl RowSink for CsvStream<'_> {
    fn begin(&mut self, run: &Solution) -> Result<(), OutputError> {
        let written = self.lines.write_record(headings(run));
        self.told(written.map_err(io::Error::from))?;
        self.flush()
    }

    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        if self.failed {
            // The last point of a run that ends because of the row before.
            return Ok(());
        }
        let written = line(row, &mut self.lines).and_then(|()| Ok(self.lines.flush()?));
        self.told(written.map_err(io::Error::from))?;
        if self.lines.get_ref().len() > MOST || self.flushed.elapsed() > FLUSH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// What has been written: a resumed run takes it over and goes on after it. Rows in a writer of
    /// one's own stay as they are.
    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        if !state.restores() {
            self.flush()?;
            if let Out::Draft(draft) = &self.out {
                draft.sync().map_err(|error| self.error(&error))?;
            }
        }
        let mut part = self.part().map_or(String::new(), |part| part.display().to_string());
        let (mut len, mut hash) = (self.first.0 as usize, self.first.1 as usize);
        state.part("the rows written");
        state.text(&mut part);
        state.count(&mut len);
        state.count(&mut hash);
        if state.restores() && state.is_right() {
            self.first = (len as u64, hash as u64);
            if let Out::Draft(draft) = &mut self.out {
                draft.adopt(Path::new(&part), self.first)?;
            }
        }
        Ok(())
    }
}

/// What is said of rows after one that could not be written.
fn missing() -> OutputError {
    let reason = "rows are missing from it".into();
    OutputError::Write { path: "standard output".into(), reason }
}

/// Names with units, and what marks shares of a load that the equations do not determine.
pub(crate) fn headings(run: &Solution) -> impl Iterator<Item = String> {
    run.columns().iter().enumerate().map(|(index, column)| {
        let heading = match &*column.unit {
            "" => column.name.clone(),
            unit => format!("{} [{unit}]", column.name),
        };
        match run.mark(index) {
            Some(mark) => format!("{heading} ({mark})"),
            None => heading,
        }
    })
}

/// A field of a number: the shortest text that reads back as the same.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// A line of numbers, each the shortest text that reads back as the same.
pub(crate) fn line(row: &[f64], out: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    out.serialize(row)
}
