//! Closed loops from `<equality>`: points that coincide, bodies welded together, joints that are coupled.
//!
//! MuJoCo's conditions are soft, with `solref` and `solimp`; here they are rigid.

use super::class::{Classes, Stated};
use super::notes::{Notes, check_attributes};
use super::settings::truth;
use super::source::{Part, Sources};
use crate::load::{LoadError, LoadErrorKind, xml};
use crate::{Dynamics, LinkId, Loop, LoopKind, Model, Placement, Quaternion, Vector};

const KNOWN_CONNECT: &str = "active anchor body1 body2 class name site1 site2 solimp solref";
const KNOWN_WELD: &str = "active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale";
const KNOWN_JOINT: &str = "active class joint1 joint2 name polycoef solimp solref";

/// Conditions that affect the motion and are not modelled.
const NOT_MODELLED: [&str; 5] = ["tendon", "flex", "flexvert", "flexstrain", "distance"];

/// The model with the loops of its file. `carried` are the links that a program moves.
pub(super) fn read<'a>(
    sources: &Sources<'a>,
    classes: &Classes<'a>,
    model: Model,
    carried: &[LinkId],
    notes: &mut Notes,
) -> Result<Model, LoadError> {
    let parts = sources.section("equality");
    if parts.is_empty() {
        return Ok(model);
    }
    // The pose of bodies at home decides where anchors are.
    let home = Dynamics::new(model.clone());
    let mut loops = Vec::new();
    for (place, part) in parts.into_iter().enumerate() {
        let kind = part.name();
        let known = match kind {
            "connect" => KNOWN_CONNECT,
            "weld" => KNOWN_WELD,
            "joint" => KNOWN_JOINT,
            _ if NOT_MODELLED.contains(&kind) => {
                notes.not_modelled(part, &subject(part));
                continue;
            }
            _ => {
                let message = format!("<{kind}> is not a valid element of <equality>");
                return Err(xml::fault(LoadErrorKind::Syntax, part.path, part.node, message));
            }
        };
        check_attributes(part, known)?;
        let stated = classes.stated(part, "equality", None)?;
        if stated.origin("active").map_or(Ok(None), |origin| truth(origin, "active"))? == Some(false) {
            notes.ignored(part, &subject(part), "has active = false and is ignored");
            continue;
        }
        let held = match kind {
            "connect" => connect(part, &home)?,
            "weld" => weld(&stated, &home)?,
            _ => joint(part, &model)?,
        };
        if held.links().is_some_and(|links| links.iter().any(|link| carried.contains(link))) {
            notes.not_modelled(part, &format!("{} to a mocap body", subject(part)));
            continue;
        }
        if ["solref", "solimp"].iter().any(|soft| stated.origin(soft).is_some()) {
            notes.ignored(part, "equality solref and solimp", "make a condition soft: loops are rigid here");
        }
        let name = match part.text("name").filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("{kind}_{place}"),
        };
        loops.push((part, Loop { name, kind: held }));
    }
    let mut model = model;
    for (part, one) in loops {
        model = model.with_loops([one]).map_err(|error| LoadError::structure(part.path, Some(part.line()), &error))?;
    }
    Ok(model)
}

/// `equality connect "name"`.
fn subject(part: Part<'_>) -> String {
    match part.text("name") {
        Some(name) => format!("equality {} {name:?}", part.name()),
        None => format!("equality {}", part.name()),
    }
}

fn connect(part: Part<'_>, home: &Dynamics) -> Result<LoopKind, LoadError> {
    if let Some([one, two]) = sites(part, home.model())? {
        return Ok(LoopKind::Connect { links: [one.0, two.0], points: [one.1.translation, two.1.translation] });
    }
    let links = bodies(part, home.model())?;
    let anchor = part.numbers::<3>("anchor")?;
    let anchor = Vector::from(anchor.ok_or_else(|| part.value("<connect> needs an anchor, or site1 and site2"))?);
    let [one, two] = links.map(|link| home.placement(link));
    Ok(LoopKind::Connect { links, points: [anchor, two.inverse().apply(one.apply(anchor))] })
}

fn weld(stated: &Stated<'_>, home: &Dynamics) -> Result<LoopKind, LoadError> {
    let part = stated.part;
    if let Some([one, two]) = sites(part, home.model())? {
        return Ok(LoopKind::Weld { links: [one.0, two.0], frames: [one.1, two.1] });
    }
    let links = bodies(part, home.model())?;
    let anchor = Placement::at(part.numbers::<3>("anchor")?.unwrap_or_default());
    let stated = match part.numbers::<7>("relpose")? {
        Some([x, y, z, w, a, b, c]) => {
            let turn = Quaternion::from_array([w, a, b, c]).normalized();
            turn.map(|turn| Placement::new(turn.to_rotation(), [x, y, z]))
        }
        None => None,
    };
    let [one, two] = links.map(|link| home.placement(link));
    let between = stated.unwrap_or_else(|| one.inverse() * two);
    Ok(LoopKind::Weld { links, frames: [between * anchor, anchor] })
}

fn joint(part: Part<'_>, model: &Model) -> Result<LoopKind, LoadError> {
    let find = |attribute: &str, name: &str| {
        let unknown = || part.value(format!("<joint> {attribute} = {name:?} is not a joint of the model"));
        model.joints().iter().position(|joint| joint.joint.name == name).ok_or_else(unknown)
    };
    let one = find("joint1", part.required("joint1")?)?;
    let two = part.text("joint2").map(|name| find("joint2", name)).transpose()?;
    let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
    if let Some(list) = part.list("polycoef")? {
        if list.len() > coefficients.len() {
            return Err(part.value(format!("<joint> polycoef has {} numbers; at most 5 are allowed", list.len())));
        }
        coefficients[..list.len()].copy_from_slice(&list);
    }
    let reference = |joint: usize| model.joints()[joint].joint.reference;
    Ok(LoopKind::Joint {
        joints: [Some(one), two],
        references: [reference(one), two.map_or(0.0, reference)],
        coefficients,
    })
}

fn bodies(part: Part<'_>, model: &Model) -> Result<[LinkId; 2], LoadError> {
    let find = |attribute: &str, name: &str| {
        let unknown = || part.value(format!("<{}> {attribute} = {name:?} is not a body of the model", part.name()));
        model.find_link(name).ok_or_else(unknown)
    };
    let one = find("body1", part.required("body1")?)?;
    let two = part.text("body2").map_or(Ok(LinkId::WORLD), |name| find("body2", name))?;
    Ok([one, two])
}

/// The frames of two sites, if the element names them.
fn sites(part: Part<'_>, model: &Model) -> Result<Option<[(LinkId, Placement); 2]>, LoadError> {
    let (Some(one), Some(two)) = (part.text("site1"), part.text("site2")) else {
        return match part.text("site1").or(part.text("site2")) {
            None => Ok(None),
            Some(_) => Err(part.value(format!("<{}> needs both site1 and site2", part.name()))),
        };
    };
    let find = |attribute: &str, name: &str| {
        let unknown = || part.value(format!("<{}> {attribute} = {name:?} is not a site of the model", part.name()));
        model.find_frame(name).map(|frame| (frame.link, frame.placement)).ok_or_else(unknown)
    };
    Ok(Some([find("site1", one)?, find("site2", two)?]))
}
