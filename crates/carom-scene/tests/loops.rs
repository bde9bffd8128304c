//! Closed loops in scenes: assembly, impacts, and what is refused.

use std::path::Path;

use carom_scene::Problem;
use carom_scene::record::RobotRecord;

const URDF: &str = r#"<robot name="four-bar">
 <link name="ground"/>
 <link name="crank"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/>
  <inertia ixx="1e-9" iyy="0.006666666666666667" izz="0.006666666666666667" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <link name="coupler"><inertial><origin xyz="0.45 0 0"/><mass value="1.2"/>
  <inertia ixx="1e-9" iyy="0.081" izz="0.081" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <link name="rocker"><inertial><origin xyz="0.35 0 0"/><mass value="0.8"/>
  <inertia ixx="1e-9" iyy="0.032666666666666667" izz="0.032666666666666667" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="crank" type="continuous"><parent link="ground"/><child link="crank"/><axis xyz="0 -1 0"/></joint>
 <joint name="coupler" type="continuous"><parent link="crank"/><child link="coupler"/><origin xyz="0.4 0 0"/><axis xyz="0 -1 0"/></joint>
 <joint name="rocker" type="continuous"><parent link="ground"/><child link="rocker"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/></joint>
</robot>"#;

const SCENE: &str = r#"
contact = { link = "coupler", point = [0.45, 0, -0.5] }
surface = { point = [0, 0, -0.95], normal = [0, 0, 1] }
restitution = 0.6
friction = 0.3
[model]
urdf = "four-bar.urdf"
[[loops]]
name = "pin"
kind = "KIND"
first = { link = "coupler", point = [0.9, 0, 0]AXIS }
second = { link = "rocker", point = [0.7, 0, 0]AXIS }
[state]
configuration = { crank = -0.862347686761463057, coupler = 0.41078218559173524, rocker = -1.4705554628042858 }
velocity = { crank = -3.14159609761172798 }
"#;

/// Writes the robot to a folder of its own, which is removed at the end.
fn in_folder(name: &str, test: impl FnOnce(&Path)) {
    let folder = tempfile::Builder::new().prefix(name).tempdir().unwrap();
    std::fs::write(folder.path().join("four-bar.urdf"), URDF).unwrap();
    test(folder.path());
}

fn scene(folder: &Path, text: &str) -> Result<Problem, String> {
    let file = folder.join("scene.toml");
    std::fs::write(&file, text).unwrap();
    Problem::from_file(&file).map_err(|error| error.to_string())
}

#[test]
fn an_impact_of_a_four_bar_linkage_is_that_of_its_one_freedom() {
    let reference: serde_json::Value =
        serde_json::from_str(include_str!("../../../reference/loops/four_bar.json")).unwrap();
    let number = |path: &str| reference.pointer(path).unwrap().as_str().unwrap().parse::<f64>().unwrap();
    in_folder("impact", |folder| {
        // Every kind of pin leaves the same freedom; the rates of coupler and rocker are solved.
        for (kind, axis) in [("connect", ""), ("hinge", ", axis = [0, 2, 0]")] {
            let text = SCENE.replace("KIND", kind).replace("AXIS", axis);
            let problem = scene(folder, &text).unwrap();
            let outcome = serde_json::to_value(problem.answer().unwrap()).unwrap();
            for k in 0..2 {
                let (impulse, wanted) =
                    (outcome["impulse"][k].as_f64().unwrap(), number(&format!("/impulse_first/{k}")));
                assert!((impulse - wanted).abs() < 1e-12, "{kind} {impulse} {wanted}");
            }
            // One freedom: the motion is reversed by e, whatever the friction.
            let crank = outcome["velocity"][0].as_f64().unwrap();
            assert!((crank + 0.6 * number("/crank_rate_before/0")).abs() < 1e-12, "{crank}");
        }
    });
}

