//! Half-spaces: the surfaces that robots touch.

use super::contact::contact_basis;
use crate::error::DynamicsError;
use crate::model::{Geometry, LinkId, Model, NO_NODE, ShapeId};
use crate::{Placement, Vector};

/// A solid half-space below a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace {
    /// A point on its plane.
    pub point: Vector,
    /// Unit normal, pointing out of the solid.
    pub normal: Vector,
}

impl HalfSpace {
    /// The half-space below the plane through a point; the normal points out of the solid and may have any nonzero
    /// length.
    ///
    /// # Errors
    /// The normal is zero, or a number is not finite.
    pub fn new(point: impl Into<Vector>, normal: impl Into<Vector>) -> Result<Self, DynamicsError> {
        let point = point.into();
        if let Some(value) = point.to_array().into_iter().find(|value| !value.is_finite()) {
            return Err(DynamicsError::ContactNotFinite { field: "point", value });
        }
        let [normal, _, _] = contact_basis(normal)?;
        Ok(Self { point, normal })
    }

    /// Signed distance of a point from the plane; negative inside.
    pub fn gap(&self, position: Vector) -> f64 {
        self.normal.dot(position - self.point)
    }
}

/// The half-spaces of a model: the planes fixed to the world, in the order of the links and their shapes.
///
/// Other shapes of the world are not included, since contacts with them are not supported.
pub fn half_spaces(model: &Model) -> Vec<HalfSpace> {
    planes(model).into_iter().map(|(_, half_space)| half_space).collect()
}

/// The half-spaces of a model, each with the shape that it is.
pub fn planes(model: &Model) -> Vec<(ShapeId, HalfSpace)> {
    let fixed = model.links().iter().enumerate().filter(|(_, link)| link.node == NO_NODE);
    let planes = fixed.flat_map(|(index, link)| {
        let planes = link.shapes.iter().enumerate().filter(|(_, shape)| shape.geometry == Geometry::Plane);
        planes.map(move |(place, shape)| ((LinkId::from_index(index), place), link.on_node * shape.placement))
    });
    let half_space = |place: Placement| HalfSpace { point: place.translation, normal: place.rotation.columns[2] };
    planes.map(|(shape, place)| (shape, half_space(place))).collect()
}
