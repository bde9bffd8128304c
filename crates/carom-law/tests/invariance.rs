//! What does not change the answer, and what changes it in a known way.

mod common;

use carom_law::batch::{self, Answers, Column, Problems};
use carom_law::{Contact, Delassus, GeneralizedContact, Guard, Law, MatrixView, Mode, Outcome};
use common::oracle;
use common::random::{self, FAMILIES, Problem};
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

/// Problems nearer to a boundary than this, by the oracle's measure, may cross it by rounding.
const MARGIN: f64 = 1e-5;

fn any(rng: &mut Rng) -> Problem {
    let (d, family) = (rng.usize(2..=3), FAMILIES[rng.usize(0..3)]);
    random::problem(rng, d, family)
}

/// `p` and `q` describe the same impact, `back` brings the answer of `q` to the axes of `p`.
fn assert_same(p: &Problem, q: &Problem, back: impl Fn(&[f64]) -> [f64; 3]) {
    /// Other axes mean other roundings, of `W` itself too: each is relative to `|W||i| + |v|` with the
    /// tangents taken together, and the slope of the direction equation divides it.
    const ROUNDING: f64 = 1e-13;
    let margin = oracle::solve(&p.oracle()).margin;
    if margin < MARGIN {
        return;
    }
    for guard in Guard::ALL {
        let (a, b) = (p.solve(guard).unwrap(), q.solve(guard).unwrap());
        assert_eq!(a.critical_friction.is_some(), b.critical_friction.is_some());
        // A limited restitution is the root of a quadratic in the entries of W⁻¹, with all of their condition.
        if a.guard.acted != b.guard.acted || a.guard.acted && guard == Guard::Limit {
            continue;
        }
        if a.guard.acted && oracle::sliding_answers(&p.oracle()).1 < MARGIN {
            continue;
        }
        assert_eq!((a.mode, a.solutions), (b.mode, b.solutions), "{p:?}\n{q:?}\n{a:?}\n{b:?}");
        let (i, j) = (&a.impulse, back(&b.impulse));
        let size = |r: usize| p.w[r][r].sqrt();
        let whole: f64 = (0..p.d).map(|r| size(r) * i[r].abs() + p.v[r].abs() / size(r)).sum();
        for r in 0..p.d {
            let change: f64 = (0..p.d).map(|c| p.w[r][c] * (i[c] - j[c])).sum();
            let scale = size(if r == 0 { 0 } else { 1 }).max(size(if r == 0 { 0 } else { p.d - 1 })) * whole;
            let bound = ROUNDING / margin.sqrt() * scale;
            assert!(change.abs() <= bound, "{change:e} > {bound:e}, {margin:e}: {p:?}\n{q:?}\n{a:?}\n{b:?}");
        }
    }
}

#[test]
fn turning_the_tangents_turns_the_answer() {
    let mut rng = random::generator("turning_the_tangents_turns_the_answer");
    for _ in 0..random::cases(3000) {
        let family = FAMILIES[rng.usize(0..3)];
        let p = random::problem(&mut rng, 3, family);
        let angle = random::between(&mut rng, 0.0, std::f64::consts::TAU);
        let (s, c) = angle.sin_cos();
        assert_same(&p, &p.rotated(angle), |i| [i[0], c * i[1] + s * i[2], c * i[2] - s * i[1]]);
    }
}

#[test]
fn mirroring_a_tangent_mirrors_the_answer() {
    let mut rng = random::generator("mirroring_a_tangent_mirrors_the_answer");
    for _ in 0..random::cases(3000) {
        let p = any(&mut rng);
        let (mut q, t) = (p, rng.usize(1..p.d));
        q.v[t] = -q.v[t];
        for k in (0..3).filter(|&k| k != t) {
            (q.w[k][t], q.w[t][k]) = (-q.w[k][t], -q.w[t][k]);
        }
        let back = |i: &[f64]| {
            let mut j = [i[0], i[1], i.get(2).copied().unwrap_or(0.0)];
            j[t] = -j[t];
            j
        };
        assert_same(&p, &q, back);
        if p.d == 2 {
            let (a, b) = (p.solve(Guard::Slip).unwrap(), q.solve(Guard::Slip).unwrap());
            assert_eq!((a.mode, a.impulse[0], a.impulse[1]), (b.mode, b.impulse[0], 0.0 - b.impulse[1]), "{p:?}");
        }
    }
}

