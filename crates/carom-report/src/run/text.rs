//! The summary of a run as text.

use std::fmt::{self, Display, Formatter};

use carom_law::Law;
use carom_sim::number::{signed, significant, tidy};
use carom_sim::{ContactMode, Ending, Event, EventKind, Ledger, Record};

use super::words::TIME_DIGITS;
use crate::printable;

const DIGITS: usize = 6;
const FEW: usize = 3;
/// Energies below this fraction of the largest are printed as zero; files have all digits.
const ROUNDING: f64 = 1e-12;
/// With more contacts than this, those that end in flight are only counted.
const MANY: usize = 12;
/// Number of warnings printed.
const WARNINGS: usize = 2;

/// A run with its title.
#[derive(Debug, Clone, Copy)]
pub struct RunText<'a> {
    /// The scene or file.
    pub title: &'a str,
    /// The run.
    pub record: &'a Record,
}

impl Display for RunText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", printable(self.title))?;
        writeln!(f, "  {}", self.verdict())?;
        writeln!(f)?;
        row(f, "robot", &self.record.header.model)?;
        if self.record.header.law != Law::default().name() {
            row(f, "law", self.record.header.law)?;
        }
        self.warnings(f)?;
        self.record.summary.warnings.iter().try_for_each(|warning| row(f, "warning", warning))?;
        self.events(f)?;
        self.contacts(f)?;
        self.energy(f)?;
        self.quality(f)
    }
}

