//! Several contacts at once: A, A v, (dA/dt) v and W.

use std::ops::Range;

use super::limit::JointLimit;
use super::matrix::Matrix;
use crate::Vector;
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::Model;

/// Several contacts and limits of joints, and room for their terms, rows stacked in order: first the contacts, then the
/// limits, of each those that are selected. All are, at first.
#[derive(Debug, Clone)]
pub struct Contacts {
    pub(crate) points: Vec<ContactPoint>,
    pub(crate) limits: Vec<JointLimit>,
    /// Places among the contacts and limits, ascending.
    pub(crate) selected: Vec<usize>,
    /// The first row of each that is selected, and the number of rows.
    pub(crate) starts: Vec<usize>,
    /// A, a row for each row of each contact.
    pub(crate) jacobian: Matrix,
    /// W = A M⁻¹ Aᵀ.
    pub(crate) delassus: Matrix,
    /// A v.
    pub(crate) velocity: Vec<f64>,
    /// dA/dt v.
    pub(crate) drift: Vec<f64>,
    /// A again: for each contact, with room for all velocities, those of its chain in order, and of each what is in the
    /// contact's rows, side by side.
    pub(crate) columns: Vec<Vector>,
    /// D^-½ L⁻ᵀ Aᵀ, in the same order. W is the products of these.
    pub(crate) reduced: Vec<Vector>,
}

impl Contacts {
    /// Room for contacts of a model.
    pub fn new(model: &Model, points: &[ContactPoint]) -> Self {
        Self::with_limits(model, points, &[])
    }

    /// Room for contacts and limits of joints. A limit is a contact of one row, without tangents.
    pub fn with_limits(model: &Model, points: &[ContactPoint], limits: &[JointLimit]) -> Self {
        let mut contacts = Self {
            points: points.to_vec(),
            limits: limits.to_vec(),
            selected: (0..points.len() + limits.len()).collect(),
            starts: Vec::with_capacity(points.len() + limits.len() + 1),
            jacobian: Matrix::zeros(0, model.nv()),
            delassus: Matrix::zeros(0, 0),
            velocity: Vec::new(),
            drift: Vec::new(),
            columns: Vec::new(),
            reduced: Vec::new(),
        };
        contacts.make_room();
        contacts
    }

    /// Keeps the rows of some alone, by their places: those of the contacts, then those of the limits. Terms are zero
    /// until they are asked for again; the same selection as before keeps them. Nothing allocates.
    ///
    /// # Errors
    /// Places that are not ascending, or of nothing that is there. The selection is then as it was.
    pub fn select(&mut self, selected: &[usize]) -> Result<(), DynamicsError> {
        let count = self.points.len() + self.limits.len();
        for (place, &index) in selected.iter().enumerate() {
            if index >= count || place > 0 && index <= selected[place - 1] {
                return Err(DynamicsError::Selection { place, index, count });
            }
        }
        if selected != self.selected {
            self.selected.clear();
            self.selected.extend_from_slice(selected);
            self.make_room();
        }
        Ok(())
    }

    /// Rows for what is selected.
    fn make_room(&mut self) {
        let mut rows = 0;
        self.starts.clear();
        for &index in &self.selected {
            self.starts.push(rows);
            rows += self.points.get(index).map_or(1, ContactPoint::dimension);
        }
        self.starts.push(rows);
        let columns = self.jacobian.columns();
        self.jacobian.resize(rows, columns);
        for vectors in [&mut self.columns, &mut self.reduced] {
            vectors.clear();
            vectors.resize(self.selected.len() * columns, Vector::ZERO);
        }
        self.delassus.resize(rows, rows);
        for numbers in [&mut self.velocity, &mut self.drift] {
            numbers.clear();
            numbers.resize(rows, 0.0);
        }
    }

    /// The contacts, selected or not.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points
    }

    /// The limits, selected or not.
    pub fn limits(&self) -> &[JointLimit] {
        &self.limits
    }

    /// What is selected: places among the contacts, and from their number on among the limits.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }

    /// The rows of the k-th that is selected.
    ///
    /// # Panics
    /// k at or beyond the number selected.
    pub fn rows(&self, k: usize) -> Range<usize> {
        self.starts[k]..self.starts[k + 1]
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
