//! More robots and bodies of a scene: each with its own model, place and state.

use std::path::Path;
use std::sync::Arc;

use carom_multibody::{Geometry, Inertia, Joint, JointKind, LinkId, LinkSpec, Model, ModelBuilder, Placement, Shape};
use serde_json::{Map, Value};

use super::{keys, source, state};
use crate::document::value::{check_keys, missing, number, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError};
use crate::robots::Robots;

type Result<T> = std::result::Result<T, ProblemError>;

/// An object of a scene.
pub(super) struct Object {
    /// The prefix of the names of its links and joints; none for a ball or box, whose link and joint are named after the object.
    prefix: Option<String>,
    model: Arc<Model>,
    configuration: Vec<f64>,
    velocity: Vec<f64>,
}

/// The objects that a scene states.
pub(super) fn read(map: &Map<String, Value>, uses_shapes: bool, folder: &Path, robots: &Robots) -> Result<Vec<Object>> {
    let list = match map.get("objects") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) if !list.is_empty() => list,
        Some(other) => return Err(wrong_type(other, "objects", "a list of objects")),
    };
    let mut names: Vec<&str> = Vec::new();
    let mut objects = Vec::with_capacity(list.len());
    for (i, value) in list.iter().enumerate() {
        let path = format!("objects[{i}]");
        let map = object(value, &path)?;
        check_keys(map, &path, keys::OBJECT.names)?;
        let name = text(required(map, &path, "name")?, &format!("{path}.name"))?;
        if name.is_empty() || names.contains(&name) {
            let message = match name.is_empty() {
                true => format!("{path}.name is empty"),
                false => format!("the name {name:?} is used by two objects: objects need different names"),
            };
            return Err(ProblemError::at(Kind::Conflict, format!("{path}.name"), message));
        }
        names.push(name);
        objects.push(one(map, &path, name, uses_shapes, folder, robots)?);
    }
    Ok(objects)
}

/// Distributes a state that lists all entries of the scene, those of the robot first, over the objects; returns the robot's part,
/// or `None` if the state is that of the robot alone.
pub(super) fn share_state(state: Option<&Value>, robot: &Model, objects: &mut [Object]) -> Result<Option<Value>> {
    let Some(Value::Object(stated)) = state else { return Ok(None) };
    let mut of_robot = stated.clone();
    let mut is_shared = false;
    for (key, own) in [("configuration", robot.nq()), ("velocity", robot.nv())] {
        let Some(Value::Array(list)) = stated.get(key) else { continue };
        let mut entries: Vec<&mut f64> = match key {
            "configuration" => objects.iter_mut().flat_map(|object| &mut object.configuration).collect(),
            _ => objects.iter_mut().flat_map(|object| &mut object.velocity).collect(),
        };
        if entries.is_empty() || list.len() != own + entries.len() {
            continue;
        }
        is_shared = true;
        for (place, entry) in (own..).zip(&mut entries) {
            **entry = number(&list[place], &format!("state.{key}[{place}]"))?;
        }
        of_robot.insert(key.to_owned(), Value::Array(list[..own].to_vec()));
    }
    Ok(is_shared.then_some(Value::Object(of_robot)))
}

/// A model and the objects in one world, with their states one after the other.
pub(super) fn join(
    robot: Arc<Model>,
    configuration: &mut Vec<f64>,
    velocity: &mut Vec<f64>,
    objects: &[Object],
) -> Result<Arc<Model>> {
    if objects.is_empty() {
        return Ok(robot);
    }
    let parts = objects.iter().map(|object| (object.prefix.as_deref(), &*object.model));
    let joined = robot.joined(parts).map_err(|error| ProblemError::at(Kind::Model, "objects", error.to_string()))?;
    for object in objects {
        configuration.extend(&object.configuration);
        velocity.extend(&object.velocity);
    }
    Ok(Arc::new(joined))
}

