//! The contacts of a scene: which features of the robot touch which surfaces.

use carom_law::{Dimension, Friction, Restitution};
use carom_multibody::{
    CandidateOptions, ContactPoint, DynamicsError, LinkId, Model, Placement, Rims, ShapeId, Vector, candidates,
};
use serde_json::{Map, Value};
use wildmatch::WildMatch;

use super::motion::condition;
use super::surface::Surfaces;
use super::{SceneContact, dynamics_error, keys};
use crate::document::coefficients::dimension;
use crate::document::coefficients::{friction, restitution};
use crate::document::value::{check_keys, missing, number, object, text, triple, wrong_type};
use crate::document::{Kind, ProblemError, did_you_mean, listed};
use carom_sim::{CoordinateRange, Surface};

type Result<T> = std::result::Result<T, ProblemError>;

/// All contacts of a scene: `contact`, or the list `contacts`.
pub(super) fn read(model: &Model, surfaces: &Surfaces, map: &Map<String, Value>) -> Result<Vec<SceneContact>> {
    let contacts = match (map.get("contact"), map.get("contacts")) {
        (Some(_), Some(_)) => {
            let message = "contact and contacts both give the contacts; give only one of them";
            return Err(ProblemError::at(Kind::Conflict, "contacts", message));
        }
        (Some(one), None) => contact(model, surfaces, one, "contact")?,
        (None, Some(Value::Array(list))) => {
            let read = |(i, value)| contact(model, surfaces, value, &format!("contacts[{i}]"));
            list.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?.concat()
        }
        (None, Some(other)) => return Err(wrong_type(other, "contacts", "a list of contacts")),
        (None, None) => Vec::new(),
    };
    // An empty list says that the robot touches nothing.
    if contacts.is_empty() && !map.contains_key("contacts") {
        return Err(missing(
            "contact",
            "a scene needs a contact; contacts = [] simulates a robot that touches nothing",
        ));
    }
    for (i, contact) in contacts.iter().enumerate() {
        if contacts[..i].iter().any(|other| other.name == contact.name) {
            let message = format!("the name {:?} is used by two contacts: contacts need different names", contact.name);
            return Err(ProblemError::at(Kind::Conflict, format!("contacts[{i}]"), message));
        }
    }
    Ok(contacts)
}

/// The contacts that strike, if they are given: those listed in `strike`, or a single one.
pub(super) fn strike(contacts: &[SceneContact], map: &Map<String, Value>) -> Result<Option<Vec<usize>>> {
    let find = |value: &Value, path: &str| {
        let name = text(value, path)?;
        contacts.iter().position(|contact| contact.name == name).ok_or_else(|| {
            let names: Vec<&str> = contacts.iter().map(|contact| contact.name.as_str()).collect();
            let hint = did_you_mean(name, names.iter().copied());
            let message = format!("{path} = {name:?} is not a contact{hint}; the contacts are {}", listed(&names));
            ProblemError::at(Kind::UnknownName, path, message)
        })
    };
    let mut struck = match map.get("strike") {
        None if contacts.len() == 1 => vec![0],
        None => return Ok(None),
        Some(Value::Array(list)) => {
            let each = |(i, value)| find(value, &format!("strike[{i}]"));
            list.iter().enumerate().map(each).collect::<Result<Vec<_>>>()?
        }
        Some(value @ Value::String(_)) => vec![find(value, "strike")?],
        Some(other) => return Err(wrong_type(other, "strike", "a contact, or a list of contacts")),
    };
    if struck.is_empty() {
        return Err(missing("strike", "an impact needs at least one contact"));
    }
    struck.sort_unstable();
    struck.dedup();
    Ok(Some(struck))
}

