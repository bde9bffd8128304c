//! The surfaces of a scene.

use std::sync::Arc;

use carom_multibody::{
    Geometry, HalfSpace, Hull, LinkId, Model, PairSide, Placement, Rotation, Shape, ShapeId, Solid, Vector, planes,
};
use serde_json::{Map, Value};

use super::error::dynamics_error;
use super::{keys, source};
use crate::document::value::{check_keys, missing, number, object, required, text, triple, wrong_type};
use crate::document::{Kind, ProblemError};
use carom_sim::Surface;

type Result<T> = std::result::Result<T, ProblemError>;

/// The surfaces of a scene.
pub(super) struct Surfaces {
    /// The half-spaces.
    pub(super) list: Vec<Surface>,
    /// Those that end or curve.
    pub(super) bodies: Vec<FixedBody>,
    /// Their shapes in the robot's file; empty for surfaces that the scene states.
    planes: Vec<ShapeId>,
}

/// A surface that ends or curves.
pub(super) struct FixedBody {
    pub(super) name: String,
    pub(super) side: PairSide,
    shape: Shape,
}

enum Stated {
    Plane(Surface),
    Body(Box<FixedBody>),
}

impl Surfaces {
    /// The model with these bodies fixed to the world, so that they are drawn.
    pub(super) fn with_bodies(&self, model: Arc<Model>) -> Arc<Model> {
        if self.bodies.is_empty() {
            return model;
        }
        let shapes = self.bodies.iter().map(|body| body.shape.clone());
        Arc::new(Arc::unwrap_or_clone(model).with_world_shapes(shapes))
    }

    /// The names of all surfaces.
    pub(super) fn names(&self) -> Vec<&str> {
        let planes = self.list.iter().map(|surface| surface.name.as_str());
        planes.chain(self.bodies.iter().map(|body| body.name.as_str())).collect()
    }

    /// The shape in the robot's file that a surface stands for, if any.
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
            let named = |(i, half_space)| Stated::Plane(Surface { name: format!("plane {i}"), half_space });
            let found = planes(model);
            shapes.extend(found.iter().map(|(shape, _)| *shape));
            found.into_iter().map(|(_, half_space)| half_space).enumerate().map(named).collect()
        }
    };
    if surfaces.is_empty() && !needs_none(map) {
        return Err(missing("surface", "a scene needs a surface, and the robot's file has none"));
    }
    let name = |stated: &Stated| match stated {
        Stated::Plane(surface) => surface.name.clone(),
        Stated::Body(body) => body.name.clone(),
    };
    let names: Vec<String> = surfaces.iter().map(name).collect();
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            let message = format!("the name {name:?} is used by two surfaces: surfaces need different names");
            return Err(ProblemError::at(Kind::Conflict, format!("surfaces[{i}]"), message));
        }
    }
    let (mut list, mut bodies) = (Vec::new(), Vec::new());
    for stated in surfaces {
        match stated {
            Stated::Plane(surface) => list.push(surface),
            Stated::Body(body) => bodies.push(*body),
        }
    }
    Ok(Surfaces { list, bodies, planes: shapes })
}

/// Whether all contacts are with other bodies.
fn needs_none(map: &Map<String, Value>) -> bool {
    let is_pair = |contact: &Value| contact.get("against").is_some();
    let list = map.get("contacts").and_then(Value::as_array);
    map.get("contact").is_some_and(is_pair) || list.is_some_and(|list| !list.is_empty() && list.iter().all(is_pair))
}

const BODIES: [&str; 5] = ["box", "ball", "capsule", "cylinder", "hull"];

/// A surface that ends or curves.
fn body(map: &Map<String, Value>, key: &str, path: &str, name: &str) -> Result<FixedBody> {
    let place = format!("{path}.{key}");
    let sizes = object(required(map, path, key)?, &place)?;
    let size = |key: &str| {
        let field = format!("{place}.{key}");
        let size = number(required(sizes, &place, key)?, &field)?;
        match size > 0.0 && size.is_finite() {
            true => Ok(size),
            false => {
                let message = format!("{field} = {size} must be above 0 and finite");
                Err(ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), field, message))
            }
        }
    };
    let known = match key {
        "box" => keys::BOX.names,
        "ball" => keys::BALL.names,
        "hull" => keys::CORNERS.names,
        _ => keys::ROUND.names,
    };
    check_keys(sizes, &place, known)?;
    let geometry = match key {
        "box" => Geometry::Box { half: super::objects::half(sizes, &place)? },
        "ball" => Geometry::Sphere { radius: size("radius")? },
        "capsule" => Geometry::Capsule { radius: size("radius")?, half_length: size("half_length")? },
        "cylinder" => Geometry::Cylinder { radius: size("radius")?, half_length: size("half_length")? },
        _ => {
            let field = format!("{place}.points");
            let Some(list) = required(sizes, &place, "points")?.as_array() else {
                return Err(wrong_type(&sizes["points"], &field, "a list of points"));
            };
            let point = |(i, value)| triple(value, &format!("{field}[{i}]")).map(Vector::from);
            let points = list.iter().enumerate().map(point).collect::<Result<Vec<_>>>()?;
            let flat =
                || ProblemError::at(Kind::Conflict, &field, format!("{field} lie in a plane, or are fewer than 4"));
            let hull = Hull::of_points(&points).ok_or_else(flat)?;
            Geometry::Mesh { file: name.to_owned(), hull: Some(Arc::new(hull)) }
        }
    };
    let point = map.get("point").map(|value| triple(value, &format!("{path}.point"))).transpose()?.unwrap_or_default();
    let rotation = source::rotation(map, path)?.unwrap_or(Rotation::IDENTITY);
    let placement = Placement::new(rotation, point);
    let solid = Solid::of(&geometry).map_err(|error| ProblemError::at(Kind::Conflict, place, error.to_string()))?;
    Ok(FixedBody {
        name: name.to_owned(),
        side: PairSide { link: LinkId::WORLD, placement, solid },
        shape: Shape { name: Some(name.to_owned()), placement, geometry, contact: None },
    })
}

fn surface(value: &Value, path: &str, name: &str) -> Result<Stated> {
    let map = object(value, path)?;
    check_keys(map, path, keys::SURFACE.names)?;
    let field = |key: &str| format!("{path}.{key}");
    let given: Vec<&str> = std::iter::once("normal").chain(BODIES).filter(|key| map.contains_key(*key)).collect();
    if let [one, other, ..] = given[..] {
        let message = format!("{path}.{one} and {path}.{other} both give the surface; give only one of them");
        return Err(ProblemError::at(Kind::Conflict, field(other), message));
    }
    let stated = map.get("name").map(|name| text(name, &field("name"))).transpose()?;
    if let [key] = given[..]
        && key != "normal"
    {
        return Ok(Stated::Body(Box::new(body(map, key, path, stated.unwrap_or(name))?)));
    }
    if let Some(turned) = ["rpy", "quaternion"].into_iter().find(|key| map.contains_key(*key)) {
        let message = format!("{path}.{turned} is for a surface that ends or curves; a plane has a normal");
        return Err(ProblemError::at(Kind::Conflict, field(turned), message));
    }
    let point = map.get("point").map(|value| triple(value, &field("point"))).transpose()?.unwrap_or_default();
    let normal = triple(required(map, path, "normal")?, &field("normal"))?;
    let half_space = HalfSpace::new(point, normal)
        .map_err(|error| ProblemError { field: Some(field("normal")), ..dynamics_error(error) })?;
    Ok(Stated::Plane(Surface { name: stated.unwrap_or(name).to_owned(), half_space }))
}
