//! `carom impact`: one problem, one outcome.

use std::process::ExitCode;

use carom::ProblemError;
use carom::document::Edit;
use carom::report::{AnswerText, ErrorRecord, OutcomeRecord, RobotRecord};

use crate::args::{self, Impact};
use crate::failure::Failure;
use crate::output::print;
use crate::source::Source;

pub fn run(arguments: &Impact) -> Result<ExitCode, Failure> {
    let mut edits = arguments.edits.clone();
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>());
    }
    if let Some(law) = &arguments.law {
        edits.extend(format!("law={law}").parse::<Edit>());
    }
    let source = Source::open(&arguments.problem, &arguments.robot)?;
    match answer(&source, &edits, arguments.format) {
        Ok(text) => {
            print(&text, arguments.format)?;
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            let error = source.locate(error, &edits);
            if arguments.format == args::Format::Json {
                print(&(ErrorRecord::new(&error, None).line() + "\n"), arguments.format)?;
            }
            Err(source.failure(error, &edits))
        }
    }
}

fn answer(source: &Source, edits: &[Edit], format: args::Format) -> Result<String, ProblemError> {
    let stated = source.read(edits)?;
    let problem = &stated.problem;
    let answer = problem.answer()?;
    let robot = problem.scene().map(RobotRecord::new).transpose()?;
    let robot = robot.as_ref();
    Ok(match format {
        args::Format::Text => {
            let (title, velocity) = (&source.title(problem), problem.velocity());
            let text = AnswerText { title, answer: &answer, velocity, robot }.to_string();
            source.assumptions() + &text
        }
        args::Format::Json => OutcomeRecord::new(&answer, robot, Some(&stated.id)).line() + "\n",
    })
}
