//! Configurations: points of the manifold on which a model moves.

use crate::error::DynamicsError;
use crate::model::{Model, ModelJoint, NodeMotion, Warning, WarningKind};
use crate::spatial::screw_coefficients;
use crate::{Placement, Quaternion, UNIT_TOLERANCE, Vector};

impl Model {
    /// q ⊕ v dt: the configuration reached with a constant velocity after a time dt. Quaternions keep unit length.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite, quaternions that are not of unit length, or a result beyond the
    /// range of `f64`. The content of `out` is then undefined.
    pub fn integrate(&self, q: &[f64], v: &[f64], dt: f64, out: &mut [f64]) -> Result<(), DynamicsError> {
        self.check_state(q, v)?;
        if !dt.is_finite() {
            return Err(DynamicsError::NotFinite { field: "dt", index: 0, value: dt });
        }
        self.check_length("configuration", out.len(), self.nq())?;
        for (motion, i, j) in self.owners() {
            match motion {
                NodeMotion::Turn | NodeMotion::Slide => out[i] = q[i] + dt * v[j],
                NodeMotion::Ball => {
                    let turn = Quaternion::exp(dt * Vector::new(v[j], v[j + 1], v[j + 2]));
                    write_unit(quaternion(&q[i..]) * turn, &mut out[i..]);
                }
                NodeMotion::Free => {
                    let linear = dt * Vector::new(v[j], v[j + 1], v[j + 2]);
                    let angular = dt * Vector::new(v[j + 3], v[j + 4], v[j + 5]);
                    let start = quaternion(&q[i + 3..]);
                    let moved = start.to_rotation().apply(Placement::exp(linear, angular).translation);
                    for (k, shift) in moved.to_array().into_iter().enumerate() {
                        out[i + k] = q[i + k] + shift;
                    }
                    write_unit(start * Quaternion::exp(angular), &mut out[i + 3..]);
                }
            }
        }
        if out.iter().all(|x| x.is_finite()) { Ok(()) } else { Err(DynamicsError::Overflow { field: "configuration" }) }
    }

