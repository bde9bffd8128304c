//! A step of Moreau's time stepping: forces over the step, then impulses that keep contacts from penetrating further.
//!
//! Springs and dampers of joints are taken at the end of the step, linearly implicit:
//! (M + h D + h² K) (v⁺ - v) = h (f - h K v) + Aᵀ i. However stiff they are, they only dissipate energy. D and K are
//! diagonal, so this is the robot with additional armature.
//!
//! Collisions too fast to drop restitution are resolved by the law, at the boundary of two steps.
//!
//! Forces are those at the start of a step. The energy of a motion without contacts therefore has an error of the order
//! of the square of the step. It rises in every step where links move outwards by centrifugal forces or gravity turns
//! with the motion, and windows that replace the whole motion of a stiff robot would accumulate the gains. A step
//! removes such a gain by scaling all velocities by the same factor, slightly below one. Gains by impulses and larger
//! gains are kept, so that shorter steps are tried.

use std::sync::Arc;

use carom_law::{Coefficients, Dimension, Friction};
use carom_multibody::Dynamics;

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::record::energy::Ledger;
use crate::setup::Actuator;
use crate::simulation::Simulation;
use crate::simulation::device::Share;
use crate::simulation::instant::is_numerical;
use crate::simulation::motion::contact::three;
use crate::simulation::motion::system::dynamics;

/// The largest energy gain that a step removes, relative to its kinetic energy: with a larger gain, the steps of a
/// window would gain as much as a device may in the whole run, and are too long.
const GIVEN_BACK: f64 = 1e-9;

/// Stiffness and damping for each velocity.
pub(crate) struct PassiveForces {
    /// Of the joints.
    damping: Vec<f64>,
    stiffness: Vec<f64>,
    /// Of the motors that hold a posture.
    motor_damping: Vec<f64>,
    motor_stiffness: Vec<f64>,
    /// The robot with the armature that represents them over a step of the window; `None` without springs and dampers.
    stiff: Option<Box<Dynamics>>,
}

impl Simulation {
    pub(crate) fn passive(&self, step: f64) -> PassiveForces {
        let model = self.system.model();
        let (damping, stiffness) = model.passive_coefficients();
        let (mut motor_damping, mut motor_stiffness) = (vec![0.0; model.nv()], vec![0.0; model.nv()]);
        for actuator in &self.system.setup.actuators {
            if let Actuator::Posture { freedom, stiffness, damping, .. } = actuator {
                motor_damping[*freedom] += damping;
                motor_stiffness[*freedom] += stiffness;
            }
        }
        let armature = |k: usize| step * (damping[k] + motor_damping[k] + step * (stiffness[k] + motor_stiffness[k]));
        let armature: Vec<f64> = (0..model.nv()).map(armature).collect();
        let stiff = (armature.iter().any(|x| *x > 0.0))
            .then(|| Box::new(Dynamics::new(model.as_ref().clone().with_more_armature(&armature))));
        PassiveForces { damping, stiffness, motor_damping, motor_stiffness, stiff }
    }

    /// One step, or the part of it before the first collision.
    pub(crate) fn moreau_step(
        &mut self,
        step: f64,
        passive: &mut PassiveForces,
        shares: &mut [(usize, Share)],
    ) -> Result<()> {
        self.collide(shares)?;
        self.swap_dynamics(passive);
        let collision = self.next_collision(step, passive);
        self.swap_dynamics(passive);
        let part = collision?;
        if part < step {
            // The armature for springs and dampers must be that of the step taken.
            let mut passive = self.passive(part);
            self.move_with(part, &mut passive, shares)
        } else {
            self.move_with(step, passive, shares)
        }
    }

    pub(crate) fn move_with(
        &mut self,
        step: f64,
        passive: &mut PassiveForces,
        shares: &mut [(usize, Share)],
    ) -> Result<()> {
        let by_impulses = |shares: &[(usize, Share)]| shares.iter().map(|(_, share)| share.energy).sum::<f64>();
        self.system.place(self.time, &self.state)?;
        let before = (self.unbooked_energy(), by_impulses(shares));
        self.swap_dynamics(passive);
        let moved = self.move_on(step, passive, shares);
        self.swap_dynamics(passive);
        self.time += step;
        moved?;
        self.system.place(self.time, &self.state)?;
        self.restore_loops()?;
        let (gain, work) = (self.unbooked_energy() - before.0, by_impulses(shares) - before.1);
        self.give_back(gain.min(gain - work));
        Ok(())
    }

