//! Requests, read and checked.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::fault::Fault;

/// The limits of one request.
pub mod limits {
    /// Bytes of a request.
    pub const BODY: usize = 32 << 20;
    /// Cells along an axis of a map.
    pub const RESOLUTION: usize = 400;
    /// Simulated time, s.
    pub const UNTIL: f64 = 60.0;
    /// Samples of a run.
    pub const SAMPLES: usize = 200_000;
    /// Events of a run.
    pub const EVENTS: usize = 20_000;
    /// Wall-clock time of a run, s.
    pub const SECONDS: f64 = 10.0;
    /// Files of a source.
    pub const FILES: usize = 64;
    /// Bytes of a file's name.
    pub const NAME: usize = 4096;
    /// Entries of a configuration or a velocity, and names of contacts.
    pub const ENTRIES: usize = 10_000;
    /// Velocities of a robot or of a problem: matrices of this size are factored in well under a second.
    pub const VELOCITIES: usize = 1_000;
    /// Contacts of a robot.
    pub const CONTACTS: usize = 5_000;
}

/// A request: its name, its source, and what differs from the document.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) request: String,
    pub(crate) source: Option<SourceName>,
    pub(crate) configuration: Option<Vec<f64>>,
    pub(crate) velocity: Option<Vec<f64>>,
    pub(crate) restitution: Option<Value>,
    pub(crate) friction: Option<Value>,
    pub(crate) law: Option<String>,
    pub(crate) guard: Option<String>,
    pub(crate) strike: Option<Vec<String>>,
    pub(crate) resolution: Option<usize>,
    pub(crate) range: Option<Ranges>,
    pub(crate) contours: bool,
    pub(crate) until: Option<f64>,
    pub(crate) interval: Option<f64>,
    pub(crate) event: Option<usize>,
    pub(crate) what: Option<String>,
    pub(crate) admissible_set: bool,
    /// Numbers of velocities whose coordinates, and which themselves, are kept when loops are closed.
    pub(crate) held: Option<Vec<usize>>,
    /// A configuration with closed loops, near the one given.
    pub(crate) from: Option<Vec<f64>>,
    pub(crate) held_rates: Option<Vec<usize>>,
}

/// What is explored.
#[derive(Debug, Clone)]
pub(crate) enum SourceName {
    Gallery(String),
    Simulation(String),
    Opened,
    Key(String),
    Files(GivenFiles),
}

/// Files that were dropped.
#[derive(Debug, Clone)]
pub(crate) struct GivenFiles {
    pub(crate) files: Vec<GivenFile>,
    pub(crate) main: Option<String>,
}

/// A file with its name: text, or bytes in base 64.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GivenFile {
    pub(crate) name: String,
    pub(crate) text: Option<String>,
    pub(crate) base64: Option<String>,
}

/// The ranges of a map.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ranges {
    pub(crate) x: Option<[f64; 2]>,
    pub(crate) y: Option<[f64; 2]>,
}

/// The fields of an object that have not been read.
struct Fields {
    of: &'static str,
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Fields {
    fn new(of: &'static str, value: Value) -> Result<Self, Fault> {
        match value {
            Value::Object(left) => Ok(Self { of, left, known: Vec::new() }),
            other => Err(Fault::value(of, &other, "must be an object")),
        }
    }

    /// A field, if it is there and not null.
    fn take<T: DeserializeOwned>(&mut self, field: &'static str) -> Result<Option<T>, Fault> {
        self.known.push(field);
        match self.left.remove(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                T::deserialize(&value).map(Some).map_err(|error| Fault::value(field, &value, &error.to_string()))
            }
        }
    }

    /// Fails unless all fields were read.
    fn finish(self) -> Result<(), Fault> {
        match self.left.iter().next() {
            None => Ok(()),
            Some((key, value)) => {
                let known = format!("{} has the fields {}", self.of, self.known.join(", "));
                Err(Fault::value(key, value, &known))
            }
        }
    }
}

