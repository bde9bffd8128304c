//! The fields of a run in JSON, and their JSON Schema.

use carom_scene::document::FORMAT_VERSION;
use carom_scene::schema::{Object, Openness, Rule, Type, json_schema, object};

const TEXTS: Type = Type::list(&Type::Text);
const DIMENSION: Type = Type::Integer(1, Some(3));
const TIME: Type = Type::NUMBER_OR_NULL;

const RUN: Object = object!("run" {
    "format_version": Type::Integer(1, Some(FORMAT_VERSION as u64)), "The version of this format";
    "header": Type::Object(&HEADER), "Model, contacts and settings";
    "summary": Type::Object(&SUMMARY), "How the run went";
    "samples": Type::Map(&COLUMN), "Samples in order of time: an array per column, all of one length; absent in a summary";
    "events": Type::list(&Type::Object(&EVENT)), "Events in order of time";
}
    Rule::Required(&["format_version", "header", "summary", "events"]),
);

/// Numbers, or names of modes.
const COLUMN: Type = Type::Either(&[Type::NUMBERS, TEXTS]);

const HEADER: Object = object!("header" {
    "title": Type::Nullable(&Type::Text), "Title of the scene";
    "model": Type::Text, "The robot's name";
    "coordinates": TEXTS, "Names of the coordinates";
    "velocities": TEXTS, "Names of the velocities";
    "contacts": Type::list(&Type::Object(&CONTACT)), "The contacts, and the limits of joints";
    "surfaces": Type::list(&Type::Object(&SURFACE)), "The surfaces";
    "plane": Type::Nullable(&Type::TRIPLE), "Normal of the plane of motion, if the robot is planar";
    "gravity": Type::TRIPLE, "Gravity, m/s^2";
    "length": Type::Number, "Size of the largest kinematic tree, m";
    "law": Type::Text, "The law of impacts";
    "guard": Type::Nullable(&Type::Text), "The guard of the law aghili; null with another law";
    "tolerance": Type::Number, "Relative tolerance of the integration";
    "until": Type::Number, "Requested end time, s";
    "interval": Type::NUMBER_OR_NULL, "Time between samples, s; null if there are samples at events only";
    "warnings": TEXTS, "Warnings about parts of the robot that are not simulated, and about the initial state";
    "provenance": Type::Object(&PROVENANCE), "Scene, robot files and program, which determine the run; absent where they are not known";
}
    Rule::Required(&[
        "title", "model", "coordinates", "velocities", "contacts", "surfaces", "plane", "gravity", "length",
        "tolerance", "until", "interval", "warnings",
    ]),
);

const PROVENANCE: Object = object!("provenance" {
    "carom": Type::Text, "The version of carom";
    "instruction_set": Type::Text, "Architecture and kernels in use, and fused if the build fuses products and sums";
    "system": Type::Text, "The operating system";
    "scene": Type::Any, "The scene, with all changes applied";
    "options": TEXTS, "The options that changed it, as given";
    "law": Type::Text, "The law of impacts; aghili where it is absent";
    "guard": Type::Text, "What to do with a stick that creates energy";
    "coefficients": Type::list(&Type::Object(&COEFFICIENTS)), "Restitution and friction of every contact, wherever they were given";
    "robot": Type::Object(&ROBOT), "The robot";
    "not_repeatable": Type::Text, "The reason why the run cannot be repeated from its file; absent if it can";
}
    Rule::Required(&["carom", "instruction_set", "system", "scene", "options", "guard", "coefficients", "robot"]),
);

const COEFFICIENTS: Object = object!("coefficients" {
    "contact": Type::Text, "The contact's name";
    "restitution": Type::Any, "Its restitution, as in a scene";
    "friction": Type::Any, "Its friction, static and dynamic; null for a contact without friction";
}
    Rule::Required(&["contact", "restitution", "friction"]),
);

const ROBOT: Object = object!("robot" {
    "builtin": Type::Nullable(&Type::Text), "The name of a built-in model";
    "files": Type::list(&Type::Object(&FILE)), "The robot's own file first, then those that it includes and its meshes";
}
    Rule::Required(&["builtin", "files"]),
);

const FILE: Object = object!("file" {
    "path": Type::Text, "Its absolute path; for a built-in model its name";
    "sha256": Type::Text, "SHA-256 of its content, in hexadecimal digits";
}
    Rule::Required(&["path", "sha256"]),
);

