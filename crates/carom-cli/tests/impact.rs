//! `carom impact` and `carom gallery`, through the real command.

mod common;

use common::{assert_close, carom, carom_with, numbers, scenes_of_one_contact};
use serde_json::{Value, json};

const PUBLISHED: &str = include_str!("../../../reference/published/cases.json");

fn published() -> Vec<Value> {
    let document: Value = serde_json::from_str(PUBLISHED).unwrap();
    document["cases"].as_array().unwrap().clone()
}

fn problem(case: &Value) -> Value {
    json!({
        "mass_matrix": case["M"],
        "contact_jacobian": case["A"],
        "velocity": case["qdot_minus"],
        "restitution": { "normal": case["e"], "tangential": case["e_t"] },
        "friction": { "static": case["mu_s"], "dynamic": case["mu_d"] },
        "id": case["name"],
    })
}

/// The expected numbers of the law, and their precision in the collection.
fn expected(case: &Value) -> (Value, Value, f64) {
    let law = &case["expected"]["aghili"];
    let completion = &law["completion_zero_average"];
    if completion.is_object() {
        return (completion["i"].clone(), completion["v_plus"].clone(), 1e-10);
    }
    let tolerance = if law["digits"].is_number() { 1e-7 } else { 1e-10 };
    (law["impulse"].clone(), law["v_plus_contact"].clone(), tolerance)
}

#[test]
fn every_published_impact_agrees() {
    for case in published() {
        let name = case["name"].as_str().unwrap();
        let outcome = carom_with(&["impact", "-", "--format", "json"], problem(&case).to_string().as_bytes()).json();
        let (impulse, after, tolerance) = expected(&case);
        assert_close(name, &numbers(&outcome["impulse"]), &numbers(&impulse), tolerance);
        assert_close(name, &numbers(&outcome["contact_velocity"]["after"]), &numbers(&after), tolerance);
        assert_eq!(outcome["id"], case["name"]);
    }
}

#[test]
fn scenes_are_the_published_impacts() {
    for (scene, name) in [
        ("kane", "kane_e0.5_mu0.5"),
        ("rod", "rod45_mu0.8_vx2"),
        ("sphere", "sphere3d_slip"),
        ("superball", "superball_garwin"),
        ("block", "housner_block_b1_h2"),
        ("wheel", "rimless_wheel_J0.1"),
        ("cube", "cube_contactnets_a"),
        ("reversal", "kane_geometry_no_aghili_solution"),
    ] {
        let case = published().into_iter().find(|case| case["name"] == name).unwrap();
        let outcome = carom(&["impact", scene, "--format", "json"]).json();
        let (impulse, after, tolerance) = expected(&case);
        assert_close(scene, &numbers(&outcome["impulse"]), &numbers(&impulse), tolerance);
        assert_close(scene, &numbers(&outcome["contact_velocity"]["after"]), &numbers(&after), tolerance);
    }
    let listed = carom(&["gallery"]).out;
    for scene in carom::gallery::SCENES.iter().chain(carom::gallery::SIMULATIONS) {
        assert!(listed.contains(&format!("  {:<13}{}\n", scene.name, scene.summary())), "{}", scene.name);
    }
}

/// A scene printed, saved and solved again gives the same outcome.
#[test]
fn a_scene_is_a_problem_file() {
    let folder = tempfile::tempdir().unwrap();
    for scene in carom::gallery::SCENES.iter().map(|scene| scene.name) {
        for format in ["toml", "json"] {
            let file = folder.path().join(format!("{scene}.{format}"));
            std::fs::write(&file, carom(&["gallery", scene, "--format", format]).out).unwrap();
            let from_file = carom(&["impact", file.to_str().unwrap(), "--format", "json"]).json();
            assert_eq!(from_file, carom(&["impact", scene, "--format", "json"]).json(), "{scene}");
        }
    }
}

