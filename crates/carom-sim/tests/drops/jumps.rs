//! How often a tiny change of the initial velocity leads to a different final state, for each law.

use carom_law::{Guard, Law};
use carom_sim::{Discard, Setup, Simulation};
use rayon::prelude::*;

use super::scenes;

/// The change of the initial velocity, relative to the speed of a fall by the length.
const CHANGE: f64 = 1e-10;
/// Simulated time, s: a few impacts, so that few final states differ because bounces amplify the change.
const UNTIL: f64 = 0.6;
/// Final states differ if a coordinate differs by more than this, relative to the length.
const JUMP: f64 = 1e-4;

/// The final state of a drop; `None` if the run fails.
fn end(setup: &Setup) -> Option<(Vec<f64>, f64)> {
    let mut simulation = Simulation::new(setup.clone()).ok()?;
    let length = simulation.header().length;
    simulation.run(&mut Discard).ok()?;
    Some((simulation.configuration().to_vec(), length))
}

/// The largest difference of coordinates due to the change.
fn difference(seed: u64, law: Law) -> Option<f64> {
    let mut setup = scenes::setup(seed);
    (setup.law, setup.guard, setup.settings.until) = (law, Guard::Slip, UNTIL);
    let (there, length) = end(&setup)?;
    let speed = (setup.model.gravity().norm() * length).sqrt();
    setup.velocity.iter_mut().for_each(|v| *v += CHANGE * speed);
    let (beside, _) = end(&setup)?;
    let scale = length.min(1.0);
    Some(there.iter().zip(&beside).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs() / scale)))
}

/// Prints, for each law, how many final states differ.
pub fn study(count: u64) {
    println!("| law | drops | other ends | median difference | 99 % |");
    println!("|---|---|---|---|---|");
    for law in [Law::Aghili, Law::Chord] {
        let mut all: Vec<f64> = (0..count).into_par_iter().filter_map(|seed| difference(seed, law)).collect();
        all.sort_by(f64::total_cmp);
        let jumps = all.iter().filter(|difference| **difference > JUMP).count();
        let at = |part: f64| all.get((part * all.len() as f64) as usize).copied().unwrap_or(f64::NAN);
        println!("| {} | {} | {jumps} | {:.1e} | {:.1e} |", law.name(), all.len(), at(0.5), at(0.99));
    }
}
