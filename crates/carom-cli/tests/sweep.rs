//! Sweeps through the real command: the same rows however they are split, interrupted and resumed; folders that are full, locked or
//! of another sweep.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Ran, carom, carom_with};
use serde_json::Value;

const PLAN: [&str; 10] = [
    "sweep",
    "arm",
    "--vary",
    "friction=0:1:40",
    "--random",
    "state.velocity.elbow=normal(0,1)",
    "--samples",
    "100",
    "--seed",
    "7",
];

fn sweep(more: &[&str]) -> Ran {
    carom(&[&PLAN[..], more].concat())
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// The files of a folder, without those under construction: a sweep that runs renames these while the folder is listed.
fn files(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|file| (file.file_name().unwrap().to_string_lossy().into_owned(), file));
    named.filter(|(name, _)| !name.starts_with('.')).map(|(name, file)| (name, fs::read(file).unwrap())).collect()
}

/// Rows of a CSV file, without the header line.
fn rows(file: &[u8]) -> Vec<String> {
    String::from_utf8(file.to_vec()).unwrap().lines().skip(1).map(str::to_owned).collect()
}

/// Hash of all rows of a folder of CSV parts, in order.
fn all_rows(folder: &str) -> Vec<String> {
    files(folder).iter().filter(|(name, _)| name.ends_with(".csv")).flat_map(|(_, file)| rows(file)).collect()
}

#[test]
fn rows_are_the_same_to_the_byte_on_any_number_of_threads_and_in_any_shards() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, more: &[&str]| {
        let place = path(&folder, name);
        let ran = sweep(&[&["--part-rows", "170", "-o", &place][..], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        place
    };
    let one = run("one", &["--threads", "1"]);
    let expected = files(&one);
    // 4000 rows in parts of 170: 24 parts, and the manifest.
    assert_eq!(expected.len(), 25);
    assert_eq!(files(&run("five", &["--threads", "5"])), expected);
    for index in ["2/3", "0/3", "1/3"] {
        run("shards", &["--shard", index]);
    }
    assert_eq!(files(&path(&folder, "shards")), expected);
    // Parts of another size and one file have the same rows.
    let csv = run("csv", &["--format", "csv"]);
    let expected = all_rows(&csv);
    assert_eq!(expected.len(), 4000);
    let other = path(&folder, "other");
    assert_eq!(sweep(&["--part-rows", "999", "--format", "csv", "-o", &other]).code, 0);
    assert!(all_rows(&other) == expected);
    let file = path(&folder, "all.csv");
    for threads in ["1", "3"] {
        assert_eq!(sweep(&["--part-rows", "64", "--threads", threads, "-o", &file]).code, 0);
        assert!(rows(&fs::read(&file).unwrap()) == expected);
    }
    assert!(rows(sweep(&["-o", "-", "--format", "csv"]).out.as_bytes()) == expected);
}

/// A row is the outcome of `carom impact` with its values.
#[test]
fn a_row_is_what_the_command_answers_for_its_values() {
    let columns = "mode,impulse,velocity,energy.change,critical_friction,robot.gap";
    let ran = sweep(&["--columns", columns, "-o", "-", "--format", "csv"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut lines = ran.out.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let all: Vec<&str> = lines.collect();
    for k in [0, 777, 3999] {
        let cells: BTreeMap<&str, &str> = names.iter().copied().zip(all[k].split(',')).collect();
        assert_eq!(cells["sample"], k.to_string());
        let edit = |key: &str| format!("{key}={}", cells[key]);
        let outcome = carom(&[
            "impact",
            "arm",
            "--set",
            &edit("friction"),
            "--set",
            &edit("state.velocity.elbow"),
            "--format",
            "json",
        ])
        .json();
        assert_eq!(outcome["mode"], cells["mode"]);
        let same = |name: &str, value: &Value| {
            let (found, expected) = (cells[name].parse::<f64>().ok(), value.as_f64());
            assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits), "row {k}: {name}");
        };
        for i in 0..3 {
            same(&format!("impulse[{i}]"), &outcome["impulse"][i]);
        }
        for i in 0..6 {
            same(&format!("velocity[{i}]"), &outcome["velocity"][i]);
        }
        same("energy.change", &outcome["energy"]["change"]);
        same("critical_friction", &outcome["critical_friction"]);
        same("robot.gap", &outcome["robot"]["gap"]);
    }
}

/// A long sweep, which is sent a signal as soon as it has a part.
#[cfg(unix)]
fn interrupted(folder: &str, signal: &str) -> std::process::Output {
    let more = ["--part-rows", "20000", "--threads", "2", "-o", folder];
    let mut plan = PLAN;
    plan[7] = "40000";
    let child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(plan)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !Path::new(folder).exists() || files(folder).len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "no part appears");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn interrupted_and_killed_sweeps_keep_their_parts_and_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    // 1,600,000 rows would take long; the same plan with fewer is another plan, so that the whole is run for each signal once.
    for signal in ["-INT", "-TERM", "-KILL"] {
        let place = path(&folder, &format!("run{signal}"));
        let ended = interrupted(&place, signal);
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let before = files(&place);
        assert!(before.len() >= 2 && before.len() < 81, "{}", before.len());
        if signal != "-KILL" {
            assert_eq!(ended.status.code(), Some(1), "{said}");
            assert!(said.contains("of 80 parts are in") && said.contains("the same command continues"), "{said}");
        }
        // One more part: what is there is not written again.
        let stamp = |name: &str| fs::metadata(Path::new(&place).join(name)).unwrap().modified().unwrap();
        let stamps: BTreeMap<&String, _> = before.keys().map(|name| (name, stamp(name))).collect();
        let mut plan = PLAN;
        plan[7] = "40000";
        let resumed = carom(&[&plan[..], &["--part-rows", "20000", "--shard", "79/80", "-o", &place]].concat());
        assert_eq!(resumed.code, 0, "{}", resumed.err);
        let after = files(&place);
        assert!(after.contains_key("part-000079.parquet"));
        for (name, file) in &before {
            assert!(after[name] == *file && stamp(name) == stamps[name], "{name}");
        }
    }
}