#[test]
fn the_text_says_what_a_person_wants_to_know() {
    let text = carom(&["impact", "kane"]).out;
    for line in [
        "sticks, and creates 58.7 % energy: e = 0.5 exceeds its limit 0.397",
        "velocity after     0.067101      0            m/s",
        "impulse            0.56798      -0.244597     N s",
        "tip at (0.84202, 0, -1.80572) m, on the surface",
        "world directions    normal (0, 0, 1), tangent (1, 0, 0)",
        "elbow             -0.1           0.697764     rad/s",
        "0.0231814 J before, 0.0368004 J after (+58.7 %)",
        "e* = 0.396839 in this state, 0.246162 in every state",
        "mu_cr = 0.430643 (the paper prints 0.553605)",
        "mu* = 0.663613",
        "restitution_limit.state: 0.5 exceeds 0.396839 by 0.103",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    let verdict = |arguments: &[&str]| {
        let ran = carom(&[&["impact"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.lines().nth(1).unwrap().trim().to_owned()
    };
    assert_eq!(
        verdict(&["kane", "--guard", "slip"]),
        "would stick and create 58.7 % energy; made to slide, it slips and loses 43.8 % energy"
    );
    assert!(verdict(&["kane", "--guard", "limit"]).contains("with e lowered to 0.397 it sticks and"));
    assert_eq!(
        verdict(&["kane", "--set", "restitution=0.7"]),
        "slips, and loses 36.4 % energy: mu_s = 0.5 is below the critical 0.515"
    );
    assert!(verdict(&["kane", "--set", "restitution=0"]).contains("no friction would make it stick"));
    assert!(verdict(&["reversal"]).starts_with("reverses, and loses"));
    assert!(verdict(&["kane", "--set", "state.velocity=[0.1, 0.1]"]).starts_with("separates"));
    assert_eq!(verdict(&["superball"]), "sticks, and keeps its energy");
}

/// A single contact strikes wherever it is, and those that `strike` names; the first lines say that they do not touch.
#[test]
fn a_contact_with_a_gap_says_so_first() {
    let third = |arguments: &[&str]| carom(&[&["impact"], arguments].concat()).out.lines().nth(2).unwrap().to_owned();
    assert_eq!(third(&["kane"]), "");
    // 1e-4 of the pendulum's size counts as touching.
    assert_eq!(third(&["kane", "--set", "surface.point=[0, 0, -1.80575]"]), "");
    assert_eq!(
        third(&["kane", "--set", "surface.point=[0, 0, -2]"]),
        "  tip does not touch: it is 0.194 m above its surface, and strikes where it is"
    );
    assert_eq!(
        third(&["kane", "--set", "surface.point=[0, 0, -1.8]"]),
        "  tip does not touch: it is 0.00572 m inside its surface, and strikes where it is"
    );
    let strike = "strike=[\"front_left\", \"front_right\", \"rear_left\", \"rear_right\"]";
    let text = carom(&["impact", "landing", "--set", "base.position[2]=0.5", "--set", strike]).out;
    assert!(
        text.contains("\n  rear_left does not touch: it is 0.22 m above")
            && text.contains("\n  1 more contact does not"),
        "{text}"
    );
    // Of several candidates only those that touch take part.
    let ran = carom(&["impact", "landing", "--set", "base.position[2]=0.5"]);
    assert!(ran.code == 2 && ran.err.contains("none of 4 contacts touches its surface: the nearest"), "{}", ran.err);
}

#[test]
fn every_field_of_the_interface_is_there() {
    let outcome = carom(&["impact", "kane", "--guard", "slip", "--format", "json"]).json();
    let mut keys: Vec<&str> = outcome.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut expected = vec![
        "mode",
        "impulse",
        "velocity",
        "contact_velocity",
        "direction",
        "energy",
        "discriminator",
        "critical_friction",
        "critical_reversal",
        "printed",
        "restitution_limit",
        "friction_limit",
        "admissible",
        "admissible_any_state",
        "violations",
        "guard",
        "solutions",
        "restitution",
        "friction",
        "contact_dimension",
        "law",
        "residual",
        "robot",
        "id",
        "format_version",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(outcome["format_version"], carom::document::FORMAT_VERSION);
    assert_eq!(outcome["guard"]["name"], "slip");
    assert_eq!(outcome["guard"]["acted"], true);
    assert_eq!(outcome["guard"]["unguarded"]["mode"], "stick");
    assert_eq!(outcome["violations"][0]["limit"], "restitution_limit.state");
    assert_eq!(outcome["friction"], json!({"static": 0.5, "dynamic": 0.5}));
    assert_eq!(outcome["law"], "aghili");
    assert_eq!(outcome["solutions"], 1);
}

#[test]
fn toml_and_json_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("planar.toml");
    let toml = "delassus = [[1.6, 1.2], [1.2, 3.4]]\ncontact_velocity = [-2.0, 0.5]\nguard = \"slip\"\n\
                [restitution]\nnormal = 0.3\ntangential = 0.1\n[friction]\nstatic = 0.5\ndynamic = 0.4\n";
    std::fs::write(&file, toml).unwrap();
    let json = r#"{"delassus": [[1.6, 1.2], [1.2, 3.4]], "contact_velocity": [-2.0, 0.5], "guard": "slip",
        "restitution": {"normal": 0.3, "tangential": 0.1}, "friction": {"static": 0.5, "dynamic": 0.4}}"#;
    let from_json = carom_with(&["impact", "-", "--format", "json"], json.as_bytes()).json();
    let from_toml = carom(&["impact", file.to_str().unwrap(), "--format", "json"]).json();
    assert_eq!(from_json, from_toml);
    assert!(from_json["energy"]["before"].is_null() && from_json.get("velocity").is_none());
    // Standard input may be TOML too.
    assert_eq!(carom_with(&["impact", "-", "--format", "json"], toml.as_bytes()).json(), from_json);
}

/// Kane's pendulum as matrices.
fn kane() -> Value {
    let case = published().into_iter().find(|case| case["name"] == "kane_e0.5_mu0.5").unwrap();
    let mut problem = problem(&case);
    (problem["restitution"], problem["friction"]) = (json!(0.5), json!(0.5));
    problem
}

#[test]
fn values_are_set_by_path() {
    let kane = kane().to_string();
    let set = |edits: &[&str]| {
        let mut arguments = vec!["impact", "-", "--format", "json"];
        for edit in edits {
            arguments.extend(["--set", edit]);
        }
        carom_with(&arguments, kane.as_bytes())
    };
    assert_eq!(set(&["restitution=0.7"]).json()["mode"], "slip");
    assert_eq!(set(&["friction.dynamic=0.25"]).json()["friction"], json!({"static": 0.5, "dynamic": 0.25}));
    assert_eq!(set(&["restitution.tangential=0.2"]).json()["restitution"], json!({"normal": 0.5, "tangential": 0.2}));
    let damped = set(&["restitution.hunt_crossley.alpha=0.5"]).json();
    assert!((damped["restitution"]["normal"].as_f64().unwrap() - (1.0 - 0.5 * 0.134_202_014_332_566_87)).abs() < 1e-15);
    assert_eq!(set(&["velocity[1]=0.9"]).json()["mode"], "separating");
    assert_eq!(set(&["guard=limit"]).json()["guard"]["name"], "limit");
    for (edit, complaint) in [
        ("velocity[2]=1", "velocity[2] cannot be set: the list has 2 entries"),
        ("speed=1", "speed is not a valid key"),
        ("velocity.x=1", "velocity.x cannot be set: x is not inside an object"),
        ("guard=maybe", "guard = \"maybe\" is not one of report, limit, slip"),
        ("law=coulomb", "law = \"coulomb\" is not one of aghili, aghili-printed, newton"),
    ] {
        let ran = set(&[edit]);
        assert_eq!(ran.code, 2, "{edit}");
        assert!(ran.err.contains(complaint), "{edit}: {}", ran.err);
    }
    assert_eq!(set(&["restitution"]).code, 2);
}

/// An error caused by `--set` is not attributed to a line of the file.
#[test]
fn complaints_about_changes_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kane.toml");
    std::fs::write(&file, carom(&["gallery", "kane"]).out).unwrap();
    let ran = carom(&["impact", file.to_str().unwrap(), "--set", "restitution=7"]);
    assert!(ran.err.ends_with("kane.toml: restitution = 7 is outside [0, 1] (changed by --set)\n"), "{}", ran.err);
    let twice = carom(&["impact", "kane", "--set", "restitution={\"normal\": 0.1, \"normal\": 0.2}"]);
    assert_eq!(twice.code, 2);
    assert!(twice.err.contains("occurs twice"), "{}", twice.err);
    assert_eq!(carom(&["impact", "kane", "--set", "restitution=1e999"]).code, 2);
}

/// With `--format json` errors are printed as JSON, too.
#[test]
fn errors_are_json_where_outcomes_would_be() {
    let ran = carom(&["impact", "kane", "--format", "json", "--set", "friction=-1"]);
    assert_eq!(ran.code, 2);
    let record: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(record["error"]["kind"], "out_of_range");
    assert_eq!(record["error"]["field"], "friction");
}

#[test]
fn ids_are_carried_through_every_format() {
    let json = |arguments: &[&str], input: &str| {
        carom_with(&[&["impact", "-", "--format", "json"], arguments].concat(), input.as_bytes()).json()["id"].clone()
    };
    let problem = "delassus = [[2.0]]\ncontact_velocity = [-1.0]\nrestitution = 0.5\n";
    assert_eq!(json(&[], &format!("id = \"abc\"\n{problem}")), "abc");
    assert_eq!(json(&["--set", "id=5"], problem), 5);
    let text = r#"{"id": {"a":
        [1, 2]}, "delassus": [[2.0]], "contact_velocity": [-1.0], "restitution": 0.5}"#;
    assert_eq!(json(&[], text), json!({"a": [1, 2]}));
    assert_eq!(json(&["--set", "id=null"], text), Value::Null);
    let marked = format!("\u{feff}{text}");
    assert_eq!(json(&[], &marked), json!({"a": [1, 2]}));
    assert_eq!(carom(&["impact", "kane", "--format", "json", "--set", "id=[1]"]).json()["id"], json!([1]));
}

