//! Which joint makes a robot stiff: dampers and springs on little mass, which an explicit method follows in short steps.

use std::fmt;

use carom_multibody::Dynamics;

use crate::number::significant;

use crate::setup::{Actuator, Setup};

/// Steps of the method are stable up to about this part of the time in which a damper acts.
const STABLE: f64 = 6.0;
/// Evaluations of a step.
const STAGES: f64 = 12.0;
/// A run that needs more evaluations than this for a stiff joint alone is told beforehand.
const MANY: f64 = 1e5;

/// The joint whose damper or spring acts fastest, at the start, all other joints free.
#[derive(Debug, Clone, PartialEq)]
pub struct Stiffness {
    /// The joint.
    pub joint: String,
    /// The larger of d (M⁻¹)ᵢᵢ and √(k (M⁻¹)ᵢᵢ), 1/s.
    pub rate: f64,
}

impl Stiffness {
    /// Of a robot that is placed in a state; none where no joint has a damper or a spring, or M is singular.
    pub(crate) fn find(setup: &Setup, dynamics: &mut Dynamics) -> Option<Self> {
        let model = &setup.model;
        // Of each velocity: the joint, its damping and its stiffness.
        let mut passive: Vec<(usize, f64, f64)> = vec![(0, 0.0, 0.0); model.freedoms()];
        for (place, joint) in model.joints().iter().enumerate() {
            let multiplier = joint.joint.mimic.as_ref().map_or(1.0, |mimic| mimic.multiplier);
            let stiffness = joint.joint.spring.map_or(0.0, |spring| spring.stiffness);
            for entry in &mut passive[joint.freedoms.clone()] {
                entry.1 += multiplier * multiplier * joint.joint.damping;
                entry.2 += multiplier * multiplier * stiffness;
                if joint.joint.mimic.is_none() {
                    entry.0 = place;
                }
            }
        }
        for actuator in &setup.actuators {
            if let Actuator::Posture { freedom, stiffness, damping, .. } = actuator {
                passive[*freedom].1 += damping;
                passive[*freedom].2 += stiffness;
            }
        }
        if passive.iter().all(|(_, damping, stiffness)| *damping == 0.0 && *stiffness == 0.0) {
            return None;
        }
        let mut force = vec![0.0; model.freedoms()];
        let free = dynamics.forward_dynamics(&force).ok()?.to_vec();
        let mut stiffest: Option<Self> = None;
        for (i, &(joint, damping, stiffness)) in passive.iter().enumerate() {
            if damping == 0.0 && stiffness == 0.0 {
                continue;
            }
            force[i] = 1.0;
            let mobility = dynamics.forward_dynamics(&force).ok()?[i] - free[i];
            force[i] = 0.0;
            let rate = (damping * mobility).max((stiffness * mobility).max(0.0).sqrt());
            if stiffest.as_ref().is_none_or(|other| rate > other.rate) {
                stiffest = Some(Self { joint: model.joints()[joint].joint.name.clone(), rate });
            }
        }
        stiffest
    }

    /// About how many evaluations a run of this length takes at least, because of this joint.
    pub fn evaluations(&self, seconds: f64) -> f64 {
        STAGES / STABLE * self.rate * seconds
    }

    /// What to tell before a run of this length, if it matters.
    pub(crate) fn warning(&self, seconds: f64) -> Option<String> {
        let evaluations = self.evaluations(seconds);
        (evaluations > MANY).then(|| format!("stiff: {self}: about {} evaluations", significant(evaluations, 2)))
    }
}

impl fmt::Display for Stiffness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = significant(1.0 / self.rate, 2);
        write!(f, "the damper or spring of joint {:?} acts within {time} s, and steps are as short", self.joint)
    }
}
