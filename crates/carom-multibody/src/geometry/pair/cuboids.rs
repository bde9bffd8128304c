//! Two boxes, or a segment and a box.
//!
//! The unit vector n with the largest separation min n·A - max n·B gives the distance if the bodies are apart, and the
//! least depth if they overlap. If they overlap it is one of the separating axes: face normals and cross products of
//! edges. If they are apart it is one of them as well, unless a vertex is nearest to an edge or a vertex; then all
//! vertices and edges are compared.

use super::closest::{CoreClosest, LOST, SurfacePart, direction};
use super::patch::{Patch, Slab};
use super::point::{along, box_part, sign};
use super::segment::lines;
use crate::{Rotation, Vector};

/// Cross products of edges whose angle has a smaller sine are ignored: for parallel edges the adjacent faces decide.
const PARALLEL: f64 = 1e-10;

/// Margin by which an edge axis must be better than a face axis: this many roundings of the size.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A point of the surface this close to an edge, relative to the size, is on the edge.
const ON_SURFACE: f64 = 1e-9;

/// A box about p, with the axes of `rotation`, in the frame of another box. A segment is a box of zero width: `half` is
/// (0, 0, l).
pub(super) struct Cuboids {
    pub(super) half: [f64; 3],
    pub(super) rotation: Rotation,
    pub(super) p: Vector,
    pub(super) other: [f64; 3],
}

#[derive(Clone, Copy)]
enum Axis {
    /// A face of the first.
    Own(usize),
    /// A face of the second.
    Other(usize),
    /// An edge of the first with an edge of the second.
    Edges(usize, usize),
}

struct Separation {
    gap: f64,
    normal: Vector,
    axis: Axis,
}

impl Cuboids {
    fn is_segment(&self) -> bool {
        self.half[0] == 0.0 && self.half[1] == 0.0
    }

    /// The closest points of the two.
    pub(super) fn closest(&self) -> CoreClosest {
        let separation = self.separation();
        if separation.gap <= 0.0 {
            return self.overlapping(&separation);
        }
        self.facing(&separation).unwrap_or_else(|| self.nearest(&separation))
    }

    fn size(&self) -> f64 {
        self.half.iter().chain(&self.other).sum()
    }

    /// The best of the separating axes.
    fn separation(&self) -> Separation {
        let u = self.rotation.columns;
        let p = self.p.to_array();
        let turned = u.map(Vector::to_array);
        let mut best = Separation { gap: f64::NEG_INFINITY, normal: Vector::ZERO, axis: Axis::Other(0) };
        for j in 0..3 {
            let reach: f64 = (0..3).map(|i| self.half[i] * turned[i][j].abs()).sum();
            let gap = p[j].abs() - self.other[j] - reach;
            if gap > best.gap {
                best = Separation { gap, normal: along(j, sign(p[j])), axis: Axis::Other(j) };
            }
        }
        if !self.is_segment() {
            for (i, axis) in u.into_iter().enumerate() {
                let height = axis.dot(self.p);
                let reach: f64 = (0..3).map(|j| self.other[j] * turned[i][j].abs()).sum();
                let gap = height.abs() - self.half[i] - reach;
                if gap > best.gap {
                    best = Separation { gap, normal: sign(height) * axis, axis: Axis::Own(i) };
                }
            }
        }
        let rounding = ROUNDING * (self.size() + self.p.norm_l1());
        for i in (0..3).filter(|&i| self.half[i] > 0.0) {
            for j in 0..3 {
                let Some((normal, height)) = self.across(i, j) else { continue };
                let n = normal.to_array();
                let mut gap = height;
                for k in 0..3 {
                    gap -= self.other[k] * n[k].abs();
                    if k != i {
                        gap -= self.half[k] * u[k].dot(normal).abs();
                    }
                }
                if gap > best.gap + rounding {
                    best = Separation { gap, normal, axis: Axis::Edges(i, j) };
                }
            }
        }
        best
    }

    /// The unit vector normal to an edge of each, towards the first, and the distance of the centres along it.
    fn across(&self, i: usize, j: usize) -> Option<(Vector, f64)> {
        let across = self.rotation.columns[i].cross(along(j, 1.0));
        let sine = across.dot(across).sqrt();
        if sine < PARALLEL {
            return None;
        }
        let normal = (1.0 / sine) * across;
        let height = normal.dot(self.p);
        Some((sign(height) * normal, height.abs()))
    }

