//! Volumes, surfaces and inertias of the primitive shapes.

use std::f64::consts::PI;

use super::form::Form;
use crate::{Inertia, Symmetric, Vector};

/// Volume and inertia of a form of unit density; `None` for a form without volume.
pub(super) fn solid(form: &Form) -> Option<Inertia> {
    Some(match *form {
        Form::Sphere { radius } => Inertia::ball(4.0 / 3.0 * PI * radius.powi(3), radius),
        Form::Box { half } => Inertia::cuboid(8.0 * half.iter().product::<f64>(), half),
        Form::Ellipsoid { half } => ellipsoid(4.0 / 3.0 * PI * half.iter().product::<f64>(), half),
        Form::Cylinder { radius: r, half_length } => {
            let h = 2.0 * half_length;
            let mass = PI * r * r * h;
            round(mass, mass * (3.0 * r * r + h * h) / 12.0, mass * r * r / 2.0)
        }
        Form::Capsule { radius: r, half_length } => {
            let h = 2.0 * half_length;
            let (balls, tube) = (4.0 / 3.0 * PI * r.powi(3), PI * r * r * h);
            let ball = 0.4 * balls * r * r;
            // The centre of a half ball is 3/8 r from its flat side.
            let across = tube * (3.0 * r * r + h * h) / 12.0 + ball + balls * h * (3.0 * r + 2.0 * h) / 8.0;
            round(balls + tube, across, tube * r * r / 2.0 + ball)
        }
        Form::Plane | Form::Field | Form::Mesh { .. } | Form::Fitted(_) => return None,
    })
}

/// Area and inertia of the surface of a form, with unit density per area.
pub(super) fn shell(form: &Form) -> Option<Inertia> {
    Some(match *form {
        Form::Sphere { radius } => {
            let mass = 4.0 * PI * radius * radius;
            diagonal(mass, [2.0 / 3.0 * mass * radius * radius; 3])
        }
        Form::Box { half: [a, b, c] } => {
            let face = |at: usize, distance: f64, u: f64, v: f64| {
                // A pair of plates at ± distance along one axis, half sizes u and v along the next two.
                let mass = 8.0 * u * v;
                let mut moments = [0.0; 3];
                moments[at] = mass * (u * u + v * v) / 3.0;
                moments[(at + 1) % 3] = mass * (v * v / 3.0 + distance * distance);
                moments[(at + 2) % 3] = mass * (u * u / 3.0 + distance * distance);
                diagonal(mass, moments)
            };
            face(0, a, b, c).joined(&face(1, b, c, a)).joined(&face(2, c, a, b))
        }
        Form::Ellipsoid { half } => ellipsoid_shell(half),
        Form::Cylinder { radius: r, half_length } => {
            let h = 2.0 * half_length;
            let (discs, tube) = (2.0 * PI * r * r, 2.0 * PI * r * h);
            let across = tube * (6.0 * r * r + h * h) / 12.0 + discs * (r * r + h * h) / 4.0;
            round(discs + tube, across, tube * r * r + discs * r * r / 2.0)
        }
        Form::Capsule { radius: r, half_length } => {
            let h = 2.0 * half_length;
            let (balls, tube) = (4.0 * PI * r * r, 2.0 * PI * r * h);
            let ball = 2.0 / 3.0 * balls * r * r;
            // The centre of half a spherical shell is r/2 from its rim.
            let across = tube * (6.0 * r * r + h * h) / 12.0 + ball + balls * h * (h + 2.0 * r) / 4.0;
            round(balls + tube, across, tube * r * r + ball)
        }
        Form::Plane | Form::Field | Form::Mesh { .. } | Form::Fitted(_) => return None,
    })
}

fn diagonal(mass: f64, moments: [f64; 3]) -> Inertia {
    Inertia { mass, center: Vector::ZERO, rotational: Symmetric::diagonal(moments) }
}

fn round(mass: f64, across: f64, along: f64) -> Inertia {
    diagonal(mass, [across, across, along])
}

fn ellipsoid(mass: f64, [a, b, c]: [f64; 3]) -> Inertia {
    let (x, y, z) = (a * a, b * b, c * c);
    diagonal(mass, [y + z, x + z, x + y].map(|sum| mass * sum / 5.0))
}

/// The area by Thomsen's formula; the mass is distributed as in a layer of uniform thickness, as in MuJoCo, which differs
/// slightly from a uniform surface density.
fn ellipsoid_shell(half: [f64; 3]) -> Inertia {
    const EXPONENT: f64 = 1.6075;
    const THICKNESS: f64 = 1e-6;
    let [a, b, c] = half.map(|axis| axis.powf(EXPONENT));
    let area = 4.0 * PI * ((a * b + b * c + c * a) / 3.0).powf(1.0 / EXPONENT);
    let volume = |[a, b, c]: [f64; 3]| 4.0 * PI * a * b * c / 3.0;
    let outer = half.map(|axis| axis + THICKNESS);
    let density = area / (volume(outer) - volume(half));
    let [outer, inner] = [outer, half].map(|half| ellipsoid(density * volume(half), half).rotational);
    Inertia { mass: area, center: Vector::ZERO, rotational: outer.plus(-1.0, &inner) }
}
