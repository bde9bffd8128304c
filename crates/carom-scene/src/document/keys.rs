//! The keys that all problems share, and those of coefficients.

use carom_law::{Guard, Law, RestitutionKind};

use super::version::FORMAT_VERSION;
use crate::schema::{Object, Rule, Type, object};

/// The keys of every problem, by matrices or with a robot.
pub(crate) const COMMON: Object = object!("common" {
    "restitution": RESTITUTION, "Coefficient of restitution, or a normal and a tangential one, or one that falls with the speed";
    "friction": FRICTION, "Coefficient of friction, or a static and a dynamic one; not needed for contacts of dimension 1";
    "guard": Type::OneOfNames(|| Guard::ALL.map(Guard::name).to_vec()), "What to do with a stick that creates energy [default: report; slip for a simulation]";
    "law": Type::OneOfNames(|| Law::ALL.map(Law::name).to_vec()), "The impact law [default: aghili]";
    "id": Type::Any, "Any value, copied to the outcome";
    "format_version": Type::Integer(1, Some(FORMAT_VERSION as u64)), "The version of this format [default: 1]";
    "$schema": Type::Text, "The address of this schema, for editors; it has no effect";
});

/// A restitution.
pub(crate) const RESTITUTION: Type = Type::Either(&[Type::Within(0.0, 1.0), Type::Object(&RESTITUTION_PARTS)]);

/// A restitution as an object.
pub(crate) const RESTITUTION_PARTS: Object = object!("restitution" {
    "normal": Type::Within(0.0, 1.0), "Normal coefficient e";
    "tangential": Type::Within(-1.0, 1.0), "Tangential coefficient e_t, for contacts that stick [default: 0]";
    "kind": Type::OneOfNames(|| RestitutionKind::ALL.map(RestitutionKind::name).to_vec()), "What e is the ratio of, for law = chord only: of impulses (poisson) or of velocities (newton) [default: poisson]";
    "hunt_crossley": Type::Object(&HUNT_CROSSLEY), "A coefficient that falls with the speed, e = 1 - alpha |v_n|";
}
    Rule::OneOf(&[&["normal"], &["hunt_crossley"]]),
    Rule::NotBoth("tangential", "hunt_crossley"),
    Rule::NotBoth("kind", "hunt_crossley"),
);

/// The restitution of a compliant contact.
pub(crate) const HUNT_CROSSLEY: Object = object!("hunt_crossley" {
    "alpha": Type::NOT_NEGATIVE, "alpha, s/m";
    "stiffness": Type::Above(0.0), "Stiffness k; alpha = 2 c / (3 k)";
    "damping": Type::NOT_NEGATIVE, "Damping c";
}
    Rule::OneOf(&[&["alpha"], &["stiffness", "damping"]]),
    Rule::NotBoth("alpha", "stiffness"),
    Rule::NotBoth("alpha", "damping"),
);

/// A friction.
pub(crate) const FRICTION: Type = Type::Either(&[Type::NOT_NEGATIVE, Type::Object(&FRICTION_PARTS)]);

/// A friction as an object.
pub(crate) const FRICTION_PARTS: Object = object!("friction" {
    "static": Type::NOT_NEGATIVE, "Static coefficient mu_s, which bounds friction in stick";
    "dynamic": Type::NOT_NEGATIVE, "Dynamic coefficient mu_d of sliding, at most the static one";
}
    Rule::Required(&["static", "dynamic"]),
);

/// The number of rows of a contact.
pub(crate) const DIMENSION: Type = Type::Integer(1, Some(3));
