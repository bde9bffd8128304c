//! The samples of a Parquet file, and the rest from its metadata.

use std::fs::File;
use std::path::Path;

use ::parquet::basic::Type as Physical;
use ::parquet::column::reader::ColumnReader;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::header::{StoredHeader, check_version, part};
use super::{StoredColumn, StoredError, StoredValues};

pub(super) fn read(path: &Path) -> Result<(StoredHeader, Vec<StoredColumn>), StoredError> {
    let file = carom_multibody::load::check_regular(path).and_then(|()| File::open(path));
    let file = file.map_err(|error| StoredError::File { path: path.to_owned(), error: error.to_string() })?;
    let wrong = |why: String| StoredError::NotARun { path: path.to_owned(), why };
    let reader = SerializedFileReader::new(file).map_err(|error| wrong(error.to_string()))?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let entry = |key: &str| {
        let found = metadata.and_then(|entries| entries.iter().find(|entry| entry.key == key));
        let value = found.and_then(|entry| entry.value.as_deref());
        value.ok_or_else(|| wrong(format!("it has no metadata {key:?}; the samples are in the file without .events")))
    };
    check_version(path, part(path, entry("carom.format_version")?)?)?;
    let header = StoredHeader {
        header: part(path, entry("carom.header")?)?,
        summary: part(path, entry("carom.summary")?)?,
        events: part(path, entry("carom.events")?)?,
    };
    let samples = columns(&reader).map_err(|error| wrong(error.to_string()))?;
    Ok((header, samples))
}

fn columns(reader: &SerializedFileReader<File>) -> Result<Vec<StoredColumn>, ParquetError> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut columns: Vec<StoredColumn> = (schema.columns().iter())
        .map(|column| StoredColumn {
            name: column.name().to_owned(),
            values: match column.physical_type() {
                Physical::DOUBLE => StoredValues::Numbers(Vec::new()),
                _ => StoredValues::Words(Vec::new()),
            },
        })
        .collect();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        for (place, column) in columns.iter_mut().enumerate() {
            match (group.get_column_reader(place)?, &mut column.values) {
                (ColumnReader::DoubleColumnReader(mut reader), StoredValues::Numbers(values)) => {
                    reader.read_records(rows, None, None, values)?;
                }
                (ColumnReader::ByteArrayColumnReader(mut reader), StoredValues::Words(words)) => {
                    let mut values = Vec::new();
                    reader.read_records(rows, None, None, &mut values)?;
                    for value in values {
                        words.push(value.as_utf8()?.to_owned());
                    }
                }
                _ => return Err(ParquetError::General(format!("column {:?} has another type", column.name))),
            }
        }
    }
    Ok(columns)
}
