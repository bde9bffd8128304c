//! Asks the engine, and reads its answers without its code.
#![allow(dead_code, reason = "each test binary uses a part of the module")]

use carom_web::Engine;
use serde_json::{Value, json};

/// An answer: its header, and the bytes of its arrays.
pub struct Answer {
    pub header: Value,
    rest: Vec<u8>,
}

/// The answer to a body.
pub fn ask_bytes(engine: &Engine, body: &[u8]) -> Answer {
    let bytes = engine.answer(body);
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(number(4), 1, "the version");
    let length = number(0);
    assert_eq!((8 + length) % 8, 0);
    let header = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    Answer { header, rest: bytes[8 + length..].to_vec() }
}

/// The answer to a request.
pub fn ask(engine: &Engine, request: &Value) -> Answer {
    ask_bytes(engine, request.to_string().as_bytes())
}

/// The answer to a request that has one.
pub fn answer(engine: &Engine, request: &Value) -> Answer {
    let answer = ask(engine, request);
    assert!(answer["error"].is_null(), "{request}: {}", answer["error"]);
    answer
}

/// The error of a request.
pub fn error(engine: &Engine, request: &Value) -> Value {
    let answer = ask(engine, request);
    assert!(answer["error"]["message"].is_string(), "{request}: {}", answer.header);
    answer["error"].clone()
}

impl Answer {
    /// The bytes of an array, which the header describes as such and so many.
    fn array(&self, name: &str, kind: &str, size: usize) -> &[u8] {
        let place = &self["arrays"][name];
        assert_eq!(place["type"], kind, "{name}: {place}");
        let [at, length] = ["at", "length"].map(|key| place[key].as_u64().unwrap() as usize);
        assert_eq!(at % 8, 0);
        &self.rest[at..at + size * length]
    }

    pub fn bytes(&self, name: &str) -> &[u8] {
        self.array(name, "u8", 1)
    }

    pub fn doubles(&self, name: &str) -> Vec<f64> {
        self.array(name, "f64", 8).chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect()
    }

    pub fn floats(&self, name: &str) -> Vec<f32> {
        self.array(name, "f32", 4).chunks(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect()
    }
}

impl std::ops::Index<&str> for Answer {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        &self.header[key]
    }
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// A source of one file.
pub fn file(name: &str, text: &str) -> Value {
    json!({ "files": [{ "name": name, "text": text }] })
}

/// A swing of two links whose tip is above a floor, as a robot file.
pub const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="swing">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 -1"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>
"#;
