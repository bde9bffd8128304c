//! Several contacts by the law chord: the reference numbers, no gain with a common restitution, blends with unequal ones, refusals.

mod common;

use carom_law::{
    Coefficients, ContactSet, Dimension, ErrorKind, Friction, Guard, Law, MatrixView, Mode, Restitution,
    RestitutionKind, SimultaneousOutcome,
};
use common::random::{cases, generator};
use common::systems::{FAMILIES, Family, System};
use nalgebra::{DMatrix, DVector};
use serde_json::Value;

const TEXT: &str = include_str!("../../../reference/chord/cases.json");

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn impulse(o: &SimultaneousOutcome) -> DVector<f64> {
    let entries: Vec<f64> = o.contacts.iter().flat_map(|contact| contact.impulse.to_vec()).collect();
    DVector::from_vec(entries)
}

/// A planar pair of contacts that stops wholly in compression. Given back at one contact alone, its impulse gains energy.
#[test]
fn unequal_restitutions_gain_and_are_blended() {
    let document: Value = serde_json::from_str(TEXT).unwrap();
    let case = &document["sets"][0];
    let rows: Vec<f64> = case["W"].as_array().unwrap().iter().flat_map(numbers).collect();
    let (v, mu, compression) = (numbers(&case["v"]), numbers(&case["mu"]), numbers(&case["compression"]));
    let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &rows), &v).unwrap();
    let by = |e: [f64; 2]| {
        let coefficients =
            [0, 1].map(|k| Coefficients::new(Restitution::new(e[k]).unwrap(), Friction::new(mu[k]).unwrap()));
        set.impact_by(Law::Chord, &coefficients, Guard::Report).unwrap()
    };
    let plastic = by([0.0, 0.0]);
    for (found, expected) in impulse(&plastic).iter().zip(&compression) {
        assert!((found - expected).abs() < 1e-9, "{plastic:?}");
    }
    assert!(plastic.contacts.iter().all(|contact| contact.mode == Mode::Stick));
    for asked in case["restitution"].as_array().unwrap() {
        let (e, change) = (numbers(&asked["e"]), asked["energy_change"].as_f64().unwrap());
        let o = by([e[0], e[1]]);
        println!("{e:?}: {:.10} {:?}", o.energy.change, o.guard);
        assert_eq!((o.guard.blended, o.admissible), (change > 0.0, change <= 0.0));
        if change > 0.0 {
            // The law's own answer, which is not given: compression, and restitution at the first contact alone.
            assert!(o.energy.change.abs() < 1e-9, "{o:?}");
            let own = own_answer(&rows, &v, &compression, &e, &mu);
            assert!((own - change).abs() < 1e-6, "{own} {change}");
        } else {
            assert!((o.energy.change - change).abs() < 1e-9, "{o:?}");
        }
    }
}

/// The energy of the answer without a blend, by brute force: friction of each contact on a grid of its interval, by turns.
fn own_answer(w: &[f64], v: &[f64], compression: &[f64], e: &[f64], mu: &[f64]) -> f64 {
    let energy = |i: &[f64]| -> f64 {
        (0..4).map(|r| i[r] * (v[r] + 0.5 * (0..4).map(|c| w[4 * r + c] * i[c]).sum::<f64>())).sum()
    };
    let normals = [e[0] * compression[0], e[1] * compression[2]];
    let mut i = compression.to_vec();
    (i[0], i[2]) = (i[0] + normals[0], i[2] + normals[1]);
    let mut friction = [0.0, 0.0];
    for round in 0..2000 {
        let k = round % 2;
        let reach = mu[k] * normals[k];
        let at = |y: f64, i: &[f64]| {
            let mut i = i.to_vec();
            i[2 * k + 1] = compression[2 * k + 1] + y;
            energy(&i)
        };
        // The energy is convex: the least of a fine grid, and then of a finer one about it.
        let mut width = reach;
        let mut best: f64 = friction[k];
        for _ in 0..40 {
            let candidates = (-10..=10).map(|j| (best + width * f64::from(j) / 10.0).clamp(-reach, reach));
            best = candidates.min_by(|a, b| at(*a, &i).total_cmp(&at(*b, &i))).unwrap();
            width *= 0.5;
        }
        friction[k] = best;
        i[2 * k + 1] = compression[2 * k + 1] + best;
    }
    energy(&i)
}

