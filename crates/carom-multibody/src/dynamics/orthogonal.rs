//! An orthonormal basis of rows, by Gram-Schmidt with pivoting: Y Π = Q R.

use super::factor::product;

/// Rows whose remainder is below this fraction of the largest row add no condition. Files write axes that should be parallel
/// to some eight digits: with the bound of rounding, such rows would lock free motions.
pub(super) const RANK: f64 = 1e-6;

/// Q and R of rows, each an n-vector.
#[derive(Debug, Clone, Default)]
pub(super) struct Orthogonal {
    n: usize,
    /// The remainders of all rows while they are reduced.
    rest: Vec<f64>,
    /// The rows of Qᵀ.
    q: Vec<f64>,
    /// R by basis vector: its products with all rows, in the order given.
    r: Vec<f64>,
    /// The rows taken as pivots, in order.
    pivots: Vec<usize>,
    /// The lengths of the remainders of the rows when they were taken.
    lengths: Vec<f64>,
    /// The row with the largest remainder when no other was taken.
    next: Option<usize>,
    count: usize,
}

impl Orthogonal {
    /// Factors `count` rows of length n, side by side.
    pub(super) fn factor(&mut self, rows: &[f64], count: usize, n: usize) {
        (self.n, self.count) = (n, count);
        self.rest.clear();
        self.rest.extend_from_slice(&rows[..count * n]);
        self.q.clear();
        self.r.clear();
        self.pivots.clear();
        self.lengths.clear();
        self.next = None;
        let mut largest = 0.0;
        while self.pivots.len() < count.min(n) {
            let size = |k: usize| product(&self.rest[k * n..(k + 1) * n], &self.rest[k * n..(k + 1) * n]).sqrt();
            let open = (0..count).filter(|k| !self.pivots.contains(k));
            let Some((pivot, length)) =
                open.map(|k| (k, size(k))).reduce(|best, next| if next.1 > best.1 { next } else { best })
            else {
                break;
            };
            if self.pivots.is_empty() {
                largest = length;
            }
            if !(length > RANK * largest) {
                self.next = Some(pivot);
                break;
            }
            let mut own = self.rest[pivot * n..(pivot + 1) * n].to_vec();
            // Once more against all earlier vectors, since the remainder of the row may be small.
            self.remove(&mut own);
            let length = product(&own, &own).sqrt();
            own.iter_mut().for_each(|x| *x /= length);
            for k in 0..count {
                // R from the rows themselves; those taken before have no part along it.
                let part = if self.pivots.contains(&k) { 0.0 } else { product(&own, &rows[k * n..(k + 1) * n]) };
                self.r.push(part);
                let rest = &mut self.rest[k * n..(k + 1) * n];
                let left = product(&own, rest);
                rest.iter_mut().zip(&own).for_each(|(x, q)| *x -= left * q);
            }
            self.q.extend_from_slice(&own);
            self.pivots.push(pivot);
            self.lengths.push(length);
        }
    }

    /// The number of basis vectors.
    pub(super) fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The row taken as the k-th pivot.
    pub(super) fn pivot(&self, k: usize) -> usize {
        self.pivots[k]
    }

    /// The row taken last, and its remainder relative to the largest row. `None` without rows.
    pub(super) fn weakest(&self) -> Option<(usize, f64)> {
        Some((*self.pivots.last()?, self.lengths.last()? / self.lengths.first()?))
    }

    /// Of the rows that add no condition, the one with the largest remainder.
    pub(super) fn next(&self) -> Option<usize> {
        self.next
    }

    /// Whether there are more rows than basis vectors.
    pub(super) fn is_redundant(&self) -> bool {
        self.rank() < self.count
    }

    /// The k-th basis vector.
    pub(super) fn vector(&self, k: usize) -> &[f64] {
        &self.q[k * self.n..(k + 1) * self.n]
    }

    /// Product of the k-th basis vector with a row.
    fn r(&self, k: usize, row: usize) -> f64 {
        self.r[k * self.count + row]
    }

    /// y - Q Qᵀ y, in place.
    fn remove(&self, y: &mut [f64]) {
        for q in self.q.chunks_exact(self.n.max(1)) {
            let part = product(q, y);
            y.iter_mut().zip(q).for_each(|(y, q)| *y -= part * q);
        }
    }

    /// y - Q Qᵀ y, in place, twice: the second pass removes the rounding that the first leaves along Q.
    pub(super) fn project(&self, y: &mut [f64]) {
        self.remove(y);
        self.remove(y);
    }

    /// R⁻ᵀ g of the pivots: the coefficients in Q of the least vector z with Yᵀ z = g in all rows of the basis.
    pub(super) fn coefficients(&self, g: &[f64], out: &mut Vec<f64>) {
        out.clear();
        for (k, &row) in self.pivots.iter().enumerate() {
            let done: f64 = (0..k).map(|i| self.r(i, row) * out[i]).sum();
            out.push((g[row] - done) / self.r(k, row));
        }
    }

