//! Contacts: what of a link touches a surface, and along which axes.

use super::feature::{ContactKind, Feature};
use crate::error::DynamicsError;
use crate::model::{LinkId, Model, PARALLEL};
use crate::{Rotation, Vector};

/// Normal and tangents of a surface: (n, t1, t2), all of length one.
///
/// t1 is the world axis least aligned with the normal (ties: x, y, z), projected into the surface; t2 = n × t1.
///
/// # Errors
/// A normal that is zero or not finite.
pub fn contact_basis(normal: impl Into<Vector>) -> Result<[Vector; 3], DynamicsError> {
    let normal = normal.into();
    if let Some(value) = normal.to_array().into_iter().find(|value| !value.is_finite()) {
        return Err(DynamicsError::ContactNotFinite { field: "normal", value });
    }
    let n = normal.normalized().ok_or(DynamicsError::ZeroNormal { normal: normal.to_array() })?;
    let [t1, t2, n] = Rotation::with_z_along(n).columns;
    Ok([n, t1, t2])
}

/// What of a link touches a surface: a point of it, a ball or a rim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    link: LinkId,
    /// The node that carries it, and the point or centre there.
    pub(crate) node: usize,
    pub(crate) point: Vector,
    /// Rows of the contact: the normal and the tangents.
    pub(crate) basis: [Vector; 3],
    pub(crate) dimension: usize,
    pub(crate) feature: Feature,
}

impl ContactPoint {
    /// A point of a link, in the link's frame, against a surface with a normal that points away from it.
    ///
    /// The contact is planar where the model is and the normal lies in its plane: it then has one tangent, the
    /// direction in the plane, counted along t1 of [`contact_basis`], or along t2 where t1 is out of the plane.
    /// Otherwise it is spatial.
    ///
    /// # Errors
    /// A normal without direction, or a point that is not finite.
    pub fn new(
        model: &Model,
        link: LinkId,
        point: impl Into<Vector>,
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        Ok(Self::spatial(model, link, point, normal)?.flattened(model))
    }

    /// The origin of a link or frame, by its name; otherwise as [`ContactPoint::new`].
    ///
    /// # Errors
    /// Neither a link nor a frame has that name, or as [`ContactPoint::new`].
    pub fn at_place(model: &Model, name: &str, normal: impl Into<Vector>) -> Result<Self, DynamicsError> {
        let Some((link, placement)) = model.find_place(name) else {
            return Err(DynamicsError::UnknownPlace { place: name.to_owned() });
        };
        Self::new(model, link, placement.translation, normal)
    }

    /// The same with two tangents, whatever the model.
    ///
    /// # Errors
    /// A normal without direction, or a point that is not finite.
    pub fn spatial(
        model: &Model,
        link: LinkId,
        point: impl Into<Vector>,
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        let point = finite("point", point.into())?;
        let basis = contact_basis(normal)?;
        let count = model.links().len();
        let carrier =
            model.links().get(link.index()).ok_or(DynamicsError::UnknownLink { index: link.index(), count })?;
        let point = carrier.on_node.apply(point);
        Ok(Self { link, node: carrier.node, point, basis, dimension: 3, feature: Feature::Point })
    }

    /// A ball of a link, about a centre in the link's frame: it touches at centre - radius · normal, and rolls.
    ///
    /// Planar or spatial as [`ContactPoint::new`] says. In a planar model this is also a disc whose axis is out of the
    /// plane.
    ///
    /// # Errors
    /// As for [`ContactPoint::new`], and a radius that is negative or not finite.
    pub fn ball(
        model: &Model,
        link: LinkId,
        center: impl Into<Vector>,
        radius: f64,
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        let radius = checked_radius(radius)?;
        Ok(Self { feature: Feature::Ball { radius }, ..Self::new(model, link, center, normal)? })
    }

    /// A circle of a link, about an axis of any length but zero through a centre, both in the link's frame: it touches
    /// at the point that is lowest against the normal n, centre - radius · w/|w| with w = n - (n·a) a, and rolls.
    ///
    /// Planar or spatial as [`ContactPoint::new`] says. Where the axis is along the normal the whole circle is lowest:
    /// see [`Dynamics::rim_sine`](crate::Dynamics::rim_sine).
    ///
    /// # Errors
    /// As for [`ContactPoint::ball`], and an axis without direction.
    pub fn rim(
        model: &Model,
        link: LinkId,
        center: impl Into<Vector>,
        axis: impl Into<Vector>,
        radius: f64,
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        let radius = checked_radius(radius)?;
        let axis = finite("axis", axis.into())?;
        let axis = axis.normalized().ok_or(DynamicsError::ZeroAxis { axis: axis.to_array() })?;
        let contact = Self::new(model, link, center, normal)?;
        let axis = model.link(link).on_node.rotation.apply(axis);
        Ok(Self { feature: Feature::Rim { radius, axis }, ..contact })
    }

    /// With the one tangent in the plane, where the model and the normal are in one.
    fn flattened(self, model: &Model) -> Self {
        let [n, t1, t2] = self.basis;
        let Some(out_of_plane) = model.plane().filter(|plane| plane.dot(n).abs() <= PARALLEL) else { return self };
        let Some(along) = out_of_plane.cross(n).normalized() else { return self };
        let agrees = if along.dot(t1).abs() > PARALLEL { along.dot(t1) } else { along.dot(t2) };
        let tangent = if agrees < 0.0 { -along } else { along };
        Self { basis: [n, tangent, n.cross(tangent)], dimension: 2, ..self }
    }

    /// With two tangents, whatever the model.
    pub fn with_two_tangents(mut self) -> Self {
        let [t1, t2, n] = Rotation::with_z_along(self.basis[0]).columns;
        self.basis = [n, t1, t2];
        self.dimension = 3;
        self
    }

    /// With fewer rows: 1 keeps the normal alone, 2 the first tangent too. More than it has changes nothing.
    pub fn with_dimension(mut self, dimension: usize) -> Self {
        self.dimension = dimension.clamp(1, self.dimension);
        self
    }

    /// The link.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// What touches.
    pub fn kind(&self) -> ContactKind {
        self.feature.kind()
    }

    /// Of a ball or rim, m; zero for a point.
    pub fn radius(&self) -> f64 {
        self.feature.radius()
    }

    /// How many rows it has: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Normal and tangents: as many as there are rows count.
    pub fn basis(&self) -> [Vector; 3] {
        self.basis
    }
}

fn finite(field: &'static str, vector: Vector) -> Result<Vector, DynamicsError> {
    match vector.to_array().into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(DynamicsError::ContactNotFinite { field, value }),
        None => Ok(vector),
    }
}

fn checked_radius(radius: f64) -> Result<f64, DynamicsError> {
    if radius >= 0.0 && radius.is_finite() { Ok(radius) } else { Err(DynamicsError::ContactRadius { radius }) }
}
