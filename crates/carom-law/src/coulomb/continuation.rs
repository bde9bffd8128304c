//! Continuation: the answer is followed from a relaxed matrix, where it is easy to find, to the true one.
//!
//! With enough added to its diagonal `W` has one answer, which sweeps find. As the addition shrinks the answer moves little,
//! and Newton's method follows it. Where it jumps, the path ends; the point reached is then a good start for other methods.

use super::{Best, Coulomb, SimultaneousEffort, Workspace};

/// The first addition and the one that is negligible, as fractions of the mean diagonal.
const SHARES: [f64; 2] = [0.1, 1e-11];

/// The factor of the first step; it is squared after a success, and its square root is taken after a failure.
const FIRST_FACTOR: f64 = 0.1;

/// Range of the factors; above it the path has ended.
const FACTORS: [f64; 2] = [1e-2, 0.97];

/// Largest number of steps.
const MOST_STEPS: u32 = 60;

/// Largest number of times that sweeps and Newton's method alternate in one step.
const ROUNDS: usize = 3;

/// Sweeps of a round.
const SWEEPS: u32 = 30;

/// Moves an impulse along the path; it ends as an answer of the last relaxed problem that had one.
pub(super) fn follow(
    problem: &Coulomb<'_>,
    impulse: &mut [f64],
    room: &mut Workspace,
    effort: &mut SimultaneousEffort,
) {
    impulse.fill(0.0);
    let mut best = Best { residual: f64::INFINITY, impulse: vec![0.0; impulse.len()] };
    let mut share = SHARES[0];
    if !has_answer(problem, share, impulse, &mut best, room, effort) {
        return;
    }
    let mut factor = FIRST_FACTOR;
    for _ in 0..MOST_STEPS {
        if share <= SHARES[1] || factor > FACTORS[1] {
            return;
        }
        if has_answer(problem, share * factor, impulse, &mut best, room, effort) {
            share *= factor;
            factor = (factor * factor).max(FACTORS[0]);
        } else {
            factor = factor.sqrt();
        }
    }
}

/// Solves a relaxed problem by Newton's method from the impulse given or, if that fails, from where a few sweeps lead. The impulse
/// is left as it is if there is no answer.
fn has_answer(
    problem: &Coulomb<'_>,
    share: f64,
    impulse: &mut [f64],
    best: &mut Best,
    room: &mut Workspace,
    effort: &mut SimultaneousEffort,
) -> bool {
    let relaxed = problem.system.relaxed(share);
    let relaxed = Coulomb { system: &relaxed, ..*problem };
    best.residual = f64::INFINITY;
    let (mut swept, mut tried) = (impulse.to_vec(), impulse.to_vec());
    relaxed.newton(&mut tried, best, room, effort);
    for _ in 0..ROUNDS {
        if best.residual <= relaxed.tolerance {
            break;
        }
        relaxed.sweep(&mut swept, SWEEPS, best, room, effort);
        tried.copy_from_slice(&swept);
        relaxed.newton(&mut tried, best, room, effort);
    }
    let is_answer = best.residual <= relaxed.tolerance;
    if is_answer {
        impulse.copy_from_slice(&best.impulse);
    }
    is_answer
}
