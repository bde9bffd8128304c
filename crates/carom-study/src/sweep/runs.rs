//! The columns of simulations, and a sink that keeps the data that they need.

use std::borrow::Cow;

use carom_sim::{Ending, Event, EventKind, Sample, Setup, Simulation, SimulationError, Sink, Stop, Summary};

use super::error::SweepError;
use super::field::{Length, Reader, expand, names};
use super::impacts::{non_empty, unknown, unknown_contact};
use super::run_fields::{END, EVENT, EventFields, KINDS, SUMMARY};
use super::table::{ValueKind, Values};

/// The properties that all samples share.
#[derive(Debug, Clone)]
pub(super) struct RunShape {
    pub(super) nq: usize,
    pub(super) nv: usize,
    /// The contacts, limits of joints included, with their dimensions.
    pub(super) contacts: Vec<(String, usize)>,
}

/// A column of simulations.
#[derive(Debug, Clone)]
pub(super) enum RunColumn {
    Summary(Reader<Summary>),
    /// When a contact settled.
    Settled(String),
    End(Reader<Sample>),
    /// A field of an event.
    Event {
        slot: usize,
        which: Which,
        reader: Reader<EventFields>,
    },
    /// The contact of an event.
    EventContact {
        slot: usize,
        which: Which,
    },
    /// A number of events.
    Count {
        slot: usize,
    },
}

/// Which of several events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    First,
    Last,
}

/// A selection of events: a kind, and a contact or all of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slot {
    kind: EventKind,
    contact: Option<String>,
}

impl RunColumn {
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Self::Summary(reader) => reader.kind(),
            Self::End(reader) => reader.kind(),
            Self::Event { reader, .. } => reader.kind(),
            Self::EventContact { .. } => ValueKind::Word,
            Self::Settled(_) | Self::Count { .. } => ValueKind::Number,
        }
    }

    /// Appends the value of a sample.
    pub(super) fn push(&self, run: &RunRow, values: &mut Values) {
        match (self, values) {
            (Self::Summary(reader), values) => reader.push(&run.summary, values),
            (Self::End(reader), values) => match &run.end {
                Some(end) => reader.push(end, values),
                None => values.push_nothing(),
            },
            (Self::Settled(name), Values::Numbers(values)) => {
                let place = run.contacts.iter().position(|contact| contact == name);
                values.push(place.and_then(|place| run.summary.settled[place]).unwrap_or(f64::NAN));
            }
            (Self::Event { slot, which, reader }, values) => match run.event(*slot, *which) {
                Some(event) => reader.push(&EventFields::new(event), values),
                None => values.push_nothing(),
            },
            (Self::EventContact { slot, which }, Values::Words(values)) => {
                let contact = run.event(*slot, *which).and_then(|event| event.contact());
                values.push(contact.and_then(|contact| run.contacts.get(contact)).map(|name| Cow::Owned(name.clone())));
            }
            (Self::Count { slot }, Values::Numbers(values)) => values.push(run.found[*slot].count as f64),
            // A column has the kind of its reader.
            (_, values) => values.push_nothing(),
        }
    }
}

/// The results of a simulation.
pub(super) struct RunRow {
    summary: Summary,
    end: Option<Sample>,
    contacts: Vec<String>,
    found: Vec<Found>,
    /// Why it failed, if it did.
    pub(super) error: Option<SimulationError>,
}

/// The events of a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    first: Option<Event>,
    last: Option<Event>,
    count: u64,
}

impl RunRow {
    fn event(&self, slot: usize, which: Which) -> Option<Event> {
        match which {
            Which::First => self.found[slot].first,
            Which::Last => self.found[slot].last,
        }
    }
}

/// Runs a simulation to its end. `Ok(None)` if it was interrupted.
pub(super) fn run(
    setup: Setup,
    slots: &[Slot],
    is_interrupted: &dyn Fn() -> bool,
) -> Result<Option<RunRow>, SimulationError> {
    let mut simulation = Simulation::new(setup)?;
    let contacts: Vec<String> = simulation.header().contacts.into_iter().map(|contact| contact.name).collect();
    let wanted: Vec<_> = slots
        .iter()
        .map(|slot| {
            let place = slot.contact.as_ref().map(|name| contacts.iter().position(|contact| contact == name));
            (slot.kind, place)
        })
        .collect();
    let mut keeper = Keeper { wanted: &wanted, found: vec![Found::default(); slots.len()], end: None, is_interrupted };
    let ended = simulation.run(&mut keeper);
    let Keeper { found, end, .. } = keeper;
    let mut summary = simulation.summary();
    let error = match ended {
        Ok(Stop::Interrupted) => return Ok(None),
        Ok(_) => None,
        Err(error) => {
            summary.ending = Ending::Failed;
            summary.failure = Some(error.to_string());
            Some(error)
        }
    };
    Ok(Some(RunRow { summary, end, contacts, found, error }))
}

/// Keeps the last sample, and the first and the last event of each slot.
struct Keeper<'a> {
    /// A kind, and the place of a contact: `None` for all of them, `Some(None)` for one that is not there.
    wanted: &'a [(EventKind, Option<Option<usize>>)],
    found: Vec<Found>,
    end: Option<Sample>,
    is_interrupted: &'a dyn Fn() -> bool,
}

impl Sink for Keeper<'_> {
    fn sample(&mut self, sample: Sample) {
        self.end = Some(sample);
    }

    fn event(&mut self, event: Event) {
        for ((kind, contact), found) in self.wanted.iter().zip(&mut self.found) {
            if event.kind() == *kind && contact.is_none_or(|contact| contact.is_some() && event.contact() == contact) {
                found.first.get_or_insert(event);
                found.last = Some(event);
                found.count += 1;
            }
        }
    }

    fn is_interrupted(&self) -> bool {
        (self.is_interrupted)()
    }
}

