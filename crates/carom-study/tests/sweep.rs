//! Sweeps: rows are those of single problems, whatever the parts; columns are the fields of records.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use carom_scene::document::{Edit, Tree};
use carom_scene::record::OutcomeRecord;
use carom_scene::robots::Robots;
use carom_scene::{Problem, gallery};
use carom_study::sweep::{Plan, SampleKind, Sweep, SweepError, Table, Values};
use serde_json::Value;

fn tree(name: &str) -> Tree {
    gallery::find(name).unwrap().tree().unwrap()
}

fn plan(scene: &str, vary: &[&str], random: &[&str]) -> Plan {
    let mut plan = Plan::new(tree(scene));
    plan.vary = vary.iter().map(|text| text.parse().unwrap()).collect();
    plan.random = random.iter().map(|text| text.parse().unwrap()).collect();
    plan
}

fn prepare(plan: &Plan) -> Result<Sweep, SweepError> {
    plan.prepare(Path::new(""), &Arc::new(Robots::new()))
}

/// The cells of a row as JSON, by column.
fn row(table: &Table, row: usize) -> Vec<(String, Value)> {
    let cell = |values: &Values| match values {
        Values::Integers(values) => Value::from(values[row]),
        // NaN becomes null.
        Values::Numbers(values) => Value::from(values[row]),
        Values::Flags(values) => Value::from(values[row]),
        Values::Words(values) => Value::from(values[row].as_ref().map(|word: &Cow<'static, str>| word.to_string())),
    };
    table.columns.iter().map(|column| (column.name.clone(), cell(&column.values))).collect()
}

/// The value of a record at a path such as `energy.change` or `impulse[1]`; null if there is none.
fn field<'v>(record: &'v Value, path: &str) -> &'v Value {
    let path = path.replace('[', ".").replace(']', "");
    path.split('.').fold(record, |here, step| match step.parse::<usize>() {
        Ok(index) => &here[index],
        Err(_) => &here[step],
    })
}

/// Numbers as the same bits, whether they are integers or not.
fn assert_same(found: &Value, expected: &Value, what: &str) {
    match (found.as_f64(), expected.as_f64()) {
        (Some(x), Some(y)) => assert_eq!(x.to_bits(), y.to_bits(), "{what}: {x} is not {y}"),
        _ => assert_eq!(found, expected, "{what}"),
    }
}

/// The paths of all leaves of a record.
fn leaves(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let join = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| leaves(value, &join(key), found)),
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(k, value)| leaves(value, &format!("{path}[{k}]"), found))
        }
        _ => drop(found.insert(path.to_owned())),
    }
}

/// The record of a problem with the values of a row.
fn record(scene: &Tree, values: &[(String, Value)]) -> Result<Value, String> {
    let mut tree = scene.clone();
    for (key, value) in values {
        Edit::new(key, value).unwrap().apply(&mut tree).map_err(|error| error.to_string())?;
    }
    let problem = Problem::from_tree(&tree).map_err(|error| error.to_string())?;
    let answer = problem.answer().map_err(|error| error.to_string())?;
    let robot = problem.scene().map(carom_scene::record::RobotRecord::new).transpose().unwrap();
    Ok(serde_json::to_value(OutcomeRecord::new(&answer, robot.as_ref(), None)).unwrap())
}

const ONE: &str = "mode,impulse,velocity,contact_velocity,direction,energy,discriminator,critical_friction,\
    critical_reversal,printed,restitution_limit,friction_limit,admissible,admissible_any_state,guard,solutions,\
    restitution.normal,restitution.tangential,friction.static,friction.dynamic,contact_dimension,law,residual,condition,\
    phases,robot.position,robot.gap";

