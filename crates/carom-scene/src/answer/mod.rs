//! What a problem comes to: the outcome of one contact, or of several that strike at once.
//!
//! | file | what it has |
//! |---|---|
//! | `verdict` | an outcome in one sentence |

pub mod verdict;

use carom_law::{
    AnswerSearch, ContactOutcome, Energy, Law, Outcome, SimultaneousEffort, SimultaneousGuard, SimultaneousOutcome,
};
use serde::{Serialize, Serializer};

/// What an impact does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// One contact strikes.
    One(Box<Outcome>),
    /// Several strike at once.
    Several(Box<Several>),
}

impl Answer {
    /// The velocity after the impact; `None` for problems in contact space.
    pub fn velocity(&self) -> Option<&[f64]> {
        match self {
            Answer::One(outcome) => outcome.velocity.as_deref(),
            Answer::Several(several) => several.outcome.velocity.as_deref(),
        }
    }
}

/// The outcome of several contacts, with their names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Several {
    /// The outcome.
    pub outcome: SimultaneousOutcome,
    /// One entry a contact; `None` for one without a name.
    pub names: Vec<Option<String>>,
}

impl Several {
    /// What a contact is called in reports: its name, or its number from 1.
    pub fn label(&self, contact: usize) -> String {
        self.names.get(contact).cloned().flatten().unwrap_or_else(|| format!("contact {}", contact + 1))
    }
}

/// A contact's share with its name.
#[derive(Serialize)]
struct NamedContact<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(flatten)]
    contact: &'a ContactOutcome,
}

/// The fields of [`SimultaneousOutcome`], the contacts with names.
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

impl Serialize for Several {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A new field of the outcome must find its place here: a test compares them.
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
        let Answer::Several(several) = answer else { panic!("the landing has four contacts") };
        let mut named = serde_json::to_value(&several).unwrap();
        for contact in named["contacts"].as_array_mut().unwrap() {
            assert!(contact.as_object_mut().unwrap().remove("name").is_some_and(|name| name.is_string()));
        }
        let plain: Value = serde_json::to_value(&several.outcome).unwrap();
        assert_eq!(named, plain);
    }
}
