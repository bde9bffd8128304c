//! Bad input is refused with the field, the value and the bound.

mod common;

use carom_law::batch::{self, Answers, Column, Problems};
use carom_law::{
    Coefficients, Contact, ContactSet, Delassus, Dimension, Error, ErrorKind, Friction, GeneralizedContact, Guard, Law,
    MatrixView, Restitution, Result,
};
use common::random::{self, FAMILIES};
use nalgebra::{DMatrix, DVector};

/// The error of a call that must fail.
fn refused<T>(result: Result<T>) -> Error {
    match result {
        Ok(_) => panic!("accepted"),
        Err(error) => error,
    }
}

/// The kind and the field are these, and the message names the field and every `part`.
fn assert_refused<T>(result: Result<T>, kind: ErrorKind, field: &str, parts: &[&str]) {
    let error = refused(result);
    let message = error.to_string();
    assert_eq!((error.kind(), error.field()), (kind, field), "{message}");
    for part in parts.iter().chain(&[field]) {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

const REGULAR: [[f64; 3]; 3] = [[1.0, 0.2, 0.1], [0.2, 2.0, 0.3], [0.1, 0.3, 3.0]];

fn mechanism() -> (DMatrix<f64>, DMatrix<f64>, DVector<f64>) {
    let m = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 1.0]);
    (m, DMatrix::from_row_slice(2, 2, &[1.0, 0.5, 0.0, 1.0]), DVector::from_column_slice(&[-1.0, 0.5]))
}

#[test]
fn coefficients_must_be_finite() {
    for bad in BAD {
        let value = bad.to_string();
        let check = |result: Result<()>, field: &str| {
            assert_refused(result, ErrorKind::NotFinite, field, &[&value, "is not finite"]);
        };
        check(Restitution::new(bad).map(drop), "restitution");
        check(Restitution::with_tangential(bad, 0.0).map(drop), "restitution.normal");
        check(Restitution::with_tangential(0.0, bad).map(drop), "restitution.tangential");
        check(Restitution::hunt_crossley(bad).map(drop), "restitution.hunt_crossley.alpha");
        let stiffness = "restitution.hunt_crossley.stiffness";
        check(Restitution::from_stiffness_and_damping(bad, 1.0).map(drop), stiffness);
        check(Restitution::from_stiffness_and_damping(1.0, bad).map(drop), "restitution.hunt_crossley.damping");
        check(Friction::new(bad).map(drop), "friction");
        check(Friction::with_static(bad, 0.5).map(drop), "friction.static");
        check(Friction::with_static(0.5, bad).map(drop), "friction.dynamic");
    }
}

#[test]
fn coefficients_must_be_in_range() {
    let range = ErrorKind::OutOfRange;
    for bad in [-1e-300, 1.0_f64.next_up(), 7.0] {
        let value = format!("= {bad} ");
        assert_refused(Restitution::new(bad), range, "restitution", &[&value, "[0, 1]"]);
        assert_refused(Restitution::with_tangential(bad, 0.0), range, "restitution.normal", &[&value, "[0, 1]"]);
    }
    for bad in [(-1.0_f64).next_down(), 1.0_f64.next_up()] {
        let result = Restitution::with_tangential(0.5, bad);
        assert_refused(result, range, "restitution.tangential", &[&format!("= {bad} "), "[-1, 1]"]);
    }
    assert_refused(Restitution::hunt_crossley(-2.0), range, "restitution.hunt_crossley.alpha", &["-2", "[0, inf)"]);
    let contact = Restitution::from_stiffness_and_damping;
    for stiffness in [0.0, -0.0, -3.0] {
        let field = "restitution.hunt_crossley.stiffness";
        assert_refused(contact(stiffness, 1.0), range, field, &["(0, inf)"]);
    }
    assert_refused(contact(1.0, -0.5), range, "restitution.hunt_crossley.damping", &["-0.5", "[0, inf)"]);
    assert_refused(contact(1e-300, 1e300), range, "restitution.hunt_crossley.damping", &["stiffness"]);
    assert_refused(Friction::new(-0.1), range, "friction", &["-0.1", "[0, inf)"]);
    assert_refused(Friction::with_static(-0.1, 0.0), range, "friction.static", &["-0.1", "[0, inf)"]);
    assert_refused(Friction::with_static(0.1, -0.2), range, "friction.dynamic", &["-0.2", "[0, inf)"]);
    assert_refused(Friction::with_static(0.5, 0.7), range, "friction.dynamic", &["0.7", "friction.static = 0.5"]);
    for (e, e_t) in [(0.0, -1.0), (1.0, 1.0), (-0.0, 0.0)] {
        assert!(Restitution::with_tangential(e, e_t).is_ok());
    }
    assert!(Friction::with_static(0.0, 0.0).is_ok() && Friction::new(f64::MAX).is_ok());
}

