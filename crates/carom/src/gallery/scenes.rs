//! The scenes' mass matrices and Jacobians from their geometry, SI units; y or z points up, and the
//! normal row comes first.

use std::f64::consts::PI;

use serde_json::{Value, json};

/// Two uniform rods, m = l = 1, angles 20° and 30° from the vertical, the tip on the floor.
fn pendulum() -> ([[f64; 2]; 2], [[f64; 2]; 2]) {
    let (theta_1, theta_2) = (20_f64.to_radians(), 30_f64.to_radians());
    let coupling = 0.5 * (theta_2 - theta_1).cos();
    let mass_matrix = [[4.0 / 3.0, coupling], [coupling, 1.0 / 3.0]];
    // The tip is at (sin, -cos) of both rods.
    let jacobian = [[theta_1.sin(), theta_2.sin()], [theta_1.cos(), theta_2.cos()]];
    (mass_matrix, jacobian)
}

pub(super) fn kane() -> Value {
    let (mass_matrix, jacobian) = pendulum();
    json!({
        "mass_matrix": mass_matrix,
        "contact_jacobian": jacobian,
        "velocity": [-0.1, -0.2],
        "restitution": 0.5,
        "friction": 0.5,
    })
}

/// The pendulum with the contact velocity (-1, -1.17).
pub(super) fn reversal() -> Value {
    let (mass_matrix, jacobian) = pendulum();
    let (v_n, v_t) = (-1.0, -1.17);
    // The two rods are not parallel, so the tip's velocity determines the rates.
    let [[n1, n2], [t1, t2]] = jacobian;
    let determinant = n1 * t2 - n2 * t1;
    let rates = [(v_n * t2 - v_t * n2) / determinant, (v_t * n1 - v_n * t1) / determinant];
    json!({
        "mass_matrix": mass_matrix,
        "contact_jacobian": jacobian,
        "velocity": rates,
        "restitution": 0.7,
        "friction": 0.5,
    })
}

/// A planar body of unit mass with coordinates (x, y, angle), struck at `r` from its centre.
fn planar(inertia: f64, r: [f64; 2], velocity: [f64; 3], restitution: Value, friction: f64) -> Value {
    json!({
        "mass_matrix": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, inertia]],
        "contact_jacobian": [[0.0, 1.0, r[0]], [1.0, 0.0, -r[1]]],
        "velocity": velocity,
        "restitution": restitution,
        "friction": friction,
    })
}

/// m = L = 1, the lower end half a length down the axis.
pub(super) fn rod() -> Value {
    let half = 0.5 * (PI / 4.0).cos();
    planar(1.0 / 12.0, [-half, -half], [2.0, -1.0, 0.0], json!(0.5), 0.8)
}

/// A ball of unit mass and radius; the second tangent is along y.
pub(super) fn sphere() -> Value {
    spatial(1.0, 0.4, [0.0, 0.0, -1.0], [2.0, -1.0, -1.0, 0.5, 0.7, 3.0], 0.8, 0.3)
}

/// The spin is counted so that the contact moves with v_x - R omega.
pub(super) fn superball() -> Value {
    let both = json!({ "normal": 1.0, "tangential": 1.0 });
    planar(0.4, [0.0, 1.0], [1.0, -1.0, 0.3], both, 10.0)
}

/// Half sizes b = 1, h = 2, rocking about the left corner at unit rate; the right corner strikes.
pub(super) fn block() -> Value {
    let (b, h) = (1.0, 2.0);
    planar((b * b + h * h) / 3.0, [b, -h], [h, -b, -1.0], json!(0.0), 2.0)
}

/// m = l = 1, J = 0.1, rolling at unit rate over the old spoke; the next one strikes.
pub(super) fn wheel() -> Value {
    let (s, c) = (PI / 8.0).sin_cos();
    planar(0.1, [s, -c], [c, -s, -1.0], json!(0.0), 1.0)
}

/// The cube of the ContactNets tosses: 0.37 kg, half width 52.4 mm, turned by 30°, 40°, 10° about x,
/// y, z; its lowest corner strikes.
pub(super) fn cube() -> Value {
    let half = 0.0524;
    let [roll, pitch, yaw] = [30.0_f64, 40.0, 10.0].map(|angle| angle.to_radians().sin_cos());
    // Turned about x, then y, then z.
    let turn = |[x, y, z]: [f64; 3]| {
        let [x, y, z] = [x, roll.1 * y - roll.0 * z, roll.0 * y + roll.1 * z];
        let [x, y, z] = [pitch.1 * x + pitch.0 * z, y, pitch.1 * z - pitch.0 * x];
        [yaw.1 * x - yaw.0 * y, yaw.0 * x + yaw.1 * y, z]
    };
    let mut lowest = [f64::INFINITY; 3];
    for corner in 0..8 {
        let sign = |bit: u8| if corner & (1 << bit) == 0 { -half } else { half };
        let r = turn([sign(0), sign(1), sign(2)]);
        if r[2] < lowest[2] {
            lowest = r;
        }
    }
    spatial(0.37, 0.00081, lowest, [0.6, -0.3, -1.5, 3.0, -2.0, 1.0], 0.125, 0.18)
}

/// A body with the same inertia about every axis, struck at a point from its centre: coordinates (v, omega) in world axes.
fn spatial(mass: f64, inertia: f64, [x, y, z]: [f64; 3], velocity: [f64; 6], restitution: f64, friction: f64) -> Value {
    let diagonal = [mass, mass, mass, inertia, inertia, inertia];
    let mass_matrix: Vec<Vec<f64>> =
        (0..6).map(|i| (0..6).map(|j| if i == j { diagonal[i] } else { 0.0 }).collect()).collect();
    json!({
        "mass_matrix": mass_matrix,
        "contact_jacobian": [
            [0.0, 0.0, 1.0, y, -x, 0.0],
            [1.0, 0.0, 0.0, 0.0, z, -y],
            [0.0, 1.0, 0.0, -z, 0.0, x],
        ],
        "velocity": velocity,
        "restitution": restitution,
        "friction": friction,
    })
}
