//! Documents: JSON and TOML as one tree with source locations, typed values, changes by path, and errors with field, value and bound.
//!
//! | file | contents |
//! |---|---|
//! | `tree` | JSON and TOML as one tree; source locations of fields |
//! | `value` | typed values, with errors that give their path |
//! | `coefficients` | restitution, friction and dimension |
//! | `edit` | changes by path: `--set key=value` |
//! | `error` | errors |

pub(crate) mod coefficients;
mod edit;
mod error;
mod tree;
pub(crate) mod value;

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use serde_json::Value as Tree;
pub use tree::{Document, Format};
