//! Runs say what they are runs of: they are repeated to the bit, and each of their impacts can be studied by itself.

mod common;

use std::path::{Path, PathBuf};

use common::{assert_close, carom, numbers};
use serde_json::Value;

/// A folder for runs.
struct Runs(tempfile::TempDir);

impl Runs {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        text_of(&self.path(name))
    }

    /// A run in a file; the command may fail during the run.
    fn simulate(&self, file: &str, arguments: &[&str]) -> String {
        let path = text_of(&self.path(file));
        let ran = carom(&[&["simulate", "-q", "-o", &path], arguments].concat());
        assert!(ran.code <= 1, "{}", ran.err);
        path
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The formats of runs of this build.
fn formats() -> Vec<&'static str> {
    let mut formats = vec!["json", "csv"];
    if cfg!(feature = "parquet") {
        formats.push("parquet");
    }
    formats
}

#[test]
fn a_run_is_repeated_to_the_bit_from_any_of_its_files() {
    let runs = Runs::new();
    for (scene, options) in [
        ("ball", &["--restitution", "0.6", "--until", "2", "--interval", "0.03"][..]),
        ("quadruped", &["--set", "friction=0.7", "--until", "0.4"]),
        ("cube", &["--until", "0.7", "--tolerance", "1e-8", "--guard", "limit"]),
        ("rod", &["--until", "0.8", "--law", "chord"]),
    ] {
        for format in formats() {
            let run = runs.simulate(&format!("{scene}.{format}"), &[&[scene], options].concat());
            let ran = carom(&["rerun", &run]);
            assert_eq!(ran.code, 0, "{scene} {format}: {} {}", ran.out, ran.err);
            assert!(ran.out.contains("repeated, equal to the bit"), "{}", ran.out);
            let compared = carom(&["rerun", &run, "--format", "json"]).json();
            assert_eq!((&compared["equal"], &compared["difference"]), (&true.into(), &Value::Null));
            assert!(compared["samples"].as_u64() > Some(10) && compared["events"].as_u64() > Some(2), "{compared}");
        }
        // Its own outputs are those of the run, byte by byte.
        let again = text_of(&runs.path("again.json"));
        let first = text_of(&runs.path(&format!("{scene}.json")));
        assert_eq!(carom(&["rerun", &first, "-o", &again]).code, 0);
        assert!(std::fs::read(&first).unwrap() == std::fs::read(&again).unwrap(), "{scene}");
    }
}

#[test]
fn a_run_says_what_it_is_a_run_of() {
    let runs = Runs::new();
    let robot = runs.write("arm.urdf", carom::models::find("arm").unwrap().text);
    let run = runs.simulate("run.json", &[&robot, "--set", "friction=0.4", "--until", "0.2", "--height", "0.1"]);
    let header = json(&run)["header"].clone();
    let provenance = &header["provenance"];
    assert_eq!(provenance["carom"], env!("CARGO_PKG_VERSION"));
    assert_eq!(provenance["scene"]["simulation"]["until"], 0.2);
    assert_eq!(provenance["scene"]["friction"], 0.4);
    assert_eq!(provenance["options"], serde_json::json!(["--height 0.1", "--set friction=0.4", "--until 0.2"]));
    let contacts = header["contacts"].as_array().unwrap();
    let coefficients = provenance["coefficients"].as_array().unwrap();
    assert_eq!(coefficients.len(), contacts.iter().filter(|contact| !contact["surface"].is_null()).count());
    assert_eq!(coefficients[0]["friction"], serde_json::json!({ "static": 0.4, "dynamic": 0.4 }));
    assert_eq!(coefficients[0]["restitution"], serde_json::json!({ "normal": 0.0, "tangential": 0.0 }));
    let file = &provenance["robot"]["files"][0];
    assert_eq!(file["path"], text_of(&Path::new(&robot).canonicalize().unwrap()));
    assert_eq!(file["sha256"].as_str().unwrap().len(), 64);
    assert!(provenance["instruction_set"].as_str().unwrap().starts_with(std::env::consts::ARCH));
}

