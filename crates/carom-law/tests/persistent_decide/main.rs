//! Which modes closed contacts take: cases in closed form, conditions on random bodies, and an oracle that tries every
//! combination of modes.

#[path = "../common/mod.rs"]
mod common;

mod cases;

use carom_law::{ClosedContact, ClosedMode, Decision, Dimension, Friction, Modes, Tangential, decide};
use common::bodies::{Body, gravity};
use common::random;
use fastrand::Rng;
use nalgebra::{DMatrix, DVector};

const G: f64 = 9.81;

fn closed(d: usize, mu_s: f64, mu_d: f64, tangential: Tangential) -> ClosedContact {
    let dimension = Dimension::from_rows(d, "d").unwrap();
    ClosedContact { dimension, friction: Some(Friction::with_static(mu_s, mu_d).unwrap()), tangential }
}

fn at_rest(d: usize, m: usize, mu_s: f64, mu_d: f64) -> Vec<ClosedContact> {
    vec![closed(d, mu_s, mu_d, Tangential::AtRest); m]
}

fn decided(w: &DMatrix<f64>, alpha: &DVector<f64>, contacts: &[ClosedContact]) -> Modes {
    match decide(w.into(), alpha.as_slice(), contacts).unwrap() {
        Decision::Decided(modes) => modes,
        other => panic!("{other:?}"),
    }
}

fn norm(a: &[f64]) -> f64 {
    a.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn is_onset(mode: &ClosedMode) -> bool {
    matches!(mode, ClosedMode::Slip { onset: true, .. })
}

/// Every condition that the modes stand for, written down again.
fn assert_lawful(w: &DMatrix<f64>, alpha: &DVector<f64>, contacts: &[ClosedContact], found: &Modes, tolerance: f64) {
    let forces = DVector::from_row_slice(&found.forces);
    let a = alpha + w * &forces;
    let size = alpha.amax();
    let pull = tolerance * size / w.diagonal().max();
    let mut row = 0;
    for (contact, mode) in contacts.iter().zip(&found.modes) {
        let d = contact.dimension.rows();
        let friction = contact.friction.unwrap();
        let (force, a) = (&found.forces[row..row + d], &a.as_slice()[row..row + d]);
        match *mode {
            ClosedMode::Detach => {
                assert!(force.iter().all(|x| *x == 0.0) && a[0] >= -tolerance * size, "{found:?}");
            }
            ClosedMode::Stick => {
                assert_eq!(contact.tangential, Tangential::AtRest);
                assert!(norm(a) <= 2.0 * tolerance * size && force[0] >= -pull, "{found:?}");
                assert!(norm(&force[1..]) <= friction.mu_s() * force[0] + pull, "{found:?}");
            }
            ClosedMode::Slip { direction, onset } => {
                let u = &direction[..d - 1];
                assert!(a[0].abs() <= tolerance * size && force[0] >= -pull, "{found:?}");
                for (x, u) in force[1..].iter().zip(u) {
                    assert!((x + friction.mu_d() * force[0] * u).abs() <= pull, "{found:?}");
                }
                if onset {
                    assert_eq!(contact.tangential, Tangential::AtRest);
                    let along = dot(&a[1..], u);
                    let across: Vec<f64> = a[1..].iter().zip(u).map(|(a, u)| a - along * u).collect();
                    assert!(along > 0.0 && norm(&across) <= 2.0 * tolerance * size, "{found:?}\n{contacts:?}");
                    // Friction takes power as soon as there is motion.
                    assert!(dot(&a[1..], &force[1..]) <= 0.0);
                } else {
                    assert_eq!(contact.tangential, Tangential::Sliding { direction });
                }
            }
        }
        row += d;
    }
    assert!(found.residual <= tolerance, "{found:?}");
}

fn random_contacts(rng: &mut Rng, d: usize, m: usize, most: f64) -> Vec<ClosedContact> {
    (0..m)
        .map(|_| {
            let mu_d = random::between(rng, 0.0, most);
            let mu_s = if rng.bool() { mu_d } else { mu_d * random::between(rng, 1.0, 1.5) };
            let angle = random::between(rng, 0.0, 6.0);
            let direction = if d == 3 { [angle.cos(), angle.sin()] } else { [angle.cos().signum(), 0.0] };
            let is_sliding = rng.u8(0..4) == 0;
            closed(d, mu_s, mu_d, if is_sliding { Tangential::Sliding { direction } } else { Tangential::AtRest })
        })
        .collect()
}

#[test]
fn random_bodies_obey_every_condition() {
    let mut rng = random::generator("random_bodies_obey_every_condition");
    let (mut modes, mut jams, mut lost, mut all) = ([0; 4], 0, 0, 0);
    for case in 0..random::cases(1500) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=6));
        let body = if case % 2 == 0 { Body::random(&mut rng, d, m) } else { Body::random_on_a_face(&mut rng, d, m) };
        let contacts = random_contacts(&mut rng, d, m, 0.7);
        let mut free = gravity(G, 1.2 * rng.f64(), 6.0 * rng.f64());
        free.1 = nalgebra::Vector3::from_fn(|_, _| 3.0 * random::normal(&mut rng));
        let (w, alpha) = (body.delassus(), body.at_contacts(free));
        all += 1;
        match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
            Decision::Decided(found) => {
                assert_lawful(&w, &alpha, &contacts, &found, 1e-8);
                for mode in &found.modes {
                    modes[match mode {
                        ClosedMode::Detach => 0,
                        ClosedMode::Stick => 1,
                        ClosedMode::Slip { onset: true, .. } => 2,
                        ClosedMode::Slip { .. } => 3,
                    }] += 1;
                }
            }
            Decision::Jammed { .. } => jams += 1,
            Decision::NotConverged(found) => {
                lost += 1;
                println!("{:e} {d} {m} {:?}", found.residual, contacts);
            }
        }
    }
    println!("detach, stick, onset, slip {modes:?}; {jams} jams, {lost} not converged of {all}");
    assert!(modes.iter().all(|count| *count > 100), "{modes:?}");
    assert!(lost * 500 <= all, "{lost} of {all}");
}

