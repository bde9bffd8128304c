//! A convex hull with few vertices.
//!
//! Points of one face that touch a floor together cost far more than points that never touch, and a mesh has hundreds of them.
//! The hull is therefore grown vertex by vertex, always by the vertex that is farthest beyond a face, until none is farther
//! than a tolerance. Its vertices are vertices of the mesh: flat soles stay flat, and the simplified hull lies inside the true one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::hull::{Growing, hull};
use crate::Vector;

/// How a hull is simplified.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HullOptions {
    /// How far, relative to the diagonal of the mesh's bounding box, a vertex may be from the simplified hull. Zero keeps
    /// every vertex.
    pub tolerance: f64,
    /// The largest number of vertices; 4 or more.
    pub vertices: usize,
}

impl Default for HullOptions {
    /// 1 % of the size and 128 vertices: of 345 collision meshes of robots none needs more than 109 for that error.
    fn default() -> Self {
        Self { tolerance: 1e-2, vertices: 128 }
    }
}

impl HullOptions {
    /// The hull as it is, every vertex kept.
    pub const EXACT: Self = Self { tolerance: 0.0, vertices: usize::MAX };
}

/// The convex hull of a mesh, simplified, in the frame of its shape; lengths in m.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// The vertices that were kept.
    pub vertices: Vec<Vector>,
    /// Triangles between them, counter-clockwise as seen from outside.
    pub faces: Vec<[usize; 3]>,
    /// How many vertices the hull had.
    pub full: usize,
    /// The largest distance of a vertex left out from the simplified hull.
    pub error: f64,
}

impl Hull {
    /// The hull of points with all its vertices; `None` where they lie in a plane, or one is not finite.
    pub fn of_points(points: &[Vector]) -> Option<Self> {
        let is_finite = points.iter().all(|point| point.is_finite());
        is_finite.then(|| Self::of(points, &HullOptions { tolerance: 0.0, vertices: usize::MAX })).flatten()
    }

    /// The simplified hull of points; `None` where they lie in a plane.
    pub(crate) fn of(points: &[Vector], options: &HullOptions) -> Option<Self> {
        let faces = hull(points)?;
        let (corners, faces) = compacted(points, &faces);
        let full = corners.len();
        let (vertices, faces, error) = if options.tolerance > 0.0 || options.vertices < full {
            simplify(&corners, options)?
        } else {
            (corners, faces, 0.0)
        };
        Some(Self { vertices, faces, full, error })
    }
}

/// The vertices that faces use, in the order of the points, and the faces in terms of them.
fn compacted(points: &[Vector], faces: &[[usize; 3]]) -> (Vec<Vector>, Vec<[usize; 3]>) {
    let mut place = vec![usize::MAX; points.len()];
    for corner in faces.iter().flatten() {
        place[*corner] = 0;
    }
    let mut vertices = Vec::new();
    for (k, place) in place.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
        *place = vertices.len();
        vertices.push(points[k]);
    }
    let faces = faces.iter().map(|face| face.map(|corner| place[corner])).collect();
    (vertices, faces)
}

/// A face and how far the farthest point that it sees is beyond it.
struct Farthest {
    distance: f64,
    face: usize,
    point: usize,
}

impl PartialEq for Farthest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Farthest {}

impl PartialOrd for Farthest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Farthest {
    /// By distance; of equal ones the older face comes first, so that the order is fixed.
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(other.face.cmp(&self.face))
    }
}

