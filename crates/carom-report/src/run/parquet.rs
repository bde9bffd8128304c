//! Runs as Parquet: a file of samples with everything else in its metadata, and a file of events.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{Type, TypePtr};

use super::json::{RunFile, events_json};
use super::table::{self, Column, Values};
use carom_scene::document::FORMAT_VERSION;
use carom_sim::Record;

/// Rows per group; a reader holds one group in memory.
const ROWS_A_GROUP: usize = 1 << 18;

impl RunFile<'_> {
    /// The samples, one per row. The file's metadata contain `carom.format_version`, `carom.header`, `carom.summary` and `carom.events` as JSON
    /// and `carom.ending`.
    ///
    /// # Errors
    /// Writing fails.
    pub fn parquet(&self, output: impl Write + Send) -> io::Result<()> {
        let record = self.record;
        let metadata = [
            format_version(),
            ("carom.ending", table::ending(record.summary.ending).to_owned()),
            ("carom.header", self.header()?),
            ("carom.summary", serde_json::to_string(&record.summary)?),
            ("carom.events", events_json(record)?),
        ];
        write(&table::run_columns(record), record.samples.len(), &metadata, output).map_err(io::Error::other)
    }
}

/// [`RunFile::parquet`] of a run without provenance.
///
/// # Errors
/// Writing fails.
pub fn run_parquet(record: &Record, output: impl Write + Send) -> io::Result<()> {
    RunFile::new(record).parquet(output)
}

/// The events, one per row.
///
/// # Errors
/// Writing fails.
pub fn run_events_parquet(record: &Record, output: impl Write + Send) -> io::Result<()> {
    let metadata = [format_version(), ("carom.ending", table::ending(record.summary.ending).to_owned())];
    write(&table::run_event_columns(record), record.events.len(), &metadata, output).map_err(io::Error::other)
}

fn format_version() -> (&'static str, String) {
    ("carom.format_version", FORMAT_VERSION.to_string())
}

type Result<T> = std::result::Result<T, ParquetError>;

fn write(columns: &[Column<'_>], rows: usize, metadata: &[(&str, String)], output: impl Write + Send) -> Result<()> {
    let metadata = metadata.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone())).collect();
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("carom ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(metadata))
        .build();
    let mut file = SerializedFileWriter::new(output, schema(columns)?, Arc::new(properties))?;
    let mut start = 0;
    while start < rows {
        let end = rows.min(start + ROWS_A_GROUP);
        let mut group = file.next_row_group()?;
        for column in columns {
            write_column(&mut group, &column.values, start, end)?;
        }
        group.close()?;
        start = end;
    }
    file.close()?;
    Ok(())
}

fn schema(columns: &[Column<'_>]) -> Result<TypePtr> {
    let fields = columns.iter().map(|column| {
        let (physical, logical, repetition) = match column.values {
            Values::Numbers(_) => (Physical::DOUBLE, None, Repetition::REQUIRED),
            Values::SomeNumbers(_) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
            Values::Words(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
            Values::SomeWords(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::OPTIONAL),
        };
        let field = Type::primitive_type_builder(&column.name, physical);
        field.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("run").with_fields(fields).build().map(Arc::new)
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &Values<'_>,
    start: usize,
    end: usize,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than in the schema".to_owned()));
    };
    // A definition level says whether a row has a value.
    fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
        values.iter().map(|value| i16::from(value.is_some())).collect()
    }
    let bytes = |text: &str| ByteArray::from(text);
    match values {
        Values::Numbers(values) => column.typed::<DoubleType>().write_batch(&values[start..end], None, None)?,
        Values::Words(values) => {
            let words: Vec<ByteArray> = values[start..end].iter().map(|text| bytes(text)).collect();
            column.typed::<ByteArrayType>().write_batch(&words, None, None)?
        }
        Values::SomeNumbers(values) => {
            let rows = &values[start..end];
            let numbers: Vec<f64> = rows.iter().flatten().copied().collect();
            column.typed::<DoubleType>().write_batch(&numbers, Some(&levels(rows)), None)?
        }
        Values::SomeWords(values) => {
            let rows = &values[start..end];
            let words: Vec<ByteArray> = rows.iter().flatten().map(|text| bytes(text)).collect();
            column.typed::<ByteArrayType>().write_batch(&words, Some(&levels(rows)), None)?
        }
    };
    column.close()
}
