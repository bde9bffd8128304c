//! JSON and TOML as one tree, without duplicate keys and with the line of every value.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::coefficients;
use super::error::{Kind, ProblemError};

/// The two formats of problem files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON, one value.
    Json,
    /// TOML.
    Toml,
}

impl Format {
    /// By the file extension, otherwise by the text: JSON problems start with `{`, TOML ones never do.
    pub fn guess(name: &str, text: &str) -> Self {
        let text = without_mark(text);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("json") => Self::Json,
            Some("toml") => Self::Toml,
            _ if text.trim_start().starts_with('{') => Self::Json,
            _ => Self::Toml,
        }
    }
}

/// The content of a document: objects, lists, numbers and text. It serialises as plain JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree(pub(crate) Value);

impl Tree {
    /// The tree of serialisable data: a struct, a map, a value of a JSON library.
    ///
    /// # Errors
    /// JSON cannot represent the data. A number that is not finite becomes null, which is rejected when it is read.
    pub fn of(data: &(impl Serialize + ?Sized)) -> Result<Self, ProblemError> {
        let value = serde_json::to_value(data);
        value.map(Self).map_err(|error| ProblemError::document(Kind::Syntax, error.to_string(), None))
    }

    /// The text at a dotted path such as `model.builtin`, if there is one.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.at(path)?.as_str()
    }

    /// The number at a dotted path such as `friction.dynamic` or `velocity[1]`, if there is one.
    pub fn number(&self, path: &str) -> Option<f64> {
        self.at(path)?.as_f64()
    }

    /// Whether there is a value at a dotted path.
    pub fn contains(&self, path: &str) -> bool {
        self.at(path).is_some()
    }

    /// The restitution that the whole tree gives, as the key `restitution` of a problem does.
    ///
    /// # Errors
    /// A value that is not a restitution, or out of range. Its field begins with `restitution`.
    pub fn restitution(&self) -> Result<carom_law::Restitution, ProblemError> {
        coefficients::restitution(&self.0, "restitution")
    }

    /// The friction that the whole tree gives, as the key `friction` of a problem does.
    ///
    /// # Errors
    /// A value that is not a friction, or out of range. Its field begins with `friction`.
    pub fn friction(&self) -> Result<carom_law::Friction, ProblemError> {
        coefficients::friction(&self.0, "friction")
    }

    fn at(&self, path: &str) -> Option<&Value> {
        split_path(path)?.into_iter().try_fold(&self.0, |here, step| match step {
            PathStep::Key(key) => here.get(key),
            PathStep::Index(index) => here.get(index),
        })
    }
}

/// Formats the tree as JSON on one line.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// From any format, without duplicate keys and with finite numbers only.
impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        TreeSeed(&Path::default()).deserialize(deserializer).map(Self)
    }
}

/// A problem document: its text and its content.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: &'a str,
    format: Format,
    tree: Tree,
}

impl<'a> Document<'a> {
    /// Parses a document. Keys of an object must be unique.
    ///
    /// # Errors
    /// The text is not JSON or TOML, a key is duplicate, or a number is beyond the range of `f64`.
    pub fn read(text: &'a str, format: Format) -> Result<Self, ProblemError> {
        let text = without_mark(text);
        if text.trim().is_empty() {
            return Err(ProblemError::document(Kind::Syntax, "the document is empty", None));
        }
        let tree = match format {
            Format::Json => read_json(text)?,
            Format::Toml => read_toml(text)?,
        };
        Ok(Self { text, format, tree: Tree(tree) })
    }

    /// The content of the document.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Adds the line of its field to an error, if the document has that field.
    pub fn locate(&self, mut error: ProblemError) -> ProblemError {
        if error.line.is_none()
            && let Some(field) = &error.field
        {
            let found = match self.format {
                Format::Json => places_in_json(self.text, field),
                Format::Toml => places_in_toml(self.text, field),
            };
            error.span = found.and_then(|places| match error.is_about_key {
                true => places.key.or(Some(places.value)),
                false => Some(places.value),
            });
            error.line = error.span.as_ref().map(|span| line_of(self.text, span.start));
        }
        error
    }
}

