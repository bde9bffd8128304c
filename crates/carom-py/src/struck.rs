//! A state in which a robot was struck.

use std::sync::Arc;

use carom::ProblemError;
use carom::prepared::{PreparedScene, Sample};
use carom::scene::SceneContact;

/// A state in which a robot was struck.
pub struct Struck {
    pub scene: Arc<PreparedScene>,
    pub sample: Sample,
    pub title: Arc<str>,
}

impl Struck {
    pub fn problem(&self) -> Result<carom::Problem, ProblemError> {
        self.scene.problem(&self.sample)
    }

    pub fn contact(&self) -> Option<&SceneContact> {
        self.scene.striking_contact()
    }
}
