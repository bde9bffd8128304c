//! The critical coefficients and limits as functions are the outcome's fields, to the last bit.

mod common;

use carom_law::{Guard, Restitution};
use common::random::{self, FAMILIES};

#[test]
fn curves_are_the_fields_of_outcomes() {
    let mut rng = random::generator("curves_are_the_fields_of_outcomes");
    for _ in 0..random::cases(2000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let p = random::problem(&mut rng, d, family);
        let (contact, outcome) = (p.contact().unwrap(), p.solve(Guard::Report).unwrap());
        let restitution = Restitution::with_tangential(p.e, p.e_t).unwrap();
        assert_eq!(contact.critical_friction(&restitution), outcome.critical_friction, "{p:?}");
        assert_eq!(contact.critical_reversal(&restitution), outcome.critical_reversal, "{p:?}");
        let printed = outcome.printed.and_then(|printed| printed.critical_friction);
        assert_eq!(contact.printed_critical_friction(&restitution), printed, "{p:?}");
        assert_eq!(contact.delassus().friction_limit(), outcome.friction_limit, "{p:?}");
        let configuration = Some(contact.delassus().restitution_limit(&restitution));
        assert_eq!(configuration, outcome.restitution_limit.configuration, "{p:?}");
        // The outcome's is rounded to the side that the energy decided.
        let (curve, field) =
            (contact.restitution_limit(&restitution).unwrap(), outcome.restitution_limit.state.unwrap());
        assert!(curve == field || field == p.e || field == p.e.next_down(), "{p:?}: {curve} {field}");
    }
}

#[test]
fn a_separating_contact_has_limits_of_its_configuration_only() {
    let mut rng = random::generator("a_separating_contact_has_limits_of_its_configuration_only");
    for _ in 0..random::cases(200) {
        let mut p = random::problem(&mut rng, 3, FAMILIES[0]);
        p.v[0] = -p.v[0];
        let (contact, restitution) = (p.contact().unwrap(), Restitution::new(p.e).unwrap());
        assert_eq!(contact.critical_friction(&restitution), None);
        assert_eq!(contact.critical_reversal(&restitution), None);
        assert_eq!(contact.restitution_limit(&restitution), None);
        assert!((0.0..=1.0).contains(&contact.delassus().restitution_limit(&restitution)));
    }
}
