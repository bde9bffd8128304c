//! The bound (E) on the energy, which needs data that an outcome does not have: the state at the end of compression.

use fastrand::Rng;

use super::*;
use crate::contact::coefficients::RestitutionKind;

/// Rounding of the sums, relative to the work of the parts of the impulse.
const ROUNDING: f64 = 1e-13;

/// Rounding of a sum of impulses, relative to the whole. Of ten million impacts one misses the bound without it, by 1.5e-13 of the terms; in exact
/// arithmetic its loss is the bound (`reference/chord/bound.py`).
const SUM: f64 = 8.0 * f64::EPSILON;

/// A random contact: regular or nearly singular matrix, planar or spatial, friction up to 1000.
fn random(rng: &mut Rng) -> (Contact, f64, [f64; 2]) {
    let spatial = rng.u8(0..4) > 0;
    let d = if spatial { 3 } else { 2 };
    let columns: [f64; 4] = match rng.u8(0..4) {
        0 => [(); 4].map(|()| 10f64.powf(-3.0 * rng.f64())),
        _ => [1.0; 4],
    };
    let b: [[f64; 4]; 3] = [(); 3].map(|()| columns.map(|size| size * (2.0 * rng.f64() - 1.0)));
    let product = |i: usize, j: usize| (0..4).map(|k| b[i][k] * b[j][k]).sum::<f64>();
    let rows: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| product(i, j)).collect()).collect();
    let slip = 3.0 * rng.f64();
    let mut v = vec![-(0.01 + rng.f64()) * product(0, 0).sqrt()];
    v.extend((1..d).map(|i| slip * (2.0 * rng.f64() - 1.0) * product(i, i).sqrt()));
    let mu = match rng.u8(0..4) {
        0 => 10f64.powf(6.0 * rng.f64() - 3.0),
        _ => 1.5 * rng.f64(),
    };
    let mu_s = if rng.bool() { mu } else { mu * (1.0 + rng.f64()) };
    let e = if rng.u8(0..8) == 0 { 1.0 } else { rng.f64() };
    (Contact::new(Delassus::from_rows(&rows).unwrap(), &v).unwrap(), e, [mu_s, mu])
}

/// `W i` of the scaled contact.
fn pushed(d: &Delassus, i_n: f64, i_t: Vec2) -> (f64, Vec2) {
    (d.w_nn * i_n + dot(d.w, i_t), add_scaled(d.w_tt.times(i_t), i_n, d.w))
}

/// `K⁻ - K⁺ >= (p_c + p_r) μ s + (p_c² - p_r²) d_c·W d_c / 2`: with `CAROM_IMPACTS` set, on ten times as many impacts (`cargo xtask laws`).
#[test]
fn the_energy_lost_is_at_least_that_of_the_bound() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<usize>().ok());
    let seed = number("CAROM_SEED").unwrap_or(20_200_617) as u64;
    println!("CAROM_SEED={seed}");
    let impacts = number("CAROM_IMPACTS").map_or(20_000, |count| 10 * count);
    let mut rng = Rng::with_seed(seed);
    let (mut tested, mut lengthened, mut slack) = (0, 0, Vec::new());
    for _ in 0..impacts {
        let (contact, e, [mu_s, mu_d]) = random(&mut rng);
        let impact = Impact { contact: &contact, e, e_t: 0.0, mu_s, mu_d };
        let kind = RestitutionKind::ALL[rng.usize(0..2)];
        let (flow, start) = Flow::new(&impact);
        let chain = flow.chain(start, e, kind).ok().unwrap();
        let (d, compressed) = (&contact.delassus, chain.compression.end);
        let (p_c, p_r) = (compressed.size * flow.unit, (chain.end.size - compressed.size) * flow.unit);
        let last = flow.unit * (compressed.size - chain.compression.start.size);
        let d_t = scaled(1.0 / last, add_scaled(compressed.i_t, -1.0, chain.compression.start.i_t));
        let (normal, tangential) = pushed(d, 1.0, d_t);
        let square = normal + dot(d_t, tangential);
        let bound = (p_c + p_r) * mu_d * norm(compressed.v.t) + 0.5 * (p_c * p_c - p_r * p_r) * square;
        let (i_n, i_t) = (flow.unit * chain.end.size, chain.end.i_t);
        let (change_n, change_t) = pushed(d, i_n, i_t);
        let work_n = i_n * (contact.v_n + 0.5 * change_n);
        let work_t = dot(i_t, add_scaled(contact.v_t, 0.5, change_t));
        let size = i_n * (contact.v_n.abs() + d.w_nn * i_n + norm(d.w) * norm(i_t))
            + norm(i_t) * (norm(contact.v_t) + norm(d.w) * i_n + d.w_tt.trace() * norm(i_t));
        let lost = -(work_n + work_t);
        let context = || format!("{contact:?} e {e} mu {mu_s} {mu_d} {kind:?}: lost {lost:e}, bound {bound:e}");
        if p_r > p_c * (1.0 + 1e-12) {
            // Lengthened: the loss is at least that of the shorter restitution.
            lengthened += 1;
            assert!(lost >= -ROUNDING * size, "{}", context());
            continue;
        }
        // The direction of a short last piece is the difference of two sums divided by its size.
        let rounding = (ROUNDING + SUM * p_c / last) * size;
        assert!(bound >= -rounding && lost >= bound - rounding, "{}", context());
        tested += 1;
        if tested <= 10_000 && lost > 0.0 {
            slack.push((lost - bound) / lost);
        }
    }
    slack.sort_by(f64::total_cmp);
    println!("{tested} tested, {lengthened} lengthened; the median slack is {:.4}", slack[slack.len() / 2]);
    assert!(tested > impacts / 2);
}

/// Above `μ*` several sizes may close compression; the answer is the least, and every smaller size leaves the contact approaching.
#[test]
fn of_several_sizes_that_close_compression_the_least_is_taken() {
    let mut rng = Rng::with_seed(5);
    let mut several = 0;
    for _ in 0..4_000 {
        let (contact, _, _) = random(&mut rng);
        let d = &contact.delassus;
        if d.dimension != Dimension::Spatial {
            continue;
        }
        let mu = 3.0 * d.w_nn / norm(d.w);
        let impact = Impact { contact: &contact, e: 0.0, e_t: 0.0, mu_s: mu, mu_d: mu };
        let (flow, start) = Flow::new(&impact);
        // One implicit step from the initial velocity: count the zeros of v_n and find the first.
        let Some(root) = flow.least_root(start.v, None, 0.0, 0.0, f64::INFINITY) else { continue };
        let at = |share: f64| flow.implicit(start, share * root.size, None).end.v.n;
        assert!((1..400).all(|k| at(f64::from(k) / 401.0) < 1e-9 * contact.v_n.abs()), "{contact:?} {mu}");
        let crossings = (0..4000).filter(|k| {
            let [a, b] = [f64::from(*k), f64::from(k + 1)].map(|k| at(1.0001 + 0.01 * k));
            (a < 0.0) != (b < 0.0)
        });
        several += usize::from(crossings.count() >= 2);
    }
    println!("{several} with more than one size");
    assert!(several > 5);
}
