//! The examples run, and what they print is what carom computes by other ways.

use std::path::{Path, PathBuf};
use std::process::Command;

use carom::law::{GeneralizedContact, MatrixView, Mode};
use carom::sim::{EventKind, Recorder, Simulation};

/// What an example prints. `cargo test` builds the examples beside the tests.
fn printed(name: &str, arguments: &[&Path]) -> String {
    let test = std::env::current_exe().unwrap();
    let folder: PathBuf = test.parent().and_then(Path::parent).unwrap().join("examples");
    let example = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} was not built: run cargo test -p carom", example.display());
    let output = Command::new(example).args(arguments).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || "+-.".contains(c)));
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn the_engine_author_gets_the_impulse_of_the_generalized_form() {
    let text = printed("engine", &[]);
    // M = W⁻¹ with A = 1 is the same contact, solved by a factorisation and not through W.
    let w = nalgebra::Matrix3::new(0.9, 0.2, 0.0, 0.2, 1.4, 0.1, 0.0, 0.1, 1.1);
    let (mass, unit) = (w.try_inverse().unwrap(), nalgebra::Matrix3::<f64>::identity());
    let contact = GeneralizedContact::new(
        MatrixView::column_major(3, 3, mass.as_slice()),
        MatrixView::column_major(3, 3, unit.as_slice()),
        &[-2.0, 0.6, -0.3],
    )
    .unwrap();
    let coefficients = carom::law::Coefficients::new(
        carom::law::Restitution::new(0.5).unwrap(),
        carom::law::Friction::new(0.2).unwrap(),
    );
    let expected = contact.impact(&coefficients, carom::law::Guard::Slip).unwrap();
    assert_eq!(expected.mode, Mode::Slip);
    assert!(text.starts_with("slip: impulse ["), "{text}");
    let found = numbers(&text);
    let all = expected.impulse.iter().copied().chain([expected.energy.change]);
    assert_eq!(found.len(), 4, "{text}");
    for (found, expected) in found.iter().zip(all) {
        assert!((found - expected).abs() <= 0.5001e-4, "{text} for {expected}");
    }
}

#[test]
fn the_robot_is_struck_by_its_urdf() {
    let urdf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../carom-scene/models/arm.urdf");
    let text = printed("robot", &[&urdf]);
    // The same impact as a scene.
    let scene: carom::Problem = "restitution = 0.3\nfriction = 0.2\nguard = \"slip\"\nmodel.builtin = \"arm\"\n\
        state.configuration = { shoulder_lift = 0.6, elbow = 1.2, wrist_2 = 1.3416 }\n\
        state.velocity = { shoulder_pan = 1.2, shoulder_lift = 0.4 }\n\
        contact.link = \"tool_tip\"\nsurface.normal = [0, 0, 1]"
        .parse()
        .unwrap();
    let outcome = scene.solve().unwrap();
    assert!(outcome.contact_velocity.before[0] < 0.0, "it does not strike");
    assert!(text.starts_with(&format!("the tool {:?}s\n", outcome.mode)), "{text}");
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let (names, after) = (scene.scene().unwrap().model().velocity_names(), outcome.velocity.unwrap());
    assert_eq!(lines.len(), 6, "{text}");
    for (line, (name, after)) in lines.iter().zip(names.iter().zip(after)) {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[0], name);
        assert!((words[2].parse::<f64>().unwrap() - after).abs() <= 0.5001e-4, "{line} for {after}");
    }
}

/// The figure of the book, byte for byte; the example itself holds its own version of the law against the library's.
#[test]
fn chord_draws_the_figure_of_the_book() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/figures/chord.svg");
    let command = "cargo run --release -p carom --example chord > book/src/figures/chord.svg";
    assert_eq!(printed("chord", &[]), std::fs::read_to_string(kept).unwrap(), "run {command}");
}

#[test]
fn the_sweep_shows_where_it_sticks() {
    let text = printed("sweep", &[]);
    let critical = numbers(text.lines().last().unwrap())[0];
    let rows: Vec<Vec<&str>> = text.lines().skip(1).take(11).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 11);
    for row in &rows {
        let mu: f64 = row[0].parse().unwrap();
        let mode = if mu >= critical { Mode::Stick } else { Mode::Slip };
        assert_eq!(row[1], mode.to_string(), "{text}");
        // Kane's pendulum gains where it sticks.
        let change: f64 = row[2].parse().unwrap();
        assert_eq!(change > 0.0, mode == Mode::Stick, "{text}");
    }
    assert!(rows.iter().any(|row| row[1] == "slip") && rows.iter().any(|row| row[1] == "stick"));
}

#[test]
fn the_controller_does_what_the_scene_s_springs_do() {
    let text = printed("controller", &[]);
    let mut simulation = Simulation::new(carom::gallery::simulation("arm").unwrap()).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(1.0, &mut recorder).unwrap();
    let run = recorder.finish(&simulation);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), run.events.len() + 1, "{text}");
    for (line, event) in lines.iter().zip(&run.events) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let contact = event.contact().map_or("", |contact| run.header.contacts[contact].name.as_str());
        assert_eq!((words[2], words[3..].join(" ").as_str()), (event.kind().name(), contact), "{text}");
        assert!((words[0].parse::<f64>().unwrap() - event.time()).abs() < 2e-9, "{line} for {}", event.time());
    }
    assert!(run.events.iter().any(|event| event.kind() == EventKind::Impact));
    let last = numbers(lines[lines.len() - 1]);
    assert_eq!(last[0], run.summary.impacts as f64);
    assert!((last[1] + run.samples.last().unwrap().energy.impacts).abs() < 1e-6, "{text}");
}
