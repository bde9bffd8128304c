//! The laws other than Aghili's: chord on vectors of problems; the problems that these leave, and all other laws, one
//! problem at a time.

use super::common::{BLOCK, INPUTS, OUTPUTS};
use super::{Answers, BatchError, Problems, Request, stages};
use crate::contact::coefficients::{Coefficients, Restitution};
use crate::error::Result;
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::Law;
use crate::impact::report::Solution;

/// Solves every problem.
pub(super) fn solve(problems: &Problems<'_>, answers: &mut Answers<'_>, errors: &mut Vec<BatchError>) {
    let n = answers.mode.len();
    let mut input = [[0.0; BLOCK]; INPUTS];
    let mut output = [[0.0; BLOCK]; OUTPUTS];
    let mut scratch = stages::Scratch::new();
    for start in (0..n).step_by(BLOCK) {
        let length = BLOCK.min(n - start);
        if problems.law == Law::Chord {
            problems.copy_block(start, length, &mut input);
            stages::solve(&input, &mut output, &mut scratch);
        }
        answers.put_block(start, length, &output);
        for index in start..start + length {
            if answers.mode[index].is_some() {
                continue;
            }
            match solve_one(problems, index) {
                Ok(Solution { mode, impulse, after, energy_change, .. }) => {
                    answers.put(index, Some(mode), impulse, after, energy_change);
                }
                Err(error) => {
                    answers.put(index, None, [f64::NAN; 3], [f64::NAN; 3], f64::NAN);
                    errors.push(BatchError { index, error });
                }
            }
        }
    }
}

#[inline(always)]
fn solve_one(problems: &Problems<'_>, index: usize) -> Result<Solution> {
    let request = problems.request(index)?;
    let Request { contact, restitution, friction } = &request;
    if contact.is_natural && contact.approaches() && problems.law == Law::Chord {
        let impact = contact.request::<true>(restitution, Some(*friction))?;
        if let Some(solution) = contact.solved_by_chord(&impact) {
            return solution;
        }
    }
    as_single(problems.law, &request)
}

/// Converts an outcome to the numbers of a batch.
#[cold]
#[inline(never)]
fn as_single(law: Law, request: &Request) -> Result<Solution> {
    let Request { contact, restitution, friction } = request;
    let restitution = Restitution::with_tangential(restitution.normal, restitution.tangential)?;
    let outcome = contact.impact_by(law, &Coefficients::new(restitution, *friction), Guard::Report)?;
    debug_assert!(contact.approaches() || outcome.mode == Mode::Separating);
    Ok(Solution {
        mode: outcome.mode,
        impulse: outcome.impulse.padded(),
        after: outcome.contact_velocity.after.padded(),
        normal_work: outcome.energy.normal,
        tangential_work: outcome.energy.tangential,
        energy_change: outcome.energy.change,
    })
}
