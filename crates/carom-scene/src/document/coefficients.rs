//! Restitution, friction and dimension of a contact as given in documents.

use carom_law::{Dimension, Friction, Restitution, RestitutionKind};
use serde_json::Value;

use super::error::{Kind, ProblemError};
use super::keys::{FRICTION_PARTS, HUNT_CROSSLEY, RESTITUTION_PARTS};
use super::value::{check_keys, named, number, number_or, object, required, wrong_type};

type Result<T> = std::result::Result<T, ProblemError>;

/// A restitution, from the value at a path such as `restitution` or `contacts[2].restitution`.
pub(crate) fn restitution(value: &Value, path: &str) -> Result<Restitution> {
    let law = |error: carom_law::Error| moved(error, "restitution", path);
    let Value::Object(map) = value else {
        let e = number_or(value, path, "a number or an object with normal or hunt_crossley")?;
        return Restitution::new(e).map_err(law);
    };
    check_keys(map, path, RESTITUTION_PARTS.names)?;
    if let Some(value) = map.get("hunt_crossley") {
        if let Some(other) = ["normal", "tangential", "kind"].into_iter().find(|key| map.contains_key(*key)) {
            let field = format!("{path}.{other}");
            let message = format!("{field} and {path}.hunt_crossley both give the restitution; give only one of them");
            return Err(ProblemError::at(Kind::Conflict, field, message));
        }
        return hunt_crossley(value, &format!("{path}.hunt_crossley"))?.map_err(law);
    }
    let normal = number(required(map, path, "normal")?, &format!("{path}.normal"))?;
    let tangential = map.get("tangential").map_or(Ok(0.0), |value| number(value, &format!("{path}.tangential")))?;
    let restitution = Restitution::with_tangential(normal, tangential).map_err(law)?;
    if !map.contains_key("kind") {
        return Ok(restitution);
    }
    Ok(restitution.of_kind(named(map, path, "kind", &RestitutionKind::ALL, RestitutionKind::name)?))
}

fn hunt_crossley(value: &Value, path: &str) -> Result<carom_law::Result<Restitution>> {
    let map = object(value, path)?;
    check_keys(map, path, HUNT_CROSSLEY.names)?;
    let get = |key: &str| number(required(map, path, key)?, &format!("{path}.{key}"));
    if map.contains_key("alpha") {
        if let Some(other) = ["stiffness", "damping"].into_iter().find(|key| map.contains_key(*key)) {
            let field = format!("{path}.{other}");
            let message =
                format!("{field} and {path}.alpha both give the damping; give either alpha, or stiffness and damping");
            return Err(ProblemError::at(Kind::Conflict, field, message));
        }
        return Ok(Restitution::hunt_crossley(get("alpha")?));
    }
    Ok(Restitution::from_stiffness_and_damping(get("stiffness")?, get("damping")?))
}

/// A friction, from the value at a path.
pub(crate) fn friction(value: &Value, path: &str) -> Result<Friction> {
    let law = |error: carom_law::Error| moved(error, "friction", path);
    let Value::Object(map) = value else {
        let mu = number_or(value, path, "a number or an object with static and dynamic")?;
        return Friction::new(mu).map_err(law);
    };
    check_keys(map, path, FRICTION_PARTS.names)?;
    let get = |key: &str| number(required(map, path, key)?, &format!("{path}.{key}"));
    Friction::with_static(get("static")?, get("dynamic")?).map_err(law)
}

/// The law's error, with the path of the number in the document.
fn moved(error: carom_law::Error, from: &str, path: &str) -> ProblemError {
    let mut error = ProblemError::from(error);
    if from != path {
        error.field = error.field.map(|field| field.replacen(from, path, 1));
        error.message = error.message.replacen(from, path, 1);
    }
    error
}

/// The dimension of a contact: 1, 2 or 3.
pub(crate) fn dimension(value: &Value, path: &str) -> Result<Dimension> {
    let all = [Dimension::Normal, Dimension::Planar, Dimension::Spatial];
    let stated = value.as_f64().and_then(|d| all.into_iter().find(|dimension| dimension.rows() as f64 == d));
    stated.ok_or_else(|| wrong_type(value, path, "1, 2 or 3"))
}
