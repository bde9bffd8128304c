//! Geoms: their form, pose and mass.

use super::class::Stated;
use super::form::{Fit, Form};
use super::known;
use super::mesh::Meshes;
use super::notes::{Notes, check_attributes};
use super::pair;
use super::pose::Pose;
use super::settings::{Settings, choice, truth};
use super::solid::{shell, solid};
use super::source::Part;
use crate::load::LoadError;
use crate::{Geometry, Inertia, Shape, ShapeContact, Symmetric, Vector, WarningKind};

/// A geom, placed on its body.
pub(super) struct Geom<'a> {
    pub(super) part: Part<'a>,
    name: Option<String>,
    pub(super) pose: Pose,
    form: Form,
    contact: ShapeContact,
    /// Whether a `<pair>` names it.
    is_paired: bool,
    hollow: bool,
    mass: Option<f64>,
    density: f64,
    /// Whether its group counts for inertia.
    counts: bool,
}

impl<'a> Geom<'a> {
    pub(super) fn read(
        stated: &Stated<'a>,
        name: Option<String>,
        is_paired: bool,
        frame: Pose,
        settings: &Settings,
        notes: &mut Notes,
    ) -> Result<Self, LoadError> {
        let part = stated.part;
        check_attributes(stated.part, known::GEOM)?;
        if let Some(plugin) = part.child("plugin") {
            return Err(plugin
                .unsupported("<geom> with a <plugin> is not supported: its shape and inertia come from the plugin"));
        }
        let (form, pose) = form(stated, settings)?;
        let group = stated.number("group")?.unwrap_or(0.0);
        let [first, last] = settings.groups;
        let hollow = stated.origin("shellinertia").map_or(Ok(None), |origin| truth(origin, "shellinertia"))?;
        let geom = Self {
            part,
            name,
            pose: frame * pose,
            form,
            contact: pair::of_geom(stated)?,
            is_paired,
            hollow: hollow == Some(true),
            mass: stated.number("mass")?,
            density: stated.number("density")?.unwrap_or(1000.0),
            counts: (first..=last).contains(&group),
        };
        if geom.mass.is_some_and(|mass| mass < 0.0) || geom.density < 0.0 {
            return Err(part.value("<geom> has a negative mass or density"));
        }
        if geom.hollow && matches!(geom.form, Form::Mesh { .. }) {
            return Err(part.value("<geom> shellinertia cannot be used with a mesh; use inertia = \"shell\" in <mesh>"));
        }
        for attribute in ["adhesion", "surfacevel"] {
            let origin = stated.origin(attribute);
            let list = origin.map_or(Ok(None), |origin| origin.list(attribute))?.unwrap_or_default();
            if list.iter().any(|number| *number != 0.0) {
                notes.not_modelled(part, &format!("geom {attribute}"));
            }
        }
        if stated.text("fluidshape") == Some("ellipsoid") {
            notes.not_modelled(part, "geom fluidshape");
        }
        Ok(geom)
    }

    /// Whether it can contribute mass to a body that takes its inertia from geoms.
    pub(super) fn is_massive(&self) -> bool {
        let given = self.mass.map_or(self.density > 0.0, |mass| mass > 0.0);
        self.counts && given && self.form != Form::Plane
    }

    /// Its inertia in the body's frame.
    pub(super) fn inertia(&self, meshes: &mut Meshes<'a>) -> Result<Inertia, LoadError> {
        let (form, pose) = self.fitted(meshes)?;
        if form == Form::Field {
            return Err(self
                .part
                .unsupported("<geom> of type hfield with mass is not supported: use mass = \"0\", or <inertial>"));
        }
        let unit = match &form {
            Form::Mesh { name } => Some(meshes.solid(name, self.part)?.inertia),
            form if self.hollow => shell(form),
            form => solid(form),
        };
        let Some(unit) = unit else { return Ok(Inertia::ZERO) };
        let mass = self.mass.unwrap_or(self.density * unit.mass);
        let factor = mass / unit.mass;
        let rotational = Symmetric::new(unit.rotational.entries().map(|entry| factor * entry));
        Ok(Inertia { mass, rotational, ..unit }.placed(&pose.placement()))
    }

    /// Its form and pose, after fitting it to a mesh.
    fn fitted(&self, meshes: &mut Meshes<'a>) -> Result<(Form, Pose), LoadError> {
        let Form::Fitted(fit) = &self.form else { return Ok((self.form.clone(), self.pose)) };
        let (form, pose) = fit.form(&meshes.solid(&fit.mesh, self.part)?);
        Ok((form, self.pose * pose))
    }

