//! What each law claims, on random impacts; and a named impact for what it does not.

use carom_law::{ErrorKind, Law, Mode, Outcome};
use fastrand::Rng;

use crate::common::random::{self, Problem, cases, generator};
use crate::{OF_PATHS, by, distance, kane, mild, norm};

/// Rounding of a path of some tens of steps, each with tens of terms, relative to the terms of a sum.
const ROUNDING: f64 = 1e-11;

/// The work that the parts of the impulse do, each counted as positive.
fn exchanged(problem: &Problem, o: &Outcome) -> f64 {
    let (before, after) = (&problem.v, &o.contact_velocity.after);
    o.impulse.iter().enumerate().map(|(r, i)| 0.5 * ((before[r] * i).abs() + (after[r] * i).abs())).sum()
}

fn assert_claims(problem: &Problem, law: Law, o: &Outcome) {
    let Problem { d, ref w, ref v, .. } = *problem;
    let (i, after, claims) = (&o.impulse, &o.contact_velocity.after, law.claims());
    let context = || format!("{} {problem:?}\n{o:?}", law.name());
    for r in 0..d {
        let residual = v[r] + (0..d).map(|c| w[r][c] * i[c]).sum::<f64>() - after[r];
        assert!(residual.abs() <= ROUNDING * problem.momentum_scale(i, r), "momentum {r}: {residual:e} {}", context());
    }
    if claims.obeys_cone {
        assert!(i[0] >= 0.0, "pull: {}", context());
        assert!(norm(&i[1..]) <= problem.mu_s * i[0] * (1.0 + ROUNDING), "cone: {}", context());
    }
    if claims.newton_restitution {
        assert!((after[0] + problem.e * v[0]).abs() <= ROUNDING * v[0].abs(), "restitution: {}", context());
    }
    let exchanged = exchanged(problem, o);
    if claims.dissipates {
        assert!(o.energy.change <= ROUNDING * exchanged, "gain: {}", context());
    }
    assert!((o.energy.change - o.energy.normal - o.energy.tangential).abs() <= ROUNDING * exchanged);
    match o.mode {
        Mode::Stick if law == Law::HuntCrossley => assert!(norm(&after[1..]) <= 1e-3 * v[0].abs()),
        Mode::Stick if OF_PATHS.contains(&law) || law == Law::Chord => {
            assert!(after[1..].iter().all(|x| *x == 0.0), "{}", context())
        }
        Mode::Slip => {
            let u = o.direction.as_ref().unwrap();
            assert!((norm(u) - 1.0).abs() < ROUNDING, "{}", context());
            let speed = norm(&after[1..]);
            if OF_PATHS.contains(&law)
                || [Law::Chord, Law::HuntCrossley].contains(&law)
                || law == Law::Moreau && problem.e_t == 0.0
            {
                let along: f64 = u.iter().zip(&after[1..]).map(|(u, v)| u * v).sum();
                let size = speed + problem.momentum_scale(i, 1);
                assert!((along - speed).abs() <= ROUNDING * size, "direction: {}", context());
            }
        }
        _ => assert!(o.direction.is_none()),
    }
    assert!(o.law == law && (o.solutions.is_none() || law == Law::Aghili));
    assert_eq!(o.phases.is_some(), OF_PATHS.contains(&law));
}

/// What a law made of many impacts.
#[derive(Default)]
struct Tally {
    tested: usize,
    refused: usize,
    gained: usize,
    /// The largest change of energy, over the work that the parts of the impulse do, each counted as positive.
    largest: f64,
}

/// How many impacts: those of `CAROM_IMPACTS` if it is set, else `default` times `CAROM_CASES`.
pub fn impacts(default: usize) -> usize {
    std::env::var("CAROM_IMPACTS").ok().and_then(|count| count.parse().ok()).unwrap_or_else(|| cases(default))
}

fn hold(law: Law, among: &str, count: usize, make: impl Fn(&mut Rng) -> Problem) {
    let mut rng = generator(law.name());
    let mut tally = Tally { largest: f64::NEG_INFINITY, ..Tally::default() };
    for _ in 0..impacts(count) {
        let problem = make(&mut rng);
        tally.tested += 1;
        match by(&problem, law) {
            Ok(outcome) => {
                assert_claims(&problem, law, &outcome);
                let gain = outcome.energy.change / exchanged(&problem, &outcome);
                tally.gained += usize::from(gain > ROUNDING);
                tally.largest = tally.largest.max(gain);
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{problem:?}");
                assert!(!law.claims().always_answers, "{} {problem:?}", law.name());
                tally.refused += 1;
            }
        }
    }
    let Tally { tested, refused, gained, largest } = tally;
    println!(
        "{:16} {among:14} {tested:8} tested {refused:6} refused {gained:7} gain energy, the worst {largest:+.1e}",
        law.name()
    );
    assert!(refused * 5 <= tested);
}

/// Each law by itself: `cargo xtask laws` runs these on a million impacts each.
mod of {
    use super::*;

    #[test]
    fn aghili() {
        hold(Law::Aghili, "all", 20_000, random::any);
    }

