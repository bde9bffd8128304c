//! Malicious files and full disks: no control sequence reaches the terminal, nothing hangs, nothing is lost.

#![cfg(unix)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::carom;

const SCENE: &str = r#"
title = "t\u001b]0;PWNED\u0007\u001b[31mRED\u001b[2J </title><script>alert(1)</script>"
restitution = 0.5
friction = 0.5
[model]
builtin = "ball"
[state.configuration]
[[contacts]]
name = "c\u001b[31m\n<script>alert(2)</script>\u2028\u202E"
link = "ball"
[surface]
normal = [0,0,1]
[simulation]
until = 0.1
"#;

const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="evil&#x9b;31m&#x85;RED">
 <link name="base" odd&#x9b;="1"/>
 <link name="tip&#x202e;gnp&#x9b;2J"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="j&#10;2&#9;x" type="revolute"><parent link="base"/><child link="tip&#x202e;gnp&#x9b;2J"/>
  <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics friction="1"/></joint>
</robot>
"#;

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn assert_harmless(text: &str) {
    let acts = |c: char| c != '\n' && c.is_control() || matches!(c, '\u{2028}'..='\u{202e}');
    assert!(!text.contains(acts), "{text:?}");
}

#[test]
fn control_characters_of_names_and_titles_do_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let scene = file(folder.path(), "scene.toml", SCENE);
    let scene = scene.to_str().unwrap();
    for arguments in [
        &["impact", scene][..],
        &["impact", scene, "--format", "json"],
        &["compare", scene],
        &["simulate", scene],
        &["simulate", scene, "--format", "json"],
        // Errors too, and the line that they show.
        &["impact", scene, "--set", "contacts=\"\u{1b}[31m\u{9b}\""],
        &["simulate", scene, "--set", "surface.normal=[0,0,0]"],
        &["impact", "no\u{1b}[31mscene"],
        &["impact", "no/such\u{1b}[31mscene"],
        &["check", "no/such\u{9b}robot"],
    ] {
        let ran = carom(arguments);
        assert_harmless(&ran.out);
        assert_harmless(&ran.err);
        assert!(!(ran.out + &ran.err).is_empty());
    }
    let text = carom(&["simulate", scene]).out;
    assert!(text.contains(r"\u{1b}[31mRED") && text.contains(r"c\u{1b}[31m\n<script>"), "{text}");
    let json = carom(&["impact", scene, "--format", "json"]).json();
    assert!(json.to_string().contains("alert(2)"), "{json}");
}