/// Vertices, faces and error of a hull that grows by the farthest point of all.
///
/// First by the distance from the face that keeps a point, which is quick and a lower bound of its distance from the hull; then,
/// as long as the latter exceeds the tolerance, by that.
fn simplify(points: &[Vector], options: &HullOptions) -> Option<(Vec<Vector>, Vec<[usize; 3]>, f64)> {
    let bound = options.tolerance * size(points);
    let mut growing = Growing::new(points)?;
    let mut count = 4;
    let mut waiting = BinaryHeap::new();
    let mut known = 0;
    loop {
        let new = (known..growing.face_count()).filter_map(|face| {
            let (point, distance) = growing.farthest(face)?;
            Some(Farthest { distance, face, point })
        });
        waiting.extend(new);
        known = growing.face_count();
        let next = waiting.pop().filter(|next| count < options.vertices && next.distance > bound);
        let Some(Farthest { face, point, .. }) = next else { break };
        if growing.has(face) {
            growing.reach(face, point);
            count += 1;
        }
    }
    // As the hull grows, distances to it decrease: an earlier distance is an upper bound.
    let left_out: Vec<usize> = growing.beyond().map(|(_, point)| point).collect();
    let mut keepers = vec![usize::MAX; points.len()];
    growing.beyond().for_each(|(face, point)| keepers[point] = face);
    // Distances are not negative: their bits are in the same order. Of equal ones the last comes first.
    let mut bounds: BinaryHeap<(u64, usize)> =
        (0..left_out.len()).map(|place| (f64::INFINITY.to_bits(), place)).collect();
    let error = loop {
        let Some((before, place)) = bounds.pop() else { break 0.0 };
        let point = left_out[place];
        // Points that no face keeps are inside the hull.
        let keeper = Some(keepers[point]).filter(|&face| growing.has(face));
        let distance = keeper.map_or(0.0, |_| growing.distance(points[point]));
        if distance < f64::from_bits(before) {
            bounds.push((distance.to_bits(), place));
            continue;
        }
        match keeper {
            Some(face) if distance > bound && count < options.vertices => {
                let known = growing.face_count();
                growing.reach(face, point);
                growing.kept_since(known).for_each(|(face, point)| keepers[point] = face);
                count += 1;
            }
            _ => break distance,
        }
    };
    let (vertices, faces) = compacted(points, &growing.into_faces());
    Some((vertices, faces, error))
}

impl Growing<'_> {
    /// The distance of a point beyond the hull.
    fn distance(&self, point: Vector) -> f64 {
        self.corners().map(|corners| distance_to_triangle(point, corners)).fold(f64::INFINITY, f64::min)
    }
}

/// The diagonal of the bounding box.
fn size(points: &[Vector]) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for point in points {
        let point = point.to_array();
        low = [0, 1, 2].map(|i| low[i].min(point[i]));
        high = [0, 1, 2].map(|i| high[i].max(point[i]));
    }
    (Vector::from(high) - Vector::from(low)).norm()
}

/// Distance to the plane where the foot of the perpendicular is in the triangle, else to the nearest edge.
fn distance_to_triangle(point: Vector, corners: [Vector; 3]) -> f64 {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    let is_over = edges.iter().all(|(from, to)| normal.cross(*to - *from).dot(point - *from) >= 0.0);
    match normal.normalized() {
        Some(normal) if is_over => normal.dot(point - a).abs(),
        _ => edges.iter().map(|(from, to)| distance_to_segment(point, *from, *to)).fold(f64::INFINITY, f64::min),
    }
}

