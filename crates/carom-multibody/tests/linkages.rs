//! Linkages: how files close them and what is refused, and four-bar linkages with all the digits that others have of them.

mod common;

use std::path::Path;

use carom_multibody::load::{self, Options as LoadOptions};
use carom_multibody::{
    ContactPoint, Contacts, Dynamics, DynamicsError, LinkId, Loop, LoopKind, Model, State, Vector, WarningKind,
};
use common::*;

const FOUR_BAR: &str = r#"<mujoco model="four-bar"><compiler angle="radian"/><option gravity="0 0 -9.81"/>
<worldbody>
 <body name="crank"><joint name="crank" axis="0 -1 0"/>
  <inertial pos="0.2 0 0" mass="0.5" diaginertia="1e-9 0.006666666666666667 0.006666666666666667"/>
  <body name="coupler" pos="0.4 0 0"><joint name="coupler" axis="0 -1 0"/>
   <inertial pos="0.45 0 0" mass="1.2" diaginertia="1e-9 0.081 0.081"/>
   <site name="tip" pos="0.45 0 -0.5"/></body></body>
 <body name="rocker" pos="1 0 0"><joint name="rocker" axis="0 -1 0"/>
  <inertial pos="0.35 0 0" mass="0.8" diaginertia="1e-9 0.032666666666666667 0.032666666666666667"/>
  <site name="end" pos="0.7 0 0"/></body>
</worldbody>
<equality>CONDITION</equality></mujoco>"#;

fn four_bar(condition: &str) -> Model {
    let text = FOUR_BAR
        .replace("CONDITION", condition)
        .replace("<site name=\"tip\"", "<site name=\"pin\" pos=\"0.9 0 0\"/><site name=\"tip\"");
    load::text(&text, Path::new("four-bar.xml"), &LoadOptions::new()).unwrap()
}

