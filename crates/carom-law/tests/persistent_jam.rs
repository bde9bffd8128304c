//! Impacts without collision: the rod of Painlevé, and random jams.

mod common;

use carom_law::{Delassus, Friction, Jam, Mode, jam};
use common::random::{self, Family, Problem};
use fastrand::Rng;

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A rod of length and mass 1, its lower end on the floor, in generalized coordinates (x, y, angle).
#[test]
fn the_rod_of_painleve() {
    let (s, c) = 60f64.to_radians().sin_cos();
    // The lower end is at -(cos, sin)/2 from the centre; moment of inertia 1/12.
    let (normal, tangent) = ([0.0, 1.0, -0.5 * c], [1.0, 0.0, 0.5 * s]);
    let inverse_mass = [1.0, 1.0, 12.0];
    let w = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * inverse_mass[k] * b[k]).sum::<f64>();
    let delassus =
        Delassus::planar([[w(normal, normal), w(normal, tangent)], [w(tangent, normal), w(tangent, tangent)]]).unwrap();
    let answer = jam(delassus, &[-1.0], Friction::new(1.8).unwrap()).unwrap();
    assert_eq!((answer.mode, answer.residual), (Mode::Stick, 0.0));
    assert!((answer.reduced * w(normal, normal) + 0.588269).abs() < 1e-6);
    assert!((answer.impulse[0] - 0.3247595264).abs() < 1e-10 && (answer.impulse[1] - 0.4375).abs() < 1e-14);
    assert!((answer.energy_change + 0.21875).abs() < 1e-14);
    let after: Vec<f64> = (0..3)
        .map(|k| {
            [-1.0, 0.0, 0.0][k] + inverse_mass[k] * (normal[k] * answer.impulse[0] + tangent[k] * answer.impulse[1])
        })
        .collect();
    for (x, y) in after.iter().zip([-0.5625, 0.3247595264, 1.2990381057]) {
        assert!((x - y).abs() < 1e-10, "{after:?}");
    }
}

#[test]
fn a_contact_that_is_not_jammed_is_refused() {
    let delassus = Delassus::planar([[1.0, 0.5], [0.5, 1.0]]).unwrap();
    let message = |velocity: &[f64], mu| jam(delassus, velocity, Friction::new(mu).unwrap()).unwrap_err().to_string();
    assert_eq!(
        message(&[1.0], 1.0),
        "delassus = 0.5 is outside (-inf, 1e-6], where D / W_nn has to be for a contact to jam"
    );
    assert_eq!(
        message(&[-1.0], 3.0),
        "delassus = 2.5 is outside (-inf, 1e-6], where D / W_nn has to be for a contact to jam"
    );
    assert!(message(&[0.0], 3.0).starts_with("delassus = 1 is outside"));
    assert_eq!(
        message(&[1.0, 2.0], 3.0),
        "contact_velocity is 3 numbers, but must be 2 numbers, as the contact has dimension 2"
    );
    // Just above D = 0: an event located to a part in a million.
    let near = jam(delassus, &[1.0], Friction::new(2.0 - 1e-8).unwrap()).unwrap();
    assert!(near.mode == Mode::Stick && near.residual > 0.0 && near.residual < 1e-7, "{near:?}");
}

/// A random problem at `v_n = 0` whose sliding is jammed.
fn jammed(rng: &mut Rng, d: usize) -> Problem {
    loop {
        let family = if rng.bool() { Family::Plain } else { Family::Body };
        let mut p = random::problem(rng, d, family);
        p.v[0] = 0.0;
        let along = dot(&p.w[0][1..], &p.v[1..]) / norm(&p.v[1..]);
        if along > 0.0 {
            p.mu_d = p.w[0][0] / along * random::between(rng, 1.0, 3.0);
            p.mu_s = p.mu_d * if rng.bool() { 1.0 } else { random::between(rng, 1.0, 1.3) };
            return p;
        }
    }
}

