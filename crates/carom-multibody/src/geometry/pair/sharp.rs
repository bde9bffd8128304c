//! The parts of two boxes that can touch each other: a vertex on a face, and an edge across an edge.
//!
//! Two parts face each other if the normal of the touch, that of the face or the cross product of the edges, lies
//! within the normals of both parts, and the touching point is on both. While boxes are apart or touch, every pair of
//! parts that face each other at a gap of zero is a touch, and every touch has such a pair. The gap of parts continues
//! below zero.
//!
//! If an edge ends on another, or two vertices meet, several pairs of parts would describe one touch. The margins at
//! the ends are chosen so that one of them remains: a vertex faces a face that it is slightly outside of, and edges do
//! not face each other at an end that is on a face of the other box or, if a face lies on a face, at any end.

use super::motion::{Carried, PairFeature};
use super::point::{along, sign};
use super::segment::lines;
use super::solid::{Core, Solid};
use super::{SurfacePart, relative};
use crate::{Placement, Rotation, Vector};

/// The unit of the margins at the ends of parts, relative to the sum of the half widths of both boxes.
const END: f64 = 1e-9;
/// A vertex up to this many units outside a face is on it...
const VERTEX_ENTERS: f64 = 2.0;
/// ... and remains there until it is this many units outside.
const VERTEX_LEAVES: f64 = 4.0;
/// Edges cross up to this many units beyond their ends or, if a face lies on a face, up to this many before them, since
/// the vertex there is on the face...
const EDGE_ENTERS: f64 = 1.0;
/// ... and until they are that many units beyond them.
const EDGE_LEAVES: f64 = 2.0;
/// If faces lie on each other, a vertex of the second box within this many units of a vertex of the first is left to
/// that one.
const CORNER: f64 = 4.0;
/// How far a normal may be outside those of a part, as the sine of an angle: a box that lies on a face is tilted by
/// rounding.
const TILTED: f64 = 1e-6;
/// A face whose normal is farther than this outside those of a vertex, as the sine of an angle, cannot be touched by
/// the vertex, however near it is.
const ASIDE: f64 = 0.1;
/// Parts that overlap by more than this fraction of the least half width do not face each other: this excludes the far
/// sides of boxes that touch.
const DEEPEST: f64 = 0.1;
/// Edges with a smaller sine do not cross: their cross product has lost half of its digits.
const PARALLEL: f64 = 1e-7;

/// A class of parts of two boxes that can touch each other, of which at most one pair faces each other at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoxPart {
    /// A vertex of the first on a face of the second: 4, 2 and 1 for the negative sides of x, y and z.
    Vertex(usize),
    /// A vertex of the second on a face of the first.
    OnVertex(usize),
    /// An edge along an axis of the first across one along an axis of the second. Of the four edges along an axis, two
    /// adjacent ones can touch at the same time: one with an even and one with an odd number of negative sides.
    Edges {
        /// The axes of the edges.
        axes: [usize; 2],
        /// Whether the number of negative sides is odd.
        odd: [bool; 2],
    },
}

/// Parts of two boxes that face each other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Facing {
    /// Distance along the normal, m; negative if the boxes overlap.
    pub gap: f64,
    /// Unit normal in world axes, from the second box to the first.
    pub normal: Vector,
    /// The touching points, in the world.
    pub points: [Vector; 2],
    /// The parts, extended beyond their ends.
    pub feature: PairFeature,
    /// The parts themselves.
    pub parts: [SurfacePart; 2],
}

impl Facing {
    /// The rate of the gap, n·(v₁(p) - v₂(p)).
    pub fn gap_rate(&self, [one, other]: &[Carried; 2]) -> f64 {
        self.normal.dot(one.velocity_at(self.points[0]) - other.velocity_at(self.points[1]))
    }
}

impl BoxPart {
    /// All 52 classes.
    pub fn all() -> impl Iterator<Item = Self> {
        let edges = (0..9).flat_map(|k| {
            let axes = [k / 3, k % 3];
            (0..4).map(move |number| Self::Edges { axes, odd: [number & 2 != 0, number & 1 != 0] })
        });
        (0..8).map(Self::Vertex).chain((0..8).map(Self::OnVertex)).chain(edges)
    }

    /// The parts of this class that face each other; `None` if none do, or one of the solids is not a box.
    pub fn facing(self, one: (&Solid, &Placement), other: (&Solid, &Placement)) -> Option<Facing> {
        FacingBoxes::new(one, other)?.facing(self)
    }

