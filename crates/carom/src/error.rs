//! Any error of carom.

use carom_law::ErrorKind;
use carom_multibody::load::{LoadError, LoadErrorKind};
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

impl Error {
    /// The kind, as in files: those of problems, `simulation` for a run that cannot go on, and `file` for output that cannot
    /// be written.
    pub fn kind(&self) -> &'static str {
        match self.problem() {
            Some(problem) => problem.kind.name(),
            None => match self {
                Self::Report(_) => "file",
                _ => "simulation",
            },
        }
    }

    /// The field that is wrong, a dotted path such as `friction.dynamic`, if there is one.
    pub fn field(&self) -> Option<String> {
        match self {
            Self::Sim(carom_sim::Error::Simulation(error)) => match &**error {
                SimulationError::OutOfRange { field, .. }
                | SimulationError::Length { field, .. }
                | SimulationError::NotFinite { field, .. } => Some((*field).to_owned()),
                SimulationError::NoSuch { field, .. } => Some(field.clone()),
                _ => None,
            },
            _ => self.problem()?.field,
        }
    }

    /// The line of the document or of the robot's file, counted from 1, if known.
    pub fn line(&self) -> Option<usize> {
        self.problem()?.line
    }

    /// The error as one of a problem, if it is about a problem, a robot or a state.
    fn problem(&self) -> Option<ProblemError> {
        use carom_multibody::Error as Multibody;
        use carom_scene::document::Kind;
        let at = |kind: ErrorKind, field: &str| Some(ProblemError::at(Kind::Law(kind), field, self.to_string()));
        match self {
            Self::Law(error) => Some(error.clone().into()),
            Self::Problem(error) | Self::Study(carom_study::Error::Map(MapError::Problem(error))) => {
                Some(error.clone())
            }
            Self::Multibody(Multibody::Load(error)) => {
                let kind = if error.kind == LoadErrorKind::Read { Kind::File } else { Kind::Model };
                Some(ProblemError::document(kind, self.to_string(), error.line))
            }
            Self::Multibody(Multibody::Build(_)) => Some(ProblemError::at(Kind::Model, "model", self.to_string())),
            Self::Multibody(Multibody::Candidate(_)) => {
                Some(ProblemError::at(Kind::UnknownName, "contact.shape", self.to_string()))
            }
            Self::Multibody(Multibody::Dynamics(error)) => Some(error.clone().into()),
            Self::Multibody(Multibody::State(error)) => Some(error.clone().into()),
            Self::Sim(carom_sim::Error::Strike(error)) => match &**error {
                StrikeError::Dynamics(error) => Some(error.clone().into()),
                StrikeError::Law(error) => Some(error.clone().into()),
            },
            Self::Sim(carom_sim::Error::Simulation(error)) => match &**error {
                SimulationError::OutOfRange { field, .. } => at(ErrorKind::OutOfRange, field),
                SimulationError::NotFinite { field, .. } => at(ErrorKind::NotFinite, field),
                SimulationError::Length { field, .. } => at(ErrorKind::Shape, field),
                SimulationError::NoSuch { field, .. } => at(ErrorKind::OutOfRange, field),
                _ => None,
            },
            Self::Sim(_) | Self::Report(_) => None,
            Self::Study(carom_study::Error::Map(error)) => match error {
                MapError::Resolution { .. } => at(ErrorKind::OutOfRange, "resolution"),
                MapError::Range { .. } | MapError::RangeSyntax { .. } => at(ErrorKind::OutOfRange, "range"),
                MapError::Law { .. } => at(ErrorKind::Unsupported, "law"),
                _ => at(ErrorKind::Unsupported, "contact"),
            },
            Self::Study(carom_study::Error::Sweep(error)) => sweep_problem(error),
            Self::Study(_) => at(ErrorKind::Unsupported, "contact"),
            // New kinds of errors are those of what the user gave.
            #[allow(unreachable_patterns, reason = "the enums of other crates may grow")]
            _ => None,
        }
    }
}

/// An error of a sweep as one of a problem: of a key that varies, or of an argument of the sweep.
fn sweep_problem(error: &SweepError) -> Option<ProblemError> {
    use carom_scene::document::Kind;
    let at = |kind: Kind, field: &str| Some(ProblemError::at(kind, field, error.to_string()));
    match error {
        SweepError::Problem(problem) => Some(problem.clone()),
        SweepError::Key { key, error: problem } => at(problem.kind, key),
        SweepError::SetTwice { one, .. } => at(Kind::Conflict, one),
        SweepError::Samples { .. } | SweepError::TooMany { .. } => at(Kind::Law(ErrorKind::OutOfRange), "samples"),
        SweepError::UnknownColumn { .. } | SweepError::UnknownContact { .. } => at(Kind::UnknownName, "columns"),
        SweepError::Entry { .. } => at(Kind::Law(ErrorKind::OutOfRange), "columns"),
        SweepError::ColumnTwice { .. } => at(Kind::Conflict, "columns"),
        SweepError::ManyContacts { .. } => at(Kind::Law(ErrorKind::Unsupported), "columns"),
        SweepError::Part { .. } => at(Kind::Law(ErrorKind::OutOfRange), "part"),
        SweepError::Document { .. } => at(Kind::Syntax, "plan"),
        SweepError::RobotFile { .. } => at(Kind::File, "model"),
        SweepError::Simulation { .. } => None,
        #[allow(unreachable_patterns, reason = "the enums of other crates may grow")]
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn told(error: impl Into<Error>) -> (&'static str, Option<String>, Option<usize>) {
        let error = error.into();
        (error.kind(), error.field(), error.line())
    }

    #[test]
    fn every_error_has_a_kind_and_names_the_field() {
        let friction = carom_law::Friction::new(-0.1).unwrap_err();
        assert_eq!(told(friction), ("out_of_range", Some("friction".into()), None));
        let missing = carom_multibody::load::file("no such robot", &Default::default()).unwrap_err();
        assert_eq!(told(missing), ("file", None, None));
        let broken = carom_multibody::load::text("<robot>\n<link/></robot>", "x".as_ref(), &Default::default());
        let (kind, _, line) = told(broken.unwrap_err());
        assert_eq!((kind, line.is_some()), ("model", true));
        let range = "1:2:3".parse::<carom_study::Range>().unwrap_err();
        assert_eq!(told(range), ("out_of_range", Some("range".into()), None));
        let setup = carom_scene::gallery::simulation("ball").unwrap();
        let mut simulation = carom_sim::Simulation::new(setup).unwrap();
        let until = simulation.set_until(f64::NAN).unwrap_err();
        assert_eq!(told(until), ("out_of_range", Some("until".into()), None));
        let forces = simulation.hold_forces(&[]).unwrap_err();
        assert_eq!(told(forces), ("shape", Some("forces".into()), None));
        let state = simulation.set_state(&[], &[]).unwrap_err();
        assert_eq!(told(state).0, "simulation");
    }
}
