//! Runs, and their impacts.

use std::collections::HashSet;

use carom::law::Guard;
use carom::provenance::{EventState, Provenance, RecordedEvent, RunImpact};
use carom::report::{RunText, StoredRun, run_page_json};
use carom::sim::{Ending, Event, EventKind, Record, Recorder, Sample, Simulation, Sink};
use serde_json::{Value, json};

use crate::clock::page_seconds;
use crate::envelope::Answer;
use crate::fault::Fault;
use crate::request::{Request, limits};
use crate::stated::Stated;

/// A run as the engine keeps it.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) record: Record,
    guard: Guard,
}

/// Records a run up to the limits on samples, events and time.
struct Bounded {
    recorder: Recorder,
    samples: usize,
    events: usize,
    /// Where the simulation has no clock of its own, the page's.
    deadline: Option<f64>,
}

impl Bounded {
    fn is_out_of_time(&self) -> bool {
        self.deadline.is_some_and(|deadline| page_seconds().is_some_and(|now| now > deadline))
    }
}

impl Sink for Bounded {
    fn sample(&mut self, sample: Sample) {
        self.samples += 1;
        self.recorder.sample(sample);
    }

    fn event(&mut self, event: Event) {
        self.events += 1;
        self.recorder.event(event);
    }

    fn is_interrupted(&self) -> bool {
        self.samples >= limits::SAMPLES || self.events >= limits::EVENTS || self.is_out_of_time()
    }
}

/// Computes a run.
pub(crate) fn run(stated: &Stated, request: &Request) -> Result<Run, Fault> {
    let mut setup = stated.problem.setup()?;
    let settings = &mut setup.settings;
    settings.until = request.until.unwrap_or(settings.until).min(limits::UNTIL);
    settings.interval = request.interval.or(settings.interval);
    let deadline = page_seconds().map(|now| now + limits::SECONDS);
    settings.max_time = if deadline.is_some() { None } else { Some(limits::SECONDS) };
    if let Some(interval) = settings.interval.filter(|interval| *interval > 0.0) {
        let samples = settings.until / interval;
        if samples > limits::SAMPLES as f64 {
            return Err(Fault::too_large("until/interval", samples, limits::SAMPLES as f64));
        }
    }
    let (until, guard) = (settings.until, setup.guard);
    let mut simulation = Simulation::new(setup)?;
    let mut sink = Bounded { recorder: Recorder::new(), samples: 0, events: 0, deadline };
    let ended = simulation.run_until(until, &mut sink);
    let is_out_of_time = sink.is_out_of_time();
    let mut record = sink.recorder.finish(&simulation);
    if is_out_of_time && record.summary.ending == Ending::Interrupted {
        record.summary.ending = Ending::OutOfTime;
    }
    if let Err(error) = ended {
        record.summary.ending = Ending::Failed;
        record.summary.failure = Some(error.to_string());
    }
    Ok(Run { record, guard })
}

pub(crate) fn simulate(stated: &Stated, run: &Run) -> Result<Answer, Fault> {
    let record = &run.record;
    let title = stated.title();
    let page = run_page_json(record, &title)?;
    let page: Value = serde_json::from_str(&page).map_err(|error| Fault::of_kind("internal", error.to_string()))?;
    // The contact points of two faces have no names in a scene, so an impact that includes them cannot be stated as
    // one.
    let contact_of = |event: &Event| event.contact().and_then(|contact| record.header.contacts.get(contact));
    let named: HashSet<&str> = stated.scene().map_or_else(HashSet::new, |scene| {
        let contacts = scene.contacts().iter().map(|contact| contact.name.as_str());
        contacts.chain(scene.pairs().iter().map(|pair| pair.name.as_str())).collect()
    });
    let is_nameless = |event: &&Event| contact_of(event).is_some_and(|one| !named.contains(one.name.as_str()));
    let nameless: HashSet<u64> = record.events.iter().filter(is_nameless).map(|event| event.time().to_bits()).collect();
    let events = record.events.iter().enumerate().map(|(number, event)| {
        let contact = contact_of(event);
        json!({
            "number": number,
            "time": event.time(),
            "kind": event.kind().name(),
            "contact": contact.map(|contact| &contact.name),
            "mappable": event.kind() == EventKind::Impact && contact.is_some() && !nameless.contains(&event.time().to_bits()),
        })
    });
    Ok(Answer::new(json!({
        "run": page,
        "ending": record.summary.ending,
        "failure": record.summary.failure,
        "guard": run.guard.name(),
        "summary": RunText { title: &title, record }.to_string(),
        "events": events.collect::<Vec<_>>(),
        "repeated": stated.source.run.as_ref().map(|stored| repeated(stored, record)),
    })))
}

