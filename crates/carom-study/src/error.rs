//! Errors in making a map or a diagram.

use carom_scene::ProblemError;

use crate::map::Quantity;
use crate::sweep::SweepError;

/// Why a map cannot be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The problem cannot be solved.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The contact does not approach.
    #[error("the contact separates, v_n = {normal_velocity} >= 0: there is no impact to map")]
    Separating {
        /// `v_n⁻`
        normal_velocity: f64,
    },
    /// A contact of dimension 1.
    #[error("the contact has dimension 1: without friction it always sticks, and there is nothing to map")]
    Frictionless,
    /// The Delassus matrix is singular, which a map over states does not allow.
    #[error(
        "the Delassus matrix is singular: only some tangential velocities are possible, so there is no map over states"
    )]
    Singular,
    /// A law without maps.
    #[error("maps are only available for law = \"aghili\", not for law = {name:?}")]
    Law {
        /// The law's name.
        name: &'static str,
    },
    /// A resolution out of bounds.
    #[error("resolution = {value} is outside [{low}, {high}]")]
    Resolution {
        /// The given value.
        value: usize,
        /// The lower bound.
        low: usize,
        /// The upper bound.
        high: usize,
    },
    /// A range out of bounds.
    #[error("range of {}: {}:{} is not an increasing pair in {bound}", .quantity.name(), .value[0], .value[1])]
    Range {
        /// The axis.
        quantity: Quantity,
        /// The given value.
        value: [f64; 2],
        /// The interval that must contain both ends.
        bound: &'static str,
    },
    /// A text that is not a range.
    #[error("{text:?} is not a range: give MAX, MIN:MAX, or MIN:MAX,MIN:MAX for both axes")]
    RangeSyntax {
        /// The text.
        text: String,
    },
}

impl From<carom_law::Error> for MapError {
    fn from(error: carom_law::Error) -> Self {
        Self::Problem(error.into())
    }
}

/// Why there is no diagram.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DiagramError {
    /// A contact of dimension 1.
    #[error("the contact has dimension 1: without tangents its impulses are one number, and there is nothing to draw")]
    Frictionless,
    /// The contact does not approach.
    #[error("the contact separates, v_n = {normal_velocity} >= 0: there is no impulse to draw")]
    Separating {
        /// `v_n⁻`
        normal_velocity: f64,
    },
}

/// Any error of this crate, for callers who do not tell them apart: each converts into it by `?`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no map.
    #[error(transparent)]
    Map(#[from] MapError),
    /// There is no diagram.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// There is no sweep.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}
