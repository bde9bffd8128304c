//! Header, summary and events of a run, which are JSON in every format.

use std::path::Path;

use carom_scene::document::FORMAT_VERSION;
use carom_scene::provenance::{Provenance, RecordedEvent};
use serde::Deserialize;

use super::{StoredColumn, StoredError, StoredRun};

/// Everything but the samples.
#[derive(Debug)]
pub(super) struct StoredHeader {
    pub(super) header: Header,
    pub(super) summary: Summary,
    pub(super) events: Vec<Event>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Header {
    title: Option<String>,
    coordinates: Vec<String>,
    velocities: Vec<String>,
    contacts: Vec<Contact>,
    provenance: Option<Provenance>,
}

#[derive(Debug, Deserialize)]
struct Contact {
    name: String,
    surface: Option<usize>,
    #[serde(default)]
    against: Option<String>,
    #[serde(default)]
    joint: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Summary {
    ending: String,
}

/// An event as files have it.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub(super) time: f64,
    pub(super) kind: String,
    pub(super) contact: Option<String>,
    pub(super) impulse: Vec<f64>,
}

/// Rejects a format that is not known.
pub(super) fn check_version(path: &Path, version: u32) -> Result<(), StoredError> {
    match version <= FORMAT_VERSION {
        true => Ok(()),
        false => Err(StoredError::Newer { path: path.to_owned(), version, newest: FORMAT_VERSION }),
    }
}

/// A part of a file as JSON.
pub(super) fn part<'t, T: Deserialize<'t>>(path: &Path, text: &'t str) -> Result<T, StoredError> {
    serde_json::from_str(text).map_err(|error| StoredError::NotARun { path: path.to_owned(), why: error.to_string() })
}

impl StoredHeader {
    pub(super) fn run(self, path: &Path, samples: Vec<StoredColumn>) -> Result<StoredRun, StoredError> {
        let Header { title, coordinates, velocities, contacts, provenance } = self.header;
        let provenance = provenance.ok_or_else(|| StoredError::NoProvenance { path: path.to_owned() })?;
        let event = |Event { time, kind, contact, impulse }| {
            let of_header = contacts.iter().find(|known| Some(&known.name) == contact.as_ref());
            let is_limit =
                of_header.is_some_and(|one| one.surface.is_none() && one.against.is_none() && one.joint.is_none());
            RecordedEvent { time, kind, contact, is_limit, impulse }
        };
        Ok(StoredRun {
            path: path.to_owned(),
            provenance,
            title,
            ending: self.summary.ending,
            samples,
            events: self.events.into_iter().map(event).collect(),
            names: [coordinates, velocities],
        })
    }
}
