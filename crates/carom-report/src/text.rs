//! The outcome of one contact as text, and the parts common to all impacts.

use std::fmt::{self, Formatter};

use carom_law::{Energy, Guard, Law, Mode, Outcome};

use super::{RobotRecord, printable};
use carom_scene::answer::verdict::{FEW, percent};
use carom_sim::number::{signed, significant, tidy};

/// Number of digits in the table.
pub(super) const DIGITS: usize = 6;
/// Lengths below this fraction of the robot's are rounding.
const ROUNDING: f64 = 1e-9;
/// Smallest width of a column with names.
const NAMES: usize = 16;
/// Contacts away from their surfaces that are named before the others are counted.
const APART: usize = 3;
/// Generalized velocities per line.
const VELOCITIES_A_LINE: usize = 6;

/// Numbers below this fraction of the largest of their kind are rounding, and printed as zero; JSON has all digits.
pub(super) const NOISE: f64 = 1e-12;

/// Whether units are known: those of a robot are SI units, those of matrices are the author's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Units {
    /// kg, m, s.
    Si,
    /// Those of the problem, which are not known.
    Own,
}

impl Units {
    /// The units of a problem with a robot or without.
    pub(super) fn of(robot: Option<&RobotRecord>) -> Self {
        if robot.is_some() { Self::Si } else { Self::Own }
    }

    /// The unit with a space before it, if it is known.
    pub(super) fn after(self, unit: &'static str) -> String {
        match self {
            Self::Si => format!(" {unit}"),
            Self::Own => String::new(),
        }
    }

    /// `, N s` behind a title, if units are known.
    pub(super) fn behind(self, title: &str, unit: &'static str) -> String {
        match self {
            Self::Si => format!("{title}, {unit}"),
            Self::Own => title.to_owned(),
        }
    }
}

/// The contact, its law and its mode.
pub(super) fn contact(f: &mut Formatter<'_>, o: &Outcome, units: Units) -> fmt::Result {
    let names: &[&str] = match o.contact_dimension {
        1 => &["normal"],
        2 => &["normal", "tangent"],
        _ => &["normal", "tangent 1", "tangent 2"],
    };
    if o.law != Law::Aghili {
        row(f, "law", o.law.name())?;
    }
    row(f, "mode", o.mode.name())?;
    if let Some(phases) = &o.phases {
        row(f, "  phases", phases)?;
    }
    row(f, "contact", &columns(names.iter().map(|name| (*name).to_owned())))?;
    let speed = largest(o.contact_velocity.before.iter().chain(o.contact_velocity.after.iter()));
    let vector = |values: &[f64], size: f64, unit| numbers(values, size) + units.after(unit).trim_start();
    row(f, "  velocity before", &vector(&o.contact_velocity.before, speed, "m/s"))?;
    row(f, "  velocity after", &vector(&o.contact_velocity.after, speed, "m/s"))?;
    row(f, "  impulse", &vector(&o.impulse, largest(o.impulse.iter()), "N s"))?;
    if let Some(u) = &o.direction {
        let cells = std::iter::once(String::new()).chain(u.iter().map(|x| significant(tidy(*x, NOISE), DIGITS)));
        row(f, "  slip direction", &columns(cells))?;
    }
    if let Some(count) = o.solutions.filter(|&count| count > 1) {
        row(f, "  answers", &format!("{count}; this one dissipates most"))?;
    }
    Ok(())
}

/// Restitution and friction, with their limits.
pub(super) fn coefficients(f: &mut Formatter<'_>, o: &Outcome) -> fmt::Result {
    let digits = |x: f64| significant(x, DIGITS);
    let mut e = format!("e = {}", digits(o.restitution.normal));
    if o.restitution.tangential != 0.0 {
        e += &format!(", e_t = {}", digits(o.restitution.tangential));
    }
    // The limits are those of Aghili's law; a rival law reports the restitution that it attained.
    let is_rival = o.law != Law::Aghili;
    if is_rival && o.mode != Mode::Separating && !o.law.claims().newton_restitution {
        e += &format!(", attained {}", digits(o.guard.restitution));
    }
    if let Some(chord) = &o.chord {
        e += &format!(
            " ({}, p_r = {} p_c{})",
            chord.kind.name(),
            digits(chord.ratio),
            if chord.cut { ", cut" } else { "" }
        );
    }
    row(f, "restitution", &e)?;
    if is_rival {
        return friction_row(f, o).map(drop);
    }
    let limits = [("this state", o.restitution_limit.state), ("every state", o.restitution_limit.configuration)];
    let limits: Vec<String> =
        limits.into_iter().filter_map(|(whose, limit)| Some(format!("{} in {whose}", digits(limit?)))).collect();
    row(f, "  limit for stick", &format!("e* = {}", limits.join(", ")))?;
    if !friction_row(f, o)? {
        return Ok(());
    }
    if o.mode != Mode::Separating {
        let mut critical = o.critical_friction.map_or("none".into(), |mu| format!("mu_cr = {}", digits(mu)));
        if let Some(printed) = o.printed.and_then(|printed| printed.critical_friction) {
            critical += &format!(" (the paper prints {})", digits(printed));
        }
        row(f, "  sticks from", &critical)?;
    }
    if let Some(reversal) = o.critical_reversal {
        row(f, "  may reverse from", &format!("mu_rev = {}", digits(reversal)))?;
    }
    let limit = o.friction_limit.map_or("infinite".into(), digits);
    row(f, "  paper's limit", &format!("mu* = {limit}"))
}