    /// R = Tᵀ Pᵀ with orthonormal P, by rows, and the rows of T.
    fn turned(&self) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let (mut p, mut t): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for k in 0..self.rank() {
            let own: Vec<f64> = (0..self.count).map(|row| self.r(k, row)).collect();
            let mut left = own.clone();
            for _ in 0..2 {
                for earlier in &p {
                    let part = product(earlier, &left);
                    left.iter_mut().zip(earlier).for_each(|(x, q)| *x -= part * q);
                }
            }
            let length = product(&left, &left).sqrt();
            let mut parts: Vec<f64> = p.iter().map(|earlier| product(earlier, &own)).collect();
            parts.push(length);
            left.iter_mut().for_each(|x| *x /= length);
            p.push(left);
            t.push(parts);
        }
        (p, t)
    }

    /// The coefficients in Q of the vector z for which Yᵀ z is nearest to g in all rows.
    pub(super) fn nearest(&self, g: &[f64]) -> Vec<f64> {
        self.reachable(g).0
    }

    /// [`Orthogonal::nearest`], and the length of the part of g that some z reaches.
    pub(super) fn reachable(&self, g: &[f64]) -> (Vec<f64>, f64) {
        // Rᵀ s = P T s: T s = Pᵀ g, where `t` has the columns of T.
        let (p, t) = self.turned();
        let mut s: Vec<f64> = p.iter().map(|p| product(p, g)).collect();
        let reached = product(&s, &s).sqrt();
        for k in (0..s.len()).rev() {
            s[k] /= t[k][k];
            for i in 0..k {
                s[i] -= t[k][i] * s[k];
            }
        }
        (s, reached)
    }

    /// The shortest j with Q R j = Q b, b of the length of the basis, and for each row whether its entry is the same in every j.
    pub(super) fn shortest(&self, b: &[f64]) -> (Vec<f64>, Vec<bool>) {
        // Tᵀ u = b, j = P u.
        let (p, t) = self.turned();
        let mut u: Vec<f64> = Vec::with_capacity(p.len());
        for (k, parts) in t.iter().enumerate() {
            let done: f64 = parts.iter().zip(&u).map(|(part, u)| part * u).sum();
            u.push((b[k] - done) / parts[k]);
        }
        let entry = |row: usize| p.iter().zip(&u).map(|(p, u)| p[row] * u).sum();
        let free = |row: usize| 1.0 - p.iter().map(|p| p[row] * p[row]).sum::<f64>();
        ((0..self.count).map(entry).collect(), (0..self.count).map(|row| free(row) <= UNIQUE).collect())
    }
}

/// The part of a row's unit vector, squared, in the null space, above which its entry may be changed freely.
const UNIQUE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_spans_the_rows_and_knows_what_is_unique() {
        // Rows 0 and 1 are independent, row 2 is their sum, row 3 stands alone.
        let rows = [
            1.0, 0.0, 0.0, 0.5, /**/ 0.0, 2.0, 0.0, 0.0, /**/ 1.0, 2.0, 0.0, 0.5, /**/ 0.0, 0.0, 1e-3,
            0.0,
        ];
        let mut basis = Orthogonal::default();
        basis.factor(&rows, 4, 4);
        assert_eq!(basis.rank(), 3);
        for row in rows.chunks(4) {
            let mut left = row.to_vec();
            basis.project(&mut left);
            assert!(left.iter().all(|x| x.abs() < 1e-16), "{left:?}");
        }
        // g of a vector z = (1, 2, 3, 0): consistent in all rows.
        let g = [1.0, 4.0, 5.0, 3e-3];
        let mut s = Vec::new();
        basis.coefficients(&g, &mut s);
        let z: Vec<f64> = (0..4).map(|i| (0..3).map(|k| s[k] * basis.vector(k)[i]).sum()).collect();
        for (row, g) in rows.chunks(4).zip(g) {
            assert!((product(row, &z) - g).abs() < 1e-14);
        }
        // One row contradicts the others by 3: every row of the sum deviates by 1.
        let near = basis.nearest(&[1.0, 4.0, 8.0, 3e-3]);
        let z: Vec<f64> = (0..4).map(|i| (0..3).map(|k| near[k] * basis.vector(k)[i]).sum()).collect();
        for (row, wanted) in rows.chunks(4).zip([2.0, 5.0, 7.0, 3e-3]) {
            assert!((product(row, &z) - wanted).abs() < 1e-13, "{}", product(row, &z));
        }
        let b: Vec<f64> = (0..3).map(|k| product(basis.vector(k), &[1.0, 1.0, 1.0, 0.5])).collect();
        let (j, unique) = basis.shortest(&b);
        let sum: Vec<f64> = (0..4).map(|i| (0..4).map(|row| j[row] * rows[4 * row + i]).sum()).collect();
        for (sum, wanted) in sum.iter().zip([1.0, 1.0, 1.0, 0.5]) {
            assert!((sum - wanted).abs() < 1e-12, "{sum} {wanted}");
        }
        assert_eq!(unique, [false, false, false, true]);
    }

    #[test]
    fn rows_parallel_to_eight_digits_are_one() {
        let mut basis = Orthogonal::default();
        basis.factor(&[1.0, 0.0, 1.0, 3e-9], 2, 2);
        assert_eq!(basis.rank(), 1);
        basis.factor(&[1.0, 0.0, 1.0, 3e-5], 2, 2);
        assert_eq!(basis.rank(), 2);
    }
}