    /// The constant velocity that leads from one configuration to another in unit time: the inverse of
    /// [`Model::integrate`], along the shorter rotation.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite, or quaternions that are not of unit length.
    pub fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) -> Result<(), DynamicsError> {
        self.check_length("velocity", out.len(), self.nv())?;
        out.fill(0.0);
        self.check_state(from, out)?;
        self.check_state(to, out)?;
        for (motion, i, j) in self.owners() {
            match motion {
                NodeMotion::Turn | NodeMotion::Slide => out[j] = to[i] - from[i],
                NodeMotion::Ball => {
                    let turn = (quaternion(&from[i..]).conjugate() * quaternion(&to[i..])).log();
                    out[j..j + 3].copy_from_slice(&turn.to_array());
                }
                NodeMotion::Free => {
                    let start = quaternion(&from[i + 3..]);
                    let angular = (start.conjugate() * quaternion(&to[i + 3..])).log();
                    let shift = Vector::new(to[i] - from[i], to[i + 1] - from[i + 1], to[i + 2] - from[i + 2]);
                    let linear = unscrew(start.to_rotation().apply_inverse(shift), angular);
                    out[j..j + 3].copy_from_slice(&linear.to_array());
                    out[j + 3..j + 6].copy_from_slice(&angular.to_array());
                }
            }
        }
        Ok(())
    }

    /// dq/dt for a velocity; the rate of a quaternion preserves its length.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite, or quaternions that are not of unit length.
    pub fn configuration_rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) -> Result<(), DynamicsError> {
        self.check_state(q, v)?;
        self.check_length("configuration", out.len(), self.nq())?;
        let turn_rate = |q: &[f64], v: &[f64]| {
            let spin = Quaternion { w: 0.0, x: 0.5 * v[0], y: 0.5 * v[1], z: 0.5 * v[2] };
            (quaternion(q) * spin).to_array()
        };
        for (motion, i, j) in self.owners() {
            match motion {
                NodeMotion::Turn | NodeMotion::Slide => out[i] = v[j],
                NodeMotion::Ball => out[i..i + 4].copy_from_slice(&turn_rate(&q[i..], &v[j..])),
                NodeMotion::Free => {
                    let rotation = quaternion(&q[i + 3..]).to_rotation();
                    let linear = rotation.apply(Vector::new(v[j], v[j + 1], v[j + 2]));
                    out[i..i + 3].copy_from_slice(&linear.to_array());
                    out[i + 3..i + 7].copy_from_slice(&turn_rate(&q[i + 3..], &v[j + 3..]));
                }
            }
        }
        Ok(())
    }

    /// Warnings about coordinates beyond the limits of their joints. Limits have no effect on an impact.
    pub fn limit_warnings(&self, q: &[f64]) -> Vec<Warning> {
        let beyond = |joint: &ModelJoint| {
            let ([lower, upper], value) = (joint.joint.limits?, *q.get(joint.coordinates.start)?);
            let value = match &joint.joint.mimic {
                // Chains of mimics are rare; limits are only checked for direct leaders.
                Some(mimic) if self.find_joint(&mimic.leader)?.joint.mimic.is_none() => {
                    mimic.multiplier * value + mimic.offset
                }
                Some(_) => return None,
                None => value,
            };
            (value < lower || value > upper).then(|| {
                let name = joint.joint.name.clone();
                let message = format!("joint {name:?} is at {value}, beyond its limits [{lower}, {upper}]");
                Warning { kind: WarningKind::OutsideLimits, subject: name, message, line: None }
            })
        };
        self.joints().iter().filter_map(beyond).collect()
    }

    /// Warnings about the robot's file and about a configuration, except those about ignored elements.
    pub fn warnings_at(&self, q: &[f64]) -> Vec<Warning> {
        let of_file = self.warnings().iter().filter(|warning| warning.kind != WarningKind::Ignored).cloned();
        of_file.chain(self.limit_warnings(q)).collect()
    }

    /// Warnings about properties of joints that would affect a motion over time but are not modelled. They have no
    /// effect on an impact.
    pub fn motion_warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |joint: &ModelJoint, message: String| {
            let subject = joint.joint.name.clone();
            warnings.push(Warning { kind: WarningKind::NotModelled, subject, message, line: None });
        };
        for joint in self.joints().iter().filter(|joint| joint.joint.kind.nv() > 0) {
            let (stated, name) = (&joint.joint, &joint.joint.name);
            if stated.spring.is_some_and(|spring| spring.stiffness != 0.0) && !stated.kind.is_single() {
                let kind = stated.kind.name();
                warn(joint, format!("joint {name:?} has a spring, which is not modelled on a {kind} joint"));
            }
        }
        warnings
    }

    /// Normalises all quaternions; `false` if one is zero or not finite.
    pub fn normalize(&self, q: &mut [f64]) -> bool {
        let mut is_sound = q.len() == self.nq();
        if is_sound {
            for (start, _) in self.quaternions() {
                match quaternion(&q[start..]).normalized() {
                    Some(unit) => q[start..start + 4].copy_from_slice(&unit.to_array()),
                    None => is_sound = false,
                }
            }
        }
        is_sound
    }

    /// Whether q and v are a valid state: lengths, finite numbers, unit quaternions.
    #[inline(always)]
    pub(crate) fn is_state(&self, q: &[f64], v: &[f64]) -> bool {
        if q.len() != self.nq() || v.len() != self.nv() {
            return false;
        }
        // x · 0 is 0 for every finite x and NaN otherwise, and a NaN makes the sum NaN.
        let zero: f64 = q.iter().chain(v).map(|x| x * 0.0).sum();
        zero == 0.0 && self.quaternions().all(|(start, _)| is_unit(quaternion(&q[start..])))
    }

    fn check_state(&self, q: &[f64], v: &[f64]) -> Result<(), DynamicsError> {
        if self.is_state(q, v) { Ok(()) } else { Err(self.state_fault(q, v)) }
    }

    fn check_length(&self, field: &'static str, given: usize, expected: usize) -> Result<(), DynamicsError> {
        if given == expected { Ok(()) } else { Err(DynamicsError::Length { field, given, expected }) }
    }

    /// Why q and v are not a valid state.
    #[cold]
    pub(crate) fn state_fault(&self, q: &[f64], v: &[f64]) -> DynamicsError {
        for (field, values, expected) in [("configuration", q, self.nq()), ("velocity", v, self.nv())] {
            if values.len() != expected {
                return DynamicsError::Length { field, given: values.len(), expected };
            }
            if let Some(index) = values.iter().position(|value| !value.is_finite()) {
                return DynamicsError::NotFinite { field, index, value: values[index] };
            }
        }
        let mut joint = String::new();
        let mut norm = f64::NAN;
        for (start, place) in self.quaternions() {
            if !is_unit(quaternion(&q[start..])) {
                joint = self.joints()[place].joint.name.clone();
                norm = quaternion(&q[start..]).norm();
                break;
            }
        }
        DynamicsError::NotUnit { joint, norm }
    }

    /// The nodes that have their own coordinates, with their first coordinate and velocity.
    fn owners(&self) -> impl Iterator<Item = (NodeMotion, usize, usize)> + '_ {
        let own = |joint: usize| self.joints()[joint].joint.mimic.is_none();
        self.tree.nodes.iter().filter(move |node| own(node.joint)).map(|node| (node.motion, node.q, node.v))
    }

    /// First coordinate and joint of each quaternion.
    #[inline(always)]
    fn quaternions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.tree.quaternions.iter().copied()
    }
}

#[inline(always)]
fn quaternion(parts: &[f64]) -> Quaternion {
    Quaternion::from_array([parts[0], parts[1], parts[2], parts[3]])
}

/// A quaternion without direction is written unchanged, for the caller to detect.
fn write_unit(q: Quaternion, out: &mut [f64]) {
    out[..4].copy_from_slice(&q.normalized().unwrap_or(q).to_array());
}

#[inline(always)]
fn is_unit(q: Quaternion) -> bool {
    let square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    // |q| = 1 ± t, to first order.
    (square - 1.0).abs() <= 2.0 * UNIT_TOLERANCE
}

/// The linear velocity of the screw motion that rotates by `angular` and translates by `shift`: V⁻¹ shift.
fn unscrew(shift: Vector, angular: Vector) -> Vector {
    let theta = angular.norm();
    let (a, b) = screw_coefficients(theta);
    // V⁻¹ = 1 - [ω]/2 + c [ω]², c = (1 - (1 - θ² b)/(2a))/θ²; by its series where that loses digits.
    let c = if theta < 0.05 {
        let square = theta * theta;
        1.0 / 12.0 + square / 720.0 * (1.0 + square / 42.0)
    } else {
        (1.0 - 0.5 * (1.0 - theta * theta * b) / a) / (theta * theta)
    };
    let turned = angular.cross(shift);
    shift.plus(-0.5, turned).plus(c, angular.cross(turned))
}
