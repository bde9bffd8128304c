//! What happens at an instant.

use carom_law::Mode;
use serde::{Serialize, Serializer};

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

/// The kinds of [`Event`], without what happened: for names, and for counting.
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
            Self::AmbiguousLiftOff => "ambiguous",
            Self::Window => "window",
            Self::Rattle => "rattle",
            Self::Sequence => "sequence",
            Self::Projection => "projection",
        }
    }
}

/// Something that happened, to one contact: a contact is named by its place in the header. An instant may have many.
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
    /// It struck, or took an impulse where another struck.
    Impact(ImpactEvent),
    /// Its bounces became smaller than can be told apart; it is closed from here.
    Settle(SettleEvent),
    /// It left the surface.
    LiftOff(ModeEvent),
    /// It stopped sliding.
    Stick(ModeEvent),
    /// It began to slide, or slides the other way.
    Slip(ModeEvent),
    /// It slid with a friction that no force can balance, and took an impulse without a collision.
    Jam(ImpactEvent),
    /// Its sliding pressed it into the surface ever harder, without bound. What follows is not known: it was chosen to take
    /// the impulse of a jam.
    JamApproached(ImpactEvent),
    /// Sliding and lifting off were both possible; it lifted off.
    AmbiguousLiftOff(AmbiguousEvent),
    /// Events came too fast to be told apart; a short window of time stepping took over. One for each contact that took an
    /// impulse in it, and one without a contact for the rest.
    Window(DeviceEvent),
    /// It struck without restitution: it rattled, and was a thousand times slower than when it began to.
    Rattle(ImpactEvent),
    /// It struck, in a sequence of impacts at one instant that was ended without restitution.
    Sequence(ImpactEvent),
    /// It was brought back onto its surface, by more than a step of the integration may err.
    Projection(DeviceEvent),
}

/// A contact that took the impulse of an impact or a jam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactEvent {
    /// When, s.
    pub time: f64,
    /// Which contact.
    pub contact: usize,
    /// The law's mode.
    pub impact: Mode,
    /// What it does after all that happened at this instant; none if the run failed before that was known.
    pub mode: Option<ContactMode>,
    /// Along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// Mean velocity of the contact times its impulse, J.
    pub energy_change: f64,
}

/// A contact whose bounces were ended, or that held another while they were.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SettleEvent {
    /// When, s.
    pub time: f64,
    /// Which contact.
    pub contact: usize,
    /// What it does after all that happened at this instant; none if the run failed before that was known.
    pub mode: Option<ContactMode>,
    /// Along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// Mean velocity of the contact times its impulse, J.
    pub energy_change: f64,
    /// When the bounces that are too small to follow would have ended; none for a contact that was closed already and held
    /// another.
    pub settled: Option<f64>,
}

/// A contact that lifted off, stopped sliding or began to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModeEvent {
    /// When, s.
    pub time: f64,
    /// Which contact.
    pub contact: usize,
}

/// A contact that could have gone on sliding, and lifted off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AmbiguousEvent {
    /// When, s.
    pub time: f64,
    /// Which contact.
    pub contact: usize,
    /// What it does after all that happened at this instant; none if the run failed before that was known.
    pub mode: Option<ContactMode>,
}

/// What a numerical device did to a contact, or to all that is no contact's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceEvent {
    /// When, s; of a window its start.
    pub time: f64,
    /// Which contact; none for what is left of the energy beside the contacts' shares.
    pub contact: Option<usize>,
    /// What the contact does after all that happened at this instant, where modes were decided at it.
    pub mode: Option<ContactMode>,
    /// Along the normal and the tangents, N s; zeros beyond the contact's dimension.
    pub impulse: [f64; 3],
    /// What it did to the energy, J.
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
        }
    }

    /// When it happened, s.
    pub fn time(&self) -> f64 {
        self.row().time
    }

    /// Which contact, by its place in the header; none where all are meant.
    pub fn contact(&self) -> Option<usize> {
        self.row().contact
    }

    /// The law's mode, at an impact or a jam.
    pub fn impact(&self) -> Option<Mode> {
        self.row().impact
    }

    /// What the contact does after all that happened at this instant, where that is known.
    pub fn mode(&self) -> Option<ContactMode> {
        self.row().mode
    }

    /// Impulse along the normal and the tangents, N s; zeros where there is none.
    pub fn impulse(&self) -> [f64; 3] {
        self.row().impulse
    }

    /// What it did to the energy, J.
    pub fn energy_change(&self) -> f64 {
        self.row().energy_change
    }

    /// At a settling: when the bounces that are too small to follow would have ended.
    pub fn settled(&self) -> Option<f64> {
        self.row().settled
    }

    /// Completes it, once it is known what the contact does.
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
            // Their kind says it.
            Self::LiftOff(_) | Self::Stick(_) | Self::Slip(_) => {}
        }
    }

    /// The event as a row of a table that has a column for everything.
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

/// A column for everything that some event has.
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

/// As a row with the same fields whatever the kind, which is what tables and streams of events want.
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

    /// Files are read by programs: these bytes are a promise.
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
        ] {
            let line = serde_json::to_string(&event).unwrap();
            assert_eq!(line, format!(r#"{{"time":0.5,"kind":"{kind}",{rest}}}"#));
        }
    }
}
