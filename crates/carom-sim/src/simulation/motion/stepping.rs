//! From one step to the next: the integrator, how long a step may be, and room for states inside a step or a little ahead.

use crate::simulation::motion::integrate::Stepper;
use crate::simulation::motion::margin::Reason;

/// The steps of a simulation.
///
/// Invariants: `size` is positive and finite. `scale` has an entry for each number of a state, all positive. The next step reuses the
/// last stage only where the state is still the end of the last step, in the same modes.
#[derive(Debug, Clone)]
pub(crate) struct Stepping {
    pub(crate) stepper: Stepper,
    /// Steps to samples inside a step.
    pub(crate) sampler: Stepper,
    /// The error of the last step over its tolerance.
    pub(crate) error: f64,
    /// The same of the step made anew to an event inside that one; 0 where there was none.
    pub(crate) error_to_event: f64,
    /// Size of the next step.
    pub(crate) size: f64,
    /// The last one that no sliding made short, to start with after an event.
    pub(crate) size_before_sliding: f64,
    /// Whether the next step begins with the last stage of the one before.
    pub(crate) reuses_last_stage: bool,
    /// Of each number of a state.
    pub(crate) scale: Vec<f64>,
    /// A state inside a step.
    pub(crate) point: Vec<f64>,
    /// The fastest turning of a link in the last step.
    pub(crate) spin: f64,
    /// The force that ended a phase at the very start of a step, and when.
    pub(crate) fired_at_start: Option<(f64, (usize, Reason))>,
    /// A state a little later than the present one, along its rate.
    pub(crate) ahead: Vec<f64>,
    /// How much later than the phase ended the event fired.
    pub(crate) ahead_of_event: f64,
    /// The time of `ahead`, while modes are to be decided there.
    pub(crate) decides_at: Option<f64>,
}

impl Stepping {
    /// At the start, with the first step to try.
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

    /// Forgets the steps before: what follows is no continuation of them.
    pub(crate) fn start_anew(&mut self) {
        self.stepper.start_anew();
        self.size = self.size.max(self.size_before_sliding);
    }
}
