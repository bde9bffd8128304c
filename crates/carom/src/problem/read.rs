//! From the tree to a typed problem: every key known, every value of its type.

use carom_law::{Coefficients, Friction, Guard, Law, Restitution};
use serde_json::{Map, Value};

use super::error::{Kind, ProblemError};
use super::{Form, Matrix, Problem};

type Result<T> = std::result::Result<T, ProblemError>;

const GENERALIZED: [&str; 3] = ["mass_matrix", "contact_jacobian", "velocity"];
const CONTACT_SPACE: [&str; 2] = ["delassus", "contact_velocity"];
const COMMON: [&str; 5] = ["restitution", "friction", "guard", "law", "id"];

impl Problem {
    /// The problem that a tree states.
    ///
    /// # Errors
    /// Unknown, missing or conflicting keys, values of the wrong type, coefficients out of range.
    pub fn from_tree(tree: &Value) -> Result<Self> {
        let Value::Object(map) = tree else {
            let message = format!("a problem is an object with keys, not {}", type_name(tree));
            return Err(ProblemError::document(Kind::WrongType, message, None));
        };
        for key in map.keys() {
            if !GENERALIZED.iter().chain(&CONTACT_SPACE).chain(&COMMON).any(|known| known == key) {
                return Err(unknown_key("", key, &[&GENERALIZED[..], &CONTACT_SPACE[..], &COMMON[..]].concat()));
            }
        }
        Ok(Self {
            form: form(map)?,
            coefficients: Coefficients {
                restitution: restitution(required(map, "", "restitution")?)?,
                friction: map.get("friction").map(friction).transpose()?,
            },
            guard: named(map, "guard", &Guard::ALL, Guard::name)?,
            law: named(map, "law", &Law::ALL, Law::name)?,
        })
    }
}

fn form(map: &Map<String, Value>) -> Result<Form> {
    let given = |keys: &[&'static str]| keys.iter().copied().find(|key| map.contains_key(*key));
    match (given(&GENERALIZED), given(&CONTACT_SPACE)) {
        (Some(one), Some(other)) => Err(ProblemError::at(
            Kind::Conflict,
            other,
            format!(
                "{one} and {other} belong to different forms: give mass_matrix, contact_jacobian and velocity, \
                 or delassus and contact_velocity"
            ),
        )),
        (None, None) => Err(missing(
            "delassus",
            "give delassus and contact_velocity, or mass_matrix, contact_jacobian and velocity",
        )),
        (Some(_), None) => Ok(Form::Generalized {
            mass_matrix: matrix(required(map, "", "mass_matrix")?, "mass_matrix")?,
            contact_jacobian: matrix(required(map, "", "contact_jacobian")?, "contact_jacobian")?,
            velocity: numbers(required(map, "", "velocity")?, "velocity")?,
        }),
        (None, Some(_)) => Ok(Form::ContactSpace {
            delassus: rows(required(map, "", "delassus")?, "delassus")?,
            contact_velocity: numbers(required(map, "", "contact_velocity")?, "contact_velocity")?,
        }),
    }
}

fn restitution(value: &Value) -> Result<Restitution> {
    let Value::Object(map) = value else {
        let e = number_or(value, "restitution", "a number or an object with normal or hunt_crossley")?;
        return Ok(Restitution::new(e)?);
    };
    check_keys(map, "restitution", &["normal", "tangential", "hunt_crossley"])?;
    if let Some(hunt_crossley) = map.get("hunt_crossley") {
        if let Some(other) = ["normal", "tangential"].into_iter().find(|key| map.contains_key(*key)) {
            let field = format!("restitution.{other}");
            let message = format!("{field} and restitution.hunt_crossley both state the restitution: give one of them");
            return Err(ProblemError::at(Kind::Conflict, field, message));
        }
        return self::hunt_crossley(hunt_crossley);
    }
    let normal = number(required(map, "restitution", "normal")?, "restitution.normal")?;
    let tangential = map.get("tangential").map_or(Ok(0.0), |value| number(value, "restitution.tangential"))?;
    Ok(Restitution::with_tangential(normal, tangential)?)
}

fn hunt_crossley(value: &Value) -> Result<Restitution> {
    let path = "restitution.hunt_crossley";
    let map = object(value, path)?;
    check_keys(map, path, &["alpha", "stiffness", "damping"])?;
    let get = |key: &str| number(required(map, path, key)?, &format!("{path}.{key}"));
    if map.contains_key("alpha") {
        if let Some(other) = ["stiffness", "damping"].into_iter().find(|key| map.contains_key(*key)) {
            let field = format!("{path}.{other}");
            let message =
                format!("{field} and {path}.alpha both state the damping: give alpha, or stiffness and damping");
            return Err(ProblemError::at(Kind::Conflict, field, message));
        }
        return Ok(Restitution::hunt_crossley(get("alpha")?)?);
    }
    Ok(Restitution::from_stiffness_and_damping(get("stiffness")?, get("damping")?)?)
}

fn friction(value: &Value) -> Result<Friction> {
    let Value::Object(map) = value else {
        let mu = number_or(value, "friction", "a number or an object with static and dynamic")?;
        return Ok(Friction::new(mu)?);
    };
    check_keys(map, "friction", &["static", "dynamic"])?;
    let get = |key: &str| number(required(map, "friction", key)?, &format!("friction.{key}"));
    Ok(Friction::with_static(get("static")?, get("dynamic")?)?)
}

/// One of a closed list of names; the first is the default.
fn named<T: Copy>(map: &Map<String, Value>, key: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T> {
    let Some(value) = map.get(key) else {
        return Ok(all[0]);
    };
    let Value::String(text) = value else {
        return Err(wrong_type(value, key, "a name in quotes"));
    };
    all.iter().copied().find(|&item| name(item) == text).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|&item| name(item)).collect();
        let message = format!("{key} = {:?} is not one of {}", cut(text), names.join(", "));
        ProblemError::at(Kind::UnknownName, key, message)
    })
}

