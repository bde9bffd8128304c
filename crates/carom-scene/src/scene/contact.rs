//! The contacts of a scene: which features of the robot touch which surfaces.

use carom_law::{Dimension, Friction, Restitution};
use carom_multibody::{
    CandidateOptions, ContactPoint, DynamicsError, LinkId, Model, PairSide, Placement, Rims, ShapeId, Solid, Vector,
    candidates,
};
use serde_json::{Map, Value};
use wildmatch::WildMatch;

use super::error::dynamics_error;
use super::motion::condition;
use super::pair::{self, PairCoefficients, ScenePair, Side};
use super::shapes::find_shapes;
use super::surface::Surfaces;
use super::{SceneContact, keys};
use crate::document::coefficients::dimension;
use crate::document::coefficients::{friction, restitution};
use crate::document::value::{check_keys, missing, number, object, text, triple, wrong_type};
use crate::document::{Kind, ProblemError, did_you_mean, listed};
use carom_sim::{CoordinateRange, Surface};

type Result<T> = std::result::Result<T, ProblemError>;

/// The contacts of a scene with half-spaces, and those of two bodies.
#[derive(Default)]
pub(super) struct Read {
    pub(super) contacts: Vec<SceneContact>,
    pub(super) pairs: Vec<ScenePair>,
}

impl Read {
    fn joined(list: Vec<Self>) -> Self {
        let mut all = Self::default();
        for Self { contacts, pairs } in list {
            all.contacts.extend(contacts);
            all.pairs.extend(pairs);
        }
        all
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        names(&self.contacts, &self.pairs)
    }
}

/// The names of contacts, those of two bodies last.
fn names<'c>(contacts: &'c [SceneContact], pairs: &'c [ScenePair]) -> impl Iterator<Item = &'c str> {
    contacts.iter().map(|contact| contact.name.as_str()).chain(pairs.iter().map(|pair| pair.name.as_str()))
}

/// All contacts of a scene: `contact`, or the list `contacts`.
pub(super) fn read(model: &Model, surfaces: &Surfaces, map: &Map<String, Value>) -> Result<Read> {
    let read = match (map.get("contact"), map.get("contacts")) {
        (Some(_), Some(_)) => {
            let message = "contact and contacts both give the contacts; give only one of them";
            return Err(ProblemError::at(Kind::Conflict, "contacts", message));
        }
        (Some(one), None) => contact(model, surfaces, one, "contact")?,
        (None, Some(Value::Array(list))) => {
            let read = |(i, value)| contact(model, surfaces, value, &format!("contacts[{i}]"));
            Read::joined(list.iter().enumerate().map(read).collect::<Result<Vec<_>>>()?)
        }
        (None, Some(other)) => return Err(wrong_type(other, "contacts", "a list of contacts")),
        (None, None) => Read::default(),
    };
    let names: Vec<&str> = read.names().collect();
    // An empty list states that the robot touches nothing.
    if names.is_empty() && !map.contains_key("contacts") {
        return Err(missing(
            "contact",
            "a scene needs a contact; contacts = [] simulates a robot that touches nothing",
        ));
    }
    for (i, name) in names.iter().enumerate() {
        if names[..i].contains(name) {
            let message = format!("the name {name:?} is used by two contacts: contacts need different names");
            return Err(ProblemError::at(Kind::Conflict, format!("contacts[{i}]"), message));
        }
    }
    Ok(read)
}

