//! What a run leaves behind: samples, events, and a summary, as data.

use std::sync::Arc;

use carom_multibody::Model;
use serde::Serialize;

use crate::record::energy::Ledger;
use crate::record::event::{ContactMode, Event};

/// A run, from its start to where it ended.
#[derive(Debug, Clone)]
pub struct Record {
    /// The robot that moved.
    pub model: Arc<Model>,
    /// What moved, and how it was asked to.
    pub header: Header,
    /// States in order of time. At an event there are two with the same time: before it and after it.
    pub samples: Vec<Sample>,
    /// What happened, in order of time.
    pub events: Vec<Event>,
    /// How it went.
    pub summary: Summary,
}

/// What moved, and how it was asked to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Header {
    /// What the scene shows.
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
    /// Normal of the plane that the robot moves in, if it is planar.
    pub plane: Option<[f64; 3]>,
    /// Gravity.
    pub gravity: [f64; 3],
    /// The length of the largest kinematic tree: the largest distance of a contact point or of a link's centre of mass from
    /// the tree's centre of mass, at the start.
    pub length: f64,
    /// Relative tolerance of the integration.
    pub tolerance: f64,
    /// Until when it was asked to run.
    pub until: f64,
    /// What of the robot's file is not simulated, and what is odd about the state at the start.
    pub warnings: Vec<String>,
}

/// A contact that a run watches.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactHeader {
    /// Its name.
    pub name: String,
    /// Rows of the contact: 1 (no friction), 2 (planar), 3.
    pub dimension: usize,
    /// The surface it touches; none for a joint's limit.
    pub surface: Option<usize>,
}

/// A half-space.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SurfaceHeader {
    /// Its name.
    pub name: String,
    /// A point of its boundary.
    pub point: [f64; 3],
    /// Out of it, of length one.
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
    /// Where the energy is, and where it went.
    pub energy: Ledger,
}

/// A contact at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ContactSample {
    /// Whether it is open, sticks or slips.
    pub mode: ContactMode,
    /// Distance from the surface, negative inside.
    pub gap: f64,
    /// Where it touches, or would, in the world.
    pub position: [f64; 3],
    /// Force on the robot along the normal and the tangents; zeros beyond the contact's dimension.
    pub force: [f64; 3],
    /// Force on the robot in the world's axes.
    pub world_force: [f64; 3],
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// At the time asked for.
    Complete,
    /// Stopped from outside before that; what is there is right.
    Interrupted,
    /// Stopped by the clock, after the time that it was allowed to take; what is there is right.
    OutOfTime,
    /// By an error; what is there is right up to it.
    Failed,
}

/// How a run went.
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
    /// Steps taken back, because of their error or an event.
    pub rejected: u64,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Impacts, each with all contacts that took part in it.
    pub impacts: u64,
    /// Instants at which bounces too low to follow were ended.
    pub settlings: u64,
    /// Windows of time stepping that the watchdog opened.
    pub windows: u64,
    /// Impacts without restitution of contacts that rattled.
    pub rattles: u64,
    /// Impacts whose sequence was ended without restitution.
    pub sequences: u64,
    /// Projections that changed the energy by more than a step of the integration may err.
    pub projections: u64,
    /// Impacts or decisions of modes that did not converge and were left to a window.
    pub not_converged: u64,
    /// When each contact settled for the last time, the end of its bounces counted in; none if it never did or left
    /// again.
    pub settled: Vec<Option<f64>>,
    /// Since when nothing moves, the end of the bounces counted in; never after `time`.
    pub at_rest: Option<f64>,
    /// When the bounces that are too low to follow would end, where nothing else moves any more and that is after `time`.
    pub rests_at: Option<f64>,
    /// The deepest that a contact was found inside a surface.
    pub penetration: f64,
    /// The largest energy |K| + |V - V(0)| seen.
    pub largest_energy: f64,
    /// The largest residual of the energy book, over the largest energy, which counts as at least a thousandth of m g L.
    pub residual: f64,
    /// What was noticed on the way: links without a contact that went below a surface, a robot that falls for ever.
    pub warnings: Vec<String>,
}
