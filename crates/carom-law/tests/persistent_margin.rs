//! Whether redundant contacts can stick: thresholds in closed form, and a search that shares no code.

mod common;

use carom_law::{Dimension, Grip, PhaseContact, PhaseForces, StickMargin};
use common::bodies::{Body, gravity};
use common::random;
use nalgebra::{DMatrix, DVector};

fn margin(body: &Body, alpha: &DVector<f64>, contacts: &[PhaseContact], mu: &[f64]) -> (StickMargin, Vec<f64>) {
    let mut forces = vec![f64::NAN; alpha.len()];
    let w = body.delassus();
    let found = PhaseForces::new().stick_margin((&w).into(), alpha.as_slice(), contacts, mu, &mut forces).unwrap();
    (found, forces)
}

fn sticking(body: &Body) -> Vec<PhaseContact> {
    let dimension = Dimension::from_rows(body.d, "d").unwrap();
    vec![PhaseContact { dimension, grip: Grip::Stick }; body.points.len()]
}

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

/// The least of `λ_n` and `μ λ_n - |λ_t|`.
fn room(forces: &[f64], contacts: &[PhaseContact], mu: &[f64]) -> f64 {
    let (mut least, mut row) = (f64::INFINITY, 0);
    for (contact, mu) in contacts.iter().zip(mu) {
        let d = contact.dimension.rows();
        least = least.min(forces[row]);
        if contact.grip == Grip::Stick && d > 1 {
            least = least.min(mu * forces[row] - norm(&forces[row + 1..row + d]));
        }
        row += d;
    }
    least
}

/// The slope at which the margin passes zero.
fn threshold(body: &Body, heading: f64, mu: f64) -> f64 {
    let at = |slope: f64| {
        let alpha = body.at_contacts(gravity(9.81, slope, heading));
        margin(body, &alpha, &sticking(body), &vec![mu; body.points.len()]).0.margin
    };
    let (mut low, mut high) = (0.0, 1.2);
    assert!(at(low) > 0.0 && at(high) < 0.0);
    while high - low > 1e-14 {
        let middle = 0.5 * (low + high);
        if at(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn a_planar_cube_sticks_up_to_the_angle_of_friction() {
    let body = Body::on_corners(1.0, [0.5; 3], 2);
    let found = threshold(&body, 0.0, 0.5);
    assert!((found - 0.5_f64.atan()).abs() < 1e-12, "{} off", found - 0.5_f64.atan());
    // The shortest forces leave the cone long before: at 18.4°.
    let alpha = body.at_contacts(gravity(9.81, 20f64.to_radians(), 0.0));
    let mut shortest = vec![0.0; 4];
    let w = body.delassus();
    PhaseForces::new().solve((&w).into(), alpha.as_slice(), &sticking(&body), &mut shortest).unwrap();
    assert!(room(&shortest, &sticking(&body), &[0.5; 2]) < 0.0);
}

#[test]
fn a_box_on_four_corners_sticks_up_to_the_angle_of_friction_in_every_direction() {
    // Low enough not to tip: half height below 0.3 / 0.5.
    for heading in [0.0, 0.3, std::f64::consts::FRAC_PI_4, 1.1, 2.5, 4.0] {
        for (half, mu) in [([0.5, 0.5, 0.3], 0.5_f64), ([0.5, 0.3, 0.2], 0.7), ([0.1, 0.1, 0.02], 0.2)] {
            let found = threshold(&Body::on_corners(2.0, half, 3), heading, mu);
            assert!((found - mu.atan()).abs() < 1e-12, "{heading}, {half:?}: {:e} off", found - mu.atan());
        }
    }
}

#[test]
fn a_tall_box_tips_before_it_slips() {
    // Half width 0.1, half height 0.3: tips at tan = 1/3 whatever the friction above that.
    let body = Body::on_corners(1.0, [0.1, 0.1, 0.3], 3);
    let found = threshold(&body, 0.0, 0.8);
    assert!((found - (1.0_f64 / 3.0).atan()).abs() < 1e-12, "{:e} off", found - (1.0_f64 / 3.0).atan());
}

#[test]
fn the_forces_are_a_distribution_with_that_margin() {
    let mut rng = random::generator("the_forces_are_a_distribution_with_that_margin");
    let (mut most, mut positive, mut negative) = (0, 0, 0);
    for case in 0..random::cases(1000) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=8));
        let body = if case % 2 == 0 { Body::random(&mut rng, d, m) } else { Body::random_on_a_face(&mut rng, d, m) };
        let mut contacts = sticking(&body);
        for contact in &mut contacts {
            if rng.u8(0..4) == 0 {
                let angle = random::between(&mut rng, 0.0, 6.0);
                let direction = if d == 3 { [angle.cos(), angle.sin()] } else { [angle.cos().signum(), 0.0] };
                contact.grip = Grip::Slip { direction, friction: 0.3 * rng.f64() };
            }
        }
        let mu: Vec<f64> = (0..m).map(|_| rng.f64()).collect();
        let alpha = body.at_contacts(gravity(9.81, rng.f64(), 6.0 * rng.f64()));
        let (found, forces) = margin(&body, &alpha, &contacts, &mu);
        // Forces of many times the weight leave accelerations of as many roundings.
        let w = body.delassus();
        let after = &alpha + &w * DVector::from_row_slice(&forces);
        let rounding = 1e-9 * (alpha.amax() + w.amax() * norm(&forces));
        for (k, contact) in contacts.iter().enumerate() {
            let held = if contact.grip == Grip::Stick { d } else { 1 };
            (0..held).for_each(|i| assert!(after[k * d + i].abs() < rounding, "{after} {body:?}"));
        }
        let own = (room(&forces, &contacts, &mu) / found.scale).min(1.0);
        assert!((own - found.margin).abs() < 1e-9 * (1.0 + norm(&forces) / found.scale), "{own} {found:?}");
        most = most.max(found.steps);
        positive += usize::from(found.margin > 0.0);
        negative += usize::from(found.margin < 0.0);
    }
    println!("at most {most} steps, {positive} positive, {negative} negative");
    assert!(positive > 50 && negative > 50);
}