#[test]
fn a_name_does_not_break_the_lines_of_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let robot = file(folder.path(), "robot.urdf", &ROBOT.replace(" odd&#x9b;=\"1\"", ""));
    let ran = carom(&["check", robot.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_harmless(&ran.out);
    assert!(ran.out.contains(r"evil\u{9b}31m\u{85}RED"), "{}", ran.out);
    assert!(ran.out.contains(r"revolute j\n2\tx"), "{}", ran.out);
    // Names are escaped in errors about the file, too.
    let broken = file(folder.path(), "broken.urdf", ROBOT);
    let ran = carom(&["check", broken.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert_harmless(&ran.err);
}

#[test]
fn figures_and_pages_have_no_control_characters() {
    let folder = tempfile::tempdir().unwrap();
    let scene = file(folder.path(), "scene.toml", SCENE);
    let [plot, page, map] = ["run.svg", "run.html", "map.svg"].map(|name| folder.path().join(name));
    let [plot, page, map] = [&plot, &page, &map].map(|path| path.to_str().unwrap());
    let scene = scene.to_str().unwrap();
    let ran = carom(&["simulate", scene, "--plot", plot, "--render", page]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = carom(&["map", scene, "-o", map, "--resolution", "20", "--set", "base.velocity=[1,0,-1]"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for path in [plot, page, map] {
        let text = std::fs::read_to_string(path).unwrap();
        assert_harmless(&text);
        assert!(!text.contains("<script>alert") && text.contains(r"\u{1b}"), "{path}");
    }
    for path in [plot, map] {
        roxmltree::Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    }
    // The page shows the content of the JSON: names are escaped before.
    let page = std::fs::read_to_string(page).unwrap();
    assert!(!page.contains("\\u001b") && page.contains(r"\\u{1b}"));
}

/// A link to a device on which every write fails.
fn full(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    path
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_at_the_end_loses_neither_the_other_files_nor_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = cfg!(feature = "parquet").then_some("t.parquet");
    for (table, plot, page) in ["t.csv", "t.json"].into_iter().chain(parquet).map(|table| (table, "p.svg", "r.html")) {
        for failing in [table, plot, page] {
            let inner = tempfile::tempdir_in(folder.path()).unwrap();
            let place = |name: &str| {
                if name == failing { full(inner.path(), name) } else { inner.path().join(name) }
            };
            let [table, plot, page] = [table, plot, page].map(place);
            let names = [&table, &plot, &page].map(|path| path.to_str().unwrap());
            let ran = carom(&["simulate", "ball", "-o", names[0], "--plot", names[1], "--render", names[2]]);
            assert_eq!(ran.code, 1, "{}", ran.err);
            assert!(ran.err.contains(failing) && ran.err.contains("No space left"), "{}", ran.err);
            assert!(ran.out.contains("at rest"), "{}", ran.out);
            for path in [&table, &plot, &page] {
                assert!(path.ends_with(failing) || std::fs::metadata(path).unwrap().len() > 0, "{}", path.display());
            }
            assert!(
                table.ends_with("t.json")
                    || table
                        .with_extension(format!("events.{}", table.extension().unwrap().to_str().unwrap()))
                        .exists()
            );
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_file_is_told_before_the_run() {
    // Not even root can create a file there. The run would take hours.
    let long = ["simulate", "superball", "--until", "1e7", "--interval", "1e2"];
    for option in [&["-o", "/proc/run.csv"], &["--plot", "/proc/run.svg"], &["--render", "/proc/run.html"]] {
        let ran = carom(&[&long[..], option].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.starts_with("error: cannot write /proc/run."), "{}", ran.err);
    }
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("run.events.csv");
    std::fs::create_dir(&taken).unwrap();
    let ran = carom(&[&long[..], &["-o", folder.path().join("run.csv").to_str().unwrap()]].concat());
    assert!(ran.code == 2 && ran.err.contains("run.events.csv"), "{}", ran.err);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn pipes_and_devices_are_no_models_scenes_or_meshes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    for name in ["robot.urdf", "scene.toml", "mesh.stl", "part.xml"] {
        pipe(Path::new(&at(name)));
    }
    let scene = "restitution = 0.5\nfriction = 0.5\n[model]\nFILE\n[[contacts]]\nlink = \"tip\"\n";
    file(folder.path(), "named.toml", &scene.replace("FILE", "urdf = \"robot.urdf\""));
    let body = "<body><freejoint/><geom type=\"mesh\" mesh=\"m\"/></body>";
    let mesh =
        format!("<mujoco><asset><mesh name=\"m\" file=\"mesh.stl\"/></asset><worldbody>{body}</worldbody></mujoco>");
    file(folder.path(), "mesh.xml", &mesh);
    file(folder.path(), "including.xml", "<mujoco><include file=\"part.xml\"/></mujoco>");
    for arguments in [
        ["check".to_owned(), at("robot.urdf")],
        ["check".to_owned(), "/dev/zero".to_owned()],
        ["check".to_owned(), at("mesh.xml")],
        ["check".to_owned(), at("including.xml")],
        ["impact".to_owned(), at("scene.toml")],
        ["impact".to_owned(), "/dev/zero".to_owned()],
        ["impact".to_owned(), at("named.toml")],
        ["simulate".to_owned(), at("scene.toml")],
    ] {
        let ran = carom(&[&arguments[0], &arguments[1]]);
        assert_eq!(ran.code, 2, "{arguments:?} {}", ran.err);
        assert!(ran.err.contains("it is a pipe or a device, not a regular file"), "{arguments:?} {}", ran.err);
    }
}

/// Each of 100,000 warnings has a line number; finding it by reading the file from its start took minutes.
#[test]
fn warnings_of_a_large_file_are_linear_in_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let shapes: String = (0..100_000)
        .map(|i| format!("<collision odd{i}=\"1\"><geometry><sphere radius=\"1\"/></geometry></collision>\n"))
        .collect();
    let text = format!("<robot name=\"r\">\n<link name=\"base\">\n{shapes}</link></robot>");
    let robot = file(folder.path(), "robot.urdf", &text);
    let begun = std::time::Instant::now();
    let ran = carom(&["check", "-v", robot.to_str().unwrap()]);
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert!(ran.out.contains("attribute odd99999 of <collision> occurs once and is ignored (line 100002)"));
    // All in one element: the parser would compare each with all others.
    let attributes: String = (0..100_000).map(|i| format!(" odd{i}='1'\n")).collect();
    let text = format!("<robot name=\"r\">\n<!-- < -->\n<link name=\"base\"{attributes}/></robot>");
    let robot = file(folder.path(), "robot.urdf", &text);
    let ran = carom(&["check", robot.to_str().unwrap()]);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("robot.urdf:3: an element has more than 1000 attributes"), "{}", ran.err);
}
