//! `carom impact`: one problem, one outcome.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use carom::problem::{Document, Edit, Format, Tree};
use carom::report::{ErrorRecord, Id, OutcomeRecord, Text};
use carom::{Problem, ProblemError};

use crate::args::{self, Impact};
use crate::failure::Failure;
use crate::output::Output;

pub fn run(arguments: &Impact) -> Result<ExitCode, Failure> {
    let mut edits = arguments.edits.clone();
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>());
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
            Err(Failure::Problem { source: source.name(), error, edit })
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
    Scene(&'static carom::gallery::Scene),
    Text { name: String, text: String },
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
            return Ok(Self::Text { name: "standard input".into(), text });
        }
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Ok(Self::Text { name, text }),
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

    fn answer(&self, edits: &[Edit], format: args::Format) -> Result<String, ProblemError> {
        match self {
            Source::Scene(scene) => {
                let title = format!("{}: {}", scene.name, scene.summary);
                answer(&title, scene.tree(), Id::of_tree, edits, format)
            }
            Source::Text { name, text } => {
                let kind = Format::guess(name, text);
                let document = Document::read(text, kind)?;
                let is_changed = kind == Format::Toml || edits.iter().any(|edit| edit.touches("id"));
                let id = |tree: &Tree| if is_changed { Id::of_tree(tree) } else { Id::of_json(text) };
                answer(name, document.tree().clone(), id, edits, format).map_err(|error| {
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
    id: impl Fn(&Tree) -> Id,
    edits: &[Edit],
    format: args::Format,
) -> Result<String, ProblemError> {
    for edit in edits {
        edit.apply(&mut tree)?;
    }
    let problem = Problem::from_tree(&tree)?;
    let outcome = problem.solve()?;
    Ok(match format {
        args::Format::Text => Text { title, outcome: &outcome, velocity: problem.velocity() }.to_string(),
        args::Format::Json => OutcomeRecord { outcome: &outcome, id: id(&tree).as_raw() }.line() + "\n",
    })
}
