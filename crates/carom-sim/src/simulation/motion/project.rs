//! Projection onto the contacts: removes the drift of the integration in the metric of the mass matrix.

use std::ops::Range;

use carom_law::{Grip, PhaseContact, Rows};

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::simulation::Simulation;
use crate::simulation::device::Share;
use crate::simulation::motion::contact::Mode;
use crate::simulation::motion::contact::three;
use crate::simulation::motion::system::{dynamics, view};

/// Contacts are put onto their surfaces one after the other if projecting all at once would move links farther than
/// this multiple of the sum of the motions for each contact alone. Walls at an angle of a few degrees that hold a body
/// between them are still closed at once.
const FARTHEST: f64 = 100.0;
/// Rounds of contacts put onto their surfaces one after the other, and the gap, relative to the near distance, that may
/// remain.
const ALONE_ROUNDS: usize = 4;
const ALONE_ENOUGH: f64 = 0.01;

impl Simulation {
    /// Projects the closed contacts onto their surfaces and removes their inadmissible velocities. Books the energy
    /// change.
    pub(crate) fn project(&mut self) -> Result<()> {
        self.project_held(|simulation, k| simulation.system.contacts[k].mode == Mode::Stick)
    }

    /// [`Simulation::project`] after a decision of modes: contacts assumed to be at rest get zero velocity even if they
    /// start to slide. A small velocity left against the sliding direction would end the sliding at once.
    pub(crate) fn project_decided(&mut self) -> Result<()> {
        self.project_held(|simulation, k| {
            simulation.system.contacts[k].mode == Mode::Stick || !simulation.system.contacts[k].slid
        })
    }

    fn project_held(&mut self, is_held: impl Fn(&Self, usize) -> bool) -> Result<()> {
        let closed = self.system.closed().to_vec();
        if closed.is_empty() && self.system.loops.is_none() {
            return Ok(());
        }
        self.system.place(self.time, &self.state)?;
        let before = self.system.energy();
        self.restore_loops()?;
        self.measure()?;
        let has_moved =
            closed.iter().any(|&k| self.system.contacts[k].gap.abs() > f64::EPSILON * self.system.scales.of(k).length);
        if has_moved {
            self.project_positions_without_gain(&closed, before)?;
        }
        let shares = self.project_velocities(&closed, Rows::Held, is_held)?;
        self.system.place(self.time, &self.state)?;
        let change = self.system.energy() - before;
        self.stepping.reuses_last_stage = false;
        if has_moved {
            self.check_depth(Device::Projection)?;
        }
        self.book_projection(change, &shares)
    }

    /// Removes the normal velocities of contacts. Returns the share of each contact.
    pub(crate) fn stop_normals(&mut self, contacts: &[usize]) -> Result<Vec<(usize, Share)>> {
        self.project_velocities(contacts, Rows::Normals, |_, _| false)
    }

    /// [`Simulation::project_positions`], unless that adds energy worth reporting although all gaps are near zero.
    /// Where contacts can hardly move against each other, gaps of rounding are closed by a long motion of the links
    /// between them: such gaps are left.
    fn project_positions_without_gain(&mut self, closed: &[usize], energy: f64) -> Result<()> {
        let start = self.state.clone();
        let are_near = closed.iter().all(|&k| self.system.contacts[k].gap.abs() <= self.system.scales.of(k).near);
        self.project_positions(closed)?;
        self.system.place(self.time, &self.state)?;
        if are_near && self.system.energy() - energy > self.told_energy() {
            self.state.copy_from_slice(&start);
            self.system.place(self.time, &self.state)?;
            self.measure()?;
        }
        Ok(())
    }

    /// Projects contacts onto their surfaces, and also the open ones that this would push inside.
    pub(crate) fn project_positions(&mut self, closed: &[usize]) -> Result<()> {
        let mut held = closed.to_vec();
        loop {
            self.put_on_surfaces(&held)?;
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let count = held.len();
            let near = |k: usize| self.system.scales.of(k).near;
            let is_inside = |k: usize| {
                self.system.contacts[k].gap < -near(k) && self.system.contacts[k].is_armed && self.system.is_enabled(k)
            };
            let pushed: Vec<usize> =
                (0..self.system.contacts.len()).filter(|&k| is_inside(k) && !held.contains(&k)).collect();
            held.extend(pushed);
            if held.len() == count {
                return Ok(());
            }
            held.sort_unstable();
        }
    }

