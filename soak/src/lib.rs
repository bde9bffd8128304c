//! Random and hostile problems for carom, and a judge of its answers that shares no code with the solvers.
//!
//! [`judge`] reads a problem and the outcome as data (`reported`), computes velocities and energies anew in double-double arithmetic
//! (`motion`) and holds them to every condition of the law ([`verdict`]). [`random`] makes problems by seed, [`run`] tries many, [`shrink`]
//! makes a finding small, and [`fuzz`] holds the bodies of the fuzz targets, which the ordinary tests replay on the stored corpora.

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
