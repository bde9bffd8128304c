//! Two bodies of a model in a state: their closest points, and the place at which their links meet.

use super::Dynamics;
use crate::error::DynamicsError;
use crate::geometry::{
    BoxPart, Carried, Closest, Facing, FacingBoxes, PairError, PairFeature, PairMotion, Solid, SurfacePart,
    closest_points, contact_basis, gap_rate_bound, pair_contacts, signed_closest,
};
use crate::model::{LinkId, Model, PARALLEL, ShapeId};
use crate::rows::Meeting;
use crate::{Placement, Vector};

/// A convex body of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct PairSide {
    /// The link that carries it.
    pub link: LinkId,
    /// Its placement on the link.
    pub placement: Placement,
    /// The body.
    pub solid: Solid,
}

impl PairSide {
    /// A shape of a model.
    ///
    /// # Errors
    /// A shape that does not exist or is not a convex solid.
    pub fn of_shape(model: &Model, (link, index): ShapeId) -> Result<Self, PairError> {
        let carrier = model.links().get(link.index());
        let shape = carrier.and_then(|link| link.shapes.get(index));
        let shape = shape.ok_or(PairError::UnknownShape { link: link.index(), index })?;
        Ok(Self { link, placement: shape.placement, solid: Solid::of(&shape.geometry)? })
    }
}

/// Two convex bodies of different links that can touch.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyPair {
    /// The bodies; normals point from the second to the first.
    pub sides: [PairSide; 2],
}

/// Normal and tangents of a contact of two links, and their rates. The tangents keep their sense while the normal turns.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairAxes {
    /// n, t1, t2.
    pub axes: [Vector; 3],
    /// Their rates.
    pub rates: [Vector; 3],
    /// Number of rows: two in a planar model, otherwise three.
    pub dimension: usize,
}

impl PairAxes {
    /// The axes of a normal that turns: t1 is a fixed vector, projected into the tangent plane. In a planar model t1 is in the
    /// plane. `None` if the normal is along the vector.
    pub fn turning(plane: Option<Vector>, normal: Vector, rate: Vector, fixed: Vector) -> Option<Self> {
        let n = normal;
        let plane = plane.filter(|plane| plane.dot(n).abs() <= PARALLEL);
        let (w, w_rate) = match plane {
            Some(plane) => (plane.cross(n), plane.cross(rate)),
            None => (fixed.plus(-n.dot(fixed), n), (-rate.dot(fixed) * n).plus(-n.dot(fixed), rate)),
        };
        let length = w.norm();
        if !(length > 0.0) {
            return None;
        }
        let t1 = (1.0 / length) * w;
        let t1_rate = (1.0 / length) * w_rate.plus(-t1.dot(w_rate), t1);
        let (t2, t2_rate) = (n.cross(t1), rate.cross(t1) + n.cross(t1_rate));
        Some(Self {
            axes: [n, t1, t2],
            rates: [rate, t1_rate, t2_rate],
            dimension: if plane.is_some() { 2 } else { 3 },
        })
    }
}

impl Dynamics {
    /// The closest points of two shapes in the present state; the normal points from the second to the first.
    ///
    /// # Errors
    /// A shape that does not exist, or as [`closest_points`].
    pub fn closest_shapes(&self, one: ShapeId, other: ShapeId) -> Result<Closest, PairError> {
        let [one, other] = [PairSide::of_shape(&self.model, one)?, PairSide::of_shape(&self.model, other)?];
        closest_points(&one.solid, &self.solid_placement(&one), &other.solid, &self.solid_placement(&other))
    }

    /// All contacts of two shapes in the present state whose gaps are within `tolerance` of the least: see [`pair_contacts`].
    ///
    /// # Errors
    /// A shape that does not exist, or as [`closest_points`].
    pub fn shape_contacts(&self, one: ShapeId, other: ShapeId, tolerance: f64) -> Result<Vec<Closest>, PairError> {
        let sides = [PairSide::of_shape(&self.model, one)?, PairSide::of_shape(&self.model, other)?];
        self.body_contacts(&BodyPair { sides }, tolerance)
    }

    /// All contacts of two bodies in the present state whose gaps are within `tolerance` of the least: see [`pair_contacts`].
    ///
    /// # Errors
    /// As [`closest_points`].
    pub fn body_contacts(
        &self,
        BodyPair { sides: [one, other] }: &BodyPair,
        tolerance: f64,
    ) -> Result<Vec<Closest>, PairError> {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        pair_contacts(&one.solid, &at, &other.solid, &other_at, tolerance)
    }

    /// The rows of a contact between two links in the present state: (n, t1, t2) of [`contact_basis`], in a planar
    /// model the normal and the tangent in the plane; both links taken at the middle of the closest points. Point and
    /// directions are at rest, which is exact for an impact, but not for the drift.
    ///
    /// # Errors
    /// A link that the model does not have, or a normal that is not a unit vector.
    pub fn meeting(&self, first: LinkId, second: LinkId, contact: &Closest) -> Result<Meeting, DynamicsError> {
        let count = self.model.links().len();
        if let Some(unknown) = [first, second].into_iter().find(|link| link.index() >= count) {
            return Err(DynamicsError::UnknownLink { index: unknown.index(), count });
        }
        let arm: Vector = contact.middle() - self.placement(first).translation;
        let [n, t1, t2] = contact_basis(contact.normal)?;
        let flat = PairAxes::turning(self.model.plane(), n, Vector::ZERO, t1).filter(|axes| axes.dimension == 2);
        match flat {
            Some(flat) => Ok(Meeting::new(&self.model, first, second, arm, flat.axes)?.with_dimension(2)),
            None => Meeting::new(&self.model, first, second, arm, [n, t1, t2]),
        }
    }

