//! `carom simulate` where a numerical device stands in for physics: none may act silently, add energy, or drop
//! restitution that still matters. Also runs that end early, by their events or by the clock.

mod common;

use common::run::{Run, time_of};
use common::{Ran, carom};
use serde_json::Value;

const DISC: &str = r#"<mujoco model="disc"><compiler angle="radian"/><worldbody><body name="disc">
    <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <joint name="p" type="hinge" axis="0 -1 0"/>
    <inertial pos="0 0 0" mass="1" diaginertia="0.000625 0.00125 0.000625"/>
    <geom name="d" type="cylinder" size="0.05 0.02" euler="1.5707963267948966 0 0" mass="0"/>
    </body></worldbody></mujoco>"#;

/// A ball that carries a weight on a damper or spring too stiff for any step.
fn carrier(joint: &str) -> String {
    format!(
        r#"<mujoco><worldbody><body name="ball"><joint name="z" type="slide" axis="0 0 1"/>
        <geom name="s" type="sphere" size="0.05" mass="1"/>
        <body name="weight"><joint name="w" type="slide" axis="0 0 1" {joint}/>
        <inertial pos="0 0 0" mass="0.1" diaginertia="1 1 1"/></body></body></worldbody></mujoco>"#
    )
}

const DROP: &str = r#"
    restitution = 0.8
    friction = 0.0
    model = { mjcf = "robot.xml" }
    state = { configuration = { z = 0.06 } }
    contact = { link = "ball", shape = "all" }
    surface = { normal = [0, 0, 1] }
    simulation = { until = 0.13, interval = 0.0005 }
"#;

/// Two boxes on a hinge with a damping of 1e5, which is stiff at any step.
const HINGED: &str = r#"<mujoco><worldbody><body name="large" pos="0 0 0.0501"><freejoint/>
    <geom type="box" size=".2 .1 .05" mass="1"/><body name="small" pos=".3 0 0">
    <joint name="hinge" type="hinge" axis="0 1 0" damping="1e5"/><geom type="box" size=".1 .1 .05" mass=".1"/>
    </body></body></worldbody></mujoco>"#;

struct Plates {
    restitution: f64,
    /// Between the plates; the disc is 0.1 across and begins on the lower one.
    distance: f64,
    speed: f64,
    gravity: f64,
    until: f64,
}

impl Plates {
    fn scene(&self) -> String {
        let Self { restitution, distance, speed, gravity, until } = self;
        format!(
            r#"
            restitution = {restitution}
            friction = 0.0
            gravity = [0, 0, -{gravity}]
            model = {{ mjcf = "robot.xml" }}
            state = {{ configuration = {{ z = 0.05 }}, velocity = {{ z = {speed} }} }}
            contact = {{ link = "disc", shape = "all" }}
            simulation = {{ until = {until} }}
            [[surfaces]]
            name = "floor"
            normal = [0, 0, 1]
            [[surfaces]]
            name = "ceiling"
            normal = [0, 0, -1]
            point = [0, 0, {distance}]
            "#
        )
    }
}

/// The output of the command and the run it wrote, however it ended.
fn simulate(robot: &str, scene: &str, arguments: &[&str]) -> (Ran, Option<Run>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robot.xml"), robot).unwrap();
    let [file, output] = ["scene.toml", "run.json"].map(|name| folder.path().join(name));
    std::fs::write(&file, scene).unwrap();
    let ran = carom(&[&["simulate", file.to_str().unwrap(), "-o", output.to_str().unwrap()], arguments].concat());
    let run = std::fs::read(output).ok().map(|bytes| Run(serde_json::from_slice(&bytes).unwrap()));
    (ran, run)
}

fn total(run: &Run) -> Vec<f64> {
    run.column("energy.kinetic").iter().zip(run.column("energy.potential")).map(|(k, v)| k + v).collect()
}

/// The energy never rises by more than rounding and integration errors.
#[track_caller]
fn assert_no_gain(run: &Run) {
    let largest = run.0["summary"]["largest_energy"].as_f64().unwrap();
    let mut lowest = f64::INFINITY;
    for energy in total(run) {
        lowest = lowest.min(energy);
        assert!(energy - lowest <= 1e-8 * largest, "{energy} after {lowest}");
    }
}

fn sum(events: &[&Value]) -> f64 {
    events.iter().map(|event| event["energy_change"].as_f64().unwrap()).sum()
}

