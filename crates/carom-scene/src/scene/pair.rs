//! Contacts of two bodies: of two links, or of a link and a surface that ends or curves.

use std::collections::HashSet;

use carom_law::{Friction, Restitution};
use carom_multibody::{
    BodyPair, Closest, Dynamics, LinkId, Meeting, Model, PairError, PairSide, Shape, ShapeId, Vector,
};
use serde_json::Value;
use wildmatch::WildMatch;

use super::error::dynamics_error;
use super::keys;
use super::shapes::find_shapes;
use crate::document::value::{check_keys, object, required, text};
use crate::document::{Kind, ProblemError, did_you_mean, listed};

type Result<T> = std::result::Result<T, ProblemError>;

/// Gap up to which two bodies touch, relative to the smaller one: states are written by hand with a few digits.
const TOUCHING: f64 = 1e-4;

/// Two bodies of a scene that can touch.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ScenePair {
    /// Its name: as given, or made of the names of its links.
    pub name: String,
    /// The bodies.
    pub bodies: BodyPair,
    /// Its own restitution, if given.
    pub restitution: Option<Restitution>,
    /// Its own friction, if given.
    pub friction: Option<Friction>,
    /// The friction that the robot's file gives, for pairs and scenes that give none.
    pub file_friction: Option<Friction>,
    /// Whether it has no friction at all.
    pub is_frictionless: bool,
}

/// A contact of two bodies in a state: several for a face on a face.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PairContact {
    /// The pair's name, with a number if it has several contacts.
    pub name: String,
    /// The index of the pair.
    pub pair: usize,
    /// Gap, normal and points.
    pub closest: Closest,
    /// Its rows.
    pub meeting: Meeting,
    /// Whether the bodies touch: the gap is at most 1e-4 of the smaller one.
    pub touches: bool,
}

impl PairContact {
    /// Its position.
    pub fn position(&self) -> Vector {
        self.closest.middle()
    }
}

/// Coefficients that an entry of `contacts` states.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairCoefficients {
    pub(super) restitution: Option<Restitution>,
    pub(super) friction: Option<Friction>,
    pub(super) is_frictionless: bool,
}

/// A body that an entry of `contacts` names.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) name: String,
    pub(super) side: PairSide,
    /// Its shape.
    pub(super) shape: Option<ShapeId>,
    /// Whether its shape was named: then collision masks do not exclude it.
    pub(super) is_chosen: bool,
}

impl ScenePair {
    /// The size of the smaller body.
    fn size(&self) -> f64 {
        let sizes = self.bodies.sides.iter().map(|side| side.solid.reach()).filter(|size| *size > 0.0);
        sizes.reduce(f64::min).unwrap_or(1.0)
    }

    /// The contacts of the pair in a state.
    ///
    /// # Errors
    /// Bodies that are not supported, or overlap by more than what counts as touching.
    pub(super) fn contacts(&self, index: usize, dynamics: &Dynamics) -> Result<Vec<PairContact>> {
        let bound = TOUCHING * self.size();
        let found = dynamics.body_contacts(&self.bodies, bound).map_err(|error| self.error(&error))?;
        let several = found.len() > 1;
        let mut contacts = Vec::with_capacity(found.len());
        for (k, closest) in found.into_iter().enumerate() {
            if closest.gap < -bound {
                let message = format!(
                    "contact {:?}: the bodies overlap by {:.3e} m, more than {bound:.3e} m; move them apart",
                    self.name, -closest.gap
                );
                return Err(ProblemError::at(Kind::Conflict, "contacts", message));
            }
            let [one, other] = &self.bodies.sides;
            let meeting = dynamics.meeting(one.link, other.link, &closest).map_err(dynamics_error)?;
            contacts.push(PairContact {
                name: if several { format!("{}/{k}", self.name) } else { self.name.clone() },
                pair: index,
                closest,
                meeting: if self.is_frictionless { meeting.with_dimension(1) } else { meeting },
                touches: closest.gap <= bound,
            });
        }
        Ok(contacts)
    }

    fn error(&self, error: &PairError) -> ProblemError {
        ProblemError::at(Kind::Conflict, "contacts", format!("contact {:?}: {error}", self.name))
    }
}

