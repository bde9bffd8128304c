//! Closed contacts beside rows with a bounded force, as joints with dry friction are: a row of a contact that nothing couples with
//! the others presses with a given force f, and the coefficient one bounds the force of the second row by it. The conditions are
//! written down again for the second row alone: |τ| <= f, τ = -f sign(v) where it slides, a = 0 where it sticks, and τ a <= 0 with
//! |τ| = f where it begins to slide.

#[path = "common/mod.rs"]
mod common;

use carom_law::{ClosedContact, ClosedMode, Decision, Dimension, Friction, Tangential, decide};
use common::random;
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// Joints of a random robot, one or two planar contacts, and what is done with them.
struct Case {
    /// W and α with the rows of contacts first, then two for each joint.
    w: DMatrix<f64>,
    alpha: DVector<f64>,
    contacts: Vec<ClosedContact>,
    /// The number of contacts, and f of each joint.
    others: usize,
    bounds: Vec<f64>,
}

fn case(rng: &mut Rng) -> Case {
    let n = 2 + rng.usize(..5);
    let root: DMatrix<f64> = DMatrix::from_fn(n, n, |_, _| 2.0 * rng.f64() - 1.0);
    let mass: DMatrix<f64> = &root * root.transpose() + 0.2 * DMatrix::identity(n, n);
    let others = rng.usize(..3.min(n));
    let bounded: Vec<usize> = (0..n).filter(|_| rng.u8(..3) > 0).collect();
    let rows = 2 * (others + bounded.len());
    let mut a = DMatrix::zeros(rows, n);
    for row in 0..2 * others {
        (0..n).for_each(|j| a[(row, j)] = 2.0 * rng.f64() - 1.0);
    }
    for (k, &joint) in bounded.iter().enumerate() {
        a[(2 * (others + k) + 1, joint)] = 1.0;
    }
    let inverse = mass.try_inverse().unwrap();
    let force = DVector::from_fn(n, |_, _| 4.0 * (2.0 * rng.f64() - 1.0));
    let mut w = &a * &inverse * a.transpose();
    let mut alpha = &a * inverse * force;
    let bounds: Vec<f64> = bounded.iter().map(|_| 8.0 * rng.f64().powi(2) + 1e-3).collect();
    let mut contacts = Vec::new();
    for _ in 0..others {
        let friction = Some(Friction::new(rng.f64()).unwrap());
        contacts.push(ClosedContact { dimension: Dimension::Planar, friction, tangential: motion(rng) });
    }
    for (k, bound) in bounds.iter().enumerate() {
        let row = 2 * (others + k);
        w[(row, row)] = w[(row + 1, row + 1)];
        alpha[row] = -w[(row, row)] * bound;
        let friction = Some(Friction::new(1.0).unwrap());
        contacts.push(ClosedContact { dimension: Dimension::Planar, friction, tangential: motion(rng) });
    }
    Case { w, alpha, contacts, others, bounds }
}

fn motion(rng: &mut Rng) -> Tangential {
    match rng.u8(..4) {
        0 => Tangential::Sliding { direction: [1.0, 0.0] },
        1 => Tangential::Sliding { direction: [-1.0, 0.0] },
        _ => Tangential::AtRest,
    }
}

#[test]
fn bounded_rows_are_decided_with_the_contacts() {
    let (mut sticks, mut begin, mut slides, mut open) = (0, 0, 0, 0);
    let mut rng = random::generator("bounded rows");
    for _ in 0..random::cases(2000) {
        let Case { w, alpha, contacts, others, bounds } = case(&mut rng);
        if contacts.is_empty() {
            continue;
        }
        let modes = match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
            Decision::Decided(modes) => modes,
            // Contacts that slide may have no forces; joints always do.
            other => {
                assert!(others > 0, "{other:?}");
                open += 1;
                continue;
            }
        };
        let a = &alpha + &w * DVector::from_row_slice(&modes.forces);
        let size = 1e-8 * alpha.amax();
        for (k, bound) in bounds.iter().enumerate() {
            let row = 2 * (others + k);
            let (tau, a, w) = (modes.forces[row + 1], a[row + 1], w[(row + 1, row + 1)]);
            assert!((modes.forces[row] - bound).abs() * w <= size && tau.abs() * w <= bound * w + size);
            match (modes.modes[others + k], contacts[others + k].tangential) {
                (ClosedMode::Stick, Tangential::AtRest) => {
                    assert!(a.abs() <= size, "{a}");
                    sticks += 1;
                }
                (ClosedMode::Slip { onset: true, .. }, Tangential::AtRest) => {
                    assert!((tau.abs() - bound).abs() * w <= size && tau * a <= size * tau.abs());
                    begin += 1;
                }
                (ClosedMode::Slip { .. }, Tangential::Sliding { direction }) => {
                    assert!((tau + bound * direction[0]).abs() * w <= size);
                    slides += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }
    println!("{sticks} stick, {begin} begin to slide, {slides} slide; {open} without an answer");
    assert!(sticks > 500 && begin > 500 && slides > 500 && open < 100, "{sticks} {begin} {slides} {open}");
}
