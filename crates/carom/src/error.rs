//! Any error of carom.

use carom_multibody::load::LoadError;
use carom_multibody::{BuildError, CandidateError, DynamicsError, StateError};
use carom_report::PageError;
use carom_report::figure::FigureError;
use carom_report::sweep::SweepFileError;
use carom_scene::ProblemError;
use carom_sim::{SimulationError, StrikeError};
use carom_study::sweep::SweepError;
use carom_study::{DiagramError, MapError};

/// Any error of carom, one variant a crate: every error of these crates converts into it by `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The law refuses a number, or has no answer.
    #[error(transparent)]
    Law(#[from] carom_law::Error),
    /// A robot that cannot be read or built, a state that cannot be computed.
    #[error(transparent)]
    Multibody(#[from] carom_multibody::Error),
    /// An impact or a simulation of a robot.
    #[error(transparent)]
    Sim(#[from] carom_sim::Error),
    /// A document.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A map or a diagram.
    #[error(transparent)]
    Study(#[from] carom_study::Error),
    /// A figure, a page, a file.
    #[error(transparent)]
    Report(#[from] carom_report::Error),
}

/// A result of carom.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! convert {
    ($($inner:ty => $variant:ident),* $(,)?) => {
        $(impl From<$inner> for Error {
            fn from(error: $inner) -> Self {
                Self::$variant(error.into())
            }
        })*
    };
}

convert! {
    LoadError => Multibody,
    BuildError => Multibody,
    DynamicsError => Multibody,
    CandidateError => Multibody,
    StateError => Multibody,
    StrikeError => Sim,
    SimulationError => Sim,
    MapError => Study,
    DiagramError => Study,
    SweepError => Study,
    FigureError => Report,
    PageError => Report,
    SweepFileError => Report,
    carom_report::batch::Failure => Report,
    std::io::Error => Report,
}
