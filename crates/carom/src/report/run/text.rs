//! How a run went, as a person wants to see it.

use std::fmt::{self, Display, Formatter};

use crate::number::{signed, significant};
use crate::sim::{Ending, EventKind, Ledger, Record};

/// Digits of times that can be compared with a closed form.
const TIME_DIGITS: usize = 15;
const DIGITS: usize = 6;
const FEW: usize = 3;

/// A run with what it was called.
#[derive(Debug, Clone, Copy)]
pub struct RunText<'a> {
    /// The scene or file.
    pub title: &'a str,
    /// The run.
    pub record: &'a Record,
}

impl Display for RunText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "  {}", self.verdict())?;
        writeln!(f)?;
        row(f, "robot", &self.record.header.model)?;
        self.events(f)?;
        self.contacts(f)?;
        self.energy(f)?;
        self.quality(f)
    }
}

impl RunText<'_> {
    /// One plain sentence.
    fn verdict(&self) -> String {
        let summary = &self.record.summary;
        let (time, until) = (significant(summary.time, DIGITS), significant(self.record.header.until, DIGITS));
        let ran = match summary.ending {
            Ending::Complete => format!("ran for {time} s"),
            Ending::Interrupted => format!("INCOMPLETE: interrupted at {time} s of {until} s"),
            Ending::Failed => format!("INCOMPLETE: failed at {time} s of {until} s"),
        };
        match summary.at_rest {
            Some(since) => format!("{ran}; at rest since t = {} s", significant(since, TIME_DIGITS)),
            None => format!("{ran}; still moving"),
        }
    }

    fn events(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = |kind| self.record.events.iter().filter(|event| event.kind == kind).count();
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
            (EventKind::Ambiguous, "ambiguous lift-off", "ambiguous lift-offs"),
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
        let last = self.record.samples.last();
        for (i, contact) in contacts.iter().enumerate() {
            let mode = last.and_then(|sample| sample.contacts.get(i)).map_or("", |contact| contact.mode.name());
            let settled = self.record.summary.settled.get(i).copied().flatten();
            let what = match settled {
                Some(time) => format!("settled at t = {} s, {mode}", significant(time, TIME_DIGITS)),
                None => mode.to_owned(),
            };
            row(f, &format!("  {}", contact.name), &what)?;
        }
        Ok(())
    }

    fn energy(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let samples = &self.record.samples;
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else { return Ok(()) };
        let most = samples.iter().fold(0.0_f64, |most, sample| most.max(sample.energy.kinetic));
        let joule = |x: f64| format!("{:<13}", significant(x, DIGITS));
        row(f, "energy", &format!("{}{}", "at the start  ", "at the end"))?;
        for (name, part) in
            [("  kinetic", kinetic as fn(&Ledger) -> f64), ("  potential", potential), ("  total", Ledger::total)]
        {
            row(f, name, &format!("{} {} J", joule(part(&first.energy)), joule(part(&last.energy)).trim_end()))?;
        }
        let book = &last.energy;
        let of = match most {
            0.0 => String::new(),
            most => format!("in percent of the largest kinetic energy, {} J", significant(most, DIGITS)),
        };
        row(f, "went to", &of)?;
        for (name, x) in [
            ("  impacts", book.impacts),
            ("  friction", book.friction),
            ("  damping", book.damping),
            ("  torques", book.torques),
            ("  settling", book.settling),
            ("  projection", book.projection),
            ("  windows", book.windows),
        ] {
            if x != 0.0 {
                let percent = if most == 0.0 { String::new() } else { format!("{} %", signed(100.0 * x / most, FEW)) };
                row(
                    f,
                    name,
                    format!("{} {percent}", format_args!("{:<16}", format!("{} J", signed(x, DIGITS)))).as_str(),
                )?;
            }
        }
        if book.booked() == 0.0 {
            row(f, "", "nothing")?;
        }
        Ok(())
    }

    fn quality(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let summary = &self.record.summary;
        let largest = significant(summary.largest_energy, DIGITS);
        row(f, "not explained", &format!("{} of the largest energy, {largest} J", significant(summary.residual, FEW)))?;
        row(f, "penetration", &format!("{} m at most", significant(summary.penetration, FEW)))?;
        if summary.windows > 0 {
            row(f, "time stepping", &plural(summary.windows, "window", "windows"))?;
        }
        if summary.not_converged > 0 {
            row(f, "not converged", &plural(summary.not_converged, "decision", "decisions"))?;
        }
        let steps = plural(summary.steps, "step", "steps");
        let evaluations = plural(summary.evaluations, "evaluation", "evaluations");
        row(f, "work", &format!("{steps}, {} taken back, {evaluations}", summary.rejected))
    }
}

fn kinetic(energy: &Ledger) -> f64 {
    energy.kinetic
}

fn potential(energy: &Ledger) -> f64 {
    energy.potential
}

fn plural(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn row(f: &mut Formatter<'_>, label: &str, value: &str) -> fmt::Result {
    writeln!(f, "{}", format!("  {label:<20}{value}").trim_end())
}
