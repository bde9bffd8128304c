//! `carom compare`: one impact, every law.

use std::io::Write;
use std::process::ExitCode;

use carom::ProblemError;
use carom::analysis::Comparison;
use carom::report::{ComparisonText, comparison_json};

use crate::args::{Compare, Format};
use crate::failure::Failure;
use crate::output::Output;
use crate::source::Source;

pub fn run(arguments: &Compare) -> Result<ExitCode, Failure> {
    let source = Source::open(&arguments.problem)?;
    let text = match compare(&source, arguments) {
        Ok(text) => text,
        Err(error) => {
            let error = source.locate(error, &arguments.edits);
            return Err(source.failure(error, &arguments.edits));
        }
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn compare(source: &Source, arguments: &Compare) -> Result<String, ProblemError> {
    let problem = source.read(&arguments.edits)?.problem;
    let comparison = Comparison::new(&problem)?;
    Ok(match arguments.format {
        Format::Text => ComparisonText { title: &source.title(&problem), comparison: &comparison }.to_string(),
        Format::Json => comparison_json(&comparison) + "\n",
    })
}
