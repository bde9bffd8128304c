//! Lemke's method, for where Newton's leads to no answer: from vertex to vertex of a linear complementarity problem, along
//! a path that never returns.
//!
//! With the friction of a contact as a sum of `β_j >= 0` along directions `d_j`, Coulomb's law is
//! `0 <= β_j ⊥ d_j·y_t + σ >= 0` and `0 <= σ ⊥ μ i_n - Σβ >= 0`. In the plane these are all directions, and where contacts
//! cannot wedge the path ends at an answer (Anitescu and Potra 1997). In space an octagon stands for the circle, and
//! the answer is a start for Newton's method; where that fails, corners gather about the friction found.

use super::newton::unit;
use super::{Coulomb, Rule, SimultaneousEffort};
use crate::contact::delassus::Dimension;
use crate::numeric::matrix::Dense;
use crate::numeric::plane::{Vec2, norm, scaled};
use crate::numeric::scaling::scale;
use crate::numeric::tolerance::LEMKE_PIVOT;

/// How far the next corners of an octagon are from its first, which is where friction acted last: the tangent of the angle. The
/// first octagon is regular; of a thousand random problems that come here, ten need the second and two the third.
pub(crate) const SPREADS: [f64; 3] = [1.0, 0.25, 0.0625];

/// Ratios that differ by this fraction are equal; `z₀` is zero once it is this fraction of what it was at first.
const SAME_RATIO: f64 = 1e-12;

/// The fractional parts of its multiples are evenly distributed and distinct.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Largest number of exchanges, relative to the number of unknowns; one or two are usual.
const MOST_EXCHANGES: usize = 5;

/// The unknowns of the method, each with the contact that it belongs to.
#[derive(Debug, Clone, Copy)]
enum Unknown {
    /// `i_n`
    Normal(usize),
    /// `β` along a direction.
    Friction(usize, Vec2),
    /// `σ`
    Slack(usize),
}

/// An impulse that satisfies the law with octagons for circles, `last` being the one found before; `None` where there is none
/// or rounding hides it.
pub(crate) fn answer(
    problem: &Coulomb<'_>,
    last: &[f64],
    spread: f64,
    effort: &mut SimultaneousEffort,
) -> Option<Vec<f64>> {
    let blocks = &problem.system.blocks;
    let unknowns = unknowns(problem, last, spread);
    let n = unknowns.len();
    let mut path = Path::new(n);
    for (r, row) in unknowns.iter().enumerate() {
        for (c, column) in unknowns.iter().enumerate() {
            path.rows[(r, c)] = problem.entry(row, column);
        }
        let (k, test) = row.test();
        let q = blocks[k].of(problem.q);
        path.rows[(r, n + 1)] = (0..3).map(|i| test[i] * scale(q[i], unit(&blocks[k]))).sum();
    }
    let (values, exchanges) = path.follow();
    effort.exchanges += exchanges as u32;
    let values = values?;
    let mut impulse = vec![0.0; problem.system.rows];
    for (unknown, value) in unknowns.iter().zip(values) {
        let (k, push) = problem.push(unknown);
        for (i, push) in impulse[blocks[k].range()].iter_mut().zip(push) {
            *i += scale(push * value, unit(&blocks[k]));
        }
    }
    Some(impulse)
}

fn unknowns(problem: &Coulomb<'_>, last: &[f64], spread: f64) -> Vec<Unknown> {
    let mut unknowns = Vec::new();
    for (k, (block, rule)) in problem.system.blocks.iter().zip(problem.rules).enumerate() {
        unknowns.push(Unknown::Normal(k));
        if let Rule::Driven { .. } = rule {
            continue;
        }
        match block.dimension {
            Dimension::Normal => continue,
            Dimension::Planar => unknowns.extend([[1.0, 0.0], [-1.0, 0.0]].map(|d| Unknown::Friction(k, d))),
            Dimension::Spatial => {
                let [_, x, y] = block.of(last);
                unknowns.extend(octagon([x, y], spread).map(|d| Unknown::Friction(k, d)));
            }
        }
        unknowns.push(Unknown::Slack(k));
    }
    unknowns
}

/// Unit vectors, the first one along a vector.
fn octagon(along: Vec2, spread: f64) -> [Vec2; 8] {
    let length = norm(along);
    let first = if length > 0.0 { scaled(1.0 / length, along) } else { [1.0, 0.0] };
    let at = |forward: f64, left: f64| {
        let corner = [forward * first[0] - left * first[1], forward * first[1] + left * first[0]];
        scaled(1.0 / norm([forward, left]), corner)
    };
    let sides = [(1.0, 0.0), (1.0, spread), (0.0, 1.0), (-1.0, 1.0), (-1.0, 0.0), (-1.0, -1.0), (0.0, -1.0)];
    let mut corners = [at(1.0, -spread); 8];
    corners.iter_mut().zip(sides).for_each(|(corner, (forward, left))| *corner = at(forward, left));
    corners
}

impl Unknown {
    /// The complementary velocity, as a combination of the rows of a contact.
    fn test(&self) -> (usize, [f64; 3]) {
        match *self {
            Self::Normal(k) => (k, [1.0, 0.0, 0.0]),
            Self::Friction(k, d) => (k, [0.0, d[0], d[1]]),
            Self::Slack(k) => (k, [0.0; 3]),
        }
    }
}

