//! Random and hostile problems for carom, and a judge of its answers that shares no code with the solvers.
//!
//! [`judge`] reads a problem and the outcome as data, with the keys of the documented interface, and recomputes every
//! condition of the law in double-double arithmetic. [`random`] generates problems by seed, [`run`] runs many,
//! [`shrink`] reduces a finding, and [`fuzz`] contains the bodies of the fuzz targets, which the ordinary tests replay
//! on the stored corpora.

pub mod condition;
pub mod fuzz;
pub mod judge;
mod motion;
pub mod precise;
pub mod problem;
pub mod random;
mod reported;
pub mod run;
pub mod shrink;
pub mod verdict;

/// The code of the book and of the readme, which are in no package, is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../book/src/simulation.md")]
#[doc = include_str!("../../README.md")]
struct Book;
