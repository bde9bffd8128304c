//! Many spatial impacts at once: arrays in, arrays out, no allocation except for errors.
//!
//! The results are bit for bit those of [`Contact::impact`], or by [`Problems::law`] of [`Contact::impact_by`]; only
//! the limits, which an engine does not need, are not computed. Aghili's law and chord are solved on vectors of
//! problems, all other laws as single impacts.
//!
//! ```
//! use carom_law::Mode;
//! use carom_law::batch::{Answers, Problems, solve};
//!
//! // Two contacts, W as rows of 3 x 3; the second does not approach. Coefficients may be arrays as well.
//! let delassus = [2.0, 0.3, 0.0, 0.3, 1.5, 0.0, 0.0, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
//! let velocity = [-1.0, 0.4, 0.0, 0.5, 0.0, 0.0];
//! let problems = Problems::from_rows(&delassus, &velocity, 0.5, 0.1);
//! let (mut mode, mut numbers) = ([None; 2], [[0.0; 2]; 7]);
//! let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut numbers;
//! let mut answers = Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change);
//! assert!(solve(&problems, &mut answers)?.is_empty());
//! assert_eq!(mode, [Some(Mode::Slip), Some(Mode::Separating)]);
//! # Ok::<(), carom_law::Error>(())
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `column` | the numbers of a batch in the caller's memory |
//! | `common` | the common path of Aghili's law without branches |
//! | `flow` | the gradient flow of a contact by chord, without branches |
//! | `stages` | chord without branches, stage by stage |
//! | `chord` | the laws other than Aghili's |

mod chord;
mod column;
mod common;
mod flow;
mod stages;

pub use column::Column;

use crate::contact::Contact;
use crate::contact::coefficients::{Friction, Restitution};
use crate::contact::delassus::{Delassus, Entries};
use crate::error::{Error, Result};
use crate::impact::guard::Guard;
use crate::impact::mode::Mode;
use crate::impact::outcome::{Law, RestitutionValues};
use common::{BLOCK, Columns, INPUTS, OUTPUTS};

