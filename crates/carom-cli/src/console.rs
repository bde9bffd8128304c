//! What is printed besides results, and in which colours: decided once for the process, from the command line and the
//! terminal.

use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Instant;

use anstream::{AutoStream, ColorChoice};
use carom::multibody::WarningKind;
use carom::report::printable_lines;
use carom::{Answer, Problem};
use indicatif::{ProgressBar, ProgressDrawTarget};

use crate::args::{Color, General};

/// How much is printed besides results and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Nothing: no assumptions, warnings, notes or progress.
    Quiet,
    /// Assumptions, warnings, notes, and progress on a terminal.
    #[default]
    Usual,
    /// Also the ignored elements of robot files, the time of each step, and the work of the solver.
    Verbose,
}

static VERBOSITY: OnceLock<Verbosity> = OnceLock::new();

/// Takes over the options that all commands share.
pub fn set(general: &General) {
    let verbosity = match (general.quiet, general.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Usual,
    };
    // A process has one command line, so this is set once.
    let _ = VERBOSITY.set(verbosity);
    set_color(general.color);
}

/// Whether output is coloured; `auto` leaves it to the terminal and the variables NO_COLOR, CLICOLOR and
/// CLICOLOR_FORCE.
pub fn set_color(color: Color) {
    match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
    .write_global();
}

fn verbosity() -> Verbosity {
    VERBOSITY.get().copied().unwrap_or_default()
}

/// Whether only results and errors are printed.
pub fn is_quiet() -> bool {
    verbosity() == Verbosity::Quiet
}

/// Whether everything is to be printed.
pub fn is_verbose() -> bool {
    verbosity() == Verbosity::Verbose
}

/// Prints a message to standard error. If that fails, there is no other place to report it.
pub fn complain(message: &str) {
    write(message);
}

/// Prints a note to standard error, unless the command is quiet.
pub fn note(message: &str) {
    if !is_quiet() {
        write(&format!("note: {message}"));
    }
}

/// Prints details to standard error, if the command is verbose.
pub fn detail(message: impl FnOnce() -> String) {
    if verbosity() == Verbosity::Verbose {
        write(&message());
    }
}

/// Prints how long a step took, if the command is verbose.
pub fn timed(step: &str, begun: Instant) {
    detail(|| format!("time: {step} {:.3} ms", begun.elapsed().as_secs_f64() * 1e3));
}

/// Prints the ignored elements of a robot file, if the command is verbose.
pub fn tell_ignored(problem: &Problem) {
    let Some(scene) = problem.scene() else { return };
    let ignored = scene.model().warnings().iter().filter(|warning| warning.kind == WarningKind::Ignored);
    ignored.for_each(|warning| detail(|| warning.to_string()));
}

/// Prints the work of the solver, if the command is verbose. One contact is solved in closed form.
pub fn tell_effort(answer: &Answer) {
    if let Answer::Many(many) = answer {
        let effort = &many.outcome.effort;
        detail(|| {
            format!(
                "work: {} solves, {} sweeps, {} Newton steps, {} exchanges",
                effort.solves, effort.sweeps, effort.newton_steps, effort.exchanges
            )
        });
    }
}

/// A progress bar, which is drawn on standard error if that is a terminal and the command is not quiet.
pub fn progress(bar: ProgressBar) -> ProgressBar {
    if is_quiet() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar
}

fn write(message: &str) {
    let message = printable_lines(message);
    let is_colored = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    let message = if is_colored { painted_message(&message) } else { message.into_owned() };
    let _ = writeln!(io::stderr(), "{message}");
}

/// Text for standard output: in colours if these are wanted there.
pub fn painted(text: &str) -> String {
    match AutoStream::choice(&io::stdout()) {
        ColorChoice::Never => text.to_owned(),
        _ => painted_results(text),
    }
}

const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[1;31m";
const YELLOW: &str = "\u{1b}[33m";
const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

/// First words of messages.
const WORDS: [&str; 4] = ["note", "time", "work", "ignored"];
/// Labels of rows with warnings.
const WARNINGS: [&str; 2] = ["  warning ", "  violated "];

/// The first word of a message in bold, the marks below a line of a document in red.
fn painted_message(message: &str) -> String {
    let mut painted = Vec::new();
    for (i, line) in message.lines().enumerate() {
        let marks = line.split_once('|').filter(|(before, _)| before.trim().is_empty()).map(|(_, after)| after.trim());
        painted.push(match line.split_once(": ") {
            Some(("error", rest)) if i == 0 => format!("{RED}error:{PLAIN} {rest}"),
            Some((word, rest)) if WORDS.contains(&word) => format!("{BOLD}{word}:{PLAIN} {rest}"),
            _ if marks.is_some_and(|marks| marks.starts_with('^')) => {
                let (bar, marks) = line.split_once('|').unwrap_or_default();
                format!("{bar}|{RED}{marks}{PLAIN}")
            }
            _ => line.to_owned(),
        });
    }
    painted.join("\n")
}

/// The title in bold, labels of warnings in yellow, what was assumed dimmed.
fn painted_results(text: &str) -> String {
    let mut painted = String::with_capacity(text.len() + 64);
    let mut title_is_due = true;
    let mut assumptions = text.starts_with("assumed;");
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let warning = WARNINGS.into_iter().find(|label| line.starts_with(label));
        painted += &match warning {
            _ if assumptions && !line.is_empty() => format!("{DIM}{line}{PLAIN}"),
            _ if assumptions => {
                assumptions = false;
                String::new()
            }
            _ if title_is_due && !line.is_empty() => {
                title_is_due = false;
                format!("{BOLD}{line}{PLAIN}")
            }
            Some(label) => format!("{YELLOW}{}{PLAIN}{}", label, &line[label.len()..]),
            None => line.to_owned(),
        };
        painted += end;
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_colors(text: &str) -> String {
        [BOLD, RED, YELLOW, DIM, PLAIN].iter().fold(text.to_owned(), |text, code| text.replace(code, ""))
    }

    #[test]
    fn colors_change_no_character() {
        let results =
            "assumed; x\n  restitution = 0.0\n\nkane: title\n  sticks\n\n  warning   w\n  violated  x\nno end";
        assert_eq!(without_colors(&painted_results(results)), results);
        assert!(painted_results(results).contains(&format!("{BOLD}kane: title{PLAIN}\n")));
        assert!(painted_results(results).contains(&format!("{YELLOW}  violated {PLAIN} x\n")));
        let message = "error: a.toml:2: wrong\n --> a.toml:2:3\n  |\n2 | x = 1\n  |   ^^ x";
        assert_eq!(without_colors(&painted_message(message)), message);
        assert!(painted_message(message).contains(&format!("  |{RED}   ^^ x{PLAIN}")));
    }
}