fn one(
    map: &Map<String, Value>,
    path: &str,
    name: &str,
    uses_shapes: bool,
    folder: &Path,
    robots: &Robots,
) -> Result<Object> {
    // Errors of a model, base or state name the object.
    let of_object = |error: ProblemError| ProblemError {
        field: error.field.map(|field| format!("{path}.{field}")),
        message: format!("object {name:?}: {}", error.message),
        ..error
    };
    let given: Vec<&str> = ["model", "ball", "box"].into_iter().filter(|key| map.contains_key(*key)).collect();
    let (model, prefix, base) = match given[..] {
        ["model"] => {
            if map.contains_key("mass") {
                let message = format!("{path}.mass is for a ball or box; a model has its own");
                return Err(ProblemError::at(Kind::Conflict, format!("{path}.mass"), message));
            }
            let base = map.get("base").map(source::base).transpose().map_err(of_object)?.unwrap_or_default();
            let stated = object(required(map, path, "model")?, &format!("{path}.model"))?;
            let (_, _, loaded) = source::model(stated, &base, uses_shapes, folder, robots).map_err(of_object)?;
            let model = match state::floating_root(&loaded) {
                Some(_) => loaded,
                None => Arc::new(Arc::unwrap_or_clone(loaded).placed(&base.placement())),
            };
            (model, Some(name.to_owned()), base)
        }
        [body] => {
            let base = map.get("base").map(source::base).transpose().map_err(of_object)?.unwrap_or_default();
            if base.floating == Some(false) {
                let message = format!("{path}.base.floating = false: a {body} that does not move is a surface");
                return Err(ProblemError::at(Kind::Conflict, format!("{path}.base.floating"), message));
            }
            (Arc::new(solid(map, path, name, body)?), None, base)
        }
        [] => return Err(missing(&format!("{path}.model"), &format!("give {path}.model, {path}.ball or {path}.box"))),
        [one, other, ..] => {
            let message = format!("{path}.{one} and {path}.{other} both define the object; give only one of them");
            return Err(ProblemError::at(Kind::Conflict, format!("{path}.{other}"), message));
        }
    };
    if let Some(key) =
        [("touch", base.touch.is_some()), ("height", base.height.is_some())].iter().find(|(_, given)| *given)
    {
        let message = format!("{path}.base.{} is for the robot of the scene; give {path}.base.position", key.0);
        return Err(ProblemError::at(Kind::Conflict, format!("{path}.base.{}", key.0), message));
    }
    let root = state::floating_root(&model);
    let (configuration, velocity) = state::read(&model, &base, root, map.get("state")).map_err(of_object)?;
    Ok(Object { prefix, model, configuration, velocity })
}

/// A solid ball or box of uniform density that moves freely; its link and joint are named after the object.
fn solid(map: &Map<String, Value>, path: &str, name: &str, body: &str) -> Result<Model> {
    let positive = |value: &Value, field: String| match number(value, &field)? {
        size if size > 0.0 && size.is_finite() => Ok(size),
        size => {
            let message = format!("{field} = {size} must be above 0 and finite");
            Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), field, message))
        }
    };
    let mass = positive(required(map, path, "mass")?, format!("{path}.mass"))?;
    let place = format!("{path}.{body}");
    let sizes = object(required(map, path, body)?, &place)?;
    let (inertia, geometry) = if body == "ball" {
        check_keys(sizes, &place, keys::BALL.names)?;
        let radius = positive(required(sizes, &place, "radius")?, format!("{place}.radius"))?;
        (Inertia::ball(mass, radius), Geometry::Sphere { radius })
    } else {
        check_keys(sizes, &place, keys::BOX.names)?;
        let half = half(sizes, &place)?;
        (Inertia::cuboid(mass, half), Geometry::Box { half })
    };
    let shape = Shape { name: None, placement: Placement::IDENTITY, geometry, contact: None };
    let mut builder = ModelBuilder::new(name);
    let link = LinkSpec::new(name).joint(Joint::new(name, JointKind::Floating)).inertia(inertia).shape(shape);
    builder.link(LinkId::WORLD, link).map_err(|error| ProblemError::at(Kind::Model, path, error.to_string()))?;
    builder.build().map_err(|error| ProblemError::at(Kind::Model, path, error.to_string()))
}

/// The half sizes of a box.
pub(super) fn half(map: &Map<String, Value>, path: &str) -> Result<[f64; 3]> {
    let field = format!("{path}.half");
    let half = triple(required(map, path, "half")?, &field)?;
    match half.iter().find(|size| !(**size > 0.0 && size.is_finite())) {
        None => Ok(half),
        Some(size) => {
            let message = format!("{field} has {size}, which must be above 0 and finite");
            Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), field, message))
        }
    }
}
