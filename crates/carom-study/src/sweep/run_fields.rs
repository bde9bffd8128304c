//! The fields of a simulation's summary, last state and events, each with the function that reads it.

use std::borrow::Cow;

use carom_sim::{Ending, Event, EventKind, Sample, Summary};

use super::field::{Field, Get, Length};

fn some(word: &'static str) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(word))
}

fn or_nan(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

/// The fields of the summary, except `settled`, which has an entry for each contact.
pub(super) const SUMMARY: &[Field<Summary>] = &[
    ("ending", Get::Word(|s| some(ending(s.ending)))),
    ("failure", Get::Word(|s| s.failure.clone().map(Cow::Owned))),
    ("time", Get::Number(|s| s.time)),
    ("steps", Get::Number(|s| s.steps as f64)),
    ("rejected", Get::Number(|s| s.rejected as f64)),
    ("evaluations", Get::Number(|s| s.evaluations as f64)),
    ("impacts", Get::Number(|s| s.impacts as f64)),
    ("settlings", Get::Number(|s| s.settlings as f64)),
    ("windows", Get::Number(|s| s.windows as f64)),
    ("rattles", Get::Number(|s| s.rattles as f64)),
    ("sequences", Get::Number(|s| s.sequences as f64)),
    ("projections", Get::Number(|s| s.projections as f64)),
    ("not_converged", Get::Number(|s| s.not_converged as f64)),
    ("at_rest", Get::Number(|s| or_nan(s.at_rest))),
    ("rests_at", Get::Number(|s| or_nan(s.rests_at))),
    ("penetration", Get::Number(|s| s.penetration)),
    ("largest_energy", Get::Number(|s| s.largest_energy)),
    ("residual", Get::Number(|s| s.residual)),
    ("warnings", Get::Word(|s| (!s.warnings.is_empty()).then(|| Cow::Owned(s.warnings.join("; "))))),
];

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Interrupted => "interrupted",
        Ending::OutOfTime => "out_of_time",
        Ending::Failed => "failed",
    }
}

/// The fields of the last sample, as `end.FIELD`.
pub(super) const END: &[Field<Sample>] = &[
    ("time", Get::Number(|s| s.time)),
    ("configuration", Get::Vector(|s| &s.configuration, Length::Coordinates)),
    ("velocity", Get::Vector(|s| &s.velocity, Length::Velocities)),
    ("energy.kinetic", Get::Number(|s| s.energy.kinetic)),
    ("energy.potential", Get::Number(|s| s.energy.potential)),
    ("energy.impacts", Get::Number(|s| s.energy.impacts)),
    ("energy.friction", Get::Number(|s| s.energy.friction)),
    ("energy.damping", Get::Number(|s| s.energy.damping)),
    ("energy.dry_friction", Get::Number(|s| s.energy.dry_friction)),
    ("energy.torques", Get::Number(|s| s.energy.torques)),
    ("energy.settling", Get::Number(|s| s.energy.settling)),
    ("energy.projection", Get::Number(|s| s.energy.projection)),
    ("energy.windows", Get::Number(|s| s.energy.windows)),
    ("energy.rattle", Get::Number(|s| s.energy.rattle)),
    ("energy.sequences", Get::Number(|s| s.energy.sequences)),
    ("energy.residual", Get::Number(|s| s.energy.residual)),
];

/// An event, whose impulse is an array of its own.
#[derive(Debug)]
pub(super) struct EventFields {
    pub(super) event: Event,
    impulse: [f64; 3],
}

impl EventFields {
    pub(super) fn new(event: Event) -> Self {
        Self { event, impulse: event.impulse() }
    }
}

/// The fields of an event, as `first(KIND, CONTACT).FIELD`, except its contact, which has a name.
pub(super) const EVENT: &[Field<EventFields>] = &[
    ("time", Get::Number(|e| e.event.time())),
    ("impact", Get::Word(|e| some(e.event.impact()?.name()))),
    ("mode", Get::Word(|e| some(e.event.mode()?.name()))),
    ("impulse", Get::Vector(|e| &e.impulse, Length::Rows)),
    ("energy_change", Get::Number(|e| e.event.energy_change())),
    ("settled", Get::Number(|e| or_nan(e.event.settled()))),
];

/// The kinds of events.
pub(super) const KINDS: [EventKind; 13] = [
    EventKind::Impact,
    EventKind::Settle,
    EventKind::LiftOff,
    EventKind::Stick,
    EventKind::Slip,
    EventKind::Jam,
    EventKind::JamApproached,
    EventKind::AmbiguousLiftOff,
    EventKind::Window,
    EventKind::Rattle,
    EventKind::Sequence,
    EventKind::Projection,
    EventKind::DeadPoint,
];
