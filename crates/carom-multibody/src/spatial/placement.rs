//! Placements: the pose of one frame in another.

use std::ops::Mul;

use super::{Rotation, Vector};

/// A frame's orientation and origin in another frame: x ↦ R x + p.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// R, the frame's axes.
    pub rotation: Rotation,
    /// p, the frame's origin.
    pub translation: Vector,
}

impl Placement {
    /// The identity.
    pub const IDENTITY: Self = Self { rotation: Rotation::IDENTITY, translation: Vector::ZERO };

    /// A rotation and a translation.
    pub fn new(rotation: Rotation, translation: impl Into<Vector>) -> Self {
        Self { rotation, translation: translation.into() }
    }

    /// A translation without rotation.
    pub fn at(translation: impl Into<Vector>) -> Self {
        Self::new(Rotation::IDENTITY, translation)
    }

    /// Maps a point from the placed frame to the outer frame.
    #[inline(always)]
    pub fn apply(&self, point: Vector) -> Vector {
        self.translation + self.rotation.apply(point)
    }

    /// The inverse placement: the outer frame in this frame.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.inverse();
        Self { rotation, translation: -rotation.apply(self.translation) }
    }
}

impl Mul for Placement {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { rotation: self.rotation * other.rotation, translation: self.apply(other.translation) }
    }
}
