//! The description of a document: its robot, its state, its contacts, its coefficients.

use carom::document::Tree;
use carom::law::{Guard, Law, Restitution};
use carom::multibody::JointKind;
use carom::report::{RobotRecord, drawn_robot};
use carom::scene::Scene;
use carom::sim::Simulation;
use serde_json::{Value, json};

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::stated::Stated;

pub(crate) fn open(stated: &Stated) -> Result<Answer, Fault> {
    let (source, problem) = (&stated.source, &stated.problem);
    let mut answer = json!({
        "key": source.key,
        "name": source.name,
        "title": stated.scene().and_then(Scene::title),
        "kind": if source.run.is_some() { "run" } else if stated.scene().is_some() { "robot" } else { "matrices" },
        "assumed": source.assumed.then_some(&source.text),
        "text": source.text,
        "law": problem.law().name(),
        "guard": problem.guard().name(),
        "laws": Law::ALL.map(Law::name),
        "guards": Guard::ALL.map(Guard::name),
        "contact_count": problem.contact_count(),
    });
    let coefficients = coefficients(stated);
    merge(&mut answer, coefficients);
    if let Some(run) = &source.run {
        answer["run"] = json!({ "title": run.title, "ending": run.ending, "events": run.events.len() });
    }
    let setup = problem.setup();
    answer["why_not"] = json!(setup.as_ref().err().map(|error| &error.message));
    answer["simulates"] = match &setup {
        Ok(setup) => {
            json!({ "until": setup.settings.until, "interval": setup.settings.interval, "guard": setup.guard.name() })
        }
        Err(_) => Value::Null,
    };
    // The length of the robot is one of the scales of its simulation.
    let simulation = setup.ok().and_then(|setup| Simulation::new(setup).ok());
    answer["length"] = json!(simulation.map(|simulation| simulation.header().length));
    let Some(scene) = stated.scene() else { return Ok(Answer::new(answer)) };
    merge(&mut answer, robot(scene)?);
    let drawn = drawn_robot(scene.model(), scene.configuration(), scene.velocity())?;
    merge(&mut answer, serde_json::to_value(&drawn).unwrap_or_default());
    Ok(Answer::new(answer).doubles("poses", &drawn.poses))
}

/// Restitution and friction of the document; null where they are those of contacts or of the robot's file.
fn coefficients(stated: &Stated) -> Value {
    let part =
        |key: &str| Tree::of(&stated.tree).ok().and_then(|tree| serde_json::to_value(&tree).ok()?.get(key).cloned());
    let of_document = |key: &str| part(key).and_then(|value| Tree::of(&value).ok());
    let restitution = of_document("restitution").and_then(|tree| tree.restitution().ok());
    let friction = of_document("friction").and_then(|tree| tree.friction().ok());
    let outcome = stated.problem.solve().ok();
    let friction = friction.or(outcome.as_ref().and_then(|outcome| outcome.friction));
    json!({
        "restitution": restitution.map(|restitution: Restitution| json!({
            "normal": restitution.normal_at(outcome.as_ref().map_or(0.0, |outcome| outcome.contact_velocity.before[0].abs())),
            "tangential": restitution.tangential(),
        })),
        "friction": friction.map(|friction| json!({ "static": friction.mu_s(), "dynamic": friction.mu_d() })),
    })
}

fn robot(scene: &Scene) -> Result<Value, Fault> {
    let model = scene.model();
    let record = RobotRecord::new(scene)?;
    let joints = model.joints().iter().map(|joint| {
        let range = |range: &std::ops::Range<usize>| [range.start, range.len()];
        json!({
            "name": joint.joint.name,
            "type": kind(joint.joint.kind),
            "link": model.link(joint.link).name,
            "q": range(&joint.coordinates),
            "v": range(&joint.velocities),
            "limits": joint.joint.limits,
            "axis": joint.joint.axis.to_array(),
            "anchor": joint.joint.anchor.to_array(),
            "follows": joint.joint.mimic.as_ref().map(|mimic| &mimic.leader),
        })
    });
    let contacts = scene.contacts().iter().enumerate().map(|(place, contact)| {
        json!({
            "name": contact.name,
            "link": model.link(contact.point.link()).name,
            "surface": contact.surface,
            "dimension": contact.point.dimension(),
            "strikes": scene.struck().contains(&place),
            "own_restitution": contact.restitution.is_some(),
            "own_friction": contact.friction.is_some(),
        })
    });
    let pairs = scene.pairs().iter().enumerate().map(|(place, pair)| {
        let [one, other] = pair.bodies.sides.each_ref().map(|side| &model.link(side.link).name);
        let rows = if pair.is_frictionless { 1 } else { model.plane().map_or(3, |_| 2) };
        json!({
            "name": pair.name,
            "link": one,
            "against": other,
            "surface": null,
            "dimension": rows,
            "strikes": scene.struck_pairs().iter().any(|contact| contact.pair == place),
            "own_restitution": pair.restitution.is_some(),
            "own_friction": pair.friction.is_some(),
        })
    });
    let surfaces = scene.surfaces().iter().map(|surface| {
        let (point, normal) = (surface.half_space.point.to_array(), surface.half_space.normal.to_array());
        json!({ "name": surface.name, "point": point, "normal": normal })
    });
    Ok(json!({
        "model": model.name(),
        "loops": model.loops().iter().map(|one| &one.name).collect::<Vec<_>>(),
        "planar": model.plane().map(|normal| normal.to_array()),
        "gravity": model.gravity().to_array(),
        "joints": joints.collect::<Vec<_>>(),
        "coordinates": model.coordinate_names(),
        "velocities": model.velocity_names(),
        "velocity_units": record.velocity_units,
        "configuration": scene.configuration(),
        "velocity": scene.velocity(),
        "surfaces": surfaces.collect::<Vec<_>>(),
        "contacts": contacts.chain(pairs).collect::<Vec<_>>(),
        "warnings": record.warnings,
    }))
}

fn kind(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Ball => "ball",
        JointKind::Floating => "floating",
    }
}

/// Adds the fields of one object to another.
pub(crate) fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