    /// How far touching points in the world are inside the ends of the parts that are kept while boxes touch, relative
    /// to the sum of the half widths; negative beyond the ends.
    pub fn room(
        self,
        points: [Vector; 2],
        one: (&Solid, &Placement),
        other: (&Solid, &Placement),
        parts: [SurfacePart; 2],
    ) -> f64 {
        let (Core::Box { half }, Core::Box { half: other_half }) = (&one.0.core, &other.0.core) else { return -1.0 };
        let size: f64 = half.iter().chain(other_half).sum();
        let local = [one.1.inverse().apply(points[0]).to_array(), other.1.inverse().apply(points[1]).to_array()];
        let mut room = f64::INFINITY;
        for ((part, x), half) in parts.into_iter().zip(local).zip([half, other_half]) {
            let inside = |k: usize, margin: f64| (half[k] - x[k].abs()) / size + margin * END;
            match part {
                SurfacePart::Face(face) => {
                    for k in (0..3).filter(|&k| k != face / 2) {
                        room = room.min(inside(k, VERTEX_LEAVES));
                    }
                }
                SurfacePart::Edge(edge) => room = room.min(inside(edge / 4, EDGE_LEAVES)),
                _ => {}
            }
        }
        room
    }
}

/// Two boxes at their placements, with the quantities that all of their parts share.
#[derive(Debug, Clone, Copy)]
pub struct FacingBoxes {
    half: [[f64; 3]; 2],
    at: [Placement; 2],
    unit: f64,
    /// The placement of each in the frame of the other.
    relative: [(Rotation, Vector); 2],
    /// The crossing of the axes i and j, at 3 i + j.
    crossings: [Option<Crossing>; 9],
}

/// The common normal of an axis of each box, from the second to the first.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    normal: Vector,
    /// Whether it is along the cross product of the axes (1) or opposite to it (-1).
    sense: f64,
}

impl FacingBoxes {
    /// Two solids at their placements; `None` if one of them is not a box.
    pub fn new(one: (&Solid, &Placement), other: (&Solid, &Placement)) -> Option<Self> {
        let (Core::Box { half }, Core::Box { half: other_half }) = (&one.0.core, &other.0.core) else { return None };
        let (u, v) = (one.1.rotation.columns, other.1.rotation.columns);
        let between = one.1.translation - other.1.translation;
        let crossings = std::array::from_fn(|k| {
            let product = u[k / 3].cross(v[k % 3]);
            let sine = product.dot(product).sqrt();
            if sine < PARALLEL {
                return None;
            }
            let sense = sign(product.dot(between));
            Some(Crossing { normal: (sense / sine) * product, sense })
        });
        Some(Self {
            half: [*half, *other_half],
            at: [*one.1, *other.1],
            unit: unit(half, other_half),
            relative: [relative(one.1, other.1), relative(other.1, one.1)],
            crossings,
        })
    }

