//! A point against a point, a segment, a box, a cylinder or a hull.

use super::closest::{CoreClosest, LOST, SurfacePart, direction};
use crate::Vector;
use crate::mesh::Hull;

/// The sign of a number, positive for zero.
#[inline(always)]
pub(super) fn sign(x: f64) -> f64 {
    if x < 0.0 { -1.0 } else { 1.0 }
}

/// A vector along the axis 0, 1 or 2.
#[inline(always)]
pub(super) fn along(axis: usize, length: f64) -> Vector {
    let mut lanes = [0.0; 3];
    lanes[axis] = length;
    Vector::from(lanes)
}

/// A point against the origin; `None` where they coincide.
#[inline(always)]
pub(super) fn point(p: Vector) -> Option<CoreClosest> {
    let (normal, distance) = direction(p)?;
    Some(CoreClosest { distance, normal, points: [p, Vector::ZERO], parts: [SurfacePart::Ball; 2] })
}

/// A point against a segment along z; `None` on the segment.
#[inline(always)]
pub(super) fn segment(p: Vector, half_length: f64) -> Option<CoreClosest> {
    let z = p.z().clamp(-half_length, half_length);
    let foot = Vector::new(0.0, 0.0, z);
    let (normal, distance) = direction(p - foot)?;
    let part = if z == p.z() { SurfacePart::Side } else { SurfacePart::Ball };
    Some(CoreClosest { distance, normal, points: [p, foot], parts: [SurfacePart::Ball, part] })
}

/// The face, edge or vertex of a box on which the clamped coordinates lie.
pub(super) fn box_part(clamped: [bool; 3], negative: [bool; 3]) -> SurfacePart {
    let bit = |k: usize, value: usize| if negative[k] { value } else { 0 };
    match clamped {
        [true, true, true] => SurfacePart::Vertex(bit(0, 4) + bit(1, 2) + bit(2, 1)),
        [false, true, true] => SurfacePart::Edge(bit(1, 2) + bit(2, 1)),
        [true, false, true] => SurfacePart::Edge(4 + bit(0, 2) + bit(2, 1)),
        [true, true, false] => SurfacePart::Edge(8 + bit(0, 2) + bit(1, 1)),
        _ => {
            let axis = clamped.iter().position(|clamped| *clamped).unwrap_or(0);
            SurfacePart::Face(2 * axis + bit(axis, 1))
        }
    }
}

/// A point against a box. Inside, the nearest face.
pub(super) fn cuboid(p: Vector, half: [f64; 3]) -> CoreClosest {
    let x = p.to_array();
    let clamped = [0, 1, 2].map(|k| x[k].abs() > half[k]);
    let negative = [0, 1, 2].map(|k| x[k] < 0.0);
    // The face with the largest signed distance to the point.
    let height = |k: usize| x[k].abs() - half[k];
    let face = (1..3).fold(0, |best, k| if height(k) > height(best) { k } else { best });
    let flat = |k: usize| along(k, sign(x[k]));
    let on_face = |k: usize| {
        let mut foot = x;
        foot[k] = sign(x[k]) * half[k];
        let mut only = [false; 3];
        only[k] = true;
        let parts = [SurfacePart::Vertex(0), box_part(only, negative)];
        CoreClosest { distance: height(k), normal: flat(k), points: [p, Vector::from(foot)], parts }
    };
    if clamped.iter().filter(|clamped| **clamped).count() < 2 {
        return on_face(face);
    }
    let foot = Vector::from([0, 1, 2].map(|k| x[k].clamp(-half[k], half[k])));
    match direction(p - foot) {
        Some((normal, distance)) => {
            let lost = distance <= LOST * (half[0] + half[1] + half[2]);
            let normal = if lost { flat(face) } else { normal };
            let parts = [SurfacePart::Vertex(0), box_part(clamped, negative)];
            CoreClosest { distance, normal, points: [p, foot], parts }
        }
        None => on_face(face),
    }
}

