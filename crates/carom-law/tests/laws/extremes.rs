//! Rival laws at the ends of `f64`: an answer of finite numbers that keeps what the law claims, or a typed error.

use carom_law::{
    Coefficients, Error, ErrorKind, Friction, GeneralizedContact, Guard, Law, MatrixView, Mode, Outcome, Restitution,
};

use crate::common::extreme::{self, Extreme};
use crate::common::random::{Problem, cases, generator};
use crate::{OF_PATHS, RIVALS, by, norm};

/// Rounding of a path of some tens of steps, relative to the terms of a sum.
const ROUNDING: f64 = 1e-11;

/// What a contact with a singular matrix may leave: its velocity counts as one in the matrix's range to 1e-9.
const OUTSIDE_RANGE: f64 = 4e-9;

/// The exponent of the smallest number.
const SMALLEST: i32 = -1074;

/// Contacts are not brought nearer to order one than by this power of two.
const TAME: i32 = 130;

fn plain(extreme: Extreme) -> Problem {
    let Extreme { d, w, v, e, e_t, mu_s, mu_d } = extreme;
    Problem { d, w, v, e, e_t, mu_s, mu_d }
}

/// `x 2^exponent` without a loss on the way.
fn scale(mut x: f64, mut exponent: i32) -> f64 {
    while exponent > 1000 {
        (x, exponent) = (x * 2f64.powi(1000), exponent - 1000);
    }
    while exponent < -1000 {
        (x, exponent) = (x * 2f64.powi(-1000), exponent + 1000);
    }
    x * 2f64.powi(exponent)
}

fn exponent(x: f64) -> i32 {
    if x == 0.0 { -10_000 } else { x.abs().log2().floor() as i32 }
}

fn assert_finite(o: &Outcome, context: &dyn Fn() -> String) {
    // What is not finite has no JSON: `null` stands where `None` does not.
    let vectors = [&o.impulse, &o.contact_velocity.before, &o.contact_velocity.after];
    let numbers =
        vectors.into_iter().flat_map(|v| v.iter().copied()).chain(o.direction.iter().flat_map(|u| u.to_vec()));
    let fields = [o.energy.change, o.energy.normal, o.energy.tangential, o.guard.restitution];
    let options = [
        o.discriminator,
        o.critical_friction,
        o.critical_reversal,
        o.printed.map(|p| p.discriminator),
        o.restitution_limit.state,
        o.restitution_limit.configuration,
        o.friction_limit,
    ];
    let bounds = o.violations.iter().flat_map(|v| [v.value, v.bound]);
    let mut all = numbers.chain(fields).chain(options.into_iter().flatten()).chain(bounds);
    assert!(all.all(f64::is_finite), "not finite: {}", context());
}

fn rounding(problem: &Problem) -> f64 {
    if problem.delassus().unwrap().is_regular() { ROUNDING } else { OUTSIDE_RANGE }
}

/// Units in which the diagonal of `W` is one and the largest velocity or impulse too, as powers of two.
struct Units {
    /// Of the roots of the diagonal.
    row: [i32; 3],
    /// Of `v / row` and of `i row`.
    unit: i32,
}

fn units(problem: &Problem, o: &Outcome) -> Units {
    let Problem { d, ref w, ref v, .. } = *problem;
    let root = |x: f64| if x > 0.0 { exponent(x.sqrt()) } else { 0 };
    // The two tangents are axes of a plane: nothing in a law knows which way they were laid.
    let tangential = root(w[1][1].max(w[2][2]));
    let row = [root(w[0][0]), tangential, tangential];
    let speeds = (0..d).map(|r| exponent(v[r]) - row[r]);
    let impulses = (0..d).map(|r| exponent(o.impulse[r]) + row[r]);
    Units { row, unit: speeds.chain(impulses).max().unwrap() }
}

