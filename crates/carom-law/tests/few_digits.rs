//! Numbers that have lost their digits, or whose digits others take: an error that names the field, and no energy from nothing.

mod common;

use carom_law::{
    Coefficients, Contact, ContactSet, Delassus, Dimension, Error, ErrorKind, Friction, GeneralizedContact, Guard,
    MatrixView, Mode, Restitution,
};
use common::random;
use fastrand::Rng;

fn coefficients(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

#[track_caller]
fn assert_beyond(result: carom_law::Result<impl std::fmt::Debug>, field: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Overflow, field), "{error}");
}

/// Velocities of 1e-319 have three digits, and so have those after the impact.
#[test]
fn velocities_with_few_digits_are_beyond_the_range() {
    let delassus = Delassus::planar([[2.5, -1.5], [-1.5, 2.5]]).unwrap();
    let planar = [Dimension::Planar; 2];
    let w = [2.5, -1.5, 0.5, 0.0, -1.5, 2.5, 0.0, 0.5, 0.5, 0.0, 2.5, -1.5, 0.0, 0.5, -1.5, 2.5];
    let (mass, jacobian) = ([2.0, 0.5, 0.5, 1.0], [1.0, 0.25, -0.5, 1.0]);
    let (mass, one) = (MatrixView::row_major(2, 2, &mass), MatrixView::row_major(2, 2, &jacobian));
    let both = [jacobian, [0.5, 1.0, 1.0, -0.5]].concat();
    let both = MatrixView::row_major(4, 2, &both);
    for guard in Guard::ALL {
        let single = |v: f64| Contact::new(delassus, &[-v, 2.0 * v]).unwrap().impact(&coefficients(0.5, 0.4), guard);
        let robot = |v: f64| {
            let robot = GeneralizedContact::new(mass, one, &[-v, 0.5 * v]).unwrap();
            robot.impact(&coefficients(0.5, 0.4), guard)
        };
        let pair = [coefficients(0.5, 0.4), coefficients(0.25, 0.3)];
        let several = |v: f64| {
            let set = ContactSet::new(&planar, MatrixView::row_major(4, 4, &w), &[-v, 2.0 * v, -v, v]).unwrap();
            set.impact(&pair, guard)
        };
        let robots = |v: f64| {
            let set = ContactSet::from_generalized(&planar, mass, both, &[-v, -0.5 * v]).unwrap();
            set.impact(&pair, guard)
        };
        assert_beyond(single(1e-319), "contact_velocity.after");
        assert_beyond(robot(1e-319), "contact_velocity.after");
        assert_beyond(several(1e-319), "contacts[0].contact_velocity.after");
        assert_beyond(robots(1e-319), "contacts[0].contact_velocity.after");
        // The same faster, whose energies are below all numbers.
        for v in [1e-290, 1e-200] {
            let results = [single(v).err(), robot(v).err(), several(v).err(), robots(v).err()];
            assert_eq!(results, [None, None, None, None], "{v:e}");
        }
    }
}

/// Contact velocities of 1e-270 of a robot whose own are 1e-320, and impulses of 1e-320.
#[test]
fn impulses_and_coordinates_with_few_digits_are_beyond_the_range() {
    let delassus = |w: f64| Delassus::planar([[w, 0.25 * w], [0.25 * w, w]]).unwrap();
    let impact =
        |w: f64| Contact::new(delassus(w), &[-1e-160, 1e-160]).unwrap().impact(&coefficients(0.5, 0.4), Guard::Report);
    assert_beyond(impact(1e160), "impulse");
    assert!(impact(1e130).is_ok());
    let mass = [2e150, 0.5e150, 0.5e150, 1e150];
    let robot = |reach: f64| {
        let jacobian = [reach, 0.25 * reach, -0.5 * reach, reach];
        let (mass, jacobian) = (MatrixView::row_major(2, 2, &mass), MatrixView::row_major(2, 2, &jacobian));
        let v = 1e-270 / reach;
        GeneralizedContact::new(mass, jacobian, &[-v, 0.5 * v]).unwrap().impact(&coefficients(0.5, 0.4), Guard::Report)
    };
    assert_beyond(robot(1e50), "velocity[0]");
    assert!(robot(1e10).is_ok());
}