/// The consistent combinations of modes of planar contacts, by trying all.
fn combinations(
    w: &DMatrix<f64>,
    alpha: &DVector<f64>,
    contacts: &[ClosedContact],
) -> Vec<(Vec<ClosedMode>, DVector<f64>)> {
    let slip = |sign: f64, onset| ClosedMode::Slip { direction: [sign, 0.0], onset };
    let choices: Vec<Vec<ClosedMode>> = contacts
        .iter()
        .map(|contact| match contact.tangential {
            Tangential::AtRest => vec![ClosedMode::Stick, ClosedMode::Detach, slip(1.0, true), slip(-1.0, true)],
            Tangential::Sliding { direction } => vec![slip(direction[0], false), ClosedMode::Detach],
        })
        .collect();
    let count: usize = choices.iter().map(Vec::len).product();
    let n = alpha.len();
    let mut found = Vec::new();
    for mut number in 0..count {
        let modes: Vec<ClosedMode> = choices
            .iter()
            .map(|list| {
                let mode = list[number % list.len()];
                number /= list.len();
                mode
            })
            .collect();
        // Two equations a contact, in its two forces.
        let (mut matrix, mut right) = (DMatrix::zeros(n, n), DVector::zeros(n));
        for (k, mode) in modes.iter().enumerate() {
            let r = 2 * k;
            let mu_d = contacts[k].friction.unwrap().mu_d();
            match *mode {
                ClosedMode::Detach => (matrix[(r, r)], matrix[(r + 1, r + 1)]) = (1.0, 1.0),
                ClosedMode::Stick => {
                    for i in r..r + 2 {
                        matrix.row_mut(i).copy_from(&w.row(i));
                        right[i] = -alpha[i];
                    }
                }
                ClosedMode::Slip { direction, .. } => {
                    matrix.row_mut(r).copy_from(&w.row(r));
                    right[r] = -alpha[r];
                    (matrix[(r + 1, r)], matrix[(r + 1, r + 1)]) = (mu_d * direction[0], 1.0);
                }
            }
        }
        let Some(forces) = matrix.full_piv_lu().solve(&right) else { continue };
        let a = alpha + w * &forces;
        let holds = modes.iter().enumerate().all(|(k, mode)| {
            let r = 2 * k;
            let mu_s = contacts[k].friction.unwrap().mu_s();
            match *mode {
                ClosedMode::Detach => a[r] >= 0.0,
                ClosedMode::Stick => forces[r] >= 0.0 && forces[r + 1].abs() <= mu_s * forces[r],
                ClosedMode::Slip { direction, onset } => forces[r] >= 0.0 && (!onset || a[r + 1] * direction[0] > 0.0),
            }
        });
        if holds {
            found.push((modes, forces));
        }
    }
    found
}

