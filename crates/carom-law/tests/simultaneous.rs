//! Several contacts at once: cases with known answers, what is refused, and what is reported.

mod common;

use carom_law::{
    Coefficients, Contact, ContactSet, Delassus, Dimension, Error, ErrorKind, Friction, Guard, MatrixView, Mode,
    Restitution, SimultaneousOutcome,
};
use common::random;

fn coefficients(e: f64, mu: f64) -> Coefficients {
    Coefficients::new(Restitution::new(e).unwrap(), Friction::new(mu).unwrap())
}

fn planar(w: &[[f64; 4]; 4], v: &[f64; 4]) -> ContactSet {
    ContactSet::new(&[Dimension::Planar; 2], MatrixView::row_major(4, 4, w.as_flattened()), v).unwrap()
}

fn impulse(o: &SimultaneousOutcome) -> Vec<f64> {
    o.contacts.iter().flat_map(|c| c.impulse.to_vec()).collect()
}

fn after(o: &SimultaneousOutcome) -> Vec<f64> {
    o.contacts.iter().flat_map(|c| c.contact_velocity.after.to_vec()).collect()
}

fn modes(o: &SimultaneousOutcome) -> Vec<Mode> {
    o.contacts.iter().map(|c| c.mode).collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{found:?} is not {expected:?}");
    }
}

/// A planar box on two corners, `W` of rank 3.
#[test]
fn box_with_unequal_restitution_slides() {
    let w = [[3.4, -1.2, -1.4, -1.2], [-1.2, 1.6, 1.2, 1.6], [-1.4, 1.2, 3.4, 1.2], [-1.2, 1.6, 1.2, 1.6]];
    let set = planar(&w, &[-1.3, 0.95, -0.7, 0.95]);
    let o = set.impact(&[coefficients(0.5, 0.3), coefficients(0.2, 0.3)], Guard::Report).unwrap();
    assert_close(&impulse(&o), &[0.7085, -0.21255, 0.6865, -0.20595], 1e-12);
    assert_close(&after(&o), &[0.65, 0.254, 0.14, 0.254], 1e-12);
    assert_close(&[o.energy.change], &[-0.6744195], 1e-12);
    assert_eq!(modes(&o), [Mode::Slip, Mode::Slip]);
    assert!(o.admissible && o.sequence == 1);
}

/// No answer lets every contact stick that could: sweeps with stick as the local choice go round in circles.
#[test]
fn case_without_a_strong_answer() {
    let w = [[6.0, 0.0, 1.0, 3.0], [0.0, 3.0, 1.0, -1.0], [1.0, 1.0, 5.0, 0.0], [3.0, -1.0, 0.0, 5.0]];
    let set = planar(&w, &[-3.0, 2.0, -1.0, -2.0]);
    let o = set.impact(&[coefficients(0.5, 0.3); 2], Guard::Report).unwrap();
    assert_eq!(modes(&o), [Mode::Slip, Mode::Slip]);
    assert_close(&impulse(&o), &[0.685385420300, -0.205615626090, 0.204046041158, 0.061213812347], 2e-12);
    assert_close(&[o.energy.change], &[-0.971383375940], 2e-12);
    assert!(!o.strong);
}

const PLASTIC_GAIN: [[f64; 4]; 4] =
    [[4.5, -0.79, -3.87, 0.23], [-0.79, 4.62, 1.22, 4.45], [-3.87, 1.22, 4.47, 0.34], [0.23, 4.45, 0.34, 4.82]];

