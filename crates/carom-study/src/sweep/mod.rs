//! Sweeps: a plan gives values to keys of a scene, and a table has a row for every sample.
//!
//! A row is a function of the plan and of its number alone, so any part can be computed anywhere and in any order.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | the plan of a sweep |
//! | `axis` | keys whose values make a grid |
//! | `draw` | keys with random values |
//! | `philox` | the random number generator |
//! | `value` | the values of a key |
//! | `sweep` | a checked plan |
//! | `worker` | rows, computed by one thread |
//! | `part` | rows in memory, computed on all cores |
//! | `table` | rows as columns |
//! | `field` | fields of records, by name |
//! | `impacts`, `impact_fields` | the columns of impacts, and the fields they are made of |
//! | `runs`, `run_fields` | the columns of simulations, and the fields they are made of |
//! | `error` | errors in plans |

mod axis;
mod draw;
mod error;
mod field;
mod impact_fields;
mod impacts;
mod part;
mod philox;
mod plan;
mod run_fields;
mod runs;
#[allow(clippy::module_inception, reason = "the folder answers what sweeps are, and the file has the type")]
mod sweep;
mod table;
mod value;
mod worker;

pub use axis::Axis;
pub use draw::Draw;
pub use error::SweepError;
pub use field::split_columns;
pub use plan::{Plan, SampleKind};
pub use sweep::Sweep;
pub use table::{Column, ColumnHeader, Table, ValueKind, Values};
pub use worker::{Watch, Worker};