/// `v⁺ = v⁻ + W i`, each row in its own unit, on the scale of the largest velocity or impulse there is.
fn assert_balance(problem: &Problem, o: &Outcome, context: &dyn Fn() -> String) {
    let Problem { d, ref w, ref v, .. } = *problem;
    let Units { row, unit } = units(problem, o);
    let rounding = rounding(problem);
    for r in 0..d {
        let speed = |x: f64| scale(x, -unit - row[r]);
        let (mut sum, mut size, mut lost) = (speed(v[r]), speed(v[r]).abs(), scale(1.0, SMALLEST - unit - row[r]));
        for c in 0..d {
            let entry = scale(w[r][c], -row[r] - row[c]);
            let impulse = scale(o.impulse[c], row[c] - unit);
            sum += entry * impulse;
            size += (entry * impulse).abs();
            // An impulse that is subnormal has lost what is below.
            lost += entry.abs() * scale(1.0, SMALLEST + row[c] - unit);
        }
        let residual = sum - speed(o.contact_velocity.after[r]);
        assert!(residual.abs() <= rounding * (1.0 + size) + 4.0 * lost, "momentum {r}: {residual:e} {}", context());
    }
}

fn assert_sound(problem: &Problem, law: Law, o: &Outcome) {
    let context = || format!("{} {problem:?}\n{o:?}", law.name());
    assert_finite(o, &context);
    let is_regular = problem.delassus().unwrap().is_regular();
    // A stick with a singular matrix is Aghili's own, in laws that answer as he does.
    if o.mode == Mode::Separating || !is_regular && o.mode == Mode::Stick && o.phases.is_none() {
        return;
    }
    assert_balance(problem, o, &context);
    let (i, after, v, claims) = (&o.impulse, &o.contact_velocity.after, &problem.v, law.claims());
    let tiny = scale(1.0, SMALLEST + 2);
    if claims.obeys_cone {
        assert!(i[0] >= 0.0, "pull: {}", context());
        // Underflow is allowed, here and in the units of order one.
        let Units { row, unit } = units(problem, o);
        let lost = [0, 1].map(|r: usize| tiny + scale(1.0, SMALLEST + TAME + unit - row[r]));
        let reach = problem.mu_s * (i[0] * (1.0 + ROUNDING) + lost[0]) + lost[1];
        assert!(norm(&i[1..]) <= reach, "cone: {}", context());
    }
    if claims.newton_restitution {
        assert!((after[0] + problem.e * v[0]).abs() <= ROUNDING * v[0].abs() + tiny, "restitution: {}", context());
    }
    if claims.dissipates {
        let work = |v: &[f64]| 0.5 * (v[0] * i[0]).abs() + 0.5 * norm(&v[1..]) * norm(&i[1..]);
        let exchanged = work(&v[..problem.d]) + work(after);
        let lost = if is_regular { 0.0 } else { OUTSIDE_RANGE * scale(1.0, 2 * units(problem, o).unit) };
        assert!(o.energy.change <= ROUNDING * exchanged + lost + tiny, "gain: {}", context());
    }
    if let Some(u) = &o.direction {
        assert!((norm(u) - 1.0).abs() < ROUNDING, "direction: {}", context());
    }
}

/// A named error is as good as an answer where there is none.
fn assert_typed(problem: &Problem, law: Law, error: &Error) {
    let context = || format!("{} {problem:?}\n{error:?}", law.name());
    let kinds = [
        ErrorKind::Overflow,
        ErrorKind::Unsupported,
        ErrorKind::NotConverged,
        ErrorKind::OutOfRange,
        ErrorKind::CheckFailed,
    ];
    assert!(kinds.contains(&error.kind()), "{}", context());
    if let Error::NotConverged { residual, best, .. } = error {
        assert!(residual.is_finite() && best.iter().all(|x| x.is_finite()), "{}", context());
    }
}

