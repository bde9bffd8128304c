//! Several contacts at once, through the real command: problem files, scenes, batches and errors.

mod common;

use carom::law::SimultaneousOutcome;
use carom::multibody::Contacts;
use common::{Ran, assert_close, carom, carom_with, numbers};
use serde_json::{Value, json};

/// Cases with known answers, computed independently of carom.
/// A planar box on two corners, W of rank 3.
fn corners() -> Value {
    json!({
        "delassus": [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]],
        "contact_velocity": [-1.3, 0.95, -0.7, 0.95],
        "contacts": [{"dimension": 2, "restitution": 0.5}, {"dimension": 2, "restitution": 0.2}],
        "friction": 0.3,
    })
}

/// A problem without an answer in which every contact that could stick does.
fn without_strong_answer() -> Value {
    json!({
        "delassus": [[6, 0, 1, 3], [0, 3, 1, -1], [1, 1, 5, 0], [3, -1, 0, 5]],
        "contact_velocity": [-3, 2, -1, -2],
        "contacts": [{"dimension": 2}, {"dimension": 2}],
        "restitution": 0.5,
        "friction": 0.3,
    })
}

/// Stick creates energy although e = 0.
fn plastic_gain() -> Value {
    json!({
        "delassus": [
            [4.5, -0.79, -3.87, 0.23], [-0.79, 4.62, 1.22, 4.45], [-3.87, 1.22, 4.47, 0.34], [0.23, 4.45, 0.34, 4.82],
        ],
        "contact_velocity": [-0.89, -1.04, -0.33, -1.92],
        "contacts": [{"dimension": 2, "friction": 1.3}, {"dimension": 2, "friction": 1.7}],
        "restitution": 0,
    })
}

fn ask(problem: &Value, arguments: &[&str]) -> Ran {
    carom_with(&[&["impact", "-"], arguments].concat(), problem.to_string().as_bytes())
}

fn outcome(problem: &Value, arguments: &[&str]) -> Value {
    ask(problem, &[&["--format", "json"], arguments].concat()).json()
}

/// The numbers of all contacts at a path, in order.
fn stacked(outcome: &Value, pointer: &str) -> Vec<f64> {
    let contacts = outcome["contacts"].as_array().unwrap();
    contacts.iter().flat_map(|contact| numbers(contact.pointer(pointer).unwrap())).collect()
}

fn modes(outcome: &Value) -> Vec<&str> {
    outcome["contacts"].as_array().unwrap().iter().map(|contact| contact["mode"].as_str().unwrap()).collect()
}

#[test]
fn known_cases_as_problem_files() {
    let box_ = outcome(&corners(), &[]);
    assert_eq!(modes(&box_), ["slip", "slip"]);
    assert_close("box", &stacked(&box_, "/impulse"), &[0.7085, -0.21255, 0.6865, -0.20595], 1e-12);
    assert_close("box", &stacked(&box_, "/contact_velocity/after"), &[0.65, 0.254, 0.14, 0.254], 1e-12);
    assert_close("box", &[box_["energy"]["change"].as_f64().unwrap()], &[-0.6744195], 1e-12);
    assert!(box_.get("velocity").is_none() && box_["energy"]["before"].is_null());

    let weak = outcome(&without_strong_answer(), &[]);
    let expected = [0.685385420300, -0.205615626090, 0.204046041158, 0.061213812347];
    assert_close("weak", &stacked(&weak, "/impulse"), &expected, 2e-12);
    assert_eq!((modes(&weak), &weak["strong"]), (vec!["slip", "slip"], &json!(false)));

    let gain = outcome(&plastic_gain(), &[]);
    let expected = [1.182938313527, 1.537819807586, 0.764349321320, -1.131795171186];
    assert_close("gain", &stacked(&gain, "/impulse"), &expected, 2e-12);
    assert_close("gain", &[gain["energy"]["change"].as_f64().unwrap()], &[0.423405599837], 2e-12);
    assert_eq!((modes(&gain), &gain["admissible"]), (vec!["slip", "stick"], &json!(false)));
    for guard in ["slip", "limit"] {
        let guarded = outcome(&plastic_gain(), &["--guard", guard]);
        assert_eq!((&guarded["guard"]["acted"], &guarded["guard"]["name"]), (&json!(true), &json!(guard)));
        assert!(guarded["energy"]["change"].as_f64().unwrap() <= 1e-12, "{guarded}");
        assert_eq!(guarded["guard"]["unguarded"]["modes"], json!(["slip", "stick"]));
    }
}

