//! `carom simulate` where it is easily wrong: contacts that cannot move along their normals, conditions that hold too late,
//! sliding that turns round, input that makes no sense.

mod common;

use common::{Ran, carom, numbers};
use serde_json::Value;

const PENDULUM: &str = r#"<mujoco><worldbody><body name="rod"><joint name="hinge" axis="0 -1 0"/>
    <inertial pos="0 0 -0.5" mass="2" diaginertia="0.16666666666666666 0.16666666666666666 0.01"/>
    </body></worldbody></mujoco>"#;

const SLIDER: &str = r#"<mujoco><worldbody><body name="box"><joint name="x" type="slide" axis="1 0 0" stiffness="25"/>
    <joint name="z" type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
    </body></worldbody></mujoco>"#;

fn simulate(robot: &str, scene: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robot.xml"), robot).unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, scene).unwrap();
    carom(&[&["simulate", file.to_str().unwrap()], arguments].concat())
}

/// The whole run, which must be complete.
fn run(robot: &str, scene: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let ran = simulate(robot, scene, &["-o", file.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn pendulum(floor: &str) -> Value {
    let scene = format!(
        r#"
        restitution = 0.5
        friction = 0.0
        model = {{ mjcf = "robot.xml" }}
        state = {{ configuration = {{ hinge = 0.6 }} }}
        contact = {{ link = "rod", point = [0, 0, -1] }}
        surface = {{ {floor} }}
        simulation = {{ until = 0.8 }}
    "#
    );
    run(PENDULUM, &scene)
}

fn events(run: &Value) -> Vec<&str> {
    run["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

fn end(run: &Value, column: &str) -> f64 {
    *numbers(&run["samples"][column]).last().unwrap()
}

/// Near its lowest point the tip moves along the floor but for 1e-6: its normal velocity is tiny, and its bounce is not.
#[test]
fn a_slow_bounce_may_be_a_large_one() {
    for above in ["1", "0.9999999999999", "0.999999999999", "0.99999999999"] {
        let run = pendulum(&format!("point = [0, 0, -{above}], normal = [0, 0, 1]"));
        assert_eq!(run["summary"]["time"], 0.8);
        assert_eq!(end(&run, "energy.settling"), 0.0);
        if above == "1" {
            continue;
        }
        assert_eq!(events(&run), ["impact"], "{above}");
        // Half the angular velocity comes back.
        let expected = -0.75 * 9.81 * (1.0 - 0.6_f64.cos());
        let taken = end(&run, "energy.impacts");
        assert!((taken - expected).abs() < 2e-5 * expected.abs(), "{above}: {taken}");
    }
}

#[test]
fn what_cannot_move_along_its_normal_is_never_struck() {
    let run = pendulum("normal = [0, 1, 0]");
    assert!(events(&run).is_empty() && run["summary"]["windows"] == 0);
    assert!(run["summary"]["residual"].as_f64().unwrap() < 1e-9);
}

/// The floor is passed at 0.4515 s; the condition holds from 0.46 s on, when the ball is below.
#[test]
fn a_contact_that_went_inside_has_to_come_out() {
    let scene = r#"
        restitution = 0.5
        friction = 0.0
        model = { builtin = "superball" }
        state = { configuration = { z = 2.0 }, velocity = { x = 1.0 } }
        contact = { link = "ball", shape = "all", enabled = { joint = "x", above = 0.46 } }
        surface = { normal = [0, 0, 1] }
        simulation = { until = 1.5, largest_step = STEP }
    "#;
    for largest in ["0.1", "0.02", "0.003"] {
        let run = run(PENDULUM, &scene.replace("STEP", largest));
        assert!(events(&run).is_empty(), "{largest}");
        let gap = end(&run, "contact.ball.gap");
        assert!((gap - (1.0 - 0.5 * 9.81 * 1.5 * 1.5)).abs() < 1e-9, "{gap}");
    }
}

/// A half swing with dry friction takes π √(m/k), whatever the friction.
#[test]
fn sliding_that_turns_round_is_an_event() {
    let scene = r#"
        restitution = 0.0
        friction = 0.1
        model = { mjcf = "robot.xml" }
        state = { configuration = { x = 1.0 } }
        contact = { link = "box", point = [0, 0, 0] }
        surface = { normal = [0, 0, 1] }
        simulation = { until = 1.0 }
    "#;
    let run = run(SLIDER, scene);
    let turn = run["events"].as_array().unwrap().iter().find(|event| event["kind"] == "slip").expect("a turn");
    let time = turn["time"].as_f64().unwrap();
    assert!((time - std::f64::consts::PI / 5.0).abs() < 1e-9, "{time}");
    // Each swing is shorter by 2 μ m g / k.
    let x = numbers(&run["samples"]["q.x"]).into_iter().fold(f64::INFINITY, f64::min);
    assert!((x + 1.0 - 2.0 * 0.981 / 25.0).abs() < 1e-9, "{x}");
}

#[test]
fn events_of_settling_add_up_to_the_book() {
    for name in ["rod", "block", "quadruped"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        assert_eq!(carom(&["simulate", name, "-o", file.to_str().unwrap()]).code, 0);
        let run: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let settled = run["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "settle");
        let sum: f64 = settled.map(|event| event["energy_change"].as_f64().unwrap()).sum();
        let booked = end(&run, "energy.settling");
        assert!(booked < 0.0 && (sum - booked).abs() < 1e-3 * booked.abs(), "{name}: {sum} {booked}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let planar = |edit: &str| {
        let scene = r#"
            restitution = 0.0
            friction = 0.1
            model = { mjcf = "robot.xml" }
            contact = { link = "box", point = [0, 0, 0] }
            surface = { normal = [0, 0, 1] }
        "#;
        scene.replace("friction = 0.1\n", edit)
    };
    let condition = planar("friction = 0.1\n")
        .replace("0, 0, 0] }", r#"0, 0, 0], enabled = { joint = "x", above = 1, below = -1 } }"#);
    let limited = SLIDER.replace("stiffness", r#"limited="true" range="-1 -0.5" stiffness"#);
    let beyond = planar("friction = 0.1\nlimits = { restitution = 0.5 }\n");
    for (robot, scene, words) in [
        (SLIDER, planar(""), &["friction is missing", "box", "dimension of 1"][..]),
        (SLIDER, condition, &["contact.enabled.above = 1", "less than contact.enabled.below = -1"]),
        (&limited, beyond, &["x upper limit is passed by 0.5 at the start"]),
        (&SLIDER.replace("mass=\"1\"", "mass=\"0\""), planar("friction = 0.1\n"), &["mass matrix is singular"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.csv");
        let ran = simulate(robot, &scene, &["-o", file.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(words.iter().all(|word| ran.err.contains(word)), "{}", ran.err);
        assert!(!file.exists());
    }
}

#[test]
fn what_is_not_simulated_is_told() {
    let robot = SLIDER.replace("stiffness=\"25\"", "frictionloss=\"5\" limited=\"true\" range=\"0.5 1\"");
    let scene = r#"
        restitution = 0.0
        friction = 0.1
        model = { mjcf = "robot.xml" }
        contact = { link = "box", point = [0, 0, 0] }
        surface = { normal = [0, 0, 1] }
        simulation = { until = 0.1 }
    "#;
    let warnings = run(&robot, scene)["header"]["warnings"].to_string();
    assert!(warnings.contains("dry friction 5") && warnings.contains("beyond its limits"), "{warnings}");
    let told = simulate(&robot, scene, &[]).out;
    assert!(told.contains("warning") && told.contains("dry friction 5"), "{told}");
}
