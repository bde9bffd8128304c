//! Where theory says that laws coincide, they do.

use carom_law::{Coefficients, Contact, Delassus, Guard, Law, Mode, Restitution};

use crate::common::random::{Problem, cases, generator};
use crate::{OF_PATHS, RIVALS, by, distance, mild, norm};

fn assert_same(problem: &Problem, laws: &[Law], tolerance: f64) {
    let first = by(problem, laws[0]).unwrap();
    for &law in &laws[1..] {
        let other = by(problem, law).unwrap();
        let off = distance(&first.impulse, &other.impulse) / norm(&first.impulse);
        assert!(off <= tolerance, "{} and {}: {off:e} {problem:?}\n{first:?}\n{other:?}", laws[0].name(), law.name());
    }
}

#[test]
fn without_friction_all_laws_are_one() {
    let mut rng = generator("frictionless");
    for _ in 0..cases(200) {
        let d = rng.usize(2..=3);
        let problem = Problem { mu_s: 0.0, mu_d: 0.0, ..mild(&mut rng, d) };
        assert_same(&problem, &Law::ALL, 1e-10);
    }
}

/// A sphere: no coupling, no direction preferred.
#[test]
fn without_coupling_all_rigid_laws_are_one() {
    let mut rng = generator("central");
    for _ in 0..cases(500) {
        let d = rng.usize(2..=3);
        let mut problem = mild(&mut rng, d);
        let [nn, tt] = [problem.w[0][0], problem.w[1][1]];
        problem.w = [[nn, 0.0, 0.0], [0.0, tt, 0.0], [0.0, 0.0, if d == 3 { tt } else { 0.0 }]];
        assert_same(&problem, &Law::ALL[..9], 1e-10);
    }
}

#[test]
fn without_restitution_the_laws_of_paths_are_one() {
    let mut rng = generator("plastic");
    for _ in 0..cases(300) {
        let d = rng.usize(2..=3);
        let problem = Problem { e: 0.0, ..mild(&mut rng, d) };
        assert_same(&problem, &OF_PATHS, 1e-12);
    }
}

/// In the plane, where the slip never changes, its direction is that before, on average and after.
#[test]
fn with_steady_slip_the_laws_are_one() {
    let mut rng = generator("steady");
    let mut steady = 0;
    while steady < cases(2000) {
        let problem = mild(&mut rng, 2);
        let farthest = OF_PATHS.map(|law| by(&problem, law).unwrap().phases.unwrap());
        if farthest.iter().all(|phases| ["slip+ | slip+", "slip- | slip-"].contains(&&**phases)) {
            assert_same(&problem, &[Law::Poisson, Law::Stronge, Law::NewtonRouth], 1e-11);
            if by(&problem, Law::Newton).unwrap().mode == Mode::Slip {
                assert_same(&problem, &[Law::Poisson, Law::Newton, Law::Aghili], 1e-11);
            }
            steady += 1;
        }
    }
}

/// A planar contact with a second tangent that nothing moves along, laid at any angle.
#[test]
fn space_contains_the_plane() {
    let mut rng = generator("embedded");
    for _ in 0..cases(500) {
        let planar = mild(&mut rng, 2);
        let mut spatial = Problem { d: 3, ..planar };
        // So heavy across that the slip is stable.
        spatial.w[2][2] = 10.0 * planar.w[1][1] + 10.0 * planar.w[0][1].abs() / planar.mu_d.max(0.01);
        let angle = 6.0 * rng.f64();
        // A tangent across that is more mobile shortens the steps of chord.
        for law in RIVALS.into_iter().filter(|law| ![Law::Chord, Law::HuntCrossley].contains(law)) {
            let (Ok(flat), Ok(turned)) = (by(&planar, law), by(&spatial.rotated(angle), law)) else { continue };
            let (s, c) = angle.sin_cos();
            let expected = [flat.impulse[0], c * flat.impulse[1], s * flat.impulse[1]];
            let off = distance(&expected, &turned.impulse) / norm(&expected);
            assert!(off < 1e-9, "{} {off:e} {planar:?}\n{flat:?}\n{turned:?}", law.name());
        }
    }
}

#[test]
fn in_any_units() {
    let mut rng = generator("units");
    for _ in 0..cases(100) {
        let problem = mild(&mut rng, 3);
        let mut far = problem;
        for i in 0..3 {
            far.v[i] *= 2f64.powi(-200);
            for j in 0..3 {
                far.w[i][j] *= 2f64.powi(300);
            }
        }
        for law in RIVALS {
            let (Ok(near), Ok(far)) = (by(&problem, law), by(&far, law)) else { continue };
            let back: Vec<f64> = far.impulse.iter().map(|i| i * 2f64.powi(500)).collect();
            let off = distance(&near.impulse, &back) / norm(&near.impulse);
            assert!(off < 1e-10, "{} {off:e} {problem:?}", law.name());
        }
    }
}

#[test]
fn without_tangents_and_without_approach() {
    let contact = |v: f64| Contact::new(Delassus::normal(2.0).unwrap(), &[v]).unwrap();
    let coefficients = Coefficients::frictionless(Restitution::new(0.5).unwrap());
    for law in Law::ALL {
        let outcome = contact(-1.0).impact_by(law, &coefficients, Guard::Report).unwrap();
        assert!((outcome.impulse[0] - 0.75).abs() < 1e-11, "{}", law.name());
        assert_eq!(outcome.mode, Mode::Stick);
        let apart = contact(1.0).impact_by(law, &coefficients, Guard::Report).unwrap();
        assert!(apart.mode == Mode::Separating && apart.impulse[0] == 0.0 && apart.law == law);
    }
}
