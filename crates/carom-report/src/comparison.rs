//! The comparison of all laws, as a table for people.

use std::fmt::{self, Display, Formatter};

use super::printable;
use carom_sim::number::{signed, significant, tidy};
use carom_study::{Answered, Comparison, Verdict};

/// Number of digits in the table.
const DIGITS: usize = 5;
/// Number of digits of percentages.
const FEW: usize = 3;
/// Numbers below this fraction of their scale are rounding.
const ROUNDING: f64 = 1e-12;

/// A comparison with its title.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonText<'a> {
    /// The scene or file, and its title.
    pub title: &'a str,
    /// The laws' answers.
    pub comparison: &'a Comparison,
}

/// The comparison as one line of JSON.
pub fn comparison_json(comparison: &Comparison) -> String {
    carom_scene::record::to_line(comparison)
}

impl Display for ComparisonText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let c = self.comparison;
        writeln!(f, "{}", printable(self.title))?;
        let velocity: Vec<String> = c.contact_velocity.iter().map(|v| significant(*v, DIGITS)).collect();
        write!(f, "  contact velocity before ({}), e = {}", velocity.join(", "), significant(c.restitution, DIGITS))?;
        match c.friction {
            Some([s, d]) if s == d => write!(f, ", mu = {}", significant(s, DIGITS))?,
            Some([s, d]) => write!(f, ", mu_s = {}, mu_d = {}", significant(s, DIGITS), significant(d, DIGITS))?,
            None => {}
        }
        match c.energy_before {
            Some(energy) => writeln!(f, ", kinetic energy {}\n", significant(energy, DIGITS))?,
            None => writeln!(f, "\n")?,
        }
        table(f, &self.rows())
    }
}

impl ComparisonText<'_> {
    fn rows(&self) -> Vec<Vec<String>> {
        let c = self.comparison;
        let parts: &[&str] = match c.contact_velocity.len() {
            1 => &["n"],
            2 => &["n", "t"],
            _ => &["n", "t1", "t2"],
        };
        let energy = if c.energy_before.is_some() { "energy, %" } else { "energy" };
        let mut head = vec!["law".to_owned(), "mode".to_owned()];
        head.extend(parts.iter().map(|part| format!("v_{part} after")));
        head.extend(parts.iter().map(|part| format!("impulse {part}")));
        head.extend([energy, "in cone", "v_n+ = -e v_n-"].map(str::to_owned));
        let mut rows = vec![head];
        for law in &c.laws {
            let mut row = vec![law.law.name().to_owned()];
            match &law.answer {
                Answered::Yes(verdict) => row.extend(self.cells(verdict)),
                Answered::No { error } => row.push(format!("no answer: {error}")),
            }
            rows.push(row);
        }
        rows
    }

    fn cells(&self, verdict: &Verdict) -> Vec<String> {
        let mode = match &verdict.phases {
            Some(phases) => format!("{} ({phases})", verdict.mode.name()),
            None => verdict.mode.name().to_owned(),
        };
        let energy = match self.comparison.energy_before.filter(|energy| *energy > 0.0) {
            Some(before) => signed(tidy(100.0 * verdict.energy_change / before, 100.0 * ROUNDING), FEW),
            None => signed(verdict.energy_change, DIGITS),
        };
        let size = self.comparison.contact_velocity.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let push = verdict.impulse.iter().fold(0.0, |most: f64, i| most.max(i.abs()));
        let number = |x: &f64, size: f64| significant(tidy(*x, ROUNDING * size), DIGITS);
        let truth = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let mut cells = vec![mode];
        cells.extend(verdict.contact_velocity.iter().map(|v| number(v, size)));
        cells.extend(verdict.impulse.iter().map(|i| number(i, push)));
        cells.extend([energy, truth(verdict.obeys_cone), truth(verdict.obeys_restitution)]);
        cells
    }
}

/// Rows in columns as wide as needed; the last cell of a row with fewer cells than the head may extend beyond its
/// column.
pub(crate) fn table(f: &mut Formatter<'_>, rows: &[Vec<String>]) -> fmt::Result {
    let count = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter(|row| row.len() == count || column == 0);
        cells.map(|row| row[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    for row in rows {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths) {
            // Space for a sign before every number.
            let sign = if cell.starts_with(['-', '+']) { "" } else { " " };
            line.push_str(&format!("{sign}{cell:<w$} ", w = width + 1 - sign.len() + 1));
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
