//! What users of carom import: impact problems in JSON and TOML, the built-in gallery, reports, and
//! batches of problems over a stream of lines. The law itself is [`law`] (the crate `carom-law`).
//!
//! ```
//! let scene = carom::gallery::find("kane").expect("built in");
//! let outcome = carom::Problem::from_tree(&scene.tree())?.solve()?;
//! assert_eq!(outcome.mode, carom::law::Mode::Stick);
//! assert!(!outcome.admissible);
//! # Ok::<(), carom::ProblemError>(())
//! ```
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod batch;
pub mod gallery;
pub mod problem;
pub mod report;

pub use carom_law as law;
pub use problem::{Problem, ProblemError};