    /// The closest points of two bodies in the present state; `None` if they overlap too deeply to have a normal.
    ///
    /// # Errors
    /// A pair that is not supported, or a placement that is not finite.
    pub fn closest_bodies(&self, BodyPair { sides: [one, other] }: &BodyPair) -> Result<Option<Closest>, PairError> {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        signed_closest(&one.solid, &at, &other.solid, &other_at)
    }

    /// The parts of two bodies that are closest in the present state, for [`Dynamics::body_motion`]: see [`PairFeature::of`].
    pub fn closest_feature(
        &self,
        BodyPair { sides: [one, other] }: &BodyPair,
        closest: &Closest,
    ) -> Option<PairFeature> {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        PairFeature::of((&one.solid, &at), (&other.solid, &other_at), closest)
    }

    /// Parts of two boxes that face each other in the present state: see [`BoxPart::facing`].
    pub fn facing_parts(&self, BodyPair { sides: [one, other] }: &BodyPair, part: BoxPart) -> Option<Facing> {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        part.facing((&one.solid, &at), (&other.solid, &other_at))
    }

    /// Two boxes in the present state, for [`FacingBoxes::facing`] of many parts; `None` if one of the bodies is not a box.
    pub fn facing_boxes(&self, BodyPair { sides: [one, other] }: &BodyPair) -> Option<FacingBoxes> {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        FacingBoxes::new((&one.solid, &at), (&other.solid, &other_at))
    }

    /// The distance of touching points from the ends of parts of two boxes: see [`BoxPart::room`].
    pub fn part_room(
        &self,
        BodyPair { sides: [one, other] }: &BodyPair,
        part: BoxPart,
        points: [Vector; 2],
        parts: [SurfacePart; 2],
    ) -> f64 {
        let [at, other_at] = [one, other].map(|side| self.solid_placement(side));
        part.room(points, (&one.solid, &at), (&other.solid, &other_at), parts)
    }

    /// Gap, normal and touching points of given parts of two bodies in the present state, and their rates.
    ///
    /// # Errors
    /// As [`PairFeature::motion`].
    pub fn body_motion(&mut self, pair: &BodyPair, feature: &PairFeature) -> Result<PairMotion, PairError> {
        let [one, other] = self.carried(pair);
        feature.motion(&one, &other)
    }

    /// [`Dynamics::body_motion`] of the present configuration, at rest.
    ///
    /// # Errors
    /// As [`PairFeature::motion`].
    pub fn body_place(&self, pair: &BodyPair, feature: &PairFeature) -> Result<PairMotion, PairError> {
        let [one, other] =
            [0, 1].map(|k| Carried::new(self.solid_placement(&pair.sides[k]), Vector::ZERO, Vector::ZERO));
        feature.motion(&one, &other)
    }

    /// The rate of the gap at closest points, n·(v₁(p) - v₂(p)).
    pub fn body_gap_rate(&mut self, pair: &BodyPair, closest: &Closest) -> f64 {
        let [one, other] = self.carried(pair);
        closest.normal.dot(one.velocity_at(closest.points[0]) - other.velocity_at(closest.points[1]))
    }

    /// The rate of the gap of given parts, n·(v₁(p) - v₂(p)).
    pub fn motion_gap_rate(&mut self, pair: &BodyPair, motion: &PairMotion) -> f64 {
        motion.gap_rate(&self.carried(pair))
    }

    /// The largest rate at which the gap of two bodies can change with the present velocities: see [`gap_rate_bound`].
    pub fn body_rate_bound(&mut self, pair: &BodyPair) -> f64 {
        let [one, other] = self.carried(pair);
        let relative = (one.velocity - other.velocity).norm();
        let [a, b] = &pair.sides;
        gap_rate_bound(relative, (&a.solid, one.angular.norm()), (&b.solid, other.angular.norm()))
    }

    /// The rows of a contact between two bodies whose point and directions move.
    ///
    /// # Errors
    /// A link that the model does not have.
    pub fn moving_meeting(
        &self,
        pair: &BodyPair,
        motion: &PairMotion,
        axes: &PairAxes,
    ) -> Result<Meeting, DynamicsError> {
        let [first, second] = [pair.sides[0].link, pair.sides[1].link];
        let arm: Vector = motion.middle() - self.placement(first).translation;
        let meeting = Meeting::new(&self.model, first, second, arm, axes.axes)?;
        Ok(meeting.moving(motion.middle_rate(), axes.rates).with_dimension(axes.dimension))
    }

    /// Placements and velocities of two bodies in the present state.
    pub fn carried(&mut self, pair: &BodyPair) -> [Carried; 2] {
        [0, 1].map(|k| {
            let side = &pair.sides[k];
            let (velocity, angular) = self.point_velocity(side.link, side.placement.translation);
            Carried::new(self.solid_placement(side), velocity, angular)
        })
    }

    fn solid_placement(&self, side: &PairSide) -> Placement {
        self.placement(side.link) * side.placement
    }
}
