//! Inertia of triangle meshes.

use std::collections::HashMap;

use crate::mesh::Triangles;
use crate::{Inertia, Symmetric, Vector};

/// How mass is distributed over a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filling {
    /// Its convex hull.
    Convex,
    /// Its volume, with signs.
    Exact,
    /// Pyramids from the centre to each face, all with positive volume.
    Legacy,
    /// Its surface.
    Shell,
}

/// Below this, MuJoCo counts a volume or area as zero.
const SMALL: f64 = 1e-14;

struct Face {
    corners: [Vector; 3],
    center: Vector,
    /// The normal, as long as the area.
    area: Vector,
}

/// Volume (or area) and inertia of density one; `None` for a mesh without volume (or area).
pub(super) fn inertia(mesh: &Triangles, filling: Filling) -> Option<Inertia> {
    let faces: Vec<Face> = mesh.faces.iter().map(|corners| face(corners.map(|i| mesh.vertices[i]))).collect();
    let mut total = 0.0;
    let mut middle = Vector::ZERO;
    for face in &faces {
        let area = face.area.norm();
        total += area;
        middle += area * face.center;
    }
    if !(total > SMALL) {
        return None;
    }
    let middle = (1.0 / total) * middle;
    if filling == Filling::Shell {
        return Some(spread(&faces, middle, |_, face| face.area.norm(), 12.0));
    }
    // The volume of the pyramid from a point to a face.
    let pyramid = |from: Vector, face: &Face| {
        let volume = (face.center - from).dot(face.area) / 3.0;
        if filling == Filling::Legacy { volume.abs() } else { volume }
    };
    let (mut volume, mut center) = (0.0, Vector::ZERO);
    for face in &faces {
        let part = pyramid(middle, face);
        volume += part;
        center += part * (0.25 * middle).plus(0.75, face.center);
    }
    if !(volume > SMALL) {
        return None;
    }
    Some(spread(&faces, (1.0 / volume) * center, pyramid, 20.0)).filter(|inertia| inertia.mass > SMALL)
}

/// Whether every edge has as many faces on one side as on the other, except for borders with a single face.
pub(super) fn is_oriented(mesh: &Triangles) -> bool {
    let mut sides: HashMap<(usize, usize), [usize; 2]> = HashMap::new();
    for &[a, b, c] in mesh.faces.iter().filter(|[a, b, c]| a != b && b != c && c != a) {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            sides.entry((from.min(to), from.max(to))).or_default()[usize::from(from < to)] += 1;
        }
    }
    sides.values().all(|&[left, right]| left == right || left + right == 1)
}

/// Sums the contributions of all faces about a centre: ∫ x xᵀ over a triangle is its weight / 12, over the pyramid to
/// the centre its weight / 20, times the sum of all products of two corners, a corner with itself twice.
fn spread(faces: &[Face], center: Vector, weigh: impl Fn(Vector, &Face) -> f64, divisor: f64) -> Inertia {
    let mut mass = 0.0;
    let mut moments = [0.0; 6];
    for face in faces {
        let weight = weigh(center, face);
        mass += weight;
        let corners = face.corners.map(|corner| (corner - center).to_array());
        let sum = [0, 1, 2].map(|i| corners[0][i] + corners[1][i] + corners[2][i]);
        let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for (moment, (i, j)) in moments.iter_mut().zip(pairs) {
            let own: f64 = corners.iter().map(|corner| corner[i] * corner[j]).sum();
            *moment += weight / divisor * (sum[i] * sum[j] + own);
        }
    }
    let [xx, yy, zz, xy, xz, yz] = moments;
    let rotational = Symmetric::new([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz]);
    Inertia { mass, center, rotational }
}

fn face(corners: [Vector; 3]) -> Face {
    let [a, b, c] = corners;
    let center = (1.0 / 3.0) * (a + b + c);
    Face { corners, center, area: 0.5 * (b - a).cross(c - a) }
}
