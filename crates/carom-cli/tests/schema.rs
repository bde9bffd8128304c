//! The schemas agree with the readers and writers: an editor that follows a schema makes what the command reads.

mod common;

use common::{carom, carom_with};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

fn schema(of: &str) -> Value {
    let schema = carom(&["schema", of]).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{of}: {error}"));
    schema
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

fn faults(validator: &Validator, document: &Value) -> String {
    validator.iter_errors(document).map(|error| format!("{}: {error}\n", error.instance_path())).collect()
}

fn scenes() -> impl Iterator<Item = (&'static str, Value)> {
    let all = carom::gallery::SCENES.iter().chain(carom::gallery::SIMULATIONS);
    all.map(|scene| (scene.name, serde_json::to_value(scene.tree().unwrap()).unwrap()))
}

/// The result of the reader: `None` if it accepts the document, or the kind of its error and the field.
fn refusal(document: &Value) -> Option<(String, String)> {
    let tree = carom::document::Tree::of(document).unwrap();
    let error = carom::Problem::from_tree(&tree).err()?;
    Some((error.kind.name().to_owned(), error.field.unwrap_or_default()))
}

#[test]
fn every_scene_of_the_gallery_is_valid() {
    let (scene, problem) = (validator(&schema("scene")), validator(&schema("problem")));
    for (name, document) in scenes() {
        assert_eq!(faults(&scene, &document), "", "{name}");
        assert_eq!(faults(&problem, &document), "", "{name}");
    }
}

/// A scene with every object that a scene can have, and the paths of these objects with their definitions.
fn full_scene() -> (Value, Vec<(&'static str, &'static str)>) {
    let text = r#"
        title = "all"
        guard = "slip"
        law = "aghili"
        id = 1
        format_version = 1
        gravity = [0, 0, -9.81]
        strike = "tip"
        restitution = { normal = 0.5, tangential = 0.1 }
        friction = { static = 0.5, dynamic = 0.4 }
        [model]
        builtin = "double_pendulum"
        mimics = "follow"
        hull = { tolerance = 0.01, vertices = 128 }
        [base]
        position = [0, 0, 0]
        rpy = [0, 0, 0]
        [state]
        configuration = { shoulder = 0.1 }
        velocity = { elbow = -1 }
        [[contacts]]
        name = "tip"
        link = "tip"
        point = [0, 0, 0]
        dimension = 2
        surface = "floor"
        restitution = { hunt_crossley = { stiffness = 3e4, damping = 9e3 } }
        friction = 0.3
        enabled = { joint = "elbow", above = -3 }
        [[surfaces]]
        name = "floor"
        point = [0, 0, -3]
        normal = [0, 0, 1]
        [[surfaces]]
        name = "stone"
        ball = { radius = 0.1 }
        point = [9, 0, 0]
        [[surfaces]]
        name = "bar"
        capsule = { radius = 0.1, half_length = 0.2 }
        point = [12, 0, 0]
        [[surfaces]]
        name = "wedge"
        hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }
        point = [15, 0, 0]
        [[contacts]]
        name = "marble on crate"
        link = "marble"
        shape = "all"
        against = { link = "crate", shape = "all" }
        [[objects]]
        name = "marble"
        mass = 1
        ball = { radius = 0.1 }
        base = { position = [3, 0, 0] }
        [[objects]]
        name = "crate"
        mass = 1
        box = { half = [0.1, 0.1, 0.1] }
        base = { position = [6, 0, 0] }
        # About the axis of the shoulder, which never moves.
        [[loops]]
        name = "bearing"
        kind = "hinge"
        first = { link = "upper", point = [0, 0, 0], axis = [0, 1, 0] }
        [limits]
        restitution = 0.1
        [posture]
        stiffness = 1
        damping = 0.1
        joints = ["elbow"]
        [actuation.shoulder]
        force = 1
        rate = 0.1
        stiffness = 1
        damping = 1
        target = 0
        [simulation]
        until = 1
        interval = 0.1
        tolerance = 1e-9
        largest_step = 0.1
        max_events = 1000
    "#;
    let document = carom::document::Document::read(text, carom::document::Format::Toml).unwrap();
    let objects = vec![
        ("", ""),
        ("/restitution", "restitution"),
        ("/friction", "friction"),
        ("/model", "model"),
        ("/model/hull", "hull"),
        ("/base", "base"),
        ("/state", "state"),
        ("/contacts/0", "contact"),
        ("/contacts/0/restitution/hunt_crossley", "hunt_crossley"),
        ("/contacts/0/enabled", "condition"),
        ("/surfaces/0", "surface"),
        ("/surfaces/2/capsule", "round"),
        ("/surfaces/3/hull", "corners"),
        ("/contacts/1/against", "against"),
        ("/objects/0", "object"),
        ("/objects/0/ball", "ball"),
        ("/objects/1/box", "box"),
        ("/loops/0", "loop"),
        ("/loops/0/first", "loop_end"),
        ("/limits", "limits"),
        ("/posture", "posture"),
        ("/actuation/shoulder", "actuation"),
        ("/simulation", "simulation"),
    ];
    (serde_json::to_value(document.tree()).unwrap(), objects)
}

