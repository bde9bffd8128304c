//! Several contacts at once: A, A v, (dA/dt) v and W.

use std::ops::Range;

use super::friction::JointFriction;
use super::limit::JointLimit;
use super::matrix::Matrix;
use super::meeting::Meeting;
use crate::Vector;
use crate::error::DynamicsError;
use crate::geometry::ContactPoint;
use crate::model::Model;

/// Several contacts, joint limits, dry friction of joints and meetings of two links, and workspace for their terms. Rows are
/// stacked in order: first the selected contacts, then the selected limits, frictions and meetings. Initially all are selected.
///
/// A contact, limit or friction touches one chain, whose entries are stored in the chain's order. A meeting touches two and has an
/// entry for every velocity.
#[derive(Debug, Clone)]
pub struct Contacts {
    pub(crate) points: Vec<ContactPoint>,
    pub(crate) limits: Vec<JointLimit>,
    pub(crate) frictions: Vec<JointFriction>,
    pub(crate) meetings: Vec<Meeting>,
    /// Indices of the selected contacts, limits, frictions and meetings, ascending.
    pub(crate) selected: Vec<usize>,
    /// The first row of each selected item, and the number of rows.
    pub(crate) starts: Vec<usize>,
    /// A, the stacked rows of all selected items.
    pub(crate) jacobian: Matrix,
    /// W = A M⁻¹ Aᵀ.
    pub(crate) delassus: Matrix,
    /// A v.
    pub(crate) velocity: Vec<f64>,
    /// dA/dt v.
    pub(crate) drift: Vec<f64>,
    /// `drift`, less the part due to the drift of the loops.
    pub(crate) held_drift: Vec<f64>,
    /// A in compact form: for each contact, the velocities of its chain in order (with space for all velocities; all of
    /// them for a meeting), and for each the entries of the contact's rows, side by side.
    pub(crate) columns: Vec<Vector>,
    /// D^-½ L⁻ᵀ Aᵀ, in the same layout. W consists of the products of its rows.
    pub(crate) reduced: Vec<Vector>,
}