    /// The largest separation along the normals of their faces; negative if they overlap along all of them.
    pub fn apart(&self) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for ((rotation, p), [half, other]) in self.relative.iter().zip([self.half, [self.half[1], self.half[0]]]) {
            let (p, u) = (p.to_array(), rotation.columns.map(Vector::to_array));
            for j in 0..3 {
                let reach: f64 = (0..3).map(|i| half[i] * u[i][j].abs()).sum();
                most = most.max(p[j].abs() - other[j] - reach);
            }
        }
        most
    }

    /// The least half width of both.
    pub fn least_width(&self) -> f64 {
        self.half.iter().flatten().fold(f64::INFINITY, |least, half| least.min(*half))
    }

    /// The parts of a class that face each other; `None` if none do.
    pub fn facing(&self, part: BoxPart) -> Option<Facing> {
        let ([half, other_half], [at, other_at], unit) = (&self.half, &self.at, self.unit);
        match part {
            BoxPart::Vertex(number) => {
                let (rotation, p) = &self.relative[0];
                let found = vertex_on_face(number, half, rotation, *p, other_half, unit, None)?;
                let [vertex, foot] = [found.vertex, found.foot];
                Some(Facing {
                    gap: found.gap,
                    normal: other_at.rotation.apply(found.normal),
                    points: [at.apply(vertex), other_at.apply(foot)],
                    feature: PairFeature::vertex_on_face(vertex, found.on_plane, found.normal),
                    parts: [SurfacePart::Vertex(number), SurfacePart::Face(found.face)],
                })
            }
            BoxPart::OnVertex(number) => {
                let (rotation, p) = &self.relative[1];
                let corners = Some(CORNER * unit);
                let found = vertex_on_face(number, other_half, rotation, *p, half, unit, corners)?;
                let [vertex, foot] = [found.vertex, found.foot];
                Some(Facing {
                    gap: found.gap,
                    normal: -at.rotation.apply(found.normal),
                    points: [at.apply(foot), other_at.apply(vertex)],
                    feature: PairFeature::face_on_vertex(found.on_plane, found.normal, vertex),
                    parts: [SurfacePart::Face(found.face), SurfacePart::Vertex(number)],
                })
            }
            BoxPart::Edges { axes: [i, j], odd } => {
                let crossing = self.crossings[3 * i + j]?;
                let found = edges(i, j, odd, (half, at), (other_half, other_at), unit, crossing)?;
                let is_taken = found
                    .ends
                    .into_iter()
                    .zip([0, 1])
                    .any(|(end, box_of)| end.is_some_and(|number| self.is_on_face(box_of, number)));
                (!is_taken).then_some(found.facing)
            }
        }
    }

    /// Whether a vertex of the first box (0) is on a face of the second, or one of the second (1) on a face of the first.
    fn is_on_face(&self, box_of: usize, number: usize) -> bool {
        let (half, other) = (&self.half[box_of], &self.half[1 - box_of]);
        let (rotation, p) = &self.relative[box_of];
        vertex_on_face(number, half, rotation, *p, other, self.unit, None)
            .is_some_and(|on| on.gap.abs() <= CORNER * self.unit)
    }
}

fn unit(half: &[f64; 3], other_half: &[f64; 3]) -> f64 {
    END * half.iter().chain(other_half).sum::<f64>()
}

fn deepest(half: &[f64; 3], other_half: &[f64; 3]) -> f64 {
    -DEEPEST * half.iter().chain(other_half).fold(f64::INFINITY, |least, half| least.min(*half))
}

/// A vertex above or below a face.
struct OnFace {
    gap: f64,
    /// Outward normal, in the frame of the face's box.
    normal: Vector,
    face: usize,
    on_plane: Vector,
    /// The vertex, in the frame of its own box.
    vertex: Vector,
    /// The point below the vertex, in the frame of the face's box.
    foot: Vector,
}

/// A vertex of a box about p on a face of another about the origin: of all faces that it can touch, the one it is least
/// deep in. With `corners`, corners of a face that lies on one of its own are excluded.
fn vertex_on_face(
    number: usize,
    half: &[f64; 3],
    rotation: &Rotation,
    p: Vector,
    other: &[f64; 3],
    unit: f64,
    corners: Option<f64>,
) -> Option<OnFace> {
    let signs = [4, 2, 1].map(|bit| if number & bit == 0 { 1.0 } else { -1.0 });
    let vertex = Vector::from([0, 1, 2].map(|k| signs[k] * half[k]));
    let x = (p + rotation.apply(vertex)).to_array();
    let height = |k: usize| x[k].abs() - other[k];
    let u = rotation.columns.map(Vector::to_array);
    // How far the normal of a face is outside those of the vertex: if it is inside, the vertex is the lowest point of
    // its box above the face.
    let outside = |j: usize| (0..3).map(|k| signs[k] * u[k][j] * sign(x[j])).fold(f64::NEG_INFINITY, f64::max);
    // A vertex inside the box is below the nearest face that it may touch, or one of several equally near. The sides of
    // boxes that end flush are equally near as well.
    let touched = (0..3).filter(|&j| outside(j) <= ASIDE).map(height);
    let lowest = touched.fold(deepest(half, other), |lowest, height| lowest.max(height - CORNER * unit));
    let mut best: Option<OnFace> = None;
    for j in 0..3 {
        let sides = [(j + 1) % 3, (j + 2) % 3];
        if height(j) < lowest || sides.iter().any(|&k| height(k) > VERTEX_ENTERS * unit) {
            continue;
        }
        // If the face lies on a face, the vertex at its corner is on that as well.
        let is_flat = (0..3).filter(|&k| u[k][j].abs() <= TILTED).count() == 2;
        if is_flat && corners.is_some_and(|corner| sides.iter().all(|&k| height(k) >= -corner)) {
            continue;
        }
        let side = sign(x[j]);
        if outside(j) > TILTED {
            continue;
        }
        let gap = height(j);
        if best.as_ref().is_none_or(|best| gap > best.gap) {
            let normal = along(j, side);
            let mut foot = x;
            foot[j] = side * other[j];
            best = Some(OnFace {
                gap,
                normal,
                face: 2 * j + usize::from(side < 0.0),
                on_plane: other[j] * normal,
                vertex,
                foot: Vector::from(foot),
            });
        }
    }
    best
}

