//! Rows of a sweep as columns in memory.

use std::borrow::Cow;

/// Some rows of a sweep, in order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// The number of the first sample.
    pub first: u64,
    /// The number of rows.
    pub rows: usize,
    /// The columns, as [`Sweep::columns`](super::Sweep::columns) lists them.
    pub columns: Vec<Column>,
}

/// A named column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its values, one a row.
    pub values: Values,
}

/// The values of a column, one a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Counts.
    Integers(Vec<i64>),
    /// Numbers; NaN where there is none.
    Numbers(Vec<f64>),
    /// True or false.
    Flags(Vec<Option<bool>>),
    /// Text.
    Words(Vec<Option<Cow<'static, str>>>),
}

/// The kind of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// [`Values::Integers`].
    Integer,
    /// [`Values::Numbers`].
    Number,
    /// [`Values::Flags`].
    Flag,
    /// [`Values::Words`].
    Word,
}

/// The description of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnHeader {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    pub kind: ValueKind,
    /// Whether every row has a value: so it is for the sample's number and the keys that vary.
    pub is_complete: bool,
}

impl Values {
    pub(super) fn new(kind: ValueKind, rows: usize) -> Self {
        match kind {
            ValueKind::Integer => Self::Integers(Vec::with_capacity(rows)),
            ValueKind::Number => Self::Numbers(Vec::with_capacity(rows)),
            ValueKind::Flag => Self::Flags(Vec::with_capacity(rows)),
            ValueKind::Word => Self::Words(Vec::with_capacity(rows)),
        }
    }

    /// Appends the rows of another column of the same kind.
    pub(super) fn append(&mut self, other: Self) {
        match (self, other) {
            (Self::Integers(values), Self::Integers(more)) => values.extend(more),
            (Self::Numbers(values), Self::Numbers(more)) => values.extend(more),
            (Self::Flags(values), Self::Flags(more)) => values.extend(more),
            (Self::Words(values), Self::Words(more)) => values.extend(more),
            // Tables of one sweep have the same columns.
            _ => {}
        }
    }

    /// Appends a row without a value; a count is zero.
    pub(super) fn push_nothing(&mut self) {
        match self {
            Self::Integers(values) => values.push(0),
            Self::Numbers(values) => values.push(f64::NAN),
            Self::Flags(values) => values.push(None),
            Self::Words(values) => values.push(None),
        }
    }
}
