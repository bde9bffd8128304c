//! A robot in free flight: its states at equal intervals of time.

use std::sync::Arc;

use carom::sim::{Recorder, Sample, Settings, Setup, Simulation, SimulationError};
use carom_law::Guard;
use carom_multibody::Model;
use serde_json::{Value, json};

use crate::request::{number, numbers};

/// The motion of a robot from `q` and `v`, for `count` times the `interval`: once stopping at the end of each interval,
/// and once `passing` through all but the last. A state contains its energies, the work of joint damping, and the
/// residual of the energy book.
pub(crate) fn of(model: Model, flight: &Value) -> Result<Value, String> {
    let interval = number(flight, "interval")?;
    let count = number(flight, "count")? as u32;
    let times: Vec<f64> = (0..=count).map(|k| f64::from(k) * interval).collect();
    let until = f64::from(count) * interval;
    let setup = Setup {
        configuration: numbers(flight, "q")?,
        velocity: numbers(flight, "v")?,
        guard: Guard::Report,
        settings: Settings { until, interval: Some(interval), ..Settings::default() },
        ..Setup::new(Arc::new(model))
    };
    let flown = || -> Result<Value, SimulationError> {
        let stopped = stopped(setup.clone(), &times)?;
        let passing = passing(setup, until)?;
        Ok(json!({ "stopped": stopped, "passing": passing }))
    };
    flown().map_err(|error| error.to_string())
}

/// The states at the ends of steps.
fn stopped(setup: Setup, times: &[f64]) -> Result<Vec<Value>, SimulationError> {
    let mut recorder = Recorder::new();
    let mut simulation = Simulation::new(setup)?;
    let mut states = Vec::with_capacity(times.len());
    for &time in times {
        simulation.run_until(time, &mut recorder)?;
        let energy = recorder.samples().last().map(energy);
        let (q, v) = (simulation.configuration(), simulation.velocity());
        states.push(json!({ "time": simulation.time(), "q": q, "v": v, "energy": energy }));
    }
    Ok(states)
}

/// The samples of a run without stops: states inside its steps.
fn passing(setup: Setup, until: f64) -> Result<Vec<Value>, SimulationError> {
    let mut recorder = Recorder::new();
    Simulation::new(setup)?.run_until(until, &mut recorder)?;
    let state = |sample: &Sample| json!({ "time": sample.time, "q": sample.configuration, "v": sample.velocity });
    Ok(recorder.samples().iter().map(state).collect())
}

fn energy(sample: &Sample) -> Value {
    let energy = &sample.energy;
    json!({
        "time": sample.time,
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "damping": energy.damping,
        "residual": energy.residual,
    })
}
