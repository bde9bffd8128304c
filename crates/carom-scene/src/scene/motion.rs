//! The part of a scene that concerns motion: actuators, limits, end time and tolerance.

use carom_law::{Error, Restitution};
use carom_multibody::{Model, ModelJoint, Warning};
use serde_json::{Map, Value};

use super::{controls, keys, state};
use crate::document::coefficients::restitution;
use crate::document::value::{check_keys, missing, number, object, required, text, wrong_type};
use crate::document::{Kind, ProblemError};
use carom_sim::{Actuator, CoordinateRange, Settings};

type Result<T> = std::result::Result<T, ProblemError>;

/// Actuators, limits and settings of a simulation.
#[derive(Debug, Clone)]
pub(crate) struct SimulationKeys {
    pub(crate) limits: Option<Restitution>,
    /// Whether the dry friction of joints acts.
    pub(crate) joint_friction: bool,
    pub(crate) actuators: Vec<Actuator>,
    pub(crate) settings: Settings,
    /// Warnings about actuators of the robot's file that act differently than in MuJoCo.
    pub(crate) notes: Vec<Warning>,
}

pub(super) fn read(model: &Model, configuration: &[f64], map: &Map<String, Value>) -> Result<SimulationKeys> {
    let limits = map.get("limits").map(limits).transpose()?;
    let mut actuators = Vec::new();
    if let Some(value) = map.get("posture") {
        posture(model, configuration, object(value, "posture")?, &mut actuators)?;
    }
    if let Some(value) = map.get("actuation") {
        for (name, value) in object(value, "actuation")? {
            let path = format!("actuation.{}", state::quoted(name));
            let joint = single(model, name, &path).map_err(ProblemError::about_key)?;
            actuation(joint, configuration, object(value, &path)?, &path, &mut actuators)?;
        }
    }
    let notes = map.get("controls").map_or(Ok(Vec::new()), |value| controls::read(model, value, &mut actuators))?;
    let joint_friction = map.get("simulation").map_or(Ok(true), joint_friction)?;
    let settings = map.get("simulation").map_or(Ok(Settings::default()), settings)?;
    Ok(SimulationKeys { limits, joint_friction, actuators, settings, notes })
}

fn limits(value: &Value) -> Result<Restitution> {
    let map = object(value, "limits")?;
    check_keys(map, "limits", keys::LIMITS.names)?;
    restitution(required(map, "limits", "restitution")?, "limits.restitution")
}

/// Springs and dampers that hold all joints, or those listed, at their initial positions.
fn posture(
    model: &Model,
    configuration: &[f64],
    map: &Map<String, Value>,
    actuators: &mut Vec<Actuator>,
) -> Result<()> {
    check_keys(map, "posture", keys::POSTURE.names)?;
    let stiffness = not_negative(required(map, "posture", "stiffness")?, "posture.stiffness")?;
    let damping = map.get("damping").map_or(Ok(0.0), |value| not_negative(value, "posture.damping"))?;
    let joints: Vec<&ModelJoint> = match map.get("joints") {
        None => model.joints().iter().filter(|joint| is_single(joint)).collect(),
        Some(Value::Array(list)) => {
            let find = |(i, value): (usize, &Value)| {
                let path = format!("posture.joints[{i}]");
                single(model, text(value, &path)?, &path)
            };
            list.iter().enumerate().map(find).collect::<Result<_>>()?
        }
        Some(other) => return Err(wrong_type(other, "posture.joints", "a list of joints")),
    };
    for joint in joints {
        let coordinate = joint.coordinates.start;
        let target = configuration[coordinate];
        actuators.push(Actuator::Posture { coordinate, freedom: joint.velocities.start, target, stiffness, damping });
    }
    Ok(())
}

/// A force, or a spring and damper, of one joint.
fn actuation(
    joint: &ModelJoint,
    configuration: &[f64],
    map: &Map<String, Value>,
    path: &str,
    actuators: &mut Vec<Actuator>,
) -> Result<()> {
    check_keys(map, path, keys::ACTUATION.names)?;
    let given = |key: &str| map.get(key).map(|value| number(value, &format!("{path}.{key}"))).transpose();
    let checked = |key: &str| map.get(key).map(|value| not_negative(value, &format!("{path}.{key}"))).transpose();
    let (force, rate, target) = (given("force")?, given("rate")?, given("target")?);
    let (stiffness, damping) = (checked("stiffness")?, checked("damping")?);
    let freedom = joint.velocities.start;
    if force.is_some() || rate.is_some() {
        actuators.push(Actuator::Force { freedom, force: force.unwrap_or(0.0), rate: rate.unwrap_or(0.0) });
    }
    if stiffness.is_some() || damping.is_some() {
        let coordinate = joint.coordinates.start;
        let (stiffness, damping) = (stiffness.unwrap_or(0.0), damping.unwrap_or(0.0));
        let target = target.unwrap_or(configuration[coordinate]);
        actuators.push(Actuator::Posture { coordinate, freedom, target, stiffness, damping });
    } else if target.is_some() {
        return Err(missing(&format!("{path}.stiffness"), "a target needs a stiffness"));
    }
    Ok(())
}

