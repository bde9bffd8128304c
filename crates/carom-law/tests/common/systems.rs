//! Systems with several contacts, as `(M, A, v)`.

use carom_law::{Coefficients, ContactSet, Dimension, Friction, Guard, MatrixView, Restitution, SimultaneousOutcome};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector, Vector3};

use super::random::{between, normal};

/// How a family of systems is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A planar box on two corners.
    PlanarBox,
    /// A box on four corners.
    Box,
    /// A planar rod with both ends on the floor, or one at a wall.
    Rod,
    /// A body between two inclined planes, in the plane or in space.
    Groove,
    /// A trunk with four legs of three joints.
    Quadruped,
    /// A trunk with two legs of six joints, each foot on four corners.
    Biped,
    /// Planar boxes one on top of the other.
    Stack,
    /// Balls in a row, with and without friction.
    Cradle,
    /// 2 to 32 contacts of all dimensions on as many degrees of freedom as there may be.
    Random,
}

pub const FAMILIES: [Family; 9] = [
    Family::PlanarBox,
    Family::Box,
    Family::Rod,
    Family::Groove,
    Family::Quadruped,
    Family::Biped,
    Family::Stack,
    Family::Cradle,
    Family::Random,
];

/// The coefficients of a contact as numbers.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    pub e: f64,
    pub e_t: f64,
    pub mu_s: f64,
    pub mu_d: f64,
}

/// A system about to be struck.
#[derive(Debug, Clone)]
pub struct System {
    pub dimensions: Vec<Dimension>,
    pub mass: DMatrix<f64>,
    pub jacobian: DMatrix<f64>,
    pub velocity: DVector<f64>,
    pub numbers: Vec<Numbers>,
}

impl System {
    pub fn random(rng: &mut Rng, family: Family) -> Self {
        match family {
            Family::PlanarBox => planar_box(rng),
            Family::Box => spatial_box(rng),
            Family::Rod => rod(rng),
            Family::Groove => groove(rng),
            Family::Quadruped => quadruped(rng),
            Family::Biped => biped(rng),
            Family::Stack => stack(rng),
            Family::Cradle => cradle(rng),
            Family::Random => {
                let m = if rng.u8(0..4) == 0 { rng.usize(2..=32) } else { rng.usize(2..=8) };
                random(rng, m)
            }
        }
    }

    fn new(
        rng: &mut Rng,
        mass: DMatrix<f64>,
        rows: Vec<Vec<f64>>,
        dimensions: Vec<Dimension>,
        velocity: Vec<f64>,
    ) -> Self {
        let jacobian = DMatrix::from_fn(rows.len(), mass.nrows(), |i, j| rows[i][j]);
        let numbers = numbers(rng, dimensions.len());
        Self { dimensions, mass, jacobian, velocity: DVector::from_vec(velocity), numbers }
    }

    /// The rows of contact `k`.
    pub fn rows(&self, k: usize) -> std::ops::Range<usize> {
        let start = self.dimensions[..k].iter().map(|d| d.rows()).sum();
        start..start + self.dimensions[k].rows()
    }

    /// `A M⁻¹ Aᵀ`
    pub fn delassus(&self) -> DMatrix<f64> {
        let factor = self.mass.clone().cholesky().unwrap();
        let y = factor.l().solve_lower_triangular(&self.jacobian.transpose()).unwrap();
        let w = y.transpose() * y;
        0.5 * (&w + w.transpose())
    }

    pub fn contact_velocity(&self) -> DVector<f64> {
        &self.jacobian * &self.velocity
    }

    pub fn coefficients(&self) -> Vec<Coefficients> {
        let of = |n: &Numbers| {
            let friction = Friction::with_static(n.mu_s, n.mu_d).unwrap();
            Coefficients::new(Restitution::with_tangential(n.e, n.e_t).unwrap(), friction)
        };
        self.numbers.iter().map(of).collect()
    }

