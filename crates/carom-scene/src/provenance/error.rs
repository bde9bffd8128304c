//! Errors of provenance.

use std::path::PathBuf;

use crate::document::ProblemError;

/// Why a run cannot be repeated, or an impact of it not be studied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProvenanceError {
    /// The scene has no robot.
    #[error("the scene of the run names no robot")]
    NoRobot,
    /// The run's file does not contain everything that determines the run.
    #[error("the run cannot be repeated from its file: {why}")]
    NotRepeatable {
        /// The reason.
        why: String,
    },
    /// The robot's file is not where it was.
    #[error("the robot's file {} is missing: give its place with --robot FILE", path.display())]
    Missing {
        /// Where it was looked for first.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: String,
    },
    /// A file has changed since the run.
    #[error(
        "{} has changed since the run: its SHA-256 was {then} and is {now}; restore it, or give a copy of the original with --robot FILE",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The hash in the run.
        then: String,
        /// The hash now.
        now: String,
    },
    /// The robot includes other files than before.
    #[error(
        "the robot was read from {then} files in the run and from {now} now: its meshes or included files are missing"
    )]
    OtherFiles {
        /// Number of files in the run.
        then: usize,
        /// Number of files now.
        now: usize,
    },
    /// A built-in model of another version.
    #[error("the built-in model {name:?} of carom {carom} is not that of this version: use carom {carom}")]
    ChangedBuiltIn {
        /// Its name.
        name: String,
        /// The version that wrote the run.
        carom: String,
    },
    /// The scene cannot be read.
    #[error("the scene of the run: {0}")]
    Problem(Box<ProblemError>),
    /// There is no event with that number.
    #[error("there is no event {number}: {}", match count { 0 => "the run has no events".to_owned(), 1 => "the only event is 0".to_owned(), count => format!("the events are 0 to {}", count - 1) })]
    NoSuchEvent {
        /// The number, from 0.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// An event without an impact of its own.
    #[error("event {number} at t = {time} s is not an impact but {kind}: {why}{}", nearest_impact(*near))]
    NotAnImpact {
        /// The number, from 0.
        number: usize,
        /// Its time, s.
        time: f64,
        /// Its kind.
        kind: String,
        /// The meaning of that kind.
        why: &'static str,
        /// The nearest event that is an impact.
        near: Option<usize>,
    },
    /// The limit of a joint took part.
    #[error(
        "event {number}: the limit of joint {joint:?} took part in this impact, and limits of joints act in simulations only; choose an \
         event of contacts with surfaces"
    )]
    Limit {
        /// The number, from 0.
        number: usize,
        /// The joint.
        joint: String,
    },
    /// The file has no state at the time of the event.
    #[error(
        "event {number}: the file has no sample at t = {time} s, before the impact; write the run with -o as .json, .csv or .parquet, which \
         have all samples"
    )]
    NoState {
        /// The number, from 0.
        number: usize,
        /// Its time, s.
        time: f64,
    },
    /// No state of the file gives the impact of the run.
    #[error(
        "event {number}: no sample at t = {time} s gives the impulse of the run, the nearest differs by {part:.1e} of it: another impact came \
         before it at the same instant, whose state in between is not recorded{}", first_event(*first)
    )]
    NotReproduced {
        /// The number, from 0.
        number: usize,
        /// Its time, s.
        time: f64,
        /// The smallest difference, relative to the impulse.
        part: f64,
        /// The first impact of the instant, if it is another.
        first: Option<usize>,
    },
}

fn nearest_impact(near: Option<usize>) -> String {
    near.map_or_else(|| "; the run has no impacts".to_owned(), |near| format!("; the nearest impact is event {near}"))
}

fn first_event(first: Option<usize>) -> String {
    first.map_or_else(String::new, |first| format!("; the first of the instant is event {first}"))
}
