//! Inputs that once silently gave wrong answers, through the real command. Outcomes are checked against the
//! input by sums written out here.

mod common;

use std::path::PathBuf;

use common::{carom, numbers};
use serde_json::Value;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(name).with_extension("json")
}

fn problem(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file(name)).unwrap()).unwrap()
}

fn impact(name: &str) -> Value {
    carom(&["impact", file(name).to_str().unwrap(), "--format", "json"]).json()
}

fn matrix(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn times(matrix: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(v).map(|(a, v)| a * v).sum()).collect()
}

fn energy(mass: &[Vec<f64>], v: &[f64]) -> f64 {
    0.5 * times(mass, v).iter().zip(v).map(|(p, v)| p * v).sum::<f64>()
}

/// Two sticks that create energy reinforced each other through eighteen impacts: 10⁷ times the energy, and a residual
/// of 1e-17.
#[test]
fn sticks_that_feed_each_other_are_refused() {
    let ran = carom(&["impact", file("sticks-feed-each-other").to_str().unwrap(), "--format", "json"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    let error: Value = serde_json::from_str(&ran.out).or_else(|_| serde_json::from_str(&ran.err)).unwrap();
    assert_eq!(error["error"]["kind"], "check_failed", "{error}");
    // A guard ends the sequence.
    let guarded =
        carom(&["impact", file("sticks-feed-each-other").to_str().unwrap(), "--guard", "slip", "--format", "json"]);
    let outcome = guarded.json();
    let stated = problem("sticks-feed-each-other");
    let mass = matrix(&stated["mass_matrix"]);
    let (before, after) = (numbers(&stated["velocity"]), numbers(&outcome["velocity"]));
    assert!(energy(&mass, &after) <= energy(&mass, &before) * (1.0 + 1e-9));
}

#[test]
fn a_contact_without_friction_has_none_in_any_units() {
    let outcome = impact("frictionless-in-small-units");
    for contact in outcome["contacts"].as_array().unwrap() {
        let impulse = numbers(&contact["impulse"]);
        assert!(impulse[1..].iter().all(|i| *i == 0.0), "{contact}");
    }
}

#[test]
fn the_order_in_which_contacts_are_listed_changes_nothing() {
    let (listed, swapped) = (impact("contacts-listed"), impact("contacts-swapped"));
    let [a, b] = [&listed, &swapped].map(|outcome| outcome["contacts"].as_array().unwrap());
    for (one, other) in a.iter().zip(b.iter().rev()) {
        assert_eq!(one["mode"], other["mode"]);
        for (x, y) in numbers(&one["impulse"]).iter().zip(numbers(&other["impulse"])) {
            assert!((x - y).abs() <= 1e-12 * x.abs(), "{x} {y}");
        }
    }
    assert_eq!(listed["search"], "exhaustive");
    assert!(listed["solutions"].as_u64().unwrap() > 1);
}

/// cond(M) is 1.6e11: the energy rose by 2e-4 under a guard, while its reported change was -2e-28.
#[test]
fn a_guard_holds_where_the_mass_matrix_is_ill_conditioned() {
    let (stated, outcome) = (problem("guarded-ill-conditioned"), impact("guarded-ill-conditioned"));
    let mass = matrix(&stated["mass_matrix"]);
    let (before, after) = (numbers(&stated["velocity"]), numbers(&outcome["velocity"]));
    let sizes: Vec<Vec<f64>> = mass.iter().map(|row| row.iter().map(|m| m.abs()).collect()).collect();
    let size: Vec<f64> = after.iter().map(|v| v.abs()).collect();
    let bound = 1e-9 * energy(&mass, &before) + 32.0 * 4.0 * f64::EPSILON * 2.0 * energy(&sizes, &size);
    let change = energy(&mass, &after) - energy(&mass, &before);
    assert!(change <= bound, "{change:e} {bound:e}");
    assert!((change - outcome["energy"]["change"].as_f64().unwrap()).abs() <= bound);
    assert!(outcome["condition"]["mass_matrix"].as_f64().unwrap() > 1e9);
}

/// v_n⁻ is 1e-17 of v_t⁻: (1 + e_t) v_t⁻ is zero, and the remainder decides. The number was computed with 50 digits.
#[test]
fn grazing_with_full_tangential_reversal_is_decided_by_what_is_left() {
    let outcome = impact("grazing-with-full-tangential-reversal");
    let critical = outcome["critical_friction"].as_f64().unwrap();
    assert!((critical - 1.0014131344044997).abs() < 1e-9, "{critical}");
    assert_eq!(outcome["mode"], "slip");
}

#[test]
fn a_stick_with_large_friction_stays_in_its_cone() {
    let (stated, outcome) = (problem("singular-with-large-friction"), impact("singular-with-large-friction"));
    let impulse = numbers(&outcome["impulse"]);
    let mu = stated["friction"]["static"].as_f64().unwrap();
    assert!(impulse[1].hypot(impulse[2]) <= mu * impulse[0] * (1.0 + 1e-12), "{impulse:?}");
    let moved = times(&matrix(&stated["delassus"]), &impulse);
    let (before, after) = (numbers(&stated["contact_velocity"]), numbers(&outcome["contact_velocity"]["after"]));
    for row in 0..3 {
        let scale: f64 = before.iter().map(|v| v.abs()).sum();
        assert!((before[row] + moved[row] - after[row]).abs() <= 1e-9 * scale, "{row}");
    }
}

/// It was rejected with a field that was not given.
#[test]
fn nearly_parallel_rows_are_answered() {
    let (stated, outcome) = (problem("nearly-parallel-rows"), impact("nearly-parallel-rows"));
    let jacobian = matrix(&stated["contact_jacobian"]);
    let velocity = numbers(&outcome["velocity"]);
    let size: f64 = velocity.iter().map(|v| v.abs()).sum();
    let after = times(&jacobian, &velocity);
    let before = times(&jacobian, &numbers(&stated["velocity"]));
    assert!((after[0] + 0.3 * before[0]).abs() <= 64.0 * f64::EPSILON * size, "{after:?}");
    assert_eq!(outcome["mode"], "stick");
    assert!(after[1].abs() <= 64.0 * f64::EPSILON * size, "{after:?}");
}