#[test]
fn swapping_the_tangents_swaps_the_answer() {
    let mut rng = random::generator("swapping_the_tangents_swaps_the_answer");
    for _ in 0..random::cases(3000) {
        let family = FAMILIES[rng.usize(0..3)];
        let p = random::problem(&mut rng, 3, family);
        let swap = |a: [f64; 3]| [a[0], a[2], a[1]];
        let q = Problem { w: swap_rows(p.w).map(swap), v: swap(p.v), ..p };
        assert_same(&p, &q, |i| [i[0], i[2], i[1]]);
    }
}

fn swap_rows(w: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [w[0], w[2], w[1]]
}

/// `x 2^k`, in two steps where `2^k` itself is no normal number.
fn shift(x: f64, k: i32) -> f64 {
    x * 2f64.powi(k / 2) * 2f64.powi(k - k / 2)
}

/// What the numbers of an outcome are measured in, as powers of two.
struct Units {
    velocity: i32,
    impulse: i32,
    energy: i32,
    /// Tangential lengths over normal ones.
    tangent: i32,
}

/// The outcome with its numbers in other units.
fn converted(o: &Outcome, u: &Units) -> Outcome {
    let text = serde_json::to_string(o).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut convert = |path: &str, k: i32| {
        if let Some(x) = value.pointer_mut(path).filter(|x| !x.is_null()) {
            *x = serde_json::json!(shift(x.as_f64().unwrap(), k));
        }
    };
    let t = u.tangent;
    for side in ["before", "after"] {
        convert(&format!("/contact_velocity/{side}/0"), u.velocity);
        convert(&format!("/contact_velocity/{side}/1"), u.velocity + t);
        convert(&format!("/contact_velocity/{side}/2"), u.velocity + t);
    }
    convert("/impulse/0", u.impulse);
    convert("/impulse/1", u.impulse - t);
    convert("/impulse/2", u.impulse - t);
    for energy in ["/energy/change", "/energy/normal", "/energy/tangential", "/guard/unguarded/energy_change"] {
        convert(energy, u.energy);
    }
    for squared in ["/discriminator", "/printed/discriminator"] {
        convert(squared, 2 * (u.impulse - t));
    }
    for friction in ["/critical_friction", "/critical_reversal", "/printed/critical_friction", "/friction_limit"] {
        convert(friction, -t);
    }
    for friction in ["/friction/static", "/friction/dynamic"] {
        convert(friction, -t);
    }
    for violation in 0..2 {
        if o.violations.get(violation).is_some_and(|v| v.limit == carom_law::Limit::Friction) {
            convert(&format!("/violations/{violation}/value"), -t);
            convert(&format!("/violations/{violation}/bound"), -t);
        }
    }
    serde_json::from_value(value).unwrap()
}

/// Powers of two change no bit of the answer but its exponents.
#[test]
fn units_by_powers_of_two_are_exact() {
    const POWERS: [i32; 10] = [1, 3, 50, 200, 300, -1, -3, -50, -200, -300];
    let mut rng = random::generator("units_by_powers_of_two_are_exact");
    for _ in 0..random::cases(1000) {
        let p = any(&mut rng);
        let guard = Guard::ALL[rng.usize(0..3)];
        let o = p.solve(guard).unwrap();
        for (a, b) in POWERS.iter().flat_map(|&a| POWERS.map(|b| (a, b))) {
            // The square of an impulse and the energy stay within the doubles, subnormals excluded.
            if (2 * (b - a)).abs() > 900 || (2 * b - a).abs() > 900 {
                continue;
            }
            let q = Problem { w: p.w.map(|row| row.map(|x| shift(x, a))), v: p.v.map(|x| shift(x, b)), ..p };
            let units = Units { velocity: b, impulse: b - a, energy: 2 * b - a, tangent: 0 };
            assert_eq!(q.solve(guard).unwrap(), converted(&o, &units), "2^{a}, 2^{b}: {p:?}");
        }
    }
}

