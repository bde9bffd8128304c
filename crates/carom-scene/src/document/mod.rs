//! Documents: JSON and TOML as one tree with source locations, typed values, changes by path, and errors with field,
//! value and bound.
//!
//! | file | contents |
//! |---|---|
//! | `tree` | JSON and TOML as one tree; source locations of fields |
//! | `value` | typed values, with errors that give their path |
//! | `coefficients` | restitution, friction and dimension |
//! | `edit` | changes by path: `--set key=value` |
//! | `version` | the format version of a document |
//! | `error` | errors |

pub(crate) mod coefficients;
mod edit;
mod error;
mod tree;
pub(crate) mod value;
pub(crate) mod version;

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use tree::{Document, Format, Tree};
pub use version::FORMAT_VERSION;
