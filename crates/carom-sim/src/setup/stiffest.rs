//! The search for the joint that makes a robot stiff.

use carom_multibody::Dynamics;

use crate::setup::{Actuator, Setup};
use crate::stiffness::Stiffness;

impl Setup {
    /// The joint that makes the robot stiff in the state of `dynamics`; `None` if no joint has a damper or a spring, or
    /// if M is singular.
    pub(crate) fn stiffest_joint(&self, dynamics: &mut Dynamics) -> Option<Stiffness> {
        let model = &self.model;
        // For each velocity: the joint, its damping and its stiffness.
        let mut passive: Vec<(usize, f64, f64)> = vec![(0, 0.0, 0.0); model.nv()];
        for (place, joint) in model.joints().iter().enumerate() {
            let multiplier = joint.joint.mimic.as_ref().map_or(1.0, |mimic| mimic.multiplier);
            let stiffness = joint.joint.spring.map_or(0.0, |spring| spring.stiffness);
            for entry in &mut passive[joint.velocities.clone()] {
                entry.1 += multiplier * multiplier * joint.joint.damping;
                entry.2 += multiplier * multiplier * stiffness;
                if joint.joint.mimic.is_none() {
                    entry.0 = place;
                }
            }
        }
        for actuator in &self.actuators {
            if let Actuator::Posture { freedom, stiffness, damping, .. } = actuator {
                passive[*freedom].1 += damping;
                passive[*freedom].2 += stiffness;
            }
        }
        if passive.iter().all(|(_, damping, stiffness)| *damping == 0.0 && *stiffness == 0.0) {
            return None;
        }
        let mut force = vec![0.0; model.nv()];
        let free = dynamics.forward_dynamics(&force).ok()?.to_vec();
        let mut stiffest: Option<Stiffness> = None;
        for (i, &(joint, damping, stiffness)) in passive.iter().enumerate() {
            if damping == 0.0 && stiffness == 0.0 {
                continue;
            }
            force[i] = 1.0;
            let mobility = dynamics.forward_dynamics(&force).ok()?[i] - free[i];
            force[i] = 0.0;
            let rate = (damping * mobility).max((stiffness * mobility).max(0.0).sqrt());
            if stiffest.as_ref().is_none_or(|other| rate > other.rate) {
                stiffest = Some(Stiffness { joint: model.joints()[joint].joint.name.clone(), rate });
            }
        }
        stiffest
    }
}
