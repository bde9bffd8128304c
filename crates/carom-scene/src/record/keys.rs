//! The fields of outcomes and errors.

use carom_law::{ErrorKind, Guard, Law, RestitutionKind};

use super::OutcomeRecord;
use crate::document::{FORMAT_VERSION, Kind};
use crate::schema::{Object, Openness, Rule, Type, json_schema, object};

const MODE: Type = Type::OneOfNames(|| vec!["separating", "stick", "slip", "reversal"]);
const GUARD: Type = Type::OneOfNames(|| Guard::ALL.map(Guard::name).to_vec());
const LAW: Type = Type::OneOfNames(|| Law::ALL.map(Law::name).to_vec());
const ROWS: Type = Type::List(&Type::Number, 1, Some(3));
const DIMENSION: Type = Type::Integer(1, Some(3));

/// The fields of the outcome of one contact, besides those of every outcome.
const ONE: Object = object!("outcome" {
    "mode": MODE, "The mode of the contact";
    "impulse": ROWS, "The impulse, normal first, N s";
    "velocity": Type::NUMBERS, "Generalized velocity after the impact; absent in contact space";
    "contact_velocity": Type::Object(&BEFORE_AFTER), "Contact velocity, normal first";
    "direction": Type::Nullable(&ROWS), "Direction of slip; null in other modes";
    "energy": Type::Object(&ENERGY), "Where the kinetic energy went";
    "discriminator": Type::NUMBER_OR_NULL, "Exact discriminator of stick; null if no impulse gives stick or the contact separates";
    "critical_friction": Type::NUMBER_OR_NULL, "The smallest static friction that sticks; null when infinite";
    "critical_reversal": Type::NUMBER_OR_NULL, "The smallest dynamic friction that reverses; null if there is none";
    "printed": Type::Nullable(&Type::Object(&PRINTED)), "As printed in the paper; null for singular W";
    "restitution_limit": Type::Object(&RESTITUTION_LIMIT), "The largest restitution of a stick that creates no energy";
    "friction_limit": Type::NUMBER_OR_NULL, "mu*; null when infinite";
    "admissible": Type::Boolean, "False if the law's answer is a stick that creates energy";
    "admissible_any_state": Type::Boolean, "Whether the coefficients are in the paper's set [41]";
    "violations": Type::list(&Type::Object(&VIOLATION)), "The limits that the coefficients exceed";
    "guard": Type::Object(&GUARD_REPORT), "The guard, and whether it changed the answer";
    "solutions": Type::Nullable(&Type::COUNT), "Number of slip and reversal solutions; null where they were not counted";
    "restitution": Type::Object(&RESTITUTION), "The given restitution";
    "friction": Type::Nullable(&Type::Object(&FRICTION)), "The given friction";
    "contact_dimension": DIMENSION, "1, 2 or 3";
    "residual": Type::NOT_NEGATIVE, "The largest violation of the law's conditions, relative to the input";
    "condition": Type::Object(&CONDITION), "Condition numbers, for problems with a mass matrix";
    "phases": Type::Text, "Modes during compression and restitution, for laws that follow them";
    "chord": Type::Object(&CHORD), "The restitution of the law chord";
}
    Rule::Required(&[
        "mode", "impulse", "contact_velocity", "direction", "energy", "discriminator", "critical_friction",
        "critical_reversal", "printed", "restitution_limit", "friction_limit", "admissible", "admissible_any_state",
        "violations", "guard", "solutions", "restitution", "friction", "contact_dimension", "residual",
    ]),
);

/// The fields of the outcome of several contacts, besides those of every outcome.
const MANY: Object = object!("simultaneous_outcome" {
    "contacts": Type::List(&Type::Object(&CONTACT), 2, None), "The contacts, in the order of the problem";
    "velocity": Type::NUMBERS, "Generalized velocity after the impact; absent in contact space";
    "energy": Type::Object(&ENERGY), "Where the kinetic energy went";
    "admissible": Type::Boolean, "Whether the law's own answer creates no energy";
    "guard": Type::Object(&SIMULTANEOUS_GUARD), "The guard, and whether it changed the answer";
    "strong": Type::Boolean, "Whether every contact sticks that could, given the modes of the others";
    "residual": Type::NOT_NEGATIVE, "Violation of the law over the largest speed";
    "condition": Type::Number, "Condition number of M, for problems with a mass matrix";
    "solutions": Type::COUNT, "Number of certified solutions found for the first impact of the sequence";
    "search": Type::OneOfNames(|| vec!["exhaustive", "sampled"]), "Whether every combination of modes was tried";
    "sequence": Type::COUNT, "Number of successive impacts at this instant";
    "settled": Type::Boolean, "Whether the last impacts of the sequence were solved without restitution";
    "effort": Type::Object(&EFFORT), "The work of the solver";
}
    Rule::Required(&[
        "contacts", "energy", "admissible", "guard", "strong", "residual", "solutions", "search", "sequence", "settled",
        "effort",
    ]),
);

