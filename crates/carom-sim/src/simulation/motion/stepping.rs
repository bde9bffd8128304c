//! The sequence of steps: the integrator, the step size, and storage for states inside a step or slightly ahead.

use crate::simulation::motion::integrate::Stepper;
use crate::simulation::motion::margin::Reason;

/// The steps of a simulation.
///
/// Invariants: `size` is positive and finite. `scale` has one positive entry for each number of a state. The next step
/// reuses the last stage only if the state is still the end of the last step, in the same modes.
#[derive(Debug, Clone)]
pub(crate) struct Stepping {
    pub(crate) stepper: Stepper,
    /// Integrates to samples inside a step.
    pub(crate) sampler: Stepper,
    /// The error of the last step, relative to its tolerance.
    pub(crate) error: f64,
    /// The relative error of the repeated step to an event inside the last one; 0 if there was none.
    pub(crate) error_to_event: f64,
    /// Size of the next step.
    pub(crate) size: f64,
    /// The last step size that was not limited by sliding, used after an event.
    pub(crate) size_before_sliding: f64,
    /// Whether the next step begins with the last stage of the one before.
    pub(crate) reuses_last_stage: bool,
    /// The scale of each number of a state.
    pub(crate) scale: Vec<f64>,
    /// A state inside a step.
    pub(crate) point: Vec<f64>,
    /// The largest angular speed of a link in the last step.
    pub(crate) spin: f64,
    /// The force that ended a phase at the very start of a step, and when.
    pub(crate) fired_at_start: Option<(f64, (usize, Reason))>,
    /// A state slightly later than the present one, extrapolated along its rate.
    pub(crate) ahead: Vec<f64>,
    /// The time from the end of the phase to when the event fired.
    pub(crate) ahead_of_event: f64,
    /// The time of `ahead` while modes are to be decided there.
    pub(crate) decides_at: Option<f64>,
}

impl Stepping {
    /// The stepping at the start, with the size of the first step.
    pub(crate) fn new(state: &[f64], scale: Vec<f64>, size: f64) -> Self {
        Self {
            stepper: Stepper::new(state.len()),
            sampler: Stepper::new(state.len()),
            error: 0.0,
            error_to_event: 0.0,
            size,
            size_before_sliding: 0.0,
            reuses_last_stage: false,
            scale,
            point: state.to_vec(),
            spin: 0.0,
            fired_at_start: None,
            ahead: state.to_vec(),
            ahead_of_event: 0.0,
            decides_at: None,
        }
    }

    /// Forgets the previous steps: the next one does not continue them.
    pub(crate) fn start_anew(&mut self) {
        self.stepper.start_anew();
        self.size = self.size.max(self.size_before_sliding);
    }
}
