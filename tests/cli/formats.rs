//! Results as data: NumPy's archives and Parquet, read back by readers that share no code with their writers.

#[cfg(any(feature = "npz", feature = "parquet"))]
use super::read;
use super::{Folder, run};
use mbd::cli::Exit;

/// A column of the CSV of the same run: name, unit, values.
#[cfg(any(feature = "npz", feature = "parquet"))]
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
}

/// What the CSV of a run has, after both were written by the same command.
#[cfg(any(feature = "npz", feature = "parquet"))]
fn expected(folder: &Folder, other: &str) -> Vec<Column> {
    let csv = folder.file("run.csv");
    for out in [&csv, other] {
        let outcome = run(&format!("simulate --t-end 0.2 --every 0.01 --out {out}"));
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
    }
    let text = read(&csv);
    let mut lines = text.lines();
    let heading = |heading: &str| {
        let (name, unit) = heading.split_once(" [").unwrap_or((heading, "]"));
        let unit = unit.trim_end_matches(']').into();
        Column { name: name.into(), unit, values: Vec::new() }
    };
    let mut columns: Vec<Column> = lines.next().unwrap().split(',').map(heading).collect();
    for line in lines {
        for (column, value) in columns.iter_mut().zip(line.split(',')) {
            column.values.push(value.parse().unwrap());
        }
    }
    assert!(columns.len() > 10 && columns[0].values.len() == 21);
    columns
}

#[test]
fn formats_that_are_not_built_in_are_refused_by_the_name_of_their_feature() {
    let folder = Folder::new("formats-refused");
    for (feature, there) in [("npz", cfg!(feature = "npz")), ("parquet", cfg!(feature = "parquet"))]
    {
        let out = folder.file(&format!("run.{feature}"));
        let outcome = run(&format!("simulate --t-end 0.1 --out {out}"));
        let file = std::path::Path::new(&out).exists();
        if there {
            assert_eq!((outcome.exit, file), (Exit::Ok, true), "{}", outcome.err);
        } else {
            assert_eq!((outcome.exit, file), (Exit::Usage, false), "{}", outcome.err);
            let named = format!("the feature `{feature}` of mbd-dynamics");
            assert!(outcome.err.contains(&named), "{}", outcome.err);
        }
    }
}

#[test]
fn formats_of_comparisons_are_csv() {
    let folder = Folder::new("formats-compare");
    for name in ["work.npz", "work.parquet"] {
        let out = folder.file(name);
        let outcome = run(&format!("compare --t-end 0.1 --out {out}"));
        assert_eq!(outcome.exit, Exit::Usage, "{}", outcome.err);
        assert!(outcome.err.contains("written as CSV") && !std::path::Path::new(&out).exists());
    }
}

#[cfg(feature = "npz")]
mod npz {
    use super::*;
    use std::collections::HashMap;