impl RunText<'_> {
    /// Prints the first warnings: robots tend to have the same one for each of their joints.
    fn warnings(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let warnings = &self.record.header.warnings;
        warnings.iter().take(WARNINGS).try_for_each(|warning| row(f, "warning", warning))?;
        match warnings.len().saturating_sub(WARNINGS) {
            0 => Ok(()),
            more => row(f, "", &format!("{more} more, all in header.warnings of --format json")),
        }
    }

    /// One plain sentence.
    fn verdict(&self) -> String {
        let summary = &self.record.summary;
        let (time, until) = (significant(summary.time, DIGITS), significant(self.record.header.until, DIGITS));
        let ran = match summary.ending {
            Ending::Complete => format!("ran for {time} s"),
            Ending::Interrupted => format!("INCOMPLETE: interrupted at {time} s of {until} s"),
            Ending::OutOfTime => format!("INCOMPLETE: out of time at {time} s of {until} s"),
            Ending::Failed => format!("INCOMPLETE: failed at {time} s of {until} s"),
        };
        match (summary.at_rest, summary.rests_at) {
            (Some(since), _) => format!("{ran}; at rest since t = {} s", significant(since, TIME_DIGITS)),
            (None, Some(then)) => {
                format!(
                    "{ran}; the bounces would end, and the robot come to rest, at t = {} s",
                    significant(then, TIME_DIGITS)
                )
            }
            (None, None) => {
                let energy = self.record.samples.last().map_or(0.0, |sample| sample.energy.kinetic);
                format!("{ran}; still moving, with {} J of kinetic energy", significant(energy, FEW))
            }
        }
    }

    fn largest(&self, part: Part) -> f64 {
        self.record.samples.iter().fold(0.0_f64, |most, sample| most.max(part(&sample.energy).abs()))
    }

    /// Whether all energies are rounding, so that nothing can be compared with them.
    fn is_still(&self) -> bool {
        self.record.summary.largest_energy <= ROUNDING * self.largest(|energy| energy.potential)
    }

    fn events(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A contact that is already closed takes part in a settling, but does not settle.
        let counts = |event: &Event| !matches!(event, Event::Settle(settle) if settle.settled.is_none());
        let count = |kind| self.record.events.iter().filter(|event| event.kind() == kind && counts(event)).count();
        let mut parts = Vec::new();
        if self.record.summary.impacts > 0 {
            parts.push(plural(self.record.summary.impacts, "impact", "impacts"));
        }
        for (kind, one, many) in [
            (EventKind::Settle, "settling", "settlings"),
            (EventKind::LiftOff, "lift-off", "lift-offs"),
            (EventKind::Stick, "stick", "sticks"),
            (EventKind::Slip, "slip", "slips"),
            (EventKind::Jam, "jam", "jams"),
            (EventKind::JamApproached, "jam approached", "jams approached"),
            (EventKind::AmbiguousLiftOff, "ambiguous lift-off", "ambiguous lift-offs"),
            (EventKind::DeadPoint, "dead point", "dead points"),
        ] {
            match count(kind) {
                0 => {}
                n => parts.push(plural(n as u64, one, many)),
            }
        }
        row(f, "events", if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }.as_str())
    }

    fn contacts(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let contacts = &self.record.header.contacts;
        if contacts.is_empty() {
            return Ok(());
        }
        row(f, "contacts", "")?;
        let width = contacts.iter().map(|contact| contact.name.chars().count() + 4).max().unwrap_or(0).max(20);
        let last = self.record.samples.last();
        let mut idle = 0;
        for (i, contact) in contacts.iter().enumerate() {
            let mode = last.and_then(|sample| sample.contacts.get(i)).map(|contact| contact.mode);
            let name = mode.map_or("", ContactMode::name);
            let what = match self.record.summary.settled.get(i).copied().flatten() {
                Some(time) => {
                    let settles = if time <= self.record.summary.time { "settled" } else { "would settle" };
                    format!("{settles} at t = {} s, {name}", significant(time, TIME_DIGITS))
                }
                None if contacts.len() > MANY && mode == Some(ContactMode::Flight) => {
                    idle += 1;
                    continue;
                }
                None => name.to_owned(),
            };
            wide_row(f, &format!("  {}", contact.name), width, &what)?;
        }
        if idle > 0 {
            wide_row(f, &format!("  {idle} more"), width, ContactMode::Flight.name())?;
        }
        Ok(())
    }

    fn energy(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let samples = &self.record.samples;
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return Ok(()) };
        row(f, "energy, J", "at the start  at the end")?;
        let parts: [(&str, Part); 3] = [
            ("  kinetic", |energy| energy.kinetic),
            ("  potential", |energy| energy.potential),
            ("  total", Ledger::total),
        ];
        for (name, part) in parts {
            let rounding = ROUNDING * self.record.summary.largest_energy;
            let [start, end] = [first, last].map(|sample| significant(tidy(part(&sample.energy), rounding), DIGITS));
            row(f, name, &format!("{start:<13} {end}"))?;
        }
        // Changes are compared with the energy of the motion.
        let most = if self.is_still() { 0.0 } else { self.largest(|energy| energy.kinetic) };
        let of = format!("in percent of the largest kinetic energy, {} J", significant(most, DIGITS));
        let book = &last.energy;
        if book.booked() == 0.0 {
            return row(f, "changed by", "nothing");
        }
        row(f, "changed by", if most > 0.0 { &of } else { "" })?;
        for (name, x) in [
            ("  impacts", book.impacts),
            ("  friction", book.friction),
            ("  damping", book.damping),
            ("  dry friction", book.dry_friction),
            ("  torques", book.torques),
            ("  settling", book.settling),
            ("  projection", book.projection),
            ("  windows", book.windows),
            ("  rattle", book.rattle),
            ("  sequences", book.sequences),
        ] {
            if x != 0.0 {
                let percent = if most > 0.0 { format!("{} %", signed(100.0 * x / most, FEW)) } else { String::new() };
                row(f, name, &format!("{:<13} {percent}", signed(x, DIGITS)))?;
            }
        }
        Ok(())
    }

    fn quality(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let summary = &self.record.summary;
        let largest = significant(summary.largest_energy, DIGITS);
        let residual = match self.is_still() {
            true => format!("{} J; nothing moved", significant(summary.residual * summary.largest_energy, FEW)),
            false => format!("{} of the largest energy, {largest} J", significant(summary.residual, FEW)),
        };
        row(f, "not explained", &residual)?;
        row(f, "penetration", &format!("{} m at most", significant(summary.penetration, FEW)))?;
        let book = self.record.samples.last().map_or_else(Ledger::default, |sample| sample.energy);
        for (count, name, one, many, change) in [
            (summary.windows, "time stepping", "window", "windows", book.windows),
            (summary.rattles, "rattle", "impact without restitution", "impacts without restitution", book.rattle),
            (summary.sequences, "sequences", "ended without restitution", "ended without restitution", book.sequences),
            (
                summary.projections,
                "projection",
                "beyond the tolerance of a step",
                "beyond the tolerance of a step",
                book.projection,
            ),
        ] {
            if count > 0 {
                row(f, name, &format!("{}, {} J", plural(count, one, many), signed(change, FEW)))?;
            }
        }
        if summary.not_converged > 0 {
            row(f, "not converged", &plural(summary.not_converged, "decision", "decisions"))?;
        }
        let steps = plural(summary.steps, "step", "steps");
        let evaluations = plural(summary.evaluations, "evaluation", "evaluations");
        row(f, "work", &format!("{steps}, {} rejected, {evaluations}", summary.rejected))
    }
}

type Part = fn(&Ledger) -> f64;

fn plural(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn row(f: &mut Formatter<'_>, label: &str, value: &str) -> fmt::Result {
    wide_row(f, label, 20, value)
}

fn wide_row(f: &mut Formatter<'_>, label: &str, width: usize, value: &str) -> fmt::Result {
    writeln!(f, "{}", printable(format!("  {label:<width$}{value}").trim_end()))
}