/// Energy is created without restitution.
#[test]
fn plastic_impact_that_creates_energy() {
    let set = planar(&PLASTIC_GAIN, &[-0.89, -1.04, -0.33, -1.92]);
    let coefficients = [coefficients(0.0, 1.3), coefficients(0.0, 1.7)];
    let o = set.impact(&coefficients, Guard::Report).unwrap();
    assert_eq!(modes(&o), [Mode::Slip, Mode::Stick]);
    assert_close(&impulse(&o), &[1.182938313527, 1.537819807586, 0.764349321320, -1.131795171186], 2e-12);
    assert_close(&[o.energy.change], &[0.423405599837], 2e-12);
    assert!(!o.admissible && !o.guard.acted);

    let slid = set.impact(&coefficients, Guard::Slip).unwrap();
    assert_close(&impulse(&slid), &[0.632455539221, -0.822192200987, 0.748945606575, 1.273207531177], 2e-12);
    assert_close(&[slid.energy.change], &[-1.100058639956], 2e-12);
    assert!(slid.guard.acted && !slid.guard.blended && slid.guard.restitution_factor == 1.0);
    let unguarded = slid.guard.unguarded.clone().unwrap();
    assert_eq!((unguarded.modes, unguarded.energy_change), (modes(&o), o.energy.change));

    // No restitution is small enough: the answer is blended with the one that slides, and keeps its energy.
    let limited = set.impact(&coefficients, Guard::Limit).unwrap();
    assert!(limited.guard.acted && limited.guard.blended);
    assert!(limited.energy.change.abs() <= 1e-12, "{limited:?}");
    let share = (limited.contacts[0].impulse[0] - slid.contacts[0].impulse[0])
        / (o.contacts[0].impulse[0] - slid.contacts[0].impulse[0]);
    let blend: Vec<f64> = impulse(&o).iter().zip(impulse(&slid)).map(|(o, s)| s + share * (o - s)).collect();
    assert_close(&impulse(&limited), &blend, 1e-12);
    assert!((0.0..1.0).contains(&share));
}

/// Two frictionless contacts, the second leaving; the first impact makes it approach.
#[test]
fn separating_contact_strikes_afterwards() {
    let w = [1.0, -0.9, -0.9, 1.0];
    let set = ContactSet::new(&[Dimension::Normal; 2], MatrixView::row_major(2, 2, &w), &[-1.0, 0.1]).unwrap();
    let elastic = Coefficients::frictionless(Restitution::new(1.0).unwrap());
    let o = set.impact(&[elastic; 2], Guard::Report).unwrap();
    // i = (2, 0) gives v = (1, -1.7); i = (0, 3.4) gives (-2.06, 1.7); and so on.
    let (mut v, mut i, mut count) = ([-1.0, 0.1], [0.0, 0.0], 0);
    while let Some(k) = (0..2).find(|&k| v[k] < -1e-12) {
        let push = -2.0 * v[k];
        i[k] += push;
        v = [v[0] + push * w[2 * k], v[1] + push * w[2 * k + 1]];
        count += 1;
    }
    assert!(count > 2);
    assert_eq!((o.sequence, o.settled), (count, false));
    assert_close(&impulse(&o), &i, 1e-12);
    assert_close(&after(&o), &v, 1e-12);
    assert!(o.energy.change.abs() <= 1e-12);
}

/// The first ball of a row strikes the others at rest; only neighbours are in contact.
#[test]
fn cradle_of_equal_balls() {
    let w = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
    let set = ContactSet::new(&[Dimension::Normal; 3], MatrixView::row_major(3, 3, &w), &[-1.0, 0.0, 0.0]).unwrap();
    let plastic = Coefficients::frictionless(Restitution::new(0.0).unwrap());
    let o = set.impact(&[plastic; 3], Guard::Report).unwrap();
    // All four go on together with a quarter of the speed.
    assert_close(&impulse(&o), &[0.75, 0.5, 0.25], 1e-12);
    assert_close(&after(&o), &[0.0; 3], 1e-12);
    assert_close(&[o.energy.change], &[-0.375], 1e-12);
}

/// One contact is the one-contact law, with every guard.
#[test]
fn one_contact_is_the_law() {
    let mut rng = random::generator("one_contact_is_the_law");
    let mut acted = 0;
    for _ in 0..random::cases(4000) {
        let p = random::any(&mut rng);
        let w: Vec<f64> = (0..p.d).flat_map(|i| p.w[i][..p.d].to_vec()).collect();
        let dimension = Dimension::from_rows(p.d, "w").unwrap();
        // Matrices of condition 1e10 may be taken for singular here and not there.
        let Ok(set) = ContactSet::new(&[dimension], MatrixView::row_major(p.d, p.d, &w), &p.v[..p.d]) else {
            continue;
        };
        for guard in Guard::ALL {
            let expected = p.solve(guard).unwrap();
            let o = set.impact(&[p.coefficients().unwrap()], guard).unwrap();
            let contact = &o.contacts[0];
            assert_eq!(contact.mode, expected.mode, "{p:?}");
            assert_eq!(contact.impulse, expected.impulse, "{p:?}");
            assert_eq!(contact.contact_velocity, expected.contact_velocity, "{p:?}");
            assert_eq!(contact.direction, expected.direction, "{p:?}");
            assert_eq!(contact.energy.change, expected.energy.change, "{p:?}");
            assert_eq!(o.energy.change, expected.energy.change, "{p:?}");
            assert_eq!(contact.restitution_used, expected.guard.restitution, "{p:?}");
            assert_eq!((o.guard.acted, o.admissible), (expected.guard.acted, expected.admissible), "{p:?}");
            assert!(o.residual <= 1e-8, "{p:?}\n{o:?}");
            acted += usize::from(o.guard.acted);
        }
    }
    assert!(acted > 20);
}

