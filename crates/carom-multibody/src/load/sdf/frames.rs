//! Where frames are: every link, joint, frame and model has a pose relative to another, and all of them to that of the robot.

use std::collections::HashMap;

use crate::Placement;

/// The frames of a file by their scoped names; that of the robot's model is the empty name.
#[derive(Default)]
pub(super) struct Frames {
    poses: HashMap<String, (String, Placement)>,
}

impl Frames {
    /// Adds a frame with its pose relative to another. False if there is one of this name.
    pub(super) fn add(&mut self, name: String, base: String, pose: Placement) -> bool {
        self.poses.insert(name, (base, pose)).is_none()
    }

    /// The placement of a frame in the world.
    pub(super) fn resolve(&self, name: &str) -> Result<Placement, String> {
        let (mut place, mut at) = (Placement::IDENTITY, name);
        for _ in 0..=self.poses.len() {
            if at == super::WORLD && !self.poses.contains_key(at) {
                return Ok(place);
            }
            let (base, pose) = self
                .poses
                .get(at)
                .ok_or_else(|| format!("the pose of {name:?} depends on {at:?}, which does not exist"))?;
            place = *pose * place;
            at = base;
        }
        Err(format!("the pose of {name:?} depends on itself"))
    }
}
