//! `carom batch`: from a file of problems to a file of outcomes.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::args::Batch;
use crate::console::progress;
use crate::failure::Failure;
use crate::output::{Output, complain};

pub fn run(arguments: &Batch) -> Result<ExitCode, Failure> {
    let read_failure = |error| Failure::file(&arguments.input, "read", error);
    let (input, length): (Box<dyn io::Read + Send>, Option<u64>) = if arguments.input == Path::new("-") {
        (Box::new(io::stdin()), None)
    } else {
        let file = File::open(&arguments.input).map_err(read_failure)?;
        let metadata = file.metadata().map_err(read_failure)?;
        if metadata.is_dir() {
            return Err(read_failure(io::ErrorKind::IsADirectory.into()));
        }
        (Box::new(file), Some(metadata.len()).filter(|_| metadata.is_file()))
    };
    let mut output = Output::open(arguments.output.as_deref())?;
    let bar = progress_bar(length);
    // Paths of robot files are relative to the folder of the problems.
    let folder = arguments.input.parent().unwrap_or(Path::new(""));
    let options = carom::batch::Options::new(folder).fields(arguments.fields.unwrap_or_default());
    let ended = carom::batch::run(input, &options, &mut output, |progress| {
        bar.set_position(progress.bytes);
        bar.set_message(format!("{} problems, {} failed", progress.problems, progress.failed));
    });
    bar.finish_and_clear();
    let progress = match ended {
        Ok(progress) => progress,
        Err(carom::batch::Failure::Read(error)) => return Err(read_failure(error)),
        Err(carom::batch::Failure::Write(error)) => {
            return match output.failure(error) {
                // The output was closed before the end, so not all problems were solved.
                Failure::ClosedPipe => Ok(ExitCode::from(1)),
                failure => Err(failure),
            };
        }
    };
    output.finish()?;
    if progress.failed > 0 {
        let (failed, all) = (progress.failed, progress.problems);
        complain(&format!("{failed} of {all} problems failed; their output lines have the errors"));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shown on standard error, only if that is a terminal.
fn progress_bar(length: Option<u64>) -> ProgressBar {
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), "{bar:30} {percent:>3} %  {msg}, {elapsed} ({eta} left)"),
        None => (ProgressBar::new_spinner(), "{spinner} {msg}, {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    let bar = progress(bar);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
