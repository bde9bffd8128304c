//! `carom impact`: one problem, one outcome.

use std::process::ExitCode;
use std::time::Instant;

use carom::ProblemError;
use carom::document::Edit;
use carom::report::{AnswerText, ErrorRecord, OutcomeRecord, RobotRecord};

use crate::args::{self, Impact};
use crate::console::{is_quiet, tell_effort, tell_ignored, timed};
use crate::failure::Failure;
use crate::output::print;
use crate::source::Source;

pub fn run(arguments: &Impact) -> Result<ExitCode, Failure> {
    let mut edits = arguments.changes.edits()?;
    if let Some(guard) = arguments.guard {
        edits.extend(format!("guard={}", guard.name()).parse::<Edit>().map(|edit| edit.by_option("--guard")));
    }
    if let Some(law) = &arguments.law {
        edits.extend(format!("law={law}").parse::<Edit>().map(|edit| edit.by_option("--law")));
    }
    let source = Source::open(&arguments.subject, &arguments.robot)?;
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
    let begun = Instant::now();
    let stated = source.read(edits)?;
    timed("reading", begun);
    let problem = &stated.problem;
    tell_ignored(problem);
    let begun = Instant::now();
    let answer = problem.answer()?;
    timed("solving", begun);
    tell_effort(&answer);
    let mut robot = problem.scene().map(|scene| RobotRecord::of_answer(scene, &answer)).transpose()?;
    if is_quiet() && format == args::Format::Text {
        robot.iter_mut().for_each(|robot| robot.warnings.clear());
    }
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
