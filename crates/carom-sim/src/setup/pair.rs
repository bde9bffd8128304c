//! Two bodies that can touch each other: the touching parts of their surfaces, which are kept while they touch.

use carom_multibody::{
    BodyPair, BoxPart, Carried, Closest, Dynamics, DynamicsError, Facing, FacingBoxes, Meeting, Model, PairAxes,
    PairError, PairFeature, PairMotion, PairSide, Placement, Rotation, Solid, SurfacePart, Vector, contact_basis,
};

use crate::error::{Result, SimulationError};
use crate::setup::WatchedPair;

/// Distance of the touching point beyond the end of a part of a surface, relative to the length, at which the part
/// ends: 1e5 roundings, and a second-order effect on the gap of 1e-22.
pub(crate) const PART_END: f64 = 1e-11;
/// Distance of two boxes, relative to the least half width, beyond which no parts of them touch or are near: nearness
/// is 1e-9 of the size.
const FAR: f64 = 0.01;
/// Sine of the angle between the normal and the vector from which tangents are made, below which another vector is
/// chosen.
pub(crate) const STEEP: f64 = 0.5;

/// A pair of bodies. While they touch, the touching parts of their surfaces are kept and extended beyond their ends, so
/// that gap, normal and rates are smooth within a step.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    pub(crate) bodies: BodyPair,
    /// Of two boxes: which parts of them.
    part: Option<BoxPart>,
    plane: Option<Vector>,
    rows: usize,
    kept: Option<Kept>,
}

/// A contact of two bodies that touch at one point at a time.
#[derive(Debug, Clone)]
pub(crate) struct PairPart {
    pub(crate) watched: WatchedPair,
    /// For two boxes, the parts that touch; `watched` then has the whole boxes.
    pub(crate) part: Option<BoxPart>,
}

/// Two boxes in a state, with the terms that the gaps of all their parts share.
#[derive(Debug, Clone)]
pub(crate) struct BoxesInMotion {
    carried: [Carried; 2],
    /// `None` where no part can touch.
    facing: Option<FacingBoxes>,
}

impl BoxesInMotion {
    pub(crate) fn new(dynamics: &mut Dynamics, bodies: &BodyPair) -> Self {
        Self { carried: dynamics.carried(bodies), facing: dynamics.facing_boxes(bodies) }
    }

    /// As [`BoxesInMotion::new`], without any facing parts if the boxes are [too far apart](FAR) to touch.
    pub(crate) fn if_near(dynamics: &mut Dynamics, bodies: &BodyPair) -> Self {
        let all = Self::new(dynamics, bodies);
        Self { facing: all.facing.filter(|boxes| !(boxes.apart() > FAR * boxes.least_width())), ..all }
    }
}

/// The parts, and the vector for tangents, that are kept while bodies touch.
#[derive(Debug, Clone, Copy)]
struct Kept {
    feature: PairFeature,
    /// The tangents are made from this vector.
    fixed: Vector,
    /// Of two boxes: the parts.
    parts: Option<[SurfacePart; 2]>,
}