#[test]
fn a_four_bar_linkage_has_its_w_in_18_digits() {
    // reference/loops/four_bar.json: minimal coordinates and quadrature in 30 digits.
    let reference: serde_json::Value =
        serde_json::from_str(include_str!("../../../reference/loops/four_bar.json")).unwrap();
    let number = |path: &str| reference.pointer(path).unwrap().as_str().unwrap().parse::<f64>().unwrap();
    let model = four_bar(r#"<connect name="pin" site1="pin" site2="end"/>"#);
    assert_eq!(model.plane().map(|plane| plane.to_array()[1].abs()), Some(1.0));
    let start = State::new()
        .position("crank", number("/crank_at_impact"))
        .position("coupler", 0.4)
        .position("rocker", -1.5)
        .velocity("crank", number("/crank_rate_before/0"));
    let (q, v) = model.state(&start).unwrap();
    let contact = ContactPoint::at_place(&model, "tip", [0.0, 0.0, 1.0]).unwrap();
    let mut contacts = Contacts::new(&model, &[contact]);
    let mut dynamics = Dynamics::new(model);
    dynamics.set_state(&q, &v).unwrap();
    let open = dynamics.contact_terms(&mut contacts).unwrap_err();
    assert!(matches!(&open, DynamicsError::OpenLoop { name, .. } if name == "pin"), "{open}");

    let held = [true, false, false];
    let closing = dynamics.close_loops(&held, &held).unwrap().unwrap();
    assert!(closing.gap < 1e-15, "{closing:?}");
    assert_eq!((dynamics.configuration()[0], dynamics.velocity()[0]), (q[0], v[0]));
    assert_eq!(dynamics.loop_rank().unwrap(), 2);
    dynamics.contact_terms(&mut contacts).unwrap();
    for i in 0..2 {
        for j in 0..2 {
            let wanted = number(&format!("/W/{i}/{j}"));
            assert!((contacts.delassus()[(i, j)] - wanted).abs() < 1e-14, "{} {wanted}", contacts.delassus()[(i, j)]);
        }
        let wanted = number(&format!("/contact_velocity_first/{i}"));
        assert!((contacts.velocity()[i] - wanted).abs() < 1e-14, "{} {wanted}", contacts.velocity()[i]);
    }
    // Angles of the file are relative to the parent: rates of the rods in the plane.
    let [crank, coupler, rocker] = [0, 1, 2].map(|k| dynamics.velocity()[k]);
    for (rate, wanted) in
        [crank, crank + coupler, rocker].into_iter().zip(["/rates_first/0", "/rates_first/1", "/rates_first/2"])
    {
        assert!((rate - number(wanted)).abs() < 1e-13, "{rate} {}", number(wanted));
    }
}

#[test]
fn files_state_loops_in_several_ways() {
    // At home the pin is at (1.3, 0, 0), and the rocker's end at (1.7, 0, 0): an anchor joins what coincides there.
    let anchored = four_bar(r#"<connect name="pin" body1="coupler" anchor="0.9 0 0" body2="rocker"/>"#);
    let LoopKind::Connect { points, .. } = &anchored.loops()[0].kind else { panic!("a connect") };
    assert!((points[1] - Vector::new(0.3, 0.0, 0.0)).norm() < 1e-15, "{points:?}");
    assert!(Dynamics::new(anchored).loop_miss().unwrap().1 < 1e-15);

    let world = four_bar(r#"<connect body1="coupler" anchor="0.9 0 0"/>"#);
    assert_eq!(world.loops()[0].name, "connect_0");
    assert_eq!(world.loops()[0].kind.links(), Some([world.find_link("coupler").unwrap(), LinkId::WORLD]));

    let coupled = four_bar(r#"<joint name="gear" joint1="rocker" joint2="crank" polycoef="0.1 2"/>"#);
    let mut dynamics = Dynamics::new(coupled);
    dynamics.set_state(&[0.3, 0.0, 0.0], &[1.0, 0.0, 0.0]).unwrap();
    dynamics.close_loops(&[true, false, false], &[true, false, false]).unwrap();
    assert!((dynamics.configuration()[2] - 0.7).abs() < 1e-15 && (dynamics.velocity()[2] - 2.0).abs() < 1e-15);

    let welded = four_bar(r#"<weld name="glue" body1="coupler" body2="rocker"/>"#);
    let mut dynamics = Dynamics::new(welded);
    assert!(dynamics.loop_miss().unwrap().1 < 1e-15);
    // All joints are on one line at home: nothing moves along it, and of three conditions two are left.
    assert_eq!(dynamics.loop_rank().unwrap(), 2);

    // What is not modelled is told, with its name.
    let inactive = four_bar(r#"<connect name="off" body1="coupler" anchor="0 0 0" active="false"/>"#);
    assert!(inactive.loops().is_empty());
    let told = |model: &Model, kind: WarningKind, what: &str| {
        assert!(model.warnings().iter().any(|w| w.kind == kind && w.message.contains(what)), "{:?}", model.warnings());
    };
    told(&inactive, WarningKind::Ignored, "\"off\"");
    let tendon = four_bar(r#"<tendon name="cable" tendon1="none"/>"#);
    assert!(tendon.loops().is_empty());
    told(&tendon, WarningKind::NotModelled, "equality tendon \"cable\"");
    let soft = four_bar(r#"<connect name="pin" body1="coupler" anchor="0.9 0 0" body2="rocker" solref="0.01 1"/>"#);
    told(&soft, WarningKind::Ignored, "rigid");

    let refused = |condition: &str, part: &str| {
        let text = FOUR_BAR.replace("CONDITION", condition);
        let error = load::text(&text, Path::new("four-bar.xml"), &LoadOptions::new()).unwrap_err().to_string();
        assert!(error.contains(part), "{condition}: {error}");
    };
    refused(r#"<connect body1="nobody" anchor="0 0 0"/>"#, "\"nobody\" is not a body");
    refused(r#"<connect body1="crank"/>"#, "needs an anchor");
    refused(r#"<connect site1="tip"/>"#, "needs both site1 and site2");
    refused(r#"<joint joint1="nobody"/>"#, "\"nobody\" is not a joint");
    refused(r#"<joint joint1="crank" polycoef="1 2 3 4 5 6"/>"#, "at most 5");
    refused(r#"<glue body1="crank"/>"#, "<glue> is not a valid element");
    refused(r#"<joint name="a" joint1="crank"/><joint name="a" joint1="rocker"/>"#, "loop name \"a\" is used twice");
}

/// A body that a program moves holds nothing: by its name, by a site on it and inside a frame.
#[test]
fn what_is_held_to_a_mocap_body_is_told_and_not_held_to_where_the_body_was() {
    for condition in [
        r#"<weld name="hold" body1="hand" body2="rocker"/>"#,
        r#"<weld name="hold" body1="rocker" body2="hand"/>"#,
        r#"<weld name="hold" site1="grip" site2="end"/>"#,
        r#"<connect name="hold" site1="end" site2="grip"/>"#,
        r#"<connect name="hold" body1="hand" anchor="0 0 0" body2="rocker"/>"#,
    ] {
        for (before, after) in [("", ""), (r#"<frame pos="0 0 0">"#, "</frame>")] {
            let hand = format!(r#"{before}<body name="hand" mocap="true"><site name="grip"/></body>{after}"#);
            let text = FOUR_BAR.replace("CONDITION", condition).replace("<worldbody>", &format!("<worldbody>{hand}"));
            let model = load::text(&text, Path::new("four-bar.xml"), &LoadOptions::new()).unwrap();
            assert!(model.loops().is_empty(), "{condition}: {:?}", model.loops());
            let told = |w: &carom_multibody::Warning| w.message.contains("\"hold\" to a mocap body");
            assert!(model.warnings().iter().any(told), "{condition}: {:?}", model.warnings());
        }
    }
}

/// What no mechanism can mean, and numbers beyond all bounds: errors or an answer, never a panic.
#[test]
fn senseless_conditions_are_refused_by_name_or_never_close() {
    let refused = |condition: &str, part: &str| {
        let text = FOUR_BAR.replace("CONDITION", condition);
        let error = load::text(&text, Path::new("four-bar.xml"), &LoadOptions::new()).unwrap_err().to_string();
        assert!(error.contains(part), "{condition}: {error}");
    };
    refused(r#"<joint name="own" joint1="crank" joint2="crank"/>"#, "\"own\"");
    refused(r#"<connect name="far" body1="crank" anchor="inf 0 0"/>"#, "anchor");
    refused(r#"<joint name="big" joint1="crank" polycoef="nan"/>"#, "polycoef");

    // A link held to itself moves nothing and closes nothing.
    let own = four_bar(r#"<connect name="own" body1="crank" anchor="0.1 0 0" body2="crank"/>"#);
    let mut dynamics = Dynamics::new(own);
    assert_eq!(dynamics.loop_rank().unwrap(), 0);
    assert!(dynamics.close_loops(&[false; 3], &[false; 3]).unwrap().unwrap().gap < 1e-15);

    // Two places of the world that are apart, and a polynomial that overflows.
    let apart = [[0.0, 0.0, 0.0].into(), [0.0, 0.0, 0.5].into()];
    let world = LoopKind::Connect { links: [LinkId::WORLD; 2], points: apart };
    let polynomial = LoopKind::Joint {
        joints: [Some(0), Some(1)],
        references: [0.0; 2],
        coefficients: [1e308, 1e308, 1e308, 1e308, 1e308],
    };
    for kind in [world, polynomial] {
        let model = four_bar("").with_loops([Loop { name: "torn".to_owned(), kind }]).unwrap();
        let mut dynamics = Dynamics::new(model);
        dynamics.set_state(&[0.1, 2.0, 0.3], &[1.0, -1.0, 0.5]).unwrap();
        let error = dynamics.close_loops(&[false; 3], &[false; 3]).unwrap_err();
        assert!(matches!(&error, DynamicsError::CannotClose { name, .. } if name == "torn"), "{error}");
    }
}

/// A pin that is there twice holds as one does. Its impulse is shared: it is not unique, and the shares add up.
#[test]
fn a_pin_that_is_there_twice_holds_as_one_does_and_its_impulse_is_not_unique() {
    let once = r#"<connect name="pin" site1="pin" site2="end"/>"#;
    let twice = format!(r#"{once}<connect name="again" site1="end" site2="pin"/>"#);
    let answer = |condition: &str| {
        let model = four_bar(condition);
        let contact = ContactPoint::at_place(&model, "tip", [0.0, 0.0, 1.0]).unwrap();
        let mut contacts = Contacts::new(&model, &[contact]);
        let mut dynamics = Dynamics::new(model);
        dynamics.set_state(&[-0.86, 0.41, -1.47], &[-3.0, 0.0, 0.0]).unwrap();
        dynamics.close_loops(&[true, false, false], &[true, false, false]).unwrap();
        dynamics.contact_terms(&mut contacts).unwrap();
        let impulses = dynamics.loop_impulses(&contacts, &[2.0, 0.5]).unwrap();
        (rows(contacts.delassus()).concat(), dynamics.loop_rank().unwrap(), impulses)
    };
    let ((w, rank, one), (again, same, two)) = (answer(once), answer(&twice));
    assert_eq!((rank, same), (2, 2));
    let size = largest(&w);
    assert!(w.iter().zip(&again).all(|(a, b)| (a - b).abs() < 1e-14 * size), "{w:?} {again:?}");
    assert!(one[0].is_unique && !two[0].is_unique && !two[1].is_unique);
    // The second pin states its links the other way round.
    let sum = two[0].force - two[1].force;
    assert!((sum - one[0].force).norm() < 1e-13 * one[0].force.norm(), "{sum:?} {:?}", one[0].force);
    assert!((two[0].force + two[1].force).norm() < 1e-12 * one[0].force.norm(), "the shortest shares alike");
}

/// Both ends of a loop move with the base alike, to the last bit: otherwise rounding of its place would push it.
#[test]
fn a_loop_over_a_floating_base_says_nothing_of_how_the_base_moves() {
    let base =
        r#"<worldbody><body name="base"><freejoint/><inertial pos="0.1 0 0" mass="2" diaginertia="0.1 0.2 0.3"/>"#;
    let text = FOUR_BAR
        .replace(
            "CONDITION",
            r#"<connect name="pin" site1="pin" site2="end"/><weld name="glue" body1="base" body2="rocker"/>"#,
        )
        .replace("<site name=\"tip\"", "<site name=\"pin\" pos=\"0.9 0 0\"/><site name=\"tip\"")
        .replace("<worldbody>", base)
        .replace("</worldbody>", "</body></worldbody>");
    let model = load::text(&text, Path::new("floating.xml"), &LoadOptions::new()).unwrap();
    let mut dynamics = Dynamics::new(model.clone());
    for_cases(50, |rng| {
        let far = [0.0, 1.0, 1e6, 1e12][rng.usize(..4)];
        let turn = rotation(rng).to_quaternion();
        let mut q = vec![far * spread(rng, 1.0), far * spread(rng, 1.0), far * spread(rng, 1.0)];
        q.extend(turn.to_array());
        q.extend(numbers(rng, 3, 2.0));
        dynamics.set_state(&q, &numbers(rng, 9, 2.0)).unwrap();
        let (c, _) = dynamics.loop_rows();
        for (i, row) in rows(&c).iter().enumerate() {
            assert!(row[..3].iter().all(|entry| *entry == 0.0), "row {i}, {far} m away: {row:?}");
            // Nor of how it turns, open as the linkage is: rows are in the axes of a link.
            assert!(row[3..6].iter().all(|entry| entry.abs() < 1e-14), "row {i}, {far} m away: {row:?}");
        }
    });
}

/// Near its change point a parallelogram has a W in closed form: both cranks turn as one, the coupler only translates.
#[test]
fn near_a_change_point_w_keeps_its_digits() {
    let rod = |mass: f64, length: f64| (mass, length, mass * length * length / 12.0);
    let (crank, coupler, rocker) = (rod(0.5, 0.4), rod(1.2, 1.0), rod(0.8, 0.4));
    let body = |name: &str, pos: &str, (mass, length, inertia): (f64, f64, f64), inner: &str| {
        format!(
            r#"<body name="{name}" pos="{pos}"><joint name="{name}" axis="0 -1 0"/><inertial pos="{} 0 0" mass="{mass}"
               diaginertia="1e-9 {inertia:?} {inertia:?}"/>{inner}</body>"#,
            0.5 * length
        )
    };
    let inner =
        body("coupler", "0.4 0 0", coupler, r#"<site name="pin" pos="1 0 0"/><site name="tip" pos="0.3 0 -0.2"/>"#);
    let text = format!(
        r#"<mujoco><compiler angle="radian"/><worldbody>{}{}</worldbody>
           <equality><connect name="pin" site1="pin" site2="end"/></equality></mujoco>"#,
        body("crank", "0 0 0", crank, &inner),
        body("rocker", "1 0 0", rocker, r#"<site name="end" pos="0.4 0 0"/>"#)
    );
    let model = load::text(&text, Path::new("parallelogram.xml"), &LoadOptions::new()).unwrap();
    let contact = ContactPoint::at_place(&model, "tip", [0.0, 0.0, 1.0]).unwrap();
    let mut contacts = Contacts::new(&model, &[contact]);
    let mut dynamics = Dynamics::new(model);
    let about_end = |(mass, length, inertia): (f64, f64, f64)| inertia + mass * 0.25 * length * length;
    let inertia = about_end(crank) + about_end(rocker) + coupler.0 * 0.4 * 0.4;
    for angle in [1.0, 1e-1, 1e-2, 1e-4, 1e-5] {
        dynamics.set_state(&[angle, -angle, angle], &[0.0; 3]).unwrap();
        dynamics.contact_terms(&mut contacts).unwrap();
        assert_eq!(dynamics.loop_rank().unwrap(), 2, "{angle}");
        let a = [0.4 * angle.cos(), -0.4 * angle.sin()];
        for i in 0..2 {
            for j in 0..2 {
                let (own, wanted) = (contacts.delassus()[(i, j)], a[i] * a[j] / inertia);
                assert!((own - wanted).abs() < 2e-15 * 0.16 / inertia, "{angle}: {own} {wanted}");
            }
        }
    }
    // Nearer than the tolerance of rank, the second condition no longer counts: simulations end there with an error.
    dynamics.set_state(&[1e-8, -1e-8, 1e-8], &[0.0; 3]).unwrap();
    assert_eq!(dynamics.loop_rank().unwrap(), 1);
}

/// What the pin of the linkage on a cart bears, with 14 digits of minimal coordinates.
#[test]
fn the_pin_of_a_linkage_on_a_cart_bears_what_minimal_coordinates_say() {
    let reference: serde_json::Value =
        serde_json::from_str(include_str!("../../../reference/loops/four_bar_on_cart.json")).unwrap();
    let text = FOUR_BAR
        .replace("CONDITION", r#"<connect name="pin" site1="pin" site2="end"/>"#)
        .replace("<site name=\"tip\"", "<site name=\"pin\" pos=\"0.9 0 0\"/><site name=\"tip\"")
        .replace(
            "<worldbody>",
            r#"<worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/>
               <inertial pos="0 0 0" mass="1.5" diaginertia="1 1 1"/>"#,
        )
        .replace("</worldbody>", "</body></worldbody>");
    let model = load::text(&text, Path::new("cart.xml"), &LoadOptions::new()).unwrap();
    let contact = ContactPoint::at_place(&model, "tip", [0.0, 0.0, 1.0]).unwrap();
    let mut contacts = Contacts::new(&model, &[contact]);
    let mut dynamics = Dynamics::new(model);
    for (case, pin) in [("slip", "cart"), ("stick", "cart_stick")] {
        let event = &reference[case]["events"][0];
        let f = |value: &serde_json::Value| value.as_f64().unwrap();
        let q = [f(&event["q"][0]), f(&event["q"][1]), 0.41, -1.47];
        dynamics.set_state(&q, &[0.0; 4]).unwrap();
        dynamics.close_loops(&[true, true, false, false], &[false; 4]).unwrap();
        dynamics.contact_terms(&mut contacts).unwrap();
        for (k, entry) in contacts.delassus().as_slice().iter().enumerate() {
            assert!((entry - f(&event["W"][k / 2][k % 2])).abs() < 1e-14, "{case}: {entry}");
        }
        let impulse = [f(&event["impulse"][0]), f(&event["impulse"][1])];
        let pin = &reference["loop_impulses"][pin]["loop_impulse_on_coupler_xy"];
        let own = &dynamics.loop_impulses(&contacts, &impulse).unwrap()[0];
        let [x, _, z] = own.force.to_array();
        // World x and z of the reference.
        assert!((x - f(&pin[0])).abs() < 1e-12 && (z - f(&pin[1])).abs() < 1e-12, "{case}: {x} {z} {pin}");
        assert!(own.is_unique);
    }
}

#[test]
fn what_cannot_close_is_an_error_that_names_the_loop_the_miss_and_the_held_joints() {
    let model = four_bar(r#"<connect name="pin" site1="pin" site2="end"/>"#);
    let mut dynamics = Dynamics::new(model);
    // The crank points away from the rocker, which is held beyond its reach.
    dynamics.set_state(&[std::f64::consts::PI, 3.0, 0.0], &[0.0; 3]).unwrap();
    let error = dynamics.close_loops(&[true, false, true], &[false; 3]).unwrap_err();
    let DynamicsError::CannotClose { name, miss, held } = &error else { panic!("{error}") };
    assert_eq!((name.as_str(), held.as_slice()), ("pin", &["\"crank\"".to_owned(), "\"rocker\"".to_owned()][..]));
    // The pin comes to 1.2 m of the rocker's end, over the length of 0.9 m.
    assert!((miss - 1.2 / 0.9).abs() < 1e-6, "{miss}");

    // A held velocity that opens the loop.
    dynamics.set_state(&[-0.86, 0.4, -1.5], &[1.0, 0.0, 0.0]).unwrap();
    let error = dynamics.close_loops(&[true, false, false], &[true; 3]).unwrap_err();
    assert!(matches!(&error, DynamicsError::MovingLoop { name, .. } if name == "pin"), "{error}");
}
