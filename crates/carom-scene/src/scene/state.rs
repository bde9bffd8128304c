//! The state of a scene: by joint name or as vectors, and the state of the base.

use carom_multibody::{
    JointKind, JointNameError, Keyframe, LinkId, Model, ModelJoint, Placement, Quaternion, Rotation, Vector,
};
use serde_json::{Map, Value};

use super::keys;
use crate::document::value::{check_keys, number, numbers, object, shape, type_name, wrong_type};
use crate::document::{Kind, ProblemError, did_you_mean, listed};

type Result<T> = std::result::Result<T, ProblemError>;

/// The base as given in a scene.
#[derive(Debug, Clone, Default)]
pub(super) struct Base {
    pub(super) floating: Option<bool>,
    pub(super) position: Option<[f64; 3]>,
    pub(super) rotation: Option<Rotation>,
    /// Velocity of its origin, in world axes.
    pub(super) velocity: Option<Vector>,
    pub(super) angular_velocity: Option<Vector>,
    /// The contact, link or `lowest` that the base is moved to touch with.
    pub(super) touch: Option<String>,
    /// The gap that it is left with.
    pub(super) height: Option<f64>,
}

impl Base {
    /// The placement of a fixed base.
    pub(super) fn placement(&self) -> Placement {
        Placement::new(self.rotation.unwrap_or(Rotation::IDENTITY), self.position.unwrap_or_default())
    }
}

/// The floating joint of the base, if there is one: the first joint, attached to the world.
pub(crate) fn floating_root(model: &Model) -> Option<usize> {
    let first = model.joints().iter().position(|joint| joint.joint.kind != JointKind::Fixed)?;
    let joint = &model.joints()[first];
    let on_world = model.link(joint.link).parent == Some(LinkId::WORLD);
    (on_world && joint.joint.kind == JointKind::Floating).then_some(first)
}

/// Whether a link is the base, that of a floating root, or hangs on it: moving the base moves it.
pub(crate) fn moves_with(model: &Model, base: LinkId, mut link: LinkId) -> bool {
    while link != base {
        match model.link(link).parent {
            Some(parent) => link = parent,
            None => return false,
        }
    }
    true
}

pub(super) fn read(
    model: &Model,
    base: &Base,
    root: Option<usize>,
    state: Option<&Value>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let empty = Map::new();
    let state = state.map_or(Ok(&empty), |state| object(state, "state"))?;
    check_keys(state, "state", keys::STATE.names)?;
    let keyframe = state.get("keyframe").map(|value| keyframe(model, value, "state.keyframe")).transpose()?;
    let root = root.map(|root| &model.joints()[root]);

    let mut q = keyframe.map_or(model.home(), |keyframe| &keyframe.configuration).to_vec();
    let is_placed = base.position.is_some() || base.rotation.is_some();
    fill(model, &mut q, state.get("configuration"), Part::Configuration, root.filter(|_| is_placed))?;
    if let Some(root) = root.filter(|_| is_placed) {
        place(model, root, base, &mut q[root.coordinates.clone()]);
    }

    let mut v = keyframe.map_or_else(|| vec![0.0; model.nv()], |keyframe| keyframe.velocity.clone());
    let moving = [("velocity", base.velocity), ("angular_velocity", base.angular_velocity)];
    let base_turns = moving.iter().find(|(_, given)| given.is_some());
    if let (Some((key, _)), None) = (base_turns, root) {
        let message = format!(
            "base.{key} is for a robot whose first joint is floating: set base.floating = true for a URDF, or \
             state.velocity for the joints that move"
        );
        return Err(ProblemError::at(Kind::Conflict, format!("base.{key}"), message));
    }
    fill(model, &mut v, state.get("velocity"), Part::Velocity, base_turns.and(root))?;
    if let (Some(root), Some(_)) = (root, base_turns) {
        // The model has them in the base's own axes.
        let axes = (model.link(root.link).placement * pose(&q[root.coordinates.clone()])).rotation;
        let velocities = &mut v[root.velocities.clone()];
        let (linear, angular) = velocities.split_at_mut(3);
        for (part, given) in [(linear, base.velocity), (angular, base.angular_velocity)] {
            if let Some(given) = given {
                part.copy_from_slice(&axes.apply_inverse(given).to_array());
            }
        }
    }
    Ok((q, v))
}

/// A keyframe of the robot's file, by its name or its index.
pub(super) fn keyframe<'m>(model: &'m Model, value: &Value, field: &str) -> Result<&'m Keyframe> {
    let found = match value {
        Value::String(name) => model.find_keyframe(name),
        Value::Number(number) => {
            let index = number.as_u64().and_then(|index| usize::try_from(index).ok());
            index.and_then(|index| model.keyframes().get(index))
        }
        _ => return Err(wrong_type(value, field, "the name or the index of a keyframe")),
    };
    found.ok_or_else(|| {
        let names = model.keyframe_names();
        let known = match names.is_empty() {
            true => ", whose file has none".to_owned(),
            false => format!("; its keyframes are {}", names.join(", ")),
        };
        let hint = value.as_str().map_or(String::new(), |name| did_you_mean(name, names.iter().map(String::as_str)));
        let message = format!("{field} = {value} is not a keyframe of {}{hint}{known}", model.name());
        ProblemError::at(Kind::UnknownName, field, message)
    })
}