    /// The vertex of the first that is lowest along a vector, or highest.
    fn own_vertex(&self, signs: [f64; 3]) -> Vector {
        let [x, y, z] = self.rotation.columns;
        let [a, b, c] = self.half;
        self.p.plus(signs[0] * a, x).plus(signs[1] * b, y).plus(signs[2] * c, z)
    }

    fn other_vertex(&self, signs: [f64; 3]) -> Vector {
        Vector::from([0, 1, 2].map(|k| signs[k] * self.other[k]))
    }

    /// The part of the first on which clamped coordinates lie.
    fn own_part(&self, clamped: [bool; 3], negative: [bool; 3]) -> SurfacePart {
        match self.is_segment() {
            true if clamped[2] => SurfacePart::Ball,
            true => SurfacePart::Side,
            false => box_part(clamped, negative),
        }
    }

    /// The closest points of a vertex and a face, or of two edges, along the best axis; `None` if the foot is not on
    /// the face or the edges.
    fn facing(&self, separation: &Separation) -> Option<CoreClosest> {
        let (n, u) = (separation.normal, self.rotation.columns);
        match separation.axis {
            Axis::Other(j) => {
                let signs = u.map(|axis| -sign(axis.dot(n)));
                let vertex = self.own_vertex(signs);
                let x = vertex.to_array();
                let is_above = (0..3).all(|k| k == j || x[k].abs() <= self.other[k]);
                is_above.then(|| {
                    let points = [vertex, vertex.plus(-separation.gap, n)];
                    let parts = [self.own_part([true; 3], signs.map(|s| s < 0.0)), face(j, n.to_array()[j])];
                    CoreClosest { distance: separation.gap, normal: n, points, parts }
                })
            }
            Axis::Own(i) => {
                let signs = n.to_array().map(sign);
                let vertex = self.other_vertex(signs);
                let x = self.rotation.apply_inverse(vertex - self.p).to_array();
                let is_above = (0..3).all(|k| k == i || x[k].abs() <= self.half[k]);
                is_above.then(|| {
                    let points = [vertex.plus(separation.gap, n), vertex];
                    let parts = [face(i, -n.dot(u[i])), box_part([true; 3], signs.map(|s| s < 0.0))];
                    CoreClosest { distance: separation.gap, normal: n, points, parts }
                })
            }
            Axis::Edges(i, j) => self.edges(i, j),
        }
    }

    /// The closest points of the edges that face each other along the cross product of two axes.
    fn edges(&self, i: usize, j: usize) -> Option<CoreClosest> {
        let (n, _) = self.across(i, j)?;
        let u = self.rotation.columns;
        let mut signs = u.map(|axis| -sign(axis.dot(n)));
        let mut other_signs = n.to_array().map(sign);
        let (negative, other_negative) = (signs.map(|s| s < 0.0), other_signs.map(|s| s < 0.0));
        (signs[i], other_signs[j]) = (0.0, 0.0);
        let (o1, o2) = (self.own_vertex(signs), self.other_vertex(other_signs));
        let (s, t) = lines(o1 - o2, u[i], along(j, 1.0))?;
        if s.abs() > self.half[i] || t.abs() > self.other[j] {
            return None;
        }
        let (mut clamped, mut other_clamped) = ([true; 3], [true; 3]);
        (clamped[i], other_clamped[j]) = (false, false);
        Some(CoreClosest {
            distance: n.dot(o1 - o2),
            normal: n,
            points: [o1.plus(s, u[i]), o2.plus(t, along(j, 1.0))],
            parts: [self.own_part(clamped, negative), box_part(other_clamped, other_negative)],
        })
    }

