//! The judge detects errors: an outcome is changed in one place, and the corresponding condition fails.

use carom::law::{Guard, Law};
use carom_soak::judge::judge;
use carom_soak::problem::{Contact, Problem, Terms};
use carom_soak::verdict::Condition;
use serde_json::{Value, json};

/// A rod at 45 degrees, struck at its lower end, with the answer in whole fractions: e = 1/2, mu = 0.8 sticks.
fn rod(mu: f64, guard: Guard) -> Problem {
    let half = 0.125_f64.sqrt();
    Problem {
        terms: Terms::Generalized {
            mass: vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0 / 12.0]],
            jacobian: vec![vec![0.0, 1.0, -half], vec![1.0, 0.0, half]],
            velocity: vec![2.0, -1.0, 0.0],
        },
        contacts: vec![Contact { dimension: 2, normal: 0.5, tangential: 0.0, mu_s: mu, mu_d: mu }],
        law: Law::Aghili,
        guard,
    }
}

/// The rod's contact alone, W and v by hand: W = [[2.5, -1.5], [-1.5, 2.5]].
fn contact(mu: f64) -> Problem {
    let terms = Terms::ContactSpace { delassus: vec![vec![2.5, -1.5], vec![-1.5, 2.5]], velocity: vec![-1.0, 2.0] };
    Problem { terms, ..rod(mu, Guard::Report) }
}

/// Two corners of a planar box (rank 3): slip at both.
fn box_corners() -> Problem {
    let delassus = vec![
        vec![3.4, -1.2, -1.4, -1.2],
        vec![-1.2, 1.6, 1.2, 1.6],
        vec![-1.4, 1.2, 3.4, 1.2],
        vec![-1.2, 1.6, 1.2, 1.6],
    ];
    let corner = |normal: f64| Contact { dimension: 2, normal, tangential: 0.0, mu_s: 0.3, mu_d: 0.3 };
    Problem {
        terms: Terms::ContactSpace { delassus, velocity: vec![-1.3, 0.95, -0.7, 0.95] },
        contacts: vec![corner(0.5), corner(0.2)],
        law: Law::Aghili,
        guard: Guard::Report,
    }
}

#[track_caller]
fn assert_holds(problem: &Problem) -> Value {
    let outcome = problem.answer().unwrap();
    let verdict = judge(problem, &outcome);
    assert_eq!(verdict.failures().collect::<Vec<_>>(), [], "{verdict:?}\n{outcome}");
    outcome
}

/// `outcome` with one entry changed fails at `condition`.
#[track_caller]
fn assert_found(problem: &Problem, outcome: &Value, place: &str, changed: Value, condition: Condition) {
    let mut wrong = outcome.clone();
    *wrong.pointer_mut(place).unwrap() = changed;
    let failures: Vec<Condition> = judge(problem, &wrong).failures().collect();
    assert!(failures.contains(&condition), "{place}: {failures:?} without {condition:?}");
}

fn moved(outcome: &Value, place: &str, by: f64) -> Value {
    json!(outcome.pointer(place).unwrap().as_f64().unwrap() + by)
}

#[test]
fn every_number_of_a_generalized_outcome_is_held_to_the_motion() {
    let problem = rod(0.4, Guard::Slip);
    let outcome = assert_holds(&problem);
    assert_eq!(outcome["mode"], "slip");
    for (place, condition) in [
        ("/velocity/0", Condition::Momentum),
        ("/velocity/1", Condition::Restitution),
        ("/velocity/2", Condition::After),
        ("/impulse/0", Condition::Momentum),
        ("/impulse/1", Condition::Tangential),
        ("/contact_velocity/before/1", Condition::Before),
        ("/contact_velocity/after/0", Condition::After),
        ("/energy/before", Condition::Ledger),
        ("/energy/after", Condition::Ledger),
        ("/energy/change", Condition::Ledger),
        ("/energy/normal", Condition::Ledger),
        ("/direction/0", Condition::Tangential),
        ("/restitution/normal", Condition::Request),
        ("/guard/restitution", Condition::Request),
    ] {
        assert_found(&problem, &outcome, place, moved(&outcome, place, 1e-7), condition);
        assert_found(&problem, &outcome, place, Value::Null, Condition::Finite);
    }
    assert_found(&problem, &outcome, "/mode", json!("stick"), Condition::Tangential);
    assert_found(&problem, &outcome, "/mode", json!("reversal"), Condition::Tangential);
    assert_found(&problem, &outcome, "/mode", json!("separating"), Condition::Sign);
    assert_found(&problem, &outcome, "/direction", Value::Null, Condition::Tangential);
}

