//! Several contacts at once, on families of systems: every answer is certified, and satisfies the law as it is written
//! out here once more.
//!
//! `CAROM_CASES=10 cargo test --release -p carom-law --test simultaneous_families -- --nocapture` prints the counts of the book.

mod common;

use std::time::{Duration, Instant};

use carom_law::{Error, ErrorKind, Guard, Mode, SimultaneousOutcome};
use common::random;
use common::systems::{FAMILIES, Family, System};
use nalgebra::DVector;

/// The certificate, over the largest speed.
const CERTIFIED: f64 = 1e-8;

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

fn impulse(o: &SimultaneousOutcome) -> DVector<f64> {
    DVector::from_iterator(
        o.contacts.iter().map(|c| c.impulse.len()).sum(),
        o.contacts.iter().flat_map(|c| c.impulse.iter().copied()),
    )
}

/// `|v⁻|`, and what energies are relative to: `V Σ|i|`.
fn scales(s: &System, o: &SimultaneousOutcome) -> (f64, f64) {
    let speed = s.contact_velocity().amax();
    (speed, speed * impulse(o).iter().map(|i| i.abs()).sum::<f64>())
}

/// What holds of every answer, whatever the guard.
fn assert_sound(s: &System, o: &SimultaneousOutcome) {
    let (w, v, i) = (s.delassus(), s.contact_velocity(), impulse(o));
    let (speed, exchanged) = scales(s, o);
    let after = &v + &w * &i;
    // The chain of impacts may be long, and each is solved to the certificate.
    let tolerance = 2.0 * CERTIFIED * speed * f64::from(o.sequence.max(1));
    for (k, contact) in o.contacts.iter().enumerate() {
        let rows = s.rows(k);
        for (r, reported) in rows.clone().zip(contact.contact_velocity.after.iter()) {
            assert!(
                (after[r] - reported).abs()
                    <= 1e-9 * (speed + w.row(r).iter().zip(&i).map(|(w, i)| (w * i).abs()).sum::<f64>()),
                "momentum {k}: {} {reported} sequence {} {s:?}\n{o:?}",
                after[r],
                o.sequence
            );
        }
        assert!(contact.contact_velocity.after[0] >= -tolerance, "contact {k} penetrates: {s:?}\n{o:?}");
        let w_nn = w[(rows.start, rows.start)];
        assert!(contact.impulse[0] * w_nn >= -tolerance, "contact {k} pulls: {s:?}\n{o:?}");
        let outside = norm(&contact.impulse[1..]) - s.numbers[k].mu_s * contact.impulse[0];
        let w_t =
            if rows.len() > 1 { w[(rows.start + 1, rows.start + 1)].max(w[(rows.end - 1, rows.end - 1)]) } else { 0.0 };
        assert!(outside * w_t <= tolerance, "contact {k} leaves its cone: {s:?}\n{o:?}");
        let parts = contact.energy.normal + contact.energy.tangential;
        assert_eq!(parts, contact.energy.change);
    }
    // The ledger, against K⁺ - K⁻ from W and from q̇.
    let change = v.dot(&i) + 0.5 * i.dot(&(&w * &i));
    assert!((o.energy.change - change).abs() <= 1e-9 * exchanged, "{} is not {change}: {s:?}\n{o:?}", o.energy.change);
    let kinetic = |v: &DVector<f64>| 0.5 * v.dot(&(&s.mass * v));
    let total = kinetic(&DVector::from_vec(o.velocity.clone().unwrap())) - kinetic(&s.velocity);
    assert!((o.energy.change - total).abs() <= 1e-9 * (exchanged + kinetic(&s.velocity)), "{s:?}\n{o:?}");
    assert!(o.residual <= CERTIFIED);
}

/// The law, contact by contact, of an answer that is one impact and not a blend.
fn assert_lawful(s: &System, o: &SimultaneousOutcome) {
    let (speed, _) = scales(s, o);
    let w = s.delassus();
    let tolerance = 2.0 * CERTIFIED * speed;
    for (k, contact) in o.contacts.iter().enumerate() {
        let rows = s.rows(k);
        let (before, after) = (&contact.contact_velocity.before, &contact.contact_velocity.after);
        let (i_n, i_t) = (contact.impulse[0], &contact.impulse[1..]);
        let is_active = before[0] <= 1e-12 * speed;
        let target = if before[0] < -1e-12 * speed { -contact.restitution_used * before[0] } else { 0.0 };
        let sum: Vec<f64> = (1..rows.len()).map(|r| before[r] + after[r]).collect();
        let w_t: f64 = (rows.start + 1..rows.end).map(|r| w[(r, r)]).fold(0.0, f64::max);
        let context = || format!("contact {k}: {s:?}\n{o:?}");
        match contact.mode {
            Mode::Separating => {
                assert!(norm(&contact.impulse) * (w_t + w[(rows.start, rows.start)]) <= tolerance, "{}", context());
                assert!(!is_active || after[0] >= target - tolerance, "{}", context());
            }
            Mode::Stick => {
                let left: Vec<f64> = (1..rows.len()).map(|r| after[r] + s.numbers[k].e_t * before[r]).collect();
                assert!((after[0] - target).abs() <= tolerance && norm(&left) <= tolerance, "{}", context());
            }
            Mode::Reversal => {
                assert!((after[0] - target).abs() <= tolerance && norm(&sum) <= tolerance, "{}", context());
                assert!((norm(i_t) - s.numbers[k].mu_d * i_n) * w_t <= tolerance, "{}", context());
            }
            Mode::Slip => {
                let u = contact.direction.unwrap();
                let along: f64 = u.iter().zip(&sum).map(|(u, v)| u * v).sum();
                assert!((after[0] - target).abs() <= tolerance && along >= -tolerance, "{}", context());
                for (c, u) in u.iter().enumerate() {
                    assert!((i_t[c] + s.numbers[k].mu_d * i_n * u).abs() * w_t <= tolerance, "{}", context());
                }
                // i_t is the projection of i_t - (v_t⁻ + v_t⁺)/w on the disk of radius μ_d i_n, for any w > 0.
                let p: Vec<f64> = i_t.iter().zip(&sum).map(|(i, v)| w_t * i - v).collect();
                let share = (w_t * s.numbers[k].mu_d * i_n / norm(&p)).min(1.0);
                let left: Vec<f64> = i_t.iter().zip(&p).map(|(i, p)| w_t * i - share * p).collect();
                assert!(norm(&left) <= 4.0 * tolerance, "{} {}", norm(&left), context());
            }
        }
        assert_eq!(contact.direction.is_some(), contact.mode == Mode::Slip);
    }
}

