//! numpy arrays in and out.

use numpy::{PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyFloat;

use crate::error::argument;

static NUMPY: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

fn numpy<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyModule>> {
    NUMPY.get_or_try_init(py, || py.import("numpy").map(Bound::unbind)).map(|module| module.bind(py))
}

/// Numbers of any shape as C-contiguous `float64`; an array that is so already is not copied.
pub struct Numbers<'py> {
    array: PyReadonlyArrayDyn<'py, f64>,
}

impl<'py> Numbers<'py> {
    /// Reads an argument: an array of real numbers of any dtype, order and strides, or a list. Booleans, text and
    /// complex numbers are refused.
    pub fn read(value: &Bound<'py, PyAny>, field: &str) -> PyResult<Self> {
        if let Ok(array) = value.cast::<PyArrayDyn<f64>>()
            && array.is_c_contiguous()
        {
            return Self::borrowed(array, field);
        }
        let py = value.py();
        let array = numpy(py)?.call_method1(intern!(py, "asarray"), (value,)).map_err(|error| {
            argument("shape", field, format!("{field} is not an array of numbers: {}", error.value(py)))
        })?;
        let kind: String = array.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "kind"))?.extract()?;
        if !matches!(kind.as_str(), "f" | "i" | "u") {
            let dtype = array.getattr(intern!(py, "dtype"))?.to_string();
            let message = format!("{field} has dtype {dtype} and must be an array of real numbers");
            return Err(argument("wrong_type", field, message));
        }
        let double = numpy(py)?.getattr(intern!(py, "float64"))?;
        let array = numpy(py)?.call_method1(intern!(py, "asarray"), (array, double, "C"))?;
        Self::borrowed(array.cast::<PyArrayDyn<f64>>().map_err(PyErr::from)?, field)
    }

    fn borrowed(array: &Bound<'py, PyArrayDyn<f64>>, field: &str) -> PyResult<Self> {
        let array = array.try_readonly().map_err(|error| argument("wrong_type", field, format!("{field}: {error}")))?;
        Ok(Self { array })
    }

    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// The numbers; the last index varies fastest.
    pub fn as_slice(&self) -> &[f64] {
        // `read` has made it contiguous.
        self.array.as_slice().unwrap_or_default()
    }

    /// The error of a wrong shape.
    pub fn wrong_shape(&self, field: &str, wanted: &str) -> PyErr {
        argument("shape", field, format!("{field} has shape {} and must have {wanted}", shape_text(self.shape())))
    }

    /// The numbers of a vector.
    pub fn vector(&self, field: &str) -> PyResult<&[f64]> {
        if self.shape().len() == 1 { Ok(self.as_slice()) } else { Err(self.wrong_shape(field, "one dimension")) }
    }

    /// The numbers of a matrix, row by row, and its rows and columns.
    pub fn matrix(&self, field: &str) -> PyResult<(usize, usize, &[f64])> {
        match *self.shape() {
            [rows, columns] => Ok((rows, columns, self.as_slice())),
            _ => Err(self.wrong_shape(field, "two dimensions")),
        }
    }
}

/// A shape as Python prints it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        all => format!("({})", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A vector of a given length.
pub fn triple(value: &Bound<'_, PyAny>, field: &str) -> PyResult<[f64; 3]> {
    let numbers = Numbers::read(value, field)?;
    <[f64; 3]>::try_from(numbers.as_slice())
        .ok()
        .filter(|_| numbers.shape().len() == 1)
        .ok_or_else(|| numbers.wrong_shape(field, "shape (3,)"))
}

/// The argument as a number if it is one: a float, an integer, or a numpy scalar.
pub fn number(value: &Bound<'_, PyAny>) -> Option<f64> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Some(float.value());
    }
    if value.is_instance_of::<pyo3::types::PyBool>() || value.is_instance_of::<pyo3::types::PyString>() {
        return None;
    }
    value.extract::<f64>().ok()
}

/// A numpy vector.
pub fn vector<'py>(py: Python<'py>, numbers: &[f64]) -> Bound<'py, PyArray1<f64>> {
    PyArray1::from_slice(py, numbers)
}

/// A numpy matrix from numbers row by row.
pub fn rows<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, numbers).reshape([rows, columns])
}

/// A numpy matrix from numbers column by column, without a copy: the array is in Fortran order.
pub fn from_columns<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, numbers).reshape([columns, rows])?.transpose()
}
