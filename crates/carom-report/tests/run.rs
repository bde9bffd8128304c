//! Runs in files: every number comes back with its bits, and what is incomplete says so.

mod common;

use std::collections::BTreeSet;

use carom_report::{EventLog, RunText, run_csv, run_events_csv, run_json};
use carom_scene::document::FORMAT_VERSION;
use carom_sim::{Ending, Record};
use serde_json::Value;

fn csv(record: &Record) -> Vec<Vec<String>> {
    let mut text = Vec::new();
    run_csv(record, &mut text).unwrap();
    parse(&String::from_utf8(text).unwrap())
}

fn events_csv(record: &Record) -> Vec<Vec<String>> {
    let mut text = Vec::new();
    run_events_csv(record, &mut text).unwrap();
    parse(&String::from_utf8(text).unwrap())
}

/// RFC 4180, for well-formed text.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => cell.extend(signs.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            sign => cell.push(sign),
        }
    }
    rows
}

fn json(record: &Record) -> Value {
    let mut text = Vec::new();
    run_json(record, &mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Name and the bits of every column of numbers, taken from the record by another way than the report's.
fn numbers(record: &Record) -> Vec<(String, Vec<u64>)> {
    let mut columns = Vec::new();
    let mut add = |name: String, of: &dyn Fn(usize) -> f64| {
        columns.push((name, (0..record.samples.len()).map(|i| of(i).to_bits()).collect()));
    };
    let samples = &record.samples;
    add("time".into(), &|i| samples[i].time);
    for (k, name) in record.header.coordinates.iter().enumerate() {
        add(format!("q.{name}"), &|i| samples[i].configuration[k]);
    }
    for (k, name) in record.header.velocities.iter().enumerate() {
        add(format!("v.{name}"), &|i| samples[i].velocity[k]);
    }
    for (c, contact) in record.header.contacts.iter().enumerate() {
        add(format!("contact.{}.gap", contact.name), &|i| samples[i].contacts[c].gap);
        for (k, row) in ["normal", "tangent1", "tangent2"].into_iter().enumerate().take(contact.dimension) {
            add(format!("contact.{}.force.{row}", contact.name), &|i| samples[i].contacts[c].force[k]);
        }
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            add(format!("contact.{}.position.{axis}", contact.name), &|i| samples[i].contacts[c].position[k]);
            add(format!("contact.{}.world_force.{axis}", contact.name), &|i| samples[i].contacts[c].world_force[k]);
        }
    }
    for name in [
        "kinetic",
        "potential",
        "impacts",
        "friction",
        "damping",
        "torques",
        "dry_friction",
        "settling",
        "projection",
        "windows",
        "rattle",
        "sequences",
        "residual",
    ] {
        let ledgers: Vec<Value> = samples.iter().map(|sample| serde_json::to_value(sample.energy).unwrap()).collect();
        add(format!("energy.{name}"), &|i| ledgers[i][name].as_f64().unwrap());
    }
    columns
}

/// Numbers that are hard to write: the least, the largest, a negative zero, neighbours of one.
fn awkward() -> Record {
    let mut record = common::cube();
    let hard =
        [5e-324, f64::MAX, -0.0, 1.0 + f64::EPSILON, -f64::MIN_POSITIVE, 0.1 + 0.2, 1e22, 123_456_789_012_345_680.0];
    for (sample, x) in record.samples.iter_mut().zip(hard) {
        sample.energy.friction = x;
        sample.contacts[3].gap = -x;
        sample.velocity[2] = x;
    }
    record
}

fn records() -> Vec<(&'static str, Record)> {
    common::runs().into_iter().chain([("awkward", awkward())]).collect()
}

#[test]
fn csv_comes_back_with_its_bits() {
    for (name, record) in records() {
        let rows = csv(&record);
        assert_eq!(rows.len(), record.samples.len() + 1, "{name}");
        let expected = numbers(&record);
        // Besides numbers: a mode for every contact, and the ending.
        assert_eq!(rows[0].len(), expected.len() + record.header.contacts.len() + 1, "{name}");
        for (column, bits) in expected {
            let at = rows[0].iter().position(|head| *head == column).unwrap_or_else(|| panic!("{name}: no {column}"));
            let read: Vec<u64> = rows[1..].iter().map(|row| row[at].parse::<f64>().unwrap().to_bits()).collect();
            assert!(read == bits, "{name}: {column}");
        }
        for (c, contact) in record.header.contacts.iter().enumerate() {
            let column = format!("contact.{}.mode", contact.name);
            let at = rows[0].iter().position(|head| *head == column).unwrap();
            let modes = record.samples.iter().map(|sample| sample.contacts[c].mode.name());
            assert!(rows[1..].iter().map(|row| row[at].as_str()).eq(modes), "{name}: {column}");
        }
    }
}

#[test]
fn json_comes_back_with_its_bits() {
    for (name, record) in records() {
        let run = json(&record);
        let columns = run["samples"].as_object().unwrap();
        let expected = numbers(&record);
        assert_eq!(columns.len(), expected.len() + record.header.contacts.len(), "{name}");
        for (column, bits) in expected {
            let read: Vec<u64> =
                columns[&column].as_array().unwrap().iter().map(|x| x.as_f64().unwrap().to_bits()).collect();
            assert!(read == bits, "{name}: {column}");
        }
        assert_eq!(run["format_version"], FORMAT_VERSION);
        assert_eq!(run["header"], serde_json::to_value(&record.header).unwrap());
        assert_eq!(run["summary"], serde_json::to_value(&record.summary).unwrap());
        assert_eq!(run["events"].as_array().unwrap().len(), record.events.len());
        for (read, event) in run["events"].as_array().unwrap().iter().zip(&record.events) {
            let contact = &record.header.contacts[event.contact().unwrap()];
            assert_eq!(read["contact"], contact.name.as_str());
            assert_eq!(read["impulse"].as_array().unwrap().len(), contact.dimension);
            assert_eq!(read["kind"], event.kind().name());
            assert_eq!(read["time"].as_f64().unwrap().to_bits(), event.time().to_bits());
            assert_eq!(read["energy_change"].as_f64().unwrap().to_bits(), event.energy_change().to_bits());
        }
    }
}

#[test]
fn events_stand_in_their_own_csv() {
    let record = common::ball();
    let rows = events_csv(&record);
    assert_eq!(rows.len(), record.events.len() + 1);
    let at = |name: &str| rows[0].iter().position(|head| head == name).unwrap();
    for (row, event) in rows[1..].iter().zip(&record.events) {
        assert_eq!(row[at("time")].parse::<f64>().unwrap().to_bits(), event.time().to_bits());
        assert_eq!(row[at("kind")], event.kind().name());
        assert_eq!(row[at("contact")], "bottom");
        assert_eq!(row[at("impact")], event.impact().map_or("", carom_law::Mode::name));
        assert_eq!(row[at("impulse.normal")].parse::<f64>().unwrap().to_bits(), event.impulse()[0].to_bits());
        assert_eq!(row[at("settled")].parse::<f64>().ok(), event.settled());
    }
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Field, Row};
    use carom_report::{run_events_parquet, run_parquet};
    use carom_sim::{DeviceEvent, Event};

    fn read(bytes: Vec<u8>) -> (Vec<Row>, Vec<(String, String)>) {
        let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let metadata = file.metadata().file_metadata().key_value_metadata().unwrap();
        let metadata = metadata.iter().map(|pair| (pair.key.clone(), pair.value.clone().unwrap())).collect();
        (file.get_row_iter(None).unwrap().collect::<Result<_, _>>().unwrap(), metadata)
    }

    fn cell<'a>(row: &'a Row, name: &str) -> &'a Field {
        row.get_column_iter().find(|(column, _)| *column == name).map(|(_, field)| field).unwrap()
    }

    #[test]
    fn parquet_comes_back_with_its_bits() {
        for (name, record) in records() {
            let mut bytes = Vec::new();
            run_parquet(&record, &mut bytes).unwrap();
            let (rows, metadata) = read(bytes);
            assert_eq!(rows.len(), record.samples.len(), "{name}");
            for (column, bits) in numbers(&record) {
                for (row, bits) in rows.iter().zip(bits) {
                    let Field::Double(x) = cell(row, &column) else { panic!("{name}: {column}") };
                    assert_eq!(x.to_bits(), bits, "{name}: {column}");
                }
            }
            for (row, sample) in rows.iter().zip(&record.samples) {
                for (contact, now) in record.header.contacts.iter().zip(&sample.contacts) {
                    let mode = Field::Str(now.mode.name().to_owned());
                    assert_eq!(*cell(row, &format!("contact.{}.mode", contact.name)), mode);
                }
            }
            let get = |key: &str| metadata.iter().find(|(name, _)| name == key).unwrap().1.clone();
            let run = json(&record);
            assert_eq!(get("carom.format_version"), FORMAT_VERSION.to_string());
            assert_eq!(serde_json::from_str::<Value>(&get("carom.header")).unwrap(), run["header"]);
            assert_eq!(serde_json::from_str::<Value>(&get("carom.summary")).unwrap(), run["summary"]);
            assert_eq!(serde_json::from_str::<Value>(&get("carom.events")).unwrap(), run["events"]);
            assert_eq!(get("carom.ending"), run["summary"]["ending"].as_str().unwrap());
        }
    }

    #[test]
    fn events_stand_in_their_own_parquet() {
        let mut record = common::ball();
        let time = record.events[1].time();
        let rest = DeviceEvent { time, contact: None, mode: None, impulse: [0.0; 3], energy_change: -1e-9 };
        record.events[1] = Event::Window(rest);
        let mut bytes = Vec::new();
        run_events_parquet(&record, &mut bytes).unwrap();
        let (rows, _) = read(bytes);
        assert_eq!(rows.len(), record.events.len());
        for (row, event) in rows.iter().zip(&record.events) {
            assert_eq!(*cell(row, "time"), Field::Double(event.time()));
            let contact = event.contact().map_or(Field::Null, |_| Field::Str("bottom".into()));
            assert_eq!(*cell(row, "contact"), contact);
            assert_eq!(*cell(row, "settled"), event.settled().map_or(Field::Null, Field::Double));
        }
    }
}

