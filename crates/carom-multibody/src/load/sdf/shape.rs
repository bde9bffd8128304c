//! Inertia and shapes of a link.

use super::Result;
use super::text::{number, numbers, pose, words};
use crate::load::schema::Remarks;
use crate::load::urdf::Meshes;
use crate::load::xml::Element;
use crate::{Geometry, Inertia, Placement, Rotation, Symmetric, Vector, WarningKind};

/// The inertia of a link; by default, as SDF specifies, a mass of 1 and the unit tensor.
pub(super) fn inertia(link: Element<'_, '_, '_>, name: &str, remarks: &mut Remarks) -> Result<Inertia> {
    let unit = Inertia { mass: 1.0, center: Vector::ZERO, rotational: Symmetric::new([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) };
    let Some(stated) = link.child("inertial") else {
        let message = format!("link {name:?} has no <inertial>: by SDF its mass is 1 kg and its inertia 1 kg m²");
        remarks.note(WarningKind::Missing, name, message, link.line());
        return Ok(unit);
    };
    if stated.text("auto") == Some("true") {
        return Err(
            stated.unsupported(format!("link {name:?} takes its inertia from its shapes (auto), which is not read"))
        );
    }
    if let Some(fluid) = stated.child("fluid_added_mass") {
        return Err(fluid.unsupported(format!("link {name:?} has <fluid_added_mass>, which is not modelled")));
    }
    let mut entries = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    if let Some(tensor) = stated.child("inertia") {
        for (entry, name) in entries.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
            *entry = number(tensor, name)?.unwrap_or(*entry);
        }
    }
    let mass = number(stated, "mass")?.unwrap_or(1.0);
    let own = Inertia { mass, center: Vector::ZERO, rotational: Symmetric::new(entries) };
    Ok(own.placed(&pose(stated)?))
}

/// The form of a collision shape and its placement in the frame of the shape; `None` without a form.
pub(super) fn geometry(
    collision: Element<'_, '_, '_>,
    link: &str,
    meshes: &mut Meshes<'_>,
    remarks: &mut Remarks,
) -> Result<Option<(Geometry, Placement)>> {
    let geometry = collision.child("geometry").and_then(|geometry| geometry.children().next());
    let geometry = geometry.ok_or_else(|| collision.value("<collision> has no geometry"))?;
    let need = |child: &str| {
        let missing = || geometry.value(format!("<{}> needs <{child}>", geometry.name()));
        geometry.child(child).ok_or_else(missing)
    };
    let one = |child: &str| numbers::<1>(need(child)?).map(|[number]| number);
    let mut place = Placement::IDENTITY;
    let form = match geometry.name() {
        "box" => Geometry::Box { half: numbers::<3>(need("size")?)?.map(|side| 0.5 * side) },
        "sphere" => Geometry::Sphere { radius: one("radius")? },
        "cylinder" => Geometry::Cylinder { radius: one("radius")?, half_length: 0.5 * one("length")? },
        "capsule" => Geometry::Capsule { radius: one("radius")?, half_length: 0.5 * one("length")? },
        "ellipsoid" => Geometry::Ellipsoid { half: numbers::<3>(need("radii")?)? },
        "plane" => {
            let normal = match geometry.child("normal") {
                Some(normal) => Vector::from(numbers::<3>(normal)?),
                None => Vector::new(0.0, 0.0, 1.0),
            };
            let basis =
                crate::contact_basis(normal).map_err(|_| geometry.value("<plane> has a normal without direction"))?;
            place.rotation = Rotation { columns: [basis[1], basis[2], basis[0]] };
            Geometry::Plane
        }
        "mesh" => {
            let file = words(need("uri")?).to_owned();
            let scale = geometry.child("scale").map(numbers::<3>).transpose()?.unwrap_or([1.0; 3]);
            let hull = match meshes.hull(&file, scale) {
                Some(Err(message)) => {
                    let message = format!("a mesh of link {link:?} cannot touch: {message}");
                    remarks.note(WarningKind::Missing, link, message, geometry.line());
                    None
                }
                found => found.and_then(std::result::Result::ok),
            };
            Geometry::Mesh { file, hull }
        }
        "empty" => return Ok(None),
        other => {
            let message = format!("a shape of link {link:?} is <{other}>, which is not read: it cannot touch");
            remarks.note(WarningKind::NotModelled, link, message, geometry.line());
            return Ok(None);
        }
    };
    Ok(Some((form, place)))
}