/// A concave function of few variables, maximised one variable inside the other.
fn search(dimension: usize, fixed: &mut Vec<f64>, reach: f64, f: &dyn Fn(&[f64]) -> f64) -> f64 {
    if fixed.len() == dimension {
        return f(fixed);
    }
    let mut at = |x: f64| {
        fixed.push(x);
        let value = search(dimension, fixed, reach, f);
        fixed.pop();
        value
    };
    let (mut low, mut high) = (-reach, reach);
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (at(a), at(b));
    while high - low > 1e-11 * reach {
        if at_a < at_b {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = at(b);
        } else {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = at(a);
        }
    }
    at_a.max(at_b)
}

/// Self-stresses by an eigenvalue decomposition, and the margin by golden sections.
#[test]
fn no_other_distribution_does_better() {
    let mut rng = random::generator("no_other_distribution_does_better");
    let mut compared = 0;
    for case in 0..random::cases(60) {
        // One self-stress along the line through two points; three in the plane with three.
        let (d, m) = [(2, 2), (3, 2), (2, 2), (3, 2), (2, 3)][case % 5];
        let body = if case % 2 == 0 { Body::random(&mut rng, d, m) } else { Body::random_on_a_face(&mut rng, d, m) };
        let w = body.delassus();
        let alpha = body.at_contacts(gravity(9.81, 0.6 * rng.f64(), 6.0 * rng.f64()));
        let (contacts, mu) = (sticking(&body), vec![random::between(&mut rng, 0.1, 1.0); m]);
        let (found, _) = margin(&body, &alpha, &contacts, &mu);
        let eigen = w.clone().symmetric_eigen();
        let largest = eigen.eigenvalues.amax();
        let is_null = |i: &usize| eigen.eigenvalues[*i].abs() < 1e-9 * largest;
        let null: Vec<DVector<f64>> =
            (0..w.nrows()).filter(is_null).map(|i| eigen.eigenvectors.column(i).into_owned()).collect();
        if null.len() != found.redundancy || null.len() > 2 && case >= 30 {
            continue;
        }
        let inverse =
            DMatrix::from_diagonal(&eigen.eigenvalues.map(|x| if x.abs() < 1e-9 * largest { 0.0 } else { 1.0 / x }));
        let shortest = -(&eigen.eigenvectors * inverse * eigen.eigenvectors.transpose()) * &alpha;
        let scale = shortest.amax();
        let value = |z: &[f64]| {
            let forces = null.iter().zip(z).fold(shortest.clone() / scale, |sum, (v, z)| sum + v * *z);
            room(forces.as_slice(), &contacts, &mu).min(1.0)
        };
        // Larger stresses are not looked for here, so the answer must not need them.
        let reach = if null.len() > 1 { 8.0 } else { 1e3 };
        let best = search(null.len(), &mut Vec::new(), reach, &value);
        assert!(found.margin > best - 1e-7, "{found:?} {best} {body:?}");
        if null.len() == 1 {
            assert!((found.margin - best).abs() < 1e-7, "{found:?} {best} {body:?}");
        }
        compared += 1;
    }
    assert!(compared * 2 > random::cases(60), "{compared}");
}

