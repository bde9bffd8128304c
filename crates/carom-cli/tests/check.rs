//! `carom check`: what a robot file says, readable for large robots, and every warning of a simulation.

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{carom, numbers};
use serde_json::Value;

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A chain of 70 links with a ball at each, limits, damping and dry friction.
fn chain() -> String {
    let inertia = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let shape = "<collision><geometry><sphere radius=\"0.05\"/></geometry></collision>";
    let mut text = format!("<robot name=\"chain\"><link name=\"link_0\">{inertia}{shape}</link>\n");
    for k in 1..70 {
        let _ = writeln!(
            text,
            "<link name=\"link_{k}\">{inertia}{shape}</link><joint name=\"joint_{k}\" type=\"revolute\"><parent link=\"link_{}\"/>\
             <child link=\"link_{k}\"/><origin xyz=\"0.2 0 0\"/><axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"2\"/>\
             <dynamics damping=\"0.5\" friction=\"0.25\"/></joint>",
            k - 1
        );
    }
    text + "</robot>"
}

#[test]
fn a_robot_of_seventy_links_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let robot = write(folder.path(), "chain.urdf", &chain());
    let text = carom(&["check", &robot]).out;
    assert!(text.contains("70 links, 69 joints, 69 of them moving"), "{text}");
    for line in [
        "    joint_1               0     [-1, 2]  0.5      0.25\n",
        "  70 collision shapes\n    link_0   sphere of radius 0.05 m, fixed to the world\n    link_1   sphere of radius 0.05 m\n",
        "    … 46 more; -v prints all\n",
        "no warnings",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.lines().count() < 120, "{}", text.lines().count());
    let whole = carom(&["check", &robot, "-v"]).out;
    assert!(!whole.contains("-v prints all"));
    for line in ["    link_69  sphere of radius 0.05 m\n", "    joint_69              0     [-1, 2]  0.5      0.25\n"] {
        assert!(whole.contains(line), "{line}\n{whole}");
    }
}

/// Triangles of a ball of radius 0.05 m, as an STL file.
fn ball() -> String {
    let (rings, sectors) = (24, 36);
    let point = |i: u32, j: u32| {
        let (polar, angle) = (
            std::f64::consts::PI * f64::from(i) / f64::from(rings),
            std::f64::consts::TAU * f64::from(j % sectors) / f64::from(sectors),
        );
        // All points of a pole are one.
        let ring = if i == 0 || i == rings { 0.0 } else { polar.sin() };
        [ring * angle.cos(), ring * angle.sin(), polar.cos()].map(|x| 0.05 * x)
    };
    let mut text = "solid ball\n".to_owned();
    for i in 0..rings {
        for j in 0..sectors {
            let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            for triangle in [[a, b, c], [a, c, d]] {
                text += "facet normal 0 0 0\nouter loop\n";
                for [x, y, z] in triangle {
                    let _ = writeln!(text, "vertex {x} {y} {z}");
                }
                text += "endloop\nendfacet\n";
            }
        }
    }
    text + "endsolid ball\n"
}

#[test]
fn hulls_tell_how_far_they_are_inside() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "ball.stl", &ball());
    let robot = write(
        folder.path(),
        "robot.urdf",
        "<robot name=\"r\"><link name=\"foot\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\
         <collision name=\"sole\"><geometry><mesh filename=\"ball.stl\"/></geometry></collision></link></robot>",
    );
    let record = carom(&["check", &robot, "--format", "json"]).json();
    let link = record["links"].as_array().unwrap().iter().find(|link| link["name"] == "foot").unwrap();
    let hull = &link["shapes"][0]["hull"];
    let (full, kept) = (hull["vertices"].as_u64().unwrap(), hull["kept"].as_u64().unwrap());
    let error = hull["error"].as_f64().unwrap();
    // Two poles and 23 rings of 36 points; the diagonal of the box is 0.1 sqrt(3) m.
    assert_eq!(full, 2 + 23 * 36);
    assert!((20..=128).contains(&kept) && error > 0.0 && error <= 0.01 * 0.1 * 3f64.sqrt() * 1.001, "{hull}");
    let text = carom(&["check", &robot]).out;
    let (_, words) = text.split_once(&format!("foot/sole  hull of {full} vertices, {kept} kept, at most ")).unwrap();
    let (bound, rest) = words.split_once(" mm inside (").unwrap();
    assert!(rest.starts_with("ball.stl)"), "{text}");
    let bound: f64 = bound.parse().unwrap();
    assert!(bound >= 1e3 * error && bound <= 1.11e3 * error, "{bound} mm for {error} m");
}

const ARM: &str = r#"<mujoco model="arm"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="hand" pos="0 0 1"><freejoint name="free"/><geom name="palm" type="box" size="0.1 0.2 0.05" mass="1"/>
<body name="finger" pos="0.1 0 0"><joint name="bend" axis="0 1 0" range="-30 30" limited="true" stiffness="2" armature="0.01"/>
<geom type="capsule" size="0.01 0.03" mass="0.1"/></body></body></worldbody>
<actuator><motor joint="bend"/></actuator>
<keyframe><key name="flat" qpos="0 0 0.5 1 0 0 0 0.1"/><key name="thrown" qpos="0 0 0.7 1 0 0 0 0" qvel="1 0 0 0 0 0 0"/></keyframe></mujoco>"#;