/// A self-consistent answer that penetrates the surface, pulls, leaves its cone or creates energy.
#[test]
fn an_impulse_that_breaks_the_law_is_found() {
    let problem = contact(0.4);
    let [v_n, v_t] = [-1.0, 2.0];
    let consistent = |i: [f64; 2], guard: &str| {
        let after = [v_n + 2.5 * i[0] - 1.5 * i[1], v_t - 1.5 * i[0] + 2.5 * i[1]];
        let [normal, tangential] = [0.5 * (v_n + after[0]) * i[0], 0.5 * (v_t + after[1]) * i[1]];
        json!({"mode": "slip", "impulse": i, "contact_velocity": {"before": [v_n, v_t], "after": after},
            "direction": [1.0], "restitution": {"normal": 0.5, "tangential": 0.0},
            "energy": {"change": normal + tangential, "normal": normal, "tangential": tangential},
            "guard": {"name": guard, "restitution": 0.5}, "admissible": false})
    };
    let failures = |i: [f64; 2]| judge(&problem, &consistent(i, "report")).failures().collect::<Vec<_>>();
    // i_n = 1.5 / (2.5 + 0.4 * 1.5), friction against the slip.
    let i_n = 1.5 / 3.1;
    assert_eq!(failures([i_n, -0.4 * i_n]), []);
    assert!(failures([i_n, -0.4 * i_n * (1.0 + 1e-8)]).contains(&Condition::Cone));
    assert!(failures([-1.0, 0.0]).contains(&Condition::Sign));
    assert!(failures([0.3, -0.12]).contains(&Condition::Penetration));
    assert!(failures([1.0, -0.4]).contains(&Condition::Restitution));
    let guarded = Problem { guard: Guard::Slip, ..problem.clone() };
    let gaining = judge(&guarded, &consistent([2.0, -0.8], "slip"));
    assert!(gaining.failures().any(|condition| condition == Condition::Energy));
}

#[test]
fn several_contacts_are_held_to_complementarity() {
    let problem = box_corners();
    let outcome = assert_holds(&problem);
    for (place, condition) in [
        ("/contacts/0/impulse/0", Condition::After),
        ("/contacts/1/impulse/1", Condition::Tangential),
        ("/contacts/1/contact_velocity/after/0", Condition::After),
        ("/contacts/0/restitution_used", Condition::Request),
        ("/energy/change", Condition::Ledger),
    ] {
        assert_found(&problem, &outcome, place, moved(&outcome, place, 1e-7), condition);
    }
    // Impulses that are not complementary: the second contact rebounds faster than it should and is pushed all the same.
    let pushed = moved(&outcome, "/contacts/1/impulse/0", 0.1);
    assert_found(&problem, &outcome, "/contacts/1/impulse/0", pushed, Condition::Restitution);
}

/// The judgement does not depend on units: the same ratios, up to rounding, from 1e-100 to 1e100.
#[test]
fn units_do_not_change_the_verdict() {
    let problem = rod(0.4, Guard::Report);
    let outcome = assert_holds(&problem);
    let wrong = |outcome: &Value| {
        let mut wrong = outcome.clone();
        let x = wrong["velocity"][1].as_f64().unwrap();
        wrong["velocity"][1] = json!(x * (1.0 + 1e-6));
        wrong
    };
    let reference = judge(&problem, &wrong(&outcome)).of(Condition::Restitution);
    assert!(reference > 1.0);
    for (mass_unit, speed_unit) in [(1e100, 1e-30), (1e-100, 1e40), (3e77, 7e-55)] {
        let mut other = problem.clone();
        let Terms::Generalized { mass, velocity, .. } = &mut other.terms else { unreachable!() };
        mass.iter_mut().flatten().for_each(|x| *x *= mass_unit);
        velocity.iter_mut().for_each(|x| *x *= speed_unit);
        let outcome = assert_holds(&other);
        let ratio = judge(&other, &wrong(&outcome)).of(Condition::Restitution);
        assert!((ratio / reference - 1.0).abs() < 1e-6, "{ratio} and {reference}");
    }
}