/// Scenes read once, and scenes read for each sample, both give the bits of single problems, in every field of the record.
#[test]
fn rows_are_the_outcomes_of_single_problems() {
    let seed = fastrand::u64(..);
    for (scene, vary, random) in [
        ("arm", &["restitution=0:1:3"][..], &["friction=uniform(0,1)", "state.velocity.elbow=normal(0,2)"][..]),
        ("arm", &["state.configuration.elbow=0.9:1.5:3"], &["state.velocity.wrist_2=normal(-1,1)"]),
        ("kane", &["guard=[report,slip,limit]"], &["friction=lognormal(-1,1)", "restitution=uniform(0,1)"]),
        ("kane", &["law=[aghili,poisson,stronge]"], &["state.velocity.elbow=choice(-0.5,0.3)"]),
        ("foot", &["friction.dynamic=[0.1,0.2]"], &["state.velocity.front_left_knee=normal(0,4)"]),
        ("rod", &["friction=[0.1, 0.7, {\"static\": 0.5, \"dynamic\": 0.4}]"], &["restitution=uniform(0.1,0.9)"]),
    ] {
        let mut plan = plan(scene, vary, random);
        (plan.samples, plan.seed) = (40, seed);
        // A key is a column already.
        let is_key = |name: &String| name != "guard" && plan.vary.iter().any(|axis| axis.key() == name);
        plan.columns = ONE.split(',').map(|name| name.trim().to_owned()).filter(|name| !is_key(name)).collect();
        let sweep = prepare(&plan).unwrap();
        let table = sweep.part(0, 1).unwrap();
        assert_eq!(table.rows as u64, sweep.rows());
        let keys = plan.vary.len() + plan.random.len();
        for k in 0..table.rows {
            let row = row(&table, k);
            assert_eq!(row[0], ("sample".to_owned(), Value::from(k)));
            let mut values = row[1..=keys].to_vec();
            // An object is written as JSON.
            for (key, value) in &mut values {
                if let Value::String(text) = value
                    && key == "friction"
                {
                    *value = serde_json::from_str(text).unwrap();
                }
            }
            let what = format!("seed {seed}: {scene} {values:?}");
            match record(&plan.scene, &values) {
                Ok(record) => {
                    for (name, value) in &row[1 + keys..row.len() - 1] {
                        assert_same(value, field(&record, name), &format!("{what}: {name}"));
                    }
                    assert_eq!(row[row.len() - 1].1, Value::Null, "{what}");
                    // Nothing of the record is left out.
                    let mut all = BTreeSet::new();
                    leaves(&record, "", &mut all);
                    let exempt = |path: &String| {
                        ["format_version", "id", "robot.", "violations"].iter().any(|other| path.starts_with(other))
                            // The parts of an answer that a guard replaced, where there is none.
                            || path == "guard.unguarded" || path == "printed" || path == "direction" || path == "friction"
                    };
                    let known: BTreeSet<&String> = row.iter().map(|(name, _)| name).collect();
                    let missing: Vec<_> = all.iter().filter(|path| !exempt(path) && !known.contains(path)).collect();
                    assert!(missing.is_empty(), "{what}: no columns for {missing:?}");
                }
                Err(error) => {
                    assert_eq!(row[row.len() - 1].1, Value::from(error), "{what}");
                    let answers = &row[1 + keys..row.len() - 1];
                    assert!(answers.iter().all(|(_, value)| value.is_null()), "{what}: {answers:?}");
                }
            }
        }
    }
}

