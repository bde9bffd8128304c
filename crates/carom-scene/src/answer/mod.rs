//! The answer to a problem: the outcome of one contact, or of several that strike simultaneously.
//!
//! | file | contents |
//! |---|---|
//! | `verdict` | an outcome in one sentence |

pub mod verdict;

use carom_law::{
    AnswerSearch, ContactOutcome, Energy, Law, Outcome, SimultaneousEffort, SimultaneousGuard, SimultaneousOutcome,
};
use serde::{Serialize, Serializer};

/// The answer to an impact problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The outcome of one contact.
    One(Box<Outcome>),
    /// The outcome of several contacts that strike simultaneously.
    Many(Box<SimultaneousAnswer>),
}

impl Answer {
    /// The velocity after the impact; `None` for problems in contact space.
    pub fn velocity(&self) -> Option<&[f64]> {
        match self {
            Answer::One(outcome) => outcome.velocity.as_deref(),
            Answer::Many(many) => many.outcome.velocity.as_deref(),
        }
    }

    /// The energy ledger of the whole impact.
    pub fn energy(&self) -> &Energy {
        match self {
            Answer::One(outcome) => &outcome.energy,
            Answer::Many(many) => &many.outcome.energy,
        }
    }

    /// The energy change, or zero if it is within rounding.
    pub fn energy_change(&self) -> f64 {
        match self {
            Answer::One(outcome) => verdict::change_of(&outcome.energy),
            Answer::Many(many) => verdict::change_of_several(&many.outcome),
        }
    }

    /// One sentence: the modes, and the change of energy.
    pub fn verdict(&self) -> String {
        match self {
            Answer::One(outcome) => verdict::verdict(outcome),
            Answer::Many(many) => verdict::verdict_of_several(&many.outcome),
        }
    }
}

/// The outcome of several contacts, with their names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SimultaneousAnswer {
    /// The outcome.
    pub outcome: SimultaneousOutcome,
    /// One entry per contact; `None` for a contact without a name.
    pub names: Vec<Option<String>>,
}

impl SimultaneousAnswer {
    /// The name of a contact in reports: its own, or its number from 1.
    pub fn label(&self, contact: usize) -> String {
        self.names.get(contact).cloned().flatten().unwrap_or_else(|| format!("contact {}", contact + 1))
    }
}

/// The outcome of a contact with its name.
#[derive(Serialize)]
struct NamedContact<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(flatten)]
    contact: &'a ContactOutcome,
}

/// The fields of [`SimultaneousOutcome`], with named contacts.
#[derive(Serialize)]
struct Record<'a> {
    contacts: Vec<NamedContact<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<&'a [f64]>,
    energy: &'a Energy,
    admissible: bool,
    guard: &'a SimultaneousGuard,
    strong: bool,
    residual: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<f64>,
    solutions: u32,
    search: AnswerSearch,
    sequence: u32,
    settled: bool,
    effort: &'a SimultaneousEffort,
    law: Law,
}

impl Serialize for SimultaneousAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A new field of the outcome must be added here: a test compares them.
        let SimultaneousOutcome {
            contacts,
            velocity,
            energy,
            admissible,
            guard,
            strong,
            residual,
            condition,
            solutions,
            search,
            sequence,
            settled,
            effort,
            law,
            ..
        } = &self.outcome;
        let name = |k: usize| self.names.get(k).and_then(Option::as_deref);
        let contacts =
            contacts.iter().enumerate().map(|(k, contact)| NamedContact { name: name(k), contact }).collect();
        let record = Record {
            contacts,
            velocity: velocity.as_deref(),
            energy,
            admissible: *admissible,
            guard,
            strong: *strong,
            residual: *residual,
            condition: *condition,
            solutions: *solutions,
            search: *search,
            sequence: *sequence,
            settled: *settled,
            effort,
            law: *law,
        };
        record.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Answer;

    #[test]
    fn several_contacts_have_every_field_of_the_law_s_outcome() {
        let answer = crate::gallery::impact("landing").unwrap().answer().unwrap();
        let Answer::Many(several) = answer else { panic!("the landing has four contacts") };
        let mut named = serde_json::to_value(&several).unwrap();
        for contact in named["contacts"].as_array_mut().unwrap() {
            assert!(contact.as_object_mut().unwrap().remove("name").is_some_and(|name| name.is_string()));
        }
        let plain: Value = serde_json::to_value(&several.outcome).unwrap();
        assert_eq!(named, plain);
    }
}