/// Tangential lengths in a unit of their own: `v_t`, `W_tn` grow by it, `W_tt` by its square, tangential
/// impulses and coefficients of friction shrink.
#[test]
fn a_tangential_unit_by_a_power_of_two_is_exact() {
    let mut rng = random::generator("a_tangential_unit_by_a_power_of_two_is_exact");
    for _ in 0..random::cases(1000) {
        let p = any(&mut rng);
        let guard = Guard::ALL[rng.usize(0..3)];
        let o = p.solve(guard).unwrap();
        for c in [1, 3, 50, 100, 200, -1, -3, -50, -100, -200] {
            let row = |r: usize| if r == 0 { 0 } else { c };
            let mut q = Problem { mu_s: shift(p.mu_s, -c), mu_d: shift(p.mu_d, -c), ..p };
            for i in 0..3 {
                q.v[i] = shift(p.v[i], row(i));
                (0..3).for_each(|j| q.w[i][j] = shift(p.w[i][j], row(i) + row(j)));
            }
            let units = Units { velocity: 0, impulse: 0, energy: 0, tangent: c };
            assert_eq!(q.solve(guard).unwrap(), converted(&o, &units), "2^{c}: {p:?}");
        }
    }
}

/// Mode, impulse, velocity after, change of energy.
type Answer = (Option<Mode>, [f64; 3], [f64; 3], f64);

/// A batch of spatial problems with room for the answers.
fn solve_batch(problems: &[Problem], guard: Guard) -> (Vec<batch::BatchError>, Vec<Answer>) {
    let column = |f: &dyn Fn(&Problem) -> f64| problems.iter().map(f).collect::<Vec<f64>>();
    let w = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| column(&|p| p.w[i][j]));
    let v = [0, 1, 2].map(|i| column(&|p| p.v[i]));
    let [e, e_t] = [column(&|p| p.e), column(&|p| p.e_t)];
    let [mu_s, mu_d] = [column(&|p| p.mu_s), column(&|p| p.mu_d)];
    let n = problems.len();
    let mut mode = vec![None; n];
    let (mut impulse, mut after) = ([(); 3].map(|()| vec![0.0; n]), [(); 3].map(|()| vec![0.0; n]));
    let mut change = vec![0.0; n];
    let mut input = Problems::new(w.each_ref().map(Column::from), v.each_ref().map(Column::from), &e, &mu_d);
    (input.restitution_tangential, input.friction_static, input.guard) = ((&e_t).into(), (&mu_s).into(), guard);
    let impulses = impulse.each_mut().map(Vec::as_mut_slice);
    let mut answers = Answers::new(&mut mode, impulses, after.each_mut().map(Vec::as_mut_slice), &mut change);
    let errors = batch::solve(&input, &mut answers).unwrap();
    let at = |x: &[Vec<f64>; 3], k: usize| [x[0][k], x[1][k], x[2][k]];
    (errors, (0..n).map(|k| (mode[k], at(&impulse, k), at(&after, k), change[k])).collect())
}

/// A spatial problem for a batch: any family, now and then in a corner.
fn batch_problem(rng: &mut Rng) -> Problem {
    let family = FAMILIES[rng.usize(0..3)];
    let mut p = random::problem(rng, 3, family);
    let power = [59, 60, 61, 200, -61, -200][rng.usize(0..6)];
    match rng.u8(0..24) {
        0 => p.v[0] = -p.v[0],
        1 => p.v[0] = [-0.0, -5e-324, -1e-200][rng.usize(0..3)],
        2 => p.w = p.w.map(|row| row.map(|x| shift(x, power))),
        3 => p.v = p.v.map(|x| shift(x, power)),
        4 => (p.v[1], p.v[2]) = (0.0, 0.0),
        5 => p.w = [[p.w[0][0], 0.0, 0.0], [0.0, p.w[1][1], 0.0], [0.0, 0.0, p.w[1][1]]],
        6 => p.mu_d = 0.0,
        7 => (p.mu_s, p.mu_d) = (0.0, 0.0),
        8 => (p.mu_s, p.mu_d) = (1e30, 1e20),
        // A planar chain.
        9 => p = Problem { d: 3, ..random::problem(rng, 2, family) },
        // A one-joint arm.
        10 => {
            let a = p.v.map(|x| if x == 0.0 { 1.0 } else { x });
            p.w = [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[i] * a[j]));
        }
        11 => p.v[1] *= random::decades(rng, 0.0, 12.0),
        _ => {}
    }
    p
}

