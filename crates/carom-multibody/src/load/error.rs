//! What stops a robot file from being read.

use std::fmt;
use std::path::PathBuf;

use crate::BuildError;

/// A robot file that cannot be read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LoadError {
    /// What kind of trouble.
    pub kind: LoadErrorKind,
    /// The file, which may be one that another includes.
    pub file: PathBuf,
    /// The line, from 1, where known.
    pub line: Option<usize>,
    /// What is wrong and what would be right.
    pub message: String,
}

/// The kinds of trouble with robot files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The file is not there or not readable.
    Read,
    /// Not XML, or not a robot.
    Syntax,
    /// An attribute that is missing or not what it must be.
    Value,
    /// Something that changes the dynamics and that carom does not have.
    Unsupported,
    /// The parts do not make a model.
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
    /// A model that cannot be built from what the file says.
    pub(super) fn structure(file: &std::path::Path, line: Option<usize>, error: &BuildError) -> Self {
        Self { kind: LoadErrorKind::Structure, file: file.to_owned(), line, message: error.to_string() }
    }
}
