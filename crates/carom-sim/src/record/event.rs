//! Events of a simulation.

use carom_law::Mode;
use serde::{Serialize, Serializer};

/// The mode of a contact between events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactMode {
    /// Open.
    Flight,
    /// Closed and not sliding.
    Stick,
    /// Closed and sliding.
    Slip,
}

impl ContactMode {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flight => "flight",
            Self::Stick => "stick",
            Self::Slip => "slip",
        }
    }
}

/// The kinds of [`Event`], without data: for names and for counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// [`Event::Impact`].
    Impact,
    /// [`Event::Settle`].
    Settle,
    /// [`Event::LiftOff`].
    LiftOff,
    /// [`Event::Stick`].
    Stick,
    /// [`Event::Slip`].
    Slip,
    /// [`Event::Jam`].
    Jam,
    /// [`Event::JamApproached`].
    JamApproached,
    /// [`Event::AmbiguousLiftOff`].
    AmbiguousLiftOff,
    /// [`Event::Window`].
    Window,
    /// [`Event::Rattle`].
    Rattle,
    /// [`Event::Sequence`].
    Sequence,
    /// [`Event::Projection`].
    Projection,
    /// [`Event::DeadPoint`].
    DeadPoint,
}

impl EventKind {
    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Settle => "settle",
            Self::LiftOff => "lift_off",
            Self::Stick => "stick",
            Self::Slip => "slip",
            Self::Jam => "jam",
            Self::JamApproached => "jam_approached",
            Self::AmbiguousLiftOff => "ambiguous",
            Self::Window => "window",
            Self::Rattle => "rattle",
            Self::Sequence => "sequence",
            Self::Projection => "projection",
            Self::DeadPoint => "dead_point",
        }
    }
}

/// An event of one contact, which is given by its index in the header. An instant may have several events.
///
/// ```
/// # use carom_sim::Event;
/// fn loudest(events: &[Event]) -> f64 {
///     let normal = |event: &Event| match event {
///         Event::Impact(impact) => impact.impulse[0],
///         _ => 0.0,
///     };
///     events.iter().map(normal).fold(0.0, f64::max)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event {
    /// The contact struck, or took an impulse when another struck.
    Impact(ImpactEvent),
    /// Its bounces became too small to follow; from here on it is closed.
    Settle(SettleEvent),
    /// It left the surface.
    LiftOff(ModeEvent),
    /// It stopped sliding.
    Stick(ModeEvent),
    /// It began to slide, or slides the other way.
    Slip(ModeEvent),
    /// It slid with friction that no force can balance, and took an impulse without a collision.
    Jam(ImpactEvent),
    /// Its normal force grew without bound while it slid. The motion beyond is not determined; by choice it takes the
    /// impulse of a jam.
    JamApproached(ImpactEvent),
    /// Sliding and lifting off were both possible; it lifted off.
    AmbiguousLiftOff(AmbiguousEvent),
    /// Events were too frequent to be resolved, and a short window of time stepping took over. One event for each
    /// contact that took an impulse in it, and one without a contact for the rest.
    Window(DeviceEvent),
    /// It struck without restitution: it had rattled, and was a thousand times slower than at the beginning of the
    /// rattle.
    Rattle(ImpactEvent),
    /// It struck in a sequence of impacts at one instant that was ended without restitution.
    Sequence(ImpactEvent),
    /// It was projected onto its surface, by more than the error allowed for a step.
    Projection(DeviceEvent),
    /// A closed loop came near a dead point, where one of its conditions is lost and motions branch: mechanics does not
    /// determine which one follows, and the smooth continuation is taken. It concerns no contact.
    DeadPoint(LoopEvent),
}

/// An instant of a closed loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoopEvent {
    /// Time, s.
    pub time: f64,
    /// Index of the loop in the model.
    pub index: usize,
}

/// An impact or a jam: the impulse of one contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactEvent {
    /// Time, s.
    pub time: f64,
    /// Index of the contact.
    pub contact: usize,
    /// Mode of the impact.
    pub impact: Mode,
    /// Mode of the contact after this instant; `None` if the run failed before it was known.
    pub mode: Option<ContactMode>,
    /// Impulse along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// Mean velocity of the contact times its impulse, J.
    pub energy_change: f64,
}

/// A contact whose bounces were ended, or that supported such a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettleEvent {
    /// Time, s.
    pub time: f64,
    /// Index of the contact.
    pub contact: usize,
    /// Mode of the contact after this instant; `None` if the run failed before it was known.
    pub mode: Option<ContactMode>,
    /// Impulse along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// Mean velocity of the contact times its impulse, J.
    pub energy_change: f64,
    /// When the bounces that are too small to follow would have ended, s; `None` for a contact that was already closed
    /// and supported another.
    pub settled: Option<f64>,
}

/// A contact that lifted off, stopped sliding or began to slide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeEvent {
    /// Time, s.
    pub time: f64,
    /// Index of the contact.
    pub contact: usize,
}

