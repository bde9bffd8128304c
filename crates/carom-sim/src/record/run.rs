//! The record of a run: header, samples, events and summary.

use std::sync::Arc;

use carom_multibody::Model;
use serde::Serialize;

use crate::record::energy::Ledger;
use crate::record::event::{ContactMode, Event};

/// The record of a run.
#[derive(Debug, Clone)]
pub struct Record {
    /// The robot.
    pub model: Arc<Model>,
    /// Description of a run: model, contacts and settings.
    pub header: Header,
    /// Samples in order of time. At an event there are two with the same time, before and after it.
    pub samples: Vec<Sample>,
    /// Events in order of time.
    pub events: Vec<Event>,
    /// Summary of the run.
    pub summary: Summary,
}

/// Description of a run: model, contacts and settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Header {
    /// Title of the scene.
    pub title: Option<String>,
    /// The robot's name.
    pub model: String,
    /// Names of the coordinates, in order.
    pub coordinates: Vec<String>,
    /// Names of the velocities, in order.
    pub velocities: Vec<String>,
    /// The contacts, in order.
    pub contacts: Vec<ContactHeader>,
    /// The half-spaces that can be touched.
    pub surfaces: Vec<SurfaceHeader>,
    /// Normal of the plane of motion, if the robot is planar.
    pub plane: Option<[f64; 3]>,
    /// Gravity.
    pub gravity: [f64; 3],
    /// Length of the largest kinematic tree: the largest distance of a contact point or of a link's centre of mass from
    /// the tree's centre of mass in the initial state.
    pub length: f64,
    /// The law of impacts.
    pub law: &'static str,
    /// The guard of the law `aghili`; `None` with another law.
    pub guard: Option<&'static str>,
    /// Relative tolerance of the integration.
    pub tolerance: f64,
    /// Requested end time.
    pub until: f64,
    /// Time between samples; `None` if there are samples at events only.
    pub interval: Option<f64>,
    /// Elements of the robot's file that are not simulated, and oddities of the initial state.
    pub warnings: Vec<String>,
}

/// A contact of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactHeader {
    /// Its name.
    pub name: String,
    /// Rows of the contact: 1 (no friction), 2 (planar) or 3 (spatial).
    pub dimension: usize,
    /// Index of the surface it touches; `None` for a joint limit, the dry friction of a joint and a pair of bodies.
    pub surface: Option<usize>,
    /// For a pair of bodies the link of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// For the dry friction of a joint the joint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
}

impl ContactHeader {
    /// Whether it is a joint limit.
    pub fn is_limit(&self) -> bool {
        self.surface.is_none() && self.against.is_none() && self.joint.is_none()
    }

    /// Whether it belongs to a joint, as a limit or as its dry friction, so that it has no position.
    pub fn is_of_joint(&self) -> bool {
        self.is_limit() || self.joint.is_some()
    }
}

/// A half-space.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurfaceHeader {
    /// Its name.
    pub name: String,
    /// A point of its boundary.
    pub point: [f64; 3],
    /// Outward unit normal.
    pub normal: [f64; 3],
}

/// A state at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// Time.
    pub time: f64,
    /// q.
    pub configuration: Vec<f64>,
    /// v.
    pub velocity: Vec<f64>,
    /// Every contact.
    pub contacts: Vec<ContactSample>,
    /// The energies, and the work done since the start.
    pub energy: Ledger,
}

/// The state of a contact at a sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactSample {
    /// Flight, stick or slip.
    pub mode: ContactMode,
    /// Signed distance from the surface, negative inside.
    pub gap: f64,
    /// Contact point, or the point nearest to the surface, in the world frame.
    pub position: [f64; 3],
    /// Force on the robot along the normal and the tangents; zeros beyond the contact's dimension.
    pub force: [f64; 3],
    /// Force on the robot in the world's axes.
    pub world_force: [f64; 3],
}

impl ContactSample {
    /// Open, at the origin.
    pub(crate) const OPEN: Self =
        Self { mode: ContactMode::Flight, gap: 0.0, position: [0.0; 3], force: [0.0; 3], world_force: [0.0; 3] };
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Reached the end time.
    Complete,
    /// Stopped by the sink; the record is valid as far as it goes.
    Interrupted,
    /// Stopped at the limit on wall-clock time; the record is valid as far as it goes.
    OutOfTime,
    /// Stopped by an error; the record is valid up to it.
    Failed,
}

/// Summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// How it ended.
    pub ending: Ending,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Time reached.
    pub time: f64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected steps, because of their error or an event.
    pub rejected: u64,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Impacts; contacts that strike together count as one.
    pub impacts: u64,
    /// Instants at which bounces too low to follow were ended.
    pub settlings: u64,
    /// Windows of time stepping that the watchdog opened.
    pub windows: u64,
    /// Plastic impacts of contacts that rattled.
    pub rattles: u64,
    /// Impacts whose sequence was ended without restitution.
    pub sequences: u64,
    /// Projections that changed the energy by more than the error allowed for a step.
    pub projections: u64,
    /// Impacts or decisions of modes that did not converge and were replaced by a window.
    pub not_converged: u64,
    /// When each contact last settled, including the time of its remaining bounces; `None` if it never settled or has
    /// left again.
    pub settled: Vec<Option<f64>>,
    /// Since when the robot is at rest, including the time of the remaining bounces; never after `time`.
    pub at_rest: Option<f64>,
    /// When the robot will come to rest, if only bounces too low to follow remain and these end after `time`.
    pub rests_at: Option<f64>,
    /// The largest depth of a contact inside its surface.
    pub penetration: f64,
    /// The largest energy |K| + |V - V(0)|. For a robot whose parts do not act on each other, the sum of the largest of each.
    pub largest_energy: f64,
    /// The largest residual of the energy book, relative to the largest energy, or to m g L / 1000 if that is larger. For a
    /// robot whose parts do not act on each other, the largest of theirs.
    pub residual: f64,
    /// Warnings of the run: links without a contact that went below a surface, a robot that falls without end.
    pub warnings: Vec<String>,
}