/// The fields are those of the law's own outcome.
#[test]
fn the_json_reads_back_as_the_outcome() {
    let mut problem = corners();
    problem["contacts"][0]["name"] = "left".into();
    problem["id"] = json!({"a": [1]});
    let printed = outcome(&problem, &[]);
    assert_eq!((&printed["contacts"][0]["name"], &printed["id"]), (&json!("left"), &json!({"a": [1]})));
    assert!(printed["contacts"][1].get("name").is_none());
    let read: SimultaneousOutcome = serde_json::from_value(printed).unwrap();
    let carom::Answer::Many(several) = carom::Problem::from_data(&problem).unwrap().answer().unwrap() else {
        panic!("two contacts");
    };
    assert_eq!(read, several.outcome);
}

/// (M, A, v) and (W, A v) of the same mechanism.
#[test]
fn the_generalized_form_agrees_with_contact_space() {
    // A planar box of mass 1 and width 2, inertia 5/12, on two corners; x, z, angle.
    let inertia = 5.0 / 12.0;
    let rows = [[0.0, 1.0, -1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 1.0], [1.0, 0.0, 0.5]];
    let (mass, v) = ([1.0, 1.0, inertia], [0.4, -1.0, 0.3]);
    let dot = |a: &[f64; 3], b: &[f64; 3]| -> f64 { (0..3).map(|j| a[j] * b[j]).sum() };
    let w: Vec<Vec<f64>> =
        rows.iter().map(|a| rows.iter().map(|b| (0..3).map(|j| a[j] * b[j] / mass[j]).sum()).collect()).collect();
    let contacts = json!([{"dimension": 2, "friction": {"static": 0.5, "dynamic": 0.3}}, {"dimension": 2}]);
    let generalized = json!({
        "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, inertia]], "contact_jacobian": rows, "velocity": v,
        "contacts": contacts, "restitution": 0.3, "friction": 0.2,
    });
    let contact_space = json!({
        "delassus": w, "contact_velocity": rows.iter().map(|row| dot(row, &v)).collect::<Vec<_>>(),
        "contacts": contacts, "restitution": 0.3, "friction": 0.2,
    });
    let (one, other) = (outcome(&generalized, &[]), outcome(&contact_space, &[]));
    assert_eq!(modes(&one), modes(&other));
    assert_close(
        "velocity",
        &stacked(&one, "/contact_velocity/after"),
        &stacked(&other, "/contact_velocity/after"),
        1e-9,
    );
    let (impulse, after) = (stacked(&one, "/impulse"), numbers(&one["velocity"]));
    let momentum: Vec<f64> = (0..3).map(|j| mass[j] * (after[j] - v[j])).collect();
    let push: Vec<f64> = (0..3).map(|j| (0..4).map(|k| rows[k][j] * impulse[k]).sum()).collect();
    assert_close("momentum", &momentum, &push, 1e-13);
    let [before, after] = ["before", "after"].map(|when| one["energy"][when].as_f64().unwrap());
    assert!((after - before - one["energy"]["change"].as_f64().unwrap()).abs() < 1e-14 * before);
}

