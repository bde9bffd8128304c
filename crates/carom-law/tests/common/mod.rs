//! What several tests share.
#![allow(dead_code, reason = "each test binary uses a part of the module")]

pub mod bodies;
#[path = "../../src/rivals/extreme.rs"]
pub mod extreme;
pub mod oracle;
pub mod precise;
pub mod published;
pub mod random;
pub mod systems;
