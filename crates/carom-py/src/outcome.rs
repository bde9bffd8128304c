//! Outcomes.

use std::sync::Arc;

use carom::law;
use carom::report::{AnswerText, OutcomeRecord, RobotRecord};
use carom::scene::Scene;
use carom::{Answer, SimultaneousAnswer};
use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use serde_json::json;

use crate::aligned;
use crate::array::vector;
use crate::document::from_json;
use crate::error::raise;
use crate::problem::Problem;
use crate::record::{
    ContactOutcome, ContactVelocity, Energy, Friction, Guard, Printed, Restitution, RestitutionLimit, Violation,
};
use crate::stated::Stated;
use crate::struck::Struck;

/// The origin of an outcome.
pub enum Origin {
    /// A document.
    Problem(Arc<Stated>),
    /// Matrices given as arguments.
    Matrices(Box<Matrices>),
    /// A robot in a state.
    State(Box<Struck>),
}

/// The matrices of a contact, row by row.
pub enum Matrices {
    ContactSpace { delassus: Vec<f64>, velocity: Vec<f64> },
    Generalized { mass: Vec<f64>, jacobian: Vec<f64>, velocity: Vec<f64> },
}

impl Matrices {
    /// As a document, with the coefficients of the outcome.
    fn problem(&self, outcome: &law::Outcome) -> Result<carom::Problem, carom::ProblemError> {
        fn rows(numbers: &[f64], columns: usize) -> Vec<&[f64]> {
            numbers.chunks(columns.max(1)).collect()
        }
        let mut document = match self {
            Self::ContactSpace { delassus, velocity } => {
                json!({ "delassus": rows(delassus, velocity.len()), "contact_velocity": velocity })
            }
            Self::Generalized { mass, jacobian, velocity } => json!({
                "mass_matrix": rows(mass, velocity.len()),
                "contact_jacobian": rows(jacobian, velocity.len()),
                "velocity": velocity,
            }),
        };
        let law::RestitutionValues { normal, tangential } = outcome.restitution;
        document["restitution"] = json!({ "normal": normal, "tangential": tangential });
        if let Some(friction) = outcome.friction {
            document["friction"] = json!({ "static": friction.mu_s(), "dynamic": friction.mu_d() });
        }
        document["law"] = outcome.law.name().into();
        document["guard"] = outcome.guard.name.name().into();
        carom::Problem::from_data(&document)
    }
}

impl Origin {
    fn title(&self) -> &str {
        match self {
            Self::Problem(stated) => &stated.title,
            Self::Matrices(_) => "impact",
            Self::State(struck) => &struck.title,
        }
    }

    /// The problem that was solved.
    fn problem(&self, answer: &Answer) -> PyResult<carom::Problem> {
        match (self, answer) {
            (Self::Problem(stated), _) => Ok(stated.problem.clone()),
            (Self::Matrices(matrices), Answer::One(outcome)) => matrices.problem(outcome).map_err(raise),
            // Matrices of several contacts are read as documents.
            (Self::Matrices(_), Answer::Many(_)) => Err(raise(carom::ProblemError::document(
                carom::document::Kind::Conflict,
                "the problem was not kept",
                None,
            ))),
            (Self::State(struck), _) => struck.problem().map_err(raise),
        }
    }

    fn robot(&self, answer: &Answer) -> PyResult<(Option<carom::Problem>, Option<RobotRecord>)> {
        if let Self::Matrices(_) = self {
            return Ok((None, None));
        }
        let problem = self.problem(answer)?;
        let robot = problem.scene().map(|scene| RobotRecord::of_answer(scene, answer)).transpose().map_err(raise)?;
        Ok((Some(problem), robot))
    }

    fn text(&self, answer: &Answer) -> PyResult<String> {
        let (problem, robot) = self.robot(answer)?;
        let velocity = match self {
            Self::Matrices(matrices) => match &**matrices {
                Matrices::Generalized { velocity, .. } => Some(velocity.as_slice()),
                Matrices::ContactSpace { .. } => None,
            },
            _ => problem.as_ref().and_then(carom::Problem::velocity),
        };
        Ok(AnswerText { title: self.title(), answer, velocity, robot: robot.as_ref() }.to_string())
    }

    fn json(&self, answer: &Answer) -> PyResult<String> {
        let (_, robot) = self.robot(answer)?;
        let id = match self {
            Self::Problem(stated) => Some(stated.id()),
            _ => None,
        };
        Ok(OutcomeRecord::new(answer, robot.as_ref(), id.as_ref()).line())
    }

