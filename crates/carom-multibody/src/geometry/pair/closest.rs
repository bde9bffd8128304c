//! The closest points of two solids.

use crate::Vector;

/// Where two solids are closest, or touch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Closest {
    /// Distance between the surfaces, m; negative where they overlap.
    pub gap: f64,
    /// Unit normal in world axes, from the second solid to the first.
    pub normal: Vector,
    /// The closest points on the first and on the second, in the world.
    pub points: [Vector; 2],
    /// The parts of the surfaces that these points are on.
    pub parts: [SurfacePart; 2],
}

impl Closest {
    /// The point at which impulses act on both: the midpoint, so that angular momentum is conserved.
    pub fn middle(&self) -> Vector {
        0.5 * (self.points[0] + self.points[1])
    }
}

/// The part of a solid's surface that is closest. When it changes, gap and normal are continuous, but the rate of the
/// normal is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SurfacePart {
    /// A flat face. Of a box: 2·axis, plus 1 on the negative side; of a cylinder: 0 or 1; of a hull: the triangle.
    Face(usize),
    /// An edge. Of a box: 4·axis, plus 2 and 1 for the negative sides of the two other axes; of a hull: 3·triangle + side.
    Edge(usize),
    /// A vertex. Of a box: 4, 2 and 1 for the negative sides of x, y and z; of a hull: its index.
    Vertex(usize),
    /// A ball, or a round end of a capsule.
    Ball,
    /// The side of a capsule or cylinder.
    Side,
    /// The rim of a cylinder: 0 at its positive end, 1 at its negative end.
    Rim(usize),
}

/// [`Closest`] of two cores, in the frame of the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoreClosest {
    /// Negative inside.
    pub(super) distance: f64,
    pub(super) normal: Vector,
    pub(super) points: [Vector; 2],
    pub(super) parts: [SurfacePart; 2],
}

/// Below this distance relative to the size, the direction between two points has lost its digits: at edges and
/// vertices, where it would be the normal, the axis of largest separation is used instead.
pub(super) const LOST: f64 = 1e-9;

/// The unit vector of a difference of two points; `None` if it is zero.
pub(super) fn direction(difference: Vector) -> Option<(Vector, f64)> {
    let length = difference.dot(difference).sqrt();
    (length > 0.0).then(|| ((1.0 / length) * difference, length))
}
