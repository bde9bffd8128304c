//! States that a robot's file names.

use super::Model;

/// A state that the robot's file states, such as a `<key>` of MJCF.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Keyframe {
    /// Its name; without one it is known by its index.
    pub name: Option<String>,
    /// q.
    pub configuration: Vec<f64>,
    /// v.
    pub velocity: Vec<f64>,
    /// Controls, one for each of [`Model::actuators`]; zeros if the file states none.
    pub controls: Vec<f64>,
}

impl Model {
    /// The keyframes of the robot's file, in its order.
    pub fn keyframes(&self) -> &[Keyframe] {
        &self.keyframes
    }

    /// The names by which keyframes are found: their own, or their indices from 0.
    pub fn keyframe_names(&self) -> Vec<String> {
        let named = |(index, keyframe): (usize, &Keyframe)| keyframe.name.clone().unwrap_or_else(|| index.to_string());
        self.keyframes.iter().enumerate().map(named).collect()
    }

    /// The keyframe with this name, or without a name and with this index.
    pub fn find_keyframe(&self, name: &str) -> Option<&Keyframe> {
        self.keyframe_names().iter().position(|own| own == name).map(|index| &self.keyframes[index])
    }

    /// The model with the keyframes of its file: of its own lengths, finite, with quaternions of unit length.
    pub(crate) fn with_keyframes(mut self, keyframes: Vec<Keyframe>) -> Self {
        self.keyframes = keyframes;
        self
    }
}
