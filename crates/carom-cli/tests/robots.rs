//! Robots end to end: scenes, `carom impact` in joint names, `carom check`.

mod common;

use carom::multibody::{ContactPoint, Contacts, LoopKind};
use common::{assert_close, carom, carom_with, numbers, scenes_of_one_contact};
use serde_json::Value;

const EXPECTED: &str = include_str!("../../../reference/scenes/expected.json");

fn problem(scene: &str) -> carom::Problem {
    carom::Problem::from_tree(&carom::gallery::find(scene).unwrap().tree().unwrap()).unwrap()
}

/// W, contact velocity, energy and gap of every scene agree with Pinocchio and MuJoCo.
#[test]
fn every_scene_has_the_terms_that_other_engines_find() {
    let expected: Value = serde_json::from_str(EXPECTED).unwrap();
    for exhibit in scenes_of_one_contact() {
        let expected = &expected["scenes"][exhibit.name];
        let problem = problem(exhibit.name);
        let scene = problem.scene().unwrap();
        // Loops and pairs of bodies have references of their own, in `reference/loops` and `reference/pairs`.
        if !scene.model().loops().is_empty() || !scene.struck_pairs().is_empty() {
            continue;
        }
        let mut dynamics = scene.dynamics().unwrap();
        let contact = &scene.contact().unwrap().point;
        let d = contact.dimension();
        let terms = dynamics.single_contact(contact).unwrap();
        let w: Vec<f64> = terms.delassus[..d].iter().flat_map(|row| row[..d].to_vec()).collect();
        let reference: Vec<f64> = expected["delassus"].as_array().unwrap().iter().flat_map(numbers).collect();
        assert_close(exhibit.name, &w, &reference, 1e-13);
        assert_close(exhibit.name, &terms.velocity[..d], &numbers(&expected["contact_velocity"]), 1e-14);
        let outcome = carom(&["impact", exhibit.name, "--format", "json"]).json();
        let energy = [outcome["energy"]["before"].as_f64().unwrap()];
        assert_close(exhibit.name, &energy, &[expected["kinetic_energy"].as_f64().unwrap()], 1e-14);
        assert!((outcome["robot"]["gap"].as_f64().unwrap() - expected["gap"].as_f64().unwrap()).abs() < 1e-15);
    }
}

/// Those with closed loops have the terms and impulses of their one freedom, in minimal coordinates.
#[test]
fn scenes_with_loops_have_the_terms_of_minimal_coordinates() {
    let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let digits = |value: &Value| value.as_str().unwrap().parse::<f64>().unwrap();
    let four_bar = read(include_str!("../../../reference/loops/four_bar.json"));
    let slider_crank = read(include_str!("../../../reference/loops/slider_crank.json"));
    let list = |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(digits).collect() };
    let w: Vec<f64> = four_bar["W"].as_array().unwrap().iter().flat_map(list).collect();
    let slider = &slider_crank["e_0.7"];
    for (name, w, impulse) in [
        ("four_bar", w, list(&four_bar["impulse_first"])),
        ("slider_crank", vec![digits(&slider["Wnn"])], vec![digits(&slider["impulse_first"])]),
    ] {
        let problem = problem(name);
        let scene = problem.scene().unwrap();
        let contact = &scene.contact().unwrap().point;
        let d = contact.dimension();
        let terms = scene.dynamics().unwrap().single_contact(contact).unwrap();
        let ours: Vec<f64> = terms.delassus[..d].iter().flat_map(|row| row[..d].to_vec()).collect();
        assert_close(name, &ours, &w, 1e-13);
        let outcome = carom(&["impact", name, "--format", "json"]).json();
        assert_close(name, &numbers(&outcome["impulse"]), &impulse, 1e-12);
    }
}

