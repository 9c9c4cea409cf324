//! Writing a run: CSV files, and files in general.

use crate::{OutputError, Solution};
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What a [`Solution`] can be turned into.
pub trait SolutionExt {
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

impl SolutionExt for Solution {
    fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_file(path.as_ref(), |out| self.write_csv_to(out))
    }

    fn write_csv_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = String::new();
        for column in self.columns() {
            let heading = match &*column.unit {
                "" => column.name.clone(),
                unit => format!("{} [{unit}]", column.name),
            };
            separate(&mut line);
            line.push_str(&quoted(&heading));
        }
        writeln!(out, "{line}")?;
        for i in 0..self.len() {
            line.clear();
            for value in self.row(i) {
                separate(&mut line);
                use std::fmt::Write as _;
                // Debug is the shortest text that reads back as the same number.
                let _ = write!(line, "{value:?}");
            }
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    #[cfg(feature = "plot")]
    fn plot(&self, names: &[impl AsRef<str>]) -> crate::plot::Plot<'_> {
        crate::plot::Plot::new(self, names)
    }
}

fn separate(line: &mut String) {
    if !line.is_empty() {
        line.push(',');
    }
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> OutputError {
    OutputError::Write { path: path.display().to_string(), reason: error.to_string() }
}

/// Writes a file through a buffer.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputError> {
    let run = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        out.flush()
    };
    run().map_err(|error| cannot_write(path, &error))
}

/// Whether a file can be written, without changing it: asked before a long run.
#[cfg(feature = "cli")]
pub(crate) fn check_writable(path: &Path) -> Result<(), OutputError> {
    let existed = path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(|error| cannot_write(path, &error))?;
    if !existed {
        // A run that fails at once should leave nothing behind.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}
