//! A robot that was read, and the scenes of the contacts at which it was struck.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use carom::document::{Tree, did_you_mean};
use carom::multibody::{Dynamics, Model};
use carom::prepared::{PreparedScene, Sample, Striker};
use carom::robots::Robots;
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Map, Value, json};

use crate::array::triple;
use crate::document::value;
use crate::error::{argument, raise};

/// A robot that was read.
pub struct Loaded {
    pub model: Arc<Model>,
    pub robots: Arc<Robots>,
    /// The keys of a scene for this robot: `model`, and `base` if it floats.
    pub document: Map<String, Value>,
    pub title: Arc<str>,
    /// The scenes of recent impacts, the latest first.
    prepared: Mutex<Vec<Prepared>>,
}

/// The number of scenes that are kept.
const KEPT: usize = 16;

/// The surface, and the contacts.
#[derive(PartialEq)]
pub struct Place {
    contact: Named,
    normal: [f64; 3],
    rest: Option<String>,
}

/// A contact by a name, or as a document.
#[derive(PartialEq)]
enum Named {
    Name(String),
    Document(String),
}

/// A scene that is ready for impacts.
pub struct Prepared {
    place: Place,
    pub scene: Arc<PreparedScene>,
    pub sample: Sample,
    pub striker: Striker,
}

impl Loaded {
    pub fn new(model: Arc<Model>, robots: Robots, document: Map<String, Value>, title: String) -> Self {
        Self { model, robots: Arc::new(robots), document, title: title.into(), prepared: Mutex::new(Vec::new()) }
    }

    /// The contact of a scene, from a name: that of a link, a frame, a pattern, or a collision shape.
    pub fn contact(&self, name: &str) -> PyResult<Value> {
        if self.model.find_link(name).is_some() || name == "all" || name.contains(['*', '?']) {
            return Ok(json!({ "link": name }));
        }
        if self.model.find_frame(name).is_some() {
            return Ok(json!({ "frame": name }));
        }
        for link in self.model.links() {
            if link.shapes.iter().any(|shape| shape.name.as_deref() == Some(name)) {
                return Ok(json!({ "link": link.name, "shape": name }));
            }
        }
        let links = self.model.links().iter().skip(1).map(|link| link.name.as_str());
        let frames = self.model.frames().iter().map(|frame| frame.name.as_str());
        let names: Vec<&str> = links.chain(frames).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let message = format!(
            "contact = {name:?} is neither a link, a frame nor a named shape of {}{hint}; there are {}",
            self.model.name(),
            names.join(", ")
        );
        Err(argument("unknown_name", "contact", message))
    }

    /// The scene with a contact, in the robot's home.
    fn prepare(&self, place: &Place) -> PyResult<PreparedScene> {
        let mut document = self.document.clone();
        let contact = match &place.contact {
            Named::Name(name) => self.contact(name)?,
            Named::Document(text) => match serde_json::from_str(text).unwrap_or(Value::Null) {
                Value::Array(list) => {
                    let read = |entry: Value| match entry {
                        Value::String(name) => self.contact(&name),
                        other => Ok(other),
                    };
                    Value::Array(list.into_iter().map(read).collect::<PyResult<_>>()?)
                }
                other => other,
            },
        };
        match contact {
            Value::Array(list) => {
                // Those that are given strike, whether they touch or not; a pattern or a shape may mean several points, of which
                // those strike that touch.
                let named = |entry: &Value| {
                    let is_point = entry.get("shape").is_none();
                    let name = entry.get("name").or(entry.get("link")).or(entry.get("frame")).filter(|_| is_point);
                    name.and_then(Value::as_str)
                        .filter(|name| !name.contains(['*', '?']) && *name != "all")
                        .map(str::to_owned)
                };
                let names: Option<Vec<String>> = list.iter().map(named).collect();
                if let Some(names) = names {
                    document.insert("strike".to_owned(), names.into());
                }
                document.insert("contacts".to_owned(), Value::Array(list));
            }
            one => {
                document.insert("contact".to_owned(), one);
            }
        }
        document.insert("surface".to_owned(), json!({ "normal": place.normal }));
        document.insert("restitution".to_owned(), 0.0.into());
        if let Some(rest) = &place.rest
            && let Ok(Value::Object(rest)) = serde_json::from_str(rest)
        {
            document.extend(rest);
        }
        let tree = Tree::of(&document).map_err(raise)?;
        PreparedScene::from_tree(&tree, Path::new(""), &self.robots).map_err(raise)
    }

    /// Calls a function with the prepared scene of a place; the scene is kept for the next impact there.
    pub fn with_prepared<T>(&self, place: Place, then: impl FnOnce(&mut Prepared) -> PyResult<T>) -> PyResult<T> {
        let mut kept = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.iter().position(|one| one.place == place) {
            Some(0) => {}
            Some(found) => kept[..=found].rotate_right(1),
            None => {
                let scene = Arc::new(self.prepare(&place)?);
                let (sample, striker) = (scene.sample(), Striker::new(&scene));
                kept.truncate(KEPT - 1);
                kept.insert(0, Prepared { place, scene, sample, striker });
            }
        }
        then(&mut kept[0])
    }

    pub fn dynamics(&self, q: &[f64], v: &[f64]) -> PyResult<Box<Dynamics>> {
        let mut dynamics = Box::new(Dynamics::new(Arc::clone(&self.model)));
        dynamics.set_state(q, v).map_err(raise)?;
        Ok(dynamics)
    }
}

/// Where an impact is to be computed: contacts and surface.
pub fn place(
    contact: &Bound<'_, PyAny>,
    normal: Option<&Bound<'_, PyAny>>,
    surface: Option<&Bound<'_, PyAny>>,
    strike: Option<&Bound<'_, PyAny>>,
) -> PyResult<Place> {
    let contact = match contact.cast::<PyString>() {
        Ok(name) => Named::Name(name.to_string()),
        Err(_) => Named::Document(value(contact, "contact")?.to_string()),
    };
    let normal_given = normal.map(|normal| triple(normal, "normal")).transpose()?;
    let mut rest = Map::new();
    if let Some(surface) = surface {
        if normal_given.is_some() {
            return Err(argument(
                "conflict",
                "surface",
                "normal and surface both give the surface; give only one of them",
            ));
        }
        rest.insert("surface".to_owned(), value(surface, "surface")?);
    }
    if let Some(strike) = strike {
        rest.insert("strike".to_owned(), value(strike, "strike")?);
    }
    let rest = (!rest.is_empty()).then(|| Value::Object(rest).to_string());
    Ok(Place { contact, normal: normal_given.unwrap_or([0.0, 0.0, 1.0]), rest })
}
