//! The impulse space says what the laws say: each answer lies on the lines, in the cone and inside the ellipse that it must.

use carom_law::{Law, Mode};
use carom_scene::Problem;
use carom_scene::document::Edit;
use carom_scene::gallery::{Exhibit, SCENES};
use carom_study::{Answered, Comparison, DiagramError, ImpulseSpace, LocusName, Verdict};
use serde_json::{Value, json};

/// Exact laws are within roundings of sums of a few terms.
const ROUNDING: f64 = 1e-12;
/// The compliant one comes to its answer by integration.
const INTEGRATED: f64 = 1e-7;

fn compared(scene: &str, edits: &[&str]) -> Comparison {
    let mut tree = carom_scene::gallery::find(scene).unwrap().tree().unwrap();
    for edit in edits {
        edit.parse::<Edit>().unwrap().apply(&mut tree).unwrap();
    }
    Comparison::new(&Problem::from_tree(&tree).unwrap()).unwrap()
}

/// The gallery, and variations that reach other modes and coefficients.
fn impacts() -> Vec<(String, Comparison)> {
    let edits: [&[&str]; 5] = [
        &[],
        &["restitution=0"],
        &["restitution=1"],
        &["friction=2"],
        &["friction.static=0.4", "friction.dynamic=0.2"],
    ];
    let is_single = |scene: &&Exhibit| {
        let problem = scene.problem().unwrap();
        // A stop without friction has no cone.
        problem.contact_count() == 1 && problem.solve().unwrap().impulse.len() > 1
    };
    let scenes = SCENES.iter().filter(is_single).flat_map(|scene| edits.map(|edits| (scene.name, edits)));
    scenes.map(|(scene, edits)| (format!("{scene} {edits:?}"), compared(scene, edits))).collect()
}

fn verdict(comparison: &Comparison, law: Law) -> Option<&Verdict> {
    match &comparison.laws.iter().find(|answer| answer.law == law).unwrap().answer {
        Answered::Yes(verdict) => Some(verdict),
        Answered::No { .. } => None,
    }
}

fn space(comparison: &Comparison) -> &ImpulseSpace {
    comparison.diagram().unwrap()
}

fn size(v: &[f64]) -> f64 {
    v.iter().fold(0.0_f64, |length, x| length.hypot(*x))
}

#[test]
fn answers_lie_on_the_lines_of_what_they_do() {
    let (mut stuck, mut restored) = (0, 0);
    for (name, comparison) in impacts() {
        let space = space(&comparison);
        for law in Law::ALL {
            let Some(verdict) = verdict(&comparison, law) else { continue };
            let asked = space.restored().unwrap().distance(&verdict.impulse);
            if law.claims().newton_restitution {
                assert!(asked <= ROUNDING, "{name} {}: {asked:e}", law.name());
                restored += 1;
            }
            // Those that follow the contact and the algebraic one ignore e_t, or share it out.
            let tried_first = [Law::Aghili, Law::AghiliPrinted, Law::Newton, Law::Moreau].contains(&law);
            if verdict.mode == Mode::Stick && tried_first {
                let by_restitution = space.locus(LocusName::TangentialRestitution);
                let off = by_restitution.or(space.locus(LocusName::Sticking)).unwrap().distance(&verdict.impulse);
                assert!(off <= ROUNDING, "{name} {}: {off:e}", law.name());
                stuck += 1;
            }
            let follows = [Law::Poisson, Law::Stronge, Law::NewtonRouth].contains(&law);
            if verdict.mode == Mode::Stick && follows {
                let off = space.locus(LocusName::Sticking).unwrap().distance(&verdict.impulse);
                assert!(off <= ROUNDING, "{name} {}: {off:e}", law.name());
                stuck += 1;
            }
        }
    }
    assert!(stuck > 50 && restored > 200, "{stuck} {restored}");
}

#[test]
fn answers_lie_in_the_cone_if_the_law_claims_it() {
    let mut outside = 0;
    for (name, comparison) in impacts() {
        let [mu_s, _] = space(&comparison).friction;
        for answer in &space(&comparison).answers {
            let [normal, tangential @ ..] = &answer.impulse[..] else { panic!("no impulse") };
            let is_inside = size(tangential) <= mu_s * normal * (1.0 + ROUNDING);
            let claims = answer.laws.iter().any(|law| law.claims().obeys_cone);
            assert!(is_inside || !claims, "{name} {:?}", answer.laws);
            outside += usize::from(!is_inside);
        }
    }
    assert!(outside > 3, "the printed criterion leaves the cone: {outside}");
}

