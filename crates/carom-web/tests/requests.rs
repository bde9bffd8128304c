//! Every request of the protocol, and what its answer has.

mod common;

use carom::Problem;
use carom::gallery;
use carom::study::{Map, MapOptions, Range};
use carom_web::Engine;
use common::{Answer, ROBOT, answer, ask, error, file, numbers};
use serde_json::{Value, json};

fn kane(request: &str) -> Value {
    json!({ "request": request, "source": { "gallery": "kane" } })
}

/// A request with more fields.
fn with(mut request: Value, more: Value) -> Value {
    let (Value::Object(own), Value::Object(more)) = (&mut request, more) else { panic!("objects") };
    own.extend(more);
    request
}

/// The impacts, and of simulations those whose robots touch something at the start.
fn one_contact() -> Vec<&'static str> {
    let is_one = |scene: &&gallery::Exhibit| Problem::from_tree(&scene.tree().unwrap()).unwrap().contact_count() == 1;
    gallery::SCENES.iter().filter(is_one).map(|scene| scene.name).collect()
}

#[test]
fn the_gallery_lists_all_scenes_laws_and_bounds() {
    let answer = answer(&Engine::new(), &json!({ "request": "gallery" }));
    let names = |key: &str| -> Vec<String> {
        answer[key].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("impacts"), gallery::SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>());
    assert_eq!(names("simulations"), gallery::SIMULATIONS.iter().map(|scene| scene.name).collect::<Vec<_>>());
    let laws = answer["laws"].as_array().unwrap();
    assert_eq!(laws.len(), carom::law::Law::ALL.len());
    assert!(laws.iter().all(|law| law["words"].as_str().is_some_and(|words| !words.is_empty())), "{laws:?}");
    assert_eq!(answer["guards"], json!(["report", "limit", "slip"]));
    assert_eq!(answer["limits"]["resolution"], 400);
}

#[test]
fn the_first_source_is_what_was_opened() {
    let start = |engine: &Engine| answer(engine, &json!({ "request": "start" }))["source"].clone();
    assert_eq!(start(&Engine::new()), json!({ "gallery": "kane" }));
    assert_eq!(start(&Engine::with_opened("cube".as_ref())), json!({ "gallery": "cube" }));
    assert_eq!(start(&Engine::with_opened("quadruped".as_ref())), json!({ "simulation": "quadruped" }));
    assert_eq!(start(&Engine::with_opened("robot.urdf".as_ref())), json!({ "opened": true }));
}

#[test]
fn every_built_in_scene_is_described() {
    let engine = Engine::new();
    let sources = gallery::SCENES.iter().map(|scene| json!({ "gallery": scene.name }));
    let sources = sources.chain(gallery::SIMULATIONS.iter().map(|scene| json!({ "simulation": scene.name })));
    for source in sources {
        let open = answer(&engine, &json!({ "request": "open", "source": source }));
        assert_eq!(open["kind"], "robot", "{source}");
        for key in ["name", "title", "text", "law", "guard"] {
            assert!(open[key].as_str().is_some_and(|text| !text.is_empty()), "{source} {key}: {}", open[key]);
        }
        assert!(open["length"].as_f64().is_some_and(|length| length > 0.0), "{source}: {}", open["length"]);
        let count = |key: &str| open[key].as_array().unwrap().len();
        let (nq, nv) = (count("coordinates"), count("velocities"));
        assert_eq!([count("configuration"), count("velocity"), count("velocity_units")], [nq, nv, nv]);
        assert_eq!(open.doubles("poses").len(), 10 * count("bodies"));
        let contacts = open["contacts"].as_array().unwrap();
        assert!(!contacts.is_empty());
        let is_of_surface = |contact: &Value| (contact["surface"].as_u64().unwrap() as usize) < count("surfaces");
        assert!(contacts.iter().all(|contact| contact["against"].is_string() || is_of_surface(contact)), "{source}");
        for joint in open["joints"].as_array().unwrap() {
            assert_eq!([numbers(&joint["axis"]).len(), numbers(&joint["anchor"]).len()], [3, 3], "{joint}");
            let [q, v] = ["q", "v"].map(|key| numbers(&joint[key]));
            assert!((q[0] + q[1]) as usize <= nq && (v[0] + v[1]) as usize <= nv, "{joint}");
        }
        assert_eq!(open["simulates"].is_null(), open["why_not"].is_string(), "{source}");
    }
}

