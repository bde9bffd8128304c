//! Outcomes and errors as JSON objects, with the problem's id.

use super::{Id, RobotRecord};
use crate::answer::Answer;
use crate::document::{FORMAT_VERSION, ProblemError};
use serde::Serialize;

/// An outcome with the id of its problem.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct OutcomeRecord<'a> {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The answer: the fields of [`Outcome`](carom_law::Outcome) or, for several contacts, those of
    /// [`SimultaneousOutcome`](carom_law::SimultaneousOutcome).
    #[serde(flatten)]
    pub answer: &'a Answer,
    /// The robot, for a scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<&'a RobotRecord>,
    /// The problem's `id`, verbatim; null without one.
    pub id: Option<&'a Id>,
}

/// An error in place of an outcome.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ErrorRecord<'a> {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The error.
    pub error: &'a ProblemError,
    /// The problem's `id`, verbatim; null without one.
    pub id: Option<&'a Id>,
}

impl<'a> OutcomeRecord<'a> {
    /// The record of an answer.
    pub fn new(answer: &'a Answer, robot: Option<&'a RobotRecord>, id: Option<&'a Id>) -> Self {
        Self { format_version: FORMAT_VERSION, answer, robot, id }
    }

    /// The record on one line.
    pub fn line(&self) -> String {
        to_line(self)
    }
}

impl<'a> ErrorRecord<'a> {
    /// The record of an error.
    pub fn new(error: &'a ProblemError, id: Option<&'a Id>) -> Self {
        Self { format_version: FORMAT_VERSION, error, id }
    }

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
