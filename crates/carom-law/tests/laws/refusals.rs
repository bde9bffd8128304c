//! What laws refuse, and what they answer at the edge of that.

use carom_law::{Coefficients, Contact, Delassus, ErrorKind, Guard, Law, Mode, Restitution};

use crate::common::random::{self, Family, Problem, generator};
use crate::{OF_PATHS, RIVALS, by, kane};

#[test]
fn guards_belong_to_aghili() {
    for law in RIVALS {
        for guard in [Guard::Limit, Guard::Slip] {
            let problem = kane(0.5, 0.5);
            let result = problem.contact().unwrap().impact_by(law, &problem.coefficients().unwrap(), guard);
            let error = result.unwrap_err();
            assert_eq!((error.kind(), error.field()), (ErrorKind::Unsupported, "guard"));
            assert!(error.to_string().contains(law.name()) && error.to_string().contains(guard.name()));
        }
    }
}

#[test]
fn friction_is_needed_as_ever() {
    let coefficients = Coefficients::frictionless(Restitution::new(0.5).unwrap());
    for law in RIVALS {
        for v in [-1.0, 1.0] {
            let contact = Contact::new(Delassus::planar([[1.0, 0.0], [0.0, 1.0]]).unwrap(), &[v, 0.0]).unwrap();
            let error = contact.impact_by(law, &coefficients, Guard::Report).unwrap_err();
            assert_eq!((error.kind(), error.field()), (ErrorKind::Missing, "friction"));
        }
    }
}

/// Painlevé's rod with friction beyond `W_nn / w·u = 4/3`: while it slips, the normal velocity falls on.
#[test]
fn paths_end_where_friction_jams() {
    let w = [[1.6, -1.2, 0.0], [-1.2, 3.4, 0.0], [0.0; 3]];
    let problem = Problem { d: 2, w, v: [-0.02, -3.0, 0.0], e: 0.5, e_t: 0.0, mu_s: 1.4, mu_d: 1.4 };
    for law in OF_PATHS {
        let jammed = by(&problem, law).unwrap();
        assert_eq!(jammed.phases.as_deref(), Some("slip- stick | stick"));
        assert!(jammed.impulse[0] * w[0][0] > 10.0 * 0.02 && jammed.energy.change < 0.0);
    }
}

/// Friction against the slip before, where stick asks for more than there is.
#[test]
fn newton_has_no_answer_where_friction_jams() {
    let mut rng = generator("jam");
    let mut seen = 0;
    while seen < 10 {
        let problem = random::problem(&mut rng, 3, Family::Plain);
        if let Err(error) = by(&problem, Law::Newton) {
            assert_eq!((error.kind(), error.field()), (ErrorKind::Unsupported, "law"));
            assert!(error.to_string().starts_with("law = \"newton\" has no answer"));
            seen += 1;
        }
    }
}

/// A pendulum of one joint that friction holds: at rest along one direction it rests along both.
#[test]
fn singular_matrices() {
    let arm = |mu: f64| Problem {
        d: 2,
        w: [[2.25, 1.299038105676658, 0.0], [1.299038105676658, 0.75, 0.0], [0.0; 3]],
        v: [-0.8660254037844386, -0.5, 0.0],
        e: 0.6,
        e_t: 0.0,
        mu_s: mu,
        mu_d: mu,
    };
    for law in [Law::Newton, Law::Moreau, Law::ChatterjeeRuina, Law::Poisson, Law::Stronge, Law::NewtonRouth] {
        assert!(by(&arm(0.3), law).is_ok(), "{}", law.name());
    }
    assert_eq!(by(&arm(0.3), Law::AghiliPrinted).unwrap_err().kind(), ErrorKind::Unsupported);
    for law in [Law::Stronge, Law::NewtonRouth] {
        assert_eq!(by(&arm(2.0), law).unwrap_err().kind(), ErrorKind::Unsupported);
        assert!(by(&Problem { e: 0.0, ..arm(2.0) }, law).is_ok());
    }
    let held = by(&arm(2.0), Law::Poisson).unwrap();
    assert!(held.contact_velocity.after.iter().all(|v| v.abs() < 1e-15), "{held:?}");
}

/// A contact that does not slide before the impact and cannot stick slips where it would go without friction.
#[test]
fn newton_without_slip_before() {
    let problem = Problem { v: [-1.0, 0.0, 0.0], ..kane(0.5, 0.1) };
    let outcome = by(&problem, Law::Newton).unwrap();
    assert_eq!(outcome.mode, Mode::Slip);
    assert_eq!(&outcome.direction.unwrap()[..], [1.0]);
    assert!(outcome.contact_velocity.after[1] > 0.0);
}
