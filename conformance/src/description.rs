//! A model's sizes, names and warnings.

use carom_multibody::{Inertia, Model, ModelJoint, Warning};
use serde_json::{Value, json};

pub(crate) fn of(model: &Model) -> Value {
    let links: Vec<&str> = model.links().iter().map(|link| link.name.as_str()).collect();
    let parents: Vec<Option<usize>> = model.links().iter().map(|link| link.parent.map(|id| id.index())).collect();
    let frames: Vec<Value> = model.frames().iter().map(|f| json!({ "name": f.name, "link": f.link.index() })).collect();
    let warning = |w: &Warning| json!({ "kind": w.kind.name(), "message": w.message });
    json!({
        "nq": model.nq(),
        "nv": model.nv(),
        "home": model.home(),
        "joints": model.joints().iter().map(joint).collect::<Vec<_>>(),
        "links": links,
        "parents": parents,
        "inertias": model.links().iter().map(|link| inertia(&link.inertia)).collect::<Vec<_>>(),
        "frames": frames,
        "warnings": model.warnings().iter().map(warning).collect::<Vec<_>>(),
        "moving_mass": model.moving_mass(),
        "gravity": model.gravity().to_array(),
    })
}

/// Mass, centre and the tensor about it, as xx, yy, zz, xy, xz, yz in the link's axes.
fn inertia(of: &Inertia) -> Value {
    json!({ "mass": of.mass, "center": of.center.to_array(), "rotational": of.rotational.entries() })
}

fn joint(of: &ModelJoint) -> Value {
    let ModelJoint { joint, link, coordinates, freedoms } = of;
    let mimic = joint
        .mimic
        .as_ref()
        .map(|mimic| json!({ "leader": mimic.leader, "multiplier": mimic.multiplier, "offset": mimic.offset }));
    json!({
        "name": joint.name,
        "kind": joint.kind.name(),
        "link": link.index(),
        "q": coordinates.start,
        "v": freedoms.start,
        "nq": coordinates.len(),
        "nv": freedoms.len(),
        "mimic": mimic,
        "axis": joint.axis.to_array(),
    })
}