/// Near a boundary the verdict shows as many digits as distinguish the two numbers.
#[test]
fn verdicts_do_not_contradict_themselves() {
    let verdict = |edit: &str| carom(&["impact", "kane", "--set", edit]).out.lines().nth(1).unwrap().to_owned();
    assert!(verdict("friction=0.43064").ends_with("mu_s = 0.43064 is below the critical 0.430643"));
    assert!(verdict("restitution=0.39684").ends_with("e = 0.39684 exceeds its limit 0.396839"));
}

#[test]
fn complaints_name_file_line_field_value_and_bound() {
    let folder = tempfile::tempdir().unwrap();
    let complain = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let ran = carom(&["impact", file.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{text}");
        assert!(ran.out.is_empty());
        // The lines after the first show the location.
        let message = ran.err.lines().next().unwrap().strip_prefix("error: ").unwrap().to_owned();
        message.strip_prefix(folder.path().to_str().unwrap()).unwrap().trim_start_matches('/').to_owned()
    };
    let json = "{\n \"delassus\": [[1.0]],\n \"contact_velocity\": [-1.0],\n \"restitution\": 1.5\n}\n";
    assert_eq!(complain("a.json", json), "a.json:4: restitution = 1.5 is outside [0, 1]");
    let toml = "delassus = [[1.0, 0.0], [0.0, 1.0]]\ncontact_velocity = [-1.0, 0.0]\nrestitution = 0.5\n\
                [friction]\nstatic = 0.5\ndynamic = 0.7\n";
    assert_eq!(complain("b.toml", toml), "b.toml:6: friction.dynamic = 0.7 is outside [0, friction.static = 0.5]");
    let twice = "{\"restitution\": 0.5,\n \"restitution\": 0.6}";
    assert_eq!(complain("c.json", twice), "c.json:2: restitution occurs twice in the same object");
    assert_eq!(
        complain("d.toml", "restitution = 0.5\nrestitution = 0.6\n"),
        "d.toml:2: restitution occurs twice in the same object"
    );
    let both = "{\"delassus\": [[1]], \"velocity\": [1], \"restitution\": 0}";
    assert!(complain("e.json", both).starts_with("e.json:1: velocity and delassus belong to different forms"));
    let ragged =
        "{\"mass_matrix\": [[1, 0],\n [0]], \"contact_jacobian\": [[1, 0]], \"velocity\": [-1, 0], \"restitution\": 0}";
    assert_eq!(
        complain("f.json", ragged),
        "f.json:2: mass_matrix[1] is 1 numbers, but must be 2 numbers, the length of mass_matrix[0]"
    );
    let huge = "{\"delassus\": [[1]], \"contact_velocity\": [-1e400], \"restitution\": 0}";
    assert_eq!(complain("g.json", huge), "g.json:1: contact_velocity[0] is beyond the range of f64 (largest 1.8e308)");
    let nan = "delassus = [[1.0]]\ncontact_velocity = [nan]\nrestitution = 0.5\n";
    assert_eq!(complain("h.toml", nan), "h.toml:2: contact_velocity[0] = NaN is not finite");
    let text = "{\"delassus\": [[1]], \"contact_velocity\": \"fast\", \"restitution\": 0}";
    assert_eq!(
        complain("i.json", text),
        "i.json:1: contact_velocity is the string \"fast\", but must be a list of numbers"
    );
    let broken = "{\n\"delassus\": [[1]],\n";
    assert!(complain("j.json", broken).starts_with("j.json:3: EOF"), "{}", complain("j.json", broken));
    assert!(complain("k.json", "  \n").contains("the document is empty"));
    assert!(complain("l.json", "{\"a.b\": 1}").contains("\"a.b\" is not a valid key"));
    let long =
        format!("{{\"delassus\": [[1]], \"contact_velocity\": [-1], \"restitution\": \"{}\"}}", "x".repeat(100_000));
    assert!(complain("m.json", &long).len() < 300);
    let date = "delassus = [[1.0]]\ncontact_velocity = [-1.0]\nrestitution = 1979-05-27\n";
    assert!(complain("n.toml", date).contains("restitution is a date"));
    assert!(carom(&["impact", "no/such/file.json"]).err.contains("cannot read no/such/file.json"));
    assert!(carom(&["impact", "nothing"]).err.contains("neither a file nor a scene"));
    assert!(carom(&["impact", "nothing.urdf"]).err.contains("\"nothing.urdf\" does not exist"));
    assert!(carom(&["gallery", "nothing"]).err.contains("\"nothing\" is not a scene"));
    assert_eq!(carom(&["impact", "kane", "--guard", "never"]).code, 2);
    assert_eq!(carom(&["impact"]).code, 2);
}

/// Printed numbers read back to the same bits.
#[test]
fn numbers_survive_printing() {
    for scene in scenes_of_one_contact() {
        let outcome = carom::Problem::from_tree(&scene.tree().unwrap()).unwrap().solve().unwrap();
        let printed = carom(&["impact", scene.name, "--format", "json"]).json();
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&numbers(&printed["impulse"])), bits(&outcome.impulse), "{}", scene.name);
        assert_eq!(bits(&numbers(&printed["velocity"])), bits(outcome.velocity.as_ref().unwrap()), "{}", scene.name);
        let limit = printed["restitution_limit"]["state"].as_f64().map(f64::to_bits);
        assert_eq!(limit, outcome.restitution_limit.state.map(f64::to_bits), "{}", scene.name);
    }
}

