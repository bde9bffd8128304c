//! Errors that end a command.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use carom::ProblemError;
use carom::multibody::load::LoadError;
use carom::report::PageError;
use carom::report::figure::FigureError;
use carom::sim::SimulationError;
use carom::study::{DiagramError, MapError};

use crate::exhibits::Gallery;
use crate::snippet::snippet;

/// Bad input or usage, or a closed output.
#[derive(Debug)]
pub enum Failure {
    /// Standard output was closed by its reader.
    ClosedPipe,
    /// A problem that cannot be read or solved, with its text; `edit` if a `--set` is the cause.
    Problem { source: String, error: Box<ProblemError>, text: Option<String>, edit: bool },
    /// Neither a built-in model nor a file.
    NoSuchModel { name: String },
    /// A robot file that cannot be read.
    Robot { error: LoadError },
    /// An option for robot files with something else.
    NotARobot { name: String, option: &'static str },
    /// A scene or problem in place of a robot.
    SceneNotRobot { name: String },
    /// Neither a built-in scene nor, where one is allowed, a file.
    NoSuchScene { name: String, gallery: Gallery, or_file: bool },
    /// Signal handlers cannot be installed.
    Signal { error: String },
    /// A page that cannot be written.
    Page(PageError),
    /// A simulation that cannot be set up.
    Simulation { source: String, error: Box<SimulationError> },
    /// A simulation with too many samples.
    TooManySamples { source: String, until: f64, interval: f64, most: f64 },
    /// A problem that has no map.
    Map { source: String, error: MapError },
    /// A figure that cannot be drawn.
    Figure(FigureError),
    /// A file with an unsupported extension.
    Ending { path: PathBuf, endings: String },
    /// A width in pixels for a format without pixels.
    Width { ending: &'static str },
    /// An impact without an impulse diagram.
    Diagram { source: String, error: DiagramError },
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
            Failure::Problem { source, error, text, edit } => {
                write!(f, "{source}")?;
                if let Some(line) = error.line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": {error}{}", if *edit { " (changed by --set)" } else { "" })?;
                match text {
                    Some(text) => f.write_str(&snippet(source, text, error)),
                    None => Ok(()),
                }
            }
            Failure::NoSuchModel { name } => {
                let names: Vec<&str> = carom::models::MODELS.iter().map(|model| model.name).collect();
                write!(f, "{name:?} is neither a file nor a built-in model; those are {}", names.join(", "))
            }
            Failure::Robot { error } => write!(f, "{error}"),
            Failure::NotARobot { name, option } => {
                write!(
                    f,
                    "{option} is only valid with a robot file, and {name} is a scene or problem; use --set KEY=VALUE"
                )
            }
            Failure::SceneNotRobot { name } => {
                write!(f, "{name} is not a robot file: carom impact reads scenes and problems")
            }
            Failure::NoSuchScene { name, gallery, or_file } => {
                let names = gallery.names();
                if carom::models::find(name).is_some() {
                    return write!(
                        f,
                        "{name:?} is a model, not a scene: carom check {name} shows it, and a scene names it as \
                         model.builtin; the scenes are {}",
                        names.join(", ")
                    );
                }
                let what = if *or_file { "neither a file nor a scene" } else { "not a scene" };
                write!(f, "{name:?} is {what}; the scenes are {}", names.join(", "))?;
                let (other, command) = match gallery {
                    Gallery::Impacts => (Gallery::Simulations, "simulate"),
                    Gallery::Simulations => (Gallery::Impacts, "impact"),
                };
                match other.find(name) {
                    Some(_) => write!(f, "; use carom {command} {name}"),
                    None => Ok(()),
                }
            }
            Failure::Signal { error } => write!(f, "cannot listen for interrupts: {error}"),
            Failure::Page(error) => write!(f, "{error}"),
            Failure::Simulation { source, error } => write!(f, "{source}: {error}"),
            Failure::TooManySamples { source, until, interval, most } => write!(
                f,
                "{source}: interval = {interval:e} makes {:.1e} samples until {until} s, more than {most:e}: it must be \
                 {:e} or more",
                until / interval,
                until / most
            ),
            Failure::Map { source, error } => write!(f, "{source}: {error}"),
            Failure::Figure(error) => write!(f, "{error}"),
            Failure::Ending { path, endings } => {
                write!(f, "cannot tell the format of {}: use the extension {endings}", path.display())
            }
            Failure::Width { ending } => {
                write!(f, "--width is the width of a .png in pixels, and not available for .{ending}")
            }
            Failure::Diagram { source, error } => write!(f, "{source}: {error}"),
            Failure::File { path, doing, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
        }
    }
}
