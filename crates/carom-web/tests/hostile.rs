//! Requests that are wrong, too large or malicious: each has an error that says which field, and nothing outside is read.

mod common;

use carom_web::{Engine, limits};
use common::{ROBOT, answer, ask_bytes, error, file};
use serde_json::{Value, json};

const KINDS: [&str; 9] = ["open", "answer", "map", "states", "laws", "diagram", "simulate", "event", "save"];

fn kane(more: Value) -> Value {
    let mut request = json!({ "request": "answer", "source": { "gallery": "kane" } });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    request
}

/// The error of a body.
fn of_body(body: &[u8]) -> Value {
    let answer = ask_bytes(&Engine::new(), body);
    assert!(answer["error"]["message"].is_string(), "{}", answer.header);
    answer["error"].clone()
}

#[test]
fn what_is_not_json_is_no_request() {
    let deep = "[".repeat(100_000);
    let deep_object = r#"{"a":"#.repeat(100_000);
    for body in [
        &b""[..],
        b"{",
        b"null",
        b"[]",
        b"\"x\"",
        b"\xff\xfe",
        b"{} {}",
        b"{\"request\": NaN}",
        b"{\"velocity\": [1e999]}",
        deep.as_bytes(),
        deep_object.as_bytes(),
        b"\0\0\0\0",
    ] {
        let error = of_body(body);
        assert_eq!(error["kind"], "bad_request", "{error}");
        assert!(["body", "request"].contains(&error["field"].as_str().unwrap()), "{error}");
    }
}

#[test]
fn a_wrong_field_is_named_with_its_value() {
    let engine = Engine::new();
    for (more, field) in [
        (json!({ "request": "boom" }), "request"),
        (json!({ "request": 3 }), "request"),
        (json!({ "request": null }), "request"),
        (json!({ "source": null }), "source"),
        (json!({ "source": "kane" }), "source"),
        (json!({ "source": {} }), "source"),
        (json!({ "source": { "gallery": 1 } }), "gallery"),
        (json!({ "source": { "path": "/etc/passwd" } }), "path"),
        (json!({ "source": { "opened": "yes" } }), "opened"),
        (json!({ "source": { "files": "x" } }), "files"),
        (json!({ "source": { "files": [{ "text": "x" }] } }), "files"),
        (json!({ "source": { "files": [{ "name": "a", "path": "/etc/passwd" }] } }), "files"),
        (json!({ "source": { "files": [{ "name": "a.toml" }] } }), "files"),
        (json!({ "source": { "files": [{ "name": "a.stl", "base64": "?" }], "main": "a.stl" } }), "files"),
        (json!({ "unknown": 1 }), "unknown"),
        (json!({ "velocity": "fast" }), "velocity"),
        (json!({ "velocity": [null] }), "velocity"),
        (json!({ "configuration": [[1.0]] }), "configuration"),
        (json!({ "law": 1 }), "law"),
        (json!({ "strike": "tip" }), "strike"),
        (json!({ "resolution": -1 }), "resolution"),
        (json!({ "resolution": 1.5 }), "resolution"),
        (json!({ "range": [0, 1] }), "range"),
        (json!({ "range": { "z": [0, 1] } }), "range"),
        (json!({ "contours": 1 }), "contours"),
        (json!({ "event": -1 }), "event"),
        (json!({ "until": "long" }), "until"),
    ] {
        let error = error(&engine, &kane(more.clone()));
        assert_eq!(error["kind"], "bad_request", "{more}: {error}");
        assert_eq!(error["field"], field, "{more}: {error}");
        assert!(error["message"].as_str().unwrap().len() < 1000, "{error}");
    }
}

#[test]
fn a_wrong_value_has_the_error_of_documents() {
    let engine = Engine::new();
    for (more, kind, field) in [
        (json!({ "restitution": 1.5 }), "out_of_range", "restitution"),
        (json!({ "restitution": -1 }), "out_of_range", "restitution"),
        (json!({ "restitution": "high" }), "wrong_type", "restitution"),
        (json!({ "friction": -0.5 }), "out_of_range", "friction"),
        (json!({ "friction": { "static": 0.1, "dynamic": 0.5 } }), "out_of_range", "friction"),
        (json!({ "friction": { "statik": 0.1 } }), "unknown_key", "friction.statik"),
        (json!({ "law": "gravity" }), "unknown_name", "law"),
        (json!({ "guard": "dog" }), "unknown_name", "guard"),
        (json!({ "strike": ["nothing"] }), "unknown_name", "strike"),
    ] {
        let error = error(&engine, &kane(more.clone()));
        assert_eq!(error["kind"], kind, "{more}: {error}");
        assert!(error["field"].as_str().is_some_and(|own| own.starts_with(field)), "{more}: {error}");
        // The value is the request's: no line of the document has it.
        assert!(error["line"].is_null(), "{more}: {error}");
    }
    for (more, field) in [
        (json!({ "velocity": [1.0] }), "state.velocity"),
        (json!({ "configuration": [1.0, 2.0, 3.0] }), "state.configuration"),
    ] {
        let error = error(&engine, &kane(more.clone()));
        assert!(error["field"].as_str().is_some_and(|own| own.starts_with(field)), "{more}: {error}");
    }
}

