//! Documents: JSON and TOML as one tree with source locations, typed values, changes by path, and errors with field,
//! value and bound.
//!
//! | file | contents |
//! |---|---|
//! | `tree` | JSON and TOML as one tree; source locations of fields |
//! | `cursor` | a cursor over JSON text, for fast readers |
//! | `value` | typed values, with errors that give their path |
//! | `coefficients` | restitution, friction and dimension |
//! | `keys` | the keys of every problem, and of coefficients |
//! | `edit` | changes by path: `--set key=value` |
//! | `suggestion` | the name that a misspelt one probably means |
//! | `version` | the format version of a document |
//! | `error` | errors |

pub(crate) mod coefficients;
pub(crate) mod cursor;
mod edit;
mod error;
pub(crate) mod keys;
mod suggestion;
mod tree;
pub(crate) mod value;
pub(crate) mod version;

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use suggestion::did_you_mean;
pub(crate) use suggestion::listed;
pub use tree::{Document, Format, Tree};
pub(crate) use tree::{PathStep, split_path};
pub use version::FORMAT_VERSION;
