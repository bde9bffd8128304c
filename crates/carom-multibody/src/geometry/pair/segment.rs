//! Two segments.

use super::closest::{CoreClosest, SurfacePart, direction};
use crate::Vector;

/// The square of the sine of the angle between two segments below which they are parallel: then the ends are compared,
/// and the error of the distance is of the order of the sine, 1e-10.
const PARALLEL: f64 = 1e-20;

/// The parameters of the closest points of two lines, o₁ + s u and o₂ + t v with unit vectors u, v and d = o₁ - o₂; `None`
/// for parallel lines.
#[inline(always)]
pub(super) fn lines(d: Vector, u: Vector, v: Vector) -> Option<(f64, f64)> {
    let (cosine, across) = (u.dot(v), u.cross(v));
    let square = across.dot(across);
    if square < PARALLEL {
        return None;
    }
    // [1, -c; -c, 1] (s, t) = (-u·d, v·d)
    let (a, b) = (-u.dot(d), v.dot(d));
    Some(((a + cosine * b) / square, (cosine * a + b) / square))
}

/// A segment about p along a unit vector u against one along z about the origin; `None` where they cross.
pub(super) fn segments(p: Vector, u: Vector, half: f64, other_half: f64) -> Option<CoreClosest> {
    let v = Vector::new(0.0, 0.0, 1.0);
    if let Some((s, t)) = lines(p, u, v)
        && s.abs() <= half
        && t.abs() <= other_half
    {
        let points = [p.plus(s, u), t * v];
        let (normal, distance) = direction(points[0] - points[1])?;
        return Some(CoreClosest { distance, normal, points, parts: [SurfacePart::Side; 2] });
    }
    // The distance is a convex function of (s, t): its minimum over the rectangle is on the border.
    let mut best: Option<([Vector; 2], [SurfacePart; 2], f64)> = None;
    let mut see = |s: f64, t: f64| {
        let points = [p.plus(s, u), t * v];
        let apart = points[0] - points[1];
        let square = apart.dot(apart);
        if best.is_none_or(|(_, _, least)| square < least) {
            let part = |x: f64, end: f64| if x.abs() < end { SurfacePart::Side } else { SurfacePart::Ball };
            best = Some((points, [part(s, half), part(t, other_half)], square));
        }
    };
    for s in [half, -half] {
        see(s, p.plus(s, u).z().clamp(-other_half, other_half));
    }
    for t in [other_half, -other_half] {
        see((t * v - p).dot(u).clamp(-half, half), t);
    }
    let (points, parts, _) = best?;
    let (normal, distance) = direction(points[0] - points[1])?;
    Some(CoreClosest { distance, normal, points, parts })
}
