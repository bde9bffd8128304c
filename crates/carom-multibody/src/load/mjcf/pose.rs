//! Poses of elements: positions and the five ways to give an orientation.

use std::ops::Mul;

use super::class::Stated;
use super::settings::Settings;
use super::source::Part;
use crate::load::LoadError;
use crate::{Placement, Quaternion, Rotation, Vector};

/// A placement that preserves the sign of its quaternion, which is part of configurations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pose {
    pub(super) position: Vector,
    pub(super) turn: Quaternion,
}

impl Pose {
    pub(super) const IDENTITY: Self = Self { position: Vector::ZERO, turn: Quaternion::IDENTITY };

    pub(super) fn placement(&self) -> Placement {
        Placement::new(self.turn.to_rotation(), self.position)
    }

    /// The pose given by pos and an orientation.
    pub(super) fn of(stated: &Stated<'_>, settings: &Settings) -> Result<Self, LoadError> {
        let position = stated.numbers::<3>("pos")?.unwrap_or_default().into();
        Ok(Self { position, turn: orientation(stated, settings)?.unwrap_or(Quaternion::IDENTITY) })
    }

    /// The midpoint of two points, with z from the second to the first as in MuJoCo, and half their distance.
    pub(super) fn between(points: [f64; 6]) -> Option<(Self, f64)> {
        let [ax, ay, az, bx, by, bz] = points;
        let (a, b) = (Vector::new(ax, ay, az), Vector::new(bx, by, bz));
        let half = 0.5 * (b - a).norm();
        let turn = onto((a - b).normalized()?);
        (half >= SMALL).then_some((Self { position: 0.5 * (a + b), turn }, half))
    }
}

impl Mul for Pose {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { position: self.placement().apply(other.position), turn: self.turn * other.turn }
    }
}

/// Below this, MuJoCo counts a length as zero.
const SMALL: f64 = 1e-14;

/// The sine of the angle below which MuJoCo takes a direction as z or -z.
const SLIGHT: f64 = 1e-7;

const WAYS: &[&str] = &["quat", "axisangle", "xyaxes", "zaxis", "euler"];

/// The orientation given at the nearest level.
pub(super) fn orientation(stated: &Stated<'_>, settings: &Settings) -> Result<Option<Quaternion>, LoadError> {
    for &level in &stated.levels {
        let ways: Vec<&str> =
            WAYS.iter().copied().filter(|way| level.text(way).is_some_and(|text| !text.trim().is_empty())).collect();
        match ways[..] {
            [] => {}
            [way] => return orientation_by(level, way, settings).map(Some),
            _ => {
                let ways = ways.join(" and ");
                return Err(level.value(format!("<{}> gives its orientation by {ways}; give only one", level.name())));
            }
        }
    }
    Ok(None)
}

fn orientation_by(part: Part<'_>, way: &str, settings: &Settings) -> Result<Quaternion, LoadError> {
    let flat = || part.value(format!("<{}> {way} has no direction", part.name()));
    let unit = |vector: Vector| vector.normalized().ok_or_else(flat);
    Ok(match way {
        "quat" => {
            let quaternion = Quaternion::from_array(part.numbers("quat")?.unwrap_or_default());
            quaternion.normalized().ok_or_else(flat)?
        }
        "axisangle" => {
            let [x, y, z, angle] = part.numbers("axisangle")?.unwrap_or_default();
            Quaternion::about(unit(Vector::new(x, y, z))?, settings.angle * angle)
        }
        "xyaxes" => {
            let [ax, ay, az, bx, by, bz] = part.numbers("xyaxes")?.unwrap_or_default();
            let x = unit(Vector::new(ax, ay, az))?;
            let y = Vector::new(bx, by, bz);
            let y = unit(y.plus(-y.dot(x), x))?;
            signed(&Rotation { columns: [x, y, x.cross(y)] })
        }
        "zaxis" => onto(unit(part.numbers::<3>("zaxis")?.unwrap_or_default().into())?),
        _ => euler(part.numbers("euler")?.unwrap_or_default(), settings),
    })
}

/// The quaternion of a rotation, with the sign that MuJoCo gives it: w is positive for less than 120 degrees, otherwise
/// the component of the axis that rotates least.
fn signed(rotation: &Rotation) -> Quaternion {
    let quaternion = rotation.to_quaternion();
    let [x, y, z] = rotation.columns;
    let diagonal = [x.x(), y.y(), z.z()];
    let leading = if diagonal.iter().sum::<f64>() > 0.0 {
        quaternion.w
    } else if diagonal[0] > diagonal[1] && diagonal[0] > diagonal[2] {
        quaternion.x
    } else if diagonal[1] > diagonal[2] {
        quaternion.y
    } else {
        quaternion.z
    };
    if leading < 0.0 { Quaternion::from_array(quaternion.to_array().map(|part| -part)) } else { quaternion }
}

/// Successive rotations: lower-case letters about the rotated axes, upper-case ones about the fixed axes.
pub(super) fn euler(angles: [f64; 3], settings: &Settings) -> Quaternion {
    let mut turn = Quaternion::IDENTITY;
    for (letter, angle) in settings.sequence.into_iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => 0,
            'y' => 1,
            _ => 2,
        };
        let step = Quaternion::about(Rotation::IDENTITY.columns[axis], settings.angle * angle);
        turn = if letter.is_ascii_lowercase() { turn * step } else { step * turn };
    }
    turn
}

/// The smallest rotation that takes z to a unit vector; about x if the vector is nearly -z.
fn onto(axis: Vector) -> Quaternion {
    let normal = Vector::new(-axis.y(), axis.x(), 0.0);
    let sine = normal.norm();
    match normal.normalized() {
        Some(normal) if sine >= SLIGHT => Quaternion::about(normal, sine.atan2(axis.z())),
        _ if axis.z() > 0.0 => Quaternion::IDENTITY,
        _ => Quaternion { w: 0.0, x: 1.0, y: 0.0, z: 0.0 },
    }
}
