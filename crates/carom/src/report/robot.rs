//! What is said of a robot beside an outcome.

use serde::Serialize;

use crate::problem::ProblemError;
use crate::scene::Scene;

/// The robot of a scene, beside the outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RobotRecord {
    /// The model's name.
    pub model: String,
    /// Names of the generalized velocities, in their order.
    pub velocity_names: Vec<String>,
    /// The contact that strikes.
    pub contact: String,
    /// Where it is.
    pub position: [f64; 3],
    /// How far above the surface.
    pub gap: f64,
    /// Normal and tangents of the contact, in the world's axes: the rows of every contact vector.
    pub axes: Vec<[f64; 3]>,
}

impl RobotRecord {
    /// The robot of a scene.
    ///
    /// # Errors
    /// A state that the model refuses.
    pub fn new(scene: &Scene) -> Result<Self, ProblemError> {
        let (position, gap) = scene.contact_position()?;
        let contact = scene.contact();
        let axes = contact.point.basis().into_iter().take(contact.point.dimension());
        Ok(Self {
            model: scene.model().name().to_owned(),
            velocity_names: scene.model().velocity_names(),
            contact: contact.name.clone(),
            position: position.to_array(),
            gap,
            axes: axes.map(|axis| axis.to_array()).collect(),
        })
    }
}
