//! An arm under a controller sinks onto a table: a closure gives the joint torques, and the events are read back.

use std::sync::Arc;

use carom::gallery;
use carom::sim::{Actuator, Recorder, Simulation};

const STIFFNESS: [f64; 6] = [50.0, 400.0, 200.0, 20.0, 20.0, 2.0];
const DAMPING: [f64; 6] = [5.0, 40.0, 20.0, 0.5, 0.5, 0.0];

fn main() -> carom::Result<()> {
    let mut setup = gallery::simulation("arm")?;
    let target = setup.configuration.clone();
    let controller = move |_time: f64, q: &[f64], v: &[f64], torque: &mut [f64]| {
        for (k, torque) in torque.iter_mut().enumerate() {
            *torque += STIFFNESS[k] * (target[k] - q[k]) - DAMPING[k] * v[k];
        }
    };
    setup.actuators = vec![Actuator::Law(Arc::new(controller))];
    let mut simulation = Simulation::new(setup)?;
    let mut recorder = Recorder::new();
    simulation.run_until(1.0, &mut recorder)?;
    let run = recorder.finish(&simulation);
    for event in &run.events {
        let contact = event.contact().map_or("", |contact| run.header.contacts[contact].name.as_str());
        println!("{:.9} s  {:<8} {contact}", event.time(), event.kind().name());
    }
    println!(
        "{} impacts, {:.6} J taken by them",
        run.summary.impacts,
        -run.samples[run.samples.len() - 1].energy.impacts
    );
    Ok(())
}
