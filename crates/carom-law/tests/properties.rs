//! What every answer of the law has to satisfy, on random problems.

mod common;

use carom_law::{Coefficients, Contact, Delassus, Friction, Guard, Limit, Mode, Outcome, Restitution};
use common::oracle;
use common::random::{self, FAMILIES, Problem};

const EPS: f64 = f64::EPSILON;

/// The momentum balance is relative to `|W||i| + |v|`: about ten operations a row, once through the
/// elimination of the normal and once through that of a tangent.
const BALANCE: f64 = 64.0 * EPS;

/// A handful of roundings in a number that is formed directly.
const FEW: f64 = 8.0 * EPS;

/// What the ledger may gain by rounding, relative to `K_c + |v_c⁻·i|`.
const GAIN: f64 = 16.0 * EPS;

/// Problems nearer than this to a double root, by the oracle's measure, may count it once or not at all.
const MARGIN: f64 = 1e-7;

/// Problems of every family and dimension, with every guard.
fn for_each(test: &str, mut check: impl FnMut(&Problem, &Outcome)) {
    let mut rng = random::generator(test);
    for _ in 0..random::cases(4000) {
        for d in [2, 3] {
            for family in FAMILIES {
                let p = random::problem(&mut rng, d, family);
                for guard in Guard::ALL {
                    check(&p, &p.solve(guard).unwrap_or_else(|error| panic!("{p:?}: {error}")));
                }
            }
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

/// `v̄_t`.
fn average(o: &Outcome) -> Vec<f64> {
    let (before, after) = (&o.contact_velocity.before[1..], &o.contact_velocity.after[1..]);
    before.iter().zip(after).map(|(a, b)| 0.5 * (a + b)).collect()
}

/// `K_c + |v_c⁻·i|`.
fn energy_scale(p: &Problem, o: &Outcome) -> f64 {
    p.contact_energy() + dot(&o.contact_velocity.before, &o.impulse).abs()
}

#[test]
fn momentum_is_balanced() {
    let mut worst = 0.0_f64;
    for_each("momentum_is_balanced", |p, o| {
        for r in 0..p.d {
            let change: f64 = (0..p.d).map(|c| p.w[r][c] * o.impulse[c]).sum();
            let residual = (o.contact_velocity.before[r] + change - o.contact_velocity.after[r]).abs();
            worst = worst.max(residual / p.momentum_scale(&o.impulse, r));
            assert!(residual <= BALANCE * p.momentum_scale(&o.impulse, r), "row {r}: {residual:e}\n{p:?}\n{o:?}");
        }
    });
    println!("worst residual {:.1} eps", worst / EPS);
}

#[test]
fn the_mode_is_what_it_says() {
    let mut modes = [0; 4];
    for_each("the_mode_is_what_it_says", |p, o| {
        let (before, after) = (&o.contact_velocity.before, &o.contact_velocity.after);
        modes[o.mode as usize] += 1;
        assert_eq!(**before, p.v[..p.d]);
        assert!(o.impulse[0] > 0.0, "{p:?}\n{o:?}");
        let e = o.guard.restitution;
        assert!((after[0] + e * before[0]).abs() <= FEW * before[0].abs(), "restitution {p:?}\n{o:?}");
        let (i_n, i_t) = (o.impulse[0], &o.impulse[1..]);
        let mu = if o.mode == Mode::Stick { p.mu_s } else { p.mu_d };
        assert!(norm(i_t) <= mu * i_n * (1.0 + FEW), "cone {p:?}\n{o:?}");
        assert_eq!(o.direction.is_some(), o.mode == Mode::Slip);
        match o.mode {
            Mode::Separating => panic!("{p:?} approaches"),
            Mode::Stick => assert!((1..p.d).all(|r| after[r] == -p.e_t * before[r]), "{p:?}\n{o:?}"),
            Mode::Reversal => assert!((1..p.d).all(|r| after[r] == -before[r]), "{p:?}\n{o:?}"),
            Mode::Slip => {
                let u = o.direction.unwrap();
                let mean = average(o);
                // The average is half a sum of two rounded velocities.
                let rounding = FEW * (norm(&before[1..]) + norm(&after[1..]));
                assert!((norm(&u) - 1.0).abs() <= FEW, "{p:?}\n{o:?}");
                assert!(dot(&u, &mean) >= -rounding, "friction along the velocity: {p:?}\n{o:?}");
                for k in 0..p.d - 1 {
                    assert!((i_t[k] + p.mu_d * u[k] * i_n).abs() <= FEW * p.mu_d * i_n, "{p:?}\n{o:?}");
                    assert!((mean[k] - dot(&u, &mean) * u[k]).abs() <= rounding, "{p:?}\n{o:?}");
                }
            }
        }
    });
    println!("stick {}, slip {}, reversal {}", modes[1], modes[2], modes[3]);
    assert!(modes[1..].iter().all(|&n| n > 100), "every mode is visited");
}

#[test]
fn discriminator_and_critical_friction_decide_stick() {
    for_each("discriminator_and_critical_friction_decide_stick", |p, o| {
        let sticks = o.mode == Mode::Stick || o.guard.acted;
        let sigma = o.discriminator.unwrap();
        assert_eq!(o.critical_friction.is_some_and(|critical| p.mu_s >= critical), sticks, "{p:?}\n{o:?}");
        if o.critical_friction.is_some() {
            assert_eq!(sigma >= 0.0, sticks, "{p:?}\n{o:?}");
        }
        let restitution = Restitution::with_tangential(p.e, p.e_t).unwrap();
        let contact = p.contact().unwrap();
        assert_eq!(contact.critical_friction(&restitution), o.critical_friction);
        assert_eq!(contact.critical_reversal(&restitution), o.critical_reversal);
        if o.mode == Mode::Reversal && !o.guard.acted {
            assert!(o.critical_reversal.is_some_and(|critical| p.mu_d >= critical), "{p:?}\n{o:?}");
        }
    });
}

#[test]
fn the_ledger_adds_up() {
    for_each("the_ledger_adds_up", |p, o| {
        let energy = &o.energy;
        assert_eq!(energy.change, energy.normal + energy.tangential);
        assert!(energy.before.is_none() && energy.after.is_none());
        let (mut change, mut scale) = (0.0, 0.0);
        for r in 0..p.d {
            let (before, after) = (o.contact_velocity.before[r], o.contact_velocity.after[r]);
            change += 0.5 * (before + after) * o.impulse[r];
            scale += (before.abs() + after.abs()) * o.impulse[r].abs();
        }
        assert!((energy.change - change).abs() <= FEW * scale, "{change:e}: {p:?}\n{o:?}");
        assert!(energy.normal <= 0.0, "{p:?}\n{o:?}");
    });
}

#[test]
fn only_a_reported_stick_gains_energy() {
    let mut gains = 0;
    for_each("only_a_reported_stick_gains_energy", |p, o| {
        if o.mode != Mode::Stick {
            assert!(o.energy.change <= 0.0 && o.energy.tangential <= 0.0, "{p:?}\n{o:?}");
        }
        if o.guard.name != Guard::Report || o.admissible {
            assert!(o.energy.change <= GAIN * energy_scale(p, o), "{p:?}\n{o:?}");
        } else {
            assert!(o.mode == Mode::Stick && o.energy.change > 0.0, "{p:?}\n{o:?}");
            gains += 1;
        }
    });
    println!("{gains} sticks create energy");
    assert!(gains > 100);
}

#[test]
fn admissible_means_below_the_limit_of_this_state() {
    for_each("admissible_means_below_the_limit_of_this_state", |p, o| {
        let state = o.restitution_limit.state.unwrap();
        let sticks = o.critical_friction.is_some_and(|critical| p.mu_s >= critical);
        assert_eq!(!o.admissible, sticks && p.e > state, "{p:?}\n{o:?}");
        let violation = |limit| o.violations.iter().find(|v| v.limit == limit);
        let state_violation = violation(Limit::RestitutionState);
        assert_eq!(state_violation.is_some(), !o.admissible);
        assert!(state_violation.is_none_or(|v| v.value == p.e && v.bound == state));
        let configuration = o.restitution_limit.configuration.unwrap();
        let any = if sticks { p.e <= configuration } else { o.friction_limit.is_none_or(|limit| p.mu_d < limit) };
        assert_eq!(o.admissible_any_state, any, "{p:?}\n{o:?}");
        let beyond = violation(Limit::RestitutionConfiguration).or(violation(Limit::Friction));
        assert_eq!(beyond.is_some(), !any);
        assert!(beyond.is_none_or(|v| v.value >= v.bound), "{p:?}\n{o:?}");
    });
}

#[test]
fn guards_act_on_inadmissible_sticks_and_say_so() {
    let mut rng = random::generator("guards_act_on_inadmissible_sticks_and_say_so");
    let mut acted = [0; 2];
    for _ in 0..random::cases(8000) {
        let family = FAMILIES[rng.usize(0..3)];
        let mut p = random::problem(&mut rng, 2, family);
        if rng.bool() {
            p = random::problem(&mut rng, 3, family);
        }
        p.mu_s *= if rng.bool() { 3.0 } else { 1.0 };
        let [report, limit, slip] = Guard::ALL.map(|guard| p.solve(guard).unwrap());
        assert!(!report.guard.acted && report.guard.unguarded.is_none());
        for o in [&limit, &slip] {
            assert_eq!(o.guard.acted, !report.admissible, "{p:?}\n{o:?}");
            assert_eq!(o.guard.unguarded.is_some(), o.guard.acted);
            assert_eq!((o.admissible, &o.violations), (report.admissible, &report.violations));
            assert_eq!((o.restitution_limit, o.discriminator), (report.restitution_limit, report.discriminator));
            if let Some(unguarded) = o.guard.unguarded {
                assert_eq!((unguarded.mode, unguarded.energy_change), (report.mode, report.energy.change));
            } else {
                assert_eq!((o.mode, o.impulse, o.energy), (report.mode, report.impulse, report.energy));
                assert_eq!(o.guard.restitution, p.e);
            }
        }
        assert_eq!((report.guard.restitution, slip.guard.restitution), (p.e, p.e));
        assert!((0.0..=p.e).contains(&limit.guard.restitution), "{p:?}\n{limit:?}");
        if slip.guard.acted {
            assert_ne!(slip.mode, Mode::Stick);
            assert!(slip.solutions.is_some());
            acted[usize::from(limit.mode == Mode::Stick)] += 1;
        }
    }
    println!("limit answers stick {}, slip or reversal {}", acted[1], acted[0]);
    assert!(acted.iter().all(|&n| n > 10));
}

/// The problem with one coefficient of friction for both.
fn with_friction(p: &Problem, mu: f64) -> Problem {
    Problem { mu_s: mu, mu_d: mu, ..*p }
}

fn mu_star(p: &Problem) -> f64 {
    p.w[0][0] / p.w[0][1].hypot(p.w[0][2])
}

#[test]
fn answers_are_odd_in_number_for_every_friction() {
    let mut rng = random::generator("answers_are_odd_in_number_for_every_friction");
    let mut counts = [0; 5];
    for _ in 0..random::cases(8000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let p = random::problem(&mut rng, d, family);
        let beyond =
            if rng.bool() { random::decades(&mut rng, -1.0, 4.0) } else { random::between(&mut rng, 0.9, 2.0) };
        let p = with_friction(&p, mu_star(&p) * beyond);
        let o = p.solve(Guard::Report).unwrap();
        let Some(solutions) = o.solutions else { continue };
        if d == 2 {
            assert_eq!(solutions, 1, "{p:?}");
        } else if oracle::sliding_answers(&p.oracle()).1 > MARGIN {
            assert_eq!(solutions % 2, 1, "{p:?}");
        }
        counts[solutions as usize] += 1;
    }
    println!("answers 1: {}, 3: {}", counts[1], counts[3]);
    assert!(counts[1] > 100 && counts[3] > 0);
}

/// At `μ*` the denominator [20] can first vanish for some direction; nothing happens to the answer.
#[test]
fn nothing_happens_at_the_friction_limit() {
    /// The relative distance from `μ*` on either side.
    const STEP: f64 = 1e-9;
    /// The oracle's margin bounds the denominator and the square of the slope of the direction equation:
    /// an answer moves by at most `STEP / margin^1.5`, and a few times that in sums.
    const CLEAR: f64 = 1e-4;
    let mut rng = random::generator("nothing_happens_at_the_friction_limit");
    let mut tried = 0;
    for _ in 0..random::cases(8000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let p = random::problem(&mut rng, d, family);
        let [below, above] = [1.0 - STEP, 1.0 + STEP].map(|factor| with_friction(&p, mu_star(&p) * factor));
        let margin = oracle::solve(&below.oracle()).margin.min(oracle::solve(&above.oracle()).margin);
        if margin < CLEAR {
            continue;
        }
        let [below, above] = [below, above].map(|p| p.solve(Guard::Report).unwrap());
        assert_eq!(below.mode, above.mode, "{p:?}");
        for r in 0..d {
            let change: f64 = (0..d).map(|c| p.w[r][c] * (below.impulse[c] - above.impulse[c])).sum();
            let bound = 8.0 * STEP / margin.powf(1.5) * p.momentum_scale(&below.impulse, r);
            assert!(change.abs() <= bound, "{p:?}\n{below:?}\n{above:?}");
        }
        tried += 1;
    }
    println!("{tried} crossings");
    assert!(tried > 1000);
}

#[test]
fn a_contact_that_does_not_approach_is_left_alone() {
    let mut rng = random::generator("a_contact_that_does_not_approach_is_left_alone");
    for _ in 0..random::cases(3000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let mut p = random::problem(&mut rng, d, family);
        p.v[0] = [0.0, -0.0, 5e-324, -p.v[0]][rng.usize(0..4)];
        for guard in Guard::ALL {
            let o = p.solve(guard).unwrap();
            assert_eq!(o.mode, Mode::Separating);
            assert!(o.impulse.iter().all(|x| x.to_bits() == 0));
            assert_eq!(o.contact_velocity.after, o.contact_velocity.before);
            assert_eq!((o.energy.change, o.energy.normal, o.energy.tangential), (0.0, 0.0, 0.0));
            assert!(o.discriminator.is_none() && o.critical_friction.is_none() && o.critical_reversal.is_none());
            assert!(o.printed.is_none() && o.solutions.is_none() && o.direction.is_none());
            assert!(o.restitution_limit.state.is_none() && o.restitution_limit.configuration.is_some());
            assert!(o.friction_limit.is_some() && o.admissible && o.violations.is_empty() && !o.guard.acted);
        }
    }
}

#[test]
fn a_contact_without_tangents_only_bounces() {
    let mut rng = random::generator("a_contact_without_tangents_only_bounces");
    for _ in 0..random::cases(3000) {
        let (w, v, e) = (random::decades(&mut rng, -3.0, 3.0), -random::decades(&mut rng, -3.0, 3.0), rng.f64());
        let contact = Contact::new(Delassus::normal(w).unwrap(), &[v]).unwrap();
        let restitution = Restitution::new(e).unwrap();
        let friction = Friction::new(rng.f64()).unwrap();
        for guard in Guard::ALL {
            let o = contact.impact(&Coefficients::frictionless(restitution), guard).unwrap();
            let with_friction = contact.impact(&Coefficients::new(restitution, friction), guard).unwrap();
            // The discriminators do contain the static coefficient.
            let (discriminator, printed) = (with_friction.discriminator, with_friction.printed);
            let mut ignored = o.clone();
            (ignored.friction, ignored.discriminator, ignored.printed) = (Some(friction), discriminator, printed);
            assert_eq!(with_friction, ignored);
            let expected = -(1.0 + e) * v / w;
            assert_eq!((o.mode, o.contact_dimension, o.impulse.len()), (Mode::Stick, 1, 1));
            assert!((o.impulse[0] - expected).abs() <= FEW * expected);
            assert_eq!(o.contact_velocity.after[0], -e * v);
            let change = -(1.0 - e * e) * v * v / w / 2.0;
            // `1 - e²` is as exact as `1` is.
            assert!((o.energy.change - change).abs() <= FEW * v * v / w && o.energy.tangential == 0.0);
            assert_eq!((o.critical_friction, o.friction_limit, o.critical_reversal), (Some(0.0), None, None));
            let limits = o.restitution_limit;
            assert_eq!((limits.state, limits.configuration), (Some(1.0), Some(1.0)));
            assert!(o.admissible && o.admissible_any_state && o.violations.is_empty());
        }
    }
}

#[test]
fn a_planar_contact_seen_as_spatial_answers_the_same() {
    const LIMITED: f64 = 16.0;
    let mut rng = random::generator("a_planar_contact_seen_as_spatial_answers_the_same");
    for _ in 0..random::cases(6000) {
        let family = FAMILIES[rng.usize(0..3)];
        let p = random::problem(&mut rng, 2, family);
        // The tangent becomes the first of two or the second.
        let t = rng.usize(1..=2);
        let mut q = Problem { d: 3, w: [[0.0; 3]; 3], v: [p.v[0], 0.0, 0.0], ..p };
        (q.w[0][0], q.w[0][t], q.w[t][0], q.w[t][t]) = (p.w[0][0], p.w[0][1], p.w[1][0], p.w[1][1]);
        q.v[t] = p.v[1];
        for guard in Guard::ALL {
            let (plane, space) = (p.solve(guard).unwrap(), q.solve(guard).unwrap());
            assert_eq!((plane.mode, plane.guard.acted), (space.mode, space.guard.acted), "{p:?}");
            assert!(space.impulse[3 - t].abs() <= EPS * plane.impulse[1].abs(), "{p:?}\n{space:?}");
            // A limited restitution is itself a root, known to some roundings of 1; the impulse follows it.
            let limited = guard == Guard::Limit && plane.guard.acted;
            // So is a direction in space rounded, and D = W_nn - μ w·u may be small beside its terms.
            let push = -(1.0 + plane.guard.restitution) * p.v[0];
            let of_denominator = (p.w[0][0] + p.mu_d * p.w[0][1].abs()) * plane.impulse[0] / push;
            let balance = if limited { LIMITED * BALANCE } else { BALANCE.max(EPS * of_denominator) };
            for r in 0..2 {
                let difference = |c: usize, k: usize| p.w[r][c] * (plane.impulse[c] - space.impulse[k]);
                let change = difference(0, 0) + difference(1, t);
                assert!(change.abs() <= balance * p.momentum_scale(&plane.impulse, r), "{p:?}\n{plane:?}\n{space:?}");
            }
            let work = [0, 1].map(|r| (p.v[r] * plane.impulse[r]).abs()).iter().sum::<f64>();
            let rounding = balance * (work + p.contact_energy());
            assert!((plane.energy.change - space.energy.change).abs() <= rounding, "{p:?}\n{plane:?}\n{space:?}");
        }
    }
}

#[test]
fn hunt_and_crossley_lose_restitution_with_speed() {
    let mut rng = random::generator("hunt_and_crossley_lose_restitution_with_speed");
    for _ in 0..random::cases(3000) {
        let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
        let mut p = random::problem(&mut rng, d, family);
        let alpha = random::decades(&mut rng, -2.0, 1.0) / p.v[0].abs();
        (p.e, p.e_t) = ((1.0 - alpha * p.v[0].abs()).clamp(0.0, 1.0), 0.0);
        let friction = Friction::with_static(p.mu_s, p.mu_d).unwrap();
        let coefficients = Coefficients::new(Restitution::hunt_crossley(alpha).unwrap(), friction);
        for guard in Guard::ALL {
            assert_eq!(p.contact().unwrap().impact(&coefficients, guard).unwrap(), p.solve(guard).unwrap());
        }
    }
}