/// The fields of every outcome.
const EVERY: Object = object!("every_outcome" {
    "format_version": Type::Integer(1, Some(FORMAT_VERSION as u64)), "The version of this format";
    "law": LAW, "The impact law";
    "id": Type::Any, "The id of the problem; null without one";
    "robot": Type::Object(&ROBOT), "The robot, for scenes";
}
    Rule::Required(&["format_version", "law", "id"]),
);

/// An error in place of an outcome.
const ERROR: Object = object!("error_record" {
    "format_version": Type::Integer(1, Some(FORMAT_VERSION as u64)), "The version of this format";
    "error": Type::Object(&FAULT), "What is wrong";
    "id": Type::Any, "The id of the problem; null without one";
}
    Rule::Required(&["format_version", "error", "id"]),
);

const FAULT: Object = object!("error" {
    "kind": Type::OneOfNames(error_kinds), "The kind, from a closed list";
    "message": Type::Text, "What is wrong, with field, value and bound";
    "field": Type::Nullable(&Type::Text), "The field, as a dotted path; null if the document cannot be parsed";
    "line": Type::Nullable(&Type::Integer(1, None)), "The line of the file or of the batch, if known";
}
    Rule::Required(&["kind", "message", "field", "line"]),
);

fn error_kinds() -> Vec<&'static str> {
    Kind::OF_DOCUMENTS.into_iter().chain(ErrorKind::ALL.into_iter().map(Kind::Law)).map(Kind::name).collect()
}

const BEFORE_AFTER: Object = object!("before_after" {
    "before": ROWS, "Before the impact, m/s";
    "after": ROWS, "After the impact, m/s";
}
    Rule::Required(&["before", "after"]),
);

const ENERGY: Object = object!("energy" {
    "before": Type::NUMBER_OR_NULL, "Kinetic energy before; null in contact space";
    "after": Type::NUMBER_OR_NULL, "Kinetic energy after; null in contact space";
    "change": Type::Number, "Its change";
    "normal": Type::Number, "The part of the normal impulse";
    "tangential": Type::Number, "The part of friction";
}
    Rule::Required(&["before", "after", "change", "normal", "tangential"]),
);

const WORK: Object = object!("work" {
    "change": Type::Number, "Work of the contact's impulse";
    "normal": Type::Number, "Its normal part";
    "tangential": Type::Number, "The part of friction";
}
    Rule::Required(&["change", "normal", "tangential"]),
);

const PRINTED: Object = object!("printed" {
    "discriminator": Type::Number, "Discriminator [22]";
    "critical_friction": Type::NUMBER_OR_NULL, "Critical friction [23]; null when infinite";
}
    Rule::Required(&["discriminator", "critical_friction"]),
);

const RESTITUTION_LIMIT: Object = object!("restitution_limit" {
    "state": Type::NUMBER_OR_NULL, "In this state";
    "configuration": Type::NUMBER_OR_NULL, "In every state of this configuration";
}
    Rule::Required(&["state", "configuration"]),
);

const VIOLATION: Object = object!("violation" {
    "limit": Type::OneOfNames(|| vec!["restitution_limit.state", "restitution_limit.configuration", "friction_limit"]), "The limit";
    "value": Type::Number, "The given coefficient";
    "bound": Type::Number, "Its bound";
}
    Rule::Required(&["limit", "value", "bound"]),
);

const GUARD_REPORT: Object = object!("guard" {
    "name": GUARD, "The guard";
    "acted": Type::Boolean, "Whether it replaced the law's answer";
    "restitution": Type::Number, "The normal restitution of the answer";
    "unguarded": Type::Nullable(&Type::Object(&UNGUARDED)), "The law's own answer, if it was replaced";
}
    Rule::Required(&["name", "acted", "restitution", "unguarded"]),
);

const UNGUARDED: Object = object!("unguarded" {
    "mode": MODE, "Its mode";
    "energy_change": Type::Number, "Its change of energy";
}
    Rule::Required(&["mode", "energy_change"]),
);

const SIMULTANEOUS_GUARD: Object = object!("simultaneous_guard" {
    "name": GUARD, "The guard";
    "acted": Type::Boolean, "Whether it replaced the law's answer";
    "blended": Type::Boolean, "Whether the answer is blended with the plastic impact";
    "restitution_factor": Type::Number, "The least factor of the restitutions";
    "unguarded": Type::Nullable(&Type::Object(&SIMULTANEOUS_UNGUARDED)), "The law's own answer, if it was replaced";
}
    Rule::Required(&["name", "acted", "blended", "restitution_factor", "unguarded"]),
);

const SIMULTANEOUS_UNGUARDED: Object = object!("simultaneous_unguarded" {
    "modes": Type::list(&MODE), "The mode of each contact";
    "energy_change": Type::Number, "Its change of energy";
}
    Rule::Required(&["modes", "energy_change"]),
);

const RESTITUTION: Object = object!("restitution" {
    "normal": Type::Number, "e";
    "tangential": Type::Number, "e_t";
}
    Rule::Required(&["normal", "tangential"]),
);

