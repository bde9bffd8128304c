//! The surfaces of a scene.

use carom_multibody::{HalfSpace, Model, ShapeId, planes};
use serde_json::{Map, Value};

use super::{dynamics_error, keys};
use crate::document::value::{check_keys, missing, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError};
use carom_sim::Surface;

type Result<T> = std::result::Result<T, ProblemError>;

/// The surfaces of a scene.
pub(super) struct Surfaces {
    pub(super) list: Vec<Surface>,
    /// The shapes that they are in the robot's file; empty for surfaces that the scene states.
    planes: Vec<ShapeId>,
}

impl Surfaces {
    /// The shape of the robot's file that a surface is, if it is one.
    pub(super) fn plane(&self, surface: usize) -> Option<ShapeId> {
        self.planes.get(surface).copied()
    }
}

/// All surfaces: `surface`, the list `surfaces`, or the planes of the robot's own file.
pub(super) fn read(model: &Model, map: &Map<String, Value>) -> Result<Surfaces> {
    let mut shapes = Vec::new();
    let surfaces = match (map.get("surface"), map.get("surfaces")) {
        (Some(_), Some(_)) => {
            let message = "surface and surfaces both give the surfaces; give only one of them";
            return Err(ProblemError::at(Kind::Conflict, "surfaces", message));
        }
        (Some(one), None) => vec![surface(one, "surface", "surface")?],
        (None, Some(Value::Array(list))) => {
            let read = |(i, value)| surface(value, &format!("surfaces[{i}]"), &format!("surface {i}"));
            list.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?
        }
        (None, Some(other)) => return Err(wrong_type(other, "surfaces", "a list of surfaces")),
        (None, None) => {
            let named = |(i, half_space)| Surface { name: format!("plane {i}"), half_space };
            let found = planes(model);
            shapes.extend(found.iter().map(|(shape, _)| *shape));
            found.into_iter().map(|(_, half_space)| half_space).enumerate().map(named).collect()
        }
    };
    if surfaces.is_empty() {
        return Err(missing("surface", "a scene needs a surface, and the robot's file has none"));
    }
    for (i, surface) in surfaces.iter().enumerate() {
        if surfaces[..i].iter().any(|other| other.name == surface.name) {
            let message = format!("the name {:?} is used by two surfaces: surfaces need different names", surface.name);
            return Err(ProblemError::at(Kind::Conflict, format!("surfaces[{i}]"), message));
        }
    }
    Ok(Surfaces { list: surfaces, planes: shapes })
}

fn surface(value: &Value, path: &str, name: &str) -> Result<Surface> {
    let map = object(value, path)?;
    check_keys(map, path, keys::SURFACE.names)?;
    let field = |key: &str| format!("{path}.{key}");
    let point = map.get("point").map(|value| triple(value, &field("point"))).transpose()?.unwrap_or_default();
    let normal = triple(required(map, path, "normal")?, &field("normal"))?;
    let half_space = HalfSpace::new(point, normal)
        .map_err(|error| ProblemError { field: Some(field("normal")), ..dynamics_error(error) })?;
    let name = map.get("name").map(|name| text(name, &field("name"))).transpose()?.unwrap_or(name);
    Ok(Surface { name: name.to_owned(), half_space })
}