/// What holds of every answer: momentum, cones, no penetration, no gain.
fn assert_sound(s: &System, o: &SimultaneousOutcome) {
    let (w, v, i) = (s.delassus(), s.contact_velocity(), impulse(o));
    let speed = v.amax();
    let after = &v + &w * &i;
    let exchanged = speed * i.iter().map(|i| i.abs()).sum::<f64>();
    for (k, contact) in o.contacts.iter().enumerate() {
        let rows = s.rows(k);
        let size = |r: usize| speed + w.row(r).iter().zip(&i).map(|(w, i)| (w * i).abs()).sum::<f64>();
        for (r, told) in rows.clone().zip(contact.contact_velocity.after.iter()) {
            assert!((after[r] - told).abs() <= 1e-8 * size(r), "contact {k} row {r} {s:?}\n{o:?}");
        }
        assert!(contact.contact_velocity.after[0] >= -1e-8 * size(rows.start), "contact {k} penetrates: {s:?}\n{o:?}");
        let i_t = contact.impulse[1..].iter().fold(0.0_f64, |length, x| length.hypot(*x));
        assert!(contact.impulse[0] >= 0.0, "contact {k} pulls: {s:?}\n{o:?}");
        assert!(
            i_t <= s.numbers[k].mu_d * contact.impulse[0] * (1.0 + 1e-7) + 1e-9 * i.amax(),
            "contact {k} {s:?}\n{o:?}"
        );
    }
    let change = v.dot(&i) + 0.5 * i.dot(&(&w * &i));
    assert!((change - o.energy.change).abs() <= 1e-8 * exchanged, "{change} {s:?}\n{o:?}");
    assert!(change <= 1e-9 * exchanged, "gains {change}: {s:?}\n{o:?}");
}

#[test]
fn a_common_restitution_never_gains_and_unequal_ones_are_blended() {
    for (common, name) in [(true, "common e"), (false, "unequal e")] {
        let mut rng = generator(name);
        for family in FAMILIES {
            let (mut solved, mut failed, mut blended, mut sweeps) = (0, 0, 0, 0);
            for _ in 0..cases(40) {
                let mut s = System::random(&mut rng, family);
                let e = s.numbers[0].e;
                for numbers in s.numbers.iter_mut().filter(|_| common) {
                    numbers.e = e;
                }
                let result = s.set().and_then(|set| set.impact_by(Law::Chord, &s.coefficients(), Guard::Report));
                match result {
                    Ok(o) => {
                        assert_sound(&s, &o);
                        assert!(!(common && o.guard.blended), "{s:?}\n{o:?}");
                        solved += 1;
                        blended += usize::from(o.guard.blended);
                        sweeps += o.effort.sweeps as usize;
                    }
                    Err(error) => {
                        assert!([ErrorKind::NotConverged].contains(&error.kind()), "{error} {s:?}");
                        failed += 1;
                    }
                }
            }
            println!(
                "{name} {family:?}: {solved} solved, {failed} not converged, {blended} blended, {} sweeps each",
                sweeps / solved.max(1)
            );
            // The stated rate of convergence; see the book.
            assert!(solved * 10 >= 8 * (solved + failed), "{name} {family:?}");
        }
    }
}

/// Without damping the explicit shares of twice as many systems would go to and fro without end.
#[test]
fn shares_that_would_oscillate_settle() {
    let mut rng = fastrand::Rng::with_seed(7);
    let mut failed = 0;
    for family in [Family::Quadruped, Family::Biped, Family::Random] {
        for _ in 0..200 {
            let s = System::random(&mut rng, family);
            let result = s.set().and_then(|set| set.impact_by(Law::Chord, &s.coefficients(), Guard::Report));
            failed += u32::from(result.is_err());
        }
    }
    println!("{failed} of 600 do not converge");
    assert!(failed <= 16, "{failed}");
}

/// Two spatial contacts of a random regular matrix: the first strikes, the second rests or strikes.
fn pair(rng: &mut fastrand::Rng, rests: bool) -> (ContactSet, [Coefficients; 2]) {
    let mut uniform = || 2.0 * rng.f64() - 1.0;
    let b = DMatrix::from_fn(6, 7, |_, _| uniform());
    let w = &b * b.transpose() + DMatrix::identity(6, 6) * 0.05;
    let mut v: Vec<f64> = (0..6).map(|_| 2.0 * uniform()).collect();
    v[0] = -0.1 - v[0].abs();
    v[3] = if rests { 0.0 } else { -0.1 - v[3].abs() };
    let e = [uniform().abs(), if rests { 0.0 } else { uniform().abs() }];
    let coefficients =
        e.map(|e| Coefficients::new(Restitution::new(e).unwrap(), Friction::new(1.5 * uniform().abs()).unwrap()));
    (ContactSet::new(&[Dimension::Spatial; 2], MatrixView::row_major(6, 6, w.as_slice()), &v).unwrap(), coefficients)
}