/// The contacts that strike, if they are given: those listed in `strike`, or a single one. Contacts of two bodies count after the others.
pub(super) fn strike(
    contacts: &[SceneContact],
    pairs: &[ScenePair],
    map: &Map<String, Value>,
) -> Result<Option<Vec<usize>>> {
    let names: Vec<&str> = names(contacts, pairs).collect();
    let find = |value: &Value, path: &str| {
        let name = text(value, path)?;
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let hint = did_you_mean(name, names.iter().copied());
            let message = format!("{path} = {name:?} is not a contact{hint}; the contacts are {}", listed(&names));
            ProblemError::at(Kind::UnknownName, path, message)
        })
    };
    let mut struck = match map.get("strike") {
        None if names.len() == 1 => vec![0],
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
fn contact(model: &Model, surfaces: &Surfaces, value: &Value, path: &str) -> Result<Read> {
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
    let sides = |place: &Place| sides(model, place, map, path, stated);
    if let Some(against) = map.get("against") {
        if let Some(other) = ["surface", "rims", "enabled"].into_iter().find(|key| map.contains_key(*key)) {
            let message = format!("{path}.{other} is for contacts with surfaces, and {path}.against is given");
            return Err(ProblemError::at(Kind::Conflict, field(other), message));
        }
        let ones = places.iter().map(sides).collect::<Result<Vec<_>>>()?.concat();
        let pairs = pair::against(model, ones, against, path, own.pair(map, path)?)?;
        return Ok(Read { contacts: Vec::new(), pairs });
    }
    let (mut contacts, mut pairs) = (Vec::new(), Vec::new());
    let count = surfaces.list.len() + surfaces.bodies.len();
    let several = count > 1 && !map.contains_key("surface");
    let touched = touched(&surfaces.names(), map, path)?;
    for body in touched.iter().filter_map(|index| surfaces.bodies.get(index.checked_sub(surfaces.list.len())?)) {
        if let Some(other) = ["rims", "enabled"].into_iter().find(|key| map.contains_key(*key)) {
            let message = format!("{path}.{other} is for contacts with planes, and {:?} ends or curves", body.name);
            return Err(ProblemError::at(Kind::Conflict, field(other), message));
        }
        let coefficients = own.pair(map, path)?;
        for place in &places {
            pairs.extend(pair::on_body(sides(place)?, &body.name, &body.side, several, &coefficients));
        }
    }
    for index in touched.into_iter().filter(|index| *index < surfaces.list.len()) {
        let surface = &surfaces.list[index];
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
    if contacts.is_empty() && pairs.is_empty() {
        let message = format!(
            "{0}.shape: no shape touches a surface, by contype, conaffinity and <exclude> of the robot's file; name a shape, or give a \
             surface of the scene",
            path
        );
        return Err(ProblemError::at(Kind::UnknownName, field("shape"), message));
    }
    Ok(Read { contacts, pairs })
}

/// The bodies of one link or frame: its shapes, or a ball or point.
fn sides(
    model: &Model,
    place: &Place,
    map: &Map<String, Value>,
    path: &str,
    stated: Option<&str>,
) -> Result<Vec<Side>> {
    let link = model.link(place.link);
    let Some(shape) = map.get("shape") else {
        let point = map.get("point").map(|value| triple(value, &format!("{path}.point"))).transpose()?;
        let point = place.placement.apply(Vector::from(point.unwrap_or_default()));
        let field = format!("{path}.radius");
        let radius = map.get("radius").map(|value| number(value, &field)).transpose()?.unwrap_or(0.0);
        let solid = Solid::ball(radius)
            .map_err(|error| ProblemError::at(Kind::Law(carom_law::ErrorKind::OutOfRange), field, error.to_string()))?;
        let side = PairSide { link: place.link, placement: Placement::at(point), solid };
        return Ok(vec![Side { name: stated.unwrap_or(&place.name).to_owned(), side, shape: None, is_chosen: true }]);
    };
    let field = format!("{path}.shape");
    let chosen = chosen_shapes(model, place, map, shape, path)?;
    let is_all = text(shape, &field)? == "all";
    let names_shape = if stated.is_some() { chosen.len() > 1 } else { link.shapes.len() > 1 };
    let mut sides = Vec::with_capacity(chosen.len());
    for i in chosen {
        let mut name = stated.unwrap_or(&link.name).to_owned();
        if names_shape {
            name += &link.shapes[i].name.as_ref().map_or_else(|| format!("/{i}"), |shape| format!("/{shape}"));
        }
        let shape = (place.link, i);
        let side = PairSide::of_shape(model, shape)
            .map_err(|error| ProblemError::at(Kind::Model, &field, format!("{name}: {error}")))?;
        sides.push(Side { name, side, shape: Some(shape), is_chosen: !is_all });
    }
    Ok(sides)
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
        let message = match model.nv() {
            0 => format!(
                "{field} matches no moving link: {} has none, since its base is fixed and it has no joints that move",
                model.name()
            ),
            _ => format!("{field} matches no {what} of {}{hint}; its links are {}", model.name(), listed(&names)),
        };
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
    let (name, link, placement) = super::place::read(model, map, path, "a contact")?;
    Ok(Place { name: name.to_owned(), link, placement, of_pattern: false })
}

impl Own {
    /// The coefficients of a pair of bodies; `dimension = 1` means no friction.
    fn pair(&self, map: &Map<String, Value>, path: &str) -> Result<PairCoefficients> {
        let field = format!("{path}.dimension");
        let dimension = map.get("dimension").map(|value| dimension(value, &field)).transpose()?;
        if dimension.is_some_and(|dimension| dimension != Dimension::Normal) {
            let message =
                format!("{field} may be 1, without friction, for a contact of two bodies; otherwise the robot decides");
            return Err(ProblemError::at(Kind::Conflict, field, message));
        }
        Ok(PairCoefficients {
            restitution: self.restitution,
            friction: self.friction,
            is_frictionless: dimension.is_some(),
        })
    }
}

/// The surfaces that a contact can touch: the one given, or all.
fn touched(names: &[&str], map: &Map<String, Value>, path: &str) -> Result<Vec<usize>> {
    let Some(value) = map.get("surface") else { return Ok((0..names.len()).collect()) };
    let field = format!("{path}.surface");
    let name = text(value, &field)?;
    names.iter().position(|known| *known == name).map(|index| vec![index]).ok_or_else(|| {
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
    let options = CandidateOptions { rims: map.get("rims").map_or(Ok(Rims::default()), |value| rims(value, path))? };
    let name = text(shape, &field)?;
    let link = model.link(place.link);
    let chosen = chosen_shapes(model, place, map, shape, path)?;
    // A name contains only the parts needed to make it unique.
    let names_shape = if stated.is_some() { chosen.len() > 1 } else { link.shapes.len() > 1 };
    let mut found = Vec::new();
    for i in chosen {
        let rule = touched.plane.and_then(|plane| model.pair_rule((place.link, i), plane));
        // A shape that touches only by a <pair> of the file touches nothing else.
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

/// The shapes of a link that an entry names.
fn chosen_shapes(
    model: &Model,
    place: &Place,
    map: &Map<String, Value>,
    shape: &Value,
    path: &str,
) -> Result<Vec<usize>> {
    let field = format!("{path}.shape");
    if let Some(other) = ["frame", "point", "radius", "dimension"].into_iter().find(|key| map.contains_key(*key)) {
        let message = format!("{field} and {path}.{other} both give what touches; give only one of them");
        return Err(ProblemError::at(Kind::Conflict, format!("{path}.{other}"), message));
    }
    find_shapes(model, place.link, place.of_pattern, text(shape, &field)?, &field)
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