/// Nothing is lost at e = 1, however many impacts there are. Between the plates the disc has 1 mm: it takes
/// 2 d/(v_floor + v_ceiling) from one to the other.
#[test]
fn an_elastic_rattle_is_followed_impact_by_impact() {
    let (height, way, g) = (0.0005, 0.001, 9.81);
    let scene = Plates { restitution: 1.0, distance: 0.101, speed: 20.0, gravity: g, until: 0.20003 }.scene();
    let run = Run::of_files(DISC, &scene.replace("z = 0.05 }", "z = 0.0505 }"));
    let impacts = run.events("impact");
    assert_eq!((impacts.len(), run.0["events"].as_array().unwrap().len()), (4001, 4001));
    let [floor, ceiling] = [1.0, -1.0].map(|sign| (400.0 + sign * 2.0 * g * height).sqrt());
    let first = 2.0 * height / (20.0 + ceiling);
    for (n, impact) in impacts.iter().enumerate() {
        let expected = first + n as f64 * 2.0 * way / (floor + ceiling);
        assert!((time_of(impact) - expected).abs() < 1e-12, "{n}: {} is not {expected}", time_of(impact));
    }
    let energies = total(&run);
    assert!(energies.iter().all(|energy| (energy - energies[0]).abs() < 1e-12 * energies[0]));
}

/// Bounces of an e = 1 contact are never ended for being low; those of another are, at the same height.
#[test]
fn low_bounces_end_only_where_restitution_is_below_one() {
    let scene = |restitution| Plates { restitution, distance: 1.0, speed: 3e-7, gravity: 9.81, until: 1e-6 }.scene();
    let elastic = Run::of_files(DISC, &scene(1.0));
    // One bounce takes 2 v/g = 6e-8 s.
    assert_eq!((elastic.events("impact").len(), elastic.events("settle").len()), (16, 0));
    let other = Run::of_files(DISC, &scene(0.5));
    assert_eq!((other.events("impact").len(), other.events("settle").len()), (0, 1));
    let settle = other.events("settle")[0];
    assert_eq!(settle["contact"], "disc on floor");
    assert!((settle["impulse"][0].as_f64().unwrap() + 3e-7).abs() < 1e-15);
}

/// A disc with 1e-8 m between two plates strikes 687 times before it is a thousand times slower.
#[test]
fn a_rattle_keeps_its_restitution_until_it_is_slow() {
    let scene = Plates { restitution: 0.99, distance: 0.100_000_01, speed: 1.0, gravity: 0.0, until: 0.003 }.scene();
    let (ran, run) = simulate(DISC, &scene, &[]);
    let run = run.unwrap();
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (impacts, rattles) = (run.events("impact"), run.events("rattle"));
    assert_eq!(impacts.len(), (1e-3_f64.ln() / 0.99_f64.ln()).ceil() as usize);
    assert_eq!(rattles.len(), 1);
    assert!(rattles[0]["contact"].as_str().unwrap().starts_with("disc on "));
    let booked = run.end("energy.rattle");
    // The rest, ½ m v² at a thousandth of the first speed, is removed.
    let speed = 0.99_f64.powi(impacts.len() as i32);
    assert!((booked + 0.5 * speed * speed).abs() < 1e-9 * speed * speed && booked == sum(&rattles), "{booked}");
    assert!((rattles[0]["impulse"][0].as_f64().unwrap() - speed).abs() < 1e-9 * speed);
    assert!((run.end("energy.impacts") + 0.5 - 0.5 * speed * speed).abs() < 1e-12);
    assert!(ran.out.contains("rattle              1 impact without restitution"), "{}", ran.out);
}

/// A disc that fits exactly between two plates strikes them without end, at one instant.
#[test]
fn a_sequence_that_is_ended_has_a_column_of_its_own() {
    let scene = Plates { restitution: 0.5, distance: 0.1, speed: 1.0, gravity: 0.0, until: 0.1 }.scene();
    let (ran, run) = simulate(DISC, &scene, &[]);
    let run = run.unwrap();
    assert_eq!(ran.code, 0, "{}", ran.err);
    let events = run.events("sequence");
    let contacts: Vec<&str> = events.iter().map(|event| event["contact"].as_str().unwrap()).collect();
    assert_eq!(contacts, ["disc on floor", "disc on ceiling"]);
    // 1 + e, e (1 + e), e² (1 + e), ...: the sums are 2 and 1.
    for (event, impulse) in events.iter().zip([1.0, 2.0]) {
        assert!((event["impulse"][0].as_f64().unwrap() - impulse).abs() < 1e-4);
    }
    assert!(run.events("impact").is_empty() && run.end("energy.impacts") == 0.0);
    assert!((run.end("energy.sequences") + 0.5).abs() < 1e-12);
    assert!((sum(&events) + 0.5).abs() < 1e-12);
    assert!(ran.out.contains("sequences           1 ended without restitution"), "{}", ran.out);
}

