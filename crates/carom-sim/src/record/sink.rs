//! Where samples and events go.

use crate::record::event::Event;
use crate::record::run::Sample;

/// Takes what a simulation tells.
pub trait Sink {
    /// A state at a time; at an event two, before and after it.
    fn sample(&mut self, sample: Sample);

    /// Something that happened.
    fn event(&mut self, event: Event);

    /// Whether to stop as soon as possible.
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
}