/// A name may hold what separates cells, rows and tags.
#[test]
fn names_are_escaped() {
    let mut record = common::ball();
    let name = "a,\"b\"\nc</script>";
    record.header.contacts[0].name = name.to_owned();
    let column = format!("contact.{name}.gap");
    assert!(csv(&record)[0].contains(&column));
    assert!(events_csv(&record)[1..].iter().all(|row| row[2] == name));
    assert!(json(&record)["samples"].get(&column).is_some());
}

#[test]
fn incomplete_runs_say_so_in_every_format() {
    for (ending, word) in [
        (Ending::Complete, "complete"),
        (Ending::Interrupted, "interrupted"),
        (Ending::OutOfTime, "out_of_time"),
        (Ending::Failed, "failed"),
    ] {
        let mut record = common::cube();
        record.summary.ending = ending;
        let rows = csv(&record);
        let at = rows[0].iter().position(|head| head == "ending").unwrap();
        assert_eq!(rows.last().unwrap()[at], word);
        assert!(rows[1..rows.len() - 1].iter().all(|row| row[at].is_empty()));
        assert_eq!(json(&record)["summary"]["ending"], word);
        let text = RunText { title: "toss", record: &record }.to_string();
        assert_eq!(text.contains("INCOMPLETE"), ending != Ending::Complete, "{text}");
    }
}

