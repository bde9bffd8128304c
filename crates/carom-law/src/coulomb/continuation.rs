//! Continuation: the answer followed from a relaxed matrix, where it is easily found, to the true one.
//!
//! With enough added to its diagonal `W` has one answer, which sweeps find. As the addition shrinks the answer moves little,
//! and Newton's method follows it. Where it jumps, the path ends; what was reached is then a good start for other methods.

use super::{Best, Coulomb, Effort, Workspace};

/// The addition to begin with and the one that is as good as none, as shares of the mean diagonal.
const SHARES: [f64; 2] = [0.1, 1e-11];

/// The factor of the first step; it is squared after a success and its root taken after a failure.
const FIRST_FACTOR: f64 = 0.1;

/// Factors that are never left.
const FACTORS: [f64; 2] = [1e-2, 0.97];

/// Steps at most.
const MOST_STEPS: u32 = 60;

/// Leads an impulse along; it ends as an answer of a relaxed problem, however little, or where the steps that it may take have been
/// taken.
pub(crate) fn follow(problem: &Coulomb<'_>, impulse: &mut [f64], room: &mut Workspace, effort: &mut Effort) {
    let start = effort.steps() - effort.continued;
    lead(problem, impulse, room, effort, start);
    effort.continued = effort.steps() - start;
}

fn lead(problem: &Coulomb<'_>, impulse: &mut [f64], room: &mut Workspace, effort: &mut Effort, start: u32) {
    impulse.fill(0.0);
    let mut best = Best::new(impulse.len());
    let mut share = SHARES[0];
    let relaxed = problem.system.relaxed(share);
    if !(Coulomb { system: &relaxed, ..*problem }).pursue(impulse, &mut best, room, effort) {
        return;
    }
    let mut factor = FIRST_FACTOR;
    for _ in 0..MOST_STEPS {
        let is_spent = effort.steps() - start >= room.most_continued;
        if share <= SHARES[1] || factor > FACTORS[1] || is_spent {
            return;
        }
        let relaxed = problem.system.relaxed(share * factor);
        if (Coulomb { system: &relaxed, ..*problem }).pursue(impulse, &mut best, room, effort) {
            share *= factor;
            factor = (factor * factor).max(FACTORS[0]);
        } else {
            factor = factor.sqrt();
        }
    }
}
