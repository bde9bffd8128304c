//! The robot of a scene, as a record in its outcome.

use carom_multibody::{JointKind, LoopImpulse, LoopKind, Model, Warning, WarningKind};
use serde::Serialize;

use crate::answer::Answer;
use crate::document::ProblemError;
use crate::scene::{PairContact, Scene};

/// Value of m W_nn below which a contact counts as near a dead point of its mechanism: impulses grow without bound there, while
/// the velocities after the impact stay finite.
const DEAD_POINT: f64 = 1e-6;

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
    /// The impulses in the closed loops; empty for a robot without loops.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopRecord>,
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

/// The impulse of a closed loop in an impact on its first link or joint; the opposite acts on the second.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LoopRecord {
    /// The loop's name.
    #[serde(rename = "loop")]
    pub name: String,
    /// `connect`, `hinge`, `weld` or `joint`.
    pub kind: &'static str,
    /// The impulse at its point, in world axes, N s. Absent for a loop of joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub impulse: Option<[f64; 3]>,
    /// The angular impulse about that point, in world axes, N m s. Only for a hinge or a weld.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angular_impulse: Option<[f64; 3]>,
    /// The impulse along the first joint's coordinate, N s or N m s. Only for a loop of joints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint_impulse: Option<f64>,
    /// Whether the impulse is unique. With redundant loops it is not, and the one of least norm is given.
    pub unique: bool,
}

impl LoopRecord {
    fn new(model: &Model, impulse: &LoopImpulse) -> Self {
        let one = &model.loops()[impulse.index];
        let holds_points = !matches!(one.kind, LoopKind::Joint { .. });
        let holds_axes = matches!(one.kind, LoopKind::Hinge { .. } | LoopKind::Weld { .. });
        Self {
            name: one.name.clone(),
            kind: one.kind.name(),
            impulse: holds_points.then(|| impulse.force.to_array()),
            angular_impulse: holds_axes.then(|| impulse.moment.to_array()),
            joint_impulse: (!holds_points).then_some(impulse.joint),
            unique: impulse.is_unique,
        }
    }
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
        let of_pair = |contact: &PairContact| {
            let axes = contact.meeting.directions().into_iter().take(contact.meeting.dimension());
            ContactRecord {
                contact: contact.name.clone(),
                position: contact.position().to_array(),
                gap: contact.closest.gap,
                axes: axes.map(|axis| axis.to_array()).collect(),
                touches: contact.touches,
            }
        };
        let struck = scene.struck().iter().map(|&place| {
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
        let mut struck = struck.chain(scene.struck_pairs().iter().map(of_pair));
        let struck = match (struck.next(), struck.next()) {
            (Some(one), None) => StruckRecord::One(one),
            (one, other) => StruckRecord::Many { contacts: one.into_iter().chain(other).chain(struck).collect() },
        };
        Ok(Self {
            model: scene.model().name().to_owned(),
            velocity_names: scene.model().velocity_names(),
            struck,
            loops: Vec::new(),
            warnings: scene.warnings().iter().map(ToString::to_string).collect(),
            in_link_axes: scene
                .model()
                .joints()
                .iter()
                .any(|joint| matches!(joint.joint.kind, JointKind::Floating | JointKind::Ball)),
            velocity_units: units(scene.model()),
        })
    }

    /// The record of a scene's robot in an impact, with the impulses of its loops and a warning for each contact near a dead point.
    ///
    /// # Errors
    /// The state is not valid for the model, or the answer does not belong to the scene.
    pub fn of_answer(scene: &Scene, answer: &Answer) -> Result<Self, ProblemError> {
        let mut record = Self::new(scene)?;
        if scene.model().loops().is_empty() {
            return Ok(record);
        }
        let (loops, mobilities) = scene.loop_impulses(answer)?;
        record.loops = loops.iter().map(|impulse| LoopRecord::new(scene.model(), impulse)).collect();
        for (name, mobility) in scene.struck_names().zip(mobilities) {
            if mobility < DEAD_POINT {
                let message = format!(
                    "contact {name:?} is near a dead point: m W_nn = {mobility:.1e} is below {DEAD_POINT:.0e}, and its impulse is large"
                );
                record.warnings.push(Warning::new(WarningKind::DeadPoint, name, message).to_string());
            }
        }
        Ok(record)
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
