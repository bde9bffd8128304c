//! The impact of a problem, or of matrices.

use std::path::Path;
use std::sync::Arc;

use carom::document::Tree;
use carom::law::{self, Delassus, GeneralizedContact, MatrixView};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Map;

use crate::array::Numbers;
use crate::document::{coefficients, law_and_guard, value};
use crate::error::{argument, raise};
use crate::outcome::{Matrices, Origin, Outcome, wrapped};
use crate::problem::{Changes, read};
use crate::stated::Stated;

/// The impact of a contact, or of several that strike simultaneously.
///
/// problem: a Problem, the name of a built-in impact, a file, or a dictionary. Or matrices: delassus, contact_velocity:
/// W [d, d], 1/kg, and the contact velocity [d], m/s, normal first; d is 1, 2 or 3. mass_matrix, contact_jacobian,
/// velocity: M [n, n], A [d, n], normal row first, and the generalized velocity [n]. restitution: e in [0, 1], or a
/// dictionary: normal and tangential, or hunt_crossley. friction: mu, or a dictionary with static and dynamic. Not
/// needed for d = 1. contacts: for several contacts, a list of dictionaries with dimension and coefficients. law:
/// aghili (default), aghili-printed, newton, moreau, poisson, stronge, newton-routh, chatterjee-ruina, chord,
/// hunt-crossley. guard: what to do with a stick that creates energy: report (default), limit or slip. set: changes of
/// a document by path.
///
/// Arrays may be of any real dtype and order; they are converted to float64. Returns an Outcome, or a SimultaneousOutcome.
/// Raises CaromError, which names the argument.
#[pyfunction]
#[pyo3(signature = (
    problem = None, *, delassus = None, contact_velocity = None, mass_matrix = None, contact_jacobian = None,
    velocity = None, restitution = None, friction = None, contacts = None, law = None, guard = None, set = None
))]
#[allow(clippy::too_many_arguments, reason = "the keywords of a function of Python")]
pub fn impact<'py>(
    py: Python<'py>,
    problem: Option<Bound<'py, PyAny>>,
    delassus: Option<Bound<'py, PyAny>>,
    contact_velocity: Option<Bound<'py, PyAny>>,
    mass_matrix: Option<Bound<'py, PyAny>>,
    contact_jacobian: Option<Bound<'py, PyAny>>,
    velocity: Option<Bound<'py, PyAny>>,
    restitution: Option<Bound<'py, PyAny>>,
    friction: Option<Bound<'py, PyAny>>,
    contacts: Option<Bound<'py, PyAny>>,
    law: Option<String>,
    guard: Option<String>,
    set: Option<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let (None, Some(w), Some(v), None, None, None, None, None) =
        (&problem, &delassus, &contact_velocity, &mass_matrix, &contact_jacobian, &velocity, &contacts, &set)
    {
        let (law, guard) = law_and_guard(law.as_deref(), guard.as_deref())?;
        let (w, v) = (Numbers::read(w, "delassus")?, Numbers::read(v, "contact_velocity")?);
        let (rows, columns, entries) = w.matrix("delassus")?;
        let delassus = Delassus::new(MatrixView::row_major(rows, columns, entries)).map_err(raise)?;
        let contact = law::Contact::new(delassus, v.vector("contact_velocity")?).map_err(raise)?;
        let coefficients = coefficients(restitution.as_ref(), friction.as_ref())?;
        let outcome = contact.impact_by(law, &coefficients, guard).map_err(raise)?;
        let given = Matrices::ContactSpace { delassus: entries.to_vec(), velocity: v.as_slice().to_vec() };
        return Ok(Bound::new(py, Outcome::new(outcome, Origin::Matrices(Box::new(given))))?.into_any());
    }
    if let (None, None, None, Some(m), Some(a), Some(v), None, None) =
        (&problem, &delassus, &contact_velocity, &mass_matrix, &contact_jacobian, &velocity, &contacts, &set)
    {
        let (law, guard) = law_and_guard(law.as_deref(), guard.as_deref())?;
        let (m, a) = (Numbers::read(m, "mass_matrix")?, Numbers::read(a, "contact_jacobian")?);
        let v = Numbers::read(v, "velocity")?;
        let (rows, columns, mass) = m.matrix("mass_matrix")?;
        let mass_view = MatrixView::row_major(rows, columns, mass);
        let (rows, columns, jacobian) = a.matrix("contact_jacobian")?;
        let jacobian_view = MatrixView::row_major(rows, columns, jacobian);
        let velocity = v.vector("velocity")?;
        let contact = GeneralizedContact::new(mass_view, jacobian_view, velocity).map_err(raise)?;
        let coefficients = coefficients(restitution.as_ref(), friction.as_ref())?;
        let outcome = contact.impact_by(law, &coefficients, guard).map_err(raise)?;
        let given =
            Matrices::Generalized { mass: mass.to_vec(), jacobian: jacobian.to_vec(), velocity: velocity.to_vec() };
        return Ok(Bound::new(py, Outcome::new(outcome, Origin::Matrices(Box::new(given))))?.into_any());
    }
    let matrices = [
        ("delassus", delassus),
        ("contact_velocity", contact_velocity),
        ("mass_matrix", mass_matrix),
        ("contact_jacobian", contact_jacobian),
        ("velocity", velocity),
        ("contacts", contacts),
    ];
    let given: Vec<(&str, Bound<'_, PyAny>)> =
        matrices.into_iter().filter_map(|(key, entry)| Some((key, entry?))).collect();
    let stated = match (problem, given.first()) {
        (Some(_), Some((key, _))) => {
            let message = format!("problem and {key} both give the impact; give only one of them");
            return Err(argument("conflict", key, message));
        }
        (Some(problem), None) => read(&problem, false, &Changes { restitution, friction, guard, law, set })?,
        (None, _) => {
            // Several contacts, or a missing argument: read as a document, whose reader reports what is missing.
            let mut document = Map::new();
            for (key, entry) in &given {
                document.insert((*key).to_owned(), value(entry, key)?);
            }
            for (key, entry) in [("restitution", &restitution), ("friction", &friction)] {
                if let Some(entry) = entry {
                    document.insert(key.to_owned(), value(entry, key)?);
                }
            }
            let tree = Tree::of(&document).map_err(raise)?;
            let robots = Arc::new(carom::robots::Robots::new());
            let edits = Changes { guard, law, set, ..Changes::default() }.edits()?;
            Arc::new(Stated::of_tree(tree, "impact", Path::new(""), &robots, &edits).map_err(raise)?)
        }
    };
    let answer = stated.problem.answer().map_err(raise)?;
    wrapped(py, answer, Origin::Problem(stated))
}
