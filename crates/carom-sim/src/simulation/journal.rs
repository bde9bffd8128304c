//! What a simulation has to tell: events that the sink has not had yet, counts, and how many samples there were.

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

/// What is to be told, and what was.
///
/// Invariants: between steps `events` is empty: the sink has had them all. Counts never fall, but where a window is taken back.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    pub(crate) events: VecDeque<Event>,
    pub(crate) counts: Counts,
    /// Samples at the times asked for.
    pub(crate) samples: u64,
    pub(crate) last_sample: Option<f64>,
    /// Since when nothing moves.
    pub(crate) at_rest: Option<f64>,
}
