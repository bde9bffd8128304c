//! Detects events and steps that are too frequent to be resolved.

use std::collections::VecDeque;

/// Too many events: this number...
const EVENTS: usize = 6;
/// ... within this fraction of the time scale.
const INSTANT: f64 = 1e-9;
/// Too many steps: this number...
const STEPS: usize = 40;
/// ... within this fraction of the time scale.
const MOMENT: f64 = 1e-6;
/// Too many steps: this number...
const MANY_STEPS: usize = 200;
/// ... within this fraction of the time scale.
const WHILE: f64 = 4e-5;
/// Too many evaluations: this number...
const EVALUATIONS: u64 = 20_000;
/// ... within this fraction of the time scale...
const CRAWL: f64 = 1e-3;
/// ... or this number if a joint is [too stiff](TOO_STIFF): contacts that its forces press and release alternately, in
/// steps just too long to count as frequent, do not justify more.
const STIFF_EVALUATIONS: u64 = 2_000;
/// Consecutive crawls double the number of windows, at most 2^8.
const MOST_DOUBLINGS: u32 = 8;
/// The bound on doublings for steps that are too frequent again at the first opportunity: a stiff joint stays stiff,
/// and the steps between two windows make no progress. The power is small because time stepping is less accurate than
/// the integration it replaces.
const MOST_REPEATS: u32 = 3;
/// Estimated number of evaluations of a run beyond which a stiff joint cannot be followed at all: minutes for an arm,
/// years for the slides of a fixed base that a damper of 1e11 N s/m holds. Accuracy between its windows gains nothing,
/// and they double as often as those of crawls.
pub(crate) const TOO_STIFF: f64 = 1e7;
/// Rattling: this many touches...
const TOUCHES: usize = 300;
/// ... within this fraction of the time scale, unless their rate increases, as in a sequence of decaying bounces.
const RATTLE: f64 = 0.3;

