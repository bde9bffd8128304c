//! Problems from files, and problems that are changed after they are read.

use carom_law::{ErrorKind, Friction, Outcome, Restitution};
use carom_multibody::State;
use carom_scene::document::{Edit, FORMAT_VERSION, Kind, Tree};
use carom_scene::gallery::{self, SCENES};
use carom_scene::{Answer, Problem, ProblemError};
use serde_json::json;

/// A scene with the changes of a command line.
fn edited(scene: &str, edits: &[String]) -> Problem {
    let mut tree = gallery::find(scene).unwrap().tree().unwrap();
    edits.iter().for_each(|edit| edit.parse::<Edit>().unwrap().apply(&mut tree).unwrap());
    Problem::from_tree(&tree).unwrap()
}

fn refused<T: std::fmt::Debug>(result: Result<T, ProblemError>) -> (Kind, Option<String>, String) {
    let error = result.unwrap_err();
    (error.kind, error.field, error.message)
}

#[test]
fn a_file_is_read_with_its_robot_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = carom_scene::models::find("double_pendulum").unwrap();
    std::fs::write(folder.path().join(model.file), model.text).unwrap();
    let kane = gallery::find("kane").unwrap();
    let text = kane.text.replace("builtin = \"double_pendulum\"", &format!("urdf = \"{}\"", model.file));
    assert_ne!(text, kane.text);
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(Problem::from_file(&path).unwrap().solve().unwrap(), kane.problem().unwrap().solve().unwrap());

    // An error has its line.
    std::fs::write(&path, text.replace("friction = 0.5", "friction = -0.5")).unwrap();
    let error = Problem::from_file(&path).unwrap_err();
    let line = 1 + text.lines().position(|line| line.starts_with("friction")).unwrap();
    assert_eq!((error.field.as_deref(), error.line), (Some("friction"), Some(line)), "{error}");

    let (kind, _, message) = refused(Problem::from_file(folder.path().join("none.toml")));
    assert!(kind == Kind::File && message.contains("none.toml"), "{message}");
    let (kind, _, message) = refused(Problem::from_file(folder.path()));
    assert!(kind == Kind::File, "{message}");
}

#[test]
fn changed_coefficients_are_those_of_a_changed_document() {
    for scene in SCENES {
        let problem = scene.problem().unwrap();
        for (e, mu) in [(0.0, 0.0), (0.4, 0.15), (0.9, 0.8)] {
            let (restitution, friction) = (Restitution::new(e).unwrap(), Friction::new(mu).unwrap());
            let changed = problem.with_restitution(restitution).with_friction(friction);
            let expected = edited(scene.name, &[format!("restitution={e}"), format!("friction={mu}")]);
            assert_eq!(changed.answer().unwrap(), expected.answer().unwrap(), "{}", scene.name);
        }
    }
}

#[test]
fn a_contact_s_own_coefficients_stay() {
    let problem = json!({
        "delassus": [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]],
        "contact_velocity": [-1.3, 0.95, -0.7, 0.95],
        "contacts": [{ "dimension": 2, "restitution": 0.5 }, { "dimension": 2, "friction": 0.1 }],
        "restitution": 0.3, "friction": 0.3,
    });
    let changed = Problem::from_data(&problem).unwrap();
    let changed = changed.with_friction(Friction::new(0.7).unwrap()).with_restitution(Restitution::new(0.2).unwrap());
    let Answer::Many(several) = changed.answer().unwrap() else { panic!("two contacts") };
    let told: Vec<(f64, f64)> = several
        .outcome
        .contacts
        .iter()
        .map(|contact| (contact.restitution.normal, contact.friction.unwrap().mu_s()))
        .collect();
    assert_eq!(told, [(0.5, 0.7), (0.2, 0.1)]);
}

