//! The columns of Parquet files, a group of rows at a time.

use std::fs::File;
use std::path::Path;

use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use super::cells::{Cells, Planned, not_a_sweep, places};
use super::error::SweepFileError;
use super::parquet::PLAN;

fn reader(path: &Path) -> Result<SerializedFileReader<File>, SweepFileError> {
    let file = File::open(path).map_err(|error| SweepFileError::read(path, error))?;
    SerializedFileReader::new(file).map_err(|error| not_a_sweep(path, error.to_string()))
}

/// The plan in the file's metadata.
pub(super) fn read_plan(path: &Path) -> Result<Planned, SweepFileError> {
    let reader = reader(path)?;
    let metadata = reader.metadata().file_metadata().key_value_metadata();
    let plan = metadata.and_then(|metadata| metadata.iter().find(|entry| entry.key == PLAN));
    Ok(plan.and_then(|plan| plan.value.as_deref()).map(Planned::of).unwrap_or_default())
}

/// The names of the columns.
pub(super) fn read_names(path: &Path) -> Result<Vec<String>, SweepFileError> {
    let reader = reader(path)?;
    let columns = reader.metadata().file_metadata().schema_descr().columns();
    Ok(columns.iter().map(|column| column.path().parts().join(".")).collect())
}

/// Passes the rows of some columns on, group by group.
pub(super) fn read_rows(path: &Path, columns: &[&str], take: &mut dyn FnMut(&[Cells])) -> Result<(), SweepFileError> {
    let wrong = |error: ParquetError| not_a_sweep(path, error.to_string());
    let places = places(path, &read_names(path)?, columns)?;
    let reader = reader(path)?;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(wrong)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
        let column =
            |place: &usize| group.get_column_reader(*place).and_then(|reader| read_column(reader, rows)).map_err(wrong);
        let cells = places.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        take(&cells);
    }
    Ok(())
}

fn read_column(reader: ColumnReader, rows: usize) -> Result<Cells, ParquetError> {
    let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let numbers = |values: Vec<Option<f64>>| Cells::Numbers(values.into_iter().map(number).collect());
    Ok(match reader {
        ColumnReader::DoubleColumnReader(reader) => numbers(read_values(reader, rows, |x| *x)?),
        ColumnReader::FloatColumnReader(reader) => numbers(read_values(reader, rows, |x| f64::from(*x))?),
        ColumnReader::Int32ColumnReader(reader) => numbers(read_values(reader, rows, |x| f64::from(*x))?),
        ColumnReader::Int64ColumnReader(reader) => numbers(read_values(reader, rows, |x| *x as f64)?),
        ColumnReader::BoolColumnReader(reader) => Cells::Words(read_values(reader, rows, bool::to_string)?),
        ColumnReader::ByteArrayColumnReader(reader) => {
            let text = |bytes: &ByteArray| String::from_utf8_lossy(bytes.data()).into_owned();
            Cells::Words(read_values(reader, rows, text)?)
        }
        _ => return Err(ParquetError::General("a column has neither numbers nor text".to_owned())),
    })
}

fn read_values<T: DataType, V>(
    mut reader: ColumnReaderImpl<T>,
    rows: usize,
    value: impl Fn(&T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    while levels.len().max(values.len()) < rows {
        let (read, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
        if read == 0 {
            return Err(ParquetError::General(format!("the file ends before {rows} rows")));
        }
    }
    // A column without levels has a value in every row.
    if levels.is_empty() {
        return Ok(values.iter().map(|x| Some(value(x))).collect());
    }
    let mut values = values.iter();
    Ok(levels.iter().map(|level| if *level == 1 { values.next().map(&value) } else { None }).collect())
}