/// Killed again and again until it is complete, the folder is that of one run.
#[cfg(unix)]
#[test]
fn killed_and_resumed_until_complete_has_the_files_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = (path(&folder, "whole"), path(&folder, "pieces"));
    let more = ["--part-rows", "100", "--threads", "2", "-o"];
    assert_eq!(sweep(&[&more[..], &[&whole]].concat()).code, 0);
    let mut kills = 0;
    for attempt in 0..200 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(PLAN)
            .args(more)
            .arg(&pieces)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Longer and longer, so that it ends.
        let begun = Instant::now();
        let patience = Duration::from_millis(2 + attempt * attempt / 2);
        while begun.elapsed() < patience && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    assert!(kills > 0, "it was too fast to be killed");
    assert!(files(&pieces) == files(&whole));
}

#[test]
fn a_folder_of_another_sweep_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let place = path(&folder, "sweep");
    assert_eq!(sweep(&["-o", &place]).code, 0);
    let before = files(&place);
    let manifest: Value = serde_json::from_slice(&before["_manifest.json"]).unwrap();
    assert_eq!(manifest["rows"], 4000);
    assert_eq!(manifest["carom_version"], env!("CARGO_PKG_VERSION"));
    assert!(manifest["instruction_set"].as_str().unwrap().contains(std::env::consts::ARCH));
    assert_eq!(manifest["plan"]["seed"], 7);
    for (more, part) in [
        (&["--set", "restitution=0.4"][..], "its plan is"),
        (&["--columns", "mode"], "its plan is"),
        (&["--part-rows", "100"], "its rows_per_part is 65536, and here it is 100"),
        (&["--format", "csv"], "its format is parquet, and here it is csv"),
    ] {
        let ran = sweep(&[&["-o", &place], more].concat());
        assert_eq!(ran.code, 2, "{more:?}");
        assert!(ran.err.contains("has another sweep") && ran.err.contains(part), "{}", ran.err);
        assert!(files(&place) == before);
    }
    // The same plan again has nothing to do.
    let again = sweep(&["-o", &place]);
    assert!(again.code == 0 && again.err.contains("all 1 parts were in"), "{}", again.err);
    // Another version, a manifest that is none, parts without one.
    let file = Path::new(&place).join("_manifest.json");
    let text = String::from_utf8(before["_manifest.json"].clone()).unwrap();
    let version = format!("\"carom_version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version));
    fs::write(&file, text.replace(&version, "\"carom_version\": \"0.0.1\"")).unwrap();
    assert!(sweep(&["-o", &place]).err.contains("its carom_version is 0.0.1"));
    fs::write(&file, "{\"name\": \"mine\"}").unwrap();
    assert!(sweep(&["-o", &place]).err.contains("is not the manifest of a sweep: missing field"));
    fs::remove_file(&file).unwrap();
    assert!(sweep(&["-o", &place]).err.contains("has parts but no _manifest.json"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_said_and_leaves_nothing_half_written() {
    let folder = tempfile::tempdir().unwrap();
    // A limit on the size of files stands for a full disk.
    let place = path(&folder, "full");
    let line = format!(
        "trap '' XFSZ; ulimit -f 64; exec {} {} -o {place}",
        env!("CARGO_BIN_EXE_carom"),
        PLAN.map(|word| format!("'{word}'")).join(" ")
    );
    let output = Command::new("bash").args(["-c", &line]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write") && said.contains("part-000000.parquet"), "{said}");
    assert!(!said.contains(".carom-"), "the message names the hidden file: {said}");
    assert_eq!(files(&place).keys().collect::<Vec<_>>(), ["_manifest.json"]);
    assert!(fs::read_dir(&place).unwrap().count() == 1, "a file was left under construction");
    // The disk has room again.
    assert_eq!(sweep(&["-o", &place]).code, 0);
    assert_eq!(files(&place).len(), 2);

    let ran = sweep(&["-o", "/dev/full", "--format", "csv"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write /dev/full: No space left"), "{}", ran.err);
    // Nobody makes folders there.
    #[cfg(target_os = "linux")]
    {
        let ran = sweep(&["-o", "/proc/carom-sweep"]);
        assert!(ran.code == 2 && ran.err.contains("cannot write /proc/carom-sweep"), "{}", ran.err);
    }
    let missing = path(&folder, "no/folder");
    let ran = sweep(&["-o", &missing]);
    assert!(ran.code == 2 && ran.err.contains("cannot write"), "{}", ran.err);
    let file = path(&folder, "file");
    fs::write(&file, "mine").unwrap();
    let ran = sweep(&["-o", &file]);
    assert!(ran.code == 2 && ran.err.contains("is not a folder"), "{}", ran.err);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    // A file appears when it is complete.
    let ran = sweep(&["-o", &path(&folder, "no/table.csv")]);
    assert!(ran.code == 2 && ran.err.contains("does not exist"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("locked");
    fs::create_dir(&place).unwrap();
    fs::set_permissions(&place, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere.
    if fs::write(place.join("probe"), "").is_ok() {
        return;
    }
    let ran = sweep(&["-o", place.to_str().unwrap()]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot write") && ran.err.to_lowercase().contains("permission denied"), "{}", ran.err);
}

#[test]
fn kernels_are_recorded_and_chosen_by_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, kernel: Option<&str>| {
        let place = path(&folder, name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
        command.args(PLAN).args(["--format", "csv", "-o", &place]).env_remove("CAROM_KERNEL");
        if let Some(kernel) = kernel {
            command.env("CAROM_KERNEL", kernel);
        }
        let output = command.output().unwrap();
        (place, output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let kernel = |place: &str| -> String {
        let manifest: Value = serde_json::from_slice(&files(place)["_manifest.json"]).unwrap();
        manifest["instruction_set"].as_str().unwrap().to_owned()
    };
    let (usual, code, said) = run("usual", None);
    assert_eq!(code, 0, "{said}");
    let (portable, code, said) = run("portable", Some("portable"));
    assert_eq!(code, 0, "{said}");
    assert!(kernel(&portable).contains("portable"));
    assert!(all_rows(&usual) == all_rows(&portable));
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        assert!(kernel(&usual).contains("avx2"));
        let (_, code, said) = run("usual", Some("portable"));
        assert_eq!(code, 2);
        assert!(said.contains("its instruction_set is") && said.contains("CAROM_KERNEL=portable"), "{said}");
    }
    let (_, code, said) = run("wrong", Some("fast"));
    assert_eq!(code, 2);
    assert!(said.contains("CAROM_KERNEL = \"fast\" in the environment is not one of portable"), "{said}");
}

#[test]
fn errors_name_the_option() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(&folder, "out.csv");
    for (arguments, part) in [
        (
            &["kane", "--vary", "frction=0:1:3"][..],
            "kane: --vary: frction cannot vary: frction is not a valid key (did you mean \"friction\"?)",
        ),
        (&["kane", "--random", "state.velocity.elbw=normal(0,1)"], "--random: state.velocity.elbw cannot vary"),
        (&["kane", "--vary", "friction=0:1"], "for '--vary <"),
        (&["kane", "--random", "friction=normal(0)"], "for '--random <"),
        (&["kane", "--columns", "mde"], "kane: --columns: \"mde\" is not a column (did you mean \"mode\"?)"),
        (&["kane", "--samples", "0"], "kane: --samples: samples = 0 is outside"),
        (&["kane", "--set", "friction=0.1", "--vary", "friction=0:1:3"], "--set and --vary both set friction"),
        (
            &["kane", "--friction", "0.1", "--random", "friction=uniform(0,1)"],
            "--friction and --random both set friction",
        ),
        (&["kane", "--guard", "slip", "--vary", "guard=[slip,report]"], "--guard and --vary both set guard"),
        (&["kane", "--shard", "3/3"], "for '--shard <"),
        (&["kane", "--shard", "0/3"], "--shard is only available for a folder of parts"),
        (&["kane", "--part-rows", "0"], "for '--part-rows <"),
        (&["kane", "--until", "1"], "--simulate"),
        (
            &["kane", "--vary", "friction=0:1:99999999", "--vary", "restitution=0:1:99999999"],
            "--vary and --samples: 99999999 x",
        ),
        (&["kan"], "\"kan\" is neither a file nor a scene"),
        (&["ball", "--simulate", "--columns", "count(bounce)"], "--columns: \"count(bounce)\" is not a column"),
    ] {
        let ran = carom(&[&["sweep", "-o", &out], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(part), "{arguments:?}: {}", ran.err);
        assert!(!Path::new(&out).exists());
    }
    let ran = carom(&["sweep", "kane", "-o", &path(&folder, "table.json")]);
    assert!(ran.code == 2 && ran.err.contains("use the extension .parquet or .csv"), "{}", ran.err);
    let ran = carom(&["sweep", "kane", "-o", "-"]);
    assert!(ran.code == 2 && ran.err.contains("give --format parquet or csv"), "{}", ran.err);
    // Of a file of one's own, the line.
    let scene = carom(&["gallery", "kane"]).out.replace("friction", "frction");
    let ran = carom_with(&["sweep", "-", "-o", &out, "--vary", "restitution=0:1:3"], scene.as_bytes());
    assert!(ran.code == 2 && ran.err.contains("frction is not a valid key"), "{}", ran.err);
}

#[test]
fn samples_without_an_answer_are_rows_and_the_exit_code_says_so() {
    let ran = carom(&[
        "sweep",
        "kane",
        "--vary",
        "restitution=[-0.5,0.5,1.5]",
        "--columns",
        "mode",
        "-o",
        "-",
        "--format",
        "csv",
    ]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("2 of 3 samples have no answer; the column error says why"), "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "sample,restitution,mode,error");
    assert!(lines[1].starts_with("0,-0.5,,") && lines[1].contains("outside [0, 1]"), "{}", lines[1]);
    assert_eq!(lines[2], "1,0.5,stick,");
    assert!(lines[3].starts_with("2,1.5,,"));
}

/// The exact time of rest of a ball is sqrt(2 h/g) (1 + e)/(1 - e).
#[test]
fn simulations_are_swept_too() {
    let columns = "at_rest,impacts,first(impact, ball).time,count(settle, ball),ending";
    let ran = carom(&[
        "sweep",
        "ball",
        "--simulate",
        "--until",
        "20",
        "--vary",
        "restitution=0.1:0.9:5",
        "--columns",
        columns,
        "-o",
        "-",
        "--format",
        "csv",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut fall = None;
    for line in ran.out.lines().skip(1) {
        // The name of a column with a comma is quoted, values have none.
        let cells: Vec<&str> = line.split(',').collect();
        let number = |k: usize| cells[k].parse::<f64>().unwrap();
        let (e, rest, first) = (number(1), number(2), number(4));
        let exact = first * (1.0 + e) / (1.0 - e);
        assert!((rest - exact).abs() < 1e-9 * exact, "{line}: {exact}");
        assert_eq!(*fall.get_or_insert(first), first);
        assert_eq!((number(5), cells[6]), (1.0, "complete"));
    }
}

/// A robot file needs nothing else.
#[test]
fn a_robot_file_is_swept_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let robot = folder.path().join("robot.urdf");
    fs::write(&robot, carom::models::find("quadruped").unwrap().text).unwrap();
    let out = path(&folder, "out.csv");
    let arguments =
        ["sweep", robot.to_str().unwrap(), "--link", "front_left_foot", "--vary", "friction=[0.2,0.9]", "-o", &out];
    let ran = carom(&arguments);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(rows(&fs::read(&out).unwrap()).len(), 2);
}

/// The folder of a sweep says which keys vary: a figure needs nothing else.
#[test]
fn a_folder_is_drawn_over_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (table, own, stated) = (path(&folder, "sweep"), path(&folder, "own.svg"), path(&folder, "stated.svg"));
    let (e, mu) = ("restitution=0:1:12", "friction=0:1.2:9");
    let made = carom(&["sweep", "kane", "--vary", e, "--vary", mu, "--format", "csv", "-o", &table]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(carom(&["plot", &table, "-o", &own]).code, 0);
    let axes = ["--x", "restitution", "--y", "friction"];
    assert_eq!(carom(&[&["plot", &table, "-o", &stated, "--color-by", "mode"], &axes[..]].concat()).code, 0);
    assert_eq!(fs::read(&own).unwrap(), fs::read(&stated).unwrap());
    assert_eq!(carom(&["plot", &table, "-o", &own, "--color-by", "energy.change"]).code, 0);
    assert!(fs::read(&own).unwrap() != fs::read(&stated).unwrap());
    // One key: the first result over it.
    let one = path(&folder, "one");
    assert_eq!(
        carom(&["sweep", "kane", "--vary", e, "--columns", "energy.change", "--format", "csv", "-o", &one]).code,
        0
    );
    let ran = carom(&["plot", &one, "-o", &own]);
    assert!(ran.code == 0 && fs::read_to_string(&own).unwrap().contains("energy.change"), "{}", ran.err);
    // What does not follow is asked for.
    let table = path(&folder, "table.csv");
    assert_eq!(carom(&["sweep", "kane", "--vary", e, "-o", &table]).code, 0);
    let ran = carom(&["plot", &table, "-o", &own]);
    assert!(
        ran.code == 2 && ran.err.contains("does not say which keys vary") && ran.err.contains("--x"),
        "{}",
        ran.err
    );
    let three = path(&folder, "three");
    let keys =
        ["--vary", "restitution=0:1:2", "--vary", "friction=0:1:2", "--random", "state.velocity.elbow=normal(0,1)"];
    assert_eq!(carom(&[&["sweep", "kane", "--format", "csv", "-o", &three], &keys[..]].concat()).code, 0);
    let ran = carom(&["plot", &three, "-o", &own]);
    assert!(ran.code == 2 && ran.err.contains("more than two keys vary"), "{}", ran.err);
    assert_eq!(carom(&["plot", &one, "-o", &own, "--x", "restitution"]).code, 2);
    let ran = carom(&["plot", "nothing.parquet", "-o", &own]);
    assert!(ran.code == 2 && ran.err.starts_with("error: cannot read nothing.parquet: "), "{}", ran.err);
}
