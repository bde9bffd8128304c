//! One file a subcommand.

pub mod batch;
pub mod gallery;
pub mod impact;
