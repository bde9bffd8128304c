//! Models from robot files.
//!
//! | file | what it has |
//! |---|---|
//! | `urdf` | URDF |
//! | `schema` | what of a URDF file is read, and what is not |
//! | `mjcf` | MJCF |
//! | `mesh_file` | mesh files |
//! | `address` | where a URDF's meshes are |
//! | `xml` | elements with places |
//! | `error` | what is wrong with a file |

mod address;
mod error;
mod mesh_file;
pub mod mjcf;
mod schema;
pub mod urdf;
mod xml;

use std::io;
use std::path::Path;

pub use error::{LoadError, LoadErrorKind};

use crate::{HullOptions, Model};

/// What a reader may choose where the file leaves it open.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Options {
    /// Lets the root link of a URDF move freely. In MJCF the file itself says so.
    pub floating_base: bool,
    /// What to do with joints that mimic others.
    pub mimics: Mimics,
    /// The format that the file must have; by default its root element says.
    pub format: Option<Format>,
    /// Reads the meshes of shapes that can touch and gives them convex hulls. The dynamics do not need them, so by default no
    /// mesh is read for its shape.
    pub hulls: Option<HullOptions>,
}

/// The formats of robot files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// With the root element `<robot>`.
    Urdf,
    /// With the root element `<mujoco>`.
    Mjcf,
}

/// What to do with joints that mimic others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mimics {
    /// They follow, and have no velocity of their own.
    #[default]
    Follow,
    /// They move by themselves, as if the file did not couple them.
    Free,
}

/// Refuses pipes, devices and sockets: reading one may never end, and nothing in them can be read twice.
///
/// # Errors
/// There is nothing at `path`, or it is neither a file nor a folder.
pub fn check_regular(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, not a file"))
}

/// Reads a robot file; its root element tells URDF from MJCF.
///
/// # Errors
/// The file cannot be read, is not a robot, or has something that cannot be left out.
pub fn file(path: &Path, options: &Options) -> Result<Model, LoadError> {
    text(&xml::read(path)?, path, options)
}

/// Reads a robot from the text of a file. The path is for messages, and for files that it includes.
///
/// # Errors
/// The text is not a robot, or has something that cannot be left out.
pub fn text(text: &str, path: &Path, options: &Options) -> Result<Model, LoadError> {
    let document = xml::parse(text, path)?;
    let lines = xml::Lines::of(&document);
    let root = document.root_element();
    let fault = |message: String| Err(xml::fault(LoadErrorKind::Syntax, path, root, message));
    match (root.tag_name().name(), options.format) {
        ("robot", None | Some(Format::Urdf)) => urdf::from_document(&document, &lines, path, options),
        ("mujoco", None | Some(Format::Mjcf)) => mjcf::from_document(&document, &lines, path, options),
        ("robot", Some(Format::Mjcf)) => fault("is a URDF, and an MJCF is asked for".to_owned()),
        ("mujoco", Some(Format::Urdf)) => fault("is an MJCF, and a URDF is asked for".to_owned()),
        (other, _) => fault(format!("the root element is <{other}>; a URDF has <robot>, an MJCF has <mujoco>")),
    }
}
