//! Gaps of contacts, and a floating base that is moved until one of them is closed.

use std::sync::Arc;

use carom_multibody::{Dynamics, LinkId, Model, Vector};

use super::SceneContact;
use super::error::dynamics_error;
use super::state::{Base, moves_with};
use crate::document::{Kind, ProblemError, did_you_mean, listed};
use carom_sim::Surface;

/// Gap up to which a contact touches, relative to the robot's size: states are written by hand with a few digits.
const TOUCHING: f64 = 1e-4;

/// The gaps of a scene's contacts.
pub(super) struct Gaps {
    each: Vec<f64>,
    /// Size of the robot: the largest distance of a contact or a link's centre of mass from the centre of mass.
    length: f64,
}

impl Gaps {
    /// The contact with the smallest gap, and the gap.
    pub(super) fn nearest(&self) -> Option<(usize, f64)> {
        self.each.iter().copied().enumerate().min_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// Whether a contact touches its surface.
    pub(super) fn touches(&self, contact: usize) -> bool {
        self.each[contact].abs() <= TOUCHING * self.length
    }
}

/// The gaps of the contacts in a configuration.
pub(super) fn gaps(
    model: &Arc<Model>,
    surfaces: &[Surface],
    contacts: &[SceneContact],
    configuration: &[f64],
) -> Result<Gaps, ProblemError> {
    let mut dynamics = Dynamics::new(Arc::clone(model));
    dynamics.set_state(configuration, &vec![0.0; model.nv()]).map_err(dynamics_error)?;
    let each = contacts.iter().map(|contact| dynamics.gap(&contact.point, &surfaces[contact.surface].half_space));
    let moving = (0..model.links().len()).map(LinkId::from_index).filter(|&link| model.is_moving(link));
    let centers: Vec<(f64, Vector)> = moving
        .map(|link| {
            let inertia = &model.link(link).inertia;
            (inertia.mass, dynamics.placement(link).apply(inertia.center))
        })
        .collect();
    let mass: f64 = centers.iter().map(|(mass, _)| mass).sum();
    let sum = centers.iter().fold(Vector::ZERO, |sum, (mass, center)| sum.plus(*mass, *center));
    let center = if mass > 0.0 { (1.0 / mass) * sum } else { sum };
    let points = contacts.iter().map(|contact| dynamics.contact_position(&contact.point));
    let heavy = centers.iter().filter(|(mass, _)| *mass > 0.0).map(|(_, point)| *point);
    let length = points.chain(heavy).map(|point| (point - center).norm()).fold(0.0, f64::max);
    Ok(Gaps { each: each.collect(), length })
}

/// The name that stands for whichever contact is lowest.
const LOWEST: &str = "lowest";

/// Moves the base so that the least gap of the contacts that `base.touch` names is `base.height`, or zero.
pub(super) fn place(
    model: &Arc<Model>,
    surfaces: &[Surface],
    contacts: &[SceneContact],
    base: &Base,
    root: Option<usize>,
    configuration: &mut [f64],
) -> Result<(), ProblemError> {
    let Some(name) = &base.touch else {
        return match base.height {
            None => Ok(()),
            Some(_) => {
                let message = "base.height is only valid with base.touch, which says what is at that height: \"lowest\", a link or a contact";
                Err(ProblemError::at(Kind::Conflict, "base.height", message))
            }
        };
    };
    let Some(root) = root.map(|root| &model.joints()[root]) else {
        let message = "base.touch moves a robot whose first joint is floating: set base.floating = true for a URDF";
        return Err(ProblemError::at(Kind::Conflict, "base.touch", message));
    };
    let mut dynamics = Dynamics::new(Arc::clone(model));
    dynamics.set_state(configuration, &vec![0.0; model.nv()]).map_err(dynamics_error)?;
    // Loose objects do not move with the base.
    let is_of_base = |contact: &&SceneContact| moves_with(model, root.link, contact.point.link());
    if name == LOWEST && !contacts.is_empty() && !contacts.iter().any(|contact| is_of_base(&contact)) {
        return Ok(());
    }
    let is_meant = |contact: &&SceneContact| {
        (name == LOWEST && is_of_base(contact))
            || contact.name == *name
            || model.link(contact.point.link()).name == *name
    };
    let gaps = contacts.iter().filter(is_meant).map(|contact| {
        let half_space = &surfaces[contact.surface].half_space;
        (dynamics.gap(&contact.point, half_space), half_space.normal)
    });
    let Some((gap, normal)) = gaps.min_by(|one, other| one.0.total_cmp(&other.0)) else {
        let mut names: Vec<&str> =
            contacts.iter().map(|contact| model.link(contact.point.link()).name.as_str()).collect();
        names.dedup();
        let hint = did_you_mean(name, names.iter().copied().chain([LOWEST]));
        let message = format!(
            "base.touch = {name:?} must be {LOWEST:?}, a contact, or a link with one: {}{hint}",
            listed(&names)
        );
        return Err(ProblemError::at(Kind::UnknownName, "base.touch", message));
    };
    let shift = (base.height.unwrap_or(0.0) - gap) * normal;
    // The joint's coordinates are in the axes of its place in the world.
    let shift = model.link(root.link).placement.rotation.apply_inverse(shift).to_array();
    for (coordinate, shift) in configuration[root.coordinates.clone()].iter_mut().zip(shift) {
        *coordinate += shift;
    }
    Ok(())
}