#[test]
fn work_is_bounded_with_value_and_bound() {
    let engine = Engine::new();
    let many: Vec<Value> = (0..65).map(|k| json!({ "name": format!("{k}.toml"), "text": "" })).collect();
    for (more, field, value, bound) in [
        (json!({ "request": "map", "resolution": 401 }), "resolution", 401.0, 400.0),
        (json!({ "request": "map", "resolution": 4_000_000_000_u64 }), "resolution", 4e9, 400.0),
        (json!({ "request": "simulate", "until": 61 }), "until", 61.0, 60.0),
        (json!({ "request": "simulate", "until": 1e300 }), "until", 1e300, 60.0),
        (json!({ "request": "simulate", "until": 10.0, "interval": 1e-9 }), "until/interval", 1e10, 200_000.0),
        (json!({ "source": { "files": many } }), "files", 65.0, 64.0),
        (json!({ "source": { "files": [{ "name": "x".repeat(5000), "text": "" }] } }), "name", 5000.0, 4096.0),
        (json!({ "velocity": vec![0.0; 10_001] }), "velocity", 10_001.0, 10_000.0),
    ] {
        let error = error(&engine, &kane(more));
        assert_eq!(error["kind"], "too_large", "{error}");
        assert_eq!(error["field"], field, "{error}");
        assert!((error["value"].as_f64().unwrap() - value).abs() <= 1e-9 * value, "{error}");
        assert_eq!(error["bound"].as_f64(), Some(bound), "{error}");
    }
    let huge = vec![b' '; limits::BODY + 1];
    assert_eq!(of_body(&huge)["field"], "body");
}

#[test]
fn bounds_of_maps_and_runs_are_named() {
    let engine = Engine::new();
    for (more, field) in [
        (json!({ "request": "map", "resolution": 1 }), "resolution"),
        (json!({ "request": "map", "resolution": 0 }), "resolution"),
        (json!({ "request": "map", "resolution": 20, "range": { "x": [1, 0] } }), "range"),
        (json!({ "request": "map", "resolution": 20, "range": { "y": [-1e308, 1e308] } }), "range"),
        (json!({ "request": "simulate", "until": -1 }), "until"),
        (json!({ "request": "simulate", "interval": 0 }), "interval"),
        (json!({ "request": "simulate", "interval": -1 }), "interval"),
    ] {
        let error = error(&engine, &kane(more.clone()));
        assert_eq!(error["kind"], "out_of_range", "{more}: {error}");
        assert_eq!(error["field"], field, "{more}: {error}");
        assert!(!error["value"].is_null() && !error["bound"].is_null(), "{more}: {error}");
    }
}

