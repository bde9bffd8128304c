//! Runs the real command.
#![allow(dead_code, reason = "each test binary uses a part of the module")]

pub mod run;

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The output and exit code of a command.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// `carom ARGUMENTS` with a standard input.
pub fn carom_with(arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // A command that fails early closes its input, and writing to it may fail.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends");
    Ran {
        code: output.status.code().expect("ended by itself"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

/// `carom ARGUMENTS` without input.
pub fn carom(arguments: &[&str]) -> Ran {
    carom_with(arguments, b"")
}

impl Ran {
    /// The JSON object on standard output of a command that succeeded.
    pub fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.err);
        serde_json::from_str(&self.out).expect("one JSON object")
    }
}

/// The built-in impacts of one contact.
pub fn scenes_of_one_contact() -> impl Iterator<Item = &'static carom::gallery::Exhibit> {
    let count =
        |scene: &carom::gallery::Exhibit| carom::Problem::from_tree(&scene.tree().unwrap()).unwrap().contact_count();
    carom::gallery::SCENES.iter().filter(move |scene| count(scene) == 1)
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

pub fn assert_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    assert_eq!(found.len(), expected.len(), "{what}");
    let difference = norm(&mut found.iter().zip(expected).map(|(a, b)| a - b));
    let size = norm(&mut expected.iter().copied());
    assert!(difference <= tolerance * size, "{what}: {found:?} != {expected:?}");
}
