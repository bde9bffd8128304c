//! Warnings about elements that are ignored or not modelled, one per kind.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use super::source::Part;
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::{Warning, WarningKind};

/// Whether a word is in a list of words.
pub(super) fn is_word_of(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}

/// Rejects an attribute that is not on the list, as MuJoCo does: a misspelling may change the dynamics.
pub(super) fn check_attributes(part: Part<'_>, known: &str) -> Result<(), LoadError> {
    for attribute in part.node.attributes() {
        // Attributes of other namespaces, such as xsi:schemaLocation, are ignored.
        if attribute.namespace().is_none() && !is_word_of(attribute.name(), known) {
            let message =
                format!("<{}> has the unknown attribute {}; the valid ones are {known}", part.name(), attribute.name());
            return Err(xml::fault(LoadErrorKind::Syntax, part.path, part.node, message));
        }
    }
    Ok(())
}

struct Note {
    kind: WarningKind,
    subject: String,
    message: String,
    count: usize,
    file: PathBuf,
    line: usize,
}

/// Warnings, each with a count and the first occurrence of its subject.
pub(super) struct Notes {
    main: PathBuf,
    notes: Vec<Note>,
    /// The index of each warning by kind and subject.
    places: HashMap<(WarningKind, String), usize>,
}

impl Notes {
    pub(super) fn new(main: PathBuf) -> Self {
        Self { main, notes: Vec::new(), places: HashMap::new() }
    }

    /// An element that affects the motion but is not modelled.
    pub(super) fn not_modelled(&mut self, part: Part<'_>, subject: &str) {
        self.add(WarningKind::NotModelled, part, subject, "affects the motion and is not modelled");
    }

    /// An element that is ignored.
    pub(super) fn ignored(&mut self, part: Part<'_>, subject: &str, message: &str) {
        self.add(WarningKind::Ignored, part, subject, message);
    }

    /// A warning of any kind.
    pub(super) fn add(&mut self, kind: WarningKind, part: Part<'_>, subject: &str, message: &str) {
        match self.places.entry((kind, subject.to_owned())) {
            Entry::Occupied(place) => self.notes[*place.get()].count += 1,
            Entry::Vacant(place) => {
                place.insert(self.notes.len());
                self.notes.push(Note {
                    kind,
                    subject: subject.to_owned(),
                    message: message.to_owned(),
                    count: 1,
                    file: part.path.to_owned(),
                    line: part.line(),
                });
            }
        }
    }

    pub(super) fn into_warnings(self) -> impl Iterator<Item = Warning> {
        let main = self.main;
        self.notes.into_iter().map(move |note| {
            let Note { kind, subject, message, count, file, line } = note;
            // A line number without a file refers to the main file.
            let elsewhere = file != main;
            let mut message = format!("{subject} {message}");
            if count > 1 {
                message += &format!(", {count} times");
            }
            if elsewhere {
                message += &format!(", first in {}:{line}", file.display());
            }
            Warning { kind, subject, message, line: (!elsewhere).then_some(line) }
        })
    }
}
