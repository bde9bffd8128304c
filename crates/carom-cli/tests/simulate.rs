//! `carom simulate` end to end: the reference numbers of `reference/simulation`, its files, errors and interrupts.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use common::run::{Run, time_of};
use common::{Ran, carom, numbers};
use serde_json::Value;

const EXPECTED: &str = include_str!("../../../reference/simulation/expected.json");

/// A body of 1 kg that translates along x and z and rotates, with a shape.
fn planar_body(moment: f64, shape: &str) -> String {
    format!(
        r#"<mujoco model="body"><compiler angle="radian"/><worldbody><body name="body">
        <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
        <joint name="pitch" type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="{moment} {moment} {moment}"/>{shape}
        </body></worldbody></mujoco>"#
    )
}

/// Gravity of 9.81 m/s² for a slope that is modelled as level.
fn on_slope(degrees: f64) -> String {
    let (sin, cos) = degrees.to_radians().sin_cos();
    format!("[{}, 0, {}]", 9.81 * sin, -9.81 * cos)
}

type Found = BTreeMap<String, f64>;

fn balls(found: &mut Found) {
    let ball = Run::of(&["ball"]);
    let impacts = ball.events("impact");
    found.insert("ball: first impact, s".into(), time_of(impacts[0]));
    found.insert("ball: tenth impact, s".into(), time_of(impacts[9]));
    found.insert("ball: at rest, s".into(), ball.0["summary"]["at_rest"].as_f64().unwrap());

    let sphere = Run::of(&["sphere"]);
    let rolls = sphere.events("stick")[0];
    found.insert("sphere: begins to roll, s".into(), time_of(rolls));
    found.insert("sphere: sliding distance, m".into(), sphere.after(rolls, "q.ball.x"));
    // In the axes of the ball, which has rotated.
    let speed = ["v.ball.vx", "v.ball.vz"].map(|name| sphere.after(rolls, name));
    found.insert("sphere: rolling speed, m/s".into(), speed[0].hypot(speed[1]));
    found.insert("sphere: work of friction, J".into(), sphere.end("energy.friction"));

    let disc = Run::of_files(
        &planar_body(0.5, r#"<geom type="cylinder" size="1 0.1" euler="1.5707963267948966 0 0" mass="0"/>"#),
        "restitution = 0\nfriction = 0.2\ngravity = [0, 0, -9.81]\nmodel.mjcf = 'robot.xml'\n\
         state.configuration.z = 1\nstate.velocity.x = 2\ncontact = { link = 'body', shape = 'all' }\n\
         surface.normal = [0, 0, 1]\nsimulation.until = 1",
    );
    let rolls = disc.events("stick")[0];
    found.insert("disc: begins to roll, s".into(), time_of(rolls));
    found.insert("disc: rolling speed, m/s".into(), disc.after(rolls, "v.x"));
    found.insert("disc: sliding distance, m".into(), disc.after(rolls, "q.x"));
}

fn slopes(found: &mut Found) {
    for degrees in [28.0, 30.0] {
        let gravity = format!("gravity={}", on_slope(degrees));
        let edits = ["--set", "friction=0.5", "--set", "actuation={}", "--set", &gravity, "--until", "1"];
        let brick = Run::of(&[&["brick"][..], &edits].concat());
        found.insert(format!("brick at {degrees} degrees: acceleration, m/s^2"), brick.end("v.x"));
    }
    let gravity = format!("gravity={}", on_slope(26.565));
    let still = Run::of(&["brick", "--set", "friction=0.5", "--set", "actuation={}", "--set", &gravity]);
    assert!(still.events("slip").is_empty() && still.end("v.x").abs() < 1e-12, "it slides below the angle of friction");

    let pushed = Run::of_files(
        &planar_body(1.0 / 240.0, r#"<geom type="box" size="0.1 0.05 0.05" mass="0"/>"#),
        "restitution = 0\nfriction = { static = 0.5, dynamic = 0.4 }\nmodel.mjcf = 'robot.xml'\n\
         gravity = [0, 0, -9.81]\nstate.configuration.z = 0.05\nactuation.x.rate = 2\n\
         contact = { link = 'body', shape = 'all' }\nsurface.normal = [0, 0, 1]\nsimulation.until = 4",
    );
    found.insert("pushed block: begins to slip, s".into(), time_of(pushed.events("slip")[0]));
    found.insert("pushed block: speed at 4 s, m/s".into(), pushed.end("v.x"));
    found.insert("pushed block: distance at 4 s, m".into(), pushed.end("q.x"));

    let particle = Run::of_files(
        r#"<mujoco model="particle"><worldbody><body name="body">
        <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
        <joint name="z" type="slide" axis="0 0 1"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>"#,
        &format!(
            "restitution = 0\nfriction = 0.6\ngravity = {}\nmodel.mjcf = 'robot.xml'\nstate.velocity.y = 1\n\
             contact.link = 'body'\nsurface.normal = [0, 0, 1]\nsimulation.until = 1",
            on_slope(20.0)
        ),
    );
    found.insert("particle on 20 degrees: stops, s".into(), time_of(particle.events("stick")[0]));
    found.insert("particle on 20 degrees: downhill, m".into(), particle.end("q.x"));
    found.insert("particle on 20 degrees: across, m".into(), particle.end("q.y"));
}

fn steps(found: &mut Found) {
    let block = Run::of(&["block"]);
    for (k, impact) in (1..=5).zip(block.events("impact")) {
        found.insert(format!("block: impact {k}, s"), time_of(impact));
        found.insert(format!("block: angular velocity after {k}, rad/s"), block.after(impact, "v.pitch").abs());
    }
    let wheel = Run::of(&["wheel", "--until", "20"]);
    let impacts = wheel.events("impact");
    let [one, other] = impacts.last_chunk().unwrap();
    found.insert("wheel: step, s".into(), time_of(other) - time_of(one));
    found.insert("wheel: angular velocity before a strike, rad/s".into(), -wheel.before(other, "v.pitch"));
    found.insert("wheel: angular velocity after a strike, rad/s".into(), -wheel.after(other, "v.pitch"));

    let walker = Run::of(&["walker"]);
    let impacts = walker.events("impact");
    assert!(impacts.len() >= 12, "it stops walking");
    found.insert("walker: period, s".into(), time_of(impacts[11]) / 12.0);
    let along_slope = |impact: &Value| {
        let foot = impact["contact"].as_str().unwrap();
        let [x, z] = ["x", "z"].map(|axis| walker.after(impact, &format!("contact.{foot}.position.{axis}")));
        let (sin, cos) = 3f64.to_radians().sin_cos();
        x * cos - z * sin
    };
    found.insert("walker: step, m".into(), along_slope(impacts[1]) - along_slope(impacts[0]));
}

fn rods(found: &mut Found) {
    let rod = Run::of(&["rod"]);
    let impacts = rod.events("impact");
    for (k, (impact, (end, mode))) in
        impacts.iter().zip([("left", "slip"), ("right", "slip"), ("left", "stick")]).enumerate()
    {
        let k = k + 1;
        assert_eq!((impact["contact"].as_str(), impact["impact"].as_str()), (Some(end), Some(mode)), "impact {k}");
        found.insert(format!("rod: impact {k}, s"), time_of(impact));
        found.insert(format!("rod: vx after {k}, m/s"), rod.after(impact, "v.x"));
        found.insert(format!("rod: vz after {k}, m/s"), rod.after(impact, "v.z"));
        found.insert(format!("rod: angular velocity after {k}, rad/s"), rod.after(impact, "v.pitch"));
    }
    let jam = Run::of(&["painleve"]);
    let jam = jam.events("jam")[0].clone();
    assert_eq!(time_of(&jam), 0.0);
    let impulse = numbers(&jam["impulse"]);
    found.insert("painleve: normal impulse, N s".into(), impulse[0]);
    found.insert("painleve: tangential impulse, N s".into(), impulse[1]);
    found.insert("painleve: energy change, J".into(), jam["energy_change"].as_f64().unwrap());
}

/// Closed forms and numbers computed elsewhere, each through the command line; the book's table has them all.
#[test]
fn reference_numbers() {
    let mut found = Found::new();
    for part in [balls, slopes, steps, rods] {
        part(&mut found);
    }
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    let rows = expected["rows"].as_array().unwrap();
    assert_eq!(rows.len(), found.len());
    let book = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/simulation.md")).unwrap();
    for row in rows {
        let name = row["name"].as_str().unwrap();
        let [value, within] = ["value", "within"].map(|key| row[key].as_f64().unwrap());
        let found = found.get(name).unwrap_or_else(|| panic!("nothing is found for {name}"));
        assert!((found - value).abs() <= within, "{name}: {found} is not {value} within {within:e}");
        let line = format!("| {name} | {value} | {within:e} |");
        assert!(book.contains(&line), "book/src/simulation.md lacks {line}");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All formats in one run and no other files; a second run gives the same bits.
#[test]
fn files_are_complete_and_the_same_twice() {
    let write = || {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        for table in ["run.csv", "run.json"].into_iter().chain(cfg!(feature = "parquet").then_some("run.parquet")) {
            let ran = carom(&["simulate", "cube", "-o", &path(table), "--events", "0"]);
            assert_eq!(ran.code, 0, "{}", ran.err);
        }
        let [svg, png, html] = ["run.svg", "run.png", "run.html"].map(path);
        assert_eq!(carom(&["simulate", "cube", "--plot", &svg, "--render", &html]).code, 0);
        assert_eq!(carom(&["simulate", "cube", "--plot", &png]).code, 0);
        folder
    };
    let (one, other) = (write(), write());
    let expected = [
        "run.csv",
        "run.events.csv",
        "run.events.parquet",
        "run.header.json",
        "run.html",
        "run.json",
        "run.parquet",
        "run.png",
        "run.svg",
    ];
    let expected = expected.into_iter().filter(|name| cfg!(feature = "parquet") || !name.ends_with(".parquet"));
    let expected: Vec<&str> = expected.collect();
    assert_eq!(names(one.path()), expected);
    let read = |name: &str| std::fs::read(one.path().join(name)).unwrap();
    for name in &expected {
        assert!(read(name) == std::fs::read(other.path().join(name)).unwrap(), "{name} differs from run to run");
    }
    assert!(read("run.png").starts_with(b"\x89PNG") && read("run.html").starts_with(b"<!"));
    roxmltree::Document::parse(str::from_utf8(&read("run.svg")).unwrap()).unwrap();

    // The tables hold the same numbers.
    let json: Value = serde_json::from_slice(&read("run.json")).unwrap();
    let csv = String::from_utf8(read("run.csv")).unwrap();
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), json["samples"]["time"].as_array().unwrap().len());
    for (k, name) in header.iter().enumerate().filter(|(_, name)| **name != "ending") {
        for (row, value) in rows.iter().zip(json["samples"][*name].as_array().unwrap()) {
            match value.as_f64() {
                Some(x) => assert_eq!(row[k].parse::<f64>().unwrap().to_bits(), x.to_bits(), "{name}"),
                None => assert_eq!(row[k], value.as_str().unwrap(), "{name}"),
            }
        }
    }
    assert_eq!(rows.last().unwrap().last(), Some(&"complete"));
    let events = String::from_utf8(read("run.events.csv")).unwrap();
    assert_eq!(events.lines().count() - 1, json["events"].as_array().unwrap().len());
    if cfg!(feature = "parquet") {
        parquet_holds(&one.path().join("run.parquet"), header.len() - 1, rows.len(), &json);
        let events = json["events"].as_array().unwrap().len();
        parquet_holds(&one.path().join("run.events.parquet"), 10, events, &json);
    }
}

fn parquet_holds(path: &Path, columns: usize, rows: usize, json: &Value) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let file = reader.metadata().file_metadata();
    assert_eq!((file.schema_descr().num_columns(), file.num_rows()), (columns, rows as i64), "{}", path.display());
    let metadata = file.key_value_metadata().unwrap();
    let value = |key: &str| metadata.iter().find(|entry| entry.key == key).and_then(|entry| entry.value.clone());
    assert_eq!(value("carom.ending").unwrap(), "complete");
    if let Some(summary) = value("carom.summary") {
        assert_eq!(serde_json::from_str::<Value>(&summary).unwrap(), json["summary"]);
    }
}

/// The printed text.
#[test]
fn summary_and_events_are_printed() {
    let ran = carom(&["simulate", "rod", "--events", "4"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    for words in [
        "rod: a rod dropped obliquely clatters to rest\n  ran for 2 s; at rest since t = 1.1289412",
        "events              44 impacts, 2 settlings\n",
        "    left              settled at t = ",
        "    potential         12.2625       0\n",
        "  … 8 more …\n",
        "  11-60  1.09836",
        "  left, right  47 bounces of 2 contacts in 30.6 ms",
    ] {
        assert!(ran.out.contains(words), "{words:?} is not in\n{}", ran.out);
    }
    let words = ["impact, ", "bounces"];
    assert_eq!(ran.out.lines().filter(|line| words.iter().any(|word| line.contains(word))).count(), 4);
    let none = carom(&["simulate", "rod", "--events", "0"]).out;
    assert!(!none.contains("time, s") && ran.out.starts_with(&none));
    let all = carom(&["simulate", "rod", "--events", "all"]).out;
    assert_eq!(all.lines().count() - none.lines().count(), 12 + 2);
    let every = carom(&["simulate", "rod", "--events", "every"]).out;
    assert_eq!(every.lines().count() - none.lines().count(), 61 + 2);
    assert!(every.contains("settles by") && every.contains("supports a settling contact"), "{every}");
    let moving = carom(&["simulate", "sphere"]).out;
    assert!(moving.contains("ran for 2 s; still moving, with 1.43 J of kinetic energy"), "{moving}");
    let json = carom(&["simulate", "rod", "--format", "json"]).json();
    assert_eq!((json["events"].as_array().unwrap().len(), json["samples"].is_null()), (61, true));
    assert_eq!(json["summary"]["ending"], "complete");
}

/// Long names of contacts are aligned in columns, too.
#[test]
fn columns_are_straight() {
    for scene in ["cube", "quadruped", "brick"] {
        let out = carom(&["simulate", scene]).out;
        let (_, table) = out.split_once("  no.").unwrap();
        let title = format!("  no.{}", table.lines().next().unwrap());
        let column = title.find("then").unwrap();
        for line in table.lines().skip(1).filter(|line| !line.contains('…')) {
            let cell: String = line.chars().skip(column).take_while(|c| *c != ' ').collect();
            // Contacts of a group may be in several modes, which are counted.
            let is_mode = ["flight", "stick", "slip"].contains(&cell.as_str()) || cell.parse::<usize>().is_ok();
            assert!(is_mode, "{scene}: {cell:?} in {line:?}");
        }
    }
}

/// `carom simulate ARGUMENTS` prints an error, writes nothing, and ends with exit code 2.
fn refused(arguments: &[&str], complaint: &str) {
    let Ran { code, out, err } = carom(&[&["simulate"], arguments].concat());
    assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {err}");
    assert!(err.contains(complaint), "{arguments:?} says {err:?}, not {complaint:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, complaint) in [
        (&["ball", "--until", "-1"][..], "until = -1 must be positive and finite"),
        (&["ball", "--until", "inf"], "until = inf must be positive and finite"),
        (&["ball", "--until", "soon"], "invalid value 'soon'"),
        (&["ball", "--tolerance", "1"], "tolerance = 1 must be between 1e-14 and 1e-2"),
        (&["ball", "--tolerance", "nan"], "tolerance = NaN must be between"),
        (&["ball", "--interval", "0"], "interval = 0 must be positive and finite"),
        (&["ball", "--interval", "1e-12"], "interval = 1e-12 makes 5.0e12 samples until 5 s, more than 1e6"),
        (&["ball", "--events", "some"], "\"some\" must be a number, all or every"),
        (&["ball", "-o", "run.txt"], "cannot tell the format of run.txt: use the extension "),
        (&["ball", "--plot", "run.pdf"], "use the extension .svg or .png"),
        (&["ball", "--render", "run.svg"], "use the extension .html"),
        (&["ball", "-o", "no/such/run.csv"], "cannot write no/such/run.csv: the folder no/such does not exist"),
        (&["ball", "--render", "no/run.html"], "cannot write no/run.html: the folder no does not exist"),
        (
            &["bell"],
            "\"bell\" is neither a file nor a scene (did you mean \"ball\"?); the scenes are ball, superball, rod, block, wheel, walker",
        ),
        (&["kane"], "\"kane\" is an impact, not a simulation: use carom impact kane; the scenes are ball, "),
        (
            &["ball", "--law", "chord", "--guard", "slip"],
            "guard = \"slip\" is only available for law = \"aghili\"; leave it out with \"chord\"",
        ),
        (
            &["ball", "--set", "base.position[2]=-0.5"],
            "contact \"ball\" starts 0.5 m inside \"surface\", more than 1e-8 m",
        ),
        (
            &["arm", "--set", "actuation.hand.force=1"],
            "\"hand\" is not a joint of arm; its moving joints are shoulder_pan",
        ),
        (
            &["arm", "--set", "actuation.elbow.torque=1"],
            "actuation.elbow.torque is not a valid key; the keys are force",
        ),
        (&["arm", "--set", "actuation.elbow={\"target\": 1}"], "a target needs a stiffness"),
        (
            &["quadruped", "--set", "actuation.root_joint.force=1"],
            "is floating and has 7 coordinates; a joint with one is needed",
        ),
        (&["quadruped", "--set", "posture.joints=[\"tail\"]"], "\"tail\" is not a joint of quadruped"),
        (&["quadruped", "--set", "posture.stiffness=-1"], "posture.stiffness = -1 must be zero or more and finite"),
        (&["walker", "--set", "contacts[0].enabled.joint=knee"], "\"knee\" is not a joint of compass_walker"),
        (&["walker", "--set", "contacts[0].enabled={\"joint\": \"hip\"}"], "above, below or both"),
        (
            &["cube", "--set", "contact.shape=wheel"],
            "is not a shape of link \"cube\", which has one: say \"all\", or cube",
        ),
        (&["cube", "--set", "contact.surface=wall"], "\"wall\" is not a surface; the surfaces are surface"),
        (&["ball", "--set", "limits.restitution=2"], "limits.restitution"),
        (&["ball", "--set", "simulation.until=0"], "simulation.until = 0 must be positive and finite"),
        (&["ball", "--set", "simulation.end=1"], "simulation.end is not a valid key; the keys are until, interval"),
    ] {
        refused(arguments, complaint);
    }
    assert!(!Path::new("run.txt").exists());
}

/// Errors are found before the run: these would run for hours.
#[test]
fn files_are_checked_first() {
    for file in ["run.txt", "no/such/run.csv"] {
        let arguments = ["simulate", "superball", "--until", "1e9", "--interval", "1e4", "-o", file];
        assert_eq!(carom(&arguments).code, 2);
    }
}

#[test]
fn problems_without_robots_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("problem.json");
    let problem = r#"{"delassus": [[1]], "contact_velocity": [-1], "restitution": 0.5}"#;
    std::fs::write(&file, problem).unwrap();
    refused(
        &[file.to_str().unwrap()],
        "a simulation needs a robot: give a scene with model, state, contacts and surface",
    );
    let ran = carom(&["simulate", file.to_str().unwrap(), "--format", "json"]);
    let error: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, error["error"]["field"].as_str()), (2, Some("model")));
    // An error is shown at its line.
    let scene = folder.path().join("scene.toml");
    let text = carom(&["gallery", "--simulation", "sphere"]).out.replace("shape = \"all\"", "shape = \"cone\"");
    std::fs::write(&scene, text).unwrap();
    let ran = carom(&["simulate", scene.to_str().unwrap()]);
    assert!(ran.code == 2 && ran.err.contains("scene.toml:17: contact.shape = \"cone\""), "{}", ran.err);
}

