//! Studies around one problem: maps over coefficients and over states, comparisons of all laws, sweeps, and arrays of
//! impacts.
//!
//! | file | contents |
//! |---|---|
//! | `map` | a map as data |
//! | `coefficients` | the map over restitution and friction |
//! | `state` | the map over states |
//! | `subject` | a problem ready to be mapped |
//! | `cells` | the law's answer in every cell |
//! | `profile` | exact curves over one abscissa, and the regions between them |
//! | `trace` | boundaries in two dimensions |
//! | `rows` | rows of cells as polygons |
//! | `range` | the ranges of a map's axes |
//! | `answered` | the answer of one law to an impact |
//! | `compare` | comparison of all laws on one impact |
//! | `runs` | one simulation by every law |
//! | `arrays` | many contacts, or many states of a robot |
//! | `impulse` | the geometry of the impulses of one impact |
//! | `sweep` | samples of a scene by a plan, as a table |
//! | `error` | errors |
//!
//! The crate has no features.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answered;
pub mod arrays;
mod cells;
mod coefficients;
mod compare;
mod error;
mod impulse;
mod map;
mod profile;
mod range;
mod rows;
mod runs;
mod state;
mod subject;
pub mod sweep;
pub mod trace;

pub use answered::{Answered, LawAnswer, Verdict};
pub use compare::Comparison;
pub use error::{DiagramError, Error, MapError};
pub use impulse::{Coincidence, Ellipse, ImpulseSpace, Locus, LocusName};
pub use map::{Axis, Cell, Curve, CurveName, EnergyUnit, Map, Over, Point, Quantity, Region, RegionKind};
pub use range::Range;
pub use runs::{LawRun, RunComparison, RunComparisonError};
pub use subject::MapOptions;
