//! What is said of a robot beside an outcome.

use carom_multibody::JointKind;
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
    /// Remarks on the robot's file and state, as `kind: message`; those on what is merely read over are not among them.
    pub warnings: Vec<String>,
    /// Whether some velocities are in the axes of their link: those of floating and ball joints.
    #[serde(skip)]
    pub in_link_axes: bool,
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
            warnings: scene.warnings().iter().map(ToString::to_string).collect(),
            in_link_axes: scene
                .model()
                .joints()
                .iter()
                .any(|joint| matches!(joint.joint.kind, JointKind::Floating | JointKind::Ball)),
        })
    }
}
