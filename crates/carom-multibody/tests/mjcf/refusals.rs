//! What is refused, and what is remarked.

use carom_multibody::WarningKind;
use carom_multibody::load::LoadErrorKind;

use super::helpers::*;

#[test]
fn what_changes_the_dynamics_and_is_not_known_is_refused() {
    let body = r#"<body><joint name="j"/><geom size=".1"/></body>"#;
    for text in [
        world("<body><flexcomp/></body>"),
        world("<composite/>"),
        world(r#"<attach model="m" prefix="p"/>"#),
        world(r#"<frame scale="2"/>"#),
        world(r#"<body><freejoint align="true"/><geom size=".1"/></body>"#),
        world(r#"<body mocap="true"><joint/><geom size=".1"/></body>"#),
        world(r#"<body><joint/><geom type="sdf" mesh="m"/></body>"#),
        format!(r#"<mujoco><compiler coordinate="global"/><worldbody>{body}</worldbody></mujoco>"#),
        format!("<mujoco><worldbody>{body}</worldbody><deformable><flex/></deformable></mujoco>"),
        format!(r#"<mujoco><worldbody>{body}</worldbody><tendon><fixed armature="1"/></tendon></mujoco>"#),
        format!(r#"<mujoco><worldbody>{body}</worldbody><actuator><motor site="s" armature="1"/></actuator></mujoco>"#),
    ] {
        let error = refusal(&text);
        assert_eq!(error.kind, LoadErrorKind::Unsupported, "{text}: {error}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_where_it_stands() {
    for (bodies, kind) in [
        ("<body>\n<foo/></body>", LoadErrorKind::Syntax),
        ("<body>\n<geom class='none' size='.1'/></body>", LoadErrorKind::Value),
        ("<body>\n<geom size='.1' euler='0 0 1' quat='1 0 0 0'/></body>", LoadErrorKind::Value),
        ("<body>\n<geom size='.1 x'/></body>", LoadErrorKind::Value),
        ("<body>\n<geom type='box' size='.1'/></body>", LoadErrorKind::Value),
        ("<body>\n<joint axis='0 0 0'/></body>", LoadErrorKind::Value),
        ("<body>\n<joint limited='true'/></body>", LoadErrorKind::Value),
        ("<body>\n<inertial mass='1'/></body>", LoadErrorKind::Value),
        ("<body><body>\n<freejoint/></body></body>", LoadErrorKind::Structure),
        ("<body name='a'/>\n<body name='a'/>", LoadErrorKind::Structure),
        ("<body><replicate count='2'><frame>\n<joint/></frame></replicate></body>", LoadErrorKind::Value),
        ("</worldbody><actuator>\n<motor joint='none' armature='1'/></actuator><worldbody>", LoadErrorKind::Value),
    ] {
        let error = refusal(&world(bodies));
        assert_eq!((error.kind, error.line), (kind, Some(2)), "{bodies}: {error}");
    }
}

#[test]
fn what_acts_on_the_motion_is_remarked_once_a_kind() {
    let model = model(
        r#"<mujoco>
<option viscosity="1"/> <visual/> <statistic/> <sensor/> <keyframe/> <custom/> <size/>
<worldbody> <light/> <camera/>
<body gravcomp="1"> <joint name="j" type="ball" range="0 10"/> <geom size=".1"/> </body>
</worldbody>
<actuator> <motor joint="j"/>
<motor joint="j"/> </actuator>
</mujoco>"#,
    );
    let warnings: Vec<_> =
        model.warnings().iter().map(|warning| (warning.kind, warning.subject.as_str(), warning.line)).collect();
    assert_eq!(
        warnings,
        [
            (WarningKind::NotModelled, "option viscosity", Some(2)),
            (WarningKind::NotModelled, "actuator motor", Some(6)),
            (WarningKind::NotModelled, "body gravcomp", Some(4)),
            (WarningKind::NotModelled, "range of a ball joint", Some(4)),
        ]
    );
    assert!(model.warnings()[1].message.contains("2 times"));
}

/// Whatever MuJoCo would refuse or count, and carom does not know, does not pass in silence.
#[test]
fn what_would_change_the_dynamics_is_refused() {
    let slip = refusal(&world(r#"<body><joint armatur="1"/><geom size=".1"/></body>"#));
    assert_eq!(slip.kind, LoadErrorKind::Syntax);
    assert!(slip.message.contains("<joint> has the unknown attribute armatur; the valid ones are "), "{slip}");
    let field = refusal(
        r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
           <body><joint/><geom type="hfield" hfield="h"/></body></worldbody></mujoco>"#,
    );
    assert_eq!(field.kind, LoadErrorKind::Unsupported);
    let aligned = refusal(
        r#"<mujoco><compiler fusestatic="true" alignfree="true"/><worldbody><body><freejoint/><geom size=".1"/>
           <body pos="1 0 0"><geom size=".1"/></body></body></worldbody></mujoco>"#,
    );
    assert!(aligned.message.contains("align = \"false\""), "{aligned}");
    let endless = format!("{}<geom size='.1'/>{}", "<replicate count='1000'>".repeat(4), "</replicate>".repeat(4));
    assert!(refusal(&world(&endless)).message.contains("more than 1000000 elements"));
}

#[test]
fn negative_masses_and_moments_are_remarked() {
    for (inertial, kind) in [
        (r#"pos="0 0 0" mass="-1" diaginertia="1 1 1""#, WarningKind::NegativeMass),
        (r#"pos="0 0 0" mass="1" diaginertia="-1 1 1""#, WarningKind::NegativeInertia),
        (r#"pos="0 0 0" mass="1" diaginertia="1 1 3""#, WarningKind::TriangleInequality),
    ] {
        let model = model(&world(&format!(r#"<body name="b"><joint/><inertial {inertial}/></body>"#)));
        assert_eq!(model.warnings().iter().map(|warning| warning.kind).collect::<Vec<_>>(), [kind]);
        assert!(model.warnings()[0].message.contains("\"b\""));
    }
}
