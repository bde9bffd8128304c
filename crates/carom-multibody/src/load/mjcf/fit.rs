//! Primitives fitted to meshes.

use super::form::{Fit, Form};
use super::mesh::Solid;
use super::pose::Pose;
use crate::Vector;

impl Fit {
    /// The primitive, and its pose in the mesh's frame.
    pub(super) fn form(&self, solid: &Solid) -> (Form, Pose) {
        let Solid { inertia, moments: [a, b, c], axes, low, high } = solid;
        let (half, middle) = if self.by_bounds {
            let half = [0, 1, 2].map(|i| 0.5 * (high[i] - low[i]));
            (half, Vector::from([0, 1, 2].map(|i| 0.5 * (high[i] + low[i]))))
        } else {
            let half = [b + c - a, a + c - b, a + b - c].map(|sum| (1.5 * sum.max(0.0) / inertia.mass).sqrt());
            (half, Vector::ZERO)
        };
        let [x, y, z] = half;
        // Around the bounds, or between the sides of the box.
        let (radius, ball, cap) = if self.by_bounds {
            (x.max(y), x.max(y).max(z), x.max(y))
        } else {
            (0.5 * (x + y), (x + y + z) / 3.0, 0.25 * (x + y))
        };
        let scale = self.scale;
        let form = match self.kind {
            "sphere" => Form::Sphere { radius: scale * ball },
            "capsule" => Form::Capsule { radius: scale * radius, half_length: scale * (z - cap).max(0.0) },
            "cylinder" => Form::Cylinder { radius: scale * radius, half_length: scale * z },
            "ellipsoid" => Form::Ellipsoid { half: half.map(|half| scale * half) },
            _ => Form::Box { half: half.map(|half| scale * half) },
        };
        let pose = Pose { position: inertia.center + axes.apply(middle), turn: axes.to_quaternion() };
        (form, pose)
    }
}
