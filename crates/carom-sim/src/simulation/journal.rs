//! The journal of a simulation: events not yet passed to the sink, counts, and the number of samples.

use std::collections::VecDeque;

use crate::record::event::Event;

/// Counts of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    pub(crate) steps: u64,
    pub(crate) rejected: u64,
    pub(crate) impacts: u64,
    pub(crate) events: u64,
    pub(crate) settlings: u64,
    pub(crate) windows: u64,
    pub(crate) rattles: u64,
    pub(crate) sequences: u64,
    pub(crate) projections: u64,
    pub(crate) not_converged: u64,
    pub(crate) penetration: f64,
}

/// Pending events, and counts of what was reported.
///
/// Invariants: between steps `events` is empty, because the sink has received them all. Counts never decrease, except
/// when a window is rolled back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    pub(crate) events: VecDeque<Event>,
    pub(crate) counts: Counts,
    /// Number of samples at multiples of the interval.
    pub(crate) samples: u64,
    pub(crate) last_sample: Option<f64>,
    /// Since when the robot is at rest.
    pub(crate) at_rest: Option<f64>,
}
