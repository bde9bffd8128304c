//! Which contacts stick: the descent over types, of contacts that strike and of contacts that stay closed.
//!
//! Every contact has a type: it may stick, with static friction, or it slides, with dynamic friction. With the types given, all
//! contacts are one standard Coulomb problem. A contact that may stick but slides in its answer has the wrong type. The
//! descent turns the one that slides fastest into a sliding one, and with it those as fast, until none is wrong.

use super::{Block, Coulomb, Rule, SimultaneousEffort, System, Workspace};
use crate::numeric::plane::Vec2;

/// Contacts that slide as fast as the fastest to this fraction change their type together with it: in a mirror-symmetric problem
/// their speeds differ only by rounding.
pub(crate) const TIE: f64 = 1e-6;

/// A slip larger than the residual by this factor is not rounding.
pub(crate) const ABOVE_RESIDUAL: f64 = 8.0;

/// The meaning of the types of contacts, for impacts or for closed contacts.
pub(crate) trait Typed {
    /// `q` and the rules of the Coulomb problem, where the contacts marked may stick.
    fn conditions(&mut self, may_stick: &[bool], q: &mut Vec<f64>, rules: &mut Vec<Rule>);

    /// The speed of sliding of a contact with the given tangential part of `y`; zero if the type does not matter.
    fn slide(&self, contact: usize, block: &Block, y_t: Vec2) -> f64;

    /// Called for an answer in which no contact that may stick slides; returns whether it changed types nevertheless.
    fn reconsider(&mut self, answer: &Answered<'_>, may_stick: &mut [bool]) -> bool;
}

/// An answer of a Coulomb problem.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    pub(crate) system: &'a System,
    pub(crate) rules: &'a [Rule],
    pub(crate) impulse: &'a [f64],
    pub(crate) y: &'a [f64],
    /// Speed below which a contact does not slide.
    pub(crate) slip: f64,
    pub(crate) residual: f64,
}

/// How the Coulomb problems of a descent are solved. Residuals and slips are velocities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Descent<'a> {
    pub(crate) system: &'a System,
    /// Residual to which the problems are solved.
    pub(crate) tolerance: f64,
    /// Residual that Newton's method should then reach.
    pub(crate) refined: Option<f64>,
    /// Whether the start is close to an answer, so that Newton's method alone is used.
    pub(crate) is_near: bool,
    /// Largest residual of an answer.
    pub(crate) accepted: f64,
    /// A contact that slides by more than this does not stick.
    pub(crate) slip: f64,
}

impl Descent<'_> {
    /// Changes contacts that may stick into sliding ones until all types are consistent with the answer; returns its residual, or
    /// that of a problem for which no answer was found.
    pub(crate) fn run(
        &self,
        contacts: &mut impl Typed,
        may_stick: &mut [bool],
        impulse: &mut [f64],
        work: &mut Work,
    ) -> f64 {
        let system = self.system;
        let (mut q, mut rules, mut y) = (Vec::new(), Vec::new(), vec![0.0; system.rows]);
        for round in 0..=may_stick.len() {
            contacts.conditions(may_stick, &mut q, &mut rules);
            // After the first round a few contacts have changed their types: the answer may be near.
            let residual = self.solve(&q, &rules, round > 0, impulse, work);
            if !(residual <= self.accepted) {
                return residual;
            }
            system.velocity(&q, impulse, &mut y);
            let slip = self.slip.max(ABOVE_RESIDUAL * residual);
            let slide = |(k, block): (usize, &Block)| {
                let y = block.of(&y);
                let presses = block.w_nn * impulse[block.start] > y[0];
                if may_stick[k] && presses { contacts.slide(k, block, [y[1], y[2]]) } else { 0.0 }
            };
            let slides: Vec<f64> = system.blocks.iter().enumerate().map(slide).collect();
            let fastest = slides.iter().fold(0.0_f64, |fastest, slide| fastest.max(*slide));
            if fastest > slip {
                may_stick
                    .iter_mut()
                    .zip(slides)
                    .for_each(|(may_stick, slide)| *may_stick &= slide < (1.0 - TIE) * fastest);
                continue;
            }
            let answer = Answered { system, rules: &rules, impulse, y: &y, slip, residual };
            if !contacts.reconsider(&answer, may_stick) {
                return residual;
            }
        }
        f64::INFINITY
    }

    fn solve(&self, q: &[f64], rules: &[Rule], is_near: bool, impulse: &mut [f64], work: &mut Work) -> f64 {
        let problem = Coulomb { system: self.system, q, rules, tolerance: self.tolerance };
        let mut residual = f64::INFINITY;
        if is_near || self.is_near {
            residual = work.refine(&problem, impulse);
        }
        if !(residual <= self.tolerance || self.is_near) {
            residual = work.solve(&problem, impulse);
        }
        match self.refined {
            Some(tolerance) => work.refine(&Coulomb { tolerance, ..problem }, impulse),
            None => residual,
        }
    }
}

/// Workspace of the solvers, and the effort so far.
#[derive(Debug)]
pub(crate) struct Work {
    room: Workspace,
    pub(crate) effort: SimultaneousEffort,
    /// Combinations of modes tried by enumeration.
    pub(crate) tried: u32,
    /// Largest number of steps; beyond it every solution fails.
    most: u32,
    /// Whether continuation is the last resort. Impacts do without: there it found one more answer of 12,169, and is
    /// most expensive for problems without an answer.
    continues: bool,
}

impl Work {
    pub(crate) fn new(rows: usize, most: u32) -> Self {
        Self { room: Workspace::new(rows), effort: SimultaneousEffort::default(), tried: 0, most, continues: false }
    }

    /// With continuation as the last resort, and without a bound.
    pub(crate) fn with_continuation(rows: usize) -> Self {
        Self { continues: true, ..Self::new(rows, u32::MAX) }
    }

    /// Work as a count of steps, so that the same problem takes the same work on every machine.
    pub(crate) fn steps(&self) -> u32 {
        self.effort.steps().saturating_add(self.tried)
    }

    /// How many more steps may be taken.
    pub(crate) fn left(&self) -> u32 {
        self.most.saturating_sub(self.steps())
    }

    /// The residual of the best impulse found by all methods.
    pub(crate) fn solve(&mut self, problem: &Coulomb<'_>, impulse: &mut [f64]) -> f64 {
        if self.is_spent() {
            f64::INFINITY
        } else if self.continues {
            problem.solve_or_continue(impulse, &mut self.room, &mut self.effort)
        } else {
            problem.solve(impulse, &mut self.room, &mut self.effort)
        }
    }

    /// The residual of the best impulse found by Newton's method alone.
    pub(crate) fn refine(&mut self, problem: &Coulomb<'_>, impulse: &mut [f64]) -> f64 {
        if self.is_spent() { f64::INFINITY } else { problem.polish(impulse, &mut self.room, &mut self.effort) }
    }

    /// Whether the steps are used up; if not, one more problem is counted.
    fn is_spent(&mut self) -> bool {
        let is_spent = self.steps() >= self.most;
        self.effort.solves += u32::from(!is_spent);
        is_spent
    }
}
