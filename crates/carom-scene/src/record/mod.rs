//! Outcomes, errors and robots as records: what the command writes, one JSON object each.
//!
//! | file | what it has |
//! |---|---|
//! | `outcome` | outcomes and errors |
//! | `robot` | the robot beside an outcome |
//! | `id` | a problem's id on its way to the outcome |

mod id;
mod outcome;
mod robot;

pub use id::Id;
pub use outcome::{ErrorRecord, OutcomeRecord, to_line};
pub use robot::{ContactRecord, RobotRecord, StruckRecord};
