//! A simultaneous impact: the outcome of each contact.

use carom_law::{Coefficients, ContactSet, Dimension, Error, Friction, Guard, MatrixView, Restitution};
use serde_json::{Value, json};

use crate::request::{given, list, number, numbers};

/// The answer to a problem of `dimensions`, `delassus`, `contact_velocity` and `contacts`, each of which has a
/// `restitution`, `tangential`, `static` and `dynamic`. If the law has none, `refused` gives the reason.
pub(crate) fn of(request: &Value) -> Result<Value, String> {
    let dimensions: Vec<Dimension> = numbers(request, "dimensions")?
        .into_iter()
        .map(|rows| Dimension::from_rows(rows as usize, "dimensions").map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let velocity = numbers(request, "contact_velocity")?;
    let delassus = numbers(request, "delassus")?;
    let coefficients =
        list(request, "contacts")?.iter().map(coefficients).collect::<Result<Vec<Coefficients>, String>>()?;
    let matrix = MatrixView::row_major(velocity.len(), velocity.len(), &delassus);
    let outcome =
        ContactSet::new(&dimensions, matrix, &velocity).and_then(|set| set.impact(&coefficients, Guard::Report));
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Ok(refused(&error)),
    };
    let impulse: Vec<f64> = outcome.contacts.iter().flat_map(|contact| contact.impulse.iter().copied()).collect();
    let after = |contact: &carom_law::ContactOutcome| contact.contact_velocity.after.to_vec();
    Ok(json!({
        "modes": outcome.contacts.iter().map(|contact| contact.mode.name()).collect::<Vec<_>>(),
        "impulse": impulse,
        "contact_velocity": outcome.contacts.iter().flat_map(after).collect::<Vec<f64>>(),
        "residual": outcome.residual,
        "sequence": outcome.sequence,
    }))
}

fn refused(error: &Error) -> Value {
    json!({ "refused": { "kind": error.kind().name(), "message": error.to_string() } })
}

fn coefficients(contact: &Value) -> Result<Coefficients, String> {
    let or_zero = |field: &str| given(contact, field).map_or(Ok(0.0), |_| number(contact, field));
    let restitution = Restitution::with_tangential(number(contact, "restitution")?, or_zero("tangential")?);
    let friction = Friction::with_static(number(contact, "static")?, number(contact, "dynamic")?);
    let fault = |error: Error| error.to_string();
    Ok(Coefficients::new(restitution.map_err(fault)?, friction.map_err(fault)?))
}
