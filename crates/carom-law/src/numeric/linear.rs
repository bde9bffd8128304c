//! Small square systems of any rank: the minimum-norm least-squares solution.
//!
//! Elimination with complete pivoting gives `K = L D V` with unit triangular `L` and `V` of small entries,
//! cut off where the pivots are rounding. At full rank two substitutions solve. Else `L` is tall and `V` is
//! wide: the least squares of the one and the least norm of the other go by Householder's reflections, and
//! as both are well conditioned nothing inconsistent is magnified by more than the pivots are.

use crate::numeric::matrix::Dense;
use crate::numeric::orthogonal::Reflections;
use crate::numeric::scaling::larger;

/// Which entries may be pivots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pivots {
    /// All: any matrix.
    Any,
    /// Those on the diagonal: in a positive semidefinite matrix the largest entry is one of them, and none is negative.
    Diagonal,
}

/// A system and its workspace, which grows as needed.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinearSystem {
    n: usize,
    /// `L D V` after elimination.
    matrix: Dense,
    /// The right-hand side, and then the solution.
    vector: Vec<f64>,
    /// `matrix` is `S K S` with `S = diag(1/units)`: powers of two.
    units: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    tall: Reflections,
    moved: Vec<f64>,
    coordinates: Vec<f64>,
}

/// A positive semidefinite matrix and its right-hand side after elimination.
#[derive(Debug)]
pub(crate) struct Reduced<'a> {
    system: &'a LinearSystem,
    rank: usize,
}

impl LinearSystem {
    /// `K x = b`.
    pub(crate) fn of(matrix: &Dense, right: &[f64]) -> Self {
        let mut system = Self::default();
        system.start(right.len());
        system.matrix.clone_from(matrix);
        system.vector.copy_from_slice(right);
        system
    }

    /// A system of `n` unknowns, all zero.
    pub(crate) fn start(&mut self, n: usize) {
        self.n = n;
        self.matrix.reset(n, n);
        for (list, value) in
            [(&mut self.vector, 0.0), (&mut self.units, 1.0), (&mut self.moved, 0.0), (&mut self.coordinates, 0.0)]
        {
            list.clear();
            list.resize(n, value);
        }
        for order in [&mut self.rows, &mut self.columns] {
            order.clear();
            order.extend(0..n);
        }
    }

    /// The unit of an equation and of its unknown, one unless set: the entries of `K` over the units of their row and
    /// column are near one.
    #[inline]
    pub(crate) fn set_unit(&mut self, i: usize, unit: f64) {
        self.units[i] = unit;
    }

    /// An equation: entries over the units of row and column, right-hand side over nothing.
    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> (&mut [f64], &mut f64) {
        (self.matrix.row_mut(i), &mut self.vector[i])
    }

    /// The unknowns, after [`LinearSystem::solve`].
    pub(crate) fn answer(&self) -> &[f64] {
        &self.vector
    }

    pub(crate) fn answer_mut(&mut self) -> &mut [f64] {
        &mut self.vector
    }

    /// After a solution of rank below `n`: a unit vector that `K` takes to zero, the `index`-th of as many as are
    /// missing, perpendicular to each other and to the answer.
    pub(crate) fn null_vector(&mut self, rank: usize, index: usize, out: &mut [f64]) {
        self.moved.fill(0.0);
        self.moved[rank + index] = 1.0;
        if rank > 0 {
            self.tall.turn(&mut self.moved);
        }
        for (x, &j) in self.moved.iter().zip(&self.columns) {
            out[j] = *x;
        }
    }

    /// Solves, where a pivot at most this fraction of the largest is zero; returns the rank.
    pub(crate) fn solve(&mut self, pivots: Pivots, rank_tolerance: f64) -> usize {
        let rank = self.eliminate(pivots, |largest| rank_tolerance * largest);
        if rank == self.n {
            self.substitute()
        } else {
            self.shortest(rank)
        }
        rank
    }