/// Aᵀ of what the points that loops hold together bear, by the command's answer: the first has the impulse, the second the
/// opposite.
fn loop_push(scene: &carom::scene::Scene, outcome: &Value) -> Vec<f64> {
    let model = scene.model();
    let mut push = vec![0.0; model.nv()];
    for (one, bears) in model.loops().iter().zip(outcome["robot"]["loops"].as_array().unwrap()) {
        assert_eq!((&bears["loop"], &bears["unique"]), (&Value::from(one.name.clone()), &Value::from(true)));
        let LoopKind::Connect { links, points } = &one.kind else { panic!("only points are held") };
        let impulse = numbers(&bears["impulse"]);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let point = ContactPoint::spatial(model, links[side], points[side], [0.0, 0.0, 1.0]).unwrap();
            let mut contacts = Contacts::new(model, &[point]);
            scene.dynamics().unwrap().contact_kinematics(&mut contacts).unwrap();
            for (row, axis) in point.basis().into_iter().enumerate() {
                let along: f64 = axis.to_array().iter().zip(&impulse).map(|(a, i)| a * i).sum();
                for (push, entry) in push.iter_mut().zip(contacts.jacobian().row(row)) {
                    *push += sign * along * entry;
                }
            }
        }
    }
    push
}

/// The command's answers satisfy mechanics in joint space: M (v⁺ - v⁻) = Aᵀ i with M and A from other algorithms than
/// the answer, A v⁺ is the contact velocity after, restitution, cone, and K⁺ - K⁻ = v̄·i.
#[test]
fn every_strike_obeys_mechanics_in_joint_space() {
    for exhibit in scenes_of_one_contact() {
        let name = exhibit.name;
        let outcome = carom(&["impact", name, "--format", "json"]).json();
        let problem = problem(name);
        let scene = problem.scene().unwrap();
        let mut dynamics = scene.dynamics().unwrap();
        let points: Vec<_> = scene.struck_contacts().map(|contact| contact.point).collect();
        let meetings: Vec<_> = scene.struck_pairs().iter().map(|pair| pair.meeting).collect();
        let mut contacts = Contacts::with_meetings(scene.model(), &points, &[], &meetings);
        dynamics.contact_kinematics(&mut contacts).unwrap();
        let a = contacts.jacobian();
        let m = dynamics.mass_matrix();
        let (before, after) = (scene.velocity(), numbers(&outcome["velocity"]));
        let impulse = numbers(&outcome["impulse"]);
        let n = before.len();
        assert_eq!(after.len(), n);
        let momentum: Vec<f64> = (0..n).map(|i| (0..n).map(|j| m[(i, j)] * (after[j] - before[j])).sum()).collect();
        let mut push: Vec<f64> = (0..n).map(|j| (0..impulse.len()).map(|k| a[(k, j)] * impulse[k]).sum()).collect();
        if !scene.model().loops().is_empty() {
            push.iter_mut().zip(loop_push(scene, &outcome)).for_each(|(push, more)| *push += more);
        }
        assert_close(name, &momentum, &push, 1e-11);
        let contact_after: Vec<f64> = (0..impulse.len()).map(|k| (0..n).map(|j| a[(k, j)] * after[j]).sum()).collect();
        let reported = numbers(&outcome["contact_velocity"]["after"]);
        let speed = numbers(&outcome["contact_velocity"]["before"]).iter().map(|v| v * v).sum::<f64>().sqrt();
        for (x, y) in contact_after.iter().zip(&reported) {
            assert!((x - y).abs() <= 1e-13 * speed.max(1.0), "{name}: {contact_after:?} {reported:?}");
        }
        let e = outcome["restitution"]["normal"].as_f64().unwrap();
        assert!((contact_after[0] + e * numbers(&outcome["contact_velocity"]["before"])[0]).abs() < 1e-13 * speed);
        let tangential = impulse[1..].iter().map(|i| i * i).sum::<f64>().sqrt();
        // A contact without tangents needs no friction.
        let mu = outcome["friction"]["static"].as_f64().unwrap_or_default();
        assert!(impulse[0] > 0.0 && tangential <= mu * impulse[0] * (1.0 + 1e-12), "{name}");
        let [k0, k1] = ["before", "after"].map(|when| outcome["energy"][when].as_f64().unwrap());
        let change = outcome["energy"]["change"].as_f64().unwrap();
        assert!((k1 - k0 - change).abs() <= 1e-13 * k0, "{name}: {} {change}", k1 - k0);
    }
}