/// A contact that lifted off although it could have continued to slide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmbiguousEvent {
    /// Time, s.
    pub time: f64,
    /// Index of the contact.
    pub contact: usize,
    /// Mode of the contact after this instant; `None` if the run failed before it was known.
    pub mode: Option<ContactMode>,
}

/// The effect of a numerical device on a contact, or the remainder that belongs to no contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceEvent {
    /// Time, s; for a window, its start.
    pub time: f64,
    /// Index of the contact; `None` for the energy change beyond the contacts' shares.
    pub contact: Option<usize>,
    /// Mode of the contact after this instant, if modes were decided at it.
    pub mode: Option<ContactMode>,
    /// Impulse along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// Energy change, J.
    pub energy_change: f64,
}

impl Event {
    /// Its kind.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Impact(_) => EventKind::Impact,
            Self::Settle(_) => EventKind::Settle,
            Self::LiftOff(_) => EventKind::LiftOff,
            Self::Stick(_) => EventKind::Stick,
            Self::Slip(_) => EventKind::Slip,
            Self::Jam(_) => EventKind::Jam,
            Self::JamApproached(_) => EventKind::JamApproached,
            Self::AmbiguousLiftOff(_) => EventKind::AmbiguousLiftOff,
            Self::Window(_) => EventKind::Window,
            Self::Rattle(_) => EventKind::Rattle,
            Self::Sequence(_) => EventKind::Sequence,
            Self::Projection(_) => EventKind::Projection,
            Self::DeadPoint(_) => EventKind::DeadPoint,
        }
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.row().time
    }

    /// Index of the contact in the header; `None` if the event concerns all contacts.
    pub fn contact(&self) -> Option<usize> {
        self.row().contact
    }

    /// Mode of the impact, for an impact or a jam.
    pub fn impact(&self) -> Option<Mode> {
        self.row().impact
    }

    /// Mode of the contact after this instant, if known.
    pub fn mode(&self) -> Option<ContactMode> {
        self.row().mode
    }

    /// Impulse along the normal and the tangents, N s; zero for events without an impulse.
    pub fn impulse(&self) -> [f64; 3] {
        self.row().impulse
    }

    /// Energy change, J.
    pub fn energy_change(&self) -> f64 {
        self.row().energy_change
    }

    /// For a settling: when the bounces that are too small to follow would have ended.
    pub fn settled(&self) -> Option<f64> {
        self.row().settled
    }

    /// Index of the closed loop in the model, for a dead point.
    pub fn closed_loop(&self) -> Option<usize> {
        match self {
            Self::DeadPoint(LoopEvent { index, .. }) => Some(*index),
            _ => None,
        }
    }

    /// Replaces the index of the contact.
    pub(crate) fn relabel(&mut self, index: impl Fn(usize) -> usize) {
        match self {
            Self::Impact(ImpactEvent { contact, .. })
            | Self::Jam(ImpactEvent { contact, .. })
            | Self::JamApproached(ImpactEvent { contact, .. })
            | Self::Rattle(ImpactEvent { contact, .. })
            | Self::Sequence(ImpactEvent { contact, .. })
            | Self::Settle(SettleEvent { contact, .. })
            | Self::AmbiguousLiftOff(AmbiguousEvent { contact, .. })
            | Self::LiftOff(ModeEvent { contact, .. })
            | Self::Stick(ModeEvent { contact, .. })
            | Self::Slip(ModeEvent { contact, .. }) => *contact = index(*contact),
            Self::Window(DeviceEvent { contact, .. }) | Self::Projection(DeviceEvent { contact, .. }) => {
                *contact = contact.map(index);
            }
            // Robots with closed loops are one island.
            Self::DeadPoint(LoopEvent { .. }) => {}
        }
    }

    /// Sets the mode after the instant, once it is known.
    pub(crate) fn set_mode(&mut self, found: ContactMode) {
        match self {
            Self::Impact(ImpactEvent { mode, .. })
            | Self::Jam(ImpactEvent { mode, .. })
            | Self::JamApproached(ImpactEvent { mode, .. })
            | Self::Rattle(ImpactEvent { mode, .. })
            | Self::Sequence(ImpactEvent { mode, .. })
            | Self::Settle(SettleEvent { mode, .. })
            | Self::AmbiguousLiftOff(AmbiguousEvent { mode, .. })
            | Self::Window(DeviceEvent { mode, .. })
            | Self::Projection(DeviceEvent { mode, .. }) => *mode = Some(found),
            // Their kind implies the mode, or they have none.
            Self::LiftOff(_) | Self::Stick(_) | Self::Slip(_) | Self::DeadPoint(_) => {}
        }
    }

    /// The event as a table row with all columns.
    fn row(&self) -> EventRow {
        let kind = self.kind();
        match *self {
            Self::Impact(event)
            | Self::Jam(event)
            | Self::JamApproached(event)
            | Self::Rattle(event)
            | Self::Sequence(event) => {
                let ImpactEvent { time, contact, impact, mode, impulse, energy_change } = event;
                let (contact, impact) = (Some(contact), Some(impact));
                EventRow { time, kind, contact, impact, mode, impulse, energy_change, settled: None }
            }
            Self::Settle(SettleEvent { time, contact, mode, impulse, energy_change, settled }) => {
                EventRow { time, kind, contact: Some(contact), impact: None, mode, impulse, energy_change, settled }
            }
            Self::LiftOff(event) => event.row(kind, ContactMode::Flight),
            Self::Stick(event) => event.row(kind, ContactMode::Stick),
            Self::Slip(event) => event.row(kind, ContactMode::Slip),
            Self::AmbiguousLiftOff(AmbiguousEvent { time, contact, mode }) => {
                EventRow { mode, ..ModeEvent { time, contact }.row(kind, ContactMode::Flight) }
            }
            Self::Window(event) | Self::Projection(event) => {
                let DeviceEvent { time, contact, mode, impulse, energy_change } = event;
                EventRow { time, kind, contact, impact: None, mode, impulse, energy_change, settled: None }
            }
            Self::DeadPoint(LoopEvent { time, .. }) => EventRow {
                time,
                kind,
                contact: None,
                impact: None,
                mode: None,
                impulse: [0.0; 3],
                energy_change: 0.0,
                settled: None,
            },
        }
    }
}

