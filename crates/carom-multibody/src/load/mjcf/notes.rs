//! Remarks on what is read over, one for each kind.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;

use super::source::Part;
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::{Warning, WarningKind};

/// Whether a word stands in a list of words.
pub(super) fn is_word_of(word: &str, list: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}

/// Refuses an attribute that is not on the list, as MuJoCo does: a slip of the pen may change the dynamics.
pub(super) fn check_attributes(part: Part<'_>, known: &str) -> Result<(), LoadError> {
    for attribute in part.node.attributes() {
        // Those of other vocabularies, as xsi:schemaLocation, are none of ours.
        if attribute.namespace().is_none() && !is_word_of(attribute.name(), known) {
            let message = format!("<{}> has no attribute {}; it has {known}", part.name(), attribute.name());
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

/// Remarks, each with a count and the place where its subject stands first.
pub(super) struct Notes {
    main: PathBuf,
    notes: Vec<Note>,
    /// Where in the list the remark of a kind on a subject stands.
    places: HashMap<(WarningKind, String), usize>,
}

impl Notes {
    pub(super) fn new(main: PathBuf) -> Self {
        Self { main, notes: Vec::new(), places: HashMap::new() }
    }

    /// Something that acts on the motion and is left out.
    pub(super) fn not_modelled(&mut self, part: Part<'_>, subject: &str) {
        self.add(WarningKind::NotModelled, part, subject, "acts on the motion and is left out");
    }

    /// Something that is read over.
    pub(super) fn ignored(&mut self, part: Part<'_>, subject: &str, message: &str) {
        self.add(WarningKind::Ignored, part, subject, message);
    }

    /// A remark of any kind.
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
            // A line number alone means the main file.
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
