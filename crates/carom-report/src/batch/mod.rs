//! Batches of problems as JSON lines: one problem per line in, one outcome or error per line out, in the same
//! order, on all cores, in constant memory.
//!
//! | file | contents |
//! |---|---|
//! | `blocks` | the input in blocks of whole lines |
//! | `stages` | a thread that reads, workers that solve, and the caller, which writes |

mod blocks;
mod stages;

use std::io::{self, Read, Write};
use std::path::Path;

use carom_scene::record::Fields;

/// The progress of a batch, or its final counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Problems processed, including failed ones.
    pub problems: u64,
    /// Problems that gave an error.
    pub failed: u64,
    /// Bytes read.
    pub bytes: u64,
}

/// Why a batch ended early.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The input cannot be read.
    #[error("cannot read the problems: {0}")]
    Read(#[source] io::Error),
    /// The output cannot be written.
    #[error("cannot write the outcomes: {0}")]
    Write(#[source] io::Error),
}

/// How a batch is solved.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Options<'a> {
    /// The folder that paths of robot files are relative to.
    pub folder: &'a Path,
    /// The fields of outcomes that are written.
    pub fields: Fields,
}

impl<'a> Options<'a> {
    /// All fields, with paths of robot files relative to `folder`.
    pub fn new(folder: &'a Path) -> Self {
        Self { folder, fields: Fields::ALL }
    }

    /// Writes only some fields of outcomes.
    #[must_use]
    pub fn fields(self, fields: Fields) -> Self {
        Self { fields, ..self }
    }
}

/// Solves every line of `input`. Blank lines are skipped; a bad line gives an error object in its place, with its line number.
///
/// A robot file is read when a line first needs it, and not again, even if it changes during the batch; robots are shared by
/// all threads, and at most [`Robots::CAPACITY`](carom_scene::robots::Robots::CAPACITY) are kept.
///
/// # Errors
/// Reading or writing fails.
pub fn run(
    input: impl Read + Send,
    options: &Options<'_>,
    output: impl Write,
    on_progress: impl FnMut(&Progress),
) -> Result<Progress, Failure> {
    stages::run(input, options, output, on_progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(input: &str) -> (Vec<serde_json::Value>, Progress) {
        let mut output = Vec::new();
        let progress = run(input.as_bytes(), &Options::new(Path::new("")), &mut output, |_| {}).unwrap();
        let text = String::from_utf8(output).unwrap();
        (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), progress)
    }

    const GOOD: &str =
        r#"{"delassus": [[2.0]], "contact_velocity": [-1.0], "restitution": 0.5, "id": 9007199254740993123}"#;

    #[test]
    fn lines_are_the_same_on_any_number_of_threads() {
        let coefficients = (0..3000).map(|k| (f64::from(k % 10) / 9.0, f64::from(k % 7) / 5.0));
        let problems = coefficients.map(|(e, mu)| {
            format!(
                "{{\"delassus\": [[1.0, 0.3, 0.1], [0.3, 2.0, 0.2], [0.1, 0.2, 1.5]], \"contact_velocity\": [-1, {mu}, {e}], \
                 \"restitution\": {e}, \"friction\": {mu}}}\n"
            )
        });
        let input: String = problems.collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut output = Vec::new();
            pool.install(|| run(input.as_bytes(), &Options::new(Path::new("")), &mut output, |_| {})).unwrap();
            output
        };
        let expected = on(1);
        assert_eq!(expected.iter().filter(|&&byte| byte == b'\n').count(), 3000);
        assert!([2, 5].into_iter().all(|threads| on(threads) == expected));
    }

    #[test]
    fn bad_lines_stand_in_their_place() {
        let input = format!("{GOOD}\n\n{{\"restitution\": 2}}\r\n{GOOD}\nnot json\n");
        let (lines, progress) = batch(&input);
        assert_eq!(progress.problems, 4);
        assert_eq!(progress.failed, 2);
        assert_eq!(lines[0]["impulse"], serde_json::json!([0.75]));
        assert_eq!(lines[1]["error"]["kind"], "missing");
        assert_eq!(lines[1]["error"]["line"], 3);
        assert_eq!(lines[2]["mode"], "stick");
        assert_eq!(lines[3]["error"]["kind"], "syntax");
        assert_eq!(lines[3]["error"]["line"], 5);
    }

    #[test]
    fn ids_are_carried_to_the_letter() {
        let mut output = Vec::new();
        run(GOOD.as_bytes(), &Options::new(Path::new("")), &mut output, |_| {}).unwrap();
        assert!(String::from_utf8(output).unwrap().contains("\"id\":9007199254740993123"));
    }
}
