//! One closed contact, solved exactly.
//!
//! Stick is the reversal, and the onset of slip the slip, of the impact at the velocity `α/2` with `e = 1`: its average
//! tangential velocity is `a_t/2`.

use crate::contact::Contact;
use crate::contact::delassus::tangent::LinearImpulse;
use crate::contact::delassus::{Delassus, Dimension, Entries};
use crate::error::Result;
use crate::impact::outcome::RestitutionValues;
use crate::numeric::plane::dot;

use super::{CONE_TOLERANCE, ClosedMode, Found, Problem};

const ELASTIC: RestitutionValues = RestitutionValues { normal: 1.0, tangential: 1.0 };

pub(crate) fn decide(problem: &Problem) -> Result<Found> {
    let contact = &problem.contacts[0];
    let d = contact.dimension.rows();
    let mut entries = Entries { dimension: contact.dimension, matrix: [[0.0; 3]; 3], normal_row: 0, tangential_row: 0 };
    let mut alpha = [0.0; 3];
    alpha[..d].copy_from_slice(problem.alpha);
    for i in 0..d {
        for j in 0..d {
            entries.matrix[i][j] = problem.delassus.at(i, j);
        }
    }
    let (w, mu_d) = (entries.matrix, contact.coefficients().1);
    let delassus = Delassus::from_entries(entries)?;
    let found = |mode, force: [f64; 3], ambiguous| Found {
        modes: vec![mode],
        forces: force[..d].to_vec(),
        ambiguous,
        jam: None,
    };
    let Some(u) = contact.direction() else {
        if alpha[0] >= 0.0 {
            return Ok(found(ClosedMode::Detach, [0.0; 3], false));
        }
        let (mode, force) = from_rest(delassus, alpha, problem)?;
        return Ok(found(mode, force, false));
    };
    let reduced = w[0][0] - mu_d * dot([w[1][0], w[2][0]], u);
    if alpha[0] > 0.0 || alpha[0] == 0.0 && reduced > 0.0 {
        Ok(found(ClosedMode::Detach, [0.0; 3], !(reduced > 0.0)))
    } else if reduced > 0.0 {
        let normal = -alpha[0] / reduced;
        let mode = ClosedMode::Slip { direction: u, onset: false };
        Ok(found(mode, [normal, -mu_d * normal * u[0], -mu_d * normal * u[1]], false))
    } else {
        Ok(Found { jam: Some((0, problem.reduced(0))), ..Found::default() })
    }
}

/// A contact at rest that would penetrate: it sticks or starts to slip.
fn from_rest(delassus: Delassus, alpha: [f64; 3], problem: &Problem) -> Result<(ClosedMode, [f64; 3])> {
    let half = Contact::assemble(delassus, alpha.map(|x| 0.5 * x));
    let impact = half.request::<false>(&ELASTIC, problem.contacts[0].friction)?;
    let stick = impact.stick_at(1.0);
    if delassus.dimension == Dimension::Normal {
        let normal = stick.map_or(0.0, |stick| stick.normal);
        let answer = impact.stuck(1.0, &LinearImpulse { normal, tangential: [0.0; 2], critical: 0.0 });
        return Ok((ClosedMode::Stick, half.in_callers_units::<false>(&answer).impulse));
    }
    // If only the tangential part of a force matters, its size is set by the friction coefficient.
    let unit = half.rescaled::<false>(1.0, |units| units.beta);
    let is_inside = |stick: &LinearImpulse| {
        stick.normal > 0.0 && stick.critical - impact.mu_s <= CONE_TOLERANCE * stick.critical.max(unit)
    };
    let answer = match stick.filter(is_inside) {
        Some(stick) => impact.stuck(1.0, &stick),
        None => impact.slide(1.0, impact.reversal_at(1.0)),
    };
    let mode = match answer.direction {
        Some(direction) => ClosedMode::Slip { direction, onset: true },
        None => ClosedMode::Stick,
    };
    Ok((mode, half.in_callers_units::<false>(&answer).impulse))
}
