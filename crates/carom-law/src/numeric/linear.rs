//! Small square systems of any rank: the shortest of the vectors that satisfy them best.
//!
//! Elimination with complete pivoting gives `K = L D V` with unit triangular `L` and `V` of small entries,
//! cut off where the pivots are rounding. At full rank two substitutions solve. Else `L` is tall and `V` is
//! wide: the least squares of the one and the least norm of the other go by Householder's reflections, and
//! as both are well conditioned nothing inconsistent is magnified by more than the pivots are.

use crate::numeric::tolerance::PHASE_RANK;

/// Which entries may be pivots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pivots {
    /// All: any matrix.
    Any,
    /// Those on the diagonal: in a positive semidefinite matrix the largest entry is one of them.
    Diagonal,
}

/// A system and room to solve it; grows when a larger one comes.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinearSystem {
    n: usize,
    /// Row by row; `L D V` after elimination.
    matrix: Vec<f64>,
    /// The right-hand side, and then the answer.
    vector: Vec<f64>,
    /// `matrix` is `S K S` with `S = diag(1/units)`: powers of two.
    units: Vec<f64>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    tall: Reflections,
    moved: Vec<f64>,
    coordinates: Vec<f64>,
}

/// `Q R` of a tall matrix, column by column: the reflections below the diagonal, `R` above.
#[derive(Debug, Clone, Default)]
struct Reflections {
    n: usize,
    entries: Vec<f64>,
    diagonal: Vec<f64>,
}

impl LinearSystem {
    /// A system of `n` unknowns, all zero.
    pub(crate) fn start(&mut self, n: usize) {
        self.n = n;
        for (list, length) in [
            (&mut self.matrix, n * n),
            (&mut self.vector, n),
            (&mut self.units, n),
            (&mut self.moved, n),
            (&mut self.coordinates, n),
        ] {
            list.clear();
            list.resize(length, 0.0);
        }
        for order in [&mut self.rows, &mut self.columns] {
            order.clear();
            order.extend(0..n);
        }
    }

    /// The unit of an equation and of its unknown: the entries of `K` over the units of their row and column
    /// are near one.
    #[inline]
    pub(crate) fn set_unit(&mut self, i: usize, unit: f64) {
        self.units[i] = unit;
    }

