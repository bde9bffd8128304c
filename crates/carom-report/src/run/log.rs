//! The events of a run as a table for people.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use super::group::{EventGroup, event_groups};
use super::touched::{names, touched};
use super::words::{self, Sum, TIME_DIGITS};
use crate::printable;
use carom_sim::number::{signed, significant, tidy};
use carom_sim::{ContactMode, Event, Record};

const DIGITS: usize = 6;
/// Components below this fraction of an impulse are printed as zero; files have all digits.
const ROUNDING: f64 = 1e-12;
/// Characters of the name of a contact; files have the whole names.
const ROOM: usize = 28;
const COLUMNS: usize = 7;
const TITLES: [&str; COLUMNS] = ["no.", "time, s", "contact", "event", "then", "impulse", "energy, J"];

/// A table of events: number, time, contact, kind, mode, impulse and energy change. Events are numbered from 0, as in
/// files.
#[derive(Debug, Clone, Copy)]
pub struct EventLog<'a> {
    /// The run.
    pub record: &'a Record,
    /// Largest number of rows shown, the first and the last ones; `None` shows all.
    pub most: Option<usize>,
    /// Whether bounces that come faster and faster, and sticks and slips in quick succession, are one row: see [`event_groups`].
    pub is_grouped: bool,
}

impl Display for EventLog<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rows = self.rows();
        if rows.is_empty() {
            return writeln!(f, "  no events");
        }
        let most = self.most.unwrap_or(usize::MAX);
        // One line replaces the omitted rows, so at least two must be omitted.
        let (head, tail) = if rows.len() <= most.saturating_add(1) {
            (&rows[..], &rows[rows.len()..])
        } else {
            let first = most.div_ceil(2);
            (&rows[..first], &rows[rows.len() - (most - first)..])
        };
        let contacts = Contacts::of(self.record);
        let cells: Vec<[String; COLUMNS]> = head.iter().chain(tail).map(|row| self.cells(row, &contacts)).collect();
        let width = |k: usize| {
            let widths = cells.iter().map(|row| row[k].chars().count());
            widths.chain([TITLES[k].len()]).max().unwrap_or(0)
        };
        let widths: [usize; COLUMNS] = std::array::from_fn(width);
        line(f, &TITLES.map(str::to_owned), &widths)?;
        for (i, row) in cells.iter().enumerate() {
            if i == head.len() {
                writeln!(f, "  … {} more …", rows.len() - head.len() - tail.len())?;
            }
            line(f, row, &widths)?;
        }
        if tail.is_empty() && head.len() < rows.len() {
            writeln!(f, "  … {} more …", rows.len() - head.len())?;
        }
        Ok(())
    }
}

impl EventLog<'_> {
    fn rows(&self) -> Vec<EventGroup> {
        let Record { events, header, .. } = self.record;
        if self.is_grouped {
            event_groups(events, header.interval)
        } else {
            (0..events.len()).map(EventGroup::single).collect()
        }
    }

    fn cells(&self, row: &EventGroup, contacts: &Contacts) -> [String; COLUMNS] {
        if row.is_group() { self.group(row, contacts) } else { self.event(row.events.start, contacts) }
    }

    fn event(&self, index: usize, contacts: &Contacts) -> [String; COLUMNS] {
        let event = &self.record.events[index];
        let change = tidy(event.energy_change(), words::energy_rounding(self.record));
        let change = match change == 0.0 {
            true if words::has_impulse(event) => "0".to_owned(),
            true => String::new(),
            false => signed(change, DIGITS),
        };
        [
            index.to_string(),
            significant(event.time(), TIME_DIGITS),
            match (event.contact(), event.closed_loop()) {
                (Some(contact), _) => contacts.name(contact),
                (None, Some(index)) => {
                    let name = self.record.model.loops().get(index).map(|one| one.name.as_str());
                    format!("loop {}", printable(name.unwrap_or_default()))
                }
                (None, None) => "the rest".to_owned(),
            },
            words::what(event),
            event.mode().map_or("", ContactMode::name).to_owned(),
            self.impulse(event, contacts),
            change,
        ]
    }

    /// The components of an impulse, with the unit.
    fn impulse(&self, event: &Event, contacts: &Contacts) -> String {
        let Some(contact) = event.contact().filter(|_| words::has_impulse(event)) else { return String::new() };
        let impulse = event.impulse();
        let dimension =
            self.record.header.contacts.get(contact).map_or(0, |contact| contact.dimension.min(impulse.len()));
        let largest = impulse.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let rounding = contacts.roundings.get(contact).copied().unwrap_or(0.0).max(ROUNDING * largest);
        let shown = |x: &f64| significant(tidy(*x, rounding), DIGITS);
        let unit = contacts.units.get(contact).copied().unwrap_or("N s");
        match impulse[..dimension].iter().map(shown).collect::<Vec<_>>().as_slice() {
            [one] => format!("{one} {unit}"),
            several => format!("({}) {unit}", several.join(", ")),
        }
    }

    fn group(&self, row: &EventGroup, contacts: &Contacts) -> [String; COLUMNS] {
        let sum = Sum::of(&self.record.events[row.events.clone()], &contacts.units);
        [
            format!("{}-{}", row.events.start, row.events.end - 1),
            significant(sum.time, TIME_DIGITS),
            sum.names(|contact| contacts.name(contact)),
            sum.what(),
            sum.then(),
            sum.impulse(),
            match sum.has_energy() {
                true => signed(sum.energy(words::energy_rounding(self.record)), DIGITS),
                false => String::new(),
            },
        ]
    }
}

/// Names of the contacts, units of their impulses, and what is rounding among these.
struct Contacts {
    names: HashMap<usize, String>,
    units: Vec<&'static str>,
    roundings: Vec<f64>,
}

impl Contacts {
    fn of(record: &Record) -> Self {
        let touched = touched(record);
        let names = names(record, &touched, ROOM);
        let units = words::impulse_units(record);
        let roundings = words::impulse_roundings(record, &units);
        Self { names: touched.into_iter().zip(names).collect(), units, roundings }
    }

    fn name(&self, contact: usize) -> String {
        self.names.get(&contact).cloned().unwrap_or_default()
    }
}

fn line(f: &mut Formatter<'_>, cells: &[String; COLUMNS], widths: &[usize; COLUMNS]) -> fmt::Result {
    let text: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    writeln!(f, "{}", printable(format!("  {}", text.join("  ")).trim_end()))
}
