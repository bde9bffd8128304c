//! A mesh of triangles.

use crate::Vector;

pub(super) const SHORT: &str = "is truncated or not in the format of its file extension";
pub(super) const LOST: &str = "has a face with a vertex that does not exist";

/// A mesh of triangles; without faces it represents its convex hull.
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<Vector>,
    pub(crate) faces: Vec<[usize; 3]>,
    /// Whether the file has further objects that were not requested.
    pub(crate) is_part: bool,
}

impl Triangles {
    /// The vertices of faces.
    pub(crate) fn used_vertices(&self) -> Vec<Vector> {
        let mut is_used = vec![false; self.vertices.len()];
        for &corner in self.faces.iter().flatten() {
            is_used[corner] = true;
        }
        self.vertices.iter().zip(is_used).filter(|(_, is_used)| *is_used).map(|(vertex, _)| *vertex).collect()
    }
}

/// Which objects of a file with several make the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// The first, as in MuJoCo.
    First,
    /// All of them.
    All,
}
