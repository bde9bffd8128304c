//! What an impact of a whole robot costs: from (q, v⁻) to (v⁺, impulse, mode), one spatial contact, one thread.
//!
//! `CAROM_ROBOTS` names a list of robots, one a line: name, URDF, 0 or 1 for a floating base, frame. One line of
//! JSON is printed for each. `cargo xtask bench robots` makes the list and prints Pinocchio beside it.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use carom::law::{Coefficients, Friction, Guard, Mode, Restitution};
use carom::multibody::{ContactPoint, Dynamics, Model, load};
use fastrand::Rng;

/// States in turn, so that no branch is learnt by heart.
const STATES: usize = 64;
/// Batches of about two milliseconds, the fastest of which counts.
const BATCHES: usize = 101;

fn main() {
    let Some(list) = std::env::var_os("CAROM_ROBOTS") else {
        println!("CAROM_ROBOTS is not set: run cargo xtask bench robots");
        return;
    };
    let list = std::fs::read_to_string(list).expect("the list of robots");
    let only = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    for line in list.lines() {
        // A path may hold blanks, and then stands in quotes.
        let [name, floating, frame] =
            line.split('"').step_by(2).flat_map(str::split_whitespace).collect::<Vec<_>>()[..]
        else {
            panic!("a line of the list is: name \"file\" 0|1 frame, not {line:?}");
        };
        let file = line.split('"').nth(1).expect("a path in quotes");
        if only.as_deref().is_none_or(|only| name.contains(only)) {
            time(name, Path::new(file), floating == "1", frame);
        }
    }
}

fn time(name: &str, file: &Path, floating_base: bool, frame: &str) {
    // Pinocchio moves mimic joints by themselves: the same degrees of freedom on both sides.
    let options = load::Options { floating_base, mimics: load::Mimics::Free, format: None };
    let model = load::file(file, &options).expect("a robot");
    let (link, place) = model.find_place(frame).expect("the frame");
    let contact = ContactPoint::spatial(&model, link, place.translation, [0.0, 0.0, 1.0]).expect("a contact");
    let coefficients =
        Coefficients::new(Restitution::new(0.5).expect("in range"), Friction::new(0.7).expect("in range"));

    let mut rng = Rng::with_seed(1);
    let mut dynamics = Dynamics::new(model);
    let model = dynamics.model().clone();
    let states: Vec<_> = (0..STATES).map(|_| state(&model, &mut dynamics, &contact, &mut rng)).collect();
    let mut after = vec![0.0; model.freedoms()];
    let mut modes = [0; 4];
    let mut strike = |(q, v): &(Vec<f64>, Vec<f64>)| {
        dynamics.set_state(q, v).expect("a state");
        let outcome = carom::strike(&mut dynamics, &contact, &coefficients, Guard::Report, &mut after);
        black_box(&after);
        outcome.expect("an answer").mode
    };
    for state in &states {
        modes[match strike(state) {
            Mode::Separating => 0,
            Mode::Stick => 1,
            Mode::Slip => 2,
            Mode::Reversal => 3,
        }] += 1;
    }
    let mut count = 64;
    let fastest = loop {
        let mut batch = || {
            let start = Instant::now();
            for i in 0..count {
                black_box(strike(&states[i % STATES]));
            }
            start.elapsed().as_secs_f64()
        };
        if batch() > 2e-3 {
            break (0..BATCHES).map(|_| batch()).fold(f64::INFINITY, f64::min) / count as f64;
        }
        count *= 2;
    };
    println!(
        "{{\"robot\": \"{name}\", \"nv\": {}, \"carom_ns\": {:.0}, \"stick\": {}, \"slip\": {}}}",
        model.freedoms(),
        1e9 * fastest,
        modes[1],
        modes[2] + modes[3],
    );
}

/// A random state in which the contact approaches.
fn state(model: &Model, dynamics: &mut Dynamics, contact: &ContactPoint, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let mut q: Vec<f64> = (0..model.coordinates()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    assert!(model.normalize(&mut q));
    let mut v: Vec<f64> = (0..model.freedoms()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    dynamics.set_state(&q, &v).expect("a state");
    if dynamics.single_contact(contact).expect("terms").velocity[0] > 0.0 {
        v.iter_mut().for_each(|v| *v = -*v);
    }
    (q, v)
}
