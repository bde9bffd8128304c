//! `carom impact`: one problem, one outcome.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

use carom::problem::{Document, Edit, Format};
use carom::report::{OutcomeRecord, Text};
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
    let text =
        source.answer(&edits, arguments.format).map_err(|error| Failure::Problem { source: source.name(), error })?;
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Where a problem comes from.
enum Source {
    Scene(&'static carom::gallery::Scene),
    Text { name: String, text: String },
}

impl Source {
    /// A scene's name means the scene; a file of that name is reached as `./NAME`.
    fn open(name: &str) -> Result<Self, Failure> {
        if let Some(scene) = carom::gallery::find(name) {
            return Ok(Self::Scene(scene));
        }
        if name == "-" {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::file(Path::new("standard input"), "read", error))?;
            return Ok(Self::Text { name: "standard input".into(), text });
        }
        match std::fs::read_to_string(name) {
            Ok(text) => Ok(Self::Text { name: name.to_owned(), text }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(Failure::NoSuchScene { name: name.to_owned() })
            }
            Err(error) => Err(Failure::file(Path::new(name), "read", error)),
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
                answer(&title, scene.tree(), None, edits, format)
            }
            Source::Text { name, text } => {
                let kind = Format::guess(name, text);
                let document = Document::read(text, kind)?;
                let id = if kind == Format::Json { carom::batch::id(text) } else { None };
                answer(name, document.tree().clone(), id, edits, format).map_err(|error| document.locate(error))
            }
        }
    }
}

fn answer(
    title: &str,
    mut tree: carom::problem::Tree,
    id: Option<&carom::problem::RawId>,
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
        args::Format::Json => OutcomeRecord { outcome: &outcome, id }.line() + "\n",
    })
}