    pub fn set(&self) -> carom_law::Result<ContactSet> {
        ContactSet::from_generalized(&self.dimensions, &self.mass, &self.jacobian, self.velocity.as_slice())
    }

    pub fn solve(&self, guard: Guard) -> carom_law::Result<SimultaneousOutcome> {
        self.set()?.impact(&self.coefficients(), guard)
    }

    /// By the Delassus matrix.
    pub fn solve_in_contact_space(&self, guard: Guard) -> carom_law::Result<SimultaneousOutcome> {
        let w = self.delassus();
        let view = MatrixView::column_major(w.nrows(), w.ncols(), w.as_slice());
        ContactSet::new(&self.dimensions, view, self.contact_velocity().as_slice())?.impact(&self.coefficients(), guard)
    }

    /// The contacts in another order.
    pub fn permuted(&self, order: &[usize]) -> Self {
        let rows: Vec<usize> = order.iter().flat_map(|&k| self.rows(k)).collect();
        Self {
            dimensions: order.iter().map(|&k| self.dimensions[k]).collect(),
            jacobian: DMatrix::from_fn(rows.len(), self.jacobian.ncols(), |i, j| self.jacobian[(rows[i], j)]),
            numbers: order.iter().map(|&k| self.numbers[k]).collect(),
            ..self.clone()
        }
    }
}

fn numbers(rng: &mut Rng, m: usize) -> Vec<Numbers> {
    let one = |rng: &mut Rng| {
        let e = match rng.u8(0..6) {
            0 => 0.0,
            1 => 1.0,
            _ => rng.f64(),
        };
        let e_t = if rng.u8(0..5) == 0 { between(rng, -1.0, 1.0) } else { 0.0 };
        let mu_d = if rng.u8(0..10) == 0 { 0.0 } else { between(rng, 0.0, 1.3) };
        let mu_s = if rng.bool() { mu_d } else { mu_d * between(rng, 1.0, 1.6) };
        Numbers { e, e_t, mu_s, mu_d }
    };
    let (are_equal, first) = (rng.u8(0..3) == 0, one(rng));
    (0..m).map(|_| if are_equal { first } else { one(rng) }).collect()
}

/// Rows of a planar body's point: its normal, then its tangent. Coordinates x, y, angle.
fn planar_rows(point: [f64; 2], normal: [f64; 2]) -> [Vec<f64>; 2] {
    let row = |axis: [f64; 2]| vec![axis[0], axis[1], point[0] * axis[1] - point[1] * axis[0]];
    [row(normal), row([normal[1], -normal[0]])]
}

/// Rows of a point of a body with coordinates (velocity of the centre, angular velocity).
fn spatial_rows(point: Vector3<f64>, axes: [Vector3<f64>; 3]) -> [Vec<f64>; 3] {
    axes.map(|axis| {
        let turn = point.cross(&axis);
        vec![axis.x, axis.y, axis.z, turn.x, turn.y, turn.z]
    })
}

fn upward() -> [Vector3<f64>; 3] {
    [Vector3::z(), Vector3::x(), Vector3::y()]
}

fn planar_body(rng: &mut Rng) -> DMatrix<f64> {
    DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, between(rng, 0.03, 0.6)]))
}

fn planar_box(rng: &mut Rng) -> System {
    let (b, h) = (between(rng, 0.1, 1.0), between(rng, 0.1, 1.0));
    let inertia = (b * b + h * h) / 3.0;
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, inertia]));
    let rows = [-b, b].into_iter().flat_map(|x| planar_rows([x, -h], [0.0, 1.0])).collect();
    let velocity = vec![normal(rng), -between(rng, 0.0, 1.5), 0.7 * normal(rng)];
    System::new(rng, mass, rows, vec![Dimension::Planar; 2], velocity)
}