/// What an impulse makes of the kinetic energy, and the rounding of that.
fn work(w: &[Vec<f64>], v: &[f64], i: &[f64]) -> (f64, f64) {
    let pushed = |r: usize| w[r].iter().zip(i).map(|(w, i)| w * i).sum::<f64>();
    let size = |r: usize| w[r].iter().zip(i).map(|(w, i)| (w * i).abs()).sum::<f64>();
    let rows = 0..v.len();
    let fastest = rows.clone().filter(|r| w[*r][*r] > 0.0).map(|r| v[r].abs() / w[r][r].sqrt()).fold(0.0, f64::max);
    let change: f64 = rows.clone().map(|r| i[r] * (v[r] + 0.5 * pushed(r))).sum();
    let rounding: f64 = rows.map(|r| i[r].abs() * (v[r].abs() + 0.5 * size(r))).sum();
    (change, 64.0 * v.len() as f64 * f64::EPSILON * rounding + 1e-9 * 0.5 * fastest * fastest)
}

/// `B Bᵀ` of rows whose sizes are up to 1e±22 of each other, and a velocity in its range.
fn far_rows(rng: &mut Rng, rows: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let columns = rng.usize(1..=rows + 1);
    let x: Vec<f64> = (0..columns).map(|_| random::normal(rng)).collect();
    let b: Vec<Vec<f64>> = (0..rows)
        .map(|_| {
            let size = random::decades(rng, -22.0, 22.0);
            (0..columns).map(|_| size * random::normal(rng)).collect()
        })
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let w = (0..rows).map(|i| (0..rows).map(|j| dot(&b[i.max(j)], &b[i.min(j)])).collect()).collect();
    (w, b.iter().map(|row| dot(row, &x)).collect())
}

/// Directions that are 1e28 times as mobile as others: the velocity of the slower ones is lost beside the faster, but no energy comes of it in an
/// answer that slides or is called admissible. Found by fuzzing.
#[test]
fn directions_far_apart_create_no_energy() {
    let mut rng = random::generator("directions_far_apart_create_no_energy");
    let (mut answers, mut refused) = (0, 0);
    for _ in 0..random::cases(20_000) {
        let dimensions: Vec<Dimension> =
            (0..rng.usize(1..=3)).map(|_| if rng.bool() { Dimension::Spatial } else { Dimension::Planar }).collect();
        let (w, v) = far_rows(&mut rng, dimensions.iter().map(|d| d.rows()).sum());
        let given: Vec<Coefficients> =
            dimensions.iter().map(|_| coefficients(rng.f64(), random::decades(&mut rng, -1.0, 4.0))).collect();
        let guard = Guard::ALL[rng.usize(0..3)];
        let told = if dimensions.len() == 1 {
            let contact = Delassus::from_rows(&w).and_then(|delassus| Contact::new(delassus, &v));
            contact.and_then(|contact| contact.impact(&given[0], guard)).map(|o| {
                let must_not_gain = guard != Guard::Report || o.mode != Mode::Stick || o.admissible;
                (o.impulse.to_vec(), must_not_gain)
            })
        } else {
            let flat = w.concat();
            let set = ContactSet::new(&dimensions, MatrixView::row_major(w.len(), w.len(), &flat), &v);
            set.and_then(|set| set.impact(&given, guard)).map(|o| {
                let slides = o.sequence <= 1 && o.contacts.iter().all(|contact| contact.mode != Mode::Stick);
                let must_not_gain = guard != Guard::Report || slides || o.admissible;
                (o.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect(), must_not_gain)
            })
        };
        match told {
            Ok((impulse, must_not_gain)) => {
                answers += 1;
                let (change, bound) = work(&w, &v, &impulse);
                assert!(
                    !must_not_gain || change <= 4.0 * bound,
                    "{change:e} {bound:e}\n{w:?}\n{v:?}\n{given:?} {guard:?}"
                );
            }
            Err(Error::CheckFailed { .. } | Error::NotConverged { .. }) => refused += 1,
            Err(_) => {}
        }
    }
    println!("{answers} answers, {refused} refused after the check");
    assert!(answers > 2000);
}
