//! States in the conventions of MuJoCo and Pinocchio.

use carom::multibody::{Model, PinocchioJoint, PinocchioLayout};
use pyo3::prelude::*;

use crate::array::{Numbers, rows, vector};
use crate::error::{argument, raise};

/// Both conversions of a state, for one state or for rows of states.
pub fn converted<'py>(
    py: Python<'py>,
    given: [(&Bound<'py, PyAny>, &str); 2],
    convert: impl Fn(&[f64], &[f64]) -> PyResult<(Vec<f64>, Vec<f64>)>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let (q, v) = (Numbers::read(given[0].0, given[0].1)?, Numbers::read(given[1].0, given[1].1)?);
    match (q.shape(), v.shape()) {
        ([_], [_]) => {
            let (q, v) = convert(q.as_slice(), v.as_slice())?;
            Ok((vector(py, &q).into_any(), vector(py, &v).into_any()))
        }
        (&[count, nq], &[others, nv]) if count == others => {
            let (mut all_q, mut all_v) = (Vec::new(), Vec::new());
            for k in 0..count {
                let (q, v) = convert(&q.as_slice()[k * nq..(k + 1) * nq], &v.as_slice()[k * nv..(k + 1) * nv])?;
                all_q.extend(q);
                all_v.extend(v);
            }
            let (nq, nv) = (all_q.len() / count.max(1), all_v.len() / count.max(1));
            Ok((rows(py, all_q, count, nq)?.into_any(), rows(py, all_v, count, nv)?.into_any()))
        }
        _ => Err(v.wrong_shape(
            given[1].1,
            &format!("one row for each row of {}, whose shape is {}", given[0].1, crate::array::shape_text(q.shape())),
        )),
    }
}

/// The joints of a `pinocchio.Model`, without the universe.
pub fn layout(model: &Model, theirs: &Bound<'_, PyAny>) -> PyResult<PinocchioLayout> {
    let texts: Vec<String> = sequence(theirs, "names")?;
    let places = ["idx_qs", "nqs", "idx_vs", "nvs"].map(|name| sequence::<usize>(theirs, name));
    let [q, nq, v, nv] = places;
    let (q, nq, v, nv) = (q?, nq?, v?, nv?);
    let count = texts.len().min(q.len()).min(nq.len()).min(v.len()).min(nv.len());
    let joint = |k: usize| PinocchioJoint { name: texts[k].clone(), q: q[k], nq: nq[k], v: v[k], nv: nv[k] };
    let joints: Vec<PinocchioJoint> = (1..count).map(joint).collect();
    PinocchioLayout::new(model, &joints).map_err(raise)
}

fn sequence<T: for<'py> FromPyObjectOwned<'py>>(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let values = object.getattr(name).map_err(|_| {
        argument("wrong_type", "model", format!("model has no attribute {name}: give a pinocchio.Model"))
    })?;
    let wrong = || argument("wrong_type", "model", format!("model.{name} is not a list of joints"));
    let mut entries = Vec::new();
    for entry in values.try_iter()? {
        entries.push(entry?.extract::<T>().map_err(|_| wrong())?);
    }
    Ok(entries)
}
