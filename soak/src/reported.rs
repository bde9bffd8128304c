//! The numbers of an outcome that the judge reads, as data under the names of the documented interface.

use serde_json::Value;

use crate::problem::{Contact, Problem, Terms};

/// The numbers of an outcome that the judge reads, one entry a contact where it is a list.
pub(crate) struct Reported {
    pub(crate) contacts: Vec<ReportedContact>,
    pub(crate) velocity: Option<Vec<f64>>,
    pub(crate) energy: ReportedEnergy,
    pub(crate) admissible: bool,
    /// What the outcome says that its conditions are missed by; 0 for one contact.
    pub(crate) residual: f64,
    /// Impacts that followed each other.
    pub(crate) sequence: u64,
    /// Modes and restitution are not those of the law: a blend, or a rattle cut short.
    pub(crate) is_mixed: bool,
}

pub(crate) struct ReportedContact {
    pub(crate) mode: Mode,
    pub(crate) impulse: Vec<f64>,
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
    pub(crate) direction: Option<Vec<f64>>,
    /// The normal restitution that the answer obeys.
    pub(crate) restitution_used: f64,
    pub(crate) restitution: [f64; 2],
}

pub(crate) struct ReportedEnergy {
    pub(crate) before: Option<f64>,
    pub(crate) after: Option<f64>,
    pub(crate) change: f64,
    pub(crate) parts: [f64; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Separating,
    Stick,
    Slip,
    Reversal,
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|x| x.is_finite())
}

fn numbers(value: &Value, count: usize) -> Option<Vec<f64>> {
    let list = value.as_array().filter(|list| list.len() == count)?;
    list.iter().map(number).collect()
}

/// A number that may be left out, but not be null for want of a finite one.
fn optional(value: &Value, is_expected: bool) -> Option<Option<f64>> {
    if is_expected { Some(Some(number(value)?)) } else { Some(None) }
}

impl Reported {
    /// `None` if something is missing or not finite.
    pub(crate) fn read(problem: &Problem, value: &Value) -> Option<Self> {
        let is_generalized = matches!(problem.terms, Terms::Generalized { .. });
        let velocity = match &problem.terms {
            Terms::Generalized { velocity, .. } => Some(numbers(&value["velocity"], velocity.len())?),
            Terms::ContactSpace { .. } => None,
        };
        let energy = &value["energy"];
        let energy = ReportedEnergy {
            before: optional(&energy["before"], is_generalized)?,
            after: optional(&energy["after"], is_generalized)?,
            change: number(&energy["change"])?,
            parts: [number(&energy["normal"])?, number(&energy["tangential"])?],
        };
        let admissible = value["admissible"].as_bool()?;
        let (contacts, residual, sequence, is_mixed) = if problem.contacts.len() == 1 {
            let used = number(&value["guard"]["restitution"])?;
            (vec![ReportedContact::read(&problem.contacts[0], value, used)?], 0.0, 1, false)
        } else {
            let list = value["contacts"].as_array().filter(|list| list.len() == problem.contacts.len())?;
            let read = |(contact, value): (&Contact, &Value)| {
                ReportedContact::read(contact, value, number(&value["restitution_used"])?)
            };
            let contacts = problem.contacts.iter().zip(list).map(read).collect::<Option<Vec<_>>>()?;
            let residual = number(&value["residual"])?;
            let is_mixed = value["guard"]["blended"].as_bool()? || value["settled"].as_bool()?;
            (contacts, residual, value["sequence"].as_u64()?, is_mixed)
        };
        Some(Self { contacts, velocity, energy, admissible, residual, sequence, is_mixed })
    }
}

impl ReportedContact {
    fn read(contact: &Contact, value: &Value, restitution_used: f64) -> Option<Self> {
        let d = contact.dimension;
        let mode = match value["mode"].as_str()? {
            "separating" => Mode::Separating,
            "stick" => Mode::Stick,
            "slip" => Mode::Slip,
            "reversal" => Mode::Reversal,
            _ => return None,
        };
        let direction = match &value["direction"] {
            Value::Null => None,
            other => Some(numbers(other, d - 1)?),
        };
        Some(Self {
            mode,
            impulse: numbers(&value["impulse"], d)?,
            before: numbers(&value["contact_velocity"]["before"], d)?,
            after: numbers(&value["contact_velocity"]["after"], d)?,
            direction,
            restitution_used,
            restitution: [number(&value["restitution"]["normal"])?, number(&value["restitution"]["tangential"])?],
        })
    }
}