#[test]
fn matrices_and_velocities_must_be_finite() {
    for bad in BAD {
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let mut w = REGULAR;
            w[i][j] = bad;
            let parts = [bad.to_string()];
            let parts = [parts[0].as_str()];
            assert_refused(Delassus::spatial(w), ErrorKind::NotFinite, &format!("delassus[{i}][{j}]"), &parts);
            let (mut m, mut a, mut v) = mechanism();
            if i < 2 && j < 2 {
                m[(i, j)] = bad;
                let field = format!("mass_matrix[{i}][{j}]");
                assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), ErrorKind::NotFinite, &field, &parts);
                m = mechanism().0;
                a[(i, j)] = bad;
                let field = format!("contact_jacobian[{i}][{j}]");
                assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), ErrorKind::NotFinite, &field, &parts);
                a = mechanism().1;
                v[i] = bad;
                let field = format!("velocity[{i}]");
                assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), ErrorKind::NotFinite, &field, &parts);
            }
        }
        for k in 0..3 {
            let mut v = [-1.0, 0.5, 0.5];
            v[k] = bad;
            let field = format!("contact_velocity[{k}]");
            let result = Contact::new(Delassus::spatial(REGULAR).unwrap(), &v);
            assert_refused(result, ErrorKind::NotFinite, &field, &[]);
        }
        assert_refused(Delassus::normal(bad), ErrorKind::NotFinite, "delassus[0][0]", &[]);
    }
}

#[test]
fn shapes_must_fit() {
    let shape = ErrorKind::Shape;
    let none: [[f64; 3]; 0] = [];
    assert_refused(Delassus::from_rows(&none), shape, "delassus", &["0 rows", "1, 2 or 3 rows"]);
    assert_refused(Delassus::from_rows(&[[1.0; 4]; 4]), shape, "delassus", &["4 rows", "1, 2 or 3 rows"]);
    assert_refused(Dimension::from_rows(7, "contact_jacobian"), shape, "contact_jacobian", &["7 rows"]);
    let ragged = [vec![1.0, 0.0], vec![0.0]];
    assert_refused(Delassus::from_rows(&ragged), shape, "delassus[1]", &["1 numbers", "2 numbers"]);
    assert_refused(Delassus::from_rows(&[[1.0, 0.0]]), shape, "delassus[0]", &["2 numbers", "1 numbers"]);
    for length in [0, 1, 2, 4] {
        let result = Contact::new(Delassus::spatial(REGULAR).unwrap(), &vec![-1.0; length]);
        assert_refused(result, shape, "contact_velocity", &[&format!("{length} numbers"), "3 numbers"]);
    }
    let (m, a, v) = mechanism();
    let new = |m: &DMatrix<f64>, a: &DMatrix<f64>, v: &[f64]| GeneralizedContact::new(m, a, v);
    let v = v.as_slice();
    let zeros = DMatrix::<f64>::zeros;
    assert_refused(new(&zeros(0, 0), &a, v), shape, "mass_matrix", &["0 x 0", "square"]);
    assert_refused(new(&zeros(2, 3), &a, v), shape, "mass_matrix", &["2 x 3", "square"]);
    assert_refused(new(&m, &zeros(0, 2), v), shape, "contact_jacobian", &["0 rows"]);
    assert_refused(new(&m, &zeros(4, 2), v), shape, "contact_jacobian", &["4 rows"]);
    assert_refused(new(&m, &zeros(2, 3), v), shape, "contact_jacobian", &["2 x 3", "2 x 2"]);
    assert_refused(new(&m, &a, &[0.0; 3]), shape, "velocity", &["3 numbers", "2 numbers"]);
    let short = MatrixView::row_major(2, 2, &[1.0; 3]);
    assert_refused(GeneralizedContact::new(short, &a, v), shape, "mass_matrix", &["3 numbers", "2 x 2 numbers"]);
}

#[test]
fn matrices_must_be_symmetric() {
    let kind = ErrorKind::NotSymmetric;
    for (i, j) in [(1, 0), (2, 0), (2, 1)] {
        for (row, column) in [(i, j), (j, i)] {
            let mut w = REGULAR;
            w[row][column] = 0.0;
            let parts = ["mirror", "only one triangle"];
            assert_refused(Delassus::spatial(w), kind, &format!("delassus[{i}][{j}]"), &parts);
        }
        // Rounding is averaged.
        let mut w = REGULAR;
        w[i][j] += 1e-11;
        assert!(Delassus::spatial(w).is_ok());
        w[i][j] += 1e-7;
        assert_refused(Delassus::spatial(w), kind, &format!("delassus[{i}][{j}]"), &["mirror"]);
    }
    let (mut m, a, v) = mechanism();
    m[(0, 1)] = 0.0;
    let result = GeneralizedContact::new(&m, &a, v.as_slice());
    assert_refused(result, kind, "mass_matrix[1][0]", &["0.5", "mirror entry is 0", "only one triangle"]);
}