#[test]
fn changed_states_are_those_of_a_changed_document() {
    let solve = |problem: &Problem| -> Outcome { problem.solve().unwrap() };
    let foot = gallery::impact("foot").unwrap();
    let state = State::new().position("front_left_knee", -0.95).velocity("front_left_knee", 4.0);
    let edits = ["state.configuration.front_left_knee=-0.95", "state.velocity.front_left_knee=4"];
    let expected = edited("foot", &edits.map(str::to_owned));
    let changed = foot.with_state(&state).unwrap();
    assert_eq!(solve(&changed), solve(&expected));
    assert_ne!(solve(&changed), solve(&foot));

    let scene = changed.scene().unwrap();
    let again = foot.with_state_vectors(scene.configuration(), scene.velocity()).unwrap();
    assert_eq!(solve(&again), solve(&expected));
    // A simulation starts there.
    assert_eq!(changed.setup().unwrap().velocity, scene.velocity());

    let (kind, field, message) = refused(foot.with_state(&State::new().position("knee", 0.0)));
    assert_eq!((kind, field.as_deref()), (Kind::UnknownName, Some("state")));
    assert!(message.contains("\"knee\"") && message.contains("front_left_knee"), "{message}");
    let (kind, _, message) = refused(foot.with_state(&State::new().velocity("front_left_knee", [1.0, 2.0])));
    assert_eq!(kind, Kind::Law(ErrorKind::Shape));
    assert!(message.contains("has 2 numbers; the joint has 1"), "{message}");
    let (kind, ..) = refused(foot.with_state(&State::new().velocity("front_left_knee", f64::NAN)));
    assert_eq!(kind, Kind::Law(ErrorKind::NotFinite));
    let (kind, ..) = refused(foot.with_state_vectors(&[0.0], &[0.0]));
    assert_eq!(kind, Kind::Law(ErrorKind::Shape));
    let matrices: Problem = "delassus = [[1.0]]\ncontact_velocity = [-1]\nrestitution = 0".parse().unwrap();
    let (kind, field, _) = refused(matrices.with_state(&State::new()));
    assert_eq!((kind, field.as_deref()), (Kind::Law(ErrorKind::Missing), Some("model")));
}

#[test]
fn versions_of_the_format() {
    let with = |version: &str| -> Result<Problem, ProblemError> {
        format!("{version}\ndelassus = [[1.0]]\ncontact_velocity = [-1]\nrestitution = 0").parse()
    };
    let expected = with("").unwrap().answer().unwrap();
    assert_eq!(with(&format!("format_version = {FORMAT_VERSION}")).unwrap().answer().unwrap(), expected);
    // Keys that a newer version has are not what is told.
    let newer = FORMAT_VERSION + 1;
    let (kind, field, message) = refused(with(&format!("format_version = {newer}\nnovelty = 1")));
    assert_eq!((kind, field.as_deref()), (Kind::Law(ErrorKind::Unsupported), Some("format_version")));
    assert!(message.starts_with(&format!("format_version = {newer} is newer than {FORMAT_VERSION}")), "{message}");
    for wrong in ["format_version = 0", "format_version = 1.5", "format_version = \"1\"", "format_version = -1"] {
        let (kind, field, _) = refused(with(wrong));
        assert_eq!((kind, field.as_deref()), (Kind::WrongType, Some("format_version")), "{wrong}");
    }
    let scene = edited("kane", &["format_version=1".to_owned()]);
    assert_eq!(scene.solve().unwrap(), gallery::impact("kane").unwrap().solve().unwrap());
}

#[test]
fn trees_are_data() {
    let tree = Tree::of(&json!({ "friction": { "dynamic": 0.3 }, "velocity": [1, -2], "guard": "slip" })).unwrap();
    assert_eq!((tree.number("friction.dynamic"), tree.number("velocity[1]")), (Some(0.3), Some(-2.0)));
    assert_eq!((tree.text("guard"), tree.text("velocity"), tree.number("guard")), (Some("slip"), None, None));
    assert!(tree.contains("friction") && !tree.contains("friction.static") && !tree.contains("velocity[2]"));
    assert_eq!(serde_json::to_string(&tree).unwrap(), tree.to_string());
    let (kind, _, message) = refused(gallery::impact("nothing").map(|_| ()));
    assert!(kind == Kind::UnknownName && message.contains("\"nothing\" is not one of kane, rod"), "{message}");
    assert!(gallery::simulation("kane").is_err() && gallery::simulation("ball").is_ok());
}
