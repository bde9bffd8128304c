//! The law against answers computed with 80 digits.

mod common;

use carom_law::{Guard, Outcome};
use common::precise::{self, Case, number, numbers};
use serde_json::Value;

/// Rounding allowed, relative to the number and times the condition of `W`: a dozen operations, each of
/// which loses half an ulp, on data that lose none.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

struct Check<'a> {
    case: &'a Case,
    tolerance: f64,
}

impl Check<'_> {
    fn vector(&self, what: &str, found: &[f64], expected: &Value, scale: f64) {
        let expected = numbers(expected);
        assert_eq!(found.len(), expected.len(), "{}: {what}", self.case.name);
        // Scaled before squaring: some cases are in units of 2^300.
        let largest = expected.iter().fold(scale, |m, x| m.max(x.abs()));
        let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| (x / largest).powi(2)).sum::<f64>().sqrt();
        if largest > 0.0 {
            let difference = norm(&mut found.iter().zip(&expected).map(|(a, b)| a - b));
            assert!(difference <= self.tolerance, "{}: {what} {found:?} != {expected:?}", self.case.name);
        }
    }

    fn scalar(&self, what: &str, found: Option<f64>, expected: &Value, scale: f64) {
        let expected = number(expected);
        let name = &self.case.name;
        assert_eq!(found.is_some(), expected.is_some(), "{name}: {what} {found:?} != {expected:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            let tolerance = self.tolerance * expected.abs().max(scale);
            assert!((found - expected).abs() <= tolerance, "{name}: {what} {found:e} != {expected:e}");
        }
    }
}

fn check(case: &Case) -> (Check<'_>, Outcome) {
    let outcome = case.problem.solve(Guard::Report).unwrap();
    (Check { case, tolerance: ROUNDING * case.condition.max(1.0) }, outcome)
}

#[test]
fn modes_impulses_and_velocities() {
    let cases = precise::load();
    assert!(cases.len() >= 250);
    for case in &cases {
        let (check, outcome) = check(case);
        let expected = &case.expected;
        if case.boundary.is_empty() {
            assert_eq!(outcome.mode.name(), expected["mode"], "{}", case.name);
        }
        if outcome.mode.name() == expected["mode"] {
            check.vector("impulse", &outcome.impulse, &expected["impulse"], 0.0);
            let before = case.problem.v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            check.vector("velocity", &outcome.contact_velocity.after, &expected["contact_velocity_after"], before);
            if let Some(u) = &outcome.direction {
                check.vector("direction", u, &expected["direction"], 1.0);
            }
            let energy = &outcome.energy;
            let exchanged: f64 = outcome.impulse.iter().zip(case.problem.v).map(|(i, v)| (i * v).abs()).sum();
            check.scalar("energy change", Some(energy.change), &expected["energy_change"], exchanged);
            check.scalar("normal part", Some(energy.normal), &expected["energy_normal"], exchanged);
            check.scalar("tangential part", Some(energy.tangential), &expected["energy_tangential"], exchanged);
        }
        if let Some(solutions) = outcome.solutions
            && case.boundary.is_empty()
        {
            assert_eq!(solutions as usize, expected["sliding"].as_array().unwrap().len(), "{}", case.name);
        }
    }
}

#[test]
fn limits_and_critical_coefficients() {
    for case in &precise::load() {
        let (check, outcome) = check(case);
        let expected = &case.expected;
        // σ = μ_s² i_n² - |i_t|², where i_n and i_t are each known to the size of the whole impulse.
        let [i_n, i_t] = stick_impulse(case, expected);
        let stick_size = (case.problem.mu_s.powi(2) * i_n + i_t) * (i_n + i_t);
        check.scalar("discriminator", outcome.discriminator, &expected["discriminator"], stick_size);
        // A small i_t is a difference of larger parts, of the size that friction 1 has in units of W.
        let w = &case.problem.w;
        let unit = (w[0][0] / w[1][1].max(w[2][2])).sqrt();
        check.scalar("critical friction", outcome.critical_friction, &expected["critical_friction"], unit);
        check.scalar("critical reversal", outcome.critical_reversal, &expected["critical_reversal"], unit);
        check.scalar("e*(v)", outcome.restitution_limit.state, &expected["restitution_limit"]["state"], 1.0);
        check.scalar(
            "e*",
            outcome.restitution_limit.configuration,
            &expected["restitution_limit"]["configuration"],
            1.0,
        );
        check.scalar("mu*", outcome.friction_limit, &expected["friction_limit"], 0.0);
        if case.boundary.is_empty() {
            assert_eq!(outcome.admissible, expected["admissible"], "{}", case.name);
        }
        if let Some(printed) = &outcome.printed {
            let wanted = &expected["printed"];
            check.scalar("printed critical", printed.critical_friction, &wanted["critical_friction"], unit);
        }
    }
}

/// The sizes of `i_n` and `i_t` of the stick impulse, from its discriminator and critical coefficient. Where
/// it pulls it has no critical coefficient; its tangential part is then of the size of velocity over `W`.
fn stick_impulse(case: &Case, expected: &Value) -> [f64; 2] {
    let p = &case.problem;
    let mu = p.mu_s;
    match (number(&expected["discriminator"]), number(&expected["critical_friction"])) {
        // σ = (μ_s² - μ_cr²) i_n².
        (Some(sigma), Some(critical)) => {
            let i_n = (sigma / ((mu - critical) * (mu + critical))).abs().sqrt();
            [i_n, critical * i_n]
        }
        (Some(sigma), None) => {
            let largest = p.v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let smallest = (0..p.d).fold(f64::INFINITY, |m, k| m.min(p.w[k][k]));
            [if mu > 0.0 { sigma.abs().sqrt() / mu } else { 0.0 }, 2.0 * largest / smallest]
        }
        (None, _) => [0.0, 0.0],
    }
}

#[test]
fn guards() {
    let mut acted = 0;
    for case in precise::load().iter().filter(|case| case.boundary.is_empty()) {
        let (check, report) = check(case);
        if report.admissible {
            continue;
        }
        acted += 1;
        let slip = case.problem.solve(Guard::Slip).unwrap();
        let choice = &case.expected["sliding_choice"];
        assert_eq!(slip.mode.name(), choice["mode"], "{}", case.name);
        check.vector("slip impulse", &slip.impulse, &choice["impulse"], 0.0);

        let limit = case.problem.solve(Guard::Limit).unwrap();
        let wanted = &case.expected["limit"];
        assert_eq!(limit.mode.name(), wanted["mode"], "{}", case.name);
        // The limit is a root: its rounding is that of the impulse again.
        let check = Check { tolerance: 16.0 * check.tolerance, ..check };
        check.scalar("limited restitution", Some(limit.guard.restitution), &wanted["restitution"], 1.0);
        check.vector("limited impulse", &limit.impulse, &wanted["impulse"], 0.0);
    }
    assert!(acted >= 40, "{acted}");
}
