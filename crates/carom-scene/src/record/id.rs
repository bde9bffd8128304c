//! The `id` of a problem, which is copied to its outcome.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// Any JSON value, on one line.
#[derive(Debug)]
pub struct Id(Option<Box<RawValue>>);

impl Id {
    /// The id in a tree.
    pub fn of_tree(tree: &Value) -> Self {
        Self(tree.get("id").and_then(|id| to_raw_value(id).ok()))
    }

    /// The id of a JSON problem, verbatim; only an id that spans several lines is reformatted.
    pub fn of_json(text: &str) -> Self {
        let raw = raw_id(text);
        Self(raw.and_then(|raw| {
            if raw.get().contains('\n') {
                serde_json::from_str::<Value>(raw.get()).ok().and_then(|value| to_raw_value(&value).ok())
            } else {
                Some(raw.to_owned())
            }
        }))
    }

    /// The raw value, for a record.
    pub fn as_raw(&self) -> Option<&RawValue> {
        self.0.as_deref()
    }
}

/// The `id` of a JSON problem, verbatim.
pub fn raw_id(text: &str) -> Option<&RawValue> {
    // Most problems have none; searching for the word (or an escape that may hide it) is much cheaper than
    // parsing them twice.
    if !text.contains("\"id\"") && !text.contains("\\u") {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str::<BTreeMap<String, &RawValue>>(text).ok()?.remove("id")
}
