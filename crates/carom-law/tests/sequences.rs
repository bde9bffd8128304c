//! Impacts of one instant that follow each other.

use carom_law::{
    Coefficients, ContactSet, Dimension, Error, Friction, Guard, MatrixView, Restitution, SimultaneousOutcome,
};

/// A light ball, m = 1, that goes away from a wall at half the speed of a heavy one that comes: what they do without friction and loss.
fn squeezed(heavy: f64) -> Result<SimultaneousOutcome, Error> {
    let mass = [heavy, 0.0, 0.0, 1.0];
    // The gap between the balls, and that to the wall.
    let jacobian = [1.0, -1.0, 0.0, 1.0];
    let set = ContactSet::from_generalized(
        &[Dimension::Normal; 2],
        MatrixView::row_major(2, 2, &mass),
        MatrixView::row_major(2, 2, &jacobian),
        &[-1.0, 0.5],
    )?;
    let elastic = Coefficients::new(Restitution::new(1.0)?, Friction::new(0.0)?);
    set.impact(&[elastic; 2], Guard::Report)
}

/// The same by the formula of two balls and a change of sign, in turns: how often, and the velocities at last.
fn in_turns(heavy: f64) -> (u32, [f64; 2]) {
    let ([mut far, mut near], mut count) = ([-1.0_f64, 0.5], 0);
    loop {
        if far < near {
            (far, near) = (
                ((heavy - 1.0) * far + 2.0 * near) / (heavy + 1.0),
                ((1.0 - heavy) * near + 2.0 * heavy * far) / (heavy + 1.0),
            );
        } else if near < 0.0 {
            near = -near;
        } else {
            return (count, [far, near]);
        }
        count += 1;
    }
}

/// It goes to and fro `π √(M/m)` times. That of 1e6 was refused.
#[test]
fn a_light_ball_between_a_heavy_one_and_a_wall_is_followed_to_its_last_impact() {
    for heavy in [1e2, 1e4, 1e6] {
        let (count, [far, near]) = in_turns(heavy);
        let outcome = squeezed(heavy).unwrap();
        assert_eq!(outcome.sequence, count, "{heavy:e}");
        assert!((f64::from(count) / heavy.sqrt() - std::f64::consts::PI).abs() < 0.2, "{count} of {heavy:e}");
        let after = outcome.velocity.unwrap();
        assert!((after[0] - far).abs() < 1e-9 && (after[1] - near).abs() < 1e-9 * heavy.sqrt(), "{after:?}");
        assert!(!outcome.settled);
    }
}

#[test]
fn a_sequence_that_is_too_long_is_refused_and_not_cut_short() {
    let error = squeezed(1e10).unwrap_err();
    assert!(matches!(&error, Error::NotConverged { field, .. } if field == "contact_velocity.after"), "{error}");
}

/// A mechanism of one joint, each contact with a tangent that nothing moves along: a slip whose direction is rounded brought 6e-34 there,
/// where the check lets nothing pass. Found by the soak.
#[test]
fn a_tangent_that_nothing_moves_along_keeps_its_velocity() {
    for (mass, mu) in [(9.0, 1.47), (1.0, 1.5)] {
        let set = ContactSet::from_generalized(
            &[Dimension::Spatial; 2],
            MatrixView::row_major(1, 1, &[mass]),
            MatrixView::row_major(6, 1, &[-1.0, 0.0, 1.0, 2.0, -1.0, 0.0]),
            &[2.0],
        )
        .unwrap();
        let coefficients =
            |e: f64, mu: f64| Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap());
        let outcome = set.impact(&[coefficients(0.9, mu), coefficients(0.2, 0.7)], Guard::Slip).unwrap();
        assert_eq!(outcome.contacts[0].contact_velocity.after[1], 0.0);
        assert_eq!(outcome.contacts[1].contact_velocity.after[2], 0.0);
    }
}
