//! Several contacts by the law chord: two problems of Coulomb's kind, one for compression and one for restitution.
//!
//! **Compression.** Contact `k` has the normal impulse `h_k`, of which `q_k = min(h_k/2, H_k)` is explicit along its slip before
//! and the rest implicit, with friction against the slip at the end; `0 <= h ⊥ v_n^c >= 0`. With the shares `q` held, it is a
//! standard Coulomb problem of the implicit rests, which the solvers of [`crate::coulomb`] answer; the shares follow from the
//! answer, again and again.
//!
//! **Restitution.** The normal impulses are at least `e_k h_k`, `0 <= i_n - e h ⊥ v_n⁺ >= 0`, with friction against the slip after. It
//! is solved by sweeps of the implicit step of one contact ([`crate::rivals`]), the others held. (Where no contact needs more than
//! `e h`, the sweeps descend a convex energy over disks.) Where contacts can hardly move against each other, the sweeps creep: friction moves
//! from one to the other by a billionth at a time, until one has all of its own. What they tend to is followed by Newton's method
//! on the projection equations, from a matrix with a larger diagonal to `W`.
//!
//! **Energy.** As no explicit share exceeds the implicit one, `i_c·v^c <= 0`, and with a common `e` the energy after `(1+e) i_c` is not more
//! than before; restitution does no worse. With unequal `e` friction can gain: then the answer is blended with that of the least
//! `e` for all, as far as the energy allows, and says so.
//!
//! One contact alone turns its slip in steps of its own, [`crate::rivals`]: its answer is nearer to Poisson's path.

use super::strike::{Answer, CERTIFIED, NO_IMPULSE, SOLVED, Strike};
use crate::coulomb::descent::Work;
use crate::coulomb::{Block, Coulomb, Rule, System, tangential_residual};
use crate::impact::mode::Mode;
use crate::numeric::least_squares::LeastSquares;
use crate::numeric::matrix::Dense;
use crate::numeric::plane::{Vec2, norm};
use crate::rivals::chord::{implicit_step, turning};

/// Largest number of updates of the explicit shares; ten suffice nearly always.
const MOST_SHARES: u32 = 200;

/// From this iteration on they move half of the way, and less from later ones on ([`damping`]): some would oscillate without end (the test
/// `pairs_of_spatial_contacts_find_their_answer`).
const DAMPED_FROM: u32 = 20;

/// Largest number of sweeps of restitution; a few tens suffice nearly always.
const MOST_SWEEPS: u32 = 5_000;

/// Sweeps after which Newton's method is tried: those that have not settled by then seldom do.
const SWEEPS_BEFORE_NEWTON: u32 = 100;

/// The shares of the mean diagonal that `W` is then relaxed by, from the first down to the last by a factor: the last changes no velocity by more than
/// a fiftieth of what an answer may err by.
const SHARES: [f64; 2] = [1e-3, 1e-11];

/// The share of a second try, from no impulse: with a diagonal so much larger contacts hardly act on each other.
const DECOUPLED: f64 = 10.0;
const SHARE_FACTOR: f64 = 0.1;

/// The factor above the first share, where answers change with it.
const SMALL_FACTOR: f64 = 0.85;

/// Largest number of steps of Newton's method for a share.
const MOST_STEPS: u32 = 20;

/// A sweep that changes no velocity by more than this, over the largest speed, is the last.
const STEADY: f64 = 1e-14;

/// An increase of energy counts above this fraction of the work of the parts.
const GAIN: f64 = 1e-12;

/// The impulses of an impact by phases, the velocities after each, and how far they are from the law.
#[derive(Debug, Clone)]
struct Phases {
    compression: Vec<f64>,
    /// `q`
    shares: Vec<f64>,
    compressed: Vec<f64>,
    restitution: Vec<f64>,
    after: Vec<f64>,
    /// The certificate, over the largest speed.
    residual: f64,
}

/// How far shares move in an iteration.
fn damping(round: u32) -> f64 {
    match round {
        _ if round < DAMPED_FROM => 1.0,
        _ if round < 3 * DAMPED_FROM => 0.5,
        _ if round < 6 * DAMPED_FROM => 0.2,
        _ => 0.08,
    }
}

/// The law's answer to contacts that strike together.
pub(super) struct Struck {
    pub(super) answer: Answer,
    pub(super) modes: Vec<Mode>,
    /// Whether the law's own answer gained energy, and was blended.
    pub(super) blended: bool,
}