/// A point against a cylinder about z. Inside, the nearest of side and ends.
pub(super) fn cylinder(p: Vector, radius: f64, half_length: f64) -> CoreClosest {
    let [x, y, z] = p.to_array();
    let from_axis = (x * x + y * y).sqrt();
    let outward =
        if from_axis > 0.0 { Vector::new(x / from_axis, y / from_axis, 0.0) } else { Vector::new(1.0, 0.0, 0.0) };
    let (beyond_side, beyond_end) = (from_axis - radius, z.abs() - half_length);
    let end = along(2, sign(z));
    let end_index = usize::from(z < 0.0);
    let point = SurfacePart::Vertex(0);
    if beyond_side > 0.0 && beyond_end > 0.0 {
        let foot = (radius * outward).plus(half_length, end);
        let distance = (beyond_side * beyond_side + beyond_end * beyond_end).sqrt();
        let normal = if distance <= LOST * (radius + half_length) {
            if beyond_side > beyond_end { outward } else { end }
        } else {
            ((beyond_side / distance) * outward).plus(beyond_end / distance, end)
        };
        return CoreClosest { distance, normal, points: [p, foot], parts: [point, SurfacePart::Rim(end_index)] };
    }
    let (distance, normal, part) = if beyond_side > beyond_end {
        (beyond_side, outward, SurfacePart::Side)
    } else {
        (beyond_end, end, SurfacePart::Face(end_index))
    };
    CoreClosest { distance, normal, points: [p, p.plus(-distance, normal)], parts: [point, part] }
}

/// A point against a hull. Inside, the nearest face; `None` if no triangle of the hull has an area.
pub(super) fn hull(p: Vector, hull: &Hull) -> Option<CoreClosest> {
    // The triangle whose plane has the largest signed distance to the point: the nearest face for points inside, and
    // the axis near edges.
    let mut highest: Option<(f64, Vector, usize)> = None;
    let mut nearest: Option<CoreClosest> = None;
    let mut size = 0.0;
    for (k, face) in hull.faces.iter().enumerate() {
        let corners = face.map(|i| hull.vertices[i]);
        let [a, b, c] = corners;
        let Some((normal, _)) = direction((b - a).cross(c - a)) else { continue };
        let height = normal.dot(p - a);
        size = f64::max(size, (b - a).norm_l1());
        if highest.is_none_or(|(most, _, _)| height > most) {
            highest = Some((height, normal, k));
        }
        // The nearest point is on a face that faces the point.
        if height > 0.0 {
            let found = triangle(p, corners, face, normal, height, k);
            if nearest.is_none_or(|nearest| found.distance < nearest.distance) {
                nearest = Some(found);
            }
        }
    }
    let (height, normal, k) = highest?;
    let parts = [SurfacePart::Vertex(0), SurfacePart::Face(k)];
    Some(match nearest {
        None => CoreClosest { distance: height, normal, points: [p, p.plus(-height, normal)], parts },
        Some(found) if !matches!(found.parts[1], SurfacePart::Face(_)) && found.distance <= LOST * size => {
            CoreClosest { normal, ..found }
        }
        Some(found) => found,
    })
}

/// A point above a triangle.
fn triangle(
    p: Vector,
    corners: [Vector; 3],
    names: &[usize; 3],
    normal: Vector,
    height: f64,
    index: usize,
) -> CoreClosest {
    let point = SurfacePart::Vertex(0);
    let is_inside = |k: usize| {
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        normal.cross(to - from).dot(p - from) >= 0.0
    };
    if (0..3).all(is_inside) {
        let points = [p, p.plus(-height, normal)];
        return CoreClosest { distance: height, normal, points, parts: [point, SurfacePart::Face(index)] };
    }
    let mut best = CoreClosest { distance: f64::INFINITY, normal, points: [p; 2], parts: [point; 2] };
    for k in 0..3 {
        let (from, along) = (corners[k], corners[(k + 1) % 3] - corners[k]);
        let way = (along.dot(p - from) / along.dot(along)).clamp(0.0, 1.0);
        let foot = if way == 1.0 { corners[(k + 1) % 3] } else { from.plus(way, along) };
        let part = match way {
            0.0 => SurfacePart::Vertex(names[k]),
            1.0 => SurfacePart::Vertex(names[(k + 1) % 3]),
            _ => SurfacePart::Edge(3 * index + k),
        };
        let Some((normal, distance)) = direction(p - foot) else { continue };
        if distance < best.distance {
            best = CoreClosest { distance, normal, points: [p, foot], parts: [point, part] };
        }
    }
    best
}
