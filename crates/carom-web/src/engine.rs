//! From a request to an answer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use carom::gallery::{self, Exhibit};
use carom::law::{Guard, Law};
use carom::study::Over;
use hmac_sha256::Hash;
use serde_json::{Value, json};

use crate::envelope::Answer;
use crate::fault::Fault;
use crate::motion::{self, Run};
use crate::request::{GivenFiles, Request, SourceName, limits};
use crate::source::{Kind, Source};
use crate::stated::Stated;
use crate::{close, impact, open, save, study, words};

/// The number of sources and of runs that are kept; beyond it the least recently used one is dropped.
const SOURCES: usize = 16;
const RUNS: usize = 4;

/// The names of requests.
const REQUESTS: [&str; 12] =
    ["gallery", "start", "open", "close", "answer", "map", "states", "laws", "diagram", "simulate", "event", "save"];

/// Answers requests. One engine serves any number of threads.
///
/// ```
/// let engine = carom_web::Engine::new();
/// let answer = engine.answer(br#"{"request": "answer", "source": {"gallery": "kane"}, "friction": 0.2}"#);
/// // The length of the JSON header and the version, then the header, then the arrays.
/// let length = u32::from_le_bytes(answer[..4].try_into()?) as usize;
/// let header: serde_json::Value = serde_json::from_slice(&answer[8..8 + length])?;
/// assert_eq!(header["outcome"]["mode"], "slip");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Engine {
    opened: Option<Opened>,
    sources: Mutex<Kept<Source>>,
    runs: Mutex<Kept<Run>>,
}

/// What the command line opened.
#[derive(Debug, Clone)]
enum Opened {
    BuiltIn(SourceName),
    File(PathBuf),
}

impl Engine {
    /// An engine that reads no files.
    pub fn new() -> Self {
        Self::default()
    }

    /// An engine that first shows what the user named: a built-in scene or a file. It reads that file and those it
    /// includes, no others.
    pub fn with_opened(name: &Path) -> Self {
        let built_in = name.to_str().and_then(|name| {
            let of = |found: Option<&Exhibit>, source: fn(String) -> SourceName| found.map(|_| source(name.to_owned()));
            of(gallery::find(name), SourceName::Gallery)
                .or_else(|| of(gallery::find_simulation(name), SourceName::Simulation))
        });
        Self {
            opened: Some(built_in.map_or_else(|| Opened::File(name.to_owned()), Opened::BuiltIn)),
            ..Self::default()
        }
    }

    /// Answers a request in JSON with an envelope: a JSON header and arrays. If the request fails, the header has only
    /// an error.
    pub fn answer(&self, request: &[u8]) -> Vec<u8> {
        let answer = Request::read(request).and_then(|request| self.dispatch(&request));
        answer.unwrap_or_else(|fault| fault.answer()).into_bytes()
    }

    fn dispatch(&self, request: &Request) -> Result<Answer, Fault> {
        match request.request.as_str() {
            "gallery" => return Ok(listed()),
            "start" => return Ok(self.start()),
            "close" => {
                let own = Request { configuration: None, velocity: None, ..request.clone() };
                return close::close(&Stated::new(self.source(&own)?, &own)?, request);
            }
            "open" | "answer" | "map" | "states" | "laws" | "diagram" | "simulate" | "event" | "save" => {}
            other => {
                return Err(Fault::value("request", &other.into(), &format!("must be one of {}", REQUESTS.join(", "))));
            }
        }
        let stated = Stated::new(self.source(request)?, request)?;
        match request.request.as_str() {
            "open" => open::open(&stated),
            "answer" => impact::answer(&stated),
            "map" => study::map_answer(&stated, request, Over::Coefficients),
            "states" => study::map_answer(&stated, request, Over::State),
            "laws" => study::laws(&stated),
            "diagram" => study::diagram(&stated),
            "simulate" => motion::simulate(&stated, &*self.run(&stated, request)?),
            "event" => {
                let number = request
                    .event
                    .ok_or_else(|| Fault::request("event", "event is missing: give the number of an event"))?;
                motion::event(&stated, &*self.run(&stated, request)?, number)
            }
            _ => save::save(&stated, request, || self.run(&stated, request)),
        }
    }

    /// What to show first.
    fn start(&self) -> Answer {
        let source = match &self.opened {
            Some(Opened::BuiltIn(SourceName::Simulation(name))) => json!({ "simulation": name }),
            Some(Opened::BuiltIn(SourceName::Gallery(name))) => json!({ "gallery": name }),
            Some(_) => json!({ "opened": true }),
            None => json!({ "gallery": "kane" }),
        };
        Answer::new(json!({ "source": source }))
    }