impl Strike {
    /// The law's answer; else the best candidate.
    pub(super) fn by_chord(&self, work: &mut Work) -> Result<Struck, Answer> {
        let e: Vec<f64> = self.contacts.iter().map(|contact| contact.e).collect();
        let mut phases = self.compressed(work);
        self.restore(&mut phases, &e, work);
        phases.residual = self.phases_residual(&phases, &e);
        let own = self.whole(&phases);
        if !(own.residual <= CERTIFIED) {
            return Err(own);
        }
        let modes = self.chord_modes(&own);
        if !self.has_gained(&own) {
            return Ok(Struck { answer: own, modes, blended: false });
        }
        let least = e.iter().copied().fold(f64::INFINITY, f64::min);
        let common = vec![least; e.len()];
        self.restore(&mut phases, &common, work);
        phases.residual = self.phases_residual(&phases, &common);
        let payer = self.whole(&phases);
        if !(payer.residual <= CERTIFIED) {
            return Err(payer);
        }
        Ok(Struck { answer: self.blended(&own, &payer), modes, blended: true })
    }

    fn has_gained(&self, answer: &Answer) -> bool {
        let exchanged = self.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
        self.energy_change(answer) > (GAIN + 2.0 * answer.residual) * exchanged
    }

    fn whole(&self, phases: &Phases) -> Answer {
        let impulse = phases.compression.iter().zip(&phases.restitution).map(|(c, r)| c + r).collect();
        let mut answer = Answer {
            impulse,
            after: phases.after.clone(),
            may_stick: Vec::new(),
            factor: 1.0,
            residual: phases.residual,
            change: None,
            modes: None,
        };
        self.system.velocity(&self.before, &answer.impulse, &mut answer.after);
        answer
    }

    /// The direction of the slip before and `H`, if the contact slips.
    fn turn(&self, k: usize) -> Option<(Vec2, f64)> {
        turning(&self.system.blocks[k].delassus, self.system.blocks[k].of(&self.before), self.contacts[k].mu_d)
    }

    /// Compression, with the shares that follow from its answer.
    fn compressed(&self, work: &mut Work) -> Phases {
        let (m, rows) = (self.contacts.len(), self.system.rows);
        let turns: Vec<Option<(Vec2, f64)>> = (0..m).map(|k| self.turn(k)).collect();
        let rules: Vec<Rule> =
            self.contacts.iter().map(|contact| Rule::Coulomb { mu: contact.mu_d, prefers_rest: true }).collect();
        let start = self.before_strike();
        let (mut shares, mut implicit) = (vec![0.0; m], vec![0.0; rows]);
        let (mut explicit, mut q) = (vec![0.0; rows], vec![0.0; rows]);
        let mut has_settled = false;
        for round in 0..MOST_SHARES {
            self.explicit(&shares, &turns, &mut explicit);
            self.system.velocity(&start, &explicit, &mut q);
            let problem = Coulomb { system: &self.system, q: &q, rules: &rules, tolerance: SOLVED * self.speed };
            work.solve(&problem, &mut implicit);
            let refined = Coulomb { tolerance: STEADY * self.speed, ..problem };
            work.refine(&refined, &mut implicit);
            let mut change = 0.0_f64;
            for (k, block) in self.system.blocks.iter().enumerate() {
                let rest = implicit[block.start].max(0.0);
                let wanted = match turns[k] {
                    // A contact that needs no implicit impulse does not strike; where that would go to and fro, its share falls by halves.
                    Some((_, size)) if rest > 0.0 || round >= DAMPED_FROM => (0.5 * (rest + shares[k])).min(size),
                    _ => 0.0,
                };
                change = change.max(block.w_nn * (wanted - shares[k]).abs());
                shares[k] += damping(round) * (wanted - shares[k]);
            }
            if change <= STEADY * self.speed {
                has_settled = true;
                break;
            }
        }
        let mut best = self.compression(&turns, &start, shares, implicit.clone());
        if has_settled && self.compression_residual(&best) <= CERTIFIED {
            return best;
        }
        for (relaxation, implicit) in [(SHARES[0], implicit), (DECOUPLED, vec![0.0; rows])] {
            let (shares, implicit) = self.compressed_by_newton(&turns, &start, implicit, relaxation, work);
            let found = self.compression(&turns, &start, shares, implicit);
            if self.compression_residual(&found) < self.compression_residual(&best) {
                best = found;
            }
            if self.compression_residual(&best) <= CERTIFIED {
                break;
            }
        }
        best
    }

    /// Compression of given shares and implicit rests.
    fn compression(
        &self,
        turns: &[Option<(Vec2, f64)>],
        start: &[f64],
        mut shares: Vec<f64>,
        mut implicit: Vec<f64>,
    ) -> Phases {
        let rows = self.system.rows;
        self.without_rounding(&mut implicit, &mut shares);
        let mut explicit = vec![0.0; rows];
        self.explicit(&shares, turns, &mut explicit);
        let compression: Vec<f64> = explicit.iter().zip(&implicit).map(|(e, i)| e + i).collect();
        let mut compressed = vec![0.0; rows];
        self.system.velocity(start, &compression, &mut compressed);
        Phases {
            compression,
            shares,
            after: compressed.clone(),
            compressed,
            restitution: vec![0.0; rows],
            residual: f64::INFINITY,
        }
    }

