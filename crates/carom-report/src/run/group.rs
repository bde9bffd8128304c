//! Groups of events: bounces that follow each other faster and faster are one row of a list, as are changes between
//! stick and slip in quick succession.

use std::collections::BTreeMap;
use std::ops::Range;

use carom_sim::{Event, Settings};

/// Smallest number of impacts of a train, and of changes of a run: two would make every pair one.
const LEAST: usize = 3;
/// Largest ratio of an interval to the one before it. A ball of restitution e has the ratio e; above this bound bounces are
/// nearly regular, which is a rattle, not the end of bouncing.
const RATIO: f64 = 0.95;

/// One row of a list of events: a single event, or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventGroup {
    /// Indices of its events.
    pub events: Range<usize>,
    /// The trains of a group, by their first events; none for a single event, nor where each contact has one or two changes.
    pub trains: Vec<Train>,
}

/// Three or more impacts of one contact at decreasing intervals, and the settling that ends them; or three or more changes of one
/// contact between stick and slip.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Train {
    /// Index of the contact in the header.
    pub contact: usize,
    /// Indices of its events, in order.
    pub events: Vec<usize>,
}

impl EventGroup {
    /// One event.
    pub(super) fn single(event: usize) -> Self {
        Self { events: event..event + 1, trains: Vec::new() }
    }

    /// Whether it has several events.
    pub fn is_group(&self) -> bool {
        self.events.len() > 1
    }
}

impl Train {
    fn span(&self) -> Range<usize> {
        self.events.first().map_or(0..0, |first| *first..self.events.last().map_or(*first, |last| last + 1))
    }
}

/// The rows of a list of the events, in their order.
///
/// A train is three or more impacts of one contact, each interval between them at most `interval` and at most 0.95 times
/// the interval before it; the settling that follows belongs to it. Trains that overlap are one group, whatever their
/// contacts: while one foot bounces to rest, it may lift another, which bounces to rest between every two of its impacts.
/// All events from the first to the last of a group belong to it. Of what is left, three or more changes between stick and slip
/// are a group, whatever their contacts, if nothing else happens between them and each is at most `interval` after the one before:
/// a joint with dry friction stops after every impact of a foot, and slides at the next. `interval` is the time between samples, because a
/// reader of the samples cannot tell such impacts apart; if there is none, that of [`Settings::default`].
///
/// ```
/// use carom_report::event_groups;
/// use carom_sim::{Recorder, Simulation};
///
/// let mut simulation = Simulation::new(carom_scene::gallery::simulation("ball")?)?;
/// let mut recorder = Recorder::new();
/// simulation.run_until(5.0, &mut recorder)?;
/// // The first twenty bounces are farther apart than the samples; the others end in rest.
/// let rows = event_groups(recorder.events(), Some(0.01));
/// assert_eq!((recorder.events().len(), rows.len()), (69, 21));
/// assert_eq!(rows[20].events, 20..69);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn event_groups(events: &[Event], interval: Option<f64>) -> Vec<EventGroup> {
    let longest = interval.or(Settings::default().interval).unwrap_or(0.0);
    let mut rows = Vec::new();
    let mut next = 0;
    for group in merged(trains(events, longest), events) {
        rows.extend(runs_of_changes(next..group.events.start, events, longest));
        next = group.events.end;
        rows.push(group);
    }
    rows.extend(runs_of_changes(next..events.len(), events, longest));
    rows
}

/// Whether the contact changed between stick and slip.
pub(super) fn is_change(event: &Event) -> bool {
    matches!(event, Event::Stick(_) | Event::Slip(_))
}

/// The rows of a stretch without trains of impacts.
fn runs_of_changes(stretch: Range<usize>, events: &[Event], longest: f64) -> Vec<EventGroup> {
    let mut rows = Vec::new();
    let mut next = stretch.start;
    while next < stretch.end {
        let follows = |i: usize| is_change(&events[i]) && events[i].time() - events[i - 1].time() <= longest;
        let count = (next + 1..stretch.end).take_while(|&i| follows(i)).count() + 1;
        let run = next..next + count;
        next = run.end;
        if is_change(&events[run.start]) && count >= LEAST {
            let mut changes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for i in run.clone() {
                if let Some(contact) = events[i].contact() {
                    changes.entry(contact).or_default().push(i);
                }
            }
            let mut trains: Vec<Train> = (changes.into_iter())
                .filter(|(_, events)| events.len() >= LEAST)
                .map(|(contact, events)| Train { contact, events })
                .collect();
            trains.sort_by_key(|train| train.span().start);
            rows.push(EventGroup { events: run, trains });
        } else {
            // A run of changes may begin after an event of another kind.
            next = run.start + 1;
            rows.push(EventGroup::single(run.start));
        }
    }
    rows
}

