//! What is wrong with a state or a request.

use crate::UNIT_TOLERANCE;

/// Sine of the angle between a rim's axis and the normal below which the rim lies flat: all of it is then lowest, and
/// its lowest point has no direction. Rounding turns the direction by 1e-16 over the sine, here by 1e-10.
pub(crate) const FLAT: f64 = 1e-6;

/// A state or request that cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// Too few or too many numbers.
    #[error("{field} has {given} numbers, the model needs {expected}")]
    Length {
        /// configuration, velocity, acceleration, force or impulse.
        field: &'static str,
        /// How many were given.
        given: usize,
        /// How many it needs.
        expected: usize,
    },
    /// A number that is not finite.
    #[error("{field}[{index}] = {value} is not finite")]
    NotFinite {
        /// configuration, velocity, acceleration, force or impulse.
        field: &'static str,
        /// Its place.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A quaternion that is not of length one.
    #[error("the quaternion of joint {joint:?} has length {norm}; it must be 1 within {UNIT_TOLERANCE:e}")]
    NotUnit {
        /// The joint.
        joint: String,
        /// Its length.
        norm: f64,
    },
    /// Motion without inertia.
    #[error(
        "the mass matrix is singular: nothing with mass resists joint {joint:?} alone (pivot {pivot:e}, must exceed rounding)"
    )]
    Singular {
        /// The joint.
        joint: String,
        /// What is left of its inertia.
        pivot: f64,
    },
    /// A result beyond the range of `f64`.
    #[error("{field} is beyond the range of f64")]
    Overflow {
        /// What was to be computed.
        field: &'static str,
    },
    /// A name that neither a link nor a frame has.
    #[error("{place:?} is neither a link nor a frame of the model")]
    UnknownPlace {
        /// The name.
        place: String,
    },
    /// A link that the model does not have.
    #[error("link {index} does not exist: the model has {count}, the world included")]
    UnknownLink {
        /// Its index.
        index: usize,
        /// How many links there are.
        count: usize,
    },
    /// A contact that was made for a model of another size.
    #[error("the contact is of another model: it is on part {node} of {count}")]
    OtherModel {
        /// Where it says that it is.
        node: usize,
        /// How many parts this model has.
        count: usize,
    },
    /// A selection of contacts that is not ascending, or of one that is not there.
    #[error("selected[{place}] = {index} must be above the one before it and below {count}, the number of contacts")]
    Selection {
        /// Its place in the selection.
        place: usize,
        /// The contact it names.
        index: usize,
        /// How many contacts there are.
        count: usize,
    },
    /// A normal without direction.
    #[error("the normal ({}, {}, {}) has no direction", normal[0], normal[1], normal[2])]
    ZeroNormal {
        /// The normal.
        normal: [f64; 3],
    },
    /// A point or surface that is not finite.
    #[error("the contact's {field} = {value} is not finite")]
    ContactNotFinite {
        /// point, normal, axis or tangent.
        field: &'static str,
        /// The number.
        value: f64,
    },
    /// A radius that is negative or not finite.
    #[error("the contact's radius = {radius} must be finite and not negative")]
    ContactRadius {
        /// The radius.
        radius: f64,
    },
    /// A rim's axis without direction.
    #[error("the rim's axis ({}, {}, {}) has no direction", axis[0], axis[1], axis[2])]
    ZeroAxis {
        /// The axis.
        axis: [f64; 3],
    },
    /// A rim that lies flat: no point of it is the lowest.
    #[error(
        "the rim on link {link} lies flat on the surface and has no lowest point: the sine of its axis to the normal is \
         {sine:e}, must be {FLAT:e} or more"
    )]
    FlatRim {
        /// The link's place among the model's links.
        link: usize,
        /// Sine of the angle between the axis and the normal.
        sine: f64,
    },
}
