//! The dimension of a robot's contact as the law's enum. `carom-multibody` does not depend on the law and has a plain
//! number.

use carom_law::Dimension;
use carom_multibody::ContactPoint;

/// The dimension of a contact.
pub(crate) fn dimension_of(contact: &ContactPoint) -> Dimension {
    match contact.dimension() {
        1 => Dimension::Normal,
        2 => Dimension::Planar,
        _ => Dimension::Spatial,
    }
}