    /// Scales all velocities down, so that the kinetic energy falls by the gain of a step if that is positive and
    /// small.
    fn give_back(&mut self, gain: f64) {
        let kinetic = self.system.dynamics.kinetic_energy();
        if gain > 0.0 && gain <= GIVEN_BACK * kinetic {
            let slower = (1.0 - gain / kinetic).sqrt();
            let (_, velocity, _) = self.system.parts_mut(&mut self.state);
            velocity.iter_mut().for_each(|v| *v *= slower);
        }
    }

    /// The energy of the state of the dynamics less all work booked so far.
    pub(crate) fn unbooked_energy(&mut self) -> f64 {
        let [friction, damping, torques, dry_friction] = self.system.works(&self.state);
        self.system.energy() - Ledger { friction, damping, torques, dry_friction, ..self.book.columns }.booked()
    }

    /// Exchanges the robot and the one with additional armature.
    pub(crate) fn swap_dynamics(&mut self, passive: &mut PassiveForces) {
        if let Some(stiff) = &mut passive.stiff {
            self.system.swap_dynamics(stiff);
        }
    }

    /// Impacts of touching contacts that are too fast to drop restitution.
    pub(crate) fn collide(&mut self, shares: &mut [(usize, Share)]) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let near = (0..self.system.contacts.len())
            .filter(|&k| self.can_strike(k) && self.system.contacts[k].gap <= self.system.scales.of(k).near);
        let near: Vec<usize> = self.movable_contacts(near.collect())?.into_iter().map(|(k, _)| k).collect();
        if !near.iter().any(|&k| self.collides(k, self.system.contacts[k].rate)) {
            return Ok(());
        }
        match self.strike(&near) {
            Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                self.journal.counts.not_converged += 1;
                self.strike_without_friction(&near, shares)
            }
            struck => struck,
        }
    }

    /// Whether a normal velocity is that of an impact whose restitution may not be dropped.
    pub(crate) fn collides(&self, k: usize, rate: f64) -> bool {
        rate < -self.resting_speed(k, self.system.scales.of(k).settled) && !self.may_drop_restitution(k, -rate)
    }

    pub(crate) fn can_close(&self, k: usize) -> bool {
        self.system.contacts[k].is_armed && (self.system.is_enabled(k) || self.system.contacts[k].mode.is_closed())
    }

    /// Whether a contact can close and has a normal velocity: dry friction of a joint takes no part in an impact.
    fn can_strike(&self, k: usize) -> bool {
        self.can_close(k) && self.system.watch.friction(k).is_none()
    }

    /// The normal problem alone always has a solution, with restitution; friction has to wait for the next impact.
    pub(crate) fn strike_without_friction(&mut self, near: &[usize], shares: &mut [(usize, Share)]) -> Result<()> {
        let slippery = |k: usize| -> Result<Coefficients> {
            let coefficients = self.system.watch.contact(k).coefficients;
            let none = Friction::new(0.0).map_err(|source| self.law_error(source))?;
            Ok(Coefficients { friction: coefficients.friction.map(|_| none), ..coefficients })
        };
        let coefficients = near.iter().map(|&k| slippery(k)).collect::<Result<Vec<_>>>()?;
        match self.push_apart(near, 0.0, &coefficients, shares) {
            Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                let closing: Vec<usize> =
                    near.iter().copied().filter(|&k| self.system.contacts[k].rate < 0.0).collect();
                self.keep_elastic(Device::Windows, closing.iter().copied())?;
                for (k, share) in self.stop_normals(&closing)? {
                    add(&mut shares[k].1, &share);
                }
                Ok(())
            }
            pushed => pushed,
        }
    }

    /// Time until the first collision in a step; the whole step if there is none.
    pub(crate) fn next_collision(&mut self, step: f64, passive: &PassiveForces) -> Result<f64> {
        let start = self.state.clone();
        let before = self.fall(step, passive)?;
        self.state.copy_from_slice(&start);
        let ends = (0..before.len()).filter(|&k| self.can_strike(k)).filter_map(|k| {
            let (gap, rate) = before[k];
            let acceleration = (self.system.contacts[k].rate - rate) / step;
            let ends = touches(gap.max(0.0), rate, acceleration).filter(|end| *end < step)?;
            self.collides(k, rate + acceleration * ends).then_some(ends)
        });
        Ok(ends.fold(step, f64::min))
    }

    /// Applies the forces over a step, then the impulses that keep contacts from penetrating further.
    pub(crate) fn move_on(&mut self, step: f64, passive: &PassiveForces, shares: &mut [(usize, Share)]) -> Result<()> {
        let time = self.time;
        let start = self.state.clone();
        let before = self.fall(step, passive)?;
        let is_reached = |k: usize| {
            let (gap, rate) = before[k];
            let scales = self.system.scales.of(k);
            let rests = gap <= scales.near && rate.abs() <= self.resting_speed(k, scales.settled);
            // Colliding contacts are resolved after this step.
            let is_close = gap <= scales.near || gap + step * self.system.contacts[k].rate <= 0.0;
            rests || (is_close && !self.collides(k, self.system.contacts[k].rate))
        };
        let reached = (0..before.len()).filter(|&k| self.can_close(k) && is_reached(k)).collect();
        let reached: Vec<usize> = self.movable_contacts(reached)?.into_iter().map(|(k, _)| k).collect();
        if !reached.is_empty() {
            self.hold(&reached, step, &start, shares)?;
        }
        self.book_forces(step, passive, &start);
        let model = Arc::clone(self.system.model());
        let mut moved = vec![0.0; model.nq()];
        let (q, v, _) = self.system.parts_mut(&mut self.state);
        model.integrate(q, v, step, &mut moved).map_err(|source| dynamics(time, source))?;
        q.copy_from_slice(&moved);
        Ok(())
    }

    /// Computes the velocities after the forces of a step, and the rates of the gaps with them. Returns the gaps and
    /// their rates before.
    pub(crate) fn fall(&mut self, step: f64, passive: &PassiveForces) -> Result<Vec<(f64, f64)>> {
        let time = self.time;
        self.system.place(time, &self.state)?;
        self.measure()?;
        let before = self.system.distances();
        let stiffness = |k: usize| passive.stiffness[k] + passive.motor_stiffness[k];
        self.system.accelerate_over(time, |k, v| -step * stiffness(k) * v)?;
        let acceleration = std::mem::take(&mut self.system.acceleration);
        let (_, velocity, _) = self.system.parts_mut(&mut self.state);
        for (v, a) in velocity.iter_mut().zip(&acceleration) {
            *v += step * a;
        }
        self.system.acceleration = acceleration;
        self.system.place(time, &self.state)?;
        self.measure()?;
        Ok(before)
    }

    /// Impulses without restitution of contacts that rest, or collide slowly enough to drop it.
    pub(crate) fn hold(
        &mut self,
        reached: &[usize],
        step: f64,
        start: &[f64],
        shares: &mut [(usize, Share)],
    ) -> Result<()> {
        let coefficients: Vec<Coefficients> = reached.iter().map(|&k| self.plastic_coefficients(k)).collect();
        let mut taken = shares.to_vec();
        taken.iter_mut().for_each(|(_, share)| *share = Share::default());
        match self.push_apart(reached, step, &coefficients, &mut taken) {
            Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                // The normal problem alone always has a solution, and friction can wait for the next step.
                self.journal.counts.not_converged += 1;
                let closing: Vec<usize> =
                    reached.iter().copied().filter(|&k| self.system.contacts[k].rate < 0.0).collect();
                if !closing.is_empty() {
                    for (k, share) in self.stop_normals(&closing)? {
                        taken[k].1 = share;
                    }
                }
            }
            pushed => pushed?,
        }
        // The mean velocity over the step, including the forces.
        let (_, before, _) = self.system.parts(start);
        let (_, after, _) = self.system.parts(&self.state);
        let jacobian = self.system.rows.jacobian();
        for (k, rows) in self.system.watch.rows_of(self.system.rows.selected()) {
            let share = &mut taken[k].1;
            share.energy = 0.0;
            for (impulse, row) in share.impulse.iter().zip(rows) {
                let mean = jacobian.row(row).iter().zip(before.iter().zip(after)).map(|(a, (v, w))| 0.5 * a * (v + w));
                share.energy += impulse * mean.sum::<f64>();
            }
            add(&mut shares[k].1, share);
        }
        Ok(())
    }

    /// Impulses of an impact, in the metric of the system's dynamics. The pads of joints with dry friction are pressed for
    /// `step`: friction takes part with at most its force over that time.
    pub(crate) fn push_apart(
        &mut self,
        reached: &[usize],
        step: f64,
        with: &[Coefficients],
        shares: &mut [(usize, Share)],
    ) -> Result<()> {
        self.system.terms(self.time, reached)?;
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "a window of time stepping", source };
        let dimensions: Vec<Dimension> = reached.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let Some((set, _)) = self.contact_set(reached, &dimensions, step, fail)? else { return Ok(()) };
        let mut outcome = self.impact_by_device(&set, with).map_err(fail)?;
        self.kick(&set, &mut outcome, fail)?;
        for (&k, contact) in reached.iter().zip(&outcome.contacts) {
            add(&mut shares[k].1, &Share { impulse: three(&contact.impulse), energy: contact.energy.change });
        }
        Ok(())
    }

    pub(crate) fn law_error(&self, source: carom_law::Error) -> SimulationError {
        SimulationError::Law { time: self.time, what: "a window of time stepping", source }
    }

    /// Books the work of dampers and motors over a step: their force, as used by the step, times the mean velocity.
    pub(crate) fn book_forces(&mut self, step: f64, passive: &PassiveForces, start: &[f64]) {
        let motors = self.system.motors().to_vec();
        let (_, before, _) = self.system.parts(start);
        let (_, after, works) = self.system.parts_mut(&mut self.state);
        for (k, (v, w)) in before.iter().zip(after.iter()).enumerate() {
            let mean = 0.5 * (v + w);
            works[1] -= step * passive.damping[k] * w * mean;
            let motor = motors[k] - passive.motor_damping[k] * (w - v) - step * passive.motor_stiffness[k] * w;
            works[2] += step * motor * mean;
        }
    }
}

