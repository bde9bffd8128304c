//! Problems as lines of JSON: each is read and solved, and its record is written, in memory that the next line reuses.
//!
//! Lines of the usual forms are read by a fast reader. All others, and all that fail, are read as trees, which
//! gives the same answers and the error messages.
//!
//! | file | contents |
//! |---|---|
//! | `reader` | the fast reader of the usual keys |
//! | `scenes` | scenes that lines repeat, with other states and coefficients |

mod reader;
mod scenes;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom_law::{Contact, Delassus, GeneralizedContact, Outcome};

use crate::document::{Document, Format, Kind, ProblemError};
use crate::prepared::PreparedScene;
use crate::problem::Problem;
use crate::record::writer::{write_outcome, write_record};
use crate::record::{ErrorRecord, Fields, Id, OutcomeRecord, RobotRecord};
use crate::robots::Robots;
use reader::{Form, Reader};
use scenes::Scenes;

/// Solves problems given as lines of JSON, one after the other. One a thread; threads share the cache of robots.
///
/// ```
/// use carom_scene::line::LineSolver;
///
/// let mut solver = LineSolver::new("".as_ref(), &Default::default());
/// let mut out = Vec::new();
/// let line = br#"{"delassus": [[2.0]], "contact_velocity": [-1.0], "restitution": 0.5, "id": 7}"#;
/// assert!(solver.solve(line, 1, &mut out).is_ok());
/// assert!(out.starts_with(br#"{"format_version":1,"mode":"stick","impulse":[0.75],"#));
/// ```
#[derive(Debug)]
pub struct LineSolver {
    folder: PathBuf,
    robots: Arc<Robots>,
    fields: Fields,
    reader: Reader,
    scenes: Scenes,
}

/// A line whose problem could not be solved: an error was written in place of the outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineFailed;

impl LineSolver {
    /// A solver that resolves paths of robot files relative to `folder`, and takes robots from a cache.
    pub fn new(folder: &Path, robots: &Arc<Robots>) -> Self {
        Self {
            folder: folder.to_owned(),
            robots: Arc::clone(robots),
            fields: Fields::ALL,
            reader: Reader::default(),
            scenes: Scenes::default(),
        }
    }

    /// Writes only the given fields of outcomes; errors are always written as a whole.
    #[must_use]
    pub fn fields(self, fields: Fields) -> Self {
        Self { fields, ..self }
    }

    /// Appends the outcome of a line to `out`, or its error, without a line break. `number` is the number of the line, counted
    /// from 1, for its error.
    ///
    /// # Errors
    /// The line has no answer; its error is in `out`.
    pub fn solve(&mut self, line: &[u8], number: usize, out: &mut Vec<u8>) -> Result<(), LineFailed> {
        let read = self.reader.read(line);
        let is_solved = match &read {
            Some(Form::Matrices) => self.solve_matrices(line, out),
            Some(Form::Scene) => self.solve_scene(line, out),
            None => None,
        };
        match is_solved {
            Some(()) => Ok(()),
            None => self.solve_tree(line, number, matches!(read, Some(Form::Scene)), out),
        }
    }

    fn solve_matrices(&self, line: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let outcome = self.outcome_of_matrices()?;
        write_outcome(&outcome, None, self.reader.id(line), self.fields, out);
        Some(())
    }

    fn outcome_of_matrices(&self) -> Option<Outcome> {
        let reader = &self.reader;
        let coefficients = reader.coefficients()?;
        let (law, guard) = (reader.law(), reader.guard());
        if reader.is_generalized() {
            let (mass, jacobian) = (reader.mass_matrix.view(), reader.contact_jacobian.view());
            let contact = GeneralizedContact::new(mass, jacobian, &reader.velocity).ok()?;
            return contact.impact_by(law, &coefficients, guard).ok();
        }
        let delassus = Delassus::new(reader.delassus.view()).ok()?;
        Contact::new(delassus, &reader.contact_velocity).ok()?.impact_by(law, &coefficients, guard).ok()
    }

    fn solve_scene(&mut self, line: &[u8], out: &mut Vec<u8>) -> Option<()> {
        let known = self.scenes.find(&self.reader, line)?;
        let outcome = known.outcome(&self.reader, line)?;
        let warnings = known.state_warnings();
        let robot = known.robot(&warnings)?;
        write_outcome(&outcome, Some(&robot), self.reader.id(line), self.fields, out);
        Some(())
    }

    /// Solves any line, by its tree.
    fn solve_tree(&mut self, line: &[u8], number: usize, is_scene: bool, out: &mut Vec<u8>) -> Result<(), LineFailed> {
        let Ok(text) = std::str::from_utf8(line) else {
            let error = ProblemError::document(Kind::Syntax, "the line is not UTF-8 text", Some(number));
            return self.write_error(error, None, number, out);
        };
        let id = Id::of_json(text);
        match self.answer(text, line, is_scene) {
            Ok((answer, robot)) => {
                write_record(&OutcomeRecord::new(&answer, robot.as_ref(), Some(&id)), self.fields, out);
                Ok(())
            }
            // A line that cannot be parsed has no reliable id.
            Err(error) if error.kind == Kind::Syntax => self.write_error(error, None, number, out),
            Err(error) => self.write_error(error, Some(&id), number, out),
        }
    }

    fn answer(
        &mut self,
        text: &str,
        line: &[u8],
        is_scene: bool,
    ) -> Result<(crate::Answer, Option<RobotRecord>), ProblemError> {
        let document = Document::read(text, Format::Json)?;
        let problem = Problem::from_tree_with(document.tree(), &self.folder, &self.robots)?;
        let answer = problem.answer()?;
        let robot = problem.scene().map(|scene| RobotRecord::of_answer(scene, &answer)).transpose()?;
        if is_scene && self.scenes.is_repeated(&self.reader, line) {
            let prepared = PreparedScene::of(problem, document.tree())?;
            self.scenes.keep(&self.reader, line, document.tree(), prepared);
        }
        Ok((answer, robot))
    }

    fn write_error(
        &self,
        mut error: ProblemError,
        id: Option<&Id>,
        number: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), LineFailed> {
        error.line = Some(number);
        out.extend_from_slice(ErrorRecord::new(&error, id).line().as_bytes());
        Err(LineFailed)
    }
}
