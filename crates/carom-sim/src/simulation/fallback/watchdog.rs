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
/// And so are this many steps...
const MANY_STEPS: usize = 200;
/// ... within this part.
const WHILE: f64 = 4e-5;
/// And so are this many evaluations...
const EVALUATIONS: u64 = 20_000;
/// ... within this part.
const CRAWL: f64 = 1e-3;
/// Each time that this follows on itself, twice as many windows, up to this power of two.
const MOST_DOUBLINGS: u32 = 8;
/// The same where steps are a crowd again as soon as they can be: a joint too stiff to be followed stays so, and all
/// steps between two windows are in vain. Few: time stepping is less accurate than what it stands in for.
const MOST_REPEATS: u32 = 3;
/// And so are this many touches...
const TOUCHES: usize = 300;
/// ... within this part, if they do not come faster and faster: bounces that end do.
const RATTLE: f64 = 0.3;

/// What is to be done about a crowd.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Events or steps cannot be told apart: so many windows of time stepping.
    Windows(u32),
    /// Contacts rattle, and would go on: no restitution for a while.
    Rattle,
}

/// Times of the last events and steps.
#[derive(Debug, Clone)]
pub(crate) struct Watchdog {
    unit: f64,
    events: VecDeque<f64>,
    steps: VecDeque<f64>,
    many_steps: VecDeque<f64>,
    touches: VecDeque<f64>,
    /// Time and evaluations at the last look at these, and how often in a row it was a crawl.
    looked: (f64, u64),
    crawls: u32,
    /// Steps since the last crowd of steps, and how often in a row it was there again at once.
    since: usize,
    repeats: u32,
}

impl Watchdog {
    pub(crate) fn new(unit: f64) -> Self {
        Self {
            unit,
            events: VecDeque::with_capacity(EVENTS + 1),
            steps: VecDeque::with_capacity(STEPS + 1),
            many_steps: VecDeque::with_capacity(MANY_STEPS + 1),
            touches: VecDeque::with_capacity(TOUCHES + 1),
            looked: (0.0, 0),
            crawls: 0,
            since: usize::MAX,
            repeats: 0,
        }
    }

    /// How long a rattle goes without restitution.
    pub(crate) fn plastic_span(&self) -> f64 {
        RATTLE * self.unit
    }

    /// Takes note of the evaluations so far. What to do if too many of them get nowhere.
    pub(crate) fn check_progress(&mut self, time: f64, evaluations: u64) -> Option<Remedy> {
        let (then, before) = self.looked;
        if evaluations < before + EVALUATIONS {
            return None;
        }
        self.looked = (time, evaluations);
        if time - then >= CRAWL * self.unit {
            self.crawls = 0;
            return None;
        }
        self.crawls += 1;
        Some(Remedy::Windows(1 << (self.crawls - 1).min(MOST_DOUBLINGS)))
    }

    /// Takes note of a step, with an event at its end or not, which may be a touch. What to do if it is too much.
    pub(crate) fn step(&mut self, time: f64, with_event: bool, with_touch: bool) -> Option<Remedy> {
        let crowded = |times: &mut VecDeque<f64>, most: usize, span: f64| {
            times.push_back(time);
            if times.len() > most + 1 {
                times.pop_front();
            }
            times.len() == most + 1 && times.front().is_some_and(|first| time - first < span)
        };
        let many_events = with_event && crowded(&mut self.events, EVENTS, INSTANT * self.unit);
        let many_steps = crowded(&mut self.steps, STEPS, MOMENT * self.unit)
            | crowded(&mut self.many_steps, MANY_STEPS, WHILE * self.unit);
        let many_touches = with_touch && crowded(&mut self.touches, TOUCHES, RATTLE * self.unit) && self.rattles();
        self.since = self.since.saturating_add(1);
        if !(many_events || many_steps || many_touches) {
            return None;
        }
        self.events.clear();
        self.steps.clear();
        self.many_steps.clear();
        self.touches.clear();
        if !many_steps {
            self.since = usize::MAX;
            return Some(if many_events { Remedy::Windows(1) } else { Remedy::Rattle });
        }
        self.repeats = if self.since > STEPS + 1 { 0 } else { self.repeats + 1 };
        self.since = 0;
        Some(Remedy::Windows(1 << self.repeats.min(MOST_REPEATS)))
    }

    /// Whether the last third of the touches took as long as the first, by half.
    fn rattles(&self) -> bool {
        let third = TOUCHES / 3;
        let took = |from: usize, to: usize| self.touches[to] - self.touches[from];
        took(TOUCHES - third, TOUCHES) > 0.5 * took(0, third)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bites_at_crowds_alone() {
        let mut dog = Watchdog::new(1.0);
        assert!((0..100).all(|k| dog.step(f64::from(k) * 1e-3, true, true).is_none()));
        let first = (0..100).position(|k| dog.step(1.0 + f64::from(k) * 1e-12, true, true) == Some(Remedy::Windows(1)));
        assert_eq!(first, Some(EVENTS));
        let first =
            (0..100).position(|k| dog.step(2.0 + f64::from(k) * 1e-8, false, false) == Some(Remedy::Windows(1)));
        assert_eq!(first, Some(STEPS));
        let first =
            (0..400).position(|k| dog.step(3.0 + f64::from(k) * 1e-7, false, false) == Some(Remedy::Windows(1)));
        assert_eq!(first, Some(MANY_STEPS));
        assert!((0..400).all(|k| dog.step(4.0 + f64::from(k) * 3e-7, false, false).is_none()));
    }

    /// The windows in between are long; the steps after them are as short as before.
    #[test]
    fn steps_in_vain_are_not_tried_as_often_between_all_windows() {
        let mut dog = Watchdog::new(1.0);
        let mut crowd = |start: f64| (0..1000).find_map(|k| dog.step(start + f64::from(k) * 1e-9, false, false));
        let bites: Vec<_> = (0..6).map(|k| crowd(f64::from(k)).unwrap()).collect();
        assert_eq!(bites, [1, 2, 4, 8, 8, 8].map(Remedy::Windows));
        // Where steps got somewhere in between it is another crowd.
        assert!((0..30).all(|k| dog.step(10.0 + f64::from(k), false, false).is_none()));
        let next = (0..1000).find_map(|k| dog.step(50.0 + f64::from(k) * 1e-9, false, false));
        assert_eq!(next, Some(Remedy::Windows(1)));
    }

    #[test]
    fn bites_ever_harder_at_a_crawl() {
        let mut dog = Watchdog::new(1.0);
        let bites: Vec<_> =
            (1..40).filter_map(|k| dog.check_progress(f64::from(k) * 1e-5, u64::from(k as u32) * 5_000)).collect();
        assert_eq!(bites[..3], [1, 2, 4].map(Remedy::Windows));
        assert_eq!(dog.check_progress(1.0, 1_000_000), None);
        assert_eq!(dog.check_progress(1.0 + 1e-5, 1_020_000), Some(Remedy::Windows(1)));
    }

    #[test]
    fn bites_at_rattling_and_not_at_bounces_that_end() {
        let mut dog = Watchdog::new(1.0);
        let first = (0..1000).position(|k| dog.step(f64::from(k) * 3e-4, true, true) == Some(Remedy::Rattle));
        assert_eq!(first, Some(TOUCHES));
        // Four contacts with e = 0.9.
        let bounce = |k: i32| 3.0 - 0.1 * 0.9_f64.powf(f64::from(k) / 4.0);
        assert!((0..320).all(|k| dog.step(bounce(k), true, true).is_none()));
    }
}