fn add(to: &mut Share, share: &Share) {
    for (sum, i) in to.impulse.iter_mut().zip(share.impulse) {
        *sum += i;
    }
    to.energy += share.energy;
}

/// The first time after the start at which a gap closes that changes by t (rate + acceleration t) over a step of length
/// t.
fn touches(gap: f64, rate: f64, acceleration: f64) -> Option<f64> {
    let root = rate * rate - 4.0 * acceleration * gap;
    if !(root >= 0.0) {
        return None;
    }
    // Without cancellation.
    let sum = -0.5 * (rate + root.sqrt().copysign(rate));
    [sum / acceleration, gap / sum].into_iter().filter(|t| *t > 0.0 && t.is_finite()).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Discard;

    /// If the law has no solution with friction, contacts keep their restitution.
    #[test]
    fn an_impact_without_friction_keeps_restitution() {
        let mut setup = crate::simulation::tests::sphere();
        setup.contacts[0].coefficients.restitution = carom_law::Restitution::new(0.75).unwrap();
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.set_until(1e-9).unwrap();
        simulation.step(&mut Discard).unwrap();
        let (_, velocity, _) = simulation.system.parts_mut(&mut simulation.state);
        velocity.copy_from_slice(&[2.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        simulation.system.place(0.0, &simulation.state).unwrap();
        simulation.measure().unwrap();
        let mut shares = vec![(0, Share::default())];
        simulation.strike_without_friction(&[0], &mut shares).unwrap();
        let expected = [2.0, 0.0, 0.75, 0.0, 0.0, 0.0];
        assert!(simulation.velocity().iter().zip(expected).all(|(v, w)| (v - w).abs() < 1e-14));
        // m = 1: the impulse is 1.75, and takes ½ (1 - 0.75²).
        let Share { impulse, energy } = shares[0].1;
        assert!((impulse[0] - 1.75).abs() < 1e-14 && (energy + 0.21875).abs() < 1e-14);
    }

    #[test]
    fn a_gap_that_opens_closes_again() {
        assert_eq!(touches(0.0, 1.0, -2.0), Some(0.5));
        assert_eq!(touches(1.0, -1.0, 0.0), Some(1.0));
        assert_eq!(touches(2.0, -1.0, -1.0), Some(1.0));
        assert_eq!(touches(1.0, 1.0, 1.0), None);
    }
}
