//! Numbers and poses from the text of elements.

use super::Result;
use crate::load::xml::Element;
use crate::{Placement, Quaternion, Rotation};

/// The text of an element, without the space around it.
pub(super) fn words<'e>(element: Element<'e, '_, '_>) -> &'e str {
    element.node.text().unwrap_or("").trim()
}

/// The numbers of an element's text.
pub(super) fn numbers<const N: usize>(element: Element<'_, '_, '_>) -> Result<[f64; N]> {
    let text = words(element);
    let read = |word: &str| word.parse::<f64>().ok().filter(|number| !number.is_nan());
    let list: Option<Vec<f64>> = text.split_whitespace().map(read).collect();
    list.and_then(|list| <[f64; N]>::try_from(list).ok()).ok_or_else(|| {
        element.value(format!(
            "<{}> is {text:?}, but needs {N} number{}",
            element.name(),
            if N == 1 { "" } else { "s" }
        ))
    })
}

/// One finite number in a child element.
pub(super) fn number(element: Element<'_, '_, '_>, child: &str) -> Result<Option<f64>> {
    let Some(child) = element.child(child) else { return Ok(None) };
    let [number] = numbers(child)?;
    if number.is_finite() { Ok(Some(number)) } else { Err(child.value(format!("<{}> is not finite", child.name()))) }
}

/// The pose in an element; the identity without one.
pub(super) fn pose(element: Element<'_, '_, '_>) -> Result<Placement> {
    let Some(pose) = element.child("pose") else { return Ok(Placement::IDENTITY) };
    let place = match pose.text("rotation_format") {
        None | Some("euler_rpy") => {
            let [x, y, z, roll, pitch, yaw] = match words(pose) {
                "" => [0.0; 6],
                _ => numbers::<6>(pose)?,
            };
            let unit = if pose.text("degrees") == Some("true") { std::f64::consts::PI / 180.0 } else { 1.0 };
            Placement::new(Rotation::from_rpy([unit * roll, unit * pitch, unit * yaw]), [x, y, z])
        }
        Some("quat_xyzw") => {
            let [x, y, z, a, b, c, w] = numbers::<7>(pose)?;
            let unit = Quaternion { w, x: a, y: b, z: c }.normalized();
            let unit = unit.ok_or_else(|| pose.value("<pose> has a quaternion without direction"))?;
            Placement::new(unit.to_rotation(), [x, y, z])
        }
        Some(other) => {
            return Err(pose.value(format!("<pose> rotation_format = {other:?} is neither euler_rpy nor quat_xyzw")));
        }
    };
    match place.translation.to_array().iter().all(|x| x.is_finite()) {
        true => Ok(place),
        false => Err(pose.value("<pose> is not finite")),
    }
}

/// The frame that the pose of an element is relative to, if the file names one.
pub(super) fn base<'e>(element: Element<'e, '_, '_>) -> Option<&'e str> {
    let pose = element.child("pose")?;
    pose.text("relative_to").or_else(|| pose.text("frame")).filter(|name| !name.is_empty())
}
