//! The answer to an impact as text.

use std::fmt::{self, Display, Formatter};

use carom_scene::Answer;

use super::{RobotRecord, printable, several, text};

/// The answer to an impact of one contact or several, with its title and the velocity before the impact.
#[derive(Debug, Clone, Copy)]
pub struct AnswerText<'a> {
    /// The scene or file.
    pub title: &'a str,
    /// The answer.
    pub answer: &'a Answer,
    /// `q̇⁻`, for a problem in generalized form.
    pub velocity: Option<&'a [f64]>,
    /// The robot, for a scene.
    pub robot: Option<&'a RobotRecord>,
}

impl Display for AnswerText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let answer = self.answer;
        writeln!(f, "{}", printable(self.title))?;
        writeln!(f, "  {}", answer.verdict())?;
        self.robot.map_or(Ok(()), |record| text::gaps(f, record))?;
        writeln!(f)?;
        self.robot.map_or(Ok(()), |record| text::robot(f, record))?;
        match answer {
            Answer::One(outcome) => text::contact(f, outcome, text::Units::of(self.robot))?,
            Answer::Many(many) => several::contacts(f, many, text::Units::of(self.robot))?,
        }
        self.robot.map_or(Ok(()), |record| text::loops(f, record))?;
        text::velocities(f, self.velocity, answer.velocity(), self.robot)?;
        text::energy(f, answer.energy(), answer.energy_change(), text::Units::of(self.robot))?;
        match answer {
            Answer::One(outcome) => {
                text::coefficients(f, outcome)?;
                text::guard(f, outcome)
            }
            Answer::Many(many) => {
                several::guard(f, &many.outcome.guard)?;
                several::quality(f, &many.outcome)
            }
        }
    }
}
