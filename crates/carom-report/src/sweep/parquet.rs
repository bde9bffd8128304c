//! Tables as row groups of a Parquet file.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnPath, Type, TypePtr};
use bytes::Bytes;
use carom_scene::document::FORMAT_VERSION;
use carom_study::sweep::{ColumnHeader, Sweep, Table, ValueKind, Values};

use super::options::ROWS_A_GROUP;

/// The key of the file's metadata with the document that identifies the rows.
pub(super) const PLAN: &str = "carom.plan";

/// A Parquet file under construction. Its bytes go to the output at once.
pub(super) struct Groups {
    writer: SerializedFileWriter<Pipe>,
    pipe: Pipe,
    headers: Vec<ColumnHeader>,
    /// Pending rows, fewer than a group.
    pending: Option<Table>,
}

/// A buffer between the encoder, which needs an output that is `Send`, and the output, which need not be.
#[derive(Clone, Default)]
struct Pipe(Arc<Mutex<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pipe {
    fn drain_into(&self, output: &mut dyn Write) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.write_all(&bytes)?;
        bytes.clear();
        Ok(())
    }
}

impl Groups {
    pub(super) fn new(sweep: &Sweep) -> io::Result<Self> {
        let metadata = [
            ("carom.format_version", FORMAT_VERSION.to_string()),
            (PLAN, sweep.document().to_owned()),
            ("carom.plan_sha256", sweep.digest().to_owned()),
            ("carom.instruction_set", carom_sim::instruction_set()),
        ];
        let metadata = metadata.into_iter().map(|(key, value)| KeyValue::new(key.to_owned(), value)).collect();
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(concat!("carom ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(metadata));
        // Dictionaries of numbers that hardly repeat cost more time than everything else in writing.
        for header in sweep.columns().iter().filter(|header| header.kind != ValueKind::Word) {
            properties = properties.set_column_dictionary_enabled(ColumnPath::new(vec![header.name.clone()]), false);
        }
        let pipe = Pipe::default();
        let schema = schema(sweep.columns()).map_err(io::Error::other)?;
        let writer = SerializedFileWriter::new(pipe.clone(), schema, Arc::new(properties.build()));
        Ok(Self { writer: writer.map_err(io::Error::other)?, pipe, headers: sweep.columns().to_vec(), pending: None })
    }

    pub(super) fn write(&mut self, table: Table, output: &mut dyn Write) -> io::Result<()> {
        let group = ROWS_A_GROUP as usize;
        match &mut self.pending {
            Some(pending) if pending.rows + table.rows <= group => pending.append(table),
            _ => {
                self.flush(output)?;
                self.pending = Some(table);
            }
        }
        if self.pending.as_ref().is_some_and(|pending| pending.rows >= group) {
            self.flush(output)?;
        }
        Ok(())
    }

    /// Writes the rows that are pending.
    fn flush(&mut self, output: &mut dyn Write) -> io::Result<()> {
        let Some(table) = self.pending.take() else { return Ok(()) };
        let group = ROWS_A_GROUP as usize;
        for start in (0..table.rows).step_by(group) {
            self.write_group(&table, start, table.rows.min(start + group)).map_err(io::Error::other)?;
            self.pipe.drain_into(output)?;
        }
        Ok(())
    }

    fn write_group(&mut self, table: &Table, start: usize, end: usize) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for (header, column) in self.headers.iter().zip(&table.columns) {
            let Some(mut writer) = group.next_column()? else {
                return Err(ParquetError::General("more columns than in the schema".to_owned()));
            };
            write_column(&mut writer, header, &column.values, start, end)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }

    pub(super) fn finish(mut self, output: &mut dyn Write) -> io::Result<()> {
        self.flush(output)?;
        self.writer.close().map_err(io::Error::other)?;
        self.pipe.drain_into(output)
    }
}

fn schema(headers: &[ColumnHeader]) -> Result<TypePtr, ParquetError> {
    let fields = headers.iter().map(|header| {
        let (physical, logical) = match header.kind {
            ValueKind::Integer => (Physical::INT64, None),
            ValueKind::Number => (Physical::DOUBLE, None),
            ValueKind::Flag => (Physical::BOOLEAN, None),
            ValueKind::Word => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if header.is_complete { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let field = Type::primitive_type_builder(&header.name, physical);
        field.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
    });
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("sweep").with_fields(fields).build().map(Arc::new)
}

fn write_column(
    writer: &mut SerializedColumnWriter<'_>,
    header: &ColumnHeader,
    values: &Values,
    start: usize,
    end: usize,
) -> Result<(), ParquetError> {
    // A definition level says whether a row has a value; a column in which every row has one has no levels.
    let is_complete = header.is_complete;
    match values {
        Values::Integers(values) => writer.typed::<Int64Type>().write_batch(&values[start..end], None, None)?,
        Values::Numbers(values) if is_complete => {
            writer.typed::<DoubleType>().write_batch(&values[start..end], None, None)?
        }
        Values::Numbers(values) => {
            let rows = &values[start..end];
            let levels: Vec<i16> = rows.iter().map(|number| i16::from(!number.is_nan())).collect();
            if levels.iter().all(|level| *level == 1) {
                writer.typed::<DoubleType>().write_batch(rows, Some(&levels), None)?
            } else {
                let present: Vec<f64> = rows.iter().copied().filter(|number| !number.is_nan()).collect();
                writer.typed::<DoubleType>().write_batch(&present, Some(&levels), None)?
            }
        }
        Values::Flags(values) => {
            let rows = &values[start..end];
            let levels: Vec<i16> = rows.iter().map(|flag| i16::from(flag.is_some())).collect();
            let present: Vec<bool> = rows.iter().flatten().copied().collect();
            writer.typed::<BoolType>().write_batch(&present, (!is_complete).then_some(&levels[..]), None)?
        }
        Values::Words(values) => {
            let rows = &values[start..end];
            let levels: Vec<i16> = rows.iter().map(|word| i16::from(word.is_some())).collect();
            let present: Vec<ByteArray> = rows.iter().flatten().map(byte_array).collect();
            writer.typed::<ByteArrayType>().write_batch(&present, (!is_complete).then_some(&levels[..]), None)?
        }
    };
    Ok(())
}

/// Text, without a copy if it is a constant.
#[allow(clippy::ptr_arg, reason = "a borrowed word is not copied")]
fn byte_array(word: &std::borrow::Cow<'static, str>) -> ByteArray {
    match word {
        std::borrow::Cow::Borrowed(word) => ByteArray::from(Bytes::from_static(word.as_bytes())),
        std::borrow::Cow::Owned(word) => ByteArray::from(word.as_str()),
    }
}
