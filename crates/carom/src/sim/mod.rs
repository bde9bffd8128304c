//! Event-driven simulation: flight, stick, slip and impact, with an energy book.

mod advance;
mod device;
mod energy;
mod episode;
mod error;
mod event;
mod instant;
mod integrate;
mod jam;
mod kick;
mod margin;
mod motion;
mod observe;
mod onset;
mod phase_end;
mod project;
mod record;
mod root;
mod scale;
mod setup;
mod simulation;
mod stiffness;
mod system;
#[cfg(test)]
mod tests;
mod touch;
mod unwatched;
mod watch;
mod watchdog;
mod window;

pub use energy::Ledger;
pub use error::{Result, SimulationError};
pub use event::{ContactMode, Event, EventKind};
pub use motion::{Body, Motion, Pose};
pub use record::{ContactHeader, ContactSample, Ending, Header, Record, Recorder, Sample, Summary, SurfaceHeader};
pub use setup::{Actuator, Condition, ForceLaw, MOST_EVENTS, Settings, Setup, Surface, TOLERANCE, WatchedContact};
pub use simulation::{Silent, Simulation, Sink, Stop};
pub use stiffness::Stiffness;
