//! Tables as Apache Parquet: a column of doubles each, uncompressed, units in the metadata of the file.

use super::format::Columns;
use parquet::basic::{Compression, Repetition, Type as Physical};
use parquet::data_type::DoubleType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows in a group: what a reader takes at once.
const GROUP: usize = 1 << 20;

/// Writes a file.
pub(super) fn write(table: &Columns<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    write_to(table, &mut bytes).map_err(io::Error::other)?;
    out.write_all(&bytes)
}

fn write_to(table: &Columns<'_>, bytes: &mut Vec<u8>) -> Result<(), ParquetError> {
    let fields = table.named.iter().map(|(name, _)| {
        let field = Type::primitive_type_builder(name, Physical::DOUBLE);
        field.with_repetition(Repetition::REQUIRED).build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    let schema = Type::group_type_builder("run").with_fields(fields).build()?;
    let units = table.named.iter().filter(|(_, unit)| !unit.is_empty());
    let units = units.map(|(name, unit)| KeyValue::new(format!("unit:{name}"), unit.clone()));
    let properties = WriterProperties::builder()
        .set_compression(Compression::UNCOMPRESSED)
        // Doubles of a motion hardly repeat.
        .set_dictionary_enabled(false)
        .set_key_value_metadata(Some(units.collect()))
        .build();
    let mut file = SerializedFileWriter::new(bytes, Arc::new(schema), Arc::new(properties))?;
    for first in (0..table.len()).step_by(GROUP) {
        let mut group = file.next_row_group()?;
        for k in 0..table.named.len() {
            let values: Vec<f64> = table.column(k).skip(first).take(GROUP).collect();
            let Some(mut column) = group.next_column()? else { break };
            column.typed::<DoubleType>().write_batch(&values, None, None)?;
            column.close()?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}
