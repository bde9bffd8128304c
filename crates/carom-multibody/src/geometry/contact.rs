//! Contacts: a feature of a link that touches a surface, with the contact's normal and tangents.

use super::feature::{ContactKind, Feature};
use super::outline::plane_on_link;
use crate::error::DynamicsError;
use crate::model::{LinkId, Model, PARALLEL};
use crate::{Placement, Rotation, Vector};

/// Unit normal and tangents of a surface: (n, t1, t2).
///
/// t1 is the world axis least aligned with the normal (ties: x, y, z), projected into the surface; t2 = n × t1.
///
/// # Errors
/// The normal is zero or not finite.
pub fn contact_basis(normal: impl Into<Vector>) -> Result<[Vector; 3], DynamicsError> {
    let normal = normal.into();
    if let Some(value) = normal.to_array().into_iter().find(|value| !value.is_finite()) {
        return Err(DynamicsError::ContactNotFinite { field: "normal", value });
    }
    let n = normal.normalized().ok_or(DynamicsError::ZeroNormal { normal: normal.to_array() })?;
    let [t1, t2, n] = Rotation::with_z_along(n).columns;
    Ok([n, t1, t2])
}

/// The feature of a link that touches a surface: a point, a ball, a rim or an ellipsoid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    link: LinkId,
    /// The node that carries it, and the point or centre in the node's frame.
    pub(crate) node: usize,
    pub(crate) point: Vector,
    /// Number of rows of the contact: the normal and the tangents.
    pub(crate) basis: [Vector; 3],
    pub(crate) dimension: usize,
    pub(crate) feature: Feature,
}

impl ContactPoint {
    /// A point of a link, in the link's frame. The normal points out of the surface, towards the robot.
    ///
    /// The contact is planar if the model is planar and the normal lies in its plane: it then has one tangent, the
    /// direction in the plane, oriented along t1 of [`contact_basis`], or along t2 where t1 is out of the plane.
    /// Otherwise it is spatial.
    ///
    /// # Errors
    /// The normal is zero, or a number is not finite.
    pub fn new(
        model: &Model,
        link: LinkId,
        point: impl Into<Vector>,
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        Ok(Self::spatial(model, link, point, normal)?.flattened(model))
    }

    /// The origin of the link or frame with this name; otherwise as [`ContactPoint::new`].
    ///
    /// # Errors
    /// No link and no frame has this name, or as for [`ContactPoint::new`].
    pub fn at_place(model: &Model, name: &str, normal: impl Into<Vector>) -> Result<Self, DynamicsError> {
        let Some((link, placement)) = model.find_place(name) else {
            return Err(DynamicsError::UnknownPlace { place: name.to_owned() });
        };
        Self::new(model, link, placement.translation, normal)
    }

    /// This contact in a [part](Model::part) of its model that contains the link. Its dimension remains that in the
    /// whole model.
    ///
    /// # Panics
    /// If the part has fewer links than the contact's link index requires.
    pub fn in_part(self, part: &Model) -> Self {
        Self { node: part.link(self.link).node, ..self }
    }

    /// A point of a link as for [`ContactPoint::new`], but always with two tangents.
    ///
    /// # Errors
    /// The normal is zero, or a number is not finite.
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

    /// A ball of a link with a centre in the link's frame: it touches at centre - radius · normal, and rolls.
    ///
    /// Planar or spatial as for [`ContactPoint::new`]. In a planar model this is also a disc whose axis is normal to
    /// the plane.
    ///
    /// # Errors
    /// As for [`ContactPoint::new`], or the radius is negative or not finite.
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

    /// A circle of a link about an axis of any nonzero length through a centre, both in the link's frame: it touches
    /// at its lowest point along the normal n, centre - radius · w/|w| with w = n - (n·a) a, and rolls.
    ///
    /// Planar or spatial as for [`ContactPoint::new`]. If the axis is parallel to the normal there is no single lowest
    /// point: see [`Dynamics::rim_sine`](crate::Dynamics::rim_sine).
    ///
    /// # Errors
    /// As for [`ContactPoint::ball`], or the axis is zero.
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

    /// An ellipsoid of a link, with half axes along the axes of a placement in the link's frame. It touches at its lowest
    /// point along the normal n, centre - S n/sqrt(n·S n) with S = R diag(half²) Rᵀ, and rolls. Half axes may be
    /// zero: one gives a disc, two a rod.
    ///
    /// Planar or spatial as for [`ContactPoint::new`]; the touching point of a planar contact lies in the plane of the centre.
    ///
    /// # Errors
    /// As for [`ContactPoint::new`]; or a half axis is negative or not finite.
    pub fn ellipsoid(
        model: &Model,
        link: LinkId,
        placement: &Placement,
        half: [f64; 3],
        normal: impl Into<Vector>,
    ) -> Result<Self, DynamicsError> {
        for radius in half {
            checked_radius(radius)?;
        }
        let contact = Self::new(model, link, placement.translation, normal)?;
        let on_node = model.link(link).on_node.rotation * placement.rotation;
        let out_of_plane = (contact.dimension == 2).then(|| plane_on_link(model, link, contact.basis[0])).flatten();
        let out_of_plane = out_of_plane.map(|plane| model.link(link).on_node.rotation.apply(plane));
        let axis = |k: usize| {
            let axis = half[k] * on_node.columns[k];
            out_of_plane.map_or(axis, |plane| axis.plus(-plane.dot(axis), plane))
        };
        Ok(Self { feature: Feature::Ellipsoid { axes: [axis(0), axis(1), axis(2)] }, ..contact })
    }

    /// With only the tangent in the plane, if the model is planar and the normal lies in its plane.
    fn flattened(self, model: &Model) -> Self {
        let [n, t1, t2] = self.basis;
        let Some(out_of_plane) = model.plane().filter(|plane| plane.dot(n).abs() <= PARALLEL) else { return self };
        let Some(along) = out_of_plane.cross(n).normalized() else { return self };
        let agrees = if along.dot(t1).abs() > PARALLEL { along.dot(t1) } else { along.dot(t2) };
        let tangent = if agrees < 0.0 { -along } else { along };
        Self { basis: [n, tangent, n.cross(tangent)], dimension: 2, ..self }
    }

    /// The contact with two tangents, whatever the model.
    pub fn with_two_tangents(mut self) -> Self {
        let [t1, t2, n] = Rotation::with_z_along(self.basis[0]).columns;
        self.basis = [n, t1, t2];
        self.dimension = 3;
        self
    }

    /// The contact with at most this many rows: 1 keeps only the normal, 2 also the first tangent.
    pub fn with_dimension(mut self, dimension: usize) -> Self {
        self.dimension = dimension.clamp(1, self.dimension);
        self
    }

    /// The link that carries the contact.
    pub fn link(&self) -> LinkId {
        self.link
    }

    /// The kind of feature that touches.
    pub fn kind(&self) -> ContactKind {
        self.feature.kind()
    }

    /// Radius of a ball or rim, m; zero for a point and for an ellipsoid, which has three half axes.
    pub fn radius(&self) -> f64 {
        self.feature.radius()
    }

    /// Number of rows: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Normal and tangents; only the first [`dimension`](Self::dimension) of them are rows of the contact.
    pub fn basis(&self) -> [Vector; 3] {
        self.basis
    }

    /// A vector in world axes, from its components along the normal and the tangents of the contact.
    pub fn to_world(&self, components: &[f64]) -> Vector {
        let rows = components.iter().zip(self.basis).take(self.dimension);
        rows.fold(Vector::ZERO, |sum, (component, axis)| sum + *component * axis)
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
