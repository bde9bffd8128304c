//! Boxes that overlap although the gaps of their parts do not show it: a check of the whole bodies.

use crate::error::{Result, SimulationError};
use crate::record::book::Device;
use crate::simulation::Simulation;

/// Depth, relative to the smaller box, above which two boxes overlap: contacts are kept to a hundredth of that.
const DEPTH: f64 = 1e-6;

impl Simulation {
    /// Rejects boxes that overlap in the present state of the dynamics.
    pub(crate) fn check_boxes(&mut self) -> Result<()> {
        let time = self.time;
        match self.overlap() {
            Some((contact, depth, bound)) => Err(SimulationError::BoxesOverlap { time, contact, depth, bound }),
            None => Ok(()),
        }
    }

    /// Rejects boxes that a device left overlapping: parts that are too deep no longer face each other and have no
    /// depth.
    pub(crate) fn check_boxes_of_device(&mut self, device: Device) -> Result<()> {
        let (time, device) = (self.time, device.name());
        match self.overlap() {
            Some((contact, depth, bound)) => {
                Err(SimulationError::DevicePenetration { time, device, contact, depth, bound })
            }
            None => Ok(()),
        }
    }

    /// Two boxes that overlap in the present state of the dynamics: name, depth and its bound.
    fn overlap(&mut self) -> Option<(String, f64, f64)> {
        for boxes in &self.system.watch.boxes {
            let (gap, _) = boxes.measure(&mut self.system.dynamics);
            let size = boxes.bodies.sides.iter().map(|side| side.solid.reach()).fold(f64::INFINITY, f64::min);
            let bound = DEPTH * size;
            if gap < -bound {
                return Some((boxes.name.clone(), -gap, bound));
            }
        }
        None
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
