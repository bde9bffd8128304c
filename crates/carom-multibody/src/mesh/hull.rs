//! Convex hulls.

use std::collections::{HashMap, HashSet};

use super::side::side;
use crate::Vector;

/// Faces of the convex hull, seen from outside counter-clockwise; `None` for points in a plane.
pub(crate) fn hull(points: &[Vector]) -> Option<Vec<[usize; 3]>> {
    let mut hull = Growing::new(points)?;
    let mut next = 0;
    while next < hull.face_count() {
        match hull.farthest(next) {
            Some((point, _)) => hull.reach(next, point),
            None => next += 1,
        }
    }
    Some(hull.into_faces())
}

/// Four points that span a volume, the last behind the face of the first three.
fn tetrahedron(points: &[Vector]) -> Option<[usize; 4]> {
    let farthest = |measure: &dyn Fn(Vector) -> f64| {
        (0..points.len()).max_by(|&i, &j| measure(points[i]).total_cmp(&measure(points[j])))
    };
    let a = farthest(&|point| point.x())?;
    let b = farthest(&|point| (point - points[a]).norm())?;
    let edge = (points[b] - points[a]).normalized()?;
    let c = farthest(&|point| (point - points[a]).cross(edge).norm())?;
    let normal = edge.cross(points[c] - points[a]).normalized()?;
    let d = farthest(&|point| (point - points[a]).dot(normal).abs())?;
    match side(points[a], points[b], points[c], points[d]) {
        height if height > 0.0 => Some([a, c, b, d]),
        height if height < 0.0 => Some([a, b, c, d]),
        _ => None,
    }
}

struct Face {
    corners: [usize; 3],
    /// Points that it sees.
    beyond: Vec<usize>,
}

/// A hull that grows from a tetrahedron, each time by a point beyond one of its faces. A point beyond the hull is
/// assigned to one face that sees it; when that face is removed, one of the new faces sees it, or it is inside.
pub(super) struct Growing<'p> {
    points: &'p [Vector],
    /// Removed faces are `None`.
    faces: Vec<Option<Face>>,
    /// The face on the left of each directed edge.
    sides: HashMap<(usize, usize), usize>,
}

impl<'p> Growing<'p> {
    /// The tetrahedron; `None` for points in a plane.
    pub(super) fn new(points: &'p [Vector]) -> Option<Self> {
        let [a, b, c, d] = tetrahedron(points)?;
        let mut hull = Self { points, faces: Vec::new(), sides: HashMap::new() };
        let first = [[a, b, c], [a, c, d], [a, d, b], [b, d, c]].map(|corners| hull.add(corners));
        // Files repeat vertices for every face.
        let mut seen = HashSet::new();
        let distinct = (0..points.len()).filter(|&i| seen.insert(points[i].to_array().map(|x| (x + 0.0).to_bits())));
        hull.keep(distinct, &first);
        Some(hull)
    }

    /// Number of faces created so far, which is the index of the next one.
    pub(super) fn face_count(&self) -> usize {
        self.faces.len()
    }

    /// Whether a face is still part of the hull.
    pub(super) fn has(&self, face: usize) -> bool {
        self.faces[face].is_some()
    }

    /// The faces.
    pub(super) fn into_faces(self) -> Vec<[usize; 3]> {
        self.faces.into_iter().flatten().map(|face| face.corners).collect()
    }

    /// The points beyond the hull, each with the face that keeps it.
    pub(super) fn beyond(&self) -> impl Iterator<Item = (usize, usize)> {
        self.kept_since(0)
    }

    /// The same of the faces with this number and after it.
    pub(super) fn kept_since(&self, first: usize) -> impl Iterator<Item = (usize, usize)> {
        let faces = self.faces.iter().enumerate().skip(first).filter_map(|(place, face)| Some((place, face.as_ref()?)));
        faces.flat_map(|(place, face)| face.beyond.iter().map(move |&point| (place, point)))
    }

    /// The corners of the faces.
    pub(super) fn corners(&self) -> impl Iterator<Item = [Vector; 3]> {
        self.faces.iter().flatten().map(|face| face.corners.map(|i| self.points[i]))
    }

    fn add(&mut self, corners: [usize; 3]) -> usize {
        let place = self.faces.len();
        for edge in edges(corners) {
            self.sides.insert(edge, place);
        }
        self.faces.push(Some(Face { corners, beyond: Vec::new() }));
        place
    }