fn attack(law: Law, count: usize) {
    let mut rng = generator(law.name());
    let (mut answered, mut refused) = (0, std::collections::BTreeMap::<&str, usize>::new());
    for _ in 0..cases(count) {
        let problem = plain(extreme::any(&mut rng));
        // What the contact itself refuses is no matter of the law.
        if problem.contact().is_err() {
            continue;
        }
        match by(&problem, law) {
            Ok(o) => {
                assert_sound(&problem, law, &o);
                answered += 1;
            }
            Err(error) => {
                assert_typed(&problem, law, &error);
                *refused.entry(error.kind().name()).or_default() += 1;
            }
        }
    }
    println!("{:16} {answered} answered, refused {refused:?}", law.name());
    assert!(answered > cases(count) / 4);
    // An answer that its own check refuses is a fault of the law, if not in silence: here products that underflow in its midst,
    // where friction is beyond 1e80 or the approach slower than 1e-100 of the slip.
    assert!(refused.get("check_failed").is_none_or(|count| 500 * count < answered), "{} {refused:?}", law.name());
}

#[test]
fn every_rival_answers_finite_numbers_or_a_typed_error_at_any_scale() {
    for law in RIVALS {
        attack(law, if law == Law::HuntCrossley { 500 } else { 20_000 });
    }
}

fn planar(w: [[f64; 2]; 2], v: [f64; 2], e: f64, mu: f64) -> Problem {
    let [[nn, nt], [tn, tt]] = w;
    let w = [[nn, nt, 0.0], [tn, tt, 0.0], [0.0; 3]];
    Problem { d: 2, w, v: [v[0], v[1], 0.0], e, e_t: 0.0, mu_s: mu, mu_d: mu }
}

/// The answer, which keeps what the law claims.
fn sound(problem: &Problem, law: Law) -> Outcome {
    let outcome = by(problem, law).unwrap();
    assert_sound(problem, law, &outcome);
    outcome
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs()
}

/// `μ w` is beyond `f64`: the path lost itself in NaN, for 43 seconds. The discriminator, which has `μ²`, is beyond it too.
#[test]
fn friction_whose_products_overflow_is_told() {
    let (w, v) = (6.9257396224e16, 263168000.0);
    let problem = planar([[w, w], [w, 2.0 * w]], [-v, v], 0.0, 3.0135153699541016e296);
    for law in RIVALS {
        let error = by(&problem, law).unwrap_err();
        assert!(law == Law::HuntCrossley || error == Error::Overflow { field: "discriminator".into() }, "{error}");
    }
    let o = sound(&Problem { mu_s: 1e140, mu_d: 1e140, ..problem }, Law::Poisson);
    assert!(near(o.impulse[0], 3.0 * v / w) && near(o.impulse[1], -2.0 * v / w), "{o:?}");
}

/// `v_n⁻` underflows in units of `v_t⁻`: the path was NaN from its start, and did not end.
#[test]
fn an_approach_that_underflows_beside_the_slip_is_answered() {
    let (w_nn, w_nt) = (0.0009613633155822754, 0.0009537935256958008);
    let (v_n, v_t) = (-1.0846697e-317, 8.200745926733051e27);
    for (e, mu) in [(7.414396969653049e-29, 0.0), (0.5, 0.0), (0.5, 0.3)] {
        let problem = planar([[w_nn, w_nt], [w_nt, 18.744180500507355]], [v_n, v_t], e, mu);
        for law in RIVALS {
            let o = sound(&problem, law);
            let expected = -(1.0 + e) * v_n / (w_nn - mu * w_nt);
            let is_exact = law != Law::Poisson && law != Law::HuntCrossley && law != Law::Stronge || mu == 0.0;
            // In the plane without coupling all laws are one; v_n⁻ itself has seven digits.
            assert!(!is_exact || (o.impulse[0] / expected - 1.0).abs() < 1e-6, "{mu} {} {o:?}", law.name());
            assert!(o.impulse[0] > 0.0 && near(o.contact_velocity.after[1], v_t), "{o:?}");
        }
    }
}

