//! The parts of an outcome: values with names.

use carom::law;
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::aligned;
use crate::array::vector;

/// A class of named values, which prints like a call of its constructor.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[pyclass(frozen, get_all, eq, module = "carom")]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }

        #[pymethods]
        impl $name {
            fn __repr__(&self) -> String {
                let fields: Vec<String> = vec![$(format!("{}={}", stringify!($field), shown(&self.$field))),*];
                format!("{}({})", stringify!($name), fields.join(", "))
            }
        }
        aligned!($name);
    };
}

trait Shown {
    fn shown(&self) -> String;
}

impl Shown for f64 {
    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

impl Shown for bool {
    fn shown(&self) -> String {
        if *self { "True" } else { "False" }.to_owned()
    }
}

impl Shown for &'static str {
    fn shown(&self) -> String {
        format!("'{self}'")
    }
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| "None".to_owned(), Shown::shown)
    }
}

fn shown(value: &impl Shown) -> String {
    value.shown()
}

record! {
    /// The energy balance of an impact, J.
    Energy {
        /// Kinetic energy before; None in contact space.
        before: Option<f64>,
        /// Kinetic energy after; None in contact space.
        after: Option<f64>,
        /// The change of the kinetic energy.
        change: f64,
        /// The work of the normal impulse.
        normal: f64,
        /// The work of the tangential impulse.
        tangential: f64,
    }
}

record! {
    /// Coefficients of restitution.
    Restitution {
        /// e
        normal: f64,
        /// e_t
        tangential: f64,
    }
}

record! {
    /// Coefficients of friction.
    Friction {
        /// mu_s
        r#static: f64,
        /// mu_d
        dynamic: f64,
    }
}

record! {
    /// The largest restitution at which a stick creates no energy.
    RestitutionLimit {
        /// In this state; None if the contact separates.
        state: Option<f64>,
        /// In every state of this configuration.
        configuration: Option<f64>,
    }
}

record! {
    /// Discriminator and critical friction as the paper prints them.
    Printed {
        /// The discriminator.
        discriminator: f64,
        /// The critical friction; None when infinite.
        critical_friction: Option<f64>,
    }
}

record! {
    /// A limit that the given coefficients violate.
    Violation {
        /// The name of the limit, a field of the outcome.
        limit: &'static str,
        /// The given coefficient.
        value: f64,
        /// Its largest admissible value.
        bound: f64,
    }
}

record! {
    /// The guard, and whether it changed the answer.
    Guard {
        /// report, limit or slip.
        name: &'static str,
        /// Whether the guard replaced the law's solution.
        acted: bool,
        /// The coefficient of normal restitution of the solution.
        restitution: f64,
        /// The mode without the guard, if it acted.
        unguarded_mode: Option<&'static str>,
        /// The energy change without the guard, if it acted.
        unguarded_energy_change: Option<f64>,
    }
}

impl From<&law::Energy> for Energy {
    fn from(energy: &law::Energy) -> Self {
        let law::Energy { before, after, change, normal, tangential, .. } = *energy;
        Self { before, after, change, normal, tangential }
    }
}

impl From<law::RestitutionValues> for Restitution {
    fn from(restitution: law::RestitutionValues) -> Self {
        Self { normal: restitution.normal, tangential: restitution.tangential }
    }
}

impl From<law::Friction> for Friction {
    fn from(friction: law::Friction) -> Self {
        Self { r#static: friction.mu_s(), dynamic: friction.mu_d() }
    }
}

impl From<&law::GuardReport> for Guard {
    fn from(guard: &law::GuardReport) -> Self {
        Self {
            name: guard.name.name(),
            acted: guard.acted,
            restitution: guard.restitution,
            unguarded_mode: guard.unguarded.map(|unguarded| unguarded.mode.name()),
            unguarded_energy_change: guard.unguarded.map(|unguarded| unguarded.energy_change),
        }
    }
}

/// The contact velocity before and after an impact, m/s: arrays of d numbers, normal first.
#[pyclass(frozen, module = "carom")]
pub struct ContactVelocity(pub law::BeforeAfter);

aligned!(ContactVelocity);

#[pymethods]
impl ContactVelocity {
    /// Before the impact.
    #[getter]
    fn before<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.0.before)
    }

    /// After the impact.
    #[getter]
    fn after<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.0.after)
    }

    fn __repr__(&self) -> String {
        format!("ContactVelocity(before={:?}, after={:?})", &*self.0.before, &*self.0.after)
    }
}

/// One of several contacts that strike simultaneously.
#[pyclass(frozen, module = "carom")]
pub struct ContactOutcome {
    pub name: Option<String>,
    pub outcome: Box<law::ContactOutcome>,
    pub world: Option<[f64; 3]>,
}

aligned!(ContactOutcome);

#[pymethods]
impl ContactOutcome {
    /// The contact's name, if it has one.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// separating, stick, slip or reversal.
    #[getter]
    fn mode(&self) -> &'static str {
        self.outcome.mode.name()
    }

    /// The impulse, N s: d numbers, normal first.
    #[getter]
    fn impulse<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        vector(py, &self.outcome.impulse)
    }

    /// The impulse in world axes, N s; None for a problem given by matrices.
    #[getter]
    fn impulse_world<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.world.map(|world| vector(py, &world))
    }

    /// The contact velocity, m/s.
    #[getter]
    fn contact_velocity(&self) -> ContactVelocity {
        ContactVelocity(self.outcome.contact_velocity)
    }

    /// The part of the energy change due to this contact, J.
    #[getter]
    fn energy_change(&self) -> f64 {
        self.outcome.energy.change
    }

    /// The coefficients of restitution.
    #[getter]
    fn restitution(&self) -> Restitution {
        self.outcome.restitution.into()
    }

    /// The coefficients of friction; None without friction.
    #[getter]
    fn friction(&self) -> Option<Friction> {
        self.outcome.friction.map(Into::into)
    }

    fn __repr__(&self) -> String {
        let name = self.name.as_deref().unwrap_or_default();
        format!("ContactOutcome(name='{name}', mode='{}', impulse={:?})", self.mode(), &*self.outcome.impulse)
    }
}
