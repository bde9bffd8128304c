//! The manifest of a folder of parts.

use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use carom_scene::document::FORMAT_VERSION;
use carom_study::sweep::Sweep;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::beside::beside;
use super::error::SweepFileError;
use super::options::{SweepOptions, TableFormat};

/// The name of the manifest in its folder: readers of folders of Parquet files ignore names that begin with an underscore.
pub const MANIFEST: &str = "_manifest.json";

/// The contents of a folder of parts. Processes that fill the same folder have equal manifests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The version of this format.
    pub format_version: u32,
    /// The version of carom.
    pub carom_version: String,
    /// The instruction set of the kernels: [`carom_sim::instruction_set`].
    pub instruction_set: String,
    /// The SHA-256 of `plan`.
    pub plan_sha256: String,
    /// The number of rows.
    pub rows: u64,
    /// The number of rows of a part; the last one may have fewer.
    pub rows_per_part: u64,
    /// The number of parts.
    pub parts: u64,
    /// `parquet` or `csv`.
    pub format: String,
    /// The identity of the rows: [`Sweep::document`].
    pub plan: Box<RawValue>,
}

impl Manifest {
    /// The manifest of a sweep.
    pub fn new(sweep: &Sweep, options: &SweepOptions<'_>) -> Self {
        Self {
            format_version: FORMAT_VERSION,
            carom_version: env!("CARGO_PKG_VERSION").to_owned(),
            instruction_set: carom_sim::instruction_set(),
            plan_sha256: sweep.digest().to_owned(),
            rows: sweep.rows(),
            rows_per_part: options.rows_per_part,
            parts: sweep.rows().div_ceil(options.rows_per_part),
            format: options.format.name().to_owned(),
            // The document is JSON.
            plan: RawValue::from_string(sweep.document().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned()),
        }
    }

    /// The manifest of a folder; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read, or is not a manifest.
    pub fn read(folder: &Path) -> Result<Option<Self>, SweepFileError> {
        let path = folder.join(MANIFEST);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SweepFileError::read(path, error)),
        };
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| SweepFileError::NotAManifest { path: path.clone(), message: error.to_string() })?;
        let wrong =
            |message: &str| Err(SweepFileError::NotAManifest { path: path.clone(), message: message.to_owned() });
        if manifest.format_version != FORMAT_VERSION {
            return wrong(&format!("format_version = {} is not supported", manifest.format_version));
        }
        if manifest.rows_per_part == 0 || manifest.parts != manifest.rows.div_ceil(manifest.rows_per_part) {
            return wrong("rows, rows_per_part and parts do not agree");
        }
        Ok(Some(manifest))
    }

    /// Writes the manifest to its folder, unless an equal one is there.
    pub(super) fn claim(&self, folder: &Path) -> Result<(), SweepFileError> {
        if let Some(found) = Self::read(folder)? {
            return self.check(&found, folder);
        }
        let path = folder.join(MANIFEST);
        let fail = |error| SweepFileError::write(&path, error);
        let has_parts = fs::read_dir(folder).map_err(|error| SweepFileError::read(folder, error))?;
        if has_parts.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with(PART)) {
            return Err(SweepFileError::NoManifest { folder: folder.to_owned() });
        }
        let file = beside(folder).map_err(fail)?;
        let text = serde_json::to_string_pretty(self).map_err(|error| fail(error.into()))?;
        file.as_file().write_all(format!("{text}\n").as_bytes()).map_err(fail)?;
        file.as_file().sync_all().map_err(fail)?;
        match file.persist_noclobber(&path) {
            Ok(_) => Ok(()),
            // Another process was first.
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => match Self::read(folder)? {
                Some(found) => self.check(&found, folder),
                None => Err(fail(error.error)),
            },
            Err(error) => Err(fail(error.error)),
        }
    }

    /// Rejects a folder of another sweep.
    fn check(&self, found: &Self, folder: &Path) -> Result<(), SweepFileError> {
        const KERNEL: &str =
            ", or set CAROM_KERNEL=portable for all processes that fill one folder, from the beginning";
        let fields: [(&'static str, String, String, &'static str); 5] = [
            ("plan", found.plan_sha256.clone(), self.plan_sha256.clone(), ", or delete this one"),
            ("carom_version", found.carom_version.clone(), self.carom_version.clone(), ""),
            ("instruction_set", found.instruction_set.clone(), self.instruction_set.clone(), KERNEL),
            ("rows_per_part", found.rows_per_part.to_string(), self.rows_per_part.to_string(), ""),
            ("format", found.format.clone(), self.format.clone(), ""),
        ];
        match fields.into_iter().find(|(_, found, given, _)| found != given) {
            None => Ok(()),
            Some((field, found, given, remedy)) => {
                Err(SweepFileError::OtherSweep { folder: folder.to_owned(), field, found, given, remedy })
            }
        }
    }

    /// The name of a part.
    pub fn part_name(&self, part: u64) -> String {
        let digits = (self.parts.max(1) - 1).to_string().len().max(6);
        format!("{PART}{part:0digits$}.{}", self.format)
    }

    /// The samples of a part.
    pub fn rows_of(&self, part: u64) -> Range<u64> {
        let first = part.saturating_mul(self.rows_per_part).min(self.rows);
        first..self.rows.min(first.saturating_add(self.rows_per_part))
    }

    /// The format of the parts, if this build has it.
    pub fn table_format(&self) -> Option<TableFormat> {
        TableFormat::of(&self.format)
    }
}

/// The beginning of the names of parts.
const PART: &str = "part-";