/// Coupling so small that 1 over it is infinite: the series of the path were NaN.
#[test]
fn coupling_that_is_subnormal_is_none() {
    let w = [[1.0, 1e-310, 0.0], [1e-310, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let problem = Problem { d: 3, w, v: [-1.0, 0.5, 0.5], e: 0.5, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
    for law in RIVALS {
        let o = sound(&problem, law);
        assert!((o.impulse[0] - 1.5).abs() < 1e-9, "{o:?}");
        assert!(o.contact_velocity.after[1..].iter().all(|v| near(*v, 0.5)), "{o:?}");
    }
}

/// The damping of such a restitution is beyond `f64`. It was taken for none, and the impact was elastic.
#[test]
fn a_restitution_that_is_subnormal_gives_nothing_back() {
    for e in [5e-324, 1e-310, 1e-200, 4.1427900344857705e-161, 7e-29, 1e-15, 1e-11, 1e-8] {
        let problem = planar([[1.0, -0.3], [-0.3, 1.5]], [-1.0, 0.2], e, 0.4);
        for law in RIVALS {
            let o = sound(&problem, law);
            assert!(o.contact_velocity.after[0].abs() < 1e-12 + 2.0 * e, "{} {o:?}", law.name());
        }
    }
}

/// The root of the work to be given back underflowed, and the goal was never reached.
#[test]
fn stronge_reaches_a_goal_whose_square_underflows() {
    let w = [[7.16367487537905e-12, -3.719142482360226e-14], [-3.719142482360226e-14, 2.2074234239771027e-15]];
    let problem = planar(w, [-3.6662750069859037e-6, 5.853255218848118e-8], 4.1427900344857705e-161, 1.3);
    let o = sound(&problem, Law::Stronge);
    assert!(o.contact_velocity.after[0] < 1e-18, "{o:?}");
}

#[test]
fn moreau_without_friction_has_none() {
    let w = [
        [3.6882916815893525, -1.0005776373463227, -1.9114933453880938],
        [-1.0005776373463227, 2.634861051406006, -0.963418649241883],
        [-1.9114933453880938, -0.963418649241883, 1.9199216305350943],
    ];
    let v = [-1.9850528047869225e142, 5.38514742566537e141, 1.0287730890521896e142];
    let problem = Problem { d: 3, w, v, e: 1.8e-171, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
    let o = sound(&problem, Law::Moreau);
    assert_eq!(&o.impulse[1..], [0.0, 0.0], "{o:?}");
}

/// With a matrix of rank one, `v_t⁺` follows from `v_n⁺`, and friction against it jams the contact.
#[test]
fn moreau_has_no_answer_where_friction_jams_a_singular_contact() {
    let problem = planar([[4.0, -2.0], [-2.0, 1.0]], [-4.0, 2.0], 0.5, 1e8);
    let error = by(&problem, Law::Moreau).unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Unsupported, "law"));
    assert!(by(&Problem { mu_s: 0.1, mu_d: 0.1, ..problem }, Law::Moreau).is_ok());
}

/// A slip of two subnormal components has a direction of length one.
#[test]
fn the_direction_of_a_subnormal_slip_is_a_unit_vector() {
    let w = [[1.8, 0.95, 0.95], [0.95, 3.1, 3.0], [0.95, 3.0, 3.1]];
    let problem = Problem { d: 3, w, v: [-1.0, -5e-324, -5e-324], e: 0.5, e_t: 0.0, mu_s: 0.0, mu_d: 0.0 };
    for law in RIVALS {
        sound(&problem, law);
    }
}

/// Slip turns in restitution until friction pulls the contact back, `W_nn < μ w·u`: it is compressed a second time.
#[test]
fn poisson_goes_on_until_the_contact_leaves() {
    let matrices = [
        [[34.0, 28.0, -28.0], [28.0, 42.0, -20.0], [-28.0, -20.0, 27.0]],
        [[3.0, -4.0, 0.0], [-4.0, 8.0, -4.0], [0.0, -4.0, 14.0]],
    ];
    for (w, v, e, mu) in [
        (matrices[0], [-2.0, 2.0, 2.0], 0.5, 1.0),
        (matrices[1], [-1.0, 6.0, -17.0], 0.7413324793722277, 86.7283558353523),
    ] {
        let problem = Problem { d: 3, w, v, e, e_t: 0.0, mu_s: mu, mu_d: mu };
        let o = sound(&problem, Law::Poisson);
        assert!(o.contact_velocity.after[0] > 0.0 && o.energy.change < 0.0, "{o:?}");
    }
}

/// `w` is zero but for rounding, and so is the tangential velocity: what is left of it is told from the speed of the contact, not
/// from itself.
#[test]
fn tangents_that_only_rounding_moves_stick() {
    let cases = [
        (Law::Moreau, [7.0, -5.0, -5.0, 7.0], [-1.0, -1.0, -3.0, 3.0], [2.0, 2.0], [0.2, -0.5], [16.0, 8.0]),
        (Law::Moreau, [18.0, 18.0, 18.0, 34.0], [0.0, -4.0, 1.0, 1.0], [-2.0, 2.0], [0.0, 1.0], [0.6, 0.3]),
        (Law::Newton, [6.0, 10.0, 10.0, 30.0], [1.0, 3.0, 2.0, 0.0], [0.0, -1.0], [0.2, 0.0], [1.8, 1.4]),
        (Law::Stronge, [30.0, -16.0, -16.0, 10.0], [-2.0, 4.0, -4.0, 4.0], [-2.0, -4.0], [0.0, -1.0], [0.0, 0.0]),
    ];
    for (law, mass, jacobian, velocity, [e, e_t], [mu_s, mu_d]) in cases {
        let mechanism = GeneralizedContact::new(
            MatrixView::row_major(2, 2, &mass),
            MatrixView::row_major(2, 2, &jacobian),
            &velocity,
        );
        let restitution = Restitution::with_tangential(e, e_t).unwrap();
        let coefficients = Coefficients::new(restitution, Friction::with_static(mu_s, mu_d).unwrap());
        let o = mechanism.unwrap().impact_by(law, &coefficients, Guard::Report).unwrap();
        assert!((o.contact_velocity.after[0] + o.guard.restitution * o.contact_velocity.before[0]).abs() < 1e-14);
        assert!(o.impulse[1].abs() <= mu_s * o.impulse[0], "{o:?}");
    }
}

/// The second tangent is 1e-10 of the first in every velocity, and has as much energy: along the path it is struck, held and
/// accounted for as any other. Taken for rounding of the first, it was given a velocity that it did not have, and friction's work
/// against that was energy from nowhere.
#[test]
fn a_tangent_that_is_small_beside_the_other_has_an_energy_of_its_own() {
    let (n1, n2, t12) = (19791209299953.188, 1197.0, -419.99999999994066);
    let w = [[242.765625, n1, n2], [n1, 6.12018696179906e24, t12], [n2, t12, 28224.0]];
    let v = [-93.0, -2.203202247619629, -5.575834932658452e-15];
    let problem = Problem { d: 3, w, v, e: 0.875, e_t: 0.0, mu_s: 8.0, mu_d: 8.0 };
    for law in OF_PATHS {
        let o = by(&problem, law).unwrap();
        // Held against both tangents: di_t/dp = -W_tt⁻¹ w.
        assert_eq!(o.phases.as_deref(), Some("slip stick | stick"), "{}", law.name());
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(near(o.impulse[1], -n1 / w[1][1] * o.impulse[0]), "{o:?}");
        assert!(near(o.impulse[2], -n2 / w[2][2] * o.impulse[0]), "{o:?}");
        assert!(o.energy.change < 0.0, "{o:?}");
    }
}