fn distance_to_segment(point: Vector, from: Vector, to: Vector) -> f64 {
    let along = to - from;
    let length = along.dot(along);
    let place = if length > 0.0 { ((point - from).dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (point - from.plus(place, along)).norm()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::side::side;

    fn sphere(count: usize, seed: u64) -> Vec<Vector> {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut points = Vec::new();
        while points.len() < count {
            let point = Vector::from([(); 3].map(|()| 2.0 * rng.f64() - 1.0));
            points.extend(point.normalized().filter(|_| point.norm() < 1.0));
        }
        points
    }

    /// How far a point is outside a hull; not above zero inside.
    fn beyond(hull: &Hull, point: Vector) -> f64 {
        let above = |face: &[usize; 3]| {
            let [a, b, c] = face.map(|i| hull.vertices[i]);
            (b - a).cross(c - a).normalized().map_or(f64::NEG_INFINITY, |normal| normal.dot(point - a))
        };
        hull.faces.iter().map(above).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn a_simplified_hull_keeps_vertices_of_the_mesh_and_states_the_distance_of_those_left_out() {
        for seed in 0..5 {
            let points = sphere(1000, seed);
            let hull = Hull::of(&points, &HullOptions::default()).unwrap();
            assert!(hull.full > 900 && hull.vertices.len() <= 128, "{} of {}", hull.vertices.len(), hull.full);
            assert!(hull.vertices.iter().all(|vertex| points.contains(vertex)));
            let worst = points.iter().map(|&point| beyond(&hull, point)).fold(0.0, f64::max);
            assert!(worst <= hull.error * (1.0 + 1e-12), "{worst} {}", hull.error);
            assert!(hull.error <= 0.01 * size(&points), "{}", hull.error);
            // Every face looks outwards.
            for face in &hull.faces {
                let [a, b, c] = face.map(|i| hull.vertices[i]);
                assert!(hull.vertices.iter().all(|&vertex| side(a, b, c, vertex) <= 0.0));
            }
        }
    }

    #[test]
    fn the_tolerance_bounds_the_distance_of_what_is_left_out() {
        let points = sphere(2000, 7);
        let mut last = 0;
        for tolerance in [3e-2, 1e-2, 3e-3] {
            let hull = Hull::of(&points, &HullOptions { tolerance, vertices: usize::MAX }).unwrap();
            let worst = points.iter().map(|&point| beyond(&hull, point)).fold(0.0, f64::max);
            assert!(worst <= hull.error && hull.error <= tolerance * size(&points), "{worst} {}", hull.error);
            assert!(hull.vertices.len() > last);
            last = hull.vertices.len();
        }
        let exact = Hull::of(&points, &HullOptions::EXACT).unwrap();
        assert_eq!((exact.vertices.len(), exact.error), (exact.full, 0.0));
    }

    #[test]
    fn the_largest_number_of_vertices_holds() {
        let points = sphere(500, 3);
        for vertices in [4, 5, 17, 64] {
            let hull = Hull::of(&points, &HullOptions { tolerance: 0.0, vertices }).unwrap();
            assert_eq!(hull.vertices.len(), vertices);
            assert!(hull.error > 0.0);
        }
    }

    /// Files write the points of a face with the last digit off, and a hull would keep all of them as vertices.
    #[test]
    fn a_box_with_a_thousand_points_on_its_faces_keeps_eight() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut points: Vec<Vector> =
            (0..8).map(|k| Vector::from([4, 2, 1].map(|bit| if k & bit == 0 { 0.5 } else { -0.5 }))).collect();
        for k in 0..1000 {
            let mut point = [(); 3].map(|()| rng.f64() - 0.5);
            point[k % 3] = if k % 2 == 0 { 0.5 } else { -0.5 };
            points.push(Vector::from(point));
        }
        let turn = crate::Rotation::about(Vector::new(0.6, 0.0, 0.8), 0.7);
        let points: Vec<Vector> = points.into_iter().map(|point| turn.apply(point)).collect();
        let hull = Hull::of(&points, &HullOptions::default()).unwrap();
        assert!(hull.full > 8);
        assert_eq!(hull.vertices.len(), 8);
        assert!(hull.error < 1e-15);
    }

    #[test]
    fn points_in_a_plane_have_no_hull() {
        let flat: Vec<Vector> = (0..9).map(|i| Vector::new(f64::from(i % 3), f64::from(i / 3), 0.5)).collect();
        assert_eq!(Hull::of(&flat, &HullOptions::default()), None);
        assert_eq!(Hull::of(&[], &HullOptions::default()), None);
    }

    #[test]
    fn distances_to_a_triangle_are_to_its_inside_edges_and_corners() {
        let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vector::from);
        let distance = |point: [f64; 3]| distance_to_triangle(point.into(), corners);
        assert_eq!(distance([0.25, 0.25, 0.5]), 0.5);
        assert_eq!(distance([0.5, -2.0, 0.0]), 2.0);
        assert_eq!(distance([-3.0, -4.0, 0.0]), 5.0);
        assert!((distance([1.0, 1.0, 0.0]) - 0.5f64.sqrt()).abs() < 1e-15);
    }
}