#[test]
fn a_list_of_one_is_the_plain_form() {
    let plain = json!({
        "delassus": [[1.3, 0.2, -0.3], [0.2, 2.1, 0.15], [-0.3, 0.15, 1.7]], "contact_velocity": [-1.0, 0.4, 0.3],
        "restitution": 0.5, "friction": {"static": 0.4, "dynamic": 0.3},
    });
    let matrices = json!({"delassus": plain["delassus"], "contact_velocity": plain["contact_velocity"]});
    for contact in [
        json!({"dimension": 3, "restitution": 0.5, "friction": plain["friction"]}),
        json!({"restitution": 0.5, "friction": plain["friction"]}),
    ] {
        let mut listed = matrices.clone();
        listed["contacts"] = json!([contact]);
        for law in ["aghili", "poisson"] {
            assert_eq!(outcome(&listed, &["--law", law]), outcome(&plain, &["--law", law]));
        }
    }
    // A scene's contact may have its own coefficients, too.
    let own = ["--set", "contact.restitution=0.9", "--set", "contact.friction=0.05"];
    let shared = ["--set", "restitution=0.9", "--set", "friction=0.05"];
    for command in ["impact", "compare"] {
        let ask = |edits: &[&str]| carom(&[&[command, "kane", "--format", "json"], edits].concat()).json();
        assert_eq!(ask(&own), ask(&shared));
        assert_ne!(ask(&own), ask(&[]));
    }
    let mut wrong = matrices;
    wrong["contacts"] = json!([{"dimension": 2, "restitution": 0.5, "friction": 0.1}]);
    assert!(
        ask(&wrong, &[]).err.contains("delassus is 3 rows, but must be 2 rows, the value of contacts[0].dimension")
    );
}

#[test]
fn toml_and_set_change_one_contact() {
    let toml = "delassus = [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]]\n\
                contact_velocity = [-1.3, 0.95, -0.7, 0.95]\nfriction = 0.3\n\
                contacts = [{ dimension = 2, restitution = 0.5 }, { dimension = 2, restitution = 0.2 }]\n";
    let run = |arguments: &[&str]| {
        carom_with(&[&["impact", "-", "--format", "json"], arguments].concat(), toml.as_bytes()).json()
    };
    assert_eq!(run(&[]), outcome(&corners(), &[]));
    let changed = run(&["--set", "contacts[1].friction=0.05", "--set", "contacts[0].restitution.tangential=0.1"]);
    assert_eq!(changed["contacts"][1]["friction"], json!({"static": 0.05, "dynamic": 0.05}));
    assert_eq!(changed["contacts"][0]["friction"], json!({"static": 0.3, "dynamic": 0.3}));
    assert_eq!(changed["contacts"][0]["restitution"], json!({"normal": 0.5, "tangential": 0.1}));
}

#[test]
fn errors_name_the_contact() {
    let refuse = |edits: &[&str], kind: &str, field: &str, message: &str| {
        let edits: Vec<&str> = edits.iter().flat_map(|edit| ["--set", edit]).collect();
        let ran = ask(&corners(), &[&["--format", "json"], &edits[..]].concat());
        assert_eq!(ran.code, 2, "{edits:?}");
        let error: Value = serde_json::from_str(&ran.out).unwrap();
        let found = (error["error"]["kind"].as_str().unwrap(), error["error"]["field"].as_str().unwrap());
        assert_eq!(found, (kind, field), "{edits:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{edits:?}: {}", ran.err);
    };
    refuse(&["contacts[1].dimension=3"], "shape", "delassus", "delassus is 4 x 4, but must be 5 x 5");
    refuse(&["contacts[1].dimension=4"], "wrong_type", "contacts[1].dimension", "must be 1, 2 or 3");
    refuse(
        &["contacts[0]={\"restitution\": 0.5}"],
        "missing",
        "contacts[0].dimension",
        "each of several contacts needs its number of rows",
    );
    refuse(
        &["contacts[0]={\"dimension\": 2}"],
        "missing",
        "contacts[0].restitution",
        "or restitution for all contacts",
    );
    refuse(&["contacts[1].friction=-1"], "out_of_range", "contacts[1].friction", "-1 is outside [0, inf)");
    refuse(&["contacts[1].mu=1"], "unknown_key", "contacts[1].mu", "the keys are name, dimension");
    refuse(&["contacts=[]"], "missing", "contacts[0]", "needs at least one contact");
    refuse(&["contacts=2"], "wrong_type", "contacts", "a list of contacts");
    refuse(&["delassus[3]=[1]"], "shape", "delassus[3]", "1 numbers, but must be 4 numbers");
    refuse(&["contact_velocity=[1]"], "shape", "contact_velocity", "4 numbers, as the contacts have 4 rows");
    refuse(&["law=moreau"], "unsupported", "law", "\"moreau\" does not support 2 simultaneous contacts");
    let mut bare = corners();
    bare.as_object_mut().unwrap().remove("friction");
    assert!(ask(&bare, &[]).err.contains("contacts[0].friction is missing: give it here, or friction for all"));
}