/// Published impacts by the rival laws: in the problem file and on the command line.
#[test]
fn rival_laws_answer_as_published() {
    for (name, key) in [("newton", "naive_pre"), ("moreau", "moreau"), ("poisson", "poisson"), ("stronge", "stronge")] {
        for case in published() {
            let expected = &case["expected"][key];
            if !expected["impulse"].is_array() {
                continue;
            }
            let mut problem = problem(&case);
            let asked = carom_with(&["impact", "-", "--format", "json", "--law", name], problem.to_string().as_bytes());
            problem["law"] = name.into();
            let written = carom_with(&["impact", "-", "--format", "json"], problem.to_string().as_bytes());
            assert_eq!(asked.out, written.out);
            let outcome = written.json();
            assert_eq!(outcome["law"], name);
            assert_eq!(outcome["solutions"], Value::Null);
            assert_eq!(outcome["phases"].is_string(), ["poisson", "stronge"].contains(&name));
            let what = format!("{} by {name}", case["name"]);
            assert_close(&what, &numbers(&outcome["impulse"]), &numbers(&expected["impulse"]), 1e-8);
            assert_close(&what, &numbers(&outcome["velocity"]), &numbers(&expected["qdot_plus"]), 1e-8);
        }
    }
}

#[test]
fn rival_laws_take_no_guard() {
    let ran = carom(&["impact", "kane", "--law", "poisson", "--guard", "slip", "--format", "json"]);
    assert_eq!(ran.code, 2);
    let error: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(error["error"]["kind"], "unsupported");
    assert_eq!(error["error"]["field"], "guard");
}

