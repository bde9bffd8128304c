//! The samples of a JSON file.

use std::collections::HashMap;
use std::path::Path;

use carom_multibody::load::Files;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::header::{Event, Header, StoredHeader, Summary, check_version, part};
use super::{StoredColumn, StoredError, StoredValues, text};

#[derive(Deserialize)]
struct Whole<'t> {
    format_version: u32,
    #[serde(borrow)]
    header: &'t RawValue,
    summary: Summary,
    #[serde(borrow)]
    samples: Option<HashMap<String, &'t RawValue>>,
    events: Vec<Event>,
}

pub(super) fn read(path: &Path, files: &dyn Files) -> Result<(StoredHeader, Vec<StoredColumn>), StoredError> {
    let text = text(path, files)?;
    let whole: Whole<'_> = part(path, &text)?;
    check_version(path, whole.format_version)?;
    let header: Header = part(path, whole.header.get())?;
    let samples = whole.samples.ok_or_else(|| StoredError::NoSamples { path: path.to_owned() })?;
    let samples = samples.into_iter().map(|(name, values)| {
        // The first value tells the kind of a column.
        let is_words = values.get().trim_start_matches(['[', ' ', '\t', '\r', '\n']).starts_with('"');
        let values = match is_words {
            true => StoredValues::Words(part(path, values.get())?),
            false => StoredValues::Numbers(part(path, values.get())?),
        };
        Ok(StoredColumn { name, values })
    });
    let samples = samples.collect::<Result<Vec<_>, StoredError>>()?;
    Ok((StoredHeader { header, summary: whole.summary, events: whole.events }, samples))
}
