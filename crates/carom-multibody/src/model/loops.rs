//! Closed loops: conditions on two links or joints that hold at all times.

use super::{BuildError, LinkId, Model};
use crate::{Placement, Vector};

/// A closed loop, a condition without play, friction and restitution.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Unique among the loops.
    pub name: String,
    /// Its constraint.
    pub kind: LoopKind,
}

/// The constraint of a loop.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LoopKind {
    /// A point of one link coincides with a point of another; both in the frames of their links.
    Connect {
        /// The links.
        links: [LinkId; 2],
        /// A point of each.
        points: [Vector; 2],
    },
    /// As `Connect`, and an axis of one link is parallel to an axis of the other, in the same sense.
    Hinge {
        /// The links.
        links: [LinkId; 2],
        /// A point of each.
        points: [Vector; 2],
        /// An axis of each, of any length.
        axes: [Vector; 2],
    },
    /// A frame on one link coincides with a frame on another.
    Weld {
        /// The links.
        links: [LinkId; 2],
        /// A frame on each.
        frames: [Placement; 2],
    },
    /// The coordinate of a joint is a polynomial of another's: q₁ - r₁ = Σ cₖ (q₂ - r₂)ᵏ. Without another joint it is held
    /// at r₁ + c₀.
    Joint {
        /// The joints' indices in [`Model::joints`].
        joints: [Option<usize>; 2],
        /// r₁ and r₂.
        references: [f64; 2],
        /// c₀ to c₄.
        coefficients: [f64; 5],
    },
}

impl LoopKind {
    /// The name used in scenes and reports.
    pub fn name(&self) -> &'static str {
        match self {
            LoopKind::Connect { .. } => "connect",
            LoopKind::Hinge { .. } => "hinge",
            LoopKind::Weld { .. } => "weld",
            LoopKind::Joint { .. } => "joint",
        }
    }

    /// The links that it connects.
    pub fn links(&self) -> Option<[LinkId; 2]> {
        match self {
            LoopKind::Connect { links, .. } | LoopKind::Hinge { links, .. } | LoopKind::Weld { links, .. } => {
                Some(*links)
            }
            LoopKind::Joint { .. } => None,
        }
    }
}

impl Model {
    /// The closed loops.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The model with more closed loops.
    ///
    /// # Errors
    /// A name that is used twice, a link or joint that does not exist, a joint without a coordinate of its own, a number
    /// that is not finite, or an axis without direction.
    pub fn with_loops(mut self, loops: impl IntoIterator<Item = Loop>) -> Result<Self, BuildError> {
        for Loop { name, kind } in loops {
            if self.loops.iter().any(|other| other.name == name) {
                return Err(BuildError::DuplicateName { what: "loop", name });
            }
            let kind = self.checked(&name, kind)?;
            self.loops.push(Loop { name, kind });
        }
        self.loop_length = self.measure_loops();
        self.lay_planes();
        Ok(self)
    }

    /// The tree alone, without its closed loops.
    pub fn without_loops(mut self) -> Self {
        self.loops.clear();
        self.loop_directions.clear();
        self
    }

    /// The loops of a model that is placed elsewhere: their points on the world move with the links that are fixed to
    /// it.
    pub(super) fn place_loops(&mut self, base: &Placement) {
        for Loop { kind, .. } in &mut self.loops {
            let links = kind.links().unwrap_or([LinkId(usize::MAX); 2]);
            for side in (0..2).filter(|&side| links[side] == LinkId::WORLD) {
                match kind {
                    LoopKind::Connect { points, .. } => points[side] = base.apply(points[side]),
                    LoopKind::Hinge { points, axes, .. } => {
                        points[side] = base.apply(points[side]);
                        axes[side] = base.rotation.apply(axes[side]);
                    }
                    LoopKind::Weld { frames, .. } => frames[side] = *base * frames[side],
                    LoopKind::Joint { .. } => {}
                }
            }
        }
        self.lay_planes();
    }