/// The compass walker is on its known gait: the impact leaves it where the gait starts.
#[test]
fn the_walker_steps_as_the_literature_says() {
    let outcome = carom(&["impact", "walker", "--format", "json"]).json();
    let names: Vec<String> = serde_json::from_value(outcome["robot"]["velocity_names"].clone()).unwrap();
    assert_eq!(names, ["x", "z", "stance", "hip"]);
    // At g = 9.81; the literature's s' = -1.0918266774896 and n' = -0.3771815584033 are for g = 9.8, and rates
    // scale with its square root.
    let scale = (9.81_f64 / 9.8).sqrt();
    let after = numbers(&outcome["velocity"]);
    let (swing, stance) = (after[2], after[2] + after[3]);
    assert!((swing - scale * -0.3771815584033).abs() < 1e-9, "{swing}");
    assert!((stance - scale * -1.0918266774896).abs() < 1e-9, "{stance}");
}

#[test]
fn outcomes_speak_in_joint_names() {
    let text = carom(&["impact", "foot"]).out;
    for word in ["robot               quadruped", "strikes with        front_left_foot at (", "on the surface"] {
        assert!(text.contains(word), "{text}");
    }
    for joint in ["root_joint.vx", "root_joint.wz", "front_left_knee", "rear_right_knee"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(joint)), "{joint}\n{text}");
    }
    let outcome = carom(&["impact", "foot", "--format", "json"]).json();
    assert_eq!(outcome["robot"]["velocity_names"].as_array().unwrap().len(), 18);
    assert_eq!(outcome["robot"]["axes"].as_array().unwrap().len(), 3);
}

/// `--set` reaches every key of a scene.
#[test]
fn every_key_of_a_scene_can_be_set() {
    let set = |scene: &str, edits: &[&str]| {
        let mut arguments = vec!["impact", scene, "--format", "json"];
        for edit in edits {
            arguments.extend(["--set", edit]);
        }
        carom(&arguments)
    };
    let base = set("foot", &[]).json();
    for edit in [
        "base.position[2]=0.5",
        "base.rpy=[0.1, 0, 0]",
        "base.velocity[0]=2",
        "base.angular_velocity[1]=3",
        "state.configuration.front_left_knee=-1.0",
        "state.velocity.front_left_knee=4.0",
        "contact.point=[0, 0, -0.03]",
        "contact.dimension=1",
        "contact.link=front_right_foot",
        "surface.normal=[0, 0.3, 1]",
        "surface.point[2]=-1",
        "restitution=0.9",
        "friction.dynamic=0.1",
        "guard=limit",
        "id=7",
    ] {
        let ran = set("foot", &[edit]);
        assert_ne!(ran.json(), base, "{edit}");
    }
    // By default the base is at home: the pelvis at its height.
    let home = set("humanoid", &["base={}"]).json();
    let turned = set("humanoid", &["base={\"rpy\": [0, 0, 1]}"]).json();
    let height = |outcome: &Value| outcome["robot"]["position"][2].as_f64().unwrap();
    assert!((height(&home) - height(&turned)).abs() < 1e-12);
    assert_eq!(set("foot", &["gravity=[0, 0, -1.6]"]).json(), base, "an impact does not feel gravity");
    assert_eq!(set("humanoid", &["strike=toe_outer"]).json()["robot"]["contact"], "toe_outer");
    assert_eq!(set("kane", &["state.velocity=[-0.1, -0.1]"]).json(), set("kane", &[]).json());
    assert_eq!(set("kane", &["model.builtin=planar_rod"]).code, 2);
    for (scene, edit, complaint) in [
        (
            "kane",
            "state.velocity.wrist=1",
            "\"wrist\" is not a joint of double_pendulum; its moving joints are shoulder, elbow",
        ),
        ("kane", "state.configuration=[1]", "state.configuration is 1 number, but must be 2 numbers"),
        ("kane", "state.velocity.elbow=[1, 2]", "state.velocity.elbow is 2 numbers, but must be 1 number"),
        ("kane", "state.speed=1", "state.speed is not a valid key"),
        (
            "kane",
            "contact.link=foot",
            "contact.link = \"foot\" is not a link of double_pendulum; its links are world, ",
        ),
        ("kane", "contact.frame=tip", "contact.link and contact.frame both place it"),
        ("kane", "surface.normal=[0, 0, 0]", "the normal (0, 0, 0) has no direction"),
        ("kane", "contact.dimension=4", "contact.dimension is the number 4, but must be 1, 2 or 3"),
        ("kane", "model.builtin=robot", "model.builtin = \"robot\" is not one of double_pendulum, planar_rod"),
        ("kane", "model.urdf=x.urdf", "model.urdf and model.builtin both give a robot"),
        ("kane", "base.velocity=[0, 0, 1]", "base.velocity is for a robot whose first joint is floating"),
        ("cube", "base.floating=true", "a floating base can only be requested for URDF"),
        (
            "cube",
            "base.floating=false",
            "base.floating = false conflicts with the robot's file, whose base is floating",
        ),
        ("kane", "contact.link=support", "cannot be struck: its link \"support\" is fixed to the world"),
        ("kane", "mass_matrix=[[1]]", "mass_matrix and model belong to different forms"),
        ("kane", "delassus=[[1]]", "delassus and model belong to different forms"),
        ("cube", "base.quaternion=[2, 0, 0, 0]", "base.rpy and base.quaternion both give the orientation"),
        ("cube", "base.floating=1", "base.floating is the number 1, but must be true or false"),
        ("humanoid", "strike=nose", "strike = \"nose\" is not a contact; the contacts are"),
        ("humanoid", "contact.link=head", "contact and contacts both give the contacts"),
        ("humanoid", "state.configuration.neck=[2, 0, 0, 0]", "the quaternion of joint \"neck\" has norm 2"),
        ("arm", "base.floating=true", ""),
    ] {
        let ran = set(scene, &[edit]);
        if complaint.is_empty() {
            assert_eq!(ran.code, 0, "{edit}: {}", ran.err);
        } else {
            assert_eq!(ran.code, 2, "{edit}");
            assert!(ran.err.contains(complaint), "{edit}: {}", ran.err);
        }
    }
}

