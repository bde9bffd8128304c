//! The rows of a robot's contact as the law counts them. Robots do not know the law: there a dimension is a number.

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
