//! Robots from SDF: frames, axes, limits, inertias, nested and included models and loops, and what is refused.

use std::path::Path;

use carom_multibody::load::{self, FileSet, LoadErrorKind, Options};
use carom_multibody::{
    Dynamics, Geometry, JointKind, LinkId, LoopKind, Model, Placement, Rotation, Vector, WarningKind,
};

fn read(text: &str) -> Model {
    load::text(text, Path::new("robot.sdf"), &Options::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> (LoadErrorKind, String) {
    let error = load::text(text, Path::new("robot.sdf"), &Options::new()).unwrap_err();
    (error.kind, error.to_string())
}

fn sdf(version: &str, model: &str) -> String {
    format!("<sdf version=\"{version}\"><model name=\"m\">{model}</model></sdf>")
}

const MASS: &str = "<inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>";

fn link(name: &str, pose: &str) -> String {
    format!("<link name=\"{name}\">{pose}{MASS}</link>")
}

fn near(a: Vector, b: impl Into<Vector>) -> bool {
    (a - b.into()).norm() < 1e-12
}

/// The same robot written in three ways: poses by the model, by another link and through a frame, turned.
#[test]
fn poses_are_relative_to_what_the_file_says() {
    let joint =
        "<joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child><axis><xyz>0 0 2</xyz></axis></joint>";
    let a = link("a", "<pose>0 0 1 0 0 0.5</pose>");
    let turned = Placement::new(Rotation::from_rpy([0.0, 0.0, 0.5]), [0.0, 0.0, 1.0]);
    let local = Placement::new(Rotation::from_rpy([0.3, 0.0, 0.0]), [1.0, 2.0, 0.0]);
    let whole = turned * local;
    let [x, y, z] = whole.translation.to_array();
    // Yaw after roll: the angles of the product are those of its parts.
    let absolute = link("b", &format!("<pose>{x:?} {y:?} {z:?} 0.3 0 0.5</pose>"));
    let by_link = link("b", "<pose relative_to=\"a\">1 2 0 0.3 0 0</pose>");
    let degrees = 0.3_f64.to_degrees();
    let by_frame = format!(
        "<frame name=\"f\" attached_to=\"a\"><pose>1 0 0 0 0 0</pose></frame>{}",
        link("b", &format!("<pose relative_to=\"f\" degrees=\"true\">0 2 0 {degrees:?} 0 0</pose>"))
    );
    let half = (0.15_f64.sin(), 0.15_f64.cos());
    let by_quaternion = link(
        "b",
        &format!("<pose relative_to=\"a\" rotation_format=\"quat_xyzw\">1 2 0 {:?} 0 0 {:?}</pose>", half.0, half.1),
    );
    for b in [absolute, by_link, by_frame, by_quaternion] {
        let model = read(&sdf("1.8", &format!("{a}{b}{joint}")));
        assert_eq!((model.nq(), model.nv()), (8, 7));
        let dynamics = Dynamics::new(model.clone());
        let place = dynamics.placement(model.find_link("b").unwrap());
        assert!(near(place.translation, whole.translation), "{place:?}");
        assert!(near(
            place.rotation.apply(Vector::new(0.0, 1.0, 0.0)),
            whole.rotation.apply(Vector::new(0.0, 1.0, 0.0))
        ));
        assert_eq!(model.joints().last().unwrap().joint.kind, JointKind::Continuous);
        let inertia = &model.link(model.find_link("b").unwrap()).inertia;
        assert!(inertia.mass == 2.0 && near(inertia.center, [0.1, 0.0, 0.0]));
    }
}

/// One file as 1.4, 1.6 and 1.8: up to 1.4 and with the flag axes are those of the model, otherwise those of the joint, whose pose is
/// relative to the child.
#[test]
fn axes_are_in_the_frame_of_their_version() {
    let text = |version: &str, flag: &str, xyz: &str| {
        let joint = format!(
            "<joint name=\"j\" type=\"revolute\"><pose>0 0 0.5 0 0.4 0</pose><parent>world</parent><child>b</child>\
             <axis>{xyz}{flag}<limit><lower>-1</lower><upper>1e16</upper></limit></axis></joint>"
        );
        sdf(version, &format!("{}{joint}", link("b", "<pose>0 0 1 0.7 0 0</pose>")))
    };
    let plain = "<xyz>0 0 1</xyz>";
    let flag = "<use_parent_model_frame>1</use_parent_model_frame>";
    let child = Rotation::from_rpy([0.7, 0.0, 0.0]);
    let z = Vector::new(0.0, 0.0, 1.0);
    let of_model = child.apply_inverse(z);
    let of_joint = Rotation::from_rpy([0.0, 0.4, 0.0]).apply(z);
    for (version, flag, xyz, axis) in [
        ("1.4", "", plain, of_model),
        ("1.6", "", plain, of_joint),
        ("1.6", flag, plain, of_model),
        ("1.8", "", plain, of_joint),
        ("1.8", "", "<xyz expressed_in=\"__model__\">0 0 1</xyz>", of_model),
        ("1.8", "", "<xyz expressed_in=\"b\">0 0 1</xyz>", z),
    ] {
        let model = read(&text(version, flag, xyz));
        assert_eq!(model.nv(), 1);
        let joint = &model.joints().last().unwrap().joint;
        assert!(near(joint.axis, axis), "{version} {flag} {xyz}: {:?}", joint.axis);
        assert!(near(joint.anchor, [0.0, 0.0, 0.5]));
        assert_eq!(joint.limits, Some([-1.0, f64::INFINITY]));
    }
}

#[test]
fn shapes_dynamics_and_what_is_missing() {
    let collision = |name: &str, pose: &str, form: &str| {
        format!("<collision name=\"{name}\">{pose}<geometry>{form}</geometry></collision>")
    };
    let shapes = [
        collision("box", "", "<box><size>1 2 4</size></box>"),
        collision("ball", "<pose relative_to=\"f\">0 0 0 0 0 0</pose>", "<sphere><radius>0.3</radius></sphere>"),
        collision("can", "", "<cylinder><radius>0.1</radius><length>3</length></cylinder>"),
        collision("pill", "", "<capsule><radius>0.1</radius><length>3</length></capsule>"),
        collision("egg", "", "<ellipsoid><radii>1 2 3</radii></ellipsoid>"),
        collision("hill", "", "<heightmap/>"),
    ]
    .concat();
    let text = sdf(
        "1.9",
        &format!(
            "<frame name=\"f\"><pose>0 5 0 0 0 0</pose></frame><link name=\"b\"><pose>0 0 1 0 0 0</pose>{shapes}</link>\
             <joint name=\"j\" type=\"prismatic\"><parent>world</parent><child>b</child><axis><dynamics><damping>0.5</damping>\
             <friction>0.25</friction><spring_stiffness>7</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>\
             </axis></joint><plugin name=\"p\"/>"
        ),
    );
    let model = read(&text);
    let own = &model.link(model.find_link("b").unwrap());
    assert_eq!(own.inertia.mass, 1.0);
    assert_eq!(own.shapes.len(), 5);
    assert_eq!(own.shapes[0].geometry, Geometry::Box { half: [0.5, 1.0, 2.0] });
    assert!(near(own.shapes[1].placement.translation, [0.0, 5.0, -1.0]));
    assert_eq!(own.shapes[2].geometry, Geometry::Cylinder { radius: 0.1, half_length: 1.5 });
    assert_eq!(own.shapes[4].geometry, Geometry::Ellipsoid { half: [1.0, 2.0, 3.0] });
    let joint = &model.joints()[0].joint;
    assert_eq!((joint.damping, joint.dry_friction), (0.5, 0.25));
    assert_eq!(joint.spring.map(|spring| (spring.stiffness, spring.rest)), Some((7.0, 0.2)));
    assert!(near(joint.axis, [0.0, 0.0, 1.0]));
    let told = |kind: WarningKind, words: &str| {
        model.warnings().iter().any(|warning| warning.kind == kind && warning.message.contains(words))
    };
    assert!(told(WarningKind::Missing, "no <inertial>"), "{:?}", model.warnings());
    assert!(told(WarningKind::NotModelled, "<heightmap>") && told(WarningKind::Ignored, "<plugin>"));
}

/// Two rods on the ground and a beam between them: the joint that closes is a hinge, whichever joints the file has first.
#[test]
fn a_link_with_two_parents_is_a_loop() {
    let joint = |name: &str, kind: &str, parent: &str, child: &str, pose: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\">{pose}<parent>{parent}</parent><child>{child}</child>\
             <axis><xyz>0 1 0</xyz></axis></joint>"
        )
    };
    let links =
        [link("one", ""), link("two", "<pose>1 0 0 0 0 0</pose>"), link("beam", "<pose>0 0 1 0 0 0</pose>")].concat();
    for kind in ["revolute", "ball"] {
        let joints = [
            joint("right", kind, "two", "beam", "<pose>1 0 0 0 0 0</pose>"),
            joint("ground one", "revolute", "world", "one", ""),
            joint("ground two", "revolute", "world", "two", ""),
            joint("left", "revolute", "one", "beam", ""),
        ]
        .concat();
        let model = read(&sdf("1.6", &format!("{links}{joints}")));
        assert_eq!(model.loops().len(), 1);
        // The ball has more freedoms, so it closes; of hinges the first in the file belongs to the tree.
        let (own, name) = (&model.loops()[0], if kind == "ball" { "right" } else { "left" });
        assert_eq!(own.name, name);
        match &own.kind {
            LoopKind::Connect { points, .. } => {
                assert!(kind == "ball" && near(points[0], [0.0, 0.0, 1.0]) && near(points[1], [1.0, 0.0, 0.0]));
            }
            LoopKind::Hinge { points, axes, .. } => {
                assert!(kind != "ball" && near(points[0], [0.0, 0.0, 1.0]) && near(points[1], [0.0; 3]));
                assert!(axes.iter().all(|axis| near(*axis, [0.0, 1.0, 0.0])));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn nested_and_included_models_have_scoped_names() {
    let arm = sdf("1.8", &link("hand", "<pose>0 0 1 0 0 0</pose>"));
    let inner = format!("<model name=\"n\"><pose>0 1 0 0 0 0</pose>{}</model>", link("c", "<pose>1 0 0 0 0 0</pose>"));
    let text = sdf(
        "1.8",
        &format!(
            "{}{inner}<include><uri>arm.sdf</uri><name>arm</name><pose relative_to=\"n::c\">0 0 3 0 0 0</pose></include>\
             <joint name=\"j\" type=\"fixed\"><parent>a</parent><child>n::c</child></joint>\
             <joint name=\"k\" type=\"ball\"><parent>n::c</parent><child>arm::hand</child></joint>",
            link("a", "")
        ),
    );
    let mut files = FileSet::new();
    files.insert("folder/robot.sdf", text.into_bytes());
    files.insert("folder/arm.sdf", arm.into_bytes());
    let model = load::file_from("folder/robot.sdf", &Options::new(), &files).unwrap();
    assert_eq!(model.nv(), 9);
    let dynamics = Dynamics::new(model.clone());
    let at = |name: &str| dynamics.placement(model.find_link(name).unwrap()).translation;
    assert!(near(at("n::c"), [1.0, 1.0, 0.0]) && near(at("arm::hand"), [1.0, 1.0, 4.0]));
    assert_eq!(model.files().len(), 2);
    assert_eq!(LinkId::WORLD, LinkId::from_index(0));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let joint = |kind: &str| {
        format!(
            "{}{}<joint name=\"j\" type=\"{kind}\"><parent>a</parent><child>b</child></joint>",
            link("a", ""),
            link("b", "")
        )
    };
    let cases = [
        (sdf("1.8", &joint("gearbox")), LoadErrorKind::Unsupported, "\"gearbox\""),
        (sdf("1.8", &joint("screw")), LoadErrorKind::Unsupported, "\"screw\""),
        (sdf("2.0", &joint("fixed")), LoadErrorKind::Unsupported, "\"2.0\""),
        (sdf("1.8", ""), LoadErrorKind::Value, "no links"),
        (
            sdf("1.8", &format!("{}{}", link("a", ""), link("b", ""))),
            LoadErrorKind::Unsupported,
            "\"b\" hangs on no joint",
        ),
        (
            sdf("1.8", &link("a", "<pose relative_to=\"nothing\">0 0 0 0 0 0</pose>")),
            LoadErrorKind::Value,
            "\"nothing\", which does not exist",
        ),
        (
            sdf(
                "1.8",
                "<frame name=\"f\"><pose relative_to=\"g\"/></frame><frame name=\"g\"><pose relative_to=\"f\"/></frame>\
                        <link name=\"a\"><pose relative_to=\"f\"/></link>",
            ),
            LoadErrorKind::Value,
            "depends on itself",
        ),
        (sdf("1.8", &link("a", "<pose>0 0 x 0 0 0</pose>")), LoadErrorKind::Value, "needs 6 numbers"),
        (
            sdf(
                "1.8",
                &format!(
                    "{}<joint name=\"j\" type=\"fixed\"><parent>a</parent><child>world</child></joint>",
                    link("a", "")
                ),
            ),
            LoadErrorKind::Value,
            "the world as its child",
        ),
        (sdf("1.8", "<include merge=\"true\"><uri>x.sdf</uri></include>"), LoadErrorKind::Unsupported, "merge"),
    ];
    for (text, kind, words) in cases {
        let (found, message) = refused(&text);
        assert!(found == kind && message.contains(words), "{found:?}: {message}");
    }
}

/// A file that includes itself, twice, ends with an error and not after ages.
#[test]
fn models_that_include_themselves_are_refused() {
    let own = |name: &str| format!("<include><uri>robot.sdf</uri><name>{name}</name></include>");
    let mut files = FileSet::new();
    let text = sdf("1.8", &format!("{}{}{}", link("a", ""), own("x"), own("y")));
    files.insert("folder/robot.sdf", text.into_bytes());
    let error = load::file_from("folder/robot.sdf", &Options::new(), &files).unwrap_err();
    assert!(error.to_string().contains("more than 50 deep"), "{error}");
}
