//! The fields of an impact's outcome, each with the function that reads it.

use std::borrow::Cow;

use carom_law::{
    AnswerSearch, BeforeAfter, ContactOutcome, ContactVector, Friction, Mode, Outcome, RestitutionValues,
    SimultaneousOutcome, SimultaneousStage,
};

use super::field::{Field, Get, Length};

fn some(word: &'static str) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(word))
}

fn or_nan(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::NAN)
}

fn entries(vector: Option<&ContactVector>) -> &[f64] {
    vector.map_or(&[], |vector| vector)
}

/// The fields of the outcome of one contact.
pub(super) const ONE: &[Field<Outcome>] = &[
    ("mode", Get::Word(|o| some(o.mode.name()))),
    ("impulse", Get::Vector(|o| &o.impulse, Length::Rows)),
    ("velocity", Get::Vector(|o| o.velocity.as_deref().unwrap_or_default(), Length::Velocities)),
    ("contact_velocity.before", Get::Vector(|o| &o.contact_velocity.before, Length::Rows)),
    ("contact_velocity.after", Get::Vector(|o| &o.contact_velocity.after, Length::Rows)),
    ("direction", Get::Vector(|o| entries(o.direction.as_ref()), Length::Tangents)),
    ("energy.before", Get::Number(|o| or_nan(o.energy.before))),
    ("energy.after", Get::Number(|o| or_nan(o.energy.after))),
    ("energy.change", Get::Number(|o| o.energy.change)),
    ("energy.normal", Get::Number(|o| o.energy.normal)),
    ("energy.tangential", Get::Number(|o| o.energy.tangential)),
    ("discriminator", Get::Number(|o| or_nan(o.discriminator))),
    ("critical_friction", Get::Number(|o| or_nan(o.critical_friction))),
    ("critical_reversal", Get::Number(|o| or_nan(o.critical_reversal))),
    ("printed.discriminator", Get::Number(|o| or_nan(o.printed.as_ref().map(|p| p.discriminator)))),
    ("printed.critical_friction", Get::Number(|o| or_nan(o.printed.as_ref().and_then(|p| p.critical_friction)))),
    ("restitution_limit.state", Get::Number(|o| or_nan(o.restitution_limit.state))),
    ("restitution_limit.configuration", Get::Number(|o| or_nan(o.restitution_limit.configuration))),
    ("friction_limit", Get::Number(|o| or_nan(o.friction_limit))),
    ("admissible", Get::Flag(|o| Some(o.admissible))),
    ("admissible_any_state", Get::Flag(|o| Some(o.admissible_any_state))),
    // The names of the limits; their values and bounds are fields of their own.
    ("violations", Get::Word(violations)),
    ("guard.name", Get::Word(|o| some(o.guard.name.name()))),
    ("guard.acted", Get::Flag(|o| Some(o.guard.acted))),
    ("guard.restitution", Get::Number(|o| o.guard.restitution)),
    ("guard.unguarded.mode", Get::Word(|o| o.guard.unguarded.as_ref().and_then(|u| some(u.mode.name())))),
    ("guard.unguarded.energy_change", Get::Number(|o| or_nan(o.guard.unguarded.as_ref().map(|u| u.energy_change)))),
    ("solutions", Get::Number(|o| or_nan(o.solutions.map(f64::from)))),
    ("restitution.normal", Get::Number(|o| o.restitution.normal)),
    ("restitution.tangential", Get::Number(|o| o.restitution.tangential)),
    ("friction.static", Get::Number(|o| or_nan(o.friction.map(|friction| friction.mu_s())))),
    ("friction.dynamic", Get::Number(|o| or_nan(o.friction.map(|friction| friction.mu_d())))),
    ("contact_dimension", Get::Number(|o| f64::from(o.contact_dimension))),
    ("law", Get::Word(|o| some(o.law.name()))),
    ("residual", Get::Number(|o| o.residual)),
    ("condition.mass_matrix", Get::Number(|o| or_nan(o.condition.as_ref().map(|c| c.mass_matrix)))),
    ("condition.delassus", Get::Number(|o| or_nan(o.condition.as_ref().map(|c| c.delassus)))),
    ("phases", Get::Word(|o| o.phases.as_ref().map(|phases| Cow::Owned(phases.to_string())))),
];

fn violations(outcome: &Outcome) -> Option<Cow<'static, str>> {
    match outcome.violations[..] {
        [] => None,
        [ref one] => some(one.limit.name()),
        ref many => {
            let names: Vec<&str> = many.iter().map(|violation| violation.limit.name()).collect();
            Some(Cow::Owned(names.join(",")))
        }
    }
}

