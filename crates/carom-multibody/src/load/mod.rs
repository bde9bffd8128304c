//! Models from robot files.
//!
//! | file | contents |
//! |---|---|
//! | `urdf` | URDF |
//! | `schema` | which elements of a URDF file are read |
//! | `mjcf` | MJCF |
//! | `mesh_file` | mesh files |
//! | `address` | locations of a URDF's meshes |
//! | `xml` | XML elements with source locations |
//! | `error` | errors in a file |

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

/// Options for reading a robot file: `Options::new().floating_base(true)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Lets the root link of a URDF move freely. An MJCF file states this itself.
    pub floating_base: bool,
    /// How joints that mimic others are treated.
    pub mimics: Mimics,
    /// The required format; by default it follows from the root element.
    pub format: Option<RobotFormat>,
    /// Reads the meshes of collision shapes and computes their convex hulls. The dynamics do not need them, so by default
    /// these meshes are not read.
    pub hulls: Option<HullOptions>,
}

impl Options {
    /// A fixed base, mimics that follow, either format.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the root link of a URDF moves freely.
    #[must_use]
    pub fn floating_base(self, floating_base: bool) -> Self {
        Self { floating_base, ..self }
    }

    /// Sets what to do with joints that mimic others.
    #[must_use]
    pub fn mimics(self, mimics: Mimics) -> Self {
        Self { mimics, ..self }
    }

    /// Sets the format that the file must have.
    #[must_use]
    pub fn format(self, format: RobotFormat) -> Self {
        Self { format: Some(format), ..self }
    }

    /// Reads the meshes of collision shapes and computes their convex hulls.
    #[must_use]
    pub fn hulls(self, hulls: HullOptions) -> Self {
        Self { hulls: Some(hulls), ..self }
    }
}

/// The formats of robot files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotFormat {
    /// URDF, with the root element `<robot>`.
    Urdf,
    /// MJCF, with the root element `<mujoco>`.
    Mjcf,
}

/// How joints that mimic others are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mimics {
    /// They follow their leader, and have no velocity of their own.
    #[default]
    Follow,
    /// They move independently, as if the file did not couple them.
    Free,
}

/// Rejects pipes, devices and sockets: reading one may never end, and they cannot be read twice.
///
/// # Errors
/// `path` does not exist, or is neither a file nor a folder.
pub fn check_regular(path: &Path) -> io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a device, not a regular file"))
}

/// Reads a robot file; the root element distinguishes URDF from MJCF.
///
/// # Errors
/// The file cannot be read, is not a robot, or has an unsupported element that would change the dynamics.
pub fn file(path: impl AsRef<Path>, options: &Options) -> Result<Model, LoadError> {
    let path = path.as_ref();
    let model = text(&xml::read(path)?, path, options)?;
    let files = std::iter::once(path.to_owned()).chain(model.files().iter().cloned()).collect();
    Ok(model.with_files(files))
}

/// The format of a robot file, by its root element.
///
/// # Errors
/// The file cannot be read, or is neither URDF nor MJCF.
pub fn format_of(path: &Path) -> Result<RobotFormat, LoadError> {
    let text = xml::read(path)?;
    let document = xml::parse(&text, path)?;
    let root = document.root_element();
    format_of_root(root.tag_name().name()).map_err(|message| xml::fault(LoadErrorKind::Syntax, path, root, message))
}

fn format_of_root(name: &str) -> Result<RobotFormat, String> {
    match name {
        "robot" => Ok(RobotFormat::Urdf),
        "mujoco" => Ok(RobotFormat::Mjcf),
        other => Err(format!("the root element is <{other}>; a URDF has <robot>, an MJCF has <mujoco>")),
    }
}

/// Reads a robot from the text of a file. The path is used in messages and to locate included files.
///
/// # Errors
/// The text is not a robot, or has an unsupported element that would change the dynamics.
pub fn text(text: &str, path: &Path, options: &Options) -> Result<Model, LoadError> {
    let document = xml::parse(text, path)?;
    let lines = xml::Lines::of(&document);
    let root = document.root_element();
    let fault = |message: String| xml::fault(LoadErrorKind::Syntax, path, root, message);
    match (format_of_root(root.tag_name().name()).map_err(fault)?, options.format) {
        (RobotFormat::Urdf, None | Some(RobotFormat::Urdf)) => urdf::from_document(&document, &lines, path, options),
        (RobotFormat::Mjcf, None | Some(RobotFormat::Mjcf)) => mjcf::from_document(&document, &lines, path, options),
        (RobotFormat::Urdf, _) => Err(fault("is a URDF file, but an MJCF file was requested".to_owned())),
        (RobotFormat::Mjcf, _) => Err(fault("is an MJCF file, but a URDF file was requested".to_owned())),
    }
}
