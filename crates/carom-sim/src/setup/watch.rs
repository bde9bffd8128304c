//! All contacts of a simulation: with surfaces, at joint limits, in joints with dry friction, and of two bodies.

use std::ops::Range;

use carom_law::{Coefficients, Dimension, Friction, Restitution};
use carom_multibody::{
    BodyPair, Candidate, ContactPoint, Contacts, Dynamics, DynamicsError, JointFriction, JointLimit, LimitSide,
    Meeting, Model, Vector, joint_frictions, joint_limits,
};

use crate::dimension::dimension_of;
use crate::error::{Result, SimulationError};
use crate::setup::pair::{BoxesInMotion, Pair, are_boxes, parts};
use crate::setup::{CoordinateRange, Setup};

/// A contact with a surface, at a joint limit, in a joint or of two bodies.
#[derive(Debug, Clone)]
pub(crate) struct ContactProperties {
    pub(crate) name: String,
    pub(crate) dimension: Dimension,
    pub(crate) surface: Option<usize>,
    /// The link that the other body of a pair is on.
    pub(crate) against: Option<String>,
    /// The joint whose dry friction it is.
    pub(crate) joint: Option<String>,
    pub(crate) coefficients: Coefficients,
    pub(crate) enabled: Option<CoordinateRange>,
}

impl ContactProperties {
    pub(crate) fn is_limit(&self) -> bool {
        self.surface.is_none() && self.against.is_none() && self.joint.is_none()
    }

    /// Whether it is the dry friction of a joint.
    pub(crate) fn is_friction(&self) -> bool {
        self.joint.is_some()
    }
}

/// All contacts: those with surfaces first, then the joint limits, then the dry frictions of joints, then the pairs.
///
/// The dry friction of a joint is always closed and has no gap: to the law it is a pad pressed on the joint, with the
/// coefficient one.
///
/// Invariant: `list` has one entry per candidate, then one per limit, one per friction, and one per pair.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    list: Vec<ContactProperties>,
    candidates: Vec<Candidate>,
    limits: Vec<JointLimit>,
    frictions: Vec<JointFriction>,
    pub(crate) pairs: Vec<Pair>,
    /// Two boxes, whose parts are pairs, with the indices of these among all contacts.
    pub(crate) boxes: Vec<Boxes>,
}

/// Two boxes that can touch each other with several parts.
#[derive(Debug, Clone)]
pub(crate) struct Boxes {
    pub(crate) name: String,
    pub(crate) bodies: BodyPair,
    /// Their parts among all contacts.
    pub(crate) contacts: Range<usize>,
}

