//! The corners of the overlap of flat parts that face each other, of two boxes or of a segment and a box.

use crate::{Rotation, Vector};

/// A box, or a segment as a box of zero width.
pub(super) struct Slab {
    pub(super) half: [f64; 3],
    pub(super) rotation: Rotation,
    pub(super) center: Vector,
}

impl Slab {
    /// The vertex, edge or face that is highest along a direction, flat to a tolerance: its corners in order.
    fn support(&self, direction: Vector, tolerance: f64) -> Vec<Vector> {
        let u = self.rotation.columns;
        let slope = u.map(|axis| axis.dot(direction));
        let rise = [0, 1, 2].map(|k| 2.0 * self.half[k] * slope[k].abs());
        let mut free: Vec<usize> = (0..3).filter(|&k| self.half[k] > 0.0 && rise[k] <= tolerance).collect();
        free.sort_by(|&i, &j| rise[i].total_cmp(&rise[j]));
        free.truncate(2);
        let mut base = self.center;
        for k in (0..3).filter(|k| !free.contains(k)) {
            base = base.plus(if slope[k] < 0.0 { -self.half[k] } else { self.half[k] }, u[k]);
        }
        let step = |k: usize| self.half[k] * u[k];
        match free[..] {
            [] => vec![base],
            [i] => vec![base + step(i), base - step(i)],
            [i, j, ..] => vec![
                base + step(i) + step(j),
                base + step(i) - step(j),
                base - step(i) - step(j),
                base - step(i) + step(j),
            ],
        }
    }
}

/// Two flat parts that face each other along a normal.
pub(super) struct Patch {
    own: Vec<Vector>,
    other: Vec<Vector>,
    normal: Vector,
    tolerance: f64,
}

impl Patch {
    /// The parts of two boxes along a normal from the second to the first.
    pub(super) fn new(own: &Slab, other: &Slab, normal: Vector, tolerance: f64) -> Self {
        let (own, other) = (own.support(-normal, tolerance), other.support(normal, tolerance));
        Self { own, other, normal, tolerance }
    }

    /// The corners of the overlap: a point on the first and one on the second. Empty if one part is a vertex or they do
    /// not overlap.
    pub(super) fn corners(&self) -> Vec<[Vector; 2]> {
        // The part with fewer corners is clipped by the other.
        let swaps = self.own.len() > self.other.len();
        let (subject, by) = if swaps { (&self.other, &self.own) } else { (&self.own, &self.other) };
        let kept = match (subject.len(), by.len()) {
            (2 | 4, 4) => self.clipped(subject, by),
            (2, 2) => self.overlap_of_lines(subject, by),
            _ => Vec::new(),
        };
        let mut found: Vec<[Vector; 2]> = Vec::new();
        for p in kept {
            if found.iter().any(|points| self.flat(points[usize::from(swaps)] - p).norm() <= self.near()) {
                continue;
            }
            let q = self.below(p, by);
            found.push(if swaps { [q, p] } else { [p, q] });
        }
        found
    }

    /// Distance below which corners are merged.
    fn near(&self) -> f64 {
        let across = self.own.iter().chain(&self.other).map(|p| (*p - self.own[0]).norm_l1()).fold(0.0, f64::max);
        self.tolerance.max(1e-12 * across)
    }

    fn flat(&self, p: Vector) -> Vector {
        p.plus(-p.dot(self.normal), self.normal)
    }

    /// A segment or polygon clipped by the sides of a polygon, all projected along the normal.
    fn clipped(&self, subject: &[Vector], by: &[Vector]) -> Vec<Vector> {
        let middle = 0.25 * by.iter().fold(Vector::ZERO, |sum, p| sum + *p);
        let mut points = subject.to_vec();
        for k in 0..by.len() {
            let (from, to) = (by[k], by[(k + 1) % by.len()]);
            let mut inward = self.normal.cross(to - from);
            if inward.dot(middle - from) < 0.0 {
                inward = -inward;
            }
            // Points on a side count as inside, up to rounding.
            let least = -1e-12 * inward.norm() * (to - from).norm();
            let height = |p: Vector| inward.dot(p - from);
            let mut kept = Vec::with_capacity(points.len() + 1);
            let count = if points.len() == 2 { 1 } else { points.len() };
            for i in 0..points.len() {
                let (p, q) = (points[i], points[(i + 1) % points.len()]);
                let (a, b) = (height(p), height(q));
                if a >= least {
                    kept.push(p);
                }
                if i < count && (a >= least) != (b >= least) {
                    kept.push(p.plus(a / (a - b), q - p));
                }
            }
            points = kept;
            if points.is_empty() {
                break;
            }
        }
        points
    }

    /// The ends of the overlap of two segments that are parallel to the tolerance.
    fn overlap_of_lines(&self, subject: &[Vector], by: &[Vector]) -> Vec<Vector> {
        let (from, way) = (subject[0], subject[1] - subject[0]);
        let along = by[1] - by[0];
        let (square, other) = (way.dot(way), along.dot(along));
        let width = self.flat(way).cross(self.flat(along)).norm() / square.max(other).sqrt();
        let apart = self.flat(by[0] - from).cross(self.flat(way)).norm() / square.sqrt();
        if width > self.near() || apart > self.near() {
            return Vec::new();
        }
        let place = |p: Vector| way.dot(p - from) / square;
        let (a, b) = (place(by[0]), place(by[1]));
        let (low, high) = (a.min(b).max(0.0), a.max(b).min(1.0));
        if low > high { Vec::new() } else { vec![from.plus(low, way), from.plus(high, way)] }
    }

    /// The point of a flat part directly below or above a point.
    fn below(&self, p: Vector, part: &[Vector]) -> Vector {
        match part {
            [a, b, _, d] => {
                let plane = (*b - *a).cross(*d - *a);
                p.plus(-plane.dot(p - *a) / plane.dot(self.normal), self.normal)
            }
            [a, b] => {
                let way = *b - *a;
                a.plus(way.dot(p - *a) / way.dot(way), way)
            }
            _ => part[0],
        }
    }
}
