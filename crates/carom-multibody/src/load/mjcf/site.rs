//! Sites: named places.

use super::class::Stated;
use super::notes::check_attributes;
use super::pose::Pose;
use super::settings::Settings;
use crate::load::LoadError;

/// Attributes that are known.
pub(super) const KNOWN: &str =
    "axisangle class euler fromto group material mesh name pos quat rgba size type user xyaxes zaxis";

/// Where a site is in its frame.
pub(super) fn pose(stated: &Stated<'_>, settings: &Settings) -> Result<Pose, LoadError> {
    check_attributes(stated.part, KNOWN)?;
    match stated.numbers::<6>("fromto")? {
        Some(points) => {
            let between = Pose::between(points).map(|(pose, _)| pose);
            between.ok_or_else(|| stated.part.value("<site> fromto: the two points must differ"))
        }
        None => Pose::of(stated, settings),
    }
}