    fn source(&self, request: &Request) -> Result<Arc<Source>, Fault> {
        let name = request
            .source
            .as_ref()
            .ok_or_else(|| Fault::request("source", "source is missing: give one, such as {\"gallery\": \"kane\"}"))?;
        match name {
            SourceName::Gallery(name) => self.kept(format!("gallery {name}"), || Source::built_in(name, Kind::Impact)),
            SourceName::Simulation(name) => {
                self.kept(format!("simulation {name}"), || Source::built_in(name, Kind::Simulation))
            }
            SourceName::Opened => match &self.opened {
                Some(Opened::File(path)) => {
                    // When it is opened again, as by a reload of the page, it is read again: it may have changed.
                    if request.request == "open" {
                        lock(&self.sources).forget("opened");
                    }
                    self.kept("opened".to_owned(), || Source::on_disk(path))
                }
                _ => Err(Fault::of_kind("unknown_source", "the command line opened no file")),
            },
            SourceName::Key(key) => lock(&self.sources)
                .find(key)
                .ok_or_else(|| Fault::of_kind("unknown_source", "these files are no longer kept: send them again")),
            SourceName::Files(given) => {
                let key = key_of(given);
                self.kept(key.clone(), || Source::dropped(given, key))
            }
        }
    }

    fn kept(&self, key: String, read: impl FnOnce() -> Result<Source, Fault>) -> Result<Arc<Source>, Fault> {
        if let Some(found) = lock(&self.sources).find(&key) {
            return Ok(found);
        }
        let source = Arc::new(read()?);
        lock(&self.sources).keep(key, &source, SOURCES);
        Ok(source)
    }

    /// The run of a request, kept by what was simulated.
    fn run(&self, stated: &Stated, request: &Request) -> Result<Arc<Run>, Fault> {
        let source = &stated.source;
        let key =
            format!("{:?} {:?} {:?} {:?} {}", source.key, source.subject, request.until, request.interval, stated.tree);
        if let Some(found) = lock(&self.runs).find(&key) {
            return Ok(found);
        }
        let run = Arc::new(motion::run(stated, request)?);
        lock(&self.runs).keep(key, &run, RUNS);
        Ok(run)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing panics while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Values by key, the one that was used last at the end.
#[derive(Debug)]
struct Kept<T> {
    entries: Vec<(String, Arc<T>)>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { entries: Vec::new() }
    }
}

impl<T> Kept<T> {
    fn find(&mut self, key: &str) -> Option<Arc<T>> {
        let place = self.entries.iter().position(|(own, _)| own == key)?;
        let entry = self.entries.remove(place);
        let found = Arc::clone(&entry.1);
        self.entries.push(entry);
        Some(found)
    }

    fn forget(&mut self, key: &str) {
        self.entries.retain(|(own, _)| own != key);
    }

    fn keep(&mut self, key: String, value: &Arc<T>, most: usize) {
        if self.find(&key).is_none() {
            self.entries.push((key, Arc::clone(value)));
        }
        let surplus = self.entries.len().saturating_sub(most);
        self.entries.drain(..surplus);
    }
}

/// The key of files: a hash of their names and contents.
fn key_of(given: &GivenFiles) -> String {
    let mut hash = Hash::new();
    let mut part = |text: &str| {
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    };
    part(given.main.as_deref().unwrap_or_default());
    for file in &given.files {
        part(&file.name);
        part(if file.text.is_some() { "text" } else { "base64" });
        part(file.text.as_deref().or(file.base64.as_deref()).unwrap_or_default());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The built-in scenes, the laws and guards, and the limits of requests.
fn listed() -> Answer {
    let entry = |exhibit: &Exhibit| json!({ "name": exhibit.name, "title": exhibit.summary(), "text": exhibit.text });
    let laws = Law::ALL
        .map(|law| json!({ "name": law.name(), "words": words::law(law), "never_creates": law.claims().dissipates }));
    let impacts: Vec<Value> = gallery::SCENES.iter().map(entry).collect();
    let simulations: Vec<Value> = gallery::SIMULATIONS.iter().map(entry).collect();
    Answer::new(json!({
        "impacts": impacts,
        "simulations": simulations,
        "laws": laws,
        "guards": Guard::ALL.map(Guard::name),
        "limits": {
            "body": limits::BODY, "resolution": limits::RESOLUTION, "until": limits::UNTIL, "samples": limits::SAMPLES,
            "events": limits::EVENTS, "seconds": limits::SECONDS, "files": limits::FILES,
        },
        "png": cfg!(feature = "png"),
        "version": env!("CARGO_PKG_VERSION"),
    }))
}
