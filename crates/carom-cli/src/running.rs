//! A simulation as a command runs it: with a progress bar, until its end or a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use carom::sim::{Ending, Event, Record, Recorder, Sample, Settings, Setup, Simulation, Sink};
use indicatif::{ProgressBar, ProgressStyle};

use crate::console::{complain, progress, timed};
use crate::failure::Failure;

/// Largest number of samples of a run: several gigabytes for a robot with many contacts.
const MOST_SAMPLES: f64 = 1e6;
/// Steps of the progress bar.
const TICKS: u64 = 1000;
/// How long after a signal a run may take to finish its step. A step of thousands of contacts can take hours; after
/// this time the process ends without results.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a simulation. An error during the run is printed, and the record ends there.
pub fn simulate(name: &str, setup: Setup) -> Result<Record, Failure> {
    check_count(name, &setup)?;
    let until = setup.settings.until;
    let begun = Instant::now();
    let simulation = Simulation::new(setup);
    let mut simulation =
        simulation.map_err(|error| Failure::Simulation { source: name.to_owned(), error: Box::new(error) })?;
    let mut watcher = Watcher::new(name, until)?;
    let ended = simulation.run_until(until, &mut watcher);
    watcher.heard.store(true, Ordering::Relaxed);
    watcher.bar.finish_and_clear();
    timed("simulating", begun);
    let mut record = watcher.recorder.finish(&simulation);
    if let Err(error) = &ended {
        record.summary.ending = Ending::Failed;
        record.summary.failure = Some(error.to_string());
        complain(&format!("error: {name}: {error}"));
    }
    Ok(record)
}

/// All samples are held in memory until the files are written.
fn check_count(name: &str, setup: &Setup) -> Result<(), Failure> {
    let Settings { until, interval, .. } = setup.settings;
    match interval {
        // The simulation itself rejects an invalid interval.
        Some(interval) if interval > 0.0 && until.is_finite() && until / interval > MOST_SAMPLES => {
            Err(Failure::TooManySamples { source: name.to_owned(), until, interval, most: MOST_SAMPLES })
        }
        _ => Ok(()),
    }
}

/// Records everything, updates the progress bar, and handles the signals that end a run: interrupt, hangup, terminate.
struct Watcher {
    recorder: Recorder,
    bar: ProgressBar,
    until: f64,
    events: usize,
    interrupted: Arc<AtomicBool>,
    /// Whether the run has noticed the signal: from then on it writes its results, however long that takes.
    heard: Arc<AtomicBool>,
}

impl Watcher {
    fn new(name: &str, until: f64) -> Result<Self, Failure> {
        let bar = progress(ProgressBar::new(TICKS));
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}, {elapsed} ({eta} left)") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&interrupted);
        let heard = Arc::new(AtomicBool::new(false));
        let (name, is_heard) = (name.to_owned(), Arc::clone(&heard));
        // A second signal ends the process at once.
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            let (name, is_heard) = (name.clone(), Arc::clone(&is_heard));
            std::thread::spawn(move || {
                std::thread::sleep(PATIENCE);
                if !is_heard.load(Ordering::Relaxed) {
                    let seconds = PATIENCE.as_secs();
                    complain(&format!(
                        "error: {name}: interrupted, but one step takes longer than {seconds} s: ended without results"
                    ));
                    std::process::exit(130);
                }
            });
        })
        .map_err(|error| Failure::Signal { error: error.to_string() })?;
        Ok(Self { recorder: Recorder::new(), bar, until, events: 0, interrupted, heard })
    }

    fn tell(&self, time: f64) {
        self.bar.set_position((time / self.until * TICKS as f64) as u64);
        self.bar.set_message(format!("{time:.3} s of {} s, {} events", self.until, self.events));
    }
}

impl Sink for Watcher {
    fn sample(&mut self, sample: Sample) {
        self.tell(sample.time);
        self.recorder.sample(sample);
    }

    fn event(&mut self, event: Event) {
        self.events += 1;
        self.recorder.event(event);
    }

    fn is_interrupted(&self) -> bool {
        let is_interrupted = self.interrupted.load(Ordering::Relaxed);
        self.heard.fetch_or(is_interrupted, Ordering::Relaxed);
        is_interrupted
    }
}
