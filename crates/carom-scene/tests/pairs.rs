//! Scenes of several bodies: impacts against closed forms in `reference/pairs`, and what is said of mistakes.

use carom_law::Mode;
use carom_scene::document::{Document, Format};
use carom_scene::{Answer, Problem, ProblemError, gallery};
use serde_json::Value;

fn reference() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../reference/pairs/expected.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_str().map_or_else(|| value.as_f64().unwrap(), |text| text.parse().unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
fn agree(found: &[f64], expected: &[f64], bound: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= bound, "{found:?} is not {expected:?}");
    }
}

fn read(text: &str) -> Result<Problem, ProblemError> {
    Problem::from_tree(Document::read(text, Format::Toml).unwrap().tree())
}

fn gallery_text(name: &str) -> String {
    gallery::find(name).unwrap().text.to_owned()
}

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let error = match read(text).and_then(|problem| problem.answer().map(|_| problem)) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{text} is accepted"),
    };
    for word in words {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

#[test]
fn billiard_balls_agree_with_closed_forms() {
    let reference = reference();
    let stun = gallery::impact("billiards").unwrap();
    for (case, spin) in [
        ("balls_stun_cut30", None),
        ("balls_rolling_cut30", Some([0.0, 2.0 / 0.028575, 0.0])),
        ("balls_english_cut30", Some([0.0, 0.0, -35.0])),
    ] {
        let mut velocity = stun.velocity().unwrap().to_vec();
        velocity[3..6].copy_from_slice(&spin.unwrap_or_default());
        let configuration = stun.scene().unwrap().configuration().to_vec();
        let outcome = stun.with_state_vectors(&configuration, &velocity).unwrap().solve().unwrap();
        let expected = &reference[case];
        let wanted = ["v1", "w1", "v2", "w2"].map(|key| numbers(&expected[key])).concat();
        agree(outcome.velocity.as_ref().unwrap(), &wanted, 2e-12);
        assert_eq!(outcome.mode, Mode::Slip, "{case}");
        let change = outcome.energy.after.unwrap() - outcome.energy.before.unwrap();
        agree(&[change, outcome.energy.change], &[number(&expected["dK"]); 2], 1e-14);
    }
}

/// The numbers of a computation of the whole set by the law, apart from this project's readers.
#[test]
fn a_table_takes_part() {
    let Answer::Many(answer) = gallery::impact("table").unwrap().answer().unwrap() else { panic!("one contact") };
    let after = answer.outcome.velocity.as_ref().unwrap();
    agree(&after[..3], &[0.505042657007, -0.805955489557, 0.089022005180], 1e-12);
    agree(&after[6..9], &[1.479313987499, 0.797453600054, 0.0], 1e-12);
    let energy = &answer.outcome.energy;
    agree(&[energy.after.unwrap() - energy.before.unwrap()], &[-0.04477591655824], 1e-13);
}

#[test]
fn two_balls_that_touch_are_struck_as_in_a_mirror() {
    let expected = &reference()["three_balls_slip"];
    let text = gallery_text("rack");
    // In the order of the file, and with left and right exchanged.
    let turned =
        text.replace("\"left\"", "\"other\"").replace("\"right\"", "\"left\"").replace("\"other\"", "\"right\"");
    for text in [text, turned] {
        let Answer::Many(answer) = read(&text).unwrap().answer().unwrap() else { panic!("one contact") };
        let after = answer.outcome.velocity.as_ref().unwrap();
        agree(&[after[0], after[1]], &[number(&expected["cue_after"]), 0.0], 1e-12);
        agree(&[after[6], after[7]], &[after[12], -after[13]], 1e-12);
        assert!(answer.outcome.contacts.iter().all(|contact| contact.mode == Mode::Slip));
    }
}

#[test]
fn a_cradle_that_touches_is_struck_together_and_one_with_gaps_in_sequence() {
    let Answer::Many(answer) = gallery::impact("cradle").unwrap().answer().unwrap() else { panic!("one contact") };
    let after = answer.outcome.velocity.as_ref().unwrap();
    agree(&[after[0], after[6], after[12]], &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1e-12);
    let mut simulation = carom_sim::Simulation::new(gallery::simulation("cradle").unwrap()).unwrap();
    simulation.run(&mut carom_sim::Discard).unwrap();
    let velocity = simulation.velocity();
    agree(&[velocity[0], velocity[6], velocity[12]], &[0.0, 0.0, 1.0], 1e-12);
}

/// A cube that lies on a step strikes with four corners; one that ends beyond it with those that are over it and where edges cross.
#[test]
fn a_box_on_a_box_has_several_contacts() {
    let scene = |x: f64| {
        format!(
            "restitution = 0.5\nfriction = 0.3\n[[objects]]\nname = \"cube\"\nbox = {{ half = [0.1, 0.1, 0.1] }}\nmass = 1\n\
             base = {{ position = [{x}, 0, 0.1], velocity = [0, 0, -1] }}\n[contact]\nlink = \"cube\"\nshape = \"all\"\n\
             [surface]\nname = \"step\"\nbox = {{ half = [0.5, 0.5, 0.1] }}\npoint = [0, 0, -0.1]\n"
        )
    };
    for x in [0.0, 0.45] {
        let problem = read(&scene(x)).unwrap();
        assert_eq!(problem.contact_count(), 4);
        let Answer::Many(answer) = problem.answer().unwrap() else { panic!("one contact") };
        let after = answer.outcome.velocity.as_ref().unwrap();
        if x == 0.0 {
            agree(&after[..3], &[0.0, 0.0, 0.5], 1e-12);
        }
        let drawn = problem.scene().unwrap().model().links()[0].shapes.len();
        assert_eq!(drawn, 1);
    }
}

/// A gripper of a file beside a body: names of objects, shapes and links.
#[test]
fn objects_have_names_of_their_own() {
    let problem = read(
        "restitution = 0.1\nfriction = 0.8\n[[objects]]\nname = \"hand\"\nmodel = { builtin = \"gripper\" }\n\
         state = { configuration = { left_slide = 0.02 } }\n[[objects]]\nname = \"cube\"\nbox = { half = [0.03, 0.03, 0.03] }\nmass = 0.2\n\
         [[contacts]]\nlink = \"hand/left_finger\"\nshape = \"left_low\"\nagainst = { link = \"cube\" }\n",
    )
    .unwrap();
    let scene = problem.scene().unwrap();
    assert_eq!(scene.pairs()[0].name, "hand/left_finger/left_low on cube");
    assert_eq!(scene.model().velocity_names()[0], "hand/left_slide");
    assert_eq!(scene.configuration()[0], 0.02);
    // It touches at once: the tip is at -0.06 + 0.02 + 0.01 = -0.03.
    assert!(scene.struck_pairs()[0].touches && scene.struck_pairs()[0].closest.gap.abs() < 1e-15);
}

#[test]
fn mistakes_are_told_by_name() {
    let text = gallery_text("billiards");
    refused(
        &text.replace("link = \"object\" }", "link = \"objct\" }"),
        &["contact.against.link", "did you mean", "object"],
    );
    refused(&text.replace("against = {", "surface = \"x\"\nagainst = {"), &["contact.surface", "against"]);
    refused(&text.replace("mass = 0.17", "mass = -1"), &["objects[0].mass", "above 0"]);
    refused(&text.replacen("name = \"object\"", "name = \"cue\"", 1), &["two objects"]);
    refused(&text.replacen("ball = {", "bal = {", 1), &["objects[0].bal", "did you mean"]);
    refused(&text.replace("velocity = [2, 0, 0]", "velocity = [2, 0]"), &["object \"cue\"", "base.velocity"]);
    refused(&text.replace("position = [0.049", "position = [0.040"), &["cue on object", "overlap"]);
    let cube = text.replacen("ball = { radius = 0.028575 }", "box = { half = [0.1, 0.1, 0.1] }", 1);
    refused(&cube, &["cue on object", "too deep"]);
    refused(&format!("{text}\n[state]\n"), &["state", "no model"]);
    let step = "restitution = 0\nfriction = 0\n[[objects]]\nname = \"a\"\nball = { radius = 1 }\nmass = 1\n[contact]\nlink = \"a\"\nshape = \"all\"\n[surface]\n";
    refused(&format!("{step}box = {{ half = [1, 0, 1] }}\n"), &["surface.box.half", "above 0"]);
    refused(&format!("{step}box = {{ half = [1, 1, 1] }}\nnormal = [0, 0, 1]\n"), &["surface.normal and surface.box"]);
    refused(
        &format!("{step}hull = {{ points = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] }}\n"),
        &["surface.hull.points", "plane"],
    );
}

/// Lists in the scene's own state are those of the whole world: the robot's entries, then those of each object.
#[test]
fn a_state_of_the_whole_world_is_shared_among_the_objects() {
    let text = r#"
        restitution = 0.5
        friction = 0.1
        [model]
        builtin = "double_pendulum"
        [state]
        configuration = [0.1, 0.2, 5, 0, 0, 1, 0, 0, 0]
        velocity = [1, 2, 3, 4, 5, 6, 7, 8]
        [[objects]]
        name = "marble"
        mass = 1
        ball = { radius = 0.1 }
        [contact]
        link = "tip"
        [surface]
        normal = [0, 0, 1]
        point = [0, 0, -3]
    "#;
    let scene = |text: &str| read(text).map(|problem| problem.scene().unwrap().clone());
    let whole = scene(text).unwrap();
    assert_eq!(whole.configuration(), [0.1, 0.2, 5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(whole.velocity(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let robot = text.replace("[0.1, 0.2, 5, 0, 0, 1, 0, 0, 0]", "[0.1, 0.2]");
    assert_eq!(scene(&robot).unwrap().configuration(), [0.1, 0.2, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let wrong = text.replace("[1, 2, 3, 4, 5, 6, 7, 8]", "[1, 2, 3, \"x\", 5, 6, 7, 8]");
    assert_eq!(scene(&wrong).unwrap_err().field.as_deref(), Some("state.velocity[3]"));
    let alone = text
        .replace("[model]\n        builtin = \"double_pendulum\"", "")
        .replace("link = \"tip\"", "link = \"marble\"");
    let error = scene(&alone).unwrap_err();
    assert!(error.message.contains("state lists all their coordinates"), "{}", error.message);
}

/// Each domino knocks over the next, the last falls against the post, and all come to rest leaning to the same side: the first the most and none
/// to its side.
#[test]
fn dominoes_fall_and_lean_on_each_other() {
    let mut simulation = carom_sim::Simulation::new(gallery::simulation("dominoes").unwrap()).unwrap();
    let mut recorder = carom_sim::Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let summary = simulation.summary();
    assert!(summary.at_rest.is_some_and(|rest| rest > 0.3 && rest < 0.5), "{:?}", summary.at_rest);
    assert!(summary.residual < 1e-8 && summary.penetration < 1e-9, "{summary:?}");
    assert_eq!((summary.windows, summary.rattles, summary.projections), (0, 0, 0));
    let energies: Vec<f64> = (recorder.samples().iter()).map(|one| one.energy.kinetic + one.energy.potential).collect();
    assert!(energies.windows(2).all(|pair| pair[1] <= pair[0] + 1e-9 * summary.largest_energy), "{energies:?}");
    // One impact for each that is knocked over, the post, and what these do to the others.
    assert!(summary.impacts >= 5, "{}", summary.impacts);
    let leaning: Vec<f64> = simulation.configuration().chunks(7).map(|q| 2.0 * q[5].atan2(q[3])).collect();
    assert!(leaning.windows(2).all(|pair| pair[0] > pair[1]) && leaning[4] > 0.3 && leaning[0] < 1.3, "{leaning:?}");
    for q in simulation.configuration().chunks(7) {
        agree(&[q[1], q[4], q[6]], &[0.0; 3], 1e-9);
    }
}

/// Ten equal boxes, edge above edge, neither sink nor drift in ten seconds, and nothing happens.
#[test]
fn ten_stacked_boxes_stay_at_rest() {
    let mut setup = gallery::simulation("stack").unwrap();
    setup.settings.interval = Some(1.0);
    let mut simulation = carom_sim::Simulation::new(setup).unwrap();
    let mut recorder = carom_sim::Recorder::new();
    simulation.run(&mut recorder).unwrap();
    let summary = simulation.summary();
    assert_eq!((summary.time, summary.at_rest, recorder.events().len()), (10.0, Some(0.0), 0));
    assert!(summary.residual < 1e-8 && summary.windows == 0, "{summary:?}");
    for (k, q) in simulation.configuration().chunks(7).enumerate() {
        agree(&q[..3], &[0.0, 0.0, 0.05 + 0.1 * k as f64], 1e-9);
    }
}
