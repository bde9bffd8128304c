//! The source of a problem: a built-in scene, a file, or standard input.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use carom::document::{Document, Edit, Format, Tree};
use carom::gallery::Exhibit;
use carom::report::Id;
use carom::scene::Scene;
use carom::{Problem, ProblemError};

use crate::exhibits::Gallery;
use crate::failure::Failure;

/// The source of a problem.
pub enum Source {
    Scene(&'static Exhibit),
    Text { name: String, text: String, folder: PathBuf },
}

/// A problem as read, with its changes applied.
pub struct Stated {
    pub problem: Problem,
    pub id: Id,
}

impl Source {
    /// A scene's name means the scene; a file of that name is reached as `./NAME`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        Self::open_as(path, Gallery::Impacts)
    }

    /// Opens a source, looking up names of scenes in the given list.
    pub fn open_as(path: &Path, gallery: Gallery) -> Result<Self, Failure> {
        if let Some(scene) = path.to_str().and_then(|name| gallery.find(name)) {
            return Ok(Self::Scene(scene));
        }
        if path == Path::new("-") {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::file(Path::new("standard input"), "read", error))?;
            return Ok(Self::Text { name: "standard input".into(), text, folder: PathBuf::new() });
        }
        let name = path.display().to_string();
        let text = carom::multibody::load::check_regular(path).and_then(|()| std::fs::read_to_string(path));
        match text {
            // XML: neither JSON nor TOML starts like this.
            Ok(text) if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => {
                Err(Failure::RobotNotScene { name })
            }
            Ok(text) => Ok(Self::Text { name, text, folder: path.parent().map_or_else(PathBuf::new, Path::to_owned) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.components().count() == 1 => {
                Err(Failure::NoSuchScene { name, gallery, or_file: true })
            }
            Err(error) => Err(Failure::file(path, "read", error)),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Source::Scene(scene) => scene.name.to_owned(),
            Source::Text { name, .. } => name.clone(),
        }
    }

    /// The name, and the title of the scene.
    pub fn title(&self, problem: &Problem) -> String {
        match problem.scene().and_then(Scene::title) {
            Some(shows) => format!("{}: {shows}", self.name()),
            None => self.name(),
        }
    }

    /// The problem with its changes applied.
    pub fn read(&self, edits: &[Edit]) -> Result<Stated, ProblemError> {
        match self {
            Source::Scene(scene) => stated(scene.tree()?, Path::new(""), Id::of_tree, edits),
            Source::Text { name, text, folder } => {
                let kind = Format::guess(name, text);
                let is_changed = kind == Format::Toml || edits.iter().any(|edit| edit.touches("id"));
                let id = |tree: &Tree| if is_changed { Id::of_tree(tree) } else { Id::of_json(text) };
                stated(Document::read(text, kind)?.tree().clone(), folder, id, edits)
            }
        }
    }

    /// Adds the line to an error of this problem; a value set by an edit has none.
    pub fn locate(&self, error: ProblemError, edits: &[Edit]) -> ProblemError {
        match self {
            Source::Text { name, text, .. } if !is_edited(&error, edits) => {
                match Document::read(text, Format::guess(name, text)) {
                    Ok(document) => document.locate(error),
                    Err(_) => error,
                }
            }
            Source::Text { .. } | Source::Scene(_) => error,
        }
    }

    /// The failure for an error that is already located.
    pub fn failure(self, error: ProblemError, edits: &[Edit]) -> Failure {
        let (source, edit) = (self.name(), is_edited(&error, edits));
        let text = match self {
            Source::Scene(_) => None,
            Source::Text { text, .. } => Some(text),
        };
        Failure::Problem { source, error: Box::new(error), text, edit }
    }
}

fn is_edited(error: &ProblemError, edits: &[Edit]) -> bool {
    error.field.as_ref().is_some_and(|field| edits.iter().any(|edit| edit.touches(field)))
}

fn stated(mut tree: Tree, folder: &Path, id: impl Fn(&Tree) -> Id, edits: &[Edit]) -> Result<Stated, ProblemError> {
    for edit in edits {
        edit.apply(&mut tree)?;
    }
    Ok(Stated { problem: Problem::from_tree_in(&tree, folder)?, id: id(&tree) })
}
