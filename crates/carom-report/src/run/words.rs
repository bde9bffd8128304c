//! Events and groups of events in words, and the units of their impulses: the same in lists, pages and summaries.

use std::collections::BTreeMap;

use carom_multibody::{JointKind, joint_limits};
use carom_sim::number::{significant, tidy};
use carom_sim::{ContactHeader, ContactMode, Event, EventKind, Record};

use super::group::{is_bounce, is_change};

/// Number of digits of times: two events of a bouncing ball may be a billionth of a second apart.
pub(super) const TIME_DIGITS: usize = 14;
/// Digits of sums.
const FEW: usize = 3;
/// Names of contacts in the row of a group.
const NAMES: usize = 2;
/// Impulses below this fraction of the run's largest with the same unit are rounding: contacts that other contacts already
/// hold take such impulses.
const ROUNDING: f64 = 1e-12;

/// The kind of an event in words that follow the name of its contact.
pub(super) fn kind(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Impact => "impact",
        EventKind::Settle => "settles",
        EventKind::LiftOff => "lifts off",
        EventKind::Stick => "sticks",
        EventKind::Slip => "slips",
        EventKind::Jam => "jams",
        EventKind::JamApproached => "is about to jam",
        EventKind::AmbiguousLiftOff => "ambiguous, lifts off",
        EventKind::Window => "window of time stepping",
        EventKind::Rattle => "rattles, impact without restitution",
        EventKind::Sequence => "impacts ended without restitution",
        EventKind::Projection => "projected onto its surface",
        EventKind::DeadPoint => "dead point",
    }
}

/// An event in words that follow the name of its contact.
pub(super) fn what(event: &Event) -> String {
    let words = kind(event.kind());
    match event {
        Event::Impact(impact) => format!("{words}, {}", impact.impact.name()),
        Event::Settle(settle) => match settle.settled {
            Some(end) => format!("{words} by {}", significant(end, TIME_DIGITS)),
            None => "supports a settling contact".to_owned(),
        },
        _ => words.to_owned(),
    }
}

/// Whether an event of this kind is an impulse, so that its impulse and its energy are given even if they are zero.
pub(super) fn has_impulse(event: &Event) -> bool {
    match event {
        Event::LiftOff(_) | Event::Stick(_) | Event::Slip(_) | Event::AmbiguousLiftOff(_) | Event::DeadPoint(_) => {
            false
        }
        Event::Window(device) | Event::Projection(device) => device.contact.is_some(),
        Event::Impact(_)
        | Event::Settle(_)
        | Event::Jam(_)
        | Event::JamApproached(_)
        | Event::Rattle(_)
        | Event::Sequence(_) => true,
    }
}

/// The units of the impulses of all contacts: N m s at the limit of a hinge or by friction in one, otherwise N s.
pub(super) fn impulse_units(record: &Record) -> Vec<&'static str> {
    let mut limits = joint_limits(&record.model).into_iter();
    let unit = |contact: &ContactHeader| {
        let joint = match &contact.joint {
            Some(name) => record.model.joints().iter().find(|joint| joint.joint.name == *name),
            None if contact.is_limit() => limits.next().and_then(|limit| record.model.joints().get(limit.joint)),
            None => None,
        };
        match joint.map(|joint| joint.joint.kind) {
            Some(JointKind::Revolute | JointKind::Continuous | JointKind::Ball) => "N m s",
            _ => "N s",
        }
    };
    record.header.contacts.iter().map(unit).collect()
}

