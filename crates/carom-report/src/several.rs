//! The answer for several contacts: tables with one line per contact, the guard, and the quality of the answer.

use std::fmt::{self, Formatter};

use carom_law::{ContactOutcome, Guard, Law, SimultaneousGuard, SimultaneousOutcome};

use super::text::{DIGITS, NOISE, Units, columns, guard_row, largest, row, table};
use carom_scene::SimultaneousAnswer;
use carom_scene::answer::verdict::FEW;
use carom_sim::number::{signed, significant, tidy};

/// A vector of a contact.
type Vector = fn(&ContactOutcome) -> &[f64];

/// The contacts, one line per contact in every table.
pub(super) fn contacts(f: &mut Formatter<'_>, answer: &SimultaneousAnswer, units: Units) -> fmt::Result {
    let contacts = &answer.outcome.contacts;
    if answer.outcome.law != Law::Aghili {
        row(f, "law", answer.outcome.law.name())?;
    }
    let rows = contacts.iter().map(|contact| contact.impulse.len()).max().unwrap_or(1).clamp(1, 3);
    let axes = &["normal", "tangent 1", "tangent 2"][..rows];
    let axes = if let [normal, _] = axes { &[normal, "tangent"][..] } else { axes };
    let digits = |x: &f64| significant(*x, DIGITS);
    let labels: Vec<String> = (0..contacts.len()).map(|k| answer.label(k)).collect();
    let cells = contacts.iter().map(|contact| {
        let mut cells = vec![contact.mode.name().to_owned(), signed(contact.energy.change, DIGITS)];
        cells.push(digits(&contact.restitution.normal));
        cells.extend(contact.friction.iter().flat_map(|mu| [digits(&mu.mu_s()), digits(&mu.mu_d())]));
        columns(cells.into_iter())
    });
    let energy = units.behind("energy", "J");
    table(f, "contact", &["mode", &energy, "e", "mu_s", "mu_d"], &labels, cells)?;
    let vectors: [(&str, &'static str, Vector); 3] = [
        ("velocity before", "m/s", |contact| &contact.contact_velocity.before),
        ("velocity after", "m/s", |contact| &contact.contact_velocity.after),
        ("impulse", "N s", |contact| &contact.impulse),
    ];
    for (title, unit, vector) in vectors {
        // Rounding errors are printed as zeros: those of velocities are relative to the velocity before.
        let before = contacts.iter().flat_map(|contact| contact.contact_velocity.before.iter());
        let scale = if title == "velocity after" { Some(before) } else { None };
        let all = contacts.iter().flat_map(|contact| vector(contact).iter()).chain(scale.into_iter().flatten());
        let size = largest(all);
        let shown = |x: &f64| significant(tidy(*x, NOISE * size), DIGITS);
        let cells = contacts.iter().map(|contact| columns(vector(contact).iter().map(shown)));
        // The unit stands behind the heads.
        let heads: Vec<&str> = axes.iter().copied().chain((units == Units::Si).then_some(unit)).collect();
        table(f, title, &heads, &labels, cells)?;
    }
    Ok(())
}

/// The guard, and the answer without it.
pub(super) fn guard(f: &mut Formatter<'_>, guard: &SimultaneousGuard) -> fmt::Result {
    let act = match guard.name {
        Guard::Report if guard.blended => {
            "blended the impulses with those of the least restitution for all contacts".to_owned()
        }
        _ if guard.blended => "blended the impulses with those of the plastic impact without stick".to_owned(),
        Guard::Limit => format!("scaled the restitutions by {}", significant(guard.restitution_factor, DIGITS)),
        Guard::Slip | Guard::Report => "let contacts slide".to_owned(),
    };
    guard_row(f, guard.name, guard.acted.then_some(act))?;
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
pub(super) fn quality(f: &mut Formatter<'_>, outcome: &SimultaneousOutcome) -> fmt::Result {
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
