//! Reads the tree of a document into a scene.

use std::path::Path;
use std::sync::Arc;

use carom_multibody::load::Options;
use carom_multibody::{Model, ModelBuilder};
use serde_json::{Map, Value};

use super::clamp::clamp;
use super::source::{base, model};
use super::{ModelSource, Scene, Start, contact, loops, motion, objects, placing, state, surface};
use crate::document::value::{object, text, triple};
use crate::document::{Kind, ProblemError};
use crate::robots::Robots;

type Result<T> = std::result::Result<T, ProblemError>;

impl Scene {
    pub(crate) fn from_map(map: &Map<String, Value>, folder: &Path, robots: &Robots) -> Result<Self> {
        let base = map.get("base").map(base).transpose()?.unwrap_or_default();
        let gravity = map.get("gravity").map(|gravity| triple(gravity, "gravity"));
        let (source, options, loaded) = match map.get("model") {
            Some(stated) => model(object(stated, "model")?, &base, uses_shapes(map), folder, robots)?,
            None => {
                if map.contains_key("base") {
                    let message = "base is that of the robot, and there is no model; objects have their own base";
                    return Err(ProblemError::at(Kind::Conflict, "base", message));
                }
                (ModelSource::Objects, Options::new(), Arc::new(nothing()?))
            }
        };
        let root = state::floating_root(&loaded);
        let is_at_origin = root.is_none() && base.position.is_none() && base.rotation.is_none();
        let model = match gravity.transpose()? {
            None if root.is_some() => loaded,
            // The usual scene, without a copy of the model.
            None if is_at_origin => robots.load_at_origin(&source, &options).unwrap_or(loaded),
            gravity => {
                let model = Arc::unwrap_or_clone(loaded);
                let model = gravity.into_iter().fold(model, Model::with_gravity);
                // A fixed base is placed as given.
                Arc::new(if root.is_none() { model.placed(&base.placement()) } else { model })
            }
        };
        let mut objects = objects::read(map, uses_shapes(map), folder, robots)?;
        let of_robot = objects::share_state(map.get("state"), &model, &mut objects)?;
        if of_robot.is_none() && map.contains_key("state") && matches!(source, ModelSource::Objects) {
            let message = "state is that of the robot, and there is no model; objects have their own state, or state lists \
                           all their coordinates and velocities";
            return Err(ProblemError::at(Kind::Conflict, "state", message));
        }
        let stated = of_robot.as_ref().or(map.get("state"));
        let (mut configuration, mut velocity) = state::read(&model, &base, root, stated)?;
        let model = objects::join(model, &mut configuration, &mut velocity, &objects)?;
        let model = loops::add(model, map)?;
        let gap = loops::close(&model, &base, root, map.get("state"), &mut configuration, &mut velocity)?;
        let surfaces = surface::read(&model, map)?;
        let model = surfaces.with_bodies(model);
        let contact::Read { contacts, pairs } = contact::read(&model, &surfaces, map)?;
        let surfaces = surfaces.list;
        // Limits act in a simulation only, and only where they are stated.
        let mut start = configuration.clone();
        let notes = if map.contains_key("limits") { clamp(&model, &mut start) } else { Vec::new() };
        placing::place(&model, &surfaces, &contacts, &base, root, &mut configuration)?;
        placing::place(&model, &surfaces, &contacts, &base, root, &mut start)?;
        let strike = contact::strike(&contacts, &pairs, map)?;
        let motion = motion::read(&model, &start, map)?;
        let mut scene = Self {
            title: map.get("title").map(|title| text(title, "title").map(str::to_owned)).transpose()?,
            source,
            model,
            configuration,
            start: Start { configuration: start, notes },
            velocity,
            contacts,
            pairs,
            strike,
            struck: Vec::new(),
            meetings: Vec::new(),
            nearest: None,
            surfaces,
            motion,
            gap,
        };
        // An invalid state is an error of the scene, not of its solution.
        scene.dynamics()?;
        scene.find_strikers()?;
        Ok(scene)
    }
}

/// A world without a robot.
fn nothing() -> Result<Model> {
    ModelBuilder::new("objects").build().map_err(|error| ProblemError::at(Kind::Model, "objects", error.to_string()))
}

/// Whether a contact of a scene is one of shapes.
fn uses_shapes(map: &Map<String, Value>) -> bool {
    let has_shape = |contact: &Value| contact.get("shape").is_some() || contact.get("against").is_some();
    let list = map.get("contacts").and_then(Value::as_array);
    map.get("contact").is_some_and(has_shape) || list.is_some_and(|list| list.iter().any(has_shape))
}