/// Whether the contact struck.
pub(super) fn is_bounce(event: &Event) -> bool {
    match event {
        Event::Impact(_) | Event::Rattle(_) | Event::Sequence(_) => true,
        Event::Settle(_)
        | Event::LiftOff(_)
        | Event::Stick(_)
        | Event::Slip(_)
        | Event::Jam(_)
        | Event::JamApproached(_)
        | Event::AmbiguousLiftOff(_)
        | Event::Window(_)
        | Event::Projection(_)
        | Event::DeadPoint(_) => false,
    }
}

/// All trains, by contact.
fn trains(events: &[Event], longest: f64) -> Vec<Train> {
    let mut bounces: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut settlings: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (i, event) in events.iter().enumerate() {
        let Some(contact) = event.contact() else { continue };
        if is_bounce(event) {
            bounces.entry(contact).or_default().push(i);
        } else if event.settled().is_some() {
            settlings.entry(contact).or_default().push(i);
        }
    }
    let mut trains = Vec::new();
    for (contact, bounces) in bounces {
        let settlings = settlings.get(&contact).map_or(&[][..], Vec::as_slice);
        for run in shrinking(&bounces, events, longest) {
            let mut members = bounces[run.clone()].to_vec();
            let (last, next) = (bounces[run.end - 1], bounces.get(run.end).copied().unwrap_or(usize::MAX));
            let is_end = |i: &usize| (last..next).contains(i) && events[*i].time() - events[last].time() <= longest;
            members.extend(settlings.iter().copied().find(is_end));
            trains.push(Train { contact, events: members });
        }
    }
    trains
}

/// The maximal runs of impacts at decreasing intervals, as ranges of `bounces`. Impacts of one instant count as one.
fn shrinking(bounces: &[usize], events: &[Event], longest: f64) -> Vec<Range<usize>> {
    let time = |k: usize| events[bounces[k]].time();
    // The first impact of each instant.
    let instants: Vec<usize> = (0..bounces.len()).filter(|&k| k == 0 || time(k) != time(k - 1)).collect();
    let end_of = |k: usize| instants.get(k + 1).copied().unwrap_or(bounces.len());
    let mut runs = Vec::new();
    let mut start = 0;
    while start + 1 < instants.len() {
        let mut end = start;
        let mut bound = longest;
        while let Some(&next) = instants.get(end + 1) {
            let lasts = time(next) - time(instants[end]);
            if !(lasts <= bound) {
                break;
            }
            (end, bound) = (end + 1, RATIO * lasts);
        }
        if end + 1 >= start + LEAST {
            runs.push(instants[start]..end_of(end));
        }
        // The impact that ends one train may begin the next.
        start = end.max(start + 1);
    }
    runs
}

/// Groups of overlapping trains, in order.
fn merged(mut trains: Vec<Train>, events: &[Event]) -> Vec<EventGroup> {
    trains.sort_by_key(|train| train.span().start);
    let mut groups: Vec<EventGroup> = Vec::new();
    for train in trains {
        let span = instants(train.span(), events);
        match groups.last_mut() {
            Some(group) if span.start < group.events.end => {
                group.events.end = group.events.end.max(span.end);
                group.trains.push(train);
            }
            _ => groups.push(EventGroup { events: span, trains: vec![train] }),
        }
    }
    groups
}

