//! `carom map`, through the real command.

mod common;

use std::path::{Path, PathBuf};

use common::{Ran, carom, carom_with, scenes_of_one_contact};
use serde_json::Value;

fn drawn(arguments: &[&str], name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    let ran = carom(&[&["map"], arguments, &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing else is left behind");
    (folder, file)
}

#[test]
fn every_scene_has_well_formed_figures() {
    for scene in scenes_of_one_contact() {
        for extra in [&[][..], &["--over", "state"], &["--admissible-set"]] {
            let arguments = [&[scene.name, "--resolution", "60"], extra].concat();
            // A mechanism of one freedom has one direction of contact velocities, and a stop without friction always sticks.
            let nothing_to_map = match scene.name {
                "four_bar" if extra.contains(&"state") => Some("singular"),
                "slider_crank" => Some("nothing to map"),
                _ => None,
            };
            if let Some(why) = nothing_to_map {
                let refused = carom(&[&["map"], &arguments[..], &["-o", "none.svg"]].concat());
                assert!(refused.code == 2 && refused.err.contains(why), "{}", refused.err);
                continue;
            }
            let (_folder, file) = drawn(&arguments, "map.svg");
            let text = std::fs::read_to_string(file).unwrap();
            let svg = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            let root = svg.root_element();
            assert_eq!(root.tag_name().name(), "svg");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{}", scene.name);
            let title = root.children().find(|child| child.has_tag_name("title")).unwrap();
            assert!(title.text().unwrap().starts_with(scene.name));
            // Every reference has a target.
            let ids: Vec<&str> = svg.descendants().filter_map(|node| node.attribute("id")).collect();
            for node in svg.descendants().filter(|node| node.has_tag_name("use")) {
                let link = node.attribute(("http://www.w3.org/1999/xlink", "href")).unwrap();
                assert!(ids.contains(&&link[1..]), "{link}");
            }
            let labels: Vec<&str> = svg.descendants().filter_map(|node| node.attribute("aria-label")).collect();
            assert!(labels.iter().any(|label| label.starts_with("this impact")), "{}: {labels:?}", scene.name);
        }
    }
}

/// The key has a pair outside the map and a set that was asked for and is empty, and nothing else that cannot be seen.
#[test]
fn the_key_has_what_is_seen() {
    let labels = |arguments: &[&str]| {
        let (_folder, file) = drawn(arguments, "map.svg");
        let text = std::fs::read_to_string(file).unwrap();
        let svg = roxmltree::Document::parse(&text).unwrap();
        svg.descendants().filter_map(|node| node.attribute("aria-label")).map(str::to_owned).collect::<Vec<_>>()
    };
    let has = |arguments: &[&str], label: &str| labels(arguments).iter().any(|found| found == label);
    assert!(has(&["superball"], "this impact: e = 1, μs = 10"));
    assert!(has(&["kane"], "this impact") && has(&["kane", "--range", "0.2"], "this impact: e = 0.5, μs = 0.5"));
    // The reversal of the foot is thinner than a line.
    assert!(!labels(&["foot", "--over", "state"]).iter().any(|label| label.contains("reversal")));
    // A limit beyond the axis, or on the frame, has no entry.
    assert!(has(&["kane"], "μ∗ [38]") && !has(&["kane", "--range", "0.6"], "μ∗ [38]"));
    assert!(has(&["kane"], "e∗, this state [30]"));
    assert!(!has(&["kane", "--range", "0.39684:1,0:1"], "e∗, this state [30]"));
    assert!(has(&["reversal"], "reversal"));
    let set = ["foot", "--over", "state", "--admissible-set", "--resolution", "60"];
    assert!(has(&set, "the paper’s set [41]"));
    let none = [&set[..], &["--set", "friction=5", "--set", "restitution=1"]].concat();
    assert!(has(&none, "the paper’s set [41]: nowhere"));
    assert!(!labels(&set[..3]).iter().any(|label| label.starts_with("admissible")));
}

#[test]
fn a_png_is_one() {
    let (_folder, file) = drawn(&["kane", "--resolution", "50"], "map.png");
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(&bytes[12..16], b"IHDR");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    assert_eq!(number(16), 1200);
    assert!((1000..2000).contains(&number(20)));
    assert_eq!(&bytes[bytes.len() - 8..bytes.len() - 4], b"IEND");
}

#[test]
fn a_png_is_as_wide_as_asked() {
    let (_folder, file) = drawn(&["kane", "--resolution", "50", "--width", "640"], "map.png");
    let bytes = std::fs::read(file).unwrap();
    assert_eq!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()), 640);
}

