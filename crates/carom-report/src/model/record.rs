//! A model as a JSON object.

use carom_multibody::{Geometry, Link, LinkId, ModelJoint, Shape};
use carom_scene::document::FORMAT_VERSION;
use serde_json::{Value, json};

use super::{ModelText, new_ones, shape};

impl ModelText<'_> {
    /// The model on one line, with every list whole; the fields are described in the documentation of `carom check`.
    pub fn json(&self) -> String {
        let model = self.model;
        let of_file: Vec<String> = model.warnings().iter().map(ToString::to_string).collect();
        let warnings = model.warnings().iter().map(|warning| {
            json!({
                "kind": warning.kind.name(), "subject": warning.subject, "message": warning.message, "line": warning.line
            })
        });
        let frames = model.frames().iter().map(|frame| {
            let (link, position) = (&model.link(frame.link).name, frame.placement.translation.to_array());
            json!({ "name": frame.name, "link": link, "position": position })
        });
        let keyframes = model.keyframe_names().into_iter().zip(model.keyframes()).map(|(name, keyframe)| {
            json!({ "name": name, "configuration": keyframe.configuration, "velocity": keyframe.velocity })
        });
        let (simulation_warnings, simulation_error) = match self.simulated {
            Ok(warnings) => (new_ones(warnings, &of_file), None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let files: Vec<_> = model.files().iter().map(|path| path.to_string_lossy()).collect();
        let record = json!({
            "format_version": FORMAT_VERSION,
            "name": model.name(),
            "nq": model.nq(),
            "nv": model.nv(),
            "moving_mass": model.moving_mass(),
            "gravity": model.gravity().to_array(),
            "plane": model.plane().map(|normal| normal.to_array()),
            "coordinates": model.coordinate_names(),
            "velocities": model.velocity_names(),
            "home": model.home(),
            "links": model.links().iter().enumerate().map(|(i, link)| self.link(LinkId::from_index(i), link)).collect::<Vec<_>>(),
            "joints": model.joints().iter().map(|joint| self.joint(joint)).collect::<Vec<_>>(),
            "frames": frames.collect::<Vec<_>>(),
            "keyframes": keyframes.collect::<Vec<_>>(),
            "files": files,
            "warnings": warnings.collect::<Vec<_>>(),
            "simulation_warnings": simulation_warnings,
            "simulation_error": simulation_error,
            "home_error": self.at_home.as_ref().map(ToString::to_string),
        });
        record.to_string()
    }

    fn link(&self, id: LinkId, link: &Link) -> Value {
        json!({
            "name": link.name,
            "parent": link.parent.map(|parent| &self.model.link(parent).name),
            "moves": self.model.is_moving(id),
            "mass": link.inertia.mass,
            "shapes": link.shapes.iter().map(shape_record).collect::<Vec<_>>(),
        })
    }

    fn joint(&self, joint: &ModelJoint) -> Value {
        let stated = &joint.joint;
        let mimic = stated
            .mimic
            .as_ref()
            .map(|mimic| json!({ "joint": mimic.leader, "multiplier": mimic.multiplier, "offset": mimic.offset }));
        let spring = stated.spring.map(|spring| json!({ "stiffness": spring.stiffness, "rest": spring.rest }));
        json!({
            "name": stated.name,
            "kind": stated.kind.name(),
            "link": self.model.link(joint.link).name,
            "coordinates": [joint.coordinates.start, joint.coordinates.end],
            "velocities": [joint.velocities.start, joint.velocities.end],
            "limits": stated.limits,
            "damping": stated.damping,
            "dry_friction": stated.dry_friction,
            "armature": stated.armature,
            "spring": spring,
            "mimic": mimic,
        })
    }
}

fn shape_record(shape: &Shape) -> Value {
    let mut record = json!({
        "name": shape.name,
        "kind": shape::kind(&shape.geometry),
        "can_touch": shape.can_touch(),
        "position": shape.placement.translation.to_array(),
    });
    let sizes = match &shape.geometry {
        Geometry::Sphere { radius } => json!({ "radius": radius }),
        Geometry::Box { half } | Geometry::Ellipsoid { half } => json!({ "size": half.map(|x| 2.0 * x) }),
        Geometry::Capsule { radius, half_length } | Geometry::Cylinder { radius, half_length } => {
            json!({ "radius": radius, "length": 2.0 * half_length })
        }
        Geometry::Plane => json!({}),
        Geometry::Mesh { file, hull } => {
            let hull = hull
                .as_ref()
                .map(|hull| json!({ "vertices": hull.full, "kept": hull.vertices.len(), "error": hull.error }));
            json!({ "file": file, "hull": hull })
        }
    };
    if let (Value::Object(record), Value::Object(sizes)) = (&mut record, sizes) {
        record.extend(sizes);
    }
    record
}
