//! Errors in problem documents.

use std::ops::Range;

use serde::{Serialize, Serializer};

/// An error as it appears in files: kind, message, field and line.
#[derive(Debug, Clone, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct ProblemError {
    /// The kind, from a closed list.
    pub kind: Kind,
    /// What is wrong, with field, value and bound.
    pub message: String,
    /// A dotted path such as `friction.dynamic`; `None` if the document cannot be parsed.
    pub field: Option<String>,
    /// The line of the document or of the batch, counted from 1, if known.
    pub line: Option<usize>,
    /// The byte range in the document, if known.
    #[serde(skip)]
    pub span: Option<Range<usize>>,
    /// Whether the key itself is wrong, not its value: the range is then that of the key.
    #[serde(skip)]
    pub is_about_key: bool,
}

/// The kinds of errors, a closed list: those of the law, and those of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The document is not JSON or TOML.
    Syntax,
    /// A key that no problem has.
    UnknownKey,
    /// A key that occurs twice.
    DuplicateKey,
    /// A value whose type does not fit its key.
    WrongType,
    /// Keys of two forms in one problem, or the same quantity stated twice.
    Conflict,
    /// An unknown name of a guard, law, joint, link and so on.
    UnknownName,
    /// A robot file that cannot be read.
    Model,
    /// The document itself cannot be read.
    File,
    /// An error of the law, about a number or the answer.
    Law(carom_law::ErrorKind),
}

impl Kind {
    /// Every kind that documents add to those of the law.
    pub const OF_DOCUMENTS: [Kind; 8] = [
        Kind::Syntax,
        Kind::UnknownKey,
        Kind::DuplicateKey,
        Kind::WrongType,
        Kind::Conflict,
        Kind::UnknownName,
        Kind::Model,
        Kind::File,
    ];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Syntax => "syntax",
            Kind::UnknownKey => "unknown_key",
            Kind::DuplicateKey => "duplicate_key",
            Kind::WrongType => "wrong_type",
            Kind::Conflict => "conflict",
            Kind::UnknownName => "unknown_name",
            Kind::Model => "model",
            Kind::File => "file",
            Kind::Law(kind) => kind.name(),
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl ProblemError {
    /// An error about a field.
    pub fn at(kind: Kind, field: impl Into<String>, message: impl Into<String>) -> Self {
        let is_about_key = matches!(kind, Kind::UnknownKey | Kind::DuplicateKey | Kind::Conflict);
        Self { kind, message: message.into(), field: Some(field.into()), line: None, span: None, is_about_key }
    }

    /// Moves the error from the value of its field to the key.
    #[must_use]
    pub fn about_key(self) -> Self {
        Self { is_about_key: true, ..self }
    }

    /// An error about the document as a whole.
    pub fn document(kind: Kind, message: impl Into<String>, line: Option<usize>) -> Self {
        Self { kind, message: message.into(), field: None, line, span: None, is_about_key: false }
    }
}

impl From<carom_law::Error> for ProblemError {
    fn from(error: carom_law::Error) -> Self {
        Self {
            kind: Kind::Law(error.kind()),
            message: error.to_string(),
            field: Some(error.field().to_owned()),
            line: None,
            span: None,
            is_about_key: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::record::ErrorRecord;

    #[test]
    fn no_answer_of_several_contacts_is_a_typed_record() {
        let law =
            carom_law::Error::NotConverged { field: "impulse".into(), residual: 2e-3, bound: 1e-8, best: vec![1.0] };
        let record = ErrorRecord::new(&law.into(), None).line();
        let record: serde_json::Value = serde_json::from_str(&record).unwrap();
        assert_eq!((&record["error"]["kind"], &record["error"]["field"]), (&"not_converged".into(), &"impulse".into()));
        assert!(record["error"]["message"].as_str().unwrap().contains("2e-3 of the largest speed is left"));
    }
}
