//! How far a phase is from its end: forces inside their bounds, sliding that goes on.

/// Forces fire an event when they are this far outside their bounds, over the largest force: well beyond what decisions
/// accept (1e-12), or a decision would answer that everything goes on as before. This says only whether something
/// happens. When it happens is where they are on their bounds: see [`Simulation::phase_end`](crate::simulation).
pub(crate) const FORCE_MARGIN: f64 = 1e-10;
/// A force nearer than this to its bound, over the largest, is on it: what a decision accepts.
pub(crate) const ON_BOUND: f64 = 1e-12;
/// Sliding whose D / W_nn falls through this while it presses ever harder is about to jam. Forces grow like 1 / D there
/// (Génot and Brogliato, European Journal of Mechanics A 18, 1999), and what they do beyond is decided by the tolerance:
/// it is a choice to take the jam's impulse here. The impulse leaves its cone by as much.
pub(crate) const JAM_APPROACH: f64 = 1e-4;

/// Why a phase may have to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A normal force that pulls.
    Release,
    /// A friction outside its cone.
    Cone,
    /// Sliding that stopped.
    Stop,
    /// Sliding that no longer begins as it did: no direction near the last is along its acceleration.
    Lost,
    /// A friction that no normal force can balance.
    Wedge,
    /// Sliding too slow to have a direction, or fast enough to have one again.
    Direction,
}

impl Reason {
    /// Whether a force is outside its bounds.
    pub(crate) fn is_force(self) -> bool {
        matches!(self, Self::Release | Self::Cone)
    }
}

/// How far a phase is from its end: negative beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// With what is allowed before an event fires.
    pub(crate) value: f64,
    /// The contact and why; none where nothing is closed.
    pub(crate) by: Option<(usize, Reason)>,
}

impl Margin {
    pub(crate) const NONE: Self = Self { value: f64::INFINITY, by: None };

    pub(crate) fn narrow(&mut self, value: f64, contact: usize, reason: Reason) {
        // NaN narrows too: it must not pass for a margin.
        if !(value >= self.value) {
            *self = Self { value, by: Some((contact, reason)) };
        }
    }

    /// The narrower of two.
    pub(crate) fn or_narrower(self, other: Self) -> Self {
        if other.value >= self.value { self } else { other }
    }
}

/// A margin that an evaluation found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarginSample {
    pub(crate) time: f64,
    pub(crate) margin: f64,
    /// Of forces that are a choice: others may be inside.
    pub(crate) is_doubtful: bool,
    /// A force that is outside its bound by less than it takes to fire.
    pub(crate) about_to_fire: Option<(usize, Reason)>,
}
