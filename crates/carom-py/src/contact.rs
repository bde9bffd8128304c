//! The contact of a problem, and the curves of its map.

use carom::law::{self, Delassus, MatrixView, Restitution};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

use crate::aligned;
use crate::array::{Numbers, number, rows, vector};
use crate::error::raise;

/// W and v_c of a contact, with its critical coefficients and limits as functions.
#[pyclass(frozen, module = "carom")]
pub struct Contact {
    inner: Box<law::Contact>,
}

aligned!(Contact);

impl Contact {
    pub fn of(contact: law::Contact) -> Self {
        Self { inner: Box::new(contact) }
    }

    /// Evaluates a function of e at one number or at an array; NaN where it has no value.
    fn curve<'py>(
        &self,
        e: &Bound<'py, PyAny>,
        tangential: f64,
        value: impl Fn(&Restitution) -> Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = e.py();
        let at = |e: f64| {
            let restitution = Restitution::with_tangential(e, tangential).map_err(raise)?;
            PyResult::Ok(value(&restitution).unwrap_or(f64::INFINITY))
        };
        if let Some(e) = number(e) {
            return Ok(at(e)?.into_pyobject(py)?.into_any());
        }
        let given = Numbers::read(e, "restitution")?;
        let values = given.as_slice().iter().map(|e| at(*e)).collect::<PyResult<Vec<f64>>>()?;
        PyArray1::from_vec(py, values).into_any().call_method1("reshape", (given.shape().to_vec(),))
    }
}

#[pymethods]
impl Contact {
    #[new]
    fn new(delassus: &Bound<'_, PyAny>, contact_velocity: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (w, v) = (Numbers::read(delassus, "delassus")?, Numbers::read(contact_velocity, "contact_velocity")?);
        let (height, width, entries) = w.matrix("delassus")?;
        let delassus = Delassus::new(MatrixView::row_major(height, width, entries)).map_err(raise)?;
        law::Contact::new(delassus, v.vector("contact_velocity")?).map(Self::of).map_err(raise)
    }

    /// W, 1/kg, [d, d].
    #[getter]
    fn delassus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let d = self.inner.delassus().dimension().rows();
        let matrix = self.inner.delassus().matrix();
        let entries = matrix.iter().take(d).flat_map(|row| row[..d].iter().copied()).collect();
        rows(py, entries, d, d)
    }

    /// The contact velocity before the impact, m/s, [d], normal first.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.inner.velocity())
    }

    /// d: 1, 2 or 3.
    #[getter]
    fn dimension(&self) -> usize {
        self.inner.delassus().dimension().rows()
    }

    /// Whether the contact approaches: its normal velocity is negative.
    #[getter]
    fn approaches(&self) -> bool {
        self.inner.approaches()
    }

    /// mu_cr at a restitution, a number or an array: the smallest static friction at which the contact sticks; infinite
    /// if there is none.
    #[pyo3(signature = (restitution, tangential = 0.0))]
    fn critical_friction<'py>(&self, restitution: &Bound<'py, PyAny>, tangential: f64) -> PyResult<Bound<'py, PyAny>> {
        self.curve(restitution, tangential, |e| self.inner.critical_friction(e))
    }

    /// mu_rev at a restitution: the smallest dynamic friction at which the contact can reverse; infinite if there is none.
    #[pyo3(signature = (restitution, tangential = 0.0))]
    fn critical_reversal<'py>(&self, restitution: &Bound<'py, PyAny>, tangential: f64) -> PyResult<Bound<'py, PyAny>> {
        self.curve(restitution, tangential, |e| self.inner.critical_reversal(e))
    }

    /// mu_cr as the paper prints it.
    #[pyo3(signature = (restitution, tangential = 0.0))]
    fn printed_critical_friction<'py>(
        &self,
        restitution: &Bound<'py, PyAny>,
        tangential: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.curve(restitution, tangential, |e| self.inner.printed_critical_friction(e))
    }

    /// e* in this state: the largest restitution at which a stick creates no energy; None if the contact separates.
    #[pyo3(signature = (tangential = 0.0))]
    fn restitution_limit(&self, tangential: f64) -> PyResult<Option<f64>> {
        let restitution = Restitution::with_tangential(0.0, tangential).map_err(raise)?;
        Ok(self.inner.restitution_limit(&restitution))
    }

    /// e* in every state of this configuration.
    #[pyo3(signature = (tangential = 0.0))]
    fn restitution_limit_configuration(&self, tangential: f64) -> PyResult<f64> {
        let restitution = Restitution::with_tangential(0.0, tangential).map_err(raise)?;
        Ok(self.inner.delassus().restitution_limit(&restitution))
    }

    /// mu*; infinite if there is none.
    #[getter]
    fn friction_limit(&self) -> f64 {
        self.inner.delassus().friction_limit().unwrap_or(f64::INFINITY)
    }

    fn __repr__(&self) -> String {
        let d = self.dimension();
        let matrix = self.inner.delassus().matrix();
        let matrix: Vec<&[f64]> = matrix.iter().take(d).map(|row| &row[..d]).collect();
        format!("Contact(delassus={matrix:?}, contact_velocity={:?})", &*self.inner.velocity())
    }
}
