//! Wavefront OBJ.

use super::triangles::{LOST, Objects, SHORT, Triangles};
use super::words::single;
use crate::Vector;

const POLYGON: &str = "has a nonplanar face with more than four corners; triangulate it";

pub(super) fn obj(text: &str, objects: Objects) -> Result<Triangles, &'static str> {
    let mut vertices = Vec::new();
    let mut polygons: Vec<Vec<usize>> = Vec::new();
    // Only faces of the requested objects are used, but vertices of all, since any face may refer to them.
    let (mut is_over, mut is_part) = (false, false);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || single(words.next()).ok_or(SHORT);
                vertices.push(Vector::new(number()?, number()?, number()?));
            }
            Some("o" | "g") => is_over |= objects == Objects::First && !polygons.is_empty(),
            Some("f") if is_over => is_part = true,
            Some("f") => {
                let count = vertices.len();
                let corner = |word: &str| {
                    let place: isize = word.split('/').next()?.parse().ok()?;
                    // Counted from 1, or backwards from the last vertex so far.
                    if place > 0 { place.checked_sub(1)?.try_into().ok() } else { count.checked_add_signed(place) }
                };
                polygons.push(words.map(corner).collect::<Option<_>>().ok_or(SHORT)?);
            }
            _ => {}
        }
    }
    if vertices.is_empty() {
        return Err(SHORT);
    }
    let mut faces = Vec::new();
    for polygon in polygons {
        if polygon.iter().any(|&corner| corner >= vertices.len()) {
            return Err(LOST);
        }
        split(&vertices, &polygon, &mut faces)?;
    }
    Ok(Triangles { vertices, faces, is_part })
}

/// Splits a polygon as MuJoCo does: a quadrangle along its shorter diagonal; polygons with more corners must be planar and
/// convex, so that every triangulation gives the same result.
fn split(vertices: &[Vector], polygon: &[usize], faces: &mut Vec<[usize; 3]>) -> Result<(), &'static str> {
    /// The sine by which a polygon may deviate from a plane, because of the few digits of its corners.
    const BENT: f64 = 1e-5;
    if let &[a, b, c, d] = polygon {
        let length = |i: usize, j: usize| (vertices[j] - vertices[i]).norm();
        let other = length(a, c) >= length(b, d);
        faces.extend(if other { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] });
        return Ok(());
    }
    let start = faces.len();
    faces.extend(polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]]));
    let normal = |face: &[usize; 3]| {
        let [a, b, c] = face.map(|i| vertices[i]);
        (b - a).cross(c - a)
    };
    let total = faces[start..].iter().map(normal).fold(Vector::ZERO, |sum, normal| sum + normal);
    let fits = |face: &[usize; 3]| {
        let own = normal(face);
        let size = own.norm() * total.norm();
        own.dot(total) >= 0.0 && own.cross(total).norm() <= BENT * size
    };
    // Three corners are always right.
    if polygon.len() == 3 || faces[start..].iter().all(fits) { Ok(()) } else { Err(POLYGON) }
}
