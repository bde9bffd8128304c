//! What users of carom import: impact problems in JSON and TOML, scenes with robots, the built-in gallery, reports,
//! maps over coefficients and states, simulations, and batches of problems over a stream of lines. The law itself is [`law`] (the crate `carom-law`), robots are
//! [`multibody`] (the crate `carom-multibody`), and [`strike`] brings the two together.
//!
//! ```
//! let scene = carom::gallery::find("kane").expect("built in");
//! let outcome = carom::Problem::from_tree(&scene.tree()?)?.solve()?;
//! assert_eq!(outcome.mode, carom::law::Mode::Stick);
//! assert!(!outcome.admissible);
//! # Ok::<(), carom::ProblemError>(())
//! ```
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod analysis;
mod answer;
pub mod batch;
pub mod gallery;
pub mod models;
mod number;
pub mod problem;
pub mod report;
pub mod scene;
pub mod sim;
mod strike;
mod verdict;

pub use answer::{Answer, Several};
pub use carom_law as law;
pub use carom_multibody as multibody;
pub use problem::{Problem, ProblemError};
#[doc(hidden)]
pub use strike::strike_unchecked;
pub use strike::{StrikeError, strike, strike_by, strike_together};

/// The book's code is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/simulation.md")]
struct Book;
