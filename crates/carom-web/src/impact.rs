//! The exact answer at a pair of coefficients: sentence, outcome, ledger, limits, picture.

use carom::Answer as Solved;
use carom::law::{Friction, Limit, Mode, Outcome};
use carom::report::{OutcomeRecord, RobotRecord, robot_poses};
use carom::sim::number::significant;
use serde_json::{Value, json};

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::line;
use crate::stated::Stated;

/// Digits of numbers in sentences.
const FEW: usize = 3;

pub(crate) fn answer(stated: &Stated) -> Result<Answer, Fault> {
    let problem = &stated.problem;
    let solved = problem.answer()?;
    let robot = problem.scene().map(|scene| RobotRecord::of_answer(scene, &solved)).transpose()?;
    let id = stated.id();
    let record = OutcomeRecord::new(&solved, robot.as_ref(), Some(&id)).line();
    let outcome: Value =
        serde_json::from_str(&record).map_err(|error| Fault::of_kind("internal", error.to_string()))?;
    let (energy, change) = (solved.energy(), solved.energy_change());
    let percent = |part: f64| energy.before.filter(|before| *before > 0.0).map(|before| 100.0 * part / before);
    let entry = |name: &str, words: &str, value: Option<f64>| {
        value.map(|value| json!({ "name": name, "words": words, "value": value, "percent": percent(value) }))
    };
    let ledger: Vec<Value> = [
        entry("before", "kinetic energy before", energy.before),
        entry("normal", "work of the normal impulse", Some(energy.normal)),
        entry("tangential", "work of friction", Some(energy.tangential)),
        entry("after", "kinetic energy after", energy.after),
    ]
    .into_iter()
    .flatten()
    .collect();
    let creates = change > 0.0;
    let answer = json!({
        "sentence": sentence(&solved, creates),
        "verdict": solved.verdict(),
        "advice": advice(&solved),
        "creates": creates,
        "outcome": outcome,
        "energy": {
            "before": energy.before, "after": energy.after, "change": change, "normal": energy.normal,
            "tangential": energy.tangential, "percent": percent(change),
        },
        "ledger": ledger,
        "limits": match &solved { Solved::One(outcome) => limits(outcome), Solved::Many(_) => Vec::new() },
        "contacts": contacts(&solved, robot.as_ref()),
        "velocity": problem.velocity().zip(solved.velocity()).map(|(before, after)| json!({ "before": before, "after": after })),
        "command": line::command(stated),
        "python": line::python(stated),
    });
    let answer = Answer::new(answer);
    Ok(match stated.scene() {
        Some(scene) => answer.doubles("poses", &robot_poses(scene.model(), scene.configuration(), scene.velocity())?),
        None => answer,
    })
}

/// The answer in a sentence, which points out that a gain of energy is impossible.
fn sentence(solved: &Solved, creates: bool) -> String {
    let few = |x: f64| significant(x, FEW);
    let verdict = solved.verdict();
    let first = match solved {
        Solved::One(outcome) => {
            let friction = match outcome.friction {
                Some(friction) if friction.mu_s() == friction.mu_d() => format!(" and mu = {}", few(friction.mu_s())),
                Some(friction) => format!(", mu_s = {} and mu_d = {}", few(friction.mu_s()), few(friction.mu_d())),
                None => String::new(),
            };
            format!("With e = {}{friction} the contact {verdict}.", few(outcome.restitution.normal))
        }
        Solved::Many(_) if verdict.starts_with("would ") => format!("The impact {verdict}."),
        Solved::Many(_) => {
            let verdict = verdict.strip_prefix("separates: ").unwrap_or(&verdict);
            let mut letters = verdict.chars();
            letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
        }
    };
    format!("{first}{}", if creates { " No real impact can do that." } else { "" })
}

/// What each guard would do against the gain of energy; `None` if there is none.
fn advice(solved: &Solved) -> Option<String> {
    let Solved::One(outcome) = solved else { return None };
    let creates = outcome.mode == Mode::Stick && outcome.energy.change > 0.0 && !outcome.admissible;
    let limit = outcome.restitution_limit.state.filter(|_| creates)?;
    Some(format!("guard = \"slip\" lets the contact slide, guard = \"limit\" lowers e to {}.", significant(limit, FEW)))
}