    /// Its shape, if it can have contacts.
    pub(super) fn shape(&self, meshes: &mut Meshes<'a>, notes: &mut Notes) -> Option<Shape> {
        if !self.contact.is_enabled() && !self.is_paired {
            return None;
        }
        let Ok((form, pose)) = self.fitted(meshes) else {
            let message = "has no shape, because the mesh cannot be read";
            notes.add(WarningKind::Missing, self.part, "geom fitted to a mesh", message);
            return None;
        };
        let geometry = match form {
            Form::Plane => Geometry::Plane,
            Form::Sphere { radius } => Geometry::Sphere { radius },
            Form::Capsule { radius, half_length } => Geometry::Capsule { radius, half_length },
            Form::Cylinder { radius, half_length } => Geometry::Cylinder { radius, half_length },
            Form::Ellipsoid { half } => Geometry::Ellipsoid { half },
            Form::Box { half } => Geometry::Box { half },
            Form::Mesh { ref name } => {
                let hull = meshes.hull(name, self.part).unwrap_or_else(|error| {
                    let (subject, message) = (format!("mesh {name:?}"), format!("cannot touch: {}", error.message));
                    notes.add(WarningKind::Missing, self.part, &subject, &message);
                    None
                });
                Geometry::Mesh { file: meshes.file(name), hull }
            }
            Form::Field => {
                notes.ignored(self.part, "geom hfield", "has no shape and is ignored");
                return None;
            }
            Form::Fitted(_) => return None,
        };
        Some(Shape { name: self.name.clone(), placement: pose.placement(), geometry, contact: Some(self.contact) })
    }
}

/// The form and pose given by the element and its defaults.
fn form(stated: &Stated<'_>, settings: &Settings) -> Result<(Form, Pose), LoadError> {
    let part = stated.part;
    let words = ["plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"];
    let words = words.map(|word| (word, word));
    let kind = stated.origin("type").map_or(Ok(None), |origin| choice(origin, "type", &words))?.unwrap_or("sphere");
    let mut pose = Pose::of(stated, settings)?;
    let mesh = stated.text("mesh").map(str::to_owned);
    match (kind, mesh) {
        ("mesh", Some(name)) => return Ok((Form::Mesh { name }, pose)),
        ("mesh", None) => return Err(part.value("<geom> of type mesh needs the attribute mesh")),
        ("sdf", _) => {
            return Err(
                part.unsupported("<geom> of type sdf is not supported: its shape and inertia come from a plugin")
            );
        }
        ("plane", _) => return Ok((Form::Plane, pose)),
        ("hfield", _) => return Ok((Form::Field, pose)),
        (_, Some(mesh)) => {
            let scale = stated.number("fitscale")?.unwrap_or(1.0);
            return Ok((Form::Fitted(Fit { mesh, kind, scale, by_bounds: settings.fit_bounds }), pose));
        }
        (_, None) => {}
    }
    let mut size = stated.overlaid("size", [0.0; 3])?;
    if let Some(points) = stated.numbers::<6>("fromto")? {
        if kind == "sphere" {
            return Err(part.value("<geom> fromto needs type capsule, cylinder, box or ellipsoid"));
        }
        if pose.position != Vector::ZERO {
            return Err(part.value("<geom> has both pos and fromto; give only one"));
        }
        let between = Pose::between(points);
        let half;
        (pose, half) = between.ok_or_else(|| part.value("<geom> fromto: the two points must differ"))?;
        // The first number is the size across, for both directions.
        size = match kind {
            "box" | "ellipsoid" => [size[0], size[0], half],
            _ => [size[0], half, 0.0],
        };
    }
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        _ => 3,
    };
    if let Some(bad) = size[..needed].iter().find(|length| !(**length > 0.0)) {
        return Err(part.value(format!("<geom> of type {kind} has size {bad}; it needs {needed} positive sizes")));
    }
    let [radius, half_length, _] = size;
    let form = match kind {
        "sphere" => Form::Sphere { radius },
        "capsule" => Form::Capsule { radius, half_length },
        "cylinder" => Form::Cylinder { radius, half_length },
        "ellipsoid" => Form::Ellipsoid { half: size },
        _ => Form::Box { half: size },
    };
    Ok((form, pose))
}