fn spatial_box(rng: &mut Rng) -> System {
    let [a, b, h] = [(); 3].map(|()| between(rng, 0.1, 0.6));
    let inertia = [b * b + h * h, a * a + h * h, a * a + b * b].map(|s| s / 3.0);
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0, inertia[0], inertia[1], inertia[2]]));
    let corners = [(-a, -b), (a, -b), (a, b), (-a, b)];
    let rows = corners.into_iter().flat_map(|(x, y)| spatial_rows(Vector3::new(x, y, -h), upward())).collect();
    let spin = if rng.bool() { 0.2 } else { 1.5 };
    let mut velocity: Vec<f64> = (0..6).map(|k| if k < 3 { normal(rng) } else { spin * normal(rng) }).collect();
    velocity[2] = -between(rng, 0.0, 1.5);
    System::new(rng, mass, rows, vec![Dimension::Spatial; 4], velocity)
}

fn rod(rng: &mut Rng) -> System {
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0 / 12.0]));
    let angle = if rng.bool() { 0.0 } else { between(rng, 0.2, 1.4) };
    let half = [0.5 * f64::cos(angle), 0.5 * f64::sin(angle)];
    // A ladder if it is inclined: the upper end at a wall on the right.
    let second = if angle == 0.0 { [0.0, 1.0] } else { [-1.0, 0.0] };
    let rows =
        [planar_rows([-half[0], -half[1]], [0.0, 1.0]), planar_rows(half, second)].into_iter().flatten().collect();
    let push = if angle == 0.0 { normal(rng) } else { normal(rng).abs() };
    let velocity = vec![push, -between(rng, 0.0, 1.5), 2.0 * normal(rng)];
    System::new(rng, mass, rows, vec![Dimension::Planar; 2], velocity)
}

fn groove(rng: &mut Rng) -> System {
    let (left, right) = (between(rng, 0.2, 1.3), between(rng, 0.2, 1.3));
    let n = [[f64::sin(left), f64::cos(left)], [-f64::sin(right), f64::cos(right)]];
    if rng.bool() {
        let mass = planar_body(rng);
        let offset = if rng.bool() { 0.0 } else { 0.3 * normal(rng) };
        let point = |n: [f64; 2]| [-n[0] + offset * n[1], -n[1] - offset * n[0]];
        let rows = n.into_iter().flat_map(|n| planar_rows(point(n), n)).collect();
        let velocity = vec![0.5 * normal(rng), -between(rng, 0.2, 1.5), normal(rng)];
        return System::new(rng, mass, rows, vec![Dimension::Planar; 2], velocity);
    }
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0, 0.4, 0.4, 0.4]));
    let rows = n
        .into_iter()
        .flat_map(|n| {
            let up = Vector3::new(n[0], 0.0, n[1]);
            spatial_rows(-up, [up, Vector3::y(), up.cross(&Vector3::y())])
        })
        .collect();
    let mut velocity: Vec<f64> = (0..6).map(|_| normal(rng)).collect();
    velocity[0] *= 0.5;
    velocity[2] = -between(rng, 0.2, 1.5);
    System::new(rng, mass, rows, vec![Dimension::Spatial; 2], velocity)
}

/// A symmetric positive definite matrix that couples a trunk of six with limbs of their own.
fn limbed_mass(rng: &mut Rng, limbs: usize, joints: usize) -> DMatrix<f64> {
    let n = 6 + limbs * joints;
    let mut factor = DMatrix::zeros(n, n);
    for i in 0..n {
        for j in 0..=i {
            let limb = |k: usize| if k < 6 { None } else { Some((k - 6) / joints) };
            if limb(j).is_none() || limb(i) == limb(j) {
                factor[(i, j)] = 0.25 * normal(rng);
            }
        }
        let size = if i < 6 { 1.5 } else { 0.4 };
        factor[(i, i)] = size * between(rng, 0.7, 1.3);
        if i >= 6 {
            for j in 0..i {
                factor[(i, j)] *= 0.3;
            }
        }
    }
    &factor * factor.transpose()
}

