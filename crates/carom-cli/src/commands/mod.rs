//! One file per subcommand.

pub mod batch;
pub mod check;
pub mod compare;
pub mod completions;
pub mod explore;
pub mod gallery;
pub mod impact;
pub mod man;
pub mod map;
pub mod plot;
pub mod rerun;
pub mod schema;
pub mod simulate;
pub mod sweep;