/// The remedy for events or steps that are too frequent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Events or steps are too frequent: this many windows of time stepping.
    Windows(u32),
    /// Contacts rattle without decay: no restitution for a while.
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
    /// Time and evaluations at the last check of progress, and the number of consecutive crawls.
    looked: (f64, u64),
    crawls: u32,
    /// Steps since steps were last too frequent, and how often in a row this recurred at once.
    since: usize,
    repeats: u32,
    /// Whether a joint is [too stiff](TOO_STIFF) to be followed.
    pub(crate) is_too_stiff: bool,
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
            is_too_stiff: false,
        }
    }

    /// Duration without restitution after a rattle.
    pub(crate) fn plastic_span(&self) -> f64 {
        RATTLE * self.unit
    }

    /// Records the evaluations so far. Returns a remedy if they make too little progress.
    pub(crate) fn check_progress(&mut self, time: f64, evaluations: u64) -> Option<Remedy> {
        let (then, before) = self.looked;
        if evaluations < before + if self.is_too_stiff { STIFF_EVALUATIONS } else { EVALUATIONS } {
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

    /// Records that a window covered a time. If a joint is [too stiff](TOO_STIFF), this is not progress of the steps
    /// between windows: counted as progress, it would end every crawl, and windows would never double.
    pub(crate) fn pass_over(&mut self, span: f64) {
        if self.is_too_stiff {
            self.looked.0 += span;
        }
    }

    /// Records a step, which may end with an event or a touch. Returns a remedy if they are too frequent.
    pub(crate) fn step(&mut self, time: f64, with_event: bool, with_touch: bool) -> Option<Remedy> {
        let crowded = |times: &mut VecDeque<f64>, most: usize, span: f64| {
            times.push_back(time);
            if times.len() > most + 1 {
                times.pop_front();
            }
            times.len() == most + 1 && times.front().is_some_and(|first| time - first < span)
        };
        let many_events = with_event && crowded(&mut self.events, EVENTS, INSTANT * self.unit);
        let in_a_moment = crowded(&mut self.steps, STEPS, MOMENT * self.unit);
        let in_a_while = crowded(&mut self.many_steps, MANY_STEPS, WHILE * self.unit);
        let many_steps = in_a_moment || in_a_while;
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
        let (soon, most) = if self.is_too_stiff { (MANY_STEPS + 1, MOST_DOUBLINGS) } else { (STEPS + 1, MOST_REPEATS) };
        self.repeats = if self.since > soon { 0 } else { self.repeats + 1 };
        self.since = 0;
        Some(Remedy::Windows(1 << self.repeats.min(most)))
    }

    /// Whether the last third of the touches took at least half as long as the first.
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

    /// Long windows followed by steps as short as before.
    #[test]
    fn steps_in_vain_are_not_tried_as_often_between_all_windows() {
        let mut dog = Watchdog::new(1.0);
        let mut crowd = |start: f64| (0..1000).find_map(|k| dog.step(start + f64::from(k) * 1e-9, false, false));
        let bites: Vec<_> = (0..6).map(|k| crowd(f64::from(k)).unwrap()).collect();
        assert_eq!(bites, [1, 2, 4, 8, 8, 8].map(Remedy::Windows));
        // After steps that made progress the count restarts.
        assert!((0..30).all(|k| dog.step(10.0 + f64::from(k), false, false).is_none()));
        let next = (0..1000).find_map(|k| dog.step(50.0 + f64::from(k) * 1e-9, false, false));
        assert_eq!(next, Some(Remedy::Windows(1)));
    }

    /// Otherwise a fixed base on slides held by dampers of 1e11 N s/m takes hours for a second.
    #[test]
    fn steps_of_a_joint_too_stiff_to_follow_are_tried_ever_less_often() {
        let bites = |is_too_stiff: bool| -> Vec<Remedy> {
            let mut dog = Watchdog::new(1.0);
            dog.is_too_stiff = is_too_stiff;
            // 200 steps in 2e-5: too many, though 40 of them are not.
            let mut crowd = |start: f64| (0..1000).find_map(|k| dog.step(start + f64::from(k) * 1e-7, false, false));
            (0..10).map(|k| crowd(f64::from(k)).unwrap()).collect()
        };
        assert_eq!(bites(false), [1; 10].map(Remedy::Windows));
        assert_eq!(bites(true), [1, 2, 4, 8, 16, 32, 64, 128, 256, 256].map(Remedy::Windows));
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

    /// Fingers that lie against their limits on an arm whose base a damper of 1e11 N s/m holds: otherwise 0.2 s take a minute.
    #[test]
    fn a_crawl_of_a_joint_too_stiff_to_follow_is_noticed_ten_times_as_soon() {
        for (is_too_stiff, most) in [(false, 20_000), (true, 2_000)] {
            let mut dog = Watchdog::new(1.0);
            dog.is_too_stiff = is_too_stiff;
            let first = (1..).map(|k| 100 * k).find(|&count| dog.check_progress(1e-9 * count as f64, count).is_some());
            assert_eq!(first, Some(most));
        }
    }

    /// A window is as long as a crawl: the time that it covers is not progress.
    #[test]
    fn windows_of_a_joint_too_stiff_to_follow_do_not_end_its_crawl() {
        let bites = |is_too_stiff: bool| -> Vec<Option<Remedy>> {
            let mut dog = Watchdog::new(1.0);
            dog.is_too_stiff = is_too_stiff;
            let mut time = 0.0;
            let mut crawl = |k: u64| {
                time += 1e-5;
                let bite = dog.check_progress(time, k * EVALUATIONS);
                if let Some(Remedy::Windows(count)) = bite {
                    let span = f64::from(count) * CRAWL;
                    time += span;
                    dog.pass_over(span);
                }
                bite
            };
            (1..6).map(&mut crawl).collect()
        };
        assert_eq!(bites(true), [1, 2, 4, 8, 16].map(|count| Some(Remedy::Windows(count))));
        assert_eq!(bites(false)[..2], [Some(Remedy::Windows(1)), None]);
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
