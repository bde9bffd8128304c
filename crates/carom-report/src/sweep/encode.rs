//! Tables as CSV and Parquet, one after the other into one file.

use std::io::{self, Write};

use carom_study::sweep::{Sweep, Table, Values};

use super::options::TableFormat;
#[cfg(feature = "parquet")]
use super::parquet::Groups;
use crate::run::csv::{number, separate, word};

/// A file that tables are appended to.
pub(super) enum Encoder {
    #[cfg(feature = "parquet")]
    Parquet(Box<Groups>),
    Csv,
}

impl Encoder {
    /// Begins a file.
    pub(super) fn new(format: TableFormat, sweep: &Sweep, output: &mut dyn Write) -> io::Result<Self> {
        match format {
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => Ok(Self::Parquet(Box::new(Groups::new(sweep)?))),
            TableFormat::Csv => {
                for (i, header) in sweep.columns().iter().enumerate() {
                    separate(i, output)?;
                    word(&header.name, output)?;
                }
                output.write_all(b"\n")?;
                Ok(Self::Csv)
            }
        }
    }

    /// Appends the rows of a table.
    pub(super) fn write(&mut self, table: Table, output: &mut dyn Write) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(groups) => groups.write(table, output),
            Self::Csv => csv(&table, output),
        }
    }

    /// Ends the file.
    pub(super) fn finish(self, output: &mut dyn Write) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(groups) => groups.finish(output),
            Self::Csv => output.flush(),
        }
    }
}

/// Rows, one per line; a missing value is an empty field.
fn csv(table: &Table, output: &mut dyn Write) -> io::Result<()> {
    for row in 0..table.rows {
        for (i, column) in table.columns.iter().enumerate() {
            separate(i, output)?;
            match &column.values {
                Values::Integers(values) => write!(output, "{}", values[row])?,
                Values::Numbers(values) if values[row].is_nan() => {}
                Values::Numbers(values) => number(values[row], output)?,
                Values::Flags(values) => values[row].map_or(Ok(()), |flag| write!(output, "{flag}"))?,
                Values::Words(values) => values[row].as_deref().map_or(Ok(()), |text| word(text, output))?,
            }
        }
        output.write_all(b"\n")?;
    }
    Ok(())
}

/// The number of rows with an error.
pub(super) fn failed(table: &Table) -> u64 {
    match table.columns.last().map(|column| &column.values) {
        Some(Values::Words(errors)) => errors.iter().filter(|error| error.is_some()).count() as u64,
        _ => 0,
    }
}
