//! The rival laws: the published numbers, what each law claims, where they must agree, and what they refuse.

#[path = "../common/mod.rs"]
mod common;

mod agreement;
mod brute_force;
mod chord;
mod chord_brute;
mod claims;
mod compliance;
mod extremes;
mod published;
mod refusals;

use carom_law::{Guard, Law, Outcome};
use common::random::{self, Family, Problem};
use fastrand::Rng;

fn norm(v: &[f64]) -> f64 {
    v.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    norm(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<_>>())
}

const RIVALS: [Law; 9] = {
    let [_, rivals @ ..] = Law::ALL;
    rivals
};

/// Laws that follow the contact through the impact.
const OF_PATHS: [Law; 3] = [Law::Poisson, Law::Stronge, Law::NewtonRouth];

fn by(problem: &Problem, law: Law) -> carom_law::Result<Outcome> {
    problem.contact()?.impact_by(law, &problem.coefficients()?, Guard::Report)
}

/// Kane's double pendulum.
fn kane(e: f64, mu: f64) -> Problem {
    let w = [[1.0095602905040895, 1.5213086580107782, 0.0], [1.5213086580107782, 2.44033804569631, 0.0], [0.0; 3]];
    Problem { d: 2, w, v: [-0.13420201433256687, -0.2671743428354786, 0.0], e, e_t: 0.0, mu_s: mu, mu_d: mu }
}

/// A problem of order one: friction up to 2, condition numbers up to some thousands.
fn mild(rng: &mut Rng, d: usize) -> Problem {
    let family = if rng.bool() { Family::Plain } else { Family::Body };
    let mut problem = random::problem(rng, d, family);
    for k in 0..d {
        problem.w[k][k] += 0.05 * (problem.w[0][0] + problem.w[1][1] + problem.w[2][2]);
    }
    let mu = random::between(rng, 0.0, 2.0);
    Problem { mu_s: mu, mu_d: mu, e_t: 0.0, ..problem }
}