    /// An equation: entries over the units of row and column, right-hand side over nothing.
    #[inline]
    pub(crate) fn row_mut(&mut self, i: usize) -> (&mut [f64], &mut f64) {
        (&mut self.matrix[i * self.n..(i + 1) * self.n], &mut self.vector[i])
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

    /// Solves; returns the rank.
    pub(crate) fn solve(&mut self, pivots: Pivots) -> usize {
        self.solve_to_rank(pivots, PHASE_RANK)
    }

    /// The same, where a pivot at most this fraction of the largest is zero.
    pub(crate) fn solve_to_rank(&mut self, pivots: Pivots, rank_tolerance: f64) -> usize {
        let rank = self.eliminate(pivots, rank_tolerance);
        if rank == self.n {
            self.substitute()
        } else {
            self.shortest(rank)
        }
        rank
    }

    fn eliminate(&mut self, pivots: Pivots, rank_tolerance: f64) -> usize {
        let n = self.n;
        let mut zero = 0.0;
        for k in 0..n {
            let (i, j) = match pivots {
                Pivots::Any => self.largest(k),
                Pivots::Diagonal => self.largest_on_diagonal(k),
            };
            let size = self.matrix[i * n + j].abs();
            if k == 0 {
                zero = rank_tolerance * size;
            }
            if !(size > zero) {
                return k;
            }
            self.exchange(k, i, j);
            let (upper, lower) = self.matrix.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            let inverse = 1.0 / pivot_row[k];
            for row in lower.chunks_exact_mut(n) {
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

    fn largest(&self, k: usize) -> (usize, usize) {
        let n = self.n;
        let mut best = (k, k);
        let mut size = -1.0;
        for i in k..n {
            for j in k..n {
                let x = self.matrix[i * n + j].abs();
                if x > size {
                    size = x;
                    best = (i, j);
                }
            }
        }
        best
    }

    fn largest_on_diagonal(&self, k: usize) -> (usize, usize) {
        let mut best = k;
        for i in k + 1..self.n {
            if self.matrix[i * self.n + i] > self.matrix[best * self.n + best] {
                best = i;
            }
        }
        (best, best)
    }

    fn exchange(&mut self, k: usize, i: usize, j: usize) {
        let n = self.n;
        if i != k {
            let (upper, lower) = self.matrix.split_at_mut(i * n);
            upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            self.rows.swap(k, i);
        }
        if j != k {
            for row in self.matrix.chunks_exact_mut(n) {
                row.swap(k, j);
            }
            self.columns.swap(k, j);
        }
    }

    /// Full rank: `S⁻¹ L U S⁻¹ x = b`.
    fn substitute(&mut self) {
        let n = self.n;
        for (x, &i) in self.moved.iter_mut().zip(&self.rows) {
            *x = self.vector[i] / self.units[i];
        }
        for i in 1..n {
            let row = &self.matrix[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&self.moved).map(|(l, x)| l * x).sum();
            self.moved[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &self.matrix[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&self.moved[i + 1..]).map(|(u, x)| u * x).sum();
            self.moved[i] = (self.moved[i] - sum) / row[i];
        }
        for (x, &j) in self.moved.iter().zip(&self.columns) {
            self.vector[j] = x / self.units[j];
        }
    }

    /// `x` of least length among those of least `|K x - b|`. The units are taken back first, so that
    /// lengths are those of the caller.
    fn shortest(&mut self, rank: usize) {
        let n = self.n;
        let Self { matrix, vector, units, rows, columns, tall, moved, coordinates, .. } = self;
        if rank == 0 {
            vector.fill(0.0);
            return;
        }
        tall.factor(n, rank, |i, k| {
            let l = if i > k { matrix[i * n + k] } else { f64::from(u8::from(i == k)) };
            l * units[rows[i]]
        });
        for (x, &i) in moved.iter_mut().zip(rows.iter()) {
            *x = vector[i];
        }
        tall.turn_back(moved);
        tall.solve(moved);
        for k in 0..rank {
            coordinates[k] = moved[k] / matrix[k * n + k];
        }
        tall.factor(n, rank, |j, k| {
            let pivot = matrix[k * n + k];
            let v = if j > k { matrix[k * n + j] / pivot } else { f64::from(u8::from(j == k)) };
            v * units[columns[j]]
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

impl Reflections {
    /// Factors the `n x r` matrix of the entries; its columns are independent.
    fn factor(&mut self, n: usize, r: usize, entry: impl Fn(usize, usize) -> f64) {
        self.n = n;
        self.entries.clear();
        self.entries.extend((0..r).flat_map(|k| (0..n).map(move |i| (i, k))).map(|(i, k)| entry(i, k)));
        self.diagonal.clear();
        for k in 0..r {
            let (done, rest) = self.entries.split_at_mut((k + 1) * n);
            let v = &mut done[k * n + k..];
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let head = if v[0] > 0.0 { -length } else { length };
            self.diagonal.push(head);
            v[0] -= head;
            for column in rest.chunks_exact_mut(n) {
                reflect(v, &mut column[k..]);
            }
        }
    }

    fn turn_back(&self, b: &mut [f64]) {
        for (k, column) in self.entries.chunks_exact(self.n).enumerate() {
            reflect(&column[k..], &mut b[k..]);
        }
    }

    fn turn(&self, b: &mut [f64]) {
        for (k, column) in self.entries.chunks_exact(self.n).enumerate().rev() {
            reflect(&column[k..], &mut b[k..]);
        }
    }

    /// `R z = b`, in place.
    fn solve(&self, b: &mut [f64]) {
        let r = self.diagonal.len();
        for i in (0..r).rev() {
            let sum: f64 = (i + 1..r).map(|j| self.entries[j * self.n + i] * b[j]).sum();
            b[i] = (b[i] - sum) / self.diagonal[i];
        }
    }

    /// `Rᵀ z = b`, in place.
    fn solve_transposed(&self, b: &mut [f64]) {
        for i in 0..self.diagonal.len() {
            let column = &self.entries[i * self.n..i * self.n + i];
            let sum: f64 = column.iter().zip(&b[..i]).map(|(x, y)| x * y).sum();
            b[i] = (b[i] - sum) / self.diagonal[i];
        }
    }
}

/// `x - 2 v (v·x) / (v·v)`.
fn reflect(v: &[f64], x: &mut [f64]) {
    let square: f64 = v.iter().map(|a| a * a).sum();
    if square > 0.0 {
        let factor = 2.0 * v.iter().zip(&*x).map(|(a, b)| a * b).sum::<f64>() / square;
        for (a, b) in v.iter().zip(x) {
            *b -= factor * a;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let rank = system.solve(pivots);
        (system, rank)
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
}