impl Coulomb<'_> {
    /// The impulse of one unit of an unknown.
    fn push(&self, unknown: &Unknown) -> (usize, [f64; 3]) {
        match (unknown, self.rules) {
            (&Unknown::Normal(k), rules) => match rules[k] {
                Rule::Driven { mu, u } => (k, [1.0, -mu * u[0], -mu * u[1]]),
                Rule::Coulomb { .. } => (k, [1.0, 0.0, 0.0]),
            },
            (other, _) => other.test(),
        }
    }

    /// What one unit of `column` adds to the complement of `row`, each contact in its own units.
    fn entry(&self, row: &Unknown, column: &Unknown) -> f64 {
        let ((k, test), (l, push)) = (row.test(), self.push(column));
        let (a, b) = (&self.system.blocks[k], &self.system.blocks[l]);
        let mut sum = 0.0;
        for (r, test) in a.range().zip(test).filter(|(_, test)| *test != 0.0) {
            let w = &self.system.matrix.row(r)[b.range()];
            sum += test * w.iter().zip(push).map(|(w, push)| w * push).sum::<f64>();
        }
        let (Rule::Coulomb { mu, .. } | Rule::Driven { mu, .. }) = self.rules[l];
        let own = match (row, column) {
            _ if k != l => 0.0,
            (Unknown::Friction(..), Unknown::Slack(_)) => 1.0,
            (Unknown::Slack(_), Unknown::Normal(_)) => mu,
            (Unknown::Slack(_), Unknown::Friction(..)) => -1.0,
            _ => 0.0,
        };
        scale(sum, unit(a) + unit(b)) + own
    }
}

/// `w = q + M z + d z₀` with `w, z >= 0`, of each pair `w_i, z_i` one zero, solved for as many variables as there are rows.
/// `z₀` is large at first and zero at the end.
#[derive(Debug)]
struct Path {
    n: usize,
    /// One row for each variable that is solved for: the coefficients of the others, which are zero, and its value.
    rows: Dense,
    /// `w_i` has the number `i`, `z_i` has `n + i`, `z₀` has `2 n`.
    solved: Vec<usize>,
    zero: Vec<usize>,
}

impl Path {
    fn new(n: usize) -> Self {
        let mut rows = Dense::zeros(n, n + 2);
        for i in 0..n {
            // Any positive numbers will do; if they were equal many ratios would be, too.
            rows[(i, n)] = 1.0 + (i as f64 * GOLDEN_RATIO).fract();
        }
        Self { n, rows, solved: (0..n).collect(), zero: (n..=2 * n).collect() }
    }

    /// `z` at the end of the path, `None` if it leads to infinity; and the exchanges on the way.
    fn follow(mut self) -> (Option<Vec<f64>>, usize) {
        let mut exchanges = 0;
        (self.end(&mut exchanges), exchanges)
    }

    fn end(&mut self, exchanges: &mut usize) -> Option<Vec<f64>> {
        let (n, value) = (self.n, self.n + 1);
        let need = |r: usize| -self.rows[(r, value)] / self.rows[(r, n)];
        let first = (0..n).reduce(|a, b| if need(b) > need(a) { b } else { a })?;
        let largest = need(first);
        if largest > 0.0 {
            let mut left = self.exchange(first, n);
            // Where W is singular z₀ may be zero and stay, by rounding.
            while self.artificial() > SAME_RATIO * largest {
                let partner = if left < n { left + n } else { left - n };
                let column = self.zero.iter().position(|&x| x == partner)?;
                let row = self.first_to_vanish(column).filter(|_| *exchanges < MOST_EXCHANGES * n)?;
                left = self.exchange(row, column);
                *exchanges += 1;
            }
        }
        let mut z = vec![0.0; n];
        for (r, &variable) in self.solved.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                z[variable - n] = self.rows[(r, value)].max(0.0);
            }
        }
        z.iter().all(|z| z.is_finite()).then_some(z)
    }

    /// `z₀`
    fn artificial(&self) -> f64 {
        self.solved.iter().position(|&x| x == 2 * self.n).map_or(0.0, |r| self.rows[(r, self.n + 1)])
    }

    /// The row whose variable vanishes first as the one of a column grows: of equal ones `z₀`, or the one that falls fastest.
    fn first_to_vanish(&self, column: usize) -> Option<usize> {
        let (n, value) = (self.n, self.n + 1);
        let mut best: Option<(usize, f64)> = None;
        for r in (0..n).filter(|&r| self.rows[(r, column)] < -LEMKE_PIVOT) {
            let fall = -self.rows[(r, column)];
            let ratio = self.rows[(r, value)].max(0.0) / fall;
            let is_first = best.is_none_or(|(other, least)| {
                if (ratio - least).abs() <= SAME_RATIO * least {
                    self.solved[other] != 2 * n && (self.solved[r] == 2 * n || fall > -self.rows[(other, column)])
                } else {
                    ratio < least
                }
            });
            if is_first {
                best = Some((r, ratio));
            }
        }
        best.map(|(r, _)| r)
    }

    /// The variable of a row becomes zero, and the one of a column is solved for; returns the former.
    fn exchange(&mut self, row: usize, column: usize) -> usize {
        let inverse = 1.0 / self.rows[(row, column)];
        for x in self.rows.row_mut(row) {
            *x *= -inverse;
        }
        self.rows[(row, column)] = inverse;
        let pivot = self.rows.row(row).to_vec();
        for r in (0..self.n).filter(|&r| r != row) {
            let others = self.rows.row_mut(r);
            let share = std::mem::take(&mut others[column]);
            for (x, p) in others.iter_mut().zip(&pivot) {
                *x += share * p;
            }
        }
        std::mem::swap(&mut self.solved[row], &mut self.zero[column]);
        self.zero[column]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_end_at_answers() {
        let mut path = Path::new(2);
        let (m, q) = ([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0]);
        for i in 0..2 {
            path.rows.row_mut(i)[..2].copy_from_slice(&m[i]);
            path.rows[(i, 3)] = q[i];
        }
        let z = path.follow().0.unwrap();
        assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 7.0 / 3.0).abs() < 1e-15, "{z:?}");
    }
}
