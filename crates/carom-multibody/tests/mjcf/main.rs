//! MJCF: the models agree with those that MuJoCo compiles from the same texts.
//!
//! Numbers come from MuJoCo 4.0.0, from `MjModel` compiled from the text of the test.

mod drives;
mod helpers;
mod keyframes;
mod meshes;
mod pairs;
mod refusals;

use carom_multibody::load::LoadErrorKind;
use carom_multibody::{Geometry, JointKind};
use helpers::*;

#[test]
fn classes_are_inherited_nearest_first() {
    let model = model(
        r#"<mujoco>
          <default>
            <geom size=".1 .2 .3" density="500"/> <joint armature=".1" damping="1"/>
            <default class="a">
              <geom type="box" euler="90 0 0"/> <joint type="slide" axis="1 0 0" range="-1 1"/>
              <default class="aa"> <geom size=".5" mass="2"/> <joint damping="3" pos=".1 .2 .3"/> </default>
            </default>
          </default>
          <worldbody>
            <body childclass="a">
              <joint/> <geom/> <geom class="aa" quat="1 0 0 1" pos="1 0 0"/>
              <body> <joint class="main" range="-10 30"/> <frame childclass="aa"> <geom/> <joint/> </frame> </body>
            </body>
          </worldbody>
        </mujoco>"#,
    );
    // MuJoCo 4.0.0 gives these.
    inertia_is(&model, 1, "26 0.0769230769230769 0 0 1.26666666666668 2.33282051282053 2.8394871794872 0 0 0");
    inertia_is(&model, 2, "2 0 0 0 0.0866666666666667 0.193333333333333 0.226666666666667 0 0 0");
    let joints: Vec<_> = model.joints().iter().map(|joint| &joint.joint).collect();
    assert_eq!(
        joints.iter().map(|joint| joint.kind).collect::<Vec<_>>(),
        [JointKind::Prismatic, JointKind::Revolute, JointKind::Prismatic]
    );
    assert_eq!(joints.iter().map(|joint| joint.damping).collect::<Vec<_>>(), [1.0, 1.0, 3.0]);
    assert_eq!(joints[0].limits, Some([-1.0, 1.0]));
    near(joints[1].limits.unwrap_or_default(), &numbers("-0.174532925199433 0.523598775598299"));
    near(joints[2].anchor.to_array(), &[0.1, 0.2, 0.3]);
}

#[test]
fn frames_move_all_that_stands_in_them() {
    let model = model(
        r#"<mujoco><worldbody>
          <body>
            <frame pos="1 0 0" euler="10 20 30">
              <joint axis="1 2 3" pos=".1 .2 .3"/>
              <inertial pos="1 1 1" mass="2" diaginertia="1 2 2.5" euler="30 40 50"/>
              <site name="tip" pos="1 2 3"/>
              <frame pos="0 0 1" zaxis="1 1 -.3"> <body name="inner" pos="1 1 1"> <geom size=".1"/> </body> </frame>
            </frame>
          </body>
        </worldbody></mujoco>"#,
    );
    // MuJoCo 4.0.0 gives these.
    inertia_is(
        &model,
        1,
        "2 1.68597151428209 1.20383517596129 1.03933822729263 2.43241394376761 1.04265402365005 \
         2.02493203258234 -0.0349544730140554 0.167343431722904 -0.209086080244776",
    );
    placement_is(
        &model,
        2,
        "0.964426795870254 0.758334644884949 -0.49170781947333 0.369554295075683 -0.914089696666645 \
         0.166942054135547 -0.16863346435791 0.110701337805265 0.979442682604129 -0.913779173372738 \
         -0.390109267072708 -0.113235957426208",
    );
    near(model.joints()[0].joint.axis.to_array(), &numbers("0.240579346928553 0.454519514342822 0.857632548888506"));
    near(model.joints()[0].joint.anchor.to_array(), &numbers("1.09001654905405 0.170065629827372 0.320896716168644"));
    near(
        model.frames()[0].placement.translation.to_array(),
        &numbers("1.90016549054047 1.70065629827372 3.20896716168644"),
    );
}

