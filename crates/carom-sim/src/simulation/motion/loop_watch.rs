//! State of the closed loops of a simulated robot from step to step.

/// The closed loops of a simulated robot.
#[derive(Debug, Clone)]
pub(crate) struct LoopWatch {
    /// The number of independent conditions, which never changes.
    pub(crate) rank: usize,
    /// Times and margins of the evaluations since the start of the step.
    pub(crate) margins: Vec<(f64, f64)>,
    /// Whether the last step ended near a dead point, which has been reported.
    pub(crate) is_near: bool,
}
