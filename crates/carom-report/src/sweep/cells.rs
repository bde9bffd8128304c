//! Some rows of a column, and what all readers of files need.

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

/// The title of a plan's scene.
pub(super) fn title_of(plan: &str) -> Option<String> {
    let plan: serde_json::Value = serde_json::from_str(plan).ok()?;
    plan["scene"]["title"].as_str().map(str::to_owned)
}

/// The places of columns in a file.
pub(super) fn places(path: &Path, names: &[String], columns: &[&str]) -> Result<Vec<usize>, SweepFileError> {
    let place = |column: &&str| {
        let found = names.iter().position(|name| name == column);
        found.ok_or_else(|| not_a_sweep(path, format!("it has no column {column:?}")))
    };
    columns.iter().map(place).collect()
}
