//! Notices when events come too fast to be told apart.

use std::collections::VecDeque;

/// This many events...
const EVENTS: usize = 6;
/// ... within this part of the time scale are too many.
const INSTANT: f64 = 1e-9;
/// And so are this many steps...
const STEPS: usize = 40;
/// ... within this part.
const MOMENT: f64 = 1e-6;

/// Times of the last events and steps.
#[derive(Debug, Clone)]
pub(super) struct Watchdog {
    unit: f64,
    events: VecDeque<f64>,
    steps: VecDeque<f64>,
}

impl Watchdog {
    pub(super) fn new(unit: f64) -> Self {
        Self { unit, events: VecDeque::with_capacity(EVENTS + 1), steps: VecDeque::with_capacity(STEPS + 1) }
    }

    /// Takes note of a step, with an event at its end or not. Whether it is too much.
    pub(super) fn step(&mut self, time: f64, with_event: bool) -> bool {
        let crowded = |times: &mut VecDeque<f64>, most: usize, span: f64| {
            times.push_back(time);
            if times.len() > most + 1 {
                times.pop_front();
            }
            times.len() == most + 1 && times.front().is_some_and(|first| time - first < span)
        };
        let many_events = with_event && crowded(&mut self.events, EVENTS, INSTANT * self.unit);
        let many_steps = crowded(&mut self.steps, STEPS, MOMENT * self.unit);
        let bites = many_events || many_steps;
        if bites {
            self.events.clear();
            self.steps.clear();
        }
        bites
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bites_at_crowds_alone() {
        let mut dog = Watchdog::new(1.0);
        assert!((0..100).all(|k| !dog.step(f64::from(k) * 1e-3, true)));
        let first = (0..100).position(|k| dog.step(1.0 + f64::from(k) * 1e-12, true));
        assert_eq!(first, Some(EVENTS));
        let first = (0..100).position(|k| dog.step(2.0 + f64::from(k) * 1e-8, false));
        assert_eq!(first, Some(STEPS));
    }
}
