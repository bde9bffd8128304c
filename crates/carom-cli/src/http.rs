//! A small HTTP server for a page of this machine: HTTP/1.1, bodies of a known length, and a bound on all that a client can send or withhold.
//!
//! Each connection has a thread. A client that sends too much, too slowly or not HTTP is answered with a status and disconnected.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Connections open at the same time: fewer than the 1,024 files that a process may usually have open. Further ones wait.
const CONNECTIONS: usize = 512;
/// Bytes of a request line and its headers.
const HEAD: usize = 16 << 10;
/// Headers of a request.
const HEADERS: usize = 100;
/// Bytes of all bodies that are held at the same time.
const BODIES: usize = 256 << 20;
/// Bytes of a body that is not counted: a client that sends large bodies slowly must not hold up small ones.
const SMALL: usize = 64 << 10;
/// How long a connection is kept without a request.
const IDLE: Duration = Duration::from_secs(60);
/// How long a client may take to send a head, and to send a body or to take an answer.
const HEAD_TIME: Duration = Duration::from_secs(10);
const BODY_TIME: Duration = Duration::from_secs(60);
/// How long a request waits for memory.
const TURN: Duration = Duration::from_secs(60);
/// Bytes still read from a client that is being disconnected, so that it receives the answer and not a reset.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER: usize = 64 << 20;
/// The stack of a connection's thread: that of a main thread.
const STACK: usize = 8 << 20;
/// A pause after connections that could not be accepted, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(20);

/// The line and the headers of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub method: String,
    /// The path and the query.
    pub target: String,
    headers: Vec<(String, String)>,
    /// Bytes of the body.
    pub length: usize,
    keeps: bool,
}

impl Head {
    /// The only header of this name; empty if there are several, since readers disagree on which one counts.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let (_, first) = found.next()?;
        Some(if found.next().is_some() { "" } else { first })
    }

    fn parse(head: &[u8]) -> Result<Self, Response> {
        let bad = |why: &'static str| Response::refusal(400, why);
        let text = std::str::from_utf8(head).map_err(|_| bad("the head of the request is not text"))?;
        let mut lines = text.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (first.next(), first.next(), first.next(), first.next())
        else {
            return Err(bad("the first line is not that of a request"));
        };
        let is_token = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_graphic() && c != b':');
        if !is_token(method) || !target.starts_with('/') || !target.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(bad("the first line is not that of a request"));
        }
        if !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
            return Err(Response::refusal(505, "this server speaks HTTP/1.1"));
        }
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(|| bad("a header has no colon"))?;
            if !is_token(name) || value.chars().any(|c| c.is_control() && c != '\t') {
                return Err(bad("a header has characters that are not allowed"));
            }
            if headers.len() == HEADERS {
                return Err(Response::refusal(431, "the request has too many headers"));
            }
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut head = Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers,
            length: 0,
            keeps: version == "HTTP/1.1",
        };
        if head.header("Transfer-Encoding").is_some() {
            return Err(Response::refusal(501, "the length of a body must be known: Content-Length"));
        }
        if let Some(length) = head.header("Content-Length") {
            let digits = !length.is_empty() && length.bytes().all(|c| c.is_ascii_digit());
            if !digits {
                return Err(bad("Content-Length is not a number"));
            }
            // A length with too many digits exceeds every bound.
            head.length = length.parse().unwrap_or(usize::MAX);
        }
        if head.header("Connection").is_some_and(|value| value.to_ascii_lowercase().contains("close")) {
            head.keeps = false;
        }
        Ok(head)
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Cow<'static, [u8]>,
}

impl Response {
    /// An error status with a sentence.
    pub fn refusal(status: u16, why: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: Cow::Owned(format!("{why}\n").into_bytes()) }
    }

    fn reason(&self) -> &'static str {
        match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            417 => "Expectation Failed",
            431 => "Request Header Fields Too Large",
            501 => "Not Implemented",
            503 => "Service Unavailable",
            505 => "HTTP Version Not Supported",
            _ => "Internal Server Error",
        }
    }
}

/// What is served.
pub trait Site: Send + Sync + 'static {
    /// Headers of every answer.
    const HEADERS: &'static [(&'static str, &'static str)];
    /// Bytes of a body.
    const BODY: usize;

    /// Why a request is refused, before its body is read.
    fn refuse(&self, head: &Head) -> Option<Response>;

    /// The answer to a request that is not refused.
    fn answer(&self, head: &Head, body: &[u8]) -> Response;
}