/// Spatial problems, one column per number: six of `W`, three of `v_c⁻`, and the coefficients.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Problems<'a> {
    /// `W_nn, W_n1, W_n2, W_11, W_12, W_22`.
    pub delassus: [Column<'a>; 6],
    /// `v_n, v_1, v_2`.
    pub contact_velocity: [Column<'a>; 3],
    /// `e`
    pub restitution: Column<'a>,
    /// `e_t`; zero everywhere unless set.
    pub restitution_tangential: Column<'a>,
    /// `μ_s`
    pub friction_static: Column<'a>,
    /// `μ_d`
    pub friction_dynamic: Column<'a>,
    /// What to do with sticks that create energy; [`Guard::Report`] unless set.
    pub guard: Guard,
    /// The law; [`Law::Aghili`] unless set. Chord has Poisson's restitution here. Other laws have no guard.
    pub law: Law,
}

impl<'a> Problems<'a> {
    /// Problems with one coefficient of friction and no tangential restitution; the fields can be changed.
    pub fn new(
        delassus: [Column<'a>; 6],
        contact_velocity: [Column<'a>; 3],
        restitution: impl Into<Column<'a>>,
        friction: impl Into<Column<'a>>,
    ) -> Self {
        let friction = friction.into();
        Self {
            delassus,
            contact_velocity,
            restitution: restitution.into(),
            restitution_tangential: Column::constant(0.0),
            friction_static: friction,
            friction_dynamic: friction,
            guard: Guard::Report,
            law: Law::Aghili,
        }
    }

    /// [`Problems::new`] from matrices one after the other, 9 numbers each, of which only the upper triangles are read,
    /// and velocities one after the other, 3 numbers each.
    pub fn from_rows(
        delassus: &'a [f64],
        contact_velocity: &'a [f64],
        restitution: impl Into<Column<'a>>,
        friction: impl Into<Column<'a>>,
    ) -> Self {
        let part = |data: &'a [f64], first: usize, n: usize| Column::strided(data.get(first..).unwrap_or_default(), n);
        let w = [0, 1, 2, 4, 5, 8].map(|first| part(delassus, first, 9));
        let v = [0, 1, 2].map(|first| part(contact_velocity, first, 3));
        Self::new(w, v, restitution, friction)
    }
}

/// Where the answers go.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answers<'a> {
    /// Mode of each contact; `None` for a problem without a solution.
    pub mode: &'a mut [Option<Mode>],
    /// `i_n, i_1, i_2`.
    pub impulse: [&'a mut [f64]; 3],
    /// `v_n⁺, v_1⁺, v_2⁺`.
    pub contact_velocity: [&'a mut [f64]; 3],
    /// `v̄ · i`.
    pub energy_change: &'a mut [f64],
}

impl<'a> Answers<'a> {
    /// Arrays with one entry per problem.
    pub fn new(
        mode: &'a mut [Option<Mode>],
        impulse: [&'a mut [f64]; 3],
        contact_velocity: [&'a mut [f64]; 3],
        energy_change: &'a mut [f64],
    ) -> Self {
        Self { mode, impulse, contact_velocity, energy_change }
    }
}

/// A problem of a batch without a solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("problem {index}: {error}")]
#[non_exhaustive]
pub struct BatchError {
    /// Its index in the arrays.
    pub index: usize,
    /// The cause.
    #[source]
    pub error: Error,
}

/// Solves every problem. A bad problem has no mode, NaN for its numbers, and an error in the list that is returned, in
/// order; the others are not affected.
///
/// # Errors
/// Arrays of different lengths; a guard with a law other than Aghili's.
pub fn solve(problems: &Problems<'_>, answers: &mut Answers<'_>) -> Result<Vec<BatchError>> {
    solve_by::<true>(problems, answers)
}

/// [`solve`] without the check on the common path, for benchmarks of its cost.
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
    if problems.law != Law::Aghili {
        problems.law.check_no_guard(problems.guard)?;
        let mut errors = Vec::new();
        chord::solve(problems, answers, &mut errors);
        return Ok(errors);
    }
    let mut errors = Vec::new();
    let mut input = [[0.0; BLOCK]; INPUTS];
    let mut output = [[0.0; BLOCK]; OUTPUTS];
    for start in (0..n).step_by(BLOCK) {
        let length = BLOCK.min(n - start);
        problems.copy_block(start, length, &mut input);
        common::solve::<CHECKED>(&input, &mut output, problems.guard);
        answers.put_block(start, length, &output);
        for index in start..start + length {
            if answers.mode[index].is_none()
                && let Err(error) = solve_one(problems, answers, index)
            {
                answers.put(index, None, [f64::NAN; 3], [f64::NAN; 3], f64::NAN);
                errors.push(BatchError { index, error });
            }
        }
    }
    Ok(errors)
}

impl Problems<'_> {
    /// Copies the numbers of a block; remainders of an earlier one beyond `length` are harmless.
    fn copy_block(&self, start: usize, length: usize, input: &mut Columns<INPUTS>) {
        let ([nn, n1, n2, t11, t12, t22], [v_n, v1, v2]) = (&self.delassus, &self.contact_velocity);
        let (e, e_t, mu_s, mu_d) =
            (&self.restitution, &self.restitution_tangential, &self.friction_static, &self.friction_dynamic);
        let columns = [nn, n1, n2, t11, t12, t22, v_n, v1, v2, e, e_t, mu_s, mu_d];
        for (column, target) in columns.into_iter().zip(input) {
            column.copy_to(start, &mut target[..length]);
        }
    }
}

/// An impact of a batch.
struct Request {
    contact: Contact,
    restitution: RestitutionValues,
    friction: Friction,
}

impl Problems<'_> {
    #[inline(always)]
    fn request(&self, i: usize) -> Result<Request> {
        let [nn, n1, n2, t11, t12, t22] = self.delassus.map(|w| w.at(i));
        let entries = Entries::spatial([[nn, n1, n2], [n1, t11, t12], [n2, t12, t22]]);
        let (delassus, is_sound) = Delassus::assemble(&entries);
        if !is_sound {
            return Err(entries.fault());
        }
        let contact = Contact::assemble(delassus, self.contact_velocity.map(|v| v.at(i)));
        if !contact.is_sound() {
            return Err(contact.fault());
        }
        let (e, e_t) = (self.restitution.at(i), self.restitution_tangential.at(i));
        Restitution::with_tangential(e, e_t)?;
        let friction = Friction::with_static(self.friction_static.at(i), self.friction_dynamic.at(i))?;
        Ok(Request { contact, restitution: RestitutionValues { normal: e, tangential: e_t }, friction })
    }
}

#[inline]
fn solve_one(p: &Problems<'_>, answers: &mut Answers<'_>, i: usize) -> Result<()> {
    let Request { contact, restitution, friction } = p.request(i)?;
    if !contact.approaches() {
        answers.put(i, Some(Mode::Separating), [0.0; 3], contact.before.padded(), 0.0);
        return Ok(());
    }
    let impact = contact.request::<false>(&restitution, Some(friction))?;
    let answer = impact.decide(p.guard).answer;
    let solution = contact.in_callers_units::<false>(&answer);
    contact.check_representable::<false>(&solution)?;
    contact.verified(&impact, &answer, Law::Aghili, p.guard)?;
    answers.put(i, Some(solution.mode), solution.impulse, solution.after, solution.energy_change);
    Ok(())
}

impl Answers<'_> {
    /// The answers of a block. Problems that are left to the law have no mode yet, and numbers that its answers replace.
    #[inline]
    fn put_block(&mut self, start: usize, length: usize, output: &Columns<OUTPUTS>) {
        let range = start..start + length;
        let Self { mode, impulse: [i_n, i_1, i_2], contact_velocity: [v_n, v_1, v_2], energy_change } = self;
        for (k, target) in [i_n, i_1, i_2, v_n, v_1, v_2, energy_change].into_iter().enumerate() {
            target[range.clone()].copy_from_slice(&output[k][..length]);
        }
        for (mode, code) in mode[range].iter_mut().zip(&output[OUTPUTS - 1]) {
            *mode = common::mode_of(*code);
        }
    }

    #[inline]
    fn put(&mut self, i: usize, mode: Option<Mode>, impulse: [f64; 3], velocity: [f64; 3], change: f64) {
        self.mode[i] = mode;
        for k in 0..3 {
            self.impulse[k][i] = impulse[k];
            self.contact_velocity[k][i] = velocity[k];
        }
        self.energy_change[i] = change;
    }
}

fn check_lengths(p: &Problems<'_>, a: &Answers<'_>, n: usize) -> Result<()> {
    let inputs = p.delassus.iter().map(|x| ("delassus", x));
    let inputs = inputs.chain(p.contact_velocity.iter().map(|x| ("contact_velocity", x))).chain([
        ("restitution", &p.restitution),
        ("restitution.tangential", &p.restitution_tangential),
        ("friction.static", &p.friction_static),
        ("friction.dynamic", &p.friction_dynamic),
    ]);
    let inputs = inputs.map(|(field, column)| (field, column.count().unwrap_or(n)));
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
