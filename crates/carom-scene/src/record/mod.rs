//! Outcomes, errors and robots as records: the JSON objects that the command writes.
//!
//! | file | contents |
//! |---|---|
//! | `outcome` | outcomes and errors |
//! | `keys` | the fields of outcomes and errors |
//! | `robot` | the robot of an outcome |
//! | `id` | the id of a problem, copied to its outcome |
//! | `fields` | a choice of an outcome's fields |
//! | `writer` | outcomes written without a serializer |

mod fields;
mod id;
mod keys;
mod outcome;
mod robot;
pub(crate) mod writer;

pub use fields::{Fields, UnknownField};
pub use id::Id;
pub use outcome::{ErrorRecord, OutcomeRecord, to_line};
pub use robot::{ContactRecord, LoopRecord, RobotRecord, StruckRecord};
