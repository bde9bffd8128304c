//! Actuators of MJCF files: a robot that MuJoCo holds stands in carom where it stands there.

mod common;

use common::carom;
use common::run::Run;

const ROBOT: &str = r#"<mujoco model="held arm">
  <compiler angle="radian"/> <option timestep="0.0005"/>
  <default><joint damping="0.3"/></default>
  <worldbody>
    <body name="upper"><joint name="shoulder" axis="0 1 0"/>
      <inertial pos="0.25 0 0" mass="2" diaginertia="0.01 0.05 0.05"/>
      <body name="lower" pos="0.5 0 0"><joint name="elbow" axis="0 1 0" ref="0.3"/>
        <inertial pos="0.2 0 0" mass="1" diaginertia="0.005 0.02 0.02"/></body>
    </body>
    <body name="cart" pos="0 2 0"><joint name="rail" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body>
  </worldbody>
  <actuator>
    <position name="shoulder servo" joint="shoulder" kp="30" kv="2" gear="2" ctrlrange="-3 3"/>
    <position name="elbow servo" joint="elbow" kp="30" kv="2" forcerange="-80 80"/>
    <velocity name="drive" joint="rail" kv="4"/>
  </actuator>
  <keyframe><key name="reach" ctrl="0.6 -0.5 1.5"/><key name="far" ctrl="9 0 0"/></keyframe>
</mujoco>"#;

fn scene(controls: &str) -> String {
    format!(
        "restitution = 0\nfriction = 0.5\ngravity = [0, 0, -9.81]\nmodel.mjcf = 'robot.xml'\n{controls}\n\
         contact.link = 'lower'\nsurface = {{ point = [0, 0, -9], normal = [0, 0, 1] }}\n\
         [simulation]\nuntil = 40\ninterval = 1"
    )
}

/// MuJoCo 4.0.0, after 200,000 steps of 0.5 ms from the keyframe: qpos[0], qpos[1], qvel[2]. There nothing moves any more
/// but the rail, so the step does not matter.
const MUJOCO: [(&str, f64); 3] =
    [("q.shoulder", 0.3909540275183757), ("q.elbow", -0.43851040864102403), ("v.rail", 1.3953488372091476)];

#[test]
fn a_held_arm_stands_where_it_stands_in_mujoco() {
    let by_name = "controls = { 'shoulder servo' = 0.6, 'elbow servo' = -0.5, drive = 1.5 }";
    for controls in ["controls = 'reach'", "controls = 0", by_name] {
        let run = Run::of_files(ROBOT, &scene(controls));
        for (name, expected) in MUJOCO {
            let found = run.end(name);
            assert!((found - expected).abs() < 1e-9, "{name} = {found} instead of {expected} with {controls}");
        }
        // A motor that pushes against damping: kv (ctrl - v) = d v.
        assert!((run.end("v.rail") - 4.0 * 1.5 / 4.3).abs() < 1e-9);
        let warnings = run.0["header"]["warnings"].to_string();
        assert!(warnings.contains("force range [-80, 80], which is not modelled"), "{warnings}");
        assert!(run.0["summary"]["residual"].as_f64().unwrap() < 1e-9);
        assert!(run.end("energy.torques") > 0.0);
    }
    // Without controls the actuators of the file do not act, and that is told.
    let run = Run::of_files(ROBOT, &scene(""));
    assert!(run.end("q.shoulder").abs() > 1.0 && run.end("v.rail") == 0.0);
    assert!(run.0["header"]["warnings"].to_string().contains("acts where a scene states controls"));
}

#[test]
fn a_control_beyond_its_range_acts_as_the_bound_in_a_keyframe_and_is_refused_in_a_scene() {
    let run = Run::of_files(ROBOT, &scene("controls = 'far'"));
    let bound = Run::of_files(ROBOT, &scene("controls = { 'shoulder servo' = 3 }"));
    assert_eq!(run.end("q.shoulder"), bound.end("q.shoulder"));
    assert!(run.0["header"]["warnings"].to_string().contains("beyond its range [-3, 3]; it acts as 3"));
}

#[test]
fn controls_that_make_no_sense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let muscle =
        ROBOT.replace("<velocity name=\"drive\" joint=\"rail\" kv=\"4\"/>", "<muscle name=\"drive\" joint=\"rail\"/>");
    for (name, robot) in [("robot.xml", ROBOT), ("muscle.xml", &muscle)] {
        std::fs::write(folder.path().join(name), robot).unwrap();
    }
    let cases = [
        ("controls = 'rest'", "controls = \"rest\" is not a keyframe of held arm; its keyframes are reach, far"),
        ("controls = { elbow = 1 }", "\"elbow\" is not an actuator of held arm"),
        ("controls = { drive = 'fast' }", "controls.drive"),
        ("controls = { 'shoulder servo' = 4 }", "= 4 must be in [-3, 3], the control range of the actuator"),
        ("controls = true", "controls"),
        (
            "controls = 0\nmodel.mjcf = 'muscle.xml'",
            "actuator \"drive\" of the robot's file is not modelled: it is a muscle",
        ),
    ];
    for (controls, message) in cases {
        let mut text = scene(controls);
        if controls.contains("model.mjcf") {
            text = text.replacen("model.mjcf = 'robot.xml'\n", "", 1);
        }
        std::fs::write(folder.path().join("scene.toml"), text).unwrap();
        let ran = carom(&["simulate", folder.path().join("scene.toml").to_str().unwrap()]);
        assert!(ran.err.contains(message), "{controls}: {}", ran.err);
    }
    let ran = carom(&["simulate", "arm", "--set", "controls=0"]);
    assert!(ran.err.contains("has no actuators"), "{}", ran.err);
}
