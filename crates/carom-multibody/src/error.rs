//! Errors in states and requests.

use crate::UNIT_TOLERANCE;

/// Sine of the angle between a rim's axis and the normal below which the rim counts as flat: its lowest point is then
/// undefined. Rounding rotates the direction to the lowest point by 1e-16 over the sine, at this bound by 1e-10.
pub(crate) const FLAT: f64 = 1e-6;

/// Why a state or request is invalid, or a result cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DynamicsError {
    /// A vector of the wrong length.
    #[error("{field} has {given} numbers, but the model needs {expected}")]
    Length {
        /// configuration, velocity, acceleration, force or impulse.
        field: &'static str,
        /// The given length.
        given: usize,
        /// The required length.
        expected: usize,
    },
    /// A number is not finite.
    #[error("{field}[{index}] = {value} is not finite")]
    NotFinite {
        /// configuration, velocity, acceleration, force or impulse.
        field: &'static str,
        /// Its index.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A quaternion is not of unit length.
    #[error("the quaternion of joint {joint:?} has norm {norm}, which must be 1 within {UNIT_TOLERANCE:e}")]
    NotUnit {
        /// The joint.
        joint: String,
        /// Its length.
        norm: f64,
    },
    /// A motion without inertia.
    #[error(
        "the mass matrix is singular: no mass resists a motion of joint {joint:?} (pivot {pivot:e}, which must exceed rounding){}",
        undone(massless.as_deref())
    )]
    Singular {
        /// The joint.
        joint: String,
        /// The remaining inertia of the joint.
        pivot: f64,
        /// The link that the joint carries, if it has no mass of its own but links beyond it have: in this position they need not
        /// move with it.
        massless: Option<String>,
    },
    /// The result is beyond the range of `f64`.
    #[error("{field} is beyond the range of f64")]
    Overflow {
        /// The quantity that was to be computed.
        field: &'static str,
    },
    /// No link and no frame has the name.
    #[error("{place:?} is neither a link nor a frame of the model")]
    UnknownPlace {
        /// The name.
        place: String,
    },
    /// The link does not exist.
    #[error("link {index} does not exist: the model has {count} links, including the world")]
    UnknownLink {
        /// Its index.
        index: usize,
        /// The number of links.
        count: usize,
    },
    /// The contact was made for another model.
    #[error("the contact belongs to another model: it refers to node {node}, but this model has {count} nodes")]
    OtherModel {
        /// The node that it refers to.
        node: usize,
        /// The number of nodes of this model.
        count: usize,
    },
    /// A selection of contacts that is not ascending, or out of range.
    #[error(
        "selected[{place}] = {index} must be greater than the entry before it and less than {count}, the number of contacts, limits and meetings"
    )]
    Selection {
        /// Its position in the selection.
        place: usize,
        /// The selected index.
        index: usize,
        /// The number of contacts, limits and meetings.
        count: usize,
    },
    /// A loop of the model is open.
    #[error("loop {name:?} is open by {miss:e} of the loops' length (or rad), which must be {bound:e} or less")]
    OpenLoop {
        /// The loop.
        name: String,
        /// How far it is open, over the length scale of the loops, or in rad.
        miss: f64,
        /// The bound on it.
        bound: f64,
    },
    /// A velocity opens a loop of the model.
    #[error(
        "the velocity opens loop {name:?} at {rate:e} of the loops' length per second (or rad/s), which must be {bound:e} or less"
    )]
    MovingLoop {
        /// The loop.
        name: String,
        /// Its rate, over the length scale of the loops, or in rad/s.
        rate: f64,
        /// The bound on it.
        bound: f64,
    },
    /// No configuration with the stated joints closes a loop.
    #[error(
        "loop {name:?} cannot be closed: it stays open by {miss:e} of the loops' length (or rad){}",
        held_joints(held)
    )]
    CannotClose {
        /// The loop.
        name: String,
        /// How far it is open at best, over the length scale of the loops, or in rad.
        miss: f64,
        /// The joints that were held where they are.
        held: Vec<String>,
    },
    /// The normal is zero.
    #[error("the normal ({}, {}, {}) has no direction", normal[0], normal[1], normal[2])]
    ZeroNormal {
        /// The normal.
        normal: [f64; 3],
    },
    /// A point or vector of the contact is not finite.
    #[error("the contact's {field} = {value} is not finite")]
    ContactNotFinite {
        /// point, normal, axis or tangent.
        field: &'static str,
        /// Its value.
        value: f64,
    },
    /// The radius is negative or not finite.
    #[error("the contact's radius = {radius} must be finite and not negative")]
    ContactRadius {
        /// The radius.
        radius: f64,
    },
    /// The axis of a rim is zero.
    #[error("the rim's axis ({}, {}, {}) has no direction", axis[0], axis[1], axis[2])]
    ZeroAxis {
        /// The axis.
        axis: [f64; 3],
    },
    /// A rim lies flat, so that its lowest point is undefined.
    #[error(
        "the rim on link {link} lies flat on the surface and has no lowest point: the sine of its axis to the normal is \
         {sine:e}, must be {FLAT:e} or more"
    )]
    FlatRim {
        /// The index of the link.
        link: usize,
        /// Sine of the angle between the axis and the normal.
        sine: f64,
    },
}

fn held_joints(held: &[String]) -> String {
    match held {
        [] => String::new(),
        _ => format!(" with {} held as stated", held.join(", ")),
    }
}

/// Why links with mass beyond a joint may not resist its motion.
fn undone(massless: Option<&str>) -> String {
    massless.map_or_else(String::new, |link| {
        format!(
            ": link {link:?} has no mass of its own, and in this position the links beyond it need not move with it, as where the \
             outer two of three crossed hinges line up"
        )
    })
}