/// An answer exists for every regular matrix. Without Newton's method on shares and rests at once, from a larger diagonal of `W`, and smaller
/// moves of shares that go to and fro, 54 of the 20,000 with a contact at rest have none.
#[test]
fn pairs_of_spatial_contacts_find_their_answer() {
    let failed = [true, false].map(|rests| {
        let mut rng = fastrand::Rng::with_seed(11);
        let fails = |n: &u32| {
            let (set, coefficients) = pair(&mut rng, rests);
            let result = set.impact_by(Law::Chord, &coefficients, Guard::Report);
            if let Err(error) = &result {
                println!("{n}, rests {rests}: {error}");
            }
            result.is_err()
        };
        (0..20_000).filter(fails).count()
    });
    println!("{failed:?} of 20,000 pairs have no answer");
    assert!(failed[0] <= 1 && failed[1] <= 1, "{failed:?}");
}

/// Two corners of a planar box that lands flat but for 1e-9: no friction makes both stick to that, so sweeps move it from one corner to
/// the other, by 1e-9 each, until one slides with all it may have.
#[test]
fn friction_that_sweeps_move_by_a_billionth_at_a_time_comes_to_its_end() {
    #[rustfmt::skip]
    let w = [
         1.0,                 -0.2669542266406434,  -0.22829770312844244, -0.2669542259125933,
        -0.2669542266406434,   1.0,                  0.23773520606821022,  1.0,
        -0.22829770312844244,  0.23773520606821022,  1.0,                  0.23773520541984763,
        -0.2669542259125933,   1.0,                  0.23773520541984763,  1.0,
    ];
    let velocity = [-0.9348125154545586, -1.0647624956494538e-8, -0.05014080938311205, -1.1257752673727638e-8];
    let set = ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &velocity).unwrap();
    let restitution = Restitution::new(0.8548061769624533).unwrap();
    let coefficients =
        [0.5021111681877204, 0.6040432895665345].map(|mu| Coefficients::new(restitution, Friction::new(mu).unwrap()));
    let o = set.impact_by(Law::Chord, &coefficients, Guard::Report).unwrap();
    assert!(o.residual < 2e-10, "{:e}", o.residual);
    assert!(o.effort.sweeps < 1000, "{}", o.effort.sweeps);
    assert!(o.energy.change < 0.0);
}

/// A contact that nothing couples to others is answered by the law of one contact.
#[test]
fn contacts_apart_are_answered_alone() {
    let one = [[2.0, 0.5], [0.5, 3.0]];
    let mut w = [0.0; 16];
    for block in 0..2 {
        for i in 0..2 {
            for j in 0..2 {
                w[4 * (2 * block + i) + 2 * block + j] = one[i][j];
            }
        }
    }
    let set =
        ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &[-1.0, 0.3, -0.5, 0.9]).unwrap();
    let coefficients = [Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap()); 2];
    let o = set.impact_by(Law::Chord, &coefficients, Guard::Report).unwrap();
    for (contact, v) in o.contacts.iter().zip([[-1.0, 0.3], [-0.5, 0.9]]) {
        let alone = carom_law::Contact::new(carom_law::Delassus::planar(one).unwrap(), &v).unwrap();
        let alone = alone.impact_by(Law::Chord, &coefficients[0], Guard::Report).unwrap();
        for (a, b) in contact.impulse.iter().zip(alone.impulse.iter()) {
            assert!((a - b).abs() < 1e-14, "{o:?}\n{alone:?}");
        }
    }
    assert_eq!(o.law, Law::Chord);
}

#[test]
fn other_laws_guards_and_kinds_are_refused() {
    let w = [3.4, -1.2, -1.4, -1.2, -1.2, 1.6, 1.2, 1.6, -1.4, 1.2, 3.4, 1.2, -1.2, 1.6, 1.2, 1.6];
    let set =
        ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, &w), &[-1.3, 0.95, -0.7, 0.95]).unwrap();
    let (e, friction) = (Restitution::new(0.5).unwrap(), Friction::new(0.3).unwrap());
    let plain = [Coefficients::new(e, friction); 2];
    let refused = |law, coefficients: &[Coefficients; 2], guard| {
        let error = set.impact_by(law, coefficients, guard).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        (error.field().to_owned(), error.to_string())
    };
    let (field, message) = refused(Law::Poisson, &plain, Guard::Report);
    assert!(field == "law" && message.contains("chord"), "{message}");
    let (field, message) = refused(Law::Chord, &plain, Guard::Slip);
    assert!(field == "guard" && message.contains("report"), "{message}");
    let mut newton = plain;
    newton[1].restitution = e.of_kind(RestitutionKind::Newton);
    let (field, _) = refused(Law::Chord, &newton, Guard::Report);
    assert_eq!(field, "coefficients[1].restitution.kind");
    let (field, message) = refused(Law::Aghili, &newton, Guard::Report);
    assert!(field == "coefficients[1].restitution.kind" && message.contains("chord"), "{message}");
}
