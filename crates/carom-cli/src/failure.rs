//! Errors that end a command.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

use carom::ProblemError;
use carom::multibody::load::LoadError;
use carom::provenance::ProvenanceError;
use carom::report::PageError;
use carom::report::StoredError;
use carom::report::figure::FigureError;
use carom::report::sweep::{PictureError, SweepFileError};
use carom::sim::SimulationError;
use carom::study::sweep::SweepError;
use carom::study::{DiagramError, MapError};

use crate::exhibits::Gallery;
use crate::similar::did_you_mean;
use crate::snippet::snippet;

/// Bad input or usage, or a closed output.
#[derive(Debug)]
pub enum Failure {
    /// Standard output was closed by its reader.
    ClosedPipe,
    /// A problem that cannot be read or solved, with its text; `option` is the option that changed the value.
    Problem { source: String, error: Box<ProblemError>, text: Option<String>, option: Option<&'static str> },
    /// A value that is changed by `--set` and by an option of its own.
    ChangedTwice { option: &'static str, path: String },
    /// A command without a manual page.
    NoSuchCommand { name: String, commands: Vec<String> },
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
    /// A server that cannot be started.
    Server { place: String, error: io::Error },
    /// A page that cannot be written.
    Page(PageError),
    /// A simulation that cannot be set up.
    Simulation { source: String, error: Box<SimulationError> },
    /// A simulation with too many samples.
    TooManySamples { source: String, until: f64, interval: f64, most: f64 },
    /// A file that is not a run, or says too little.
    Stored(StoredError),
    /// A run that cannot be repeated, or an event that cannot be studied.
    Provenance { source: String, error: Box<ProvenanceError> },
    /// A plan of a sweep that is wrong; `option` is the one to change, if it is known.
    Sweep { source: String, option: Option<&'static str>, error: Box<SweepError> },
    /// A sweep that cannot be written or read.
    SweepFile(SweepFileError),
    /// A figure of a sweep that cannot be made.
    Picture(PictureError),
    /// A key that is changed and varies.
    ChangedAndVaried { option: &'static str, varied: &'static str, path: String },
    /// An option for folders with a file.
    NotAFolder { option: &'static str, output: PathBuf },
    /// A value of an environment variable.
    Variable { name: &'static str, value: String, values: &'static str },
    /// A problem that has no map.
    Map { source: String, error: MapError },
    /// A figure that cannot be drawn.
    Figure(FigureError),
    /// A file with an unsupported extension.
    Ending { path: PathBuf, endings: String },
    /// A format that this build of the command does not write.
    #[allow(dead_code, reason = "not constructed in a build with all features")]
    Feature { path: PathBuf, feature: &'static str, endings: String },
    /// Standard output without a format.
    FormatOfStdout { formats: String },
    /// A format for standard output where the output is a file, or the reverse.
    RunFormat { format: &'static str, output: Option<PathBuf> },
    /// Bytes that are not text, for a terminal.
    BytesToTerminal { format: &'static str },
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
            Failure::Problem { source, error, text, option } => {
                write!(f, "{source}")?;
                if let Some(line) = error.line {
                    write!(f, ":{line}")?;
                }
                write!(f, ": {error}")?;
                if let Some(option) = option {
                    write!(f, " (changed by {option})")?;
                }
                match text {
                    Some(text) => f.write_str(&snippet(source, text, error)),
                    None => Ok(()),
                }
            }
            Failure::ChangedTwice { option, path } => {
                write!(f, "{option} and --set {path} both change {path}; give only one of them")
            }
            Failure::NoSuchCommand { name, commands } => {
                write!(f, "{name:?} is not a command of carom{}", did_you_mean(name, commands))?;
                write!(f, "; the commands are {}", commands.join(", "))
            }
            Failure::NoSuchModel { name } => {
                let names: Vec<&str> = carom::models::MODELS.iter().map(|model| model.name).collect();
                if Gallery::Impacts.find(name).is_some() || Gallery::Simulations.find(name).is_some() {
                    write!(f, "{name:?} is a scene, not a model: carom gallery {name} prints it")?;
                } else {
                    write!(f, "{name:?} is neither a file nor a built-in model{}", did_you_mean(name, &names))?;
                }
                write!(f, "; the built-in models are {}", names.join(", "))
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
                if *or_file && Path::new(name).extension().is_some() {
                    return write!(f, "{name:?} does not exist");
                }
                let (is, other, command) = match gallery {
                    Gallery::Impacts => ("a simulation, not an impact", Gallery::Simulations, "simulate"),
                    Gallery::Simulations => ("an impact, not a simulation", Gallery::Impacts, "impact"),
                };
                if other.find(name).is_some() {
                    write!(f, "{name:?} is {is}: use carom {command} {name}")?;
                } else {
                    let what = if *or_file { "neither a file nor a scene" } else { "not a scene" };
                    write!(f, "{name:?} is {what}{}", did_you_mean(name, &names))?;
                }
                write!(f, "; the scenes are {}", names.join(", "))
            }
            Failure::Signal { error } => write!(f, "cannot listen for interrupts: {error}"),
            Failure::Server { place, error } => match error.kind() {
                io::ErrorKind::AddrInUse => write!(
                    f,
                    "cannot serve the page at {place}: the port is taken; without --port a free one is chosen"
                ),
                _ => write!(f, "cannot serve the page at {place}: {error}"),
            },
            Failure::Page(error) => write!(f, "{error}"),
            Failure::Simulation { source, error } => write!(f, "{source}: {error}"),
            Failure::TooManySamples { source, until, interval, most } => write!(
                f,
                "{source}: interval = {interval:e} makes {:.1e} samples until {until} s, more than {most:e}: it must be \
                 {:e} or more",
                until / interval,
                until / most
            ),
            Failure::Stored(error) => write!(f, "{error}"),
            Failure::Provenance { source, error } => write!(f, "{source}: {error}"),
            Failure::Sweep { source, option: Some(option), error } => write!(f, "{source}: {option}: {error}"),
            Failure::Sweep { source, option: None, error } => write!(f, "{source}: {error}"),
            Failure::SweepFile(error) => write!(f, "{error}"),
            Failure::Picture(error) => write!(f, "{error}"),
            Failure::ChangedAndVaried { option, varied, path } => {
                write!(f, "{option} and {varied} both set {path}; give only one of them")
            }
            Failure::NotAFolder { option, output } => {
                write!(
                    f,
                    "{option} is only available for a folder of parts, and {} is a file: give -o FOLDER",
                    output.display()
                )
            }
            Failure::Variable { name, value, values } => {
                write!(f, "{name} = {value:?} in the environment is not one of {values}; unset it for the default")
            }
            Failure::Map { source, error } => write!(f, "{source}: {error}"),
            Failure::Figure(error) => write!(f, "{error}"),
            Failure::Ending { path, endings } => {
                write!(f, "cannot tell the format of {}: use the extension {endings}", path.display())
            }
            Failure::Feature { path, feature, endings } => write!(
                f,
                "{} cannot be written: this carom was built without the feature {feature}; build it with cargo install \
                 --path crates/carom-cli --features {feature}, or use the extension {endings}",
                path.display()
            ),
            Failure::FormatOfStdout { formats } => {
                write!(f, "cannot tell the format of standard output (-): give --format {formats}")
            }
            Failure::RunFormat { format, output: None } => {
                write!(
                    f,
                    "--format {format} is the format of a run on standard output: give -o - as well, or -o run.{format}"
                )
            }
            Failure::RunFormat { format, output: Some(path) } => write!(
                f,
                "--format {format} is the format of a run on standard output, and {} has the format of its extension",
                path.display()
            ),
            Failure::BytesToTerminal { format } => {
                write!(
                    f,
                    "{format} is not text and standard output is a terminal: redirect it, or use -o FILE.{format}"
                )
            }
            Failure::Width { ending } => {
                write!(f, "--width is the width of a .png in pixels, and not available for .{ending}")
            }
            Failure::Diagram { source, error } => write!(f, "{source}: {error}"),
            Failure::File { path, doing, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
        }
    }
}
