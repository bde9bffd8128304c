//! Keyframes are the states that MuJoCo has, in carom's coordinates.

use carom_multibody::Dynamics;
use carom_multibody::load::LoadErrorKind;

use super::helpers::*;

fn with_keys(keys: &str) -> String {
    format!(
        r#"<mujoco><compiler angle="degree"/><worldbody>
          <body name="base" pos="0 0 2"><freejoint name="free"/><geom size=".1"/>
            <body name="arm" pos=".3 0 0"><joint name="hinge" axis="0 1 0" ref="30"/>
              <joint name="slide" type="slide" axis="1 0 0" ref=".1"/><geom size=".05"/>
              <body name="tip" pos=".2 0 0"><joint name="ball" type="ball"/><geom size=".05"/>
                <site name="end" pos="0 0 .1"/></body></body></body></worldbody><keyframe>{keys}</keyframe></mujoco>"#
    )
}

/// Angles are in rad whatever the compiler's unit, quaternions of any length, the velocity of a free joint in world axes.
#[test]
fn a_keyframe_puts_the_robot_where_mujoco_has_it_and_moves_it_so() {
    let model = model(&with_keys(
        r#"<key name="turned" qpos="1 2 3 .1 .2 .3 .4 .7 .1 3 0 4 0" qvel="1 2 3 4 5 6 .1 .2 7 8 9" ctrl=""/>
           <key/><key name="flat" qpos="0 0 0 0 0 0 0 0 0 0 0 0 0" time="1"/>"#,
    ));
    assert_eq!(model.keyframe_names(), ["turned", "1", "flat"]);
    // From MuJoCo 4.0.0: position and velocity of the site by mj_forward and mj_objectVelocity.
    let expected = [
        (
            "turned",
            "0.5506974963851723 2.3379886848014606 3.1848963165169257",
            "-0.9286536311674434 -1.8969232676879075 5.244831711374214",
        ),
        ("1", "0.5 0 2.1", "0 0 0"),
        ("flat", "0.3366025403784439 0 0.13660254037844388", "0 0 0"),
    ];
    let end = model.find_frame("end").unwrap();
    for (name, position, velocity) in expected {
        let keyframe = model.find_keyframe(name).unwrap();
        let mut dynamics = Dynamics::new(model.clone());
        dynamics.set_state(&keyframe.configuration, &keyframe.velocity).unwrap();
        near(dynamics.placement(end.link).apply(end.placement.translation).to_array(), &numbers(position));
        let (linear, _) = dynamics.point_velocity(end.link, end.placement.translation);
        near(linear.to_array(), &numbers(velocity));
    }
    // By hand: half a turn about z changes the signs of x and y.
    let half = self::model(&with_keys(r#"<key qpos="0 0 0 0 0 0 2 0 0 1 0 0 0" qvel="1 2 3 4 5 6 0 0 0 0 0"/>"#));
    let keyframe = &half.keyframes()[0];
    near(keyframe.configuration[3..7].iter().copied(), &[0.0, 0.0, 0.0, 1.0]);
    near(keyframe.velocity[..6].iter().copied(), &[-1.0, -2.0, 3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn keyframes_of_wrong_length_name_or_element_are_refused_with_their_line() {
    for (keys, kind, said) in [
        ("\n<key qpos='1 2'/>", LoadErrorKind::Value, "qpos has 2 numbers, and the model 13"),
        ("\n<key qvel='1 2'/>", LoadErrorKind::Value, "qvel has 2 numbers, and the model 11"),
        ("<key name='a'/>\n<key name='a'/>", LoadErrorKind::Value, "\"a\" is defined twice"),
        ("\n<key pose='1'/>", LoadErrorKind::Syntax, "unknown attribute pose"),
        ("\n<pose/>", LoadErrorKind::Syntax, "not a valid element of <keyframe>"),
    ] {
        let error = refusal(&with_keys(keys));
        assert_eq!((error.kind, error.line), (kind, Some(7)), "{keys}: {error}");
        assert!(error.message.contains(said), "{error}");
    }
}
