//! Outcomes, errors and robots as records: what the command writes, one JSON object each.

mod id;
mod outcome;
mod robot;

pub use id::{Id, raw_id};
pub use outcome::{ErrorRecord, OutcomeRecord, to_line};
pub use robot::{ContactRecord, RobotRecord, StruckRecord};
