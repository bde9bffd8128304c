//! What does not depend on how a simultaneous impact is written down.

mod common;

use carom_law::{Coefficients, ContactSet, Dimension, Guard, MatrixView, SimultaneousOutcome};
use common::random;
use common::systems::{self, FAMILIES, System};
use nalgebra::{DMatrix, DVector};

fn impulse(o: &SimultaneousOutcome) -> DVector<f64> {
    let numbers: Vec<f64> = o.contacts.iter().flat_map(|c| c.impulse.to_vec()).collect();
    DVector::from_vec(numbers)
}

fn solve(
    dimensions: &[Dimension],
    w: &DMatrix<f64>,
    v: &DVector<f64>,
    c: &[Coefficients],
    guard: Guard,
) -> carom_law::Result<SimultaneousOutcome> {
    let view = MatrixView::column_major(w.nrows(), w.ncols(), w.as_slice());
    ContactSet::new(dimensions, view, v.as_slice())?.impact(c, guard)
}

/// Of every family in turn.
fn for_each(test: &str, count: usize, mut check: impl FnMut(&mut fastrand::Rng, &System)) {
    let mut rng = random::generator(test);
    for k in 0..random::cases(count) {
        let system = System::random(&mut rng, FAMILIES[k % FAMILIES.len()]);
        check(&mut rng, &system);
    }
}

#[test]
fn same_problem_same_bits() {
    for_each("same_problem_same_bits", 90, |_, s| {
        for guard in Guard::ALL {
            assert_eq!(s.solve(guard), s.solve(guard));
        }
    });
}

/// Powers of two of the masses and of the speeds change no bit.
#[test]
fn units_change_no_bit() {
    for_each("units_change_no_bit", 180, |rng, s| {
        let (w, v, c) = (s.delassus(), s.contact_velocity(), s.coefficients());
        let Ok(o) = solve(&s.dimensions, &w, &v, &c, Guard::Slip) else { return };
        let (mass, speed) = (2f64.powi(rng.i32(-200..=200)), 2f64.powi(rng.i32(-200..=200)));
        let scaled = solve(&s.dimensions, &(w / mass), &(v * speed), &c, Guard::Slip).unwrap();
        assert_eq!(impulse(&o) * (mass * speed), impulse(&scaled));
        assert_eq!(o.energy.change * (mass * speed * speed), scaled.energy.change);
        assert_eq!((o.residual, o.strong, o.effort), (scaled.residual, scaled.strong, scaled.effort));
    });
}

/// `(M, A, v)` and `(W, v)` are the same problem but for the rounding in `W`; of its answers either may be found, so
/// the conditions are compared and not the impulses.
#[test]
fn both_forms_are_certified() {
    for_each("both_forms_are_certified", 180, |_, s| {
        let (Ok(a), Ok(b)) = (s.solve(Guard::Slip), s.solve_in_contact_space(Guard::Slip)) else { return };
        assert!(a.velocity.is_some() && b.velocity.is_none() && b.energy.before.is_none());
        // [7], to the rounding of its terms: where W is ill-conditioned, the velocity is not computed from the impulses.
        let (set, i) = (s.set().unwrap(), impulse(&a));
        let mut sizes = s.velocity.abs();
        for r in 0..i.len() {
            let mut one = DVector::zeros(i.len());
            one[r] = i[r];
            sizes += DVector::from_vec(set.velocity_change(one.as_slice()).unwrap()).abs();
        }
        let after = DVector::from_vec(a.velocity.unwrap());
        let pushed = &s.velocity + DVector::from_vec(set.velocity_change(i.as_slice()).unwrap());
        assert!((&after - pushed).amax() <= 64.0 * sizes.len() as f64 * f64::EPSILON * sizes.amax(), "{s:?}");
        let speed = s.contact_velocity().amax();
        for (k, contact) in a.contacts.iter().enumerate() {
            let rows = s.jacobian.rows(s.rows(k).start, s.rows(k).len()) * &after;
            for (x, y) in rows.iter().zip(contact.contact_velocity.after.iter()) {
                assert!((x - y).abs() <= 1e-8 * (speed + after.amax()), "{s:?}\n{contact:?}");
            }
        }
    });
}

