//! The standard Coulomb problem of several contacts, and the effort it takes.
//!
//! Given `W`, symmetric and positive semidefinite, and `q`: find `i` such that with `y = q + W i` every contact has
//! `0 <= i_n ⊥ y_n >= 0` and `i_t ∈ -μ i_n Sgn(y_t)`, or, if it is driven, `i_t = -μ i_n u`.
//!
//! The methods are tried in the order of their cost: sweeps of exact one-contact solutions ([`local`]), Newton's method on the
//! projection equations ([`newton`]), Lemke's method ([`pivoting`]), and for contacts that stay closed continuation from a relaxed
//! matrix ([`continuation`]). The residual does not depend on the method: the distance of the impulse from the
//! projection that it must equal, as a velocity.
//!
//! | file | contents |
//! |---|---|
//! | `descent` | which contacts stick |
//! | `local` | one contact, exactly |
//! | `newton` | Newton's method on the projection equations |
//! | `pivoting` | Lemke's method, with octagons for circles in space |
//! | `continuation` | from a matrix with a larger diagonal to W |
//! | `effort` | the number of steps taken |

mod continuation;
pub(crate) mod descent;
pub(crate) mod effort;
pub(crate) mod local;
mod newton;
mod pivoting;
#[cfg(test)]
mod tests;

use effort::{SimultaneousEffort, SimultaneousStage};
use newton::Newton;

use crate::contact::delassus::{Delassus, Dimension, Entries};
use crate::error::Result;
use crate::numeric::matrix::Dense;
use crate::numeric::plane::{Vec2, norm};

/// Sweeps before Newton's method, which then finds an answer in about 90 of 100 random problems. More sweeps find few more
/// answers and cost more than Lemke's method.
const SWEEPS: u32 = 8;

/// Sweeps where Newton's method has failed from a vertex of Lemke's method.
const SWEEPS_AFTER: u32 = 30;

/// How friction acts at a contact of the problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rule {
    /// `i_t ∈ -μ i_n Sgn(y_t)`.
    Coulomb {
        /// `μ`
        mu: f64,
        /// Whether `y_t = 0` is preferred among several local answers.
        prefers_rest: bool,
    },
    /// `i_t = -μ i_n u`; only the normal row is a condition.
    Driven {
        /// `μ`
        mu: f64,
        /// The unit vector `u`.
        u: Vec2,
    },
}

/// One contact's place in the stacked rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    /// Its first row, the normal's.
    pub(crate) start: usize,
    pub(crate) dimension: Dimension,
    /// Its own part of `W`.
    pub(crate) delassus: Delassus,
    /// `W_nn`
    pub(crate) w_nn: f64,
    /// The mean of the diagonal of `W_tt`; `W_nn` where the tangents cannot move.
    pub(crate) w_t: f64,
}

/// `W` with the contacts that its rows belong to.
#[derive(Debug, Clone)]
pub(crate) struct System {
    pub(crate) matrix: Dense,
    pub(crate) blocks: Vec<Block>,
    pub(crate) rows: usize,
}

/// The problem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coulomb<'a> {
    pub(crate) system: &'a System,
    pub(crate) q: &'a [f64],
    pub(crate) rules: &'a [Rule],
    /// Largest residual of an answer, a velocity.
    pub(crate) tolerance: f64,
}

/// Workspace of the solver, reused from problem to problem.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    pub(crate) y: Vec<f64>,
    pub(crate) newton: Newton,
    best: Vec<f64>,
}

impl System {
    /// `matrix` is symmetric; each diagonal block has to be a Delassus matrix.
    pub(crate) fn new(matrix: Dense, dimensions: impl Iterator<Item = Dimension>) -> Result<Self> {
        let (mut blocks, mut start) = (Vec::new(), 0);
        for dimension in dimensions {
            let (entries, w_t) = entries(&matrix, start, dimension);
            let w_nn = entries.matrix[0][0];
            blocks.push(Block { start, dimension, delassus: Delassus::from_entries(entries)?, w_nn, w_t });
            start += dimension.rows();
        }
        Ok(Self { matrix, blocks, rows: start })
    }

