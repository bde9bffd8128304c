//! All contacts of a simulation: with surfaces, and at joint limits.

use std::ops::Range;

use carom_law::{Coefficients, Dimension};
use carom_multibody::{
    Candidate, ContactPoint, Contacts, Dynamics, DynamicsError, JointLimit, LimitSide, Model, Vector, joint_limits,
};

use crate::dimension::dimension_of;
use crate::error::{Result, SimulationError};
use crate::setup::{CoordinateRange, Setup};

/// A contact with a surface or at a joint limit.
#[derive(Debug, Clone)]
pub(crate) struct ContactProperties {
    pub(crate) name: String,
    pub(crate) dimension: Dimension,
    pub(crate) surface: Option<usize>,
    pub(crate) coefficients: Coefficients,
    pub(crate) enabled: Option<CoordinateRange>,
}

/// All contacts: those with surfaces first, then the joint limits.
///
/// Invariant: `list` has one entry per candidate and then one per limit.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    list: Vec<ContactProperties>,
    candidates: Vec<Candidate>,
    limits: Vec<JointLimit>,
}

impl Watch {
    pub(crate) fn new(setup: &Setup) -> Result<Self> {
        let (mut list, mut candidates) = (Vec::new(), Vec::new());
        for (k, contact) in setup.contacts.iter().enumerate() {
            let surface = setup.surfaces.get(contact.surface).ok_or_else(|| SimulationError::NoSuch {
                field: format!("contacts[{k}].surface"),
                index: contact.surface,
                count: setup.surfaces.len(),
            })?;
            // Without friction the tangential rows are not needed.
            let point = match contact.coefficients.friction {
                Some(_) => contact.point,
                None => contact.point.with_dimension(1),
            };
            let dimension = dimension_of(&point);
            list.push(ContactProperties {
                name: contact.name.clone(),
                dimension,
                surface: Some(contact.surface),
                coefficients: contact.coefficients,
                enabled: contact.enabled,
            });
            candidates.push(Candidate { name: contact.name.clone(), contact: point, half_space: surface.half_space });
        }
        let limits = setup.limits.map_or_else(Vec::new, |_| joint_limits(&setup.model));
        for (limit, restitution) in limits.iter().zip(setup.limits.iter().cycle()) {
            let side = match limit.side {
                LimitSide::Lower => "lower",
                LimitSide::Upper => "upper",
            };
            list.push(ContactProperties {
                name: format!("{} {side} limit", setup.model.joints()[limit.joint].joint.name),
                dimension: Dimension::Normal,
                surface: None,
                coefficients: Coefficients { restitution: *restitution, friction: None },
                enabled: None,
            });
        }
        Ok(Self { list, candidates, limits })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Indices in the model of the joints of the limits, in the order of the limits.
    pub(crate) fn limited_joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.limits.iter().map(|limit| limit.joint)
    }

    /// Number of rows of all contacts.
    pub(crate) fn rows(&self) -> usize {
        self.list.iter().map(|contact| contact.dimension.rows()).sum()
    }

    /// The rows of each of the given contacts, stacked in this order.
    pub(crate) fn rows_of<'a>(&'a self, contacts: &'a [usize]) -> impl Iterator<Item = (usize, Range<usize>)> + 'a {
        let mut end = 0;
        contacts.iter().map(move |&k| {
            let start = end;
            end += self.list[k].dimension.rows();
            (k, start..end)
        })
    }

    pub(crate) fn contact(&self, k: usize) -> &ContactProperties {
        &self.list[k]
    }

    pub(crate) fn list(&self) -> &[ContactProperties] {
        &self.list
    }

    /// Storage for the terms of all contacts.
    pub(crate) fn contacts(&self, model: &Model) -> Contacts {
        let points: Vec<ContactPoint> = self.candidates.iter().map(|candidate| candidate.contact).collect();
        Contacts::with_limits(model, &points, &self.limits)
    }

    /// Gaps and their rates.
    pub(crate) fn measure(
        &self,
        dynamics: &mut Dynamics,
        gaps: &mut [f64],
        rates: &mut [f64],
    ) -> std::result::Result<(), DynamicsError> {
        let count = self.candidates.len();
        dynamics.gaps(&self.candidates, &mut gaps[..count], &mut rates[..count])?;
        for (k, limit) in self.limits.iter().enumerate() {
            (gaps[count + k], rates[count + k]) = dynamics.limit_gap(limit);
        }
        Ok(())
    }

    /// Gap and rate of one contact, to the bit those of [`Watch::measure`].
    pub(crate) fn measure_one(
        &self,
        dynamics: &mut Dynamics,
        k: usize,
    ) -> std::result::Result<(f64, f64), DynamicsError> {
        match self.candidates.get(k) {
            Some(candidate) => dynamics.gap_and_rate(candidate),
            None => Ok(dynamics.limit_gap(&self.limits[k - self.candidates.len()])),
        }
    }

    /// The contact point, or the point nearest to the surface; the world's origin for a joint limit.
    pub(crate) fn position(&self, dynamics: &Dynamics, k: usize) -> Vector {
        self.candidates.get(k).map_or(Vector::ZERO, |candidate| dynamics.contact_position(&candidate.contact))
    }

    /// Normal and tangents; zeros for a joint limit.
    pub(crate) fn basis(&self, k: usize) -> [Vector; 3] {
        self.candidates.get(k).map_or([Vector::ZERO; 3], |candidate| candidate.contact.basis())
    }

    /// The largest linear and angular speed of the links with contacts.
    pub(crate) fn fastest(&self, dynamics: &mut Dynamics) -> (f64, f64) {
        let (mut speed, mut spin) = (0.0_f64, 0.0_f64);
        let mut last = None;
        for candidate in &self.candidates {
            let link = candidate.contact.link();
            if last != Some(link) {
                let (linear, angular) = dynamics.point_velocity(link, Vector::ZERO);
                (speed, spin) = (speed.max(linear.norm()), spin.max(angular.norm()));
                last = Some(link);
            }
        }
        (speed, spin)
    }
}
