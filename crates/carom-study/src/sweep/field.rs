//! Fields of records: their names, how they are read, and the columns that a name stands for.

use std::borrow::Cow;

use super::error::SweepError;
use super::table::{ValueKind, Values};

/// How a field of a record is read.
#[derive(Debug)]
pub(super) enum Get<R: ?Sized> {
    /// A number; NaN if there is none.
    Number(fn(&R) -> f64),
    /// Numbers, one column each; none if there is no vector.
    Vector(fn(&R) -> &[f64], Length),
    Flag(fn(&R) -> Option<bool>),
    Word(fn(&R) -> Option<Cow<'static, str>>),
}

/// The number of entries of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// The number of generalized velocities.
    Velocities,
    /// The number of generalized coordinates.
    Coordinates,
    /// The dimension of the contact.
    Rows,
    /// The number of tangents.
    Tangents,
}

impl<R: ?Sized> Get<R> {
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Get::Number(_) | Get::Vector(..) => ValueKind::Number,
            Get::Flag(_) => ValueKind::Flag,
            Get::Word(_) => ValueKind::Word,
        }
    }
}

/// A field by name.
pub(super) type Field<R> = (&'static str, Get<R>);

/// A column: a field, or an entry of a vector.
#[derive(Debug)]
pub(super) struct Reader<R: ?Sized + 'static> {
    get: &'static Get<R>,
    entry: usize,
}

impl<R: ?Sized> Clone for Reader<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized> Copy for Reader<R> {}

impl<R: ?Sized> Reader<R> {
    pub(super) fn kind(&self) -> ValueKind {
        self.get.kind()
    }

    /// Appends the value of a record.
    #[inline]
    pub(super) fn push(&self, record: &R, values: &mut Values) {
        match (self.get, values) {
            (Get::Number(get), Values::Numbers(values)) => values.push(get(record)),
            (Get::Vector(get, _), Values::Numbers(values)) => {
                values.push(get(record).get(self.entry).copied().unwrap_or(f64::NAN));
            }
            (Get::Flag(get), Values::Flags(values)) => values.push(get(record)),
            (Get::Word(get), Values::Words(values)) => values.push(get(record)),
            // A column has the kind of its reader.
            (_, values) => values.push_nothing(),
        }
    }
}

/// The columns that a name stands for: a field, an entry of a vector, all entries of a vector, or all fields of an object.
/// None if there is no such field. `length` is the number of entries of a vector.
pub(super) fn expand<R: ?Sized>(
    fields: &'static [Field<R>],
    name: &str,
    length: impl Fn(Length) -> usize,
) -> Result<Vec<(String, Reader<R>)>, SweepError> {
    let (vector, entry) = match indexed(name) {
        Some((vector, entry)) => (vector, Some(entry)),
        None => (name, None),
    };
    let mut columns = Vec::new();
    for (field, get) in fields {
        let is_named = *field == vector;
        let is_part = entry.is_none() && field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        match (get, entry) {
            _ if !is_named && !is_part => {}
            (Get::Vector(_, kind), entry) => {
                let length = length(*kind);
                if entry.is_some_and(|entry| entry >= length) || (length == 0 && is_named) {
                    return Err(SweepError::Entry { name: name.to_owned(), vector: (*field).to_owned(), length });
                }
                let entries = entry.map_or(0..length, |entry| entry..entry + 1);
                columns.extend(entries.map(|entry| (format!("{field}[{entry}]"), Reader { get, entry })));
            }
            (_, None) => columns.push(((*field).to_owned(), Reader { get, entry: 0 })),
            // An entry of what is not a vector.
            (_, Some(_)) => {}
        }
    }
    Ok(columns)
}

/// `impulse[1]` as `impulse` and 1.
fn indexed(name: &str) -> Option<(&str, usize)> {
    let (vector, entry) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((vector, entry.parse().ok()?))
}

/// All names of a table, for messages.
pub(super) fn names<R: ?Sized>(fields: &[Field<R>]) -> Vec<&'static str> {
    fields.iter().map(|(name, _)| *name).collect()
}

/// Splits a list of columns at its commas, except those between brackets: `time,first(impact, ball).time`.
///
/// ```
/// use carom_study::sweep::split_columns;
///
/// assert_eq!(split_columns("mode, count(impact, ball)"), ["mode", "count(impact, ball)"]);
/// ```
pub fn split_columns(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut columns = vec![String::new()];
    for sign in text.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth <= 0 => {
                columns.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = columns.last_mut() {
            last.push(sign);
        }
    }
    columns.into_iter().map(|column| column.trim().to_owned()).filter(|column| !column.is_empty()).collect()
}
