//! The outcome of several contacts as text.

use std::fmt::{self, Display, Formatter};

use carom_law::{ContactOutcome, Guard};

use super::text::{DIGITS, columns, energy, robot, row, velocities};
use super::{RobotRecord, printable};
use carom_scene::Several;
use carom_scene::answer::verdict::{FEW, change_of_several, verdict_of_several};
use carom_sim::number::{signed, significant, tidy};

/// Smallest width of the column with the contacts' names.
const NAMES: usize = 16;
/// Entries below this fraction of the largest in their table are rounding.
const ROUNDING: f64 = 1e-12;

/// An outcome of several contacts with its title and the velocity before the impact.
#[derive(Debug, Clone, Copy)]
pub struct SeveralText<'a> {
    /// The scene or file.
    pub title: &'a str,
    /// The answer.
    pub several: &'a Several,
    /// `q̇⁻`, for a problem in generalized form.
    pub velocity: Option<&'a [f64]>,
    /// The robot, for a scene.
    pub robot: Option<&'a RobotRecord>,
}

impl Display for SeveralText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outcome = &self.several.outcome;
        writeln!(f, "{}", printable(self.title))?;
        writeln!(f, "  {}", verdict_of_several(outcome))?;
        writeln!(f)?;
        if let Some(record) = self.robot {
            robot(f, record)?;
        }
        self.contacts(f)?;
        velocities(f, self.velocity, outcome.velocity.as_deref(), self.robot)?;
        energy(f, &outcome.energy, change_of_several(outcome))?;
        self.guard(f)?;
        self.answer(f)
    }
}

impl SeveralText<'_> {
    /// The contacts, one line per contact in every table.
    fn contacts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let axes = &["normal", "tangent 1", "tangent 2"][..self.most_rows()];
        let axes = if let [normal, _] = axes { &[normal, "tangent"][..] } else { axes };
        let digits = |x: &f64| significant(*x, DIGITS);
        self.table(f, "contact", &[&["mode", "energy"], &["e", "mu_s", "mu_d"][..]].concat(), |contact| {
            let mut cells = vec![contact.mode.name().to_owned(), signed(contact.energy.change, DIGITS)];
            cells.push(digits(&contact.restitution.normal));
            cells.extend(contact.friction.iter().flat_map(|mu| [digits(&mu.mu_s()), digits(&mu.mu_d())]));
            cells
        })?;
        self.vectors(f, "velocity before", axes, |contact| &contact.contact_velocity.before)?;
        self.vectors(f, "velocity after", axes, |contact| &contact.contact_velocity.after)?;
        self.vectors(f, "impulse", axes, |contact| &contact.impulse)
    }

    /// A table of contact vectors, with rounding errors printed as zeros.
    fn vectors(
        &self,
        f: &mut Formatter<'_>,
        title: &str,
        axes: &[&str],
        vector: fn(&ContactOutcome) -> &[f64],
    ) -> fmt::Result {
        let contacts = &self.several.outcome.contacts;
        let all = contacts.iter().flat_map(&vector);
        let largest = all.fold(0.0, |most: f64, x| most.max(x.abs()));
        self.table(f, title, axes, |contact| {
            vector(contact).iter().map(|x| significant(tidy(*x, ROUNDING * largest), DIGITS)).collect()
        })
    }

    fn most_rows(&self) -> usize {
        let rows = self.several.outcome.contacts.iter().map(|contact| contact.impulse.len());
        rows.max().unwrap_or(1).clamp(1, 3)
    }

    fn table(
        &self,
        f: &mut Formatter<'_>,
        title: &str,
        heads: &[&str],
        cells: impl Fn(&ContactOutcome) -> Vec<String>,
    ) -> fmt::Result {
        let contacts = &self.several.outcome.contacts;
        let labels: Vec<String> = (0..contacts.len()).map(|k| self.several.label(k)).collect();
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(NAMES);
        let line = |f: &mut Formatter<'_>, label: &str, cells: String| {
            writeln!(f, "{}", printable(format!("  {label:<w$}  {cells}", w = width + 2).trim_end()))
        };
        line(f, title, columns(heads.iter().map(|head| (*head).to_owned())))?;
        for (label, contact) in labels.iter().zip(contacts) {
            line(f, &format!("  {label}"), columns(cells(contact).into_iter()))?;
        }
        Ok(())
    }

    fn guard(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let guard = &self.several.outcome.guard;
        let what = match (guard.acted, guard.name) {
            (true, _) if guard.blended => {
                "blended the impulses with those of the plastic impact without stick".to_owned()
            }
            (true, Guard::Limit) => {
                format!("scaled the restitutions by {}", significant(guard.restitution_factor, DIGITS))
            }
            (true, _) => "let contacts slide".to_owned(),
            (false, Guard::Report) => "changes nothing".to_owned(),
            (false, _) => "did not act".to_owned(),
        };
        row(f, "guard", &format!("{}: {what}", guard.name.name()))?;
        match &guard.unguarded {
            Some(alone) => {
                let modes: Vec<&str> = alone.modes.iter().map(|mode| mode.name()).collect();
                let change = signed(alone.energy_change, DIGITS);
                row(f, "  without", &format!("{}, energy change {change}", modes.join(", ")))
            }
            None => Ok(()),
        }
    }

    /// The quality of the answer.
    fn answer(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let outcome = &self.several.outcome;
        let strong =
            if outcome.strong { "every contact that could stick does" } else { "a contact that could stick slides" };
        row(f, "strong", &format!("{}: {strong}", if outcome.strong { "yes" } else { "no" }))?;
        row(f, "residual", &format!("{} of the largest speed", significant(outcome.residual, FEW)))?;
        if outcome.sequence > 1 {
            let end = if outcome.settled { ", the last without restitution" } else { "" };
            row(f, "sequence", &format!("{} impacts at this instant{end}", outcome.sequence))?;
        }
        Ok(())
    }
}
