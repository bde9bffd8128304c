//! Contributions of actuators to the mass matrix.

use std::collections::HashMap;

use super::class::Classes;
use super::notes::Notes;
use super::source::{Part, Sources};
use crate::WarningKind;
use crate::load::LoadError;

/// Inertia of a drive, reflected to its joint.
pub(super) struct Rotor<'a> {
    pub(super) part: Part<'a>,
    pub(super) armature: f64,
    /// Whether its joint was found.
    pub(super) is_used: bool,
}

/// The inertias that actuators add to joints, by joint name.
pub(super) fn rotors<'a>(
    sources: &Sources<'a>,
    classes: &Classes<'a>,
    notes: &mut Notes,
) -> Result<HashMap<&'a str, Rotor<'a>>, LoadError> {
    let mut rotors: HashMap<&'a str, Rotor<'a>> = HashMap::new();
    for part in sources.section("actuator") {
        let (subject, message) =
            (format!("actuator {}", part.name()), "acts where a scene states controls, and is left out otherwise");
        notes.add(WarningKind::NotModelled, part, &subject, message);
        let stated = classes.stated(part, "actuator", None)?;
        let armature = stated.number("armature")?.unwrap_or(0.0);
        if armature == 0.0 {
            continue;
        }
        let Some(joint) = part.text("joint").or(part.text("jointinparent")) else {
            let message = format!(
                "<{}> has an armature but does not act on a joint: its effect on the mass matrix is not supported",
                part.name()
            );
            return Err(part.unsupported(message));
        };
        let [gear, ..] = stated.overlaid("gear", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
        rotors.entry(joint).or_insert(Rotor { part, armature: 0.0, is_used: false }).armature += armature * gear * gear;
    }
    Ok(rotors)
}
