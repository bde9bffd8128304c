//! Forces of actuators: `actuator_force` times the gear, of MuJoCo 4.0.0, in one state, with the controls 0 and 0.8.

use super::helpers::model;

const TEXT: &str = r#"<mujoco model="drives">
  <compiler angle="radian"/>
  <default>
    <general gainprm="3" biastype="affine" biasprm="0.5 -2 -0.25"/>
    <default class="servo"><position kp="40" kv="1.5" ctrlrange="-1 1" forcerange="-5 5"/></default>
    <default class="damped"><velocity kv="4" gear="2"/></default>
    <default class="geared"><position kp="7" gear="3"/></default>
  </default>
  <worldbody>
    <body name="a"><joint name="a" axis="0 1 0"/><geom size="0.1" mass="1"/>
      <body name="b" pos="0 0 0.5"><joint name="b" axis="0 1 0" ref="0.2"/><geom size="0.1" mass="1"/>
        <body name="c" pos="0 0 0.5"><joint name="c" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body>
      </body>
    </body>
    <body name="free"><freejoint name="free"/><geom size="0.1" mass="1"/></body>
  </worldbody>
  <tendon><fixed name="cord"><joint joint="a" coef="1"/></fixed></tendon>
  <actuator>
    <position name="plain" class="main" joint="a" kp="11"/>
    <position name="servo" class="servo" joint="b"/>
    <position name="firm" class="servo" joint="c" kp="100" forcelimited="false"/>
    <velocity name="damped" class="damped" joint="a"/>
    <motor name="motor" class="geared" joint="c"/>
    <position class="geared" joint="a" kv="0.5"/>
    <general name="general" joint="b" gear="0.5"/>
    <general name="fixed" joint="c" biastype="none" gainprm="2"/>
    <position name="inherited" joint="a"/>
    <motor name="limited" joint="b" ctrlrange="-0.5 0.5"/>
    <velocity name="mixed" class="servo" joint="b"/>
    <motor name="pulled" tendon="cord"/>
    <motor name="floating" joint="free"/>
    <position name="filtered" joint="a" timeconst="0.1"/>
    <general name="lagging" joint="a" dyntype="filter" dynprm="0.1"/>
    <muscle name="muscle" joint="a"/>
    <general name="unstable" joint="a" biasprm="0 2 0"/>
  </actuator>
  <keyframe>
    <key name="stand" ctrl="0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0 1.1 0 0 0 0 0 0"/>
    <key/>
  </keyframe>
</mujoco>"#;

/// Name, force without control, force with the control 0.8.
const FORCES: [(&str, f64, f64); 10] = [
    ("plain", -3.475, 5.325),
    ("servo", 5.0, 5.0),
    ("firm", -11.35, 68.65),
    ("damped", -11.2, -4.8),
    ("motor", 0.0, 2.4),
    ("5", -22.05, -5.25),
    ("general", 0.51875, 1.71875),
    ("fixed", 0.0, 1.6),
    ("inherited", -1.075, 1.325),
    ("limited", 0.0, 0.5),
];

#[test]
fn forces_of_actuators_are_those_of_mujoco() {
    let model = model(TEXT);
    let (q, v) = ([0.3, -0.4, 0.1], [0.7, -1.1, 0.9]);
    let names = model.actuator_names();
    for (i, (name, without, with)) in FORCES.into_iter().enumerate() {
        let actuator = &model.actuators()[i];
        assert_eq!(names[i], name);
        let law = actuator.law.as_ref().unwrap();
        let joint = &model.joints()[law.joint];
        for (control, expected) in [(0.0, without), (0.8, with)] {
            let [lower, upper] = actuator.control_range.unwrap_or([f64::MIN, f64::MAX]);
            let force = law.force(f64::clamp(control, lower, upper))
                - law.stiffness() * q[joint.coordinates.start]
                - law.damping() * v[joint.velocities.start];
            let [lower, upper] = actuator.force_range.unwrap_or([f64::MIN, f64::MAX]);
            let force = law.gear * (force / law.gear).clamp(lower, upper);
            assert!((force - expected).abs() < 1e-14, "{name}: {force} instead of {expected}");
        }
    }
    assert_eq!(model.actuators()[1].force_range, Some([-5.0, 5.0]));
    assert_eq!(model.actuators()[2].force_range, None);
}

#[test]
fn actuators_that_are_not_modelled_say_why() {
    let model = model(TEXT);
    let faults: Vec<&str> =
        model.actuators()[FORCES.len()..].iter().map(|one| one.law.as_ref().unwrap_err().as_str()).collect();
    let expected = [
        "its default is a <position>",
        "it acts on a tendon",
        "joint \"free\" has several coordinates",
        "it has a timeconst",
        "its dyntype is filter",
        "it is a muscle",
        "its stiffness or damping is negative: biasprm = [0.0, 2.0, 0.0]",
    ];
    assert_eq!(faults, expected);
}

#[test]
fn keyframes_have_controls() {
    let model = model(TEXT);
    let stand = &model.find_keyframe("stand").unwrap().controls;
    assert_eq!((stand[0], stand[10], stand.len()), (0.1, 1.1, 17));
    assert_eq!(model.keyframes()[1].controls, [0.0; 17]);
}
