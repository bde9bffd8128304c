//! Several contacts at once: A, A v, (dA/dt) v and W.

use super::{ContactPoint, Dynamics, DynamicsError, Matrix, NodeState};
use crate::model::{Model, NO_NODE};
use crate::spatial::Wrench;

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

    /// (dA/dt) v: the rate of A v where no joint accelerates, d/dt (A v) = A dv/dt + (dA/dt) v.
    ///
    /// Of a point that is its acceleration. The touching point of a ball or rim moves on over the link: its velocity
    /// is that of the material there, and the rate of that is no acceleration of the material.
    pub fn drift(&self) -> &[f64] {
        &self.drift
    }
}

impl Dynamics {
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
            let NodeState { rotation, acceleration, .. } = &self.nodes[contact.node];
            let drift = contact.feature.drift(contact.basis[0], rotation, arm, &twist, acceleration);
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
