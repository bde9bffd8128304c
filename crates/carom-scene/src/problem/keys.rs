//! The keys of problems given by matrices.

use crate::document::keys::{COMMON, DIMENSION, FRICTION, RESTITUTION};
use crate::scene::SCENE;
use crate::schema::{Object, Openness, Rule, Type, json_schema, object};

const MATRIX: Type = Type::List(&Type::List(&Type::Number, 1, None), 1, None);
const VECTOR: Type = Type::List(&Type::Number, 1, None);

/// The keys of the generalized form.
pub(super) const GENERALIZED: Object = object!("generalized" {
    "mass_matrix": MATRIX, "M, n x n, a list of rows";
    "contact_jacobian": MATRIX, "A, d x n, normal row first; for several contacts their rows are stacked";
    "velocity": VECTOR, "Generalized velocity before the impact, n numbers";
}
    Rule::Required(&["mass_matrix", "contact_jacobian", "velocity"]),
);

/// The keys of the form in contact space.
pub(super) const CONTACT_SPACE: Object = object!("contact_space" {
    "delassus": MATRIX, "W = A M^-1 A^T, d x d, a list of rows";
    "contact_velocity": VECTOR, "Contact velocity before the impact, d numbers, normal first; negative approaches";
}
    Rule::Required(&["delassus", "contact_velocity"]),
);

/// The key that both forms share.
pub(super) const CONTACTS: Object = object!("matrices" {
    "contacts": Type::List(&Type::Object(&CONTACT), 1, None), "Several contacts that strike at once, in the order of their rows";
}
    Rule::AnyOf(&[&["restitution"], &["contacts"]]),
);

/// One contact of a list.
pub(super) const CONTACT: Object = object!("contact_of_rows" {
    "name": Type::Text, "Its name in reports";
    "dimension": DIMENSION, "Its number of rows: 1, 2 or 3";
    "restitution": RESTITUTION, "Its own restitution";
    "friction": FRICTION, "Its own friction";
});

impl super::Problem {
    /// The JSON Schema of problems in all their forms, as text.
    pub fn json_schema() -> String {
        let forms: [&[&Object]; 3] =
            [&[&GENERALIZED, &CONTACTS, &COMMON], &[&CONTACT_SPACE, &CONTACTS, &COMMON], &[&SCENE, &COMMON]];
        let description = "An impact, by matrices, in contact space, or as a scene with a robot";
        json_schema("carom problem", description, &forms, Openness::Closed)
    }
}
