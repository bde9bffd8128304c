//! The side of a plane on which a point lies, robust against rounding.

use crate::Vector;

/// Positive if d is on the side of the plane a, b, c from which they run counter-clockwise, negative on the
/// other side, zero in the plane.
///
/// Coordinates of meshes have few digits and many points lie in one plane, so results within rounding are computed
/// again with twice the precision.
pub(super) fn side(a: Vector, b: Vector, c: Vector, d: Vector) -> f64 {
    /// Bounds on rounding, relative to the sum of the absolute values of all products, in double and in extended
    /// precision.
    const CLEAR: f64 = 1e-15;
    const CLEAR_LONG: f64 = 1e-29;
    let [u, v, w] = [b - a, c - a, d - a];
    let simple = u.cross(v).dot(w);
    let size = |v: Vector| Vector::from(v.to_array().map(f64::abs));
    let [p, q, r] = [size(u), size(v), size(w)].map(Vector::to_array);
    let bound = (0..3).map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        (p[j] * q[k] + p[k] * q[j]) * r[i]
    });
    let bound: f64 = bound.sum();
    if simple.abs() > CLEAR * bound {
        return simple;
    }
    let difference = |point: Vector| {
        let (point, origin) = (point.to_array(), a.to_array());
        [0, 1, 2].map(|i| Long::difference(point[i], origin[i]))
    };
    let [u, v, w] = [b, c, d].map(difference);
    let mut sum = Long(0.0, 0.0);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let minor = u[j].times(v[k]).plus(u[k].times(v[j]).negative());
        sum = sum.plus(minor.times(w[i]));
    }
    if sum.0.abs() > CLEAR_LONG * bound { sum.0 } else { 0.0 }
}

/// A number of about 32 digits: the sum of two, the second smaller than the rounding of the first.
#[derive(Clone, Copy)]
struct Long(f64, f64);

impl Long {
    /// The sum of two floats, exactly.
    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let other = sum - a;
        Self(sum, (a - (sum - other)) + (b - other))
    }

    fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    fn negative(self) -> Self {
        Self(-self.0, -self.1)
    }

    fn plus(self, other: Self) -> Self {
        let high = Self::sum(self.0, other.0);
        let low = Self::sum(self.1, other.1);
        let middle = Self::sum(high.0, high.1 + low.0);
        Self::sum(middle.0, middle.1 + low.1)
    }

    fn times(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let lost = self.0.mul_add(other.0, -product);
        Self::sum(product, lost + (self.0 * other.1 + self.1 * other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_plane_are_in_it_and_the_least_step_is_not() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..1000 {
            // Halves and quarters of sums are exact here, so the point is in the plane without rounding.
            let [a, b, c] = [(); 3].map(|()| Vector::from([(); 3].map(|()| f64::from(rng.f32() - 0.5))));
            let d = (0.5 * a).plus(0.25, b).plus(0.25, c);
            assert_eq!(side(a, b, c, d), 0.0);
            let normal = (b - a).cross(c - a);
            let Some(normal) = normal.normalized() else { continue };
            let step = 2f64.powi(-60);
            // Far smaller than the rounding of the coordinates unless they start from zero.
            let near = |sign: f64| side(a - d, b - d, c - d, (sign * step) * normal);
            assert!(near(1.0) > 0.0 && near(-1.0) < 0.0, "{a:?} {b:?} {c:?}");
        }
    }
}
