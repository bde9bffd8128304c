//! URDF: what is read, what gives a warning, what is an error.

use std::path::Path;

use carom_multibody::load::{self, LoadError, Mimics, Options, RobotFormat};
use carom_multibody::{Dynamics, Geometry, JointKind, Model, WarningKind};

const INERTIAL: &str =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

fn read(text: &str, options: &Options) -> Result<Model, LoadError> {
    load::text(text, Path::new("robot.urdf"), options)
}

fn model(text: &str) -> Model {
    read(text, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> String {
    read(text, &Options::default()).expect_err("to be refused").to_string()
}

/// A robot of one joint, with something in the joint and in the link.
fn robot(joint: &str, link: &str) -> String {
    format!(
        "<robot name='r'>\n<link name='a'/>\n<link name='b'>{INERTIAL}{link}</link>\n\
         <joint name='j' type='revolute'>\n<parent link='a'/><child link='b'/>{joint}</joint>\n</robot>"
    )
}

const LIMIT: &str = "<limit lower='-1' upper='2' effort='1' velocity='1'/>";

#[test]
fn every_kind_of_joint_is_read() {
    for (kind, expected, nq, nv) in [
        ("fixed", JointKind::Fixed, 0, 0),
        ("revolute", JointKind::Revolute, 1, 1),
        ("continuous", JointKind::Continuous, 1, 1),
        ("prismatic", JointKind::Prismatic, 1, 1),
        ("planar", JointKind::Planar, 3, 3),
        ("ball", JointKind::Ball, 4, 3),
        ("floating", JointKind::Floating, 7, 6),
    ] {
        let text = robot(LIMIT, "").replace("'revolute'", &format!("'{kind}'"));
        let model = model(&text);
        assert_eq!(model.joints()[0].joint.kind, expected);
        assert_eq!((model.nq(), model.nv()), (nq, nv), "{kind}");
        let floating = read(&text, &Options::new().floating_base(true)).unwrap();
        assert_eq!((floating.nq(), floating.nv()), (nq + 7, nv + 6), "{kind}");
    }
}

#[test]
fn origins_may_be_quaternions() {
    // A quarter turn about x takes the joint's z to -y.
    let joint = |origin: &str| robot(&format!("{LIMIT}<axis xyz='0 0 1'/>{origin}"), "");
    let by_rpy = model(&joint("<origin xyz='1 2 3' rpy='1.5707963267948966 0 0'/>"));
    let by_quaternion = model(&joint("<origin xyz='1 2 3' quat_xyzw='1 0 0 1'/>"));
    let axis = |model: Model| {
        let link = model.find_link("b").unwrap();
        let placement = Dynamics::new(model).placement(link);
        (placement.translation.to_array(), placement.rotation.columns[2].to_array())
    };
    let (place, z) = axis(by_quaternion);
    assert_eq!(place, [1.0, 2.0, 3.0]);
    for (a, b) in z.into_iter().zip(axis(by_rpy).1) {
        assert!((a - b).abs() < 1e-15);
    }
    assert!(refused(&joint("<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>")).contains("rpy and quat_xyzw; give only one"));
}

/// A misspelling gives a warning, and of two elements the first is used.
#[test]
fn what_urdf_does_not_have_is_remarked() {
    let text = robot(
        "<limit lower='-1' uper='2'/><axis xyz='0 1 0'/><axis xyz='1 0 0'/><mimc joint='j'/>",
        "<visual><anything/></visual><collision><geometry><sphere radius='0.1'/></geometry></collision>",
    );
    let text = text.replace("</robot>", "<gazebo reference='b'><x/></gazebo><gazebo/></robot>");
    // The limits are then -1 and 0, since a missing one is zero by the schema.
    let model = model(&text);
    let subjects: Vec<&str> = model.warnings().iter().map(|warning| warning.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["<gazebo> in <robot>", "<mimc> in <joint>", "attribute uper of <limit>", "second <axis> in <joint>"]
    );
    assert!(model.warnings().iter().all(|warning| warning.kind == WarningKind::Ignored && warning.line.is_some()));
    assert!(model.warnings()[0].message.contains("2 times"));
    assert_eq!(model.joints()[0].joint.axis.to_array(), [0.0, 1.0, 0.0]);
    assert_eq!(model.links()[2].shapes[0].geometry, Geometry::Sphere { radius: 0.1 });
    let unlimited = robot("", "");
    assert!(self::model(&unlimited).warnings()[0].message.contains("has no <limit>"));
}

/// Wheels are written so: by the schema they would be locked.
#[test]
fn a_limit_that_gives_neither_bound_is_none() {
    let wheel = model(&robot("<limit effort='35' velocity='20'/>", ""));
    assert_eq!(wheel.joints()[0].joint.limits, None);
    let said = &wheel.warnings()[0].message;
    assert!(said.contains("a <limit> without lower and upper; it is treated as unlimited"), "{said}");
    // One of them is enough: the other is zero.
    let door = model(&robot("<limit effort='35' velocity='20' upper='2'/>", ""));
    assert_eq!(door.joints()[0].joint.limits, Some([0.0, 2.0]));
    // A joint that is locked on purpose is.
    let locked = model(&robot("<limit effort='35' velocity='20' lower='0' upper='0'/>", ""));
    assert_eq!(locked.joints()[0].joint.limits, Some([0.0, 0.0]));
}

#[test]
fn mimics_follow_or_not_and_broken_ones_are_remarked() {
    let text = format!(
        "<robot name='r'><link name='a'/><link name='b'>{INERTIAL}</link><link name='c'>{INERTIAL}</link>\n\
         <joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>\n\
         <joint name='k' type='continuous'><parent link='b'/><child link='c'/>\n\
         <mimic joint='j' multiplier='-2' offset='0.5'/></joint></robot>"
    );
    let following = model(&text);
    assert_eq!((following.nv(), following.warnings().len()), (1, 0));
    let free = read(&text, &Options::new().mimics(Mimics::Free)).unwrap();
    assert_eq!((free.nv(), free.warnings()[0].kind), (2, WarningKind::NotModelled));
    let dangling = model(&text.replace("mimic joint='j'", "mimic joint='nobody'"));
    assert!(dangling.warnings()[0].message.contains("mimics \"nobody\", which does not exist"));
    assert_eq!(dangling.nv(), 2);
    let itself = refused(&text.replace("mimic joint='j'", "mimic joint='k'"));
    assert!(itself.starts_with("robot.urdf:3: joint \"k\" mimics itself"), "{itself}");
}

#[test]
fn faults_name_file_line_and_what_to_do() {
    let tree = |joints: &str| format!("<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n{joints}</robot>");
    let joint = "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n";
    for (text, complaint) in [
        (tree(""), "robot.urdf:3: links \"a\" and \"b\" both have no parent"),
        ("<robot name='r'/>".to_owned(), "there are no links"),
        (tree(&format!("{joint}<link name='b'/>")), "link \"b\" is defined twice: here and in line 3"),
        (tree(&joint.repeat(2)), "link \"b\" has two parents, \"a\" and \"a\""),
        (tree("<joint type='fixed'/>"), "robot.urdf:4: <joint> needs the attribute name"),
        (tree(&joint.replace("fixed", "screw")), "has type \"screw\", which is not one of fixed, revolute"),
        (tree(&joint.replace("child link='b'", "child link='x'")), "names the child link \"x\", which does not exist"),
        (tree(&joint.replace("<child link='b'/>", "")), "joint \"j\" has no <child>"),
        (robot("<limit lower='x'/>", ""), "<limit> lower = \"x\" is not a finite number"),
        (robot(&format!("{LIMIT}<axis xyz='0 0'/>"), ""), "<axis> xyz has 2 numbers, but needs 3"),
        (robot(&format!("{LIMIT}<axis xyz='0 0 0'/>"), ""), "axis = (0, 0, 0) has no direction"),
        (robot(LIMIT, "").replace("<mass value='2'/>", ""), "<inertial> has no <mass>"),
        (robot(LIMIT, "").replace("'2'", "'nan'"), "<mass> value = \"nan\" is not a finite number"),
        ("<robot".to_owned(), "is not XML"),
        ("<world/>".to_owned(), "the root element is <world>; a URDF has <robot>"),
    ] {
        let found = refused(&text);
        assert!(found.contains(complaint), "{complaint}\n{found}");
    }
    let asked = Options::new().format(RobotFormat::Mjcf);
    assert!(
        read(&tree(joint), &asked).unwrap_err().to_string().contains("is a URDF file, but an MJCF file was requested")
    );
}

#[test]
fn a_link_called_world_is_the_world() {
    let text = format!(
        "<robot name='r'><link name='world'/><link name='universe'>{INERTIAL}</link>\
         <joint name='j' type='continuous'><parent link='world'/><child link='universe'/></joint></robot>"
    );
    let model = model(&text);
    assert_eq!(model.links().iter().map(|link| link.name.as_str()).collect::<Vec<_>>(), ["world", "universe"]);
    // With a floating base the link moves, and the world gets a name of its own.
    let floating = read(&text, &Options::new().floating_base(true)).unwrap();
    let names: Vec<&str> = floating.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["universe_", "world", "universe"]);
    assert_eq!(floating.nv(), 7);
}

/// Meshes and addresses are kept as names; nothing is opened.
#[test]
fn meshes_are_not_opened() {
    let mesh = "<collision><geometry><mesh filename='package://nowhere/x.stl' scale='1 1 1'/></geometry></collision>";
    let model = model(&robot(LIMIT, mesh));
    assert_eq!(
        model.links()[2].shapes[0].geometry,
        Geometry::Mesh { file: "package://nowhere/x.stl".to_owned(), hull: None }
    );
    assert!(model.warnings().is_empty());
}