/// A robot file given relative to the scene, and errors with their location.
#[test]
fn a_scene_names_a_file_beside_it_and_errors_show_the_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("robots")).unwrap();
    std::fs::write(folder.path().join("robots/two.urdf"), carom::models::find("double_pendulum").unwrap().text)
        .unwrap();
    let scene = carom(&["gallery", "kane"]).out.replace("builtin = \"double_pendulum\"", "urdf = \"robots/two.urdf\"");
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, &scene).unwrap();
    let path = file.to_str().unwrap();
    assert_eq!(
        carom(&["impact", path, "--format", "json"]).json(),
        carom(&["impact", "kane", "--format", "json"]).json()
    );

    let complain = |from: &str, to: &str| {
        assert!(scene.contains(from), "{from}");
        std::fs::write(&file, scene.replace(from, to)).unwrap();
        let ran = carom(&["impact", path]);
        assert_eq!(ran.code, 2);
        ran.err
    };
    let err = complain("elbow = -0.1", "elbov = -0.1");
    let line = scene.lines().position(|line| line.starts_with("elbow = -0.1")).unwrap() + 1;
    assert!(err.contains(&format!("scene.toml:{line}: \"elbov\" is not a joint")), "{err}");
    assert!(err.contains("elbov = -0.1") && err.contains("| ^^^^^ state.velocity.elbov"), "{err}");
    let err = complain("robots/two.urdf", "robots/three.urdf");
    assert!(err.contains("three.urdf: cannot be read"), "{err}");
    std::fs::write(folder.path().join("robots/bad.urdf"), "<robot name=\"r\">\n<link name=\"a\"/>\n<joint/>\n</robot>")
        .unwrap();
    let err = complain("robots/two.urdf", "robots/bad.urdf");
    assert!(err.contains("bad.urdf:3: <joint> needs the attribute name"), "{err}");
    let err = complain("[contact]\nlink = \"tip\"", "");
    assert!(err.contains("contact is missing") || err.contains("a scene needs a contact"), "{err}");
}

