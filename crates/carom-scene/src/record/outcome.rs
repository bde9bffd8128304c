//! Outcomes and errors as JSON objects, with the problem's id.

use serde::Serialize;
use serde_json::value::RawValue;

use super::RobotRecord;
use crate::answer::Answer;
use crate::document::ProblemError;

/// An outcome with the id of its problem.
#[derive(Debug, Serialize)]
pub struct OutcomeRecord<'a> {
    /// The answer: the fields of [`Outcome`](carom_law::Outcome) or, for several contacts, those of
    /// [`SimultaneousOutcome`](carom_law::SimultaneousOutcome).
    #[serde(flatten)]
    pub answer: &'a Answer,
    /// The robot, for a scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<&'a RobotRecord>,
    /// The problem's `id`, verbatim; null without one.
    pub id: Option<&'a RawValue>,
}

/// An error in place of an outcome.
#[derive(Debug, Serialize)]
pub struct ErrorRecord<'a> {
    /// The error.
    pub error: &'a ProblemError,
    /// The problem's `id`, verbatim; null without one.
    pub id: Option<&'a RawValue>,
}

impl OutcomeRecord<'_> {
    /// The record on one line.
    pub fn line(&self) -> String {
        to_line(self)
    }
}

impl ErrorRecord<'_> {
    /// The record on one line.
    pub fn line(&self) -> String {
        to_line(self)
    }
}

/// A record on one line. It cannot fail, because records contain only finite numbers and text.
pub fn to_line(record: &impl Serialize) -> String {
    serde_json::to_string(record).unwrap_or_else(|error| {
        let error = serde_json::json!({ "kind": "syntax", "message": error.to_string(), "field": null, "line": null });
        serde_json::json!({ "error": error, "id": null }).to_string()
    })
}
