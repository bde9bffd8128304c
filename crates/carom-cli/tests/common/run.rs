//! Runs of `carom simulate` as files.

use serde_json::Value;

use super::{carom, numbers};

/// A run as written by the command.
pub struct Run(pub Value);

impl Run {
    pub fn of(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.json");
        let ran = carom(&[&["simulate"], arguments, &["-o", file.to_str().unwrap()]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        Self(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
    }

    /// A scene with its own robot file.
    pub fn of_files(robot: &str, scene: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("robot.xml"), robot).unwrap();
        let file = folder.path().join("scene.toml");
        std::fs::write(&file, scene).unwrap();
        Self::of(&[file.to_str().unwrap()])
    }

    pub fn events(&self, kind: &str) -> Vec<&Value> {
        self.0["events"].as_array().unwrap().iter().filter(|event| event["kind"] == kind).collect()
    }

    pub fn column(&self, name: &str) -> Vec<f64> {
        assert!(self.0["samples"][name].is_array(), "there is no column {name}");
        numbers(&self.0["samples"][name])
    }

    pub fn end(&self, name: &str) -> f64 {
        *self.column(name).last().unwrap()
    }

    pub fn before(&self, event: &Value, name: &str) -> f64 {
        let place = self.column("time").iter().position(|time| *time == time_of(event)).unwrap();
        self.column(name)[place]
    }

    pub fn after(&self, event: &Value, name: &str) -> f64 {
        let place = self.column("time").iter().rposition(|time| *time == time_of(event)).unwrap();
        self.column(name)[place]
    }
}

pub fn time_of(event: &Value) -> f64 {
    event["time"].as_f64().unwrap()
}