#[test]
fn standard_input_is_a_scene_too() {
    let scene = carom(&["gallery", "ball"]).out;
    let ran = common::carom_with(&["simulate", "-", "--until", "1", "--format", "json"], scene.as_bytes());
    assert_eq!(ran.json()["summary"]["time"], 1.0);
}

#[test]
fn gallery_has_impacts_and_simulations() {
    let list = carom(&["gallery"]).out;
    let (impacts, simulations) = list.split_once("\ncarom simulate NAME\n").unwrap();
    assert!(impacts.starts_with("carom impact NAME\n  kane ") && simulations.starts_with("  ball "), "{list}");
    assert_eq!(simulations.lines().count(), carom::gallery::SIMULATIONS.len());
    assert_eq!(carom(&["gallery", "--simulation"]).out, simulations);
    // A name in one list, and one in both.
    assert!(carom(&["gallery", "ball"]).out.contains("a ball bounces to rest"));
    assert!(carom(&["gallery", "rod"]).out.contains("thrown along the floor"));
    assert!(carom(&["gallery", "rod", "--simulation"]).out.contains("clatters to rest"));
    // Printed, saved and run: the same result.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.json");
    std::fs::write(&file, carom(&["gallery", "rod", "--simulation", "--format", "json"]).out).unwrap();
    let [own, built_in] = [file.to_str().unwrap(), "rod"].map(|scene| Run::of(&[scene]).0["summary"].clone());
    assert_eq!(own, built_in);
}