    /// Shares and implicit rests at once, by Newton's method on the projection equations: `q = min(h/2, H)` is `q = min(r, H)` of the rest
    /// `r = h - q`, so that the velocity is a piecewise linear function of the rests.
    fn compressed_by_newton(
        &self,
        turns: &[Option<(Vec2, f64)>],
        start: &[f64],
        mut implicit: Vec<f64>,
        mut relaxation: f64,
        work: &mut Work,
    ) -> (Vec<f64>, Vec<f64>) {
        let rows = self.system.rows;
        let share = |k: usize, rest: f64| turns[k].map_or(0.0, |(_, size)| rest.max(0.0).min(size));
        let shares = |implicit: &[f64]| -> Vec<f64> {
            self.system.blocks.iter().enumerate().map(|(k, block)| share(k, implicit[block.start])).collect()
        };
        let (mut explicit, mut moved, mut v, mut step) =
            (vec![0.0; rows], vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]);
        let mut squares = LeastSquares::new(rows);
        while relaxation >= 0.5 * SHARES[1] {
            let relaxed = self.system.relaxed(relaxation);
            for _ in 0..MOST_STEPS {
                work.effort.newton_steps += 1;
                self.explicit(&shares(&implicit), turns, &mut explicit);
                relaxed.velocity(start, &explicit, &mut moved);
                relaxed.velocity(&moved, &implicit, &mut v);
                let slope = self.slope(&relaxed, turns, &implicit);
                for (k, block) in relaxed.blocks.iter().enumerate() {
                    let (i, v) = (block.of(&implicit), block.of(&v));
                    Projected { block, mu: self.contacts[k].mu_d, floor: 0.0, i, v }.linearise(&slope, &mut squares);
                }
                squares.rhs.iter_mut().for_each(|f| *f = -*f);
                squares.solve(&mut step);
                let change = step.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
                if !change.is_finite() {
                    return (shares(&implicit), implicit);
                }
                implicit.iter_mut().zip(&step).for_each(|(i, step)| *i += step);
                if change <= STEADY * self.speed {
                    break;
                }
            }
            relaxation *= if relaxation > SHARES[0] { SMALL_FACTOR } else { SHARE_FACTOR };
        }
        (shares(&implicit), implicit)
    }

    /// How velocities change with the implicit rests: a rest below `H` has a share with it.
    fn slope(&self, system: &System, turns: &[Option<(Vec2, f64)>], implicit: &[f64]) -> Dense {
        let mut slope = system.matrix.clone();
        for (k, block) in system.blocks.iter().enumerate() {
            let Some((u, size)) = turns[k] else { continue };
            if implicit[block.start] >= size {
                continue;
            }
            for r in 0..system.rows {
                let row = system.matrix.row(r);
                let along: f64 = block.range().skip(1).zip(u).map(|(c, u)| row[c] * u).sum();
                slope[(r, block.start)] += row[block.start] - self.contacts[k].mu_d * along;
            }
        }
        slope
    }

    /// Impulses that are rounding are left out, and friction beyond its disk is cut: where `W_tt` is small, the certificate, a
    /// velocity, would let it pass.
    fn without_rounding(&self, implicit: &mut [f64], shares: &mut [f64]) {
        for (k, block) in self.system.blocks.iter().enumerate() {
            let implicit = &mut implicit[block.range()];
            if block.w_nn * implicit[0] <= NO_IMPULSE * self.speed {
                implicit.fill(0.0);
                shares[k] = 0.0;
            }
            let most = self.contacts[k].mu_d * implicit[0];
            let friction = implicit[1..].iter().map(|i| i * i).sum::<f64>().sqrt();
            if friction > most {
                implicit[1..].iter_mut().for_each(|i| *i *= most / friction);
            }
        }
    }

    /// `v⁻`, with contacts at rest that rounding lets approach at rest.
    fn before_strike(&self) -> Vec<f64> {
        let mut start = self.before.clone();
        for (block, contact) in self.system.blocks.iter().zip(&self.contacts) {
            if contact.is_at_rest {
                start[block.start] = start[block.start].max(0.0);
            }
        }
        start
    }

    /// The impulses of the explicit shares.
    fn explicit(&self, shares: &[f64], turns: &[Option<(Vec2, f64)>], impulse: &mut [f64]) {
        impulse.fill(0.0);
        for (k, block) in self.system.blocks.iter().enumerate() {
            let Some((u, _)) = turns[k] else { continue };
            impulse[block.start] = shares[k];
            for (row, u) in block.range().skip(1).zip(u) {
                impulse[row] = -self.contacts[k].mu_d * shares[k] * u;
            }
        }
    }

    /// Restitution: sweeps to and fro of the implicit step of one contact, the others held; then Newton's method.
    fn restore(&self, phases: &mut Phases, e: &[f64], work: &mut Work) {
        let m = self.contacts.len();
        let mut v = phases.compressed.clone();
        // Of (1+e) i_c, which creates no energy, as a start.
        for (k, block) in self.system.blocks.iter().enumerate() {
            for r in block.range() {
                phases.restitution[r] = e[k] * phases.compression[r];
            }
        }
        self.system.velocity(&phases.compressed, &phases.restitution, &mut v);
        for sweep in 0..=MOST_SWEEPS {
            if (sweep == SWEEPS_BEFORE_NEWTON || sweep == MOST_SWEEPS)
                && let Some(restitution) = self
                    .restored_by_newton(phases, e, SHARES[0], work)
                    .or_else(|| self.restored_by_newton(phases, e, DECOUPLED, work))
            {
                phases.restitution = restitution;
                break;
            }
            work.effort.sweeps += 1;
            let mut change = 0.0_f64;
            for k in (0..m).chain((0..m.saturating_sub(1)).rev()) {
                let block = &self.system.blocks[k];
                let old = block.of(&phases.restitution);
                let mut x = block.of(&v);
                for (i, r) in block.range().enumerate() {
                    let row = &self.system.matrix.row(r)[block.range()];
                    x[i] -= row.iter().zip(&old).map(|(w, i)| w * i).sum::<f64>();
                }
                let least = e[k] * phases.compression[block.start].max(0.0);
                let new = implicit_step(&block.delassus, x, self.contacts[k].mu_d, least).unwrap_or(old);
                for (i, r) in block.range().enumerate() {
                    let step = new[i] - old[i];
                    if step != 0.0 {
                        phases.restitution[r] = new[i];
                        // W is symmetric: its rows are its columns.
                        for (v, w) in v.iter_mut().zip(self.system.matrix.row(r)) {
                            *v += w * step;
                        }
                        change = change.max(step.abs() * if i == 0 { block.w_nn } else { block.w_t });
                    }
                }
            }
            if change <= STEADY * self.speed {
                break;
            }
        }
        self.system.velocity(&phases.compressed, &phases.restitution, &mut phases.after);
    }

    /// Newton's method on the projection equations of restitution, from what the sweeps have reached. `None` unless it comes to an
    /// answer.
    fn restored_by_newton(&self, phases: &Phases, e: &[f64], mut share: f64, work: &mut Work) -> Option<Vec<f64>> {
        let System { blocks, rows, .. } = &self.system;
        let floors: Vec<f64> =
            blocks.iter().zip(e).map(|(block, e)| e * phases.compression[block.start].max(0.0)).collect();
        let (mut impulse, mut after, mut step) = (phases.restitution.clone(), vec![0.0; *rows], vec![0.0; *rows]);
        let mut squares = LeastSquares::new(*rows);
        while share >= 0.5 * SHARES[1] {
            let relaxed = self.system.relaxed(share);
            for _ in 0..MOST_STEPS {
                work.effort.newton_steps += 1;
                relaxed.velocity(&phases.compressed, &impulse, &mut after);
                for (k, block) in relaxed.blocks.iter().enumerate() {
                    let (i, v) = (block.of(&impulse), block.of(&after));
                    let projected = Projected { block, mu: self.contacts[k].mu_d, floor: floors[k], i, v };
                    projected.linearise(&relaxed.matrix, &mut squares);
                }
                squares.rhs.iter_mut().for_each(|f| *f = -*f);
                squares.solve(&mut step);
                let change = step.iter().fold(0.0_f64, |most, step| most.max(step.abs()));
                impulse.iter_mut().zip(&step).for_each(|(i, step)| *i += step);
                if !change.is_finite() {
                    return None;
                }
                if change <= SOLVED * self.speed {
                    break;
                }
            }
            share *= if share > SHARES[0] { SMALL_FACTOR } else { SHARE_FACTOR };
        }
        // What rounding leaves below the floors and outside the disks.
        for ((block, contact), floor) in blocks.iter().zip(&self.contacts).zip(&floors) {
            let impulse = &mut impulse[block.range()];
            impulse[0] = impulse[0].max(*floor);
            let (most, friction) = (contact.mu_d * impulse[0], impulse[1..].iter().map(|i| i * i).sum::<f64>().sqrt());
            if friction > most {
                impulse[1..].iter_mut().for_each(|i| *i *= most / friction);
            }
        }
        let found = Phases { restitution: impulse, ..phases.clone() };
        (self.restitution_residual(&found, e) <= 0.2 * CERTIFIED).then_some(found.restitution)
    }

    /// How far restitution is from its conditions, as a velocity over the largest speed.
    fn restitution_residual(&self, phases: &Phases, e: &[f64]) -> f64 {
        let mut after = vec![0.0; self.system.rows];
        self.system.velocity(&phases.compressed, &phases.restitution, &mut after);
        let of = |(k, block): (usize, &Block)| {
            let (i, r, v) = (block.of(&phases.compression), block.of(&phases.restitution), block.of(&after));
            let normal = (block.w_nn * (r[0] - e[k] * i[0])).min(v[0]).abs();
            let slip = tangential_residual(block.w_t, self.contacts[k].mu_d, &r, [v[1], v[2]]);
            largest([normal, slip])
        };
        self.system.blocks.iter().enumerate().map(of).fold(0.0, f64::max) / self.speed
    }

    /// How far compression and its shares are from their conditions, as a velocity over the largest speed.
    fn compression_residual(&self, phases: &Phases) -> f64 {
        let mut compressed = vec![0.0; self.system.rows];
        self.system.velocity(&self.before_strike(), &phases.compression, &mut compressed);
        let of = |(k, block): (usize, &Block)| {
            let (contact, i, v) = (&self.contacts[k], block.of(&phases.compression), block.of(&compressed));
            let q = phases.shares[k];
            let (u, size) = self.turn(k).unwrap_or(([0.0, 0.0], 0.0));
            let share = block.w_nn * (q - size.min(0.5 * i[0])).abs();
            let implicit = [i[0] - q, i[1] + contact.mu_d * q * u[0], i[2] + contact.mu_d * q * u[1]];
            let normal = (block.w_nn * i[0]).min(v[0]).abs();
            let slip = tangential_residual(block.w_t, contact.mu_d, &implicit, [v[1], v[2]]);
            largest([share, normal, slip])
        };
        self.system.blocks.iter().enumerate().map(of).fold(0.0, f64::max) / self.speed
    }

    /// The certificate: how far impulses and shares are from the law's conditions at any contact, as a velocity over the largest
    /// speed. It shares nothing with the solvers.
    fn phases_residual(&self, phases: &Phases, e: &[f64]) -> f64 {
        let mut compressed = phases.compressed.clone();
        self.system.velocity(&self.before_strike(), &phases.compression, &mut compressed);
        let told = Phases { compressed, ..phases.clone() };
        self.compression_residual(&told).max(self.restitution_residual(&told, e))
    }

    /// The mode of each contact at the end.
    fn chord_modes(&self, answer: &Answer) -> Vec<Mode> {
        let of = |block: &Block| {
            let (i, v) = (block.of(&answer.impulse), block.of(&answer.after));
            if i[0] == 0.0 {
                Mode::Separating
            } else if norm([v[1], v[2]]) <= CERTIFIED * self.speed {
                Mode::Stick
            } else {
                Mode::Slip
            }
        };
        self.system.blocks.iter().map(of).collect()
    }

    /// The direction of the slip after, of contact `k`.
    pub(super) fn slip_after(&self, k: usize, answer: &Answer) -> Option<Vec2> {
        let v = self.system.blocks[k].of(&answer.after);
        let speed = norm([v[1], v[2]]);
        (speed > 0.0).then(|| [v[1] / speed, v[2] / speed])
    }
}

