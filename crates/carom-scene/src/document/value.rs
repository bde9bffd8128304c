//! Typed access to the values of a tree, with errors that give their path.

use serde_json::{Map, Value};

use super::error::{Kind, ProblemError};
use super::suggestion::did_you_mean;

type Result<T> = std::result::Result<T, ProblemError>;

/// One of a closed list of names; the first is the default.
pub(crate) fn named<T: Copy>(
    map: &Map<String, Value>,
    path: &str,
    key: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T> {
    let Some(value) = map.get(key) else {
        return Ok(all[0]);
    };
    let key = &join(path, key);
    let Value::String(text) = value else {
        return Err(wrong_type(value, key, "a string"));
    };
    all.iter().copied().find(|&item| name(item) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&item| name(item)).collect();
        let hint = did_you_mean(text, names.iter().copied());
        let message = format!("{key} = {:?} is not one of {}{hint}", cut(text), names.join(", "));
        ProblemError::at(Kind::UnknownName, key, message)
    })
}

pub(crate) fn rows(value: &Value, path: &str) -> Result<Vec<Vec<f64>>> {
    let Value::Array(list) = value else {
        return Err(wrong_type(value, path, "a list of rows"));
    };
    list.iter().enumerate().map(|(i, row)| numbers(row, &format!("{path}[{i}]"))).collect()
}

pub(crate) fn numbers(value: &Value, path: &str) -> Result<Vec<f64>> {
    let Value::Array(list) = value else {
        return Err(wrong_type(value, path, "a list of numbers"));
    };
    // The path of an entry is only composed for an error.
    list.iter()
        .enumerate()
        .map(|(i, entry)| entry.as_f64().ok_or_else(|| wrong_type(entry, &format!("{path}[{i}]"), "a number")))
        .collect()
}

pub(crate) fn number(value: &Value, path: &str) -> Result<f64> {
    number_or(value, path, "a number")
}

pub(crate) fn number_or(value: &Value, path: &str, expected: &str) -> Result<f64> {
    value.as_f64().ok_or_else(|| wrong_type(value, path, expected))
}

pub(crate) fn object<'v>(value: &'v Value, path: &str) -> Result<&'v Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong_type(value, path, "an object"))
}

pub(crate) fn required<'v>(map: &'v Map<String, Value>, path: &str, key: &str) -> Result<&'v Value> {
    map.get(key).ok_or_else(|| missing(&join(path, key), "it is required"))
}

pub(crate) fn check_keys(map: &Map<String, Value>, path: &str, known: &[&str]) -> Result<()> {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(unknown_key(path, key, known)),
        None => Ok(()),
    }
}

pub(crate) fn unknown_key(path: &str, key: &str, known: &[&str]) -> ProblemError {
    let field = join(path, key);
    let hint = did_you_mean(key, known.iter().copied());
    let message = format!("{} is not a valid key{hint}; the keys are {}", join(path, &shown(key)), known.join(", "));
    ProblemError::at(Kind::UnknownKey, field, message)
}

pub(crate) fn missing(field: &str, reason: &str) -> ProblemError {
    carom_law::Error::Missing { field: field.to_owned().into(), reason: reason.to_owned().into() }.into()
}

pub(crate) fn wrong_type(value: &Value, path: &str, expected: &str) -> ProblemError {
    ProblemError::at(Kind::WrongType, path, format!("{path} is {}, but must be {expected}", type_name(value)))
}

pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A key, quoted if it is not a plain word.
pub(crate) fn shown(key: &str) -> String {
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { cut(key) } else { format!("{:?}", cut(key)) }
}

/// The beginning of a long text.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain("...".chars()).collect() }
}

pub(crate) fn type_name(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => format!("{b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => format!("the string {:?}", cut(s)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
    }
}

pub(crate) fn text<'v>(value: &'v Value, path: &str) -> Result<&'v str> {
    value.as_str().ok_or_else(|| wrong_type(value, path, "a string"))
}

pub(crate) fn boolean(value: &Value, path: &str) -> Result<bool> {
    value.as_bool().ok_or_else(|| wrong_type(value, path, "true or false"))
}

/// Three numbers.
pub(crate) fn triple(value: &Value, path: &str) -> Result<[f64; 3]> {
    let list = numbers(value, path)?;
    <[f64; 3]>::try_from(list).map_err(|list| shape(path, list.len(), 3, "(x, y, z)"))
}

/// A list of the wrong length.
pub(crate) fn shape(path: &str, found: usize, expected: usize, why: &str) -> ProblemError {
    let count = |n: usize| if n == 1 { "1 number".to_owned() } else { format!("{n} numbers") };
    let expected = format!("{}, {why}", count(expected));
    carom_law::Error::Shape { field: path.to_owned().into(), found: count(found), expected }.into()
}