    /// Eliminates a positive semidefinite matrix and takes the right-hand side along, as far as pivots are above `zero`.
    pub(crate) fn reduce(&mut self, zero: f64) -> Reduced<'_> {
        let rank = self.eliminate(Pivots::Diagonal, |_| zero);
        self.forward(rank);
        Reduced { system: self, rank }
    }

    /// Eliminates as far as pivots are above what `zero_of` says, given the largest; returns the rank.
    fn eliminate(&mut self, pivots: Pivots, zero_of: impl Fn(f64) -> f64) -> usize {
        let n = self.n;
        let mut zero = 0.0;
        for k in 0..n {
            let (i, j, size) = match pivots {
                Pivots::Any => self.largest(k),
                Pivots::Diagonal => self.largest_on_diagonal(k),
            };
            if k == 0 {
                zero = zero_of(size);
            }
            if !(size > zero) {
                return k;
            }
            self.exchange(k, i, j);
            let (pivot_row, below) = self.matrix.row_and_below(k);
            let inverse = 1.0 / pivot_row[k];
            for row in below {
                let factor = row[k] * inverse;
                row[k] = factor;
                if factor != 0.0 {
                    for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                        *x -= factor * p;
                    }
                }
            }
        }
        n
    }

    fn largest(&self, k: usize) -> (usize, usize, f64) {
        let (mut best, mut size) = (k, -1.0);
        for i in k..self.n {
            let in_row = largest_of(&self.matrix.row(i)[k..]);
            if in_row > size {
                (best, size) = (i, in_row);
            }
        }
        let place = self.matrix.row(best)[k..].iter().position(|x| x.abs() >= size);
        (best, k + place.unwrap_or_default(), size)
    }

    fn largest_on_diagonal(&self, k: usize) -> (usize, usize, f64) {
        let mut best = k;
        for i in k + 1..self.n {
            if self.matrix[(i, i)] > self.matrix[(best, best)] {
                best = i;
            }
        }
        (best, best, self.matrix[(best, best)])
    }

    fn exchange(&mut self, k: usize, i: usize, j: usize) {
        if i != k {
            self.matrix.swap_rows(k, i);
            self.rows.swap(k, i);
        }
        if j != k {
            self.matrix.swap_columns(k, j);
            self.columns.swap(k, j);
        }
    }

    /// `L⁻¹ S b`, as far as the rank goes.
    fn forward(&mut self, rank: usize) {
        for (x, &i) in self.moved.iter_mut().zip(&self.rows) {
            *x = self.vector[i] / self.units[i];
        }
        for i in 1..self.n {
            let sum: f64 = self.matrix.row(i)[..i.min(rank)].iter().zip(&self.moved).map(|(l, x)| l * x).sum();
            self.moved[i] -= sum;
        }
    }

    /// Full rank: `S⁻¹ L U S⁻¹ x = b`.
    fn substitute(&mut self) {
        let n = self.n;
        self.forward(n);
        for i in (0..n).rev() {
            let row = self.matrix.row(i);
            let sum: f64 = row[i + 1..].iter().zip(&self.moved[i + 1..]).map(|(u, x)| u * x).sum();
            self.moved[i] = (self.moved[i] - sum) / row[i];
        }
        for (x, &j) in self.moved.iter().zip(&self.columns) {
            self.vector[j] = x / self.units[j];
        }
    }

    /// The minimum-norm `x` among those that minimise `|K x - b|`. The units are removed first, so that norms are those
    /// of the caller.
    fn shortest(&mut self, rank: usize) {
        let n = self.n;
        let Self { matrix, vector, units, rows, columns, tall, moved, coordinates, .. } = self;
        if rank == 0 {
            vector.fill(0.0);
            return;
        }
        tall.factor(n, rank, |l| {
            for k in 0..rank {
                let column = l.row_mut(k);
                column[k] = units[rows[k]];
                (k + 1..n).for_each(|i| column[i] = matrix[(i, k)] * units[rows[i]]);
            }
        });
        for (x, &i) in moved.iter_mut().zip(rows.iter()) {
            *x = vector[i];
        }
        tall.turn_back(moved);
        tall.solve(moved);
        for k in 0..rank {
            coordinates[k] = moved[k] / matrix[(k, k)];
        }
        tall.factor(n, rank, |v| {
            for k in 0..rank {
                let (column, row) = (v.row_mut(k), matrix.row(k));
                column[k] = units[columns[k]];
                (k + 1..n).for_each(|j| column[j] = row[j] / row[k] * units[columns[j]]);
            }
        });
        moved[..rank].copy_from_slice(&coordinates[..rank]);
        tall.solve_transposed(moved);
        moved[rank..].fill(0.0);
        tall.turn(moved);
        for (x, &j) in moved.iter().zip(columns.iter()) {
            vector[j] = *x;
        }
    }
}

impl Reduced<'_> {
    /// The pivots, each with its entry of the right-hand side.
    pub(crate) fn pivots(&self) -> impl Iterator<Item = (f64, f64)> {
        (0..self.rank).map(|k| (self.system.matrix[(k, k)], self.system.moved[k]))
    }

    /// The largest entry of the remaining matrix; `None` if nothing remains.
    pub(crate) fn largest_rest(&self) -> Option<f64> {
        let rest = (self.rank..self.system.n).flat_map(|i| &self.system.matrix.row(i)[self.rank..]);
        rest.copied().reduce(|a, b| if b.abs() > a.abs() { b } else { a })
    }

    /// The largest entry of the remaining right-hand side; zero if nothing remains.
    pub(crate) fn outside(&self) -> f64 {
        self.system.moved[self.rank..].iter().fold(0.0, |outside, v| f64::max(outside, v.abs()))
    }
}

