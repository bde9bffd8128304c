//! Sites: named frames.

use super::class::Stated;
use super::known;
use super::notes::check_attributes;
use super::pose::Pose;
use super::settings::Settings;
use crate::load::LoadError;

/// The pose of a site in its frame.
pub(super) fn pose(stated: &Stated<'_>, settings: &Settings) -> Result<Pose, LoadError> {
    check_attributes(stated.part, known::SITE)?;
    match stated.numbers::<6>("fromto")? {
        Some(points) => {
            let between = Pose::between(points).map(|(pose, _)| pose);
            between.ok_or_else(|| stated.part.value("<site> fromto: the two points must differ"))
        }
        None => Pose::of(stated, settings),
    }
}
