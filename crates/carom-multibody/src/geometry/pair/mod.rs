//! Closest points, gaps and normals of two convex solids.
//!
//! | file | contents |
//! |---|---|
//! | `solid` | balls, capsules, boxes, cylinders and hulls as a core and a radius |
//! | `closest` | gap, normal, points and parts of two solids |
//! | `error` | errors of closest points |
//! | `motion` | gap, normal and touching points of two parts, and their rates |
//! | `point` | a point against each core |
//! | `segment` | two segments |
//! | `cuboids` | two boxes, or a segment and a box |
//! | `sharp` | the parts of two boxes that can touch: vertices on faces, edges across edges |
//! | `patch` | where flat parts face each other: several contacts |
//! | `touch` | the first touch, by a Lipschitz bound |
//!
//! | against | ball | capsule | box | cylinder | hull |
//! |---|---|---|---|---|---|
//! | ball | yes | yes | yes | yes | yes |
//! | capsule | | yes | yes | no | no |
//! | box | | | yes | no | no |
//!
//! Normals come from faces, cross products of edges, and lines between points of the cores; never from two points that
//! are about to touch, whose direction loses its digits.

mod closest;
mod cuboids;
mod error;
mod motion;
mod patch;
mod point;
mod segment;
mod sharp;
mod solid;
mod touch;

pub use closest::{Closest, SurfacePart};
pub use error::PairError;
pub use motion::{Carried, PairFeature, PairMotion};
pub use sharp::{BoxPart, Facing, FacingBoxes};
pub use solid::Solid;
pub use touch::{FirstTouch, first_touch, gap_rate_bound};

use closest::CoreClosest;
use cuboids::Cuboids;
use solid::Core;

use crate::{Placement, Rotation, Vector};

/// The closest points of two solids at their placements in the world, their gap and normal. The gap is the distance of
/// solids that are apart; if a point or a box is inside a box, cylinder or hull, it is the least depth, negative.
///
/// # Errors
/// A pair that is not supported (see the table of this module), a round solid whose centre or axis is inside the other, or a placement
/// that is not finite.
///
/// ```
/// use carom_multibody::{Placement, Solid, closest_points};
///
/// // A ball of radius 0.5 m, 1 m above the top of a box.
/// let (ball, cuboid) = (Solid::ball(0.5)?, Solid::cuboid([1.0, 1.0, 0.25])?);
/// let closest = closest_points(&ball, &Placement::at([0.2, 0.0, 1.75]), &cuboid, &Placement::at([0.0; 3]))?;
/// assert_eq!(closest.gap, 1.0);
/// assert_eq!(closest.normal.to_array(), [0.0, 0.0, 1.0]);
/// # Ok::<(), carom_multibody::PairError>(())
/// ```
pub fn closest_points(one: &Solid, at: &Placement, other: &Solid, other_at: &Placement) -> Result<Closest, PairError> {
    check_finite(one, at)?;
    check_finite(other, other_at)?;
    let core = core_closest(one, at, other, other_at)?;
    Ok(on_surface(&core, one, other, other_at))
}

/// All contacts of two solids whose gaps are within `tolerance` of the least: several if a face, an edge or the side of
/// a capsule lies flat on a face, at the corners of their overlap; otherwise one. All have the normal of
/// [`closest_points`].
///
/// # Errors
/// As [`closest_points`].
pub fn pair_contacts(
    one: &Solid,
    at: &Placement,
    other: &Solid,
    other_at: &Placement,
    tolerance: f64,
) -> Result<Vec<Closest>, PairError> {
    let first = closest_points(one, at, other, other_at)?;
    let (rotation, p) = relative(at, other_at);
    let own = width(&one.core);
    let (Some(half), Some(other_half)) = (own, width(&other.core)) else { return Ok(vec![first]) };
    let cuboids = Cuboids { half, rotation, p, other: other_half };
    let normal = other_at.rotation.apply_inverse(first.normal);
    let mut found = Vec::new();
    for points in cuboids.patch(normal, tolerance).corners() {
        let distance = normal.dot(points[0] - points[1]);
        let mut parts = cuboids.parts_at(points);
        if matches!(other.core, Core::Segment { .. }) {
            let is_end = matches!(parts[1], SurfacePart::Vertex(_));
            parts[1] = if is_end { SurfacePart::Ball } else { SurfacePart::Side };
        }
        let core = CoreClosest { distance, normal, points, parts };
        let contact = on_surface(&core, one, other, other_at);
        if contact.gap <= first.gap + tolerance {
            found.push(contact);
        }
    }
    Ok(if found.is_empty() { vec![first] } else { found })
}

/// Half widths of a core that is a box or a segment.
fn width(core: &Core) -> Option<[f64; 3]> {
    match core {
        Core::Segment { half_length } => Some([0.0, 0.0, *half_length]),
        Core::Box { half } => Some(*half),
        Core::Point | Core::Cylinder { .. } | Core::Hull(_) => None,
    }
}

