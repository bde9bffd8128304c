//! Event-driven simulation: flight, stick, slip and impact, with an energy book.

mod energy;
mod event;
mod motion;
mod record;

pub use energy::Ledger;
pub use event::{ContactMode, Event, EventKind};
pub use motion::{Body, Motion, Pose};
pub use record::{ContactHeader, ContactSample, Ending, Header, Record, Sample, Summary, SurfaceHeader};