/// The contacts of two bodies that each touch at one point, with their names. Bodies with edges and faces touch with their parts: a capsule and a box with the
/// ends of the capsule, and with its side on each edge; two boxes with the vertices of each on the faces of the other, and with edges across edges.
pub(crate) fn parts(pair: &WatchedPair) -> Result<Vec<PairPart>> {
    let [one, other] = &pair.bodies.sides;
    if one.solid.touches_at_a_point(&other.solid) {
        return Ok(vec![PairPart { watched: pair.clone(), part: None }]);
    }
    if are_boxes(&pair.bodies) {
        let of_boxes = |part: BoxPart| {
            let name = format!("{}/{}", pair.name, name_of(part));
            PairPart { watched: WatchedPair { name, ..pair.clone() }, part: Some(part) }
        };
        return Ok(BoxPart::all().map(of_boxes).collect());
    }
    let part = |name: String, sides: [PairSide; 2]| WatchedPair {
        name: format!("{}/{name}", pair.name),
        bodies: BodyPair { sides },
        coefficients: pair.coefficients,
    };
    let refused = |_| {
        let (one, other) = (one.solid.form(), other.solid.form());
        SimulationError::FlatPair { contact: pair.name.clone(), one, other }
    };
    let moved = |side: &PairSide, at: Placement, solid: Solid| PairSide {
        link: side.link,
        placement: side.placement * at,
        solid,
    };
    let of_capsule = |capsule: &PairSide, half_length: f64, cuboid: &PairSide, half: [f64; 3]| {
        let ball = Solid::ball(capsule.solid.radius()).map_err(refused)?;
        let mut found = Vec::with_capacity(14);
        for (name, z) in [("end 0", half_length), ("end 1", -half_length)] {
            found.push((name.to_owned(), moved(capsule, Placement::at([0.0, 0.0, z]), ball.clone()), cuboid.clone()));
        }
        for (k, (place, length)) in edges(half).into_iter().enumerate() {
            let edge = Solid::capsule(0.0, length).map_err(refused)?;
            found.push((format!("edge {k}"), capsule.clone(), moved(cuboid, place, edge)));
        }
        Ok::<_, SimulationError>(found)
    };
    let found: Vec<WatchedPair> =
        match (one.solid.half_length(), one.solid.half(), other.solid.half_length(), other.solid.half()) {
            (Some(length), _, _, Some(half)) => {
                let found = of_capsule(one, length, other, half)?;
                found.into_iter().map(|(name, one, other)| part(name, [one, other])).collect()
            }
            (_, Some(half), Some(length), _) => {
                let found = of_capsule(other, length, one, half)?;
                found.into_iter().map(|(name, capsule, cuboid)| part(name, [cuboid, capsule])).collect()
            }
            _ => {
                let (one, other) = (one.solid.form(), other.solid.form());
                return Err(SimulationError::FlatPair { contact: pair.name.clone(), one, other });
            }
        };
    Ok(found.into_iter().map(|watched| PairPart { watched, part: None }).collect())
}

/// Whether two bodies are boxes, which touch with several parts.
pub(crate) fn are_boxes(bodies: &BodyPair) -> bool {
    bodies.sides.iter().all(|side| side.solid.half().is_some())
}

fn name_of(part: BoxPart) -> String {
    match part {
        BoxPart::Vertex(vertex) => format!("vertex {vertex}"),
        BoxPart::OnVertex(vertex) => format!("on vertex {vertex}"),
        BoxPart::Edges { axes: [i, j], odd: [a, b] } => {
            let axis = |k: usize| ["x", "y", "z"][k];
            format!("edges {}{} {}", axis(i), axis(j), 2 * usize::from(a) + usize::from(b))
        }
    }
}

/// The edges of a box: the placement of each, along z there, and half its length.
fn edges(half: [f64; 3]) -> Vec<(Placement, f64)> {
    let mut edges = Vec::with_capacity(12);
    for axis in 0..3 {
        let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let mut middle = [0.0; 3];
            (middle[i], middle[j]) = (x * half[i], y * half[j]);
            let across = |k: usize| Vector::from([0, 1, 2].map(|at| f64::from(at == k)));
            let rotation = Rotation { columns: [across(i), across(j), across(axis)] };
            edges.push((Placement::new(rotation, middle), half[axis]));
        }
    }
    edges
}

