//! Python objects as documents, and back.

use carom::document::Tree;
use carom::law::{self, Coefficients, Friction, Restitution};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::array::number;
use crate::error::{argument, raise};

/// A Python object as a JSON value: dictionaries, lists, tuples, arrays, numbers, text, paths.
pub fn value(object: &Bound<'_, PyAny>, path: &str) -> PyResult<Value> {
    let py = object.py();
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(boolean) = object.cast::<PyBool>() {
        return Ok(Value::Bool(boolean.is_true()));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    if let Ok(integer) = object.cast::<PyInt>()
        && let Ok(integer) = integer.extract::<i64>()
    {
        return Ok(integer.into());
    }
    if object.is_instance_of::<PyFloat>() || object.is_instance_of::<PyInt>() {
        let float: f64 = object.extract()?;
        let finite = Number::from_f64(float);
        return finite
            .map(Value::Number)
            .ok_or_else(|| argument("not_finite", path, format!("{path} = {float} is not finite")));
    }
    if let Ok(dictionary) = object.cast::<PyDict>() {
        let mut map = Map::new();
        for (key, entry) in dictionary {
            let Ok(key) = key.cast::<PyString>() else {
                return Err(argument("wrong_type", path, format!("{key} is not a key: keys must be text")));
            };
            let key = key.to_string();
            let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            map.insert(key, value(&entry, &inner)?);
        }
        return Ok(Value::Object(map));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let entries = object.try_iter()?.enumerate();
        return entries
            .map(|(k, entry)| value(&entry?, &format!("{path}[{k}]")))
            .collect::<PyResult<_>>()
            .map(Value::Array);
    }
    // Numpy arrays and scalars.
    if object.hasattr(intern!(py, "tolist"))? {
        return value(&object.call_method0(intern!(py, "tolist"))?, path);
    }
    if object.hasattr(intern!(py, "__fspath__"))? {
        return value(&object.call_method0(intern!(py, "__fspath__"))?, path);
    }
    let kind = object.get_type().qualname()?.to_string();
    Err(argument("wrong_type", path, format!("{path}: a {kind} is not a number, text, list or dictionary")))
}

/// A Python object as a tree.
pub fn tree(object: &Bound<'_, PyAny>, path: &str) -> PyResult<Tree> {
    Tree::of(&value(object, path)?).map_err(raise)
}

/// JSON text as Python objects.
pub fn from_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import(intern!(py, "json"))?.call_method1(intern!(py, "loads"), (json,))
}

/// A restitution: a number, or a dictionary as in documents.
pub fn restitution(object: &Bound<'_, PyAny>) -> PyResult<Restitution> {
    match number(object) {
        Some(e) => Restitution::new(e).map_err(raise),
        None => tree(object, "restitution")?.restitution().map_err(raise),
    }
}

/// A friction: a number, or a dictionary as in documents.
pub fn friction(object: &Bound<'_, PyAny>) -> PyResult<Friction> {
    match number(object) {
        Some(mu) => Friction::new(mu).map_err(raise),
        None => tree(object, "friction")?.friction().map_err(raise),
    }
}

/// One of the named values of an enumeration.
pub fn named<T: Copy>(given: &str, field: &str, all: &[T], name: fn(T) -> &'static str) -> PyResult<T> {
    all.iter().copied().find(|one| name(*one) == given).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        let hint = carom::document::did_you_mean(given, names.iter().copied());
        argument("unknown_name", field, format!("{field} = {given:?} is not one of {}{hint}", names.join(", ")))
    })
}

/// The law and the guard, or their defaults.
pub fn law_and_guard(law: Option<&str>, guard: Option<&str>) -> PyResult<(law::Law, law::Guard)> {
    let law = law.map_or(Ok(law::Law::default()), |name| named(name, "law", &law::Law::ALL, law::Law::name))?;
    let guard =
        guard.map_or(Ok(law::Guard::default()), |name| named(name, "guard", &law::Guard::ALL, law::Guard::name))?;
    Ok((law, guard))
}

/// Coefficients as arguments; friction may be missing where a contact has dimension 1.
pub fn coefficients(
    given_restitution: Option<&Bound<'_, PyAny>>,
    given_friction: Option<&Bound<'_, PyAny>>,
) -> PyResult<Coefficients> {
    let Some(given) = given_restitution else {
        return Err(argument("missing", "restitution", "restitution is missing: give a number in [0, 1]"));
    };
    Ok(Coefficients { restitution: restitution(given)?, friction: given_friction.map(friction).transpose()? })
}
