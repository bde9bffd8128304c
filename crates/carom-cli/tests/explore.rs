//! `carom explore`: its page and its answers over HTTP, and requests that are malformed, huge, hostile or many.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::carom;
use serde_json::{Value, json};

/// A server that ends with the test.
struct Explorer {
    child: Child,
    address: SocketAddr,
}

impl Explorer {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["explore", "--no-open"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|line| line.strip_suffix('/')).expect("an address");
        Self { child, address: address.parse().unwrap() }
    }

    /// Sends bytes and reads all that comes until the server hangs up.
    fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may hang up before it has read everything.
        let _ = stream.write_all(bytes);
        Reply::read(&mut stream)
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// A request with these headers, after which the connection is closed.
    fn request(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        let host = self.address.to_string();
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {host}\r\n");
        }
        headers.iter().for_each(|(name, value)| text += &format!("{name}: {value}\r\n"));
        self.send(&[text.as_bytes(), b"\r\n", body].concat())
    }

    fn get(&self, path: &str) -> Reply {
        self.request(&format!("GET {path}"), &[], b"")
    }

    /// The header of an answer of the engine.
    fn ask(&self, request: &Value) -> Value {
        self.ask_body(request.to_string().as_bytes())
    }

    fn ask_body(&self, body: &[u8]) -> Value {
        let reply = self.request("POST /api", &[("Content-Type", "application/json")], body);
        assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(&reply.body));
        let length = u32::from_le_bytes(reply.body[..4].try_into().unwrap()) as usize;
        serde_json::from_slice(&reply.body[8..8 + length]).unwrap()
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    /// Status 0 if there is no reply.
    fn read(stream: &mut TcpStream) -> Self {
        let mut all = Vec::new();
        // A reset after the reply does not undo it.
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(all.len());
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Self { status, head, body: all.get(end + 4..).unwrap_or_default().to_vec() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

fn kane() -> Value {
    json!({ "request": "answer", "source": { "gallery": "kane" } })
}

#[test]
fn the_page_and_its_files_are_served_with_a_strict_policy() {
    let explorer = Explorer::start(&[]);
    let page = explorer.get("/");
    assert_eq!(page.status, 200);
    assert!(String::from_utf8_lossy(&page.body).to_lowercase().starts_with("<!doctype html>"));
    for (path, kind) in [
        ("/", "text/html; charset=utf-8"),
        ("/main.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
        ("/player/math.js", "text/javascript; charset=utf-8"),
        ("/main.js?x=1", "text/javascript; charset=utf-8"),
        ("/nothing", "text/plain; charset=utf-8"),
    ] {
        let reply = explorer.get(path);
        assert_eq!(reply.header("Content-Type"), Some(kind), "{path}");
        assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("Cross-Origin-Resource-Policy"), Some("same-origin"), "{path}");
        assert_eq!(reply.header("Referrer-Policy"), Some("no-referrer"), "{path}");
        let policy = reply.header("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'") && !policy.contains("http"),
            "{policy}"
        );
    }
    // What the page's own markup would need an exception for.
    let text = String::from_utf8(page.body).unwrap();
    assert!(!text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick="));
    assert!(text.match_indices("<script").all(|(at, _)| text[at..].split('>').next().unwrap().contains("src=")));
    let head = explorer.request("HEAD /main.js", &[], b"");
    assert!(head.status == 200 && head.body.is_empty() && head.header("Content-Length") != Some("0"), "{head:?}");
}

#[test]
fn paths_name_files_of_the_page_only() {
    let explorer = Explorer::start(&[]);
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/player/../main.js",
        "//etc/passwd",
        "/etc/passwd",
        "/./main.js",
        "/main.js%00",
    ] {
        assert_eq!(explorer.get(path).status, 404, "{path}");
    }
    for path in ["/a b", "/\u{e9}", "http://127.0.0.1/main.js", "*", ""] {
        assert_eq!(explorer.request(&format!("GET {path}"), &[], b"").status, 400, "{path:?}");
    }
}

#[test]
fn foreign_hosts_origins_and_sites_are_refused() {
    let explorer = Explorer::start(&[]);
    let port = explorer.address.port();
    let json = ("Content-Type", "application/json");
    let body = kane().to_string();
    let post = |headers: &[(&str, &str)]| explorer.request("POST /api", headers, body.as_bytes()).status;
    let own = format!("http://127.0.0.1:{port}");
    let local = format!("localhost:{port}");
    assert_eq!(post(&[json]), 200);
    assert_eq!(post(&[json, ("Host", &local)]), 200);
    assert_eq!(post(&[json, ("Origin", &own), ("Sec-Fetch-Site", "same-origin")]), 200);
    let rebound = format!("evil.example:{port}");
    let prefix = format!("127.0.0.1:{port}.evil.example");
    for host in [rebound.as_str(), &prefix, "127.0.0.1", "", "0.0.0.0", "[::1]"] {
        assert_eq!(post(&[json, ("Host", host)]), 403, "{host:?}");
        assert_eq!(explorer.request("GET /", &[("Host", host)], b"").status, 403, "{host:?}");
    }
    let suffix = format!("{own}.evil.example");
    for origin in ["http://evil.example", "null", "", "http://127.0.0.1", &suffix] {
        assert_eq!(post(&[json, ("Origin", origin)]), 403, "{origin:?}");
    }
    for site in ["cross-site", "same-site"] {
        assert_eq!(post(&[json, ("Sec-Fetch-Site", site)]), 403, "{site}");
        assert_eq!(explorer.request("GET /main.js", &[("Sec-Fetch-Site", site)], b"").status, 403, "{site}");
    }
    // A link from elsewhere opens the page.
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
    assert_eq!(explorer.request("GET /", &link, b"").status, 200);
    assert_eq!(explorer.request("POST /api", &[&link[..], &[json]].concat(), body.as_bytes()).status, 403);
    // Two names for one server.
    let two =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nHost: evil.example\r\nConnection: close\r\n\r\n", explorer.address);
    assert_eq!(explorer.send(two.as_bytes()).status, 403);
    assert_eq!(explorer.send(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").status, 403);
    // What a form or a page without permission could send.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        assert_eq!(post(&[("Content-Type", kind)]), 415, "{kind:?}");
    }
    assert_eq!(post(&[]), 415);
}

#[test]
fn only_loopback_is_listened_on() {
    let explorer = Explorer::start(&[]);
    assert!(explorer.address.ip().is_loopback());
    // The address that this machine has in its network, if it has one.
    let outward = std::net::UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    if let Ok(own) = outward
        && !own.ip().is_loopback()
    {
        let elsewhere = SocketAddr::new(own.ip(), explorer.address.port());
        assert!(TcpStream::connect_timeout(&elsewhere, Duration::from_secs(2)).is_err(), "{elsewhere}");
    }
}

#[test]
fn malformed_and_huge_requests_are_refused_and_the_server_goes_on() {
    let explorer = Explorer::start(&[]);
    let host = format!("Host: {}\r\n", explorer.address);
    let post = |headers: &str| format!("POST /api HTTP/1.1\r\n{host}Content-Type: application/json\r\n{headers}\r\n");
    for (bytes, status) in [
        (b"\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".to_vec(), 400),
        (b"GET\r\n\r\n".to_vec(), 400),
        (format!("GET / HTTP/9.9\r\n{host}\r\n").into_bytes(), 505),
        (format!("BREW /api HTTP/1.1\r\n{host}Connection: close\r\n\r\n").into_bytes(), 405),
        (format!("DELETE / HTTP/1.1\r\n{host}Connection: close\r\n\r\n").into_bytes(), 405),
        (format!("GET /api HTTP/1.1\r\n{host}Connection: close\r\n\r\n").into_bytes(), 405),
        (format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(20_000)).into_bytes(), 431),
        (format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: y\r\n".repeat(200)).into_bytes(), 431),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(20_000)).into_bytes(), 431),
        (post("Transfer-Encoding: chunked\r\n").into_bytes(), 501),
        (post("Content-Length: x\r\n").into_bytes(), 400),
        (post("Content-Length: -1\r\n").into_bytes(), 400),
        (post("Content-Length: 1\r\nContent-Length: 2\r\n").into_bytes(), 400),
        (post("Content-Length: 33554433\r\n").into_bytes(), 413),
        (post("Content-Length: 9223372036854775807\r\n").into_bytes(), 413),
        (post("Content-Length: 99999999999999999999999999999\r\n").into_bytes(), 413),
        (post("Content-Length: 2\r\nExpect: miracles\r\n").into_bytes(), 417),
    ] {
        let begun = Instant::now();
        assert_eq!(
            explorer.send(&bytes).status,
            status,
            "{:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(99)])
        );
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    // As large as may be, and not JSON.
    let body = vec![b'['; 32 << 20];
    assert_eq!(explorer.ask_body(&body)["error"]["kind"], "bad_request");
    // A body that never comes leaves room for others.
    let mut stalled: Vec<TcpStream> = (0..60).map(|_| explorer.connect()).collect();
    for stream in &mut stalled {
        stream.write_all(post("Content-Length: 10000000\r\n").as_bytes()).unwrap();
    }
    let begun = Instant::now();
    assert_eq!(explorer.ask(&kane())["creates"], true);
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    drop(stalled);
    // One that asks first is told to go on, and several requests go over one connection.
    let mut stream = explorer.connect();
    let body = kane().to_string();
    stream.write_all(post(&format!("Content-Length: {}\r\nExpect: 100-continue\r\n", body.len())).as_bytes()).unwrap();
    let mut start = [0; 25];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start[..], b"HTTP/1.1 100 Continue\r\n\r\n");
    let last = post(&format!("Content-Length: {}\r\nConnection: close\r\n", body.len()));
    stream.write_all(format!("{body}{last}{body}").as_bytes()).unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).unwrap();
    assert_eq!(all.windows(15).filter(|part| part == b"HTTP/1.1 200 OK").count(), 2);
}

#[test]
fn a_thousand_requests_at_the_same_time_are_all_answered() {
    let explorer = Explorer::start(&[]);
    let begun = Instant::now();
    let own: Value = carom(&["impact", "kane", "--format", "json"]).json();
    let answered: usize = std::thread::scope(|scope| {
        let explorer = &explorer;
        let own = &own;
        let ask = |k: usize| {
            std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, move || match k % 4 {
                0 => usize::from(explorer.get("/main.js").status == 200),
                1 => usize::from(explorer.ask_body(b"{")["error"]["kind"] == "bad_request"),
                2 => {
                    let map = json!({ "request": "map", "source": { "gallery": "kane" }, "resolution": 20 });
                    usize::from(explorer.ask(&map)["resolution"] == 20)
                }
                _ => usize::from(explorer.ask(&kane())["outcome"]["impulse"] == own["impulse"]),
            })
        };
        let all: Vec<_> = (0..1000).map(|k| ask(k).unwrap()).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(answered, 1000);
    println!("1,000 requests in {:?}", begun.elapsed());
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
}

/// What the page shows is what the command prints, to the bit.
#[test]
fn answers_are_those_of_the_command() {
    let explorer = Explorer::start(&[]);
    for scene in carom::gallery::SCENES {
        let own = carom(&["impact", scene.name, "--format", "json"]).json();
        let answer = explorer.ask(&json!({ "request": "answer", "source": { "gallery": scene.name } }));
        assert_eq!(answer["outcome"], own, "{}", scene.name);
        assert_eq!(answer["command"], format!("carom impact {}", scene.name));
    }
}

/// The command line that the page shows gives what the page shows, whatever was dragged.
#[cfg(unix)]
#[test]
fn the_command_line_of_an_answer_gives_this_answer() {
    let explorer = Explorer::start(&[]);
    let seed = std::env::var("CAROM_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_118);
    println!("CAROM_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let program = env!("CARGO_BIN_EXE_carom");
    for scene in carom::gallery::SCENES {
        let source = json!({ "gallery": scene.name });
        let open = explorer.ask(&json!({ "request": "open", "source": source }));
        let velocity = common::numbers(&open["velocity"]);
        // Closed loops stay closed by velocities in proportion.
        let common = 0.5 + random.f64();
        let has_loops = ["four_bar", "slider_crank"].contains(&scene.name);
        let velocity: Vec<f64> =
            velocity.iter().map(|x| x * if has_loops { common } else { 0.5 + random.f64() }).collect();
        let mu = random.f64();
        let restitution = (random.f64() * 100.0).round() / 100.0;
        let request = json!({
            "request": "answer", "source": source, "configuration": open["configuration"], "velocity": velocity,
            "restitution": restitution, "friction": { "static": 1.5 * mu, "dynamic": mu },
            "guard": (["report", "slip", "limit"])[random.usize(..3)],
        });
        let answer = explorer.ask(&request);
        assert!(answer["error"].is_null(), "{}: {}", scene.name, answer["error"]);
        let line = answer["command"].as_str().unwrap();
        let line = format!("{program}{} --format json", line.strip_prefix("carom").unwrap());
        let output = Command::new("sh").args(["-c", &line]).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        let own: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(own, answer["outcome"], "{line}");
    }
}

#[test]
fn files_of_the_command_line_are_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let opened = json!({ "request": "open", "source": { "opened": true } });
    // A scene, a problem, a robot, a run.
    std::fs::write(path("scene.toml"), carom::gallery::find("cube").unwrap().text).unwrap();
    std::fs::write(
        path("w.json"),
        r#"{"delassus": [[2, 0.5], [0.5, 1]], "contact_velocity": [-1, 0.3], "restitution": 0.5, "friction": 0.4}"#,
    )
    .unwrap();
    let robot = "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link></robot>";
    std::fs::write(path("r.urdf"), robot).unwrap();
    let ran = carom(&["simulate", "ball", "--until", "1", "--quiet", "-o", &path("run.json")]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    for (name, kind) in [("scene.toml", "robot"), ("w.json", "matrices"), ("r.urdf", "robot"), ("run.json", "run")] {
        let explorer = Explorer::start(&[&path(name)]);
        assert_eq!(explorer.ask(&json!({ "request": "start" }))["source"], json!({ "opened": true }), "{name}");
        let open = explorer.ask(&opened);
        assert_eq!(open["kind"], kind, "{name}: {}", open["error"]);
        let answer = explorer.ask(&json!({ "request": "answer", "source": { "opened": true } }));
        if name != "run.json" {
            let own = carom(&["impact", &path(name), "--format", "json", "--quiet"]).json();
            assert_eq!(answer["outcome"], own, "{name}");
        }
    }
    let explorer = Explorer::start(&[&path("run.json")]);
    let run = explorer.ask(&json!({ "request": "simulate", "source": { "opened": true } }));
    assert_eq!(run["repeated"]["same"], true, "{}", run["repeated"]);
}

/// A file that is wrong is an error in the page, and the server goes on.
#[test]
fn a_bad_file_is_an_error_in_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, "restitution = 2\n").unwrap();
    let explorer = Explorer::start(&[path.to_str().unwrap()]);
    let opened = json!({ "request": "open", "source": { "opened": true } });
    let error = explorer.ask(&opened)["error"].clone();
    assert_eq!(error["file"], "bad.toml", "{error}");
    assert_eq!(explorer.ask(&kane())["creates"], true);
    // Mended on the disk, it opens.
    std::fs::write(&path, carom::gallery::find("kane").unwrap().text).unwrap();
    assert_eq!(explorer.ask(&opened)["kind"], "robot");
}

#[test]
fn wrong_names_and_taken_ports_are_errors() {
    let ran = carom(&["explore", "nonsense", "--no-open"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("nonsense"), "{}", ran.err);
    let ran = carom(&["explore", "/nowhere/robot.urdf", "--no-open"]);
    assert!(ran.code == 2 && ran.err.contains("/nowhere/robot.urdf"), "{}", ran.err);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = carom(&["explore", "--no-open", "--port", &port]);
    assert!(ran.code != 0 && ran.err.contains(&port) && ran.err.contains("taken"), "{} {}", ran.code, ran.err);
    let ran = carom(&["explore", "--no-open", "--port", "70000"]);
    assert!(ran.code == 2 && ran.err.contains("70000"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn interrupts_end_the_server_even_while_it_computes() {
    for signal in ["-INT", "-TERM"] {
        let mut explorer = Explorer::start(&[]);
        let mut stream = explorer.connect();
        let body = json!({ "request": "simulate", "source": { "gallery": "humanoid" }, "until": 20 }).to_string();
        let head = format!(
            "POST /api HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            explorer.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let begun = Instant::now();
        let id = explorer.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let status = explorer.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{signal}");
    }
}