fn check(p: &Problem, o: &Jam) {
    let d = p.d;
    let i: &[f64] = &o.impulse;
    let scale = |r: usize| p.v[r].abs() + (0..d).map(|c| (p.w[r][c] * i[c]).abs()).sum::<f64>();
    let tangential: f64 = (1..d).map(scale).sum();
    for r in 0..d {
        let after = p.v[r] + dot(&p.w[r][..d], i);
        let rounding = 1e-12 * if r == 0 { scale(0) } else { tangential };
        assert!((after - o.contact_velocity[r]).abs() <= rounding, "momentum {r}: {p:?}\n{o:?}");
    }
    assert_eq!(o.contact_velocity[0], 0.0);
    assert!(i[0] > 0.0 && o.residual == 0.0 && o.reduced <= 0.0, "{p:?}\n{o:?}");
    let mu = if o.mode == Mode::Stick { p.mu_s } else { p.mu_d };
    assert!(norm(&i[1..]) <= mu * i[0] * (1.0 + 1e-14), "cone: {p:?}\n{o:?}");
    assert!(o.energy_change <= 0.0, "gain: {p:?}\n{o:?}");
    let mean: Vec<f64> = (1..d).map(|r| 0.5 * (p.v[r] + o.contact_velocity[r])).collect();
    assert!((dot(&mean, &i[1..]) - o.energy_change).abs() <= 1e-12 * tangential * norm(i), "ledger: {p:?}\n{o:?}");
    match o.mode {
        Mode::Separating | Mode::Reversal => panic!("{o:?}"),
        Mode::Stick => assert!(o.contact_velocity[1..].iter().all(|x| *x == 0.0)),
        Mode::Slip => {
            let u = o.direction.unwrap();
            let along = dot(&u, &mean);
            assert!(along >= 0.0 && (norm(&u) - 1.0).abs() < 1e-15);
            for k in 0..d - 1 {
                assert!((mean[k] - along * u[k]).abs() <= 1e-12 * tangential, "{p:?}\n{o:?}");
                assert!((i[k + 1] + p.mu_d * u[k] * i[0]).abs() <= 1e-14 * mu * i[0], "{p:?}\n{o:?}");
            }
        }
    }
}

/// An answer exists for every jam, it is consistent without help, and it dissipates.
#[test]
fn every_jam_has_an_answer_that_dissipates() {
    let mut rng = random::generator("every_jam_has_an_answer_that_dissipates");
    let mut modes = [[0; 4]; 2];
    for _ in 0..random::cases(2000) {
        for d in [2, 3] {
            let p = jammed(&mut rng, d);
            let friction = Friction::with_static(p.mu_s, p.mu_d).unwrap();
            let o = jam(p.delassus().unwrap(), &p.v[1..d], friction).unwrap_or_else(|error| panic!("{error}: {p:?}"));
            // On the very edge rounding decides; `residual` says by how little.
            if o.residual > 0.0 {
                assert!(o.residual < 1e-12, "{p:?}\n{o:?}");
                continue;
            }
            check(&p, &o);
            modes[d - 2][o.mode as usize] += 1;
        }
    }
    let [planar, spatial] = modes;
    assert!(planar[Mode::Slip as usize] == 0, "{planar:?}");
    assert!(spatial[Mode::Slip as usize] > 0, "{spatial:?}");
    println!("separating, stick, slip, reversal: {spatial:?} in space");
}

/// The limit of the law: a collision slow enough gives the same impulse.
#[test]
fn a_jam_is_the_limit_of_slow_collisions() {
    let mut rng = random::generator("a_jam_is_the_limit_of_slow_collisions");
    let (mut same, mut all) = (0, 0);
    for _ in 0..random::cases(500) {
        for d in [2, 3] {
            let p = jammed(&mut rng, d);
            let friction = Friction::with_static(p.mu_s, p.mu_d).unwrap();
            let o = jam(p.delassus().unwrap(), &p.v[1..d], friction).unwrap();
            let mut slow = p;
            slow.v[0] = -1e-9 * norm(&p.v[1..]);
            slow.e_t = 0.0;
            let impact = slow.solve(carom_law::Guard::Report).unwrap();
            let size = norm(&o.impulse);
            let difference: Vec<f64> = o.impulse.iter().zip(impact.impulse.iter()).map(|(a, b)| a - b).collect();
            all += 1;
            same += usize::from(impact.mode == o.mode && norm(&difference) < 1e-5 * size);
        }
    }
    // At the edges between modes the limit is slow.
    assert!(same * 1000 >= all * 995, "{same} of {all}");
}

#[test]
fn powers_of_two_change_no_bit() {
    let mut rng = random::generator("powers_of_two_change_no_bit");
    for _ in 0..random::cases(500) {
        let d = rng.usize(2..=3);
        let p = jammed(&mut rng, d);
        let friction = Friction::with_static(p.mu_s, p.mu_d).unwrap();
        let o = jam(p.delassus().unwrap(), &p.v[1..p.d], friction).unwrap();
        for (of_w, of_v) in [(3, 5), (-40, 200), (200, -7)] {
            let (a, b) = (2f64.powi(of_w), 2f64.powi(of_v));
            let scaled = Problem { w: p.w.map(|row| row.map(|x| x * a)), v: p.v.map(|x| x * b), ..p };
            let other = jam(scaled.delassus().unwrap(), &scaled.v[1..p.d], friction).unwrap();
            assert_eq!((o.mode, o.direction, o.reduced), (other.mode, other.direction, other.reduced));
            assert_eq!(o.impulse.to_vec(), other.impulse.iter().map(|x| x / b * a).collect::<Vec<_>>());
        }
    }
}
