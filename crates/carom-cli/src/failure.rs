//! What ends a command without an answer.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use carom::ProblemError;

/// Bad input or usage, or a reader that went away.
#[derive(Debug)]
pub enum Failure {
    /// Standard output was closed by its reader.
    ClosedPipe,
    /// A problem that cannot be read or solved.
    Problem { source: String, error: ProblemError },
    /// No such scene or file.
    NoSuchScene { name: String },
    /// A file that cannot be read or written.
    File { path: PathBuf, doing: &'static str, error: io::Error },
}

impl Failure {
    pub fn file(path: &Path, doing: &'static str, error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::ClosedPipe
        } else {
            Self::File { path: path.to_owned(), doing, error }
        }
    }

    pub fn stdout(error: io::Error) -> Self {
        Self::file(Path::new("standard output"), "write", error)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ClosedPipe => f.write_str("the output was closed"),
            Failure::Problem { source, error } => {
                write!(f, "{source}")?;
                if let Some(line) = error.line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": {error}")
            }
            Failure::NoSuchScene { name } => {
                let names: Vec<&str> = carom::gallery::SCENES.iter().map(|scene| scene.name).collect();
                write!(f, "{name:?} is neither a file nor a scene; the scenes are {}", names.join(", "))
            }
            Failure::File { path, doing, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
        }
    }
}
