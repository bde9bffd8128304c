//! Outcomes for people and for programs.

mod id;
mod json;
mod number;
mod text;

pub use id::Id;
pub use json::{ErrorRecord, OutcomeRecord};
pub use text::{Text, verdict};
