//! Actuators that a robot's file states, as forces on joints.

use super::Model;

/// An actuator of the robot's file, such as a `<position>` of MJCF.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ModelActuator {
    /// Its name; without one it is known by its index.
    pub name: Option<String>,
    /// The element that states it: `position`, `motor` and so on.
    pub element: String,
    /// The force that it exerts, or why it is not modelled.
    pub law: Result<ActuatorLaw, String>,
    /// Bounds of its control; a control beyond them acts as the bound.
    pub control_range: Option<[f64; 2]>,
    /// Bounds of its force, before the gear, which are not modelled.
    pub force_range: Option<[f64; 2]>,
}

/// A force on a joint with one coordinate: gear · (gain · control + b₀ + b₁ gear q + b₂ gear v).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ActuatorLaw {
    /// The joint's index in [`Model::joints`].
    pub joint: usize,
    /// Transmission from the joint's coordinate to the actuator's length.
    pub gear: f64,
    /// Force for a unit control.
    pub gain: f64,
    /// (b₀, b₁, b₂).
    pub bias: [f64; 3],
}

impl ActuatorLaw {
    /// The part of the force that does not depend on the state.
    pub fn force(&self, control: f64) -> f64 {
        self.gear * (self.gain * control + self.bias[0])
    }

    /// -∂f/∂q.
    pub fn stiffness(&self) -> f64 {
        -self.gear * self.gear * self.bias[1]
    }

    /// -∂f/∂v.
    pub fn damping(&self) -> f64 {
        -self.gear * self.gear * self.bias[2]
    }
}

impl Model {
    /// The actuators of the robot's file, in its order: that of the controls of a keyframe.
    pub fn actuators(&self) -> &[ModelActuator] {
        &self.actuators
    }

    /// The names by which actuators are found: their own, or their indices from 0.
    pub fn actuator_names(&self) -> Vec<String> {
        let named = |(index, one): (usize, &ModelActuator)| one.name.clone().unwrap_or_else(|| index.to_string());
        self.actuators.iter().enumerate().map(named).collect()
    }

    /// The model with the actuators of its file.
    pub(crate) fn with_actuators(mut self, actuators: Vec<ModelActuator>) -> Self {
        self.actuators = actuators;
        self
    }
}