#[test]
fn planar_answers_are_among_those_of_an_enumeration() {
    let mut rng = random::generator("planar_answers_are_among_those_of_an_enumeration");
    let (mut lost, mut none, mut several, mut all) = (0, 0, 0, 0);
    for _ in 0..random::cases(3000) {
        let m = rng.usize(1..=2);
        let n = 2 * m;
        let root = DMatrix::from_fn(n, n + 1, |_, _| random::normal(&mut rng));
        let w = &root * root.transpose();
        let contacts = random_contacts(&mut rng, 2, m, 1.2);
        let alpha = DVector::from_fn(n, |i, _| random::normal(&mut rng) - if i % 2 == 0 { 1.0 } else { 0.0 });
        let answers = combinations(&w, &alpha, &contacts);
        all += 1;
        several += usize::from(answers.len() > 1);
        none += usize::from(answers.is_empty());
        match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
            Decision::Decided(found) => {
                let same = |(modes, forces): &(Vec<ClosedMode>, DVector<f64>)| {
                    let difference = forces - DVector::from_row_slice(&found.forces);
                    *modes == found.modes && difference.amax() <= 1e-7 * (forces.amax() + 1e-6)
                };
                assert!(answers.iter().any(same), "{found:?}\n{answers:?}\n{w}{alpha}{contacts:?}");
                // As it is comes first in the list of the enumeration, and first in the order of decision.
                let unchanged = &answers[0].0;
                let keeps = unchanged
                    .iter()
                    .all(|mode| matches!(mode, ClosedMode::Stick | ClosedMode::Slip { onset: false, .. }));
                let enters = (0..m).any(|k| alpha[2 * k] < 0.0);
                assert!(!keeps || !enters || found.ambiguous || *unchanged == found.modes, "{found:?}\n{answers:?}");
            }
            Decision::Jammed { .. } => assert!(answers.is_empty(), "{answers:?}\n{w}{alpha}{contacts:?}"),
            Decision::NotConverged(_) => lost += usize::from(!answers.is_empty()),
        }
    }
    println!("{several} with several answers, {none} with none, {lost} not found, of {all}");
    assert!(lost * 1000 <= all, "{lost} of {all}");
}