/// Maps and comparisons accept only one contact.
#[test]
fn maps_and_comparisons_ask_for_one_contact() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("map.svg");
    let file = file.to_str().unwrap();
    for command in [&["map", "landing", "-o", file][..], &["compare", "landing"]] {
        let ran = carom(command);
        assert_eq!(ran.code, 2, "{command:?}");
        let message =
            "4 contacts strike simultaneously, but only one is supported here: choose one with strike: front_left";
        assert!(ran.err.contains(message), "{}", ran.err);
        let one = carom(&[command, &["--set", "strike=rear_left"]].concat());
        assert_eq!(one.code, 0, "{}", one.err);
    }
    let ran = carom_with(&["compare", "-"], corners().to_string().as_bytes());
    assert!(ran.code == 2 && ran.err.contains("2 contacts strike simultaneously"), "{}", ran.err);
}

/// The quadruped's landing satisfies mechanics in joint space: M (v⁺ - v⁻) = Aᵀ i with M from composite bodies, the
/// same change of velocity contact by contact from articulated bodies, contact velocities of the state after,
/// restitution, cones and energy.
#[test]
fn a_landing_obeys_mechanics_in_joint_space() {
    let edits: [&[&str]; 4] = [
        &[],
        &["--set", "contacts[0].restitution=0.8", "--set", "contacts[2].friction=0.02"],
        &["--set", "strike=[\"rear_right\", \"front_left\"]", "--guard", "slip"],
        &["--set", "base.velocity=[1.5, -0.4, -0.3]", "--set", "contacts[1].dimension=1", "--guard", "limit"],
    ];
    for edits in edits {
        let ran = carom(&[&["impact", "landing", "--format", "json"], edits].concat());
        let outcome = ran.json();
        let problem = edited("landing", edits);
        let scene = problem.scene().unwrap();
        let points: Vec<_> = scene.struck_contacts().map(|contact| contact.point).collect();
        let names: Vec<&str> = scene.struck_contacts().map(|contact| contact.name.as_str()).collect();
        let contacts = outcome["contacts"].as_array().unwrap();
        let stated: Vec<&str> = contacts.iter().map(|contact| contact["name"].as_str().unwrap()).collect();
        assert_eq!(stated, names);
        let impulse = stacked(&outcome, "/impulse");
        let (before, after) = (scene.velocity(), numbers(&outcome["velocity"]));
        let n = before.len();
        let change: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();

        let mut dynamics = scene.dynamics().unwrap();
        let mut rows = Contacts::new(scene.model(), &points);
        dynamics.contact_kinematics(&mut rows).unwrap();
        let (a, m) = (rows.jacobian().clone(), dynamics.mass_matrix().clone());
        let momentum: Vec<f64> = (0..n).map(|i| (0..n).map(|j| m[(i, j)] * change[j]).sum()).collect();
        let push: Vec<f64> = (0..n).map(|j| (0..impulse.len()).map(|k| a[(k, j)] * impulse[k]).sum()).collect();
        assert_close("momentum", &momentum, &push, 1e-11);
        let (mut together, mut alone) = (vec![0.0; n], vec![0.0; n]);
        for (point, contact) in points.iter().zip(contacts) {
            dynamics.impulse_response(point, &numbers(&contact["impulse"]), &mut alone).unwrap();
            together.iter_mut().zip(&alone).for_each(|(sum, part)| *sum += part);
        }
        assert_close("responses", &change, &together, 1e-11);

        let energy = |when: &str| outcome["energy"][when].as_f64().unwrap();
        assert_close("energy before", &[dynamics.kinetic_energy()], &[energy("before")], 1e-14);
        dynamics.set_state(scene.configuration(), &after).unwrap();
        assert_close("energy after", &[dynamics.kinetic_energy()], &[energy("after")], 1e-14);
        assert!((energy("after") - energy("before") - energy("change")).abs() < 1e-12 * energy("before"), "{edits:?}");
        for (point, contact) in points.iter().zip(contacts) {
            let velocity = |when: &str| numbers(&contact["contact_velocity"][when]);
            let (before, after, impulse) = (velocity("before"), velocity("after"), numbers(&contact["impulse"]));
            let found = dynamics.single_contact(point).unwrap().velocity[..after.len()].to_vec();
            for (found, reported) in found.iter().zip(&after) {
                assert!((found - reported).abs() < 1e-12, "{edits:?}: {found} {reported}");
            }
            assert!(after[0] >= -contact["restitution"]["normal"].as_f64().unwrap() * before[0] - 1e-10, "{edits:?}");
            let mu = contact["friction"]["static"].as_f64().unwrap();
            let tangential = impulse[1..].iter().fold(0.0_f64, |length, i| length.hypot(*i));
            assert!(impulse[0] > 0.0 && tangential <= mu * impulse[0] * (1.0 + 1e-9), "{edits:?}");
        }
    }
}

