//! Shapes of links, for contacts.

use std::sync::Arc;

use super::ShapeContact;
use crate::Placement;
use crate::mesh::Hull;

/// A shape fixed to a link. Sizes are half sizes; the axis of capsules and cylinders is z.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its placement on the link.
    pub placement: Placement,
    /// Its geometry.
    pub geometry: Geometry,
    /// What the robot's file says of its contacts, if anything: see [`Model::pair_rule`](crate::Model::pair_rule).
    pub contact: Option<ShapeContact>,
}

impl Shape {
    /// Whether it can touch a half-space: all can except planes and meshes without a hull.
    pub fn can_touch(&self) -> bool {
        !matches!(self.geometry, Geometry::Plane | Geometry::Mesh { hull: None, .. })
    }
}

/// The geometry of a shape, lengths in m.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half of each side length.
        half: [f64; 3],
    },
    /// A cylinder with hemispheres at its ends.
    Capsule {
        /// Radius.
        radius: f64,
        /// Half the length of the cylinder.
        half_length: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half the length.
        half_length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The semi-axes.
        half: [f64; 3],
    },
    /// The half-space below z = 0.
    Plane,
    /// A mesh file, which is not read.
    Mesh {
        /// The name given in the file.
        file: String,
        /// Its convex hull, where the loader was asked for it and could read the mesh.
        hull: Option<Arc<Hull>>,
    },
}
