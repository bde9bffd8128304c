//! One file per subcommand.

pub mod batch;
pub mod check;
pub mod compare;
pub mod gallery;
pub mod impact;
pub mod map;
pub mod simulate;