/// Where several contacts may strike, each has its columns by name, also in samples in which it strikes alone.
#[test]
fn contacts_are_found_by_name_whichever_of_them_strike() {
    let mut plan = plan("landing", &["restitution=0:0.8:3"], &["friction=uniform(0,1)"]);
    plan.samples = 10;
    let names = ["front_left", "rear_right"];
    let fields = ["mode", "impulse[0]", "energy.change", "restitution_used", "friction.static"];
    let scene = Problem::from_tree(&plan.scene).unwrap();
    let known: Vec<String> = scene.scene().unwrap().contacts().iter().map(|contact| contact.name.clone()).collect();
    let names: Vec<&String> =
        names.iter().map(|part| known.iter().find(|name| name.contains(part)).expect("a foot")).collect();
    for name in &names {
        plan.columns.extend(fields.map(|field| format!("contacts.{name}.{field}")));
    }
    plan.columns.extend(["energy", "velocity", "guard", "effort", "search", "sequence", "strong"].map(str::to_owned));
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    for k in 0..table.rows {
        let row = row(&table, k);
        let record = record(&plan.scene, &row[1..3]).unwrap();
        for (name, value) in &row[3..row.len() - 1] {
            let expected = match name.strip_prefix("contacts.") {
                Some(rest) => {
                    let contacts = record["contacts"].as_array().unwrap();
                    let contact = contacts.iter().find(|c| rest.starts_with(c["name"].as_str().unwrap())).unwrap();
                    let of = contact["name"].as_str().unwrap().len();
                    field(contact, &rest[of + 1..])
                }
                None => field(&record, name),
            };
            assert_same(value, expected, name);
        }
    }
    // One foot alone: the columns of the others are empty.
    let alone = Edit::new("strike", &vec![names[0]]).unwrap();
    alone.apply(&mut plan.scene).unwrap();
    plan.columns.retain(|column| column.starts_with("contacts."));
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    let struck = row(&table, 0);
    assert!(struck[3].1.is_string() && struck[4].1.is_number(), "{struck:?}");
    assert!(struck[3 + fields.len()..3 + 2 * fields.len()].iter().all(|(_, value)| value.is_null()), "{struck:?}");
}

#[test]
fn parts_are_the_rows_of_the_whole_to_the_bit() {
    let mut plan = plan("arm", &["friction=0:1:7"], &["state.velocity.elbow=normal(0,1)"]);
    (plan.samples, plan.seed) = (701, 5);
    let sweep = prepare(&plan).unwrap();
    let bits = |table: &Table| -> Vec<String> { (0..table.rows).map(|k| format!("{:?}", row(table, k))).collect() };
    let whole = sweep.part(0, 1).unwrap();
    assert_eq!(whole.rows, 7 * 701);
    for count in [2, 3, 13, 6000] {
        let mut rows = Vec::new();
        for part in 0..count {
            let table = sweep.part(part, count).unwrap();
            assert_eq!(table.first, rows.len() as u64);
            rows.extend(bits(&table));
        }
        assert!(rows == bits(&whole), "{count} parts");
    }
    // Another sweep of the same plan, read from its document.
    let again = prepare(&Plan::from_json(&plan.to_json()).unwrap()).unwrap();
    assert_eq!((again.digest(), again.document()), (sweep.digest(), sweep.document()));
    assert!(bits(&again.part(0, 1).unwrap()) == bits(&whole));
    assert_eq!(sweep.part(3, 3).unwrap_err(), SweepError::Part { part: 3, count: 3 });
}

