//! Lines read in place and records written without a serializer, against the reader of trees and serde_json.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use carom_scene::document::{Document, Format, Kind};
use carom_scene::line::LineSolver;
use carom_scene::record::{ErrorRecord, Fields, Id, OutcomeRecord, RobotRecord};
use carom_scene::robots::Robots;
use carom_scene::{Problem, ProblemError};
use fastrand::Rng;
use serde_json::value::RawValue;

/// The record of a line, by the reader of trees and serde_json, with nothing kept from other lines.
fn by_tree(line: &[u8], number: usize) -> String {
    let Ok(text) = std::str::from_utf8(line) else {
        let error = ProblemError::document(Kind::Syntax, "the line is not UTF-8 text", Some(number));
        return ErrorRecord::new(&error, None).line();
    };
    let id = Id::of_json(text);
    let solved = Document::read(text, Format::Json).and_then(|document| {
        let problem = Problem::from_tree(document.tree())?;
        Ok((problem.answer()?, problem.scene().map(RobotRecord::new).transpose()?))
    });
    match solved {
        Ok((answer, robot)) => OutcomeRecord::new(&answer, robot.as_ref(), Some(&id)).line(),
        Err(mut error) => {
            error.line = Some(number);
            ErrorRecord::new(&error, Some(&id).filter(|_| error.kind != Kind::Syntax)).line()
        }
    }
}

fn solver() -> LineSolver {
    LineSolver::new(Path::new(""), &Arc::new(Robots::new()))
}

fn solve(solver: &mut LineSolver, line: &[u8]) -> String {
    let mut out = b"before".to_vec();
    let _ = solver.solve(line, 5, &mut out);
    String::from_utf8(out.split_off(6)).unwrap()
}

/// A number in one of the ways in which JSON writes it.
fn shown(random: &mut Rng, x: f64) -> String {
    match random.u8(0..12) {
        0 => format!("{x:e}"),
        1 => format!("{:.3}", x),
        2 => format!("{}", x.round()),
        3 => format!("{x:E}").replace("E", "E+").replace("+-", "-"),
        4 => format!("{x:.25}"),
        _ => format!("{x:?}"),
    }
}

/// A number that is ordinary, or now and then extreme.
fn number(random: &mut Rng, size: f64) -> String {
    match random.u16(0..4000) {
        0 => "-0".into(),
        1 => "0".into(),
        2 => "1e400".into(),
        3 => "1e-320".into(),
        4 => "1e300".into(),
        5 => "null".into(),
        6 => "\"1\"".into(),
        7 => "01".into(),
        8 => "[1]".into(),
        _ => {
            let x = size * (2.0 * random.f64() - 1.0);
            shown(random, x)
        }
    }
}

fn list(random: &mut Rng, length: usize, size: f64) -> String {
    let entries: Vec<String> = (0..length).map(|_| number(random, size)).collect();
    format!("[{}]", entries.join(","))
}

/// A symmetric positive definite matrix, scaled, singular or broken now and then.
fn matrix(random: &mut Rng, size: usize) -> String {
    let rank = if random.u8(0..20) == 0 { 1.max(size - 1) } else { size };
    let scale = [1.0, 1.0, 1.0, 1e-8, 1e12][random.usize(0..5)];
    let factor: Vec<Vec<f64>> = (0..size).map(|_| (0..rank).map(|_| random.f64() - 0.5).collect()).collect();
    let diagonal = if rank == size { 0.2 } else { 0.0 };
    let rows = (0..size).map(|i| {
        let row = (0..size).map(|j| {
            let dot: f64 = factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum();
            scale * (dot + if i == j { diagonal } else { 0.0 })
        });
        format!("[{}]", row.map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", "))
    });
    let rows: Vec<String> = rows.collect();
    if random.u8(0..100) == 0 { list(random, 3, 1.0) } else { format!("[{}]", rows.join(",")) }
}

fn coefficient(random: &mut Rng) -> String {
    let x = if random.u8(0..40) == 0 { 1.5 } else { random.f64() };
    shown(random, x)
}

const LAWS: [&str; 11] = [
    "aghili",
    "aghili-printed",
    "newton",
    "moreau",
    "poisson",
    "stronge",
    "newton-routh",
    "chatterjee-ruina",
    "chord",
    "hunt-crossley",
    "coulomb",
];