    /// Moves the contacts onto their surfaces, all at once or, if that would be [a long way](FARTHEST), one after the
    /// other.
    fn put_on_surfaces(&mut self, closed: &[usize]) -> Result<()> {
        if self.try_to_put_on_surfaces(closed)? {
            return Ok(());
        }
        for _ in 0..ALONE_ROUNDS * closed.len() {
            self.system.place(self.time, &self.state)?;
            self.measure()?;
            let off = |k: usize| self.system.contacts[k].gap.abs() / self.system.scales.of(k).near;
            let Some(worst) = closed.iter().copied().max_by(|&a, &b| off(a).total_cmp(&off(b))) else { break };
            if !(off(worst) > ALONE_ENOUGH) {
                break;
            }
            self.try_to_put_on_surfaces(&[worst])?;
        }
        Ok(())
    }

    /// Moves the contacts onto their surfaces, unless nearly dependent contacts with inconsistent gaps would move the
    /// links much farther than the gaps are wide. Returns whether they were moved.
    fn try_to_put_on_surfaces(&mut self, closed: &[usize]) -> Result<bool> {
        self.system.terms(self.time, closed)?;
        let mut excess = vec![0.0; self.system.rows.velocity().len()];
        // The motion for each contact alone, in the metric of the mass matrix.
        let mut alone = 0.0;
        for (k, rows) in self.system.watch.rows_of(closed) {
            let gap = self.system.contacts[k].gap;
            excess[rows.start] = gap;
            let mobility = self.system.rows.delassus()[(rows.start, rows.start)];
            alone += if mobility > 0.0 { gap.abs() / mobility.sqrt() } else { 0.0 };
        }
        let (change, impulses) = self.balanced(closed, Rows::Normals, &excess, |_, _| false)?;
        let way: f64 = -impulses.iter().zip(&excess).map(|(i, gap)| i * gap).sum::<f64>();
        if closed.len() > 1 && way.max(0.0).sqrt() > FARTHEST * alone {
            return Ok(false);
        }
        let model = std::sync::Arc::clone(self.system.model());
        let mut moved = vec![0.0; model.nq()];
        let (q, _, _) = self.system.parts_mut(&mut self.state);
        model.integrate(q, &change, 1.0, &mut moved).map_err(|source| dynamics(self.time, source))?;
        q.copy_from_slice(&moved);
        // Contacts were moved along the freedoms of the loops, which are open only by the square of that motion.
        if self.system.loops.is_some() {
            self.system.place(self.time, &self.state)?;
            self.restore_loops()?;
        }
        Ok(true)
    }

    /// Removes the inadmissible velocities of contacts. Returns the share of each contact: its impulse, and its mean
    /// velocity times the impulse.
    pub(crate) fn project_velocities(
        &mut self,
        contacts: &[usize],
        rows: Rows,
        is_held: impl Fn(&Self, usize) -> bool,
    ) -> Result<Vec<(usize, Share)>> {
        self.system.terms(self.time, contacts)?;
        let excess = self.system.rows.velocity().to_vec();
        let (change, impulses) = self.balanced(contacts, rows, &excess, is_held)?;
        let (_, velocity, _) = self.system.parts_mut(&mut self.state);
        for (v, dv) in velocity.iter_mut().zip(&change) {
            *v += dv;
        }
        let jacobian = self.system.rows.jacobian();
        let share = |(k, rows): (usize, Range<usize>)| {
            let mean =
                |i: usize| excess[i] + 0.5 * jacobian.row(i).iter().zip(&change).map(|(a, v)| a * v).sum::<f64>();
            let energy = rows.clone().map(|i| impulses[i] * mean(i)).sum();
            (k, Share { impulse: three(&impulses[rows]), energy })
        };
        Ok(self.system.watch.rows_of(contacts).map(share).collect())
    }

