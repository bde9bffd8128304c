//! Convex solids, represented by a core and a radius around it.

use std::sync::Arc;

use super::error::PairError;
use crate::Vector;
use crate::mesh::Hull;
use crate::model::Geometry;

/// A convex solid: all points within a radius of its core, which is a point, a segment, a box, a cylinder or a hull. Sizes
/// are half sizes, and axes are along z, as in [`Geometry`].
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    pub(super) core: Core,
    pub(super) radius: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Core {
    Point,
    /// From -half_length to half_length along z.
    Segment {
        half_length: f64,
    },
    Box {
        half: [f64; 3],
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Hull(Arc<Hull>),
}

impl Solid {
    /// A point: a ball without a radius.
    pub const POINT: Self = Self { core: Core::Point, radius: 0.0 };

    /// A ball.
    ///
    /// # Errors
    /// The radius is negative or not finite.
    pub fn ball(radius: f64) -> Result<Self, PairError> {
        Ok(Self { core: Core::Point, radius: size("radius", radius)? })
    }

    /// A capsule; `half_length` is that of its axis, without the ends.
    ///
    /// # Errors
    /// A size is negative or not finite.
    pub fn capsule(radius: f64, half_length: f64) -> Result<Self, PairError> {
        let half_length = size("half_length", half_length)?;
        let core = if half_length > 0.0 { Core::Segment { half_length } } else { Core::Point };
        Ok(Self { core, radius: size("radius", radius)? })
    }

    /// A box.
    ///
    /// # Errors
    /// A size is not positive or not finite.
    pub fn cuboid(half: [f64; 3]) -> Result<Self, PairError> {
        for half in half {
            positive("half", half)?;
        }
        Ok(Self { core: Core::Box { half }, radius: 0.0 })
    }

    /// A cylinder.
    ///
    /// # Errors
    /// A size is not positive or not finite.
    pub fn cylinder(radius: f64, half_length: f64) -> Result<Self, PairError> {
        let (radius, half_length) = (positive("radius", radius)?, positive("half_length", half_length)?);
        Ok(Self { core: Core::Cylinder { radius, half_length }, radius: 0.0 })
    }

    /// A convex hull.
    pub fn hull(hull: Arc<Hull>) -> Self {
        Self { core: Core::Hull(hull), radius: 0.0 }
    }

    /// The solid of a shape's geometry.
    ///
    /// # Errors
    /// An ellipsoid, a plane or a mesh without a hull; or an invalid size.
    pub fn of(geometry: &Geometry) -> Result<Self, PairError> {
        match geometry {
            Geometry::Sphere { radius } => Self::ball(*radius),
            Geometry::Capsule { radius, half_length } => Self::capsule(*radius, *half_length),
            Geometry::Box { half } => Self::cuboid(*half),
            Geometry::Cylinder { radius, half_length } => Self::cylinder(*radius, *half_length),
            Geometry::Mesh { hull: Some(hull), .. } => Ok(Self::hull(Arc::clone(hull))),
            Geometry::Mesh { hull: None, .. } => Err(PairError::NotASolid { form: "a mesh without a hull" }),
            Geometry::Ellipsoid { .. } => Err(PairError::NotASolid { form: "an ellipsoid" }),
            Geometry::Plane => Err(PairError::NotASolid { form: "a plane" }),
        }
    }

    /// The kind of solid, in words.
    pub fn form(&self) -> &'static str {
        match self.core {
            Core::Point if self.radius == 0.0 => "a point",
            Core::Point => "a ball",
            Core::Segment { .. } => "a capsule",
            Core::Box { .. } => "a box",
            Core::Cylinder { .. } => "a cylinder",
            Core::Hull(_) => "a convex hull",
        }
    }

    /// Half of each side length of a box; `None` for other solids.
    pub fn half(&self) -> Option<[f64; 3]> {
        match self.core {
            Core::Box { half } => Some(half),
            _ => None,
        }
    }

    /// Half the length of a capsule's axis, along z; `None` for other solids.
    pub fn half_length(&self) -> Option<f64> {
        match self.core {
            Core::Segment { half_length } => Some(half_length),
            _ => None,
        }
    }

    /// The radius around its core: of a ball or capsule, otherwise zero.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Whether it touches the other at one point at a time, except for lines that lie on each other: true of a ball or
    /// point and any solid, and of two capsules.
    pub fn touches_at_a_point(&self, other: &Solid) -> bool {
        let is_point = |solid: &Solid| matches!(solid.core, Core::Point);
        let is_segment = |solid: &Solid| matches!(solid.core, Core::Segment { .. });
        is_point(self) || is_point(other) || (is_segment(self) && is_segment(other))
    }

    /// The largest distance of one of its points from the origin of its frame.
    pub fn reach(&self) -> f64 {
        let core = match &self.core {
            Core::Point => 0.0,
            Core::Segment { half_length } => *half_length,
            Core::Box { half } => Vector::from(*half).norm(),
            Core::Cylinder { radius, half_length } => radius.hypot(*half_length),
            Core::Hull(hull) => hull.vertices.iter().map(|vertex| vertex.norm()).fold(0.0, f64::max),
        };
        core + self.radius
    }
}

fn size(field: &'static str, value: f64) -> Result<f64, PairError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(PairError::Size { field, value, bound: "at least 0" })
    }
}

fn positive(field: &'static str, value: f64) -> Result<f64, PairError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(PairError::Size { field, value, bound: "above 0" }) }
}
