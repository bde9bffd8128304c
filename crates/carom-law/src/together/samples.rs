//! For tests: random contacts that strike together, not in units in which their own entries of `W` are one.

use fastrand::Rng;

use super::strike::{Answer, Request, Strike};
use super::whitened::StrikingRows;
use crate::contact::delassus::Dimension;
use crate::coulomb::System;
use crate::numeric::basis::dot;
use crate::numeric::matrix::{Dense, MatrixView};

/// The entries of a matrix of nalgebra: as it is, only builds with the feature `nalgebra` take it.
pub(super) fn view(m: &nalgebra::DMatrix<f64>) -> MatrixView<'_> {
    MatrixView::column_major(m.nrows(), m.ncols(), m.as_slice())
}

pub(super) fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

pub(super) fn numbers(rng: &mut Rng, count: usize) -> Vec<f64> {
    (0..count).map(|_| between(rng, -1.0, 1.0)).collect()
}

pub(super) fn dimensions(rng: &mut Rng, count: usize) -> Vec<Dimension> {
    let all = [Dimension::Normal, Dimension::Planar, Dimension::Spatial];
    (0..count).map(|_| all[rng.usize(0..3)]).collect()
}

/// `W = Y Yᵀ` with random rows, as many columns as given.
pub(super) fn system(rng: &mut Rng, dimensions: &[Dimension], columns: usize) -> (System, Vec<Vec<f64>>) {
    let rows: Vec<Vec<f64>> = dimensions
        .iter()
        .flat_map(|dimension| {
            let size = between(rng, 0.6, 1.7);
            (0..dimension.rows())
                .map(|_| numbers(rng, columns).iter().map(|y| size * y).collect())
                .collect::<Vec<Vec<f64>>>()
        })
        .collect();
    let mut matrix = Dense::zeros(rows.len(), rows.len());
    for i in 0..rows.len() {
        for j in 0..rows.len() {
            matrix[(i, j)] = dot(&rows[i], &rows[j]);
        }
    }
    (System::new(matrix, dimensions.iter().copied()).unwrap(), rows)
}

/// Contacts of a mechanism of `columns` degrees of freedom, of which the velocities are those of a random whitened one.
pub(super) fn strike(rng: &mut Rng, dimensions: &[Dimension], columns: usize) -> Strike {
    let (system, rows) = system(rng, dimensions, columns);
    let velocity = numbers(rng, columns);
    let before: Vec<f64> = rows.iter().map(|row| dot(row, &velocity)).collect();
    let contacts: Vec<Request> = dimensions
        .iter()
        .map(|dimension| {
            let (mu, share) = (between(rng, 0.1, 1.2), between(rng, 0.4, 1.0));
            let [mu_s, mu_d] = if *dimension == Dimension::Normal { [0.0; 2] } else { [mu, share * mu] };
            Request { e: rng.f64(), e_t: between(rng, -0.5, 0.9), mu_s, mu_d, is_at_rest: rng.u8(0..4) == 0 }
        })
        .collect();
    let ties = (0..contacts.len()).collect();
    let mut strike = Strike::new(system.clone(), contacts.clone(), before.clone(), 0.0, 1e-12, ties);
    (strike.factors, strike.system, strike.contacts) = (vec![1.0; system.rows], system, contacts);
    strike.speed = before.iter().fold(0.0_f64, |speed, v| speed.max(v.abs()));
    strike.before = before;
    strike.allowed = dimensions.iter().map(|_| [between(rng, 0.2, 1.0), between(rng, 0.2, 1.0)]).collect();
    strike.rows = Some(StrikingRows { rows, velocity, is_ill: false });
    strike
}

/// Impulses that push, with friction anywhere, and the velocities after them.
pub(super) fn answer(rng: &mut Rng, strike: &Strike) -> Answer {
    let mut impulse = numbers(rng, strike.system.rows);
    for block in &strike.system.blocks {
        let i_n = &mut impulse[block.start];
        *i_n = if rng.u8(0..4) == 0 { 0.0 } else { i_n.abs() };
    }
    let mut after = vec![0.0; strike.system.rows];
    strike.system.velocity(&strike.before, &impulse, &mut after);
    let may_stick = strike.contacts.iter().map(|_| rng.bool()).collect();
    Answer { impulse, after, may_stick, factor: 1.0, residual: 0.0, change: None, modes: None }
}
