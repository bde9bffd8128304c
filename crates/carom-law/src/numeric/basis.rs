//! An orthonormal basis of some rows, and the shortest vector that has given products with them.
//!
//! Gram and Schmidt's method, the row that depends least on the others first, every vector orthogonalised twice. Rows count
//! by their directions, whatever their lengths. Products with the shortest vector are right to rounding, whatever the
//! condition of the rows; solving with their Gram matrix would square it.

/// What is left of a row of unit length below this, times its number of entries, is rounding.
const DEPENDENT: f64 = 32.0 * f64::EPSILON;

#[derive(Debug, Clone)]
pub(crate) struct Basis {
    vectors: Vec<Vec<f64>>,
    /// The rows that the vectors were made from, in this order ...
    order: Vec<usize>,
    /// ... each over its length, in terms of the vectors up to its own.
    coordinates: Vec<Vec<f64>>,
    lengths: Vec<f64>,
    columns: usize,
}

impl Basis {
    /// Of rows with as many entries each.
    pub(crate) fn new(rows: &[Vec<f64>], columns: usize) -> Self {
        let lengths: Vec<f64> = rows.iter().map(|row| length(row)).collect();
        let unit = |(row, length): (&Vec<f64>, &f64)| -> Vec<f64> {
            if *length > 0.0 { row.iter().map(|x| x / length).collect() } else { vec![0.0; columns] }
        };
        let units: Vec<Vec<f64>> = rows.iter().zip(&lengths).map(unit).collect();
        let mut left = units.clone();
        let mut basis = Self { vectors: Vec::new(), order: Vec::new(), coordinates: Vec::new(), lengths, columns };
        let zero = DEPENDENT * columns as f64;
        while basis.vectors.len() < columns.min(rows.len()) {
            let sizes = left.iter().map(|row| length(row)).enumerate();
            let Some((pivot, size)) = sizes.reduce(|a, b| if b.1 > a.1 { b } else { a }) else { break };
            if !(size > zero) {
                break;
            }
            let mut vector: Vec<f64> = left[pivot].iter().map(|x| x / size).collect();
            for other in &basis.vectors {
                let along = dot(&vector, other);
                subtract(&mut vector, along, other);
            }
            let size = length(&vector);
            vector.iter_mut().for_each(|x| *x /= size);
            for row in &mut left {
                let along = dot(row, &vector);
                subtract(row, along, &vector);
            }
            left[pivot].fill(0.0);
            basis.vectors.push(vector);
            basis.order.push(pivot);
            basis.coordinates.push(basis.vectors.iter().map(|vector| dot(&units[pivot], vector)).collect());
        }
        basis
    }

    pub(crate) fn rank(&self) -> usize {
        self.vectors.len()
    }

    pub(crate) fn vectors(&self) -> &[Vec<f64>] {
        &self.vectors
    }

    /// An estimate of the condition number of the rows' Gram matrix, with their lengths brought to one.
    pub(crate) fn condition(&self) -> f64 {
        let pivots = self.coordinates.iter().filter_map(|coordinates| coordinates.last());
        let least = pivots.fold(1.0_f64, |least, pivot| least.min(pivot.abs()));
        1.0 / (least * least)
    }

    /// The coordinates of the shortest vector that has the products given with the rows; rows that depend on others do not
    /// count.
    pub(crate) fn coordinates(&self, products: &[f64]) -> Vec<f64> {
        let mut found: Vec<f64> = Vec::with_capacity(self.rank());
        for (row, coordinates) in self.order.iter().zip(&self.coordinates) {
            let known = dot(coordinates, &found);
            let pivot = coordinates[found.len()];
            found.push((products[*row] / self.lengths[*row] - known) / pivot);
        }
        found
    }

    /// The vector with these coordinates.
    pub(crate) fn combined(&self, coordinates: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.columns];
        for (vector, coordinate) in self.vectors.iter().zip(coordinates) {
            subtract(&mut sum, -coordinate, vector);
        }
        sum
    }
}

/// `a · b`, as far as both go.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `|a|`
pub(crate) fn length(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn subtract(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(x, y)| *x -= factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random rows, some of which depend on others exactly or but for 1e-8, in lengths of 1e±5.
    #[test]
    fn the_shortest_vector_has_the_products_given() {
        let mut rng = fastrand::Rng::with_seed(11);
        for case in 0..500 {
            let (count, columns) = (rng.usize(1..6), rng.usize(2..8));
            let mut random = |n: usize| -> Vec<f64> { (0..n).map(|_| rng.f64() - 0.5).collect() };
            let mut rows: Vec<Vec<f64>> = (0..count).map(|_| random(columns)).collect();
            let wanted = random(columns);
            let noise = random(columns);
            if count > 1 {
                let part = if case % 2 == 0 { 1e-8 } else { 0.0 };
                rows[1] = rows[0].iter().zip(&noise).map(|(x, noise)| 3.0 * x + part * noise).collect();
            }
            for row in &mut rows {
                let unit = 10f64.powi(rng.i32(-5..=5));
                row.iter_mut().for_each(|x| *x *= unit);
            }
            let basis = Basis::new(&rows, columns);
            let is_dependent = count > 1 && case % 2 == 1;
            assert_eq!(basis.rank(), columns.min(count - usize::from(is_dependent)), "case {case}");
            let products: Vec<f64> = rows.iter().map(|row| dot(row, &wanted)).collect();
            let found = basis.combined(&basis.coordinates(&products));
            for (row, product) in rows.iter().zip(&products) {
                let off = (dot(row, &found) - product).abs();
                assert!(off <= 1e-14 * length(row) * length(&found).max(1.0), "case {case}: {off:e}");
            }
            // The shortest: what is left of another one is perpendicular to it.
            assert!(length(&found) <= length(&wanted) * (1.0 + 1e-6), "case {case}");
        }
    }
}
