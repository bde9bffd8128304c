//! Outcomes, errors and robots as records: the JSON objects that the command writes.
//!
//! | file | contents |
//! |---|---|
//! | `outcome` | outcomes and errors |
//! | `robot` | the robot of an outcome |
//! | `id` | the id of a problem, copied to its outcome |

mod id;
mod outcome;
mod robot;

pub use id::{Id, raw_id};
pub use outcome::{ErrorRecord, OutcomeRecord, to_line};
pub use robot::{ContactRecord, RobotRecord, StruckRecord};
