//! A collision shape in words.

use carom_multibody::Geometry;
use carom_sim::number::significant;

use super::DIGITS;

/// The name of a geometry in records.
pub(super) fn kind(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Sphere { .. } => "sphere",
        Geometry::Box { .. } => "box",
        Geometry::Capsule { .. } => "capsule",
        Geometry::Cylinder { .. } => "cylinder",
        Geometry::Ellipsoid { .. } => "ellipsoid",
        Geometry::Plane => "plane",
        Geometry::Mesh { .. } => "mesh",
    }
}

/// The description of a shape, with whole lengths, not halves.
pub(super) fn in_words(geometry: &Geometry) -> String {
    match geometry {
        Geometry::Sphere { radius } => format!("sphere of radius {}", metres(*radius)),
        Geometry::Box { half } => format!("box of {} m", half.map(|x| digits(2.0 * x)).join(" x ")),
        Geometry::Capsule { radius, half_length } => {
            format!("capsule of radius {}, {} between its ends", metres(*radius), metres(2.0 * half_length))
        }
        Geometry::Cylinder { radius, half_length } => {
            format!("cylinder of radius {}, {} long", metres(*radius), metres(2.0 * half_length))
        }
        Geometry::Ellipsoid { half } => format!("ellipsoid of {} m", half.map(|x| digits(2.0 * x)).join(" x ")),
        Geometry::Plane => "plane".to_owned(),
        Geometry::Mesh { file, hull: None } => format!("mesh {} without a hull, which cannot touch", name(file)),
        Geometry::Mesh { file, hull: Some(hull) } => {
            let kept = match hull.vertices.len() == hull.full {
                true => "all kept".to_owned(),
                false => format!("{} kept, at most {} mm inside", hull.vertices.len(), millimetres(hull.error)),
            };
            format!("hull of {} vertices, {kept} ({})", hull.full, name(file))
        }
    }
}

/// The name of a file, without its folders.
fn name(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

fn digits(x: f64) -> String {
    significant(x, DIGITS)
}

fn metres(x: f64) -> String {
    format!("{} m", digits(x))
}

/// A bound in two digits, rounded up.
fn millimetres(x: f64) -> String {
    let bound = x * 1e3;
    if bound <= 0.0 {
        return "0".to_owned();
    }
    let unit = 10_f64.powf(bound.log10().floor() - 1.0);
    significant((bound / unit).ceil() * unit, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_not_rounded_below_itself() {
        for (error, text) in [(0.0, "0"), (6.61e-4, "0.67"), (7e-4, "0.7"), (1.01e-2, "11"), (9.99e-5, "0.1")] {
            assert_eq!(millimetres(error), text, "{error}");
        }
    }
}
