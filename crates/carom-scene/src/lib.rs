//! Documents of carom: impact problems in JSON and TOML, scenes with robots, the built-in gallery, and answers
//! as data. [`Problem`] reads a document and solves it.
//!
//! ```
//! let scene = carom_scene::gallery::find("kane").expect("built in");
//! let outcome = carom_scene::Problem::from_tree(&scene.tree()?)?.solve()?;
//! assert!(!outcome.admissible);
//! # Ok::<(), carom_scene::ProblemError>(())
//! ```
//!
//! The crate has no features.
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod answer;
pub mod assumed;
pub mod document;
pub mod gallery;
pub mod line;
pub mod models;
pub mod prepared;
pub mod problem;
pub mod provenance;
pub mod record;
pub mod robots;
pub mod scene;
pub mod schema;

pub use answer::{Answer, SimultaneousAnswer};
pub use document::ProblemError;
pub use problem::Problem;

/// The code of the readme is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
