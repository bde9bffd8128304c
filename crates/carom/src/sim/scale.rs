//! What is large and what is small for a robot: the bounds that a simulation states.

use carom_multibody::{Dynamics, JointKind};

use super::setup::Setup;
use super::watch::Watch;

/// Contacts nearer than this part of the length take part in an impact.
const NEAR: f64 = 1e-9;
/// Bounces lower than this part of the length are ended.
const SETTLED_HEIGHT: f64 = 1e-12;
/// Sliding slower than this part of the speed has no direction of its own, in space.
const SLOW: f64 = 1e-6;
/// A speed that is rounding.
const TINY: f64 = 1e-13;
/// How deep a contact may start inside its surface.
const PENETRATION: f64 = 1e-7;

/// Lengths, times, speeds and forces that count as large and small.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    /// The largest distance of a touching point from the mass of its link; 1 m if all are zero.
    pub(super) length: f64,
    /// √(length / gravity).
    pub(super) time: f64,
    pub(super) speed: f64,
    pub(super) near: f64,
    pub(super) penetration: f64,
    /// Bounces slower than this are ended.
    pub(super) settled: f64,
    /// Sliding slower than this has no direction of its own, in space.
    pub(super) slow: f64,
    pub(super) tiny: f64,
    /// Forces are judged against this where they are smaller. Were they judged against themselves, a single force that
    /// vanishes would fire events at its rounding.
    pub(super) force: f64,
    /// Energies below this are rounding, where nothing moves.
    pub(super) energy_floor: f64,
    /// Of each number of a state.
    pub(super) state: Vec<f64>,
}

impl Scales {
    pub(super) fn new(setup: &Setup, watch: &Watch) -> Self {
        let mut dynamics = Dynamics::new(setup.model.clone());
        // A state that the model refuses is found where the simulation begins; home serves until then.
        let _ = dynamics.set_state(&setup.configuration, &setup.velocity);
        let reach = setup.contacts.iter().map(|contact| {
            let link = setup.model.link(contact.point.link());
            let center = dynamics.placement(contact.point.link()).apply(link.inertia.center);
            (dynamics.contact_position(&contact.point) - center).norm()
        });
        let length = reach.fold(0.0, f64::max);
        let length = if length > 0.0 { length } else { 1.0 };
        let gravity = setup.model.gravity().norm();
        let (fastest, _) = watch.fastest(&mut dynamics);
        let weight = setup.model.moving_mass() * gravity;
        let fall = (gravity * length).sqrt();
        let speed = match (fall.max(fastest), gravity) {
            (speed, _) if speed > 0.0 => speed,
            _ => 1.0,
        };
        let time = if gravity > 0.0 { (length / gravity).sqrt() } else { length / speed };
        let acceleration = length / (time * time);
        let kinetic = dynamics.kinetic_energy();
        let energy = (setup.model.moving_mass() * acceleration * length).max(kinetic);
        let energy = if energy > 0.0 { energy } else { 1.0 };

        let (mut places, mut rates) = (Vec::new(), Vec::new());
        for joint in setup.model.joints().iter().filter(|joint| joint.joint.mimic.is_none()) {
            let lengths = match joint.joint.kind {
                JointKind::Prismatic => 1,
                JointKind::Planar => 2,
                JointKind::Floating => 3,
                JointKind::Fixed | JointKind::Revolute | JointKind::Continuous | JointKind::Ball => 0,
            };
            let unit = |k: usize| if k < lengths { length } else { 1.0 };
            places.extend((0..joint.coordinates.len()).map(unit));
            rates.extend((0..joint.freedoms.len()).map(|k| unit(k) / time));
        }
        let state = places.into_iter().chain(rates).chain([energy; 3]).collect();
        Self {
            length,
            time,
            speed,
            near: NEAR * length,
            penetration: PENETRATION * length,
            settled: (2.0 * acceleration * SETTLED_HEIGHT * length).sqrt(),
            slow: SLOW * speed,
            tiny: TINY * speed,
            force: weight.max(setup.model.moving_mass() * acceleration).max(f64::MIN_POSITIVE),
            energy_floor: 1e-3 * energy,
            state,
        }
    }
}
