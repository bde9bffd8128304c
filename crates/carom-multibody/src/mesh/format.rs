//! The formats of mesh files, and a mesh from the bytes of one.

use super::dae::dae;
use super::msh::msh;
use super::obj::obj;
use super::stl::stl;
use super::triangles::{LOST, Objects, SHORT, Triangles};

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