fn quadruped(rng: &mut Rng) -> System {
    let (legs, joints) = (4, 3);
    let mass = limbed_mass(rng, legs, joints);
    let n = mass.nrows();
    let mut rows = Vec::new();
    for leg in 0..legs {
        let (x, y) = ([0.4, 0.4, -0.4, -0.4][leg], [0.2, -0.2, 0.2, -0.2][leg]);
        let foot = Vector3::new(x + 0.1 * normal(rng), y + 0.1 * normal(rng), -0.5 + 0.05 * normal(rng));
        for row in spatial_rows(foot, upward()) {
            let mut full = vec![0.0; n];
            full[..6].copy_from_slice(&row);
            for joint in 0..joints {
                full[6 + leg * joints + joint] = 0.3 * normal(rng);
            }
            rows.push(full);
        }
    }
    let mut velocity: Vec<f64> = (0..n).map(|_| 0.4 * normal(rng)).collect();
    velocity[2] = -between(rng, 0.3, 1.5);
    System::new(rng, mass, rows, vec![Dimension::Spatial; 4], velocity)
}

fn biped(rng: &mut Rng) -> System {
    let (legs, joints) = (2, 6);
    let mass = limbed_mass(rng, legs, joints);
    let n = mass.nrows();
    let mut rows = Vec::new();
    for leg in 0..legs {
        // The foot's twist: the trunk's seen from the foot, and the leg's own.
        let ankle = Vector3::new(0.1 * normal(rng), [0.15, -0.15][leg], -0.8);
        let mut twist = DMatrix::zeros(6, n);
        for (k, row) in spatial_rows(ankle, [Vector3::x(), Vector3::y(), Vector3::z()]).iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                twist[(k, j)] = *value;
            }
            twist[(3 + k, 3 + k)] = 1.0;
        }
        for k in 0..6 {
            for joint in 0..joints {
                twist[(k, 6 + leg * joints + joint)] = 0.3 * normal(rng);
            }
        }
        for (x, y) in [(-0.1, -0.05), (0.15, -0.05), (0.15, 0.05), (-0.1, 0.05)] {
            for row in spatial_rows(Vector3::new(x, y, -0.05), upward()) {
                let row = DMatrix::from_row_slice(1, 6, &row) * &twist;
                rows.push(row.row(0).iter().copied().collect());
            }
        }
    }
    let mut velocity: Vec<f64> = (0..n).map(|_| 0.3 * normal(rng)).collect();
    velocity[2] = -between(rng, 0.3, 1.5);
    System::new(rng, mass, rows, vec![Dimension::Spatial; 8], velocity)
}

fn stack(rng: &mut Rng) -> System {
    let boxes = rng.usize(2..=4);
    let n = 3 * boxes;
    let sizes: Vec<[f64; 2]> = (0..boxes).map(|_| [between(rng, 0.2, 0.6), between(rng, 0.1, 0.4)]).collect();
    let mut mass = DMatrix::zeros(n, n);
    let mut rows = Vec::new();
    for (k, [b, h]) in sizes.iter().copied().enumerate() {
        let m = between(rng, 0.3, 2.0);
        mass[(3 * k, 3 * k)] = m;
        mass[(3 * k + 1, 3 * k + 1)] = m;
        mass[(3 * k + 2, 3 * k + 2)] = m * (b * b + h * h) / 3.0;
        let width = if k == 0 { b } else { b.min(sizes[k - 1][0]) };
        for x in [-width, width] {
            let upper = planar_rows([x, -h], [0.0, 1.0]);
            let lower = if k == 0 { None } else { Some(planar_rows([x, sizes[k - 1][1]], [0.0, 1.0])) };
            for (axis, row) in upper.iter().enumerate() {
                let mut full = vec![0.0; n];
                full[3 * k..3 * k + 3].copy_from_slice(row);
                if let Some(lower) = &lower {
                    for j in 0..3 {
                        full[3 * (k - 1) + j] = -lower[axis][j];
                    }
                }
                rows.push(full);
            }
        }
    }
    // A stack that falls as one, a top that falls on a stack at rest, or anything.
    let velocity = match rng.u8(0..3) {
        0 => {
            let (x, y) = (normal(rng), -between(rng, 0.2, 1.5));
            (0..n).map(|j| [x, y, 0.0][j % 3]).collect()
        }
        1 => {
            let mut velocity = vec![0.0; n];
            velocity[n - 3..].copy_from_slice(&[normal(rng), -between(rng, 0.2, 1.5), 0.3 * normal(rng)]);
            velocity
        }
        _ => (0..n).map(|j| if j % 3 == 1 { -between(rng, 0.0, 1.5) } else { 0.5 * normal(rng) }).collect(),
    };
    System::new(rng, mass, rows, vec![Dimension::Planar; 2 * boxes], velocity)
}

