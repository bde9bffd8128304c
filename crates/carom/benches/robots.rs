//! What an impact of a whole robot costs: from (q, v⁻) to (v⁺, impulse, mode), one spatial contact, one thread. Without a
//! check, with `Check::Contact`, which is the default of `strike`, and with `Check::Full`, that of `strike_with`.
//!
//! `CAROM_ROBOTS` names a list of robots, one a line: name, URDF, 0 or 1 for a floating base, frame. One line of
//! JSON is printed for each. `cargo xtask bench robots` makes the list and prints Pinocchio beside it. Without a list the
//! robots are those of `crates/carom-scene/models/`.
//!
//! Arguments: part of a robot's name; and, for counting instructions under callgrind, `unchecked`, `contact` or `full` and
//! how often the states are struck in turn. Counts of two numbers of rounds have the set-up in common.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use carom::law::{Coefficients, Friction, Guard, Law, Mode, Restitution};
use carom::multibody::{ContactPoint, Dynamics, Model, load};
use fastrand::Rng;

/// States in turn, so that no branch is learnt by heart.
const STATES: usize = 64;
/// Batches of about two milliseconds, the fastest of which counts. Those of the three forms follow each other, so that a
/// busy machine is busy for all of them.
const BATCHES: usize = 101;

/// Built-in robots: name, whether the base floats, frame.
const BUILT_IN: [(&str, bool, &str); 3] =
    [("arm", false, "tool_tip"), ("quadruped", true, "front_left_foot"), ("humanoid", false, "left_sole")];

/// How an answer is checked.
#[derive(Clone, Copy)]
enum Form {
    Unchecked,
    Contact,
    Full,
}

/// A fixed amount of work instead of a time: the form, and the number of rounds over all states.
type Work = (Form, usize);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let only = arguments.first();
    let work = arguments.get(1).zip(arguments.get(2)).map(|(form, rounds)| {
        let form = match form.as_str() {
            "unchecked" => Form::Unchecked,
            "contact" => Form::Contact,
            "full" => Form::Full,
            _ => panic!("unchecked, contact or full"),
        };
        (form, rounds.parse().expect("a number of rounds"))
    });
    let is_asked_for = |name: &str| only.is_none_or(|only| name.contains(only.as_str()));
    let Some(list) = std::env::var_os("CAROM_ROBOTS") else {
        for (name, floating_base, frame) in BUILT_IN {
            if is_asked_for(name) {
                let model = carom::models::find(name).expect("a built-in model");
                measure(name, model.load(&options(floating_base)).expect("a robot"), frame, work);
            }
        }
        return;
    };
    let list = std::fs::read_to_string(list).expect("the list of robots");
    for line in list.lines() {
        // A path may hold blanks, and then stands in quotes.
        let [name, floating, frame] =
            line.split('"').step_by(2).flat_map(str::split_whitespace).collect::<Vec<_>>()[..]
        else {
            panic!("a line of the list is: name \"file\" 0|1 frame, not {line:?}");
        };
        let file = line.split('"').nth(1).expect("a path in quotes");
        if is_asked_for(name) {
            measure(name, load::file(Path::new(file), &options(floating == "1")).expect("a robot"), frame, work);
        }
    }
}

/// Pinocchio moves mimic joints by themselves: the same degrees of freedom on both sides.
fn options(floating_base: bool) -> load::Options {
    load::Options::new().floating_base(floating_base).mimics(load::Mimics::Free)
}

/// Times the three forms, or does the work that is asked for.
fn measure(name: &str, model: Model, frame: &str, work: Option<Work>) {
    let (link, place) = model.find_place(frame).expect("the frame");
    let contact = ContactPoint::spatial(&model, link, place.translation, [0.0, 0.0, 1.0]).expect("a contact");
    let coefficients =
        Coefficients::new(Restitution::new(0.5).expect("in range"), Friction::new(0.7).expect("in range"));

    let mut rng = Rng::with_seed(1);
    let mut dynamics = Dynamics::new(model);
    let model = dynamics.model().clone();
    let states: Vec<_> = (0..STATES).map(|_| state(&model, &mut dynamics, &contact, &mut rng)).collect();
    let mut after = vec![0.0; model.nv()];
    let mut modes = [0; 4];
    let mut strike = |form: Form, (q, v): &(Vec<f64>, Vec<f64>)| {
        dynamics.set_state(q, v).expect("a state");
        let (law, guard) = (Law::Aghili, Guard::Report);
        let outcome = match form {
            Form::Unchecked => carom::strike_unchecked(&mut dynamics, &contact, &coefficients, guard, &mut after),
            Form::Contact => carom::strike(&mut dynamics, &contact, &coefficients, guard, &mut after),
            Form::Full => carom::strike_with(law, &mut dynamics, &contact, &coefficients, guard, &mut after),
        };
        black_box(&after);
        outcome.expect("an answer").mode
    };
    if let Some((form, rounds)) = work {
        for state in (0..rounds).flat_map(|_| &states) {
            black_box(strike(form, state));
        }
        return;
    }
    for state in &states {
        modes[match strike(Form::Full, state) {
            Mode::Separating => 0,
            Mode::Stick => 1,
            Mode::Slip => 2,
            Mode::Reversal => 3,
        }] += 1;
    }
    let mut batch = |form: Form, count: usize| {
        let start = Instant::now();
        for i in 0..count {
            black_box(strike(form, &states[i % STATES]));
        }
        start.elapsed().as_secs_f64()
    };
    let mut count = STATES;
    while batch(Form::Contact, count) < 2e-3 {
        count *= 2;
    }
    let mut fastest = [f64::INFINITY; 3];
    for _ in 0..BATCHES {
        for (fastest, form) in fastest.iter_mut().zip([Form::Unchecked, Form::Contact, Form::Full]) {
            *fastest = fastest.min(batch(form, count));
        }
    }
    let [unchecked, contact, full] = fastest.map(|seconds| 1e9 * seconds / count as f64);
    println!(
        "{{\"robot\": \"{name}\", \"nv\": {}, \"carom_ns\": {contact:.0}, \"unchecked_ns\": {unchecked:.0}, \"full_ns\": {full:.0}, \
         \"contact_percent\": {:.1}, \"full_percent\": {:.1}, \"stick\": {}, \"slip\": {}}}",
        model.nv(),
        100.0 * (contact / unchecked - 1.0),
        100.0 * (full / unchecked - 1.0),
        modes[1],
        modes[2] + modes[3],
    );
}

/// A random state in which the contact approaches.
fn state(model: &Model, dynamics: &mut Dynamics, contact: &ContactPoint, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let mut q: Vec<f64> = (0..model.nq()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    assert!(model.normalize(&mut q));
    let mut v: Vec<f64> = (0..model.nv()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    dynamics.set_state(&q, &v).expect("a state");
    if dynamics.single_contact(contact).expect("terms").velocity[0] > 0.0 {
        v.iter_mut().for_each(|v| *v = -*v);
    }
    (q, v)
}
