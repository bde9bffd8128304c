//! SDF against Drake: small files that differ in one thing each, and Cassie.

use std::path::{Path, PathBuf};

use carom_multibody::load::{self, Mimics, Options};
use carom_multibody::{Dynamics, Model, Vector};
use serde_json::Value;

fn reference(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/sdf").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn vector(value: &Value) -> Vector {
    Vector::from([0, 1, 2].map(|i| value[i].as_f64().unwrap()))
}

fn at_home(model: &Model) -> Dynamics {
    let mut dynamics = Dynamics::new(model.clone());
    dynamics.set_state(model.home(), &vec![0.0; model.nv()]).unwrap();
    dynamics
}

fn trace(dynamics: &mut Dynamics) -> f64 {
    let count = dynamics.model().nv();
    let mass = dynamics.mass_matrix();
    (0..count).map(|i| mass[(i, i)]).sum()
}

#[test]
fn small_files_are_read_as_drake_reads_them() {
    let (mut read, mut refused) = (0, 0);
    for (name, case) in reference("semantics.json").as_object().unwrap() {
        let options = Options::new().mimics(Mimics::Free);
        let model = load::text(case["sdf"].as_str().unwrap(), Path::new("case.sdf"), &options);
        // What carom does not read, and Drake does.
        let is_beyond = ["universal", "screw"].iter().any(|kind| name.contains(kind));
        if case.get("error").is_some() || is_beyond {
            assert!(model.is_err(), "{name}");
            refused += 1;
            continue;
        }
        let model = model.unwrap_or_else(|error| panic!("{name}: {error}"));
        read += 1;
        assert_eq!(model.nv() as u64, case["nv"].as_u64().unwrap(), "{name}");
        let mass: f64 = model.links().iter().map(|link| link.inertia.mass).sum();
        assert!((mass - case["mass"].as_f64().unwrap()).abs() < 1e-14, "{name}: {mass}");
        let mut dynamics = at_home(&model);
        let place = |link: &str| dynamics.placement(model.find_link(link).unwrap());
        for link in ["a", "b"] {
            let error = (place(link).translation - vector(&case[format!("{link}_position")])).norm();
            assert!(error < 1e-14, "{name}: {link} is off by {error}");
        }
        let own = place("b");
        for (i, row) in own.rotation.rows().iter().enumerate() {
            let error = (Vector::from(*row) - vector(&case["b_rotation"][i])).norm();
            assert!(error < 1e-14, "{name}: {error}");
        }
        let joint = &model.joints().iter().find(|joint| joint.joint.name == "j").unwrap().joint;
        let error = (own.apply(joint.anchor) - vector(&case["joint_position"])).norm();
        assert!(error < 1e-14, "{name}: the joint is off by {error}");
        if joint.kind.is_single() {
            // Digits as printed there.
            let column = &case["columns_w_v"][0];
            let (turn, slide) = (vector(column), Vector::from([3, 4, 5].map(|i| column[i].as_f64().unwrap())));
            let axis = own.rotation.apply((1.0 / joint.axis.norm()) * joint.axis);
            let error = (axis - if turn.norm() > 0.5 { turn } else { slide }).norm();
            assert!(error < 3e-12, "{name}: {error}");
        }
        let (own, theirs) = (trace(&mut dynamics), case["M_trace"].as_f64().unwrap());
        assert!((own - theirs).abs() < 1e-13 * theirs, "{name}: {own} is not {theirs}");
    }
    assert_eq!((read, refused), (26, 7));
}

/// `pip download example-robot-data==6.0.0`, unpacked, and the folder `robots/cassie_description/robots` in `CAROM_CASSIE`.
#[test]
#[ignore = "needs files of a Python package: CAROM_CASSIE=FOLDER cargo test -p carom-multibody --test sdf_reference -- --ignored"]
fn cassie_is_the_robot_that_drake_reads() {
    let folder = PathBuf::from(std::env::var("CAROM_CASSIE").expect("CAROM_CASSIE names the folder of cassie_v2.sdf"));
    for (name, case) in reference("cassie.json").as_object().unwrap() {
        let model = load::file(folder.join(format!("{name}.sdf")), &Options::new())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut loops: Vec<&str> = model.loops().iter().map(|own| own.name.as_str()).collect();
        let mut wanted: Vec<&str> =
            case["loop_joints"].as_array().unwrap().iter().map(|joint| joint[0].as_str().unwrap()).collect();
        loops.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(loops, wanted, "{name}");
        assert_eq!(model.nv() as u64, case["nv_tree"].as_u64().unwrap(), "{name}");
        let mut dynamics = at_home(&model);
        for (link, place) in case["link_origins"].as_object().unwrap() {
            let own = dynamics.placement(model.find_link(link).unwrap()).translation;
            assert!((own - vector(place)).norm() < 1e-14, "{name}: {link}");
        }
        let (own, theirs) = (trace(&mut dynamics), case["M_trace"].as_f64().unwrap());
        println!("{name}: trace of M off by {:e}, {} warnings", own / theirs - 1.0, model.warnings().len());
        assert!((own - theirs).abs() < 1e-13 * theirs, "{name}: {own} is not {theirs}");
    }
}