const CHORD: Object = object!("chord" {
    "kind": Type::OneOfNames(|| RestitutionKind::ALL.map(RestitutionKind::name).to_vec()), "What e is the ratio of: impulses (poisson) or velocities (newton)";
    "ratio": Type::Number, "Normal impulse of restitution over that of compression";
    "cut": Type::Boolean, "Whether Newton's restitution needed more than the impulse of compression and was limited to it";
}
    Rule::Required(&["kind", "ratio", "cut"]),
);

const FRICTION: Object = object!("friction" {
    "static": Type::NOT_NEGATIVE, "mu_s";
    "dynamic": Type::NOT_NEGATIVE, "mu_d";
}
    Rule::Required(&["static", "dynamic"]),
);

const CONDITION: Object = object!("condition" {
    "mass_matrix": Type::Number, "Estimated condition number of M, with its diagonal scaled to order one";
    "delassus": Type::Number, "Condition number of W";
}
    Rule::Required(&["mass_matrix", "delassus"]),
);

const CONTACT: Object = object!("contact" {
    "name": Type::Text, "Its name, if it has one";
    "mode": MODE, "Its mode; separating is without an impulse";
    "impulse": ROWS, "The impulse, normal first, N s";
    "contact_velocity": Type::Object(&BEFORE_AFTER), "Contact velocity, normal first";
    "direction": Type::Nullable(&ROWS), "Direction of slip; null in other modes";
    "energy": Type::Object(&WORK), "The work of its impulse";
    "restitution": Type::Object(&RESTITUTION), "The given restitution";
    "restitution_used": Type::Number, "The normal restitution of the answer";
    "friction": Type::Nullable(&Type::Object(&FRICTION)), "The given friction";
    "contact_dimension": DIMENSION, "1, 2 or 3";
}
    Rule::Required(&[
        "mode", "impulse", "contact_velocity", "direction", "energy", "restitution", "restitution_used", "friction",
        "contact_dimension",
    ]),
);

const EFFORT: Object = object!("effort" {
    "stage": Type::OneOfNames(|| vec!["sweeps", "newton", "pivoting", "continuation"]), "The last stage of the solver that was needed";
    "solves": Type::COUNT, "Coulomb problems solved";
    "sweeps": Type::COUNT, "Sweeps over the contacts";
    "newton_steps": Type::COUNT, "Steps of Newton's method";
    "exchanges": Type::COUNT, "Exchanges of Lemke's method";
}
    Rule::Required(&["stage", "solves", "sweeps", "newton_steps", "exchanges"]),
);

const ROBOT: Object = object!("robot" {
    "model": Type::Text, "The model's name";
    "velocity_names": Type::list(&Type::Text), "Names of the entries of velocity";
    "contact": Type::Text, "The contact that struck, if it is one";
    "position": Type::TRIPLE, "Its position in world axes, m";
    "gap": Type::Number, "Its distance from the surface, m";
    "axes": AXES, "Its normal and tangents in world axes";
    "contacts": Type::list(&Type::Object(&STRUCK)), "The contacts that struck, if they are several";
    "loops": Type::list(&Type::Object(&LOOP)), "The impulses of its closed loops; absent for a robot without loops";
    "warnings": Type::list(&Type::Text), "Warnings about the robot's file and state";
}
    Rule::Required(&["model", "velocity_names", "warnings"]),
    Rule::OneOf(&[&["contact", "position", "gap", "axes"], &["contacts"]]),
);

const STRUCK: Object = object!("struck" {
    "contact": Type::Text, "The contact's name";
    "position": Type::TRIPLE, "Its position in world axes, m";
    "gap": Type::Number, "Its distance from the surface, m";
    "axes": AXES, "Its normal and tangents in world axes";
}
    Rule::Required(&["contact", "position", "gap", "axes"]),
);

const LOOP: Object = object!("loop_impulse" {
    "loop": Type::Text, "The loop's name";
    "kind": Type::OneOfNames(|| vec!["connect", "hinge", "weld", "joint"]), "Its kind of constraint";
    "impulse": Type::TRIPLE, "The impulse on its first link, in world axes, N s; absent for joints";
    "angular_impulse": Type::TRIPLE, "The angular impulse on it about the loop's point, N m s; for hinge and weld";
    "joint_impulse": Type::Number, "The impulse along the first joint, N s or N m s; for joints";
    "unique": Type::Boolean, "Whether the impulse is unique; otherwise the one of least norm is given";
}
    Rule::Required(&["loop", "kind", "unique"]),
);

const AXES: Type = Type::List(&Type::TRIPLE, 1, Some(3));

impl OutcomeRecord<'_> {
    /// The JSON Schema of outcomes, of one contact and of several, and of errors, as text.
    pub fn json_schema() -> String {
        let forms: [&[&Object]; 3] = [&[&ONE, &EVERY], &[&MANY, &EVERY], &[&ERROR]];
        let description = "The answer to an impact, of one contact or of several that strike at once, or an error";
        json_schema("carom outcome", description, &forms, Openness::Open)
    }
}
