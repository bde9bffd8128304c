//! Output files that appear under their name only when they are complete.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use carom::report::{printable_json, printable_lines};
use tempfile::NamedTempFile;

use crate::args::Format;
pub use crate::console::complain;
use crate::console::painted;
use crate::failure::Failure;

/// Prints text or JSON to standard output, with control characters escaped.
pub fn print(text: &str, format: Format) -> Result<(), Failure> {
    let mut output = Output::open(None)?;
    let safe = match format {
        Format::Text => painted(&printable_lines(text)).into(),
        Format::Json => printable_json(text),
    };
    output.write_all(safe.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()
}

/// Checks that a file can be written, before computing its content. Pipes and devices are not touched.
pub fn check_place(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        _ => Output::open(Some(path)).map(drop),
    }
}

/// The destination of results: standard output, a temporary file that is renamed, or a device.
pub enum Output {
    Stdout(BufWriter<io::StdoutLock<'static>>),
    File { writer: BufWriter<NamedTempFile>, target: PathBuf },
    Device { writer: BufWriter<File>, path: PathBuf },
}

impl Output {
    /// Opens standard output, or the file at `path`.
    pub fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Stdout(BufWriter::new(io::stdout().lock())));
        };
        let fail = |error| Failure::file(path, "write", error);
        // A pipe, a terminal or /dev/null must not be replaced by a regular file.
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let writer = BufWriter::new(File::options().write(true).open(path).map_err(fail)?);
                Ok(Self::Device { writer, path: path.to_owned() })
            }
            // A symbolic link is preserved, and so are the permissions of its target.
            Ok(found) => Self::beside(fs::canonicalize(path).map_err(fail)?, Some(found.permissions())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::beside(end_of_link(path), None),
            Err(error) => Err(fail(error)),
        }
    }

    fn beside(target: PathBuf, permissions: Option<fs::Permissions>) -> Result<Self, Failure> {
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".carom-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Permissions as for any other new file, reduced by the process's umask.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // The error's text names the hidden file; its kind is enough.
        let fail = |error: io::Error| {
            let missing = error.kind() == io::ErrorKind::NotFound;
            Failure::file(&target, "write", if missing { no_folder(folder) } else { error.kind().into() })
        };
        let file = builder.tempfile_in(folder).map_err(fail)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions).map_err(fail)?;
        }
        Ok(Self::File { writer: BufWriter::new(file), target })
    }

    /// Completes the output under its name. Without this call the file is removed.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(mut writer) => writer.flush().map_err(Failure::stdout),
            Self::Device { mut writer, path } => writer.flush().map_err(|e| Failure::file(&path, "write", e)),
            Self::File { writer, target } => {
                let fail = |error| Failure::file(&target, "write", error);
                let file = writer.into_inner().map_err(|error| fail(error.into_error()))?;
                file.as_file().sync_all().map_err(fail)?;
                file.persist(&target).map(|_| ()).map_err(|error| fail(error.error))
            }
        }
    }

    /// The failure for an error in writing to this output.
    pub fn failure(&self, error: io::Error) -> Failure {
        match self {
            Self::Stdout(_) => Failure::stdout(error),
            Self::File { target: path, .. } | Self::Device { path, .. } => Failure::file(path, "write", error),
        }
    }
}

/// The target of a symbolic link to a file that does not exist yet, or the path itself.
fn end_of_link(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.to_owned(),
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(writer) => writer.write(bytes),
            Self::File { writer, .. } => writer.write(bytes),
            Self::Device { writer, .. } => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(writer) => writer.flush(),
            Self::File { writer, .. } => writer.flush(),
            Self::Device { writer, .. } => writer.flush(),
        }
    }
}

/// The error for a folder that does not exist.
pub fn no_folder(folder: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("the folder {} does not exist", folder.display()))
}