/// At e = 1 such a sequence does not end, and the run ends with an error instead of a wrong answer.
#[test]
fn an_elastic_sequence_without_end_fails_the_run() {
    let scene = Plates { restitution: 1.0, distance: 0.1, speed: 1.0, gravity: 0.0, until: 0.1 }.scene();
    let (ran, run) = simulate(DISC, &scene, &[]);
    let run = run.unwrap();
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("at t = 0 s")
            && ran.err.contains("would make contact \"disc on ")
            && ran.err.contains("its restitution is 1"),
        "{}",
        ran.err
    );
    assert_eq!(run.0["summary"]["ending"], "failed");
    assert!((run.end("energy.kinetic") - 0.5).abs() < 1e-15);
}

/// Windows handle any stiffness: springs and dampers only remove energy. Collisions in a window have
/// restitution: the ball leaves with 0.8 of its speed, together with its weight.
#[test]
fn windows_bear_stiff_joints_and_keep_restitution() {
    for joint in [r#"damping="1e11""#, r#"stiffness="1e17""#] {
        let run = Run::of_files(&carrier(joint), DROP);
        assert!(run.0["summary"]["windows"].as_u64().unwrap() > 20);
        assert_no_gain(&run);
        let ratio: f64 = (0.8 - 0.1) / 1.1;
        let [first, second] = [0.01 * ratio * ratio, 0.01 * ratio.powi(4)];
        let drop = |height: f64| (2.0 * height / 9.81_f64).sqrt();
        let strike = drop(0.01) + 2.0 * drop(first);
        let heights = run.column("time").into_iter().zip(run.column("q.z"));
        let highest =
            heights.filter(|(time, _)| *time > strike + 0.01).fold(0.0_f64, |most, (_, z)| most.max(z - 0.05));
        assert!((highest - second).abs() < 2e-3 * second, "{joint}: {highest} is not {second}");
        let windows = run.events("window");
        let booked = run.end("energy.windows");
        assert!(booked < 0.0 && (sum(&windows) - booked).abs() < 1e-9 * booked.abs());
    }
}

/// A window that adds energy is retried with shorter steps; otherwise it would fail the run.
#[test]
fn a_window_over_a_stiff_hinge_neither_gains_nor_sinks() {
    let scene = r#"
        restitution = 0.5
        friction = 0.5
        model = { mjcf = "robot.xml" }
        contacts = [{ link = "large", shape = "all" }, { link = "small", shape = "all" }]
        surface = { normal = [0, 0, 1] }
        simulation = { until = 0.02 }
    "#;
    let run = Run::of_files(HINGED, scene);
    let (summary, length) = (&run.0["summary"], run.0["header"]["length"].as_f64().unwrap());
    assert!(summary["windows"].as_u64().unwrap() > 0);
    assert_no_gain(&run);
    assert!(summary["penetration"].as_f64().unwrap() < 1e-7 * length, "{summary}");
    let windows = run.events("window");
    let touched = windows.iter().filter(|event| !event["contact"].is_null());
    assert!(touched.clone().count() > 0 && touched.clone().all(|event| event["impulse"][0].as_f64().unwrap() >= 0.0));
    let booked = run.end("energy.windows");
    assert!((sum(&windows) - booked).abs() < 1e-9 * booked.abs());
}

/// The ball settles at 4.06371160 s; its bounces would go on to 4.06371277 s.
#[test]
fn at_rest_never_lies_in_the_future() {
    let (ran, run) = simulate(DISC, &carom(&["gallery", "ball", "--simulation"]).out, &["--until", "4.0637122"]);
    let run = run.unwrap();
    let summary = &run.0["summary"];
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!run.events("settle").is_empty() && summary["at_rest"].is_null());
    assert!((summary["rests_at"].as_f64().unwrap() - 4.063712768871578).abs() < 1e-12);
    assert!(ran.out.contains("come to rest, at t = 4.0637127688716 s"), "{}", ran.out);
    assert!(ran.out.contains("would settle at t = 4.0637127688716 s"), "{}", ran.out);
    let later = Run::of(&["ball"]);
    assert!(later.0["summary"]["at_rest"].is_number() && later.0["summary"]["rests_at"].is_null());
}

#[test]
fn too_many_events_end_the_run_with_what_there_is() {
    let scene = Plates { restitution: 1.0, distance: 0.101, speed: 20.0, gravity: 9.81, until: 0.2 }.scene();
    let in_scene = scene.replace("until = 0.2 }", "until = 0.2, max_events = 100 }");
    for (scene, arguments) in [(&scene, &["--max-events", "100"][..]), (&in_scene, &[])] {
        let (ran, run) = simulate(DISC, scene, arguments);
        let run = run.unwrap();
        assert_eq!(ran.code, 1, "{}", ran.err);
        assert!(ran.err.contains("reached max_events = 100"), "{}", ran.err);
        assert_eq!(run.events("impact").len(), 100);
        assert_eq!(run.0["summary"]["ending"], "failed");
        assert!(run.0["summary"]["failure"].as_str().unwrap().contains("max_events"));
        // The run is right up to there.
        assert_eq!(run.0["summary"]["time"].as_f64().unwrap(), time_of(run.events("impact")[99]));
    }
    for (number, words) in [("0", "1"), ("2.5", "an integer")] {
        let (ran, run) = simulate(DISC, &in_scene.replace("= 100 }", &format!("= {number} }}")), &[]);
        assert_eq!(ran.code, 2);
        assert!(run.is_none() && ran.err.contains("max_events") && ran.err.contains(words), "{}", ran.err);
    }
}

