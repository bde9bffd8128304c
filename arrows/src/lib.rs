//! The dependency graph of the workspace: which crate, folder and module uses which.
//!
//! [`Workspace::read`] makes a graph of the packages, by their manifests, and for every module one of its direct
//! children, by their code: an arrow from `a::x` to `b::y` counts as one from `a` to `b`, where the two paths part. A child
//! may use what its parent defines, and a parent its children; every other dependency back is a [`Cycle`].
//!
//! A path leads to where its item is defined, through all re-exports: `crate::Foo` is an arrow to `foo` if the root has
//! `pub use foo::Foo`. Paths are found in `use` declarations, expressions, types, patterns, the tokens of macros and
//! the strings of attributes. Code compiled only for tests is ignored.
//!
//! Not detected are methods, since their types are not computed (the type that a method is called on is named somewhere,
//! or came from one that is); names brought in by a `use` inside a function, beyond the `use` itself; macros without a
//! path; and what macros make.

mod condition;
mod graph;
mod import;
mod layout;
mod module;
mod package;
mod picture;
mod scope;
mod text;
mod usage;
mod workspace;

pub use graph::{Graph, Site};
pub use module::Read;
pub use package::Package;
pub use picture::picture;
pub use workspace::{Crate, Cycle, Level, Workspace};

/// The path of the picture, relative to the workspace.
pub const PICTURE: &str = "book/src/figures/arrows.svg";