#[test]
fn a_run_that_cannot_be_repeated_says_why() {
    let runs = Runs::new();
    let text = carom::models::find("cube").unwrap().text;
    let robot = runs.write("cube.xml", text);
    let run = runs.simulate("run.json", &[&robot, "--height", "0.1", "--until", "0.3"]);
    assert_eq!(carom(&["rerun", &run]).code, 0);
    // Another place is looked for in the folder of the run, or given.
    std::fs::create_dir(runs.path("elsewhere")).unwrap();
    std::fs::rename(&robot, runs.path("elsewhere/cube.xml")).unwrap();
    let missing = carom(&["rerun", &run]);
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("cube.xml is missing: give its place with --robot FILE"), "{}", missing.err);
    let elsewhere = text_of(&runs.path("elsewhere/cube.xml"));
    assert_eq!(carom(&["rerun", &run, "--robot", &elsewhere]).code, 0);
    std::fs::rename(&run, runs.path("elsewhere/run.json")).unwrap();
    let run = text_of(&runs.path("elsewhere/run.json"));
    assert_eq!(carom(&["rerun", &run]).code, 0);
    std::fs::write(&elsewhere, text.replace("0.370", "0.371") + "\n").unwrap();
    let changed = carom(&["rerun", &run]);
    assert_eq!(changed.code, 2);
    assert!(changed.err.contains("cube.xml has changed since the run: its SHA-256 was "), "{}", changed.err);
    std::fs::write(&elsewhere, text).unwrap();
    // A run of another version or level is repeated; where bits differ, the reason is printed.
    let mut other = json(&run);
    other["header"]["provenance"]["carom"] = "0.0.9".into();
    other["header"]["provenance"]["instruction_set"] = "x86_64 avx2 fused".into();
    let file = runs.write("elsewhere/other.json", &other.to_string());
    let ran = carom(&["rerun", &file]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let here = env!("CARGO_PKG_VERSION");
    assert!(
        ran.err.contains(&format!("bits may differ: another version of carom: 0.0.9 then, {here} now")),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("another instruction set: x86_64 avx2 fused then"), "{}", ran.err);
    let column = first_velocity(&other);
    let speed = other["samples"][&column][3].as_f64().unwrap();
    other["samples"][&column][3] = f64::from_bits(speed.to_bits() ^ 1).into();
    let file = runs.write("elsewhere/other.json", &other.to_string());
    let ran = carom(&["rerun", &file]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains(&format!("repeated, and not equal: sample 3, t = 0.03 s, {column}: ")), "{}", ran.out);
    assert!(ran.out.contains("another version of carom: 0.0.9 then"), "{}", ran.out);
    // Files that say too little.
    other["header"].as_object_mut().unwrap().remove("provenance");
    let silent = runs.write("silent.json", &other.to_string());
    let summary = carom(&["simulate", "ball", "--format", "json"]).out;
    let summary = runs.write("summary.json", &summary);
    let newer =
        runs.write("newer.json", &json(&run).to_string().replacen("\"format_version\":1", "\"format_version\":9", 1));
    for (file, expected) in [
        (&silent, "has no header.provenance"),
        (&summary, "has no samples: write the run with -o run.json, .csv or .parquet"),
        (&newer, "format_version = 9 is newer than 1"),
        (&runs.write("x.json", "{}"), "is not a run of carom simulate: missing field"),
        (&runs.write("x.csv", "a,b\n1,2\n"), "its first column is not time"),
        (&runs.write("x.txt", ""), "these end with .json, .csv or .parquet"),
        (&text_of(&runs.path("none.json")), "cannot read"),
    ] {
        let ran = carom(&["rerun", file]);
        assert_eq!(ran.code, 2, "{file}");
        assert!(ran.err.contains(expected), "{file}: {}", ran.err);
    }
}

fn first_velocity(run: &Value) -> String {
    let names = run["header"]["velocities"].as_array().unwrap();
    format!("v.{}", names[2].as_str().unwrap())
}

/// The part of a run that was stopped is compared.
#[test]
fn a_run_that_failed_is_repeated_as_far_as_it_went() {
    let runs = Runs::new();
    let run = runs.simulate("run.json", &["ball", "--max-events", "5"]);
    assert_eq!(json(&run)["summary"]["ending"], "failed");
    let ran = carom(&["rerun", &run]);
    assert_eq!(ran.code, 0, "{} {}", ran.out, ran.err);
    assert!(ran.out.contains("equal to the bit, as far as the run went"), "{}", ran.out);
}

/// Events of a run whose kind is an impact: number, time, impulse, energy change.
fn impacts(run: &Value) -> Vec<(usize, &Value)> {
    let events = run["events"].as_array().unwrap().iter().enumerate();
    events.filter(|(_, event)| event["kind"] == "impact").collect()
}

/// Every impact of runs of one contact and of several, from the state in the file: the impulse, the energy and the velocity after are those
/// of the run.
#[test]
fn the_impact_of_an_event_is_that_of_the_run() {
    let runs = Runs::new();
    for (scene, options) in [
        ("ball", &["--until", "2"][..]),
        ("rod", &[]),
        ("quadruped", &["--until", "0.3", "--set", "restitution=0.3"]),
        ("walker", &["--until", "2.5"]),
        ("cube", &["--until", "0.7"]),
    ] {
        let run = runs.simulate(&format!("{scene}.json"), &[&[scene], options].concat());
        let whole = json(&run);
        let all = impacts(&whole);
        let mut answered = 0;
        for &(number, event) in all.iter().take(12) {
            let ran = carom(&["impact", "--event", &format!("{run}:{number}"), "--format", "json"]);
            if ran.code != 0 {
                // Only the second impact of an instant, whose state is not in the file.
                assert!(
                    ran.err.contains("another impact came before it at the same instant"),
                    "{scene} {number}: {}",
                    ran.err
                );
                continue;
            }
            answered += 1;
            let outcome = ran.json();
            let name = event["contact"].as_str().unwrap();
            let one = match outcome["contacts"].as_array() {
                Some(contacts) => contacts.iter().find(|contact| contact["name"] == name).unwrap(),
                None => {
                    assert_eq!(outcome["robot"]["contact"], name);
                    &outcome
                }
            };
            let what = format!("{scene} event {number}");
            assert_close(&what, &numbers(&one["impulse"]), &numbers(&event["impulse"]), 1e-9);
            let energy = [one["energy"]["change"].as_f64().unwrap()];
            let size = outcome["energy"]["before"].as_f64().unwrap();
            assert!((energy[0] - event["energy_change"].as_f64().unwrap()).abs() <= 1e-11 * size, "{what}");
            assert_eq!(one["mode"], event["impact"], "{what}");
        }
        assert!(answered >= 2 && answered * 2 >= all.len().min(12), "{scene}: {answered} of {}", all.len());
    }
}

