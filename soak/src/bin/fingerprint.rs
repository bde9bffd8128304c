//! `cargo xtask fingerprint [N]`: hashes of carom's results, to show that a refactoring changes no bit.
//!
//! One hash each for N outcomes of one contact, those of the law chord apart from all others, N impacts of the array batch, the M, h, A and W of the built-in robots
//! in N / 100 random states each, N / 10 outcomes of several contacts, and the built-in simulations. The bits depend on
//! the processor's instruction set: compare hashes of one machine.

use std::process::ExitCode;

use carom::gallery;
use carom::law::batch::{Answers, Column, Problems, solve};
use carom::law::{Guard, Law, Mode};
use carom::models;
use carom::multibody::load::Options;
use carom::multibody::{ContactPoint, Contacts, Dynamics, Model};
use carom::sim::{Recorder, Simulation};
use carom_soak::random::{self, Kind};
use fastrand::Rng;
use serde_json::Value;

/// Default number of outcomes per hash.
const DEFAULT_COUNT: u64 = 100_000;

/// The first seed; problems are drawn until there are enough of a kind.
const FIRST: u64 = 20_200_617;

/// FNV-1a over 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.bytes(&x.to_bits().to_le_bytes()));
    }
}

fn main() -> ExitCode {
    let count = match std::env::args().nth(1).map(|text| text.parse::<u64>()) {
        None => DEFAULT_COUNT,
        Some(Ok(count)) => count,
        Some(Err(error)) => {
            eprintln!("fingerprint: the number of outcomes: {error}");
            return ExitCode::from(2);
        }
    };
    println!("one contact   {:016x}", outcomes(count, |kind| !kind.is_several && kind.law != Law::Chord));
    println!("chord         {:016x}", outcomes(count / 10, |kind| !kind.is_several && kind.law == Law::Chord));
    println!("array batch   {:016x}", batch(count as usize));
    println!("robots        {:016x}", robots(count / 100));
    println!("several       {:016x}", outcomes(count / 10, |kind| kind.is_several));
    println!("simulations   {:016x}", simulations());
    ExitCode::SUCCESS
}

/// Outcomes and errors of random problems of some kinds.
fn outcomes(count: u64, is_wanted: impl Fn(&Kind) -> bool) -> u64 {
    let mut hash = Hash::new();
    let problems = (FIRST..).map(random::problem).filter(|(kind, _)| is_wanted(kind));
    for (_, problem) in problems.take(count as usize) {
        match problem.answer() {
            Ok(outcome) => hash.bytes(without_effort(outcome).to_string().as_bytes()),
            Err(refusal) => hash.bytes(refusal.kind.as_bytes()),
        }
    }
    hash.0
}

/// The effort of the solver is not part of the answer.
fn without_effort(mut outcome: Value) -> Value {
    if let Some(fields) = outcome.as_object_mut() {
        fields.remove("effort");
    }
    outcome
}

/// Random spatial contacts with a W of full rank.
fn batch(count: usize) -> u64 {
    let mut rng = Rng::with_seed(FIRST);
    let mut columns = vec![Vec::new(); 12];
    for _ in 0..count {
        let y: [[f64; 3]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| 2.0 * rng.f64() - 1.0));
        let w = |i: usize, j: usize| y.iter().map(|row| row[i] * row[j]).sum::<f64>();
        let v: [f64; 3] = [-rng.f64(), 2.0 * rng.f64() - 1.0, 2.0 * rng.f64() - 1.0];
        let (mu, e) = (rng.f64(), rng.f64());
        let numbers = [w(0, 0), w(0, 1), w(0, 2), w(1, 1), w(1, 2), w(2, 2), v[0], v[1], v[2], e, mu * 1.2, mu];
        columns.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
    }
    let mut problems = Problems::new(
        std::array::from_fn(|k| Column::from(&columns[k])),
        std::array::from_fn(|k| Column::from(&columns[6 + k])),
        &columns[9],
        &columns[11],
    );
    (problems.friction_static, problems.guard) = ((&columns[10]).into(), Guard::Slip);
    let mut mode = vec![None; count];
    let mut out = vec![vec![0.0; count]; 7];
    let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut out[..] else { unreachable!("seven columns") };
    let mut answers = Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change);
    let errors = solve(&problems, &mut answers).expect("columns of one length");
    let mut hash = Hash::new();
    hash.numbers(&[errors.len() as f64]);
    mode.iter().for_each(|mode| hash.bytes(&[mode.unwrap_or(Mode::Separating) as u8]));
    out.iter().for_each(|column| hash.numbers(column));
    hash.0
}

/// M, h, A and W of the built-in robots, and of a single contact W and v.
fn robots(states: u64) -> u64 {
    let mut hash = Hash::new();
    for built_in in models::MODELS {
        let model = built_in.load(&Options::default()).expect("a built-in model");
        let mut rng = Rng::with_seed(FIRST);
        let links = model.links().iter().filter_map(|link| model.find_link(&link.name));
        let points: Vec<ContactPoint> = links
            .filter(|link| model.is_moving(*link))
            .map(|link| ContactPoint::spatial(&model, link, [0.1, -0.2, 0.3], [0.0, 0.0, 1.0]).expect("a contact"))
            .collect();
        let mut contacts = Contacts::new(&model, &points[points.len().saturating_sub(3)..]);
        let mut dynamics = Dynamics::new(model.clone());
        for _ in 0..states {
            let (q, v) = state(&model, &mut rng);
            dynamics.set_state(&q, &v).expect("a state");
            hash.numbers(dynamics.mass_matrix().as_slice());
            hash.numbers(dynamics.bias());
            if dynamics.contact_terms(&mut contacts).is_ok() {
                hash.numbers(contacts.jacobian().as_slice());
                hash.numbers(contacts.delassus().as_slice());
                hash.numbers(contacts.velocity());
                hash.numbers(contacts.drift());
            }
            if let Some(Ok(terms)) = points.last().map(|point| dynamics.single_contact(point)) {
                hash.numbers(terms.delassus.as_flattened());
                hash.numbers(&terms.velocity);
            }
        }
    }
    hash.0
}

fn state(model: &Model, rng: &mut Rng) -> (Vec<f64>, Vec<f64>) {
    let mut q: Vec<f64> = (0..model.nq()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    model.normalize(&mut q);
    let v = (0..model.nv()).map(|_| 2.0 * rng.f64() - 1.0).collect();
    (q, v)
}

/// Events of the built-in simulations, and their last states.
fn simulations() -> u64 {
    let mut hash = Hash::new();
    for exhibit in gallery::SIMULATIONS {
        let setup = exhibit.setup().expect("a built-in scene");
        let until = setup.settings.until.min(2.0);
        let mut simulation = Simulation::new(setup).expect("a simulation");
        let mut recorder = Recorder::new();
        simulation.run_until(until, &mut recorder).expect("a run");
        let record = recorder.finish(&simulation);
        for event in &record.events {
            hash.bytes(serde_json::to_string(event).expect("an event is data").as_bytes());
        }
        hash.numbers(simulation.configuration());
        hash.numbers(simulation.velocity());
    }
    hash.0
}