    /// The part of a velocity of the selected contacts that impulses can change: its projection onto the range of W,
    /// with the rank used for forces. In weaker directions W i has too few accurate digits to be in the range itself.
    pub(crate) fn reached_by_impulses(&mut self, contacts: &[usize], velocity: &[f64]) -> Result<Vec<f64>> {
        let grips: Vec<PhaseContact> = (contacts.iter())
            .map(|&k| PhaseContact { dimension: self.system.watch.contact(k).dimension, grip: Grip::Stick })
            .collect();
        let mut impulses = vec![0.0; velocity.len()];
        let time = self.time;
        let w = view(&self.system.rows);
        self.system.phase.solve(w, velocity, &grips, &mut impulses).map_err(|source| SimulationError::Law {
            time,
            what: "the range of velocities",
            source,
        })?;
        let w = self.system.rows.delassus();
        let row = |i: usize| -w.row(i).iter().zip(&impulses).map(|(w, i)| w * i).sum::<f64>();
        Ok((0..velocity.len()).map(row).collect())
    }

    /// The change M⁻¹ Aᵀ i that removes an excess in the rows of the selected contacts, and i.
    fn balanced(
        &mut self,
        contacts: &[usize],
        rows: Rows,
        excess: &[f64],
        is_held: impl Fn(&Self, usize) -> bool,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let grips: Vec<PhaseContact> = (contacts.iter())
            .map(|&k| PhaseContact {
                dimension: self.system.watch.contact(k).dimension,
                grip: if is_held(self, k) { Grip::Stick } else { Grip::FRICTIONLESS },
            })
            .collect();
        let mut impulses = vec![0.0; excess.len()];
        let mut change = vec![0.0; self.system.model().nv()];
        let time = self.time;
        let system = &mut self.system;
        system
            .phase
            .balance(view(&system.rows), &grips, rows, excess, &mut impulses)
            .map_err(|source| SimulationError::Law { time, what: "the projection", source })?;
        system
            .dynamics
            .contact_response(&system.rows, &impulses, &mut change)
            .map_err(|source| dynamics(time, source))?;
        Ok((change, impulses))
    }
}

#[cfg(test)]
mod tests {
    use carom_multibody::{ContactPoint, HalfSpace};

    use crate::{Simulation, Surface};

    /// A mass a nanometre inside a floor, and two inside another at a slope to it: both gaps close where the floors
    /// cross. At a slope of a tenth the mass is moved there; at 1e-3 the crossing is a micrometre away and at 1e-5 a
    /// hundred, for gaps of a nanometre, and each contact is projected alone. At 1e-7 the two count as one.
    #[test]
    fn gaps_that_disagree_do_not_move_what_they_hold_far_away() {
        for (slope, farthest) in [(0.1, 2e-8), (1e-3, 1e-8), (1e-5, 1e-8), (1e-7, 1e-8)] {
            let mut setup = crate::simulation::tests::ball();
            let link = setup.contacts[0].point.link();
            let normal = [slope, 0.0, 1.0];
            setup
                .surfaces
                .push(Surface { name: "slope".into(), half_space: HalfSpace::new([0.0, 0.0, 1e-9], normal).unwrap() });
            let mut second = setup.contacts[0].clone();
            second.surface = 1;
            second.point = ContactPoint::new(&setup.model, link, [0.0; 3], normal).unwrap().with_dimension(1);
            setup.contacts.push(second);
            let mut simulation = Simulation::new(setup).unwrap();
            simulation.state[1] = -1e-9;
            simulation.system.place(0.0, &simulation.state).unwrap();
            simulation.measure().unwrap();
            simulation.put_on_surfaces(&[0, 1]).unwrap();
            simulation.system.place(0.0, &simulation.state).unwrap();
            simulation.measure().unwrap();
            let moved = simulation.state[0].hypot(simulation.state[1] + 1e-9);
            assert!(moved > 1e-9 && moved < farthest, "{slope}: {moved:e}");
            let near = simulation.system.scales.of(0).near;
            assert!(simulation.system.contacts.iter().all(|contact| contact.gap > -1.01 * near), "{slope}");
        }
    }
}
