//! Coordinates beyond the limits of their joints, moved to the limit.

use carom_multibody::{Model, Warning, WarningKind};

/// Moves the coordinates beyond the limits of their joints to the limit, with a warning for each. A joint that follows another
/// moves its leader; one that follows a follower is left alone.
pub(super) fn clamp(model: &Model, configuration: &mut [f64]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for joint in model.joints() {
        let Some([lower, upper]) = joint.joint.limits else { continue };
        let (multiplier, offset) = match &joint.joint.mimic {
            None => (1.0, 0.0),
            Some(mimic) => match model.find_joint(&mimic.leader) {
                Some(leader) if leader.joint.mimic.is_none() && mimic.multiplier != 0.0 => {
                    (mimic.multiplier, mimic.offset)
                }
                _ => continue,
            },
        };
        let coordinate = &mut configuration[joint.coordinates.start];
        let value = multiplier * *coordinate + offset;
        let bound = value.clamp(lower, upper);
        if value == bound {
            continue;
        }
        *coordinate = if multiplier == 1.0 && offset == 0.0 { bound } else { (bound - offset) / multiplier };
        let name = joint.joint.name.clone();
        let message =
            format!("joint {name:?} is at {value}, beyond its limits [{lower}, {upper}]: it starts at {bound}");
        warnings.push(Warning::new(WarningKind::OutsideLimits, name, message));
    }
    warnings
}
