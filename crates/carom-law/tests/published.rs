//! The published impacts of `reference/published`, through the library.

mod common;

use carom_law::{Coefficients, Friction, GeneralizedContact, Guard, Restitution};
use common::published::{self, Case};

fn solve(case: &Case) -> carom_law::Outcome {
    let restitution = Restitution::with_tangential(case.restitution, case.restitution_tangential).unwrap();
    let friction = Friction::with_static(case.friction_static, case.friction_dynamic).unwrap();
    let contact = GeneralizedContact::new(&case.mass_matrix, &case.contact_jacobian, case.velocity.as_slice()).unwrap();
    contact.impact(&Coefficients::new(restitution, friction), Guard::Report).unwrap()
}

#[test]
fn every_published_impact_agrees() {
    let cases = published::load();
    assert_eq!(cases.len(), 17);
    for case in &cases {
        let outcome = solve(case);
        case.assert_agrees(
            outcome.mode.name(),
            &outcome.impulse,
            &outcome.contact_velocity.after,
            outcome.velocity.as_deref().unwrap(),
        );
    }
}

#[test]
fn limits_and_discriminators_agree_where_the_collection_has_them() {
    for case in published::load().iter().filter(|case| case.restitution_tangential == 0.0) {
        let outcome = solve(case);
        let compare = |name: &str, found: Option<f64>| {
            if let Some(expected) = case.expected(name) {
                let found = found.unwrap_or_else(|| panic!("{}: {name} is missing", case.name));
                let tolerance = 1e-10 * expected.abs().max(1e-3);
                assert!((found - expected).abs() <= tolerance, "{}: {name} {found} != {expected}", case.name);
            }
        };
        compare("sigma", outcome.discriminator);
        compare("mu_cr", outcome.critical_friction);
        compare("mu_cr_paper_formula", outcome.printed.and_then(|p| p.critical_friction));
        compare("e_star_stick", outcome.restitution_limit.state);
        compare("e_star_worst", outcome.restitution_limit.configuration);
        compare("mu_star", outcome.friction_limit);
        compare("K_minus", outcome.energy.before);
        compare("K_plus", outcome.energy.after);
        compare("dK", Some(outcome.energy.change));
    }
}