/// Files of the disk that exist, by every path that a request could name: none is read.
#[test]
fn no_file_of_the_disk_is_read() {
    let folder = std::env::temp_dir().join(format!("carom-web-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let robot = folder.join("secret.urdf");
    std::fs::write(&robot, ROBOT).unwrap();
    let path = robot.to_str().unwrap();
    let up = format!("{}{path}", "../".repeat(30));
    let engine = Engine::new();
    for name in [path, up.as_str(), &format!("file://{path}"), &format!("package://x/../../..{path}")] {
        let scene =
            format!("restitution = 0.5\nfriction = 0.5\n[model]\nurdf = {name:?}\n[surface]\nnormal = [0, 0, 1]\n");
        let include = format!("<mujoco><include file={name:?}/></mujoco>");
        for source in [
            file("scene.toml", &scene),
            file("robot.xml", &include),
            json!({ "files": [{ "name": "a.toml", "text": scene }], "main": name }),
            json!({ "files": [], "main": name }),
        ] {
            for request in KINDS {
                let error =
                    error(&engine, &json!({ "request": request, "source": source, "event": 0, "what": "scene" }));
                let text = error.to_string();
                assert!(!text.contains("shoulder") && !text.contains("upper"), "{text}");
            }
        }
    }
    // The file can be read: by the command line.
    let by_user = answer(&Engine::with_opened(&robot), &json!({ "request": "open", "source": { "opened": true } }));
    assert_eq!(by_user["model"], "swing");
    // Beside it in the drop, the same name means the file that was dropped.
    let scene = "restitution = 0.5\nfriction = 0.5\n[model]\nurdf = \"../../secret.urdf\"\n[surface]\nnormal = [0, 0, 1]\npoint = [0, 0, -2.05]\n[contact]\nlink = \"lower\"\n";
    let source = json!({ "files": [{ "name": "a.toml", "text": scene }, { "name": "secret.urdf", "text": ROBOT }] });
    let open = answer(&engine, &json!({ "request": "open", "source": source }));
    assert_eq!(open["model"], "swing");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn only_the_command_line_opens_files() {
    let opened = json!({ "request": "answer", "source": { "opened": true } });
    assert_eq!(error(&Engine::new(), &opened)["kind"], "unknown_source");
    assert_eq!(error(&Engine::with_opened("kane".as_ref()), &opened)["kind"], "unknown_source");
    let missing = error(&Engine::with_opened("/nowhere/robot.urdf".as_ref()), &opened);
    assert_eq!(missing["kind"], "file", "{missing}");
}

#[test]
fn bad_files_are_errors_with_file_and_line() {
    let engine = Engine::new();
    let open = |source: Value| error(&engine, &json!({ "request": "open", "source": source }));
    let wrong = open(file(
        "scene.toml",
        "restitution = 0.5\nfriction = -1\n[model]\nbuiltin = \"ball\"\n[surface]\nnormal = [0, 0, 1]\n[contact]\nlink = \"ball\"\n",
    ));
    assert_eq!(
        [&wrong["file"], &wrong["line"], &wrong["field"]],
        [&json!("scene.toml"), &json!(2), &json!("friction")],
        "{wrong}"
    );
    assert_eq!(open(file("scene.toml", "restitution = "))["kind"], "syntax");
    assert_eq!(open(file("robot.urdf", "<robot><link"))["kind"], "model");
    for (name, text) in [
        ("deep.json", "[".repeat(200_000)),
        ("deep.toml", format!("a = {}", "[".repeat(200_000))),
        ("deep.xml", format!("<robot name='a'>{}", "<link>".repeat(200_000))),
        ("bodies.xml", format!("<mujoco><worldbody>{}", "<body>".repeat(100_000))),
        ("binary.toml", "\0\u{1}\u{2}".repeat(1000)),
        ("table.csv", "a,b\n1,2\n".to_owned()),
        ("empty.urdf", String::new()),
        ("run.json", r#"{"header": {}, "summary": {}}"#.to_owned()),
        ("picture.png", "x".to_owned()),
    ] {
        let error = open(file(name, &text));
        assert!(error["message"].as_str().unwrap().len() < 2000, "{name}: {error}");
    }
    // The engine goes on.
    assert!(answer(&engine, &kane(json!({})))["creates"] == true);
}

/// Chains of links as long as a body may be: read or refused, but not computed for minutes.
#[test]
fn robots_beyond_the_bound_are_refused_before_they_are_computed() {
    let chain = |count: usize| {
        let mut text = "<robot name=\"chain\"><link name=\"l0\"/>".to_owned();
        for k in 1..=count {
            text += &format!(
                "<link name=\"l{k}\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\
                 <joint name=\"j{k}\" type=\"continuous\"><parent link=\"l{}\"/><child link=\"l{k}\"/><origin xyz=\"0 0 -1\"/><axis xyz=\"0 1 0\"/></joint>",
                k - 1
            );
        }
        text + "</robot>"
    };
    let scene = "restitution = 0.5\nfriction = 0.5\n[model]\nurdf = \"chain.urdf\"\n[surface]\nnormal = [0, 0, 1]\n[[contacts]]\nlink = \"l1\"\n";
    let begun = std::time::Instant::now();
    let source =
        json!({ "files": [{ "name": "a.toml", "text": scene }, { "name": "chain.urdf", "text": chain(3000) }] });
    let error = error(&Engine::new(), &json!({ "request": "answer", "source": source }));
    assert_eq!([&error["kind"], &error["field"]], [&json!("too_large"), &json!("velocities")], "{error}");
    assert_eq!([error["value"].as_f64(), error["bound"].as_f64()], [Some(3000.0), Some(limits::VELOCITIES as f64)]);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

/// Random changes of good requests never end the engine.
#[test]
fn mutated_requests_have_answers() {
    let seed = std::env::var("CAROM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_118);
    println!("CAROM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let engine = Engine::new();
    let good = [
        r#"{"request":"answer","source":{"gallery":"kane"},"velocity":[0.1,-2.0],"restitution":0.5,"friction":{"static":0.5,"dynamic":0.4}}"#,
        r#"{"request":"map","source":{"gallery":"kane"},"resolution":9,"range":{"x":[0,1],"y":[0,2]},"contours":true}"#,
        r#"{"request":"states","source":{"gallery":"rod"},"resolution":9,"guard":"slip","law":"aghili"}"#,
        r#"{"request":"open","source":{"files":[{"name":"a.toml","text":"delassus = [[2]]\ncontact_velocity = [-1]\nrestitution = 0.5"}]}}"#,
        r#"{"request":"laws","source":{"gallery":"wheel"},"strike":["wheel"]}"#,
    ];
    let pieces =
        ["0", "-1", "1e308", "5e-324", "null", "[]", "{}", "\"\"", "true", ",", "}", "[1,2]", "\"kane\"", "\\u0000"];
    for _ in 0..400 {
        let mut body = good[random.usize(..good.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..body.len());
            let until = (at + random.usize(..6)).min(body.len());
            let piece = pieces[random.usize(..pieces.len())];
            body.splice(at..until, piece.bytes());
        }
        ask_bytes(&engine, &body);
    }
}
