//! The columns of a run, the same in every format.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use carom_sim::{ContactSample, Ending, Event, Ledger, Record, Sample};

/// Names of a contact's rows: the normal, then the tangents.
const ROWS: [&str; 3] = ["normal", "tangent1", "tangent2"];
const AXES: [&str; 3] = ["x", "y", "z"];

/// A named column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Column<'a> {
    /// Its name, as in files.
    pub name: String,
    /// Its values, one a row.
    pub values: Values<'a>,
}

/// The values of a column, one per row.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// A number in every row.
    Numbers(Vec<f64>),
    /// A word in every row.
    Words(Vec<&'a str>),
    /// Values that may be missing.
    SomeNumbers(Vec<Option<f64>>),
    /// Values that may be missing.
    SomeWords(Vec<Option<&'a str>>),
}

/// The samples of a run, one per row: the columns of its files.
///
/// ```
/// use carom_report::{Values, run_columns};
/// use carom_sim::{Recorder, Simulation};
///
/// let mut simulation = Simulation::new(carom_scene::gallery::simulation("ball")?)?;
/// let mut recorder = Recorder::new();
/// simulation.run_until(1.0, &mut recorder)?;
/// let record = recorder.finish(&simulation);
/// let columns = run_columns(&record);
/// assert_eq!(columns[0].name, "time");
/// assert!(matches!(&columns[0].values, Values::Numbers(times) if times.len() == record.samples.len()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_columns(record: &Record) -> Vec<Column<'static>> {
    let header = &record.header;
    let mut table = Table { samples: &record.samples, columns: Vec::new() };
    table.numbers("time", |sample| sample.time);
    for (i, name) in header.coordinates.iter().enumerate() {
        table.numbers(&format!("q.{name}"), |sample| sample.configuration[i]);
    }
    for (i, name) in header.velocities.iter().enumerate() {
        table.numbers(&format!("v.{name}"), |sample| sample.velocity[i]);
    }
    for (i, contact) in header.contacts.iter().enumerate() {
        table.contact(i, &contact.name, contact.dimension);
    }
    for (name, part) in LEDGER {
        table.numbers(&format!("energy.{name}"), |sample| part(&sample.energy));
    }
    table.columns
}

/// The events of a run, with one row per contact of an event.
pub fn run_event_columns(record: &Record) -> Vec<Column<'_>> {
    let all = || record.events.iter();
    let numbers = |of: fn(&Event) -> f64| Values::Numbers(all().map(of).collect());
    let impulse = |k: usize| Values::Numbers(all().map(|event| event.impulse()[k]).collect());
    let contact = |event: &Event| Some(record.header.contacts.get(event.contact()?)?.name.as_str());
    let column = |name: &str, values| Column { name: name.to_owned(), values };
    vec![
        column("time", numbers(|event| event.time())),
        column("kind", Values::Words(all().map(|event| event.kind().name()).collect())),
        column("contact", Values::SomeWords(all().map(contact).collect())),
        column("impact", Values::SomeWords(all().map(|event| Some(event.impact()?.name())).collect())),
        column("mode", Values::SomeWords(all().map(|event| Some(event.mode()?.name())).collect())),
        column("impulse.normal", impulse(0)),
        column("impulse.tangent1", impulse(1)),
        column("impulse.tangent2", impulse(2)),
        column("energy_change", numbers(|event| event.energy_change())),
        column("settled", Values::SomeNumbers(all().map(|event| event.settled()).collect())),
    ]
}

type Part = fn(&Ledger) -> f64;

/// The energy book, column by column.
const LEDGER: [(&str, Part); 13] = [
    ("kinetic", |energy| energy.kinetic),
    ("potential", |energy| energy.potential),
    ("impacts", |energy| energy.impacts),
    ("friction", |energy| energy.friction),
    ("damping", |energy| energy.damping),
    ("dry_friction", |energy| energy.dry_friction),
    ("torques", |energy| energy.torques),
    ("settling", |energy| energy.settling),
    ("projection", |energy| energy.projection),
    ("windows", |energy| energy.windows),
    ("rattle", |energy| energy.rattle),
    ("sequences", |energy| energy.sequences),
    ("residual", |energy| energy.residual),
];

/// The name of an ending in files.
pub(super) fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Interrupted => "interrupted",
        Ending::OutOfTime => "out_of_time",
        Ending::Failed => "failed",
    }
}

struct Table<'a> {
    samples: &'a [Sample],
    columns: Vec<Column<'static>>,
}

impl Table<'_> {
    fn numbers(&mut self, name: &str, of: impl Fn(&Sample) -> f64) {
        let values = Values::Numbers(self.samples.iter().map(of).collect());
        self.columns.push(Column { name: name.to_owned(), values });
    }

    fn contact(&mut self, index: usize, name: &str, dimension: usize) {
        let of = |sample: &Sample| -> ContactSample { sample.contacts[index] };
        let modes = self.samples.iter().map(|sample| of(sample).mode.name()).collect();
        self.columns.push(Column { name: format!("contact.{name}.mode"), values: Values::Words(modes) });
        self.numbers(&format!("contact.{name}.gap"), |sample| of(sample).gap);
        for (k, axis) in AXES.iter().enumerate() {
            self.numbers(&format!("contact.{name}.position.{axis}"), |sample| of(sample).position[k]);
        }
        for (k, row) in ROWS.iter().enumerate().take(dimension) {
            self.numbers(&format!("contact.{name}.force.{row}"), |sample| of(sample).force[k]);
        }
        for (k, axis) in AXES.iter().enumerate() {
            self.numbers(&format!("contact.{name}.world_force.{axis}"), |sample| of(sample).world_force[k]);
        }
    }
}

/// Columns as one object that maps names to arrays.
pub(super) struct Columns<'a>(pub(super) Vec<Column<'a>>);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for Column { name, values } in &self.0 {
            match values {
                Values::Numbers(values) => map.serialize_entry(name, values)?,
                Values::Words(values) => map.serialize_entry(name, values)?,
                Values::SomeNumbers(values) => map.serialize_entry(name, values)?,
                Values::SomeWords(values) => map.serialize_entry(name, values)?,
            }
        }
        map.end()
    }
}