/// A counted resource of which parts are lent and returned.
#[derive(Debug)]
pub struct Stock {
    left: Mutex<usize>,
    returned: Condvar,
}

/// A lent part, returned on drop.
#[derive(Debug)]
pub struct Loan {
    stock: Arc<Stock>,
    count: usize,
}

impl Stock {
    pub fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { left: Mutex::new(count), returned: Condvar::new() })
    }

    /// A part of the stock as soon as it is available; `None` if that takes too long.
    pub fn take(self: &Arc<Self>, count: usize, patience: Duration) -> Option<Loan> {
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.returned.wait_timeout_while(left, patience, |left| *left < count);
        let (mut left, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *left = left.checked_sub(count)?;
        Some(Loan { stock: Arc::clone(self), count })
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        *self.stock.left.lock().unwrap_or_else(PoisonError::into_inner) += self.count;
        self.stock.returned.notify_all();
    }
}

/// Answers connections for as long as the process lives.
pub fn serve<S: Site>(listener: &TcpListener, site: S) -> ! {
    let (site, places, bodies) = (Arc::new(site), Stock::new(CONNECTIONS), Stock::new(BODIES));
    loop {
        // A connection is accepted only when a slot is free; the others wait in the system's queue.
        let Some(place) = places.take(1, TURN) else { continue };
        let started = listener.accept().and_then(|(stream, _)| {
            let (site, bodies) = (Arc::clone(&site), Arc::clone(&bodies));
            thread::Builder::new().stack_size(STACK).spawn(move || {
                let _place = place;
                // A client that has gone needs no answer.
                let _ = Connection { stream, read: Vec::new(), site: &*site, bodies: &bodies }.serve();
            })
        });
        if started.is_err() {
            // Too many open files or threads: some will end.
            thread::sleep(PAUSE);
        }
    }
}

/// One client.
struct Connection<'a, S> {
    stream: TcpStream,
    /// What was read and is not yet used.
    read: Vec<u8>,
    site: &'a S,
    bodies: &'a Arc<Stock>,
}

impl<S: Site> Connection<'_, S> {
    fn serve(mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        loop {
            let head = match self.head()? {
                None => return Ok(()),
                Some(Ok(head)) => head,
                Some(Err(refusal)) => return self.hang_up(&refusal),
            };
            let is_head = head.method == "HEAD";
            if head.length > S::BODY {
                return self.hang_up(&Response::refusal(413, &format!("a request has at most {} bytes", S::BODY)));
            }
            if let Some(refusal) = self.site.refuse(&head) {
                if head.length > 0 || !head.keeps {
                    return self.hang_up(&refusal);
                }
                self.write(&refusal, true, is_head)?;
                continue;
            }
            match head.header("Expect").map(str::to_ascii_lowercase).as_deref() {
                None => {}
                Some("100-continue") => self.send(b"HTTP/1.1 100 Continue\r\n\r\n", Instant::now() + BODY_TIME)?,
                Some(_) => return self.hang_up(&Response::refusal(417, "this expectation is not supported")),
            }
            let counted = if head.length > SMALL { head.length } else { 0 };
            let Some(_held) = self.bodies.take(counted, TURN) else {
                return self.hang_up(&Response::refusal(503, "the server is busy"));
            };
            let deadline = Instant::now() + BODY_TIME;
            while self.read.len() < head.length {
                if !self.receive(head.length - self.read.len(), deadline)? {
                    return self.hang_up(&Response::refusal(400, "the request ended early"));
                }
            }
            let rest = self.read.split_off(head.length);
            let body = std::mem::replace(&mut self.read, rest);
            let answer = self.site.answer(&head, &body);
            drop(body);
            self.write(&answer, head.keeps, is_head)?;
            if !head.keeps {
                return Ok(());
            }
        }
    }

    /// The next head; `None` if the client has nothing more to say.
    fn head(&mut self) -> io::Result<Option<Result<Head, Response>>> {
        let mut deadline = Instant::now() + if self.read.is_empty() { IDLE } else { HEAD_TIME };
        loop {
            let end = self.read.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end.filter(|end| *end <= HEAD) {
                let head = Head::parse(&self.read[..end]);
                self.read.drain(..end + 4);
                return Ok(Some(head));
            }
            if self.read.len() > HEAD {
                return Ok(Some(Err(Response::refusal(431, "the head of the request is too long"))));
            }
            let is_first = self.read.is_empty();
            match self.receive(HEAD, deadline) {
                Ok(true) if is_first => deadline = Instant::now() + HEAD_TIME,
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(error) if is_late(&error) && !is_first => {
                    return Ok(Some(Err(Response::refusal(408, "the request took too long"))));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads up to a number of bytes; false at the end.
    fn receive(&mut self, most: usize, deadline: Instant) -> io::Result<bool> {
        let mut buffer = [0; 16 << 10];
        let most = most.min(buffer.len());
        self.stream.set_read_timeout(Some(until(deadline)?))?;
        let count = self.stream.read(&mut buffer[..most])?;
        self.read.extend_from_slice(&buffer[..count]);
        Ok(count > 0)
    }

    fn send(&mut self, bytes: &[u8], deadline: Instant) -> io::Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            self.stream.set_write_timeout(Some(until(deadline)?))?;
            match self.stream.write(left)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => left = &left[count..],
            }
        }
        Ok(())
    }

    fn write(&mut self, answer: &Response, keeps: bool, is_head: bool) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
            answer.status,
            answer.reason(),
            answer.kind,
            answer.body.len()
        );
        for (name, value) in S::HEADERS {
            head += &format!("{name}: {value}\r\n");
        }
        head += if keeps { "\r\n" } else { "Connection: close\r\n\r\n" };
        let deadline = Instant::now() + BODY_TIME;
        self.send(head.as_bytes(), deadline)?;
        if is_head { Ok(()) } else { self.send(&answer.body, deadline) }
    }

    /// Answers, then reads for a moment what the client still sends.
    fn hang_up(mut self, answer: &Response) -> io::Result<()> {
        self.write(answer, false, false)?;
        self.stream.shutdown(Shutdown::Write)?;
        let (deadline, mut taken) = (Instant::now() + LINGER_TIME, 0);
        while taken < LINGER {
            self.read.clear();
            if !self.receive(usize::MAX, deadline)? {
                break;
            }
            taken += self.read.len();
        }
        Ok(())
    }
}

