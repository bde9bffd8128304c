//! The law against an oracle that shares no code with it: a dense scan of slip directions.
//!
//! `cargo xtask oracle` runs a hundred times as many problems.

mod common;

use carom_law::{Guard, Mode};
use common::oracle::{self, Kind};
use common::random::{self, FAMILIES, Family, Problem};

/// Problems nearer than this to a boundary are left to the boundary tests.
const MARGIN: f64 = 1e-7;

fn kind(mode: Mode) -> Kind {
    match mode {
        Mode::Separating => Kind::Separating,
        Mode::Stick => Kind::Stick,
        Mode::Slip => Kind::Slip,
        Mode::Reversal => Kind::Reversal,
    }
}

/// Impulses agree if they differ by what backward-stable arithmetic may lose: in the momentum
/// balance, not in the impulse, which a nearly singular `W` hardly determines.
fn assert_same_impulse(p: &Problem, found: &[f64], expected: &[f64; 3], margin: f64) {
    for i in 0..p.d {
        let difference: f64 = (0..p.d).map(|j| p.w[i][j] * (found[j] - expected[j])).sum();
        let scale = p.momentum_scale(found, i) + p.momentum_scale(expected, i);
        let tolerance = 1e-13 / margin.sqrt() * scale;
        assert!(difference.abs() <= tolerance, "{p:?}\nfound {found:?}\nexpected {expected:?}\nmargin {margin}");
    }
}

#[test]
fn agrees_with_the_scan() {
    let mut rng = random::generator("agrees_with_the_scan");
    let mut tried = 0;
    let mut modes = [0; 4];
    let mut several = 0;
    for _ in 0..random::cases(1000) {
        for d in [2, 3] {
            for family in FAMILIES {
                let p = random::problem(&mut rng, d, family);
                let expected = oracle::solve(&p.oracle());
                if expected.margin < MARGIN {
                    continue;
                }
                let outcome = p.solve(Guard::Report).unwrap();
                assert_eq!(kind(outcome.mode), expected.kind, "{p:?}, margin {}", expected.margin);
                assert_same_impulse(&p, &outcome.impulse, &expected.impulse, expected.margin);
                if let Some(solutions) = outcome.solutions {
                    assert_eq!(solutions as usize, expected.sliding.len(), "{p:?}, margin {}", expected.margin);
                    several += usize::from(solutions > 1);
                }
                tried += 1;
                modes[outcome.mode as usize] += 1;
            }
        }
    }
    println!(
        "{tried} problems: stick {}, slip {}, reversal {}, several answers {several}",
        modes[1], modes[2], modes[3]
    );
    assert!(modes[1..].iter().all(|&n| n > 0), "every mode is visited");
}

/// The slip or reversal answer of problems that stick, which the `slip` guard needs.
#[test]
fn the_slip_guard_agrees_with_the_scan() {
    let mut rng = random::generator("the_slip_guard_agrees_with_the_scan");
    let mut acted = 0;
    for _ in 0..random::cases(3000) {
        let d = rng.usize(2..=3);
        let family = if rng.bool() { Family::Plain } else { Family::Body };
        let mut p = random::problem(&mut rng, d, family);
        // High friction and restitution, and a glancing tangential velocity, make inadmissible sticks.
        p.e = random::between(&mut rng, 0.5, 1.0);
        p.mu_s = p.mu_s.max(2.0);
        let outcome = p.solve(Guard::Slip).unwrap();
        if !outcome.guard.acted {
            continue;
        }
        let (sliding, margin) = oracle::sliding_answers(&p.oracle());
        if margin < MARGIN {
            continue;
        }
        acted += 1;
        assert_eq!(outcome.solutions, Some(sliding.len() as u32), "{p:?}");
        assert_same_impulse(&p, &outcome.impulse, &sliding[0].impulse, margin);
    }
    println!("{acted} guarded problems");
    assert!(acted > 50);
}
