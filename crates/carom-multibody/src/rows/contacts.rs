//! Several contacts at once: A, A v, (dA/dt) v and W.

use std::ops::Range;

use super::limit::JointLimit;
use super::matrix::Matrix;
use crate::Vector;
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::Model;

/// Several contacts and joint limits, and workspace for their terms. Rows are stacked in order: first the selected contacts,
/// then the selected limits. Initially all are selected.
#[derive(Debug, Clone)]
pub struct Contacts {
    pub(crate) points: Vec<ContactPoint>,
    pub(crate) limits: Vec<JointLimit>,
    /// Indices of the selected contacts and limits, ascending.
    pub(crate) selected: Vec<usize>,
    /// The first row of each selected contact or limit, and the number of rows.
    pub(crate) starts: Vec<usize>,
    /// A, the stacked rows of all selected contacts and limits.
    pub(crate) jacobian: Matrix,
    /// W = A M⁻¹ Aᵀ.
    pub(crate) delassus: Matrix,
    /// A v.
    pub(crate) velocity: Vec<f64>,
    /// dA/dt v.
    pub(crate) drift: Vec<f64>,
    /// A in compact form: for each contact, the velocities of its chain in order (with space for all velocities), and for each
    /// the entries of the contact's rows, side by side.
    pub(crate) columns: Vec<Vector>,
    /// D^-½ L⁻ᵀ Aᵀ, in the same layout. W consists of the products of its rows.
    pub(crate) reduced: Vec<Vector>,
}

impl Contacts {
    /// Workspace for contacts of a model.
    pub fn new(model: &Model, points: &[ContactPoint]) -> Self {
        Self::with_limits(model, points, &[])
    }

    /// Workspace for contacts and joint limits. A limit is a contact of one row, without tangents.
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

    /// Restricts the rows to some contacts and limits, given by index: first those of the contacts, then those of the limits.
    /// Terms are zero until they are computed again; repeating the present selection keeps them. Does not allocate.
    ///
    /// # Errors
    /// The indices are not ascending, or out of range. The selection is then unchanged.
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

    /// Lays out the rows of the selected contacts and limits.
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

    /// The selected indices: those of the contacts, and from the number of contacts on those of the limits.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }

    /// The rows of the k-th selected contact or limit.
    ///
    /// # Panics
    /// If k is not less than the number selected.
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

    /// (dA/dt) v: the rate of A v at zero joint accelerations, d/dt (A v) = A dv/dt + (dA/dt) v.
    ///
    /// For a point this is its acceleration. The touching point of a ball or rim moves over the link: A v is the velocity of
    /// the material there, and its rate is not the acceleration of the material.
    pub fn drift(&self) -> &[f64] {
        &self.drift
    }
}
