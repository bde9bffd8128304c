//! Rotations as matrices and as quaternions.

use std::ops::Mul;

use super::Vector;

/// The angle, in radians, below which sin(a/2)/a is computed by a series: its remainder, a⁴/3840, is below rounding.
const SERIES_ANGLE: f64 = 1e-4;

/// The sine of half an angle below which angle/sin(angle/2) is 2 to the last digit: it differs by a square of this.
const SMALL_SINE: f64 = 1e-8;

/// A rotation matrix, stored by columns: the rotated axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rotation {
    /// The rotated x, y and z axes.
    pub columns: [Vector; 3],
}

impl Rotation {
    /// No rotation.
    pub const IDENTITY: Self =
        Self { columns: [Vector::new(1.0, 0.0, 0.0), Vector::new(0.0, 1.0, 0.0), Vector::new(0.0, 0.0, 1.0)] };

    /// The rotation matrix with these rows.
    pub fn from_rows(rows: [[f64; 3]; 3]) -> Self {
        Self { columns: [0, 1, 2].map(|j| Vector::new(rows[0][j], rows[1][j], rows[2][j])) }
    }

    /// Its rows.
    pub fn rows(&self) -> [[f64; 3]; 3] {
        let [x, y, z] = self.columns.map(Vector::to_array);
        [0, 1, 2].map(|i| [x[i], y[i], z[i]])
    }

    /// The rotated vector.
    #[inline(always)]
    pub fn apply(&self, v: Vector) -> Vector {
        let [x, y, z] = self.columns;
        (v.x() * x).plus(v.y(), y).plus(v.z(), z)
    }

    /// The vector rotated back.
    #[inline(always)]
    pub fn apply_inverse(&self, v: Vector) -> Vector {
        let [x, y, z] = self.columns;
        Vector::new(x.dot(v), y.dot(v), z.dot(v))
    }

    /// The inverse rotation.
    pub fn inverse(&self) -> Self {
        Self::from_rows(self.columns.map(Vector::to_array))
    }

    /// This rotation composed with a rotation about its own z axis.
    #[inline(always)]
    pub(crate) fn about_own_z(&self, (sin, cos): (f64, f64)) -> Self {
        let [x, y, z] = self.columns;
        Self { columns: [(cos * x).plus(sin, y), (cos * y).plus(-sin, x), z] }
    }

    /// A rotation by an angle about a unit axis.
    pub fn about(axis: Vector, angle: f64) -> Self {
        Quaternion::about(axis, angle).to_rotation()
    }

    /// Roll, pitch, yaw: about the fixed x, then y, then z axis.
    pub fn from_rpy([roll, pitch, yaw]: [f64; 3]) -> Self {
        let about = |i: usize, angle: f64| if angle == 0.0 { Self::IDENTITY } else { Self::about_axis(i, angle) };
        about(2, yaw) * about(1, pitch) * about(0, roll)
    }

    /// A rotation about the coordinate axis 0, 1 or 2.
    pub fn about_axis(axis: usize, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut rows = [[0.0; 3]; 3];
        rows[axis][axis] = 1.0;
        rows[j][j] = c;
        rows[k][k] = c;
        rows[k][j] = s;
        rows[j][k] = -s;
        Self::from_rows(rows)
    }

    /// A rotation that takes z to a unit axis: a signed permutation if the axis is a coordinate axis.
    pub(crate) fn with_z_along(axis: Vector) -> Self {
        let a = axis.to_array();
        // The coordinate axis least aligned with the axis; ties: x, y, z.
        let least = (0..3).fold(0, |best, i| if a[i].abs() < a[best].abs() { i } else { best });
        let mut x = Self::IDENTITY.columns[least];
        x = x.plus(-x.dot(axis), axis);
        let x = x.normalized().unwrap_or(x);
        Self { columns: [x, axis.cross(x), axis] }
    }

    /// The unit quaternion of the same rotation, with w >= 0.
    pub fn to_quaternion(&self) -> Quaternion {
        let [[m00, m01, m02], [m10, m11, m12], [m20, m21, m22]] = self.rows();
        // Four times the square of each component; dividing by the largest is safe.
        let squares = [1.0 + m00 + m11 + m22, 1.0 + m00 - m11 - m22, 1.0 - m00 + m11 - m22, 1.0 - m00 - m11 + m22];
        let largest = (0..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
        let parts = match largest {
            0 => [squares[0], m21 - m12, m02 - m20, m10 - m01],
            1 => [m21 - m12, squares[1], m01 + m10, m02 + m20],
            2 => [m02 - m20, m01 + m10, squares[2], m12 + m21],
            _ => [m10 - m01, m02 + m20, m12 + m21, squares[3]],
        };
        let sign = if parts[0] < 0.0 { -1.0 } else { 1.0 };
        Quaternion { w: sign * parts[0], x: sign * parts[1], y: sign * parts[2], z: sign * parts[3] }
            .normalized()
            .unwrap_or(Quaternion::IDENTITY)
    }
}

impl Mul for Rotation {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // Written out, because the closure of a `map` is not inlined in code compiled for wider registers.
        let [x, y, z] = other.columns;
        Self { columns: [self.apply(x), self.apply(y), self.apply(z)] }
    }
}

