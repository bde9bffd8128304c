//! Many spatial impacts at once: arrays in, arrays out, no allocation but for errors.
//!
//! The answers are bit for bit those of [`Contact::impact`]; only the limits, which an engine has no
//! use for, are not computed.
//!
//! | file | what it has |
//! |---|---|
//! | `common` | the common path without a branch |

mod common;

use crate::contact::Contact;
use crate::contact::coefficients::{Friction, Restitution};
use crate::contact::delassus::{Delassus, Entries};
use crate::error::{Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, RestitutionValues};
use common::{BLOCK, Columns, INPUTS, OUTPUTS};

/// Spatial problems, one array a number: the six of `W`, the three of `v_c⁻`, the coefficients.
#[derive(Debug, Clone, Copy)]
pub struct Problems<'a> {
    /// `W_nn, W_n1, W_n2, W_11, W_12, W_22`.
    pub delassus: [&'a [f64]; 6],
    /// `v_n, v_1, v_2`.
    pub contact_velocity: [&'a [f64]; 3],
    /// `e`
    pub restitution: &'a [f64],
    /// `e_t`; `None` for zero everywhere.
    pub restitution_tangential: Option<&'a [f64]>,
    /// `μ_s`
    pub friction_static: &'a [f64],
    /// `μ_d`
    pub friction_dynamic: &'a [f64],
    /// What to do with sticks that create energy.
    pub guard: Guard,
}

/// Where the answers go.
#[derive(Debug)]
pub struct Answers<'a> {
    /// What each contact does.
    pub mode: &'a mut [Mode],
    /// `i_n, i_1, i_2`.
    pub impulse: [&'a mut [f64]; 3],
    /// `v_n⁺, v_1⁺, v_2⁺`.
    pub contact_velocity: [&'a mut [f64]; 3],
    /// `v̄ · i`.
    pub energy_change: &'a mut [f64],
}

/// A problem of a batch that has no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchError {
    /// Its place in the arrays.
    pub index: usize,
    /// What is wrong.
    pub error: Error,
}

/// Solves every problem. The answers of bad problems are NaN with mode separating, and their errors
/// are returned in order; the others are not disturbed.
///
/// # Errors
/// Arrays of different lengths.
pub fn solve(problems: &Problems<'_>, answers: &mut Answers<'_>) -> Result<Vec<BatchError>> {
    solve_by::<true>(problems, answers)
}

/// [`solve`] without a check on the common path: what benchmarks hold the price of the check against.
///
/// # Errors
/// As [`solve`].
#[doc(hidden)]
pub fn solve_unchecked(problems: &Problems<'_>, answers: &mut Answers<'_>) -> Result<Vec<BatchError>> {
    solve_by::<false>(problems, answers)
}

fn solve_by<const CHECKED: bool>(problems: &Problems<'_>, answers: &mut Answers<'_>) -> Result<Vec<BatchError>> {
    let n = answers.mode.len();
    check_lengths(problems, answers, n)?;
    let mut errors = Vec::new();
    let mut input = [[0.0; BLOCK]; INPUTS];
    let mut output = [[0.0; BLOCK]; OUTPUTS];
    for start in (0..n).step_by(BLOCK) {
        let length = BLOCK.min(n - start);
        problems.copy_block(start, length, &mut input);
        common::solve::<CHECKED>(&input, &mut output, problems.guard);
        for i in 0..length {
            let index = start + i;
            if let Some(mode) = common::mode_of(output[7][i]) {
                let [i_n, i_1, i_2, v_n, v_1, v_2, change] = [0, 1, 2, 3, 4, 5, 6].map(|k: usize| output[k][i]);
                answers.put(index, mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change);
            } else if let Err(error) = solve_one(problems, answers, index) {
                answers.put(index, Mode::Separating, [f64::NAN; 3], [f64::NAN; 3], f64::NAN);
                errors.push(BatchError { index, error });
            }
        }
    }
    Ok(errors)
}

impl Problems<'_> {
    /// The numbers of a block; what is left of an earlier one beyond `length` does no harm.
    fn copy_block(&self, start: usize, length: usize, input: &mut Columns<INPUTS>) {
        let range = start..start + length;
        let (w, v) = (&self.delassus, &self.contact_velocity);
        let columns = [w[0], w[1], w[2], w[3], w[4], w[5], v[0], v[1], v[2]];
        let rest = [self.restitution, self.friction_static, self.friction_dynamic];
        for (column, place) in columns.into_iter().zip(0..).chain(rest.into_iter().zip([9, 11, 12])) {
            input[place][..length].copy_from_slice(&column[range.clone()]);
        }
        match self.restitution_tangential {
            Some(e_t) => input[10][..length].copy_from_slice(&e_t[range]),
            None => input[10][..length].fill(0.0),
        }
    }
}

