//! `carom impact`: one problem, one outcome.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use carom::gallery::Exhibit;
use carom::problem::{Document, Edit, Format, Tree};
use carom::report::{ErrorRecord, Id, OutcomeRecord, RobotRecord, Text};
use carom::scene::Scene;
use carom::{Problem, ProblemError};

use crate::args::{self, Impact};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &Impact) -> Result<ExitCode, Failure> {
    let mut edits = arguments.edits.clone();
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>());
    }
    if let Some(law) = &arguments.law {
        edits.extend(format!("law={law}").parse::<Edit>());
    }
    let source = Source::open(&arguments.problem)?;
    match source.answer(&edits, arguments.format) {
        Ok(text) => {
            print(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            if arguments.format == args::Format::Json {
                print(&(ErrorRecord { error: &error, id: None }.line() + "\n"))?;
            }
            let edit = error.field.as_ref().is_some_and(|field| edits.iter().any(|edit| edit.touches(field)));
            Err(Failure::Problem { source: source.name(), error: Box::new(error), text: source.into_text(), edit })
        }
    }
}

fn print(text: &str) -> Result<(), Failure> {
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()
}

/// Where a problem comes from.
enum Source {
    Scene(&'static Exhibit),
    Text { name: String, text: String, folder: PathBuf },
}

impl Source {
    /// A scene's name means the scene; a file of that name is reached as `./NAME`.
    fn open(path: &Path) -> Result<Self, Failure> {
        if let Some(scene) = path.to_str().and_then(carom::gallery::find) {
            return Ok(Self::Scene(scene));
        }
        if path == Path::new("-") {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::file(Path::new("standard input"), "read", error))?;
            return Ok(Self::Text { name: "standard input".into(), text, folder: PathBuf::new() });
        }
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            // XML: neither JSON nor TOML begins so.
            Ok(text) if text.trim_start_matches('\u{feff}').trim_start().starts_with('<') => {
                Err(Failure::RobotNotScene { name })
            }
            Ok(text) => Ok(Self::Text { name, text, folder: path.parent().map_or_else(PathBuf::new, Path::to_owned) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.components().count() == 1 => {
                Err(Failure::NoSuchScene { name, or_file: true })
            }
            Err(error) => Err(Failure::file(path, "read", error)),
        }
    }

    fn name(&self) -> String {
        match self {
            Source::Scene(scene) => scene.name.to_owned(),
            Source::Text { name, .. } => name.clone(),
        }
    }

    /// The text to point into.
    fn into_text(self) -> Option<String> {
        match self {
            Source::Scene(_) => None,
            Source::Text { text, .. } => Some(text),
        }
    }

    fn answer(&self, edits: &[Edit], format: args::Format) -> Result<String, ProblemError> {
        match self {
            Source::Scene(scene) => answer(scene.name, scene.tree()?, Path::new(""), Id::of_tree, edits, format),
            Source::Text { name, text, folder } => {
                let kind = Format::guess(name, text);
                let document = Document::read(text, kind)?;
                let is_changed = kind == Format::Toml || edits.iter().any(|edit| edit.touches("id"));
                let id = |tree: &Tree| if is_changed { Id::of_tree(tree) } else { Id::of_json(text) };
                answer(name, document.tree().clone(), folder, id, edits, format).map_err(|error| {
                    let is_edited = error.field.as_ref().is_some_and(|field| edits.iter().any(|e| e.touches(field)));
                    if is_edited { error } else { document.locate(error) }
                })
            }
        }
    }
}

fn answer(
    title: &str,
    mut tree: Tree,
    folder: &Path,
    id: impl Fn(&Tree) -> Id,
    edits: &[Edit],
    format: args::Format,
) -> Result<String, ProblemError> {
    for edit in edits {
        edit.apply(&mut tree)?;
    }
    let problem = Problem::from_tree_in(&tree, folder)?;
    let outcome = problem.solve()?;
    let robot = problem.scene().map(RobotRecord::new).transpose()?;
    let robot = robot.as_ref();
    Ok(match format {
        args::Format::Text => {
            let title = match problem.scene().and_then(Scene::title) {
                Some(shows) => format!("{title}: {shows}"),
                None => title.to_owned(),
            };
            Text { title: &title, outcome: &outcome, velocity: problem.velocity(), robot }.to_string()
        }
        args::Format::Json => OutcomeRecord { outcome: &outcome, robot, id: id(&tree).as_raw() }.line() + "\n",
    })
}
