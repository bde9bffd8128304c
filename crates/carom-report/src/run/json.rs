//! A run as one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use super::table::{self, Columns};
use carom_scene::document::FORMAT_VERSION;
use carom_scene::provenance::Provenance;
use carom_sim::{Event, Header, Record, Summary};

/// A run for files, with its provenance if that is known.
#[derive(Debug, Clone, Copy)]
pub struct RunFile<'a> {
    /// The run.
    pub record: &'a Record,
    /// Its provenance.
    pub provenance: Option<&'a Provenance>,
}

/// A run without its samples, and of a file beside tables without its events.
#[derive(Serialize)]
struct RunRecord<'a> {
    format_version: u32,
    header: HeaderRecord<'a>,
    summary: &'a Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<Columns<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<EventRecord<'a>>>,
}

/// A header with the provenance of the run.
#[derive(Serialize)]
struct HeaderRecord<'a> {
    #[serde(flatten)]
    header: &'a Header,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<&'a Provenance>,
}

/// An event with its contact by name.
#[derive(Serialize)]
struct EventRecord<'a> {
    time: f64,
    kind: &'static str,
    contact: Option<&'a str>,
    impact: Option<&'static str>,
    mode: Option<&'static str>,
    impulse: Vec<f64>,
    energy_change: f64,
    settled: Option<f64>,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    closed_loop: Option<&'a str>,
}

impl<'a> EventRecord<'a> {
    fn new(event: &Event, record: &'a Record) -> Self {
        let header = &record.header;
        let contact = event.contact().and_then(|contact| header.contacts.get(contact));
        let dimension = contact.map_or(0, |contact| contact.dimension.min(event.impulse().len()));
        Self {
            time: event.time(),
            kind: event.kind().name(),
            contact: contact.map(|contact| contact.name.as_str()),
            impact: event.impact().map(carom_law::Mode::name),
            mode: event.mode().map(carom_sim::ContactMode::name),
            impulse: event.impulse()[..dimension].to_vec(),
            energy_change: event.energy_change(),
            settled: event.settled(),
            closed_loop: event.closed_loop().and_then(|index| Some(record.model.loops().get(index)?.name.as_str())),
        }
    }
}

impl<'a> RunFile<'a> {
    /// A run without provenance.
    pub fn new(record: &'a Record) -> Self {
        Self { record, provenance: None }
    }

    fn record(&self) -> RunRecord<'a> {
        let Record { header, summary, .. } = self.record;
        let header = HeaderRecord { header, provenance: self.provenance };
        RunRecord { format_version: FORMAT_VERSION, header, summary, samples: None, events: None }
    }

    /// The whole run on one line: `format_version`, `header`, `summary`, `samples` as columns, `events`.
    ///
    /// # Errors
    /// Writing fails.
    pub fn json(&self, output: &mut impl Write) -> io::Result<()> {
        let samples = Some(Columns(table::run_columns(self.record)));
        line(&RunRecord { samples, events: Some(events(self.record)), ..self.record() }, output)
    }

    /// The run without its samples on one line: `format_version`, `header`, `summary`, `events`.
    ///
    /// # Errors
    /// Writing fails.
    pub fn summary_json(&self, output: &mut impl Write) -> io::Result<()> {
        line(&RunRecord { events: Some(events(self.record)), ..self.record() }, output)
    }

    /// The content that the tables of samples and events do not have, on one line: `format_version`, `header`,
    /// `summary`.
    ///
    /// # Errors
    /// Writing fails.
    pub fn header_json(&self, output: &mut impl Write) -> io::Result<()> {
        line(&self.record(), output)
    }

    /// The header alone.
    #[cfg(feature = "parquet")]
    pub(super) fn header(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.record().header)
    }
}

fn line(record: &RunRecord<'_>, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, record)?;
    output.write_all(b"\n")
}

/// [`RunFile::json`] of a run without provenance.
///
/// # Errors
/// Writing fails.
pub fn run_json(record: &Record, output: &mut impl Write) -> io::Result<()> {
    RunFile::new(record).json(output)
}

/// [`RunFile::summary_json`] of a run without provenance.
///
/// # Errors
/// Writing fails.
pub fn run_summary_json(record: &Record, output: &mut impl Write) -> io::Result<()> {
    RunFile::new(record).summary_json(output)
}

fn events(record: &Record) -> Vec<EventRecord<'_>> {
    record.events.iter().map(|event| EventRecord::new(event, record)).collect()
}

/// Only the events.
#[cfg(feature = "parquet")]
pub(super) fn events_json(record: &Record) -> serde_json::Result<String> {
    serde_json::to_string(&events(record))
}