impl ModeEvent {
    fn row(self, kind: EventKind, mode: ContactMode) -> EventRow {
        let Self { time, contact } = self;
        let (contact, mode) = (Some(contact), Some(mode));
        EventRow { time, kind, contact, impact: None, mode, impulse: [0.0; 3], energy_change: 0.0, settled: None }
    }
}

/// The union of the fields of all events.
#[derive(Serialize)]
struct EventRow {
    time: f64,
    kind: EventKind,
    contact: Option<usize>,
    impact: Option<Mode>,
    mode: Option<ContactMode>,
    impulse: [f64; 3],
    energy_change: f64,
    settled: Option<f64>,
}

/// Serializes every kind as a row with the same fields, as tables and streams of events need.
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.row().serialize(serializer)
    }
}

impl Serialize for EventKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs read these files: the bytes are part of the interface.
    #[test]
    fn every_kind_is_a_row_with_the_same_fields() {
        let impact = ImpactEvent {
            time: 0.5,
            contact: 2,
            impact: Mode::Slip,
            mode: Some(ContactMode::Flight),
            impulse: [1.0, -0.5, 0.0],
            energy_change: -2.0,
        };
        let device = DeviceEvent { time: 0.5, contact: None, mode: None, impulse: [0.0; 3], energy_change: -1.0 };
        let settle = SettleEvent {
            time: 0.5,
            contact: 2,
            mode: None,
            impulse: [1.0, 0.0, 0.0],
            energy_change: -2.0,
            settled: Some(0.75),
        };
        let mode = ModeEvent { time: 0.5, contact: 2 };
        let ambiguous = AmbiguousEvent { time: 0.5, contact: 2, mode: Some(ContactMode::Stick) };
        let struck = r#""contact":2,"impact":"slip","mode":"flight","impulse":[1.0,-0.5,0.0],"energy_change":-2.0,"settled":null"#;
        let changed = |mode: &str| {
            format!(
                r#""contact":2,"impact":null,"mode":"{mode}","impulse":[0.0,0.0,0.0],"energy_change":0.0,"settled":null"#
            )
        };
        let by_device =
            r#""contact":null,"impact":null,"mode":null,"impulse":[0.0,0.0,0.0],"energy_change":-1.0,"settled":null"#;
        let settled =
            r#""contact":2,"impact":null,"mode":null,"impulse":[1.0,0.0,0.0],"energy_change":-2.0,"settled":0.75"#;
        for (event, kind, rest) in [
            (Event::Impact(impact), "impact", struck.to_owned()),
            (Event::Settle(settle), "settle", settled.to_owned()),
            (Event::LiftOff(mode), "lift_off", changed("flight")),
            (Event::Stick(mode), "stick", changed("stick")),
            (Event::Slip(mode), "slip", changed("slip")),
            (Event::Jam(impact), "jam", struck.to_owned()),
            (Event::JamApproached(impact), "jam_approached", struck.to_owned()),
            (Event::AmbiguousLiftOff(ambiguous), "ambiguous", changed("stick")),
            (Event::Window(device), "window", by_device.to_owned()),
            (Event::Rattle(impact), "rattle", struck.to_owned()),
            (Event::Sequence(impact), "sequence", struck.to_owned()),
            (Event::Projection(device), "projection", by_device.to_owned()),
            (Event::DeadPoint(LoopEvent { time: 0.5, index: 1 }), "dead_point", by_device.replace("-1.0", "0.0")),
        ] {
            let line = serde_json::to_string(&event).unwrap();
            assert_eq!(line, format!(r#"{{"time":0.5,"kind":"{kind}",{rest}}}"#));
        }
    }
}
