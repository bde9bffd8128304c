//! Which geoms touch the floor, and with which friction, is what MuJoCo says.

use carom_multibody::planes;

use super::helpers::*;

const TEXT: &str = r#"<mujoco><default><pair friction="9 9"/><default class="p"><pair friction=".25 .25"/></default></default>
<worldbody><geom name="floor" type="plane" size="5 5 1" friction=".4" pos="0 0 -.05"/>
<body name="max"><freejoint/><geom name="max" size=".1" friction=".7"/></body>
<body name="less" pos="1 0 0"><freejoint/><geom name="less" size=".1" friction=".2"/></body>
<body name="prior" pos="2 0 0"><freejoint/><geom name="prior" size=".1" friction=".2" priority="1"/></body>
<body name="smooth" pos="3 0 0"><freejoint/><geom name="smooth" size=".1" condim="1" priority="1"/></body>
<body name="one" pos="4 0 0"><freejoint/><geom name="one" size=".1" condim="1"/></body>
<body name="pair" pos="0 1 0"><freejoint/><geom name="pair" size=".1" contype="0" conaffinity="0"/></body>
<body name="classed" pos="1 1 0"><freejoint/><geom name="classed" size=".1"/></body>
<body name="plain" pos="2 1 0"><freejoint/><geom name="plain" size=".1" friction=".8" condim="1" priority="2"/></body>
<body name="apart" pos="3 1 0"><freejoint/><geom name="apart" size=".1" contype="2" conaffinity="2"/></body>
<body name="oneway" pos="4 1 0"><freejoint/><geom name="oneway" size=".1" contype="2" conaffinity="1"/></body>
<body name="excluded" pos="0 2 0"><freejoint/><geom name="excluded" size=".1"/></body>
<body name="both" pos="1 2 0"><freejoint/><geom name="both" size=".1"/></body>
<body name="unseen" pos="2 2 0"><freejoint/><geom name="unseen" size=".1" contype="0" conaffinity="0"/></body>
</worldbody>
<contact><pair geom1="floor" geom2="pair" friction=".6 .5"/><pair class="p" geom1="classed" geom2="floor"/>
<exclude body1="world" body2="excluded"/><exclude body1="both" body2="world"/>
<pair geom1="both" geom2="floor" friction=".3 .3" condim="1"/><pair geom1="plain" geom2="floor"/>
<pair geom1="max" geom2="less"/></contact></mujoco>"#;

/// The contacts of MuJoCo 4.0.0 after mj_forward, each ball a few centimetres inside the floor: `contact.friction[0]`, and zero where
/// `contact.dim` is 1.
#[test]
fn pairs_touch_and_rub_as_in_mujoco() {
    let model = model(TEXT);
    let (floor, _) = planes(&model)[0];
    let rule = |name: &str| {
        let rule = model.pair_rule((model.find_link(name).unwrap(), 0), floor)?;
        Some((rule.touches, rule.friction))
    };
    for (name, friction) in [
        ("max", 0.7),
        ("less", 0.4),
        ("prior", 0.2),
        ("smooth", 0.0),
        ("one", 1.0),
        ("pair", 0.6),
        ("classed", 0.25),
        ("plain", 9.0),
        ("oneway", 1.0),
        ("both", 0.0),
    ] {
        assert_eq!(rule(name), Some((true, friction)), "{name}");
    }
    for name in ["apart", "excluded"] {
        assert!(!rule(name).unwrap().0, "{name}");
    }
    assert_eq!(rule("unseen"), None);
    let warnings: Vec<&str> = model.warnings().iter().map(|warning| warning.subject.as_str()).collect();
    assert_eq!(
        warnings,
        ["contact pair with another friction along its second tangent", "contact pair without a plane of the world"]
    );
}

#[test]
fn pairs_of_nothing_are_refused_or_told() {
    let text = |contact: &str, geom: &str| {
        format!(
            "<mujoco><worldbody><body name='b'><freejoint/>\n<geom name='g' size='.1' {geom}/></body></worldbody><contact>{contact}</contact></mujoco>"
        )
    };
    let error = refusal(&text("<exclude body1='b' body2='c'/>", ""));
    assert!(error.message.contains("body2 = \"c\" is not a body"), "{error}");
    let error = refusal(&text("", "condim='2'"));
    assert!(error.message.contains("condim = 2 must be 1, 3, 4 or 6") && error.line == Some(2), "{error}");
    let told = model(&text("<pair geom1='g' geom2='h'/>", ""));
    assert!(told.warnings()[0].message.contains("names a geom without a shape"), "{:?}", told.warnings());
}