    /// The directions along which points of a loop are held, in its second link's axes, where they never change: in a planar
    /// model the two in the plane.
    fn lay_planes(&mut self) {
        let plane = self.plane();
        let axes = |link: LinkId| {
            let normal = plane.map(|plane| self.rotation_at_reference(link).apply_inverse(plane));
            match normal {
                Some(normal) => crate::Rotation::with_z_along(normal).columns[..2].to_vec(),
                None => crate::Rotation::IDENTITY.columns.to_vec(),
            }
        };
        let directions = self.loops.iter().map(|one| one.kind.links().map_or_else(Vec::new, |links| axes(links[1])));
        self.loop_directions = directions.collect();
        self.loop_plane = plane;
    }

    /// Rotations in the plane aside, the rotation of a link in a planar model.
    fn rotation_at_reference(&self, link: LinkId) -> crate::Rotation {
        let (mut rotation, mut link) = (crate::Rotation::IDENTITY, Some(link));
        while let Some(LinkId(index)) = link {
            rotation = self.links[index].placement.rotation * rotation;
            link = self.links[index].parent;
        }
        rotation
    }

    fn checked(&self, name: &str, mut kind: LoopKind) -> Result<LoopKind, BuildError> {
        let count = self.links.len();
        for link in kind.links().into_iter().flatten() {
            if link.0 >= count {
                return Err(BuildError::UnknownLink { index: link.0, count });
            }
        }
        let not_finite = |field: &'static str, value: f64| BuildError::NotFinite {
            what: "loop",
            name: name.to_owned(),
            field,
            value,
        };
        let finite = |field: &'static str, numbers: &[f64]| match numbers.iter().find(|number| !number.is_finite()) {
            Some(&value) => Err(not_finite(field, value)),
            None => Ok(()),
        };
        match &mut kind {
            LoopKind::Connect { points, .. } => points.iter().try_for_each(|p| finite("point", &p.to_array()))?,
            LoopKind::Hinge { points, axes, .. } => {
                points.iter().try_for_each(|p| finite("point", &p.to_array()))?;
                for axis in axes {
                    finite("axis", &axis.to_array())?;
                    let none = || BuildError::LoopAxis { name: name.to_owned() };
                    *axis = axis.normalized().ok_or_else(none)?;
                }
            }
            LoopKind::Weld { frames, .. } => {
                for frame in frames {
                    finite("frame", &frame.translation.to_array())?;
                    finite("frame", frame.rotation.rows().as_flattened())?;
                }
            }
            LoopKind::Joint { joints, references, coefficients } => {
                finite("reference", &references[..])?;
                finite("coefficient", &coefficients[..])?;
                let has_own = |index: usize| {
                    self.joints
                        .get(index)
                        .is_some_and(|joint| joint.joint.mimic.is_none() && joint.joint.kind.is_single())
                };
                if joints[0].is_none()
                    || !joints.iter().flatten().all(|&index| has_own(index))
                    || joints[0] == joints[1]
                {
                    return Err(BuildError::LoopJoint { name: name.to_owned() });
                }
            }
        }
        Ok(kind)
    }

    /// The scale of lengths of the loops: the largest offset within the links, wherever the robot stands. One if there is none.
    fn measure_loops(&self) -> f64 {
        let mut most = 0.0_f64;
        for link in self.links[1..].iter() {
            let is_on_world = link.parent == Some(LinkId::WORLD);
            most = most.max(if is_on_world { 0.0 } else { link.placement.translation.norm() });
            most = most.max(link.inertia.center.norm());
        }
        for Loop { kind, .. } in &self.loops {
            let points = match kind {
                LoopKind::Connect { points, .. } | LoopKind::Hinge { points, .. } => *points,
                LoopKind::Weld { frames, .. } => frames.map(|frame| frame.translation),
                LoopKind::Joint { .. } => continue,
            };
            for (point, link) in points.into_iter().zip(kind.links().into_iter().flatten()) {
                most = most.max(if link == LinkId::WORLD { 0.0 } else { point.norm() });
            }
        }
        if most > 0.0 { most } else { 1.0 }
    }
}
