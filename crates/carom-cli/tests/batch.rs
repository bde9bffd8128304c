//! `carom batch`, through the real command.

mod common;

use common::{carom, carom_with};
use serde_json::{Value, json};

fn problem(k: usize) -> Value {
    let v = 0.01 * k as f64;
    json!({
        "delassus": [[1.3, 0.2, -0.3], [0.2, 2.1, 0.15], [-0.3, 0.15, 1.7]],
        "contact_velocity": [-1.0, v.sin(), v.cos()],
        "restitution": 0.5,
        "friction": 0.4,
        "id": {"k": k},
    })
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn outcomes_come_in_the_order_of_problems() {
    let count = 20_000;
    let input: String = (0..count).map(|k| problem(k).to_string() + "\n").collect();
    let ran = carom_with(&["batch", "-"], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let outcomes = lines(&ran.out);
    assert_eq!(outcomes.len(), count);
    for (k, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome["id"]["k"], k);
    }
    let single = carom_with(&["impact", "-", "--format", "json"], problem(777).to_string().as_bytes()).json();
    assert_eq!(outcomes[777], single);
}

#[test]
fn bad_lines_become_errors_in_their_place_and_the_code_says_so() {
    let good = problem(1).to_string();
    let input = format!("{good}\n\n{{\"id\": [1], \"restitution\": 2}}\nnonsense\n{good}\n[1]\n");
    let ran = carom_with(&["batch", "-"], input.as_bytes());
    assert_eq!(ran.code, 1);
    assert_eq!(ran.err.trim_end(), "3 of 5 problems failed; their output lines have the errors");
    let out = lines(&ran.out);
    let kinds: Vec<&Value> = out.iter().map(|record| &record["error"]["kind"]).collect();
    assert_eq!(json!(kinds), json!([null, "missing", "syntax", null, "wrong_type"]));
    assert_eq!(out[1]["id"], json!([1]));
    assert_eq!(out[1]["error"]["line"], 3);
    assert_eq!(out[1]["error"]["field"], "delassus");
    assert_eq!(out[2]["error"]["line"], 4);
    assert_eq!(out[4]["error"]["line"], 6);
    let mut keys: Vec<&String> = out[1]["error"].as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["field", "kind", "line", "message"]);
}

#[test]
fn the_output_appears_only_when_complete() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("in.jsonl"), problem(3).to_string()).unwrap();

    let ran = carom(&["batch", &path("in.jsonl"), "-o", &path("out.jsonl")]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""));
    assert_eq!(lines(&std::fs::read_to_string(path("out.jsonl")).unwrap()).len(), 1);

    // In place: the input is read before the output replaces it.
    assert_eq!(carom(&["batch", &path("in.jsonl"), "-o", &path("in.jsonl")]).code, 0);
    assert!(std::fs::read_to_string(path("in.jsonl")).unwrap().contains("\"mode\""));

    // A failure leaves the existing file unchanged, and no temporary file.
    std::fs::write(path("kept.jsonl"), "kept").unwrap();
    let ran = carom(&["batch", &path("missing.jsonl"), "-o", &path("kept.jsonl")]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("cannot read") && ran.err.contains("missing.jsonl"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(path("kept.jsonl")).unwrap(), "kept");
    let ran = carom(&["batch", &path("out.jsonl"), "-o", &path("no/such/folder.jsonl")]);
    assert_eq!(ran.code, 2);
    let mut left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["in.jsonl", "kept.jsonl", "out.jsonl"]);
}

#[test]
fn fields_are_chosen_and_unknown_ones_are_refused_with_the_list() {
    let good = problem(1).to_string();
    let ran = carom_with(&["batch", "-", "--fields", "id,mode,robot"], format!("{good}\n{{\"id\": 2}}\n").as_bytes());
    let out: Vec<&str> = ran.out.lines().collect();
    assert!(out[0].starts_with("{\"mode\":\"") && out[0].ends_with("\",\"id\":{\"k\":1}}"), "{}", out[0]);
    let error = &lines(&ran.out)[1];
    assert_eq!(
        (&error["format_version"], &error["id"], &error["error"]["kind"]),
        (&json!(1), &json!(2), &json!("missing"))
    );
    for wrong in ["mode,force", "", "mode,"] {
        let ran = carom_with(&["batch", "-", "--fields", wrong], good.as_bytes());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{wrong}");
        assert!(
            ran.err.contains("is not a field of an outcome; the fields are format_version, mode, impulse"),
            "{}",
            ran.err
        );
    }
}

