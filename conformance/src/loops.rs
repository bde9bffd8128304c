//! States with closed loops: C, and the terms of a contact with the loops held.

use carom_multibody::{Dynamics, DynamicsError, Model};
use serde_json::{Map, Value, json};

use crate::request::{Contact, State};
use crate::terms::{Touch, rows};

pub(crate) fn of(model: Model, states: &[State], contact: Option<&Contact>) -> Result<Value, String> {
    let mut touch = contact.map(|contact| Touch::new(&model, contact)).transpose()?;
    let mut dynamics = Dynamics::new(model);
    let answers = states.iter().map(|state| match of_state(&mut dynamics, state, touch.as_mut()) {
        Ok(terms) => Value::Object(terms),
        // Not every random state is near one that closes.
        Err(error) => json!({ "open": error.to_string() }),
    });
    Ok(json!({ "states": answers.collect::<Vec<_>>() }))
}

fn of_state(
    dynamics: &mut Dynamics,
    state: &State,
    touch: Option<&mut Touch>,
) -> Result<Map<String, Value>, DynamicsError> {
    dynamics.set_state(&state.q, &state.v)?;
    let none = vec![false; state.v.len()];
    dynamics.close_loops(&none, &none)?;
    let mut terms = Map::new();
    terms.insert("q".into(), json!(dynamics.configuration()));
    terms.insert("v".into(), json!(dynamics.velocity()));
    terms.insert("mass_matrix".into(), rows(dynamics.mass_matrix()));
    terms.insert("rank".into(), json!(dynamics.loop_rank()?));
    terms.insert("margin".into(), json!(dynamics.loop_margin()?.map(|(_, margin)| margin)));
    let (c, drift) = dynamics.loop_rows();
    terms.insert("loop_rows".into(), rows(&c));
    terms.insert("loop_drift".into(), json!(drift));
    if let Some(touch) = touch {
        touch.fill(dynamics, &mut terms)?;
    }
    Ok(terms)
}
