//! `carom schema`: JSON Schemas of documents.

use std::process::ExitCode;

use carom::Problem;
use carom::report::{OutcomeRecord, run_schema};
use carom::scene::Scene;

use crate::args::{Described, Format, Schema};
use crate::failure::Failure;
use crate::output::print;

pub fn run(arguments: &Schema) -> Result<ExitCode, Failure> {
    let schema = match arguments.of {
        Described::Scene => Scene::json_schema(),
        Described::Problem => Problem::json_schema(),
        Described::Outcome => OutcomeRecord::json_schema(),
        Described::Run => run_schema(),
    };
    print(&schema, Format::Json)?;
    Ok(ExitCode::SUCCESS)
}
