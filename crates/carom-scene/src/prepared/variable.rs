//! The numbers of a sample, by the keys of a document.

use carom_law::{Friction, Restitution};

use super::{PreparedScene, Sample, StatedBase};
use crate::document::ProblemError;
use crate::document::{PathStep, split_path};
use crate::scene::floating_root;

/// A number of a sample, found once by its key and set many times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variable {
    /// `restitution`
    Restitution,
    /// `friction`
    Friction,
    /// An entry of q.
    Configuration(usize),
    /// An entry of the velocity.
    Velocity(usize),
}

impl PreparedScene {
    /// The number that a key of the document gives, such as `friction`, `state.velocity.elbow` or `state.configuration[2]`.
    /// `None` for keys that change more than one number of a sample: these need the document to be read again.
    pub fn variable(&self, key: &str) -> Option<Variable> {
        let steps = split_path(key)?;
        let (part, place) = match steps[..] {
            [PathStep::Key("restitution")] => return Some(Variable::Restitution),
            [PathStep::Key("friction")] => return Some(Variable::Friction),
            [PathStep::Key("state"), PathStep::Key(part), ref place @ ..] => (part, place),
            _ => return None,
        };
        let is_velocity = match part {
            "configuration" => false,
            "velocity" => true,
            _ => return None,
        };
        let model = self.scene().model();
        let (range, entry) = match *place {
            [PathStep::Index(entry)] => (0..if is_velocity { model.nv() } else { model.nq() }, entry),
            [PathStep::Key(name), ref entry @ ..] => {
                let joint = model.moving_joint(name).ok()?;
                let range = if is_velocity { joint.velocities.clone() } else { joint.coordinates.clone() };
                match *entry {
                    [] if range.len() == 1 => (range, 0),
                    [PathStep::Index(entry)] => (range, entry),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let index = range.start + entry;
        if index >= range.end || (!is_velocity && self.base_depends_on(index)) {
            return None;
        }
        Some(if is_velocity { Variable::Velocity(index) } else { Variable::Configuration(index) })
    }

    /// Whether other numbers of the state follow from a coordinate by way of the base: its height if it is moved until it
    /// touches, and its velocity, which is given in world axes.
    fn base_depends_on(&self, coordinate: usize) -> bool {
        let model = self.scene().model();
        let is_of_root =
            || floating_root(model).is_some_and(|root| model.joints()[root].coordinates.contains(&coordinate));
        match self.stated_base() {
            StatedBase::Nothing => false,
            StatedBase::Root => is_of_root(),
            StatedBase::Touch => true,
        }
    }
}

impl Sample {
    /// Sets a number.
    ///
    /// # Errors
    /// A coefficient out of range. A state is checked when it is solved.
    ///
    /// # Panics
    /// If the variable belongs to a scene with a larger robot.
    pub fn set(&mut self, variable: Variable, value: f64) -> Result<(), ProblemError> {
        match variable {
            Variable::Restitution => {
                let kind = self.coefficients.restitution.kind();
                let restitution = Restitution::new(value)?;
                self.coefficients.restitution = kind.map_or(restitution, |kind| restitution.of_kind(kind));
            }
            Variable::Friction => self.coefficients.friction = Some(Friction::new(value)?),
            Variable::Configuration(index) => self.configuration[index] = value,
            Variable::Velocity(index) => self.velocity[index] = value,
        }
        Ok(())
    }
}