#[test]
fn the_text_names_a_rival_and_its_phases() {
    let text = carom(&["impact", "kane", "--law", "poisson"]).out;
    assert!(text.contains("by the law poisson") && text.contains("slip- | slip- slip+"), "{text}");
    assert!(!text.contains("e*") && !text.contains("guard"), "{text}");
    let unknown = carom(&["impact", "kane", "--law", "poison"]);
    assert!(unknown.code == 2 && unknown.err.contains("poisson"), "{}", unknown.err);
}

/// The reference numbers of the law chord by the command, and its two kinds of restitution.
#[test]
fn chord_answers_as_its_references_and_says_when_it_was_cut() {
    let text = include_str!("../../../reference/chord/cases.json");
    let document: Value = serde_json::from_str(text).unwrap();
    for case in document["impacts"].as_array().unwrap().iter().filter(|case| case["digits"].is_null()) {
        let problem = serde_json::json!({
            "delassus": case["W"], "contact_velocity": case["v"], "restitution": case["e"], "friction": case["mu"],
        });
        let ran = carom_with(&["impact", "-", "--format", "json", "--law", "chord"], problem.to_string().as_bytes());
        let outcome = ran.json();
        assert_close(&case["name"].to_string(), &numbers(&outcome["impulse"]), &numbers(&case["impulse"]), 1e-10);
        assert_eq!((&outcome["law"], &outcome["chord"]["kind"]), (&"chord".into(), &"poisson".into()));
    }
    let newton = ["--set", "restitution.normal=0.9", "--set", "restitution.kind=newton"];
    let cut = carom(&[&["impact", "kane", "--law", "chord", "--format", "json"][..], &newton].concat()).json();
    assert_eq!((&cut["chord"]["kind"], &cut["chord"]["cut"]), (&"newton".into(), &true.into()));
    assert!(
        carom(&[&["impact", "kane", "--law", "chord"][..], &newton].concat()).out.contains("newton, p_r = 1 p_c, cut")
    );
    let refused = carom(&[&["impact", "kane", "--law", "poisson", "--format", "json"][..], &newton].concat());
    let error: Value = serde_json::from_str(&refused.out).unwrap();
    assert_eq!((refused.code, &error["error"]["field"]), (2, &"restitution.kind".into()));
    let several = carom(&["impact", "landing", "--law", "chord", "--format", "json"]).json();
    assert!(several["law"] == "chord" && several["energy"]["change"].as_f64().unwrap() < 0.0, "{several}");
}