/// The largest `|x|`; zero of nothing. In four independent lanes, since this is as much work as the elimination itself.
fn largest_of(numbers: &[f64]) -> f64 {
    let chunks = numbers.chunks_exact(4);
    let rest = chunks.remainder().iter().fold(0.0, |size, x| larger(x.abs(), size));
    let mut lanes = [0.0; 4];
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(x.abs(), *lane);
        }
    }
    lanes.into_iter().fold(rest, |size, lane| larger(lane, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::tolerance::PHASE_RANK;

    fn solved(k: &[&[f64]], b: &[f64], units: &[f64], pivots: Pivots) -> (Vec<f64>, usize) {
        let (system, rank) = run(k, b, units, pivots);
        (system.answer().to_vec(), rank)
    }

    fn run(k: &[&[f64]], b: &[f64], units: &[f64], pivots: Pivots) -> (LinearSystem, usize) {
        let n = b.len();
        let mut system = LinearSystem::default();
        system.start(n);
        (0..n).for_each(|i| system.set_unit(i, units[i]));
        for i in 0..n {
            let (row, right) = system.row_mut(i);
            (0..n).for_each(|j| row[j] = k[i][j] / units[i] / units[j]);
            *right = b[i];
        }
        let rank = system.solve(pivots, PHASE_RANK);
        (system, rank)
    }

    /// Of several the first, in whatever lane and beyond the last whole chunk.
    #[test]
    fn the_first_of_the_largest_entries_is_the_pivot() {
        for n in 1..=9 {
            for place in 0..n * n {
                let mut system = LinearSystem::default();
                system.start(n);
                (0..n).for_each(|i| system.row_mut(i).0.fill(0.5));
                let (i, j) = (place / n, place % n);
                system.row_mut(i).0[j] = -2.0;
                system.row_mut(n - 1).0[n - 1] = 2.0;
                assert_eq!(system.largest(0), (i, j, 2.0));
            }
        }
    }

    #[test]
    fn null_vectors_are_unit_and_perpendicular() {
        let k: [&[f64]; 3] = [&[2.0, 1.0, 0.0], &[4.0, 2.0, 0.0], &[0.0, 0.0, 0.0]];
        let (mut system, rank) = run(&k, &[1.0, 2.0, 0.0], &[1.0, 2.0, 1.0], Pivots::Any);
        let mut vectors = [[0.0; 3]; 2];
        for (index, vector) in vectors.iter_mut().enumerate() {
            system.null_vector(rank, index, vector);
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        for (i, a) in vectors.iter().enumerate() {
            assert!(dot(k[0], a).abs() < 1e-15);
            for (j, b) in vectors.iter().enumerate() {
                assert!((dot(a, b) - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn regular_systems_are_solved() {
        let k: [&[f64]; 3] = [&[0.0, 2.0, 1.0], &[1.0, -1.0, 4.0], &[3.0, 0.5, 0.0]];
        let (x, rank) = solved(&k, &[7.0, 11.0, 4.0], &[1.0, 2.0, 0.5], Pivots::Any);
        assert_eq!(rank, 3);
        for (x, y) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - y).abs() < 1e-14);
        }
    }

    #[test]
    fn the_shortest_answer_does_not_depend_on_units() {
        // K = g gᵀ: the pseudo-inverse is K / |g|⁴.
        let g = [1.0, -2.0, 3.0];
        let rows: Vec<Vec<f64>> = g.iter().map(|a| g.iter().map(|b| a * b).collect()).collect();
        let k: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        // The part of b across g is not to be met.
        let b = [5.0 + 2.0, -10.0 + 1.0, 15.0];
        for units in [[1.0; 3], [1.0, 2.0, 4.0]] {
            for pivots in [Pivots::Any, Pivots::Diagonal] {
                let (x, rank) = solved(&k, &b, &units, pivots);
                assert_eq!(rank, 1);
                for (x, g) in x.iter().zip(g) {
                    assert!((x - 5.0 * g / 14.0).abs() < 1e-14, "{x}");
                }
            }
        }
    }

    #[test]
    fn without_a_matrix_there_is_no_answer_but_zero() {
        let (x, rank) = solved(&[&[0.0, 0.0], &[0.0, 0.0]], &[1.0, 2.0], &[1.0; 2], Pivots::Any);
        assert_eq!((x, rank), (vec![0.0; 2], 0));
    }

    /// W = Y Yᵀ with Y = (1 0; 1 1; 0 1), and a right-hand side that leaves its range by 0.5.
    #[test]
    fn reduction_tells_what_is_left_of_a_singular_matrix() {
        let mut matrix = Dense::zeros(3, 3);
        let rows = [[1.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 1.0]];
        rows.iter().enumerate().for_each(|(i, row)| matrix.row_mut(i).copy_from_slice(row));
        let mut system = LinearSystem::of(&matrix, &[1.0, 3.0, 2.5]);
        let reduced = system.reduce(PHASE_RANK);
        assert_eq!(reduced.pivots().collect::<Vec<_>>(), [(2.0, 3.0), (0.5, -0.5)]);
        assert_eq!((reduced.largest_rest(), reduced.outside()), (Some(0.0), 0.5));
    }
}