/// Scenes are problems: a batch accepts them too, with robot files relative to its folder.
#[test]
fn a_batch_may_hold_scenes() {
    let lines: String = ["kane", "foot"].map(|scene| carom(&["gallery", scene, "--format", "json"]).out).concat();
    let ran = carom_with(&["batch", "-"], lines.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let outcomes: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(outcomes[0], carom(&["impact", "kane", "--format", "json"]).json());
    assert_eq!(outcomes[1]["robot"]["model"], "quadruped");
}

#[test]
fn check_prints_tree_freedoms_mass_frames_and_warnings() {
    let text = carom(&["check", "quadruped", "--floating-base"]).out;
    for line in [
        "18 degrees of freedom: nq = 19, nv = 18",
        "moves in space",
        "floating root_joint (v 0-5)",
        "    front_left_knee        0                      [-2.6, 0]    0.05     0.1\n",
        "    trunk                 box of 0.42 x 0.2 x 0.11 m\n",
        "    front_left_foot       sphere of radius 0.02 m\n",
        "no warnings",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(carom(&["check", "cube"]).out.contains("no warnings"));
    assert!(carom(&["check", "double_pendulum"]).out.contains("moves in the plane normal to (0, -1, 0)"));
    assert!(carom(&["check", "humanoid"]).out.contains("frames\n"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("doubtful.urdf");
    std::fs::write(
        &file,
        "<robot name=\"doubtful\">\n<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n\
         <joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<gazebo/>\n</robot>",
    )
    .unwrap();
    let text = carom(&["check", file.to_str().unwrap()]).out;
    assert!(text.contains("triangle_inequality: link \"b\""), "{text}");
    assert!(text.contains("ignored: <gazebo> in <robot> occurs once and is ignored (line 5)"), "{text}");
    let none = carom(&["check", "nothing"]);
    assert_eq!(none.code, 2);
    assert!(
        none.err.contains("neither a file nor a built-in model; the built-in models are double_pendulum"),
        "{}",
        none.err
    );
    let not_xml = folder.path().join("robot.txt");
    std::fs::write(&not_xml, "hello").unwrap();
    assert_eq!(carom(&["check", not_xml.to_str().unwrap()]).code, 2);
}

/// Every built-in model loads without warnings, and its M can be factored.
#[test]
fn built_in_models_are_sound() {
    for built_in in carom::models::MODELS {
        let model = built_in.load(&carom::multibody::load::Options::default()).unwrap();
        assert_eq!(model.name(), built_in.name);
        assert!(model.warnings().is_empty(), "{}: {:?}", built_in.name, model.warnings());
        let nv = model.nv();
        let mut dynamics = carom::multibody::Dynamics::new(model);
        dynamics.solve_mass(&mut vec![1.0; nv]).unwrap();
        if built_in.name == "humanoid" {
            assert!(nv >= 30);
        }
    }
}

/// A folder with a robot and a scene, and the output of `carom impact`.
fn strike(robot: (&str, &str), scene: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(robot.0), robot.1).unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, format!("restitution = 0.5\nfriction = 0.5\n{scene}")).unwrap();
    carom(&["impact", file.to_str().unwrap(), "--format", "json"]).json()
}

const INERTIAL: &str =
    "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";

/// The base has the pose of the scene, wherever the file has placed its floating joint.
#[test]
fn a_floating_joint_with_an_origin_is_placed_in_the_world() {
    let robot = format!(
        "<robot name='r'><link name='world'/><link name='b'>{INERTIAL}</link><joint name='f' type='floating'>\
         <parent link='world'/><child link='b'/><origin xyz='0 0 2' rpy='0 1 0'/></joint></robot>"
    );
    let scene = "model.urdf = 'r.urdf'\ncontact.link = 'b'\nsurface.normal = [0, 0, 1]\n\
                 [base]\nposition = [0, 0, 3]\nrpy = [0, 0, 0]\nvelocity = [0, 0, -1]\nangular_velocity = [1, 0, 0]\n";
    let outcome = strike(("r.urdf", &robot), scene);
    assert_close("position", &numbers(&outcome["robot"]["position"]), &[0.0, 0.0, 3.0], 1e-15);
    assert_close("velocity", &numbers(&outcome["contact_velocity"]["before"]), &[-1.0, 0.0, 0.0], 1e-15);
    // If only one part is given the other stays at home: the joint's own rotation by 1 rad.
    let outcome = strike(
        ("r.urdf", &robot),
        &scene
            .replace("rpy = [0, 0, 0]\n", "")
            .replace("contact.link = 'b'", "contact = { link = 'b', point = [1, 0, 0] }"),
    );
    let expected = [1.0_f64.cos(), 0.0, 3.0 - 1.0_f64.sin()];
    assert_close("position", &numbers(&outcome["robot"]["position"]), &expected, 1e-15);
}

#[test]
fn a_site_may_be_called_as_its_body() {
    let robot = "<mujoco><worldbody><body name='foot' pos='0 0 1'><freejoint/><geom size='.1'/>\
                 <site name='foot' pos='0 0 -.1'/></body></worldbody></mujoco>";
    let scene = "model.mjcf = 'r.xml'\nsurface.normal = [0, 0, 1]\nbase.velocity = [0, 0, -1]\n";
    for (contact, height) in [("contact.link = 'foot'", 1.0), ("contact.frame = 'foot'", 0.9)] {
        let outcome = strike(("r.xml", robot), &format!("{scene}{contact}"));
        assert_close(contact, &numbers(&outcome["robot"]["position"]), &[0.0, 0.0, height], 1e-15);
    }
}

/// Parts of the file that an impact ignores are reported in the outcome.
#[test]
fn warnings_stand_beside_the_outcome() {
    let robot = "<mujoco><worldbody><body name='a'><joint name='j' axis='0 1 0' range='-10 10'/>\
                 <geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/><body name='b'/></body></worldbody>\
                 <equality><tendon name='cable' tendon1='t'/></equality></mujoco>";
    let scene = "model.mjcf = 'r.xml'\nsurface.normal = [0, 0, 1]\ncontact = { link = 'a', point = [1, 0, 0] }\n\
                 state.velocity.j = 1\nstate.configuration.j = 0.5\n";
    let outcome = strike(("r.xml", robot), scene);
    let warnings: Vec<String> = serde_json::from_value(outcome["robot"]["warnings"].clone()).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("not_modelled: equality tendon \"cable\""), "{warnings:?}");
    assert!(warnings[1].starts_with("outside_limits: joint \"j\" is at 0.5, beyond its limits"), "{warnings:?}");
}

/// 1.57 or 1.5708 for a quarter turn is the same mechanism in the same plane.
#[test]
fn rounded_quarter_turns_stay_in_the_plane() {
    let robot = |turn: &str| {
        format!(
            "<robot name='r'><link name='a'/><link name='b'>{INERTIAL}</link><link name='c'>{INERTIAL}</link>\
             <joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin rpy='{turn} 0 0'/>\
             <axis xyz='0 0 1'/></joint><joint name='k' type='continuous'><parent link='b'/><child link='c'/>\
             <origin xyz='1 0.2 0'/><axis xyz='0 0 1'/></joint></robot>"
        )
    };
    let scene = "model.urdf = 'r.urdf'\nsurface.normal = [0, 0, 1]\ncontact = { link = 'c', point = [1, 0.3, 0] }\n\
                 state.velocity = [-1, 0.4]\n";
    let exact = strike(("r.urdf", &robot("1.5707963267948966")), scene);
    for turn in ["1.5708", "1.57"] {
        let outcome = strike(("r.urdf", &robot(turn)), scene);
        assert_eq!((&outcome["contact_dimension"], &outcome["mode"]), (&2.into(), &exact["mode"]), "{turn}");
        assert_close(turn, &numbers(&outcome["velocity"]), &numbers(&exact["velocity"]), 3e-3);
    }
}

/// Each command recognises input that belongs to another.
#[test]
fn robots_and_scenes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let scene = write("s.toml", &carom(&["gallery", "arm"]).out);
    assert!(carom(&["check", &scene]).err.contains("is not a robot file: carom impact reads scenes"));
    assert!(carom(&["impact", "quadruped"]).err.contains("is a model, not a scene"));
    assert!(carom(&["check", "kane"]).err.contains("\"kane\" is a scene, not a model: carom gallery kane prints it"));
    assert!(carom(&["check", "cube", "--floating-base"]).err.contains("can only be requested for URDF"));
    // A free body on a joint without mass has no inertia.
    let singular = carom(&["check", "double_pendulum", "--floating-base"]);
    assert!(
        singular.out.contains("no impact can be computed at home: the mass matrix is singular"),
        "{}",
        singular.out
    );
}
