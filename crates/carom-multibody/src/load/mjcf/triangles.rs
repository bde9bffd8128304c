//! Triangles from mesh files.

use std::collections::HashMap;
use std::path::Path;

use super::source::Part;
use crate::Vector;
use crate::load::{LoadError, LoadErrorKind, check_regular};

const SHORT: &str = "is truncated or not in the format of its file extension";
const LOST: &str = "has a face with a vertex that does not exist";
const POLYGON: &str = "has mass and a nonplanar face with more than four corners; triangulate it";

/// A mesh of triangles; without faces it represents its convex hull.
pub(super) struct Triangles {
    pub(super) vertices: Vec<Vector>,
    pub(super) faces: Vec<[usize; 3]>,
    /// Whether the file has further objects, which MuJoCo ignores.
    pub(super) is_part: bool,
}

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Stl,
    Obj,
    /// MuJoCo's own.
    Msh,
}

/// Reads the file that an element names.
pub(super) fn read(path: &Path, format: Format, part: Part<'_>) -> Result<Triangles, LoadError> {
    let bytes = check_regular(path).and_then(|()| std::fs::read(path)).map_err(|error| LoadError {
        kind: LoadErrorKind::Read,
        file: part.path.to_owned(),
        line: Some(part.line()),
        message: format!("the mesh file {} has mass and cannot be read: {error}", path.display()),
    })?;
    let mesh = match format {
        Format::Stl => stl(&bytes).ok_or(SHORT),
        Format::Obj => obj(&String::from_utf8_lossy(&bytes)),
        Format::Msh => msh(&bytes).ok_or(SHORT),
    };
    let faulty = |what: &str| LoadError {
        kind: LoadErrorKind::Syntax,
        file: path.to_owned(),
        line: None,
        message: format!("the mesh {what}"),
    };
    let mesh = mesh.map_err(faulty)?;
    if mesh.vertices.iter().any(|vertex| !vertex.is_finite()) {
        return Err(faulty("has a vertex that is not finite"));
    }
    if mesh.faces.iter().flatten().any(|&corner| corner >= mesh.vertices.len()) {
        return Err(faulty(LOST));
    }
    Ok(mesh)
}

fn float(bytes: &[u8], at: usize) -> Option<f64> {
    let four = <[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?;
    Some(f64::from(f32::from_le_bytes(four)))
}

fn integer(bytes: &[u8], at: usize) -> Option<usize> {
    let four = <[u8; 4]>::try_from(bytes.get(at..at + 4)?).ok()?;
    usize::try_from(i32::from_le_bytes(four)).ok()
}

fn vector(bytes: &[u8], at: usize) -> Option<Vector> {
    Some(Vector::new(float(bytes, at)?, float(bytes, at + 4)?, float(bytes, at + 8)?))
}

/// A number in single precision, as the binary formats have it.
fn single(word: Option<&str>) -> Option<f64> {
    word?.parse::<f64>().ok().map(|number| f64::from(number as f32))
}

fn stl(bytes: &[u8]) -> Option<Triangles> {
    /// Header and count.
    const HEAD: usize = 84;
    /// Normal, three corners, two bytes of attributes.
    const FACE: usize = 50;
    let count = integer(bytes, 80);
    let is_binary = count.is_some_and(|count| count.checked_mul(FACE).is_some_and(|size| size + HEAD == bytes.len()));
    if !is_binary && bytes.trim_ascii_start().starts_with(b"solid") {
        return ascii_stl(&String::from_utf8_lossy(bytes));
    }
    let count = count?;
    if count.checked_mul(FACE)? + HEAD > bytes.len() {
        return None;
    }
    let corner = |i: usize| vector(bytes, HEAD + FACE * (i / 3) + 12 + 12 * (i % 3));
    Some(soup((0..3 * count).map(corner).collect::<Option<_>>()?))
}

fn ascii_stl(text: &str) -> Option<Triangles> {
    let mut words = text.split_whitespace();
    let mut vertices = Vec::new();
    while let Some(word) = words.next() {
        if word == "vertex" {
            vertices.push(Vector::new(single(words.next())?, single(words.next())?, single(words.next())?));
        }
    }
    (vertices.len() % 3 == 0).then(|| soup(vertices))
}

/// Three corners per face, with identical corners merged.
fn soup(corners: Vec<Vector>) -> Triangles {
    let mut places = HashMap::new();
    let mut vertices = Vec::new();
    let place = |corner: &Vector| {
        *places.entry(corner.to_array().map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
            vertices.push(*corner);
            vertices.len() - 1
        })
    };
    let places: Vec<usize> = corners.iter().map(place).collect();
    let faces = places.chunks_exact(3).map(|chunk| [chunk[0], chunk[1], chunk[2]]).collect();
    Triangles { vertices, faces, is_part: false }
}

fn obj(text: &str) -> Result<Triangles, &'static str> {
    let mut vertices = Vec::new();
    let mut polygons: Vec<Vec<usize>> = Vec::new();
    // Only faces of the first object are used, but vertices of all, since any face may refer to them.
    let (mut is_over, mut is_part) = (false, false);
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || single(words.next()).ok_or(SHORT);
                vertices.push(Vector::new(number()?, number()?, number()?));
            }
            Some("o" | "g") => is_over |= !polygons.is_empty(),
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

/// Splits a polygon as MuJoCo does: a quadrangle along its shorter diagonal; polygons with more corners must be planar
/// and convex, so that every triangulation gives the same result.
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

fn msh(bytes: &[u8]) -> Option<Triangles> {
    let count = |i: usize| integer(bytes, 4 * i);
    let (vertices, normals, texels, faces) = (count(0)?, count(1)?, count(2)?, count(3)?);
    let at = 16usize.checked_add(12 * vertices)?.checked_add(12 * normals)?.checked_add(8 * texels)?;
    if at.checked_add(12 * faces)? != bytes.len() {
        return None;
    }
    let corner = |i: usize| integer(bytes, at + 4 * i);
    let face = |i: usize| Some([corner(3 * i)?, corner(3 * i + 1)?, corner(3 * i + 2)?]);
    Some(Triangles {
        vertices: (0..vertices).map(|i| vector(bytes, 16 + 12 * i)).collect::<Option<_>>()?,
        faces: (0..faces).map(face).collect::<Option<_>>()?,
        is_part: false,
    })
}
