//! Any error of this crate.

use crate::error::DynamicsError;
use crate::geometry::CandidateError;
use crate::load::LoadError;
use crate::model::{BuildError, StateError};

/// Any error of this crate, for callers who do not tell them apart: each converts into it by `?`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A robot file that cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A model that cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A state or request that cannot be computed.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// A state by joint names that does not fit the model.
    #[error(transparent)]
    State(#[from] StateError),
    /// A shape that gives no contacts.
    #[error(transparent)]
    Candidate(#[from] CandidateError),
}
