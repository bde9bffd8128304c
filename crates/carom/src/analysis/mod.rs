//! What a problem says beyond its one answer.

mod compare;

pub use compare::{Answered, Comparison, LawAnswer, Verdict};