    #[test]
    fn aghili_printed() {
        hold(Law::AghiliPrinted, "all", 20_000, random::any);
    }

    #[test]
    fn newton() {
        hold(Law::Newton, "all", 20_000, random::any);
    }

    #[test]
    fn moreau() {
        hold(Law::Moreau, "all", 20_000, random::any);
    }

    #[test]
    fn chatterjee_ruina() {
        hold(Law::ChatterjeeRuina, "all", 20_000, random::any);
    }

    fn of_a_path(law: Law) {
        hold(law, "in the plane", 20_000, |rng| of_any_family(rng, 2));
        hold(law, "in space", 2_000, |rng| of_any_family(rng, 3));
    }

    #[test]
    fn poisson() {
        of_a_path(Law::Poisson);
    }

    #[test]
    fn stronge() {
        of_a_path(Law::Stronge);
    }

    #[test]
    fn newton_routh() {
        of_a_path(Law::NewtonRouth);
    }

    #[test]
    fn chord() {
        hold(Law::Chord, "in the plane", 20_000, |rng| of_any_family(rng, 2));
        hold(Law::Chord, "in space", 20_000, |rng| of_any_family(rng, 3));
    }

    /// Friction that is too stiff to integrate is left out: matrices and coefficients are mild.
    #[test]
    fn hunt_crossley() {
        hold(Law::HuntCrossley, "mild", 400, |rng| {
            let d = rng.usize(2..=3);
            mild(rng, d)
        });
    }

    fn of_any_family(rng: &mut Rng, d: usize) -> Problem {
        let family = random::FAMILIES[rng.usize(0..3)];
        random::problem(rng, d, family)
    }
}

#[test]
fn laws_that_do_not_claim_to_dissipate_gain_on_kanes_pendulum() {
    let gain = |law, e, mu| by(&kane(e, mu), law).unwrap().energy.change;
    for (law, e) in
        [(Law::Aghili, 0.5), (Law::AghiliPrinted, 0.7), (Law::Newton, 0.5), (Law::Moreau, 0.7), (Law::NewtonRouth, 0.8)]
    {
        assert!(!law.claims().dissipates);
        assert!(gain(law, e, 0.5) > 1e-3, "{}", law.name());
    }
    for law in Law::ALL.into_iter().filter(|law| law.claims().dissipates) {
        for e in [0.0, 0.3, 0.5, 0.7, 0.8, 1.0] {
            assert!(gain(law, e, 0.5) < 0.0, "{}", law.name());
        }
    }
}

#[test]
fn the_printed_criterion_leaves_the_cone_and_pulls() {
    let outside = by(&kane(0.7, 0.5), Law::AghiliPrinted).unwrap();
    assert!(outside.mode == Mode::Stick && outside.impulse[1].abs() > 0.51 * outside.impulse[0]);
    let pulls = by(&kane(0.0, 2.0), Law::AghiliPrinted).unwrap();
    assert!(pulls.mode == Mode::Stick && pulls.impulse[0] < -0.5);
    assert!(!Law::AghiliPrinted.claims().obeys_cone);
}

#[test]
fn laws_of_another_restitution_do_not_obey_newtons() {
    for law in Law::ALL {
        let outcome = by(&kane(0.5, 0.5), law).unwrap();
        let ratio = -outcome.contact_velocity.after[0] / outcome.contact_velocity.before[0];
        assert_eq!((ratio - 0.5).abs() < 1e-12, law.claims().newton_restitution, "{} {ratio}", law.name());
        assert!((outcome.guard.restitution - ratio).abs() < 1e-12);
    }
}

/// The tables of the documents say what the data say.
#[test]
fn the_tables_of_the_documents_are_what_the_laws_claim() {
    for (name, text) in [
        ("README.md", include_str!("../../../../README.md")),
        ("book/src/laws.md", include_str!("../../../../book/src/laws.md")),
    ] {
        for law in Law::ALL {
            let claims = law.claims();
            let answers = [
                claims.dissipates,
                claims.obeys_cone,
                claims.newton_restitution,
                claims.continuous,
                claims.always_answers,
            ];
            let row = answers.map(|yes| if yes { "yes" } else { "no" }).join(" | ");
            let (first, last) = (format!("| `{}` |", law.name()), format!(" {row} |"));
            let has_row = text.lines().any(|line| {
                // A name may be a link.
                line.replace("](book/src/chord.md)", "").replace("[`", "`").starts_with(&first) && line.ends_with(&last)
            });
            assert!(has_row, "{name} has no row of {} that ends with {last}", law.name());
        }
    }
}