/// The contacts of one entry: a point or ball, or all features of shapes; on one surface, or all.
fn contact(model: &Model, surfaces: &Surfaces, value: &Value, path: &str) -> Result<Vec<SceneContact>> {
    let map = object(value, path)?;
    check_keys(map, path, keys::CONTACT.names)?;
    let field = |key: &str| format!("{path}.{key}");
    let own = Own {
        restitution: map.get("restitution").map(|value| restitution(value, &field("restitution"))).transpose()?,
        friction: map.get("friction").map(|value| friction(value, &field("friction"))).transpose()?,
        enabled: map.get("enabled").map(|value| condition(model, value, &field("enabled"))).transpose()?,
    };
    let stated = map.get("name").map(|name| text(name, &field("name"))).transpose()?;
    let places = match pattern(model, map) {
        Some(_) if stated.is_some() => {
            let message = format!("{0}.name is only valid for a single link, and {0}.link is a pattern", path);
            return Err(ProblemError::at(Kind::Conflict, field("name"), message));
        }
        Some(pattern) => matching(model, &pattern, map, &field("link"))?,
        None => vec![place(model, map, path)?],
    };
    let mut contacts = Vec::new();
    for index in touched(&surfaces.list, map, path)? {
        let surface = &surfaces.list[index];
        let several = surfaces.list.len() > 1 && !map.contains_key("surface");
        for place in &places {
            let found = match map.get("shape") {
                Some(shape) => {
                    let touched = Touched { surface, plane: surfaces.plane(index) };
                    of_shapes(model, place, &touched, map, shape, path, stated)?
                }
                None => {
                    let point = of_point(model, place, surface, map, path)?;
                    vec![(stated.unwrap_or(&place.name).to_owned(), point, None)]
                }
            };
            contacts.extend(found.into_iter().map(|(name, point, file_friction)| SceneContact {
                name: if several { format!("{name} on {}", surface.name) } else { name },
                point,
                surface: index,
                restitution: own.restitution,
                friction: own.friction,
                file_friction,
                enabled: own.enabled,
            }));
        }
    }
    if contacts.is_empty() {
        let message = format!(
            "{0}.shape: no shape touches a surface, by contype, conaffinity and <exclude> of the robot's file; name a shape, or give a \
             surface of the scene",
            path
        );
        return Err(ProblemError::at(Kind::UnknownName, field("shape"), message));
    }
    Ok(contacts)
}

/// The surface that a contact touches, and the shape of the robot's file that it is.
struct Touched<'s> {
    surface: &'s Surface,
    plane: Option<ShapeId>,
}

/// The link of an entry as a pattern for names: `all`, or a name with `*` or `?`, unless a link has that very name.
fn pattern(model: &Model, map: &Map<String, Value>) -> Option<WildMatch> {
    let name = map.get("link")?.as_str()?;
    let is_pattern = name == "all" || name.contains(['*', '?']);
    let is_link = model.find_link(name).is_some();
    (is_pattern && !is_link && !map.contains_key("frame"))
        .then(|| WildMatch::new(if name == "all" { "*" } else { name }))
}

/// The moving links that a pattern matches; for contacts of shapes only those with shapes that can touch.
fn matching(model: &Model, pattern: &WildMatch, map: &Map<String, Value>, field: &str) -> Result<Vec<Place>> {
    let of_shapes = map.contains_key("shape");
    let mut places = Vec::new();
    for (index, link) in model.links().iter().enumerate() {
        let id = LinkId::from_index(index);
        let has_shapes = !of_shapes || link.shapes.iter().any(|shape| shape.can_touch());
        if pattern.matches(&link.name) && model.is_moving(id) && has_shapes {
            places.push(Place { name: link.name.clone(), link: id, placement: Placement::IDENTITY, of_pattern: true });
        }
    }
    if places.is_empty() {
        let names: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
        let given = map.get("link").and_then(Value::as_str).unwrap_or_default();
        let hint = did_you_mean(given, names.iter().copied());
        let what = if of_shapes { "moving link with a shape that can touch" } else { "moving link" };
        let message = format!("{field} matches no {what} of {}{hint}; its links are {}", model.name(), listed(&names));
        return Err(ProblemError::at(Kind::UnknownName, field, message));
    }
    Ok(places)
}