#[test]
fn the_clock_ends_a_run_with_what_there_is() {
    let scene = Plates { restitution: 1.0, distance: 0.101, speed: 20.0, gravity: 9.81, until: 1000.0 }.scene();
    let scene = scene.replace("until = 1000 }", "until = 1000, interval = 1.0 }");
    let begun = std::time::Instant::now();
    let (ran, run) = simulate(DISC, &scene, &["--max-time", "0.3"]);
    let run = run.unwrap();
    assert_eq!(ran.code, 1);
    assert!(begun.elapsed().as_secs_f64() < 60.0);
    assert_eq!(run.0["summary"]["ending"], "out_of_time");
    let reached = run.0["summary"]["time"].as_f64().unwrap();
    assert!(reached > 0.0 && reached < 1000.0 && !run.events("impact").is_empty());
    assert!(ran.out.contains("INCOMPLETE: out of time at"), "{}", ran.out);
    let (ran, run) = simulate(DISC, &scene, &["--max-time", "-1"]);
    assert!(ran.code == 2 && run.is_none() && ran.err.contains("max_time = -1 must be positive"), "{}", ran.err);
}

/// A pendulum with a contact at its tip but not at its bob, and a floor in the path of both.
#[test]
fn what_nobody_watches_and_goes_below_a_surface_is_told_once() {
    let robot = r#"<mujoco><worldbody><body name="cart" pos="0 0 1"><joint name="z" type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="1"/><body name="bob" pos="0 0 -0.5"><joint name="h" axis="0 1 0"/>
        <geom type="sphere" size="0.05" mass="0.1"/></body></body></worldbody></mujoco>"#;
    let scene = r#"
        restitution = 0.5
        friction = 0.0
        model = { mjcf = "robot.xml" }
        contact = { link = "cart", shape = "all" }
        surface = { name = "floor", normal = [0, 0, 1] }
        simulation = { until = 1.0 }
    "#;
    let (ran, run) = simulate(robot, scene, &[]);
    let warnings = run.unwrap().0["summary"]["warnings"].as_array().unwrap().clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let told = warnings[0].as_str().unwrap();
    assert!(told.contains(r#"link "bob" is below surface "floor" at t = 0."#), "{told}");
    assert_eq!(ran.out.matches(told).count(), 1, "{}", ran.out);
    let watched = scene.replace(
        r#"contact = { link = "cart", shape = "all" }"#,
        r#"contacts = [{ link = "cart", shape = "all" }, { link = "bob", shape = "all" }]"#,
    );
    let (_, run) = simulate(robot, &watched, &[]);
    assert_eq!(run.unwrap().0["summary"]["warnings"].as_array().unwrap().len(), 0);
}

/// A contact that penetrated while it was disabled no longer stops anything.
#[test]
fn a_robot_that_falls_for_ever_is_told() {
    let scene = r#"
        restitution = 0.5
        friction = 0.0
        model = { builtin = "superball" }
        state = { configuration = { z = 2.0 }, velocity = { x = 1.0 } }
        contact = { link = "ball", shape = "all", enabled = { joint = "x", above = 100 } }
        surface = { normal = [0, 0, 1] }
        simulation = { until = 6.0 }
    "#;
    let (ran, run) = simulate(DISC, scene, &[]);
    let warnings = run.unwrap().0["summary"]["warnings"].to_string();
    assert!(warnings.contains(r#"\"ball\" falls without end"#), "{warnings}");
    assert!(ran.code == 0 && ran.out.contains("no contact can stop it"), "{}", ran.out);
    let (_, run) = simulate(DISC, &scene.replace("6.0", "0.5"), &[]);
    assert!(!run.unwrap().0["summary"]["warnings"].to_string().contains("for ever"));
}

/// Built-in simulations have no warnings, and need no device except the end of bounces.
#[test]
fn the_gallery_goes_without_devices_and_warnings() {
    for scene in carom::gallery::SIMULATIONS {
        let run = Run::of(&[scene.name]);
        let summary = &run.0["summary"];
        for device in ["windows", "rattles", "sequences", "projections"] {
            assert_eq!(summary[device], 0, "{}: {device}", scene.name);
        }
        assert_eq!(summary["warnings"].as_array().unwrap().len(), 0, "{}: {}", scene.name, summary["warnings"]);
    }
}
