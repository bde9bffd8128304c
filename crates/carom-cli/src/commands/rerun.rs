//! `carom rerun`: repeats a run from its file, and compares the two to the bit.

use std::path::Path;
use std::process::ExitCode;

use carom::report::{RunComparison, StoredRun};
use carom::sim::Ending;

use crate::args::{Format, Rerun};
use crate::console::note;
use crate::failure::Failure;
use crate::output::{complain, print};
use crate::run_files::Files;
use crate::running::simulate;

pub fn run(arguments: &Rerun) -> Result<ExitCode, Failure> {
    let files = Files::of(&arguments.outputs, None)?;
    let stored = StoredRun::from_file(&arguments.run).map_err(Failure::Stored)?;
    let name = arguments.run.display().to_string();
    let fail = |error| Failure::Provenance { source: name.clone(), error: Box::new(error) };
    stored.provenance.check_repeatable().map_err(fail)?;
    let folder = arguments.run.parent().unwrap_or(Path::new(""));
    let scene = stored.provenance.scene_here(folder, arguments.robot_file.as_deref()).map_err(fail)?;
    let problem = stored.provenance.problem_here(&scene).map_err(fail)?;
    let setup = problem.setup().map_err(|error| fail(error.into()))?;
    let reasons = stored.provenance.differences();
    for reason in &reasons {
        note(&format!("bits may differ: {reason}"));
    }
    let record = simulate(&name, setup)?;
    let comparison = stored.compare(&record);
    let title = match &stored.title {
        Some(title) => format!("{name}: {title}"),
        None => name,
    };
    let failures = files.write(&record, &stored.provenance.repeated(), &title);
    for failure in &failures {
        complain(&format!("error: {failure}"));
    }
    if record.summary.ending == Ending::Interrupted {
        complain(&format!("interrupted at t = {} s: not compared", record.summary.time));
        return Ok(ExitCode::from(1));
    }
    print(&text(&title, &stored, &comparison, &reasons, arguments.format), arguments.format)?;
    let is_same = comparison.difference.is_none() && failures.is_empty();
    Ok(if is_same { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn text(title: &str, stored: &StoredRun, comparison: &RunComparison, reasons: &[String], format: Format) -> String {
    if format == Format::Json {
        return comparison.json(reasons) + "\n";
    }
    let counted = format!("{} samples, {} events", comparison.samples, comparison.events);
    let part = match stored.ending.as_str() {
        "complete" => "",
        _ => ", as far as the run went",
    };
    match &comparison.difference {
        None => format!("{title}\n  repeated, equal to the bit{part}: {counted}\n"),
        Some(difference) => {
            let reasons: String = reasons.iter().map(|reason| format!("  {reason}\n")).collect();
            format!("{title}\n  repeated, and not equal: {difference}\n{reasons}")
        }
    }
}