    fn u16_at(bytes: &[u8], at: usize) -> usize {
        usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()))
    }

    fn u32_at(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    /// The entries of an archive, by its central directory; none is compressed.
    fn entries(archive: &[u8]) -> HashMap<String, &[u8]> {
        let end = archive.windows(4).rposition(|w| w == b"PK\x05\x06").unwrap();
        let (count, mut at) = (u16_at(archive, end + 10), u32_at(archive, end + 16));
        let mut entries = HashMap::new();
        for _ in 0..count {
            assert_eq!(&archive[at..at + 4], b"PK\x01\x02");
            assert_eq!(u16_at(archive, at + 10), 0, "stored");
            let (size, local) = (u32_at(archive, at + 24), u32_at(archive, at + 42));
            let name = u16_at(archive, at + 28);
            let text = std::str::from_utf8(&archive[at + 46..at + 46 + name]).unwrap();
            let data = local + 30 + u16_at(archive, local + 26) + u16_at(archive, local + 28);
            let there = entries.insert(text.to_string(), &archive[data..data + size]);
            assert!(there.is_none(), "{text} is there twice");
            at += 46 + name + u16_at(archive, at + 30) + u16_at(archive, at + 32);
        }
        entries
    }

    /// What a `.npy` says of its values, and their bytes.
    fn array(bytes: &[u8]) -> (&str, &[u8]) {
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let end = 10 + u16_at(bytes, 8);
        assert!(end.is_multiple_of(64) && bytes[end - 1] == b'\n');
        (std::str::from_utf8(&bytes[10..end]).unwrap().trim_end(), &bytes[end..])
    }

    fn texts(bytes: &[u8], count: usize) -> Vec<String> {
        let (header, data) = array(bytes);
        assert!(header.starts_with("{'descr': '<U"), "{header}");
        assert!(header.ends_with(&format!("'fortran_order': False, 'shape': ({count},), }}")));
        let each = data.chunks(data.len() / count).map(|text| {
            let characters = text.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap()));
            characters.take_while(|c| *c != 0).map(|c| char::from_u32(c).unwrap()).collect()
        });
        each.collect()
    }

    #[test]
    fn formats_npz_has_the_columns_of_the_csv_number_for_number() {
        let folder = Folder::new("formats-npz");
        let out = folder.file("run.npz");
        let columns = expected(&folder, &out);
        let archive = std::fs::read(&out).unwrap();
        let entries = entries(&archive);
        assert_eq!(entries.len(), columns.len() + 2);
        for Column { name, values, .. } in &columns {
            let (header, data) = array(entries[&format!("{name}.npy")]);
            let shape = format!("'fortran_order': False, 'shape': ({},), }}", values.len());
            assert_eq!(header, format!("{{'descr': '<f8', {shape}"));
            let read = data.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
            assert_eq!(&read.collect::<Vec<_>>(), values, "{name}");
        }
        let names: Vec<&String> = columns.iter().map(|c| &c.name).collect();
        assert_eq!(texts(entries["[columns].npy"], names.len()).iter().collect::<Vec<_>>(), names);
        let units: Vec<&String> = columns.iter().map(|c| &c.unit).collect();
        assert_eq!(texts(entries["[units].npy"], names.len()).iter().collect::<Vec<_>>(), units);
        // How it was computed stands beside it, as beside a CSV.
        let again = folder.file("again.npz");
        let outcome = run(&format!("simulate --like {out} --out {again}"));
        assert_eq!(outcome.exit, Exit::Ok, "{}", outcome.err);
        let again = std::fs::read(&again).unwrap();
        let (again, first) = (self::entries(&again), entries);
        assert!(again.iter().all(|(name, bytes)| first[name] == *bytes));
    }

    /// The rows so far are in the checkpoint, since nothing of the file is written yet.
    #[test]
    fn formats_npz_of_a_resumed_run_is_whole() {
        let folder = Folder::new("formats-resumed");
        let [out, whole, checkpoint] = ["run.npz", "whole.npz", "run.mbd"].map(|f| folder.file(f));
        let run_to = |out: &str, more: &str| {
            let checkpoint = format!("--checkpoint {checkpoint}");
            run(&format!("simulate --step 1e-3 --t-end 0.4 --out {out} {checkpoint} {more}"))
        };
        assert_eq!(run_to(&whole, "").exit, Exit::Ok);
        let stopped = run_to(&out, "--max-steps 150");
        assert_ne!(stopped.exit, Exit::Ok, "{}", stopped.err);
        let resumed = run_to(&out, &format!("--resume {checkpoint}"));
        assert_eq!(resumed.exit, Exit::Ok, "{}", resumed.err);
        let (out, whole) = (std::fs::read(&out).unwrap(), std::fs::read(&whole).unwrap());
        let (out, whole) = (entries(&out), entries(&whole));
        for (name, bytes) in &whole {
            assert!(out[name] == *bytes, "{name}: {} bytes, {}", out[name].len(), bytes.len());
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn formats_parquet_has_the_columns_of_the_csv_number_for_number() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let folder = Folder::new("formats-parquet");
    let out = folder.file("run.parquet");
    let columns = expected(&folder, &out);
    let reader = SerializedFileReader::new(std::fs::File::open(&out).unwrap()).unwrap();
    let metadata = reader.metadata().file_metadata();
    let names: Vec<&str> =
        metadata.schema_descr().columns().iter().map(|column| column.name()).collect();
    assert_eq!(names, columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>());
    let pairs = metadata.key_value_metadata().unwrap();
    for Column { name, unit, .. } in &columns {
        let found = pairs.iter().find(|pair| pair.key == format!("unit:{name}"));
        let found = found.and_then(|pair| pair.value.as_deref()).unwrap_or("");
        assert_eq!(found, unit, "{name}");
    }
    let mut count = 0;
    for (i, row) in reader.get_row_iter(None).unwrap().enumerate() {
        let row = row.unwrap();
        for (k, Column { name, values, .. }) in columns.iter().enumerate() {
            assert_eq!(row.get_double(k).unwrap(), values[i], "{name}");
        }
        count += 1;
    }
    assert_eq!(count, columns[0].values.len());
}