impl Pair {
    pub(crate) fn new(model: &Model, PairPart { watched: pair, part }: &PairPart) -> Result<Self> {
        let count = model.links().len();
        for side in &pair.bodies.sides {
            if side.link.index() >= count {
                let source = DynamicsError::UnknownLink { index: side.link.index(), count };
                return Err(SimulationError::Contact { contact: pair.name.clone(), source });
            }
        }
        let plane = model.plane();
        let rows = match (pair.coefficients.friction, plane) {
            (None, _) => 1,
            (Some(_), Some(_)) => 2,
            (Some(_), None) => 3,
        };
        Ok(Self { bodies: pair.bodies.clone(), part: *part, plane, rows, kept: None })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the parts that touch are kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Gap and rate of parts of two boxes. Parts that do not face each other have the gap of the sizes of the boxes.
    pub(crate) fn measure_part_of(&self, boxes: &BoxesInMotion) -> (f64, f64) {
        if let Some(kept) = &self.kept
            && let Ok(motion) = kept.feature.motion(&boxes.carried[0], &boxes.carried[1])
        {
            return (motion.gap, motion.gap_rate(&boxes.carried));
        }
        let facing = self.part.and_then(|part| boxes.facing.as_ref()?.facing(part));
        // No parts that face each other.
        facing.map_or((self.size(), 0.0), |facing| (facing.gap, facing.gap_rate(&boxes.carried)))
    }

    /// Gap and rate. Bodies that overlap too deeply to have a normal have the gap minus the sum of their sizes, and the
    /// rate zero.
    pub(crate) fn measure(&self, dynamics: &mut Dynamics) -> (f64, f64) {
        if self.part.is_some() {
            return self.measure_part_of(&BoxesInMotion::new(dynamics, &self.bodies));
        }
        if let Some(kept) = &self.kept
            && let Ok(motion) = dynamics.body_motion(&self.bodies, &kept.feature)
        {
            return (motion.gap, self.rate(dynamics, &motion));
        }
        match dynamics.closest_bodies(&self.bodies) {
            Ok(Some(closest)) => (closest.gap, dynamics.body_gap_rate(&self.bodies, &closest)),
            _ => (-self.bodies.sides.iter().map(|side| side.solid.reach()).sum::<f64>(), 0.0),
        }
    }

    /// Gap and rate of given parts, also beyond their ends; `None` for parallel edges.
    pub(crate) fn measure_part(&self, dynamics: &mut Dynamics, feature: &PairFeature) -> Option<(f64, f64)> {
        let motion = dynamics.body_motion(&self.bodies, feature).ok()?;
        Some((motion.gap, self.rate(dynamics, &motion)))
    }

    fn size(&self) -> f64 {
        self.bodies.sides.iter().map(|side| side.solid.reach()).sum()
    }

    /// The parts of two boxes that face each other here, if they do.
    pub(crate) fn facing(&self, dynamics: &Dynamics) -> Option<Facing> {
        dynamics.facing_parts(&self.bodies, self.part?)
    }

    fn rate(&self, dynamics: &mut Dynamics, motion: &PairMotion) -> f64 {
        dynamics.motion_gap_rate(&self.bodies, motion)
    }

    fn closest(&self, dynamics: &Dynamics) -> Option<Closest> {
        dynamics.closest_bodies(&self.bodies).ok().flatten()
    }

    /// The parts and the vector for tangents: the kept ones, or those of the present state.
    fn present(&self, dynamics: &Dynamics) -> Option<Kept> {
        self.kept.or_else(|| {
            if self.part.is_some() {
                let Facing { feature, normal, parts, .. } = self.facing(dynamics)?;
                return Some(Kept { feature, fixed: contact_basis(normal).ok()?[1], parts: Some(parts) });
            }
            let closest = self.closest(dynamics)?;
            let feature = dynamics.closest_feature(&self.bodies, &closest)?;
            Some(Kept { feature, fixed: contact_basis(closest.normal).ok()?[1], parts: None })
        })
    }

    /// Normal and tangents in the present state, and the point between the bodies; none if they have no normal.
    pub(crate) fn axes(&self, dynamics: &Dynamics) -> Option<([Vector; 3], Vector)> {
        match self.present(dynamics) {
            Some(kept) => {
                let motion = dynamics.body_place(&self.bodies, &kept.feature).ok()?;
                let axes = PairAxes::turning(self.plane, motion.normal, Vector::ZERO, kept.fixed)?;
                Some((axes.axes, motion.middle()))
            }
            None if self.part.is_some() => None,
            None => {
                let closest = self.closest(dynamics)?;
                let [_, fixed, _] = contact_basis(closest.normal).ok()?;
                let axes = PairAxes::turning(self.plane, closest.normal, Vector::ZERO, fixed)?;
                Some((axes.axes, closest.middle()))
            }
        }
    }

    /// The rows in the present state. Sharp edges that are about to touch have rows, too, for an impact.
    pub(crate) fn meeting(&self, dynamics: &mut Dynamics) -> std::result::Result<Meeting, DynamicsError> {
        let lost = |_| DynamicsError::ContactNotFinite { field: "normal", value: f64::NAN };
        let meeting = match self.present(dynamics) {
            Some(kept) => {
                let motion = dynamics.body_motion(&self.bodies, &kept.feature).map_err(lost)?;
                let axes = PairAxes::turning(self.plane, motion.normal, motion.normal_rate, kept.fixed);
                let axes = axes.ok_or(PairError::NotFinite { form: "a normal" }).map_err(lost)?;
                dynamics.moving_meeting(&self.bodies, &motion, &axes)?
            }
            None => {
                let closest = self.closest(dynamics).ok_or(PairError::NotFinite { form: "a normal" }).map_err(lost)?;
                let [one, other] = &self.bodies.sides;
                dynamics.meeting(one.link, other.link, &closest)?
            }
        };
        let meeting = meeting.with_dimension(self.rows);
        match meeting.dimension() == self.rows {
            true => Ok(meeting),
            // In a planar model the normal of two bodies is in the plane.
            false => Err(DynamicsError::Length {
                field: "directions of the meeting",
                given: meeting.dimension(),
                expected: self.rows,
            }),
        }
    }

    /// Keeps the parts that are closest in the present state, if they determine a normal.
    pub(crate) fn keep(&mut self, dynamics: &Dynamics) {
        self.kept = None;
        self.kept = self.present(dynamics);
    }

    /// Keeps nothing.
    pub(crate) fn release(&mut self) {
        self.kept = None;
    }

    /// Distance of the present state from the ends of the kept parts, relative to `length`; negative beyond them, and
    /// where the tangents need another vector.
    pub(crate) fn room(&self, dynamics: &Dynamics, length: f64) -> f64 {
        let Some(kept) = &self.kept else { return 1.0 };
        let Ok(motion) = dynamics.body_place(&self.bodies, &kept.feature) else { return -1.0 };
        let across = motion.normal.cross(kept.fixed).norm() / kept.fixed.norm();
        let steep = if self.plane.is_some() { 1.0 } else { across - STEEP };
        if let (Some(part), Some(parts)) = (self.part, kept.parts) {
            return dynamics.part_room(&self.bodies, part, motion.points, parts).min(steep);
        }
        let Some(closest) = self.closest(dynamics) else { return -1.0 };
        let apart = |k: usize| (motion.points[k] - closest.points[k]).norm() / length;
        (PART_END - apart(0).max(apart(1))).min(steep)
    }

    /// The sum of the radii of the bodies, which is the distance of their cores when they touch. For sharp bodies,
    /// which have none, a tenth of the smaller size, or of the least half width of a box: within it no two edges follow
    /// each other.
    pub(crate) fn roundness(&self) -> f64 {
        let sides = &self.bodies.sides;
        let radii: f64 = sides.iter().map(|side| side.solid.radius()).sum();
        let least =
            |sizes: &mut dyn Iterator<Item = f64>| sizes.filter(|size| *size > 0.0).fold(f64::INFINITY, f64::min);
        let widths = least(&mut sides.iter().filter_map(|side| side.solid.half()).flatten());
        let size = widths.min(least(&mut sides.iter().map(|side| side.solid.reach())));
        if radii > 0.0 { radii } else { 0.1 * size }
    }

    /// The largest rate at which the gap can change at the present velocities.
    pub(crate) fn fastest(&self, dynamics: &mut Dynamics) -> f64 {
        dynamics.body_rate_bound(&self.bodies)
    }
}