    /// Some of the contacts, in the order given.
    pub(crate) fn part(&self, contacts: &[usize]) -> Self {
        let rows: Vec<usize> = contacts.iter().flat_map(|&k| self.blocks[k].range()).collect();
        let matrix = self.matrix.part(&rows);
        let mut start = 0;
        let place = |&k: &usize| {
            let block = Block { start, ..self.blocks[k] };
            start += block.dimension.rows();
            block
        };
        Self { matrix, blocks: contacts.iter().map(place).collect(), rows: rows.len() }
    }

    /// `F W F` with the diagonal `F` that makes every normal entry, and the mean of each contact's tangential ones, one; and
    /// `F`. Whatever the units, the problem is then the same but for rounding.
    pub(crate) fn normalised(&self) -> (Self, Vec<f64>) {
        let mut factors = vec![0.0; self.rows];
        for block in &self.blocks {
            for r in block.range() {
                factors[r] = 1.0 / if r == block.start { block.w_nn } else { block.w_t }.sqrt();
            }
        }
        let mut normalised = self.clone();
        for i in 0..self.rows {
            for j in 0..=i {
                let entry = factors[i] * self.matrix[(i, j)] * factors[j];
                normalised.matrix[(i, j)] = entry;
                normalised.matrix[(j, i)] = entry;
            }
        }
        normalised.assemble_blocks();
        (normalised, factors)
    }

    /// `W` with a share of each contact's normal entry, and of the mean of its tangential ones, added to the diagonal: whatever
    /// the units, the same problem.
    pub(crate) fn relaxed(&self, share: f64) -> Self {
        let mut relaxed = self.clone();
        for block in &self.blocks {
            for i in block.range() {
                relaxed.matrix[(i, i)] += share * if i == block.start { block.w_nn } else { block.w_t };
            }
        }
        relaxed.assemble_blocks();
        relaxed
    }

    /// Assembles the contacts' own parts of a matrix that needs no further check.
    fn assemble_blocks(&mut self) {
        for block in &mut self.blocks {
            let (entries, w_t) = entries(&self.matrix, block.start, block.dimension);
            (block.delassus, _) = Delassus::assemble(&entries);
            (block.w_nn, block.w_t) = (entries.matrix[0][0], w_t);
        }
    }

    /// The largest velocity, each row over the root of its own entry of `W`: as a root of an energy, whatever the units.
    pub(crate) fn fastest(&self, velocity: &[f64]) -> f64 {
        let entries = (0..self.rows).map(|r| self.matrix[(r, r)]);
        let speeds = entries.zip(velocity).filter(|(w, _)| *w > 0.0).map(|(w, v)| v.abs() / w.sqrt());
        speeds.fold(0.0, f64::max)
    }

    /// `y = q + W i`.
    pub(crate) fn velocity(&self, q: &[f64], impulse: &[f64], y: &mut [f64]) {
        for (r, y) in y.iter_mut().enumerate() {
            *y = q[r] + self.matrix.row(r).iter().zip(impulse).map(|(w, i)| w * i).sum::<f64>();
        }
    }
}

/// A contact's own part of `W`, and `w_t`.
fn entries(w: &Dense, start: usize, dimension: Dimension) -> (Entries, f64) {
    let d = dimension.rows();
    let mut matrix = [[0.0; 3]; 3];
    for i in 0..d {
        matrix[i][..d].copy_from_slice(&w.row(start + i)[start..start + d]);
    }
    let trace = matrix[1][1] + matrix[2][2];
    let w_t = if trace > 0.0 { trace / (d - 1) as f64 } else { matrix[0][0] };
    (Entries { dimension, matrix, normal_row: 0, tangential_row: 0 }, w_t)
}

impl Block {
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.dimension.rows()
    }

    /// The block's part of a stacked vector, padded with zeros.
    pub(crate) fn of(&self, stacked: &[f64]) -> [f64; 3] {
        let mut part = [0.0; 3];
        part[..self.dimension.rows()].copy_from_slice(&stacked[self.range()]);
        part
    }
}