#[test]
fn json_and_csv_hold_the_same_records() {
    let arguments = ["foot", "--resolution", "7", "--range", "0:0.5,0.1:0.9"];
    let (_folder, json) = drawn(&arguments, "map.json");
    let map: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(map["axes"][0], serde_json::json!({ "quantity": "restitution", "min": 0.0, "max": 0.5 }));
    assert_eq!(map["axes"][1]["min"], 0.1);
    let (_folder, csv) = drawn(&arguments, "map.csv");
    let text = std::fs::read_to_string(csv).unwrap();
    let mut lines = text.lines();
    let names = "restitution,friction,mode,energy_change,solutions,admissible,admissible_any_state";
    assert_eq!(lines.next(), Some(names));
    let cells = map["cells"].as_array().unwrap();
    assert_eq!((cells.len(), lines.clone().count()), (49, 49));
    for (cell, line) in cells.iter().zip(lines) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0].parse::<f64>().unwrap(), cell["at"][0].as_f64().unwrap());
        assert_eq!(fields[1].parse::<f64>().unwrap(), cell["at"][1].as_f64().unwrap());
        assert_eq!(fields[2], cell["mode"]);
        assert_eq!(fields[3].parse::<f64>().unwrap(), cell["energy_change"].as_f64().unwrap());
        assert_eq!(fields[4].parse::<u64>().ok(), cell["solutions"].as_u64());
        assert_eq!(fields[5], cell["admissible"].to_string());
        assert_eq!(fields[6], cell["admissible_any_state"].to_string());
    }
}

#[test]
fn problems_in_matrices_have_maps_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map.json");
    let problem =
        br#"{"delassus": [[1, 0.2], [0.2, 2]], "contact_velocity": [-1, 3], "restitution": 0.2, "friction": 0.3}"#;
    let ran = carom_with(
        &["map", "-", "--resolution", "5", "--set", "friction.dynamic=0.15", "-o", file.to_str().unwrap()],
        problem,
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let map: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(map["energy_unit"], "contact_energy");
    assert_eq!(map["friction"], serde_json::json!({ "static": 0.3, "dynamic": 0.15 }));
    assert_eq!(map["title"], "standard input");
}

fn refused(arguments: &[&str], output: &Path) -> Ran {
    let ran = carom(&[&["map"], arguments, &["-o", output.to_str().unwrap()]].concat());
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(!output.exists());
    ran
}

#[test]
fn errors_name_field_value_and_bound() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("map.svg");
    for (arguments, message) in [
        (&["kane", "--resolution", "1"][..], "kane: resolution = 1 is outside [2, 4000]"),
        (&["kane", "--range", "0:2,0:1"], "kane: range of restitution: 0:2 is not an increasing pair in [0, 1]"),
        (&["kane", "--range", "-1"], "kane: range of friction: 0:-1 is not an increasing pair in [0, 1e6]"),
        (&["kane", "--range", "wide"], "\"wide\" is not a range"),
        (&["kane", "--set", "restitution=2"], "kane: restitution = 2 is outside [0, 1] (changed by --set)"),
        (&["kane", "--set", "state.velocity.shoulder=0.1"], "kane: the contact separates, v_n = "),
        (
            &["kane", "--set", "law=\"poisson\""],
            "kane: maps are only available for law = \"aghili\", not for law = \"poisson\"",
        ),
        (&["kane", "--width", "300"], "--width is the width of a .png in pixels, and not available for .svg"),
        (&["nothing"], "\"nothing\" is neither a file nor a scene"),
    ] {
        let ran = refused(arguments, &svg);
        assert!(ran.err.contains(message), "{message}\n{}", ran.err);
    }
    for name in ["map.pdf", "map"] {
        let ran = refused(&["kane"], &folder.path().join(name));
        assert!(ran.err.contains("use the extension .svg, .png, .json or .csv"), "{}", ran.err);
    }
    for width in ["0", "99", "4001"] {
        let ran = refused(&["kane", "--width", width], &folder.path().join("map.png"));
        assert!(ran.err.contains(&format!("width = {width} is outside [100, 4000] pixels")), "{}", ran.err);
    }
    let ran = carom(&["map", "kane"]);
    assert_eq!(ran.code, 2);
    let nowhere = folder.path().join("no/such/map.svg");
    assert!(refused(&["kane"], &nowhere).err.contains("cannot write"));
}