#[derive(Default)]
struct Counts {
    solved: usize,
    not_converged: usize,
    gains: usize,
    blended: [usize; 2],
    strong: usize,
    sequences: usize,
    longest_sequence: u32,
    settled: usize,
    worst: f64,
    time: Duration,
    longest: Duration,
    stages: [usize; 4],
}

fn run(family: Family, problems: usize) -> Counts {
    let mut rng = random::generator(&format!("{family:?}"));
    let mut counts = Counts::default();
    for _ in 0..problems {
        let s = System::random(&mut rng, family);
        let set = s.set().unwrap_or_else(|error| panic!("{error}: {s:?}"));
        let coefficients = s.coefficients();
        let start = Instant::now();
        let outcome = set.impact(&coefficients, Guard::Report);
        let time = start.elapsed();
        counts.time += time;
        counts.longest = counts.longest.max(time);
        let o = match outcome {
            Ok(o) => o,
            Err(error) => {
                let Error::NotConverged { ref best, residual, bound, .. } = error else { panic!("{error}: {s:?}") };
                assert!(best.len() == s.jacobian.nrows() && best.iter().all(|i| i.is_finite()) && residual > bound);
                println!("{error}");
                counts.not_converged += 1;
                continue;
            }
        };
        counts.solved += 1;
        counts.strong += usize::from(o.strong);
        counts.sequences += usize::from(o.sequence > 1);
        counts.longest_sequence = counts.longest_sequence.max(o.sequence);
        counts.settled += usize::from(o.settled);
        counts.worst = counts.worst.max(o.residual);
        counts.stages[o.effort.stage as usize] += 1;
        assert_sound(&s, &o);
        if o.sequence <= 1 {
            assert_lawful(&s, &o);
        }
        assert!(!o.guard.acted && o.guard.unguarded.is_none());
        let (_, exchanged) = scales(&s, &o);
        if o.energy.change > 1e-9 * exchanged {
            counts.gains += 1;
            assert!(!o.admissible);
        }
        for (count, guard) in counts.blended.iter_mut().zip([Guard::Slip, Guard::Limit]) {
            let guarded = match set.impact(&coefficients, guard) {
                Ok(guarded) => guarded,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::NotConverged, "{error}: {s:?}");
                    println!("{guard:?}: {error}");
                    counts.not_converged += 1;
                    continue;
                }
            };
            assert_sound(&s, &guarded);
            let (_, exchanged) = scales(&s, &guarded);
            assert!(guarded.energy.change <= 1e-9 * exchanged, "{guard:?} gains: {s:?}\n{guarded:?}");
            if guarded.sequence <= 1 && !guarded.guard.blended {
                assert_lawful(&s, &guarded);
            }
            *count += usize::from(guarded.guard.blended);
            if guarded.guard.acted {
                let unguarded = guarded.guard.unguarded.as_ref().unwrap();
                assert!(!guarded.admissible);
                assert_eq!(unguarded.energy_change, o.energy.change);
                assert_eq!(unguarded.modes, o.contacts.iter().map(|c| c.mode).collect::<Vec<_>>());
            } else {
                assert_eq!(guarded.contacts, o.contacts, "a guard that did not act changed the answer");
            }
        }
    }
    counts
}

fn check(family: Family) {
    let problems = random::cases(if family == Family::Random || family == Family::Biped { 150 } else { 300 });
    let c = run(family, problems);
    println!(
        "| {family:?} | {problems} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0e} | {:.1} | {:.0} | stages {:?}",
        c.solved,
        c.not_converged,
        c.gains,
        c.blended[0],
        c.blended[1],
        c.strong,
        c.sequences,
        c.longest_sequence,
        c.settled,
        c.worst,
        c.time.as_secs_f64() * 1e6 / problems as f64,
        c.longest.as_secs_f64() * 1e6,
        c.stages,
    );
    assert_eq!(c.not_converged, 0, "{family:?}");
}

macro_rules! families {
    ($($name:ident: $family:ident),*) => {
        $(#[test] fn $name() { check(Family::$family); })*

        #[test]
        fn every_family_has_a_test() {
            assert_eq!(FAMILIES, [$(Family::$family),*]);
        }
    };
}

families! {
    planar_boxes: PlanarBox,
    boxes: Box,
    rods: Rod,
    grooves: Groove,
    quadrupeds: Quadruped,
    bipeds: Biped,
    stacks: Stack,
    cradles: Cradle,
    random_systems: Random
}
