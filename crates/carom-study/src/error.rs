//! Why there is no map, and why there is no diagram.

use carom_scene::ProblemError;

use crate::map::Quantity;

/// What stands in the way of a map.
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
    #[error("the contact has dimension 1: without friction it sticks everywhere, and there is nothing to map")]
    Frictionless,
    /// A singular Delassus matrix under a map over states.
    #[error(
        "the Delassus matrix is singular: only some tangential velocities can occur, so there is no map over states"
    )]
    Singular,
    /// Another law than the one whose curves are drawn.
    #[error("law = {name:?} has no map: only \"aghili\" has")]
    Law {
        /// The law's name.
        name: &'static str,
    },
    /// A resolution out of bounds.
    #[error("resolution = {value} is outside [{low}, {high}]")]
    Resolution {
        /// What was asked for.
        value: usize,
        /// The least.
        low: usize,
        /// The most.
        high: usize,
    },
    /// A range out of bounds.
    #[error("range of {}: {}:{} is not an increasing pair in {bound}", .quantity.name(), .value[0], .value[1])]
    Range {
        /// The axis.
        quantity: Quantity,
        /// What was asked for.
        value: [f64; 2],
        /// Where both ends must lie.
        bound: &'static str,
    },
    /// A text that is no range.
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
}
