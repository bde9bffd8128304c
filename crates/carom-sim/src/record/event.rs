//! What happens at an instant.

use serde::Serialize;

/// Whether a contact is open, and what it does if not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactMode {
    /// Open.
    Flight,
    /// Closed, and its points do not slide.
    Stick,
    /// Closed, and sliding.
    Slip,
}

impl ContactMode {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// It struck, or stood by while another struck and took an impulse.
    Impact,
    /// Its bounces became smaller than can be told apart; it is closed from here.
    Settle,
    /// It left the surface.
    LiftOff,
    /// It stopped sliding.
    Stick,
    /// It began to slide.
    Slip,
    /// It slid with a friction that no force can balance, and took an impulse without a collision.
    Jam,
    /// Its sliding pressed it into the surface ever harder, without bound. What follows is not known: it was chosen to take
    /// the impulse of a jam.
    JamApproached,
    /// Sliding and lifting off were both possible; it lifted off.
    Ambiguous,
    /// Events came too fast to be told apart; a short window of time stepping took over. One for each contact that took an
    /// impulse in it, and one without a contact for the rest.
    Window,
    /// It struck without restitution: it rattled, and was a thousand times slower than when it began to.
    Rattle,
    /// It struck, in a sequence of impacts at one instant that was ended without restitution.
    Sequence,
    /// It was brought back onto its surface, by more than a step of the integration may err.
    Projection,
}

impl EventKind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Settle => "settle",
            Self::LiftOff => "lift_off",
            Self::Stick => "stick",
            Self::Slip => "slip",
            Self::Jam => "jam",
            Self::JamApproached => "jam_approached",
            Self::Ambiguous => "ambiguous",
            Self::Window => "window",
            Self::Rattle => "rattle",
            Self::Sequence => "sequence",
            Self::Projection => "projection",
        }
    }
}

/// A contact at an event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// When.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// The contact, by its place in the header; none where all are meant.
    pub contact: Option<usize>,
    /// The law's mode, at an impact.
    pub impact: Option<carom_law::Mode>,
    /// Its mode after the event and all that happened at the same instant.
    pub mode: Option<ContactMode>,
    /// Impulse along the normal and the tangents; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// What the contact did to the energy: its mean velocity times its impulse. In a window without a contact: what the
    /// window changed beside its contacts.
    pub energy_change: f64,
    /// At a settling: when the bounces that are too small to follow would have ended.
    pub settled: Option<f64>,
}

impl Event {
    /// An event without impulse; what else there is to tell is filled in.
    pub(crate) fn new(time: f64, kind: EventKind, contact: Option<usize>) -> Self {
        Self { time, kind, contact, impact: None, mode: None, impulse: [0.0; 3], energy_change: 0.0, settled: None }
    }
}
