//! The impact of an event of a run, as a scene: the state before it, and the contacts that took part.

use serde_json::{Value, json};

use super::{Provenance, ProvenanceError};
use crate::Problem;
use crate::answer::Answer;
use crate::document::Tree;
use crate::scene::floating_root;

/// Difference between the impulses of the run and of the impact, relative to the largest of the event: more than what rounding makes of the
/// state in the file, less than any other impact.
const SAME_IMPULSE: f64 = 1e-8;

/// The keys of a base that state what the configuration and the velocity of a floating base state as well.
const PLACES_BASE: [&str; 7] = ["position", "rpy", "quaternion", "velocity", "angular_velocity", "touch", "height"];

/// An event of one contact, as runs in files have it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// Time, s.
    pub time: f64,
    /// The name of its kind.
    pub kind: String,
    /// The contact; `None` for an event that belongs to none.
    pub contact: Option<String>,
    /// Whether the contact is the limit of a joint.
    pub is_limit: bool,
    /// Impulse, normal first, N s.
    pub impulse: Vec<f64>,
}

/// A state at the time of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventState {
    /// q.
    pub configuration: Vec<f64>,
    /// v.
    pub velocity: Vec<f64>,
}

impl Provenance {
    /// The impact of an event of this run, counted from 0, as a scene: the robot in the state before it, its coefficients and guard, and as
    /// `strike` the contacts that took part. `scene` is that of [`Provenance::scene_here`], `states` the samples at the time of the event, in
    /// order: the first of them from which the impulses of the run follow is the state before.
    ///
    /// # Errors
    /// An event that does not exist or is no impact, the limit of a joint, no state from which the run's impulses follow.
    pub fn scene_of_event(
        &self,
        scene: &Tree,
        events: &[RecordedEvent],
        number: usize,
        states: &[EventState],
    ) -> Result<Tree, ProvenanceError> {
        let together = struck_together(events, number)?;
        let time = events[number].time;
        if states.is_empty() {
            return Err(ProvenanceError::NoState { number, time });
        }
        let problem = self.problem_here(scene)?;
        let floats = problem.scene().is_some_and(|scene| floating_root(scene.model()).is_some());
        let mut least = f64::INFINITY;
        for state in states {
            let impact = impact_scene(scene, &self.guard, &together, state, floats);
            // Another sample at the same time, such as the one after the impact, may have no impact at all.
            let answer = Problem::from_tree(&impact).and_then(|problem| problem.answer());
            let part = answer.map_or(f64::INFINITY, |answer| difference(&answer, &together));
            if part <= SAME_IMPULSE {
                return Ok(impact);
            }
            least = least.min(part);
        }
        let first = events.iter().position(|event| event.time == time && event.kind == "impact");
        Err(ProvenanceError::NotReproduced { number, time, part: least, first: first.filter(|first| *first != number) })
    }
}

/// The events of the contacts that struck together with one of them: neighbours of the same time and kind, in the order of the contacts.
fn struck_together(events: &[RecordedEvent], number: usize) -> Result<Vec<&RecordedEvent>, ProvenanceError> {
    let event = events.get(number).ok_or(ProvenanceError::NoSuchEvent { number, count: events.len() })?;
    if event.kind != "impact" {
        let impacts = events.iter().enumerate().filter(|(_, other)| other.kind == "impact");
        let near = impacts.map(|(place, _)| place).min_by_key(|place| place.abs_diff(number));
        let (time, kind) = (event.time, event.kind.clone());
        return Err(ProvenanceError::NotAnImpact { number, time, why: meaning(&kind), kind, near });
    }
    // A contact that strikes twice at one instant strikes in two impacts.
    let same = |other: &&RecordedEvent| other.time == event.time && other.kind == event.kind;
    let before = events[..number].iter().rev().take_while(same);
    let mut together: Vec<&RecordedEvent> = Vec::new();
    for other in before {
        if together.iter().chain([&event]).any(|known| known.contact == other.contact) {
            break;
        }
        together.push(other);
    }
    together.reverse();
    together.push(event);
    for other in events[number + 1..].iter().take_while(same) {
        if together.iter().any(|known| known.contact == other.contact) {
            break;
        }
        together.push(other);
    }
    match together.iter().find(|event| event.is_limit) {
        Some(limit) => Err(ProvenanceError::Limit { number, joint: limit.contact.clone().unwrap_or_default() }),
        None => Ok(together),
    }
}

