//! The impact of an event of a run, as a scene: the state before it, and the contacts that took part.

use std::path::Path;

use carom_multibody::Model;
use serde_json::{Value, json};

use super::{Provenance, ProvenanceError};
use crate::Problem;
use crate::answer::Answer;
use crate::document::{Edit, Tree};
use crate::robots::Robots;
use crate::scene::floating_root;

/// Largest difference between the impulses of the run and of the impact, relative to the largest of the event: above
/// the effect of rounding the state in the file, and below the difference from any other impact.
const SAME_IMPULSE: f64 = 1e-8;

/// The keys of a base that the configuration and velocity of a floating base make redundant.
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
    /// The impact of an event of this run, counted from 0, as a scene: the robot in the state before it, its
    /// coefficients, law and guard, and in `strike` the contacts that took part. `scene` is that of
    /// [`Provenance::scene_here`], `states` are the samples at the time of the event, in order: the state before is the
    /// first of them that reproduces the impulses of the run.
    ///
    /// # Errors
    /// The event does not exist, is not an impact or belongs to the limit of a joint, or no state reproduces the run's
    /// impulses.
    pub fn scene_of_event(
        &self,
        scene: &Tree,
        events: &[RecordedEvent],
        number: usize,
        states: &[EventState],
    ) -> Result<Tree, ProvenanceError> {
        struck_together(events, number)?;
        if states.is_empty() {
            return Err(ProvenanceError::NoState { number, time: events[number].time });
        }
        let problem = self.problem_here(scene)?;
        RunImpact {
            scene,
            problem: &problem,
            law: &self.law,
            guard: &self.guard,
            events,
            robots: &Robots::new(),
            folder: Path::new(""),
        }
        .scene(number, states)
    }
}

/// The impacts of a run that has just been computed, without its provenance.
#[derive(Debug, Clone, Copy)]
pub struct RunImpact<'a> {
    /// The document that was simulated.
    pub scene: &'a Tree,
    /// Its problem.
    pub problem: &'a Problem,
    /// The name of the law.
    pub law: &'a str,
    /// The name of the guard.
    pub guard: &'a str,
    /// All events of the run.
    pub events: &'a [RecordedEvent],
    /// The source of its robot.
    pub robots: &'a Robots,
    /// The folder that paths of robot files are relative to.
    pub folder: &'a Path,
}

impl RunImpact<'_> {
    /// The impact of an event, counted from 0, as a scene: see [`Provenance::scene_of_event`].
    ///
    /// # Errors
    /// Those of [`Provenance::scene_of_event`].
    pub fn scene(&self, number: usize, states: &[EventState]) -> Result<Tree, ProvenanceError> {
        let Self { scene, problem, law, guard, events, robots, folder } = *self;
        let together = struck_together(events, number)?;
        let time = events[number].time;
        if states.is_empty() {
            return Err(ProvenanceError::NoState { number, time });
        }
        let floats = problem.scene().is_some_and(|scene| floating_root(scene.model()).is_some());
        let mut least = f64::INFINITY;
        for state in states {
            let impact = impact_scene(scene, [law, guard], &together, state, floats);
            // Another sample at the same time, such as the one after the impact, may have no impact at all.
            let answer = Problem::from_tree_with(&impact, folder, robots).and_then(|problem| problem.answer());
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

/// The meaning of a kind of event, if it is not an impact of the law.
fn meaning(kind: &str) -> &'static str {
    match kind {
        "lift_off" | "stick" | "slip" | "ambiguous" => "the mode of a contact changed, without an impulse",
        "settle" => "bounces too low to follow were ended",
        "jam" | "jam_approached" => "forces without a solution were replaced by an impulse, without a collision",
        "rattle" | "sequence" => "an impact whose restitution was dropped by a device of the simulation",
        "window" => "a window of time stepping, with many impacts in it",
        "projection" => "the state was projected onto its contacts",
        "dead_point" => "a closed loop came near a dead point",
        _ => "it has no impulse of the law",
    }
}

/// The scene of a robot in another state, given by all entries of q and v, which must be finite.
pub fn scene_in_state(scene: &Tree, robot: &Model, configuration: &[f64], velocity: &[f64]) -> Tree {
    in_state(scene, floating_root(robot).is_some(), configuration, velocity)
}

/// The changes that turn a document into [`scene_in_state`].
///
/// # Errors
/// A number is not finite.
pub fn state_edits(scene: &Tree, robot: &Model, configuration: &[f64], velocity: &[f64]) -> Result<Vec<Edit>, String> {
    for (name, numbers) in [("configuration", configuration), ("velocity", velocity)] {
        if let Some(place) = numbers.iter().position(|x| !x.is_finite()) {
            return Err(format!("{name}[{place}] = {} is not finite", numbers[place]));
        }
    }
    let parts = state_parts(scene, floating_root(robot).is_some(), configuration, velocity);
    parts.iter().map(|(path, value)| Edit::new(path, value)).collect()
}

fn in_state(scene: &Tree, floats: bool, configuration: &[f64], velocity: &[f64]) -> Tree {
    let parts = state_parts(scene, floats, configuration, velocity);
    let mut placed = scene.clone();
    if let Value::Object(map) = &mut placed.0 {
        map.extend(parts.into_iter().map(|(key, value)| (key.to_owned(), value)));
    }
    placed
}

/// The parts of a document that state q and v as whole vectors: `state`, and `base` without the keys that place or move
/// a floating base.
fn state_parts(scene: &Tree, floats: bool, configuration: &[f64], velocity: &[f64]) -> Vec<(&'static str, Value)> {
    let mut parts = vec![("state", json!({ "configuration": configuration, "velocity": velocity }))];
    if let (true, Some(Value::Object(base))) = (floats, scene.0.get("base"))
        && PLACES_BASE.iter().any(|key| base.contains_key(*key))
    {
        let mut base = base.clone();
        PLACES_BASE.into_iter().for_each(|key| drop(base.remove(key)));
        parts.push(("base", Value::Object(base)));
    }
    parts
}

fn impact_scene(
    scene: &Tree,
    [law, guard]: [&str; 2],
    together: &[&RecordedEvent],
    state: &EventState,
    floats: bool,
) -> Tree {
    let mut impact = in_state(scene, floats, &state.configuration, &state.velocity);
    if let Value::Object(map) = &mut impact.0 {
        let names: Vec<&str> = together.iter().filter_map(|event| event.contact.as_deref()).collect();
        map.insert("strike".to_owned(), json!(names));
        map.insert("law".to_owned(), json!(law));
        map.insert("guard".to_owned(), json!(guard));
        // Keys without effect on an impact.
        for key in ["simulation", "posture", "actuation", "controls", "limits"] {
            map.remove(key);
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
    // NaN counts as a difference.
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