const IDS: [&str; 16] = [
    "1",
    "-0",
    "12345678901234567890123",
    "1e400",
    "1.50",
    "\"a\"",
    "\"\u{e9}\"",
    "\"a\\n\\u0041\"",
    "null",
    "true",
    "nul",
    "{\"k\": [1, 2.50]}",
    "{\"k\": 1, \"k\": 2}",
    "[1, [2, {\"a\": \"]\"}]]",
    "[1, 01]",
    "\"\t\"",
];

/// The keys that all problems have.
fn common(random: &mut Rng, keys: &mut Vec<(String, String)>) {
    let mut add = |key: &str, value: String| keys.push((key.to_owned(), value));
    if random.u8(0..50) > 0 {
        let restitution = match random.u8(0..10) {
            0 => format!("{{\"normal\": {}, \"tangential\": {}}}", coefficient(random), coefficient(random)),
            1 => format!("{{\"hunt_crossley\": {{\"alpha\": {}}}}}", coefficient(random)),
            2 if random.u8(0..9) == 0 => "{\"normal\": 0.5, \"normal\": 0.5}".into(),
            _ => coefficient(random),
        };
        add("restitution", restitution);
    }
    if random.u8(0..15) > 0 {
        let friction = match random.u8(0..8) {
            0 => format!("{{\"static\": 0.9, \"dynamic\": {}}}", coefficient(random)),
            1 if random.u8(0..9) == 0 => "{\"static\": 0.9}".into(),
            _ => coefficient(random),
        };
        add("friction", friction);
    }
    if random.bool() {
        let known = if random.u8(0..9) == 0 { 4 } else { 3 };
        let guard = ["report", "limit", "slip", "none"][random.usize(0..known)];
        add("guard", format!("\"{guard}\""));
    }
    if random.u8(0..3) == 0 {
        add("law", format!("\"{}\"", LAWS[random.usize(0..LAWS.len())]));
    }
    if random.u8(0..3) == 0 {
        add("id", IDS[random.usize(0..IDS.len())].to_owned());
    }
    if random.u8(0..10) == 0 {
        add("format_version", ["1", "1.0", "2", "\"1\""][random.usize(0..4)].to_owned());
    }
}

fn of_matrices(random: &mut Rng) -> Vec<(String, String)> {
    let rows = random.usize(1..=3);
    let mut keys = Vec::new();
    let mut add = |key: &str, value: String| keys.push((key.to_owned(), value));
    if random.bool() {
        add("delassus", matrix(random, rows));
        let rest = list(random, rows - 1, 1.0);
        let normal = if random.u8(0..5) == 0 { 0.5 } else { -random.f64() };
        add("contact_velocity", format!("[{normal:?},{}", &rest[1..]).replace(",]", "]"));
    } else {
        let n = random.usize(rows..=6);
        add("mass_matrix", matrix(random, n));
        let jacobian: Vec<String> = (0..rows).map(|_| list(random, n, 1.0)).collect();
        add("contact_jacobian", format!("[{}]", jacobian.join(", ")));
        add("velocity", list(random, n, 2.0));
    }
    keys
}

