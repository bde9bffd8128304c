//! Controls of the actuators of the robot's file, as forces, springs and dampers of joints.

use carom_law::ErrorKind;
use carom_multibody::{Model, ModelActuator, Warning, WarningKind};
use carom_sim::Actuator;
use serde_json::{Map, Value};

use super::state;
use crate::document::value::{number, wrong_type};
use crate::document::{Kind, ProblemError, did_you_mean, listed};

type Result<T> = std::result::Result<T, ProblemError>;

const FIELD: &str = "controls";

/// Adds the actuators of the file with their controls. Returns warnings about actuators that act differently than in MuJoCo.
pub(super) fn read(model: &Model, value: &Value, actuators: &mut Vec<Actuator>) -> Result<Vec<Warning>> {
    if !matches!(value, Value::Object(_) | Value::String(_) | Value::Number(_)) {
        return Err(wrong_type(value, FIELD, "the name or the index of a keyframe, or a table of controls"));
    }
    if model.actuators().is_empty() {
        let message = format!("{FIELD}: the file of {} has no actuators", model.name());
        return Err(ProblemError::at(Kind::UnknownName, FIELD, message));
    }
    let names = model.actuator_names();
    let mut notes = Vec::new();
    let controls = match value {
        Value::Object(map) => stated(model, &names, map)?,
        other => {
            let keyframe = state::keyframe(model, other, FIELD)?;
            let each = keyframe.controls.iter().zip(model.actuators()).zip(&names);
            each.map(|((&control, actuator), name)| clamped(control, actuator, name, &mut notes)).collect()
        }
    };
    for ((actuator, name), control) in model.actuators().iter().zip(&names).zip(controls) {
        let law = actuator.law.as_ref().map_err(|fault| {
            let message = format!("{FIELD}: actuator {name:?} of the robot's file is not modelled: {fault}");
            ProblemError::at(Kind::Law(ErrorKind::OutOfRange), FIELD, message)
        })?;
        if let Some([lower, upper]) = actuator.force_range {
            let message = format!(
                "actuator {name:?} has the force range [{lower}, {upper}], which is not modelled: its force may exceed it"
            );
            notes.push(Warning::new(WarningKind::NotModelled, name, message));
        }
        let joint = &model.joints()[law.joint];
        let (coordinate, freedom) = (joint.coordinates.start, joint.velocities.start);
        let (force, stiffness, damping) = (law.force(control), law.stiffness(), law.damping());
        let target = if stiffness > 0.0 { force / stiffness } else { 0.0 };
        if stiffness > 0.0 || damping > 0.0 {
            actuators.push(Actuator::Posture { coordinate, freedom, target, stiffness, damping });
        }
        if stiffness == 0.0 {
            actuators.push(Actuator::Force { freedom, force, rate: 0.0 });
        }
    }
    Ok(notes)
}

/// The controls that the scene states by the name of the actuator; zero for the others.
fn stated(model: &Model, names: &[String], map: &Map<String, Value>) -> Result<Vec<f64>> {
    let mut controls = vec![0.0; names.len()];
    for (name, value) in map {
        let path = format!("{FIELD}.{}", state::quoted(name));
        let Some(index) = names.iter().position(|known| known == name) else {
            let hint = did_you_mean(name, names.iter().map(String::as_str));
            let known = listed(names);
            let message = format!("{path}: {name:?} is not an actuator of {}{hint}; they are {known}", model.name());
            return Err(ProblemError::at(Kind::UnknownName, &path, message).about_key());
        };
        let control = number(value, &path)?;
        let [lower, upper] = model.actuators()[index].control_range.unwrap_or([f64::MIN, f64::MAX]);
        if !(lower <= control && control <= upper) {
            let message =
                format!("{path} = {control} must be in [{lower}, {upper}], the control range of the actuator");
            return Err(ProblemError::at(Kind::Law(ErrorKind::OutOfRange), &path, message));
        }
        controls[index] = control;
    }
    Ok(controls)
}

/// A control of a keyframe, clamped to its range as in MuJoCo.
fn clamped(control: f64, actuator: &ModelActuator, name: &str, notes: &mut Vec<Warning>) -> f64 {
    let Some([lower, upper]) = actuator.control_range else { return control };
    let within = control.clamp(lower, upper);
    if within != control {
        let message = format!(
            "the control {control} of actuator {name:?} is beyond its range [{lower}, {upper}]; it acts as {within}"
        );
        notes.push(Warning::new(WarningKind::OutsideLimits, name, message));
    }
    within
}