/// The text without a leading byte-order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn read_json(text: &str) -> Result<Value, ProblemError> {
    let path = Path::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let tree = TreeSeed(&path).deserialize(&mut deserializer).and_then(|tree| deserializer.end().map(|()| tree));
    tree.map_err(|error| {
        // serde_json appends the position to its messages.
        let full = error.to_string();
        let suffix = format!(" at line {} column {}", error.line(), error.column());
        let message = full.strip_suffix(&suffix).unwrap_or(&full);
        path.error(message, Some(error.line()).filter(|&line| line > 0))
    })
}

fn read_toml(text: &str) -> Result<Value, ProblemError> {
    let path = Path::default();
    let deserializer = toml::de::Deserializer::parse(text).map_err(|error| toml_error(text, &error))?;
    TreeSeed(&path).deserialize(deserializer).map_err(|error| {
        let line = error.span().map(|span| line_of(text, span.start));
        path.error(error.message(), line)
    })
}

/// The TOML parser itself finds duplicate keys, and marks the second.
fn toml_error(text: &str, error: &toml::de::Error) -> ProblemError {
    let span = error.span();
    let line = span.as_ref().map(|span| line_of(text, span.start));
    let marked = span.and_then(|span| text.get(span)).map(str::trim);
    match marked {
        Some(key) if error.message().contains("duplicate key") => {
            let message = format!("{key} occurs twice in the same object");
            ProblemError { line, ..ProblemError::at(Kind::DuplicateKey, key, message) }
        }
        _ if error.message().contains("overflow") => {
            ProblemError::document(NOT_FINITE, "the number is beyond the range of f64 (largest 1.8e308)", line)
        }
        _ => ProblemError::document(Kind::Syntax, error.message(), line),
    }
}

/// The current path of the parser in the document; it stops at the position of an error.
#[derive(Default)]
struct Path {
    steps: RefCell<Vec<Step>>,
    /// The kind of error, if it was found here and not by the format's parser.
    raised: Cell<Option<Kind>>,
}

enum Step {
    Key(String),
    Index(usize),
}

const NOT_FINITE: Kind = Kind::Law(carom_law::ErrorKind::NotFinite);

/// The key under which the TOML parser passes a date.
const TOML_DATE: &str = "$__toml_private_datetime";

impl Path {
    fn enter<T, E>(&self, step: Step, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.steps.borrow_mut().push(step);
        let value = read()?;
        self.steps.borrow_mut().pop();
        Ok(value)
    }

    /// Raises an error found by this reader.
    fn raise<E: serde::de::Error>(&self, kind: Kind, message: impl fmt::Display) -> E {
        self.raised.set(Some(kind));
        E::custom(message)
    }

    fn error(&self, message: &str, line: Option<usize>) -> ProblemError {
        let field = dotted(&self.steps.borrow());
        let is_too_large = message.contains("number out of range");
        let (kind, message) = match self.raised.get() {
            Some(kind) => (kind, format!("{field} {message}")),
            None if is_too_large => (NOT_FINITE, format!("{field} is beyond the range of f64 (largest 1.8e308)")),
            None => (Kind::Syntax, message.to_owned()),
        };
        let field = Some(field).filter(|field| !field.is_empty());
        ProblemError { field, line, ..ProblemError::document(kind, message, None) }
    }
}

fn dotted(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            Step::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

/// Reads any value, keeping track of its path.
struct TreeSeed<'p>(&'p Path);

