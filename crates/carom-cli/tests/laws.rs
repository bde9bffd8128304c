//! Simulations by every law of impacts, through the real command.

mod common;

use common::carom;
use serde_json::Value;

fn run(arguments: &[&str]) -> Value {
    carom(&[&["simulate", "-q", "-o", "-", "--format", "json"], arguments].concat()).json()
}

#[test]
fn the_law_is_read_from_the_scene_and_the_option() {
    let [by_option, by_scene] =
        [&["--law", "chord"], &["--set", "law=chord"]].map(|law| run(&[&["rod", "--until", "0.8"], &law[..]].concat()));
    for run in [&by_option, &by_scene] {
        assert_eq!((&run["header"]["law"], &run["header"]["guard"]), (&"chord".into(), &Value::Null));
        assert_eq!(run["header"]["provenance"]["law"], "chord");
        assert_eq!(run["header"]["provenance"]["scene"]["law"], "chord");
    }
    assert_eq!(by_option["events"], by_scene["events"]);
    let own = run(&["rod", "--until", "0.8"]);
    assert_eq!((&own["header"]["law"], &own["header"]["guard"]), (&"aghili".into(), &"slip".into()));
    assert_ne!(own["events"], by_option["events"]);
    let text = carom(&["simulate", "rod", "--until", "0.8", "--law", "poisson"]).out;
    assert!(text.lines().any(|line| line.split_whitespace().eq(["law", "poisson"])), "{text}");
}

/// An impact of a run is solved by the law of the run.
#[test]
fn events_take_the_law_of_their_run_along() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json").to_str().unwrap().to_owned();
    for law in ["chord", "poisson", "moreau"] {
        let ran = carom(&["simulate", "rod", "-q", "--until", "0.53", "--law", law, "-o", &file]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let outcome = carom(&["impact", "--event", &format!("{file}:0"), "--format", "json"]).json();
        assert_eq!(outcome["law"], law);
    }
}

#[test]
fn a_law_for_one_contact_ends_the_run_where_several_strike_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json").to_str().unwrap().to_owned();
    // It stands on one corner when the other strikes.
    let ran = carom(&["simulate", "block", "--law", "stronge", "-q", "-o", &file]);
    let (code, text) = (ran.code, ran.err);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("law = \"stronge\" has no answer; use \"chord\"") && text.contains("strike together"),
        "{text}"
    );
    let run: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(run["summary"]["ending"], "failed");
    assert!(run["summary"]["failure"].as_str().unwrap().contains("stronge"));
    assert!(run["summary"]["time"].as_f64().unwrap() > 0.0);
}

#[test]
fn one_drop_by_every_law() {
    let compared = carom(&["compare", "--simulate", "rod", "--until", "0.8", "--format", "json"]).json();
    let laws = compared["laws"].as_array().unwrap();
    assert_eq!(laws.len(), carom::law::Law::ALL.len());
    for entry in laws {
        let law = entry["law"].as_str().unwrap();
        let alone = carom(&["simulate", "-q", "-o", "-", "--format", "json", "rod", "--until", "0.8", "--law", law]);
        let alone: Value = serde_json::from_str(&alone.out).unwrap();
        for field in ["ending", "time", "impacts", "windows", "evaluations"] {
            assert_eq!(entry[field], alone["summary"][field], "{law}: {field}");
        }
        assert_eq!(entry["events"].as_u64().unwrap() as usize, alone["events"].as_array().unwrap().len(), "{law}");
        assert_eq!(entry["failure"].is_null(), entry["ending"] == "complete", "{law}");
    }
    let text = carom(&["compare", "--simulate", "rod", "--until", "0.8"]).out;
    assert!(carom::law::Law::ALL.iter().all(|law| text.contains(law.name())), "{text}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("paths.svg").to_str().unwrap().to_owned();
    assert_eq!(carom(&["compare", "--simulate", "rod", "--until", "0.8", "-o", &file]).code, 0);
    // Before the first impact there is one path.
    let svg = std::fs::read_to_string(&file).unwrap();
    let from = svg.split("the centre of mass from ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let first = laws[0]["times"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap());
    assert!(svg.starts_with("<svg") && first.take(2).all(|time| time < from.parse().unwrap()), "{from}");
    assert_eq!(carom(&["compare", "--simulate", "kane"]).code, 2);
}