/// Edges that cross.
struct CrossedEdges {
    facing: Facing,
    /// The vertex of each edge at which they cross, if that is its end.
    ends: [Option<usize>; 2],
}

/// The edges along two axes, with an even or odd number of negative sides, that cross.
fn edges(
    i: usize,
    j: usize,
    odd: [bool; 2],
    (half, at): (&[f64; 3], &Placement),
    (other_half, other_at): (&[f64; 3], &Placement),
    unit: f64,
    Crossing { normal, sense }: Crossing,
) -> Option<CrossedEdges> {
    let (u, v) = (at.rotation.columns, other_at.rotation.columns);
    let signs = edge_towards(&u, i, -normal, odd[0])?;
    let other_signs = edge_towards(&v, j, normal, odd[1])?;
    let middle = |signs: [f64; 3], half: &[f64; 3]| Vector::from([0, 1, 2].map(|k| signs[k] * half[k]));
    let (own, others) = (middle(signs, half), middle(other_signs, other_half));
    let (o1, o2) = (at.apply(own), other_at.apply(others));
    let gap = normal.dot(o1 - o2);
    if gap < deepest(half, other_half) {
        return None;
    }
    let (s, t) = lines(o1 - o2, u[i], v[j])?;
    let is_flat = |axes: &[Vector; 3]| axes.iter().filter(|axis| axis.dot(normal).abs() <= TILTED).count() == 2;
    let insides = [half[i] - s.abs(), other_half[j] - t.abs()];
    let inside = insides[0].min(insides[1]);
    // Beside a face, the end of an edge is deep by the height of the boxes, but not below the face.
    let is_end = inside < EDGE_ENTERS * unit;
    if inside < -EDGE_ENTERS * unit || (is_end && ((is_flat(&u) && is_flat(&v)) || gap < -CORNER * unit)) {
        return None;
    }
    let negative = |signs: [f64; 3], axis: usize| {
        let mut clamped = [true; 3];
        clamped[axis] = false;
        super::point::box_part(clamped, signs.map(|s| s < 0.0))
    };
    let facing = Facing {
        gap,
        normal,
        points: [o1.plus(s, u[i]), o2.plus(t, v[j])],
        feature: PairFeature::crossing([own, along(i, 1.0)], [others, along(j, 1.0)], sense),
        parts: [negative(signs, i), negative(other_signs, j)],
    };
    let end = |mut signs: [f64; 3], axis: usize, at: f64, inside: f64| {
        signs[axis] = sign(at);
        let bit = |k: usize| usize::from(signs[k] < 0.0);
        (inside < EDGE_ENTERS * unit).then(|| 4 * bit(0) + 2 * bit(1) + bit(2))
    };
    Some(CrossedEdges { facing, ends: [end(signs, i, s, insides[0]), end(other_signs, j, t, insides[1])] })
}

/// The sides of the edge along an axis that is highest along a direction normal to it, among those with an even or odd
/// number of negative sides; zero along the axis. `None` if the direction is not between the normals of its faces.
fn edge_towards(u: &[Vector; 3], axis: usize, direction: Vector, odd: bool) -> Option<[f64; 3]> {
    let [k, l] = [(axis + 1) % 3, (axis + 2) % 3];
    let slopes = [u[k].dot(direction), u[l].dot(direction)];
    let mut sides = slopes.map(sign);
    if (sides[0] * sides[1] < 0.0) != odd {
        // The adjacent edge across the face to which the direction is normal.
        let flat = usize::from(slopes[1].abs() < slopes[0].abs());
        if slopes[flat].abs() > TILTED {
            return None;
        }
        sides[flat] = -sides[flat];
    }
    let mut signs = [0.0; 3];
    (signs[k], signs[l]) = (sides[0], sides[1]);
    Some(signs)
}
