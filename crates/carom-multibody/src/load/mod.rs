//! Models from robot files.
//!
//! | file | contents |
//! |---|---|
//! | `urdf` | URDF |
//! | `sdf` | SDF |
//! | `schema` | which elements of a URDF file are read |
//! | `mjcf` | MJCF |
//! | `mesh_file` | mesh files |
//! | `address` | locations of a URDF's meshes |
//! | `xml` | XML elements with source locations |
//! | `files` | where files are read from: the disk, or memory |
//! | `error` | errors in a file |

mod address;
mod error;
mod files;
mod mesh_file;
pub mod mjcf;
mod schema;
pub mod sdf;
pub mod urdf;
mod xml;

use std::io;
use std::path::Path;

pub use error::{LoadError, LoadErrorKind};
pub use files::{Disk, FileSet, Files};

use crate::{HullOptions, Model};

/// Options for reading a robot file: `Options::new().floating_base(true)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Lets the root link of a URDF move freely. MJCF and SDF files state this themselves.
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
    /// SDF, with the root element `<sdf>`.
    Sdf,
}

impl RobotFormat {
    fn article(self) -> &'static str {
        match self {
            Self::Urdf => "a URDF",
            Self::Mjcf => "an MJCF",
            Self::Sdf => "an SDF",
        }
    }
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

/// Reads a robot file; the root element distinguishes URDF, MJCF and SDF.
///
/// # Errors
/// The file cannot be read, is not a robot, or has an unsupported element that would change the dynamics.
pub fn file(path: impl AsRef<Path>, options: &Options) -> Result<Model, LoadError> {
    file_from(path, options, &Disk)
}

/// Reads a robot file from the given files, as it does all that it includes.
///
/// # Errors
/// As [`file`](fn@file).
pub fn file_from(path: impl AsRef<Path>, options: &Options, files: &dyn Files) -> Result<Model, LoadError> {
    let path = path.as_ref();
    let model = text_from(&xml::read(path, files)?, path, options, files)?;
    let opened = std::iter::once(path.to_owned()).chain(model.files().iter().cloned()).collect();
    Ok(model.with_files(opened))
}

/// The format of a robot file, by its root element.
///
/// # Errors
/// The file cannot be read, or is none of URDF, MJCF and SDF.
pub fn format_of(path: &Path) -> Result<RobotFormat, LoadError> {
    format_from(path, &Disk)
}

/// The format of a robot file among the given files.
///
/// # Errors
/// As [`format_of`].
pub fn format_from(path: &Path, files: &dyn Files) -> Result<RobotFormat, LoadError> {
    let text = xml::read(path, files)?;
    let document = xml::parse(&text, path)?;
    let root = document.root_element();
    format_of_root(root.tag_name().name()).map_err(|message| xml::fault(LoadErrorKind::Syntax, path, root, message))
}

fn format_of_root(name: &str) -> Result<RobotFormat, String> {
    match name {
        "robot" => Ok(RobotFormat::Urdf),
        "mujoco" => Ok(RobotFormat::Mjcf),
        "sdf" => Ok(RobotFormat::Sdf),
        other => {
            Err(format!("the root element is <{other}>; a URDF has <robot>, an MJCF has <mujoco>, an SDF has <sdf>"))
        }
    }
}

/// Reads a robot from the text of a file. The path is used in messages and to locate included files.
///
/// # Errors
/// The text is not a robot, or has an unsupported element that would change the dynamics.
pub fn text(text: &str, path: &Path, options: &Options) -> Result<Model, LoadError> {
    text_from(text, path, options, &Disk)
}

/// Reads a robot from the text of a file; what it includes is read from the given files.
///
/// # Errors
/// As [`text`](fn@text).
pub fn text_from(text: &str, path: &Path, options: &Options, files: &dyn Files) -> Result<Model, LoadError> {
    let document = xml::parse(text, path)?;
    let lines = xml::Lines::of(&document);
    let root = document.root_element();
    let fault = |message: String| xml::fault(LoadErrorKind::Syntax, path, root, message);
    match (format_of_root(root.tag_name().name()).map_err(fault)?, options.format) {
        (RobotFormat::Urdf, None | Some(RobotFormat::Urdf)) => {
            urdf::from_document(&document, &lines, path, options, files)
        }
        (RobotFormat::Mjcf, None | Some(RobotFormat::Mjcf)) => {
            mjcf::from_document(&document, &lines, path, options, files)
        }
        (RobotFormat::Sdf, None | Some(RobotFormat::Sdf)) => {
            sdf::from_document(&document, &lines, path, options, files)
        }
        (is, Some(asked)) => {
            Err(fault(format!("is {} file, but {} file was requested", is.article(), asked.article())))
        }
    }
}