/// Whether a run computed again has the events of its file, to the bit of their times.
fn repeated(stored: &StoredRun, record: &Record) -> Value {
    let stored_times: Vec<f64> = stored.events.iter().map(|event| event.time).collect();
    let times: Vec<f64> = record.events.iter().map(Event::time).collect();
    let differs = stored_times.iter().zip(&times).position(|(a, b)| a.to_bits() != b.to_bits());
    let words = match differs {
        None if stored_times.len() == times.len() => {
            "computed again: the events have the times of the file, to the bit".to_owned()
        }
        None => format!("computed again: {} events, {} in the file", times.len(), stored_times.len()),
        Some(first) => {
            let why = stored.provenance.differences();
            let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
            format!("computed again: from event {first} on the times differ from those of the file{why}")
        }
    };
    json!({ "same": differs.is_none() && stored_times.len() == times.len(), "words": words })
}

/// The state before an event of a run, and the contacts that struck.
pub(crate) fn event(stated: &Stated, run: &Run, number: usize) -> Result<Answer, Fault> {
    let Run { record, guard } = run;
    let name = |contact: Option<usize>| contact.and_then(|contact| record.header.contacts.get(contact));
    let events: Vec<RecordedEvent> = record
        .events
        .iter()
        .map(|event| {
            let contact = name(event.contact());
            let dimension = contact.map_or(0, |contact| contact.dimension.min(event.impulse().len()));
            RecordedEvent {
                time: event.time(),
                kind: event.kind().name().to_owned(),
                contact: contact.map(|contact| contact.name.clone()),
                is_limit: contact.is_some_and(|contact| contact.is_limit()),
                impulse: event.impulse()[..dimension].to_vec(),
            }
        })
        .collect();
    let time = events.get(number).map_or(f64::NAN, |event| event.time);
    let at_event = record.samples.iter().filter(|sample| sample.time == time);
    let states: Vec<EventState> = at_event
        .map(|sample| EventState { configuration: sample.configuration.clone(), velocity: sample.velocity.clone() })
        .collect();
    let impacts = RunImpact {
        scene: &stated.tree,
        problem: &stated.problem,
        law: record.header.law,
        guard: guard.name(),
        events: &events,
        robots: &stated.source.robots,
        folder: &stated.source.folder,
    };
    let scene = impacts.scene(number, &states).map_err(|error| Fault::event(number, &error))?;
    let scene = serde_json::to_value(&scene).unwrap_or_default();
    Ok(Answer::new(json!({
        "time": time,
        "configuration": scene["state"]["configuration"],
        "velocity": scene["state"]["velocity"],
        "strike": scene["strike"],
        "guard": guard.name(),
    })))
}

/// The provenance of a run for its file; `None` for dropped robots, whose files are not on the disk.
pub(crate) fn provenance(stated: &Stated) -> Option<Provenance> {
    // Provenance hashes files on the disk, to which the names of dropped files do not refer.
    if stated.source.key.is_some() {
        return None;
    }
    let setup = stated.problem.setup().ok()?;
    let options = stated.edits.iter().map(|edit| format!("--set {edit}")).collect();
    Provenance::new(stated.tree.clone(), options, &stated.problem, &setup).ok()
}