impl<'de> DeserializeSeed<'de> for TreeSeed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TreeSeed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        match serde_json::Number::from_f64(value) {
            Some(number) => Ok(Value::Number(number)),
            None => Err(self.0.raise(NOT_FINITE, format_args!("= {value} is not finite"))),
        }
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = self.0.enter(Step::Index(list.len()), || access.next_element_seed(TreeSeed(self.0)))? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if key == TOML_DATE {
                return Err(self.0.raise(Kind::WrongType, "is a date, which is not a valid value"));
            }
            self.0.enter(Step::Key(key.clone()), || {
                if map.contains_key(&key) {
                    return Err(self.0.raise(Kind::DuplicateKey, "occurs twice in the same object"));
                }
                let value = access.next_value_seed(TreeSeed(self.0))?;
                map.insert(key, value);
                Ok(())
            })?;
        }
        Ok(Value::Object(map))
    }
}

/// Splits `a.b[2][1]` into keys and indices. A key with dots or brackets is quoted: `a."b.c"`.
pub(crate) fn split_path(path: &str) -> Option<Vec<PathStep<'_>>> {
    let mut steps = Vec::new();
    let mut rest = path;
    loop {
        let (key, after) = match rest.strip_prefix('"') {
            Some(inner) => inner.split_once('"')?,
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        if key.is_empty() {
            return None;
        }
        steps.push(PathStep::Key(key));
        rest = after;
        while let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']')?;
            let is_plain = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            steps.push(PathStep::Index(index.parse().ok().filter(|_| is_plain)?));
            rest = after;
        }
        if rest.is_empty() {
            return Some(steps);
        }
        rest = rest.strip_prefix('.')?;
    }
}

/// One step of a dotted path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathStep<'p> {
    Key(&'p str),
    Index(usize),
}

/// Where a value is in a text, and its key, if it has one.
struct Places {
    key: Option<Range<usize>>,
    value: Range<usize>,
}

/// The place of the value at a path, or of the deepest existing part of the path.
fn places_in_json(text: &str, path: &str) -> Option<Places> {
    let mut here: &str = text;
    let mut found = None;
    for step in split_path(path)? {
        let inner: Option<&RawValue> = match step {
            PathStep::Key(key) => {
                serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(here).ok()?.remove(key)
            }
            PathStep::Index(index) => serde_json::from_str::<Vec<&RawValue>>(here).ok()?.get(index).copied(),
        };
        let Some(inner) = inner else { break };
        here = inner.get();
        // RawValue borrows from the text, so the difference of the pointers is the offset.
        let start = here.as_ptr() as usize - text.as_ptr() as usize;
        let key = matches!(step, PathStep::Key(_)).then(|| key_before(text, start)).flatten();
        found = Some(Places { key, value: start..start + here.len() });
    }
    found
}

/// The key, with its quotes, that ends before the colon before a value.
fn key_before(text: &str, value: usize) -> Option<Range<usize>> {
    let before = text[..value].trim_end().strip_suffix(':')?.trim_end();
    let inside = before.strip_suffix('"')?;
    // A quote after an odd number of backslashes is part of the key.
    let is_escaped = |quote: usize| inside[..quote].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let (start, _) = inside.rmatch_indices('"').find(|(quote, _)| !is_escaped(*quote))?;
    Some(start..before.len())
}

fn places_in_toml(text: &str, path: &str) -> Option<Places> {
    let document = DeTable::parse(text).ok()?;
    let mut table = Some(document.get_ref());
    let mut array = None;
    let mut found = None;
    for step in split_path(path)? {
        let value = match step {
            PathStep::Key(key) => {
                table?.iter().find(|(k, _)| k.get_ref() == key).map(|(key, value)| (Some(key.span()), value))
            }
            PathStep::Index(index) => {
                let list: &toml::de::DeArray<'_> = array?;
                list.get(index).map(|value| (None, value))
            }
        };
        let Some((key, value)) = value else { break };
        found = Some(Places { key, value: value.span() });
        (table, array) = match value.get_ref() {
            DeValue::Table(inner) => (Some(inner), None),
            DeValue::Array(inner) => (None, Some(inner)),
            _ => (None, None),
        };
    }
    found
}

/// The line of an offset in a text, counted from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
}