#[inline]
fn solve_one(p: &Problems<'_>, answers: &mut Answers<'_>, i: usize) -> Result<()> {
    let [nn, n1, n2, t11, t12, t22] = p.delassus.map(|w| w[i]);
    let entries = Entries::spatial([[nn, n1, n2], [n1, t11, t12], [n2, t12, t22]]);
    let (delassus, is_sound) = Delassus::assemble(&entries);
    if !is_sound {
        return Err(entries.fault());
    }
    let velocity = p.contact_velocity.map(|v| v[i]);
    let contact = Contact::assemble(delassus, velocity);
    if !contact.is_sound() {
        return Err(contact.fault());
    }
    let (e, e_t) = (p.restitution[i], p.restitution_tangential.map_or(0.0, |e_t| e_t[i]));
    Restitution::with_tangential(e, e_t)?;
    let friction = Friction::with_static(p.friction_static[i], p.friction_dynamic[i])?;
    if !contact.approaches() {
        answers.put(i, Mode::Separating, [0.0; 3], velocity, 0.0);
        return Ok(());
    }
    let impact = contact.request::<false>(&RestitutionValues { normal: e, tangential: e_t }, Some(friction))?;
    let answer = impact.decide(p.guard).answer;
    let solution = contact.in_callers_units::<false>(&answer);
    contact.check_representable(&solution)?;
    contact.verified(&impact, &answer, Law::Aghili, p.guard)?;
    answers.put(i, solution.mode, solution.impulse, solution.after, solution.energy_change);
    Ok(())
}

impl Answers<'_> {
    #[inline]
    fn put(&mut self, i: usize, mode: Mode, impulse: [f64; 3], velocity: [f64; 3], change: f64) {
        self.mode[i] = mode;
        for k in 0..3 {
            self.impulse[k][i] = impulse[k];
            self.contact_velocity[k][i] = velocity[k];
        }
        self.energy_change[i] = change;
    }
}

fn check_lengths(p: &Problems<'_>, a: &Answers<'_>, n: usize) -> Result<()> {
    let inputs = p.delassus.iter().map(|x| ("delassus", x.len()));
    let inputs = inputs.chain(p.contact_velocity.iter().map(|x| ("contact_velocity", x.len()))).chain([
        ("restitution", p.restitution.len()),
        ("restitution.tangential", p.restitution_tangential.map_or(n, <[f64]>::len)),
        ("friction.static", p.friction_static.len()),
        ("friction.dynamic", p.friction_dynamic.len()),
    ]);
    let outputs = a.impulse.iter().map(|x| ("impulse", x.len()));
    let outputs = outputs
        .chain(a.contact_velocity.iter().map(|x| ("contact_velocity.after", x.len())))
        .chain([("energy.change", a.energy_change.len())]);
    for (field, found) in inputs.chain(outputs) {
        if found != n {
            return Err(Error::Shape {
                field: field.into(),
                found: format!("{found} numbers"),
                expected: format!("{n} numbers, as many as modes"),
            });
        }
    }
    Ok(())
}