/// Built-in robots with their joints, contacts and bases.
fn of_scene(random: &mut Rng) -> Vec<(String, String)> {
    let (model, joints, contact, bases): (&str, &[&str], &str, &[&str]) = match random.u8(0..6) {
        0 => ("\"builtin\": \"double_pendulum\"", &["shoulder", "elbow"], "{\"link\": \"tip\"}", &[""]),
        1 => (
            "\"builtin\": \"sphere\"",
            &[],
            "{\"frame\": \"bottom\"}",
            &[
                "",
                "{\"position\": [0, 0, @], \"velocity\": [2, @, -1]}",
                "{\"velocity\": [@, @, -1]}",
                "{\"touch\": \"lowest\"}",
            ],
        ),
        2 => (
            "\"builtin\": \"quadruped\"",
            &["front_left_hip", "front_left_knee", "rear_right_hip"],
            "{\"link\": \"front_left_foot\", \"radius\": 0.02}",
            &[
                "{\"floating\": true, \"position\": [0, 0, @], \"rpy\": [0.1, @, 0], \"velocity\": [0, 0, -1.2]}",
                "{\"floating\": true, \"velocity\": [0, @, -1.2], \"angular_velocity\": [@, 0, 0]}",
                "{\"floating\": true, \"position\": [0, 0, 0.3], \"position\": [0, 0, 0.3]}",
                "{\"floating\": false, \"position\": [0, 0, @]}",
                "{\"floating\": true, \"touch\": \"lowest\", \"velocity\": [0, 0, -1]}",
            ],
        ),
        _ => (
            "\"builtin\": \"arm\"",
            &["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"],
            "{\"link\": \"tool_tip\"}",
            &["", "", "", "", "{\"position\": [0, 0, 1]}", "{\"position\": [0, 0, @]}"],
        ),
    };
    let mut keys = Vec::new();
    let mut add = |key: &str, value: String| keys.push((key.to_owned(), value));
    add("model", format!("{{{model}}}"));
    let base = bases[random.usize(0..bases.len())];
    let base = base.split('@').map(str::to_owned).reduce(|one, other| format!("{one}{:?}{other}", random.f64()));
    if let Some(base) = base.filter(|base| !base.is_empty()) {
        add("base", base);
    }
    let contact = match random.u8(0..12) {
        0 => contact.replace('}', ", \"friction\": 0.3, \"restitution\": 0.1}"),
        1 => contact.replace('}', ", \"dimension\": 1}"),
        _ => contact.to_owned(),
    };
    match random.u8(0..12) {
        0 => {
            let other = contact.replace('{', "{\"name\": \"other\", ");
            add("contacts", format!("[{contact}, {other}]"));
            if random.bool() {
                add("strike", "\"other\"".into());
            }
        }
        _ => add("contact", contact),
    }
    add("surface", "{\"normal\": [0, 0, 1]}".into());
    if random.u8(0..9) == 0 {
        add("title", ["\"a\"", "\"\u{e9}\"", "1"][random.usize(0..3)].into());
    }
    if random.u8(0..12) == 0 {
        add("gravity", "[0, 0, -1.6]".into());
    }
    let part = |random: &mut Rng, size: f64| match random.u8(0..12) {
        0 => list(random, joints.len(), size),
        1 => list(random, 7, size),
        _ => {
            let mut entries: Vec<String> = Vec::new();
            for joint in joints {
                if random.u8(0..8) > 0 {
                    let value = match random.u8(0..12) {
                        0 => list(random, 1, size),
                        _ => number(random, size),
                    };
                    entries.push(format!("\"{joint}\": {value}"));
                }
            }
            match random.u8(0..60) {
                0 => entries.push("\"elbow\": 0.5".into()),
                1 => entries.push("\"knee\": 0.5".into()),
                2 => entries.push("\"elb\\u006fw\": 0.5".into()),
                3 => entries.push("\"base\": [0, 0, 1, 1, 0, 0, 0]".into()),
                _ => random.shuffle(&mut entries),
            }
            format!("{{{}}}", entries.join(", "))
        }
    };
    let state = match random.u8(0..20) {
        0 => "null".into(),
        1 => "{}".into(),
        2 => format!("{{\"velocity\": {}}}", part(random, 1.0)),
        3 => format!("{{\"velocity\": {0}, \"velocity\": {0}}}", part(random, 1.0)),
        4 => format!("{{\"configuration\": {}, \"speed\": 1}}", part(random, 1.0)),
        // Limits of joints are exceeded now and then.
        5 => format!("{{\"configuration\": {}, \"velocity\": {}}}", part(random, 9.0), part(random, 2.0)),
        _ => format!("{{\"configuration\": {}, \"velocity\": {}}}", part(random, 1.0), part(random, 2.0)),
    };
    add("state", state);
    keys
}

fn line(random: &mut Rng) -> Vec<u8> {
    let mut keys = if random.u8(0..3) == 0 { of_scene(random) } else { of_matrices(random) };
    common(random, &mut keys);
    match random.u8(0..60) {
        0 => keys.push(keys[random.usize(0..keys.len())].clone()),
        1 => keys.push(("unknown".into(), "1".into())),
        2 => keys.push(("velocity".into(), "[1]".into())),
        3 => keys.push(("model".into(), "{\"builtin\": \"arm\"}".into())),
        4 => keys.push(("contacts".into(), "[{\"dimension\": 3}]".into())),
        5 => keys.push(("id".into(), format!("{}1{}", "[".repeat(130), "]".repeat(130)))),
        6 => keys.push(("id".into(), format!("{}1{}", "[".repeat(126), "]".repeat(126)))),
        7 => {
            let last = keys.len() - 1;
            keys.remove(random.usize(0..=last));
        }
        _ => {}
    }
    if random.u8(0..4) == 0 {
        random.shuffle(&mut keys);
    }
    let [colon, comma, end] = match random.u8(0..6) {
        0 => [" : ", " ,\t", " \r\n"],
        1 => [":", ",", "\n"],
        2 if random.u8(0..9) == 0 => [":", ",", "}"],
        3 if random.u8(0..9) == 0 => [":", ",,", "\n"],
        _ => [": ", ", ", "\n"],
    };
    let entries: Vec<String> = keys.iter().map(|(key, value)| format!("\"{key}\"{colon}{value}")).collect();
    let mut text = format!("{{{}}}{end}", entries.join(comma));
    match random.u8(0..60) {
        0 => text.insert(0, '\u{feff}'),
        1 => text.insert(0, ' '),
        2 => text = text.replacen('i', "\\u0069", 1),
        _ => {}
    }
    text.into_bytes()
}

