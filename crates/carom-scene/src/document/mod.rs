//! Documents: JSON and TOML as one tree with places, values by type, changes by path, errors that name field, value and bound.

pub(crate) mod coefficients;
mod edit;
mod error;
mod tree;
pub(crate) mod value;

pub use edit::Edit;
pub use error::{Kind, ProblemError};
pub use serde_json::Value as Tree;
pub use tree::{Document, Format};
