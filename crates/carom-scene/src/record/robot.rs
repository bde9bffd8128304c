//! The robot of a scene, as a record in its outcome.

use carom_multibody::JointKind;
use serde::Serialize;

use crate::document::ProblemError;
use crate::scene::Scene;

/// The robot of a scene, as part of the outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RobotRecord {
    /// The model's name.
    pub model: String,
    /// Names of the generalized velocities, in order.
    pub velocity_names: Vec<String>,
    /// The contacts that strike.
    #[serde(flatten)]
    pub struck: StruckRecord,
    /// Warnings about the robot's file and state, as `kind: message`, except those of kind `ignored`.
    pub warnings: Vec<String>,
    /// Whether some velocities are in their link's axes, which is so for floating and ball joints.
    #[serde(skip)]
    pub in_link_axes: bool,
}

/// The contact that strikes, or those that strike simultaneously.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StruckRecord {
    /// A single contact.
    One(ContactRecord),
    /// Several contacts, in the order of the outcome.
    Several {
        /// The contacts.
        contacts: Vec<ContactRecord>,
    },
}

/// The position and axes of a contact of a robot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactRecord {
    /// The contact's name.
    pub contact: String,
    /// World position of the touching point.
    pub position: [f64; 3],
    /// Distance from the surface.
    pub gap: f64,
    /// Its normal and tangents in world axes: the directions of the components of contact vectors.
    pub axes: Vec<[f64; 3]>,
}

impl StruckRecord {
    /// The contacts as a list, also for a single one.
    pub fn contacts(&self) -> &[ContactRecord] {
        match self {
            StruckRecord::One(contact) => std::slice::from_ref(contact),
            StruckRecord::Several { contacts } => contacts,
        }
    }
}

impl RobotRecord {
    /// The record of a scene's robot.
    ///
    /// # Errors
    /// The state is not valid for the model.
    pub fn new(scene: &Scene) -> Result<Self, ProblemError> {
        let dynamics = scene.dynamics()?;
        let mut struck = scene.struck_contacts().map(|contact| {
            let (position, gap) = scene.position_of(&dynamics, contact);
            let axes = contact.point.basis().into_iter().take(contact.point.dimension());
            ContactRecord {
                contact: contact.name.clone(),
                position: position.to_array(),
                gap,
                axes: axes.map(|axis| axis.to_array()).collect(),
            }
        });
        let struck = match (struck.next(), struck.next()) {
            (Some(one), None) => StruckRecord::One(one),
            (one, other) => StruckRecord::Several { contacts: one.into_iter().chain(other).chain(struck).collect() },
        };
        Ok(Self {
            model: scene.model().name().to_owned(),
            velocity_names: scene.model().velocity_names(),
            struck,
            warnings: scene.warnings().iter().map(ToString::to_string).collect(),
            in_link_axes: scene
                .model()
                .joints()
                .iter()
                .any(|joint| matches!(joint.joint.kind, JointKind::Floating | JointKind::Ball)),
        })
    }
}
