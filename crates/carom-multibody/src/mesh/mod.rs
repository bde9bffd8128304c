//! Meshes of triangles: what their files say, and the convex hull of their vertices.
//!
//! | file | what it has |
//! |---|---|
//! | `triangles` | a mesh of triangles, and its formats |
//! | `stl` | STL, binary and text |
//! | `obj` | Wavefront OBJ |
//! | `msh` | MuJoCo's own format |
//! | `dae` | COLLADA |
//! | `words` | numbers in single precision from bytes and words |
//! | `side` | on which side of a plane a point is |
//! | `hull` | the convex hull |
//! | `simplified` | a hull with few vertices, and how far it is inside the true one |

mod dae;
mod hull;
mod msh;
mod obj;
mod side;
mod simplified;
mod stl;
mod triangles;
mod words;

pub(crate) use hull::hull;
pub use simplified::{Hull, HullOptions};
pub(crate) use triangles::{Format, Objects, Triangles, parse};
