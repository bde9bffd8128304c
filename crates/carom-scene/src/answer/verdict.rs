//! An outcome in one sentence.

use carom_law::{Energy, Guard, Law, Mode, Outcome, SimultaneousOutcome};

use carom_sim::number::significant;

/// Number of digits in a verdict.
pub const FEW: usize = 3;

/// The energy change, or zero where it is only the rounding error of parts that cancel.
pub fn change_of(energy: &Energy) -> f64 {
    let parts = energy.normal.abs() + energy.tangential.abs();
    if energy.change.abs() <= 16.0 * f64::EPSILON * parts { 0.0 } else { energy.change }
}

/// An energy change below this fraction of the impulses times the speeds is within the solver's precision.
const NOTHING: f64 = 1e-12;

/// The energy change of several contacts, or zero where it is within the solver's precision.
pub fn change_of_several(outcome: &SimultaneousOutcome) -> f64 {
    let work = outcome.contacts.iter().flat_map(|contact| {
        let (before, after) = (contact.contact_velocity.before, contact.contact_velocity.after);
        let speed = move |j: usize| before[j].abs().max(after[j].abs());
        contact.impulse.iter().copied().enumerate().map(move |(j, i)| i.abs() * speed(j))
    });
    let change = outcome.energy.change;
    if change.abs() <= NOTHING * work.sum::<f64>() { 0.0 } else { change }
}

/// One sentence: the contact's mode, its energy change, and the reason.
pub fn verdict(outcome: &Outcome) -> String {
    let few = |x: f64| significant(x, FEW);
    if outcome.mode == Mode::Separating {
        return "separates: the contact does not approach, so there is no impulse".to_owned();
    }
    let energy = energy_clause(change_of(&outcome.energy), outcome.energy.before);
    if let Some(unguarded) = &outcome.guard.unguarded {
        let alone = energy_clause(unguarded.energy_change, outcome.energy.before).replace("creates", "create");
        let remedy = match outcome.guard.name {
            Guard::Limit => format!("with e lowered to {} it {}", few(outcome.guard.restitution), verb(outcome.mode)),
            Guard::Slip | Guard::Report => format!("made to slide, it {}", verb(outcome.mode)),
        };
        return format!("would stick and {alone}; {remedy} and {energy}");
    }
    let friction = outcome.friction.map(|friction| friction.mu_s());
    let reason = match outcome.mode {
        // The reasons below apply to Aghili's law only.
        _ if outcome.law != Law::Aghili => format!(", by the law {}", outcome.law.name()),
        Mode::Stick if !outcome.admissible => {
            let limit = outcome.restitution_limit.state.unwrap_or_default();
            let [e, limit] = apart(outcome.restitution.normal, limit);
            format!(": e = {e} exceeds its limit {limit}")
        }
        Mode::Slip => match (friction, outcome.critical_friction) {
            (Some(mu), Some(critical)) => {
                let [mu, critical] = apart(mu, critical);
                format!(": mu_s = {mu} is below the critical {critical}")
            }
            _ => ": no friction would make it stick".to_owned(),
        },
        Mode::Reversal => ": no slip is consistent, and friction reverses the tangential velocity".to_owned(),
        Mode::Stick | Mode::Separating => String::new(),
    };
    format!("{}, and {energy}{reason}", verb(outcome.mode))
}

/// One sentence on several contacts: their modes, the energy change, and the action of the guard.
pub fn verdict_of_several(outcome: &SimultaneousOutcome) -> String {
    if outcome.sequence == 0 {
        return "separates: no contact approaches, so there is no impulse".to_owned();
    }
    let modes = modes_clause(&outcome.contacts.iter().map(|contact| contact.mode).collect::<Vec<_>>());
    let energy = energy_clause(change_of_several(outcome), outcome.energy.before);
    let guard = &outcome.guard;
    if !guard.acted {
        return format!("{modes}, and the impact {energy}");
    }
    let alone = match &guard.unguarded {
        Some(alone) => energy_clause(alone.energy_change, outcome.energy.before).replace("creates", "create"),
        None => "create energy".to_owned(),
    };
    let remedy = match guard.name {
        _ if guard.blended => "blended with the plastic impact".to_owned(),
        Guard::Limit => format!("with restitutions scaled by {}", significant(guard.restitution_factor, FEW)),
        Guard::Slip | Guard::Report => "with contacts made to slide".to_owned(),
    };
    format!("would {alone}; {remedy}, {modes}, and the impact {energy}")
}

/// The number of contacts in each mode: `all 4 contacts slip`, `1 contact sticks, 3 slip`.
fn modes_clause(modes: &[Mode]) -> String {
    let all = [Mode::Stick, Mode::Slip, Mode::Reversal, Mode::Separating];
    let counts = all.map(|mode| (mode, modes.iter().filter(|other| **other == mode).count()));
    let present: Vec<(Mode, usize)> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
    if let [(mode, count)] = present[..] {
        let all = if count == 2 { "both contacts".to_owned() } else { format!("all {count} contacts") };
        return format!("{all} {}", plural(mode));
    }
    let clause = |(i, (mode, count)): (usize, &(Mode, usize))| {
        let noun = match (i, count) {
            (0, 1) => " contact",
            (0, _) => " contacts",
            _ => "",
        };
        format!("{count}{noun} {}", if *count == 1 { verb(*mode) } else { plural(*mode) })
    };
    present.iter().enumerate().map(clause).collect::<Vec<_>>().join(", ")
}

fn plural(mode: Mode) -> &'static str {
    match mode {
        Mode::Separating => "separate",
        Mode::Stick => "stick",
        Mode::Slip => "slip",
        Mode::Reversal => "reverse",
    }
}

/// Two different numbers with as few digits as distinguish them, but at least three.
fn apart(a: f64, b: f64) -> [String; 2] {
    let shown = |digits| [a, b].map(|x| significant(x, digits));
    (FEW..17).map(shown).find(|[a, b]| a != b).unwrap_or_else(|| shown(17))
}

fn verb(mode: Mode) -> &'static str {
    match mode {
        Mode::Separating => "separates",
        Mode::Stick => "sticks",
        Mode::Slip => "slips",
        Mode::Reversal => "reverses",
    }
}

fn energy_clause(change: f64, before: Option<f64>) -> String {
    let verb = if change > 0.0 { "creates" } else { "loses" };
    match before.and_then(|before| percent(change, before)) {
        _ if change == 0.0 => "keeps its energy".to_owned(),
        Some(percent) => format!("{verb} {} % energy", significant(percent.abs(), FEW)),
        None => format!("{verb} {} of energy", significant(change.abs(), FEW)),
    }
}

/// An energy change in percent of the energy before, if that is not zero.
pub fn percent(change: f64, before: f64) -> Option<f64> {
    (before > 0.0).then(|| 100.0 * change / before).filter(|percent| percent.is_finite())
}
