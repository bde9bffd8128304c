//! A sink that keeps all samples and events.

use crate::record::event::Event;
use crate::record::run::Sample;
use crate::record::sink::Sink;

/// A sink that keeps all samples and events.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    pub(crate) samples: Vec<Sample>,
    pub(crate) events: Vec<Event>,
}

impl Recorder {
    /// An empty recorder.
    pub fn new() -> Self {
        Self::default()
    }

    /// Events so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Samples so far.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

impl Sink for Recorder {
    fn sample(&mut self, sample: Sample) {
        self.samples.push(sample);
    }

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }
}