#[test]
fn the_summary_says_when_it_settled() {
    let record = common::ball();
    let text = RunText { title: "ball", record: &record }.to_string();
    for part in ["ball\n  ran for 5 s; still moving", "settled at t = 4.0637127688716 s, slip", "impacts, 1 settling"] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let mut record = record;
    record.summary.at_rest = record.summary.settled[0];
    let text = RunText { title: "ball", record: &record }.to_string();
    assert!(text.contains("at rest since t = 4.0637127688716 s"), "{text}");
}

/// Of many contacts, those that fly at the end are only counted.
#[test]
fn many_contacts_are_counted() {
    let mut record = common::cube();
    for k in 0..30 {
        let (header, now) = (record.header.contacts[0].clone(), record.samples[0].contacts[0]);
        record.header.contacts.push(carom_sim::ContactHeader { name: format!("more_{k}"), ..header });
        record.samples.iter_mut().for_each(|sample| sample.contacts.push(now));
    }
    record.samples.last_mut().unwrap().contacts[33].mode = carom_sim::ContactMode::Slip;
    let text = RunText { title: "many", record: &record }.to_string();
    assert!(text.contains("    more_25           slip\n    37 more           flight\n"), "{text}");
}

#[test]
fn a_long_log_is_short_in_the_middle() {
    let record = common::ball();
    let log = |most: Option<usize>, is_grouped: bool| EventLog { record: &record, most, is_grouped }.to_string();
    let all = log(None, false);
    assert_eq!(all.lines().count(), record.events.len() + 1);
    let short = log(Some(10), false);
    assert_eq!(short.lines().count(), 12);
    assert!(short.contains(&format!("… {} more …", record.events.len() - 10)), "{short}");
    // Columns are as wide as what is shown.
    let cells = |text: &str, line: usize| -> Vec<String> {
        text.lines().nth(line).unwrap().split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(cells(&short, 1), cells(&all, 1));
    assert_eq!(cells(&short, 11), cells(&all, record.events.len()));
    let few = EventLog { record: &common::cube(), most: Some(3), is_grouped: true }.to_string();
    assert!(!few.contains("more"), "{few}");
}

/// The last bounces of the ball are one row, which says which of the events it stands for, how many bounces they are and
/// what they did.
#[test]
fn a_log_groups_bounces() {
    let record = common::ball();
    let rows = carom_report::event_groups(&record.events, record.header.interval);
    let log = EventLog { record: &record, most: None, is_grouped: true }.to_string();
    assert_eq!(log.lines().count(), rows.len() + 1);
    let group = rows.last().unwrap().events.clone();
    let last = log.lines().last().unwrap();
    let numbers = format!("{}-{}", group.start, group.end - 1);
    for words in [numbers.as_str(), "bottom", "bounces in 41.6 ms", "slip", "N s in all"] {
        assert!(last.contains(words), "{words:?} is not in {last:?}");
    }
    let energy: f64 = record.events[group].iter().map(|event| event.energy_change()).sum();
    let shown: f64 = last.split_whitespace().last().unwrap().parse().unwrap();
    assert!((shown - energy).abs() <= 1e-5 * energy.abs(), "{last}");
}

/// Impulses have units: N m s at the limit of a hinge, N s at that of a slide and at surfaces.
#[test]
fn impulses_have_their_units() {
    use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
    let mut record = common::ball();
    let mut builder = ModelBuilder::new("limits");
    let mut parent = LinkId::WORLD;
    for (name, kind) in [("hinge", JointKind::Revolute), ("slide", JointKind::Prismatic)] {
        let mut joint = Joint::new(name, kind).along([0.0, -1.0, 0.0]);
        joint.limits = Some([-1.0, 1.0]);
        let link = LinkSpec::new(format!("{name}_link")).joint(joint).inertia(Inertia::point(1.0, [0.1, 0.0, 0.2]));
        parent = builder.link(parent, link).unwrap();
    }
    record.model = std::sync::Arc::new(builder.build().unwrap());
    let limit = |name: &str| carom_sim::ContactHeader {
        name: name.to_owned(),
        dimension: 1,
        surface: None,
        against: None,
        joint: None,
    };
    record.header.contacts.extend(
        ["hinge lower limit", "hinge upper limit", "slide lower limit", "slide upper limit"].into_iter().map(limit),
    );
    let carom_sim::Event::Impact(first) = record.events[0] else { panic!("an impact") };
    record.events.clear();
    for contact in [0, 2, 3] {
        let impulse = [0.25, 0.0, 0.0];
        record.events.push(carom_sim::Event::Impact(carom_sim::ImpactEvent { contact, impulse, ..first }));
    }
    let log = EventLog { record: &record, most: None, is_grouped: true }.to_string();
    let rows: Vec<&str> = log.lines().skip(1).collect();
    assert!(rows[0].contains("(0.25, 0) N s"), "{log}");
    assert!(rows[1].contains("0.25 N m s"), "{log}");
    assert!(rows[2].contains("0.25 N s"), "{log}");
}

/// A window names each contact with its impulse and its energy, and the energy that belongs to no contact; the summary
/// has the sum.
#[test]
fn devices_say_what_they_did() {
    use carom_sim::{ContactMode, DeviceEvent, Event};
    let mut record = common::ball();
    let time = 0.5;
    let window = |contact: Option<usize>, impulse: f64, energy_change: f64| {
        let mode = contact.map(|_| ContactMode::Stick);
        Event::Window(DeviceEvent { time, contact, mode, impulse: [impulse, 0.0, 0.0], energy_change })
    };
    record.events = vec![window(Some(0), 0.125, -0.25), window(Some(0), 0.0, 0.0), window(None, 0.0, -0.5)];
    record.summary.windows = 1;
    record.samples.last_mut().unwrap().energy.windows = -0.75;
    let log = EventLog { record: &record, most: None, is_grouped: true }.to_string();
    let rows: Vec<Vec<&str>> = log
        .lines()
        .skip(1)
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["0", "0.5", "bottom", "window of time stepping", "stick", "(0.125, 0) N s", "-0.25"]);
    assert_eq!(rows[1], ["1", "0.5", "bottom", "window of time stepping", "stick", "(0, 0) N s", "0"]);
    assert_eq!(rows[2], ["2", "0.5", "the rest", "window of time stepping", "-0.5"]);
    let text = RunText { title: "window", record: &record }.to_string();
    assert!(text.contains("time stepping       1 window, -0.75 J\n"), "{text}");
}

/// The page of the book lists exactly the columns there are.
#[test]
fn the_book_lists_every_column() {
    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/runs.md");
    let text = std::fs::read_to_string(book).unwrap();
    let listed = |section: &str| -> BTreeSet<String> {
        let section = text.split(section).nth(1).unwrap().split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
        rows.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
    };
    let record = common::sphere();
    let head = csv(&record).swap_remove(0).into_iter().filter(|name| name != "ending");
    let pattern = |name: String| match name.split_once('.') {
        Some((letter @ ("q" | "v"), _)) => format!("{letter}.NAME"),
        _ => name.replace("contact.bottom.", "contact.NAME."),
    };
    assert_eq!(listed("## Columns of samples"), head.map(pattern).collect());
    assert_eq!(listed("## Columns of events"), events_csv(&record).swap_remove(0).into_iter().collect());
}
