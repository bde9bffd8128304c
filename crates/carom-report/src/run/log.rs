//! The events of a run as a table for people.

use std::fmt::{self, Display, Formatter};

use crate::printable;
use carom_sim::number::{signed, significant, tidy};
use carom_sim::{ContactMode, Event, EventKind, Record};

/// Number of digits of times: two events of a bouncing ball may be a billionth of a second apart.
pub(super) const TIME_DIGITS: usize = 14;
const DIGITS: usize = 6;
/// Components below this fraction of an impulse are printed as zero; files have all digits.
const ROUNDING: f64 = 1e-12;

/// A table of events: time, contact, kind, mode, impulse and energy change.
#[derive(Debug, Clone, Copy)]
pub struct EventLog<'a> {
    /// The run.
    pub record: &'a Record,
    /// Largest number of events shown, the first and the last ones; `None` shows all.
    pub most: Option<usize>,
}

impl Display for EventLog<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let events = &self.record.events;
        if events.is_empty() {
            return writeln!(f, "  no events");
        }
        let most = self.most.unwrap_or(usize::MAX);
        // One line replaces the omitted events, so at least two must be omitted.
        let (head, tail) = if events.len() <= most.saturating_add(1) {
            (&events[..], &events[events.len()..])
        } else {
            let first = most.div_ceil(2);
            (&events[..first], &events[events.len() - (most - first)..])
        };
        let rows: Vec<[String; 6]> = head.iter().chain(tail).map(|event| self.row(event)).collect();
        let titles = ["time, s", "contact", "event", "then", "impulse, N s", "energy, J"];
        let width = |k: usize| {
            let cells = rows.iter().map(|row| row[k].chars().count());
            cells.chain([titles[k].len()]).max().unwrap_or(0)
        };
        let widths: [usize; 6] = std::array::from_fn(width);
        line(f, &titles.map(str::to_owned), &widths)?;
        for (i, row) in rows.iter().enumerate() {
            if i == head.len() {
                writeln!(f, "  … {} more …", events.len() - head.len() - tail.len())?;
            }
            line(f, row, &widths)?;
        }
        if tail.is_empty() && head.len() < events.len() {
            writeln!(f, "  … {} more …", events.len() - head.len())?;
        }
        Ok(())
    }
}

impl EventLog<'_> {
    fn row(&self, event: &Event) -> [String; 6] {
        let contact = event.contact.and_then(|contact| self.record.header.contacts.get(contact));
        let dimension = contact.map_or(0, |contact| contact.dimension.min(event.impulse.len()));
        let has_impulse = event.impulse.iter().any(|x| *x != 0.0);
        let largest = event.impulse.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let shown = |x: &f64| significant(tidy(*x, ROUNDING * largest), DIGITS);
        let impulse = event.impulse[..dimension].iter().map(shown).collect::<Vec<_>>();
        let impulse = match impulse.as_slice() {
            _ if !has_impulse => String::new(),
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let change = tidy(event.energy_change, f64::EPSILON * self.record.summary.largest_energy);
        let change = match change == 0.0 {
            true if has_impulse => "0".to_owned(),
            true => String::new(),
            false => signed(change, DIGITS),
        };
        [
            significant(event.time, TIME_DIGITS),
            contact.map_or("all", |contact| contact.name.as_str()).to_owned(),
            what(event),
            event.mode.map_or("", ContactMode::name).to_owned(),
            impulse,
            change,
        ]
    }
}

fn line(f: &mut Formatter<'_>, cells: &[String; 6], widths: &[usize; 6]) -> fmt::Result {
    let text: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    writeln!(f, "{}", printable(format!("  {}", text.join("  ")).trim_end()))
}

/// The kind of event, in words.
fn what(event: &Event) -> String {
    match (event.kind, event.impact) {
        (EventKind::Impact, Some(mode)) => format!("impact, {}", mode.name()),
        (EventKind::Impact, None) => "impact".to_owned(),
        (EventKind::Settle, _) => match event.settled {
            Some(end) => format!("settles by {}", significant(end, TIME_DIGITS)),
            None => "supports a settling contact".to_owned(),
        },
        (EventKind::LiftOff, _) => "lifts off".to_owned(),
        (EventKind::Stick, _) => "sticks".to_owned(),
        (EventKind::Slip, _) => "slips".to_owned(),
        (EventKind::Jam, _) => "jams".to_owned(),
        (EventKind::JamApproached, _) => "is about to jam".to_owned(),
        (EventKind::Ambiguous, _) => "ambiguous, lifts off".to_owned(),
        (EventKind::Window, _) => "window of time stepping".to_owned(),
        (EventKind::Rattle, _) => "rattles, impact without restitution".to_owned(),
        (EventKind::Sequence, _) => "impacts ended without restitution".to_owned(),
        (EventKind::Projection, _) => "projected onto its surface".to_owned(),
    }
}