fn joint_friction(value: &Value) -> Result<bool> {
    match object(value, "simulation")?.get("joint_friction") {
        None => Ok(true),
        Some(Value::Bool(acts)) => Ok(*acts),
        Some(other) => Err(wrong_type(other, "simulation.joint_friction", "true or false")),
    }
}

fn settings(value: &Value) -> Result<Settings> {
    let map = object(value, "simulation")?;
    check_keys(map, "simulation", keys::SIMULATION.names)?;
    let given = |key: &str| map.get(key).map(|value| positive(value, &format!("simulation.{key}"))).transpose();
    let standard = Settings::default();
    Ok(Settings {
        tolerance: given("tolerance")?.unwrap_or(standard.tolerance),
        until: given("until")?.unwrap_or(standard.until),
        interval: given("interval")?.or(standard.interval),
        largest_step: given("largest_step")?,
        max_events: map
            .get("max_events")
            .map_or(Ok(standard.max_events), |value| count(value, "simulation.max_events"))?,
        max_time: None,
    })
}

/// The condition under which a contact can close: a joint above or below a value.
pub(super) fn condition(model: &Model, value: &Value, path: &str) -> Result<CoordinateRange> {
    let map = object(value, path)?;
    check_keys(map, path, keys::CONDITION.names)?;
    let field = format!("{path}.joint");
    let joint = single(model, text(required(map, path, "joint")?, &field)?, &field)?;
    let given = |key: &str| map.get(key).map(|value| number(value, &format!("{path}.{key}"))).transpose();
    let (above, below) = (given("above")?, given("below")?);
    if above.is_none() && below.is_none() {
        return Err(missing(&format!("{path}.above"), "a condition needs above, below or both"));
    }
    let (above, below) = (above.unwrap_or(f64::NEG_INFINITY), below.unwrap_or(f64::INFINITY));
    if above >= below {
        let bound = format!("less than {path}.below = {below}").into();
        return Err(Error::OutOfRange { field: format!("{path}.above").into(), value: above, bound }.into());
    }
    Ok(CoordinateRange { coordinate: joint.coordinates.start, above, below })
}

fn is_single(joint: &ModelJoint) -> bool {
    joint.joint.mimic.is_none() && joint.coordinates.len() == 1 && joint.velocities.len() == 1
}

/// A joint with a single coordinate of its own.
fn single<'m>(model: &'m Model, name: &str, path: &str) -> Result<&'m ModelJoint> {
    let joint = state::joint(model, name, path)?;
    if is_single(joint) {
        return Ok(joint);
    }
    let kind = joint.joint.kind.name();
    let message = format!(
        "{path}: joint {name:?} is {kind} and has {} coordinates; a joint with one is needed",
        joint.coordinates.len()
    );
    Err(ProblemError::at(Kind::WrongType, path, message))
}

fn positive(value: &Value, path: &str) -> Result<f64> {
    bounded(value, path, |x| x > 0.0, "positive")
}

/// A positive integer.
fn count(value: &Value, path: &str) -> Result<u64> {
    // Beyond this not every integer can be represented.
    const MOST: f64 = 9e15;
    bounded(value, path, |x| x >= 1.0 && x.fract() == 0.0 && x <= MOST, "an integer from 1 to 9e15").map(|x| x as u64)
}

fn not_negative(value: &Value, path: &str) -> Result<f64> {
    bounded(value, path, |x| x >= 0.0, "zero or more")
}

fn bounded(value: &Value, path: &str, holds: fn(f64) -> bool, bound: &str) -> Result<f64> {
    let x = number(value, path)?;
    if holds(x) && x.is_finite() {
        return Ok(x);
    }
    let message = format!("{path} = {x} must be {bound} and finite");
    Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), path, message))
}