/// The same event from every format, with changes, as a map and as a comparison, and saved as a scene.
#[test]
fn an_event_is_a_problem_like_any_other() {
    let runs = Runs::new();
    let robot = runs.write("quadruped.urdf", carom::models::find("quadruped").unwrap().text);
    let foot = ["--link", "front_left_foot", "--no-limits"];
    let arguments =
        [&[robot.as_str(), "--height", "0.05", "--until", "0.2", "--restitution", "0.4"], &foot[..]].concat();
    let files: Vec<String> =
        formats().iter().map(|format| runs.simulate(&format!("run.{format}"), &arguments)).collect();
    let outcomes: Vec<Value> =
        files.iter().map(|run| carom(&["impact", "--event", &format!("{run}:0"), "--format", "json"]).json()).collect();
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    assert_eq!(outcomes[0]["guard"]["name"], "slip");
    let event = format!("{}:0", files[0]);
    let scene = text_of(&runs.path("event.json"));
    let saved = carom(&["impact", "--event", &event, "--save-scene", &scene, "--format", "json"]).json();
    assert_eq!(saved["impulse"], outcomes[0]["impulse"]);
    assert_eq!(carom(&["impact", &scene, "--format", "json"]).json()["impulse"], outcomes[0]["impulse"]);
    let changed = carom(&["impact", "--event", &event, "--friction", "0.01", "--format", "json"]).json();
    assert_eq!(changed["mode"], "slip");
    let compared = carom(&["compare", "--event", &event, "--format", "json"]);
    assert_eq!(compared.code, 0, "{}", compared.err);
    let map = text_of(&runs.path("map.json"));
    let ran = carom(&["map", "--event", &event, "-o", &map, "--resolution", "20"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(json(&map)["point"]["mode"], outcomes[0]["mode"]);
    let text = carom(&["impact", "--event", &event]).out;
    assert!(text.starts_with("run.json event 0\n"), "{text}");
}

#[test]
fn events_that_are_no_impacts_and_bad_numbers_are_refused() {
    let runs = Runs::new();
    let run = runs.simulate("run.json", &["ball"]);
    let whole = json(&run);
    let count = whole["events"].as_array().unwrap().len();
    let settle = whole["events"].as_array().unwrap().iter().position(|event| event["kind"] == "settle").unwrap();
    let last = impacts(&whole).last().unwrap().0;
    for (event, expected) in [
        (format!("{run}:{count}"), format!("there is no event {count}: the events are 0 to {}", count - 1)),
        (
            format!("{run}:{settle}"),
            format!(
                "event {settle} at t = {} s is not an impact but settle: bounces too low to follow were ended; the nearest impact is \
                     event {last}",
                whole["events"][settle]["time"]
            ),
        ),
        (
            format!("{run}:-1"),
            "must be the file of a run, a colon and the number of an event, such as run.json:12".to_owned(),
        ),
        (run.clone(), "such as run.json:12".to_owned()),
        (":3".to_owned(), "such as run.json:12".to_owned()),
        ("no.json:3".to_owned(), "cannot read no.json".to_owned()),
    ] {
        let ran = carom(&["impact", "--event", &event]);
        assert_eq!(ran.code, 2, "{event}");
        assert!(ran.err.contains(&expected), "{event}: {}", ran.err);
    }
    // One of the two, and options of robots only with robots.
    assert_eq!(carom(&["impact"]).code, 2);
    assert_eq!(carom(&["impact", "kane", "--event", &format!("{run}:0")]).code, 2);
    let ran = carom(&["impact", "--event", &format!("{run}:0"), "--height", "1"]);
    assert!(ran.code == 2 && ran.err.contains("--height is only valid with a robot file"), "{}", ran.err);
    let ran = carom(&["impact", "--event", &format!("{run}:0"), "--save-scene", "scene.toml"]);
    assert!(ran.code == 2 && ran.err.contains("use the extension .json"), "{}", ran.err);
}