/// [`closest_points`] without an error for bodies that overlap deeply: the gap continues below zero. `None` if no
/// normal is left: the gap is then that of touching cores or less.
pub(crate) fn signed_closest(
    one: &Solid,
    at: &Placement,
    other: &Solid,
    other_at: &Placement,
) -> Result<Option<Closest>, PairError> {
    check_finite(one, at)?;
    check_finite(other, other_at)?;
    let core = found_cores(one, at, other, other_at)?;
    Ok(core.map(|core| on_surface(&core, one, other, other_at)))
}

fn check_finite(solid: &Solid, at: &Placement) -> Result<(), PairError> {
    let is_finite = at.translation.is_finite() && at.rotation.columns.iter().all(|column| column.is_finite());
    if is_finite { Ok(()) } else { Err(PairError::NotFinite { form: solid.form() }) }
}

/// The first frame, expressed in the second.
#[inline(always)]
fn relative(at: &Placement, other_at: &Placement) -> (Rotation, Vector) {
    let back = &other_at.rotation;
    let rotation = Rotation { columns: at.rotation.columns.map(|column| back.apply_inverse(column)) };
    (rotation, back.apply_inverse(at.translation - other_at.translation))
}

/// The closest points of two cores in the frame of the second, unless a round body is too deep.
fn core_closest(one: &Solid, at: &Placement, other: &Solid, other_at: &Placement) -> Result<CoreClosest, PairError> {
    let too_deep = |distance: f64| PairError::TooDeep {
        one: one.form(),
        other: other.form(),
        depth: one.radius + other.radius - distance,
    };
    let found = found_cores(one, at, other, other_at)?.ok_or_else(|| too_deep(0.0))?;
    if found.distance <= 0.0 && one.radius + other.radius > 0.0 {
        return Err(too_deep(found.distance));
    }
    Ok(found)
}

/// The closest points of two cores in the frame of the second; `None` if they have no normal.
fn found_cores(
    one: &Solid,
    at: &Placement,
    other: &Solid,
    other_at: &Placement,
) -> Result<Option<CoreClosest>, PairError> {
    let found = match (&one.core, &other.core) {
        (Core::Point, core) => {
            let p = other_at.rotation.apply_inverse(at.translation - other_at.translation);
            match core {
                Core::Point => point::point(p),
                Core::Segment { half_length } => point::segment(p, *half_length),
                Core::Box { half } => Some(point::cuboid(p, *half)),
                Core::Cylinder { radius, half_length } => Some(point::cylinder(p, *radius, *half_length)),
                Core::Hull(hull) => point::hull(p, hull),
            }
        }
        (Core::Segment { half_length: half }, Core::Segment { half_length }) => {
            let (rotation, p) = relative(at, other_at);
            segment::segments(p, rotation.columns[2], *half, *half_length)
        }
        (Core::Segment { half_length }, Core::Box { half }) => {
            let (rotation, p) = relative(at, other_at);
            Some(Cuboids { half: [0.0, 0.0, *half_length], rotation, p, other: *half }.closest())
        }
        (Core::Box { half }, Core::Box { half: other }) => {
            let (rotation, p) = relative(at, other_at);
            Some(Cuboids { half: *half, rotation, p, other: *other }.closest())
        }
        // With the roles exchanged: computed in the frame of the first, then converted to that of the second.
        (_, Core::Point) | (Core::Box { .. }, Core::Segment { .. }) => {
            let (rotation, p) = relative(at, other_at);
            let seen = |point: Vector| p + rotation.apply(point);
            found_cores(other, other_at, one, at)?.map(|found| CoreClosest {
                distance: found.distance,
                normal: -rotation.apply(found.normal),
                points: [seen(found.points[1]), seen(found.points[0])],
                parts: [found.parts[1], found.parts[0]],
            })
        }
        _ => {
            let hint =
                "cylinders and convex hulls touch balls and half-spaces; balls, capsules and boxes touch each other";
            return Err(PairError::NotSupported { one: one.form(), other: other.form(), hint });
        }
    };
    Ok(found)
}

/// From cores to surfaces, and to world axes.
fn on_surface(core: &CoreClosest, one: &Solid, other: &Solid, other_at: &Placement) -> Closest {
    let normal = other_at.rotation.apply(core.normal);
    let [p1, p2] = core.points.map(|point| other_at.apply(point));
    let round = |part: SurfacePart, solid: &Solid| match (&solid.core, part) {
        (Core::Point, _) if solid.radius > 0.0 => SurfacePart::Ball,
        (Core::Point, _) => SurfacePart::Vertex(0),
        _ => part,
    };
    Closest {
        gap: core.distance - one.radius - other.radius,
        normal,
        points: [p1.plus(-one.radius, normal), p2.plus(other.radius, normal)],
        parts: [round(core.parts[0], one), round(core.parts[1], other)],
    }
}