/// What only an outcome has, so that only a single impact can fail for it.
fn is_of_the_report(error: &carom_law::Error) -> bool {
    let report = ["discriminator", "printed", "restitution_limit", "guard"];
    error.kind() == carom_law::ErrorKind::Overflow && report.iter().any(|field| error.field().starts_with(field))
}

fn assert_batch_like_single(problems: &[Problem], guard: Guard) {
    let (errors, answers) = solve_batch(problems, guard);
    let mut errors = errors.into_iter().peekable();
    let bits = |a: &[f64]| a.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    for (k, p) in problems.iter().enumerate() {
        let (mode, impulse, after, change) = &answers[k];
        let single = p.solve(guard);
        let error = errors.next_if(|error| error.index == k).map(|error| error.error);
        if let Some(error) = &error {
            assert_eq!(*mode, None);
            assert!(impulse.iter().chain(after).chain([change]).all(|x| x.is_nan()));
            // As text, for a NaN does not equal itself.
            assert_eq!(error.to_string(), single.unwrap_err().to_string(), "{p:?}");
            continue;
        }
        match single {
            Err(error) => assert!(is_of_the_report(&error), "{p:?}: {error}"),
            Ok(o) => {
                assert_eq!((*mode, bits(impulse)), (Some(o.mode), bits(&o.impulse)), "{p:?}\n{o:?}");
                assert_eq!(bits(after), bits(&o.contact_velocity.after), "{p:?}\n{o:?}");
                assert_eq!(change.to_bits(), o.energy.change.to_bits(), "{p:?}\n{o:?}");
                assert_eq!(carom_law::impact(&p.w, &p.v, &p.coefficients().unwrap(), guard).unwrap(), o, "{p:?}");
            }
        }
    }
    assert_eq!(errors.next(), None);
}

#[test]
fn batches_answer_bit_for_bit_like_single_impacts() {
    let mut rng = random::generator("batches_answer_bit_for_bit_like_single_impacts");
    let mut problems: Vec<Problem> = (0..random::cases(20_000)).map(|_| batch_problem(&mut rng)).collect();
    let bad = [5, 17, 18, 1000, problems.len() - 1];
    problems[bad[0]].w[0][0] = -1.0;
    problems[bad[1]].v[2] = f64::NAN;
    problems[bad[2]].e = 1.5;
    problems[bad[3]].mu_d = problems[bad[3]].mu_s + 1.0;
    problems[bad[4]].e_t = f64::INFINITY;
    for guard in Guard::ALL {
        assert_batch_like_single(&problems, guard);
        let (errors, _) = solve_batch(&problems, guard);
        assert!(bad.iter().all(|k| errors.iter().any(|error| error.index == *k)));
        for n in [0, 1, 2, 63, 64, 65, 127, 128, 129] {
            assert_batch_like_single(&problems[2000..2000 + n], guard);
        }
    }
}

/// The same by the law chord; a guard is refused for the whole batch.
#[test]
fn batches_by_chord_answer_bit_for_bit_like_single_impacts() {
    let mut rng = random::generator("batches_by_chord_answer_bit_for_bit_like_single_impacts");
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..random::cases(20_000) {
        let p = batch_problem(&mut rng);
        let [w, v] = [p.w.concat(), p.v.to_vec()];
        let mut input = Problems::from_rows(&w, &v, p.e, p.mu_d);
        (input.friction_static, input.restitution_tangential) = (p.mu_s.into(), p.e_t.into());
        input.law = Law::Chord;
        let (mut mode, mut out) = ([None], [[0.0]; 7]);
        let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut out;
        let mut answers = Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change);
        let errors = batch::solve(&input, &mut answers).unwrap();
        let contact = Delassus::spatial(p.w).and_then(|w| Contact::new(w, &p.v));
        let single = contact.and_then(|contact| contact.impact_by(Law::Chord, &p.coefficients()?, Guard::Report));
        match (single, errors.first()) {
            (Err(single), Some(error)) => {
                refused += 1;
                assert_eq!(error.error.to_string(), single.to_string(), "{p:?}");
            }
            (Err(single), None) => assert!(is_of_the_report(&single), "{p:?}: {single}"),
            (Ok(_), Some(error)) => panic!("{p:?}: {error}"),
            (Ok(o), None) => {
                answered += 1;
                let told = [&o.impulse[..], &o.contact_velocity.after[..], &[o.energy.change]].concat();
                assert_eq!(mode[0], Some(o.mode), "{p:?}");
                assert_eq!(out.map(|x| x[0].to_bits()), *told.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), "{p:?}");
                let one = carom_law::impact_by(Law::Chord, &p.w, &p.v, &p.coefficients().unwrap(), Guard::Report);
                assert_eq!(one.unwrap(), o, "{p:?}");
            }
        }
        if answered == 1 {
            input.guard = Guard::Slip;
            let (mut mode, mut out) = ([None], [[0.0]; 7]);
            let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut out;
            let error = batch::solve(&input, &mut Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change));
            assert_eq!(error.unwrap_err().field(), "guard");
        }
    }
    println!("{answered} answered, {refused} refused");
    assert!(answered > 9 * random::cases(20_000) / 10);
}

