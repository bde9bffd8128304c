//! What a problem says beyond its one answer: maps over coefficients and over states, and all laws side by side.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answered;
mod cells;
mod coefficients;
mod compare;
mod error;
mod impulse;
mod map;
mod profile;
mod range;
mod rows;
mod state;
mod subject;
pub mod trace;

pub use answered::{Answered, LawAnswer, Verdict};
pub use compare::Comparison;
pub use error::MapError;
pub use impulse::{Coincidence, DiagramError, Ellipse, ImpulseSpace, Locus, LocusName};
pub use map::{Axis, Cell, Curve, CurveName, EnergyUnit, Map, Over, Point, Quantity, Region, RegionKind};
pub use range::Range;
pub use subject::Options;
