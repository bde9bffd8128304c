//! Cases in closed form.

use super::*;

/// A particle on an incline that falls towards `heading`.
fn particle(slope: f64, heading: f64, d: usize) -> (DMatrix<f64>, DVector<f64>) {
    let g = gravity(G, slope, heading).0;
    let alpha = if d == 3 { vec![g.z, g.x, g.y] } else { vec![g.z, g.x] };
    (DMatrix::identity(d, d), DVector::from_vec(alpha))
}

#[test]
fn a_particle_on_an_incline_slips_beyond_the_angle_of_friction() {
    let mu: f64 = 0.6;
    for d in [2, 3] {
        let heading: f64 = if d == 3 { 0.8 } else { 0.0 };
        for (slope, slips) in [(mu.atan(), false), (mu.atan() - 1e-10, false), (mu.atan() + 1e-10, true)] {
            let (w, alpha) = particle(slope, heading, d);
            let found = decided(&w, &alpha, &at_rest(d, 1, mu, 0.5));
            assert_eq!(is_onset(&found.modes[0]), slips, "{slope}: {found:?}");
            if let ClosedMode::Slip { direction, .. } = found.modes[0] {
                assert!((direction[0] - heading.cos()).abs() < 1e-15 && direction[1].abs() - heading.sin() < 1e-15);
                let expected = G * (slope.sin() - 0.5 * slope.cos());
                assert!((norm(&found.accelerations[1..]) - expected).abs() < 1e-14);
            }
        }
    }
}

#[test]
fn a_sphere_rolls_up_to_seven_halves_of_the_angle_of_friction() {
    let mu = 0.2;
    for (tangent, slips) in [(3.5 * mu - 1e-9, false), (3.5 * mu + 1e-9, true)] {
        let (_, alpha) = particle(f64::atan(tangent), 1.0, 3);
        let w = DMatrix::from_diagonal(&DVector::from_row_slice(&[1.0, 3.5, 3.5]));
        let found = decided(&w, &alpha, &at_rest(3, 1, mu, mu));
        assert_eq!(is_onset(&found.modes[0]), slips, "{found:?}");
    }
}

#[test]
fn a_leaning_rod_presses_and_rubs_as_the_textbook_says() {
    for degrees in [20.0_f64, 45.0, 60.0, 80.0] {
        let (s, c) = degrees.to_radians().sin_cos();
        // Mass and length 1, its lower end on the floor, centre to the right: at rest, gravity alone.
        let coupling = 3.0 * s * c;
        let w = DMatrix::from_row_slice(2, 2, &[1.0 + 3.0 * c * c, -coupling, -coupling, 1.0 + 3.0 * s * s]);
        let alpha = DVector::from_row_slice(&[-G, 0.0]);
        let critical = 3.0 * s * c / (4.0 - 3.0 * c * c);
        let found = decided(&w, &alpha, &at_rest(2, 1, critical * (1.0 + 1e-9), 0.1));
        assert_eq!(found.modes, [ClosedMode::Stick]);
        assert!((found.forces[0] - G * (1.0 - 0.75 * c * c)).abs() < 1e-12);
        assert!((found.forces[1].abs() - 0.75 * G * s * c).abs() < 1e-12);
        let found = decided(&w, &alpha, &at_rest(2, 1, critical * (1.0 - 1e-9), critical * (1.0 - 1e-9)));
        assert!(is_onset(&found.modes[0]), "{found:?}");
    }
}

#[test]
fn a_brick_slides_down_when_it_should() {
    for d in [2, 3] {
        let body = Body::on_corners(2.5, [0.1, 0.07, 0.05], d);
        let m = body.points.len();
        let at = |degrees: f64| {
            let alpha = body.at_contacts(gravity(G, degrees.to_radians(), 0.0));
            decided(&body.delassus(), &alpha, &at_rest(d, m, 0.5, 0.5))
        };
        let threshold = 26.56505117707799;
        for degrees in [10.0, 20.0, 26.5, threshold - 1e-8] {
            assert_eq!(at(degrees).modes, vec![ClosedMode::Stick; m], "{degrees}");
        }
        for (degrees, expected) in
            [(threshold + 1e-7, None), (28.0, Some(0.2746580879565519)), (30.0, Some(0.6571453944373284))]
        {
            let found = at(degrees);
            for (mode, a) in found.modes.iter().zip(found.accelerations.chunks(d)) {
                let ClosedMode::Slip { direction, onset: true } = *mode else { panic!("{degrees}: {found:?}") };
                assert!((direction[0] - 1.0).abs() < 1e-6 && direction[1].abs() < 1e-6, "{found:?}");
                if let Some(expected) = expected {
                    assert!((a[1] - expected).abs() < 1e-12 && a[0].abs() < 1e-12, "{found:?}");
                }
            }
        }
    }
}

