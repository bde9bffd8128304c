//! Scales of rounding errors.

use super::{Rows, Sample, is_moving, motion, moving_links};

/// Σ |xᵢ| |Mᵢⱼ| |yⱼ|: the scale of rounding errors of xᵀ M y.
pub fn absolute(x: &[f64], m: &Rows, y: &[f64]) -> f64 {
    let parts = m.iter().zip(x).map(|(row, x)| x.abs() * row.iter().zip(y).map(|(m, y)| (m * y).abs()).sum::<f64>());
    parts.sum()
}

/// M v̇ + h of a sample and the scale of its rounding errors, in √J/s.
pub fn inverse_scale(sample: &mut Sample, a: &[f64]) -> f64 {
    let bias = sample.dynamics.bias().to_vec();
    let n = sample.nv() as f64;
    n * sample.velocity_size(a) + sample.force_size(&bias) + coriolis_scale(sample)
}

/// The scale of the forces of single links: their weight and centrifugal force, which may cancel in h.
pub fn coriolis_scale(sample: &mut Sample) -> f64 {
    let links = moving_links(&sample.model);
    let gravity = sample.model.gravity().norm();
    let mut sum = 0.0;
    for link in links {
        if !is_moving(&sample.model, link) {
            continue;
        }
        let mass = sample.model.link(link).inertia.mass;
        let motion = motion(&mut sample.dynamics, link);
        sum += mass.sqrt() * (gravity + motion.omega.norm() * (motion.velocity.norm() + motion.omega.norm()));
    }
    sum
}
