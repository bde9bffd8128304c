//! Mesh files.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Files;
use crate::mesh::{self, Format, Objects, Triangles};

/// A mesh file that cannot be used.
#[derive(Debug)]
pub(super) struct MeshError {
    path: PathBuf,
    trouble: Trouble,
}

#[derive(Debug)]
enum Trouble {
    /// It cannot be opened.
    Read(std::io::Error),
    /// What it says is not a mesh.
    Content(&'static str),
}

impl MeshError {
    /// Whether the file could not be opened, and not its content is at fault.
    pub(super) fn is_unread(&self) -> bool {
        matches!(self.trouble, Trouble::Read(_))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.trouble {
            Trouble::Read(error) => write!(f, "the mesh file {} cannot be read: {error}", self.path.display()),
            Trouble::Content(what) => write!(f, "the mesh file {} {what}", self.path.display()),
        }
    }
}

/// Reads a mesh file.
pub(super) fn read(path: &Path, format: Format, objects: Objects, files: &dyn Files) -> Result<Triangles, MeshError> {
    let error = |trouble| MeshError { path: path.to_owned(), trouble };
    let bytes = files.read(path).map_err(|cause| error(Trouble::Read(cause)))?;
    mesh::parse(&bytes, format, objects).map_err(|what| error(Trouble::Content(what)))
}