#[test]
fn a_pushed_block_breaks_loose_at_static_friction_and_slides_with_dynamic() {
    let body = Body::on_corners(1.0, [0.1, 0.1, 0.05], 2);
    for (force, slips) in [(4.905 - 1e-8, false), (4.905 + 1e-8, true), (8.0, true)] {
        let mut free = gravity(G, 0.0, 0.0);
        free.0.x += force;
        let found = decided(&body.delassus(), &body.at_contacts(free), &at_rest(2, 2, 0.5, 0.4));
        assert_eq!(found.modes.iter().filter(|mode| is_onset(mode)).count(), if slips { 2 } else { 0 }, "{found:?}");
        if slips {
            assert!((found.accelerations[1] - (force - 0.4 * G)).abs() < 1e-12, "{found:?}");
        }
    }
}

#[test]
fn a_tall_box_tips_over_its_lower_edge() {
    // tan 25° > 1/3: it turns about the front corners, at 3/4 of what the unsupported torque gives a rod.
    for d in [2, 3] {
        let body = Body::on_corners(1.0, [0.1, 0.1, 0.3], d);
        let slope = 25f64.to_radians();
        let found = decided(
            &body.delassus(),
            &body.at_contacts(gravity(G, slope, 0.0)),
            &at_rest(d, body.points.len(), 0.8, 0.8),
        );
        let expected = if d == 2 { vec![0, 1] } else { vec![0, 1, 0, 1] };
        for (mode, front) in found.modes.iter().zip(expected) {
            assert_eq!(*mode, if front == 1 { ClosedMode::Stick } else { ClosedMode::Detach }, "{found:?}");
        }
        // Torque about the edge over the moment of inertia there lifts the rear corner.
        let square = 0.1_f64 * 0.1 + 0.3 * 0.3;
        let angular = G * (0.3 * slope.sin() - 0.1 * slope.cos()) / (square * 4.0 / 3.0);
        assert!((found.accelerations[0] - 0.2 * angular).abs() < 1e-12, "{found:?}");
    }
}

fn painleve() -> DMatrix<f64> {
    let (s, c) = 60f64.to_radians().sin_cos();
    let coupling = -3.0 * s * c;
    DMatrix::from_row_slice(2, 2, &[1.0 + 3.0 * c * c, coupling, coupling, 1.0 + 3.0 * s * s])
}

#[test]
fn a_rod_in_painleves_paradox_jams_or_lifts_off() {
    let sliding = [closed(2, 1.8, 1.8, Tangential::Sliding { direction: [-1.0, 0.0] })];
    let at = |alpha: &[f64]| decide((&painleve()).into(), alpha, &sliding).unwrap();
    match at(&[-G, 0.0]) {
        Decision::Jammed { contact: 0, reduced } => assert!((reduced * 1.75 + 0.588269).abs() < 1e-6),
        other => panic!("{other:?}"),
    }
    let Decision::Decided(found) = at(&[1.0, 0.0]) else { panic!() };
    assert!(found.ambiguous && found.modes == [ClosedMode::Detach], "{found:?}");
    // The other way it slides as any rod does.
    let other = [closed(2, 1.8, 1.8, Tangential::Sliding { direction: [1.0, 0.0] })];
    let found = decided(&painleve(), &DVector::from_row_slice(&[-G, 0.0]), &other);
    assert!(!found.ambiguous && found.forces[0] > 0.0);
}

/// A rod in the paradox beside a block on two corners that does not know of it.
#[test]
fn a_jam_among_others_is_named() {
    let body = Body::on_corners(1.0, [0.1, 0.1, 0.05], 2);
    let mut w = DMatrix::zeros(6, 6);
    w.view_mut((0, 0), (4, 4)).copy_from(&body.delassus());
    w.view_mut((4, 4), (2, 2)).copy_from(&painleve());
    let block = body.at_contacts(gravity(G, 0.1, 0.0));
    let mut contacts = at_rest(2, 2, 0.5, 0.4);
    contacts.push(closed(2, 1.8, 1.8, Tangential::Sliding { direction: [-1.0, 0.0] }));
    for (normal, jams) in [(-G, true), (0.5, false)] {
        let alpha = DVector::from_iterator(6, block.iter().copied().chain([normal, 0.0]));
        match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
            Decision::Jammed { contact, .. } => assert!(jams && contact == 2),
            Decision::Decided(found) => {
                assert!(!jams && found.ambiguous);
                assert_eq!(found.modes, [ClosedMode::Stick, ClosedMode::Stick, ClosedMode::Detach]);
            }
            other => panic!("{other:?}"),
        }
    }
}
