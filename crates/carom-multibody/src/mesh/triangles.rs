//! A mesh of triangles, and its formats.

use super::dae::dae;
use super::msh::msh;
use super::obj::obj;
use super::stl::stl;
use crate::Vector;

pub(super) const SHORT: &str = "is truncated or not in the format of its file extension";
pub(super) const LOST: &str = "has a face with a vertex that does not exist";

/// A mesh of triangles; without faces it represents its convex hull.
pub(crate) struct Triangles {
    pub(crate) vertices: Vec<Vector>,
    pub(crate) faces: Vec<[usize; 3]>,
    /// Whether the file has further objects, which were not asked for.
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

/// The supported formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Stl,
    Obj,
    /// MuJoCo's own.
    Msh,
    /// COLLADA. Faces are not kept: the mesh represents its convex hull.
    Dae,
}

impl Format {
    /// By the ending of a file's name, or the last part of a content type, in lower case.
    pub(crate) fn by_name(word: &str) -> Option<Self> {
        match word {
            "stl" => Some(Format::Stl),
            "obj" => Some(Format::Obj),
            "msh" => Some(Format::Msh),
            "dae" => Some(Format::Dae),
            _ => None,
        }
    }
}

/// Which objects of a file with several make the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Objects {
    /// The first, as MuJoCo has it.
    First,
    /// All of them.
    All,
}

/// Reads a mesh from the bytes of a file, or says what is wrong with it.
pub(crate) fn parse(bytes: &[u8], format: Format, objects: Objects) -> Result<Triangles, &'static str> {
    let mesh = match format {
        Format::Stl => stl(bytes).ok_or(SHORT),
        Format::Obj => obj(&String::from_utf8_lossy(bytes), objects),
        Format::Msh => msh(bytes).ok_or(SHORT),
        Format::Dae => dae(&String::from_utf8_lossy(bytes)),
    }?;
    if mesh.vertices.iter().any(|vertex| !vertex.is_finite()) {
        return Err("has a vertex that is not finite");
    }
    if mesh.faces.iter().flatten().any(|&corner| corner >= mesh.vertices.len()) {
        return Err(LOST);
    }
    Ok(mesh)
}