#[test]
fn the_sentence_is_that_of_the_exact_answer() {
    let engine = Engine::new();
    let sentence = |more: Value| answer(&engine, &with(kane("answer"), more))["sentence"].as_str().unwrap().to_owned();
    assert_eq!(
        sentence(json!({})),
        "With e = 0.5 and mu = 0.5 the contact sticks, and creates 58.7 % energy: e = 0.5 exceeds its limit 0.397. No real impact can do that."
    );
    let guarded = sentence(json!({ "guard": "limit" }));
    assert!(guarded.contains("would stick and create 58.7 % energy; with e lowered to 0.397 it sticks"), "{guarded}");
    assert!(!guarded.contains("No real impact"), "{guarded}");
    let slipping = sentence(json!({ "friction": { "static": 0.1, "dynamic": 0.05 } }));
    assert!(
        slipping.starts_with("With e = 0.5, mu_s = 0.1 and mu_d = 0.05 the contact slips, and loses"),
        "{slipping}"
    );
    let upward = json!({ "velocity": numbers(&answer(&engine, &kane("open"))["velocity"]).iter().map(|x| -x).collect::<Vec<_>>() });
    let apart = sentence(upward);
    assert!(apart.contains("the contact separates"), "{apart}");
    let landing = answer(&engine, &json!({ "request": "answer", "source": { "gallery": "landing" } }));
    let landing = landing["sentence"].as_str().unwrap();
    assert!(landing.starts_with("2 contacts stick, 2 slip, and the impact loses 9.01 % energy"), "{landing}");
    assert!(landing.ends_with('.') && !landing.ends_with(".."), "{landing}");
}

#[test]
fn advice_mends_what_it_is_about() {
    let engine = Engine::new();
    let first = answer(&engine, &kane("answer"));
    assert_eq!(first["creates"], true);
    assert_eq!(first["advice"], "guard = \"slip\" lets the contact slide, guard = \"limit\" lowers e to 0.397.");
    for guard in ["slip", "limit"] {
        let mended = answer(&engine, &with(kane("answer"), json!({ "guard": guard })));
        assert_eq!(mended["creates"], false, "{guard}");
        assert!(mended["advice"].is_null(), "{guard}");
        assert!(mended["energy"]["change"].as_f64().unwrap() <= 0.0);
    }
}

#[test]
fn the_ledger_adds_up_and_limits_agree_with_the_outcome() {
    let engine = Engine::new();
    for scene in one_contact() {
        let answer = answer(&engine, &json!({ "request": "answer", "source": { "gallery": scene } }));
        let entry = |name: &str| {
            let ledger = answer["ledger"].as_array().unwrap();
            ledger.iter().find(|entry| entry["name"] == name).unwrap()["value"].as_f64().unwrap()
        };
        let sum = entry("before") + entry("normal") + entry("tangential");
        assert!((sum - entry("after")).abs() <= 1e-12 * entry("before"), "{scene}");
        let outcome = &answer["outcome"];
        for limit in answer["limits"].as_array().unwrap() {
            let [value, at, distance] = ["value", "limit", "distance"].map(|key| limit[key].as_f64().unwrap());
            assert!((distance.abs() - (at - value).abs()).abs() <= 1e-12 * at.abs().max(1.0), "{scene}: {limit}");
            let own = match limit["name"].as_str().unwrap() {
                "restitution_limit.state" => outcome["restitution_limit"]["state"].as_f64(),
                "restitution_limit.configuration" => outcome["restitution_limit"]["configuration"].as_f64(),
                "printed.critical_friction" => outcome["printed"]["critical_friction"].as_f64(),
                name => outcome[name].as_f64(),
            };
            assert_eq!(own, Some(at), "{scene}: {limit}");
        }
        // The impulse in the world's axes is that of the contact: A rotation keeps its length.
        let length = |list: Vec<f64>| list.iter().map(|x| x * x).sum::<f64>().sqrt();
        let contact = &answer["contacts"][0];
        let (world, own) = (length(numbers(&contact["impulse"])), length(numbers(&outcome["impulse"])));
        assert!((world - own).abs() <= 1e-12 * own, "{scene}: {world} {own}");
        assert_eq!(contact["mode"], outcome["mode"]);
    }
}

