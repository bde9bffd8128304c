//! A robot file in place of a scene: what is assumed is printed, can be changed, and can be saved.

mod common;

use std::path::{Path, PathBuf};

use common::{carom, numbers};
use serde_json::Value;

/// A folder with our own robots.
struct Robots(tempfile::TempDir);

impl Robots {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["quadruped", "arm", "cube", "double_pendulum"] {
            let model = carom::models::find(name).unwrap();
            std::fs::write(folder.path().join(model.file), model.text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        text_of(&self.path(name))
    }
}

fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_robot_falls_on_a_floor_with_no_other_argument() {
    let robots = Robots::new();
    let cube = text_of(&robots.path("cube.xml"));
    let ran = carom(&["simulate", &cube, "--until", "0.3", "--height", "0.1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for said in ["assumed; --save-scene", "restitution = 0.0", "friction = 0.5", "touch = \"lowest\"", "height = 0.1"] {
        assert!(ran.out.contains(said), "{said}\n{}", ran.out);
    }
    // It falls 0.1 m.
    let summary = carom(&["simulate", &cube, "--until", "0.3", "--height", "0.1", "--format", "json"]).json();
    let rest = summary["summary"]["at_rest"].as_f64().unwrap_or_else(|| panic!("{summary}"));
    assert!((rest - (0.2f64 / 9.81).sqrt()).abs() < 1e-10, "{rest}");
}

/// The guard that is assumed is that of `aghili`: another law is not refused for it.
#[test]
fn a_robot_falls_by_another_law() {
    let robots = Robots::new();
    let cube = text_of(&robots.path("cube.xml"));
    for law in ["chord", "aghili"] {
        let run =
            carom(&["simulate", &cube, "--until", "0.3", "--height", "0.1", "--law", law, "--format", "json"]).json();
        let guard = if law == "aghili" { Value::from("slip") } else { Value::Null };
        assert_eq!((&run["header"]["law"], &run["header"]["guard"]), (&law.into(), &guard));
        assert_eq!(run["summary"]["ending"], "complete");
    }
}

#[test]
fn a_saved_scene_gives_what_the_robot_gave() {
    let robots = Robots::new();
    let robot = text_of(&robots.path("quadruped.urdf"));
    let elsewhere = tempfile::tempdir().unwrap();
    for scene in [robots.path("scene.toml"), elsewhere.path().join("scene.toml")] {
        let scene = text_of(&scene);
        let arguments = ["--link", "*_foot", "--velocity", "0.5,0,-1", "--format", "json"];
        let struck = carom(&[&["impact", &robot, "--save-scene", &scene][..], &arguments].concat()).json();
        let again = carom(&["impact", &scene, "--format", "json"]).json();
        assert_eq!(struck["contacts"], again["contacts"]);
        assert_eq!(struck["velocity"], again["velocity"]);
        assert_eq!(struck["contacts"].as_array().unwrap().len(), 4);
        // The text is a scene with comments, which can be changed.
        let text = std::fs::read_to_string(&scene).unwrap();
        assert!(text.starts_with("# What carom assumes of \"quadruped.urdf\""), "{text}");
        let changed = carom(&["impact", &scene, "--set", "restitution=0.5", "--format", "json"]).json();
        assert_ne!(changed["velocity"], again["velocity"]);
    }
}

#[test]
fn one_link_strikes_with_what_it_has_and_where_it_is_placed() {
    let robots = Robots::new();
    let robot = text_of(&robots.path("quadruped.urdf"));
    let foot = carom(&["impact", &robot, "--link", "rear_left_foot", "--format", "json"]).json();
    assert_eq!(foot["robot"]["contact"], "rear_left_foot");
    assert!(foot["robot"]["gap"].as_f64().unwrap().abs() < 1e-15);
    assert_eq!(numbers(&foot["contact_velocity"]["before"]), [-1.0, 0.0, 0.0]);
    // A map and a comparison are of the same impact.
    let compared = carom(&["compare", &robot, "--link", "rear_left_foot", "--format", "json"]).json();
    let aghili = compared["laws"].as_array().unwrap().iter().find(|law| law["law"] == "aghili");
    assert!(aghili.is_some(), "{compared}");
    let map = robots.path("map.json");
    let ran = carom(&["map", &robot, "--link", "rear_left_foot", "--resolution", "10", "-o", map.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(map.exists());
}

#[test]
fn the_base_floats_unless_it_is_the_world_or_has_no_mass() {
    let robots = Robots::new();
    let check = |robot: &str, options: &[&str], floats: bool, reason: &str| {
        let ran = carom(&[&["simulate", robot, "--until", "0.01"], options].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let line = format!("floating = {floats}  # {reason}");
        assert!(ran.out.contains(&line), "{line}\n{}", ran.out);
        ran.out
    };
    let quadruped = text_of(&robots.path("quadruped.urdf"));
    check(&quadruped, &[], true, "the root link \"trunk\" has mass");
    let fixed = check(&quadruped, &["--fixed-base"], false, "as asked for");
    // The floor is where its lowest point is.
    assert!(fixed.contains("# the lowest point at home"), "{fixed}");
    let mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    let ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    let tree = |root: &str| {
        format!(
            "<robot name='r'>{root}<link name='arm'>{mass}{ball}</link><joint name='j' type='continuous'>
             <parent link='ROOT'/><child link='arm'/><axis xyz='0 1 0'/><origin xyz='0 0 1'/></joint></robot>"
        )
    };
    let world = robots.write("world.urdf", &tree("<link name='world'/>").replace("ROOT", "world"));
    check(&world, &[], false, "the root link is called \"world\"");
    let frame = robots.write("frame.urdf", &tree("<link name='frame'/>").replace("ROOT", "frame"));
    check(&frame, &[], false, "the root link \"frame\" has no mass");
    // Asked for all the same, a base without mass is an error that says so.
    let ran = carom(&["simulate", &frame, "--floating-base"]);
    assert!(ran.code == 2 && ran.err.contains("the mass matrix is singular"), "{}", ran.err);
}

#[test]
fn meshes_of_a_robot_touch_and_missing_ones_are_told() {
    let robots = Robots::new();
    let wedge = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    robots.write("wedge.obj", wedge);
    let robot = |file: &str| {
        format!(
            "<robot name='r'><link name='base'><inertial><origin xyz='0.2 0.5 1'/><mass value='1'/>
             <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
             <collision><geometry><sphere radius='0.1'/></geometry></collision>
             <collision name='mesh'><geometry><mesh filename='{file}'/></geometry></collision></link></robot>"
        )
    };
    let whole = robots.write("whole.urdf", &robot("wedge.obj"));
    let ran = carom(&["simulate", &whole, "--until", "0.01", "--format", "json"]).json();
    let names: Vec<&str> =
        ran["header"]["contacts"].as_array().unwrap().iter().map(|contact| contact["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["base/0", "base/mesh/vertex_0", "base/mesh/vertex_1", "base/mesh/vertex_2", "base/mesh/vertex_3"]
    );
    let broken = robots.write("broken.urdf", &robot("nowhere.obj"));
    let ran = carom(&["simulate", &broken, "--until", "0.01", "--format", "json"]).json();
    assert_eq!(ran["header"]["contacts"].as_array().unwrap().len(), 1);
    let warnings = ran["header"]["warnings"].to_string();
    assert!(warnings.contains("a mesh of link") && warnings.contains("cannot be read"), "{warnings}");
}

/// Keys of scenes that a robot file uses, written by hand and wrongly.
#[test]
fn wrong_patterns_placings_and_hulls_name_what_would_do() {
    let robots = Robots::new();
    let scene = |more: &str, link: &str| {
        format!(
            "restitution = 0\nfriction = 0.5\n[model]\nurdf = \"quadruped.urdf\"\n{more}\n[[contacts]]\nlink = \"{link}\"\n\
             shape = \"all\"\n[surface]\nnormal = [0, 0, 1]\n"
        )
    };
    let floating = "[base]\nfloating = true\n";
    for (text, field, said) in [
        (scene(floating, "*_paw"), "contacts[0].link", "matches no moving link with a shape that can touch"),
        (
            scene(&format!("{floating}touch = \"tail\""), "all"),
            "base.touch",
            "must be \"lowest\", a contact, or a link",
        ),
        (scene("[base]\ntouch = \"lowest\"", "all"), "base.touch", "set base.floating = true"),
        (scene(&format!("{floating}height = 1"), "all"), "base.height", "only valid with base.touch"),
        (scene(&format!("hull.tolerance = 1.5\n{floating}"), "all"), "model.hull.tolerance", "is outside [0, 1)"),
        (scene(&format!("hull.vertices = 3\n{floating}"), "all"), "model.hull.vertices", "4 or more"),
        (scene(&format!("{floating}position = [0, 0, 5]"), "*_foot"), "strike", "none of 4 contacts touches"),
    ] {
        let file = robots.write("scene.toml", &text);
        let ran = carom(&["impact", &file, "--format", "json"]);
        assert_eq!(ran.code, 2, "{text}\n{}", ran.out);
        let error: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(error["error"]["field"], field, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(said), "{error}");
    }
}

/// Of several contacts those strike that touch; a single one always does.
#[test]
fn what_does_not_touch_does_not_strike() {
    let robots = Robots::new();
    let scene = "restitution = 0\nfriction = 0.5\n[model]\nurdf = \"quadruped.urdf\"\n[base]\nfloating = true\n\
                 touch = \"lowest\"\nrpy = [0, 0.3, 0]\nvelocity = [0, 0, -1]\n[[contacts]]\nlink = \"*_foot\"\n\
                 shape = \"all\"\n[surface]\nnormal = [0, 0, 1]\n";
    let file = robots.write("scene.toml", scene);
    let struck = carom(&["impact", &file, "--format", "json"]).json();
    let names: Vec<String> =
        struck["robot"]["contacts"].as_array().unwrap().iter().map(|contact| contact["contact"].to_string()).collect();
    assert_eq!(names, ["\"front_left_foot\"", "\"front_right_foot\""]);
    // By name, whatever the gap.
    let rear = carom(&["impact", &file, "--set", "strike=\"rear_left_foot\"", "--format", "json"]).json();
    assert_eq!(rear["robot"]["contact"], "rear_left_foot");
    assert!(rear["robot"]["gap"].as_f64().unwrap() > 0.01);
}

#[test]
fn options_for_robots_are_refused_for_scenes() {
    let ran = carom(&["impact", "kane", "--link", "tip"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--link is only valid with a robot file"), "{}", ran.err);
    let ran = carom(&["simulate", "ball", "--velocity", "1,2"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("three numbers"), "{}", ran.err);
}

/// Both options were ignored for files that say themselves whether the base floats.
#[test]
fn a_base_other_than_that_of_an_mjcf_file_is_refused() {
    let robots = Robots::new();
    let ball = |joint: &str| {
        let body = format!("<body name='b'>{joint}<geom type='sphere' size='0.1' mass='1'/></body>");
        format!("<mujoco><worldbody>{body}</worldbody></mujoco>")
    };
    let free = robots.write("free.xml", &ball("<freejoint/>"));
    let slides = robots.write("slides.xml", &ball("<joint type='slide'/>"));
    for (robot, refused, accepted, reason) in [
        (&free, "--fixed-base", "--floating-base", "base.floating = false conflicts with the robot's file"),
        (&slides, "--floating-base", "--fixed-base", "in MJCF use <freejoint/>"),
    ] {
        let ran = carom(&["simulate", robot, "--until", "0.01", refused]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(reason), "{}", ran.err);
        let ran = carom(&["simulate", robot, "--until", "0.01", accepted]);
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

#[test]
fn a_robot_without_collision_shapes_touches_with_the_origins_of_its_links() {
    let robots = Robots::new();
    let mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    let link = |name: &str| format!("<link name='{name}'>{mass}</link>");
    let joint = "<joint name='j' type='continuous'><parent link='trunk'/><child link='arm'/><origin xyz='0.1 0 -0.5'/>\
                 <axis xyz='0 1 0'/></joint>";
    let text = format!("<robot name='r'>{}{}{joint}</robot>", link("trunk"), link("arm"));
    let robot = robots.write("bare.urdf", &text);
    for (options, contacts) in [(vec![], 2), (vec!["--fixed-base"], 1)] {
        let arguments = [&["simulate", &robot, "--until", "0.1"][..], &options].concat();
        let ran = carom(&arguments);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("# The origins of the links: none of them has"), "{}", ran.out);
        let ran = carom(&[&arguments[..], &["--format", "json"]].concat()).json();
        assert_eq!(ran["header"]["contacts"].as_array().unwrap().len(), contacts, "{}", ran["header"]);
        assert_eq!(ran["summary"]["ending"], "complete");
        assert!(ran["summary"]["penetration"].as_f64().unwrap() < 1e-7);
    }
}

/// Cart-poles are written so: no shape of theirs touches another.
#[test]
fn a_robot_that_touches_nothing_by_its_file_moves_without_contacts() {
    let robots = Robots::new();
    let pendulum = |masks: &str| {
        format!(
            "<mujoco><default><geom {masks}/></default><worldbody><geom type='plane' size='1 1 1' pos='0 0 -0.5'/>
             <body><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='0.05'/></body></worldbody></mujoco>"
        )
    };
    let robot = robots.write("free.xml", &pendulum("contype='0'"));
    let ran = carom(&["simulate", &robot, "--until", "0.5", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()["header"]["contacts"].as_array().unwrap().len(), 0);
    let text = carom(&["simulate", &robot, "--until", "0.5"]).out;
    assert!(text.contains("contacts = []  # none: by contype, conaffinity and <exclude>"), "{text}");
    // It goes on, and so does the scene that is saved of it.
    let scene = text_of(&robots.path("scene.toml"));
    let saved = carom(&["simulate", &robot, "--until", "0.5", "--save-scene", &scene, "--format", "json"]).json();
    assert_eq!(carom(&["simulate", &scene, "--until", "0.5", "--format", "json"]).json()["summary"], saved["summary"]);
    // Impacts need a contact, and say so.
    for arguments in [&["impact", &scene][..], &["compare", &scene], &["map", &scene, "-o", "-", "--format", "csv"]] {
        let refused = carom(arguments);
        assert_eq!(refused.code, 2, "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains("an impact needs at least one contact"), "{arguments:?}: {}", refused.err);
    }
    // With masks that meet, the same pendulum strikes the plane.
    let struck = carom(&["simulate", &robots.write("struck.xml", &pendulum("")), "--until", "0.5", "--format", "json"]);
    assert!(struck.json()["summary"]["impacts"].as_u64().unwrap() > 0);
}

/// Soft contacts let robots start inside the floor; a fixed base is raised by what is missing.
#[test]
fn a_fixed_base_that_starts_inside_a_plane_is_raised_out_of_it() {
    let robots = Robots::new();
    let arm = "<mujoco><worldbody><geom type='plane' size='1 1 1'/>
        <body pos='0 0 0.1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.125' friction='0.7'/>
        </body></worldbody></mujoco>";
    let arm = robots.write("arm.xml", arm);
    let ran = carom(&["simulate", &arm, "--until", "0.1"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let raised = ran.out.lines().find_map(|line| line.trim().strip_prefix("position = [0.0, 0.0, "));
    let raised = raised.unwrap_or_else(|| panic!("{}", ran.out));
    assert!(raised.contains("raised: its lowest point is 2.500e-2 m inside a plane of the file"), "{raised}");
    let by: f64 = raised.split(']').next().unwrap().parse().unwrap();
    assert!((by - 0.025).abs() < 1e-15, "{by}");
    // The friction is still that of the file: the larger of 0.7 and MuJoCo's 1 of the plane.
    assert!(ran.out.contains("MuJoCo's rule for pairs: 1"), "{}", ran.out);
    // A height that was asked for is that of its lowest point.
    let high = carom(&["simulate", &arm, "--until", "0.1", "--height", "0.2"]);
    assert!(high.out.contains("its lowest point is 0.2 m above the plane of the file"), "{}", high.out);
}

/// The base is placed by its own lowest point, whatever else of the file lies on the floor.
#[test]
fn a_robot_beside_an_object_is_put_on_the_floor_itself() {
    let robots = Robots::new();
    let scene = "<mujoco><worldbody><geom type='plane' size='1 1 1'/>
        <body name='robot' pos='0 0 2'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>
        <body name='ball' pos='1 0 0.05'><freejoint/><geom type='sphere' size='0.05'/></body></worldbody></mujoco>";
    let scene = robots.write("beside.xml", scene);
    let run = |options: &[&str]| {
        let arguments = ["simulate", &scene, "--until", "0.1", "--format", "json"];
        carom(&[&arguments, options].concat()).json()["summary"].clone()
    };
    let placed = run(&[]);
    assert_eq!((placed["impacts"].as_u64(), placed["at_rest"].as_f64()), (Some(0), Some(0.0)), "{placed}");
    // From 1 cm it strikes after 0.045 s; the ball stays where it is.
    let dropped = run(&["--height", "0.01"]);
    let rest = dropped["at_rest"].as_f64().unwrap_or_else(|| panic!("{dropped}"));
    assert!((rest - (0.02f64 / 9.81).sqrt()).abs() < 1e-10, "{rest}");
}

/// An ant whose ankles have to be bent stands on its feet; without limits its legs would give way.
#[test]
fn joints_stop_at_the_limits_of_the_file_unless_told_otherwise() {
    let robots = Robots::new();
    // A pendulum that is let go level, and stops a quarter of a radian lower.
    let arm = "<robot name='r'><link name='world'/><link name='arm'><inertial><origin xyz='0.5 0 0'/><mass value='1'/>
        <inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link>
        <joint name='j' type='revolute'><parent link='world'/><child link='arm'/><axis xyz='0 1 0'/>
        <limit lower='-1' upper='0.25' effort='1' velocity='1'/></joint></robot>";
    let arm = robots.write("arm.urdf", arm);
    let ran = carom(&["simulate", &arm, "--until", "1", "--height", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("[limits]  # joints stop at the limits of the file"), "{}", ran.out);
    let stopped = carom(&["simulate", &arm, "--until", "1", "--height", "2", "--format", "json"]).json();
    let names: Vec<&str> =
        stopped["events"].as_array().unwrap().iter().filter_map(|event| event["contact"].as_str()).collect();
    assert!(names.contains(&"j upper limit"), "{names:?}");
    assert!(stopped["summary"]["at_rest"].as_f64().is_some(), "{}", stopped["summary"]);
    let through = carom(&["simulate", &arm, "--until", "1", "--height", "2", "--no-limits", "--format", "json"]).json();
    assert_eq!(through["summary"]["impacts"].as_u64(), Some(0), "{}", through["summary"]);
    // An impact has no limits.
    let struck = carom(&["impact", &arm, "--link", "arm"]);
    assert!(!struck.out.contains("[limits]"), "{}", struck.out);
}

/// Arms of learning environments stand on slides that dampers of 1e11 N s/m hold: windows of time stepping carry the whole run,
/// to the end time and not beyond it.
#[test]
fn windows_end_with_the_run() {
    let robots = Robots::new();
    let arm = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'>
        <joint type='slide' axis='0 0 1' damping='1e11'/><geom type='sphere' size='0.05'/>
        <body><joint axis='0 1 0' damping='0.1'/><geom type='capsule' fromto='0 0 0 0.5 0 0' size='0.05'/></body></body>
        </worldbody></mujoco>";
    let arm = robots.write("stiff.xml", arm);
    let ran = carom(&["simulate", &arm, "--until", "0.01", "--format", "json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = ran.json();
    assert_eq!(ran["summary"]["time"].as_f64(), Some(0.01));
    let times: Vec<f64> = (ran["events"].as_array().unwrap().iter())
        .filter(|event| event["kind"] == "window")
        .map(|event| event["time"].as_f64().unwrap())
        .collect();
    assert!(times.len() > 10 && times.iter().all(|time| *time < 0.01), "{times:?}");
}