#[test]
fn grids_run_over_the_last_key_first_and_random_values_do_not_depend_on_other_keys() {
    let mut grid =
        plan("kane", &["restitution=0:1:2", "friction=[0.1,0.2,0.3]"], &["state.velocity.elbow=normal(0,1)"]);
    grid.samples = 2;
    let table = prepare(&grid).unwrap().part(0, 1).unwrap();
    let column = |table: &Table, name: &str| -> Vec<f64> {
        let column = table.columns.iter().find(|column| column.name == name).unwrap();
        let Values::Numbers(values) = &column.values else { panic!("{name}") };
        values.clone()
    };
    let twice = |values: &[f64]| -> Vec<f64> { values.iter().flat_map(|x| [*x, *x]).collect() };
    assert_eq!(column(&table, "restitution"), twice(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
    assert_eq!(column(&table, "friction"), twice(&[0.1, 0.2, 0.3, 0.1, 0.2, 0.3]));
    let drawn = column(&table, "state.velocity.elbow");
    assert!(drawn.iter().enumerate().all(|(i, x)| drawn[..i].iter().all(|y| y != x)));
    // Another key beside it, and another grid with as many samples.
    let mut other =
        plan("kane", &["friction=0:1:12"], &["restitution=uniform(0,1)", "state.velocity.elbow=normal(0,1)"]);
    other.samples = 1;
    let beside = prepare(&other).unwrap().part(0, 1).unwrap();
    assert_eq!(column(&beside, "state.velocity.elbow"), drawn);
}

#[test]
fn the_digest_tells_plans_apart() {
    let base = plan("kane", &["friction=0:1:5"], &["restitution=uniform(0,1)"]);
    let digest = |plan: &Plan| prepare(plan).unwrap().digest().to_owned();
    let mut digests = vec![digest(&base)];
    let changes: [fn(&mut Plan); 7] = [
        |plan| plan.seed = 1,
        |plan| plan.samples = 2,
        |plan| plan.columns = vec!["mode".to_owned()],
        |plan| plan.vary = vec!["friction=0:1:6".parse().unwrap()],
        |plan| plan.random = vec!["restitution=uniform(0,0.5)".parse().unwrap()],
        |plan| Edit::new("guard", "slip").unwrap().apply(&mut plan.scene).unwrap(),
        |plan| plan.random.clear(),
    ];
    for change in changes {
        let mut plan = base.clone();
        change(&mut plan);
        digests.push(digest(&plan));
    }
    let distinct: BTreeSet<&String> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());
    assert!(digests.iter().all(|digest| digest.len() == 64));
}

/// The robot's file is part of what identifies the rows, wherever it is; so is every file of a choice.
#[test]
fn a_robot_file_that_changes_is_another_sweep() {
    let robot = carom_scene::models::find("double_pendulum").unwrap().text;
    let mut kane = serde_json::to_value(tree("kane")).unwrap();
    kane["model"] = serde_json::json!({ "urdf": "robot.urdf" });
    let mut plan = Plan::new(Tree::of(&kane).unwrap());
    plan.vary = vec!["friction=0:1:5".parse().unwrap()];
    let digest = |plan: &Plan, text: &str, other: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("robot.urdf"), text).unwrap();
        std::fs::write(folder.path().join("other.urdf"), other).unwrap();
        plan.prepare(folder.path(), &Arc::default()).unwrap().digest().to_owned()
    };
    let changed = format!("{robot}<!-- -->");
    let first = digest(&plan, robot, robot);
    assert_eq!(first, digest(&plan, robot, &changed));
    assert_ne!(first, digest(&plan, &changed, robot));
    plan.vary.push("model.urdf=[\"robot.urdf\",\"other.urdf\"]".parse().unwrap());
    assert_ne!(digest(&plan, robot, robot), digest(&plan, robot, &changed));
}

/// Values out of range are rows with an error, and do not disturb the others.
#[test]
fn samples_without_an_answer_are_rows_with_an_error() {
    let mut plan = plan("kane", &["restitution=[-0.5, 0.5, 2]"], &[]);
    plan.columns = vec!["mode".to_owned(), "impulse[0]".to_owned()];
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    let rows: Vec<_> = (0..3).map(|k| row(&table, k)).collect();
    for k in [0, 2] {
        assert!(rows[k][2].1.is_null() && rows[k][3].1.is_null());
        let error = rows[k][4].1.as_str().unwrap();
        assert!(error.contains("restitution") && error.contains("outside [0, 1]"), "{error}");
    }
    assert_eq!(rows[1][2].1, "stick");
    assert!(rows[1][4].1.is_null());
}