/// Starts a run of many hours, sends it a signal, and returns its output.
#[cfg(unix)]
fn interrupted(output: &Path, signal: &str) -> std::process::Output {
    // An interrupt before its handler is installed ends the command at once: then it gets more time.
    for seconds in [1, 4, 16] {
        let child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["simulate", "superball", "--until", "1e7", "--interval", "1e2", "-o"])
            .arg(output)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_secs(seconds));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let ended = child.wait_with_output().unwrap();
        if ended.status.code().is_some() {
            return ended;
        }
    }
    panic!("it never listens");
}

#[cfg(unix)]
#[test]
fn interrupts_hangups_and_terminations_leave_marked_files() {
    let folder = tempfile::tempdir().unwrap();
    for (name, signal) in [("run.json", "-INT"), ("run.json", "-TERM"), ("run.csv", "-HUP")] {
        let ended = interrupted(&folder.path().join(name), signal);
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(ended.status.code(), Some(1), "{out}");
        assert!(out.contains("INCOMPLETE: interrupted at ") && out.contains(" s of 1e7 s; still moving"), "{out}");
    }
    assert_eq!(names(folder.path()), ["run.csv", "run.events.csv", "run.header.json", "run.json"]);
    let run: Value = serde_json::from_slice(&std::fs::read(folder.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(run["summary"]["ending"], "interrupted");
    let time = run["summary"]["time"].as_f64().unwrap();
    assert!(time > 0.0 && time < 1e7);
    assert!(run["samples"]["time"].as_array().unwrap().iter().all(|t| t.as_f64().unwrap() <= time));
    let csv = std::fs::read_to_string(folder.path().join("run.csv")).unwrap();
    assert!(csv.ends_with(",interrupted\n"));
}

/// A chain of hundreds of links that lies on the floor, with contacts at all of them: its first step takes minutes.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_whose_step_does_not_end() {
    let inertia = r#"<inertial><origin xyz="0.05 0 0"/><mass value="0.1"/>
        <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let shape = r#"<collision><origin xyz="0.05 0 0"/><geometry><sphere radius="0.02"/></geometry></collision>"#;
    let mut robot = format!(r#"<robot name="chain"><link name="link0">{inertia}{shape}</link>"#);
    for i in 1..700 {
        robot += &format!(
            r#"<link name="link{i}">{inertia}{shape}</link><joint name="joint{i}" type="continuous"><parent link="link{}"/>
            <child link="link{i}"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/></joint>"#,
            i - 1
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("chain.urdf");
    std::fs::write(&file, robot + "</robot>").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["simulate", file.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(8));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let begun = std::time::Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("it goes on");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let ended = child.wait_with_output().unwrap();
    // On a slow machine the handler may not listen yet, and on a fast one the step may end in time.
    if ended.status.code() == Some(130) {
        let message = String::from_utf8(ended.stderr).unwrap();
        assert!(message.contains("chain.urdf: interrupted, but one step takes longer than 10 s"), "{message}");
    } else {
        assert!(matches!(ended.status.code(), None | Some(1)), "{:?}", ended.status);
    }
}

/// A run that fails keeps its results so far, and says so: here a brick pushed beyond the range of numbers.
#[test]
fn failures_keep_what_was_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.json");
    let edits =
        ["--set", "actuation.x.rate=1e300", "--set", "simulation.until=1e9", "--set", "simulation.interval=1e6"];
    let ran = carom(&[&["simulate", "brick", "-o", file.to_str().unwrap()][..], &edits].concat());
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("INCOMPLETE: failed at ") && ran.err.starts_with("error: brick: at t = "), "{}", ran.err);
    let run: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!(run["summary"]["ending"], "failed");
}