#[test]
fn matrices_must_be_positive() {
    let kind = ErrorKind::NotPositive;
    for w_nn in [0.0, -0.0, -1.0] {
        assert_refused(Delassus::normal(w_nn), kind, "delassus[0][0]", &["normal entry", "> 0"]);
        let planar = Delassus::planar([[w_nn, 0.0], [0.0, 1.0]]);
        assert_refused(planar, kind, "delassus[0][0]", &["semidefinite"]);
    }
    for k in 1..3 {
        let mut w = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        w[k][k] = -0.25;
        let parts = ["-2.5e-1", ">= 0", "semidefinite"];
        assert_refused(Delassus::spatial(w), kind, &format!("delassus[{k}][{k}]"), &parts);
    }
    let coupled = Delassus::planar([[1.0, 2.0], [2.0, 1.0]]);
    assert_refused(coupled, kind, "delassus", &["eigenvalue", "-3e0", ">= -1e-13"]);
    // A diagonal entry of zero allows no coupling.
    assert_refused(Delassus::planar([[1.0, 0.5], [0.5, 0.0]]), kind, "delassus", &["semidefinite"]);
    let (mut m, a, v) = mechanism();
    m[(1, 1)] = 0.0;
    assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), kind, "mass_matrix[1][1]", &["> 0", "definite"]);
    m[(1, 1)] = 0.1;
    let result = GeneralizedContact::new(&m, &a, v.as_slice());
    assert_refused(result, kind, "mass_matrix", &["pivot 1", "not positive definite"]);
    // Singular to the last bit.
    m[(1, 1)] = 0.125;
    assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), kind, "mass_matrix", &["pivot 1"]);
    let (m, mut a, v) = mechanism();
    a.row_mut(0).fill(0.0);
    assert_refused(GeneralizedContact::new(&m, &a, v.as_slice()), kind, "contact_jacobian[0]", &["is zero"]);
}

#[test]
fn friction_is_missing_unless_there_are_no_tangents() {
    let coefficients = Coefficients::frictionless(Restitution::new(0.5).unwrap());
    for v_n in [-1.0, 1.0] {
        let planar = Contact::new(Delassus::planar([[1.0, 0.0], [0.0, 1.0]]).unwrap(), &[v_n, 0.0]).unwrap();
        let spatial = Contact::new(Delassus::spatial(REGULAR).unwrap(), &[v_n, 0.0, 0.0]).unwrap();
        for contact in [planar, spatial] {
            let result = contact.impact(&coefficients, Guard::Report);
            assert_refused(result, ErrorKind::Missing, "friction", &["dimension 1"]);
        }
        let normal = Contact::new(Delassus::normal(1.0).unwrap(), &[v_n]).unwrap();
        assert!(normal.impact(&coefficients, Guard::Report).is_ok());
    }
}

/// Tangents of so little mobility beside the normal that friction underflows in the contact's units: its digits were lost, and impulses
/// left their cones by up to 3e-4.
#[test]
fn friction_must_keep_its_digits_in_the_units_of_its_contact() {
    let coefficients = |mu: f64| Coefficients::new(Restitution::new(0.5).unwrap(), Friction::new(mu).unwrap());
    let range = ErrorKind::OutOfRange;
    let contact = Contact::new(Delassus::planar([[4e53, 0.0], [0.0, 1.0]]).unwrap(), &[-1.0, 1.0]).unwrap();
    for law in [Law::Aghili, Law::Moreau] {
        let impact = |mu: f64| contact.impact_by(law, &coefficients(mu), Guard::Report);
        assert_refused(impact(3e-294), range, "friction.static", &["0 and ", "use 0"]);
        assert_eq!(impact(0.0).unwrap().impulse[1], 0.0);
        let outcome = impact(1e-250).unwrap();
        assert!((outcome.impulse[1] / outcome.impulse[0] + 1e-250).abs() <= 1e-265, "{:?}", outcome.impulse);
    }
    for (tangent, mu) in [(1e-321, 1.0), (1e-310, 1e-8)] {
        let mass = MatrixView::row_major(2, 2, &[1.0, 0.0, 0.0, 1.0]);
        let jacobian = [1.0, 0.0, 0.0, tangent, 1.0, 0.5, 0.0, 1.0];
        let jacobian = MatrixView::row_major(4, 2, &jacobian);
        let set = ContactSet::from_generalized(&[Dimension::Planar; 2], mass, jacobian, &[-1.0, 0.5]).unwrap();
        let impact = |mu: f64| set.impact(&[coefficients(mu), coefficients(0.5)], Guard::Report);
        assert_refused(impact(mu), range, "coefficients[0].friction", &["0 and ", "use 0"]);
        assert!(impact(0.0).is_ok());
    }
}

