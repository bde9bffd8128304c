//! A run compared with its repetition, to the bit.

use carom_sim::Record;

use super::super::table::{self, Values};
use super::{StoredRun, StoredValues};

/// The comparison of a run with its repetition.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunComparison {
    /// Samples compared.
    pub samples: usize,
    /// Events compared.
    pub events: usize,
    /// The first difference in time, in words; `None` if all bits are equal.
    pub difference: Option<String>,
}

impl RunComparison {
    /// The comparison as a JSON object on one line, with the reasons why bits may differ.
    pub fn json(&self, reasons: &[String]) -> String {
        let Self { samples, events, difference } = self;
        let equal = difference.is_none();
        serde_json::json!({
            "equal": equal, "samples": samples, "events": events, "difference": difference, "may_differ": reasons
        })
        .to_string()
    }
}

impl StoredRun {
    /// Compares the run with its repetition, to the bit. A run that was stopped early is compared as far as it went.
    pub fn compare(&self, again: &Record) -> RunComparison {
        let rows = self.samples.first().map_or(0, |column| column.values.len());
        let mut first: Option<(usize, String)> = None;
        let mut note = |row: usize, what: String| {
            if first.as_ref().is_none_or(|(known, _)| row < *known) {
                first = Some((row, what));
            }
        };
        let is_whole = self.ending == "complete" || self.ending == "failed";
        let columns = table::run_columns(again);
        if is_whole && rows != again.samples.len() || rows > again.samples.len() {
            note(rows.min(again.samples.len()), format!("{rows} samples then, {} now", again.samples.len()));
        }
        for column in &columns {
            let Some(then) = self.samples.iter().find(|then| then.name == column.name) else {
                note(0, format!("the file has no column {:?}", column.name));
                continue;
            };
            let differs = |row: &usize| -> Option<String> {
                let (then, now) = match (&then.values, &column.values) {
                    (StoredValues::Numbers(then), Values::Numbers(now)) => {
                        let (then, now) = (then.get(*row)?, now.get(*row)?);
                        (then.to_bits() != now.to_bits()).then(|| (format!("{then:?}"), format!("{now:?}")))?
                    }
                    (StoredValues::Words(then), Values::Words(now)) => {
                        let (then, now) = (then.get(*row)?, *now.get(*row)?);
                        (then != now).then(|| (then.clone(), now.to_owned()))?
                    }
                    _ => ("another type".to_owned(), "its own".to_owned()),
                };
                let time = again.samples[*row].time;
                Some(format!("sample {row}, t = {time} s, {}: {then} then, {now} now", column.name))
            };
            if let Some((row, what)) = (0..rows).find_map(|row| Some((row, differs(&row)?))) {
                note(row, what);
            }
        }
        let mut difference = first.map(|(_, what)| what);
        let events = self.compare_events(again, is_whole);
        difference = difference.or(events);
        RunComparison { samples: rows, events: self.events.len(), difference }
    }

    fn compare_events(&self, again: &Record, is_whole: bool) -> Option<String> {
        let (then, now) = (self.events.len(), again.events.len());
        for (number, (then, now)) in self.events.iter().zip(&again.events).enumerate() {
            let contact = now.contact().and_then(|contact| again.header.contacts.get(contact));
            let impulse = now.impulse();
            let same = then.time.to_bits() == now.time().to_bits()
                && then.kind == now.kind().name()
                && then.contact.as_deref() == contact.map(|contact| contact.name.as_str())
                && then.impulse.iter().zip(&impulse).all(|(then, now)| then.to_bits() == now.to_bits());
            if !same {
                return Some(format!("event {number} at t = {} s is another at t = {} s", then.time, now.time()));
            }
        }
        (is_whole && then != now || then > now).then(|| format!("{then} events then, {now} now"))
    }
}