/// The remaining time, never 0.
fn until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// Whether an error means that the time ran out.
fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(head: &str) -> u16 {
        Head::parse(head.as_bytes()).map_or_else(|refusal| refusal.status, |_| 200)
    }

    #[test]
    fn heads_are_read() {
        let head = Head::parse(b"POST /api?x=1 HTTP/1.1\r\nHost: a:1\r\ncontent-length:  12 ").unwrap();
        assert_eq!((head.method.as_str(), head.target.as_str(), head.length), ("POST", "/api?x=1", 12));
        assert_eq!(head.header("HOST"), Some("a:1"));
        assert!(head.keeps);
        assert!(!Head::parse(b"GET / HTTP/1.0").unwrap().keeps);
        assert!(!Head::parse(b"GET / HTTP/1.1\r\nConnection: Close").unwrap().keeps);
    }

    #[test]
    fn what_two_readers_could_take_for_different_requests_is_refused() {
        for (head, expected) in [
            ("", 400),
            ("GET /", 400),
            ("GET  / HTTP/1.1", 400),
            ("GET / HTTP/2", 505),
            ("GET http://elsewhere/ HTTP/1.1", 400),
            ("GET /\0 HTTP/1.1", 400),
            ("GET / HTTP/1.1\r\nHost : a", 400),
            ("GET / HTTP/1.1\r\n Host: a", 400),
            ("GET / HTTP/1.1\r\nHost: a\nb: c", 400),
            ("GET / HTTP/1.1\r\nno colon", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1", 400),
            ("POST / HTTP/1.1\r\nContent-Length: +1", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 1, 1", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked", 501),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1", 501),
        ] {
            assert_eq!(status(head), expected, "{head:?}");
        }
        let many: String = (0..=HEADERS).map(|k| format!("\r\nX-{k}: 1")).collect();
        assert_eq!(status(&format!("GET / HTTP/1.1{many}")), 431);
        let huge = Head::parse(b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999").unwrap();
        assert_eq!(huge.length, usize::MAX);
    }

    #[test]
    fn of_several_headers_of_a_name_none_counts() {
        let head = Head::parse(b"GET / HTTP/1.1\r\nHost: a\r\nhost: b").unwrap();
        assert_eq!(head.header("Host"), Some(""));
    }

    #[test]
    fn a_stock_lends_what_it_has() {
        let stock = Stock::new(3);
        let first = stock.take(2, Duration::ZERO).unwrap();
        assert!(stock.take(2, Duration::from_millis(1)).is_none());
        let second = stock.take(1, Duration::ZERO).unwrap();
        drop((first, second));
        assert!(stock.take(3, Duration::ZERO).is_some());
        assert!(stock.take(4, Duration::ZERO).is_none());
    }
}