/// A scene with the changes given on a command line.
fn edited(scene: &str, arguments: &[&str]) -> carom::Problem {
    let mut tree = carom::gallery::find(scene).unwrap().tree().unwrap();
    for pair in arguments.chunks(2).filter(|pair| pair[0] == "--set") {
        pair[1].parse::<carom::document::Edit>().unwrap().apply(&mut tree).unwrap();
    }
    carom::Problem::from_tree(&tree).unwrap()
}

#[test]
fn the_text_has_a_line_for_each_contact() {
    let text = carom(&["impact", "landing"]).out;
    for line in [
        "2 contacts stick, 2 slip, and the impact loses",
        "strikes with        front_left at (0.19, 0.14, 0) m, on the surface",
        "    front_left         stick ",
        "    front_right        slip ",
        "    rear_left          stick ",
        "    rear_right         slip ",
        "root_joint.vz",
        "guard               report: changes nothing",
        "strong              yes",
        "residual ",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let text = ask(&plastic_gain(), &[]).out;
    assert!(text.contains("1 contact sticks, 1 slips, and the impact creates 0.423 of energy"), "{text}");
    let text = ask(&plastic_gain(), &["--guard", "slip"]).out;
    assert!(text.contains("would create 0.423 of energy; with contacts made to slide, both contacts slip"), "{text}");
    let apart = ask(&corners(), &["--set", "contact_velocity=[1.3, 0.95, 0.7, 0.95]"]).out;
    assert!(apart.contains("separates: no contact approaches"), "{apart}");
}

#[test]
fn a_scene_without_friction_or_freedom_says_which_contact() {
    let (scene, file) = (carom(&["gallery", "landing"]).out, tempfile::NamedTempFile::with_suffix(".toml").unwrap());
    let run = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        let ran = carom(&["impact", file.path().to_str().unwrap()]);
        assert_eq!(ran.code, 2);
        ran.err
    };
    let err = run(&scene.replace("friction = 0.6\n", ""));
    assert!(err.contains("friction is missing: give friction for the scene or for front_left, front_right, rear_left, or dimension = 1"), "{err}");
    // What is not on its surface strikes if it is named.
    let named = format!("strike = [\"rear_left\"]\n{scene}");
    let err = run(&named
        .replace("floating = true\n", "")
        .replace("link = \"rear_left_foot\"", "link = \"trunk\"")
        .replace("velocity = [0.2, 0.1, -1.2]\nangular_velocity = [0.1, -0.2, 0.1]\n", ""));
    assert!(err.contains("contact \"rear_left\" cannot be struck: its link \"trunk\" is fixed to the world"), "{err}");
}

#[test]
fn batches_hold_several_contacts() {
    let mut bad = corners();
    bad["contacts"][1]["dimension"] = 1.into();
    bad["id"] = 7.into();
    let landing = carom(&["gallery", "landing", "--format", "json"]).out;
    let input = format!("{}\n{bad}\n{}\n{landing}\n", corners(), plastic_gain());
    let ran = carom_with(&["batch", "-"], input.as_bytes());
    assert_eq!(ran.code, 1);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], outcome(&corners(), &[]));
    assert_eq!(
        (&lines[1]["error"]["kind"], &lines[1]["error"]["line"], &lines[1]["id"]),
        (&json!("shape"), &json!(2), &json!(7))
    );
    assert_eq!(lines[2], outcome(&plastic_gain(), &[]));
    assert_eq!(lines[3], carom(&["impact", "landing", "--format", "json"]).json());
    assert_eq!(lines[3]["robot"]["contacts"][2]["contact"], "rear_left");
}
