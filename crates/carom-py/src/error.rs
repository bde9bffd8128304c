//! Errors as `carom.CaromError`.

use carom::ProblemError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The fields of an exception.
pub struct Told<'a> {
    pub kind: &'a str,
    pub message: &'a str,
    pub field: Option<&'a str>,
    pub line: Option<usize>,
    pub row: Option<usize>,
}

/// The exception, as an object.
pub fn exception<'py>(py: Python<'py>, told: &Told<'_>) -> PyResult<Bound<'py, PyAny>> {
    let class = CLASS.get_or_try_init(py, || {
        let class = py.import("carom._errors")?.getattr("CaromError")?.cast_into::<PyType>()?;
        PyResult::Ok(class.unbind())
    })?;
    class.bind(py).call1((told.message, told.kind, told.field, told.line, told.row))
}

fn raised(told: &Told<'_>) -> PyErr {
    Python::attach(|py| match exception(py, told) {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    })
}

/// An exception about an argument.
pub fn argument(kind: &str, field: &str, message: impl AsRef<str>) -> PyErr {
    raised(&Told { kind, message: message.as_ref(), field: Some(field), line: None, row: None })
}

/// An error of a problem, with the row of a batch.
pub fn problem_exception<'py>(
    py: Python<'py>,
    error: &ProblemError,
    row: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let message = match row {
        Some(row) => format!("row {row}: {error}"),
        None => error.message.clone(),
    };
    let (kind, field) = (error.kind.name(), error.field.as_deref());
    exception(py, &Told { kind, message: &message, field, line: error.line, row })
}

/// Raises any error of carom.
pub fn raise(error: impl Into<carom::Error>) -> PyErr {
    let error = error.into();
    let (message, field) = (error.to_string(), error.field());
    raised(&Told { kind: error.kind(), message: &message, field: field.as_deref(), line: error.line(), row: None })
}
