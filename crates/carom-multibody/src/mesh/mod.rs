//! Triangle meshes: their file formats and convex hulls.
//!
//! | file | contents |
//! |---|---|
//! | `triangles` | a mesh of triangles |
//! | `format` | the formats, and a mesh from the bytes of a file |
//! | `stl` | STL, binary and text |
//! | `obj` | Wavefront OBJ |
//! | `msh` | MuJoCo's own format |
//! | `dae` | COLLADA |
//! | `words` | numbers in single precision from bytes and words |
//! | `side` | the side of a plane on which a point lies |
//! | `hull` | the convex hull |
//! | `simplified` | hulls with few vertices |

mod dae;
mod format;
mod hull;
mod msh;
mod obj;
mod side;
mod simplified;
mod stl;
mod triangles;
mod words;

pub(crate) use format::{Format, parse};
pub(crate) use hull::hull;
pub use simplified::{Hull, HullOptions};
pub(crate) use triangles::{Objects, Triangles};