fn dotted(pointer: &str, key: &str) -> String {
    let steps = pointer.split('/').chain([key]).filter(|step| !step.is_empty());
    steps.fold(String::new(), |path, step| match step.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) if path.is_empty() => step.to_owned(),
        Err(_) => format!("{path}.{step}"),
    })
}

/// Every key of the schema is read: null in its place is an error of that key. Every other key is refused by both.
#[test]
fn every_key_of_a_scene_is_in_the_schema_and_is_read() {
    let schema = schema("scene");
    let valid = validator(&schema);
    let (full, objects) = full_scene();
    assert_eq!((faults(&valid, &full), refusal(&full)), (String::new(), None));
    let definitions = schema["$defs"].as_object().unwrap();
    assert_eq!(definitions.len() + 1, objects.len(), "an object of the schema is not in the scene of this test");
    let mut count = 0;
    for (pointer, definition) in objects {
        let table = if definition.is_empty() { &schema } else { &definitions[definition] };
        assert_eq!(table["additionalProperties"], false);
        let keys: Vec<&String> = table["properties"].as_object().unwrap().keys().collect();
        let with = |key: &str, value: Value| {
            let mut document = full.clone();
            document.pointer_mut(pointer).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
            document
        };
        let odd = with("surprise", json!(1));
        assert!(!valid.is_valid(&odd), "{pointer}");
        assert_eq!(refusal(&odd), Some(("unknown_key".to_owned(), dotted(pointer, "surprise"))));
        for key in keys {
            let document = with(key, Value::Null);
            let found = refusal(&document);
            if ["id", "$schema"].contains(&key.as_str()) {
                // Any id is copied; an address for editors has no effect.
                assert_eq!(found, None);
                continue;
            }
            let (kind, field) = found.unwrap_or_else(|| panic!("{pointer}/{key} = null is accepted"));
            // A second way to state the same thing is refused as such, before its value is looked at.
            let is_conflict = kind == "conflict";
            assert!(is_conflict || field == dotted(pointer, key), "{pointer}/{key}: {kind} {field}");
            assert_ne!(kind, "unknown_key", "{pointer}/{key} is in the schema and not read");
            assert!(!valid.is_valid(&document), "{pointer}/{key} = null");
            count += 1;
        }
    }
    assert!(count > 65, "{count}");
}

/// A value of another type than the one that it replaces.
fn wrong(value: &Value, random: &mut fastrand::Rng) -> Value {
    let others =
        [json!(null), json!(true), json!("zebra"), json!(-7.5), json!([]), json!({ "zebra": 1 }), json!([[["x"]]])];
    loop {
        let other = random.choice(&others).unwrap();
        if std::mem::discriminant(other) != std::mem::discriminant(value) {
            return other.clone();
        }
    }
}

/// All objects and lists of a document, by their pointers.
fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| {
            found.push(format!("{here}/{key}"));
            places(value, &format!("{here}/{key}"), found);
        }),
        Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| {
            found.push(format!("{here}/{i}"));
            places(value, &format!("{here}/{i}"), found);
        }),
        _ => {}
    }
}