    /// The least distance of all vertices from the other box, and of all pairs of edges.
    fn nearest(&self, separation: &Separation) -> CoreClosest {
        let mut best: Option<CoreClosest> = None;
        let mut see = |found: CoreClosest| {
            if best.is_none_or(|best| found.distance < best.distance) {
                best = Some(found);
            }
        };
        let lost = LOST * self.size();
        for number in 0..8 {
            let signs = [4, 2, 1].map(|bit| if number & bit == 0 { 1.0 } else { -1.0 });
            let repeats = (0..3).any(|k| self.half[k] == 0.0 && signs[k] < 0.0);
            if !repeats {
                let vertex = self.own_vertex(signs);
                let (foot, part, flat) = clamp(vertex, self.other);
                if let Some((normal, distance)) = direction(vertex - foot) {
                    let normal = flat.unwrap_or(if distance <= lost { separation.normal } else { normal });
                    let parts = [self.own_part([true; 3], signs.map(|s| s < 0.0)), part];
                    see(CoreClosest { distance, normal, points: [vertex, foot], parts });
                }
            }
            let vertex = self.other_vertex(signs);
            let x = self.rotation.apply_inverse(vertex - self.p);
            let (clamped, part, flat) = clamp_part(x, self.half, |c, n| self.own_part(c, n));
            let foot = self.p + self.rotation.apply(clamped);
            // In the axes of the box, so that the direction is normal to its edge to the last digit.
            if let Some((normal, distance)) = direction(clamped - x) {
                let flat = flat.filter(|_| !self.is_segment()).map(|axis| -self.rotation.apply(axis));
                let lost_normal = || if distance <= lost { separation.normal } else { self.rotation.apply(normal) };
                let normal = flat.unwrap_or_else(lost_normal);
                let parts = [part, box_part([true; 3], signs.map(|s| s < 0.0))];
                see(CoreClosest { distance, normal, points: [foot, vertex], parts });
            }
        }
        for i in (0..3).filter(|&i| self.half[i] > 0.0) {
            for j in 0..3 {
                if let Some(found) = self.edges(i, j).filter(|found| found.distance > 0.0) {
                    see(found);
                }
            }
        }
        best.unwrap_or_else(|| self.overlapping(separation))
    }

    /// Touching or overlapping boxes: along the axis of least depth, at a corner of the overlap of the faces.
    fn overlapping(&self, separation: &Separation) -> CoreClosest {
        let (n, gap) = (separation.normal, separation.gap);
        if let Axis::Edges(i, j) = separation.axis
            && let Some(found) = self.edges(i, j)
        {
            return CoreClosest { distance: gap, ..found };
        }
        let corner = self.patch(n, ROUNDING * self.size()).corners().into_iter().next();
        let points = corner.unwrap_or_else(|| match separation.axis {
            Axis::Own(_) => {
                let vertex = self.other_vertex(n.to_array().map(sign));
                [vertex.plus(gap, n), vertex]
            }
            Axis::Other(_) | Axis::Edges(..) => {
                let vertex = self.own_vertex(self.rotation.columns.map(|axis| -sign(axis.dot(n))));
                [vertex, vertex.plus(-gap, n)]
            }
        });
        CoreClosest { distance: gap, normal: n, points, parts: self.parts_at(points) }
    }

    /// The parts of both surfaces on which two points lie.
    pub(super) fn parts_at(&self, points: [Vector; 2]) -> [SurfacePart; 2] {
        let near = ON_SURFACE * self.size();
        let clamped = |x: [f64; 3], half: [f64; 3]| [0, 1, 2].map(|k| x[k].abs() >= half[k] - near);
        let own = self.rotation.apply_inverse(points[0] - self.p).to_array();
        let other = points[1].to_array();
        [
            self.own_part(clamped(own, self.half), own.map(|x| x < 0.0)),
            box_part(clamped(other, self.other), other.map(|x| x < 0.0)),
        ]
    }

    /// The flat parts of both that face each other along a normal, flat to a tolerance.
    pub(super) fn patch(&self, normal: Vector, tolerance: f64) -> Patch {
        let own = Slab { half: self.half, rotation: self.rotation, center: self.p };
        let other = Slab { half: self.other, rotation: Rotation::IDENTITY, center: Vector::ZERO };
        Patch::new(&own, &other, normal, tolerance)
    }
}

fn face(axis: usize, side: f64) -> SurfacePart {
    SurfacePart::Face(2 * axis + usize::from(side < 0.0))
}

/// The nearest point of a box outside which a point lies, its part, and the normal of the face if it is on one.
fn clamp(p: Vector, half: [f64; 3]) -> (Vector, SurfacePart, Option<Vector>) {
    clamp_part(p, half, box_part)
}

fn clamp_part(
    p: Vector,
    half: [f64; 3],
    part: impl Fn([bool; 3], [bool; 3]) -> SurfacePart,
) -> (Vector, SurfacePart, Option<Vector>) {
    let x = p.to_array();
    let clamped = [0, 1, 2].map(|k| x[k].abs() > half[k]);
    let foot = Vector::from([0, 1, 2].map(|k| x[k].clamp(-half[k], half[k])));
    let flat = match clamped {
        [true, false, false] => Some(along(0, sign(x[0]))),
        [false, true, false] => Some(along(1, sign(x[1]))),
        [false, false, true] => Some(along(2, sign(x[2]))),
        _ => None,
    };
    (foot, part(clamped, x.map(|x| x < 0.0)), flat)
}