impl Workspace {
    pub(crate) fn new(rows: usize) -> Self {
        let zeros = || vec![0.0; rows];
        Self { y: zeros(), newton: Newton::new(rows), best: zeros() }
    }
}

impl Coulomb<'_> {
    /// Solves, starting from the given impulse, which is replaced by the best one found; returns its residual.
    pub(crate) fn solve(&self, impulse: &mut [f64], room: &mut Workspace, effort: &mut SimultaneousEffort) -> f64 {
        let mut best = Best { residual: f64::INFINITY, impulse: std::mem::take(&mut room.best) };
        self.sweep(impulse, SWEEPS, &mut best, room, effort);
        if best.residual > self.tolerance {
            self.newton(impulse, &mut best, room, effort);
        }
        if best.residual > self.tolerance {
            self.pivot(impulse, &mut best, room, effort);
        }
        impulse.copy_from_slice(&best.impulse);
        room.best = best.impulse;
        best.residual
    }

    /// As [`solve`](Self::solve); if that fails, again from the impulse found by continuation.
    pub(crate) fn solve_or_continue(
        &self,
        impulse: &mut [f64],
        room: &mut Workspace,
        effort: &mut SimultaneousEffort,
    ) -> f64 {
        let residual = self.solve(impulse, room, effort);
        if residual <= self.tolerance {
            return residual;
        }
        let mut best = Best { residual, impulse: impulse.to_vec() };
        effort.stage = SimultaneousStage::Continuation;
        continuation::follow(self, impulse, room, effort);
        self.finish(impulse, &mut best, room, effort);
        impulse.copy_from_slice(&best.impulse);
        best.residual
    }

    /// Lemke's method, followed by Newton's method; in space repeated with octagons concentrated around the friction found.
    fn pivot(&self, impulse: &mut [f64], best: &mut Best, room: &mut Workspace, effort: &mut SimultaneousEffort) {
        effort.stage = SimultaneousStage::Pivoting;
        let mut last = vec![0.0; impulse.len()];
        for spread in pivoting::SPREADS {
            // In the plane a second pass finds the same vertex.
            let Some(vertex) = pivoting::answer(self, &last, spread, effort).filter(|vertex| *vertex != last) else {
                return;
            };
            impulse.copy_from_slice(&vertex);
            self.finish(impulse, best, room, effort);
            if best.residual <= self.tolerance {
                return;
            }
            last = vertex;
        }
    }

    /// Newton's method from the given impulse; if it fails, again after some sweeps.
    fn finish(&self, impulse: &mut [f64], best: &mut Best, room: &mut Workspace, effort: &mut SimultaneousEffort) {
        let here = impulse.to_vec();
        self.newton(impulse, best, room, effort);
        if best.residual > self.tolerance {
            impulse.copy_from_slice(&here);
            self.sweep(impulse, SWEEPS_AFTER, best, room, effort);
            self.newton(impulse, best, room, effort);
        }
    }

    /// Newton's method alone, for an impulse close to an answer.
    pub(crate) fn polish(&self, impulse: &mut [f64], room: &mut Workspace, effort: &mut SimultaneousEffort) -> f64 {
        let mut best = Best { residual: f64::INFINITY, impulse: std::mem::take(&mut room.best) };
        self.newton(impulse, &mut best, room, effort);
        impulse.copy_from_slice(&best.impulse);
        room.best = best.impulse;
        best.residual
    }

    fn newton(&self, impulse: &mut [f64], best: &mut Best, room: &mut Workspace, effort: &mut SimultaneousEffort) {
        effort.stage = effort.stage.max(SimultaneousStage::Newton);
        let Workspace { y, newton, .. } = room;
        effort.newton_steps += newton.iterate(self, impulse, y, best);
    }

    /// Symmetric Gauss-Seidel sweeps over the contacts.
    fn sweep(
        &self,
        impulse: &mut [f64],
        sweeps: u32,
        best: &mut Best,
        room: &mut Workspace,
        effort: &mut SimultaneousEffort,
    ) {
        let Workspace { y, .. } = room;
        self.system.velocity(self.q, impulse, y);
        for _ in 0..sweeps {
            for k in (0..self.rules.len()).chain((0..self.rules.len() - 1).rev()) {
                self.answer_alone(k, impulse, y);
            }
            effort.sweeps += 1;
            let residual = self.residual(impulse, y);
            best.keep(residual, impulse);
            if residual <= self.tolerance {
                // The updated sums have accumulated rounding errors.
                self.system.velocity(self.q, impulse, y);
                best.replace(self.residual(impulse, y), impulse);
                return;
            }
        }
    }

    /// Solves contact `k` exactly with the impulses of the others fixed.
    fn answer_alone(&self, k: usize, impulse: &mut [f64], y: &mut [f64]) {
        let block = &self.system.blocks[k];
        let (old, y_k) = (block.of(impulse), block.of(y));
        let d = block.dimension.rows();
        let mut q = y_k;
        for i in 0..d {
            let row = &self.system.matrix.row(block.start + i)[block.range()];
            q[i] -= row.iter().zip(&old).map(|(w, i)| w * i).sum::<f64>();
        }
        let new = match self.rules[k] {
            Rule::Coulomb { mu, prefers_rest } => local::coulomb(&block.delassus, q, mu, prefers_rest),
            Rule::Driven { mu, u } => {
                let row = &self.system.matrix.row(block.start)[block.range()];
                let mut w = [0.0; 2];
                w[..d - 1].copy_from_slice(&row[1..]);
                local::driven(block.w_nn, w, q[0], mu, u).unwrap_or(old)
            }
        };
        for i in 0..d {
            let change = new[i] - old[i];
            if change != 0.0 {
                impulse[block.start + i] = new[i];
                // W is symmetric: its rows are its columns.
                for (y, w) in y.iter_mut().zip(self.system.matrix.row(block.start + i)) {
                    *y += w * change;
                }
            }
        }
    }

    /// The largest distance of an impulse from the projection that it must equal, times the contact's own part of
    /// `W`; `y = q + W i`.
    pub(crate) fn residual(&self, impulse: &[f64], y: &[f64]) -> f64 {
        let of = |(block, rule): (&Block, &Rule)| {
            let (i, y) = (block.of(impulse), block.of(y));
            let normal = (block.w_nn * i[0]).min(y[0]).abs();
            let tangential = match *rule {
                Rule::Coulomb { mu, .. } => tangential_residual(block.w_t, mu, &i, [y[1], y[2]]),
                Rule::Driven { mu, u } => block.w_t * norm([i[1] + mu * i[0] * u[0], i[2] + mu * i[0] * u[1]]),
            };
            // NaN is no answer.
            if normal.is_nan() || tangential.is_nan() { f64::INFINITY } else { normal.max(tangential) }
        };
        self.system.blocks.iter().zip(self.rules).map(of).fold(0.0, f64::max)
    }
}

/// `w_t |i_t - P(i_t - y_t/w_t)|`, `P` the projection on the disk of radius `μ i_n`.
pub(crate) fn tangential_residual(w_t: f64, mu: f64, impulse: &[f64; 3], y_t: Vec2) -> f64 {
    let radius = w_t * mu * impulse[0].max(0.0);
    let i_t = [w_t * impulse[1], w_t * impulse[2]];
    let p = [i_t[0] - y_t[0], i_t[1] - y_t[1]];
    let length = norm(p);
    if length <= radius { norm(y_t) } else { norm([i_t[0] - radius * p[0] / length, i_t[1] - radius * p[1] / length]) }
}

/// The best impulse seen.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    pub(crate) residual: f64,
    pub(crate) impulse: Vec<f64>,
}

impl Best {
    pub(crate) fn keep(&mut self, residual: f64, impulse: &[f64]) {
        if residual < self.residual {
            self.replace(residual, impulse);
        }
    }

    fn replace(&mut self, residual: f64, impulse: &[f64]) {
        self.residual = residual;
        self.impulse.copy_from_slice(impulse);
    }
}
