//! `carom explore`: a page on which the coefficients, the state and the laws of an impact can be changed, served on loopback.
//!
//! The server answers only its own page: it listens on 127.0.0.1, and refuses requests whose `Host` is another name, as after DNS rebinding,
//! or whose `Origin` is another page. Requests cannot name files on the disk.

use std::borrow::Cow;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use carom_web::{Engine, limits, page};

use crate::args::Explore;
use crate::console::note;
use crate::failure::Failure;
use crate::http::{Head, Response, Site, Stock, serve};
use crate::output::Output;

/// Least number of requests computed at the same time, on however few cores: a long one must not hold up the others.
const LEAST_WORKERS: usize = 4;
/// How long a request waits for its turn: longer than any takes.
const PATIENCE: Duration = Duration::from_secs(60);

pub fn run(arguments: &Explore) -> Result<ExitCode, Failure> {
    let engine = match &arguments.subject {
        Some(subject) => {
            check(subject)?;
            Engine::with_opened(subject)
        }
        None => Engine::new(),
    };
    let place = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port.unwrap_or(0)));
    let fail = |error: std::io::Error| Failure::Server { place: place.to_string(), error };
    let listener = TcpListener::bind(place).map_err(fail)?;
    let port = listener.local_addr().map_err(fail)?.port();
    // There are no files to finish, and the page reports that its server has gone.
    ctrlc::set_handler(|| std::process::exit(0)).map_err(|error| Failure::Signal { error: error.to_string() })?;
    let address = format!("http://127.0.0.1:{port}/");
    let mut output = Output::open(None)?;
    output.write_all(format!("{address}\n").as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()?;
    note("the page is served to this machine alone; Ctrl-C ends it");
    if !arguments.no_open {
        open_browser(&address);
    }
    let workers = thread::available_parallelism().map_or(1, usize::from).max(LEAST_WORKERS);
    serve(&listener, Explorer { engine, port, files: page::files(), workers: Stock::new(workers) })
}

/// A file that cannot be read is an error here; one with wrong contents is an error on the page, where it can be corrected.
fn check(subject: &Path) -> Result<(), Failure> {
    let is_built_in = subject
        .to_str()
        .is_some_and(|name| carom::gallery::find(name).or_else(|| carom::gallery::find_simulation(name)).is_some());
    if is_built_in {
        return Ok(());
    }
    let read = carom::multibody::load::check_regular(subject).and_then(|()| std::fs::File::open(subject).map(drop));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && subject.components().count() == 1 => {
            let name = subject.display().to_string();
            Err(Failure::NoSuchScene { name, gallery: crate::exhibits::Gallery::Impacts, or_file: true })
        }
        read => read.map_err(|error| Failure::file(subject, "read", error)),
    }
}

/// Starts the system's browser; says so if there is none.
fn open_browser(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(target_os = "windows") {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut browser = Command::new(program);
    browser.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let none = || note("no browser could be started: open the address above");
    match browser.spawn() {
        // Windows' explorer ends with 1 where it succeeds.
        Ok(mut browser) if cfg!(unix) => drop(thread::spawn(move || match browser.wait() {
            Ok(status) if status.success() => {}
            _ => none(),
        })),
        Ok(_) => {}
        Err(_) => none(),
    }
}

/// The page and its engine.
struct Explorer {
    engine: Engine,
    port: u16,
    files: Vec<(String, &'static [u8])>,
    workers: Arc<Stock>,
}

impl Site for Explorer {
    const HEADERS: &'static [(&'static str, &'static str)] = &[
        ("Content-Security-Policy", page::POLICY),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ];
    const BODY: usize = limits::BODY;

    fn refuse(&self, head: &Head) -> Option<Response> {
        if !self.is_own(head) {
            return Some(Response::refusal(403, "this server answers to its own page only"));
        }
        match (head.method.as_str(), path(head)) {
            ("POST", "api") => {
                let kind = head.header("Content-Type").unwrap_or_default();
                let is_json = kind.split(';').next().map(str::trim) == Some("application/json");
                (!is_json).then(|| Response::refusal(415, "requests are application/json"))
            }
            (_, "api") => Some(Response::refusal(405, "requests are posted")),
            ("GET" | "HEAD", _) => None,
            _ => Some(Response::refusal(405, "files are read by GET")),
        }
    }

    fn answer(&self, head: &Head, body: &[u8]) -> Response {
        if path(head) == "api" { self.api(body) } else { self.file(path(head)) }
    }
}

impl Explorer {
    fn file(&self, path: &str) -> Response {
        let name = if path.is_empty() { "index.html" } else { path };
        match self.files.iter().find(|(own, _)| own == name) {
            Some((name, content)) => {
                Response { status: 200, kind: page::media_type(name), body: Cow::Borrowed(*content) }
            }
            None => Response::refusal(404, "there is no such file"),
        }
    }

    fn api(&self, body: &[u8]) -> Response {
        let Some(_turn) = self.workers.take(1, PATIENCE) else {
            return Response::refusal(503, "the engine is busy");
        };
        // A panic would be a fault of carom; the server and the page outlive it.
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.engine.answer(body)));
        match answer {
            Ok(answer) => Response { status: 200, kind: "application/octet-stream", body: Cow::Owned(answer) },
            Err(_) => Response::refusal(500, "the engine failed on this request"),
        }
    }

    /// Whether a request names this server as its host, and comes from its own page or from no page.
    fn is_own(&self, head: &Head) -> bool {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let is_host = head.header("Host").is_some_and(|host| hosts.iter().any(|own| own.eq_ignore_ascii_case(host)));
        let is_origin = head
            .header("Origin")
            .is_none_or(|origin| hosts.iter().any(|host| origin.eq_ignore_ascii_case(&format!("http://{host}"))));
        let is_site = head.header("Sec-Fetch-Site").is_none_or(|site| ["same-origin", "none"].contains(&site));
        // A link from elsewhere may open the page, but not ask for anything else.
        let opens_page = head.method == "GET" && head.header("Sec-Fetch-Mode") == Some("navigate");
        is_host && is_origin && (is_site || opens_page)
    }
}

/// The path of a request without the first slash and the query.
fn path(head: &Head) -> &str {
    head.target.split('?').next().unwrap_or_default().trim_start_matches('/')
}
