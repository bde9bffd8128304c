//! Errors of closest points of two solids.

/// Why a pair of solids has no gap and no normal.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// A geometry that is not one of the convex solids.
    #[error("{form} cannot touch another body: only balls, capsules, boxes, cylinders and convex hulls can")]
    NotASolid {
        /// The geometry.
        form: &'static str,
    },
    /// A size that is negative, zero or not finite.
    #[error("{field} = {value} must be {bound} and finite")]
    Size {
        /// The size.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        bound: &'static str,
    },
    /// Two solids whose closest points are not computed.
    #[error("{one} against {other} is not supported: {hint}")]
    NotSupported {
        /// The first solid.
        one: &'static str,
        /// The second solid.
        other: &'static str,
        /// What is supported instead.
        hint: &'static str,
    },
    /// Two solids overlap so far that there is no meaningful normal: the core of a round one is inside the other.
    #[error(
        "{one} and {other} overlap too deeply: the centre or axis of a round body is inside the other, {depth:e} m or more"
    )]
    TooDeep {
        /// The first solid.
        one: &'static str,
        /// The second solid.
        other: &'static str,
        /// How far they overlap at least, m.
        depth: f64,
    },
    /// A link or shape that the model does not have.
    #[error("shape {index} of link {link} does not exist")]
    UnknownShape {
        /// The index of the link.
        link: usize,
        /// The index of the shape on it.
        index: usize,
    },
    /// A placement is not finite.
    #[error("a placement of {form} is not finite")]
    NotFinite {
        /// The solid.
        form: &'static str,
    },
}
