//! Which points of the robot touch the surface.

use carom_multibody::{ContactPoint, Model, Placement, Vector};
use serde_json::{Map, Value};

use super::{SceneContact, Surface, dynamics_error};
use crate::problem::value::{check_keys, missing, object, text, triple, wrong_type};
use crate::problem::{Kind, ProblemError};

type Result<T> = std::result::Result<T, ProblemError>;

/// All contacts of a scene: `contact`, or the list `contacts`.
pub(super) fn read(model: &Model, surface: &Surface, map: &Map<String, Value>) -> Result<Vec<SceneContact>> {
    let contacts = match (map.get("contact"), map.get("contacts")) {
        (Some(_), Some(_)) => {
            let message = "contact and contacts both state what touches: give one of them";
            return Err(ProblemError::at(Kind::Conflict, "contacts", message));
        }
        (Some(one), None) => vec![contact(model, surface, one, "contact")?],
        (None, Some(Value::Array(list))) => {
            let read = |(i, value)| contact(model, surface, value, &format!("contacts[{i}]"));
            list.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?
        }
        (None, Some(other)) => return Err(wrong_type(other, "contacts", "a list of contacts")),
        (None, None) => Vec::new(),
    };
    if contacts.is_empty() {
        return Err(missing("contact", "a scene needs a point of the robot that strikes the surface"));
    }
    for (i, contact) in contacts.iter().enumerate() {
        if contacts[..i].iter().any(|other| other.name == contact.name) {
            let message = format!("contact {:?} stands twice: give the contacts different names", contact.name);
            return Err(ProblemError::at(Kind::Conflict, format!("contacts[{i}]"), message));
        }
    }
    Ok(contacts)
}

/// The contact that strikes: the only one, or the one that `strike` names.
pub(super) fn struck(contacts: &[SceneContact], map: &Map<String, Value>) -> Result<usize> {
    let names = || contacts.iter().map(|contact| contact.name.as_str()).collect::<Vec<_>>().join(", ");
    match map.get("strike") {
        Some(value) => {
            let name = text(value, "strike")?;
            contacts.iter().position(|contact| contact.name == name).ok_or_else(|| {
                let message = format!("strike = {name:?} is not a contact; the contacts are {}", names());
                ProblemError::at(Kind::UnknownName, "strike", message)
            })
        }
        None if contacts.len() == 1 => Ok(0),
        None => {
            let reason = format!("one contact strikes at a time: name one of {}", names());
            Err(missing("strike", &reason))
        }
    }
}

fn contact(model: &Model, surface: &Surface, value: &Value, path: &str) -> Result<SceneContact> {
    let map = object(value, path)?;
    check_keys(map, path, &["name", "link", "frame", "point", "dimension"])?;
    let (key, value) = match (map.get("link"), map.get("frame")) {
        (Some(link), None) => ("link", link),
        (None, Some(frame)) => ("frame", frame),
        (Some(_), Some(_)) => {
            let message = format!("{path}.link and {path}.frame both say where it is: give one of them");
            return Err(ProblemError::at(Kind::Conflict, format!("{path}.frame"), message));
        }
        (None, None) => return Err(missing(&format!("{path}.link"), "a contact is on a link or a frame")),
    };
    let field = format!("{path}.{key}");
    let place = text(value, &field)?;
    // Links and frames have names of their own: a site may be called as its body.
    let found = match key {
        "link" => model.find_link(place).map(|link| (link, Placement::IDENTITY)),
        _ => model.find_frame(place).map(|frame| (frame.link, frame.placement)),
    };
    let (link, placement) = found.ok_or_else(|| {
        let links: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
        let frames: Vec<&str> = model.frames().iter().map(|frame| frame.name.as_str()).collect();
        let (names, others, other) = if key == "link" { (links, frames, "frame") } else { (frames, links, "link") };
        let mut message = format!("{field} = {place:?} is not a {key} of {}", model.name());
        match others.contains(&place) {
            true => message += &format!(", but a {other}: say {path}.{other}"),
            false if names.is_empty() => message += ", which has none",
            false => message += &format!("; its {key}s are {}", names.join(", ")),
        }
        ProblemError::at(Kind::UnknownName, &field, message)
    })?;
    let point = map.get("point").map(|value| triple(value, &format!("{path}.point"))).transpose()?.unwrap_or_default();
    let point = placement.apply(Vector::from(point));
    let point = match map.get("dimension") {
        None => ContactPoint::new(model, link, point, surface.normal),
        Some(value) => match value.as_f64().filter(|d| [1.0, 2.0, 3.0].contains(d)).map(|d| d as usize) {
            Some(3) => ContactPoint::spatial(model, link, point, surface.normal),
            Some(dimension @ (1 | 2)) => {
                ContactPoint::new(model, link, point, surface.normal).map(|point| point.with_dimension(dimension))
            }
            _ => return Err(wrong_type(value, &format!("{path}.dimension"), "1, 2 or 3")),
        },
    };
    let name = map.get("name").map(|name| text(name, &format!("{path}.name"))).transpose()?.unwrap_or(place);
    Ok(SceneContact { name: name.to_owned(), point: point.map_err(dynamics_error)? })
}