/// What the reader accepts is valid, and what is valid has no unknown key, wrong type or missing key for the reader.
#[test]
fn mutated_scenes_are_refused_by_both_or_by_none() {
    let seed: u64 =
        std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("CAROM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let valid = validator(&schema("scene"));
    let mut documents: Vec<Value> = scenes().map(|(_, document)| document).collect();
    documents.push(full_scene().0);
    let (mut refused, mut accepted) = (0, 0);
    for round in 0..600 {
        let mut document = documents[round % documents.len()].clone();
        let mut all = Vec::new();
        places(&document, "", &mut all);
        let place = random.choice(&all).unwrap();
        let (parent, key) = place.rsplit_once('/').unwrap();
        let what = random.u8(..4);
        match (what, document.pointer_mut(parent).unwrap()) {
            (0, Value::Object(map)) => drop(map.remove(key)),
            (1, Value::Object(map)) => {
                let value = map.remove(key).unwrap();
                map.insert(format!("{key}s"), value);
            }
            (2, Value::Object(map)) => drop(map.insert("zebra".to_owned(), json!(0.5))),
            (_, parent) => {
                let child = match parent {
                    Value::Object(map) => &mut map[key],
                    Value::Array(list) => &mut list[key.parse::<usize>().unwrap()],
                    _ => unreachable!(),
                };
                *child = wrong(child, &mut random);
            }
        }
        let faults = faults(&valid, &document);
        match refusal(&document) {
            None => {
                assert_eq!(
                    faults, "",
                    "the reader accepts, the schema does not (change {what} at {place})\n{document}"
                );
                accepted += 1;
            }
            Some((kind, field)) => {
                let of_form = ["unknown_key", "wrong_type", "missing"].contains(&kind.as_str());
                // The lengths of lists by joints, names of joints and the friction of a contact depend on the robot.
                let of_robot = field.starts_with("state.")
                    || (kind == "missing" && ["friction", "surface"].contains(&field.as_str()));
                assert!(
                    !of_form || of_robot || !faults.is_empty(),
                    "the schema accepts, the reader says {kind} at {field} (change {what} at {place})\n{document}"
                );
                refused += 1;
            }
        }
    }
    assert!(refused > 250 && accepted > 20, "{refused} refused, {accepted} accepted");
}

fn random_problem(random: &mut fastrand::Rng) -> Value {
    let mut number = || json!(random.f64() * 2.0 - 1.0);
    let kind = (number().as_f64().unwrap() * 1e6) as i64;
    let d = 1 + kind.rem_euclid(3) as usize;
    let n = 3 + kind.rem_euclid(2) as usize;
    let list = |count: usize, number: &mut dyn FnMut() -> Value| Value::from_iter((0..count).map(|_| number()));
    let mut problem = Map::new();
    let several = kind.rem_euclid(5) == 0;
    let rows = if several { d + 2 } else { d };
    let factor: Vec<Vec<f64>> =
        (0..rows).map(|_| (0..rows + 2).map(|_| number().as_f64().unwrap()).collect()).collect();
    if kind.rem_euclid(2) == 0 {
        let product = |i: usize, j: usize| factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum::<f64>();
        let w: Vec<Vec<f64>> = (0..rows).map(|i| (0..rows).map(|j| product(i.min(j), i.max(j))).collect()).collect();
        problem.insert("delassus".into(), json!(w));
        problem.insert("contact_velocity".into(), list(rows, &mut number));
    } else {
        let n = n.max(rows);
        let mass: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 + i as f64 } else { 0.1 }).collect()).collect();
        problem.insert("mass_matrix".into(), json!(mass));
        problem.insert("contact_jacobian".into(), Value::from_iter((0..rows).map(|_| list(n, &mut number))));
        problem.insert("velocity".into(), list(n, &mut number));
    }
    if several {
        problem.insert(
            "contacts".into(),
            json!([{ "dimension": d, "name": "first" }, { "dimension": 2, "friction": 0.1 }]),
        );
    }
    problem.insert("restitution".into(), json!(number().as_f64().unwrap().abs()));
    problem.insert("friction".into(), json!(number().as_f64().unwrap().abs() * 1.5));
    let guards = ["report", "limit", "slip"];
    problem.insert("guard".into(), json!(guards[kind.rem_euclid(3) as usize]));
    if !several && kind.rem_euclid(7) < 3 {
        problem.insert("guard".into(), json!("report"));
        problem.insert("law".into(), json!(["poisson", "stronge", "newton"][kind.rem_euclid(7) as usize]));
    }
    // Some are wrong.
    if kind.rem_euclid(11) == 0 {
        problem.insert("restitution".into(), json!(3));
    }
    problem.into()
}

/// The schema without room for keys that it does not have.
fn closed(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.values_mut().for_each(closed);
            if map.contains_key("properties") {
                map.insert("additionalProperties".into(), json!(false));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(closed),
        _ => {}
    }
}