#[test]
fn wrong_plans_say_what_is_wrong() {
    let check = |vary: &[&str], columns: &str, part: &str| {
        let mut plan = plan("kane", vary, &[]);
        plan.columns = columns.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let error = prepare(&plan).unwrap_err().to_string();
        assert!(error.contains(part), "{vary:?} {columns}: {error}");
    };
    check(&["frction=0:1:3"], "", "frction cannot vary: frction is not a valid key (did you mean \"friction\"?)");
    check(&["state.velocity.elbw=0:1:3"], "", "elbw");
    check(&["guard=[1,2]"], "", "guard is the number 1, but must be a string");
    check(&["law=[newtn]"], "", "newtn");
    check(&["friction=0:1:3", "friction.static=[1]"], "", "friction and friction.static both set friction");
    check(&["friction=0:1:3", "friction=0:2:3"], "", "both set friction");
    check(
        &["friction=0:1:100000000", "restitution=0:1:100000000"],
        "",
        "100000000 x 100000000 x 1 give more than 2^53",
    );
    check(&[], "mde", "\"mde\" is not a column (did you mean \"mode\"?)");
    check(&[], "impulse[2]", "impulse has 2 entries, counted from 0");
    check(&[], "mode,mode", "the column \"mode\" occurs twice");
    check(&["law=[aghili]"], "law", "the column \"law\" occurs twice");
    check(&[], "contacts.heel.mode", "\"heel\" in \"contacts.heel.mode\" is not a contact; the contacts are tip");
    check(&[], "mode[0]", "is not a column");
    let mut landing = plan("landing", &[], &[]);
    landing.columns = vec!["mode".to_owned()];
    let error = prepare(&landing).unwrap_err().to_string();
    assert!(error.contains("several may strike here: give contacts.NAME.mode with one of"), "{error}");
    let mut none = plan("kane", &[], &[]);
    none.samples = 0;
    assert_eq!(prepare(&none).unwrap_err().to_string(), "samples = 0 is outside [1, 2^53]");
    for (text, part) in [
        ("{", "EOF"),
        ("{\"scene\": {}, \"vray\": []}", "unknown field `vray`"),
        ("{\"scene\": {}, \"vary\": [\"a=0:1\"]}", "vary[0]: \"0:1\" is neither"),
        ("{\"scene\": {}, \"random\": [\"a=b\"]}", "random[0]: \"b\" is not one of uniform"),
        ("{\"scene\": {}, \"format_version\": 9}", "format_version = 9 is not supported"),
        ("{}", "missing field `scene`"),
    ] {
        let error = Plan::from_json(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// Matrices, too: their keys are changed in the document.
#[test]
fn problems_by_matrices_can_be_swept() {
    let problem = serde_json::json!({
        "delassus": [[2.0, 0.3, 0.1], [0.3, 1.5, 0.0], [0.1, 0.0, 1.2]], "contact_velocity": [-1.0, 0.4, 0.2],
        "restitution": 0.5, "friction": 0.3
    });
    let mut plan = Plan::new(Tree::of(&problem).unwrap());
    plan.vary = vec!["contact_velocity[1]=-2:2:9".parse().unwrap()];
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    for k in 0..9 {
        let row = row(&table, k);
        let record = record(&plan.scene, &row[1..2]).unwrap();
        for (name, value) in &row[2..row.len() - 1] {
            assert_same(value, field(&record, name), name);
        }
    }
}

/// The columns of simulations are those of their records.
#[test]
fn simulations_give_summaries_ends_and_events() {
    use carom_sim::{EventKind, Recorder, Simulation};
    let scene = gallery::find_simulation("cube").unwrap().tree().unwrap();
    let mut plan = Plan::new(scene);
    plan.kind = SampleKind::Simulation;
    plan.vary = vec!["restitution=[0.1, 0.4]".parse().unwrap()];
    Edit::new("simulation.until", &0.6).unwrap().apply(&mut plan.scene).unwrap();
    // The contact that strikes last.
    let mut simulation = Simulation::new(Problem::from_tree(&plan.scene).unwrap().setup().unwrap()).unwrap();
    let mut recorder = Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let last = recorder.events().iter().rev().find(|event| event.kind() == EventKind::Impact).unwrap();
    let contact = simulation.header().contacts[last.contact().unwrap()].name.clone();
    plan.columns = [
        "ending",
        "time",
        "steps",
        "impacts",
        "penetration",
        "residual",
        "end.velocity",
        "end.configuration[2]",
        "end.energy.kinetic",
        "count(impact)",
        "first(impact).contact",
        "settled",
    ]
    .map(str::to_owned)
    .to_vec();
    for text in ["count(impact, C)", "first(impact, C).time", "last(impact,C).impulse", "last(impact, C).impact"] {
        plan.columns.push(text.replace('C', &contact));
    }
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    for k in 0..2 {
        let row = row(&table, k);
        let mut tree = plan.scene.clone();
        Edit::new("restitution", &row[1].1).unwrap().apply(&mut tree).unwrap();
        let mut simulation = Simulation::new(Problem::from_tree(&tree).unwrap().setup().unwrap()).unwrap();
        let mut recorder = Recorder::new();
        simulation.run(&mut recorder).unwrap();
        let record = recorder.finish(&simulation);
        let cell = |name: &str| &row.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{name}")).1;
        let summary = serde_json::to_value(&record.summary).unwrap();
        for name in ["ending", "time", "steps", "impacts", "penetration", "residual"] {
            assert_same(cell(name), &summary[name], name);
        }
        let end = record.samples.last().unwrap();
        for (i, v) in end.velocity.iter().enumerate() {
            assert_same(cell(&format!("end.velocity[{i}]")), &Value::from(*v), "end.velocity");
        }
        assert_same(cell("end.configuration[2]"), &Value::from(end.configuration[2]), "end.configuration");
        assert_same(cell("end.energy.kinetic"), &Value::from(end.energy.kinetic), "end.energy");
        let impacts: Vec<_> = record.events.iter().filter(|event| event.kind() == EventKind::Impact).collect();
        assert_eq!(cell("count(impact)").as_f64(), Some(impacts.len() as f64));
        let name = |event: &carom_sim::Event| record.header.contacts[event.contact().unwrap()].name.as_str();
        assert_eq!(cell("first(impact).contact").as_str(), Some(name(impacts[0])));
        let own: Vec<_> = impacts.iter().filter(|event| name(event) == contact).collect();
        assert!(!own.is_empty());
        let (first, last) = (own[0], own[own.len() - 1]);
        assert_eq!(cell(&format!("count(impact, {contact})")).as_f64(), Some(own.len() as f64));
        assert_same(cell(&format!("first(impact, {contact}).time")), &Value::from(first.time()), "first");
        for i in 0..3 {
            let name = format!("last(impact, {contact}).impulse[{i}]");
            assert_same(cell(&name), &Value::from(last.impulse()[i]), &name);
        }
        let mode = last.impact().map(carom_law::Mode::name);
        assert_eq!(cell(&format!("last(impact, {contact}).impact")).as_str(), mode);
        for (i, header) in record.header.contacts.iter().enumerate() {
            let settled = Value::from(record.summary.settled[i]);
            assert_same(cell(&format!("settled.{}", header.name)), &settled, "settled");
        }
    }
    for (column, part) in [
        ("impcts", "did you mean \"impacts\"?"),
        ("count(imact)", "did you mean \"impact\"?"),
        ("count(impact, corner)", "is not a contact"),
        ("first(impact)", "is not a column"),
        ("first(impact).tme", "did you mean \"time\"?"),
        ("count(impact", "is not a column"),
        ("median(impact).time", "is not a column"),
        ("end.speed", "is not a column"),
    ] {
        plan.columns = vec![column.to_owned()];
        let error = prepare(&plan).unwrap_err().to_string();
        assert!(error.contains(part), "{column}: {error}");
    }
}

/// A run that fails has its row, with what is known of it.
#[test]
fn a_simulation_that_fails_is_a_row_with_its_error() {
    let mut plan = Plan::new(gallery::find_simulation("ball").unwrap().tree().unwrap());
    plan.kind = SampleKind::Simulation;
    plan.vary = vec!["simulation.max_events=[3, 1000000]".parse().unwrap()];
    plan.columns = ["ending", "impacts", "count(impact)"].map(str::to_owned).to_vec();
    let table = prepare(&plan).unwrap().part(0, 1).unwrap();
    let [failed, complete] = [0, 1].map(|k| row(&table, k));
    assert_eq!((&failed[2].1, &complete[2].1), (&"failed".into(), &"complete".into()));
    assert!(failed[5].1.as_str().unwrap().contains("max_events"), "{failed:?}");
    assert!(complete[5].1.is_null() && complete[3].1.as_f64().unwrap() > 60.0, "{complete:?}");
}