    /// The impulses of all contacts in world axes, for a robot; for a pair of bodies, the impulse on the first.
    fn worlds(&self, impulses: &[&[f64]]) -> Option<Vec<[f64; 3]>> {
        let of_scene = |scene: &Scene| {
            let count = impulses.len().min(scene.struck_contacts().count());
            let (of_contacts, of_pairs) = impulses.split_at(count);
            let of_contacts = scene.struck_contacts().zip(of_contacts);
            let of_contacts = of_contacts.map(|(contact, impulse)| contact.point.to_world(impulse));
            let of_pairs =
                scene.struck_pairs().iter().zip(of_pairs).map(|(pair, impulse)| pair.meeting.to_world(impulse));
            of_contacts.chain(of_pairs).map(|impulse| impulse.to_array()).collect()
        };
        match self {
            Self::Matrices(_) => None,
            Self::Problem(stated) => stated.problem.scene().map(of_scene),
            Self::State(struck) => match struck.contact() {
                Some(contact) => impulses.first().map(|impulse| vec![contact.point.to_world(impulse).to_array()]),
                None => struck.problem().ok()?.scene().map(of_scene),
            },
        }
    }
}

/// The answer as a Python object: an `Outcome`, or a `SimultaneousOutcome` for several contacts.
pub fn wrapped(py: Python<'_>, answer: Answer, origin: Origin) -> PyResult<Bound<'_, PyAny>> {
    Ok(match answer {
        Answer::One(_) => Bound::new(py, Outcome { answer, origin })?.into_any(),
        Answer::Many(_) => Bound::new(py, SimultaneousOutcome { answer, origin })?.into_any(),
    })
}

/// The outcome of an impact.
#[pyclass(frozen, module = "carom")]
pub struct Outcome {
    answer: Answer,
    origin: Origin,
}

aligned!(Outcome, SimultaneousOutcome);

impl Outcome {
    pub fn new(outcome: law::Outcome, origin: Origin) -> Self {
        Self { answer: Answer::One(Box::new(outcome)), origin }
    }

    fn inner(&self) -> &law::Outcome {
        match &self.answer {
            Answer::One(outcome) => outcome,
            Answer::Many(_) => unreachable!("outcomes of several contacts are another class"),
        }
    }
}

#[pymethods]
impl Outcome {
    /// The mode of the contact: separating, stick, slip or reversal.
    #[getter]
    fn mode(&self) -> &'static str {
        self.inner().mode.name()
    }

    /// The impulse, N s, [d]: normal first, then the tangents.
    #[getter]
    fn impulse<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.inner().impulse)
    }

    /// The impulse on the robot in world axes, N s, [3]; None for a problem given by matrices.
    #[getter]
    fn impulse_world<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.origin.worlds(&[&self.inner().impulse])?.first().map(|world| vector(py, world))
    }

    /// The generalized velocity after the impact, [nv]; None in contact space.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner().velocity.as_deref().map(|velocity| vector(py, velocity))
    }

    /// The contact velocity, m/s: `before` and `after`, [d] each.
    #[getter]
    fn contact_velocity(&self) -> ContactVelocity {
        ContactVelocity(self.inner().contact_velocity)
    }

    /// The unit direction of slip, [d - 1]; None in the other modes.
    #[getter]
    fn direction<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner().direction.map(|direction| vector(py, &direction))
    }

    /// The energy balance, J.
    #[getter]
    fn energy(&self) -> Energy {
        (&self.inner().energy).into()
    }

    /// The exact discriminator of stick; None if no impulse sticks or the contact separates.
    #[getter]
    fn discriminator(&self) -> Option<f64> {
        self.inner().discriminator
    }

    /// The smallest static friction that sticks; None when infinite.
    #[getter]
    fn critical_friction(&self) -> Option<f64> {
        self.inner().critical_friction
    }

    /// The smallest dynamic friction at which the contact can reverse; None if there is none.
    #[getter]
    fn critical_reversal(&self) -> Option<f64> {
        self.inner().critical_reversal
    }

    /// Discriminator and critical friction as the paper prints them; None for a singular Delassus matrix.
    #[getter]
    fn printed(&self) -> Option<Printed> {
        let printed = self.inner().printed?;
        Some(Printed { discriminator: printed.discriminator, critical_friction: printed.critical_friction })
    }

    /// The largest restitution at which a stick creates no energy, in this state and in every state.
    #[getter]
    fn restitution_limit(&self) -> RestitutionLimit {
        let limit = self.inner().restitution_limit;
        RestitutionLimit { state: limit.state, configuration: limit.configuration }
    }

    /// The friction limit mu* of the paper; None when infinite.
    #[getter]
    fn friction_limit(&self) -> Option<f64> {
        self.inner().friction_limit
    }

    /// False if the contact sticks and the impact creates energy.
    #[getter]
    fn admissible(&self) -> bool {
        self.inner().admissible
    }

    /// Whether the coefficients are in the admissible set of the paper.
    #[getter]
    fn admissible_any_state(&self) -> bool {
        self.inner().admissible_any_state
    }

    /// The limits that the given coefficients violate.
    #[getter]
    fn violations(&self) -> Vec<Violation> {
        let violations = self.inner().violations.iter();
        violations.map(|one| Violation { limit: one.limit.name(), value: one.value, bound: one.bound }).collect()
    }

    /// The guard, and whether it changed the answer.
    #[getter]
    fn guard(&self) -> Guard {
        (&self.inner().guard).into()
    }

    /// The number of slip and reversal solutions; None if they were not counted.
    #[getter]
    fn solutions(&self) -> Option<u32> {
        self.inner().solutions
    }

    /// The given coefficients of restitution.
    #[getter]
    fn restitution(&self) -> Restitution {
        self.inner().restitution.into()
    }

    /// The given coefficients of friction; None without friction.
    #[getter]
    fn friction(&self) -> Option<Friction> {
        self.inner().friction.map(Into::into)
    }

    /// d: 1, 2 or 3.
    #[getter]
    fn contact_dimension(&self) -> u8 {
        self.inner().contact_dimension
    }

    /// The law of the answer.
    #[getter]
    fn law(&self) -> &'static str {
        self.inner().law.name()
    }

    /// The modes during compression and restitution; None for laws that do not divide the impact into phases.
    #[getter]
    fn phases(&self) -> Option<&str> {
        self.inner().phases.as_deref()
    }

    /// The largest violation of the conditions, recomputed from the data, relative to the input: at most 1e-9.
    #[getter]
    fn residual(&self) -> f64 {
        self.inner().residual
    }

    /// The answer in one sentence.
    #[getter]
    fn verdict(&self) -> String {
        self.answer.verdict()
    }

    /// The problem that was solved, to map it or to compare laws.
    #[getter]
    fn problem(&self) -> PyResult<Problem> {
        Ok(Problem::of(self.origin.problem(&self.answer)?, self.origin.title()))
    }

    /// The record of the command, as one line of JSON.
    fn to_json(&self) -> PyResult<String> {
        self.origin.json(&self.answer)
    }

    /// The record of the command as a dictionary, with the names of the JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json()?)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.origin.text(&self.answer)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._html"))?.call_method1(intern!(py, "outcome"), (slf,))
    }
}