/// The pairs of an entry's bodies with the shapes of other links.
pub(super) fn against(
    model: &Model,
    ones: Vec<Side>,
    value: &Value,
    path: &str,
    with: PairCoefficients,
) -> Result<Vec<ScenePair>> {
    let place = format!("{path}.against");
    let map = object(value, &place)?;
    check_keys(map, &place, keys::AGAINST.names)?;
    let (link_field, shape_field) = (format!("{place}.link"), format!("{place}.shape"));
    let name = text(required(map, &place, "link")?, &link_field)?;
    let wanted = map.get("shape").map_or(Ok("all"), |shape| text(shape, &shape_field))?;
    let (links, of_pattern) = others(model, name, &link_field)?;
    // Masks of an object hold within its own file only.
    let may_touch: HashSet<[ShapeId; 2]> =
        model.shape_pairs().into_iter().flat_map(|[a, b]| [[a, b], [b, a]]).collect();
    let mut seen: HashSet<[ShapeId; 2]> = HashSet::new();
    let mut pairs = Vec::new();
    let mut others = Vec::new();
    for link in links {
        for index in find_shapes(model, link, of_pattern, wanted, &shape_field)? {
            let side = PairSide::of_shape(model, (link, index)).map_err(|error| {
                ProblemError::at(Kind::Model, &shape_field, format!("{}: {error}", model.link(link).name))
            })?;
            others.push(((link, index), side));
        }
    }
    for one in &ones {
        for (shape, other) in &others {
            let link = shape.0;
            if one.side.link == link || !(model.is_moving(one.side.link) || model.is_moving(link)) {
                continue;
            }
            if let Some(own) = one.shape {
                let is_stated = one.is_chosen && wanted != "all";
                if seen.contains(&[*shape, own]) || !(is_stated || may_touch.contains(&[own, *shape])) {
                    continue;
                }
                seen.insert([own, *shape]);
            }
            let rule = one.shape.and_then(|own| model.pair_rule(own, *shape));
            pairs.push(ScenePair {
                name: format!("{} on {}", one.name, name_of(model, *shape)),
                bodies: BodyPair { sides: [one.side.clone(), other.clone()] },
                restitution: with.restitution,
                friction: with.friction,
                file_friction: rule.map(|rule| Friction::new(rule.friction)).transpose()?,
                is_frictionless: with.is_frictionless,
            });
        }
    }
    if pairs.is_empty() {
        let message = format!(
            "{place}: no pair of shapes can touch: neighbouring links, links that move as one, and pairs that contype, conaffinity or <exclude> rule out \
             are left out; name both shapes to let them touch"
        );
        return Err(ProblemError::at(Kind::UnknownName, place, message));
    }
    Ok(pairs)
}

/// The name of a link, and of its shape if it has several.
fn name_of(model: &Model, (link, index): ShapeId) -> String {
    let link = model.link(link);
    match (&link.shapes[..], &link.shapes[index].name) {
        ([_], _) => link.name.clone(),
        (_, Some(shape)) => format!("{}/{shape}", link.name),
        (_, None) => format!("{}/{index}", link.name),
    }
}

/// The pairs of an entry's bodies with a surface that ends or curves.
pub(super) fn on_body(
    ones: Vec<Side>,
    name: &str,
    body: &PairSide,
    several: bool,
    with: &PairCoefficients,
) -> Vec<ScenePair> {
    let pair = |one: Side| ScenePair {
        name: if several { format!("{} on {name}", one.name) } else { one.name },
        bodies: BodyPair { sides: [one.side, body.clone()] },
        restitution: with.restitution,
        friction: with.friction,
        file_friction: None,
        is_frictionless: with.is_frictionless,
    };
    ones.into_iter().map(pair).collect()
}

/// The links that a name or pattern matches, and whether it is a pattern.
fn others(model: &Model, name: &str, field: &str) -> Result<(Vec<LinkId>, bool)> {
    if let Some(link) = model.find_link(name) {
        return Ok((vec![link], false));
    }
    let is_pattern = name == "all" || name.contains(['*', '?']);
    let pattern = WildMatch::new(if name == "all" { "*" } else { name });
    let links: Vec<LinkId> = (0..model.links().len())
        .map(LinkId::from_index)
        .filter(|link| {
            let link = model.link(*link);
            is_pattern && pattern.matches(&link.name) && link.shapes.iter().any(Shape::can_touch)
        })
        .collect();
    if links.is_empty() {
        let names: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
        let hint = did_you_mean(name, names.iter().copied());
        let message = match is_pattern {
            true => format!(
                "{field} = {name:?} matches no link with a shape that can touch; the links are {}",
                listed(&names)
            ),
            false => format!("{field} = {name:?} is not a link{hint}; the links are {}", listed(&names)),
        };
        return Err(ProblemError::at(Kind::UnknownName, field, message));
    }
    Ok((links, true))
}
