//! What is explored: a built-in scene, the file of the command line, files that were dropped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::assumed::{self, Wishes};
use carom::document::{Document, Format, Tree};
use carom::gallery;
use carom::multibody::load::{Disk, FileSet, Files};
use carom::report::StoredRun;
use carom::robots::Robots;

use crate::fault::Fault;
use crate::request::{GivenFiles, from_base64};

/// The ending of a saved scene of a run: with `.json` alone it could replace the run.
pub(crate) const SCENE_OF_RUN: &str = "scene.json";

/// A document that is explored, as it was opened.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name of the scene, or of the file without folders.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// As the command line names it.
    pub(crate) subject: String,
    pub(crate) tree: Tree,
    pub(crate) text: String,
    pub(crate) folder: PathBuf,
    pub(crate) robots: Robots,
    /// For a robot file alone, the scene that is assumed.
    pub(crate) assumed: bool,
    /// For a run, what its file says.
    pub(crate) run: Option<StoredRun>,
    /// The key of files that were dropped.
    pub(crate) key: Option<String>,
}

/// The kinds of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Impact,
    Simulation,
    File,
}

impl Source {
    /// The name without its ending.
    pub(crate) fn stem(&self) -> &str {
        self.name.rsplit_once('.').map_or(self.name.as_str(), |(stem, _)| stem)
    }

    /// A built-in scene.
    pub(crate) fn built_in(name: &str, kind: Kind) -> Result<Self, Fault> {
        let (found, list) = match kind {
            Kind::Simulation => (gallery::find_simulation(name), gallery::SIMULATIONS),
            _ => (gallery::find(name), gallery::SCENES),
        };
        let exhibit = found.ok_or_else(|| {
            let names: Vec<&str> = list.iter().map(|exhibit| exhibit.name).collect();
            Fault::of_kind("unknown_name", format!("{name:?} is not one of {}", names.join(", ")))
        })?;
        Ok(Self {
            name: name.to_owned(),
            kind,
            subject: name.to_owned(),
            tree: exhibit.tree()?,
            text: exhibit.text.to_owned(),
            folder: PathBuf::new(),
            robots: Robots::new(),
            assumed: false,
            run: None,
            key: None,
        })
    }

    /// A file on the disk, named on the command line. Files that it includes are read from the disk, too.
    pub(crate) fn on_disk(path: &Path) -> Result<Self, Fault> {
        Self::read(path, Arc::new(Disk), None)
    }

    /// Files that were dropped. Nothing else is read.
    pub(crate) fn dropped(given: &GivenFiles, key: String) -> Result<Self, Fault> {
        let mut files = FileSet::new();
        for file in &given.files {
            let wrong = |message: &str| Fault::request("files", message).in_file(&file.name);
            let content = match (&file.text, &file.base64) {
                (Some(text), None) => text.clone().into_bytes(),
                (None, Some(coded)) => from_base64(coded).ok_or_else(|| wrong("is not base 64"))?,
                _ => return Err(wrong("needs either text or base64")),
            };
            files.insert(&file.name, content);
        }
        let main = given.main.clone().or_else(|| main_of(given));
        let main = main.ok_or_else(|| {
            Fault::of_kind(
                "file",
                "none of the files is a scene, a problem, a run or a robot (TOML, JSON, CSV, URDF, MJCF)",
            )
        })?;
        Self::read(Path::new(&main), Arc::new(files), Some(key))
    }

    fn read(path: &Path, files: Arc<dyn Files>, key: Option<String>) -> Result<Self, Fault> {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let bytes = files.read(path);
        let bytes =
            bytes.map_err(|error| Fault::of_kind("file", format!("{name} cannot be read: {error}")).in_file(&name))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Fault::of_kind("syntax", format!("{name} is not text in UTF-8")).in_file(&name))?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let (mut run, is_robot) = (None, assumed::is_robot(&text));
        let (tree, text) = if is_robot {
            let wishes = Wishes { is_impact: true, ..Wishes::default() };
            let text = assumed::scene_of_robot_from(path, &wishes, &*files)
                .map_err(|error| Fault::of_kind("model", error.to_string()).in_file(&name))?;
            (Document::read(&text, Format::Toml)?.tree().clone(), text)
        } else if is_run(&name, &text) {
            let stored = StoredRun::from_files(path, &*files).map_err(|error| Fault::from(error).in_file(&name))?;
            // A run on the disk finds its robot where it was or beside the run; a dropped one, among the files dropped
            // with it.
            let tree = match key {
                Some(_) => stored.provenance.scene.clone(),
                None => stored.provenance.scene_here(&folder, None)?,
            };
            let text = format!("{tree:#}\n");
            run = Some(stored);
            (tree, text)
        } else {
            let tree = Document::read(&text, Format::guess(&name, &text)).map(|document| document.tree().clone());
            (tree.map_err(|error| Fault::from(error).in_file(&name))?, text)
        };
        let subject = if key.is_some() { name.clone() } else { path.display().to_string() };
        Ok(Self {
            name,
            kind: Kind::File,
            subject,
            tree,
            text,
            folder,
            robots: Robots::from_files(files),
            assumed: is_robot,
            run,
            key,
        })
    }
}

/// Whether a file is that of a run: a table, or JSON with a header and a summary.
fn is_run(name: &str, text: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".csv")
        || text.trim_start().starts_with('{')
            && Document::read(text, Format::Json)
                .is_ok_and(|document| document.tree().contains("header") && document.tree().contains("summary"))
}

/// The file that the others belong to: a run, scene or problem, otherwise a robot.
fn main_of(given: &GivenFiles) -> Option<String> {
    let ends = |name: &str, endings: &[&str]| endings.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    let is_beside = |name: &str| ends(name, &[".events.csv", ".header.json"]);
    let names = || given.files.iter().map(|file| &file.name);
    let documents = names().find(|name| !is_beside(name) && ends(name, &[".toml", ".json", ".csv"]));
    documents.or_else(|| names().find(|name| ends(name, &[".urdf", ".xml", ".mjcf", ".sdf"]))).cloned()
}
