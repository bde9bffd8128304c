//! States with closed loops: C, and the terms of a contact with the loops held.

use carom_multibody::{Dynamics, DynamicsError, Model};
use serde_json::{Map, Value, json};

use crate::request::{Request, State};
use crate::terms::{Touch, rows};

pub(crate) fn of(model: Model, states: &[State], request: &Request) -> Result<Value, String> {
    let mut touch = request.contact.as_ref().map(|contact| Touch::new(&model, contact)).transpose()?;
    let held = held(&model, &request.held)?;
    let loops = model.loops().iter();
    let loops: Vec<Value> = loops.map(|own| json!({ "name": own.name, "kind": own.kind.name() })).collect();
    let is_planar = model.plane().is_some();
    let mut dynamics = Dynamics::new(model);
    let answers = states.iter().map(|state| match of_state(&mut dynamics, state, &held, touch.as_mut()) {
        Ok(mut terms) => {
            terms.insert("is_planar".into(), json!(is_planar));
            Value::Object(terms)
        }
        // Not every random state is near one that closes.
        Err(error) => json!({ "open": error.to_string() }),
    });
    Ok(json!({ "loops": loops, "states": answers.collect::<Vec<_>>() }))
}

/// Which velocities belong to joints that stay where they are.
fn held(model: &Model, names: &[String]) -> Result<Vec<bool>, String> {
    let mut held = vec![false; model.nv()];
    for name in names {
        let joint = model.joints().iter().find(|joint| joint.joint.name == *name);
        held[joint.ok_or_else(|| format!("there is no joint {name:?}"))?.velocities.clone()].fill(true);
    }
    Ok(held)
}

fn of_state(
    dynamics: &mut Dynamics,
    state: &State,
    held: &[bool],
    touch: Option<&mut Touch>,
) -> Result<Map<String, Value>, DynamicsError> {
    dynamics.set_state(&state.q, &state.v)?;
    dynamics.close_loops(held, held)?;
    let mut terms = Map::new();
    terms.insert("q".into(), json!(dynamics.configuration()));
    terms.insert("v".into(), json!(dynamics.velocity()));
    terms.insert("mass_matrix".into(), rows(dynamics.mass_matrix()));
    terms.insert("gap".into(), json!(dynamics.loop_miss().map(|(_, miss)| miss)));
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
