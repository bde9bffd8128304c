//! Errors in writing and reading sweeps.

use std::io;
use std::path::PathBuf;

/// Why a sweep cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepFileError {
    /// A file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        error: io::Error,
    },
    /// A manifest that cannot be parsed.
    #[error("{} is not the manifest of a sweep: {message}; choose another folder", path.display())]
    NotAManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A folder that has another sweep.
    #[error("{} has another sweep: its {field} is {found}, and here it is {given}; choose another folder{remedy}", folder.display())]
    OtherSweep {
        /// The folder.
        folder: PathBuf,
        /// The field of the manifest that differs.
        field: &'static str,
        /// Its value there.
        found: String,
        /// Its value here.
        given: String,
        /// Another remedy, if there is one.
        remedy: &'static str,
    },
    /// A folder with parts but without a manifest.
    #[error("{} has parts but no _manifest.json that says which sweep they belong to; choose another folder", folder.display())]
    NoManifest {
        /// The folder.
        folder: PathBuf,
    },
    /// A path that is not a folder.
    #[error("{} is not a folder; choose another name, or give the extension .parquet or .csv", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// A file that is not a table of a sweep.
    #[error("{} is not a table of a sweep: {message}", path.display())]
    NotASweep {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

impl SweepFileError {
    pub(super) fn write(path: impl Into<PathBuf>, error: io::Error) -> Self {
        Self::Write { path: path.into(), error }
    }

    pub(super) fn read(path: impl Into<PathBuf>, error: io::Error) -> Self {
        Self::Read { path: path.into(), error }
    }
}
