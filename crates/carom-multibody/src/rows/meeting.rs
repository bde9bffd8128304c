//! Rows of two chains: how two links move relative to each other at one place.

use crate::Vector;
use crate::error::DynamicsError;
use crate::model::{LinkId, Model};

/// One place of two links in one state, and up to three directions there. Its rows of A give the velocity of the first
/// link's material relative to the second's, along the directions: b·(v₁(p) - v₂(p)), or of its rotation, b·(ω₁ - ω₂).
///
/// Both links are taken at the same point, so joints that carry both have no entry: A has exact zeros there, and no
/// rounding moves the joints that carry both links. Point and directions may move in any way; with their rates the
/// drift is the rate of A v at zero joint accelerations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    links: [LinkId; 2],
    pub(crate) nodes: [usize; 2],
    /// The first link's origin in its node's frame.
    pub(crate) origin: Vector,
    /// From the first link's origin to the point, in world axes, and the velocity of the point.
    pub(crate) arm: Vector,
    pub(crate) point_rate: Vector,
    /// In world axes.
    pub(crate) directions: [Vector; 3],
    pub(crate) direction_rates: [Vector; 3],
    pub(crate) dimension: usize,
    pub(crate) is_angular: bool,
}

impl Meeting {
    /// Three rows along directions of any length, in world axes, at the point `arm` from the first link's origin, also in
    /// world axes: relative positions keep their digits far from the world's origin. Point and directions are at rest.
    ///
    /// # Errors
    /// A link that the model does not have.
    pub fn new(
        model: &Model,
        first: LinkId,
        second: LinkId,
        arm: Vector,
        directions: [Vector; 3],
    ) -> Result<Self, DynamicsError> {
        let count = model.links().len();
        let find = |link: LinkId| {
            model.links().get(link.index()).ok_or(DynamicsError::UnknownLink { index: link.index(), count })
        };
        let (carrier, other) = (find(first)?, find(second)?);
        Ok(Self {
            links: [first, second],
            nodes: [carrier.node, other.node],
            origin: carrier.on_node.translation,
            arm,
            point_rate: Vector::ZERO,
            directions,
            direction_rates: [Vector::ZERO; 3],
            dimension: 3,
            is_angular: false,
        })
    }

    /// With the velocity of the point and the rates of the directions, in world axes. They enter the drift only.
    pub fn moving(mut self, point_rate: Vector, direction_rates: [Vector; 3]) -> Self {
        (self.point_rate, self.direction_rates) = (point_rate, direction_rates);
        self
    }

    /// With rows of the relative angular velocity.
    pub fn turning(mut self) -> Self {
        self.is_angular = true;
        self
    }

    /// With the first directions only, at least one.
    pub fn with_dimension(mut self, dimension: usize) -> Self {
        self.dimension = dimension.clamp(1, self.dimension);
        self
    }

    /// The two links.
    pub fn links(&self) -> [LinkId; 2] {
        self.links
    }

    /// Number of rows: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The directions; only the first [`dimension`](Self::dimension) of them are rows.
    pub fn directions(&self) -> [Vector; 3] {
        self.directions
    }

    /// A vector in world axes, from its components along the directions.
    pub fn to_world(&self, components: &[f64]) -> Vector {
        let rows = components.iter().zip(self.directions).take(self.dimension);
        rows.fold(Vector::ZERO, |sum, (component, axis)| sum + *component * axis)
    }
}
