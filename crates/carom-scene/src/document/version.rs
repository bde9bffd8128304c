//! The format version of a document.

use serde_json::{Map, Value};

use super::error::{Kind, ProblemError};
use super::value::{number_or, wrong_type};

/// The version of problems, scenes, outcomes and runs that this crate reads and writes, their key `format_version`. It increases
/// if a key changes its meaning or is removed; a new key alone does not change it.
pub const FORMAT_VERSION: u32 = 1;

/// Rejects a document of an unknown version. Without the key the version is 1.
pub(crate) fn check(map: &Map<String, Value>) -> Result<(), ProblemError> {
    const KEY: &str = "format_version";
    let Some(value) = map.get(KEY) else { return Ok(()) };
    let expected = "a whole number from 1";
    let version = number_or(value, KEY, expected)?;
    if version < 1.0 || version.fract() != 0.0 {
        return Err(wrong_type(value, KEY, expected));
    }
    if version > f64::from(FORMAT_VERSION) {
        let message = format!(
            "format_version = {version} is newer than {FORMAT_VERSION}, the newest that this version of carom reads"
        );
        return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::Unsupported), KEY, message));
    }
    Ok(())
}