/// A range with all events of its first and last instants.
fn instants(span: Range<usize>, events: &[Event]) -> Range<usize> {
    let (first, last) = (events[span.start].time(), events[span.end - 1].time());
    let before = events[..span.start].iter().rev().take_while(|event| event.time() == first).count();
    let after = events[span.end..].iter().take_while(|event| event.time() == last).count();
    span.start - before..span.end + after
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_law::Mode;
    use carom_sim::{ContactMode, ImpactEvent, ModeEvent, SettleEvent};

    const LONGEST: f64 = 0.01;

    fn impact(time: f64, contact: usize) -> Event {
        let (impact, mode) = (Mode::Stick, Some(ContactMode::Flight));
        Event::Impact(ImpactEvent { time, contact, impact, mode, impulse: [1.0, 0.0, 0.0], energy_change: -0.1 })
    }

    fn settle(time: f64, contact: usize) -> Event {
        let (mode, settled) = (Some(ContactMode::Stick), Some(time));
        Event::Settle(SettleEvent { time, contact, mode, impulse: [0.1, 0.0, 0.0], energy_change: -0.01, settled })
    }

    fn slip(time: f64, contact: usize) -> Event {
        Event::Slip(ModeEvent { time, contact })
    }

    /// Impacts of a contact from a time on, at intervals that shrink by a factor.
    fn bounces(start: f64, interval: f64, ratio: f64, count: usize, contact: usize) -> Vec<Event> {
        let mut time = start;
        let mut lasts = interval;
        (0..count)
            .map(|_| {
                let event = impact(time, contact);
                time += lasts;
                lasts *= ratio;
                event
            })
            .collect()
    }

    fn in_order(lists: impl IntoIterator<Item = Vec<Event>>) -> Vec<Event> {
        let mut events: Vec<Event> = lists.into_iter().flatten().collect();
        events.sort_by(|a, b| a.time().total_cmp(&b.time()));
        events
    }

    /// First event of each row, and the first after it.
    fn ranges(events: &[Event]) -> Vec<(usize, usize)> {
        event_groups(events, Some(LONGEST)).into_iter().map(|row| (row.events.start, row.events.end)).collect()
    }

    #[test]
    fn no_events_have_no_rows() {
        assert!(event_groups(&[], Some(LONGEST)).is_empty());
    }

    #[test]
    fn three_impacts_are_a_train_and_two_are_not() {
        assert_eq!(ranges(&bounces(1.0, 0.005, 0.5, 2, 0)), [(0, 1), (1, 2)]);
        assert_eq!(ranges(&bounces(1.0, 0.005, 0.5, 3, 0)), [(0, 3)]);
    }

    /// Intervals of 18, 9, 4.5 ms: the first is longer than the interval between samples.
    #[test]
    fn impacts_farther_apart_than_samples_stay_alone() {
        assert_eq!(ranges(&bounces(1.0, 0.018, 0.5, 4, 0)), [(0, 1), (1, 4)]);
        assert_eq!(event_groups(&bounces(1.0, 0.018, 0.5, 4, 0), Some(0.1)).len(), 1);
    }

    /// Above the bound on the ratio impacts are regular.
    #[test]
    fn a_rattle_is_not_the_end_of_a_bounce() {
        assert_eq!(ranges(&bounces(1.0, 0.005, 1.0, 6, 0)).len(), 6);
        assert_eq!(ranges(&bounces(1.0, 0.005, 0.96, 6, 0)).len(), 6);
        assert_eq!(ranges(&bounces(1.0, 0.005, 0.94, 6, 0)).len(), 1);
    }

    #[test]
    fn a_settling_ends_its_train() {
        let mut events = bounces(1.0, 0.004, 0.5, 3, 0);
        events.push(settle(1.006, 0));
        assert_eq!(ranges(&events), [(0, 4)]);
        assert_eq!(event_groups(&events, Some(LONGEST))[0].trains[0].events, [0, 1, 2, 3]);
        // An event of another contact, or a much later one, is not part of it.
        events[3] = settle(1.007, 1);
        assert_eq!(ranges(&events), [(0, 3), (3, 4)]);
        events[3] = settle(1.5, 0);
        assert_eq!(ranges(&events), [(0, 3), (3, 4)]);
    }

    /// A contact that settles, is struck again and settles again has two trains, each with its own settling.
    #[test]
    fn each_train_has_its_own_settling() {
        let first = [bounces(1.0, 0.004, 0.5, 3, 0), vec![settle(1.006, 0)]].concat();
        let second = [bounces(2.0, 0.004, 0.5, 3, 0), vec![settle(2.006, 0)]].concat();
        let rows = event_groups(&[first, second].concat(), Some(LONGEST));
        let members: Vec<&[usize]> = rows.iter().map(|row| row.trains[0].events.as_slice()).collect();
        assert_eq!(members, [[0, 1, 2, 3], [4, 5, 6, 7]]);
    }

    /// Two feet: between two impacts of one the other bounces, and everything between belongs to the group.
    #[test]
    fn trains_that_overlap_are_one_group() {
        let outer = bounces(1.0, 0.008, 0.5, 4, 0);
        let inner = bounces(1.001, 0.002, 0.5, 4, 1);
        let events = in_order([outer, inner, vec![slip(1.0055, 2), slip(0.9, 2), slip(1.1, 2)]]);
        let rows = event_groups(&events, Some(LONGEST));
        assert_eq!(rows.iter().map(|row| row.events.clone()).collect::<Vec<_>>(), [0..1, 1..10, 10..11]);
        assert_eq!(rows[1].trains.iter().map(|train| train.contact).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn trains_apart_are_two_groups() {
        let events = in_order([bounces(1.0, 0.004, 0.5, 3, 0), bounces(1.1, 0.004, 0.5, 3, 1)]);
        assert_eq!(ranges(&events), [(0, 3), (3, 6)]);
    }

    /// What happens to other contacts at the first and the last instant belongs to the group.
    #[test]
    fn instants_are_not_divided() {
        let train = bounces(1.0, 0.004, 0.5, 3, 1);
        let (first, last) = (train[0].time(), train[2].time());
        let events = [vec![impact(first, 0)], train, vec![slip(last, 2)]].concat();
        assert_eq!(ranges(&events), [(0, 5)]);
    }

    /// A sequence of impacts at one instant is one bounce of the contact, not an interval of zero.
    #[test]
    fn impacts_of_one_instant_count_once() {
        let train = bounces(1.0, 0.004, 0.5, 4, 0);
        let twice: Vec<Event> = train.iter().flat_map(|event| [*event, *event]).collect();
        assert_eq!(ranges(&twice), [(0, 8)]);
        assert_eq!(ranges(&twice[..4]).len(), 4, "two instants are no train");
    }

    /// Two joints that rub after an impact, which stays a row of its own; one has enough changes for a train.
    #[test]
    fn changes_in_quick_succession_are_one_row() {
        let stick = |time: f64, contact: usize| Event::Stick(ModeEvent { time, contact });
        let rubs = [slip(1.0, 1), slip(1.0, 2), stick(1.002, 1), slip(1.004, 1), stick(1.0135, 2), slip(1.05, 1)];
        let events = [vec![impact(1.0, 0)], rubs.to_vec()].concat();
        let rows = event_groups(&events, Some(LONGEST));
        assert_eq!(rows.iter().map(|row| row.events.clone()).collect::<Vec<_>>(), [0..1, 1..6, 6..7]);
        assert!(rows[1].is_group() && !rows[0].is_group());
        assert_eq!(rows[1].trains, [Train { contact: 1, events: vec![1, 3, 4] }]);
        assert_eq!(ranges(&events[5..]), [(0, 1), (1, 2)], "two are no run");
        // Each of three joints once.
        let once = [slip(1.0, 1), slip(1.0, 2), slip(1.001, 3)];
        let rows = event_groups(&once, Some(LONGEST));
        assert!(rows.len() == 1 && rows[0].is_group() && rows[0].trains.is_empty(), "{rows:?}");
    }

    /// Something else between changes is not hidden by them, and bounces keep their own group.
    #[test]
    fn impacts_end_a_run_of_changes() {
        let before = [slip(1.0, 1), slip(1.001, 1), slip(1.002, 1), impact(1.003, 0)];
        let after = [slip(1.004, 1), slip(1.005, 1), slip(1.006, 1)];
        assert_eq!(ranges(&[&before[..], &after].concat()), [(0, 3), (3, 4), (4, 7)]);
        let events = in_order([before[..3].to_vec(), bounces(1.0035, 0.002, 0.5, 4, 0), after.to_vec()]);
        assert_eq!(ranges(&events), [(0, 3), (3, 10)], "the second run lies within the bounces");
    }

    /// Rows cover the events once and in order, trains lie in their groups, and a second pass over a group's events finds
    /// the same group: on random lists.
    #[test]
    fn rows_divide_the_events() {
        let seed =
            std::env::var("CAROM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
        println!("CAROM_SEED={seed}");
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..500 {
            let lists = (0..random.usize(0..12)).map(|contact| {
                let start = 0.1 * random.f64();
                let mut events =
                    bounces(start, 0.02 * random.f64(), 1.1 * random.f64(), random.usize(0..20), contact % 4);
                if random.bool() {
                    let end = events.last().map_or(start, Event::time);
                    events.push(settle(end, contact % 4));
                }
                events
            });
            let events = in_order(lists.collect::<Vec<_>>());
            let rows = event_groups(&events, Some(LONGEST));
            let mut next = 0;
            for row in &rows {
                assert_eq!(row.events.start, next);
                next = row.events.end;
                assert_eq!(row.is_group(), row.events.len() >= LEAST, "{row:?}");
                for train in &row.trains {
                    assert!(train.events.iter().all(|i| row.events.contains(i)));
                    assert!(train.events.windows(2).all(|pair| pair[0] < pair[1]));
                    assert!(train.events.iter().all(|&i| events[i].contact() == Some(train.contact)));
                    let times: Vec<f64> =
                        train.events.iter().filter(|i| is_bounce(&events[**i])).map(|&i| events[i].time()).collect();
                    assert!(times.windows(2).all(|pair| pair[1] - pair[0] <= LONGEST));
                }
                if row.is_group() {
                    let again = event_groups(&events[row.events.clone()], Some(LONGEST));
                    assert_eq!(again.len(), 1, "{row:?}");
                }
            }
            assert_eq!(next, events.len());
        }
    }
}