/// In the plane Poisson's impulse is `1 + e` times that of compression, which ends on its line.
#[test]
fn poisson_restores_a_share_of_compression() {
    let mut checked = 0;
    for scene in ["kane", "rod", "wheel", "block", "reversal"] {
        let plastic = compared(scene, &["restitution=0"]);
        let compression = &verdict(&plastic, Law::Poisson).unwrap().impulse;
        let line = space(&plastic).locus(LocusName::MaximumCompression).unwrap();
        assert!(line.distance(compression) <= ROUNDING, "{scene}");
        for e in [0.3, 0.8] {
            let whole = compared(scene, &[&format!("restitution={e}")]);
            if whole.contact_velocity.len() == 2 {
                let found = verdict(&whole, Law::Poisson).unwrap().impulse[0];
                assert!((found - (1.0 + e) * compression[0]).abs() <= ROUNDING * found, "{scene} {e}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 4, "{checked}");
}

/// Inside the ellipse energy is lost, outside it is created: in the plane by every law, in space by those on its plane.
#[test]
fn the_ellipse_parts_loss_from_gain() {
    let (mut lost, mut gained) = (0, 0);
    for (name, comparison) in impacts() {
        let Some(ellipse) = space(&comparison).neutral else { continue };
        for law in Law::ALL {
            let Some(verdict) = verdict(&comparison, law) else { continue };
            let is_planar = verdict.impulse.len() == 2;
            if !is_planar && !law.claims().newton_restitution {
                continue;
            }
            let at = if is_planar { &verdict.impulse[..] } else { &verdict.impulse[1..] };
            // centre + x axes[0] + y axes[1]
            let [[a, b], [c, d]] = ellipse.axes;
            let [p, q] = [at[0] - ellipse.centre[0], at[1] - ellipse.centre[1]];
            let determinant = a * d - b * c;
            let radius = size(&[(d * p - c * q) / determinant, (a * q - b * p) / determinant]);
            // An elastic impact without friction is on the ellipse itself.
            if (radius - 1.0).abs() > 1e-9 {
                assert_eq!(radius > 1.0, verdict.energy_change > 0.0, "{name} {} {radius}", law.name());
                *(if radius > 1.0 { &mut gained } else { &mut lost }) += 1;
            }
        }
    }
    assert!(lost > 100 && gained > 5, "{lost} {gained}");
}

/// Slip by Newton's restitution with one coefficient is on the conic in which the plane cuts the cone.
#[test]
fn slip_lies_on_the_edge() {
    let mut checked = 0;
    for scene in ["cube", "foot", "sphere", "humanoid"] {
        for mu in [0.01, 0.1, 0.3] {
            let comparison = compared(scene, &[&format!("friction={mu}")]);
            for law in [Law::Aghili, Law::Newton, Law::Moreau, Law::NewtonRouth] {
                let Some(verdict) = verdict(&comparison, law).filter(|verdict| verdict.mode == Mode::Slip) else {
                    continue;
                };
                let [_, t1, t2] = verdict.impulse[..] else { panic!("{scene} is spatial") };
                let edge = space(&comparison).restored().unwrap().edge(mu, t2.atan2(t1)).unwrap();
                let off = size(&[0, 1, 2].map(|k: usize| edge[k] - verdict.impulse[k])) / size(&edge);
                // Friction that turns with the slip ends inside.
                if law == Law::NewtonRouth {
                    assert!(size(&[t1, t2]) <= size(&edge[1..]) * (1.0 + ROUNDING), "{scene} {mu}");
                } else {
                    assert!(off <= ROUNDING, "{scene} {mu} {}: {off:e}", law.name());
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 15, "{checked}");
}

/// Points of a line obey the conditions it stands for, in space both of them.
#[test]
fn lines_satisfy_their_conditions() {
    for (name, comparison) in impacts() {
        for locus in &space(&comparison).loci {
            let Some([point, direction]) = locus.line() else { continue };
            for t in [-3.0, 0.0, 0.7] {
                let impulse: Vec<f64> = point.iter().zip(&direction).map(|(p, d)| p + t * d).collect();
                assert!(locus.distance(&impulse) <= ROUNDING, "{name} {:?}", locus.name);
            }
        }
    }
}

#[test]
fn laws_that_answer_alike_share_a_mark() {
    let kane = compared("kane", &[]);
    let groups: Vec<Vec<&str>> =
        space(&kane).answers.iter().map(|answer| answer.laws.iter().map(|law| law.name()).collect()).collect();
    assert_eq!(groups[0], ["aghili", "newton", "moreau"]);
    assert_eq!(groups[1], ["aghili-printed", "chatterjee-ruina"]);
    assert_eq!(groups.concat().len(), Law::ALL.len());
    for (name, comparison) in impacts() {
        for answer in &space(&comparison).answers {
            for law in &answer.laws {
                let impulse = &verdict(&comparison, *law).unwrap().impulse;
                let apart: Vec<f64> = impulse.iter().zip(&answer.impulse).map(|(a, b)| a - b).collect();
                assert!(size(&apart) <= INTEGRATED * size(impulse), "{name}");
            }
        }
    }
}

#[test]
fn what_has_no_diagram_says_why() {
    let of = |tree: Value| Comparison::new(&Problem::from_data(&tree).unwrap()).unwrap();
    let one = of(json!({ "delassus": [[2.0]], "contact_velocity": [-1.0], "restitution": 0.5 }));
    assert_eq!(one.diagram().unwrap_err(), DiagramError::Frictionless);
    let apart = of(json!({ "delassus": [[2.0, 0.0], [0.0, 1.0]], "contact_velocity": [0.5, 1.0], "restitution": 0.5,
        "friction": 0.3 }));
    assert_eq!(apart.diagram().unwrap_err(), DiagramError::Separating { normal_velocity: 0.5 });
    // A singular matrix has lines, but no ellipse.
    let arm = of(json!({ "delassus": [[1.0, 0.5], [0.5, 0.25]], "contact_velocity": [-1.0, -0.5], "restitution": 0.5,
        "friction": 0.3 }));
    assert!(space(&arm).neutral.is_none() && space(&arm).loci.len() == 3);
}
