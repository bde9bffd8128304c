//! `carom compare`, through the real command.

mod common;

use std::path::Path;

use common::{Ran, assert_close, carom, carom_with, numbers, scenes_of_one_contact};
use serde_json::Value;

/// Every law answers as `carom impact --law` does.
#[test]
fn the_table_has_what_each_law_answers() {
    for scene in ["kane", "rod", "cube", "foot", "reversal"] {
        let comparison = carom(&["compare", scene, "--format", "json"]).json();
        let laws = comparison["laws"].as_array().unwrap();
        assert_eq!(laws.len(), carom::law::Law::ALL.len());
        for answer in laws {
            let law = answer["law"].as_str().unwrap();
            let alone = carom(&["impact", scene, "--law", law, "--format", "json"]).json();
            assert_eq!(answer["mode"], alone["mode"], "{scene} {law}");
            assert_eq!(answer["impulse"], alone["impulse"], "{scene} {law}");
            assert_eq!(answer["velocity"], alone["velocity"], "{scene} {law}");
            assert_eq!(answer["contact_velocity"], alone["contact_velocity"]["after"], "{scene} {law}");
            assert_eq!(answer["energy_change"], alone["energy"]["change"], "{scene} {law}");
            let claims = carom::law::Law::ALL.into_iter().find(|other| other.name() == law).unwrap().claims();
            assert!(answer["obeys_cone"] == true || !claims.obeys_cone, "{scene} {law}");
            assert!(answer["obeys_restitution"] == true || !claims.newton_restitution, "{scene} {law}");
            assert!(answer["energy_change"].as_f64().unwrap() <= 0.0 || !claims.dissipates, "{scene} {law}");
        }
    }
}

/// Kane's pendulum distinguishes the laws: which create energy, leave the cone, or satisfy Newton's restitution.
#[test]
fn the_text_tells_the_laws_apart() {
    let text = carom(&["compare", "kane"]).out;
    let row = |law: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(law)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for law in ["aghili", "newton", "moreau"] {
        assert!(row(law).contains(&"+58.7".to_owned()), "{text}");
    }
    assert!(text.contains("slip (slip- | slip- slip+)"), "{text}");
    assert_eq!(row("poisson").last().unwrap(), "no", "{text}");
    assert_eq!(row("chatterjee-ruina").last().unwrap(), "yes", "{text}");
    // For the cube, the answer by the printed criterion is outside the cone and is not corrected.
    let cube = carom(&["compare", "cube"]).out;
    let printed = cube.lines().find(|line| line.contains("aghili-printed")).unwrap();
    assert!(printed.contains("stick") && printed.contains(" no "), "{cube}");
}

/// A kind of restitution is for `chord` alone, whether it is the scene's or a contact's own: the other laws answer without it.
#[test]
fn a_kind_of_restitution_of_a_contact_is_left_out_for_the_other_laws() {
    let kane = carom(&["gallery", "kane"]).out;
    let own = kane.replace("[contact]\n", "[contact]\nrestitution = { normal = 0.5, kind = \"newton\" }\n");
    assert_ne!(own, kane);
    let answers = |scene: &str| {
        let laws = carom_with(&["compare", "-", "--format", "json"], scene.as_bytes()).json()["laws"].clone();
        laws.as_array().unwrap().clone()
    };
    for (own, plain) in answers(&own).iter().zip(answers(&kane)) {
        assert!(own["error"].is_null(), "{own}");
        assert_eq!(*own == plain, own["law"] != "chord", "{own} {plain}");
    }
}

#[test]
fn problems_in_contact_space_are_compared_too_and_refusals_are_named() {
    let problem = r#"{"delassus": [[1.0, 0.5], [0.5, 0.25]], "contact_velocity": [-1.0, -0.5],
        "restitution": 0.5, "friction": 0.3}"#;
    let comparison = carom_with(&["compare", "-", "--format", "json"], problem.as_bytes()).json();
    assert!(comparison["energy_before"].is_null());
    assert_close("before", &numbers(&comparison["contact_velocity"]), &[-1.0, -0.5], 0.0);
    // The paper's criterion needs the inverse of a singular matrix.
    let printed =
        comparison["laws"].as_array().unwrap().iter().find(|answer| answer["law"] == "aghili-printed").unwrap();
    assert!(printed["error"].as_str().unwrap().contains("singular"), "{printed}");
    let text = carom_with(&["compare", "-"], problem.as_bytes()).out;
    assert!(text.contains("no answer: "), "{text}");
    assert_eq!(carom(&["compare", "kane", "--set", "friction=-1"]).code, 2);
}

fn drawn(arguments: &[&str], name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    let ran = carom(&[&["compare"], arguments, &["-o", file.to_str().unwrap()]].concat());
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""), "{arguments:?}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing else is left behind");
    std::fs::read(file).unwrap()
}