#[test]
fn impossible_velocities_and_answers_are_refused() {
    let singular = Delassus::planar([[1.0, 1.0], [1.0, 1.0]]).unwrap();
    let result = Contact::new(singular, &[-1.0, -2.0]);
    assert_refused(result, ErrorKind::OutsideRange, "contact_velocity", &["singular", "range", "1e-9"]);
    let contact = Contact::new(Delassus::normal(1e-300).unwrap(), &[-1e300]).unwrap();
    let result = contact.impact(&Coefficients::frictionless(Restitution::new(0.0).unwrap()), Guard::Report);
    assert_refused(result, ErrorKind::Overflow, "impulse", &["f64", "units"]);
    let m = DMatrix::from_element(1, 1, 1.0);
    let a = DMatrix::from_element(1, 1, 1e200);
    let result = GeneralizedContact::new(&m, &a, &[1e200]);
    assert_refused(result, ErrorKind::Overflow, "contact_velocity.before[0]", &["f64"]);
}

#[test]
fn messages_read_well() {
    let message = |error: Error| error.to_string();
    assert_eq!(message(refused(Restitution::new(1.5))), "restitution = 1.5 is outside [0, 1]");
    assert_eq!(
        message(refused(Friction::with_static(0.5, 0.75))),
        "friction.dynamic = 0.75 is outside [0, friction.static = 0.5]"
    );
    assert_eq!(message(refused(Delassus::normal(f64::INFINITY))), "delassus[0][0] = inf is not finite");
    assert_eq!(
        message(refused(Delassus::from_rows(&[[1.0; 4]; 4]))),
        "delassus is 4 rows, but must be 1, 2 or 3 rows, the normal first"
    );
    assert_eq!(
        message(refused(Delassus::planar([[1.0, 0.5], [0.0, 1.0]]))),
        "delassus[1][0] = 0 but its mirror entry is 0.5: they may differ by 1e-9 at most; \
         was only one triangle of the matrix filled?"
    );
    assert_eq!(
        message(refused(Delassus::normal(-2.0))),
        "delassus[0][0] is not positive semidefinite: the normal entry is -2e0, must be > 0"
    );
}

#[test]
fn batches_must_have_one_length() {
    let mut rng = random::generator("batches_must_have_one_length");
    let p = random::problem(&mut rng, 3, FAMILIES[0]);
    let fields = [
        "delassus",
        "contact_velocity",
        "restitution",
        "restitution.tangential",
        "friction.static",
        "friction.dynamic",
        "impulse",
        "contact_velocity.after",
        "energy.change",
    ];
    for wrong in fields.map(Some).into_iter().chain([None]) {
        let length = |field: &str| if wrong == Some(field) { 4 } else { 3 };
        let many = |x: f64, field: &str| vec![x; length(field)];
        let delassus = [p.w[0][0], p.w[0][1], p.w[0][2], p.w[1][1], p.w[1][2], p.w[2][2]].map(|x| many(x, "delassus"));
        let velocity = p.v.map(|x| many(x, "contact_velocity"));
        let (e, e_t) = (many(p.e, "restitution"), many(p.e_t, "restitution.tangential"));
        let (mu_s, mu_d) = (many(p.mu_s, "friction.static"), many(p.mu_d, "friction.dynamic"));
        let mut mode = [None; 3];
        let mut impulse = [(); 3].map(|()| many(0.0, "impulse"));
        let mut after = [(); 3].map(|()| many(0.0, "contact_velocity.after"));
        let mut change = many(0.0, "energy.change");
        let (w, v) = (delassus.each_ref().map(Column::from), velocity.each_ref().map(Column::from));
        let mut problems = Problems::new(w, v, &e, &mu_d);
        (problems.restitution_tangential, problems.friction_static) = ((&e_t).into(), (&mu_s).into());
        let impulses = impulse.each_mut().map(Vec::as_mut_slice);
        let mut answers = Answers::new(&mut mode, impulses, after.each_mut().map(Vec::as_mut_slice), &mut change);
        let result = batch::solve(&problems, &mut answers);
        match wrong {
            Some(field) => assert_refused(result, ErrorKind::Shape, field, &["4 numbers", "3 numbers"]),
            None => assert_eq!(result, Ok(Vec::new())),
        }
    }
}

#[test]
fn every_kind_has_the_name_that_files_use() {
    for kind in ErrorKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
    }
}
