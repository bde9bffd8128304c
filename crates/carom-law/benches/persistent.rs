//! Times the forces of a phase: `cargo bench -p carom-law --bench persistent`.

use carom_law::{Dimension, Grip, MatrixView, PhaseContact, PhaseForces};
use divan::Bencher;

fn main() {
    divan::main();
}

/// Points on a plate, each with three rows: the matrix has rank 6.
fn plate(m: usize) -> (Vec<f64>, Vec<f64>) {
    let points: Vec<[f64; 3]> =
        (0..m).map(|k| (1.3 * k as f64).sin_cos()).map(|(s, c)| [0.5 * s, 0.4 * c, -0.3]).collect();
    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let rows: Vec<[f64; 6]> = points
        .iter()
        .flat_map(|p| {
            axes.map(|a| {
                let torque = [p[1] * a[2] - p[2] * a[1], p[2] * a[0] - p[0] * a[2], p[0] * a[1] - p[1] * a[0]];
                [a[0], a[1], a[2], 2.0 * torque[0], 2.0 * torque[1], 2.0 * torque[2]]
            })
        })
        .collect();
    let product = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let w = rows.iter().flat_map(|a| rows.iter().map(move |b| product(a, b))).collect();
    let gravity = [1.0, 2.0, -9.0, 0.0, 0.0, 0.0];
    (w, rows.iter().map(|a| product(a, &gravity)).collect())
}

fn run(bencher: Bencher, m: usize, grip: Grip) {
    let (w, alpha) = plate(m);
    let contacts = vec![PhaseContact { dimension: Dimension::Spatial, grip }; m];
    let mut forces = vec![0.0; 3 * m];
    let mut phase = PhaseForces::new();
    let view = MatrixView::row_major(3 * m, 3 * m, &w);
    bencher.bench_local(|| phase.solve(view, &alpha, &contacts, &mut forces));
}

#[divan::bench(args = [1, 2, 3, 4, 8])]
fn stick(bencher: Bencher, m: usize) {
    run(bencher, m, Grip::Stick);
}

#[divan::bench(args = [1, 2, 3, 4, 8])]
fn slip(bencher: Bencher, m: usize) {
    run(bencher, m, Grip::Slip { direction: [0.6, 0.8], friction: 0.3 });
}

/// Forces that have to be shared out: the shortest are outside a cone.
#[divan::bench(args = [2, 4, 8])]
fn margin(bencher: Bencher, m: usize) {
    let (w, alpha) = plate(m);
    let contacts = vec![PhaseContact { dimension: Dimension::Spatial, grip: Grip::Stick }; m];
    let (mut forces, friction) = (vec![0.0; 3 * m], vec![0.5; m]);
    let mut phase = PhaseForces::new();
    let view = MatrixView::row_major(3 * m, 3 * m, &w);
    bencher.bench_local(|| phase.stick_margin(view, &alpha, &contacts, &friction, &mut forces));
}
