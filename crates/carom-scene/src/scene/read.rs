//! Reads the tree of a document into a scene.

use std::path::Path;
use std::sync::Arc;

use carom_multibody::load::{self, Format, Mimics, Options};
use carom_multibody::{Model, Quaternion, Rotation, Vector};
use serde_json::{Map, Value};

use super::state::{self, Base};
use super::{ModelSource, Scene, contact, motion, surface};
use crate::document::value::{boolean, check_keys, missing, named, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError};
use crate::models;

type Result<T> = std::result::Result<T, ProblemError>;

impl Scene {
    pub(crate) fn from_map(map: &Map<String, Value>, folder: &Path) -> Result<Self> {
        let base = map.get("base").map(base).transpose()?.unwrap_or_default();
        let (source, model) = model(object(required(map, "", "model")?, "model")?, &base, folder)?;
        let model = match map.get("gravity") {
            Some(gravity) => model.with_gravity(triple(gravity, "gravity")?),
            None => model,
        };
        let root = state::floating_root(&model);
        // A fixed base is placed as given.
        let model = if root.is_none() { model.placed(&base.placement()) } else { model };
        let (configuration, velocity) = state::read(&model, &base, root, map.get("state"))?;
        let surfaces = surface::read(&model, map)?;
        let contacts = contact::read(&model, &surfaces, map)?;
        let struck = contact::struck(&contacts, map)?;
        let motion = motion::read(&model, &configuration, map)?;
        let scene = Self {
            title: map.get("title").map(|title| text(title, "title").map(str::to_owned)).transpose()?,
            source,
            model: Arc::new(model),
            configuration,
            velocity,
            contacts,
            struck,
            surfaces,
            motion,
        };
        // An invalid state is an error of the scene, not of its solution.
        scene.dynamics().map(|_| scene)
    }
}

fn model(map: &Map<String, Value>, base: &Base, folder: &Path) -> Result<(ModelSource, Model)> {
    const WAYS: [&str; 3] = ["urdf", "mjcf", "builtin"];
    check_keys(map, "model", &["urdf", "mjcf", "builtin", "mimics"])?;
    let given: Vec<&str> = WAYS.into_iter().filter(|way| map.contains_key(*way)).collect();
    let way = match given[..] {
        [way] => way,
        [] => return Err(missing("model.urdf", "give model.urdf, model.mjcf or model.builtin")),
        [one, other, ..] => {
            let message = format!("model.{one} and model.{other} both give a robot; give only one of them");
            return Err(ProblemError::at(Kind::Conflict, format!("model.{other}"), message));
        }
    };
    let field = format!("model.{way}");
    let name = text(required(map, "model", way)?, &field)?;
    let mimics = named(map, "model", "mimics", &[Mimics::Follow, Mimics::Free], |mimics| match mimics {
        Mimics::Follow => "follow",
        Mimics::Free => "free",
    })?;
    let format = match way {
        "urdf" => Some(Format::Urdf),
        "mjcf" => Some(Format::Mjcf),
        _ => None,
    };
    let options = Options { floating_base: base.floating.unwrap_or(false), mimics, format };
    let (source, loaded) = match way {
        "builtin" => {
            let built_in = models::find(name).ok_or_else(|| {
                let names: Vec<&str> = models::MODELS.iter().map(|model| model.name).collect();
                let message = format!("{field} = {name:?} is not one of {}", names.join(", "));
                ProblemError::at(Kind::UnknownName, &field, message)
            })?;
            (ModelSource::BuiltIn(built_in.name), built_in.load(&options))
        }
        _ => {
            let path = folder.join(name);
            let loaded = load::file(&path, &options);
            (ModelSource::File(path), loaded)
        }
    };
    let model = loaded.map_err(|error| ProblemError::at(Kind::Model, &field, error.to_string()))?;
    if base.floating == Some(false) && state::floating_root(&model).is_some() {
        let message = "base.floating = false conflicts with the robot's file, whose base is floating";
        return Err(ProblemError::at(Kind::Conflict, "base.floating", message));
    }
    Ok((source, model))
}

fn base(value: &Value) -> Result<Base> {
    let map = object(value, "base")?;
    check_keys(map, "base", &["floating", "position", "rpy", "quaternion", "velocity", "angular_velocity"])?;
    let vector = |key: &str| map.get(key).map(|value| triple(value, &format!("base.{key}"))).transpose();
    Ok(Base {
        floating: map.get("floating").map(|value| boolean(value, "base.floating")).transpose()?,
        position: vector("position")?,
        rotation: rotation(map, "base")?,
        velocity: vector("velocity")?.map(Vector::from),
        angular_velocity: vector("angular_velocity")?.map(Vector::from),
    })
}

/// An orientation as roll, pitch and yaw or as a quaternion.
fn rotation(map: &Map<String, Value>, path: &str) -> Result<Option<Rotation>> {
    match (map.get("rpy"), map.get("quaternion")) {
        (Some(_), Some(_)) => {
            let message = format!("{path}.rpy and {path}.quaternion both give the orientation; give only one of them");
            Err(ProblemError::at(Kind::Conflict, format!("{path}.quaternion"), message))
        }
        (Some(rpy), None) => Ok(Some(Rotation::from_rpy(triple(rpy, &format!("{path}.rpy"))?))),
        (None, Some(quaternion)) => {
            let field = format!("{path}.quaternion");
            let parts = crate::document::value::numbers(quaternion, &field)?;
            let parts = <[f64; 4]>::try_from(parts).map_err(|parts| {
                wrong_type(quaternion, &field, &format!("4 numbers (w, x, y, z), not {}", parts.len()))
            })?;
            let unit = Quaternion::from_array(parts);
            let norm = unit.norm();
            if !((norm - 1.0).abs() <= carom_multibody::UNIT_TOLERANCE) {
                let message =
                    format!("{field} has norm {norm}, which must be 1 within {:e}", carom_multibody::UNIT_TOLERANCE);
                return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), field, message));
            }
            Ok(Some(unit.to_rotation()))
        }
        (None, None) => Ok(None),
    }
}
