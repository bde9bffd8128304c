//! Difficult cases of `carom simulate`: contacts that cannot move along their normals, conditions that hold too late,
//! sliding that reverses, invalid input.

mod common;

use common::run::{Run, time_of};
use common::{Ran, carom};

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

fn pendulum(floor: &str) -> Run {
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
    Run::of_files(PENDULUM, &scene)
}

fn kinds(run: &Run) -> Vec<&str> {
    run.0["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

/// Near its lowest point the tip moves along the floor to within 1e-6: its normal velocity is tiny, but its bounce is
/// not.
#[test]
fn a_slow_bounce_may_be_a_large_one() {
    for above in ["1", "0.9999999999999", "0.999999999999", "0.99999999999"] {
        let run = pendulum(&format!("point = [0, 0, -{above}], normal = [0, 0, 1]"));
        assert_eq!(run.0["summary"]["time"], 0.8);
        assert_eq!(run.end("energy.settling"), 0.0);
        if above == "1" {
            continue;
        }
        assert_eq!(kinds(&run), ["impact"], "{above}");
        // Half the angular velocity comes back.
        let expected = -0.75 * 9.81 * (1.0 - 0.6_f64.cos());
        let taken = run.end("energy.impacts");
        assert!((taken - expected).abs() < 2e-5 * expected.abs(), "{above}: {taken}");
    }
}

#[test]
fn what_cannot_move_along_its_normal_is_never_struck() {
    let run = pendulum("normal = [0, 1, 0]");
    assert!(kinds(&run).is_empty() && run.0["summary"]["windows"] == 0);
    assert!(run.0["summary"]["residual"].as_f64().unwrap() < 1e-9);
}

/// At the lowest point of its circle a tip cannot be moved along the vertical. Under a ceiling there it rises through it, which
/// no impulse prevents, and the run says so, once. In the plane of its motion it stays on the surface.
#[test]
fn what_passes_a_surface_that_cannot_hold_it_is_reported() {
    let warnings = |floor: &str| {
        let scene = format!(
            r#"
            restitution = 0.5
            friction = 0.0
            model = {{ mjcf = "robot.xml" }}
            state = {{ configuration = {{ hinge = 0.0 }}, velocity = {{ hinge = 2.0 }} }}
            contact = {{ link = "rod", point = [0, 0, -1] }}
            surface = {{ {floor} }}
            simulation = {{ until = 0.4 }}
        "#
        );
        let run = Run::of_files(PENDULUM, &scene);
        assert!(kinds(&run).is_empty(), "{:?}", kinds(&run));
        run.0["summary"]["warnings"].as_array().cloned().unwrap_or_default()
    };
    let passed = warnings("point = [0, 0, -1], normal = [0, 0, -1]");
    assert!(passed.len() == 1 && passed[0].as_str().unwrap().contains("no impulse moved it"), "{passed:?}");
    assert!(warnings("normal = [0, 1, 0]").is_empty());
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
        let run = Run::of_files(PENDULUM, &scene.replace("STEP", largest));
        assert!(kinds(&run).is_empty(), "{largest}");
        let gap = run.end("contact.ball.gap");
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
    let run = Run::of_files(SLIDER, scene);
    let turn = run.events("slip")[0];
    let time = time_of(turn);
    assert!((time - std::f64::consts::PI / 5.0).abs() < 1e-9, "{time}");
    // Each swing is shorter by 2 μ m g / k.
    let x = run.column("q.x").into_iter().fold(f64::INFINITY, f64::min);
    assert!((x + 1.0 - 2.0 * 0.981 / 25.0).abs() < 1e-9, "{x}");
}

#[test]
fn events_of_settling_add_up_to_the_book() {
    for name in ["rod", "block", "quadruped"] {
        let run = Run::of(&[name]);
        let sum: f64 = run.events("settle").iter().map(|event| event["energy_change"].as_f64().unwrap()).sum();
        let booked = run.end("energy.settling");
        assert!(booked < 0.0 && (sum - booked).abs() < 1e-9 * booked.abs(), "{name}: {sum} {booked}");
    }
}

/// Robots of others start outside their own limits: they are moved, and it is said.
#[test]
fn a_joint_beyond_its_limit_starts_at_the_limit_with_a_warning() {
    let limited = SLIDER.replace("stiffness", r#"limited="true" range="-1 -0.5" stiffness"#);
    let scene = r#"
        restitution = 0.0
        friction = 0.1
        model = { mjcf = "robot.xml" }
        contact = { link = "box", point = [0, 0, 0] }
        surface = { normal = [0, 0, 1] }
        limits = { restitution = 0.5 }
        simulation = { until = 0.01 }
    "#;
    let ran = simulate(&limited, scene, &["-o", "-", "--format", "csv"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut rows =
        ran.out.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let place = rows.next().unwrap().iter().position(|name| *name == "q.x").unwrap();
    assert_eq!(rows.next().unwrap()[place].parse::<f64>().unwrap(), -0.5);
    let ran = simulate(&limited, scene, &[]);
    assert!((ran.out + &ran.err).contains("joint \"x\" is at 0, beyond its limits [-1, -0.5]: it starts at -0.5"));
    // Without limits in the scene nothing acts, and nothing is moved.
    let ran = simulate(&limited, &scene.replace("limits = { restitution = 0.5 }", ""), &["-o", "-", "--format", "csv"]);
    let first = ran.out.lines().filter(|line| !line.starts_with('#')).nth(1).unwrap().to_owned();
    assert_eq!(first.split(',').nth(place).unwrap().parse::<f64>().unwrap(), 0.0);
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
    for (robot, scene, words) in [
        (SLIDER, planar(""), &["friction is missing", "box", "dimension = 1"][..]),
        (SLIDER, condition, &["contact.enabled.above = 1", "less than contact.enabled.below = -1"]),
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
    let scene = &scene.replace("until = 0.1", "until = 0.1, joint_friction = false");
    let warnings = Run::of_files(&robot, scene).0["header"]["warnings"].to_string();
    assert!(
        warnings.contains("the dry friction of joint \\\"x\\\" is left out") && warnings.contains("beyond its limits"),
        "{warnings}"
    );
    let told = simulate(&robot, scene, &[]).out;
    assert!(told.contains("warning") && told.contains("the dry friction of joint \"x\" is left out"), "{told}");
}

/// The friction of the slide takes the place of that of a surface: the same half swings, each shorter by 2 f/k, booked as its own.
#[test]
fn dry_friction_of_a_joint_is_read_and_simulated() {
    let robot = SLIDER.replace("stiffness=\"25\"", "stiffness=\"25\" frictionloss=\"0.981\"");
    let scene = r#"
        restitution = 0.0
        model = { mjcf = "robot.xml" }
        state = { configuration = { x = 1.0 } }
        contacts = []
        surface = { point = [0, 0, -100], normal = [0, 0, 1] }
        simulation = { until = 1.0 }
    "#;
    let run = Run::of_files(&robot, scene);
    let turns: Vec<f64> = run.events("slip").iter().map(|event| time_of(event)).filter(|time| *time > 0.0).collect();
    assert!((turns[0] - std::f64::consts::PI / 5.0).abs() < 1e-9, "{turns:?}");
    let x = run.column("q.x").into_iter().fold(f64::INFINITY, f64::min);
    assert!((x + 1.0 - 2.0 * 0.981 / 25.0).abs() < 1e-9, "{x}");
    assert!(run.end("energy.dry_friction") < -1.8 && run.end("energy.friction") == 0.0);
    let text = simulate(&robot, scene, &[]).out;
    assert!(text.contains("dry friction") && text.contains("x friction"), "{text}");
}