/// The largest of some residuals; NaN is no answer.
fn largest<const N: usize>(residuals: [f64; N]) -> f64 {
    if residuals.iter().any(|x| x.is_nan()) { f64::INFINITY } else { residuals.into_iter().fold(0.0, f64::max) }
}

/// A contact of restitution: its impulse must equal the projection of `i - v/w` onto what is allowed, a normal impulse of at least
/// `floor` and friction in its disk.
struct Projected<'a> {
    block: &'a Block,
    mu: f64,
    floor: f64,
    i: [f64; 3],
    v: [f64; 3],
}

impl Projected<'_> {
    /// The distance from the projection, as a velocity, and its slope.
    fn linearise(&self, w: &Dense, to: &mut LeastSquares) {
        let &Self { block, mu, floor, i, v } = self;
        let (n, d, w_n, w_t) = (block.start, block.dimension.rows(), block.w_nn, block.w_t);
        let pressed = i[0] - v[0] / w_n;
        let presses = pressed > floor;
        let LeastSquares { matrix, rhs, .. } = to;
        if presses {
            rhs[n] = v[0];
            matrix.row_mut(n).copy_from_slice(w.row(n));
        } else {
            rhs[n] = w_n * (i[0] - floor);
            matrix.row_mut(n).fill(0.0);
            matrix[(n, n)] = w_n;
        }
        let p = [w_t * i[1] - v[1], w_t * i[2] - v[2]];
        let (length, radius) = (norm(p), w_t * mu * pressed.max(floor));
        for r in 1..d {
            let row = matrix.row_mut(n + r);
            if length <= radius {
                rhs[n + r] = v[r];
                row.copy_from_slice(w.row(n + r));
                continue;
            }
            // dF_t = w_t di_t - p̂ dR - (R/|p|) (1 - p̂ p̂ᵀ) (w_t di_t - dv_t).
            let hat = [p[0] / length, p[1] / length];
            rhs[n + r] = w_t * i[r] - radius * hat[r - 1];
            row.fill(0.0);
            row[n + r] = w_t;
            if presses {
                let by_normal = hat[r - 1] * w_t * mu;
                row[n] -= by_normal;
                row.iter_mut().zip(w.row(n)).for_each(|(s, w)| *s += by_normal / w_n * w);
            }
            for c in 1..d {
                let across = f64::from(u8::from(r == c)) - hat[r - 1] * hat[c - 1];
                let weight = radius / length * across;
                row.iter_mut().zip(w.row(n + c)).for_each(|(s, w)| *s += weight * w);
                row[n + c] -= weight * w_t;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;
    use crate::contact::delassus::Dimension;
    use fastrand::Rng;

    const ALL: [Dimension; 3] = [Dimension::Spatial, Dimension::Planar, Dimension::Normal];

    /// The distance of an impulse from the projection that it must equal, by its definition.
    fn distance(strike: &Strike, floors: &[f64], impulse: &[f64], q: &[f64]) -> Vec<f64> {
        let mut v = vec![0.0; q.len()];
        strike.system.velocity(q, impulse, &mut v);
        let mut distance = Vec::new();
        for ((block, contact), floor) in strike.system.blocks.iter().zip(&strike.contacts).zip(floors) {
            let (i, v) = (&impulse[block.range()], &v[block.range()]);
            let normal = (i[0] - v[0] / block.w_nn).max(*floor);
            distance.push(block.w_nn * (i[0] - normal));
            let point: Vec<f64> = i.iter().zip(v).skip(1).map(|(i, v)| i - v / block.w_t).collect();
            let (length, radius) = (point.iter().map(|p| p * p).sum::<f64>().sqrt(), contact.mu_d * normal);
            let share = if length > radius { radius / length } else { 1.0 };
            distance.extend(i[1..].iter().zip(&point).map(|(i, p)| block.w_t * (i - share * p)));
        }
        distance
    }

    #[test]
    fn the_slopes_of_restitution_are_those_of_its_distance() {
        let mut rng = Rng::with_seed(1);
        let mut kinds = [0; 4];
        for _ in 0..500 {
            let strike = samples::strike(&mut rng, &ALL, 9);
            let n = strike.system.rows;
            let (impulse, floors) = (samples::answer(&mut rng, &strike).impulse, [rng.f64(), rng.f64(), rng.f64()]);
            let mut after = vec![0.0; n];
            strike.system.velocity(&strike.before, &impulse, &mut after);
            let mut squares = LeastSquares::new(n);
            for (k, block) in strike.system.blocks.iter().enumerate() {
                let (i, v) = (block.of(&impulse), block.of(&after));
                let projected = Projected { block, mu: strike.contacts[k].mu_d, floor: floors[k], i, v };
                projected.linearise(&strike.system.matrix, &mut squares);
                let presses = i[0] - v[0] / block.w_nn > floors[k];
                let radius = strike.contacts[k].mu_d * (i[0] - v[0] / block.w_nn).max(floors[k]);
                let slips = norm([i[1] - v[1] / block.w_t, i[2] - v[2] / block.w_t]) > radius;
                kinds[2 * usize::from(presses) + usize::from(slips)] += 1;
            }
            let expected = distance(&strike, &floors, &impulse, &strike.before);
            for (found, expected) in squares.rhs.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{found} {expected}");
            }
            for c in 0..n {
                let h = 1e-7;
                let [up, down] = [h, -h].map(|by| {
                    let mut moved = impulse.clone();
                    moved[c] += by;
                    distance(&strike, &floors, &moved, &strike.before)
                });
                for r in 0..n {
                    let slope = (up[r] - down[r]) / (2.0 * h);
                    let found = squares.matrix[(r, c)];
                    // Not where the difference crosses a kink.
                    let is_smooth = (up[r] + down[r] - 2.0 * expected[r]).abs() < 1e-11;
                    assert!(!is_smooth || (found - slope).abs() < 1e-5, "{r} {c}: {found} {slope}");
                }
            }
        }
        assert!(kinds.iter().all(|count| *count > 50), "{kinds:?}");
    }

    #[test]
    fn the_certificate_of_the_phases_is_the_worst_of_their_conditions() {
        let mut rng = Rng::with_seed(2);
        let mut turns = 0;
        for _ in 0..500 {
            let strike = samples::strike(&mut rng, &ALL, 9);
            let n = strike.system.rows;
            let e = [rng.f64(), rng.f64(), rng.f64()];
            let phases = Phases {
                compression: samples::answer(&mut rng, &strike).impulse,
                shares: (0..3).map(|_| rng.f64()).collect(),
                compressed: vec![f64::NAN; n],
                restitution: samples::answer(&mut rng, &strike).impulse,
                after: vec![f64::NAN; n],
                residual: f64::NAN,
            };
            let mut start = strike.before.clone();
            for (block, contact) in strike.system.blocks.iter().zip(&strike.contacts) {
                if contact.is_at_rest {
                    start[block.start] = start[block.start].max(0.0);
                }
            }
            let (mut compressed, mut after) = (vec![0.0; n], vec![0.0; n]);
            strike.system.velocity(&start, &phases.compression, &mut compressed);
            strike.system.velocity(&compressed, &phases.restitution, &mut after);
            let mut worst = 0.0_f64;
            for (k, (block, contact)) in strike.system.blocks.iter().zip(&strike.contacts).enumerate() {
                let (i, r, q) = (block.of(&phases.compression), block.of(&phases.restitution), phases.shares[k]);
                let (v, v_after, before) = (block.of(&compressed), block.of(&after), block.of(&strike.before));
                let speed = norm([before[1], before[2]]);
                let turn = turning(&block.delassus, before, contact.mu_d);
                let (u, size) = turn.map_or(([0.0; 2], 0.0), |(u, size)| {
                    assert!((u[0] * before[1] + u[1] * before[2] - speed).abs() < 1e-12, "along the slip before");
                    turns += 1;
                    (u, size)
                });
                let friction = contact.mu_d * q;
                let implicit = [i[0] - q, i[1] + friction * u[0], i[2] + friction * u[1]];
                worst = worst.max(block.w_nn * (q - size.min(0.5 * i[0])).abs());
                worst = worst.max((block.w_nn * i[0]).min(v[0]).abs());
                worst = worst.max((block.w_nn * (r[0] - e[k] * i[0])).min(v_after[0]).abs());
                worst = worst.max(tangential_residual(block.w_t, contact.mu_d, &implicit, [v[1], v[2]]));
                worst = worst.max(tangential_residual(block.w_t, contact.mu_d, &r, [v_after[1], v_after[2]]));
            }
            let found = strike.phases_residual(&phases, &e) * strike.speed;
            assert!((found - worst).abs() < 1e-12 * worst, "{found} {worst}");
        }
        assert!(turns > 500, "{turns}");
    }

    #[test]
    fn answers_of_random_strikes_satisfy_every_condition() {
        let mut rng = Rng::with_seed(3);
        let mut answered = 0;
        for _ in 0..200 {
            let dimensions = samples::dimensions(&mut rng, 2);
            let mut strike = samples::strike(&mut rng, &dimensions, 7);
            for (block, contact) in strike.system.blocks.iter().zip(&mut strike.contacts) {
                contact.is_at_rest = !(strike.before[block.start] < 0.0);
            }
            strike.speed = strike.before.iter().fold(0.0, |speed, v| v.abs().max(speed));
            let mut work = Work::new(strike.system.rows, 100_000);
            let Ok(struck) = strike.by_chord(&mut work) else { continue };
            answered += 1;
            assert!(struck.answer.residual <= CERTIFIED);
            // It dissipates by itself, or is a blend that says so.
            assert!(strike.energy_change(&struck.answer) <= 1e-9, "{}", strike.energy_change(&struck.answer));
        }
        assert!(answered > 190, "{answered}");
    }

    #[test]
    fn implicit_impulses_that_are_rounding_are_left_out_and_friction_is_cut_to_its_disk() {
        let mut rng = Rng::with_seed(4);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 3], 9);
            let mut implicit = samples::answer(&mut rng, &strike).impulse;
            let least = |k: usize| NO_IMPULSE * strike.speed / strike.system.blocks[k].w_nn;
            (implicit[0], implicit[3], implicit[6]) = (0.9 * least(0), 1.1 * least(1), 0.5);
            let (given, mut shares) = (implicit.clone(), vec![1.0; 3]);
            strike.without_rounding(&mut implicit, &mut shares);
            assert_eq!((&implicit[..3], &shares[..]), (&[0.0; 3][..], &[0.0, 1.0, 1.0][..]));
            for k in 1..3 {
                let (i, before) = (&implicit[3 * k..3 * k + 3], &given[3 * k..3 * k + 3]);
                let (friction, most) = (norm([before[1], before[2]]), strike.contacts[k].mu_d * before[0]);
                let share = (most / friction).min(1.0);
                assert_eq!(i[0], before[0]);
                for t in 1..3 {
                    assert!((i[t] - share * before[t]).abs() <= 1e-15 * before[t].abs(), "{i:?} {before:?}");
                }
            }
        }
    }

    #[test]
    fn explicit_shares_push_along_the_slip_before() {
        let mut rng = Rng::with_seed(5);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &ALL, 9);
            let turns: Vec<Option<(Vec2, f64)>> = (0..3).map(|k| strike.turn(k)).collect();
            let (shares, mut impulse) = ([rng.f64(), rng.f64(), rng.f64()], vec![f64::NAN; 6]);
            strike.explicit(&shares, &turns, &mut impulse);
            for (k, block) in strike.system.blocks.iter().enumerate() {
                let (i, v) = (block.of(&impulse), block.of(&strike.before));
                if turns[k].is_none() {
                    assert_eq!(i, [0.0; 3]);
                    continue;
                }
                let (speed, friction) = (norm([v[1], v[2]]), strike.contacts[k].mu_d * shares[k]);
                assert_eq!(i[0], shares[k]);
                for t in 1..3 {
                    assert!((i[t] + friction * v[t] / speed).abs() < 1e-14, "{i:?}");
                }
            }
        }
    }

    /// The energy change counts above what its terms and the residual leave uncertain.
    #[test]
    fn a_gain_beyond_rounding_counts_and_one_within_does_not() {
        let mut rng = Rng::with_seed(6);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 2], 7);
            let mut answer = samples::answer(&mut rng, &strike);
            answer.residual = 1e-3 * rng.f64();
            let exchanged: f64 = strike.speed * answer.impulse.iter().map(|i| i.abs()).sum::<f64>();
            if exchanged == 0.0 {
                continue;
            }
            let bound = (GAIN + 2.0 * answer.residual) * exchanged;
            for (share, has_gained) in [(0.9, false), (1.1, true)] {
                // The change is linear in the velocity after of a row.
                let (row, i) =
                    (0..6).map(|r| (r, answer.impulse[r])).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).unwrap();
                answer.after[row] += 2.0 * (share * bound - strike.energy_change(&answer)) / i;
                assert_eq!(strike.has_gained(&answer), has_gained, "{share}");
            }
        }
    }

    #[test]
    fn what_contacts_do_at_the_end_is_read_off_their_velocities() {
        let mut rng = Rng::with_seed(7);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &[Dimension::Spatial; 3], 9);
            let mut answer = samples::answer(&mut rng, &strike);
            (answer.impulse[0], answer.impulse[3], answer.impulse[6]) = (0.0, 1.0, 1.0);
            let nothing = CERTIFIED * strike.speed;
            (answer.after[4], answer.after[5]) = (0.9 * nothing, 0.0);
            (answer.after[7], answer.after[8]) = (-0.66 * nothing, 0.88 * nothing);
            assert_eq!(strike.chord_modes(&answer), [Mode::Separating, Mode::Stick, Mode::Slip]);
            let u = strike.slip_after(2, &answer).unwrap();
            assert!((u[0] + 0.6).abs() < 1e-14 && (u[1] - 0.8).abs() < 1e-14, "{u:?}");
            answer.after[7..9].fill(0.0);
            assert_eq!(strike.slip_after(2, &answer), None);
        }
    }

    /// Newton's answer of restitution is taken only if it satisfies the conditions.
    #[test]
    fn restitution_is_held_to_its_own_conditions() {
        let mut rng = Rng::with_seed(8);
        for _ in 0..200 {
            let strike = samples::strike(&mut rng, &ALL, 9);
            let (e, compressed) = ([rng.f64(), rng.f64(), rng.f64()], samples::answer(&mut rng, &strike).after);
            let phases = Phases {
                compression: samples::answer(&mut rng, &strike).impulse,
                shares: vec![f64::NAN; 3],
                compressed,
                restitution: samples::answer(&mut rng, &strike).impulse,
                after: vec![f64::NAN; 6],
                residual: f64::NAN,
            };
            let mut after = vec![0.0; 6];
            strike.system.velocity(&phases.compressed, &phases.restitution, &mut after);
            let of = |(k, block): (usize, &Block)| {
                let (i, r, v) = (block.of(&phases.compression), block.of(&phases.restitution), block.of(&after));
                let normal = (block.w_nn * (r[0] - e[k] * i[0])).min(v[0]).abs();
                normal.max(tangential_residual(block.w_t, strike.contacts[k].mu_d, &r, [v[1], v[2]]))
            };
            let worst = strike.system.blocks.iter().enumerate().map(of).fold(0.0, f64::max);
            let found = strike.restitution_residual(&phases, &e) * strike.speed;
            assert!((found - worst).abs() < 1e-13 * worst, "{found} {worst}");
        }
    }
}