/// An item with rows.
pub(crate) enum Item<'a> {
    Contact(&'a ContactPoint),
    Limit(&'a JointLimit),
    Friction(&'a JointFriction),
    Meeting(&'a Meeting),
}

impl Contacts {
    /// Workspace for contacts of a model.
    pub fn new(model: &Model, points: &[ContactPoint]) -> Self {
        Self::with_limits(model, points, &[])
    }

    /// Workspace for contacts and joint limits. A limit is a contact of one row, without tangents.
    pub fn with_limits(model: &Model, points: &[ContactPoint], limits: &[JointLimit]) -> Self {
        Self::with_meetings(model, points, limits, &[])
    }

    /// Workspace for contacts, joint limits and meetings of two links. A meeting describes its links in one state: in
    /// another [`Contacts::set_meeting`] has to come before the terms are computed.
    pub fn with_meetings(model: &Model, points: &[ContactPoint], limits: &[JointLimit], meetings: &[Meeting]) -> Self {
        Self::unselected(model, points, limits, &[], meetings).all_selected()
    }

    /// Workspace with nothing selected, which makes room for the most that is ever selected: the matrices of everything that could touch may
    /// be larger than any memory.
    pub fn unselected(
        model: &Model,
        points: &[ContactPoint],
        limits: &[JointLimit],
        frictions: &[JointFriction],
        meetings: &[Meeting],
    ) -> Self {
        let mut contacts = Self {
            points: points.to_vec(),
            limits: limits.to_vec(),
            frictions: frictions.to_vec(),
            meetings: meetings.to_vec(),
            selected: Vec::new(),
            starts: Vec::new(),
            jacobian: Matrix::zeros(0, model.nv()),
            delassus: Matrix::zeros(0, 0),
            velocity: Vec::new(),
            drift: Vec::new(),
            held_drift: Vec::new(),
            columns: Vec::new(),
            reduced: Vec::new(),
        };
        contacts.make_room();
        contacts
    }

    /// Adds the dry friction of joints, each with two rows: that of the pad, which is pressed on the joint, and that of the
    /// joint. All items are selected.
    #[must_use]
    pub fn with_friction(mut self, frictions: &[JointFriction]) -> Self {
        self.frictions = frictions.to_vec();
        self.all_selected()
    }

    fn all_selected(mut self) -> Self {
        self.selected = (0..self.first_meeting() + self.meetings.len()).collect();
        self.make_room();
        self
    }

    /// The index of the first meeting.
    #[inline(always)]
    pub(crate) fn first_meeting(&self) -> usize {
        self.points.len() + self.limits.len() + self.frictions.len()
    }

    /// Replaces a meeting by one in another state, with the same number of rows.
    ///
    /// # Errors
    /// There is no such meeting, or it has another number of rows.
    pub fn set_meeting(&mut self, index: usize, meeting: Meeting) -> Result<(), DynamicsError> {
        let count = self.meetings.len();
        let Some(present) = self.meetings.get_mut(index) else {
            return Err(DynamicsError::Selection { place: 0, index, count });
        };
        let (given, expected) = (meeting.dimension(), present.dimension());
        if given != expected {
            return Err(DynamicsError::Length { field: "directions of the meeting", given, expected });
        }
        *present = meeting;
        Ok(())
    }

    /// Restricts the rows to some contacts, limits, frictions and meetings, given by index: first those of the contacts, then those
    /// of the limits, the frictions and the meetings. Terms are zero until they are computed again; repeating the present selection keeps them. Does not
    /// allocate where as many rows were selected before.
    ///
    /// # Errors
    /// The indices are not ascending, or out of range. The selection is then unchanged.
    pub fn select(&mut self, selected: &[usize]) -> Result<(), DynamicsError> {
        let count = self.first_meeting() + self.meetings.len();
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

    /// Number of rows of an item.
    fn dimension(&self, index: usize) -> usize {
        match (self.points.get(index), index.checked_sub(self.first_meeting())) {
            (Some(contact), _) => contact.dimension(),
            (None, Some(meeting)) => self.meetings[meeting].dimension(),
            (None, None) if index >= self.points.len() + self.limits.len() => 2,
            (None, None) => 1,
        }
    }

    /// The k-th selected item.
    #[inline(always)]
    pub(crate) fn item(&self, k: usize) -> Item<'_> {
        let index = self.selected[k];
        if let Some(contact) = self.points.get(index) {
            return Item::Contact(contact);
        }
        if let Some(limit) = self.limits.get(index - self.points.len()) {
            return Item::Limit(limit);
        }
        match self.frictions.get(index - self.points.len() - self.limits.len()) {
            Some(friction) => Item::Friction(friction),
            None => Item::Meeting(&self.meetings[index - self.first_meeting()]),
        }
    }

    /// Lays out the rows of the selected items.
    fn make_room(&mut self) {
        let mut rows = 0;
        self.starts.clear();
        for &index in &self.selected {
            self.starts.push(rows);
            rows += self.dimension(index);
        }
        self.starts.push(rows);
        let columns = self.jacobian.columns();
        self.jacobian.resize(rows, columns);
        for vectors in [&mut self.columns, &mut self.reduced] {
            vectors.clear();
            vectors.resize(self.selected.len() * columns, Vector::ZERO);
        }
        self.delassus.resize(rows, rows);
        for numbers in [&mut self.velocity, &mut self.drift, &mut self.held_drift] {
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

    /// The dry frictions, selected or not.
    pub fn frictions(&self) -> &[JointFriction] {
        &self.frictions
    }

    /// The row of the pad of each selected friction, and the force that presses it.
    pub fn pads(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..self.selected.len()).filter_map(|k| match self.item(k) {
            Item::Friction(friction) => Some((self.starts[k], friction.bound)),
            _ => None,
        })
    }

    /// The meetings, selected or not.
    pub fn meetings(&self) -> &[Meeting] {
        &self.meetings
    }

    /// The selected indices: those of the contacts, from the number of contacts on those of the limits, then those of the
    /// frictions and the meetings.
    pub fn selected(&self) -> &[usize] {
        &self.selected
    }

    /// The rows of the k-th selected contact, limit, friction or meeting.
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

    /// W = A M⁻¹ Aᵀ; with loops that of the constrained mechanism.
    pub fn delassus(&self) -> &Matrix {
        &self.delassus
    }

    /// A v.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// (dA/dt) v: the rate of A v at zero joint accelerations, d/dt (A v) = A dv/dt + (dA/dt) v.
    ///
    /// For a point this is its acceleration. The touching point of a ball or rim moves over the link: A v is the
    /// velocity of the material there, and its rate is not the acceleration of the material.
    pub fn drift(&self) -> &[f64] {
        &self.drift
    }
}