#[test]
fn maps_are_those_of_the_study_as_arrays() {
    let engine = Engine::new();
    let range = json!({ "x": [0.0, 0.9], "y": [0.1, 1.5] });
    let request = with(kane("map"), json!({ "resolution": 37, "range": range, "contours": true }));
    let answered = answer(&engine, &request);
    let problem = Problem::from_tree(&gallery::find("kane").unwrap().tree().unwrap()).unwrap();
    let options = MapOptions { resolution: 37, range: Range { x: Some([0.0, 0.9]), y: Some((Some(0.1), 1.5)) } };
    let map = Map::over_coefficients(&problem, "kane", &options).unwrap();
    let modes: Vec<&str> = answered["modes"].as_array().unwrap().iter().map(|mode| mode.as_str().unwrap()).collect();
    let (mode, energy, flags) = (answered.bytes("mode"), answered.floats("energy"), answered.bytes("flags"));
    let solutions = answered.bytes("solutions");
    assert_eq!([mode.len(), energy.len(), flags.len(), solutions.len()], [37 * 37; 4]);
    for (k, cell) in map.cells.iter().enumerate() {
        assert_eq!(modes[usize::from(mode[k])], cell.mode.name());
        assert_eq!(energy[k], cell.energy_change as f32);
        assert_eq!(flags[k], u8::from(cell.admissible) | u8::from(cell.admissible_any_state) << 1);
        assert_eq!(solutions[k], cell.solutions.map_or(255, |count| count as u8));
    }
    let names: Vec<&str> =
        answered["curves"].as_array().unwrap().iter().map(|curve| curve["name"].as_str().unwrap()).collect();
    for name in ["critical_friction", "restitution_limit.state"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(answered["curves"].as_array().unwrap().iter().all(|curve| curve["label"].as_str().is_some()));
    assert!(!answered["contours"].as_array().unwrap().is_empty());
    assert!(answered["point"]["mode"] == "stick", "{}", answered["point"]);
}

#[test]
fn every_scene_of_one_contact_has_maps_laws_and_a_diagram() {
    let engine = Engine::new();
    for scene in one_contact() {
        let source = json!({ "gallery": scene });
        if scene == "slider_crank" {
            let refused = error(&engine, &json!({ "request": "map", "source": source, "resolution": 20 }));
            assert_eq!(refused["kind"], "unsupported", "a stop without friction has nothing to map");
            continue;
        }
        for request in ["map", "states"] {
            // Mechanisms of one freedom have no map over states, and the message says why.
            if request == "states" && scene == "four_bar" {
                let refused = error(&engine, &json!({ "request": request, "source": source, "resolution": 20 }));
                assert_eq!(refused["kind"], "unsupported");
                continue;
            }
            let map = answer(&engine, &json!({ "request": request, "source": source, "resolution": 20 }));
            assert_eq!(map.bytes("mode").len(), 400, "{scene} {request}");
            assert!(map.floats("energy").iter().all(|x| x.is_finite()), "{scene} {request}");
        }
        let laws = answer(&engine, &json!({ "request": "laws", "source": source }));
        let rows = laws["laws"].as_array().unwrap();
        assert_eq!(rows.len(), carom::law::Law::ALL.len(), "{scene}");
        let own =
            answer(&engine, &json!({ "request": "answer", "source": source, "law": "aghili", "guard": "report" }));
        let aghili = rows.iter().find(|row| row["law"] == "aghili").unwrap();
        assert_eq!(aghili["impulse"], own["outcome"]["impulse"], "{scene}");
        assert_eq!(aghili["contacts"][0]["impulse"], own["contacts"][0]["impulse"], "{scene}");
        let diagram = answer(&engine, &json!({ "request": "diagram", "source": source }));
        assert!(diagram["svg"].as_str().unwrap().starts_with("<svg"), "{scene}");
        assert!(!diagram["space"]["answers"].as_array().unwrap().is_empty(), "{scene}");
    }
}

#[test]
fn several_contacts_have_an_answer_and_say_what_has_none() {
    let engine = Engine::new();
    let source = json!({ "gallery": "landing" });
    let all = answer(&engine, &json!({ "request": "answer", "source": source }));
    assert_eq!(all["contacts"].as_array().unwrap().len(), 4);
    assert_eq!(all["limits"], json!([]));
    for request in ["map", "states", "laws", "diagram"] {
        let error = error(&engine, &json!({ "request": request, "source": source }));
        assert_eq!(error["kind"], "unsupported", "{request}");
    }
    let name = all["contacts"][0]["name"].as_str().unwrap();
    let chosen = json!({ "request": "map", "source": source, "strike": [name], "resolution": 10 });
    assert_eq!(answer(&engine, &chosen).bytes("mode").len(), 100);
}

#[test]
fn a_state_can_be_changed_and_given_back() {
    let engine = Engine::new();
    for scene in gallery::SCENES {
        let source = json!({ "gallery": scene.name });
        let open = answer(&engine, &json!({ "request": "open", "source": source }));
        let own = answer(&engine, &json!({ "request": "answer", "source": source }));
        // The whole vectors as the document has them change nothing.
        let same = json!({
            "request": "answer", "source": source, "configuration": open["configuration"], "velocity": open["velocity"],
        });
        assert_eq!(answer(&engine, &same)["outcome"], own["outcome"], "{}", scene.name);
        // Twice the velocity: twice the impulse, four times the energy, for a restitution that does not depend on the speed.
        let twice: Vec<f64> = numbers(&open["velocity"]).iter().map(|x| 2.0 * x).collect();
        let faster = answer(&engine, &with(same, json!({ "velocity": twice })));
        let [k, l] = [&own, &faster].map(|answer| answer["energy"]["before"].as_f64().unwrap());
        assert!((4.0 * k - l).abs() <= 1e-12 * l, "{}: {k} {l}", scene.name);
        assert!(faster["command"].as_str().unwrap().contains("--set"), "{}", faster["command"]);
    }
}

/// Linkages are turned in steps and in one go, there and back: the joint that is held arrives, the loops are closed, the answer has no error, and
/// the way back ends where it began, which it does not where the linkage has folded over on the way.
#[test]
fn a_linkage_is_moved_with_its_loops_closed() {
    let engine = Engine::new();
    for (name, by) in [("four_bar", [0.16, 0.5, -0.2]), ("slider_crank", [0.3, -0.4, 1.0])] {
        let source = json!({ "gallery": name });
        let open = answer(&engine, &json!({ "request": "open", "source": source }));
        assert_eq!(open["loops"].as_array().unwrap().len(), 1, "{name}");
        let (start, velocity) = (numbers(&open["configuration"]), numbers(&open["velocity"]));
        let turn = |from: &[f64], to: f64| {
            let mut moved = from.to_vec();
            moved[0] = to;
            let request = json!({ "request": "close", "source": source, "configuration": moved, "velocity": velocity, "held": [0], "from": from });
            numbers(&answer(&engine, &request)["configuration"])
        };
        for by in by {
            let there = turn(&start, start[0] + by);
            assert!((there[0] - start[0] - by).abs() < 1e-9, "{name}: {there:?}");
            let state = json!({ "request": "answer", "source": source, "configuration": there });
            // What the loops' velocities were is not closed there.
            let closed = answer(&engine, &with(state.clone(), json!({ "request": "close", "held": [0, 1, 2] })));
            let rates = numbers(&closed["velocity"]);
            answer(&engine, &with(state, json!({ "velocity": rates })));
            let half = turn(&start, start[0] + 0.5 * by);
            for (one, other) in turn(&half, start[0] + by).iter().zip(&there) {
                assert!((one - other).abs() < 1e-9, "{name}: {there:?} depends on the way");
            }
            for (one, other) in turn(&there, start[0]).iter().zip(&start) {
                assert!((one - other).abs() < 1e-7, "{name}: {by} there and back");
            }
        }
    }
    let four_bar = json!({ "request": "close", "source": { "gallery": "four_bar" } });
    let error = error(&engine, &with(four_bar.clone(), json!({ "held": [3] })));
    assert_eq!((error["kind"].as_str(), error["field"].as_str()), (Some("bad_request"), Some("held")));
    let error = common::error(&engine, &with(four_bar.clone(), json!({ "from": [1.0] })));
    assert_eq!((error["kind"].as_str(), error["field"].as_str()), (Some("bad_request"), Some("from")));
    let error = common::error(&engine, &with(four_bar, json!({ "configuration": [9.0, 9.0, 9.0], "held": [0, 1, 2] })));
    assert!(error["message"].as_str().unwrap().contains("cannot be closed"), "{error}");
}

#[test]
fn runs_are_played_and_their_impacts_mapped() {
    let engine = Engine::new();
    let mut mapped = 0;
    for scene in gallery::SIMULATIONS {
        let source = json!({ "simulation": scene.name });
        let request = json!({ "request": "simulate", "source": source, "until": 1.0, "interval": 0.05 });
        let run = answer(&engine, &request);
        assert!(run["summary"].as_str().unwrap().contains("ran for"), "{}", scene.name);
        assert_eq!(run["run"]["until"], 1.0);
        let events = run["events"].as_array().unwrap();
        let Some(first) = events.iter().find(|event| event["mappable"] == true) else { continue };
        let at = with(with(request, json!({ "request": "event" })), json!({ "event": first["number"] }));
        let event = answer(&engine, &at);
        let state = json!({
            "request": "answer", "source": source, "configuration": event["configuration"], "velocity": event["velocity"],
            "strike": event["strike"], "guard": event["guard"],
        });
        let impact = answer(&engine, &state);
        let time = event["time"].as_f64().unwrap();
        assert_eq!(first["time"].as_f64().unwrap(), time);
        assert!(impact["contacts"].as_array().unwrap().len() == event["strike"].as_array().unwrap().len());
        mapped += 1;
    }
    assert!(mapped >= 8, "{mapped} runs had an impact");
}

#[test]
fn an_event_that_is_no_impact_or_does_not_exist_is_an_error() {
    let engine = Engine::new();
    let request = |number: u64| json!({ "request": "event", "source": { "simulation": "ball" }, "event": number });
    let wrong = error(&engine, &request(1_000_000));
    assert_eq!(
        [&wrong["kind"], &wrong["field"], &wrong["value"]],
        [&json!("out_of_range"), &json!("event"), &json!(1_000_000)]
    );
    let missing = error(&engine, &json!({ "request": "event", "source": { "simulation": "ball" } }));
    assert_eq!(missing["field"], "event");
}

#[test]
fn every_file_can_be_saved() {
    let engine = Engine::new();
    for what in [
        "scene",
        "outcome",
        "map.svg",
        "map.png",
        "map.csv",
        "map.json",
        "states.svg",
        "states.png",
        "states.csv",
        "states.json",
        "laws.json",
        "diagram.svg",
        "run.json",
        "run.csv",
        "run.html",
        "run.svg",
    ] {
        let request = with(kane("save"), json!({ "what": what, "resolution": 12, "until": 0.3 }));
        let saved = answer(&engine, &request);
        let (name, bytes) = (saved["name"].as_str().unwrap(), saved.bytes("bytes"));
        assert!(name.starts_with("kane.") && !bytes.is_empty(), "{what}: {name}");
        let is_as_named = match name.rsplit('.').next().unwrap() {
            "json" => serde_json::from_slice::<Value>(bytes).is_ok(),
            "svg" => bytes.starts_with(b"<svg"),
            "png" => bytes.starts_with(b"\x89PNG"),
            "html" => bytes.starts_with(b"<!doctype html>"),
            _ => std::str::from_utf8(bytes).is_ok_and(|text| text.lines().count() > 1),
        };
        assert!(is_as_named, "{what}: {}", String::from_utf8_lossy(&bytes[..bytes.len().min(80)]));
    }
    assert_eq!(error(&engine, &with(kane("save"), json!({ "what": "../x" })))["field"], "what");
}

#[test]
fn a_saved_scene_gives_the_answer_it_was_saved_with() {
    let engine = Engine::new();
    let changed =
        json!({ "friction": { "static": 0.7, "dynamic": 0.3 }, "restitution": 0.25, "velocity": [0.5, -3.0] });
    let saved = answer(&engine, &with(with(kane("save"), changed.clone()), json!({ "what": "scene" })));
    let text = String::from_utf8(saved.bytes("bytes").to_vec()).unwrap();
    let again = answer(&engine, &json!({ "request": "answer", "source": file("kane.json", &text) }));
    let own = answer(&engine, &with(kane("answer"), changed));
    for key in ["impulse", "velocity", "energy", "mode"] {
        assert_eq!(again["outcome"][key], own["outcome"][key], "{key}");
    }
}

#[test]
fn a_robot_alone_is_dropped_onto_a_floor() {
    let engine = Engine::new();
    let source = file("swing.urdf", ROBOT);
    let open = answer(&engine, &json!({ "request": "open", "source": source }));
    assert!(open["assumed"].as_str().unwrap().contains("swing.urdf"), "{}", open["assumed"]);
    let bodies: Vec<&str> =
        open["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert!(["base", "upper", "lower"].iter().all(|name| bodies.contains(name)), "{bodies:?}");
    assert!(
        numbers(&open["planar"]) == [0.0, 1.0, 0.0] || numbers(&open["planar"]) == [0.0, -1.0, 0.0],
        "{}",
        open["planar"]
    );
    let key = open["key"].as_str().unwrap();
    // Straight down, the swing cannot be struck from below: it is bent.
    let bent =
        json!({ "request": "answer", "configuration": [0.4, 0.6], "velocity": [-1.0, -2.0], "strike": ["lower"] });
    let by_key = answer(&engine, &with(bent.clone(), json!({ "source": { "key": key } })));
    let in_full = answer(&engine, &with(bent, json!({ "source": source })));
    assert_eq!(by_key["outcome"], in_full["outcome"]);
    let elsewhere = error(&Engine::new(), &json!({ "request": "answer", "source": { "key": key } }));
    assert_eq!(elsewhere["kind"], "unknown_source");
}

#[test]
fn problems_of_matrices_have_answers_and_maps_but_no_picture() {
    let engine = Engine::new();
    let text = "delassus = [[2, 0.5], [0.5, 1]]\ncontact_velocity = [-1, 0.3]\nrestitution = 0.5\nfriction = 0.4\n";
    let source = file("w.toml", text);
    let open = answer(&engine, &json!({ "request": "open", "source": source }));
    assert_eq!(open["kind"], "matrices");
    let one = answer(&engine, &json!({ "request": "answer", "source": source }));
    assert!(one["arrays"]["poses"].is_null());
    assert_eq!(
        answer(&engine, &json!({ "request": "map", "source": source, "resolution": 9 })).bytes("mode").len(),
        81
    );
    let wrong = error(&engine, &json!({ "request": "answer", "source": source, "velocity": [1.0] }));
    assert_eq!(wrong["field"], "configuration");
}

/// A run is computed again, and is the same to the bit.
#[test]
fn runs_that_are_opened_are_repeated() {
    let engine = Engine::new();
    let request =
        json!({ "request": "save", "source": { "simulation": "superball" }, "until": 1.0, "what": "run.json" });
    let text = String::from_utf8(answer(&engine, &request).bytes("bytes").to_vec()).unwrap();
    let source = file("superball.run.json", &text);
    let open = answer(&engine, &json!({ "request": "open", "source": source }));
    assert_eq!(open["kind"], "run");
    let run = answer(&engine, &json!({ "request": "simulate", "source": source, "until": 1.0 }));
    assert_eq!(run["repeated"]["same"], true, "{}", run["repeated"]);
}

/// The size of an answer says how a drag feels: a map as JSON would have megabytes.
#[test]
fn maps_cross_as_arrays() {
    let map: Answer = ask(&Engine::new(), &with(kane("map"), json!({ "resolution": 400 })));
    assert!(map.header.to_string().len() < 300_000, "{}", map.header.to_string().len());
    assert_eq!(map.bytes("mode").len(), 160_000);
}