/// Whatever else is in a batch: problems of all kinds, of which each stage takes some out and puts them back.
#[test]
fn a_problem_by_chord_has_the_same_answer_in_every_batch() {
    let mut rng = random::generator("a_problem_by_chord_has_the_same_answer_in_every_batch");
    let problems: Vec<Problem> = (0..1003).map(|_| batch_problem(&mut rng)).collect();
    let column = |f: &dyn Fn(&Problem) -> f64| problems.iter().map(f).collect::<Vec<f64>>();
    let w = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| column(&|p| p.w[i][j]));
    let v = [0, 1, 2].map(|k| column(&|p| p.v[k]));
    let (e, mu_s, mu_d) = (column(&|p| p.e), column(&|p| p.mu_s), column(&|p| p.mu_d));
    let of = |from: usize, to: usize| {
        let [w, v] = [w.each_ref().map(|x| &x[from..to]).to_vec(), v.each_ref().map(|x| &x[from..to]).to_vec()];
        let mut input = Problems::new(
            [0, 1, 2, 3, 4, 5].map(|k| Column::from(w[k])),
            [0, 1, 2].map(|k| Column::from(v[k])),
            &e[from..to],
            &mu_d[from..to],
        );
        (input.friction_static, input.law) = ((&mu_s[from..to]).into(), Law::Chord);
        batch_bits(&input, to - from)
    };
    let n = problems.len();
    let (modes, bits) = of(0, n);
    for i in 0..n {
        let (mode, alone) = of(i, i + 1);
        assert_eq!(mode[0], modes[i], "{:?}", problems[i]);
        let together: Vec<u64> = (0..7).map(|k| bits[k * n + i]).collect();
        let is_nan = mode[0].is_none();
        assert!(is_nan || alone == together, "{:?}", problems[i]);
    }
}

/// What a batch makes of its problems, as bits.
fn batch_bits(problems: &Problems<'_>, n: usize) -> (Vec<Option<Mode>>, Vec<u64>) {
    let mut mode = vec![None; n];
    let mut out = [(); 7].map(|()| vec![0.0; n]);
    let [i_n, i_1, i_2, v_n, v_1, v_2, change] = &mut out;
    batch::solve(problems, &mut Answers::new(&mut mode, [i_n, i_1, i_2], [v_n, v_1, v_2], change)).unwrap();
    (mode, out.concat().into_iter().map(f64::to_bits).collect())
}

#[test]
fn batches_of_rows_and_constants_answer_like_columns() {
    let mut rng = random::generator("batches_of_rows_and_constants_answer_like_columns");
    let n = 200;
    let problems: Vec<Problem> = (0..n).map(|_| random::problem(&mut rng, 3, FAMILIES[0])).collect();
    let rows: Vec<f64> = problems.iter().flat_map(|p| p.w.into_iter().flatten()).collect();
    let velocities: Vec<f64> = problems.iter().flat_map(|p| p.v).collect();
    let w = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
        .map(|(i, j)| problems.iter().map(|p| p.w[i][j]).collect::<Vec<_>>());
    let v = [0, 1, 2].map(|k| problems.iter().map(|p| p.v[k]).collect::<Vec<_>>());
    let (e, mu) = (vec![0.3; n], vec![0.4; n]);
    let columns = Problems::new(w.each_ref().map(Column::from), v.each_ref().map(Column::from), &e, &mu);
    let expected = batch_bits(&columns, n);
    assert!(expected.0.contains(&Some(Mode::Slip)) && expected.0.contains(&Some(Mode::Stick)));
    assert_eq!(batch_bits(&Problems::from_rows(&rows, &velocities, 0.3, 0.4), n), expected);
    assert_eq!(batch_bits(&Problems::from_rows(&rows, &velocities, Column::strided(&e, 0), &mu), n), expected);
    // A matrix that is cut off is refused, whichever length is asked for.
    let mut mode = vec![None; n + 1];
    let mut out = [(); 7].map(|()| vec![0.0; n + 1]);
    for n in [n - 1, n, n + 1] {
        let [i_n, i_1, i_2, v_n, v_1, v_2, change] = out.each_mut().map(|column| &mut column[..n]);
        let mut answers = Answers::new(&mut mode[..n], [i_n, i_1, i_2], [v_n, v_1, v_2], change);
        let cut = Problems::from_rows(&rows[..9 * (n.min(199)) + 4], &velocities, 0.3, 0.4);
        assert_eq!(batch::solve(&cut, &mut answers).unwrap_err().field(), "delassus");
    }
}