/// Lines of one robot in a file, in other states: as each would be alone.
#[test]
fn lines_of_a_robot_file_are_answered_as_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("arm.urdf"), include_str!("../../carom-scene/models/arm.urdf")).unwrap();
    let line = |k: usize| {
        // An arm that is not straight: no joint would move the tool of a straight one along the normal.
        let elbow = 0.01 * (k + 1) as f64;
        let state = json!({"configuration": {"elbow": elbow}, "velocity": {"elbow": 1.0, "shoulder_lift": 0.5}});
        json!({"model": {"urdf": "arm.urdf"}, "state": state, "contact": {"link": "tool_tip"}, "restitution": 0.3,
               "friction": 0.01 * k as f64, "surface": {"normal": [0, 0, 1]}, "id": k})
    };
    let input: String = (0..1000).map(|k| line(k).to_string() + "\n").collect();
    std::fs::write(path("in.jsonl"), &input).unwrap();
    let ran = carom(&["batch", &path("in.jsonl")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let out: Vec<&str> = ran.out.lines().collect();
    assert_eq!(out.len(), 1000);
    for k in [0, 1, 2, 500, 999] {
        std::fs::write(path("one.jsonl"), line(k).to_string()).unwrap();
        assert_eq!(carom(&["batch", &path("one.jsonl")]).out.trim_end(), out[k]);
    }
}

#[cfg(unix)]
#[test]
fn devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let ran = carom_with(&["batch", "-", "-o", "/dev/null"], problem(1).to_string().as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[cfg(unix)]
#[test]
fn output_files_have_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
    assert_eq!(carom_with(&["batch", "-", "-o", ours.to_str().unwrap()], b"").code, 0);
    std::fs::write(&plain, "").unwrap();
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}

#[cfg(unix)]
#[test]
fn existing_files_keep_their_permissions_and_links_stay_links() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = |name: &str| carom_with(&["batch", "-", "-o", path(name).to_str().unwrap()], b"").code;
    std::fs::write(path("private"), "").unwrap();
    std::fs::set_permissions(path("private"), std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(run("private"), 0);
    assert_eq!(std::fs::metadata(path("private")).unwrap().permissions().mode() & 0o777, 0o600);
    std::os::unix::fs::symlink("target", path("link")).unwrap();
    assert_eq!(run("link"), 0);
    assert!(path("link").is_symlink() && path("target").is_file());
    assert_eq!(run("link"), 0);
    assert!(path("link").is_symlink());
}

#[test]
fn ids_hidden_by_escapes_are_found_and_lists_have_none() {
    let escaped = problem(1).to_string().replace("\"id\"", "\"\\u0069d\"");
    let ran = carom_with(&["batch", "-"], format!("{escaped}\n[\"id\"]\n").as_bytes());
    let out = lines(&ran.out);
    assert_eq!(out[0]["id"], json!({"k": 1}));
    assert_eq!(out[1]["id"], Value::Null);
}

/// If the reader closes the output, the batch ends with exit code 1 and without a panic.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_success() {
    let input: String = (0..20_000).map(|k| problem(k).to_string() + "\n").collect();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("in.jsonl");
    std::fs::write(&file, input).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["batch", file.to_str().unwrap()])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// With standard error closed the exit code is still right, and nothing panics.
#[cfg(target_os = "linux")]
#[test]
fn complaints_that_cannot_be_written_do_no_harm() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["impact", "nothing"])
        .stderr(full)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}

#[test]
fn text_that_is_not_utf8_is_an_error_of_its_line() {
    let mut input = problem(1).to_string().into_bytes();
    input.extend(b"\n\"\xff\xfe\"\n");
    let ran = carom_with(&["batch", "-"], &input);
    assert_eq!(ran.code, 1);
    assert_eq!(lines(&ran.out)[1]["error"]["line"], 2);
}

#[test]
fn every_line_has_its_own_law() {
    let names = carom::law::Law::ALL.map(carom::law::Law::name);
    let line = |law: &str| {
        let mut problem = problem(3);
        problem["law"] = law.into();
        problem.to_string() + "\n"
    };
    let input: String = names.into_iter().map(line).collect();
    let ran = carom_with(&["batch", "-"], input.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (name, outcome) in names.into_iter().zip(lines(&ran.out)) {
        assert_eq!(outcome["law"], name);
    }
}