/// The size of an impulse.
pub(super) fn size(impulse: [f64; 3]) -> f64 {
    impulse.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Energy changes below this, J, are shown as zero.
pub(super) fn energy_rounding(record: &Record) -> f64 {
    f64::EPSILON * record.summary.largest_energy
}

/// Potential energies that differ by at most so many roundings of them are those of a robot that stays where it is: they are sums over
/// all links.
const STILL: f64 = 1e3;

/// The largest energy of a run in which nothing moves: rounding of the potential energy. Where energies are drawn nothing below it is
/// magnified.
pub(crate) fn still_energy(record: &Record) -> f64 {
    let largest = record.samples.iter().map(|sample| sample.energy.potential.abs()).fold(0.0, f64::max);
    STILL * f64::EPSILON * largest
}

/// For every contact the size below which impulses are shown as zero.
pub(super) fn impulse_roundings(record: &Record, units: &[&'static str]) -> Vec<f64> {
    let mut largest: BTreeMap<&'static str, f64> = BTreeMap::new();
    for event in &record.events {
        if let Some(unit) = event.contact().and_then(|contact| units.get(contact)) {
            let size = size(event.impulse());
            largest.entry(unit).and_modify(|largest| *largest = largest.max(size)).or_insert(size);
        }
    }
    units.iter().map(|unit| ROUNDING * largest.get(unit).copied().unwrap_or(0.0)).collect()
}

/// Events of a group, or of a train, added up.
pub(super) struct Sum {
    pub(super) time: f64,
    lasts: f64,
    bounces: usize,
    /// Changes between stick and slip, where nothing bounces.
    changes: usize,
    /// Events that are neither bounces nor settlings, nor changes where nothing bounces.
    others: usize,
    /// The contacts that bounce, in the order of their first bounces; where none does, those that change.
    pub(super) contacts: Vec<usize>,
    /// Sizes of all impulses added up, by unit.
    impulses: BTreeMap<&'static str, f64>,
    energy: f64,
    /// How many of the contacts that bounced are in each mode afterwards, in the order flight, slip, stick.
    modes: [usize; 3],
}

impl Sum {
    pub(super) fn of<'e>(events: impl IntoIterator<Item = &'e Event>, units: &[&'static str]) -> Self {
        let (mut times, mut bounces, mut others, mut energy) = ([f64::INFINITY, f64::NEG_INFINITY], 0, 0, 0.0);
        let (mut contacts, mut impulses) = (Vec::new(), BTreeMap::new());
        let (mut changes, mut changed) = (0, Vec::new());
        let mut last: BTreeMap<usize, ContactMode> = BTreeMap::new();
        for event in events {
            times = [times[0].min(event.time()), times[1].max(event.time())];
            energy += event.energy_change();
            let Some(contact) = event.contact() else {
                others += 1;
                continue;
            };
            if is_bounce(event) {
                bounces += 1;
                if !contacts.contains(&contact) {
                    contacts.push(contact);
                }
            } else if is_change(event) {
                changes += 1;
                if !changed.contains(&contact) {
                    changed.push(contact);
                }
            } else if event.kind() != EventKind::Settle {
                others += 1;
            }
            let impulse = size(event.impulse());
            if impulse > 0.0 {
                *impulses.entry(units.get(contact).copied().unwrap_or("N s")).or_insert(0.0) += impulse;
            }
            if let Some(mode) = event.mode() {
                last.insert(contact, mode);
            }
        }
        match bounces {
            0 => contacts = changed,
            _ => others += std::mem::take(&mut changes),
        }
        let mut modes = [0; 3];
        for mode in contacts.iter().filter_map(|contact| last.get(contact)) {
            modes[place(*mode)] += 1;
        }
        let lasts = if times[1] > times[0] { times[1] - times[0] } else { 0.0 };
        Self { time: times[0], lasts, bounces, changes, others, contacts, impulses, energy, modes }
    }

    /// The names of its contacts: two, and how many more.
    pub(super) fn names(&self, name: impl Fn(usize) -> String) -> String {
        let names: Vec<String> = self.contacts.iter().take(NAMES).map(|&contact| name(contact)).collect();
        match self.contacts.len().saturating_sub(NAMES) {
            0 => names.join(", "),
            more => format!("{} and {more} more", names.join(", ")),
        }
    }

    /// "23 bounces of 2 contacts", or "14 sticks and slips"; the contacts are not counted if there is one.
    pub(super) fn bounces(&self) -> String {
        let (number, what) = match (self.bounces, self.changes) {
            (0, changes @ 1..) => (changes, "sticks and slips"),
            (1, _) => (1, "bounce"),
            (bounces, _) => (bounces, "bounces"),
        };
        match self.contacts.len() {
            0 | 1 => format!("{number} {what}"),
            count => format!("{number} {what} of {count} contacts"),
        }
    }

    /// Whether any of its events may have changed the energy.
    pub(super) fn has_energy(&self) -> bool {
        self.changes == 0 || self.others > 0
    }

    /// "4 other events".
    pub(super) fn others(&self) -> Option<String> {
        match self.others {
            0 => None,
            1 => Some("1 other event".to_owned()),
            count => Some(format!("{count} other events")),
        }
    }

    /// "23 bounces of 2 contacts and 4 other events in 0.58 ms".
    pub(super) fn what(&self) -> String {
        let others = self.others().map_or(String::new(), |others| format!(" and {others}"));
        format!("{}{others} in {}", self.bounces(), duration(self.lasts))
    }

    /// "0.7 N s in all".
    pub(super) fn impulse(&self) -> String {
        let parts: Vec<String> =
            self.impulses.iter().map(|(unit, x)| format!("{} {unit}", significant(*x, FEW))).collect();
        if parts.is_empty() { String::new() } else { format!("{} in all", parts.join(", ")) }
    }

    /// "0.58 ms".
    pub(super) fn lasts(&self) -> String {
        duration(self.lasts)
    }

    /// Its energy change, J; rounding of the given size is zero.
    pub(super) fn energy(&self, rounding: f64) -> f64 {
        tidy(self.energy, rounding)
    }

    /// The mode of its contacts afterwards: "stick", or "2 stick, 1 flight".
    pub(super) fn then(&self) -> String {
        let names = [ContactMode::Stick, ContactMode::Slip, ContactMode::Flight];
        let counts: Vec<(usize, &str)> = names
            .map(|mode| (self.modes[place(mode)], mode.name()))
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .collect();
        match counts.as_slice() {
            [(_, name)] => (*name).to_owned(),
            several => several.iter().map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", "),
        }
    }
}

fn place(mode: ContactMode) -> usize {
    match mode {
        ContactMode::Flight => 0,
        ContactMode::Slip => 1,
        ContactMode::Stick => 2,
    }
}

/// A duration in the unit that suits it.
fn duration(seconds: f64) -> String {
    for (unit, name) in [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")] {
        if seconds >= unit {
            return format!("{} {name}", significant(seconds / unit, FEW));
        }
    }
    format!("{} ns", significant(seconds / 1e-9, FEW))
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_sim::{ImpactEvent, ModeEvent};

    /// Sticks and slips are counted by themselves, and beside bounces they are other events.
    #[test]
    fn sticks_and_slips_are_what_they_are_unless_something_bounces() {
        let slip = |time: f64, contact: usize| Event::Slip(ModeEvent { time, contact });
        let stick = |time: f64, contact: usize| Event::Stick(ModeEvent { time, contact });
        let rubs = [slip(1.0, 3), slip(1.0, 5), stick(1.0006, 3)];
        let sum = Sum::of(&rubs, &[]);
        assert_eq!(sum.what(), "3 sticks and slips of 2 contacts in 600 µs");
        assert_eq!((sum.then().as_str(), sum.impulse().as_str(), sum.has_energy()), ("1 stick, 1 slip", "", false));
        assert_eq!(sum.names(|contact| contact.to_string()), "3, 5");
        let (impact, mode) = (carom_law::Mode::Stick, Some(ContactMode::Flight));
        let (impulse, energy_change) = ([1.0, 0.0, 0.0], -0.1);
        let struck = Event::Impact(ImpactEvent { time: 1.0, contact: 0, impact, mode, impulse, energy_change });
        let sum = Sum::of(rubs.iter().chain([&struck]), &["N s"]);
        assert_eq!(sum.what(), "1 bounce and 3 other events in 600 µs");
        assert!(sum.has_energy());
    }

    #[test]
    fn durations_have_units_that_suit_them() {
        for (seconds, text) in
            [(0.0, "0 ns"), (1.25e-8, "12.5 ns"), (5.8e-4, "580 µs"), (0.0423, "42.3 ms"), (2.0, "2 s")]
        {
            assert_eq!(duration(seconds), text);
        }
    }
}
