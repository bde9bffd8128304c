//! Joints.

use super::class::Stated;
use super::known;
use super::notes::{Notes, check_attributes};
use super::pose::Pose;
use super::settings::{Settings, choice};
use crate::load::LoadError;
use crate::{Joint, JointKind, Spring, Vector};

const KNOWN_FREE: &str = "align group name";

/// Reads a joint of a body; `body` is the pose of the body.
pub(super) fn read(
    stated: &Stated<'_>,
    frame: Pose,
    body: Pose,
    settings: &Settings,
    notes: &mut Notes,
) -> Result<Joint, LoadError> {
    let part = stated.part;
    let is_free = part.name() == "freejoint";
    check_attributes(stated.part, if is_free { KNOWN_FREE } else { known::JOINT })?;
    let words = [
        ("free", JointKind::Floating),
        ("ball", JointKind::Ball),
        ("slide", JointKind::Prismatic),
        ("hinge", JointKind::Continuous),
    ];
    let kind = stated.origin("type").map_or(Ok(None), |origin| choice(origin, "type", &words))?;
    let kind = if is_free { JointKind::Floating } else { kind.unwrap_or(JointKind::Continuous) };
    // Angles are in the file's unit, lengths in m.
    let unit = if kind == JointKind::Prismatic { 1.0 } else { settings.angle };

    let mut joint = Joint::new("", kind);
    joint.armature = stated.number("armature")?.unwrap_or(0.0);
    joint.dry_friction = stated.number("frictionloss")?.unwrap_or(0.0);
    let [damping, damping_beyond @ ..] = stated.overlaid("damping", [0.0; 3])?;
    let [stiffness, stiffness_beyond @ ..] = stated.overlaid("stiffness", [0.0; 3])?;
    joint.damping = damping;
    if kind == JointKind::Floating {
        joint.home = Some(body.position.to_array().into_iter().chain(body.turn.to_array()).collect());
    } else {
        let anchor = Vector::from(stated.numbers::<3>("pos")?.unwrap_or_default());
        joint.anchor = frame.placement().apply(anchor);
    }
    let limits = limits(stated, settings)?;
    if kind.is_single() {
        let axis = Vector::from(stated.numbers::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let axis = axis.normalized().ok_or_else(|| part.value("<joint> axis has no direction"))?;
        joint.axis = frame.turn.to_rotation().apply(axis);
        joint.reference = unit * stated.number("ref")?.unwrap_or(0.0);
        joint.limits = limits.map(|range| range.map(|bound| unit * bound));
        if kind == JointKind::Continuous && joint.limits.is_some() {
            joint.kind = JointKind::Revolute;
        }
        if stiffness != 0.0 {
            let rest = unit * stated.number("springref")?.unwrap_or(0.0);
            joint.spring = Some(Spring { stiffness, rest });
        }
    } else {
        if limits.is_some() && kind == JointKind::Ball {
            notes.not_modelled(part, "range of a ball joint");
        }
        if stiffness != 0.0 {
            notes.not_modelled(part, "stiffness of a ball or free joint");
        }
    }
    if damping_beyond.into_iter().chain(stiffness_beyond).any(|factor| factor != 0.0) {
        notes.not_modelled(part, "damping or stiffness of a joint beyond its linear part");
    }
    if stated.numbers::<2>("springdamper")?.is_some_and(|pair| pair.iter().all(|number| *number > 0.0)) {
        notes.not_modelled(part, "joint springdamper");
    }
    if stated.number("springyield")?.is_some_and(|bound| bound > 0.0) {
        notes.not_modelled(part, "joint springyield");
    }
    Ok(joint)
}

/// The range, if the joint is limited.
fn limits(stated: &Stated<'_>, settings: &Settings) -> Result<Option<[f64; 2]>, LoadError> {
    let words = [("false", Some(false)), ("true", Some(true)), ("auto", None)];
    let limited = stated.origin("limited").map_or(Ok(None), |origin| choice(origin, "limited", &words))?.flatten();
    let range = stated.numbers::<2>("range")?;
    let [lower, upper] = range.unwrap_or_default();
    match limited {
        Some(false) => Ok(None),
        Some(true) if lower < upper => Ok(range),
        Some(true) => Err(stated.part.value("a limited <joint> needs a range whose first number is the smaller one")),
        None if settings.autolimits => Ok(range.filter(|_| lower < upper)),
        None if range.is_some_and(|range| range != [0.0; 2]) => {
            Err(stated.part.value("<joint> has a range but no attribute limited, which is required without autolimits"))
        }
        None => Ok(None),
    }
}
