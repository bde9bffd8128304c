//! Impulses applied to the velocity, and checked against their effect.

use carom_law::{ContactSet, Error as LawError, Evidence, Jam, SimultaneousOutcome};

use crate::strike::{energies, respond_together};

use crate::error::{Result, SimulationError, StrikeError};
use crate::simulation::Simulation;
use crate::simulation::motion::system::dynamics;

impl Simulation {
    /// Adds M⁻¹ Aᵀ i to the velocity, for the impulses of an impact in the selected rows. The robot is in the state before the
    /// impact; A q̇⁺ and K⁺ - K⁻ are recomputed.
    ///
    /// # Errors
    /// The recomputed values contradict the outcome; the velocity is then unchanged.
    pub(crate) fn kick(
        &mut self,
        set: &ContactSet,
        outcome: &mut SimultaneousOutcome,
        fail: impl Fn(LawError) -> SimulationError,
    ) -> Result<()> {
        let mut after = vec![0.0; self.system.model().nv()];
        respond_together(&mut self.system.dynamics, &self.system.rows, set, outcome, &mut after).map_err(|error| {
            match error {
                StrikeError::Dynamics(source) => dynamics(self.time, source),
                StrikeError::Law(source) => fail(source),
            }
        })?;
        self.set_velocity(&after);
        Ok(())
    }

    /// Applies an impact without collision of the one selected contact, with the same checks: its normal velocity before it
    /// counts as zero.
    pub(crate) fn kick_by_jam(&mut self, outcome: &Jam) -> Result<()> {
        let time = self.time;
        let place = |source| dynamics(time, source);
        let mut after = vec![0.0; self.system.model().nv()];
        let (robot, contacts) = (&mut self.system.dynamics, &self.system.rows);
        robot.contact_response(contacts, &outcome.impulse, &mut after).map_err(place)?;
        for (after, before) in after.iter_mut().zip(robot.velocity()) {
            *after += before;
        }
        let mut evidence = Evidence {
            after: [0.0; 3],
            before_size: [0.0; 3],
            after_size: [0.0; 3],
            freedoms: after.len(),
            impulse_error: 0.0,
            energy: None,
        };
        let rows = outcome.impulse.len();
        let mut before = [0.0; 3];
        robot
            .contacts_velocity_of(contacts, robot.velocity(), &mut before[..rows], &mut evidence.before_size[..rows])
            .map_err(place)?;
        robot
            .contacts_velocity_of(contacts, &after, &mut evidence.after[..rows], &mut evidence.after_size[..rows])
            .map_err(place)?;
        let mut energy = energies(robot, &after).map_err(place)?;
        evidence.after[0] -= before[0];
        energy.after -= before[0] * outcome.impulse[0];
        evidence.energy = Some(energy);
        outcome.verify(&evidence).map_err(|source| SimulationError::Law {
            time,
            what: "an impact without collision",
            source,
        })?;
        self.set_velocity(&after);
        Ok(())
    }

    fn set_velocity(&mut self, after: &[f64]) {
        let (_, velocity, _) = self.system.parts_mut(&mut self.state);
        velocity.copy_from_slice(after);
    }
}

#[cfg(test)]
mod tests {
    use carom_law::{Delassus, Dimension, Friction, MatrixView, jam};

    use super::*;
    use crate::Discard;

    fn rolling() -> Simulation {
        let setup = crate::simulation::tests::sphere();
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.set_until(1e-9).unwrap();
        simulation.step(&mut Discard).unwrap();
        let (_, velocity, _) = simulation.system.parts_mut(&mut simulation.state);
        velocity.copy_from_slice(&[2.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        simulation.system.place(0.0, &simulation.state).unwrap();
        simulation.system.terms(0.0, &[0]).unwrap();
        simulation
    }

    fn fail(source: LawError) -> SimulationError {
        SimulationError::Law { time: 0.0, what: "an impact", source }
    }

    #[test]
    fn an_impact_that_the_robot_does_not_bear_out_is_refused() {
        let mut simulation = rolling();
        let (set, _) = simulation.contact_set(&[0], &[Dimension::Spatial], 0.0, fail).unwrap().unwrap();
        let coefficients = [simulation.system.watch.contact(0).coefficients];
        let outcome = set.impact(&coefficients, simulation.system.setup.guard).unwrap();
        let before = simulation.velocity().to_vec();

        // W of a robot lighter by a millionth: the impulses are consistent with this W, not with the robot.
        let w: Vec<f64> = simulation.system.rows.delassus().as_slice().iter().map(|w| w * (1.0 + 1e-6)).collect();
        let lighter = ContactSet::new(&[Dimension::Spatial], MatrixView::row_major(3, 3, &w), set.velocity()).unwrap();
        let mut wrong = lighter.impact(&coefficients, simulation.system.setup.guard).unwrap();
        let error = simulation.kick(&lighter, &mut wrong, fail).unwrap_err();
        assert!(error.to_string().contains("contacts[0].contact_velocity.after"), "{error}");
        assert_eq!(simulation.velocity(), before);

        simulation.kick(&set, &mut outcome.clone(), fail).unwrap();
        assert!(simulation.velocity()[2] >= 0.0);
    }

    #[test]
    fn a_jam_that_the_robot_does_not_bear_out_is_refused() {
        let mut simulation = rolling();
        let before = simulation.velocity().to_vec();
        // W of another body.
        let root = 3f64.sqrt();
        let w = [[1.75, -0.75 * root, 0.0], [-0.75 * root, 3.25, 0.0], [0.0, 0.0, 2.0]];
        let delassus = Delassus::spatial(w).unwrap();
        let outcome = jam(delassus, &[-1.0, 0.0], Friction::new(1.8).unwrap()).unwrap();
        let error = simulation.kick_by_jam(&outcome).unwrap_err();
        assert!(matches!(error, SimulationError::Law { source: LawError::CheckFailed { .. }, .. }), "{error}");
        assert_eq!(simulation.velocity(), before);
    }
}
