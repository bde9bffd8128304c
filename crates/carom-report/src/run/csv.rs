//! Runs as CSV: a file of samples and a file of events.

use std::io::{self, Write};

use super::table::{self, Column, Values};
use carom_sim::Record;

/// The samples, one per line below a header line. The last column, `ending`, is empty except in the last line: a file
/// without it is truncated, and any other word than `complete` marks an incomplete run.
///
/// # Errors
/// Writing fails.
pub fn run_csv(record: &Record, output: &mut impl Write) -> io::Result<()> {
    let mut columns = table::run_columns(record);
    let count = record.samples.len();
    let ending = (1..=count).map(|row| (row == count).then(|| table::ending(record.summary.ending))).collect();
    columns.push(Column { name: "ending".to_owned(), values: Values::SomeWords(ending) });
    write(&columns, count, output)
}

/// The events, one per line below a header line.
///
/// # Errors
/// Writing fails.
pub fn run_events_csv(record: &Record, output: &mut impl Write) -> io::Result<()> {
    write(&table::run_event_columns(record), record.events.len(), output)
}

fn write(columns: &[Column<'_>], rows: usize, output: &mut impl Write) -> io::Result<()> {
    for (i, column) in columns.iter().enumerate() {
        separate(i, output)?;
        word(&column.name, output)?;
    }
    output.write_all(b"\n")?;
    for row in 0..rows {
        for (i, column) in columns.iter().enumerate() {
            separate(i, output)?;
            match &column.values {
                Values::Numbers(values) => number(values[row], output)?,
                Values::Words(values) => word(values[row], output)?,
                // `None` is an empty field.
                Values::SomeNumbers(values) => values[row].map_or(Ok(()), |x| number(x, output))?,
                Values::SomeWords(values) => values[row].map_or(Ok(()), |text| word(text, output))?,
            }
        }
        output.write_all(b"\n")?;
    }
    Ok(())
}

pub(crate) fn separate(column: usize, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
    if column == 0 { Ok(()) } else { output.write_all(b",") }
}

/// The shortest digits from which the same bits are read.
pub(crate) fn number(x: f64, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
    // Without an exponent a number near the largest would take three hundred digits.
    let is_plain = x == 0.0 || (1e-5..1e16).contains(&x.abs());
    if is_plain { write!(output, "{x}") } else { write!(output, "{x:e}") }
}

/// Text, quoted if it contains separators.
pub(crate) fn word(text: &str, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
    if text.contains([',', '"', '\n', '\r']) {
        write!(output, "\"{}\"", text.replace('"', "\"\""))
    } else {
        output.write_all(text.as_bytes())
    }
}
