//! Boxes that are in each other although none of their parts says so: a check of the whole bodies against what their contacts hold apart.

use crate::error::{Result, SimulationError};
use crate::simulation::Simulation;

/// Depth, over the smaller one, from which two boxes overlap: contacts are held to a hundredth of that.
const DEPTH: f64 = 1e-6;

impl Simulation {
    /// Refuses boxes that overlap in the present state of the dynamics.
    pub(crate) fn check_boxes(&mut self) -> Result<()> {
        for boxes in &self.system.watch.boxes {
            let (gap, _) = boxes.measure(&mut self.system.dynamics);
            let size = boxes.bodies.sides.iter().map(|side| side.solid.reach()).fold(f64::INFINITY, f64::min);
            let bound = DEPTH * size;
            if gap < -bound {
                let contact = boxes.name.clone();
                return Err(SimulationError::BoxesOverlap { time: self.time, contact, depth: -gap, bound });
            }
        }
        Ok(())
    }

    /// [`Simulation::check_boxes`] in the present state.
    pub(crate) fn check_boxes_of_step(&mut self) -> Result<()> {
        if self.system.watch.boxes.is_empty() {
            return Ok(());
        }
        self.system.place(self.time, &self.state)?;
        self.check_boxes()
    }
}
