//! A model for people and for programs: its tree, joints, shapes, frames, home and keyframes, and every warning.
//!
//! | file | contents |
//! |---|---|
//! | `tree` | the tree of links |
//! | `tables` | joints, collision shapes, frames, keyframes |
//! | `shape` | a collision shape in words |
//! | `record` | all of it as JSON |

mod record;
mod shape;
mod tables;
mod tree;

use std::fmt::{self, Display, Formatter};

use carom_multibody::{DynamicsError, Model, Vector, Warning};

use super::printable;
use carom_sim::number::significant;

/// Number of digits of masses and limits.
const DIGITS: usize = 4;
/// Lines of a list before the others are only counted.
const LINES: usize = 24;

/// A model with its title.
#[derive(Debug, Clone)]
pub struct ModelText<'a> {
    /// The file, or the name of a built-in model.
    pub title: &'a str,
    /// The model.
    pub model: &'a Model,
    /// The error in factoring its mass matrix in the home configuration, if there is one.
    pub at_home: Option<DynamicsError>,
    /// Warnings that a simulation of the robot alone prints, or the error that keeps it from starting.
    pub simulated: &'a Result<Vec<String>, String>,
    /// Whether lists are printed whole.
    pub all: bool,
}

impl Display for ModelText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let model = self.model;
        let moving = model.joints().iter().filter(|joint| !joint.velocities.is_empty()).count();
        writeln!(f, "{}: {}", printable(self.title), printable(model.name()))?;
        writeln!(
            f,
            "  {}, {}, {} of them moving",
            count(model.links().len() - 1, "link"),
            count(model.joints().len(), "joint"),
            moving
        )?;
        writeln!(f, "  {}: nq = {}, nv = {}", count(model.nv(), "degree of freedom"), model.nq(), model.nv())?;
        writeln!(
            f,
            "  {} kg in motion, gravity {} m/s^2",
            significant(model.moving_mass(), DIGITS),
            vector(model.gravity())
        )?;
        match model.plane() {
            Some(normal) => writeln!(f, "  moves in the plane normal to {}", vector(normal))?,
            None => writeln!(f, "  moves in space")?,
        }
        writeln!(f)?;
        self.tree(f)?;
        self.joints(f)?;
        self.shapes(f)?;
        self.frames(f)?;
        self.keyframes(f)?;
        self.warnings(f)
    }
}

impl ModelText<'_> {
    /// Lines of a list below its title, at most [`LINES`] unless all are wanted.
    fn list(&self, f: &mut Formatter<'_>, lines: &[String]) -> fmt::Result {
        // One line replaces those left out, so at least two are.
        let shown = if self.all || lines.len() <= LINES + 1 { lines.len() } else { LINES };
        for line in &lines[..shown] {
            writeln!(f, "{}", printable(line.trim_end()))?;
        }
        match lines.len() - shown {
            0 => Ok(()),
            more => writeln!(f, "    … {more} more; -v prints all"),
        }
    }

    /// Warnings about the file, then those that a simulation adds.
    fn warnings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(fault) = &self.at_home {
            writeln!(f, "\n  no impact can be computed at home: {}", printable(&fault.to_string()))?;
        }
        let mut warnings: Vec<String> = self.model.warnings().iter().map(Warning::to_string).collect();
        match self.simulated {
            Ok(of_run) => warnings.extend(new_ones(of_run, &warnings)),
            // The error of the mass matrix says it already.
            Err(error) if self.at_home.is_none() => {
                writeln!(f, "\n  a simulation cannot start: {}", printable(error))?;
            }
            Err(_) => {}
        }
        match warnings.len() {
            0 if self.at_home.is_some() || self.simulated.is_err() => Ok(()),
            0 => writeln!(f, "\n  no warnings"),
            some => {
                writeln!(f, "\n  {}", count(some, "warning"))?;
                let lines: Vec<String> = warnings.iter().map(|warning| format!("    {warning}")).collect();
                self.list(f, &lines)
            }
        }
    }
}

/// The warnings of a run that are not among the known ones.
fn new_ones(of_run: &[String], known: &[String]) -> Vec<String> {
    let known: std::collections::HashSet<&str> = known.iter().map(String::as_str).collect();
    of_run.iter().filter(|warning| !known.contains(warning.as_str())).cloned().collect()
}

fn vector(v: Vector) -> String {
    format!("({})", v.to_array().map(|x| significant(if x == 0.0 { 0.0 } else { x }, DIGITS)).join(", "))
}

fn count(n: usize, what: &str) -> String {
    match n {
        1 => format!("1 {what}"),
        _ if what == "degree of freedom" => format!("{n} degrees of freedom"),
        _ => format!("{n} {what}s"),
    }
}
