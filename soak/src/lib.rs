//! Random and hostile problems for carom, and a judge of its answers that shares no code with the solvers.
//!
//! [`judge`] reads a problem and the outcome as data, under the names of the documented interface, and computes every
//! condition of the law anew in double-double arithmetic. [`random`] makes problems by seed, [`run`] tries many, [`shrink`]
//! makes a finding small, and [`fuzz`] holds the bodies of the fuzz targets, which the ordinary tests replay on the stored corpora.

pub mod condition;
pub mod fuzz;
pub mod judge;
pub mod precise;
pub mod problem;
pub mod random;
pub mod run;
pub mod shrink;

/// The code of the book and of the readme, which are in no package, is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../book/src/simulation.md")]
#[doc = include_str!("../../README.md")]
struct Book;
