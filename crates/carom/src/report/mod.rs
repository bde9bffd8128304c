//! Outcomes for people and for programs.

mod json;
mod number;
mod text;

pub use json::{ErrorRecord, OutcomeRecord};
pub use text::{Text, verdict};
