//! Contacts between geoms: what `<contact>` says, and the attributes of geoms that decide which touch.

use std::collections::HashSet;

use super::class::{Classes, Stated};
use super::notes::{Notes, check_attributes};
use super::source::{Part, Sources};
use crate::load::LoadError;
use crate::model::{Pairs, ShapeId, StatedPair};
use crate::{Geometry, LinkId, Model, ShapeContact};

const KNOWN_PAIR: &str = "class condim friction gap geom1 geom2 margin name solimp solref solreffriction";
const KNOWN_EXCLUDE: &str = "body1 body2 name";

/// The attributes of a geom that concern its contacts.
pub(super) fn of_geom(stated: &Stated<'_>) -> Result<ShapeContact, LoadError> {
    let [friction, ..] = stated.overlaid("friction", [1.0, 0.005, 0.0001])?;
    let mask = |attribute: &str| stated.number(attribute).map(|mask| mask.unwrap_or(1.0) as i64 as u32);
    Ok(ShapeContact {
        // MuJoCo raises what is below its least coefficient, 1e-5.
        friction: friction.max(0.0),
        priority: stated.number("priority")?.unwrap_or(0.0) as i64,
        dimension: condim(stated)?.unwrap_or(3),
        kinds: mask("contype")?,
        touches: mask("conaffinity")?,
    })
}

fn condim(stated: &Stated<'_>) -> Result<Option<u32>, LoadError> {
    let Some(given) = stated.number("condim")? else { return Ok(None) };
    match [1, 3, 4, 6].into_iter().find(|dimension| f64::from(*dimension) == given) {
        Some(dimension) => Ok(Some(dimension)),
        None => Err(stated.part.value(format!("<{}> condim = {given} must be 1, 3, 4 or 6", stated.part.name()))),
    }
}

/// The geoms that a `<pair>` names: they touch even without masks.
pub(super) fn named<'a>(sources: &Sources<'a>) -> HashSet<&'a str> {
    let pairs = sources.section("contact").into_iter().filter(|part| part.name() == "pair");
    pairs.flat_map(|part| ["geom1", "geom2"].map(|end| part.text(end))).flatten().collect()
}

/// The pairs of `<contact>`. Robots do not touch themselves here: a pair without a plane of the world gives a warning.
pub(super) fn read<'a>(
    sources: &Sources<'a>,
    classes: &Classes<'a>,
    model: &Model,
    notes: &mut Notes,
) -> Result<Pairs, LoadError> {
    let mut pairs = Pairs::default();
    for part in sources.section("contact") {
        match part.name() {
            "pair" => {
                let stated = classes.stated(part, "pair", None)?;
                check_attributes(part, KNOWN_PAIR)?;
                let [friction, across, ..] = stated.overlaid("friction", [1.0, 1.0, 0.005, 0.0001, 0.0001])?;
                if friction != across {
                    notes.not_modelled(part, "contact pair with another friction along its second tangent");
                }
                let ends = [part.required("geom1")?, part.required("geom2")?].map(|name| shape(model, name));
                let [Some(one), Some(other)] = ends else {
                    notes.ignored(part, "contact pair", "names a geom without a shape and is ignored");
                    continue;
                };
                if !(is_floor(model, one) || is_floor(model, other)) {
                    notes.not_modelled(part, "contact pair without a plane of the world");
                }
                // A pair without these has MuJoCo's defaults, not those of its geoms.
                let dimension = condim(&stated)?.unwrap_or(3);
                pairs.stated.push(StatedPair { shapes: [one, other], friction: friction.max(0.0), dimension });
            }
            "exclude" => {
                check_attributes(part, KNOWN_EXCLUDE)?;
                pairs.excluded.push([link(model, part, "body1")?, link(model, part, "body2")?]);
            }
            name => notes.not_modelled(part, &format!("contact {name}")),
        }
    }
    Ok(pairs)
}

fn link(model: &Model, part: Part<'_>, attribute: &str) -> Result<LinkId, LoadError> {
    let name = part.required(attribute)?;
    model
        .find_link(name)
        .ok_or_else(|| part.value(format!("<exclude> {attribute} = {name:?} is not a body of the model")))
}

fn shape(model: &Model, name: &str) -> Option<ShapeId> {
    model.links().iter().enumerate().find_map(|(index, link)| {
        let shape = link.shapes.iter().position(|shape| shape.name.as_deref() == Some(name))?;
        Some((LinkId::from_index(index), shape))
    })
}

fn is_floor(model: &Model, (link, shape): ShapeId) -> bool {
    !model.is_moving(link) && model.link(link).shapes[shape].geometry == Geometry::Plane
}