/// Properties that an entry gives for its own contacts.
struct Own {
    restitution: Option<Restitution>,
    friction: Option<Friction>,
    enabled: Option<CoordinateRange>,
}

/// The placement of a contact: a link, or a frame on one.
struct Place {
    name: String,
    link: LinkId,
    placement: Placement,
    /// Whether a pattern matched the link's name.
    of_pattern: bool,
}

fn place(model: &Model, map: &Map<String, Value>, path: &str) -> Result<Place> {
    let (key, value) = match (map.get("link"), map.get("frame")) {
        (Some(link), None) => ("link", link),
        (None, Some(frame)) => ("frame", frame),
        (Some(_), Some(_)) => {
            let message = format!("{path}.link and {path}.frame both give its place; give only one of them");
            return Err(ProblemError::at(Kind::Conflict, format!("{path}.frame"), message));
        }
        (None, None) => return Err(missing(&format!("{path}.link"), "a contact needs a link or a frame")),
    };
    let field = format!("{path}.{key}");
    let name = text(value, &field)?;
    // Links and frames have separate names: a site may have the name of its body.
    let found = match key {
        "link" => model.find_link(name).map(|link| (link, Placement::IDENTITY)),
        _ => model.find_frame(name).map(|frame| (frame.link, frame.placement)),
    };
    let (link, placement) = found.ok_or_else(|| {
        let links: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
        let frames: Vec<&str> = model.frames().iter().map(|frame| frame.name.as_str()).collect();
        let (names, others, other) = if key == "link" { (links, frames, "frame") } else { (frames, links, "link") };
        let mut message = format!("{field} = {name:?} is not a {key} of {}", model.name());
        match others.contains(&name) {
            true => message += &format!(", but a {other}: use {path}.{other}"),
            false if names.is_empty() => message += ", which has none",
            false => {
                message += &did_you_mean(name, names.iter().copied());
                message += &format!("; its {key}s are {}", listed(&names));
            }
        }
        ProblemError::at(Kind::UnknownName, &field, message)
    })?;
    Ok(Place { name: name.to_owned(), link, placement, of_pattern: false })
}