/// The outcome of an impact of several contacts.
#[pyclass(frozen, module = "carom")]
pub struct SimultaneousOutcome {
    answer: Answer,
    origin: Origin,
}

impl SimultaneousOutcome {
    fn inner(&self) -> &SimultaneousAnswer {
        match &self.answer {
            Answer::Many(many) => many,
            Answer::One(_) => unreachable!("outcomes of one contact are another class"),
        }
    }
}

#[pymethods]
impl SimultaneousOutcome {
    /// The contacts, in order.
    #[getter]
    fn contacts(&self) -> Vec<ContactOutcome> {
        let SimultaneousAnswer { outcome, names, .. } = self.inner();
        let impulses: Vec<&[f64]> = outcome.contacts.iter().map(|contact| &*contact.impulse).collect();
        let worlds = self.origin.worlds(&impulses);
        let contact = |(k, contact): (usize, &law::ContactOutcome)| ContactOutcome {
            name: names.get(k).cloned().flatten(),
            outcome: Box::new(contact.clone()),
            world: worlds.as_ref().and_then(|worlds| worlds.get(k).copied()),
        };
        outcome.contacts.iter().enumerate().map(contact).collect()
    }

    /// The generalized velocity after the impact, [nv]; None in contact space.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.inner().outcome.velocity.as_deref().map(|velocity| vector(py, velocity))
    }

    /// The energy balance of the whole impact, J.
    #[getter]
    fn energy(&self) -> Energy {
        (&self.inner().outcome.energy).into()
    }

    /// False if the impact creates energy.
    #[getter]
    fn admissible(&self) -> bool {
        self.inner().outcome.admissible
    }

    /// Whether every contact sticks that could.
    #[getter]
    fn strong(&self) -> bool {
        self.inner().outcome.strong
    }

    /// The largest violation of the conditions, relative to the largest speed.
    #[getter]
    fn residual(&self) -> f64 {
        self.inner().outcome.residual
    }

    /// The number of solutions that were found.
    #[getter]
    fn solutions(&self) -> u32 {
        self.inner().outcome.solutions
    }

    /// The number of impacts in sequence at this instant.
    #[getter]
    fn sequence(&self) -> u32 {
        self.inner().outcome.sequence
    }

    /// The law of the answer.
    #[getter]
    fn law(&self) -> &'static str {
        self.inner().outcome.law.name()
    }

    /// The answer in one sentence.
    #[getter]
    fn verdict(&self) -> String {
        self.answer.verdict()
    }

    /// The problem that was solved.
    #[getter]
    fn problem(&self) -> PyResult<Problem> {
        Ok(Problem::of(self.origin.problem(&self.answer)?, self.origin.title()))
    }

    /// The record of the command, as one line of JSON.
    fn to_json(&self) -> PyResult<String> {
        self.origin.json(&self.answer)
    }

    /// The record of the command as a dictionary, with the names of the JSON.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json()?)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.origin.text(&self.answer)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        py.import(intern!(py, "carom._html"))?.call_method1(intern!(py, "text"), (slf,))
    }
}
