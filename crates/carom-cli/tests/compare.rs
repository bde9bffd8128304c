//! `carom compare`, through the real command.

mod common;

use common::{assert_close, carom, carom_with, numbers};

/// Every law answers as `carom impact --law` does.
#[test]
fn the_table_has_what_each_law_answers() {
    for scene in ["kane", "rod", "cube", "foot", "reversal"] {
        let comparison = carom(&["compare", scene, "--format", "json"]).json();
        let laws = comparison["laws"].as_array().unwrap();
        assert_eq!(laws.len(), carom::law::Law::ALL.len());
        for answer in laws {
            let law = answer["law"].as_str().unwrap();
            let alone = carom(&["impact", scene, "--law", law, "--format", "json"]).json();
            assert_eq!(answer["mode"], alone["mode"], "{scene} {law}");
            assert_eq!(answer["impulse"], alone["impulse"], "{scene} {law}");
            assert_eq!(answer["velocity"], alone["velocity"], "{scene} {law}");
            assert_eq!(answer["contact_velocity"], alone["contact_velocity"]["after"], "{scene} {law}");
            assert_eq!(answer["energy_change"], alone["energy"]["change"], "{scene} {law}");
            let claims = carom::law::Law::ALL.into_iter().find(|other| other.name() == law).unwrap().claims();
            assert!(answer["obeys_cone"] == true || !claims.obeys_cone, "{scene} {law}");
            assert!(answer["obeys_restitution"] == true || !claims.newton_restitution, "{scene} {law}");
            assert!(answer["energy_change"].as_f64().unwrap() <= 0.0 || !claims.dissipates, "{scene} {law}");
        }
    }
}

/// Kane's pendulum tells the laws apart: who creates energy, who leaves the cone, who keeps Newton's restitution.
#[test]
fn the_text_tells_the_laws_apart() {
    let text = carom(&["compare", "kane"]).out;
    let row = |law: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(law)).unwrap();
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for law in ["aghili", "newton", "moreau"] {
        assert!(row(law).contains(&"+58.7".to_owned()), "{text}");
    }
    assert!(text.contains("slip (slip- | slip- slip+)"), "{text}");
    assert_eq!(row("poisson").last().unwrap(), "no", "{text}");
    assert_eq!(row("chatterjee-ruina").last().unwrap(), "yes", "{text}");
    // The printed criterion leaves the cone on the cube, and pulls nothing back.
    let cube = carom(&["compare", "cube"]).out;
    let printed = cube.lines().find(|line| line.contains("aghili-printed")).unwrap();
    assert!(printed.contains("stick") && printed.contains(" no "), "{cube}");
}

#[test]
fn problems_in_contact_space_are_compared_too_and_refusals_are_named() {
    let problem = r#"{"delassus": [[1.0, 0.5], [0.5, 0.25]], "contact_velocity": [-1.0, -0.5],
        "restitution": 0.5, "friction": 0.3}"#;
    let comparison = carom_with(&["compare", "-", "--format", "json"], problem.as_bytes()).json();
    assert!(comparison["energy_before"].is_null());
    assert_close("before", &numbers(&comparison["contact_velocity"]), &[-1.0, -0.5], 0.0);
    // The paper's own criterion needs the inverse of a matrix that has none.
    let printed =
        comparison["laws"].as_array().unwrap().iter().find(|answer| answer["law"] == "aghili-printed").unwrap();
    assert!(printed["error"].as_str().unwrap().contains("singular"), "{printed}");
    let text = carom_with(&["compare", "-"], problem.as_bytes()).out;
    assert!(text.contains("no answer: "), "{text}");
    assert_eq!(carom(&["compare", "kane", "--set", "friction=-1"]).code, 2);
}
