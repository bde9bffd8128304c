//! What is said of a robot beside an outcome.

use carom_multibody::JointKind;
use serde::Serialize;

use crate::document::ProblemError;
use crate::scene::Scene;

/// The robot of a scene, beside the outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RobotRecord {
    /// The model's name.
    pub model: String,
    /// Names of the generalized velocities, in their order.
    pub velocity_names: Vec<String>,
    /// What strikes.
    #[serde(flatten)]
    pub struck: StruckRecord,
    /// Remarks on the robot's file and state, as `kind: message`; those on what is merely read over are not among them.
    pub warnings: Vec<String>,
    /// Whether some velocities are in the axes of their link: those of floating and ball joints.
    #[serde(skip)]
    pub in_link_axes: bool,
}

/// The contact that strikes, or those that strike at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StruckRecord {
    /// One.
    One(ContactRecord),
    /// Several, in the order of the outcome's contacts.
    Several {
        /// Each of them.
        contacts: Vec<ContactRecord>,
    },
}

/// Where a contact of a robot is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContactRecord {
    /// The contact's name.
    pub contact: String,
    /// Where it is.
    pub position: [f64; 3],
    /// How far above the surface.
    pub gap: f64,
    /// Its normal and tangents, in the world's axes: the rows of every contact vector.
    pub axes: Vec<[f64; 3]>,
}

impl StruckRecord {
    /// One contact as a list of one.
    pub fn contacts(&self) -> &[ContactRecord] {
        match self {
            StruckRecord::One(contact) => std::slice::from_ref(contact),
            StruckRecord::Several { contacts } => contacts,
        }
    }
}

impl RobotRecord {
    /// The robot of a scene.
    ///
    /// # Errors
    /// A state that the model refuses.
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