#[test]
fn replicas_add_up_angles() {
    let model = model(
        r#"<mujoco><worldbody>
          <replicate count="3" offset="0 1 0" euler="90 0 20">
            <replicate count="2" sep="-" offset="1 0 0" euler="0 90 0">
              <body name="A" pos=".1 .2 .3"> <joint name="j"/> <geom size=".1"/> </body>
            </replicate>
          </replicate>
          <body name="last"/>
        </worldbody></mujoco>"#,
    );
    let names: Vec<_> = model.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "A-00", "A-10", "A-01", "A-11", "A-02", "A-12", "last"]);
    assert_eq!(model.joints()[4].joint.name, "j-02");
    // MuJoCo 4.0.0 gives these.
    placement_is(
        &model,
        4,
        "1.15319637835655 1.1 0.632564710480551 0 -0.342020143325669 0.939692620785908 1 0 0 0 \
         0.939692620785908 0.342020143325669",
    );
    placement_is(
        &model,
        6,
        "0.525280110791695 0.0111672187837034 1.03969262078591 0 -0.642787609686539 0.766044443118978 0 \
         -0.766044443118978 -0.642787609686539 1 0 0",
    );
}

#[test]
fn letters_tell_turned_from_fixed_axes() {
    for (sequence, expected) in [
        (
            "xyz",
            "0 0 0 0.663413948168938 0.556670399226419 0.5 -0.473021458440361 0.829769465589431 \
         -0.296198132726024 -0.579769465589431 -0.0400087565481418 0.813797681349373",
        ),
        (
            "XYZ",
            "0 0 0 0.663413948168938 0.735024088669746 0.140076844803523 -0.556670399226419 \
         0.609923155196477 -0.564014017006912 -0.5 0.296198132726024 0.813797681349374",
        ),
        (
            "xYz",
            "0 0 0 0.553490792972461 0.687671714341112 0.469846310392954 -0.604022773555054 \
         0.719846310392954 -0.342020143325669 -0.573414711288066 -0.0944928712062815 0.813797681349374",
        ),
        (
            "ZxZ",
            "0 0 0 0.939692620785908 0.296198132726024 -0.171010071662834 -0.342020143325669 \
         0.813797681349374 -0.469846310392954 0 0.5 0.866025403784438",
        ),
    ] {
        let text = format!(
            r#"<mujoco><compiler eulerseq="{sequence}"/><worldbody><body euler="20 30 -40"/></worldbody></mujoco>"#
        );
        // MuJoCo 4.0.0 gives these.
        placement_is(&model(&text), 1, expected);
    }
}