/// The guard, and what is violated.
pub(super) fn guard(f: &mut Formatter<'_>, outcome: &Outcome) -> fmt::Result {
    if outcome.law != Law::Aghili {
        return Ok(());
    }
    let guard = &outcome.guard;
    let act = match guard.name {
        Guard::Limit => format!("lowered the restitution to {}", significant(guard.restitution, DIGITS)),
        Guard::Slip | Guard::Report => "let the contact slide".to_owned(),
    };
    guard_row(f, guard.name, guard.acted.then_some(act))?;
    for violation in &outcome.violations {
        let (value, bound) = (significant(violation.value, DIGITS), significant(violation.bound, DIGITS));
        let excess = significant(violation.value - violation.bound, FEW);
        row(f, "violated", &format!("{}: {value} exceeds {bound} by {excess}", violation.limit.name()))?;
    }
    Ok(())
}

/// The guard, and its action if it acted.
pub(super) fn guard_row(f: &mut Formatter<'_>, guard: Guard, act: Option<String>) -> fmt::Result {
    let idle = if guard == Guard::Report { "changes nothing" } else { "did not act" };
    row(f, "guard", &format!("{}: {}", guard.name(), act.as_deref().unwrap_or(idle)))
}

/// Prints the coefficients of friction; returns whether there are any.
fn friction_row(f: &mut Formatter<'_>, outcome: &Outcome) -> Result<bool, fmt::Error> {
    let Some(friction) = outcome.friction.filter(|_| outcome.contact_dimension > 1) else {
        return Ok(false);
    };
    let digits = |x: f64| significant(x, DIGITS);
    let mu = if friction.mu_s() == friction.mu_d() {
        format!("mu = {}", digits(friction.mu_s()))
    } else {
        format!("mu_s = {}, mu_d = {}", digits(friction.mu_s()), digits(friction.mu_d()))
    };
    row(f, "friction", &mu)?;
    Ok(true)
}

/// Contacts that strike away from their surfaces, which is said first.
pub(super) fn gaps(f: &mut Formatter<'_>, robot: &RobotRecord) -> fmt::Result {
    let apart: Vec<_> = robot.struck.contacts().iter().filter(|contact| !contact.touches).collect();
    for contact in apart.iter().take(APART) {
        let size = significant(contact.gap.abs(), FEW);
        let place = if contact.gap > 0.0 { "above" } else { "inside" };
        let text = format!(
            "  {} does not touch: it is {size} m {place} its surface, and strikes where it is",
            contact.contact
        );
        writeln!(f, "{}", printable(&text))?;
    }
    match apart.len().saturating_sub(APART) {
        0 => Ok(()),
        1 => writeln!(f, "  1 more contact does not touch"),
        more => writeln!(f, "  {more} more contacts do not touch"),
    }
}

/// The robot and the contacts that strike.
pub(super) fn robot(f: &mut Formatter<'_>, robot: &RobotRecord) -> fmt::Result {
    row(f, "robot", &robot.model)?;
    for (k, contact) in robot.struck.contacts().iter().enumerate() {
        let place = contact.position.map(|x| significant(tidy(x, ROUNDING), DIGITS)).join(", ");
        let size = contact.position.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let gap = match tidy(contact.gap, ROUNDING * size) {
            0.0 => "on the surface".to_owned(),
            gap if gap > 0.0 => format!("{} m above the surface", significant(gap, DIGITS)),
            gap => format!("{} m inside the surface", significant(-gap, DIGITS)),
        };
        let label = if k == 0 { "strikes with" } else { "" };
        row(f, label, &format!("{} at ({place}) m, {gap}", contact.contact))?;
    }
    axes(f, robot)?;
    robot.warnings.iter().try_for_each(|warning| row(f, "warning", warning))
}

/// The impulses of the closed loops, one line each.
pub(super) fn loops(f: &mut Formatter<'_>, robot: &RobotRecord) -> fmt::Result {
    for (k, one) in robot.loops.iter().enumerate() {
        let triple = |values: &[f64; 3], unit: &str| {
            let size = largest(values.iter());
            let shown = values.map(|x| significant(tidy(x, NOISE * size), DIGITS)).join(", ");
            format!("({shown}) {unit}")
        };
        let linear = one.impulse.as_ref().map(|values| triple(values, "N s"));
        let angular = one.angular_impulse.as_ref().map(|values| triple(values, "N m s"));
        let joint = one.joint_impulse.map(|value| format!("{} along its joint", significant(value, DIGITS)));
        let parts: Vec<String> = [linear, angular, joint].into_iter().flatten().collect();
        let unique = if one.unique { "" } else { "; not unique, that of least norm is given" };
        let label = if k == 0 { "loops bear" } else { "" };
        row(f, label, &format!("{}: {}{unique}", one.name, parts.join(", ")))?;
    }
    Ok(())
}