/// The keys of a document that is an instance of a schema, as `definition.key`, followed through references.
fn seen(schema: &Value, part: &Value, name: &str, document: &Value, found: &mut std::collections::BTreeSet<String>) {
    if let Some(reference) = part["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap();
        return seen(schema, &schema["$defs"][name], name, document, found);
    }
    for choice in ["anyOf", "oneOf"].into_iter().filter_map(|key| part[key].as_array()).flatten() {
        let mut whole = choice.clone();
        if let Value::Object(map) = &mut whole {
            map.insert("$defs".into(), schema["$defs"].clone());
        }
        if whole["required"].is_null() && whole["type"].is_null() && whole["$ref"].is_null() && whole["anyOf"].is_null()
        {
            continue;
        }
        if validator(&whole).is_valid(document) {
            seen(schema, choice, name, document, found);
        }
    }
    match document {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| part["properties"][key].is_object()) {
                found.insert(format!("{name}.{key}"));
                seen(schema, &part["properties"][key], name, value, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| seen(schema, &part["items"], name, value, found)),
        _ => {}
    }
}

/// All keys of a schema, as `definition.key`.
fn stated(schema: &Value) -> std::collections::BTreeSet<String> {
    let mut found = std::collections::BTreeSet::new();
    let mut add = |name: &str, part: &Value| {
        let keys = part["properties"].as_object().into_iter().flat_map(Map::keys);
        found.extend(keys.map(|key| format!("{name}.{key}")));
    };
    add("", schema);
    schema["oneOf"].as_array().into_iter().flatten().for_each(|form| add("", form));
    schema["$defs"].as_object().into_iter().flatten().for_each(|(name, part)| add(name, part));
    found
}

