//! The inertia of a rigid body.

use super::{Placement, Rotation, Vector};

/// A symmetric 3 × 3 matrix, stored by columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Symmetric {
    pub(crate) columns: [Vector; 3],
}

impl Symmetric {
    /// The zero matrix.
    pub const ZERO: Self = Self { columns: [Vector::ZERO; 3] };

    /// The matrix with entries xx, yy, zz, xy, xz, yz.
    pub fn new([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> Self {
        Self { columns: [Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz)] }
    }

    /// A diagonal matrix.
    pub fn diagonal([xx, yy, zz]: [f64; 3]) -> Self {
        Self::new([xx, yy, zz, 0.0, 0.0, 0.0])
    }

    /// Entries xx, yy, zz, xy, xz, yz.
    pub fn entries(&self) -> [f64; 6] {
        let [x, y, z] = self.columns;
        [x.x(), y.y(), z.z(), x.y(), x.z(), y.z()]
    }

    /// The matrix times a vector.
    #[inline(always)]
    pub fn apply(&self, v: Vector) -> Vector {
        let [x, y, z] = self.columns;
        (v.x() * x).plus(v.y(), y).plus(v.z(), z)
    }

    /// R S Rᵀ.
    #[inline(always)]
    pub fn rotated(&self, rotation: &Rotation) -> Self {
        // Columns of R S, then S' = Σₖ (R S)ₖ (column k of R)ᵀ.
        let Rotation { columns: [a, b, c] } = *rotation * Rotation { columns: self.columns };
        let [x, y, z] = rotation.columns;
        Self {
            columns: [
                (x.x() * a).plus(y.x(), b).plus(z.x(), c),
                (x.y() * a).plus(y.y(), b).plus(z.y(), c),
                (x.z() * a).plus(y.z(), b).plus(z.z(), c),
            ],
        }
    }

    /// The inertia of a point mass at r about the origin: m (r·r 1 - r rᵀ).
    #[inline(always)]
    pub(crate) fn of_point(mass: f64, r: Vector) -> Self {
        let mr = mass * r;
        let square = mr.dot(r);
        let [ex, ey, ez] = Rotation::IDENTITY.columns;
        Self {
            columns: [(square * ex).plus(-mr.x(), r), (square * ey).plus(-mr.y(), r), (square * ez).plus(-mr.z(), r)],
        }
    }

    #[inline(always)]
    pub(crate) fn plus(&self, factor: f64, other: &Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.columns, other.columns);
        Self { columns: [a.plus(factor, x), b.plus(factor, y), c.plus(factor, z)] }
    }

    /// Eigenvalues in ascending order, by Jacobi rotations.
    pub fn eigenvalues(&self) -> [f64; 3] {
        self.principal_axes().0
    }

    /// Eigenvalues in ascending order, and a rotation whose columns are the principal axes.
    pub fn principal_axes(&self) -> ([f64; 3], Rotation) {
        let mut a = self.columns.map(Vector::to_array);
        let mut v = Rotation::IDENTITY.columns.map(Vector::to_array);
        // Three or four sweeps converge to rounding; the bound only ends the loop for entries that are not finite.
        for _ in 0..16 {
            let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
            if !(off > 0.0) {
                break;
            }
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..3 {
                    (a[k][p], a[k][q]) = (c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]);
                }
                for k in 0..3 {
                    (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
                }
                (a[p][q], a[q][p]) = (0.0, 0.0);
                // Rows of v are the axes.
                for k in 0..3 {
                    (v[p][k], v[q][k]) = (c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]);
                }
            }
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| a[i][i].total_cmp(&a[j][j]));
        let [x, y, z] = order.map(|i| Vector::from(v[i]));
        // Make the axes right-handed whatever their order.
        let z = if x.cross(y).dot(z) < 0.0 { -z } else { z };
        (order.map(|i| a[i][i]), Rotation { columns: [x, y, z] })
    }
}

/// The inertia of a rigid body in some frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the frame, m.
    pub center: Vector,
    /// Rotational inertia about the centre of mass, in the frame's axes, kg m².
    pub rotational: Symmetric,
}

impl Inertia {
    /// No mass.
    pub const ZERO: Self = Self { mass: 0.0, center: Vector::ZERO, rotational: Symmetric::ZERO };

    /// A point mass.
    pub fn point(mass: f64, center: impl Into<Vector>) -> Self {
        Self { mass, center: center.into(), rotational: Symmetric::ZERO }
    }

    /// A ball of uniform density, at the origin.
    pub fn ball(mass: f64, radius: f64) -> Self {
        let i = 0.4 * mass * radius * radius;
        Self { mass, center: Vector::ZERO, rotational: Symmetric::diagonal([i; 3]) }
    }

    /// A box of uniform density with the given half sizes, at the origin.
    pub fn cuboid(mass: f64, [a, b, c]: [f64; 3]) -> Self {
        let (x, y, z) = (a * a, b * b, c * c);
        let rotational = Symmetric::diagonal([y + z, x + z, x + y].map(|sum| mass * sum / 3.0));
        Self { mass, center: Vector::ZERO, rotational }
    }

    /// The inertia of the same body in a frame in which this frame has the given placement.
    pub fn placed(&self, placement: &Placement) -> Self {
        Self {
            mass: self.mass,
            center: placement.apply(self.center),
            rotational: self.rotational.rotated(&placement.rotation),
        }
    }

    /// The inertia of both bodies joined rigidly.
    pub fn joined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            // If masses cancel or vanish there is no centre of mass; the rotational inertia still counts.
            return Self { mass, center: self.center, rotational: self.rotational.plus(1.0, &other.rotational) };
        }
        let center = ((self.mass / mass) * self.center).plus(other.mass / mass, other.center);
        // Shift each to the common centre of mass.
        let rotational = self
            .rotational
            .plus(1.0, &other.rotational)
            .plus(1.0, &Symmetric::of_point(self.mass, self.center - center))
            .plus(1.0, &Symmetric::of_point(other.mass, other.center - center));
        Self { mass, center, rotational }
    }

    /// Whether mass and rotational inertia are zero.
    pub fn is_zero(&self) -> bool {
        self.mass == 0.0 && self.rotational == Symmetric::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_rebuild_the_matrix() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..1000 {
            let matrix = Symmetric::new([(); 6].map(|()| rng.f64() - 0.5));
            let (values, axes) = matrix.principal_axes();
            assert!(values[0] <= values[1] && values[1] <= values[2]);
            let back = Symmetric::diagonal(values).rotated(&axes);
            for (a, b) in matrix.entries().into_iter().zip(back.entries()) {
                assert!((a - b).abs() < 1e-14, "{matrix:?} {back:?}");
            }
        }
    }

    #[test]
    fn two_halves_of_a_box_are_the_box() {
        let half = Inertia::cuboid(1.0, [0.5, 1.0, 2.0]);
        let left = half.placed(&Placement::at([-0.5, 0.0, 0.0]));
        let right = half.placed(&Placement::at([0.5, 0.0, 0.0]));
        let whole = Inertia::cuboid(2.0, [1.0, 1.0, 2.0]);
        let joined = left.joined(&right);
        for (a, b) in joined.rotational.entries().into_iter().zip(whole.rotational.entries()) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}
