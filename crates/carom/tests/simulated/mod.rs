//! Built-in simulations, run to their ends.

use carom::sim::{Recorder, Setup, Simulation};

/// A built-in simulation.
pub fn built_in(name: &str) -> Setup {
    carom::gallery::find_simulation(name).unwrap().setup().unwrap()
}

/// A simulation that went to its end, and what it told.
pub fn run(setup: Setup) -> (Simulation, Recorder) {
    let until = setup.settings.until;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut recorder = Recorder::new();
    simulation.run_until(until, &mut recorder).unwrap();
    (simulation, recorder)
}