impl Request {
    pub(crate) fn read(body: &[u8]) -> Result<Self, Fault> {
        if body.len() > limits::BODY {
            return Err(Fault::too_large("body", body.len() as f64, limits::BODY as f64));
        }
        let whole = serde_json::from_slice(body)
            .map_err(|error| Fault::request("body", format!("the request is not JSON: {error}")))?;
        let mut fields = Fields::new("request", whole)?;
        let request: Option<String> = fields.take("request")?;
        let source: Option<Value> = fields.take("source")?;
        let request = Self {
            request: request
                .ok_or_else(|| Fault::request("request", "request is missing: give its name, such as open"))?,
            source: source.map(SourceName::read).transpose()?,
            configuration: fields.take("configuration")?,
            velocity: fields.take("velocity")?,
            restitution: fields.take("restitution")?,
            friction: fields.take("friction")?,
            law: fields.take("law")?,
            guard: fields.take("guard")?,
            strike: fields.take("strike")?,
            resolution: fields.take("resolution")?,
            range: fields.take("range")?,
            contours: fields.take("contours")?.unwrap_or(false),
            until: fields.take("until")?,
            interval: fields.take("interval")?,
            event: fields.take("event")?,
            what: fields.take("what")?,
            admissible_set: fields.take("admissible_set")?.unwrap_or(false),
            held: fields.take("held")?,
            from: fields.take("from")?,
            held_rates: fields.take("held_rates")?,
        };
        fields.finish()?;
        count("configuration", request.configuration.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("velocity", request.velocity.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("from", request.from.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("held", request.held.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("held_rates", request.held_rates.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("strike", request.strike.as_ref().map_or(0, Vec::len), limits::ENTRIES)?;
        count("resolution", request.resolution.unwrap_or(0), limits::RESOLUTION)?;
        match request.until.filter(|until| *until > limits::UNTIL) {
            Some(until) => Err(Fault::too_large("until", until, limits::UNTIL)),
            None => Ok(request),
        }
    }
}

impl SourceName {
    fn read(value: Value) -> Result<Self, Fault> {
        let kinds = "one of gallery, simulation, opened, key, files";
        let mut fields = Fields::new("source", value)?;
        let (gallery, simulation) = (fields.take("gallery")?, fields.take("simulation")?);
        let (opened, key) = (fields.take::<bool>("opened")?, fields.take("key")?);
        let (files, main): (Option<Value>, Option<String>) = (fields.take("files")?, fields.take("main")?);
        fields.finish()?;
        match (gallery, simulation, opened, key, files) {
            (Some(name), None, None, None, None) => Ok(Self::Gallery(name)),
            (None, Some(name), None, None, None) => Ok(Self::Simulation(name)),
            (None, None, Some(true), None, None) => Ok(Self::Opened),
            (None, None, None, Some(key), None) => Ok(Self::Key(key)),
            (None, None, None, None, Some(files)) => Ok(Self::Files(GivenFiles { files: read_files(files)?, main })),
            _ => Err(Fault::request("source", format!("source must be {kinds}"))),
        }
    }
}

/// The files of a source; fails if there are too many.
fn read_files(value: Value) -> Result<Vec<GivenFile>, Fault> {
    let Value::Array(list) = value else { return Err(Fault::value("files", &value, "must be a list")) };
    count("files", list.len(), limits::FILES)?;
    let read = list.into_iter().map(|one| {
        let file = GivenFile::deserialize(&one).map_err(|error| Fault::value("files", &one, &error.to_string()))?;
        count("name", file.name.len(), limits::NAME)?;
        Ok(file)
    });
    read.collect()
}

fn count(field: &str, count: usize, most: usize) -> Result<(), Fault> {
    if count > most { Err(Fault::too_large(field, count as f64, most as f64)) } else { Ok(()) }
}

/// Bytes from base 64, with or without padding; `None` if they are not.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut bits) = (0_u32, 0);
    for sign in text.trim_end_matches('=').bytes() {
        let value = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        word = (word << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648.
    #[test]
    fn base64_is_read() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!(from_base64(coded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(from_base64("a b"), None);
    }

    #[test]
    fn sources_are_read() {
        let source = |text: &str| SourceName::read(serde_json::from_str(text).unwrap());
        assert!(matches!(source(r#"{"gallery": "kane"}"#), Ok(SourceName::Gallery(name)) if name == "kane"));
        assert!(matches!(source(r#"{"opened": true}"#), Ok(SourceName::Opened)));
        assert!(matches!(source(r#"{"files": [{"name": "a", "text": "b"}]}"#), Ok(SourceName::Files(_))));
        for wrong in
            [r#"{"path": "/etc/passwd"}"#, r#"{"opened": false}"#, "{}", r#"{"gallery": "a", "key": "b"}"#, "1"]
        {
            assert!(source(wrong).is_err(), "{wrong}");
        }
    }
}