/// The fields of the outcome of several contacts, besides those of each contact.
pub(super) const MANY: &[Field<SimultaneousOutcome>] = &[
    ("velocity", Get::Vector(|o| o.velocity.as_deref().unwrap_or_default(), Length::Velocities)),
    ("energy.before", Get::Number(|o| or_nan(o.energy.before))),
    ("energy.after", Get::Number(|o| or_nan(o.energy.after))),
    ("energy.change", Get::Number(|o| o.energy.change)),
    ("energy.normal", Get::Number(|o| o.energy.normal)),
    ("energy.tangential", Get::Number(|o| o.energy.tangential)),
    ("admissible", Get::Flag(|o| Some(o.admissible))),
    ("guard.name", Get::Word(|o| some(o.guard.name.name()))),
    ("guard.acted", Get::Flag(|o| Some(o.guard.acted))),
    ("guard.blended", Get::Flag(|o| Some(o.guard.blended))),
    ("guard.restitution_factor", Get::Number(|o| o.guard.restitution_factor)),
    ("guard.unguarded.energy_change", Get::Number(|o| or_nan(o.guard.unguarded.as_ref().map(|u| u.energy_change)))),
    ("strong", Get::Flag(|o| Some(o.strong))),
    ("residual", Get::Number(|o| o.residual)),
    ("condition", Get::Number(|o| or_nan(o.condition))),
    ("solutions", Get::Number(|o| f64::from(o.solutions))),
    ("search", Get::Word(|o| some(search(o.search)))),
    ("sequence", Get::Number(|o| f64::from(o.sequence))),
    ("settled", Get::Flag(|o| Some(o.settled))),
    ("effort.stage", Get::Word(|o| some(stage(o.effort.stage)))),
    ("effort.solves", Get::Number(|o| f64::from(o.effort.solves))),
    ("effort.sweeps", Get::Number(|o| f64::from(o.effort.sweeps))),
    ("effort.newton_steps", Get::Number(|o| f64::from(o.effort.newton_steps))),
    ("effort.exchanges", Get::Number(|o| f64::from(o.effort.exchanges))),
    ("law", Get::Word(|o| some(o.law.name()))),
];

/// A test that compares all fields with the record fails if a way to search has no name here.
fn search(search: AnswerSearch) -> &'static str {
    match search {
        AnswerSearch::Exhaustive => "exhaustive",
        _ => "sampled",
    }
}

fn stage(stage: SimultaneousStage) -> &'static str {
    match stage {
        SimultaneousStage::Sweeps => "sweeps",
        SimultaneousStage::Newton => "newton",
        SimultaneousStage::Pivoting => "pivoting",
        SimultaneousStage::Continuation => "continuation",
    }
}

/// The part of one contact in an impact, of one or of several.
#[derive(Debug)]
pub(super) struct Share {
    mode: Mode,
    impulse: ContactVector,
    contact_velocity: BeforeAfter,
    direction: Option<ContactVector>,
    /// Change, normal and tangential part.
    energy: [f64; 3],
    restitution: RestitutionValues,
    restitution_used: f64,
    friction: Option<Friction>,
    contact_dimension: u8,
}

impl Share {
    pub(super) fn of_one(outcome: &Outcome) -> Self {
        Self {
            mode: outcome.mode,
            impulse: outcome.impulse,
            contact_velocity: outcome.contact_velocity,
            direction: outcome.direction,
            energy: [outcome.energy.change, outcome.energy.normal, outcome.energy.tangential],
            restitution: outcome.restitution,
            restitution_used: outcome.guard.restitution,
            friction: outcome.friction,
            contact_dimension: outcome.contact_dimension,
        }
    }

    pub(super) fn of_many(contact: &ContactOutcome) -> Self {
        Self {
            mode: contact.mode,
            impulse: contact.impulse,
            contact_velocity: contact.contact_velocity,
            direction: contact.direction,
            energy: [contact.energy.change, contact.energy.normal, contact.energy.tangential],
            restitution: contact.restitution,
            restitution_used: contact.restitution_used,
            friction: contact.friction,
            contact_dimension: contact.contact_dimension,
        }
    }
}

/// The fields of each contact, as `contacts.NAME.FIELD`.
pub(super) const CONTACT: &[Field<Share>] = &[
    ("mode", Get::Word(|c| some(c.mode.name()))),
    ("impulse", Get::Vector(|c| &c.impulse, Length::Rows)),
    ("contact_velocity.before", Get::Vector(|c| &c.contact_velocity.before, Length::Rows)),
    ("contact_velocity.after", Get::Vector(|c| &c.contact_velocity.after, Length::Rows)),
    ("direction", Get::Vector(|c| entries(c.direction.as_ref()), Length::Tangents)),
    ("energy.change", Get::Number(|c| c.energy[0])),
    ("energy.normal", Get::Number(|c| c.energy[1])),
    ("energy.tangential", Get::Number(|c| c.energy[2])),
    ("restitution.normal", Get::Number(|c| c.restitution.normal)),
    ("restitution.tangential", Get::Number(|c| c.restitution.tangential)),
    ("restitution_used", Get::Number(|c| c.restitution_used)),
    ("friction.static", Get::Number(|c| or_nan(c.friction.map(|friction| friction.mu_s())))),
    ("friction.dynamic", Get::Number(|c| or_nan(c.friction.map(|friction| friction.mu_d())))),
    ("contact_dimension", Get::Number(|c| f64::from(c.contact_dimension))),
];