/// Columns by name, and the events that they need.
type NamedColumns = (Vec<(String, RunColumn)>, Vec<Slot>);

/// The columns of a plan that chooses none.
pub(super) fn default_columns() -> Vec<String> {
    ["ending", "time", "impacts", "settlings", "windows", "at_rest", "penetration", "residual"]
        .map(str::to_owned)
        .to_vec()
}

impl RunShape {
    /// The columns that names stand for, and the events that they need.
    pub(super) fn columns(&self, requested: &[String]) -> Result<NamedColumns, SweepError> {
        let (mut columns, mut slots) = (Vec::new(), Vec::new());
        for name in requested {
            columns.extend(self.expand(name, &mut slots)?);
        }
        Ok((columns, slots))
    }

    fn expand(&self, name: &str, slots: &mut Vec<Slot>) -> Result<Vec<(String, RunColumn)>, SweepError> {
        if name.contains('(') {
            return self.expand_events(name, slots);
        }
        let length = |length: Length| match length {
            Length::Coordinates => self.nq,
            Length::Velocities => self.nv,
            Length::Rows | Length::Tangents => 3,
        };
        if let Some(field) = name.strip_prefix("end.") {
            let columns = expand(END, field, length)?.into_iter();
            let columns = columns.map(|(field, reader)| (format!("end.{field}"), RunColumn::End(reader))).collect();
            return non_empty(columns, || unknown(name, &names(END)));
        }
        let settled = |contact: &str| (format!("settled.{contact}"), RunColumn::Settled(contact.to_owned()));
        if name == "settled" {
            return Ok(self.contacts.iter().map(|(contact, _)| settled(contact)).collect());
        }
        if let Some(contact) = name.strip_prefix("settled.") {
            return Ok(vec![settled(self.contact(name, contact)?.0)]);
        }
        let columns = expand(SUMMARY, name, length)?.into_iter();
        let columns = columns.map(|(name, reader)| (name, RunColumn::Summary(reader))).collect();
        non_empty(columns, || {
            let more = [
                "settled.CONTACT",
                "end.FIELD",
                "count(KIND, CONTACT)",
                "first(KIND, CONTACT).FIELD",
                "last(KIND, CONTACT).FIELD",
            ];
            unknown(name, &[&names(SUMMARY)[..], &more].concat())
        })
    }

    /// `count(KIND, CONTACT)`, `first(KIND, CONTACT).FIELD` and `last(KIND, CONTACT).FIELD`; without a contact, of all of them.
    fn expand_events(&self, name: &str, slots: &mut Vec<Slot>) -> Result<Vec<(String, RunColumn)>, SweepError> {
        let forms = ["count(KIND, CONTACT)", "first(KIND, CONTACT).FIELD", "last(KIND, CONTACT).FIELD"];
        let wrong = || unknown(name, &forms);
        let (function, rest) = name.split_once('(').ok_or_else(wrong)?;
        let (inner, field) = rest.rsplit_once(')').ok_or_else(wrong)?;
        let (kind, contact) = match inner.split_once(',') {
            Some((kind, contact)) => (kind.trim(), Some(contact.trim().trim_matches('"'))),
            None => (inner.trim(), None),
        };
        let kind = KINDS.into_iter().find(|known| known.name() == kind).ok_or_else(|| {
            let kinds = KINDS.map(EventKind::name);
            SweepError::UnknownColumn {
                name: name.to_owned(),
                hint: carom_scene::document::did_you_mean(kind, kinds),
                known: format!("{}, with KIND one of {}", forms.join(", "), kinds.join(", ")),
            }
        })?;
        let contact = contact.map(|contact| self.contact(name, contact)).transpose()?;
        let slot = Slot { kind, contact: contact.map(|(name, _)| name.to_owned()) };
        let place = slots.iter().position(|known| *known == slot).unwrap_or(slots.len());
        if place == slots.len() {
            slots.push(slot);
        }
        let slot = place;
        let of = contact.map_or(String::new(), |(contact, _)| format!(", {contact}"));
        let which = match function.trim() {
            "count" if field.is_empty() => {
                return Ok(vec![(format!("count({}{of})", kind.name()), RunColumn::Count { slot })]);
            }
            "first" => Which::First,
            "last" => Which::Last,
            _ => return Err(wrong()),
        };
        let prefix = format!("{}({}{of})", function.trim(), kind.name());
        let field = field.strip_prefix('.').ok_or_else(wrong)?;
        if field == "contact" {
            return Ok(vec![(format!("{prefix}.contact"), RunColumn::EventContact { slot, which })]);
        }
        let dimension = contact.map_or(3, |(_, dimension)| dimension);
        let columns = expand(EVENT, field, |_| dimension)?.into_iter();
        let columns = columns
            .map(|(field, reader)| (format!("{prefix}.{field}"), RunColumn::Event { slot, which, reader }))
            .collect();
        let fields = [&names(EVENT)[..], &["contact"]].concat();
        non_empty(columns, || unknown(field, &fields))
    }

    fn contact<'s>(&'s self, column: &str, contact: &str) -> Result<(&'s str, usize), SweepError> {
        let found = self.contacts.iter().find(|(name, _)| name == contact);
        let found = found.map(|(name, dimension)| (name.as_str(), *dimension));
        found.ok_or_else(|| {
            let known: Vec<String> = self.contacts.iter().map(|(name, _)| name.clone()).collect();
            unknown_contact(column, contact, &known)
        })
    }
}
