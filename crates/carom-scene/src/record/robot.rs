//! The robot of a scene, as a record in its outcome.

use carom_multibody::{JointKind, Model};
use serde::Serialize;

use crate::document::ProblemError;
use crate::scene::Scene;

/// The robot of a scene, as part of the outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
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
    /// The unit of each generalized velocity.
    #[serde(skip)]
    pub velocity_units: Vec<&'static str>,
}

/// The contact that strikes, or those that strike simultaneously.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StruckRecord {
    /// A single contact.
    One(ContactRecord),
    /// Several contacts, in the order of the outcome.
    Many {
        /// The contacts.
        contacts: Vec<ContactRecord>,
    },
}

/// The position and axes of a contact of a robot.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContactRecord {
    /// The contact's name.
    pub contact: String,
    /// World position of the touching point.
    pub position: [f64; 3],
    /// Distance from the surface.
    pub gap: f64,
    /// Its normal and tangents in world axes: the directions of the components of contact vectors.
    pub axes: Vec<[f64; 3]>,
    /// Whether the gap is so small, relative to the robot, that the contact counts as touching.
    #[serde(skip)]
    pub touches: bool,
}

impl StruckRecord {
    /// The contacts as a list, also for a single one.
    pub fn contacts(&self) -> &[ContactRecord] {
        match self {
            StruckRecord::One(contact) => std::slice::from_ref(contact),
            StruckRecord::Many { contacts } => contacts,
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
        let touching = scene.touching()?;
        let mut struck = scene.struck().iter().map(|&place| {
            let contact = &scene.contacts()[place];
            let (position, gap) = scene.position_of(&dynamics, contact);
            let axes = contact.point.basis().into_iter().take(contact.point.dimension());
            ContactRecord {
                contact: contact.name.clone(),
                position: position.to_array(),
                gap,
                axes: axes.map(|axis| axis.to_array()).collect(),
                touches: touching[place],
            }
        });
        let struck = match (struck.next(), struck.next()) {
            (Some(one), None) => StruckRecord::One(one),
            (one, other) => StruckRecord::Many { contacts: one.into_iter().chain(other).chain(struck).collect() },
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
            velocity_units: units(scene.model()),
        })
    }
}

/// The units of a model's velocities.
fn units(model: &Model) -> Vec<&'static str> {
    let mut units = vec!["rad/s"; model.nv()];
    for joint in model.joints() {
        let straight = match joint.joint.kind {
            JointKind::Fixed | JointKind::Revolute | JointKind::Continuous | JointKind::Ball => 0,
            JointKind::Prismatic => 1,
            JointKind::Planar => 2,
            JointKind::Floating => 3,
        };
        // A joint that follows another has no velocity of its own.
        units[joint.velocities.clone()].iter_mut().take(straight).for_each(|unit| *unit = "m/s");
    }
    units
}
