//! Keyframes: states with names.
//!
//! MuJoCo has the coordinates in the same order and units as carom, whatever the compiler's angle: angles in rad, references included, quaternions
//! (w, x, y, z). Only the linear velocity of a free joint differs: it is in world axes there, and in the link's here.

use super::notes::{Notes, check_attributes};
use super::source::{Part, Sources};
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::model::Keyframe;
use crate::{JointKind, Model, Quaternion, Vector};

const KNOWN: &str = "act ctrl mpos mquat name qpos qvel time";

/// All keyframes of a file, as states of its model.
pub(super) fn read(sources: &Sources<'_>, model: &Model, notes: &mut Notes) -> Result<Vec<Keyframe>, LoadError> {
    let mut keyframes: Vec<Keyframe> = Vec::new();
    for part in sources.section("keyframe") {
        if part.name() != "key" {
            let message = format!("<{}> is not a valid element of <keyframe>", part.name());
            return Err(xml::fault(LoadErrorKind::Syntax, part.path, part.node, message));
        }
        check_attributes(part, KNOWN)?;
        for moved in ["mpos", "mquat"].into_iter().filter(|moved| part.text(moved).is_some()) {
            notes.not_modelled(part, &format!("keyframe {moved}"));
        }
        let name = part.text("name").filter(|name| !name.is_empty()).map(str::to_owned);
        if name.is_some() && keyframes.iter().any(|other| other.name == name) {
            return Err(part.value(format!("the keyframe {:?} is defined twice", name.unwrap_or_default())));
        }
        let mut configuration = numbers(part, "qpos", model.home())?;
        let mut velocity = numbers(part, "qvel", &vec![0.0; model.nv()])?;
        for joint in model.joints() {
            let (q, v) = (&mut configuration[joint.coordinates.clone()], &mut velocity[joint.velocities.clone()]);
            let turn = match joint.joint.kind {
                JointKind::Floating => &mut q[3..],
                JointKind::Ball => q,
                _ => continue,
            };
            // As MuJoCo does: a quaternion without direction is no rotation.
            let unit = Quaternion::from_array([turn[0], turn[1], turn[2], turn[3]]).normalized();
            let unit = unit.unwrap_or(Quaternion::from_array([1.0, 0.0, 0.0, 0.0]));
            turn.copy_from_slice(&unit.to_array());
            if joint.joint.kind == JointKind::Floating {
                let own = unit.to_rotation().apply_inverse(Vector::new(v[0], v[1], v[2]));
                v[..3].copy_from_slice(&own.to_array());
            }
        }
        keyframes.push(Keyframe { name, configuration, velocity });
    }
    Ok(keyframes)
}

/// As many numbers as the default has; the default where there are none.
fn numbers(part: Part<'_>, attribute: &str, default: &[f64]) -> Result<Vec<f64>, LoadError> {
    let list = part.list(attribute)?.filter(|list| !list.is_empty()).unwrap_or_else(|| default.to_vec());
    if list.len() != default.len() {
        let (given, needed) = (list.len(), default.len());
        return Err(part.value(format!("<key> {attribute} has {given} numbers, and the model {needed}")));
    }
    Ok(list)
}
