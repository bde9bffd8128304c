//! What one stage of an integrator costs on the quadruped of `crates/carom-scene/models/`: each computation in a new state, with its four feet
//! on the ground. Each time includes `set_state`; the first line is `set_state` only.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use carom_multibody::{CandidateOptions, Contacts, Dynamics, HalfSpace, Model, all_candidates, joint_limits, load};

/// Number of batches, of which the fastest counts.
const BATCHES: usize = 201;
const CALLS: usize = 500;

fn main() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/carom-scene/models/quadruped.urdf");
    let options = load::Options::new().floating_base(true);
    let model = load::file(&file, &options).expect("the quadruped");
    let floor = HalfSpace::new([0.0; 3], [0.0, 0.0, 1.0]).expect("a floor");
    let (candidates, _) = all_candidates(&model, &floor, &CandidateOptions::default()).expect("candidates");
    let limits = joint_limits(&model);
    let mut dynamics = Dynamics::new(model);
    let model = dynamics.model().clone();
    let points: Vec<_> = candidates.iter().map(|candidate| candidate.contact).collect();
    let mut contacts = Contacts::with_limits(&model, &points, &limits);
    // Four of them in space: twelve rows.
    let feet: Vec<usize> = feet(&model, &candidates);
    contacts.select(&feet).expect("feet");

    let n = model.nv();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut numbers = |count: usize| -> Vec<f64> { (0..count).map(|_| rng.f64() - 0.5).collect() };
    let (v, force, impulses) = (numbers(n), numbers(n), numbers(contacts.jacobian().rows()));
    let mut q = numbers(model.nq());
    assert!(model.normalize(&mut q));
    let (mut gaps, mut rates) = (vec![0.0; candidates.len()], vec![0.0; candidates.len()]);
    let mut change = vec![0.0; n];
    println!("{n} degrees of freedom, {} candidates, {} rows selected", candidates.len(), contacts.jacobian().rows());

    let mut time = |name: &str, work: &mut dyn FnMut(&mut Dynamics)| {
        let mut batch = || {
            let start = Instant::now();
            for _ in 0..CALLS {
                dynamics.set_state(&q, &v).expect("a state");
                work(&mut dynamics);
            }
            start.elapsed().as_secs_f64() / CALLS as f64
        };
        let fastest = (0..BATCHES).map(|_| batch()).fold(f64::INFINITY, f64::min);
        println!("{:7.0} ns  {name}", 1e9 * fastest);
    };
    time("set_state", &mut |_| {});
    time("gaps of all candidates", &mut |dynamics| {
        dynamics.gaps(&candidates, &mut gaps, &mut rates).expect("gaps");
    });
    time("forward_dynamics", &mut |dynamics| {
        black_box(dynamics.forward_dynamics(&force).expect("an acceleration"));
    });
    time("bias and solve_mass", &mut |dynamics| {
        for ((change, force), bias) in change.iter_mut().zip(&force).zip(dynamics.bias()) {
            *change = force - bias;
        }
        dynamics.solve_mass(&mut change).expect("an acceleration");
    });
    time("contact_kinematics", &mut |dynamics| dynamics.contact_kinematics(&mut contacts).expect("terms"));
    time("contact_terms", &mut |dynamics| dynamics.contact_terms(&mut contacts).expect("terms"));
    time("contact_terms and contact_response", &mut |dynamics| {
        dynamics.contact_terms(&mut contacts).expect("terms");
        dynamics.contact_response(&contacts, &impulses, &mut change).expect("a response");
    });
    time("gaps, bias, contact_terms, solve_mass, contact_response", &mut |dynamics| {
        dynamics.gaps(&candidates, &mut gaps, &mut rates).expect("gaps");
        dynamics.contact_terms(&mut contacts).expect("terms");
        for ((change, force), bias) in change.iter_mut().zip(&force).zip(dynamics.bias()) {
            *change = force - bias;
        }
        dynamics.solve_mass(&mut change).expect("an acceleration");
        dynamics.contact_response(&contacts, &impulses, &mut change).expect("a response");
    });
}

/// A candidate on the last link of each leg.
fn feet(model: &Model, candidates: &[carom_multibody::Candidate]) -> Vec<usize> {
    let is_last = |place: usize| model.links().iter().all(|link| link.parent.is_none_or(|id| id.index() != place));
    let mut feet: Vec<usize> = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        let link = candidate.contact.link();
        if is_last(link.index()) && feet.iter().all(|&foot| candidates[foot].contact.link() != link) {
            feet.push(i);
        }
    }
    feet
}