/// Changes a few bytes.
fn mutate(random: &mut Rng, line: &mut Vec<u8>) {
    const BYTES: &[u8] = b"{}[]\",:.0159-+eE \\\t\0nN\xff\xc3a";
    for _ in 0..random.usize(1..4) {
        let place = random.usize(0..line.len().max(1));
        match random.u8(0..4) {
            0 if !line.is_empty() => drop(line.remove(place.min(line.len() - 1))),
            1 => line.insert(place.min(line.len()), BYTES[random.usize(0..BYTES.len())]),
            2 if !line.is_empty() => line[place] = BYTES[random.usize(0..BYTES.len())],
            _ => line.truncate(line.len() - random.usize(0..=line.len().min(3))),
        }
    }
}

#[test]
fn lines_read_in_place_give_the_bytes_of_the_reader_of_trees() {
    let seed = 20_261_118;
    let mut random = Rng::with_seed(seed);
    let mut solver = solver();
    let (mut solved, mut modes) = (0, std::collections::BTreeSet::new());
    for k in 0..30_000 {
        let mut line = line(&mut random);
        if random.u8(0..6) == 0 {
            mutate(&mut random, &mut line);
        }
        let expected = by_tree(&line, 5);
        let found = solve(&mut solver, &line);
        assert_eq!(found, expected, "line {k} of seed {seed}: {}", String::from_utf8_lossy(&line));
        solved += usize::from(expected.contains("\"mode\""));
        modes.extend(expected.split("\"mode\":\"").nth(1).and_then(|rest| rest.split('"').next().map(str::to_owned)));
    }
    // A third of the lines and more have an answer, and every mode occurs.
    assert!(solved > 10_000, "{solved}");
    assert_eq!(modes.len(), 4, "{modes:?}");
}

#[test]
fn chosen_fields_are_those_of_the_whole_record() {
    let seed = 3;
    let mut random = Rng::with_seed(seed);
    let lines: Vec<Vec<u8>> = (0..400).map(|_| line(&mut random)).collect();
    for k in 0..40 {
        let names: Vec<&str> = match Fields::NAMES.get(k) {
            Some(name) => vec![name],
            None => random.choose_multiple(Fields::NAMES, 7),
        };
        let mut solver = solver().fields(names.join(",").parse().unwrap());
        for line in &lines {
            let whole = by_tree(line, 5);
            // Ids are carried to the letter, also those that are no numbers of f64.
            let read = |text: &str| -> Vec<(String, String)> {
                let all: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap();
                all.into_iter().map(|(key, value)| (key, value.get().to_owned())).collect()
            };
            let mut expected = read(&whole);
            if !expected.iter().any(|(key, _)| key == "error") {
                expected.retain(|(key, _)| names.contains(&key.as_str()));
            }
            let found = read(&solve(&mut solver, line));
            assert_eq!(found, expected, "{names:?}, seed {seed}: {}", String::from_utf8_lossy(line));
        }
    }
}

#[test]
fn every_field_of_a_record_can_be_chosen() {
    for name in ["kane", "landing"] {
        let problem = carom_scene::gallery::impact(name).unwrap();
        let robot = RobotRecord::new(problem.scene().unwrap()).unwrap();
        let answer = problem.answer().unwrap();
        let record = serde_json::to_value(OutcomeRecord::new(&answer, Some(&robot), None)).unwrap();
        for key in record.as_object().unwrap().keys() {
            assert!(Fields::NAMES.contains(&key.as_str()), "{key}");
        }
    }
    let error = "mode,force".parse::<Fields>().unwrap_err().to_string();
    assert!(
        error.starts_with("\"force\" is not a field of an outcome; the fields are format_version, mode"),
        "{error}"
    );
}