#[test]
fn primitives_have_their_inertia_solid_or_hollow() {
    for (geom, expected) in [
        (
            r#"type="sphere" size=".3""#,
            "113.097335529233 0 0 0 4.07150407905237 4.07150407905237 4.07150407905237 0 0 0",
        ),
        (
            r#"type="capsule" size=".3 .5""#,
            "395.840674352314 0 0 0 74.9929582338419 74.9929582338419 16.794954326091 0 0 0",
        ),
        (r#"type="cylinder" size=".3 .5" mass="2""#, "2 0 0 0 0.211666666666667 0.211666666666667 0.09 0 0 0"),
        (
            r#"type="ellipsoid" size=".3 .5 .2""#,
            "125.663706143592 0 0 0 7.28849495632832 3.26725635973339 8.54513201776424 0 0 0",
        ),
        (r#"type="box" size=".3 .5 .2" density="7""#, "1.68 0 0 0 0.1624 0.0728 0.1904 0 0 0"),
        (
            r#"type="sphere" size=".3" shellinertia="true""#,
            "1130.97335529233 0 0 0 67.8584013175395 67.8584013175395 67.8584013175395 0 0 0",
        ),
        (
            r#"type="capsule" size=".3 .5" shellinertia="true""#,
            "3015.9289474462 0 0 0 762.150377760884 762.150377760884 237.504404611388 0 0 0",
        ),
        (
            r#"type="cylinder" size=".3 .5" shellinertia="true""#,
            "2450.44226980004 0 0 0 395.997753984993 395.997753984993 195.092903787926 0 0 0",
        ),
        (
            r#"type="box" size=".3 .5 .2" shellinertia="true""#,
            "2480 0 0 0 351.733333333333 187.466666666667 409.066666666667 0 0 0",
        ),
        (
            r#"type="capsule" size=".1 9" fromto="0 1 2 .5 -1 .3""#,
            "88.1345914242506 0.25 0 1.15 56.0530724676666 25.7827958163149 34.742797705115 8.07207377369378 \
         6.86126270763971 -27.4450508305589",
        ),
        (
            r#"type="box" size=".1 9 9" fromto="0 1 2 .5 -1 .3""#,
            "106.883113727099 0.25 0 1.15 61.7374728638758 28.5236201212986 38.3549205331015 \
         8.85702739802059 7.5284732883175 -30.11389315327",
        ),
    ] {
        // MuJoCo 4.0.0 gives these.
        inertia_is(&model(&world(&format!("<body><joint/><geom {geom}/></body>"))), 1, expected);
    }
}

#[test]
fn the_compiler_decides_whose_inertia_counts_and_how_little() {
    let bodies = r#"<worldbody>
      <body pos="1 0 0"> <joint/>
        <inertial pos="1 2 3" mass=".01" diaginertia=".1 .1 .3"/>
        <geom size=".1" group="1" pos="0 1 0"/> <geom size=".2" group="4"/> <geom size=".3" mass="0"/>
        <body pos="0 2 0" euler="0 0 90"/>
      </body>
    </worldbody>"#;
    for (compiler, expected) in [
        ("", ["0.01 1 2 3 0.166666666666667 0.166666666666667 0.166666666666667 0 0 0", "0 0 2 0 0 0 0 0 0 0"]),
        (
            r#"inertiafromgeom="true" inertiagrouprange="0 3""#,
            [
                "4.18879020478639 0 1 0 0.0167551608191456 0.0167551608191456 0.0167551608191456 0 0 0",
                "0 0 2 0 0 0 0 0 0 0",
            ],
        ),
        (r#"boundmass=".5" boundinertia=".2""#, ["0.5 1 2 3 0.2 0.2 0.3 0 0 0", "0.5 0 2 0 0.2 0.2 0.2 0 0 0"]),
        (
            r#"inertiafromgeom="true" settotalmass="7""#,
            [
                "7 0 0.111111111111111 0 0.794024691358027 0.102666666666667 0.794024691358027 0 0 0",
                "0 0 2 0 0 0 0 0 0 0",
            ],
        ),
    ] {
        let model = model(&format!("<mujoco><compiler balanceinertia=\"true\" {compiler}/>{bodies}</mujoco>"));
        // MuJoCo 4.0.0 gives these; an empty body gets its mass at its position on the parent.
        for (link, expected) in expected.into_iter().enumerate() {
            inertia_is(&model, link + 1, expected);
        }
    }
}

#[test]
fn coordinates_are_in_the_order_of_the_tree_and_start_at_their_references() {
    let model = model(
        r#"<mujoco><worldbody>
          <frame pos="1 0 0" quat="1 2 3 4">
            <body name="free" pos="0 1 0" xyaxes="-.8 -.3 -.6 -.9 -.4 -.3"> <freejoint name="root"/> <geom size=".1"/>
              <body> <geom size=".1"/> <joint type="ball" name="ball" pos=".1 0 0"/> </body>
            </body>
          </frame>
          <body name="arm"> <joint name="slide" type="slide" ref=".5"/> <geom size=".1"/>
            <body> <joint name="tip"/> <geom size=".1"/> </body>
            <joint name="hinge" axis="0 0 -2" ref="30" springref="10" stiffness="3"/>
          </body>
        </worldbody></mujoco>"#,
    );
    let names: Vec<_> = model.joints().iter().map(|joint| joint.joint.name.as_str()).collect();
    assert_eq!(names, ["root", "ball", "slide", "hinge", "tip"]);
    assert_eq!((model.nq(), model.nv()), (14, 12));
    // MuJoCo 4.0.0 has this qpos0.
    near(
        model.home().iter().copied(),
        &numbers(
            "1.13333333333333 -0.333333333333333 0.933333333333333 -0.724107724694207 -0.0347855905619409 \
         -0.387096886824647 0.569749037680716 1 0 0 0 0.5 0.523598775598299 0",
        ),
    );
    // The coordinates of a free body are its whole pose.
    placement_is(&model, 1, "0 0 0 1 0 0 0 1 0 0 0 1");
    let hinge = &model.joints()[3].joint;
    assert_eq!(hinge.kind, JointKind::Continuous);
    near(hinge.axis.to_array(), &[0.0, 0.0, -1.0]);
    near(hinge.spring.map(|spring| spring.rest), &[10f64.to_radians()]);
}

#[test]
fn actuators_add_their_rotors_to_joints() {
    let model = model(
        r#"<mujoco>
          <default><general armature="1"/><default class="c"><motor gear="5"/></default></default>
          <worldbody><body><joint name="j" armature=".3"/><geom size=".1"/>
            <body><joint name="k" type="slide"/><geom size=".1"/></body></body></worldbody>
          <actuator>
            <motor joint="j" armature="2" gear="3"/> <position joint="j" kp="3"/> <motor class="c" joint="k"/>
          </actuator>
        </mujoco>"#,
    );
    // .3 + 2 · 3² + 1 and 1 · 5², as in the mass matrix of MuJoCo 4.0.0.
    near(model.joints().iter().map(|joint| joint.joint.armature), &[19.3, 25.0]);
}

#[test]
fn files_are_included_beside_the_main_one_first() {
    let folder = Folder::new();
    let main = folder.write(
        "main.xml",
        r#"<mujoco><include file="parts/robot.xml"/><worldbody><include file="parts/arm.xml"/></worldbody></mujoco>"#,
    );
    folder.write("parts/robot.xml", r#"<mujocoinclude><include file="defaults.xml"/></mujocoinclude>"#);
    folder.write("parts/defaults.xml", r#"<x><default><geom size=".1"/></default></x>"#);
    folder.write("parts/arm.xml", "<x>\n<body name='arm'><joint/>\n<geom/></body>\n</x>");
    assert!(load(&main).is_ok());
    // The file of the same name next to the main file takes precedence, and lacks the size.
    folder.write("defaults.xml", "<x><default><joint damping='1'/></default></x>");
    let error = load(&main).map(|_| ()).expect_err("no size");
    assert_eq!((error.kind, error.line), (LoadErrorKind::Value, Some(3)));
    assert!(error.file.ends_with("parts/arm.xml"), "{error}");

    folder.write("parts/arm.xml", "<x><include file='parts/robot.xml'/></x>");
    let error = load(&main).map(|_| ()).expect_err("included twice");
    assert_eq!(error.kind, LoadErrorKind::Structure);
    folder.write("parts/arm.xml", "<x>\n<include file='none.xml'/></x>");
    let error = load(&main).map(|_| ()).expect_err("not there");
    assert_eq!((error.kind, error.line), (LoadErrorKind::Read, Some(2)));
}

#[test]
fn shapes_are_those_that_collide_and_names_are_found() {
    let model = model(
        r#"<mujoco><option gravity="0 0 -5"/><worldbody>
          <geom name="floor" type="plane" size="1 1 1"/>
          <body> <joint/> <geom name="foot" size=".1"/> <geom size=".2" contype="0" conaffinity="0"/>
            <body name="body_1"> <joint/> <joint type="slide" name="body_1_joint_0"/> <geom size=".1"/> </body> </body>
        </worldbody></mujoco>"#,
    );
    assert_eq!(model.gravity().to_array(), [0.0, 0.0, -5.0]);
    assert_eq!(model.links()[0].shapes[0].geometry, Geometry::Plane);
    let feet = &model.links()[1].shapes;
    assert_eq!((feet.len(), feet[0].name.as_deref()), (1, Some("foot")));
    let names: Vec<_> = model.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "body_1_", "body_1"]);
    let names: Vec<_> = model.joints().iter().map(|joint| joint.joint.name.as_str()).collect();
    assert_eq!(names, ["body_1__joint_0", "body_1_joint_0_", "body_1_joint_0"]);
}

#[test]
fn without_gravity_nothing_falls() {
    let text = r#"<mujoco><option gravity="0 0 -5"><flag gravity="disable"/></option><worldbody/></mujoco>"#;
    assert_eq!(model(text).gravity().to_array(), [0.0; 3]);
}

#[test]
fn deep_trees_are_read_up_to_a_bound() {
    let chain = |count: usize| {
        let open = r#"<body pos="0 0 1"><joint/><geom size=".1"/>"#.repeat(count);
        world(&format!("{open}{}", "</body>".repeat(count)))
    };
    assert_eq!(model(&chain(490)).nv(), 490);
    assert_eq!(refusal(&chain(600)).kind, LoadErrorKind::Structure);
    assert_eq!(refusal(&chain(20_000)).kind, LoadErrorKind::Structure);
}

#[test]
fn frames_and_replicas_set_the_class_within() {
    let defaults = r#"<mujoco><default><default class="x"><joint armature="2"/></default></default><worldbody>"#;
    let joint = r#"<body name="a"><joint/><geom size=".1"/></body>"#;
    for around in [
        r#"<frame class="x">@</frame>"#,
        r#"<frame childclass="x">@</frame>"#,
        r#"<replicate count="2" childclass="x">@</replicate>"#,
    ] {
        let model = model(&format!("{defaults}{}</worldbody></mujoco>", around.replace('@', joint)));
        assert!(model.joints().iter().all(|joint| joint.joint.armature == 2.0), "{around}");
    }
}

/// In MuJoCo 4.0.0 z points from the second point to the first.
#[test]
fn sites_between_two_points_point_to_the_first() {
    let model = model(&world(r#"<site name="s" type="capsule" size=".1" fromto="0 0 0 2 0 0"/>"#));
    let placement = model.find_frame("s").expect("the site").placement;
    near(placement.translation.to_array(), &[1.0, 0.0, 0.0]);
    near(placement.rotation.columns[2].to_array(), &[-1.0, 0.0, 0.0]);
}