/// What an event that is no impact of the law is.
fn meaning(kind: &str) -> &'static str {
    match kind {
        "lift_off" | "stick" | "slip" | "ambiguous" => "the mode of a contact changed, without an impulse",
        "settle" => "bounces too low to follow were ended",
        "jam" | "jam_approached" => "forces without a solution were replaced by an impulse, without a collision",
        "rattle" | "sequence" => "an impact whose restitution was dropped by a device of the simulation",
        "window" => "a window of time stepping, with many impacts in it",
        "projection" => "the state was projected onto its contacts",
        _ => "it has no impulse of the law",
    }
}

fn impact_scene(scene: &Tree, guard: &str, together: &[&RecordedEvent], state: &EventState, floats: bool) -> Tree {
    let mut impact = scene.clone();
    if let Value::Object(map) = &mut impact.0 {
        let names: Vec<&str> = together.iter().filter_map(|event| event.contact.as_deref()).collect();
        map.insert("strike".to_owned(), json!(names));
        map.insert("guard".to_owned(), json!(guard));
        let state = json!({ "configuration": state.configuration, "velocity": state.velocity });
        map.insert("state".to_owned(), state);
        // What has no effect on an impact.
        for key in ["simulation", "posture", "actuation", "limits"] {
            map.remove(key);
        }
        if let (true, Some(Value::Object(base))) = (floats, map.get_mut("base")) {
            PLACES_BASE.into_iter().for_each(|key| drop(base.remove(key)));
        }
    }
    impact
}

/// The largest difference between the impulses of an answer and those of the run, relative to the largest of these.
fn difference(answer: &Answer, together: &[&RecordedEvent]) -> f64 {
    let found: Vec<(Option<&str>, &[f64])> = match answer {
        Answer::One(outcome) => vec![(together[0].contact.as_deref(), &outcome.impulse)],
        Answer::Many(many) => {
            let names = many.names.iter().map(Option::as_deref);
            names.zip(many.outcome.contacts.iter().map(|contact| &contact.impulse[..])).collect()
        }
    };
    let size = together.iter().flat_map(|event| &event.impulse).fold(0.0_f64, |most, x| most.max(x.abs()));
    let mut difference = 0.0_f64;
    for event in together {
        let Some((_, impulse)) = found.iter().find(|(name, _)| *name == event.contact.as_deref()) else {
            return f64::INFINITY;
        };
        for (row, x) in event.impulse.iter().enumerate() {
            difference = difference.max((x - impulse.get(row).copied().unwrap_or(0.0)).abs());
        }
    }
    // NaN is a difference.
    if size > 0.0 && difference / size >= 0.0 { difference / size } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: f64, kind: &str, contact: &str) -> RecordedEvent {
        RecordedEvent {
            time,
            kind: kind.to_owned(),
            contact: Some(contact.to_owned()),
            is_limit: contact == "knee",
            impulse: vec![1.0],
        }
    }

    #[test]
    fn contacts_of_one_instant_strike_together_until_one_of_them_strikes_again() {
        let events = [
            event(1.0, "impact", "a"),
            event(1.0, "impact", "b"),
            event(1.0, "impact", "a"),
            event(1.0, "stick", "a"),
            event(2.0, "impact", "a"),
            event(3.0, "impact", "knee"),
        ];
        let names = |number| -> Vec<&str> {
            struck_together(&events, number).unwrap().iter().filter_map(|event| event.contact.as_deref()).collect()
        };
        assert_eq!(names(0), ["a", "b"]);
        assert_eq!(names(1), ["a", "b"]);
        assert_eq!(names(2), ["b", "a"]);
        assert_eq!(names(4), ["a"]);
        let error = struck_together(&events, 3).unwrap_err();
        assert!(matches!(error, ProvenanceError::NotAnImpact { near: Some(2), .. }), "{error}");
        assert!(error.to_string().contains("the nearest impact is event 2"), "{error}");
        let error = struck_together(&events, 6).unwrap_err();
        assert_eq!(error, ProvenanceError::NoSuchEvent { number: 6, count: 6 });
        assert!(error.to_string().contains("the events are 0 to 5"), "{error}");
        assert!(
            matches!(struck_together(&events, 5).unwrap_err(), ProvenanceError::Limit { joint, .. } if joint == "knee")
        );
    }
}
