//! A run as one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use super::table::{self, Columns};
use carom_sim::{Event, Header, Record, Summary};

#[derive(Serialize)]
struct RunRecord<'a> {
    header: &'a Header,
    summary: &'a Summary,
    samples: Columns<'a>,
    events: Vec<EventRecord<'a>>,
}

#[derive(Serialize)]
struct SummaryRecord<'a> {
    header: &'a Header,
    summary: &'a Summary,
    events: Vec<EventRecord<'a>>,
}

/// An event with its contact by name.
#[derive(Serialize)]
struct EventRecord<'a> {
    time: f64,
    kind: &'static str,
    contact: Option<&'a str>,
    impact: Option<&'static str>,
    mode: Option<&'static str>,
    impulse: &'a [f64],
    energy_change: f64,
    settled: Option<f64>,
}

impl<'a> EventRecord<'a> {
    fn new(event: &'a Event, header: &'a Header) -> Self {
        let contact = event.contact.and_then(|contact| header.contacts.get(contact));
        let dimension = contact.map_or(0, |contact| contact.dimension.min(event.impulse.len()));
        Self {
            time: event.time,
            kind: event.kind.name(),
            contact: contact.map(|contact| contact.name.as_str()),
            impact: event.impact.map(carom_law::Mode::name),
            mode: event.mode.map(carom_sim::ContactMode::name),
            impulse: &event.impulse[..dimension],
            energy_change: event.energy_change,
            settled: event.settled,
        }
    }
}

/// The whole run on one line: `header`, `summary`, `samples` as columns, `events`.
///
/// # Errors
/// Writing fails.
pub fn run_json(record: &Record, output: &mut impl Write) -> io::Result<()> {
    let Record { header, summary, .. } = record;
    let samples = Columns(table::samples(record));
    serde_json::to_writer(&mut *output, &RunRecord { header, summary, samples, events: events(record) })?;
    output.write_all(b"\n")
}

/// The run without its samples on one line: `header`, `summary`, `events`.
///
/// # Errors
/// Writing fails.
pub fn run_summary_json(record: &Record, output: &mut impl Write) -> io::Result<()> {
    let Record { header, summary, .. } = record;
    serde_json::to_writer(&mut *output, &SummaryRecord { header, summary, events: events(record) })?;
    output.write_all(b"\n")
}

fn events(record: &Record) -> Vec<EventRecord<'_>> {
    record.events.iter().map(|event| EventRecord::new(event, &record.header)).collect()
}

/// Only the events.
#[cfg(feature = "parquet")]
pub(super) fn events_json(record: &Record) -> serde_json::Result<String> {
    serde_json::to_string(&events(record))
}