const CONTACT: Object = object!("contact" {
    "name": Type::Text, "Its name";
    "dimension": DIMENSION, "Number of rows: 1, 2 or 3";
    "surface": Type::Nullable(&Type::COUNT), "Index of its surface; null for what belongs to a joint and for a pair of bodies";
    "against": Type::Text, "For a pair of bodies: the link of the second";
    "joint": Type::Text, "For the dry friction of a joint: the joint";
}
    Rule::Required(&["name", "dimension", "surface"]),
);

const SURFACE: Object = object!("surface" {
    "name": Type::Text, "Its name";
    "point": Type::TRIPLE, "A point of it, m";
    "normal": Type::TRIPLE, "Its outward unit normal";
}
    Rule::Required(&["name", "point", "normal"]),
);

const SUMMARY: Object = object!("summary" {
    "ending": Type::OneOfNames(|| vec!["complete", "interrupted", "out_of_time", "failed"]), "How it ended";
    "failure": Type::Text, "Why it failed, if it did";
    "time": Type::Number, "Time reached, s";
    "steps": Type::COUNT, "Accepted steps";
    "rejected": Type::COUNT, "Rejected steps";
    "evaluations": Type::COUNT, "Evaluations of the equations of motion";
    "impacts": Type::COUNT, "Impacts; contacts that strike together count as one";
    "settlings": Type::COUNT, "Instants at which bounces too low to follow were ended";
    "windows": Type::COUNT, "Windows of time stepping";
    "rattles": Type::COUNT, "Plastic impacts of contacts that rattled";
    "sequences": Type::COUNT, "Impacts whose sequence was ended without restitution";
    "projections": Type::COUNT, "Projections beyond the tolerance of a step";
    "not_converged": Type::COUNT, "Decisions that did not converge";
    "settled": Type::list(&TIME), "When each contact last settled, s; null if it never did or has left again";
    "at_rest": TIME, "Since when the robot is at rest, s";
    "rests_at": TIME, "When it would come to rest after the run, s";
    "penetration": Type::Number, "The largest depth of a contact inside its surface, m";
    "largest_energy": Type::Number, "The largest energy, J";
    "residual": Type::Number, "The largest imbalance of the energy book, relative to the largest energy";
    "warnings": TEXTS, "Warnings of the run";
}
    Rule::Required(&[
        "ending", "time", "steps", "rejected", "evaluations", "impacts", "settlings", "windows", "rattles", "sequences",
        "projections", "not_converged", "settled", "at_rest", "rests_at", "penetration", "largest_energy", "residual",
        "warnings",
    ]),
);

const EVENT: Object = object!("event" {
    "time": Type::Number, "Time, s";
    "kind": Type::OneOfNames(event_kinds), "Its kind";
    "contact": Type::Nullable(&Type::Text), "The contact; null for the part of a window or projection that belongs to none, and at a dead point";
    "impact": Type::Nullable(&Type::OneOfNames(|| vec!["separating", "stick", "slip", "reversal"])), "The law's mode at an impact";
    "mode": Type::Nullable(&Type::OneOfNames(|| vec!["flight", "stick", "slip"])), "The contact's mode afterwards";
    "impulse": Type::List(&Type::Number, 0, Some(3)), "The impulse, normal first, N s, or N m s at the limit of a hinge";
    "energy_change": Type::Number, "Change of the energy, J";
    "settled": TIME, "At a settling: when the bounces would have ended, s";
    "loop": Type::Text, "At a dead point: the closed loop; absent otherwise";
}
    Rule::Required(&["time", "kind", "contact", "impact", "mode", "impulse", "energy_change", "settled"]),
);

fn event_kinds() -> Vec<&'static str> {
    vec![
        "impact",
        "settle",
        "lift_off",
        "stick",
        "slip",
        "jam",
        "jam_approached",
        "ambiguous",
        "window",
        "rattle",
        "sequence",
        "projection",
        "dead_point",
    ]
}

/// The JSON Schema of runs, with samples and without, as text.
pub fn run_schema() -> String {
    let description = "A simulated run: header, summary, samples as columns, events";
    json_schema("carom run", description, &[&[&RUN]], Openness::Open)
}
