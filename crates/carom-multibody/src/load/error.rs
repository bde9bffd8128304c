//! Errors in reading robot files.

use std::fmt;
use std::path::PathBuf;

use crate::BuildError;

/// Why a robot file cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadError {
    /// The kind of error.
    pub kind: LoadErrorKind,
    /// The file, which may be an included one.
    pub file: PathBuf,
    /// The line, counted from 1, if known.
    pub line: Option<usize>,
    /// What is wrong and how to correct it.
    pub message: String,
}

/// The kinds of errors in robot files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LoadErrorKind {
    /// The file does not exist or cannot be read.
    Read,
    /// The file is not XML, or not a robot.
    Syntax,
    /// An attribute is missing or has an invalid value.
    Value,
    /// An unsupported element that would change the dynamics.
    Unsupported,
    /// The elements do not form a valid model.
    Structure,
}

impl LoadErrorKind {
    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            LoadErrorKind::Read => "read",
            LoadErrorKind::Syntax => "syntax",
            LoadErrorKind::Value => "value",
            LoadErrorKind::Unsupported => "unsupported",
            LoadErrorKind::Structure => "structure",
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for LoadError {}

impl LoadError {
    /// The error for a model that cannot be built from the file.
    pub(super) fn structure(file: &std::path::Path, line: Option<usize>, error: &BuildError) -> Self {
        Self { kind: LoadErrorKind::Structure, file: file.to_owned(), line, message: error.to_string() }
    }
}