#[test]
fn matrices_with_strides_and_of_nalgebra_are_taken_as_they_are() {
    let mut rng = random::generator("matrices_with_strides_and_of_nalgebra_are_taken_as_they_are");
    let p = random::problem(&mut rng, 3, FAMILIES[0]);
    let expected = Delassus::spatial(p.w).unwrap();
    let fixed = nalgebra::Matrix3::from_fn(|i, j| p.w[i][j]);
    let dynamic = DMatrix::from_fn(3, 3, |i, j| p.w[i][j]);
    // Numbers that belong to something else are poisoned.
    let mut wide = vec![f64::NAN; 5 + 7 * 3];
    for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
        wide[7 * i + 2 * j] = p.w[i][j];
    }
    for delassus in [
        Delassus::new(&fixed),
        Delassus::new(&dynamic),
        Delassus::new(MatrixView::row_major(3, 3, p.w.as_flattened())),
        Delassus::new(MatrixView::strided(3, 3, &wide, 7, 2)),
    ] {
        assert_eq!(delassus.unwrap().matrix(), expected.matrix());
    }
    let planar = Delassus::new(&nalgebra::Matrix2::new(2.0, 0.5, 0.5, 1.0)).unwrap();
    assert_eq!(planar.matrix(), Delassus::planar([[2.0, 0.5], [0.5, 1.0]]).unwrap().matrix());
    let short = Delassus::new(MatrixView::strided(3, 3, &wide[..18], 7, 2)).unwrap_err();
    assert_eq!(short.to_string(), "delassus is 18 numbers, but must be long enough for 3 x 3 with strides 7 and 2");
    let oblong = Delassus::new(MatrixView::row_major(2, 3, &[0.0; 6])).unwrap_err();
    assert_eq!(oblong.to_string(), "delassus is 2 x 3, but must be 2 x 2");
    assert_eq!(Delassus::new(MatrixView::strided(3, 3, &wide, usize::MAX, 2)).unwrap_err().field(), "delassus");
}

#[test]
fn outcomes_come_back_from_json_unchanged() {
    let mut rng = random::generator("outcomes_come_back_from_json_unchanged");
    let same = |o: &Outcome| {
        let text = serde_json::to_string(o).unwrap();
        let back: Outcome = serde_json::from_str(&text).unwrap();
        assert_eq!(&back, o, "{text}");
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    };
    for case in 0..random::cases(2000) {
        let mut p = any(&mut rng);
        if case % 10 == 0 {
            p.v[0] = -p.v[0];
        }
        Guard::ALL.iter().for_each(|&guard| same(&p.solve(guard).unwrap()));
        let contact = Contact::new(Delassus::normal(p.w[0][0]).unwrap(), &p.v[..1]).unwrap();
        same(&contact.impact(&p.coefficients().unwrap(), Guard::Report).unwrap());
        let m = DMatrix::from_diagonal(&DVector::from_fn(4, |_, _| random::decades(&mut rng, -1.0, 1.0)));
        let a = DMatrix::from_fn(p.d, 4, |_, _| random::normal(&mut rng));
        let v = DVector::from_fn(4, |_, _| random::normal(&mut rng));
        let contact = GeneralizedContact::new(&m, &a, v.as_slice()).unwrap();
        same(&contact.impact(&p.coefficients().unwrap(), Guard::Limit).unwrap());
    }
}
