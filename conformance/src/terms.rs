//! M, h, energies, and the terms of a contact.

use carom_multibody::{ContactPoint, Contacts, Dynamics, DynamicsError, LinkId, Matrix, Model, Placement};
use serde_json::{Map, Value, json};

use crate::request::{Contact, State};

/// A contact with workspace for its terms.
pub(crate) struct Touch {
    link: LinkId,
    placement: Placement,
    point: ContactPoint,
    contacts: Contacts,
}

pub(crate) fn of(model: Model, states: &[State], contact: Option<&Contact>) -> Result<Value, String> {
    let mut touch = contact.map(|contact| Touch::new(&model, contact)).transpose()?;
    let mut dynamics = Dynamics::new(model);
    let mut answers = Vec::with_capacity(states.len());
    for state in states {
        let terms = of_state(&mut dynamics, state, touch.as_mut()).map_err(|error| error.to_string())?;
        answers.push(Value::Object(terms));
    }
    Ok(json!({ "states": answers }))
}

fn of_state(
    dynamics: &mut Dynamics,
    state: &State,
    touch: Option<&mut Touch>,
) -> Result<Map<String, Value>, DynamicsError> {
    dynamics.set_state(&state.q, &state.v)?;
    let mut terms = Map::new();
    terms.insert("mass_matrix".into(), rows(dynamics.mass_matrix()));
    terms.insert("bias".into(), json!(dynamics.bias()));
    terms.insert("kinetic_energy".into(), json!(dynamics.kinetic_energy()));
    terms.insert("potential_energy".into(), json!(dynamics.potential_energy()));
    let model = dynamics.model().clone();
    // Names are unique, so each finds its own link.
    let links = model.links().iter().filter_map(|link| model.find_link(&link.name));
    terms.insert("links".into(), links.map(|link| place(&dynamics.placement(link))).collect());
    let frames = model.frames().iter();
    terms.insert(
        "frames".into(),
        frames.map(|frame| place(&(dynamics.placement(frame.link) * frame.placement))).collect(),
    );
    let zeros = vec![0.0; state.v.len()];
    let acceleration = dynamics.forward_dynamics(state.tau.as_ref().unwrap_or(&zeros)).map(|a| json!(a));
    put(&mut terms, "forward_dynamics", acceleration)?;
    if let Some(touch) = touch {
        touch.fill(dynamics, &mut terms)?;
    }
    Ok(terms)
}

impl Touch {
    pub(crate) fn new(model: &Model, contact: &Contact) -> Result<Self, String> {
        let place = model.find_place(&contact.place);
        let (link, placement) = place.ok_or_else(|| format!("there is no link or frame {:?}", contact.place))?;
        let on_link = placement.apply(contact.point.into());
        let point = ContactPoint::spatial(model, link, on_link, contact.normal).map_err(|error| error.to_string())?;
        Ok(Self { link, placement, point, contacts: Contacts::new(model, &[point]) })
    }

    pub(crate) fn fill(
        &mut self,
        dynamics: &mut Dynamics,
        terms: &mut Map<String, Value>,
    ) -> Result<(), DynamicsError> {
        dynamics.contact_kinematics(&mut self.contacts)?;
        terms.insert("jacobian".into(), rows(self.contacts.jacobian()));
        terms.insert("drift".into(), json!(self.contacts.drift()));
        terms.insert("contact_velocity".into(), json!(self.contacts.velocity()));
        terms.insert("placement".into(), place(&(dynamics.placement(self.link) * self.placement)));
        let by_factor = dynamics.contact_terms(&mut self.contacts).map(|()| rows(self.contacts.delassus()));
        put(terms, "delassus", by_factor)?;
        let single = dynamics.single_contact(&self.point);
        put(terms, "single_velocity", single.clone().map(|single| json!(single.velocity)))?;
        put(terms, "single_delassus", single.map(|single| json!(single.delassus)))
    }
}

/// A term that is undefined for a singular M is null; any other error is an error of the request.
fn put(terms: &mut Map<String, Value>, name: &str, term: Result<Value, DynamicsError>) -> Result<(), DynamicsError> {
    let value = match term {
        Ok(value) => value,
        Err(error @ DynamicsError::Singular { .. }) => {
            terms.insert("singular".into(), json!(error.to_string()));
            Value::Null
        }
        Err(error) => return Err(error),
    };
    terms.insert(name.into(), value);
    Ok(())
}

pub(crate) fn rows(matrix: &Matrix) -> Value {
    (0..matrix.rows()).map(|i| json!(matrix.row(i))).collect()
}

fn place(placement: &Placement) -> Value {
    json!({ "rotation": placement.rotation.rows(), "translation": placement.translation.to_array() })
}
