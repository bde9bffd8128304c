//! The form of a geom.

/// The form of a geom.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    Plane,
    /// A height field.
    Field,
    Sphere {
        radius: f64,
    },
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Ellipsoid {
        half: [f64; 3],
    },
    Box {
        half: [f64; 3],
    },
    Mesh {
        name: String,
    },
    /// A primitive fitted to a mesh.
    Fitted(Fit),
}

/// A primitive that takes its size and pose from a mesh.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    pub(super) mesh: String,
    /// Its type.
    pub(super) kind: &'static str,
    /// Factor on all sizes.
    pub(super) scale: f64,
    /// Whether it is fitted to the bounds of the vertices along the principal axes, otherwise to the box of equal inertia.
    pub(super) by_bounds: bool,
}
