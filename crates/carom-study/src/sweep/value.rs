//! The values of a key: numbers, or any data that a document can hold.

use std::borrow::Cow;

use carom_scene::document::{Document, Format};
use serde_json::Value;

use super::table::ValueKind;

/// A value of one sample. Data of a list are kept as given: an integer does not become a number with a decimal point.
#[derive(Debug, Clone, Copy)]
pub(super) enum Setting<'p> {
    Number(f64),
    Data(&'p Value),
}

impl<'p> Setting<'p> {
    /// The number; NaN for other data.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Data(value) => value.as_f64().unwrap_or(f64::NAN),
        }
    }

    pub(super) fn flag(self) -> Option<bool> {
        match self {
            Self::Data(value) => value.as_bool(),
            Self::Number(_) => None,
        }
    }

    /// Text as it is, other data as JSON.
    pub(super) fn word(self) -> Cow<'static, str> {
        match self {
            Self::Data(Value::String(text)) => text.clone().into(),
            Self::Data(value) => value.to_string().into(),
            Self::Number(number) => Value::from(number).to_string().into(),
        }
    }
}

/// The kind of a column with these values.
pub(super) fn kind_of(values: &[Value]) -> ValueKind {
    if values.iter().all(Value::is_number) {
        ValueKind::Number
    } else if values.iter().all(Value::is_boolean) {
        ValueKind::Flag
    } else {
        ValueKind::Word
    }
}

/// Values with commas between them, each JSON or a word without quotes: `0.1, 0.2`, `report, slip`.
pub(super) fn list(text: &str) -> Result<Vec<Value>, String> {
    let json = format!("{{\"values\": [{text}]}}");
    if let Ok(document) = Document::read(&json, Format::Json)
        && let Ok(Value::Object(mut tree)) = serde_json::to_value(document.tree())
        && let Some(Value::Array(values)) = tree.remove("values")
    {
        return if values.is_empty() { Err("a list needs at least one value".to_owned()) } else { Ok(values) };
    }
    text.split(',').map(|word| plain(word.trim())).collect()
}

/// A JSON number or literal, or a word.
fn plain(word: &str) -> Result<Value, String> {
    let is_word = !word.is_empty() && !word.contains(['[', ']', '{', '}', '(', ')', '"', ':']);
    match serde_json::from_str::<Value>(word) {
        Ok(value) => Ok(value),
        // Numbers that JSON writes otherwise, such as .5; infinite ones are no words either.
        Err(_) if word.parse::<f64>().is_ok() => number(word).map(Value::from),
        Err(_) if is_word => Ok(Value::String(word.to_owned())),
        Err(_) => Err(format!("{word:?} is not a value: give numbers, words, or JSON")),
    }
}

/// A finite number.
pub(super) fn number(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| format!("{:?} is not a finite number", text.trim()))
}

/// Splits `key=values`, and checks the key.
pub(super) fn split(text: &str, form: &str) -> Result<(String, String), String> {
    let (key, values) = text.split_once('=').ok_or_else(|| format!("{text:?} does not have the form {form}"))?;
    let key = key.trim();
    carom_scene::document::Edit::new(key, &0)?;
    Ok((key.to_owned(), values.trim().to_owned()))
}