#[test]
fn keyframes_springs_and_actuators_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let robot = write(folder.path(), "arm.xml", ARM);
    let text = carom(&["check", &robot]).out;
    for line in [
        "    hand/palm    box of 0.2 x 0.4 x 0.1 m\n",
        "    finger       capsule of radius 0.01 m, 0.06 m between its ends\n",
        "    flat    q = (0, 0, 0.5, 1, 0, 0, 0, 0.1)\n",
        "    thrown  q = (0, 0, 0.7, 1, 0, 0, 0, 0), in motion\n",
        "[-0.5236, 0.5236]",
        "2 at 0",
        "plane, fixed to the world",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(text.contains("actuator") && text.contains("not_modelled"), "{text}");
    let record = carom(&["check", &robot, "--format", "json"]).json();
    assert_eq!(record["keyframes"][1]["name"], "thrown");
    assert_eq!(numbers(&record["keyframes"][1]["velocity"])[0], 1.0);
    assert_eq!(record["home"].as_array().unwrap().len(), record["nq"].as_u64().unwrap() as usize);
    let bend = record["joints"].as_array().unwrap().iter().find(|joint| joint["name"] == "bend").unwrap();
    assert_eq!((&bend["armature"], &bend["spring"]["stiffness"]), (&0.01.into(), &2.0.into()));
    assert_eq!(record["simulation_error"], Value::Null);
}

/// Every warning of a simulation of the robot alone is one of its check.
#[test]
fn what_a_simulation_warns_of_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("quadruped.urdf", carom::models::find("quadruped").unwrap().text),
        ("arm.urdf", carom::models::find("arm").unwrap().text),
        ("arm.xml", ARM),
        ("chain.urdf", &chain()),
    ] {
        let robot = write(folder.path(), name, text);
        let run = carom(&["simulate", &robot, "--until", "0.001", "--format", "json"]).json();
        let checked = carom(&["check", &robot, "-v"]).out;
        let warnings = run["header"]["warnings"].as_array().unwrap();
        assert_eq!(warnings.is_empty(), name != "arm.xml", "{name}: {warnings:?}");
        for warning in warnings {
            assert!(checked.contains(warning.as_str().unwrap()), "{name}: {warning}\n{checked}");
        }
    }
    // A robot that cannot be simulated says why.
    let singular = "<robot name=\"r\"><link name=\"world\"/><link name=\"a\"/><joint name=\"j\" type=\"continuous\">\
                    <parent link=\"world\"/><child link=\"a\"/></joint></robot>";
    let robot = write(folder.path(), "singular.urdf", singular);
    let ran = carom(&["check", &robot]);
    assert!(ran.code == 0 && ran.out.contains("no impact can be computed at home"), "{}", ran.out);
    assert!(!carom(&["check", &robot, "--format", "json"]).json()["simulation_error"].is_null());
}

/// An SDF in place of a URDF: it is checked, simulated with a loop, and named by a scene.
#[test]
fn an_sdf_is_a_robot_file() {
    let folder = tempfile::tempdir().unwrap();
    let link = |name: &str, pose: &str| {
        format!(
            "<link name=\"{name}\"><pose>{pose}</pose><inertial><mass>1</mass></inertial>\
             <collision name=\"c\"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, pose: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><pose>{pose}</pose><parent>{parent}</parent><child>{child}</child>\
             <axis><xyz>0 1 0</xyz><dynamics><friction>0.2</friction></dynamics></axis></joint>"
        )
    };
    let text = [
        "<sdf version=\"1.7\"><model name=\"linkage\">".to_owned(),
        link("one", "0 0 2 0 0 0"),
        link("two", "1 0 2 0 0 0"),
        link("beam", "0.3 0 1 0 0 0"),
        joint("left", "world", "one", "0 0 0 0 0 0"),
        joint("right", "world", "two", "0 0 0 0 0 0"),
        joint("low", "one", "beam", "0 0 0 0 0 0"),
        joint("closing", "two", "beam", "1 0 0 0 0 0"),
        "<plugin name=\"p\"/></model></sdf>".to_owned(),
    ]
    .concat();
    let robot = write(folder.path(), "linkage.sdf", &text);
    let checked = carom(&["check", &robot]).out;
    assert!(checked.contains("linkage") && checked.contains("<plugin> in <model>"), "{checked}");
    assert!(checked.contains("0.2"), "{checked}");
    let scene = write(
        folder.path(),
        "scene.toml",
        "contacts = []\nrestitution = 0.0\nsurface = { normal = [0, 0, 1] }\n[model]\nsdf = \"linkage.sdf\"\n[simulation]\nuntil = 0.2\n",
    );
    let ran = carom(&["simulate", &scene]);
    assert!(
        ran.code == 0 && ran.out.contains("low friction") && ran.out.contains("dry friction"),
        "{}{}",
        ran.out,
        ran.err
    );
    let other = write(
        folder.path(),
        "other.toml",
        "contacts = []\nrestitution = 0.0\nsurface = { normal = [0, 0, 1] }\n[model]\nurdf = \"linkage.sdf\"\n",
    );
    let refused = carom(&["simulate", &other]);
    assert!(
        refused.code != 0 && refused.err.contains("is an SDF file, but a URDF file was requested"),
        "{}",
        refused.err
    );
}
