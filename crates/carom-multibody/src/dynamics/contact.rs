//! Where a contact is in a state, and whether it can be one of the model's.

use super::Dynamics;
use crate::error::{DynamicsError, FLAT};
use crate::geometry::{ContactPoint, Feature};
use crate::model::NO_NODE;
use crate::{Rotation, Vector};

impl Dynamics {
    /// Where a contact's touching point is in the world; of a rim that lies flat its centre.
    ///
    /// # Panics
    /// A contact of another model that has more links.
    pub fn contact_position(&self, contact: &ContactPoint) -> Vector {
        self.center(contact) + contact.feature.reach(contact.basis[0], self.axes_of(contact))
    }

    /// Sine of the angle between a rim's axis and the normal; `None` for what is no rim.
    ///
    /// Towards zero the lowest point runs ever faster around the rim. Below 1e-6 the rim lies flat: its gap and
    /// position are those of its centre, and its terms are refused with [`DynamicsError::FlatRim`].
    ///
    /// # Panics
    /// A contact of another model that has more links.
    pub fn rim_sine(&self, contact: &ContactPoint) -> Option<f64> {
        contact.feature.sine(contact.basis[0], self.axes_of(contact))
    }

    /// Where the centre is in the world.
    #[inline(always)]
    pub(super) fn center(&self, contact: &ContactPoint) -> Vector {
        if contact.node == NO_NODE {
            return contact.point;
        }
        let node = &self.nodes[contact.node];
        let root = self.model.tree.nodes[contact.node].root;
        node.rotation.apply(contact.point) + node.position + self.nodes[root].offset
    }

    /// How far the touching point is below the centre.
    #[inline(always)]
    pub(super) fn depth(&self, contact: &ContactPoint) -> f64 {
        contact.feature.depth(contact.basis[0], self.axes_of(contact))
    }

    #[inline(always)]
    fn axes_of(&self, contact: &ContactPoint) -> &Rotation {
        if contact.node == NO_NODE { &Rotation::IDENTITY } else { &self.nodes[contact.node].rotation }
    }

    /// From the carrying node's origin to the touching point. A call, so that the passes of an impact stay as small as
    /// if all contacts were points.
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

    /// Refuses a contact that cannot be of this model, and a rim that lies flat.
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
