#![doc = include_str!("../README.md")]
//!
//! # Modules
//! | module | crate | contents |
//! |---|---|---|
//! | [`law`] | `carom-law` | forces and impulses at contacts, in one instant |
//! | [`multibody`] | `carom-multibody` | a robot and its state as M, h and rows |
//! | [`sim`] | `carom-sim` | impacts and motion of a robot |
//! | [`problem`], [`scene`], [`document`], [`schema`], [`gallery`], [`models`] | `carom-scene` | problems and scenes as documents |
//! | [`study`] | `carom-study` | maps and comparisons of laws, as data |
//! | [`report`], [`batch`] | `carom-report` | text, tables, figures, pages; batches of problems |
//!
//! Every error of these crates converts into [`Error`].

mod error;

pub use carom_law as law;
pub use carom_multibody as multibody;
pub use carom_report as report;
pub use carom_report::batch;
pub use carom_scene::{
    Answer, Problem, ProblemError, SimultaneousAnswer, assumed, document, gallery, models, problem, scene, schema,
};
pub use carom_sim as sim;
#[doc(hidden)]
pub use carom_sim::strike_unchecked;
pub use carom_sim::{StrikeError, strike, strike_outcome, strike_together, strike_together_with, strike_with};
pub use carom_study as study;
pub use error::{Error, Result};
