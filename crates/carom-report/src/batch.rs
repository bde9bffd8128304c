//! Batches of problems as JSON lines: one problem per line in, one outcome or error per line out, in the same
//! order, on all cores, in constant memory.

use std::io::{self, BufRead, Write};
use std::path::Path;

use carom_scene::document::{Document, Format, Kind};
use carom_scene::record::{ErrorRecord, OutcomeRecord, RobotRecord, raw_id};
use carom_scene::{Answer, Problem, ProblemError};
use rayon::prelude::*;

/// Lines and bytes processed at a time: enough to keep the cores busy, and few enough for memory. A single
/// line may be longer.
const CHUNK_LINES: usize = 8192;
const CHUNK_BYTES: usize = 4 << 20;

/// The progress of a batch, or its final counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// Solves every line of `input`. Blank lines are skipped; a bad line gives an error object in its
/// place, with its line number. Paths of robot files are relative to `folder`.
///
/// # Errors
/// Reading or writing fails.
pub fn run(
    input: impl BufRead + Send,
    folder: &Path,
    mut output: impl Write,
    mut on_progress: impl FnMut(&Progress),
) -> Result<Progress, Failure> {
    let mut reader = Chunks { input, line: 0 };
    let mut progress = Progress::default();
    let mut chunk = reader.next().map_err(Failure::Read)?;
    while !chunk.lines.is_empty() || chunk.bytes > 0 {
        // The next chunk is read while this one is solved.
        let (answers, next) = rayon::join(|| solve(&chunk, folder), || reader.next());
        for answer in &answers {
            output.write_all(answer.text.as_bytes()).and_then(|()| output.write_all(b"\n")).map_err(Failure::Write)?;
            progress.problems += 1;
            progress.failed += u64::from(answer.failed);
        }
        progress.bytes += chunk.bytes;
        on_progress(&progress);
        chunk = next.map_err(Failure::Read)?;
    }
    output.flush().map_err(Failure::Write)?;
    Ok(progress)
}

struct Chunks<R> {
    input: R,
    line: usize,
}

#[derive(Default)]
struct Chunk {
    /// Number and text of lines that are not blank.
    lines: Vec<(usize, Vec<u8>)>,
    bytes: u64,
}

impl<R: BufRead> Chunks<R> {
    fn next(&mut self) -> io::Result<Chunk> {
        let mut chunk = Chunk::default();
        while chunk.lines.len() < CHUNK_LINES && chunk.bytes < CHUNK_BYTES as u64 {
            let mut text = Vec::new();
            let read = self.input.read_until(b'\n', &mut text)?;
            if read == 0 {
                break;
            }
            self.line += 1;
            chunk.bytes += read as u64;
            if !text.trim_ascii().is_empty() {
                chunk.lines.push((self.line, text));
            }
        }
        Ok(chunk)
    }
}

struct Line {
    text: String,
    failed: bool,
}

fn solve(chunk: &Chunk, folder: &Path) -> Vec<Line> {
    chunk.lines.par_iter().map(|(line, text)| solve_line(*line, text, folder)).collect()
}

fn solve_line(line: usize, text: &[u8], folder: &Path) -> Line {
    let Ok(text) = std::str::from_utf8(text) else {
        let error = ProblemError::document(Kind::Syntax, "the line is not UTF-8 text", Some(line));
        return Line { text: ErrorRecord { error: &error, id: None }.line(), failed: true };
    };
    let id = raw_id(text);
    match solve_text(text, folder) {
        Ok((answer, robot)) => {
            Line { text: OutcomeRecord { answer: &answer, robot: robot.as_ref(), id }.line(), failed: false }
        }
        Err(mut error) => {
            error.line = Some(line);
            // A line that cannot be parsed has no reliable id.
            let id = id.filter(|_| error.kind != Kind::Syntax);
            Line { text: ErrorRecord { error: &error, id }.line(), failed: true }
        }
    }
}

fn solve_text(text: &str, folder: &Path) -> Result<(Answer, Option<RobotRecord>), ProblemError> {
    let document = Document::read(text, Format::Json)?;
    let problem = Problem::from_tree_in(document.tree(), folder)?;
    Ok((problem.answer()?, problem.scene().map(RobotRecord::new).transpose()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(input: &str) -> (Vec<serde_json::Value>, Progress) {
        let mut output = Vec::new();
        let progress = run(input.as_bytes(), Path::new(""), &mut output, |_| {}).unwrap();
        let text = String::from_utf8(output).unwrap();
        (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), progress)
    }

    const GOOD: &str =
        r#"{"delassus": [[2.0]], "contact_velocity": [-1.0], "restitution": 0.5, "id": 9007199254740993123}"#;

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
        run(GOOD.as_bytes(), Path::new(""), &mut output, |_| {}).unwrap();
        assert!(String::from_utf8(output).unwrap().contains("\"id\":9007199254740993123"));
    }
}
