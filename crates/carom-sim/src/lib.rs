//! Dynamics of robots with impacts: the effect of an impact on a robot ([`strike`]), and event-driven simulation
//! ([`Simulation`]) of flight, stick, slip and impact, with an energy book.
//!
//! | file | contents |
//! |---|---|
//! | `setup` | the statement of a simulation |
//! | `strike` | one impact of a robot |
//! | `simulation` | event-driven simulation of a robot |
//! | `record` | samples, events, energy book and summary |
//! | `stiffness` | the joint that makes the equations stiff |
//! | `dimension` | the dimension of a contact, converted from multibody to the law |
//! | `instruction_set` | what the kernels are compiled for |
//! | `number` | formatting of numbers |
//! | `error` | errors |
//!
//! The crate has no features.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod dimension;
mod error;
mod instruction_set;
pub mod number;
mod record;
mod setup;
mod simulation;
mod stiffness;
mod strike;

pub use error::{Error, SimulationError, StrikeError};
pub use instruction_set::instruction_set;
pub use record::energy::Ledger;
pub use record::event::{
    AmbiguousEvent, ContactMode, DeviceEvent, Event, EventKind, ImpactEvent, ModeEvent, SettleEvent,
};
pub use record::motion::{Body, Motion, Pose};
pub use record::recorder::Recorder;
pub use record::run::{ContactHeader, ContactSample, Ending, Header, Record, Sample, Summary, SurfaceHeader};
pub use record::sink::{Discard, Sink};
pub use setup::builder::{ContactSpec, SimulationBuilder};
pub use setup::{
    Actuator, CoordinateRange, ForceLaw, MOST_EVENTS, Settings, Setup, Surface, TOLERANCE, WatchedContact, WatchedPair,
};
pub use simulation::{Simulation, Stop};
pub use stiffness::Stiffness;
#[doc(hidden)]
pub use strike::strike_unchecked;
pub use strike::{
    contact_at, meeting_contact, strike, strike_meeting, strike_outcome, strike_together, strike_together_with,
    strike_with,
};
