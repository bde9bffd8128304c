//! A sweep as one file that appears when it is complete.

use std::io::{BufWriter, Write};
use std::path::Path;

use carom_study::sweep::Sweep;

use super::beside::beside;
use super::error::SweepFileError;
use super::options::{SweepOptions, Written};
use super::stream::write_stream;

/// Writes to a temporary file in the same folder, syncs it and renames it. If stopped, it leaves nothing behind.
///
/// # Errors
/// The path is a folder, or writing fails.
pub fn write_file(sweep: &Sweep, path: &Path, options: &SweepOptions<'_>) -> Result<Written, SweepFileError> {
    let fail = |error| SweepFileError::write(path, error);
    if path.is_dir() {
        return Err(fail(std::io::ErrorKind::IsADirectory.into()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = beside(folder).map_err(fail)?;
    // The inner file, since errors of its wrapper name the temporary file.
    let mut output = BufWriter::new(file.as_file());
    let written = write_stream(sweep, &mut output, options).and_then(|written| output.flush().map(|()| written));
    let written = written.map_err(fail)?;
    drop(output);
    if written.is_complete() {
        file.as_file().sync_all().map_err(fail)?;
        file.persist(path).map_err(|error| fail(error.error))?;
    }
    Ok(written)
}
