//! Keyframes: states with names.
//!
//! MuJoCo has the coordinates in the same order and units as carom, whatever the compiler's angle: angles in rad, references included, quaternions
//! (w, x, y, z). Only the linear velocity of a free joint differs: it is in world axes there, and in the link's here.

use super::notes::{Notes, check_attributes};
use super::source::{Part, Sources};
use crate::Model;
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::model::Keyframe;

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
        let (qpos, qvel) = (numbers(part, "qpos", model.home())?, numbers(part, "qvel", &vec![0.0; model.nv()])?);
        let (configuration, velocity) =
            model.read_mujoco_state(&qpos, &qvel).map_err(|error| part.value(format!("<key>: {error}")))?;
        let controls = numbers(part, "ctrl", &vec![0.0; model.actuators().len()])?;
        keyframes.push(Keyframe { name, configuration, velocity, controls });
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
