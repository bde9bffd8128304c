//! Contacts: a point of a link against a surface, and the terms that an impact needs.

use super::{Dynamics, DynamicsError, Matrix};
use crate::model::{LinkId, Model, NO_NODE, PARALLEL};
use crate::spatial::Wrench;
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

/// A point of a link that touches a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    link: LinkId,
    /// The node that carries it, and the point there.
    pub(super) node: usize,
    pub(super) point: Vector,
    /// Rows of the contact: the normal and the tangents.
    pub(super) basis: [Vector; 3],
    pub(super) dimension: usize,
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
        let [n, t1, t2] = contact_basis(normal)?;
        let spatial = Self::spatial(model, link, point, n)?;
        let Some(out_of_plane) = model.plane() else { return Ok(spatial) };
        if out_of_plane.dot(n).abs() > PARALLEL {
            return Ok(spatial);
        }
        let Some(along) = out_of_plane.cross(n).normalized() else { return Ok(spatial) };
        let agrees = if along.dot(t1).abs() > PARALLEL { along.dot(t1) } else { along.dot(t2) };
        let tangent = if agrees < 0.0 { -along } else { along };
        Ok(Self { basis: [n, tangent, n.cross(tangent)], dimension: 2, ..spatial })
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
        let point = point.into();
        if let Some(value) = point.to_array().into_iter().find(|value| !value.is_finite()) {
            return Err(DynamicsError::ContactNotFinite { field: "point", value });
        }
        let basis = contact_basis(normal)?;
        let count = model.links().len();
        let carrier =
            model.links().get(link.index()).ok_or(DynamicsError::UnknownLink { index: link.index(), count })?;
        Ok(Self { link, node: carrier.node, point: carrier.on_node.apply(point), basis, dimension: 3 })
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

    /// How many rows it has: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Normal and tangents: as many as there are rows count.
    pub fn basis(&self) -> [Vector; 3] {
        self.basis
    }
}

/// Several contacts and room for their terms, rows stacked in order.
#[derive(Debug, Clone)]
pub struct Contacts {
    points: Vec<ContactPoint>,
    /// A, a row for each row of each contact.
    jacobian: Matrix,
    /// W = A M⁻¹ Aᵀ.
    delassus: Matrix,
    /// A v.
    velocity: Vec<f64>,
    /// dA/dt v.
    drift: Vec<f64>,
    /// Lᵀ-solved rows: W is the sum of their products.
    reduced: Matrix,
}

impl Contacts {
    /// Room for contacts of a model.
    pub fn new(model: &Model, points: &[ContactPoint]) -> Self {
        let rows = points.iter().map(ContactPoint::dimension).sum();
        Self {
            points: points.to_vec(),
            jacobian: Matrix::zeros(rows, model.freedoms()),
            delassus: Matrix::zeros(rows, rows),
            velocity: vec![0.0; rows],
            drift: vec![0.0; rows],
            reduced: Matrix::zeros(rows, model.freedoms()),
        }
    }

    /// The contacts.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// A.
    pub fn jacobian(&self) -> &Matrix {
        &self.jacobian
    }

    /// W = A M⁻¹ Aᵀ.
    pub fn delassus(&self) -> &Matrix {
        &self.delassus
    }

    /// A v.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// (dA/dt) v: the contacts' acceleration where no joint accelerates. The points are fixed to their links.
    pub fn drift(&self) -> &[f64] {
        &self.drift
    }
}

impl Dynamics {
    /// Where a contact's point is in the world.
    ///
    /// # Panics
    /// A contact of another model that has more links.
    pub fn contact_position(&self, contact: &ContactPoint) -> Vector {
        if contact.node == NO_NODE {
            return contact.point;
        }
        let root = self.model.tree.nodes[contact.node].root;
        self.arm(contact) + self.nodes[contact.node].position + self.nodes[root].offset
    }

    /// From the carrying node's origin to the point.
    #[inline(always)]
    pub(super) fn arm(&self, contact: &ContactPoint) -> Vector {
        self.nodes[contact.node].rotation.apply(contact.point)
    }

    /// Refuses a contact that cannot be of this model.
    #[inline(always)]
    pub(super) fn check_contact(&self, contact: &ContactPoint) -> Result<(), DynamicsError> {
        let (node, count) = (contact.node, self.nodes.len());
        if node < count || node == NO_NODE { Ok(()) } else { Err(DynamicsError::OtherModel { node, count }) }
    }

    /// Fills A, A v and (dA/dt) v.
    ///
    /// # Errors
    /// Contacts of another model.
    pub fn contact_kinematics(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        contacts.points.iter().try_for_each(|contact| self.check_contact(contact))?;
        if contacts.jacobian.columns() != self.velocity.len() {
            return Err(DynamicsError::Length {
                field: "contacts",
                given: contacts.jacobian.columns(),
                expected: self.velocity.len(),
            });
        }
        contacts.jacobian.fill_zero();
        self.accelerate_without_forces();
        let mut row = 0;
        for contact in &contacts.points {
            let rows = row..row + contact.dimension;
            if contact.node == NO_NODE {
                contacts.velocity[rows.clone()].fill(0.0);
                contacts.drift[rows.clone()].fill(0.0);
                row = rows.end;
                continue;
            }
            let arm = self.arm(contact);
            let twist = self.nodes[contact.node].twist;
            let velocity = twist.at(arm);
            // The point's own acceleration: the twist's rate, and that the point moves on.
            let drift = self.nodes[contact.node].acceleration.at(arm) + twist.angular.cross(velocity);
            for (direction, row) in contact.basis.into_iter().zip(rows.clone()) {
                contacts.velocity[row] = direction.dot(velocity);
                contacts.drift[row] = direction.dot(drift);
                let mut wrench = Wrench::force_at(direction, arm);
                for i in self.model.tree.path(contact.node) {
                    let node = &self.model.tree.nodes[i];
                    for k in 0..node.motion.freedoms() {
                        contacts.jacobian[(row, node.v + k)] +=
                            node.multiplier * self.axes[node.axis + k].twist.dot(&wrench);
                    }
                    wrench = wrench.moved(self.nodes[i].offset);
                }
            }
            row = rows.end;
        }
        Ok(())
    }

    /// Fills A, A v, (dA/dt) v and W.
    ///
    /// # Errors
    /// Contacts of another model, or a mass matrix that is singular.
    pub fn contact_terms(&mut self, contacts: &mut Contacts) -> Result<(), DynamicsError> {
        self.contact_kinematics(contacts)?;
        self.factorize()?;
        let Contacts { jacobian, delassus, reduced, .. } = contacts;
        reduced.copy_from(jacobian);
        for row in 0..reduced.rows() {
            self.forward_solve(reduced.row_mut(row));
        }
        for i in 0..reduced.rows() {
            for j in 0..=i {
                let product = self.reduced_product(reduced.row(i), reduced.row(j));
                delassus[(i, j)] = product;
                delassus[(j, i)] = product;
            }
        }
        Ok(())
    }
}
