//! Controllers: forces that are held from one instant of the controller to the next.

use crate::error::{Result, SimulationError};
use crate::record::sink::Sink;
use crate::simulation::{Simulation, Stop};

/// The field of errors about held forces.
const FIELD: &str = "forces";

impl Simulation {
    /// The forces that act in addition to those of the actuators until they are set again, one per velocity; zero at
    /// the start.
    pub fn held_forces(&self) -> &[f64] {
        &self.system.held
    }

    /// Sets the forces that act in addition to those of the actuators until they are set again, one per velocity: N for
    /// a velocity in m/s, N m for one in rad/s. The modes of contacts are determined anew, since forces may jump.
    ///
    /// # Errors
    /// A wrong number of forces, or one that is not finite; the forces are then unchanged.
    pub fn hold_forces(&mut self, forces: &[f64]) -> Result<()> {
        let (found, expected) = (forces.len(), self.system.held.len());
        if found != expected {
            return Err(SimulationError::Length { field: FIELD, found, expected });
        }
        if let Some(index) = forces.iter().position(|force| !force.is_finite()) {
            return Err(SimulationError::NotFinite { field: FIELD, index, value: forces[index] });
        }
        if self.system.held != forces {
            self.system.held.copy_from_slice(forces);
            // The next step does not continue the last one, whose last stage and margins had other forces.
            self.stepping.start_anew();
            self.stepping.reuses_last_stage = false;
            self.stepping.fired_at_start = None;
            self.modes_are_stale = true;
        }
        self.hold_forces_of_islands()
    }

    /// Advances to the end time with a controller of this rate, Hz: at the times k/rate it is given the time, q and v
    /// and adds to forces that start from zero, and these are held until the next of these times (zero-order hold).
    /// Steps end at these times, so the forces need not be smooth.
    ///
    /// ```
    /// use carom_sim::{Discard, Simulation, SimulationError};
    ///
    /// let mut simulation = Simulation::new(robot::arm())?;
    /// # mod robot {
    /// #     use carom_multibody::{Inertia, Joint, JointKind, LinkId, LinkSpec, ModelBuilder};
    /// #     pub fn arm() -> carom_sim::Setup {
    /// #         let mut builder = ModelBuilder::new("arm");
    /// #         let hinge = Joint::new("hinge", JointKind::Revolute).along([0.0, 1.0, 0.0]);
    /// #         builder.link(LinkId::WORLD, LinkSpec::new("arm").joint(hinge).inertia(Inertia::ball(1.0, 0.1))).unwrap();
    /// #         carom_sim::Setup::new(std::sync::Arc::new(builder.build().unwrap()))
    /// #     }
    /// # }
    /// simulation.set_until(1.0)?;
    /// // A hinge is held at 0.3 rad.
    /// simulation.run_controlled(
    ///     1000.0,
    ///     |_time, q, v, forces| {
    ///         forces[0] += 4.0 * (0.3 - q[0]) - 0.4 * v[0];
    ///         Ok::<(), SimulationError>(())
    ///     },
    ///     &mut Discard,
    /// )?;
    /// assert!((simulation.configuration()[0] - 0.3).abs() < 1e-3);
    /// # Ok::<(), SimulationError>(())
    /// ```
    ///
    /// # Errors
    /// A rate that is not positive and finite, an error of the controller, or as [`Simulation::step`] and
    /// [`Simulation::hold_forces`].
    pub fn run_controlled<E: From<SimulationError>>(
        &mut self,
        rate: f64,
        mut control: impl FnMut(f64, &[f64], &[f64], &mut [f64]) -> std::result::Result<(), E>,
        sink: &mut dyn Sink,
    ) -> std::result::Result<Stop, E> {
        if !(rate > 0.0 && rate.is_finite()) {
            let bound = "positive and finite";
            return Err(SimulationError::OutOfRange { field: "rate", value: rate, bound }.into());
        }
        let mut forces = vec![0.0; self.system.held.len()];
        // The first instant that is not in the past.
        let mut instant = (self.time * rate).floor();
        while instant / rate < self.time {
            instant += 1.0;
        }
        loop {
            if let Some(stop) = self.run_to(instant / rate, sink)? {
                return Ok(stop);
            }
            forces.fill(0.0);
            control(self.time, self.configuration(), self.velocity(), &mut forces)?;
            self.hold_forces(&forces)?;
            instant += 1.0;
        }
    }

    /// Advances to a time, unless the run stops before.
    fn run_to(&mut self, time: f64, sink: &mut dyn Sink) -> Result<Option<Stop>> {
        self.pause = time;
        let mut stopped = Ok(None);
        while self.time < time && matches!(stopped, Ok(None)) {
            stopped = self.step(sink).map(|stop| match stop {
                Stop::Step | Stop::Event => None,
                Stop::Time | Stop::Interrupted | Stop::OutOfTime => Some(stop),
            });
        }
        self.pause = f64::INFINITY;
        stopped
    }

    /// The latest end of the next step: the end time, or the next instant of a controller.
    pub(crate) fn horizon(&self) -> f64 {
        self.until().min(self.pause)
    }
}
