//! Errors as answers: kind, message, field, value and bound.

use carom::ProblemError;
use carom::multibody::DynamicsError;
use carom::provenance::ProvenanceError;
use carom::report::figure::FigureError;
use carom::report::{PageError, StoredError};
use carom::sim::SimulationError;
use carom::study::{DiagramError, MapError};
use serde::Serialize;
use serde_json::{Value, json};

use crate::envelope::Answer;

/// The number of characters of a wrong value that a message quotes.
const SHOWN: usize = 200;

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Fault {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    pub(crate) field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Box<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<Box<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
}

impl Fault {
    fn new(kind: &'static str, field: Option<&str>, message: impl Into<String>) -> Self {
        let field = field.map(str::to_owned);
        Self { kind, message: message.into(), field, value: None, bound: None, line: None, file: None }
    }

    /// A request that violates the protocol.
    pub(crate) fn request(field: &str, message: impl Into<String>) -> Self {
        Self::new("bad_request", Some(field), message)
    }

    /// A field with a wrong value.
    pub(crate) fn value(field: &str, value: &Value, bound: &str) -> Self {
        let text: String = value.to_string().chars().take(SHOWN).collect();
        let fault = Self::request(field, format!("{field} = {text}: {bound}"));
        Self { value: Some(Box::new(text.into())), bound: Some(Box::new(bound.into())), ..fault }
    }

    /// A value above a limit of requests.
    pub(crate) fn too_large(field: &str, value: f64, bound: f64) -> Self {
        let message = format!("{field} = {value} is more than {bound}, the most that one request may ask for");
        let fault = Self::new("too_large", Some(field), message);
        Self { value: Some(Box::new(json!(value))), bound: Some(Box::new(json!(bound))), ..fault }
    }

    /// An event without an impact.
    pub(crate) fn event(number: usize, error: &ProvenanceError) -> Self {
        let message = error.to_string();
        match error {
            ProvenanceError::NoSuchEvent { count, .. } => {
                Self::out_of_range("event", message, json!(number), json!([0, count.saturating_sub(1)]))
            }
            _ => Self { value: Some(Box::new(json!(number))), ..Self::new("unsupported", Some("event"), message) },
        }
    }

    fn out_of_range(field: &str, message: String, value: Value, bound: Value) -> Self {
        Self {
            value: Some(Box::new(value)),
            bound: Some(Box::new(bound)),
            ..Self::new("out_of_range", Some(field), message)
        }
    }

    pub(crate) fn of_kind(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(kind, None, message)
    }

    pub(crate) fn in_file(self, name: &str) -> Self {
        Self { file: Some(name.to_owned()), ..self }
    }

    pub(crate) fn answer(&self) -> Answer {
        Answer::new(json!({ "error": self }))
    }
}

impl From<ProblemError> for Fault {
    fn from(error: ProblemError) -> Self {
        let fault = Self::new(error.kind.name(), error.field.as_deref(), error.message);
        Self { line: error.line, ..fault }
    }
}

impl From<MapError> for Fault {
    fn from(error: MapError) -> Self {
        let message = error.to_string();
        match error {
            MapError::Problem(error) => error.into(),
            MapError::Resolution { value, low, high } => {
                Self::out_of_range("resolution", message, json!(value), json!([low, high]))
            }
            MapError::Range { value, bound, .. } => Self::out_of_range("range", message, json!(value), json!(bound)),
            MapError::Law { .. } => Self::new("unsupported", Some("law"), message),
            _ => Self::new("unsupported", None, message),
        }
    }
}

impl From<SimulationError> for Fault {
    fn from(error: SimulationError) -> Self {
        let message = error.to_string();
        match error {
            SimulationError::OutOfRange { field, value, bound } => {
                Self::out_of_range(field, message, json!(value), json!(bound))
            }
            _ => Self::new("unsupported", None, message),
        }
    }
}

macro_rules! from {
    ($($error:ty => $kind:literal),* $(,)?) => {
        $(impl From<$error> for Fault {
            fn from(error: $error) -> Self {
                Self::new($kind, None, error.to_string())
            }
        })*
    };
}

from! {
    DynamicsError => "out_of_range",
    DiagramError => "unsupported",
    FigureError => "unsupported",
    PageError => "internal",
    ProvenanceError => "unsupported",
    StoredError => "file",
    std::io::Error => "internal",
}
