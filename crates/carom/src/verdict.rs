//! An outcome in one sentence.

use carom_law::{Guard, Law, Mode, Outcome};

use crate::number::significant;

/// Digits of the verdict.
pub(crate) const FEW: usize = 3;

/// The energy change, or zero where it is what rounding leaves of parts that cancel.
pub(crate) fn change_of(outcome: &Outcome) -> f64 {
    let energy = &outcome.energy;
    let parts = energy.normal.abs() + energy.tangential.abs();
    if energy.change.abs() <= 16.0 * f64::EPSILON * parts { 0.0 } else { energy.change }
}

/// One plain sentence: what the contact does, what becomes of the energy, and why.
pub fn verdict(outcome: &Outcome) -> String {
    let few = |x: f64| significant(x, FEW);
    if outcome.mode == Mode::Separating {
        return "separates: the contact does not approach, so there is no impulse".to_owned();
    }
    let energy = energy_clause(change_of(outcome), outcome.energy.before);
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
        // The criteria are Aghili's.
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
        Mode::Reversal => ": no slip is consistent, friction turns the tangential velocity round".to_owned(),
        Mode::Stick | Mode::Separating => String::new(),
    };
    format!("{}, and {energy}{reason}", verb(outcome.mode))
}

/// Two different numbers with as few digits as tell them apart, but three at least.
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

pub(crate) fn percent(change: f64, before: f64) -> Option<f64> {
    (before > 0.0).then(|| 100.0 * change / before).filter(|percent| percent.is_finite())
}
