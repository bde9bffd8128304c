//! Back onto the contacts: what integration lets drift is taken away in the metric of the mass matrix.

use carom_law::{Grip, PhaseContact, Rows};

use super::error::{Result, SimulationError};
use super::simulation::Simulation;
use super::system::{Mode, dynamics, view};

impl Simulation {
    /// Puts the closed contacts on their surfaces and takes away the velocities that they cannot have. The energy that
    /// this changes is booked.
    pub(super) fn project(&mut self) -> Result<()> {
        let closed = self.system.closed().to_vec();
        if closed.is_empty() {
            return Ok(());
        }
        self.system.place(self.time, &self.state)?;
        let before = self.system.energy();
        self.measure()?;
        let farthest = closed.iter().fold(0.0_f64, |far, &k| far.max(self.gaps[k].abs()));
        if farthest > f64::EPSILON * self.system.scales.length {
            self.project_positions(&closed)?;
            self.system.place(self.time, &self.state)?;
        }
        self.project_velocities(&closed, Rows::Held)?;
        self.system.place(self.time, &self.state)?;
        self.booked.projection += self.system.energy() - before;
        self.follows = false;
        Ok(())
    }

    /// Takes away the normal velocities of contacts.
    pub(super) fn stop_normals(&mut self, contacts: &[usize]) -> Result<()> {
        self.project_velocities(contacts, Rows::Normals)
    }

    pub(super) fn project_positions(&mut self, closed: &[usize]) -> Result<()> {
        self.system.terms(self.time, closed)?;
        let mut excess = vec![0.0; self.system.contacts.velocity().len()];
        let mut row = 0;
        for &k in closed {
            excess[row] = self.gaps[k];
            row += self.system.watch.contact(k).dimension.rows();
        }
        let change = self.balanced(closed, Rows::Normals, &excess)?;
        let model = std::sync::Arc::clone(self.system.model());
        let mut moved = vec![0.0; model.coordinates()];
        let (q, _, _) = self.system.parts_mut(&mut self.state);
        model.integrate(q, &change, 1.0, &mut moved).map_err(|source| dynamics(self.time, source))?;
        q.copy_from_slice(&moved);
        Ok(())
    }

    fn project_velocities(&mut self, contacts: &[usize], rows: Rows) -> Result<()> {
        self.system.terms(self.time, contacts)?;
        let excess = self.system.contacts.velocity().to_vec();
        let change = self.balanced(contacts, rows, &excess)?;
        let (_, velocity, _) = self.system.parts_mut(&mut self.state);
        for (v, dv) in velocity.iter_mut().zip(&change) {
            *v += dv;
        }
        Ok(())
    }

    /// The change M⁻¹ Aᵀ i that takes away an excess in the rows of contacts whose terms are selected.
    fn balanced(&mut self, contacts: &[usize], rows: Rows, excess: &[f64]) -> Result<Vec<f64>> {
        let grips: Vec<PhaseContact> = (contacts.iter())
            .map(|&k| PhaseContact {
                dimension: self.system.watch.contact(k).dimension,
                grip: if self.system.modes[k] == Mode::Stick { Grip::Stick } else { Grip::FRICTIONLESS },
            })
            .collect();
        let mut impulses = vec![0.0; excess.len()];
        let mut change = vec![0.0; self.system.model().freedoms()];
        let time = self.time;
        let system = &mut self.system;
        system
            .phase
            .balance(view(&system.contacts), &grips, rows, excess, &mut impulses)
            .map_err(|source| SimulationError::Law { time, what: "the projection", source })?;
        system
            .dynamics
            .contact_response(&system.contacts, &impulses, &mut change)
            .map_err(|source| dynamics(time, source))?;
        Ok(change)
    }
}
