//! Which format a table is written in, by the name of its file.

#[cfg(feature = "cli")]
use crate::OutputError;
use crate::Solution;
use crate::solution::ColumnKind;
use std::collections::HashSet;
#[cfg(feature = "cli")]
use std::path::Path;

/// A format of tables.
#[cfg(feature = "cli")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Lines of numbers: every other name.
    Csv,
    /// Columns.
    #[cfg(any(feature = "npz", feature = "parquet"))]
    Data(DataFormat),
}

/// A format of columns, which is written at the end.
#[cfg(any(feature = "npz", feature = "parquet"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFormat {
    /// NumPy's archive of arrays (`.npz`).
    #[cfg(feature = "npz")]
    Npz,
    /// Apache Parquet (`.parquet`).
    #[cfg(feature = "parquet")]
    Parquet,
}

#[cfg(feature = "cli")]
impl Format {
    /// By the extension of a path.
    ///
    /// # Errors
    /// [`OutputError::Write`] for a format that this build does not have.
    pub(crate) fn of(path: &Path) -> Result<Self, OutputError> {
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        match extension.as_deref().and_then(|extension| extension.to_str()) {
            #[cfg(feature = "npz")]
            Some("npz") => Ok(Format::Data(DataFormat::Npz)),
            #[cfg(not(feature = "npz"))]
            Some("npz") => Err(missing(path, "npz")),
            #[cfg(feature = "parquet")]
            Some("parquet") => Ok(Format::Data(DataFormat::Parquet)),
            #[cfg(not(feature = "parquet"))]
            Some("parquet") => Err(missing(path, "parquet")),
            _ => Ok(Format::Csv),
        }
    }
}

#[cfg(all(feature = "cli", not(all(feature = "npz", feature = "parquet"))))]
fn missing(path: &Path, feature: &str) -> OutputError {
    OutputError::Write {
        path: path.display().to_string(),
        reason: format!(
            "this program is built without the feature `{feature}` of mbd-dynamics; build it with the feature, or let the \
             name end in .csv"
        ),
    }
}

/// Names of the columns, each once, where a name is all that tells columns apart: an output that has the name of another
/// quantity is followed by `(output)`. So `x` is the coordinate and `energy` the energy, whatever outputs there are.
pub(crate) fn names(run: &Solution) -> Vec<String> {
    let mut names: Vec<String> = run.columns().iter().map(|column| column.name.clone()).collect();
    let mut taken = HashSet::with_capacity(names.len());
    let outputs = run.range(ColumnKind::Output);
    let others = (0..names.len()).filter(|k| !outputs.contains(k));
    for k in others.chain(outputs.clone()) {
        // The model's own names differ: what else is taken is a coordinate `energy`, of which there is one of the run too.
        let what = if outputs.contains(&k) { " (output)" } else { " (of the run)" };
        while !taken.insert(names[k].clone()) {
            names[k].push_str(what);
        }
    }
    names
}

/// The same with their units.
#[cfg(any(feature = "npz", feature = "parquet"))]
pub(super) fn names_and_units(run: &Solution) -> Vec<(String, String)> {
    names(run).into_iter().zip(run.columns().iter().map(|column| column.unit.clone())).collect()
}

/// A table of columns, whatever its rows are kept in.
#[cfg(any(feature = "npz", feature = "parquet"))]
pub(super) struct Columns<'a> {
    /// Names and units.
    pub(super) named: &'a [(String, String)],
    /// All rows, one after the other.
    pub(super) rows: &'a [f64],
}

#[cfg(any(feature = "npz", feature = "parquet"))]
impl Columns<'_> {
    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len() / self.named.len()
    }

    /// The values of column `k`.
    pub(super) fn column(&self, k: usize) -> impl Iterator<Item = f64> {
        self.rows.iter().skip(k).step_by(self.named.len()).copied()
    }
}