/// Permitted deviation of a quaternion's norm from one: enough for a file with seven digits, and far below a real
/// error.
pub const UNIT_TOLERANCE: f64 = 1e-6;

/// A quaternion w + x i + y j + z k.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quaternion {
    /// Real part.
    pub w: f64,
    /// First imaginary part.
    pub x: f64,
    /// Second imaginary part.
    pub y: f64,
    /// Third imaginary part.
    pub z: f64,
}

impl Quaternion {
    /// No rotation.
    pub const IDENTITY: Self = Self { w: 1.0, x: 0.0, y: 0.0, z: 0.0 };

    /// From (w, x, y, z).
    #[inline(always)]
    pub fn from_array([w, x, y, z]: [f64; 4]) -> Self {
        Self { w, x, y, z }
    }

    /// As (w, x, y, z).
    pub fn to_array(self) -> [f64; 4] {
        [self.w, self.x, self.y, self.z]
    }

    /// A rotation by an angle about a unit axis.
    pub fn about(axis: Vector, angle: f64) -> Self {
        let (s, c) = (0.5 * angle).sin_cos();
        Self { w: c, x: s * axis.x(), y: s * axis.y(), z: s * axis.z() }
    }

    /// The rotation by |v| about v: the exponential map.
    pub fn exp(v: Vector) -> Self {
        let angle = v.norm();
        // sin(a/2)/a, by its series where the quotient would lose digits.
        let s = if angle < SERIES_ANGLE { 0.5 - angle * angle / 48.0 } else { (0.5 * angle).sin() / angle };
        Self { w: (0.5 * angle).cos(), x: s * v.x(), y: s * v.y(), z: s * v.z() }
    }

    /// The rotation vector of length at most π: the inverse of [`Quaternion::exp`].
    pub fn log(self) -> Vector {
        let sign = if self.w < 0.0 { -1.0 } else { 1.0 };
        let imaginary = sign * Vector::new(self.x, self.y, self.z);
        let s = imaginary.norm();
        // angle/sin(angle/2) -> 2 as the angle vanishes.
        let factor = if s < SMALL_SINE { 2.0 } else { 2.0 * s.atan2(sign * self.w) / s };
        factor * imaginary
    }

    /// Euclidean length.
    pub fn norm(self) -> f64 {
        self.w.hypot(self.x).hypot(self.y).hypot(self.z)
    }

    /// The quaternion divided by its norm; `None` if that is zero or not finite.
    pub fn normalized(self) -> Option<Self> {
        let norm = self.norm();
        let Self { w, x, y, z } = self;
        (norm > 0.0 && norm.is_finite()).then(|| Self { w: w / norm, x: x / norm, y: y / norm, z: z / norm })
    }

    /// The inverse rotation of a unit quaternion.
    pub fn conjugate(self) -> Self {
        Self { w: self.w, x: -self.x, y: -self.y, z: -self.z }
    }

    /// The rotation of a quaternion of any nonzero norm.
    #[inline(always)]
    pub fn to_rotation(self) -> Rotation {
        let Self { w, x, y, z } = self;
        let s = 2.0 / (w * w + x * x + y * y + z * z);
        let (sx, sy, sz) = (s * x, s * y, s * z);
        let (wx, wy, wz) = (w * sx, w * sy, w * sz);
        let (xx, xy, xz) = (x * sx, x * sy, x * sz);
        let (yy, yz, zz) = (y * sy, y * sz, z * sz);
        Rotation {
            columns: [
                Vector::new(1.0 - (yy + zz), xy + wz, xz - wy),
                Vector::new(xy - wz, 1.0 - (xx + zz), yz + wx),
                Vector::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
            ],
        }
    }
}

impl Mul for Quaternion {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let a = self;
        Self {
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quaternion_and_matrix_agree_both_ways() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..1000 {
            let v = Vector::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
            let v = (6.0 * rng.f64()) * v;
            let q = Quaternion::exp(v);
            let back = q.to_rotation().to_quaternion();
            let sign = if q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z < 0.0 { -1.0 } else { 1.0 };
            for (a, b) in q.to_array().into_iter().zip(back.to_array()) {
                assert!((a - sign * b).abs() < 1e-14, "{q:?} {back:?}");
            }
            if v.norm() < 3.0 {
                assert!((q.log() - v).norm() < 1e-13, "{v:?} {:?}", q.log());
            }
        }
    }

    #[test]
    fn coordinate_axes_give_signed_permutations() {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let rotation = Rotation::with_z_along(sign * Rotation::IDENTITY.columns[axis]);
                assert!(rotation.rows().iter().flatten().all(|entry| [0.0, 1.0, -1.0].contains(entry)), "{rotation:?}");
                let [x, y, z] = rotation.columns;
                assert_eq!(x.cross(y), z);
            }
        }
    }

    #[test]
    fn roll_pitch_yaw_turns_about_fixed_axes() {
        let rotation = Rotation::from_rpy([0.3, -0.7, 1.1]);
        let expected = Rotation::about(Vector::new(0.0, 0.0, 1.0), 1.1)
            * Rotation::about(Vector::new(0.0, 1.0, 0.0), -0.7)
            * Rotation::about(Vector::new(1.0, 0.0, 0.0), 0.3);
        for (a, b) in rotation.columns.into_iter().zip(expected.columns) {
            assert!((a - b).norm() < 1e-15);
        }
    }
}
