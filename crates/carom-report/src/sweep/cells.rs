//! Some rows of a column, and functions that all readers of files need.

use std::path::Path;

use super::error::SweepFileError;

/// Some rows of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers; NaN where there is none.
    Numbers(Vec<f64>),
    /// Words, and true or false.
    Words(Vec<Option<String>>),
}

pub(super) fn not_a_sweep(path: &Path, message: impl Into<String>) -> SweepFileError {
    SweepFileError::NotASweep { path: path.to_owned(), message: message.into() }
}

/// The parts of the plan of a table that figures use.
#[derive(Debug, Clone, Default)]
pub(super) struct Planned {
    /// The title of the scene.
    pub(super) title: Option<String>,
    /// The keys that vary, then those with random values.
    pub(super) keys: Vec<String>,
}

impl Planned {
    /// Those of a plan in JSON; empty if the text is not a plan.
    pub(super) fn of(plan: &str) -> Self {
        let plan: serde_json::Value = serde_json::from_str(plan).unwrap_or_default();
        let axes = ["vary", "random"].into_iter().filter_map(|list| plan[list].as_array()).flatten();
        let key = |axis: &serde_json::Value| Some(axis.as_str()?.split_once('=')?.0.trim().to_owned());
        Self { title: plan["scene"]["title"].as_str().map(str::to_owned), keys: axes.filter_map(key).collect() }
    }
}

/// The places of columns in a file.
pub(super) fn places(path: &Path, names: &[String], columns: &[&str]) -> Result<Vec<usize>, SweepFileError> {
    let place = |column: &&str| {
        let found = names.iter().position(|name| name == column);
        found.ok_or_else(|| not_a_sweep(path, format!("it has no column {column:?}")))
    };
    columns.iter().map(place).collect()
}
