//! Tables as NumPy's archives: a file `NAME.npy` per column, uncompressed.

use super::format::Columns;
use std::io::{self, Cursor, Write};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Arrays beside those of the columns; no quantity's name begins with a bracket.
const NAMES: &str = "[columns]";
const UNITS: &str = "[units]";

/// From so many bytes on an entry is written with lengths of 64 bits.
const LARGE: usize = 1 << 31;

/// Writes an archive.
pub(super) fn write(table: &Columns<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let mut entry = |name: &str, array: Vec<u8>| -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(array.len() > LARGE);
        archive.start_file(format!("{name}.npy"), options).map_err(failed)?;
        archive.write_all(&array)
    };
    for (k, (name, _)) in table.named.iter().enumerate() {
        entry(name, numbers(table.column(k), table.len()))?;
    }
    let texts = |pick: fn(&(String, String)) -> &String| -> Vec<u8> {
        text(&table.named.iter().map(|named| &**pick(named)).collect::<Vec<_>>())
    };
    entry(NAMES, texts(|(name, _)| name))?;
    entry(UNITS, texts(|(_, unit)| unit))?;
    out.write_all(archive.finish().map_err(failed)?.get_ref())
}

fn failed(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// An array of doubles in NumPy's format, version 1.0.
fn numbers(values: impl Iterator<Item = f64>, len: usize) -> Vec<u8> {
    let mut array = header("<f8", len);
    values.for_each(|value| array.extend(value.to_le_bytes()));
    array
}

/// An array of texts, as many characters of four bytes each as the longest has.
fn text(texts: &[&str]) -> Vec<u8> {
    let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut array = header(&format!("<U{width}"), texts.len());
    for text in texts {
        let padded = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
        padded.for_each(|c| array.extend(c.to_le_bytes()));
    }
    array
}

/// What precedes the values, as long as a multiple of 64 bytes.
fn header(kind: &str, len: usize) -> Vec<u8> {
    const ALIGNED: usize = 64;
    // Magic, version and length before the dictionary, the end of the line after it.
    const AROUND: usize = 11;
    let dictionary = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({len},), }}");
    let whole = (dictionary.len() + AROUND).next_multiple_of(ALIGNED);
    let padded = whole - AROUND;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend(((padded + 1) as u16).to_le_bytes());
    header.extend(format!("{dictionary:padded$}\n").bytes());
    header
}
