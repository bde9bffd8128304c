//! Rigid bodies that rest on points: Delassus matrices of real Jacobians, often redundant.

use fastrand::Rng;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::random::{between, decades, normal};

/// A free rigid body in the axes of the surface it touches: x and y along it, z away from it.
#[derive(Debug, Clone)]
pub struct Body {
    pub mass: f64,
    pub inertia: Matrix3<f64>,
    /// Contact points from the centre of mass.
    pub points: Vec<Vector3<f64>>,
    /// Rows of a contact: 2 moves in the plane of x and z alone.
    pub d: usize,
}

/// A linear and an angular part.
pub type Motion = (Vector3<f64>, Vector3<f64>);

impl Body {
    /// A homogeneous box with half sizes `half`, on the four corners of its lower face, or in the plane on two.
    pub fn on_corners(mass: f64, half: [f64; 3], d: usize) -> Self {
        let [a, b, c] = half;
        let square = |x: f64, y: f64| mass / 3.0 * (x * x + y * y);
        let inertia = Matrix3::from_diagonal(&Vector3::new(square(b, c), square(a, c), square(a, b)));
        let points = if d == 3 {
            vec![[-a, -b, -c], [a, -b, -c], [-a, b, -c], [a, b, -c]]
        } else {
            vec![[-a, 0.0, -c], [a, 0.0, -c]]
        };
        Self { mass, inertia, points: points.into_iter().map(Vector3::from).collect(), d }
    }

    /// Any body on `m` points.
    pub fn random(rng: &mut Rng, d: usize, m: usize) -> Self {
        let root = Matrix3::from_fn(|_, _| normal(rng));
        let inertia = root * root.transpose() + Matrix3::identity() * 0.2;
        let points = (0..m).map(|_| Vector3::from_fn(|_, _| normal(rng))).collect();
        Self { mass: decades(rng, -1.0, 1.0), inertia, points, d }
    }

    /// Any body on `m` points of a plane.
    pub fn random_on_a_face(rng: &mut Rng, d: usize, m: usize) -> Self {
        let mut body = Self::random(rng, d, m);
        let height = between(rng, 0.1, 1.0);
        body.points.iter_mut().for_each(|p| p.z = -height);
        body
    }

    pub fn rows(&self) -> usize {
        self.points.len() * self.d
    }

    /// Every row of `A` as a force and a torque; `d = 2` leaves the rotation about y alone.
    fn jacobian(&self) -> Vec<Motion> {
        let axes = [Vector3::z(), Vector3::x(), Vector3::y()];
        let turn = |torque: Vector3<f64>| if self.d == 2 { Vector3::new(0.0, torque.y, 0.0) } else { torque };
        self.points.iter().flat_map(|p| axes[..self.d].iter().map(|axis| (*axis, turn(p.cross(axis))))).collect()
    }

    fn inverse_inertia(&self) -> Matrix3<f64> {
        if self.d == 2 {
            Matrix3::from_diagonal(&Vector3::new(0.0, 1.0 / self.inertia[(1, 1)], 0.0))
        } else {
            self.inertia.try_inverse().unwrap()
        }
    }

    pub fn delassus(&self) -> DMatrix<f64> {
        let (rows, inverse) = (self.jacobian(), self.inverse_inertia());
        let entry = |i: usize, j: usize| rows[i].0.dot(&rows[j].0) / self.mass + rows[i].1.dot(&(inverse * rows[j].1));
        DMatrix::from_fn(rows.len(), rows.len(), |i, j| entry(i.max(j), i.min(j)))
    }

    /// `A` times a motion of the body: velocities of velocities, accelerations of accelerations at rest.
    pub fn at_contacts(&self, motion: Motion) -> DVector<f64> {
        let rows = self.jacobian();
        DVector::from_fn(rows.len(), |i, _| rows[i].0.dot(&motion.0) + rows[i].1.dot(&motion.1))
    }

    /// The acceleration that forces at the contacts give.
    pub fn response(&self, forces: &[f64]) -> Motion {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        for (row, x) in self.jacobian().iter().zip(forces) {
            force += row.0 * *x;
            torque += row.1 * *x;
        }
        (force / self.mass, self.inverse_inertia() * torque)
    }
}

/// Gravity of size `g` on an incline of `slope` that falls towards `heading` in the plane of x and y.
pub fn gravity(g: f64, slope: f64, heading: f64) -> Motion {
    let down = Vector3::new(slope.sin() * heading.cos(), slope.sin() * heading.sin(), -slope.cos());
    (down * g, Vector3::zeros())
}
