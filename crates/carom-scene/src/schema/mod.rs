//! Tables of the keys of documents, and JSON Schemas made from them.
//!
//! Readers accept exactly the keys of these tables, so that a schema, which editors and programs use, cannot differ from what
//! is read.
//!
//! | file | contents |
//! |---|---|
//! | `table` | objects, keys and types as data |
//! | `render` | a JSON Schema from tables |

mod render;
mod table;

#[doc(inline)]
pub use crate::schema_object as object;
pub use render::{Openness, json_schema};
pub use table::{Key, Object, Rule, Type};