/// The coefficient of Hunt and Crossley follows each contact's own speed.
#[test]
fn restitution_that_depends_on_speed() {
    let w = [1.0, 0.2, 0.2, 1.0];
    let set = ContactSet::new(&[Dimension::Normal; 2], MatrixView::row_major(2, 2, &w), &[-1.0, -3.0]).unwrap();
    let soft = Coefficients::frictionless(Restitution::hunt_crossley(0.1).unwrap());
    let o = set.impact(&[soft; 2], Guard::Report).unwrap();
    assert_close(&after(&o), &[0.9, 2.1], 1e-12);
    assert_eq!(o.contacts[1].restitution.normal, 0.7);
}

#[track_caller]
fn assert_refused<T>(result: carom_law::Result<T>, kind: ErrorKind, field: &str, words: &[&str]) {
    let error = result.err().unwrap();
    assert_eq!((error.kind(), error.field()), (kind, field), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error} does not say {word}");
    }
}

#[test]
fn errors_name_field_value_and_bound() {
    let two = [Dimension::Planar; 2];
    let new = |w: &[f64], v: &[f64]| ContactSet::new(&two, MatrixView::row_major(4, 4, w), v);
    let v = [-1.0, 0.0, -1.0, 0.0];
    let identity = |f: &dyn Fn(&mut [f64])| {
        let mut w: Vec<f64> = (0..16).map(|k| f64::from(u8::from(k % 5 == 0))).collect();
        f(&mut w);
        w
    };
    let w = identity(&|_| {});
    assert_refused(
        ContactSet::new(&[], MatrixView::row_major(0, 0, &[]), &[]),
        ErrorKind::Shape,
        "dimensions",
        &["empty"],
    );
    let small = ContactSet::new(&two, MatrixView::row_major(3, 3, &w[..9]), &v);
    assert_refused(small, ErrorKind::Shape, "delassus", &["3 x 3", "4 x 4"]);
    assert_refused(new(&w[..15], &v), ErrorKind::Shape, "delassus", &["15 numbers"]);
    assert_refused(new(&w, &v[..3]), ErrorKind::Shape, "contact_velocity", &["3 numbers", "4 numbers"]);
    assert_refused(new(&identity(&|w| w[14] = f64::NAN), &v), ErrorKind::NotFinite, "delassus[3][2]", &["NaN"]);
    assert_refused(new(&w, &[-1.0, 0.0, f64::INFINITY, 0.0]), ErrorKind::NotFinite, "contact_velocity[2]", &["inf"]);
    assert_refused(new(&identity(&|w| w[10] = 0.0), &v), ErrorKind::NotPositive, "delassus[2][2]", &["> 0"]);
    assert_refused(new(&identity(&|w| w[15] = -1.0), &v), ErrorKind::NotPositive, "delassus[3][3]", &[">= 0"]);
    assert_refused(new(&identity(&|w| w[12] = 0.5), &v), ErrorKind::NotSymmetric, "delassus[3][0]", &["0.5"]);
    let indefinite = identity(&|w| (w[2], w[8]) = (2.0, 2.0));
    assert_refused(new(&indefinite, &v), ErrorKind::NotPositive, "delassus", &["semidefinite", "1e-9"]);
    // Twice the same contact cannot have two velocities.
    let same = identity(&|w| (w[2], w[8], w[7], w[13]) = (1.0, 1.0, 1.0, 1.0));
    assert_refused(new(&same, &[-1.0, 0.0, -2.0, 0.0]), ErrorKind::OutsideRange, "contact_velocity", &["1e-9"]);
    assert!(new(&same, &[-1.0, 0.5, -1.0, 0.5]).is_ok());

    let set = new(&w, &v).unwrap();
    let some = coefficients(0.5, 0.3);
    assert_refused(set.impact(&[some], Guard::Report), ErrorKind::Shape, "coefficients", &["1 entries", "2 contacts"]);
    let frictionless = Coefficients::frictionless(Restitution::new(0.5).unwrap());
    let missing = set.impact(&[some, frictionless], Guard::Report);
    assert_refused(missing, ErrorKind::Missing, "coefficients[1].friction", &[]);
    let mass = [1.0, 0.0, 0.0, 1.0];
    let from = |a: &[f64], rows: usize| {
        ContactSet::from_generalized(
            &two,
            MatrixView::row_major(2, 2, &mass),
            MatrixView::row_major(rows, 2, a),
            &[0.0, -1.0],
        )
    };
    assert_refused(from(&[0.0, 1.0, 1.0, 0.0], 2), ErrorKind::Shape, "contact_jacobian", &["2 rows", "4 rows"]);
    let zero = [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    assert_refused(from(&zero, 4), ErrorKind::NotPositive, "contact_jacobian[2]", &["zero"]);
}

/// An answer beyond the range of numbers is refused by its name.
#[test]
fn overflow_is_named() {
    let w = [1e-200, 0.0, 0.0, 1e-200];
    let set = ContactSet::new(&[Dimension::Normal; 2], MatrixView::row_major(2, 2, &w), &[-1e150, -1.0]).unwrap();
    let elastic = Coefficients::frictionless(Restitution::new(1.0).unwrap());
    let error = set.impact(&[elastic; 2], Guard::Report).unwrap_err();
    assert_eq!(error, Error::Overflow { field: "contacts[0].impulse".into() });
}

#[test]
fn not_converged_names_residual_and_bound() {
    let error = Error::NotConverged { field: "impulse".into(), residual: 2e-3, bound: 1e-8, best: vec![1.0, 2.0] };
    assert_eq!((error.kind(), error.field()), (ErrorKind::NotConverged, "impulse"));
    let text = error.to_string();
    assert!(text.contains("2e-3") && text.contains("1e-8"), "{text}");
}

#[cfg(feature = "serde")]
#[test]
fn outcome_as_json_and_back() {
    let set = planar(&PLASTIC_GAIN, &[-0.89, -1.04, -0.33, -1.92]);
    let o = set.impact(&[coefficients(0.0, 1.3), coefficients(0.0, 1.7)], Guard::Slip).unwrap();
    let text = serde_json::to_string(&o).unwrap();
    for name in [
        "\"mode\":\"slip\"",
        "\"restitution_factor\"",
        "\"blended\":false",
        "\"name\":\"slip\"",
        "\"contact_dimension\":2",
    ] {
        assert!(text.contains(name), "{text} lacks {name}");
    }
    assert_eq!(serde_json::from_str::<SimultaneousOutcome>(&text).unwrap(), o);
}

#[test]
fn uncoupled_contact_that_separates_changes_nothing() {
    let delassus = Delassus::planar([[1.00956029, 1.52130866], [1.52130866, 2.44033805]]).unwrap();
    let c = coefficients(0.5, 0.5);
    let alone = Contact::new(delassus, &[-0.13420201, -0.26717434]).unwrap().impact(&c, Guard::Slip).unwrap();
    let mut w = [[0.0; 4]; 4];
    (w[0][0], w[0][1], w[1][0], w[1][1]) = (1.00956029, 1.52130866, 1.52130866, 2.44033805);
    (w[2][2], w[3][3]) = (3.0, 2.0);
    let o = planar(&w, &[-0.13420201, -0.26717434, 0.4, 1.0]).impact(&[c; 2], Guard::Slip).unwrap();
    assert_eq!(o.contacts[0].impulse, alone.impulse);
    assert_eq!(o.contacts[1].mode, Mode::Separating);
    assert_eq!(*o.contacts[1].impulse, [0.0, 0.0]);
    assert_eq!(o.contacts[1].contact_velocity.before, o.contacts[1].contact_velocity.after);
}

/// Twelve rows on nine freedoms, of which the last hardly moves the contacts: as of a small tree on four feet.
#[test]
fn velocities_of_mechanisms_occur_however_nearly_singular_the_matrix() {
    let mut rng = fastrand::Rng::with_seed(12);
    for weak in [1.0, 1e-2, 1e-3, 1e-4, 1e-5] {
        for _ in 0..200 {
            let mut row = || -> Vec<f64> {
                let share = |n: usize| if n == 8 { weak } else { 1.0 };
                (0..9).map(|n| share(n) * (2.0 * rng.f64() - 1.0)).collect()
            };
            let rows: Vec<Vec<f64>> = (0..12).map(|_| row()).collect();
            let freedoms: Vec<f64> =
                row().iter().enumerate().map(|(n, x)| if n == 8 { x / weak } else { *x }).collect();
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let w: Vec<f64> = rows.iter().flat_map(|a| rows.iter().map(|b| dot(a, b))).collect();
            let velocity: Vec<f64> = rows.iter().map(|a| dot(a, &freedoms)).collect();
            let set = ContactSet::new(&[Dimension::Spatial; 4], MatrixView::row_major(12, 12, &w), &velocity);
            assert!(set.is_ok(), "{weak}: {set:?}");
        }
    }
}

/// `M` has lost ten digits in its factor, and `A q̇⁺` with them: the velocity after is brought back to what the law found.
/// Found by `cargo xtask soak`.
#[test]
fn velocities_of_an_ill_conditioned_mechanism_are_those_of_its_contacts() {
    #[rustfmt::skip]
    let mass = [
        0.25904034504553636, 0.2567044475643124, 0.1342307627077787, 0.22955700382234479, -0.23023684431537195,
        0.2567044475643124, 0.8715658269345075, -0.0077304016001234314, -0.10169612631257198, 0.030689865711605972,
        0.1342307627077787, -0.0077304016001234314, 0.1260681585453877, 0.1944802401691753, -0.18094537901363164,
        0.22955700382234479, -0.10169612631257198, 0.1944802401691753, 0.3798533005940634, -0.3462246622838833,
        -0.23023684431537195, 0.030689865711605972, -0.18094537901363164, -0.3462246622838833, 0.33332822843290194,
    ];
    #[rustfmt::skip]
    let jacobian = [
        -0.45912204896315956, -1.108098396823661, -0.06164959523913005, -1.5539809344268845, 2.655554771396684,
        -0.29017744843212867, -0.2387573945371848, -1.7902796936160899, 1.640869317464964, -0.9906598830435032,
        0.0843532213476399, 0.31377673872842937, -0.13855084259779993, 0.05060789128633569, 0.714226441619874,
        0.24789969585005522, -0.9432819861104083, 1.0590176928617607, -1.3472345581652805, -0.18746760769588988,
    ];
    let velocity = [0.2969539896866724, 1.4802155599171218, 1.2046202718925167, 0.207924649280943, 0.12810758452148718];
    let set = ContactSet::from_generalized(
        &[Dimension::Planar; 2],
        MatrixView::row_major(5, 5, &mass),
        MatrixView::row_major(4, 5, &jacobian),
        &velocity,
    );
    let elastic = Restitution::new(0.2922400304190882).unwrap();
    let other = Restitution::with_tangential(0.010904310095733285, 0.4780494331081906).unwrap();
    let friction = |mu| Friction::new(mu).unwrap();
    let coefficients = [
        Coefficients::new(elastic, friction(1.369364057520496)),
        Coefficients::new(other, friction(18.760814098089682)),
    ];
    let outcome = set.unwrap().impact(&coefficients, Guard::Slip).unwrap();
    let after = outcome.velocity.unwrap();
    for (row, told) in outcome.contacts.iter().flat_map(|contact| contact.contact_velocity.after.to_vec()).enumerate() {
        let anew: f64 = jacobian[5 * row..5 * row + 5].iter().zip(&after).map(|(a, v)| a * v).sum();
        assert!((anew - told).abs() < 1e-11, "row {row}: {anew} {told}");
    }
}

/// The work of impulses is known as well as the velocities that they are certified with; impulses are large here beside the energy
/// that they exchange. Found by `cargo xtask soak`.
#[test]
fn work_that_the_certificate_leaves_uncertain_is_no_reason_to_refuse() {
    #[rustfmt::skip]
    let mass = [
        1.545630971561569e+51, 4.048018816755841e+60, 2.5532686238053735e+57, -1.0050580874158917e+56,
        4.048018816755841e+60, 7.383886355011126e+71, 1.466274387819217e+67, -1.0492199332999251e+67,
        2.5532686238053735e+57, 1.466274387819217e+67, 1.6075376727063122e+64, 1.6122443566477492e+63,
        -1.0050580874158917e+56, -1.0492199332999251e+67, 1.6122443566477492e+63, 1.2403067878339726e+63,
    ];
    #[rustfmt::skip]
    let jacobian = [
        -5.22731515428553e-07, 8374.403327406877, -0.07399390365354706, 0.10903902609824259,
        -6.625956934064512e-07, 2068.1744821444445, 0.22288881423338033, 0.11184724923371347,
        -6.870668289894896e-12, -0.03393471484180821, 8.108497623309982e-05, -2.3812313934892254e-05,
        3.9820774587815545e-11, -0.40366161208707, -0.00010953829084707913, 2.6644059693281342e-05,
    ];
    let velocity = [7.394061011704853e-37, -8.037310374414966e-47, -3.771454663561986e-43, -1.2926193102661684e-42];
    let set = ContactSet::from_generalized(
        &[Dimension::Planar; 2],
        MatrixView::row_major(4, 4, &mass),
        MatrixView::row_major(4, 4, &jacobian),
        &velocity,
    );
    let other = Restitution::with_tangential(0.8422593534452826, -0.5197877240768626).unwrap();
    let friction = Friction::with_static(1.6996215067080767, 0.8736150961708546).unwrap();
    let coefficients = [coefficients(1.0, 1.0210784831878876), Coefficients::new(other, friction)];
    let energy = set.unwrap().impact(&coefficients, Guard::Report).unwrap().energy;
    let (before, after) = (energy.before.unwrap(), energy.after.unwrap());
    assert!((energy.change - (after - before)).abs() <= 1e-9 * before, "{energy:?}");
}

/// Impacts that follow each other have each booked their work, with velocities that are known to what they were certified to. Told
/// is the work of the impulses as they are. Found by `cargo xtask soak`.
#[test]
fn the_energy_of_a_sequence_is_the_work_of_its_impulses() {
    #[rustfmt::skip]
    let w = [
        10.0, 1.0, 13.0, 1.0, -1.0, 10.0, -6.0, 6.0, -8.0, 8.0, 2.0,
        1.0, 17.0, 13.0, 17.0, -17.0, 14.0, -11.0, -2.0, -6.0, 6.0, 8.0,
        13.0, 13.0, 25.0, 13.0, -13.0, 22.0, -15.0, 6.0, -14.0, 14.0, 8.0,
        1.0, 17.0, 13.0, 17.0, -17.0, 14.0, -11.0, -2.0, -6.0, 6.0, 8.0,
        -1.0, -17.0, -13.0, -17.0, 17.0, -14.0, 11.0, 2.0, 6.0, -6.0, -8.0,
        10.0, 14.0, 22.0, 14.0, -14.0, 20.0, -14.0, 4.0, -12.0, 12.0, 8.0,
        -6.0, -11.0, -15.0, -11.0, 11.0, -14.0, 10.0, -2.0, 8.0, -8.0, -6.0,
        6.0, -2.0, 6.0, -2.0, 2.0, 4.0, -2.0, 4.0, -4.0, 4.0, 0.0,
        -8.0, -6.0, -14.0, -6.0, 6.0, -12.0, 8.0, -4.0, 8.0, -8.0, -4.0,
        8.0, 6.0, 14.0, 6.0, -6.0, 12.0, -8.0, 4.0, -8.0, 8.0, 4.0,
        2.0, 8.0, 8.0, 8.0, -8.0, 8.0, -6.0, 0.0, -4.0, 4.0, 4.0,
    ];
    let v = [-16.0, -12.0, -28.0, -12.0, 12.0, -24.0, 16.0, -8.0, 16.0, -16.0, -8.0];
    let dimensions = [Dimension::Normal, Dimension::Spatial, Dimension::Spatial, Dimension::Planar, Dimension::Planar];
    let steel = Restitution::with_tangential(0.02517936191723489, 0.22520922757322492).unwrap();
    let coefficients = [
        coefficients(0.8216419823418529, 0.5366616134393736),
        Coefficients::new(
            Restitution::new(0.2465816263468981).unwrap(),
            Friction::with_static(0.3270119311994359, 0.19884011758845807).unwrap(),
        ),
        coefficients(0.3933044450702303, 287.2044033901693),
        Coefficients::new(steel, Friction::new(1.0307692470678225).unwrap()),
        coefficients(0.08021682348715084, 1.463921212760096),
    ];
    let set = ContactSet::new(&dimensions, MatrixView::row_major(11, 11, &w), &v).unwrap();
    let o = set.impact(&coefficients, Guard::Limit).unwrap();
    assert!(o.sequence > 1);
    let i = impulse(&o);
    let mean = |r: usize| v[r] + 0.5 * (0..11).map(|c| w[11 * r + c] * i[c]).sum::<f64>();
    let work: f64 = (0..11).map(|r| mean(r) * i[r]).sum();
    assert!((work - o.energy.change).abs() < 1e-11, "{work} {}", o.energy.change);
    assert!((o.energy.normal + o.energy.tangential - o.energy.change).abs() < 1e-13);
}

/// Two of Kane's pendulums, hardly coupled and told apart by rounding alone. Both stick and create energy; that of one would do to pay for
/// both. The guard lets them slide together: one alone would be the choice of rounding.
#[test]
fn contacts_that_create_as_much_energy_slide_together() {
    let (nn, nt, tt, c) = (1.0095602905040895, 1.5213086580107782, 2.44033804569631, 1e-3);
    let w = [[nn, nt, c, 0.0], [nt, tt, 0.0, c], [c, 0.0, nn, nt], [0.0, c, nt, tt]];
    let (v_n, v_t) = (-0.13420201433256687, -0.2671743428354786);
    for rounding in [1e-13, -1e-13] {
        let set = planar(&w, &[v_n, v_t, v_n * (1.0 + rounding), v_t * (1.0 + rounding)]);
        let coefficients = [coefficients(0.42, 0.5); 2];
        let stuck = set.impact(&coefficients, Guard::Report).unwrap();
        assert_eq!(modes(&stuck), [Mode::Stick; 2]);
        assert!(stuck.energy.change > 0.0);
        let slid = set.impact(&coefficients, Guard::Slip).unwrap();
        assert_eq!(modes(&slid), [Mode::Slip; 2]);
        let i = impulse(&slid);
        assert_close(&i[..2], &i[2..], 1e-9);
    }
}

/// The first contact reverses: its average tangential velocity is rounding, and has no direction that its friction could be turned
/// against.
#[test]
fn the_friction_of_a_reversal_is_not_turned_by_rounding() {
    #[rustfmt::skip]
    let mass = [
        30.0, -3.0, -1.0, -15.0, 2.0, 20.0,
        -3.0, 58.0, 7.0, 1.0, -11.0, -28.0,
        -1.0, 7.0, 50.0, -3.0, -15.0, -25.0,
        -15.0, 1.0, -3.0, 25.0, 8.0, -14.0,
        2.0, -11.0, -15.0, 8.0, 19.0, 2.0,
        20.0, -28.0, -25.0, -14.0, 2.0, 67.0,
    ];
    #[rustfmt::skip]
    let jacobian = [
        0.0, 3.0, 4.0, -4.0, 0.0, -1.0,
        4.0, 1.0, 4.0, 0.0, -4.0, 3.0,
        -3.0, 2.0, -1.0, -4.0, 4.0, 1.0,
        4.0, 1.0, -2.0, 2.0, -4.0, 3.0,
        -2.0, 2.0, -4.0, 1.0, 1.0, 2.0,
        -3.0, 0.0, -3.0, 2.0, 3.0, 0.0,
    ];
    let (mass, jacobian) = (MatrixView::row_major(6, 6, &mass), MatrixView::row_major(6, 6, &jacobian));
    let velocity = [-3.0, -1.0, -3.0, -1.0, 2.0, 3.0];
    let set = ContactSet::from_generalized(&[Dimension::Spatial; 2], mass, jacobian, &velocity).unwrap();
    let contact = |e: f64, e_t: f64, mu_s: f64, mu_d: f64| {
        Coefficients::new(Restitution::with_tangential(e, e_t).unwrap(), Friction::with_static(mu_s, mu_d).unwrap())
    };
    let outcome = set.impact(&[contact(0.5, -1.0, 4.0, 2.0), contact(1.0, 0.5, 2.0, 1.0)], Guard::Slip).unwrap();
    assert_eq!(modes(&outcome), [Mode::Reversal, Mode::Separating]);
    assert_close(&after(&outcome)[..3], &[7.0, 24.0, -25.0], 1e-12);
}