/// Halves a segment of velocities forty times, always to the side of the larger change: what is left is a jump.
#[test]
fn continuity() {
    let mut rng = generator("continuity");
    let segments: Vec<(Problem, f64)> = (0..300).map(|_| (mild(&mut rng, 2), random::normal(&mut rng))).collect();
    for law in Law::ALL {
        let mut largest = 0.0_f64;
        for &(problem, other) in segments.iter().take(if law == Law::HuntCrossley { 30 } else { 300 }) {
            let (start, end) = (problem.v[1], other * problem.w[1][1].sqrt());
            let impulse = |v_t: f64| {
                let [v_n, ..] = problem.v;
                by(&Problem { v: [v_n, v_t, 0.0], ..problem }, law).ok().map(|o| o.impulse.to_vec())
            };
            let (mut a, mut b) = (start, end);
            for _ in 0..40 {
                let middle = 0.5 * (a + b);
                let (Some(p), Some(q), Some(r)) = (impulse(a), impulse(middle), impulse(b)) else { break };
                (a, b) = if distance(&p, &q) > distance(&q, &r) { (a, middle) } else { (middle, b) };
            }
            if let (Some(p), Some(q)) = (impulse(a), impulse(b))
                && (a - b).abs() < 1e-9 * (start - end).abs()
            {
                largest = largest.max(distance(&p, &q) / norm(&p));
            }
        }
        println!("{:18} largest jump {largest:.1e}", law.name());
        assert_eq!(largest < 1e-6, law.claims().continuous, "{}: {largest:e}", law.name());
    }
}

/// Of a million impacts one was refused: `w·i_t` is 1e-5 of its terms, and their rounding 1.3e-12 of the push. The velocity that the impulse leaves is
/// told to that.
#[test]
fn moreau_answers_where_friction_along_the_normal_is_a_small_difference() {
    let (n1, n2) = (0.00021380289717134118, 0.0002218170556569411);
    let (off, mu) = (1.2976792305015377, 6.978043894051367);
    let w = [[3.6659774709119333e-8, n1, n2], [n1, 1.2507694894110957, off], [n2, off, 1.3463493491364258]];
    let v = [-0.00013832835310516867, -5.475469996916732, 6.1267464012937545];
    let problem = Problem { d: 3, w, v, e: 0.6244608284033561, e_t: 0.0, mu_s: mu, mu_d: mu };
    let o = by(&problem, Law::Moreau).unwrap();
    assert_claims(&problem, Law::Moreau, &o);
    let after = v[0] + w[0][0] * o.impulse[0] + n1 * o.impulse[1] + n2 * o.impulse[2];
    assert!((after + problem.e * v[0]).abs() < 1e-9 * v[0].abs(), "{after:e} {o:?}");
}

/// Of another million one: `W_tt i_t` is 1e-5 of its terms, too. The numbers are those of 60 digits (mpmath); `W_nn - μ w·u` is 1e-6 of its terms,
/// which leaves ten.
#[test]
fn moreau_answers_where_friction_along_the_tangents_is_a_small_difference() {
    let (n1, n2) = (0.10025478160027561, 0.10212978894440632);
    let (off, mu) = (182.7561350509514, 132.4666736444137);
    let w = [[5.60254763465473e-5, n1, n2], [n1, 179.40095657993425, off], [n2, off, 186.17887623751096]];
    let v = [-0.001027516788786583, -27.26582263354689, 104.58515281688184];
    let problem = Problem { d: 3, w, v, e: 1.0, e_t: 0.0, mu_s: mu, mu_d: mu };
    let o = by(&problem, Law::Moreau).unwrap();
    assert_claims(&problem, Law::Moreau, &o);
    let exact = [195.0650795368513, 18439.813841066883, -18101.36300166686];
    assert!(distance(&o.impulse, &exact) < 1e-10 * norm(&exact), "{o:?}");
    assert!((norm(&o.contact_velocity.after[1..]) - 31.68147814008345).abs() < 1e-8, "{o:?}");
}

/// Of a million impacts one was refused: the slip grows along one direction over an impulse of 1e8 times the velocities, and what rounding left of
/// its turning was off by more than the check of the velocities allows. The numbers are those of 50 digits (mpmath); those of `W`, changed by
/// half of their last digit, change them by 5e-10.
#[test]
fn a_path_keeps_its_direction_to_all_digits_where_the_matrix_is_nearly_singular() {
    let (n1, n2, off) = (2.170489911215183, 0.0048022747596205865, 0.012824672926486133);
    let w = [[0.8127116063554535, n1, n2], [n1, 5.796677452209044, off], [n2, off, 2.916503261192115e-5]];
    let v = [-0.6233466849043976, 27.79463619360395, 0.12086898600789556];
    let (e, mu_s, mu_d) = (0.2661934851837371, 0.4692496271034108, 0.3853963201191143);
    let problem = Problem { d: 3, w, v, e, e_t: 0.0, mu_s, mu_d };
    let o = by(&problem, Law::Poisson).unwrap();
    assert_claims(&problem, Law::Poisson, &o);
    let exact = [40507967.7891773, -15159424.788687233, -3730205.788679446];
    assert!(distance(&o.impulse, &exact) < 5e-10 * norm(&exact), "{o:?}");
    let after = [2.9120123962455127, 28.67464468283176, 7.055904419924272];
    assert!(distance(&o.contact_velocity.after, &after) < 5e-10 * norm(&after), "{o:?}");
    for law in OF_PATHS {
        assert_claims(&problem, law, &by(&problem, law).unwrap());
    }
}