/// Every law is named on the figure, in the plot or in the key.
#[test]
fn every_scene_has_a_well_formed_figure() {
    for scene in scenes_of_one_contact() {
        // A stop without friction has no cone to draw.
        if scene.name == "slider_crank" {
            assert!(carom(&["compare", scene.name, "-o", "none.svg"]).err.contains("nothing to draw"));
            continue;
        }
        for edits in
            [&[][..], &["--set", "restitution=0"], &["--set", "friction.dynamic=0.05"], &["--set", "friction=0"]]
        {
            let text = String::from_utf8(drawn(&[&[scene.name], edits].concat(), "laws.svg")).unwrap();
            let svg = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
            assert!(!text.contains("NaN") && !text.contains("inf"), "{}", scene.name);
            let labels: Vec<&str> = svg.descendants().filter_map(|node| node.attribute("aria-label")).collect();
            for law in carom::law::Law::ALL {
                assert!(labels.iter().any(|label| label.contains(law.name())), "{} {}", scene.name, law.name());
            }
            assert!(labels.contains(&"friction cone") || labels.contains(&"friction cone, μd"), "{labels:?}");
        }
    }
}

#[test]
fn a_law_without_an_answer_is_in_the_key_with_its_reason() {
    let problem = r#"{"delassus": [[1.0, 0.5], [0.5, 0.25]], "contact_velocity": [-1.0, -0.5],
        "restitution": 0.5, "friction": 0.3}"#;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("laws.svg");
    let ran = carom_with(&["compare", "-", "-o", file.to_str().unwrap()], problem.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = std::fs::read_to_string(file).unwrap();
    let svg = roxmltree::Document::parse(&text).unwrap();
    let labels: Vec<&str> = svg.descendants().filter_map(|node| node.attribute("aria-label")).collect();
    assert!(labels.contains(&"aghili-printed: needs the inverse of the delassus matrix"), "{labels:?}");
}

/// Figures in any units, however large or small.
#[test]
fn figures_of_extreme_units() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("laws.svg");
    for (w, v) in [(1e200, 1e-60), (1e-100, 1e20), (1.0, 1e-150), (1.0, 1e150)] {
        for rows in [vec![[1.0, 0.5, 0.2], [0.5, 2.0, 0.3], [0.2, 0.3, 1.5]], vec![[1.0, 1.5, 0.0], [1.5, 2.4, 0.0]]] {
            let d = rows.len();
            let delassus: Vec<Vec<f64>> = rows.iter().map(|row| row[..d].iter().map(|x| x * w).collect()).collect();
            let velocity: Vec<f64> = [-1.0, 0.7, -2.0][..d].iter().map(|x| x * v).collect();
            let problem = serde_json::json!({ "delassus": delassus, "contact_velocity": velocity,
                "restitution": 0.5, "friction": 0.4 });
            let ran = carom_with(&["compare", "-", "-o", file.to_str().unwrap()], problem.to_string().as_bytes());
            assert_eq!(ran.code, 0, "{}", ran.err);
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(!text.contains("NaN") && !text.contains("inf"), "{w:e} {v:e} {d}");
        }
    }
}

#[test]
fn a_png_is_as_wide_as_asked() {
    let width = |bytes: &[u8]| {
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        u32::from_be_bytes(bytes[16..20].try_into().unwrap())
    };
    assert_eq!(width(&drawn(&["kane"], "laws.png")), 1200);
    assert_eq!(width(&drawn(&["foot", "--width", "300"], "laws.png")), 300);
}

#[test]
fn a_json_file_has_what_is_printed() {
    let file: Value = serde_json::from_slice(&drawn(&["kane"], "laws.json")).unwrap();
    assert_eq!(file, carom(&["compare", "kane", "--format", "json"]).json());
    let space = &file["impulse_space"];
    assert_eq!(space["answers"][0]["laws"], serde_json::json!(["aghili", "newton", "moreau"]));
    assert_eq!(space["answers"][0]["impulse"], file["laws"][0]["impulse"]);
    let names: Vec<&str> = space["loci"].as_array().unwrap().iter().map(|l| l["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sticking", "maximum_compression", "restitution"]);
}

fn refused(arguments: &[&str], output: &Path) -> Ran {
    let ran = carom(&[&["compare"], arguments, &["-o", output.to_str().unwrap()]].concat());
    assert_eq!((ran.code, &*ran.out), (2, ""), "{arguments:?}");
    assert!(!output.exists());
    ran
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("laws.svg");
    for name in ["laws.csv", "laws.pdf", "laws"] {
        let ran = refused(&["kane"], &folder.path().join(name));
        assert!(ran.err.contains("use the extension .svg, .png or .json"), "{}", ran.err);
    }
    let nowhere = folder.path().join("no/such/laws.svg");
    assert!(refused(&["kane"], &nowhere).err.contains("cannot write"));
    let apart = refused(&["kane", "--set", "state.velocity.shoulder=0.1"], &svg);
    assert!(apart.err.contains("kane: the contact separates, v_n = "), "{}", apart.err);
    let normal = folder.path().join("normal.json");
    std::fs::write(&normal, r#"{"delassus": [[2]], "contact_velocity": [-1], "restitution": 0.5}"#).unwrap();
    let one = refused(&[normal.to_str().unwrap()], &svg);
    assert!(one.err.contains("the contact has dimension 1"), "{}", one.err);
    let png = folder.path().join("laws.png");
    for width in ["99", "4001"] {
        let ran = refused(&["kane", "--width", width], &png);
        assert!(ran.err.contains(&format!("width = {width} is outside [100, 4000] pixels")), "{}", ran.err);
    }
    assert!(refused(&["kane", "--width", "many"], &png).err.contains("--width"));
    assert!(refused(&["kane", "--width", "300"], &svg).err.contains("not available for .svg"));
    assert!(refused(&["kane", "--format", "xml"], &svg).err.contains("invalid value 'xml'"));
}