/// Sets the pose of a floating base; by default it stays at home. Coordinates are relative to the placement of
/// the joint in the world.
fn place(model: &Model, root: &ModelJoint, base: &Base, coordinates: &mut [f64]) {
    let joint = model.link(root.link).placement;
    let home = joint * pose(coordinates);
    let wanted =
        Placement::new(base.rotation.unwrap_or(home.rotation), base.position.map_or(home.translation, Vector::from));
    let own = joint.inverse() * wanted;
    let (position, turn) = coordinates.split_at_mut(3);
    position.copy_from_slice(&own.translation.to_array());
    if base.rotation.is_some() {
        turn.copy_from_slice(&own.rotation.to_quaternion().to_array());
    }
}

/// The pose given by the coordinates of a floating joint.
fn pose(coordinates: &[f64]) -> Placement {
    let turn = Quaternion::from_array([3, 4, 5, 6].map(|k| coordinates[k]));
    Placement::new(turn.to_rotation(), [coordinates[0], coordinates[1], coordinates[2]])
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Configuration,
    Velocity,
}

impl Part {
    fn key(self) -> &'static str {
        match self {
            Part::Configuration => "state.configuration",
            Part::Velocity => "state.velocity",
        }
    }

    fn range(self, joint: &ModelJoint) -> std::ops::Range<usize> {
        match self {
            Part::Configuration => joint.coordinates.clone(),
            Part::Velocity => joint.velocities.clone(),
        }
    }
}

/// Reads numbers by joint name, or a list of all of them. `by_base` is the joint already set by the base.
fn fill(
    model: &Model,
    numbers_of_state: &mut [f64],
    given: Option<&Value>,
    part: Part,
    by_base: Option<&ModelJoint>,
) -> Result<()> {
    let key = part.key();
    let twice = |name: &str, field: &str| {
        let message = format!("{field} and base both give the state of {name:?}; give only one of them");
        ProblemError::at(Kind::Conflict, field, message)
    };
    match given {
        None => Ok(()),
        Some(list @ Value::Array(_)) => {
            if let Some(root) = by_base {
                return Err(twice(&root.joint.name, key));
            }
            let list = numbers(list, key)?;
            if list.len() != numbers_of_state.len() {
                return Err(shape(key, list.len(), numbers_of_state.len(), &format!("as {} has", model.name())));
            }
            numbers_of_state.copy_from_slice(&list);
            Ok(())
        }
        Some(Value::Object(map)) => {
            for (name, value) in map {
                let field = format!("{key}.{}", quoted(name));
                let joint = joint(model, name, &field).map_err(ProblemError::about_key)?;
                if by_base.is_some_and(|root| root.joint.name == *name) {
                    return Err(twice(name, &field));
                }
                let slots = &mut numbers_of_state[part.range(joint)];
                match value {
                    Value::Array(_) => {
                        let list = numbers(value, &field)?;
                        if list.len() != slots.len() {
                            let why = format!("as {} joint {name:?} has", joint.joint.kind.name());
                            return Err(shape(&field, list.len(), slots.len(), &why));
                        }
                        slots.copy_from_slice(&list);
                    }
                    _ if slots.len() == 1 => slots[0] = number(value, &field)?,
                    _ => {
                        let why = format!("as {} joint {name:?} has", joint.joint.kind.name());
                        return Err(shape(&field, 1, slots.len(), &why));
                    }
                }
            }
            Ok(())
        }
        Some(other) => {
            let message = format!("{key} is {}, but must be numbers by joint name or a list", type_name(other));
            Err(ProblemError::at(Kind::WrongType, key, message))
        }
    }
}

pub(super) fn joint<'m>(model: &'m Model, name: &str, field: &str) -> Result<&'m ModelJoint> {
    model.moving_joint(name).map_err(|error| {
        let message = match &error {
            JointNameError::Unknown { known, model, .. } => {
                let hint = did_you_mean(name, known.iter().map(String::as_str));
                format!("{name:?} is not a joint of {model}{hint}; its moving joints are {}", listed(known))
            }
            _ => error.to_string(),
        };
        ProblemError::at(Kind::UnknownName, field, message)
    })
}

/// A name as a step of a path, quoted if it has dots or brackets.
pub(super) fn quoted(name: &str) -> String {
    if name.contains(['.', '[', ']', '"']) { format!("{name:?}") } else { name.to_owned() }
}
