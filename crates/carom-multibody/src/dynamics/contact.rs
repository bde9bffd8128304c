//! The position of a contact in a state, and whether a contact belongs to the model.

use super::Dynamics;
use crate::error::{DynamicsError, FLAT};
use crate::geometry::{ContactPoint, Feature};
use crate::model::NO_NODE;
use crate::{Rotation, Vector};

impl Dynamics {
    /// World position of a contact's touching point; for a flat rim that of its centre.
    ///
    /// # Panics
    /// If the contact belongs to another model with more links.
    pub fn contact_position(&self, contact: &ContactPoint) -> Vector {
        self.center(contact) + contact.feature.reach(contact.basis[0], self.axes_of(contact))
    }

    /// Sine of the angle between a rim's axis and the normal; `None` for other contacts.
    ///
    /// As it goes to zero the lowest point moves ever faster around the rim. Below 1e-6 the rim counts as flat: its gap
    /// and position are those of its centre, and computing its terms is the error [`DynamicsError::FlatRim`].
    ///
    /// # Panics
    /// If the contact belongs to another model with more links.
    pub fn rim_sine(&self, contact: &ContactPoint) -> Option<f64> {
        contact.feature.sine(contact.basis[0], self.axes_of(contact))
    }

    /// World position of the centre.
    #[inline(always)]
    pub(super) fn center(&self, contact: &ContactPoint) -> Vector {
        if contact.node == NO_NODE {
            return contact.point;
        }
        let node = &self.nodes[contact.node];
        let root = self.model.tree.nodes[contact.node].root;
        node.rotation.apply(contact.point) + node.position + self.nodes[root].offset
    }

    /// Depth of the touching point below the centre.
    #[inline(always)]
    pub(super) fn depth(&self, contact: &ContactPoint) -> f64 {
        contact.feature.depth(contact.basis[0], self.axes_of(contact))
    }

    #[inline(always)]
    fn axes_of(&self, contact: &ContactPoint) -> &Rotation {
        if contact.node == NO_NODE { &Rotation::IDENTITY } else { &self.nodes[contact.node].rotation }
    }

    /// Vector from the carrying node's origin to the touching point. Not inlined, so that the passes of an impact stay
    /// as small as if all contacts were points.
    #[inline(never)]
    pub(super) fn arm(&self, contact: &ContactPoint) -> Vector {
        let rotation = &self.nodes[contact.node].rotation;
        let center = rotation.apply(contact.point);
        match contact.feature {
            Feature::Point => center,
            Feature::Ball { .. } | Feature::Rim { .. } | Feature::Ellipsoid { .. } => {
                center + contact.feature.reach(contact.basis[0], rotation)
            }
        }
    }

    /// Rejects a contact that cannot belong to this model, and a flat rim.
    #[inline(always)]
    pub(super) fn check_contact(&self, contact: &ContactPoint) -> Result<(), DynamicsError> {
        let (node, count) = (contact.node, self.nodes.len());
        if !(node < count || node == NO_NODE) {
            return Err(DynamicsError::OtherModel { node, count });
        }
        match contact.feature {
            Feature::Point | Feature::Ball { .. } | Feature::Ellipsoid { .. } => Ok(()),
            Feature::Rim { .. } => self.check_rim(contact),
        }
    }

    #[inline(never)]
    fn check_rim(&self, contact: &ContactPoint) -> Result<(), DynamicsError> {
        match self.rim_sine(contact).filter(|sine| *sine < FLAT) {
            Some(sine) => Err(DynamicsError::FlatRim { link: contact.link().index(), sine }),
            None => Ok(()),
        }
    }
}
