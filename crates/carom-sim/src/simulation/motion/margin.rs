//! Margins: how far a phase is from its end, by the bounds of forces and by sliding velocities.

/// Excess of a force over its bound, relative to the largest force, that triggers an event. It is well above the
/// tolerance of decisions (1e-12), or a decision would find that the modes do not change. This only determines whether
/// an event occurs; its time is when the force is on its bound, see [`Simulation::phase_end`](crate::simulation).
pub(crate) const FORCE_MARGIN: f64 = 1e-10;
/// Distance of a force from its bound, relative to the largest force, below which it is on the bound: the tolerance of
/// decisions.
pub(crate) const ON_BOUND: f64 = 1e-12;
/// Sliding whose D / W_nn falls below this while its normal force grows is about to jam. Forces grow like 1 / D there
/// (Génot and Brogliato, European Journal of Mechanics A 18, 1999), and the motion beyond would depend on the
/// tolerance: by choice the jam's impulse is applied here. That impulse violates its cone by a fraction of this size.
pub(crate) const JAM_APPROACH: f64 = 1e-4;

/// Why a phase may have to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A normal force became tensile.
    Release,
    /// A friction force left its cone.
    Cone,
    /// Sliding stopped.
    Stop,
    /// The onset of sliding lost its direction: none near the last one is along the acceleration.
    Lost,
    /// No normal force can balance the friction.
    Wedge,
    /// Bodies no longer touch with the parts that are kept.
    Part,
    /// Sliding became too slow to determine its direction, or fast enough again.
    Direction,
}

impl Reason {
    /// Whether the reason is a force outside its bound.
    pub(crate) fn is_force(self) -> bool {
        matches!(self, Self::Release | Self::Cone)
    }
}

/// Distance of a phase from its end, negative beyond it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// The margin, including the tolerance before an event is triggered.
    pub(crate) value: f64,
    /// The contact and the reason; `None` if no contact is closed.
    pub(crate) by: Option<(usize, Reason)>,
}

impl Margin {
    pub(crate) const NONE: Self = Self { value: f64::INFINITY, by: None };

    pub(crate) fn narrow(&mut self, value: f64, contact: usize, reason: Reason) {
        // NaN counts as narrower: it must not pass as a margin.
        if !(value >= self.value) {
            *self = Self { value, by: Some((contact, reason)) };
        }
    }

    /// The narrower of two margins.
    pub(crate) fn or_narrower(self, other: Self) -> Self {
        if other.value >= self.value { self } else { other }
    }
}

/// The margin of one evaluation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarginSample {
    pub(crate) time: f64,
    pub(crate) margin: f64,
    /// Whether the forces are not unique: other distributions may be inside their bounds.
    pub(crate) is_doubtful: bool,
    /// A force that is outside its bound, but not enough to trigger an event.
    pub(crate) about_to_fire: Option<(usize, Reason)>,
}
