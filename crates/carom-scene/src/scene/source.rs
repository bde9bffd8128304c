//! Parts of scenes that robots and objects share: the model and the base.

use std::path::Path;
use std::sync::Arc;

use carom_multibody::load::{Mimics, Options, RobotFormat};
use carom_multibody::{HullOptions, Model, Quaternion, Rotation, Vector};
use serde_json::{Map, Value};

use super::state::{self, Base};
use super::{ModelSource, keys};
use crate::document::value::{boolean, check_keys, missing, named, number, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError, did_you_mean};
use crate::models;
use crate::robots::Robots;

type Result<T> = std::result::Result<T, ProblemError>;

/// The robot that a scene names.
pub(super) fn model(
    map: &Map<String, Value>,
    base: &Base,
    uses_shapes: bool,
    folder: &Path,
    robots: &Robots,
) -> Result<(ModelSource, Options, Arc<Model>)> {
    const WAYS: [&str; 4] = ["urdf", "mjcf", "sdf", "builtin"];
    check_keys(map, "model", keys::MODEL.names)?;
    let given: Vec<&str> = WAYS.into_iter().filter(|way| map.contains_key(*way)).collect();
    let way = match given[..] {
        [way] => way,
        [] => return Err(missing("model.urdf", "give model.urdf, model.mjcf, model.sdf or model.builtin")),
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
    let options = Options::new().floating_base(base.floating.unwrap_or(false)).mimics(mimics);
    let options = match way {
        "urdf" => options.format(RobotFormat::Urdf),
        "mjcf" => options.format(RobotFormat::Mjcf),
        "sdf" => options.format(RobotFormat::Sdf),
        _ => options,
    };
    let stated = map.get("hull").map(hull).transpose()?;
    // Meshes are only read where their shapes touch.
    let options = if uses_shapes { options.hulls(stated.unwrap_or_default()) } else { options };
    let source = match way {
        "builtin" => {
            let built_in = models::find(name).ok_or_else(|| {
                let names: Vec<&str> = models::MODELS.iter().map(|model| model.name).collect();
                let hint = did_you_mean(name, names.iter().copied());
                let message = format!("{field} = {name:?} is not one of {}{hint}", names.join(", "));
                ProblemError::at(Kind::UnknownName, &field, message)
            })?;
            ModelSource::BuiltIn(built_in.name)
        }
        _ => ModelSource::File(folder.join(name)),
    };
    let model =
        robots.load(&source, &options).map_err(|error| ProblemError::at(Kind::Model, &field, error.to_string()))?;
    if base.floating == Some(false) && state::floating_root(&model).is_some() {
        let message = "base.floating = false conflicts with the robot's file, whose base is floating";
        return Err(ProblemError::at(Kind::Conflict, "base.floating", message));
    }
    Ok((source, options, model))
}

/// How the hulls of meshes are simplified.
fn hull(value: &Value) -> Result<HullOptions> {
    let map = object(value, "model.hull")?;
    check_keys(map, "model.hull", keys::HULL.names)?;
    let mut options = HullOptions::default();
    if let Some(value) = map.get("tolerance") {
        options.tolerance = number(value, "model.hull.tolerance")?;
        if !(0.0..1.0).contains(&options.tolerance) {
            let message = format!(
                "model.hull.tolerance = {} is outside [0, 1): it is a part of the mesh's size",
                options.tolerance
            );
            return Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), "model.hull.tolerance", message));
        }
    }
    if let Some(value) = map.get("vertices") {
        let count = value.as_u64().and_then(|count| usize::try_from(count).ok()).filter(|count| *count >= 4);
        options.vertices =
            count.ok_or_else(|| wrong_type(value, "model.hull.vertices", "a whole number, 4 or more"))?;
    }
    Ok(options)
}

pub(super) fn base(value: &Value) -> Result<Base> {
    let map = object(value, "base")?;
    check_keys(map, "base", keys::BASE.names)?;
    let vector = |key: &str| map.get(key).map(|value| triple(value, &format!("base.{key}"))).transpose();
    Ok(Base {
        floating: map.get("floating").map(|value| boolean(value, "base.floating")).transpose()?,
        position: vector("position")?,
        rotation: rotation(map, "base")?,
        velocity: vector("velocity")?.map(Vector::from),
        angular_velocity: vector("angular_velocity")?.map(Vector::from),
        touch: map.get("touch").map(|value| text(value, "base.touch").map(str::to_owned)).transpose()?,
        height: map.get("height").map(|value| number(value, "base.height")).transpose()?,
    })
}

/// An orientation as roll, pitch and yaw or as a quaternion.
pub(super) fn rotation(map: &Map<String, Value>, path: &str) -> Result<Option<Rotation>> {
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
