//! The receiver of samples and events.

use crate::record::event::Event;
use crate::record::run::Sample;

/// Receives the samples and events of a simulation.
pub trait Sink {
    /// Receives a sample; at an event there are two, before and after it.
    fn sample(&mut self, sample: Sample);

    /// Receives an event.
    fn event(&mut self, event: Event);

    /// Whether it uses samples. If not, they are not computed for a robot whose parts do not act on each other.
    fn takes_samples(&self) -> bool {
        true
    }

    /// Whether the simulation should stop as soon as possible.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// A sink that keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discard;

impl Sink for Discard {
    fn sample(&mut self, _: Sample) {}

    fn event(&mut self, _: Event) {}

    fn takes_samples(&self) -> bool {
        false
    }
}