/// Balls in a row; each has two coordinates and a spin in the plane.
fn cradle(rng: &mut Rng) -> System {
    let balls = rng.usize(3..=7);
    let has_friction = rng.bool();
    let n = 3 * balls;
    let mut mass = DMatrix::zeros(n, n);
    let are_equal = rng.bool();
    for k in 0..balls {
        let m = if are_equal { 1.0 } else { between(rng, 0.3, 2.0) };
        mass[(3 * k, 3 * k)] = m;
        mass[(3 * k + 1, 3 * k + 1)] = m;
        mass[(3 * k + 2, 3 * k + 2)] = 0.4 * m;
    }
    let mut rows = Vec::new();
    for k in 0..balls - 1 {
        let mut normal = vec![0.0; n];
        (normal[3 * k], normal[3 * k + 3]) = (-1.0, 1.0);
        rows.push(normal);
        if has_friction {
            let mut tangent = vec![0.0; n];
            (tangent[3 * k + 1], tangent[3 * k + 2]) = (-1.0, -1.0);
            (tangent[3 * k + 4], tangent[3 * k + 5]) = (1.0, -1.0);
            rows.push(tangent);
        }
    }
    let mut velocity = vec![0.0; n];
    for k in 0..rng.usize(1..balls) {
        velocity[3 * k] = 1.0;
        if has_friction {
            velocity[3 * k + 1] = 0.3 * normal(rng);
            velocity[3 * k + 2] = normal(rng);
        }
    }
    let dimension = if has_friction { Dimension::Planar } else { Dimension::Normal };
    System::new(rng, mass, rows, vec![dimension; balls - 1], velocity)
}

pub fn random(rng: &mut Rng, m: usize) -> System {
    let dimensions: Vec<Dimension> = match rng.u8(0..3) {
        0 => vec![Dimension::Planar; m],
        1 => vec![Dimension::Spatial; m],
        _ => (0..m).map(|_| [Dimension::Normal, Dimension::Planar, Dimension::Spatial][rng.usize(0..3)]).collect(),
    };
    let count: usize = dimensions.iter().map(|d| d.rows()).sum();
    let n = if rng.bool() { rng.usize(count..=count + 3) } else { rng.usize(2..=count) };
    let b = DMatrix::from_fn(n, n, |_, _| normal(rng));
    let mass = DMatrix::identity(n, n) + 0.1 * &b * b.transpose();
    let mut rows: Vec<Vec<f64>> = (0..count).map(|_| (0..n).map(|_| normal(rng)).collect()).collect();
    let velocity: Vec<f64> = (0..n).map(|_| normal(rng)).collect();
    let mut start = 0;
    for dimension in &dimensions {
        let v_n: f64 = rows[start].iter().zip(&velocity).map(|(a, v)| a * v).sum();
        if v_n > 0.0 && rng.u8(0..8) != 0 {
            rows[start].iter_mut().for_each(|a| *a = -*a);
        }
        start += dimension.rows();
    }
    System::new(rng, mass, rows, dimensions, velocity)
}