/// The surfaces that a contact can touch: the one given, or all.
fn touched(surfaces: &[Surface], map: &Map<String, Value>, path: &str) -> Result<Vec<usize>> {
    let Some(value) = map.get("surface") else { return Ok((0..surfaces.len()).collect()) };
    let field = format!("{path}.surface");
    let name = text(value, &field)?;
    surfaces.iter().position(|surface| surface.name == name).map(|index| vec![index]).ok_or_else(|| {
        let names: Vec<&str> = surfaces.iter().map(|surface| surface.name.as_str()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let message = format!("{field} = {name:?} is not a surface{hint}; the surfaces are {}", names.join(", "));
        ProblemError::at(Kind::UnknownName, field.clone(), message)
    })
}

/// A point of the robot, or a ball around it.
fn of_point(
    model: &Model,
    place: &Place,
    surface: &Surface,
    map: &Map<String, Value>,
    path: &str,
) -> Result<ContactPoint> {
    if map.contains_key("rims") {
        let message = format!("{path}.rims is only valid with {path}.shape");
        return Err(ProblemError::at(Kind::Conflict, format!("{path}.rims"), message));
    }
    let point = map.get("point").map(|value| triple(value, &format!("{path}.point"))).transpose()?.unwrap_or_default();
    let point = place.placement.apply(Vector::from(point));
    let normal = surface.half_space.normal;
    let contact = match map.get("radius") {
        None => ContactPoint::new(model, place.link, point, normal),
        Some(radius) => {
            ContactPoint::ball(model, place.link, point, number(radius, &format!("{path}.radius"))?, normal)
        }
    };
    let contact = contact.map_err(|error| {
        let key = if matches!(error, DynamicsError::ContactRadius { .. }) { "radius" } else { "point" };
        ProblemError { field: Some(format!("{path}.{key}")), ..dynamics_error(error) }
    })?;
    match map.get("dimension") {
        None => Ok(contact),
        Some(value) => Ok(match dimension(value, &format!("{path}.dimension"))? {
            Dimension::Spatial => contact.with_two_tangents(),
            fewer => contact.with_dimension(fewer.rows()),
        }),
    }
}

/// The contact features of one shape of a link, or of all of its shapes, with names.
fn of_shapes(
    model: &Model,
    place: &Place,
    touched: &Touched<'_>,
    map: &Map<String, Value>,
    shape: &Value,
    path: &str,
    stated: Option<&str>,
) -> Result<Vec<(String, ContactPoint, Option<Friction>)>> {
    let field = format!("{path}.shape");
    if let Some(other) = ["frame", "point", "radius", "dimension"].into_iter().find(|key| map.contains_key(*key)) {
        let message = format!("{field} and {path}.{other} both give what touches; give only one of them");
        return Err(ProblemError::at(Kind::Conflict, format!("{path}.{other}"), message));
    }
    let options = CandidateOptions { rims: map.get("rims").map_or(Ok(Rims::default()), |value| rims(value, path))? };
    let name = text(shape, &field)?;
    let link = model.link(place.link);
    // A shape without a name has its index, as in reports. A pattern passes over shapes that cannot touch: the loader warns of them.
    let is_meant = |i: usize| match &link.shapes[i].name {
        _ if place.of_pattern && !link.shapes[i].can_touch() => false,
        _ if name == "all" => true,
        Some(own) => own == name,
        None => name.parse() == Ok(i),
    };
    let chosen: Vec<usize> = (0..link.shapes.len()).filter(|&i| is_meant(i)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = link.shapes.iter().filter_map(|shape| shape.name.as_deref()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let message = format!(
            "{field} = {name:?} is not a shape of link {:?}{hint}, which has {}{}",
            link.name,
            match link.shapes.len() {
                0 => "none".to_owned(),
                1 => "one: say \"all\"".to_owned(),
                count => format!("{count}: say \"all\""),
            },
            if names.is_empty() { String::new() } else { format!(", or {}", names.join(", ")) }
        );
        return Err(ProblemError::at(Kind::UnknownName, field, message));
    }
    // A name contains only the parts needed to make it unique.
    let names_shape = if stated.is_some() { chosen.len() > 1 } else { link.shapes.len() > 1 };
    let mut found = Vec::new();
    for i in chosen {
        let rule = touched.plane.and_then(|plane| model.pair_rule((place.link, i), plane));
        // What only a <pair> of the file names touches nothing else.
        let is_enabled = touched.plane.is_some() || link.shapes[i].contact.is_none_or(|contact| contact.is_enabled());
        if name == "all" && !(is_enabled && rule.is_none_or(|rule| rule.touches)) {
            continue;
        }
        let friction = rule.map(|rule| Friction::new(rule.friction)).transpose()?;
        let candidates = candidates(model, place.link, i, &touched.surface.half_space, &options)
            .map_err(|error| ProblemError::at(Kind::Model, &field, error.to_string()))?;
        let names_feature = candidates.len() > 1;
        for candidate in candidates {
            let mut name = stated.unwrap_or(&link.name).to_owned();
            if names_shape {
                name += &link.shapes[i].name.as_ref().map_or_else(|| format!("/{i}"), |shape| format!("/{shape}"));
            }
            if names_feature {
                name += &format!("/{}", candidate.name.rsplit('/').next().unwrap_or_default());
            }
            found.push((name, candidate.contact, friction));
        }
    }
    Ok(found)
}

/// How rims of cylinders are represented: a number of points, or rolling rims.
fn rims(value: &Value, path: &str) -> Result<Rims> {
    match value {
        Value::String(name) if name == "rolling" => Ok(Rims::Rolling),
        _ => match value.as_u64().and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= 1000) {
            Some(count) => Ok(Rims::Points(count)),
            None => Err(wrong_type(value, &format!("{path}.rims"), "\"rolling\", or a number of points up to 1000")),
        },
    }
}