/// Beside a contact that lifts off and has nothing to do with it, a contact answers as alone.
#[test]
fn one_contact_answers_the_same_by_both_ways() {
    let mut rng = random::generator("one_contact_answers_the_same_by_both_ways");
    let mut differ = 0;
    for _ in 0..random::cases(1500) {
        let d = rng.usize(2..=3);
        let body = Body::random(&mut rng, d, 1);
        let mut contacts = random_contacts(&mut rng, d, 1, 1.0);
        let (one, alpha) = (body.delassus(), DVector::from_fn(d, |_, _| random::normal(&mut rng)));
        let alone = decide((&one).into(), alpha.as_slice(), &contacts).unwrap();
        contacts.push(closed(2, 0.5, 0.5, Tangential::AtRest));
        let mut w = DMatrix::identity(d + 2, d + 2);
        w.view_mut((0, 0), (d, d)).copy_from(&one);
        let both = DVector::from_iterator(d + 2, alpha.iter().copied().chain([1.0, 0.3]));
        match (alone, decide((&w).into(), both.as_slice(), &contacts).unwrap()) {
            (Decision::Decided(alone), Decision::Decided(found)) => {
                let size = alone.forces.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
                let same = alone.forces.iter().zip(&found.forces).all(|(x, y)| (x - y).abs() <= 1e-9 * size);
                // Where an onset has several directions each way may take its own.
                differ += usize::from(!same);
                assert!(!same || std::mem::discriminant(&alone.modes[0]) == std::mem::discriminant(&found.modes[0]));
                assert_eq!(alone.ambiguous, found.ambiguous);
            }
            (Decision::Jammed { contact, reduced }, Decision::Jammed { contact: other, reduced: same }) => {
                assert_eq!((contact, reduced), (other, same));
            }
            (alone, both) => panic!("{alone:?}\n{both:?}"),
        }
    }
    assert!(differ * 500 <= random::cases(1500), "{differ}");
}

#[test]
fn powers_of_two_change_no_bit() {
    let mut rng = random::generator("powers_of_two_change_no_bit");
    for _ in 0..random::cases(200) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=4));
        let body = Body::random_on_a_face(&mut rng, d, m);
        let contacts = random_contacts(&mut rng, d, m, 0.7);
        let (w, alpha) = (body.delassus(), body.at_contacts(gravity(G, rng.f64(), 6.0 * rng.f64())));
        let Decision::Decided(found) = decide((&w).into(), alpha.as_slice(), &contacts).unwrap() else { continue };
        for (of_w, of_alpha) in [(1, 0), (0, 7), (-31, 12), (200, -150)] {
            let (p, q) = (2f64.powi(of_w), 2f64.powi(of_alpha));
            let other = decided(&(&w * p), &(&alpha * q), &contacts);
            assert_eq!((&found.modes, found.residual), (&other.modes, other.residual));
            assert_eq!(found.forces, other.forces.iter().map(|x| x / q * p).collect::<Vec<_>>());
            assert_eq!(found.accelerations, other.accelerations.iter().map(|x| x / q).collect::<Vec<_>>());
        }
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let mut contacts = at_rest(2, 1, 0.5, 0.5);
    let message = |contacts: &[ClosedContact], w: &[f64], alpha: &[f64]| {
        decide((&DMatrix::from_row_slice(2, 2, w)).into(), alpha, contacts).unwrap_err().to_string()
    };
    let identity = [1.0, 0.0, 0.0, 1.0];
    assert_eq!(
        message(&contacts, &identity, &[1.0]),
        "free_acceleration is 1 numbers, but must be 2 numbers, one for each row of the contacts"
    );
    assert_eq!(message(&contacts, &identity, &[1.0, f64::INFINITY]), "free_acceleration[1] = inf is not finite");
    assert!(message(&contacts, &[0.0, 0.0, 0.0, 1.0], &[-1.0; 2]).starts_with("delassus[0][0] is not positive"));
    contacts[0].tangential = Tangential::Sliding { direction: [0.3, 0.0] };
    assert_eq!(
        message(&contacts, &identity, &[-1.0; 2]),
        "contacts[0].tangential.direction = 0.3 is outside length 1, to 1e-9"
    );
    contacts[0].friction = None;
    assert_eq!(
        message(&contacts, &identity, &[-1.0; 2]),
        "contacts[0].friction is missing: only a contact of dimension 1 can do without"
    );
    let nobody = decide((&DMatrix::zeros(0, 0)).into(), &[], &[]).unwrap();
    assert!(matches!(nobody, Decision::Decided(modes) if modes.modes.is_empty()));
}