    fn sees(&self, face: usize, point: usize) -> bool {
        self.faces[face].as_ref().is_some_and(|face| {
            let [a, b, c] = face.corners.map(|i| self.points[i]);
            side(a, b, c, self.points[point]) > 0.0
        })
    }

    /// Assigns each point to the first of the faces that sees it, if any.
    fn keep(&mut self, points: impl Iterator<Item = usize>, faces: &[usize]) {
        for point in points {
            let place = faces.iter().copied().find(|&face| self.sees(face, point));
            if let Some(face) = place.and_then(|place| self.faces[place].as_mut()) {
                face.beyond.push(point);
            }
        }
    }

    /// The point farthest beyond a face, among those kept with it, and its distance from the face's plane.
    pub(super) fn farthest(&self, face: usize) -> Option<(usize, f64)> {
        let face = self.faces[face].as_ref()?;
        let [a, b, c] = face.corners.map(|i| self.points[i]);
        let normal = (b - a).cross(c - a);
        let distance = |i: usize| (self.points[i] - a).dot(normal);
        let point = face.beyond.iter().copied().max_by(|&i, &j| distance(i).total_cmp(&distance(j)))?;
        let length = normal.norm();
        Some((point, if length > 0.0 { distance(point) / length } else { 0.0 }))
    }

    /// Adds a point: the faces that see it are replaced by a cone from their boundary to the point.
    pub(super) fn reach(&mut self, face: usize, point: usize) {
        let mut visible = vec![face];
        let mut known = HashSet::from([face]);
        let mut rim = Vec::new();
        let mut next = 0;
        while next < visible.len() {
            let corners = self.faces[visible[next]].as_ref().map(|face| face.corners);
            next += 1;
            for (from, to) in corners.into_iter().flat_map(edges) {
                let Some(&other) = self.sides.get(&(to, from)) else { continue };
                if known.contains(&other) {
                    continue;
                }
                if self.sees(other, point) {
                    known.insert(other);
                    visible.push(other);
                } else {
                    rim.push((from, to));
                }
            }
        }
        let gone: Vec<Face> = visible.into_iter().filter_map(|place| self.faces[place].take()).collect();
        let new: Vec<usize> = rim.into_iter().map(|(from, to)| self.add([from, to, point])).collect();
        self.keep(gone.into_iter().flat_map(|face| face.beyond).filter(|&other| other != point), &new);
    }
}

fn edges([a, b, c]: [usize; 3]) -> [(usize, usize); 3] {
    [(a, b), (b, c), (c, a)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume enclosed by faces.
    fn volume(points: &[Vector], faces: &[[usize; 3]]) -> f64 {
        let part = |face: &[usize; 3]| {
            let [a, b, c] = face.map(|i| points[i]);
            a.cross(b).dot(c) / 6.0
        };
        faces.iter().map(part).sum()
    }

    #[test]
    fn a_grid_of_points_has_the_hull_of_its_corners() {
        // Most points lie in the planes of the faces, where rounding would decide.
        let range = || (0..5).map(|i| 0.1 * f64::from(i));
        let grid: Vec<Vector> =
            range().flat_map(|x| range().flat_map(move |y| range().map(move |z| Vector::new(x, y, z)))).collect();
        let faces = hull(&grid).unwrap_or_default();
        assert!((volume(&grid, &faces) - 0.4f64.powi(3)).abs() < 1e-15, "{}", volume(&grid, &faces));
    }

    #[test]
    fn no_point_is_beyond_a_face() {
        let mut rng = fastrand::Rng::with_seed(11);
        let points: Vec<Vector> = (0..500).map(|_| Vector::from([(); 3].map(|()| rng.f64()))).collect();
        let faces = hull(&points).unwrap_or_default();
        assert!(faces.len() > 20);
        for face in faces {
            let [a, b, c] = face.map(|i| points[i]);
            assert!(points.iter().all(|&point| side(a, b, c, point) <= 0.0));
        }
    }

    #[test]
    fn points_in_a_plane_have_none() {
        let points: Vec<Vector> = (0..9).map(|i| Vector::new(f64::from(i % 3), f64::from(i / 3), 0.5)).collect();
        assert_eq!(hull(&points), None);
    }
}