/// Real outcomes have exactly the fields of the schema: none more, and each field of the schema occurs.
#[test]
fn outcomes_and_errors_have_the_fields_of_their_schema() {
    let seed: u64 =
        std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("CAROM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let problem = validator(&schema("problem"));
    let mut lines = String::new();
    let mut valid = Vec::new();
    for _ in 0..300 {
        let document = random_problem(&mut random);
        valid.push(problem.is_valid(&document));
        lines += &format!("{document}\n");
    }
    for (_, scene) in scenes().take(carom::gallery::SCENES.len()) {
        valid.push(true);
        lines += &format!("{scene}\n");
    }
    // Two contacts that would create energy by sticking, each with W = G^-1, G = [[1, 0.9], [0.9, 1]]: the guard acts.
    let (own, other) = (1.0 / 0.19, -0.9 / 0.19);
    let w = [[own, other, 0.0, 0.0], [other, own, 0.0, 0.0], [0.0, 0.0, own, other], [0.0, 0.0, other, own]];
    let contact = json!({ "dimension": 2 });
    let guarded = json!({ "delassus": w, "contact_velocity": [-1, 0.5, -1, 0.5], "contacts": [contact, contact],
        "restitution": 1, "friction": 2, "guard": "slip" });
    let alone = json!({ "delassus": [[own, other], [other, own]], "contact_velocity": [-1, 0.5], "restitution": 1,
        "friction": 2, "guard": "slip" });
    let chord = json!({ "delassus": [[2, 0.5], [0.5, 3]], "contact_velocity": [-1, 0.3], "law": "chord",
        "restitution": { "normal": 0.5, "kind": "newton" }, "friction": 0.3 });
    lines += &format!("{guarded}\n{alone}\n{chord}\n{{\"id\": 7}}\nnot json\n");
    valid.extend([true, true, true, false, false]);
    // Loops of all kinds, of which a second pin beside the first bears what is not unique.
    let folder = tempfile::tempdir().unwrap();
    let geared =
        PARALLELOGRAM.replace("</equality>", r#"<joint name="gear" joint1="rocker" joint2="crank"/></equality>"#);
    std::fs::write(folder.path().join("geared.xml"), geared).unwrap();
    let end = |frame: &str| json!({ "frame": frame, "axis": [0, 1, 0] });
    let linkage = json!({ "model": { "mjcf": folder.path().join("geared.xml") }, "restitution": 0.5, "friction": 0.1,
        "state": { "configuration": { "crank": 2, "coupler": -2, "rocker": 2 }, "velocity": { "crank": 3 } },
        "loops": [{ "name": "bolt", "kind": "hinge", "first": end("pin"), "second": end("end") }],
        "contact": { "frame": "tip" }, "surface": { "point": [0, 0, 0], "normal": [0, 0, 1] } });
    lines += &format!("{linkage}\n");
    valid.push(true);
    let ran = carom_with(&["batch", "-"], lines.as_bytes());
    let mut schema = schema("outcome");
    let open = validator(&schema);
    closed(&mut schema);
    let strict = validator(&schema);
    let mut found = std::collections::BTreeSet::new();
    let (mut errors, mut count) = (0, 0);
    for (outcome, problem_is_valid) in ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).zip(valid) {
        let outcome: Value = outcome;
        assert!(open.is_valid(&outcome) && strict.is_valid(&outcome), "{}\n{outcome}", faults(&strict, &outcome));
        assert!(problem_is_valid || outcome["error"].is_object(), "solved, but not valid: {outcome}");
        seen(&schema, &schema, "", &outcome, &mut found);
        errors += usize::from(outcome["error"].is_object());
        count += 1;
    }
    assert!(count == 306 + carom::gallery::SCENES.len() && errors > 5 && errors < 150, "{errors} errors of {count}");
    let never: Vec<String> = stated(&schema).difference(&found).cloned().collect();
    assert!(never.is_empty(), "no outcome has {never:?}");
    // Another type fails.
    let mut outcome = carom(&["impact", "kane", "--format", "json"]).json();
    outcome["energy"]["change"] = json!("much");
    assert!(!open.is_valid(&outcome));
}

/// Two cranks of equal length and a coupler as long as the ground: they pass a dead point where all are on one line.
const PARALLELOGRAM: &str = r#"<mujoco model="parallelogram"><compiler angle="radian"/>
<default><joint type="hinge" axis="0 -1 0"/></default>
<worldbody>
 <body name="crank"><joint name="crank"/><inertial pos="0.2 0 0" mass="0.5" diaginertia="1e-3 1e-2 1e-2"/>
  <body name="coupler" pos="0.4 0 0"><joint name="coupler"/><inertial pos="0.5 0 0" mass="1" diaginertia="1e-2 0.1 0.1"/>
   <site name="pin" pos="1 0 0"/><site name="tip" pos="0.5 0 0"/></body></body>
 <body name="rocker" pos="1 0 0"><joint name="rocker"/><inertial pos="0.2 0 0" mass="0.5" diaginertia="1e-3 1e-2 1e-2"/>
  <site name="end" pos="0.4 0 0"/></body>
</worldbody>
<equality><connect name="pin" site1="pin" site2="end"/></equality></mujoco>"#;

#[test]
fn runs_have_the_fields_of_their_schema() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("parallelogram.xml"), PARALLELOGRAM).unwrap();
    let path = folder.path().join("dead_point.toml");
    let scene = r#"
        restitution = 0.5
        friction = 0.1
        gravity = [0, 0, 0]
        model = { mjcf = "parallelogram.xml" }
        contact = { frame = "tip" }
        surface = { point = [0, 0, -5], normal = [0, 0, 1] }
        simulation = { until = 1 }
        [state]
        configuration = { crank = 2, coupler = -2, rocker = 2 }
        velocity = { crank = 3 }
    "#;
    std::fs::write(&path, scene).unwrap();
    let mut schema = schema("run");
    let open = validator(&schema);
    closed(&mut schema);
    let strict = validator(&schema);
    let mut found = std::collections::BTreeSet::new();
    for arguments in [
        &["ball"][..],
        &["painleve"],
        &["walker", "--until", "1"],
        &["quadruped", "--until", "0.3"],
        &["ball", "--max-events", "3"],
        &["cradle", "--until", "0.3"],
        &[path.to_str().unwrap()],
    ] {
        let whole = carom(&[&["simulate"], arguments, &["-o", "-", "--format", "json"]].concat());
        let summary = carom(&[&["simulate"], arguments, &["--format", "json"]].concat());
        for text in [whole.out, summary.out] {
            let run: Value = serde_json::from_str(&text).unwrap();
            assert!(open.is_valid(&run) && strict.is_valid(&run), "{arguments:?}\n{}", faults(&strict, &run));
            seen(&schema, &schema, "", &run, &mut found);
        }
    }
    let never: Vec<String> = stated(&schema).difference(&found).cloned().collect();
    assert!(never.is_empty(), "no run has {never:?}");
}