impl Boxes {
    /// Gap of the bodies and its rate: the distance, or minus the least depth.
    pub(crate) fn measure(&self, dynamics: &mut Dynamics) -> (f64, f64) {
        match dynamics.closest_bodies(&self.bodies) {
            Ok(Some(closest)) => (closest.gap, dynamics.body_gap_rate(&self.bodies, &closest)),
            // Placements that are not finite: the integration rejects them.
            _ => (f64::NAN, 0.0),
        }
    }
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
                against: None,
                joint: None,
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
                against: None,
                joint: None,
                coefficients: Coefficients { restitution: *restitution, friction: None },
                enabled: None,
            });
        }
        let frictions = if setup.joint_friction { joint_frictions(&setup.model) } else { Vec::new() };
        let one = Friction::new(1.0).ok();
        for friction in &frictions {
            let joint = &setup.model.joints()[friction.joint].joint;
            list.push(ContactProperties {
                name: match joint.kind.nv() {
                    1 => format!("{} friction", joint.name),
                    _ => format!("{} friction {}", joint.name, friction.place + 1),
                },
                dimension: Dimension::Planar,
                surface: None,
                against: None,
                joint: Some(joint.name.clone()),
                coefficients: Coefficients { restitution: Restitution::ZERO, friction: one },
                enabled: None,
            });
        }
        let mut pairs = Vec::with_capacity(setup.pairs.len());
        let parts = setup.pairs.iter().map(parts).collect::<Result<Vec<_>>>()?;
        let mut boxes = Vec::new();
        let mut first = list.len();
        for (pair, parts) in setup.pairs.iter().zip(&parts) {
            if are_boxes(&pair.bodies) {
                let (name, bodies) = (pair.name.clone(), pair.bodies.clone());
                boxes.push(Boxes { name, bodies, contacts: first..first + parts.len() });
            }
            first += parts.len();
        }
        for part in parts.iter().flatten() {
            let (watched, pair) = (Pair::new(&setup.model, part)?, &part.watched);
            let other = setup.model.link(pair.bodies.sides[1].link);
            list.push(ContactProperties {
                name: pair.name.clone(),
                dimension: match watched.rows() {
                    1 => Dimension::Normal,
                    2 => Dimension::Planar,
                    _ => Dimension::Spatial,
                },
                surface: None,
                against: Some(other.name.clone()),
                joint: None,
                coefficients: pair.coefficients,
                enabled: None,
            });
            pairs.push(watched);
        }
        Ok(Self { list, candidates, limits, frictions, pairs, boxes })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Indices in the model of the joints of the limits, in the order of the limits.
    pub(crate) fn limited_joints(&self) -> impl Iterator<Item = usize> + '_ {
        self.limits.iter().map(|limit| limit.joint)
    }

    /// The dry frictions of joints.
    pub(crate) fn frictions(&self) -> &[JointFriction] {
        &self.frictions
    }

    /// The number of works that are integrated with the motion: of friction, damping and motors, and of dry friction if
    /// a joint has it. An entry that never changes would loosen the tolerance of the others.
    pub(crate) fn work_count(&self) -> usize {
        3 + usize::from(!self.frictions.is_empty())
    }

    /// The index of the first dry friction.
    pub(crate) fn first_friction(&self) -> usize {
        self.candidates.len() + self.limits.len()
    }

    /// The index of the first pair.
    pub(crate) fn first_pair(&self) -> usize {
        self.first_friction() + self.frictions.len()
    }

    /// The dry friction of a joint that a contact stands for, if any.
    pub(crate) fn friction(&self, k: usize) -> Option<&JointFriction> {
        k.checked_sub(self.first_friction()).and_then(|place| self.frictions.get(place))
    }

    /// The rows of a contact for the record: dry friction has one row, since the force that presses its pad does not
    /// act on the robot.
    pub(crate) fn told(&self, k: usize, numbers: [f64; 3]) -> [f64; 3] {
        if self.friction(k).is_some() { [numbers[1], 0.0, 0.0] } else { numbers }
    }

    /// The pair that a contact stands for, if any.
    pub(crate) fn pair(&self, k: usize) -> Option<&Pair> {
        k.checked_sub(self.first_pair()).map(|place| &self.pairs[place])
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

    /// Storage for the terms of contacts, none of which is selected.
    pub(crate) fn contacts(&self, model: &Model) -> std::result::Result<Contacts, DynamicsError> {
        let points: Vec<ContactPoint> = self.candidates.iter().map(|candidate| candidate.contact).collect();
        let axes = [0, 1, 2].map(|k| Vector::from([0, 1, 2].map(|i| f64::from(i == k))));
        // Replaced by those of a state before they are used.
        let meetings = self.pairs.iter().map(|pair| {
            let [one, other] = [0, 1].map(|k| pair.bodies.sides[k].link);
            Meeting::new(model, one, other, Vector::ZERO, axes).map(|meeting| meeting.with_dimension(pair.rows()))
        });
        let meetings = meetings.collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(Contacts::unselected(model, &points, &self.limits, &self.frictions, &meetings))
    }

    /// Brings the rows of the selected pairs to the present state.
    pub(crate) fn set_meetings(
        &self,
        dynamics: &mut Dynamics,
        selected: &[usize],
        rows: &mut Contacts,
    ) -> std::result::Result<(), DynamicsError> {
        let first = self.first_pair();
        for place in selected.iter().filter_map(|k| k.checked_sub(first)) {
            rows.set_meeting(place, self.pairs[place].meeting(dynamics)?)?;
        }
        Ok(())
    }

    /// Gaps and their rates.
    pub(crate) fn measure(
        &self,
        dynamics: &mut Dynamics,
        gaps: &mut [f64],
        rates: &mut [f64],
    ) -> std::result::Result<(), DynamicsError> {
        self.measure_boxes(dynamics, gaps, rates, BoxesInMotion::new)
    }

    /// [`Watch::measure`], with the gap of parts that do not face each other for all parts of boxes that are far apart.
    pub(crate) fn measure_near(
        &self,
        dynamics: &mut Dynamics,
        gaps: &mut [f64],
        rates: &mut [f64],
    ) -> std::result::Result<(), DynamicsError> {
        self.measure_boxes(dynamics, gaps, rates, BoxesInMotion::if_near)
    }

    fn measure_boxes(
        &self,
        dynamics: &mut Dynamics,
        gaps: &mut [f64],
        rates: &mut [f64],
        boxes_of: impl Fn(&mut Dynamics, &BodyPair) -> BoxesInMotion,
    ) -> std::result::Result<(), DynamicsError> {
        let count = self.candidates.len();
        dynamics.gaps(&self.candidates, &mut gaps[..count], &mut rates[..count])?;
        for (k, limit) in self.limits.iter().enumerate() {
            (gaps[count + k], rates[count + k]) = dynamics.limit_gap(limit);
        }
        let (first, count) = (self.first_friction(), self.first_pair());
        gaps[first..count].fill(0.0);
        rates[first..count].fill(0.0);
        let mut boxes = self.boxes.iter().peekable();
        let mut k = count;
        while k < self.list.len() {
            if let Some(boxes) = boxes.next_if(|boxes| boxes.contacts.start == k) {
                let moving = boxes_of(dynamics, &boxes.bodies);
                for part in boxes.contacts.clone() {
                    (gaps[part], rates[part]) = self.pairs[part - count].measure_part_of(&moving);
                }
                k = boxes.contacts.end;
            } else {
                (gaps[k], rates[k]) = self.pairs[k - count].measure(dynamics);
                k += 1;
            }
        }
        Ok(())
    }

    /// Gap and rate of one contact, to the bit those of [`Watch::measure`].
    pub(crate) fn measure_one(
        &self,
        dynamics: &mut Dynamics,
        k: usize,
    ) -> std::result::Result<(f64, f64), DynamicsError> {
        match (self.candidates.get(k), self.pair(k)) {
            (Some(candidate), _) => dynamics.gap_and_rate(candidate),
            (None, Some(pair)) => Ok(pair.measure(dynamics)),
            (None, None) if self.friction(k).is_some() => Ok((0.0, 0.0)),
            (None, None) => Ok(dynamics.limit_gap(&self.limits[k - self.candidates.len()])),
        }
    }

    /// The contact point, or the point nearest to the surface; the world's origin for a joint limit.
    pub(crate) fn position(&self, dynamics: &Dynamics, k: usize) -> Vector {
        if let Some(pair) = self.pair(k) {
            return pair.axes(dynamics).map_or(Vector::ZERO, |(_, place)| place);
        }
        self.candidates.get(k).map_or(Vector::ZERO, |candidate| dynamics.contact_position(&candidate.contact))
    }

    /// Normal and tangents; zeros for a joint limit.
    pub(crate) fn basis(&self, dynamics: &Dynamics, k: usize) -> [Vector; 3] {
        if let Some(pair) = self.pair(k) {
            return pair.axes(dynamics).map_or([Vector::ZERO; 3], |(axes, _)| axes);
        }
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
        for side in self.pairs.iter().flat_map(|pair| &pair.bodies.sides) {
            let (linear, angular) = dynamics.point_velocity(side.link, Vector::ZERO);
            (speed, spin) = (speed.max(linear.norm()), spin.max(angular.norm()));
        }
        (speed, spin)
    }
}