/// What the pin bears, in the outcome's record: the forces on the links it joins are opposite, and those of the rocker turn it alone.
#[test]
fn the_pin_s_impulse_turns_the_rocker() {
    in_folder("pin", |folder| {
        let text = SCENE.replace("KIND", "connect").replace("AXIS", "");
        let problem = scene(folder, &text).unwrap();
        let answer = problem.answer().unwrap();
        let robot = RobotRecord::of_answer(problem.scene().unwrap(), &answer).unwrap();
        assert_eq!((robot.loops.len(), robot.loops[0].name.as_str()), (1, "pin"));
        assert!(robot.loops[0].unique && robot.loops[0].angular_impulse.is_none());
        let [x, y, z] = robot.loops[0].impulse.unwrap();
        // The rocker, a rod of 0.8 kg and 0.7 m at angle a, takes the opposite impulse at its end: m l²/3 times its change of rate.
        let (a, change) = {
            let scene = problem.scene().unwrap();
            (scene.configuration()[2], answer.velocity().unwrap()[2] - scene.velocity()[2])
        };
        let moment = 0.7 * (a.cos() * -z - a.sin() * -x);
        assert!((moment - 0.8 * 0.49 / 3.0 * change).abs() < 1e-12 && y == 0.0, "{moment} {change}");
        let record = serde_json::to_value(&robot).unwrap();
        assert_eq!(record["loops"][0]["kind"], "connect");
    });
}

/// A contact that its mechanism hardly lets move is told; the answer stands.
#[test]
fn near_a_dead_point_the_report_says_so() {
    let reference: serde_json::Value =
        serde_json::from_str(include_str!("../../../reference/loops/slider_crank.json")).unwrap();
    let rows = reference["e_0.7"]["near_dead_centre"]["rows"].as_array().unwrap();
    let digits = |value: &serde_json::Value| value.as_str().unwrap().parse::<f64>().unwrap();
    for row in rows {
        // Columns: stop, crank, W_nn, v_n, impulse, crank rate after. The stop is where the piston is.
        let (crank, wanted) = (digits(&row[1]), digits(&row[4]));
        let rate = digits(&row[5]) / -0.7;
        let text = carom_scene::gallery::find("slider_crank").unwrap().text;
        let text = text
            .replace("crank = 0.782588231251143966", &format!("crank = {crank:?}"))
            .replace("crank = -4.5028269978110961", &format!("crank = {rate:?}"))
            .replace("point = [0.44, 0, 0]", &format!("point = [{:?}, 0, 0]", digits(&row[0])));
        let document = carom_scene::document::Document::read(&text, carom_scene::document::Format::Toml).unwrap();
        let problem = Problem::from_tree(document.tree()).unwrap();
        let answer = problem.answer().unwrap();
        let outcome = serde_json::to_value(&answer).unwrap();
        let impulse = outcome["impulse"][0].as_f64().unwrap();
        // The table has eight digits, of an angle that the impulse is inverse to.
        assert!((impulse - wanted).abs() < 3e-7 * wanted, "{impulse} {wanted}");
        let robot = RobotRecord::of_answer(problem.scene().unwrap(), &answer).unwrap();
        let told = robot.warnings.iter().any(|warning| warning.starts_with("dead_point: contact \"bolt\""));
        // m W_nn with 0.65 kg.
        assert_eq!(told, 0.65 * digits(&row[2]) < 1e-6, "{:?}", robot.warnings);
    }
}

#[test]
fn stated_joints_that_cannot_close_are_refused_by_the_loop_s_name() {
    in_folder("refused", |folder| {
        let closed = SCENE.replace("KIND", "connect").replace("AXIS", "");
        let error = scene(folder, &closed.replace("crank = -0.86", "crank = -0.76")).unwrap_err();
        assert!(
            error.contains("loop \"pin\" cannot be closed") && error.contains("\"crank\", \"coupler\", \"rocker\""),
            "{error}"
        );

        for (from, to, part) in [
            ("kind = \"connect\"", "kind = \"glue\"", "loops[0].kind"),
            ("link = \"rocker\", point", "link = \"rocket\", point", "\"rocket\" is not a link"),
            ("point = [0.7, 0, 0]", "point = [0.7, 0, 0], axis = [0, 1, 0]", "is only for loops of kind"),
            ("kind = \"connect\"", "kind = \"hinge\"", "a hinge needs an axis"),
            ("first = ", "frist = ", "frist"),
        ] {
            let error = scene(folder, &closed.replace(from, to)).unwrap_err();
            assert!(error.contains(part), "{to}: {error}");
        }
    });
}
