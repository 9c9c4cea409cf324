//! A table of columns, in whichever format it is asked for.

use super::format::{Columns, DataFormat};
use std::io::{self, Write};

/// Writes a table of columns.
pub(super) fn write(
    format: DataFormat,
    table: &Columns<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        #[cfg(feature = "npz")]
        DataFormat::Npz => super::npz::write(table, out),
        #[cfg(feature = "parquet")]
        DataFormat::Parquet => super::parquet::write(table, out),
    }
}
