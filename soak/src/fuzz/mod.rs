//! The bodies of the fuzz targets: each takes any bytes, and panics if carom fails.
//!
//! `fuzz/` runs them under libFuzzer, `tests/corpus.rs` on the stored corpora. None of them reads a file.

mod bytes;
mod documents;
mod impacts;

pub use documents::{problem, robot, scene};
pub use impacts::{contact_set, law};

/// The fuzz target with this name.
pub type Target = (&'static str, fn(&[u8]));

/// Every fuzz target; the names are those of `fuzz/fuzz_targets` and `fuzz/corpus`.
pub const TARGETS: [Target; 5] =
    [("law", law), ("contact_set", contact_set), ("problem", problem), ("robot", robot), ("scene", scene)];