/// The limits of the coefficients and the distances from them, negative where they are crossed.
fn limits(outcome: &Outcome) -> Vec<Value> {
    let e = outcome.restitution.normal;
    let friction = outcome.friction;
    let is_violated = |limit: Limit| outcome.violations.iter().any(|violation| violation.limit == limit);
    let mu = |part: fn(&Friction) -> f64| friction.as_ref().map(part);
    let entries = [
        (
            "restitution_limit.state",
            "largest e without a gain of energy in this state",
            "restitution",
            Some(e),
            outcome.restitution_limit.state,
            1.0,
            Some(!is_violated(Limit::RestitutionState)),
        ),
        (
            "restitution_limit.configuration",
            "largest e without a gain of energy in every state",
            "restitution",
            Some(e),
            outcome.restitution_limit.configuration,
            1.0,
            Some(!is_violated(Limit::RestitutionConfiguration)),
        ),
        (
            "critical_friction",
            "sticks from this mu on",
            "friction",
            mu(|friction| friction.mu_s()),
            outcome.critical_friction,
            -1.0,
            None,
        ),
        (
            "printed.critical_friction",
            "sticks from this mu on, as the paper prints it",
            "friction",
            mu(|friction| friction.mu_s()),
            outcome.printed.and_then(|printed| printed.critical_friction),
            -1.0,
            None,
        ),
        (
            "critical_reversal",
            "can reverse from this mu on",
            "friction",
            mu(|friction| friction.mu_d()),
            outcome.critical_reversal,
            1.0,
            None,
        ),
        (
            "friction_limit",
            "the paper's limit of mu",
            "friction",
            mu(|friction| friction.mu_d()),
            outcome.friction_limit,
            1.0,
            Some(!is_violated(Limit::Friction)),
        ),
    ];
    let shown = entries.into_iter().filter_map(|(name, words, of, value, limit, sign, holds)| {
        let (value, limit) = (value?, limit?);
        let distance: f64 = sign * (limit - value);
        Some(json!({
            "name": name, "words": words, "of": of, "value": value, "limit": limit, "distance": distance, "holds": holds,
        }))
    });
    shown.collect()
}

/// The contacts, in world axes for a robot and in their own axes otherwise.
fn contacts(solved: &Solved, robot: Option<&RobotRecord>) -> Vec<Value> {
    match solved {
        Solved::One(outcome) => {
            let (before, after) = (&outcome.contact_velocity.before, &outcome.contact_velocity.after);
            vec![contact(robot, 0, outcome.mode, [before, after, &outcome.impulse], outcome.friction)]
        }
        Solved::Many(many) => {
            let each = many.outcome.contacts.iter().enumerate();
            each.map(|(place, one)| {
                let (before, after) = (&one.contact_velocity.before, &one.contact_velocity.after);
                contact(robot, place, one.mode, [before, after, &one.impulse], one.friction)
            })
            .collect()
        }
    }
}

/// A contact with the vectors of its velocity before and after and of its impulse.
pub(crate) fn contact(
    robot: Option<&RobotRecord>,
    place: usize,
    mode: Mode,
    vectors: [&[f64]; 3],
    friction: Option<Friction>,
) -> Value {
    let record = robot.and_then(|robot| robot.struck.contacts().get(place));
    let world = |vector: &[f64]| -> [f64; 3] {
        match record {
            Some(record) => {
                [0, 1, 2].map(|k: usize| vector.iter().zip(&record.axes).map(|(part, axis)| part * axis[k]).sum())
            }
            None => [0, 1, 2].map(|k: usize| vector.get(k).copied().unwrap_or(0.0)),
        }
    };
    let [before, after, impulse] = vectors.map(world);
    json!({
        "name": record.map_or("contact", |record| record.contact.as_str()),
        "mode": mode.name(),
        "position": record.map(|record| record.position),
        "gap": record.map(|record| record.gap),
        "axes": record.map(|record| &record.axes),
        "before": before,
        "after": after,
        "impulse": impulse,
        "cone": friction.map(|friction| json!({ "static": friction.mu_s(), "dynamic": friction.mu_d() })),
    })
}
