//! Errors in reading runs.

use std::path::PathBuf;

/// Why a file cannot be read as a run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: String,
    },
    /// The file has an unknown extension.
    #[error("{} is not a file of a run: these end with .json, .csv or .parquet", path.display())]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// This build does not read Parquet.
    #[error(
        "{} cannot be read: this carom was built without the feature parquet; build it with cargo install --path crates/carom-cli --features parquet, or \
         write runs as .json or .csv",
        path.display()
    )]
    NoParquet {
        /// The file.
        path: PathBuf,
    },
    /// The content is not that of a run.
    #[error("{} is not a run of carom simulate: {why}", path.display())]
    NotARun {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A format of a later version.
    #[error("{}: format_version = {version} is newer than {newest}, the newest that this version of carom reads", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
        /// The newest that is known.
        newest: u32,
    },
    /// The run has no provenance.
    #[error(
        "{} has no header.provenance, which carom simulate writes with -o: simulate it again",
        path.display()
    )]
    NoProvenance {
        /// The file.
        path: PathBuf,
    },
    /// The file has no samples.
    #[error("{} has no samples: write the run with -o run.json, .csv or .parquet, not with --format json alone", path.display())]
    NoSamples {
        /// The file.
        path: PathBuf,
    },
    /// A column is missing.
    #[error("{} has no column {column:?} of numbers", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
}