/// Where the normal and the tangents of contacts point, in world axes: once if they are the same for all.
fn axes(f: &mut Formatter<'_>, robot: &RobotRecord) -> fmt::Result {
    let contacts = robot.struck.contacts();
    let shown = |axes: &[[f64; 3]]| {
        let names: &[&str] =
            if axes.len() == 2 { &["normal", "tangent"] } else { &["normal", "tangent 1", "tangent 2"] };
        let direction = |axis: &[f64; 3]| axis.map(|x| significant(tidy(x, NOISE), DIGITS)).join(", ");
        let each = names.iter().zip(axes).map(|(name, axis)| format!("{name} ({})", direction(axis)));
        each.collect::<Vec<_>>().join(", ")
    };
    let Some(first) = contacts.first() else { return Ok(()) };
    if contacts.iter().all(|contact| contact.axes == first.axes) {
        return row(f, "world directions", &shown(&first.axes));
    }
    for (k, contact) in contacts.iter().enumerate() {
        let label = if k == 0 { "world directions" } else { "" };
        row(f, label, &format!("{}: {}", contact.contact, shown(&contact.axes)))?;
    }
    Ok(())
}

/// The generalized velocities, if there are any.
pub(super) fn velocities(
    f: &mut Formatter<'_>,
    before: Option<&[f64]>,
    after: Option<&[f64]>,
    robot: Option<&RobotRecord>,
) -> fmt::Result {
    let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
    let size = largest(before.iter().chain(after));
    if let Some(robot) = robot {
        let units = robot.velocity_units.iter().copied().chain(std::iter::repeat(""));
        let rows =
            before.iter().zip(after).zip(units).map(|((before, after), unit)| numbers(&[*before, *after], size) + unit);
        table(f, "joint velocity", &["before", "after"], &robot.velocity_names, rows)?;
        if robot.in_link_axes {
            row(f, "", "velocities of floating and ball joints are in their link's axes")?;
        }
        return Ok(());
    }
    row(f, "generalized", "")?;
    for (label, values) in [("  velocity before", before), ("  velocity after", after)] {
        for (i, chunk) in values.chunks(VELOCITIES_A_LINE).enumerate() {
            row(f, if i == 0 { label } else { "" }, &numbers(chunk, size))?;
        }
    }
    Ok(())
}

/// The energy ledger; `change` is the energy change without rounding errors.
pub(super) fn energy(f: &mut Formatter<'_>, energy: &Energy, change: f64, units: Units) -> fmt::Result {
    let unit = units.after("J");
    if let (Some(before), Some(after)) = (energy.before, energy.after) {
        let percent = percent(change, before).map_or(String::new(), |p| format!(" ({} %)", signed(p, FEW)));
        let (before, after) = (significant(before, DIGITS), significant(after, DIGITS));
        row(f, "kinetic energy", &format!("{before}{unit} before, {after}{unit} after{percent}"))?;
    }
    let size = largest([energy.normal, energy.tangential].iter().chain(&energy.before));
    let part = |x: f64| format!("{}{unit}", signed(tidy(x, NOISE * size), DIGITS));
    let (normal, tangential) = (part(energy.normal), part(energy.tangential));
    row(f, "energy change", &format!("{}: normal {normal}, tangential {tangential}", part(change)))
}

/// A table with one line per label, under a title and column heads.
pub(super) fn table(
    f: &mut Formatter<'_>,
    title: &str,
    heads: &[&str],
    labels: &[String],
    cells: impl Iterator<Item = String>,
) -> fmt::Result {
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(NAMES);
    let line = |f: &mut Formatter<'_>, label: &str, cells: String| {
        writeln!(f, "{}", printable(format!("  {label:<w$}  {cells}", w = width + 2).trim_end()))
    };
    line(f, title, columns(heads.iter().map(|head| (*head).to_owned())))?;
    labels.iter().zip(cells).try_for_each(|(label, cells)| line(f, &format!("  {label}"), cells))
}

pub(super) fn row(f: &mut Formatter<'_>, label: &str, value: &str) -> fmt::Result {
    writeln!(f, "{}", printable(format!("  {label:<20}{value}").trim_end()))
}

/// Numbers in columns; what is rounding of numbers of this size is zero.
fn numbers(values: &[f64], size: f64) -> String {
    columns(values.iter().map(|x| significant(tidy(*x, NOISE * size), DIGITS)))
}

/// The largest absolute value.
pub(super) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// Columns of equal width, with space for a sign before every cell.
pub(super) fn columns(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| if cell.starts_with('-') { format!("{cell:<13} ") } else { format!(" {cell:<12} ") }).collect()
}
