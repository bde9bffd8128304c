//! A short window of time stepping, for instants with more events than can be told apart.

use carom_law::{Coefficients, Dimension, Guard};

use super::error::{Result, SimulationError};
use super::event::{Event, EventKind};
use super::instant::is_numerical;
use super::simulation::Simulation;
use super::system::{Mode, dynamics};

/// Steps of a window.
const STEPS: usize = 10;
/// Length of a step, over the time scale.
const STEP: f64 = 1e-6;
/// A window that opens within this many lengths of the last has steps twice as long...
const SOON: f64 = 2.0;
/// ... as long as nothing moves farther in one than this part of the length, and it is shorter than this part of the
/// time scale.
const MOST_MOVE: f64 = 1e-4;
const LONGEST: f64 = 1e-4;

/// The last window.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastWindow {
    end: f64,
    step: f64,
}

impl LastWindow {
    pub(super) const NONE: Self = Self { end: f64::NEG_INFINITY, step: 0.0 };
}

impl Simulation {
    /// Moves on by Moreau's time stepping: impulses without restitution over short steps of equal length.
    pub(super) fn open_window(&mut self) -> Result<()> {
        self.counts.windows += 1;
        let start = self.time;
        self.system.place(self.time, &self.state)?;
        let before = self.system.energy();
        let step = self.window_step().min((self.end - self.time).max(0.0) / STEPS as f64);
        for _ in 0..STEPS {
            self.slot(step)?;
        }
        self.last_window = LastWindow { end: self.time, step };
        self.lift_out()?;
        self.system.place(self.time, &self.state)?;
        let change = self.system.energy() - before;
        self.booked.windows += change;
        self.events.push_back(Event { energy_change: change, ..Event::new(start, EventKind::Window, None) });
        self.follows = false;
        self.is_open = true;
        self.size = self.size.max(step);
        self.resume();
        Ok(())
    }

    /// Steps that grow while windows follow each other: what cannot be told apart for long is not to take forever.
    fn window_step(&mut self) -> f64 {
        let shortest = STEP * self.system.scales.time;
        let LastWindow { end, step } = self.last_window;
        if self.time - end > SOON * STEPS as f64 * step {
            return shortest;
        }
        let (speed, spin) = self.system.watch.fastest(&mut self.system.dynamics);
        let (length, longest) = (self.system.scales.length, LONGEST * self.system.scales.time);
        (2.0 * step).min(longest).min(MOST_MOVE * length / (speed + spin * length)).max(shortest)
    }

    /// Impacts go without restitution for a while: contacts that rattle come to rest on their surfaces.
    pub(super) fn calm_down(&mut self) {
        self.counts.windows += 1;
        self.calm_until = self.time + self.watchdog.calm();
        self.events.push_back(Event::new(self.time, EventKind::Window, None));
    }

    /// One step: forces over it, then the impulses that keep contacts from going deeper.
    fn slot(&mut self, step: f64) -> Result<()> {
        let time = self.time;
        self.system.place(time, &self.state)?;
        self.system.accelerate_freely(time)?;
        self.measure()?;
        let acceleration = self.system.acceleration.clone();
        let (_, velocity, _) = self.system.parts_mut(&mut self.state);
        for (v, a) in velocity.iter_mut().zip(&acceleration) {
            *v += step * a;
        }
        self.system.place(time, &self.state)?;
        let gaps = self.gaps.clone();
        self.measure()?;
        let reached: Vec<usize> = (0..gaps.len())
            .filter(|&k| self.armed[k] && (self.system.is_enabled(k) || self.system.modes[k].is_closed()))
            .filter(|&k| gaps[k] + step * self.rates[k] <= 0.0 || gaps[k] <= self.system.scales.of(k).near)
            .collect();
        let reached: Vec<usize> = self.movable(reached)?.into_iter().map(|(k, _)| k).collect();
        if !reached.is_empty() {
            self.push_apart(&reached)?;
        }
        let model = std::sync::Arc::clone(self.system.model());
        let mut moved = vec![0.0; model.coordinates()];
        let (q, v, _) = self.system.parts_mut(&mut self.state);
        model.integrate(q, v, step, &mut moved).map_err(|source| dynamics(time, source))?;
        q.copy_from_slice(&moved);
        self.time += step;
        Ok(())
    }

    /// Impulses without restitution.
    fn push_apart(&mut self, reached: &[usize]) -> Result<()> {
        let time = self.time;
        let fail = |source| SimulationError::Law { time, what: "a window of time stepping", source };
        self.system.terms(time, reached)?;
        let dimensions: Vec<Dimension> = reached.iter().map(|&k| self.system.watch.contact(k).dimension).collect();
        let coefficients: Vec<Coefficients> = reached.iter().map(|&k| self.plastic(k)).collect();
        let outcome = match self.contact_set(reached, &dimensions, fail) {
            Ok((set, _)) => set.impact(&coefficients, Guard::Slip).map_err(fail),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(outcome) => {
                let impulses: Vec<f64> = outcome.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect();
                self.kick(&impulses)
            }
            Err(SimulationError::Law { source, .. }) if is_numerical(&source) => {
                // The normals alone always have an answer, and friction can wait for the next step.
                self.counts.not_converged += 1;
                let closing: Vec<usize> = reached.iter().copied().filter(|&k| self.rates[k] < 0.0).collect();
                if closing.is_empty() { Ok(()) } else { self.stop_normals(&closing) }
            }
            Err(error) => Err(error),
        }
    }

    /// Lifts out what the steps let sink in.
    fn lift_out(&mut self) -> Result<()> {
        self.system.place(self.time, &self.state)?;
        self.measure()?;
        let inside: Vec<usize> = (0..self.gaps.len())
            .filter(|&k| self.armed[k] && self.system.is_enabled(k) && self.gaps[k] < 0.0)
            .collect();
        if inside.is_empty() { Ok(()) } else { self.project_positions(&inside) }
    }

    /// Back to events: everything is open, and what touches is found anew. What could not close again stays closed.
    fn resume(&mut self) {
        for k in 0..self.system.modes.len() {
            if self.gaps[k] > self.system.scales.of(k).near || (self.armed[k] && self.system.is_enabled(k)) {
                self.set_mode(k, Mode::Flight);
            }
        }
        self.system.adopt_modes();
    }
}
