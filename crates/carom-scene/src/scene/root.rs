//! The base of a scene by itself: what it gives of the state of a floating joint.

use carom_multibody::Model;
use serde_json::Value;

use super::source::base;
use super::state::{self, Base};
use crate::document::{ProblemError, Tree};

/// A base that is not moved until something touches.
#[derive(Debug, Clone)]
pub(crate) struct StatedRoot(Base);

impl StatedRoot {
    /// The base of a scene, or the usual one; `None` if it is invalid or moved.
    pub(crate) fn of_scene(Tree(scene): &Tree) -> Option<Self> {
        scene.get("base").map_or_else(|| Some(Self(Base::default())), Self::of_value)
    }

    /// The base given by the value of the key `base`.
    pub(crate) fn of_base(Tree(value): &Tree) -> Option<Self> {
        Self::of_value(value)
    }

    fn of_value(value: &Value) -> Option<Self> {
        base(value).ok().filter(|base| base.touch.is_none() && base.height.is_none()).map(Self)
    }

    /// Whether the robot's root is said to float.
    pub(crate) fn is_floating(&self) -> Option<bool> {
        self.0.floating
    }

    /// The state of a robot of which only the base is given.
    pub(crate) fn state(&self, model: &Model) -> Result<(Vec<f64>, Vec<f64>), ProblemError> {
        state::read(model, &self.0, state::floating_root(model), None)
    }
}
