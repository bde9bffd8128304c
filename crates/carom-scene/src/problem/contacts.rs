//! The contacts of a problem given by matrices: a single one, to which all rows belong, or a list.

use carom_law::{Coefficients, Dimension};
use serde_json::{Map, Value};

use super::keys;
use crate::document::ProblemError;
use crate::document::coefficients::{dimension, friction, restitution};
use crate::document::value::{check_keys, missing, object, required, text, wrong_type};

type Result<T> = std::result::Result<T, ProblemError>;

/// One contact of a problem given by matrices.
#[derive(Debug, Clone)]
pub(super) struct StatedContact {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// `None` if it follows from the number of rows.
    pub dimension: Option<Dimension>,
    /// Its own coefficients, or those of the problem.
    pub coefficients: Coefficients,
    /// Whether the restitution is its own.
    pub has_own_restitution: bool,
    /// Whether the friction is its own.
    pub has_own_friction: bool,
}

/// The contacts listed in `contacts`, or the single contact of a problem without that key.
pub(super) fn read(map: &Map<String, Value>) -> Result<Vec<StatedContact>> {
    let list = match map.get("contacts") {
        None => {
            let coefficients = of_problem(map)?;
            return Ok(vec![StatedContact {
                name: None,
                dimension: None,
                coefficients,
                has_own_restitution: false,
                has_own_friction: false,
            }]);
        }
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong_type(other, "contacts", "a list of contacts")),
    };
    if list.is_empty() {
        return Err(missing("contacts[0]", "an impact needs at least one contact"));
    }
    let read = |(k, value)| contact(map, value, &format!("contacts[{k}]"), list.len() > 1);
    list.iter().enumerate().map(read).collect()
}

/// The coefficients given for all contacts of a problem.
pub(super) fn of_problem(map: &Map<String, Value>) -> Result<Coefficients> {
    Ok(Coefficients {
        restitution: restitution(required(map, "", "restitution")?, "restitution")?,
        friction: map.get("friction").map(|value| friction(value, "friction")).transpose()?,
    })
}

fn contact(problem: &Map<String, Value>, value: &Value, path: &str, is_one_of_several: bool) -> Result<StatedContact> {
    let map = object(value, path)?;
    check_keys(map, path, keys::CONTACT.names)?;
    let field = |key: &str| format!("{path}.{key}");
    let dimension = match map.get("dimension") {
        Some(value) => Some(dimension(value, &field("dimension"))?),
        None if is_one_of_several => {
            return Err(missing(&field("dimension"), "each of several contacts needs its number of rows: 1, 2 or 3"));
        }
        None => None,
    };
    // A value out of range is an error even if no contact needs it.
    let [shared_e, shared_mu] = ["restitution", "friction"].map(|key| problem.get(key));
    let shared_e = shared_e.map(|value| restitution(value, "restitution")).transpose()?;
    let shared_mu = shared_mu.map(|value| friction(value, "friction")).transpose()?;
    let own_e = map.get("restitution").map(|value| restitution(value, &field("restitution"))).transpose()?;
    let own_mu = map.get("friction").map(|value| friction(value, &field("friction"))).transpose()?;
    let coefficients = Coefficients {
        restitution: own_e
            .or(shared_e)
            .ok_or_else(|| missing(&field("restitution"), "give it here, or restitution for all contacts"))?,
        friction: own_mu.or(shared_mu),
    };
    if coefficients.friction.is_none() && dimension.is_some_and(|dimension| dimension != Dimension::Normal) {
        let reason = "give it here, or friction for all contacts; only a contact of dimension 1 needs none";
        return Err(missing(&field("friction"), reason));
    }
    let name = map.get("name").map(|name| text(name, &field("name")).map(str::to_owned)).transpose()?;
    let [has_own_restitution, has_own_friction] = [own_e.is_some(), own_mu.is_some()];
    Ok(StatedContact { name, dimension, coefficients, has_own_restitution, has_own_friction })
}
