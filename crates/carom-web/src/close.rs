//! Finds a state that closes the loops of a robot, near one that does not.

use std::sync::Arc;

use carom::multibody::Dynamics;
use serde_json::json;

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::request::Request;
use crate::stated::Stated;

/// The longest step from one closed state to the next, rad or m: with longer steps a linkage may fold over.
const STRIDE: f64 = 0.05;

/// Bounds on the cost of one request: the number of steps, and that number times the number of velocities.
const MOST_STEPS: f64 = 200.0;
const MOST_VELOCITIES: f64 = 4000.0;

/// The state of a request with its loops closed. The coordinates of the velocities in `held` and the velocities in
/// `held_rates` stay; the others change as little as possible. If `from`, a closed configuration, is given, the path
/// from there is followed in small steps. `stated` is the document in its own state, since the loops may be open in
/// that of the request.
pub(crate) fn close(stated: &Stated, request: &Request) -> Result<Answer, Fault> {
    let Some(scene) = stated.scene() else {
        return Err(Fault::request(
            "configuration",
            "this problem has matrices and no robot: there is no state to change",
        ));
    };
    let model = scene.model();
    let mut dynamics = Dynamics::new(Arc::clone(model));
    let configuration = request.configuration.as_deref().unwrap_or(scene.configuration());
    let velocity = request.velocity.as_deref().unwrap_or(scene.velocity());
    dynamics.set_state(configuration, velocity)?;
    let held_of = |field: &str, list: &Option<Vec<usize>>| {
        let mut held = vec![false; model.nv()];
        for &place in list.iter().flatten() {
            let bound = format!("must be below {}, the number of velocities", model.nv());
            *held.get_mut(place).ok_or_else(|| Fault::value(field, &place.into(), &bound))? = true;
        }
        Ok::<_, Fault>(held)
    };
    let (held, held_rates) = (held_of("held", &request.held)?, held_of("held_rates", &request.held_rates)?);
    if let Some(from) = &request.from {
        if from.len() != model.nq() {
            let bound = format!("must have {} numbers, as the configuration has", model.nq());
            return Err(Fault::value("from", &json!(from), &bound));
        }
        let rest = vec![0.0; model.nv()];
        let mut way = rest.clone();
        model.difference(from, configuration, &mut way)?;
        let most = (MOST_VELOCITIES / model.nv() as f64).clamp(1.0, MOST_STEPS);
        let farthest = way.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let steps = (farthest / STRIDE).ceil().clamp(1.0, most);
        way.iter_mut().for_each(|x| *x /= steps);
        let mut place = from.clone();
        for _ in 0..steps as usize {
            let start = place.clone();
            model.integrate(&start, &way, 1.0, &mut place)?;
            dynamics.set_state(&place, &rest)?;
            dynamics.close_loops(&held, &vec![false; model.nv()])?;
            place.copy_from_slice(dynamics.configuration());
        }
        dynamics.set_state(&place, velocity)?;
    }
    dynamics.close_loops(&held, &held_rates)?;
    Ok(Answer::new(json!({ "configuration": dynamics.configuration(), "velocity": dynamics.velocity() })))
}