#[test]
fn powers_of_two_change_no_bit() {
    let mut rng = random::generator("powers_of_two_change_no_bit");
    for _ in 0..random::cases(50) {
        let (d, m) = (rng.usize(2..=3), rng.usize(2..=5));
        let body = Body::random_on_a_face(&mut rng, d, m);
        let (w, contacts, mu) = (body.delassus(), sticking(&body), vec![0.6; m]);
        let alpha = body.at_contacts(gravity(9.81, 0.5 * rng.f64(), 6.0 * rng.f64()));
        let (found, forces) = margin(&body, &alpha, &contacts, &mu);
        for (of_w, of_alpha) in [(1, 0), (-31, 12), (300, -300)] {
            let (p, q) = (2f64.powi(of_w), 2f64.powi(of_alpha));
            let mut scaled = vec![0.0; alpha.len()];
            let other = PhaseForces::new()
                .stick_margin((&(&w * p)).into(), (&alpha * q).as_slice(), &contacts, &mu, &mut scaled)
                .unwrap();
            assert_eq!((found.margin, found.steps), (other.margin, other.steps));
            assert_eq!(forces, scaled.iter().map(|x| x / q * p).collect::<Vec<_>>());
        }
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let body = Body::on_corners(1.0, [0.5; 3], 2);
    let (w, alpha) = (body.delassus(), body.at_contacts(gravity(9.81, 0.1, 0.0)));
    let message = |mu: &[f64]| {
        let mut forces = vec![0.0; 4];
        let found = PhaseForces::new().stick_margin((&w).into(), alpha.as_slice(), &sticking(&body), mu, &mut forces);
        found.unwrap_err().to_string()
    };
    assert_eq!(message(&[0.5]), "static_friction is 1 numbers, but must be 2 numbers, one for each contact");
    assert_eq!(message(&[0.5, -0.1]), "static_friction[1] = -0.1 is outside [0, inf)");
    assert_eq!(message(&[f64::NAN, 0.1]), "static_friction[0] = NaN is outside [0, inf)");
}

/// Largest `s` over the weight, of boxes on four corners: by Clarabel 0.11.1 (an interior-point solver of cone
/// programs), asked for 1e-13, on the balance of forces and torques of the box.
#[test]
fn another_solver_finds_the_same_margins() {
    for (slope, heading, half, mu, expected) in [
        (0.1, 0.3, [0.5, 0.5, 0.3], 0.5, 0.09941716649804473),
        (0.46, 0.3, [0.5, 0.5, 0.3], 0.5, 0.0010195354493130776),
        (0.55, 2.0, [0.5, 0.3, 0.2], 0.7, 0.018519984127954126),
        (0.65, 4.0, [0.5, 0.3, 0.2], 0.7, -0.011981936687906104),
        (0.35, 0.1, [0.1, 0.1, 0.3], 0.8, -0.021045381800311715),
        (0.3, 1.0, [0.2, 0.1, 0.3], 0.5, 0.02616518139197106),
    ] {
        let body = Body::on_corners(2.0, half, 3);
        let (found, _) = margin(&body, &body.at_contacts(gravity(9.81, slope, heading)), &sticking(&body), &[mu; 4]);
        let own = found.margin * found.scale / (2.0 * 9.81);
        assert!((own - expected).abs() < 1e-12, "{own} {expected}");
    }
}
