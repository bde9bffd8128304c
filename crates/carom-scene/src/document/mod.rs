//! Documents: JSON and TOML as one tree with places, values by type, changes by path, errors that name field, value and bound.
//!
//! | file | what it has |
//! |---|---|
//! | `tree` | JSON and TOML into one tree; places of fields |
//! | `value` | values by type, with errors that name their path |
//! | `coefficients` | restitution, friction and dimension |
//! | `edit` | changes by path: `--set key=value` |
//! | `version` | which version of the format a document has |
//! | `error` | what can be wrong |

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
