//! Changes to a problem by path: `restitution=0.7`, `friction.dynamic=0.3`, `velocity[1]=-2`,
//! `contacts[0].friction=0.2`.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::{Kind, ProblemError};
use super::tree::{Document, Format, PathStep, Tree, split_path};

/// One change, `key=value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    path: String,
    value: Value,
    /// The option of the command line that it comes from.
    option: &'static str,
}

impl std::str::FromStr for Edit {
    type Err = String;

    /// The value is read as JSON, or as text if it is not valid JSON: `guard=slip` needs no quotes.
    fn from_str(text: &str) -> Result<Self, String> {
        let (path, value) = text.split_once('=').ok_or_else(|| format!("{text:?} does not have the form key=value"))?;
        let path = path.trim();
        if split_path(path).is_none() {
            return Err(format!("{path:?} is not a path such as friction.dynamic or velocity[1]"));
        }
        let value = value.trim();
        let value = match Document::read(value, Format::Json) {
            Ok(document) => document.tree().0.clone(),
            Err(error) if error.kind == Kind::Syntax => Value::String(value.to_owned()),
            Err(error) => return Err(format!("{path}: {error}")),
        };
        Ok(Self { path: path.to_owned(), value, option: "--set" })
    }
}

/// Formats an edit as `key=value`.
impl std::fmt::Display for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}={}", self.path, self.value)
    }
}

impl Edit {
    /// The change of the value at a path to serialisable data.
    ///
    /// # Errors
    /// The path is not one, or JSON cannot represent the data.
    pub fn new(path: &str, value: &(impl Serialize + ?Sized)) -> Result<Self, String> {
        if split_path(path).is_none() {
            return Err(format!("{path:?} is not a path such as friction.dynamic or velocity[1]"));
        }
        let value = serde_json::to_value(value).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self { path: path.to_owned(), value, option: "--set" })
    }

    /// The change, marked as coming from an option of the command line other than `--set`.
    #[must_use]
    pub fn by_option(self, option: &'static str) -> Self {
        Self { option, ..self }
    }

    /// The value that is set, as JSON.
    pub fn value(&self) -> String {
        self.value.to_string()
    }

    /// The path that is changed.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The option of the command line that the change comes from: `--set`, or one of its own.
    pub fn option(&self) -> &'static str {
        self.option
    }

    /// Applies the change. A missing key is added, and is validated with the rest of the
    /// problem. Setting one part of a coefficient given as a single number keeps the other part.
    ///
    /// # Errors
    /// The path leads through a value that is not an object, or past the end of a list.
    pub fn apply(&self, tree: &mut Tree) -> Result<(), ProblemError> {
        let steps = split_path(&self.path).unwrap_or_default();
        let mut here = &mut tree.0;
        for (depth, step) in steps.iter().enumerate() {
            if depth > 0
                && let (PathStep::Key(coefficient), PathStep::Key(part)) = (steps[depth - 1], step)
            {
                split_coefficient(here, coefficient, part);
            }
            here = match (step, here) {
                (PathStep::Key(key), Value::Object(map)) => {
                    map.entry(*key).or_insert_with(|| Value::Object(Map::new()))
                }
                (PathStep::Index(index), Value::Array(list)) => {
                    let length = list.len();
                    list.get_mut(*index).ok_or_else(|| self.wrong_path(format!("the list has {length} entries")))?
                }
                (PathStep::Key(key), _) => return Err(self.wrong_path(format!("{key} is not inside an object"))),
                (PathStep::Index(index), _) => return Err(self.wrong_path(format!("[{index}] is not inside a list"))),
            };
        }
        *here = self.value.clone();
        Ok(())
    }

    /// Whether the change sets the value at a path, or part of it.
    pub fn touches(&self, path: &str) -> bool {
        let (Some(own), Some(other)) = (split_path(&self.path), split_path(path)) else { return false };
        own.starts_with(&other) || other.starts_with(&own)
    }

    fn wrong_path(&self, reason: String) -> ProblemError {
        ProblemError::at(Kind::UnknownKey, &self.path, format!("{} cannot be set: {reason}", self.path))
    }
}

fn split_coefficient(value: &mut Value, name: &str, part: &str) {
    if let Value::Number(number) = value {
        *value = match (name, part) {
            // The speed-dependent coefficient replaces the number.
            ("restitution", "hunt_crossley") => json!({}),
            ("restitution", _) => json!({ "normal": number }),
            ("friction", _) => json!({ "static": number, "dynamic": number }),
            _ => return,
        };
    }
}
