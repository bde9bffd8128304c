//! Requests.

use std::path::PathBuf;

use carom_multibody::load::{Mimics, Options};
use serde_json::Value;

/// A line of input.
pub(crate) struct Request {
    pub(crate) file: PathBuf,
    pub(crate) options: Options,
    pub(crate) states: Option<Vec<State>>,
    pub(crate) contact: Option<Contact>,
    /// Whether the loops are closed.
    pub(crate) loops: bool,
    /// Joints that stay where they are while loops are closed.
    pub(crate) held: Vec<String>,
}

/// A state whose terms are requested.
pub(crate) struct State {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Joint forces; zero by default.
    pub(crate) tau: Option<Vec<f64>>,
}

/// A point of a link or frame against a surface.
pub(crate) struct Contact {
    pub(crate) place: String,
    pub(crate) point: [f64; 3],
    pub(crate) normal: [f64; 3],
}

impl Request {
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let mimics = if flag(value, "free_mimics")? { Mimics::Free } else { Mimics::Follow };
        Ok(Self {
            file: PathBuf::from(text(value, "file")?),
            options: Options::new().floating_base(flag(value, "floating_base")?).mimics(mimics),
            states: given(value, "states").map(states).transpose()?,
            contact: given(value, "contact").map(contact).transpose()?,
            loops: flag(value, "loops")?,
            held: given(value, "held").map(names).transpose()?.unwrap_or_default(),
        })
    }
}

fn states(value: &Value) -> Result<Vec<State>, String> {
    let list = value.as_array().ok_or("states must be a list")?;
    let state = |value: &Value| {
        let tau = given(value, "tau").map(|_| numbers(value, "tau")).transpose()?;
        Ok(State { q: numbers(value, "q")?, v: numbers(value, "v")?, tau })
    };
    list.iter().map(state).collect()
}

fn names(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("held must be a list")?;
    list.iter().map(|name| name.as_str().map(str::to_owned).ok_or_else(|| "held must have names only".into())).collect()
}

fn contact(value: &Value) -> Result<Contact, String> {
    let triple = |field: &str| -> Result<[f64; 3], String> {
        numbers(value, field)?.try_into().map_err(|_| format!("{field} needs 3 numbers"))
    };
    Ok(Contact { place: text(value, "place")?.to_owned(), point: triple("point")?, normal: triple("normal")? })
}

/// A field that is present and not null.
pub(crate) fn given<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|value| !value.is_null())
}

fn text<'a>(value: &'a Value, field: &str) -> Result<&'a str, String> {
    given(value, field).and_then(Value::as_str).ok_or_else(|| format!("{field} must be a text"))
}

fn flag(value: &Value, field: &str) -> Result<bool, String> {
    given(value, field).map_or(Ok(false), |value| value.as_bool().ok_or_else(|| format!("{field} must be a bool")))
}

pub(crate) fn list<'a>(value: &'a Value, field: &str) -> Result<&'a [Value], String> {
    given(value, field).and_then(Value::as_array).map(Vec::as_slice).ok_or_else(|| format!("{field} must be a list"))
}

pub(crate) fn number(value: &Value, field: &str) -> Result<f64, String> {
    given(value, field).and_then(Value::as_f64).ok_or_else(|| format!("{field} must be a number"))
}

pub(crate) fn numbers(value: &Value, field: &str) -> Result<Vec<f64>, String> {
    let number = |value: &Value| value.as_f64().ok_or_else(|| format!("{field} must have numbers only"));
    list(value, field)?.iter().map(number).collect()
}