/// Events fire 1e-10 outside a cone; the decision there must not be to go on as before. Stick is accepted to 1e-12.
#[test]
fn an_event_outside_the_cone_changes_the_modes() {
    let mut rng = random::generator("an_event_outside_the_cone_changes_the_modes");
    let mut tried = 0;
    while tried < random::cases(400) {
        let (d, m) = (rng.usize(2..=3), rng.usize(1..=4));
        let n = d * m;
        // Tangents up to a hundred times as stiff as normals: slips begin slowly.
        let stiff = random::decades(&mut rng, -2.0, 0.0);
        let root = DMatrix::from_fn(n, n + 2, |i, _| random::normal(&mut rng) * if i % d == 0 { 1.0 } else { stiff });
        let w = &root * root.transpose();
        let force = DVector::from_fn(n, |i, _| if i % d == 0 { 0.2 + rng.f64() } else { random::normal(&mut rng) });
        let alpha = -(&w * &force);
        if (0..m).all(|k| alpha[k * d] >= 0.0) {
            continue;
        }
        tried += 1;
        let tight = rng.usize(0..m);
        let (size, drops) = (force.amax(), rng.bool());
        for (outside, sticks) in [(2e-10, false), (-1e-9, true)] {
            let contacts: Vec<ClosedContact> = (0..m)
                .map(|k| {
                    let (normal, friction) = (force[k * d], norm(&force.as_slice()[k * d + 1..(k + 1) * d]));
                    let reach = if k == tight { friction - outside * size } else { 1.1 * friction };
                    let mu = (reach / normal).max(0.0);
                    closed(d, mu, if drops { 0.8 * mu } else { mu }, Tangential::AtRest)
                })
                .collect();
            match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
                Decision::Decided(found) => {
                    assert_eq!(found.modes == vec![ClosedMode::Stick; m], sticks, "{found:?} {stiff}");
                    assert!(found.residual < 1e-9);
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// The same with redundant contacts, where the margin of the best distribution tells when the event fires.
#[test]
fn an_event_outside_the_margin_changes_the_modes() {
    let mut fired = 0;
    for (d, half, mu) in [(2, [0.5, 0.5, 0.3], 0.5_f64), (3, [0.5, 0.5, 0.3], 0.5), (3, [0.5, 0.3, 0.2], 0.7)] {
        let body = Body::on_corners(2.0, half, d);
        let m = body.points.len();
        for heading in [0.0, 0.3, 0.785, 2.5] {
            for step in 1..=8 {
                let slope = mu.atan() + 1e-10 * f64::from(step);
                let (w, alpha) =
                    (body.delassus(), body.at_contacts(gravity(G, slope, if d == 3 { heading } else { 0.0 })));
                let contacts = at_rest(d, m, mu, mu);
                let grip = carom_law::PhaseContact { dimension: contacts[0].dimension, grip: carom_law::Grip::Stick };
                let margin = carom_law::PhaseForces::new()
                    .stick_margin((&w).into(), alpha.as_slice(), &vec![grip; m], &vec![mu; m], &mut vec![0.0; d * m])
                    .unwrap()
                    .margin;
                if margin < -1e-10 {
                    let found = decided(&w, &alpha, &contacts);
                    // All corners go together, or the phase that follows would end at once.
                    assert!(found.modes.iter().all(is_onset), "{step}: {margin:e} {found:?}");
                    fired += 1;
                }
            }
        }
    }
    assert!(fired > 50, "{fired}");
}

/// Contacts of all dimensions on one mechanism, frictionless ones among them.
#[test]
fn mixed_contacts_obey_every_condition() {
    let mut rng = random::generator("mixed_contacts_obey_every_condition");
    let (mut lost, mut detached, mut all) = (0, 0, 0);
    for _ in 0..random::cases(600) {
        let dimensions: Vec<usize> = (0..rng.usize(2..=5)).map(|_| rng.usize(1..=3)).collect();
        let contacts: Vec<ClosedContact> = dimensions
            .iter()
            .map(|&d| {
                let mut contact = random_contacts(&mut rng, d.max(2), 1, 0.4)[0];
                contact.dimension = Dimension::from_rows(d, "d").unwrap();
                if d == 1 {
                    contact.tangential = Tangential::AtRest;
                }
                if rng.u8(0..5) == 0 {
                    contact.friction = Some(Friction::new(0.0).unwrap());
                }
                contact
            })
            .collect();
        let n = dimensions.iter().sum();
        let root = DMatrix::from_fn(n, n + 2, |_, _| random::normal(&mut rng));
        let (w, alpha) = (&root * root.transpose(), DVector::from_fn(n, |_, _| random::normal(&mut rng)));
        all += 1;
        match decide((&w).into(), alpha.as_slice(), &contacts).unwrap() {
            Decision::Decided(found) => {
                assert_lawful(&w, &alpha, &contacts, &found, 1e-8);
                detached += found.modes.iter().filter(|mode| **mode == ClosedMode::Detach).count();
            }
            Decision::Jammed { .. } => {}
            Decision::NotConverged(_) => lost += 1,
        }
    }
    println!("{detached} detached, {lost} not converged of {all}");
    assert!(lost * 200 <= all, "{lost} of {all}");
}

/// A small tree on three feet. With static friction two of them are on the edges of their cones; with dynamic friction at one,
/// the other sticks.
#[test]
fn a_foot_on_the_edge_sticks_once_another_has_given_way() {
    #[rustfmt::skip]
    let lower: [&[f64]; 9] = [
        &[6.871515608080995],
        &[-1.1720116120668909, 1.756618130355653],
        &[3.5794258417317586, -2.85650983611395, 6.422623589492186],
        &[0.14949579383259803, 0.12943225238014566, -0.1533630179651479, 0.28839860614411705],
        &[0.10502106489532413, 0.23783795072453695, -0.07642805813006975, -0.02261248406374551, 0.26344194747410743],
        &[-0.1783685895384956, -0.032524561227260315, 0.1668278014149261, -0.008703116957178098, -0.02757983275119416, 0.28614552751830924],
        &[-0.6592764430306083, -0.43011729087853456, 0.6266555560638529, 0.049477710226899625, 0.002441692435824691, -0.004612542204337669, 1.1865920065906932],
        &[-0.3309948409235554, 0.024557501945236565, 0.2171187604221791, 0.05978359105955574, 0.2154415514840165, 0.012942512088889815, -0.15930155950809122, 0.49101272197280743],
        &[0.5680245287712644, 0.3684597940494608, -0.25419298667836826, -0.09038963298353375, 0.02169146526748532, 0.20831878096687, 0.16261254420757593, -0.408543641839366, 0.860998975186396],
    ];
    let w = DMatrix::from_fn(9, 9, |i, j| lower[i.max(j)][i.min(j)]);
    let alpha = DVector::from_row_slice(&[
        -21.346862116751726,
        2.884287837759687,
        -11.842731788743095,
        -9.974726053093168,
        0.20990907024329175,
        0.571666951989549,
        -10.771296204762969,
        1.1802871961880355,
        -1.8161383316690927,
    ]);
    let contacts = [
        (1.0998170991993994, 1.0998170991993994),
        (0.6619268982345621, 0.6619268982345621),
        (0.6322121859589623, 0.47108097850098885),
    ]
    .map(|(mu_s, mu_d)| closed(3, mu_s, mu_d, Tangential::AtRest));
    let found = decided(&w, &alpha, &contacts);
    assert_lawful(&w, &alpha, &contacts, &found, 1e-8);
    assert!(found.modes[0] == ClosedMode::Stick && is_onset(&found.modes[2]), "{found:?}");
}