/// Systems that nothing couples answer as each would alone.
#[test]
fn separate_systems_stay_separate() {
    let mut rng = random::generator("separate_systems_stay_separate");
    for k in 0..random::cases(90) {
        let a = System::random(&mut rng, FAMILIES[k % 8]);
        let b = System::random(&mut rng, FAMILIES[(k / 8) % 8]);
        // Contacts that are made to approach afterwards follow a clock of their own in each system.
        let (Ok(x), Ok(y)) = (a.solve_in_contact_space(Guard::Slip), b.solve_in_contact_space(Guard::Slip)) else {
            continue;
        };
        if x.sequence > 1 || y.sequence > 1 {
            continue;
        }
        let (wa, wb) = (a.delassus(), b.delassus());
        let (n, m) = (wa.nrows(), wb.nrows());
        let mut w = DMatrix::zeros(n + m, n + m);
        w.view_mut((0, 0), (n, n)).copy_from(&wa);
        w.view_mut((n, n), (m, m)).copy_from(&wb);
        let v = DVector::from_iterator(n + m, a.contact_velocity().iter().chain(b.contact_velocity().iter()).copied());
        let dimensions = [a.dimensions.clone(), b.dimensions.clone()].concat();
        let c = [a.coefficients(), b.coefficients()].concat();
        let both = solve(&dimensions, &w, &v, &c, Guard::Slip).unwrap();
        let size = impulse(&both).amax();
        for (contact, alone) in both.contacts.iter().zip(x.contacts.iter().chain(&y.contacts)) {
            assert_eq!(contact.mode, alone.mode, "{a:?}\n{b:?}");
            for (i, j) in contact.impulse.iter().zip(alone.impulse.iter()) {
                assert!((i - j).abs() <= 1e-12 * size, "{contact:?}\n{alone:?}");
            }
        }
    }
}

/// Where each contact's own part of `W` dominates, the order of the contacts does not matter.
#[test]
fn order_of_dominant_contacts_does_not_matter() {
    let mut rng = random::generator("order_of_dominant_contacts_does_not_matter");
    for _ in 0..random::cases(200) {
        let m = rng.usize(2..=8);
        let s = systems::random(&mut rng, m);
        let mut w = s.delassus();
        let n = w.nrows();
        for i in 0..n {
            w[(i, i)] += 20.0 * w.row(i).iter().map(|x| x.abs()).sum::<f64>();
        }
        let v = s.contact_velocity();
        let c = s.coefficients();
        let mut order: Vec<usize> = (0..m).collect();
        rng.shuffle(&mut order);
        let rows: Vec<usize> = order.iter().flat_map(|&k| s.rows(k)).collect();
        let turned = DMatrix::from_fn(n, n, |i, j| w[(rows[i], rows[j])]);
        let turned_v = DVector::from_fn(n, |i, _| v[rows[i]]);
        let dimensions: Vec<Dimension> = order.iter().map(|&k| s.dimensions[k]).collect();
        let turned_c: Vec<Coefficients> = order.iter().map(|&k| c[k]).collect();
        let a = solve(&s.dimensions, &w, &v, &c, Guard::Report).unwrap();
        let b = solve(&dimensions, &turned, &turned_v, &turned_c, Guard::Report).unwrap();
        let size = impulse(&a).amax();
        for (place, &k) in order.iter().enumerate() {
            assert_eq!(a.contacts[k].mode, b.contacts[place].mode, "{s:?}");
            for (x, y) in a.contacts[k].impulse.iter().zip(b.contacts[place].impulse.iter()) {
                assert!((x - y).abs() <= 1e-9 * size, "{s:?}\n{a:?}\n{b:?}");
            }
        }
    }
}

/// Without stick nothing is gained, whatever the coefficients: with `e_t = 1` stick is reversal, and then no type gains.
#[test]
fn sliding_contacts_never_gain() {
    let mut dissipated = 0;
    for_each("sliding_contacts_never_gain", 270, |_, s| {
        let mut s = s.clone();
        for n in &mut s.numbers {
            (n.e_t, n.mu_s) = (1.0, n.mu_d);
        }
        let Ok(o) = s.solve(Guard::Report) else { return };
        let exchanged = s.contact_velocity().amax() * impulse(&o).iter().map(|i| i.abs()).sum::<f64>();
        assert!(o.energy.change <= 1e-9 * exchanged && o.admissible, "{s:?}\n{o:?}");
        dissipated += usize::from(o.energy.change < -1e-6 * exchanged);
    });
    assert!(dissipated > 100);
}