fn matrix(value: &Value, path: &str) -> Result<Matrix> {
    let rows = rows(value, path)?;
    let columns = rows.first().map_or(0, Vec::len);
    if let Some(i) = rows.iter().position(|row| row.len() != columns) {
        return Err(carom_law::Error::Shape {
            field: format!("{path}[{i}]").into(),
            found: format!("{} numbers", rows[i].len()),
            expected: format!("{columns} numbers, as {path}[0] is"),
        }
        .into());
    }
    Ok(Matrix { rows: rows.len(), columns, data: rows.concat() })
}

fn rows(value: &Value, path: &str) -> Result<Vec<Vec<f64>>> {
    let Value::Array(list) = value else {
        return Err(wrong_type(value, path, "a list of rows"));
    };
    list.iter().enumerate().map(|(i, row)| numbers(row, &format!("{path}[{i}]"))).collect()
}

fn numbers(value: &Value, path: &str) -> Result<Vec<f64>> {
    let Value::Array(list) = value else {
        return Err(wrong_type(value, path, "a list of numbers"));
    };
    // The path of an entry is made only where one is wrong.
    list.iter()
        .enumerate()
        .map(|(i, entry)| entry.as_f64().ok_or_else(|| wrong_type(entry, &format!("{path}[{i}]"), "a number")))
        .collect()
}

fn number(value: &Value, path: &str) -> Result<f64> {
    number_or(value, path, "a number")
}

fn number_or(value: &Value, path: &str, expected: &str) -> Result<f64> {
    value.as_f64().ok_or_else(|| wrong_type(value, path, expected))
}

fn object<'v>(value: &'v Value, path: &str) -> Result<&'v Map<String, Value>> {
    value.as_object().ok_or_else(|| wrong_type(value, path, "an object"))
}

fn required<'v>(map: &'v Map<String, Value>, path: &str, key: &str) -> Result<&'v Value> {
    map.get(key).ok_or_else(|| missing(&join(path, key), "a problem needs it"))
}

fn check_keys(map: &Map<String, Value>, path: &str, known: &[&str]) -> Result<()> {
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(unknown_key(path, key, known)),
        None => Ok(()),
    }
}

fn unknown_key(path: &str, key: &str, known: &[&str]) -> ProblemError {
    let field = join(path, key);
    let message = format!("{} is not a key here; the keys are {}", join(path, &shown(key)), known.join(", "));
    ProblemError::at(Kind::UnknownKey, field, message)
}

fn missing(field: &str, reason: &str) -> ProblemError {
    carom_law::Error::Missing { field: field.to_owned().into(), reason: reason.to_owned().into() }.into()
}

fn wrong_type(value: &Value, path: &str, expected: &str) -> ProblemError {
    ProblemError::at(Kind::WrongType, path, format!("{path} is {}, but must be {expected}", type_name(value)))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A key as it is, or in quotes if it is not a plain word.
fn shown(key: &str) -> String {
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_word { cut(key) } else { format!("{:?}", cut(key)) }
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST).chain("...".chars()).collect() }
}

fn type_name(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => format!("{b}"),
        Value::Number(n) => format!("the number {n}"),
        Value::String(s) => format!("the text {:?}", cut(s)),
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
    }
}
