//! A test binary: which mutants each of its tests reaches, and whether one of these tests notices a mutant.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Tests may take this many times as long with a mutant as without...
const SLOWER: f64 = 10.0;
/// ... and at least this long, seconds, before they count as hanging.
const LEAST_TIMEOUT: f64 = 20.0;
/// Tests that together take less than this, seconds, share a process.
const TOGETHER: f64 = 2.0;

/// A test binary whose tests have been run on the code as it is.
pub struct Binary {
    name: String,
    path: PathBuf,
    folder: PathBuf,
    tests: Vec<Test>,
}

/// A test as it ran on the code as it is.
struct Test {
    name: String,
    seconds: f64,
    /// The places of switches that it came to.
    reached: BTreeSet<u32>,
    /// Mutants that it noticed.
    noticed: AtomicU32,
}

/// How tests end: in the words of cargo-mutants' files, with the test that failed.
pub enum End {
    Caught(String),
    Missed,
    Timeout,
}

impl Binary {
    /// Runs each test of a binary on its own, with all switches off.
    ///
    /// # Errors
    /// A test fails on the code as it is.
    pub fn survey(name: &str, path: PathBuf, folder: PathBuf, arguments: &[&str]) -> Result<Self, String> {
        let mut binary = Self { name: name.into(), path, folder, tests: Vec::new() };
        let listed = binary.command(&[]).args(arguments).args(["--list", "--format", "terse"]).output();
        let listed = listed.map_err(|error| binary.fail(&error))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let names: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
        let tests = parallel(&names, |name| binary.survey_test(name));
        binary.tests = tests.into_iter().collect::<Result<_, _>>()?;
        Ok(binary)
    }

    fn survey_test(&self, name: &str) -> Result<Test, String> {
        let file = tempfile::NamedTempFile::new().map_err(|error| self.fail(&error))?;
        let start = Instant::now();
        let status = self.command(&[name]).env("CAROM_REACHED", file.path()).stdout(Stdio::null()).status();
        let seconds = start.elapsed().as_secs_f64();
        if !status.map_err(|error| self.fail(&error))?.success() {
            return Err(format!("mutants: {name} of {} fails on the code as it is,", self.name));
        }
        let reached = fs::read_to_string(file.path()).map_err(|error| self.fail(&error))?;
        let reached = reached.lines().filter_map(|line| line.parse().ok()).collect();
        Ok(Test { name: name.into(), seconds, reached, noticed: AtomicU32::new(0) })
    }

    /// Runs the tests that come to the place of a mutant, with it switched on, until one fails or hangs. Those first that are quick
    /// for what they noticed so far.
    ///
    /// # Errors
    /// The binary does not start.
    pub fn run(&self, mutant: u32, place: u32) -> Result<End, String> {
        let mut tests: Vec<&Test> = self.tests.iter().filter(|test| test.reached.contains(&place)).collect();
        let cost = |test: &Test| test.seconds / f64::from(1 + test.noticed.load(Relaxed));
        tests.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let mut rest = tests.as_slice();
        while let Some((first, _)) = rest.split_first() {
            let mut seconds = first.seconds;
            let more = rest[1..].iter().take_while(|test| {
                seconds += test.seconds;
                seconds < TOGETHER
            });
            let (group, others) = rest.split_at(1 + more.count());
            match self.run_group(group, mutant)? {
                End::Missed => rest = others,
                end => return Ok(end),
            }
        }
        Ok(End::Missed)
    }

    fn run_group(&self, tests: &[&Test], mutant: u32) -> Result<End, String> {
        let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
        let usual: f64 = tests.iter().map(|test| test.seconds).sum();
        let limit = Instant::now() + Duration::from_secs_f64((SLOWER * usual).max(LEAST_TIMEOUT));
        let mut command = self.command(&names);
        let mut child = command
            .env("CAROM_MUTANT", mutant.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| self.fail(&e))?;
        let lines = child.stdout.take().map(lines_of);
        let failed = lines.map_or(Ok(None), |lines| first_failure(&lines, limit));
        match failed {
            Ok(None) => {
                // What ends a process as a whole, such as a full stack, prints no line.
                let status = child.wait().map_err(|error| self.fail(&error))?;
                Ok(if status.success() { End::Missed } else { End::Caught("the process".into()) })
            }
            Ok(Some(name)) => {
                self.end(&mut child)?;
                for test in tests.iter().filter(|test| test.name == name) {
                    test.noticed.fetch_add(1, Relaxed);
                }
                Ok(End::Caught(name))
            }
            Err(_) => {
                self.end(&mut child)?;
                Ok(End::Timeout)
            }
        }
    }

    fn end(&self, child: &mut Child) -> Result<(), String> {
        child.kill().and_then(|()| child.wait()).map_err(|error| self.fail(&error)).map(|_| ())
    }

    /// Tests by their names, one after another.
    fn command(&self, names: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.current_dir(&self.folder).stderr(Stdio::null());
        command.env("CAROM_DROPS", "10").env("RUST_BACKTRACE", "0");
        if !names.is_empty() {
            command.args(["--exact", "--test-threads=1"]).args(names);
        }
        command
    }

    fn fail(&self, error: &std::io::Error) -> String {
        format!("{} ({error})", self.path.display())
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its tests take together, seconds.
    pub fn seconds(&self) -> f64 {
        self.tests.iter().map(|test| test.seconds).sum()
    }
}

/// The lines that a process prints, from a thread of their own: reading them here could take for ever.
fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

/// The name of the first test that fails, if one does; an error at the limit.
fn first_failure(lines: &Receiver<String>, limit: Instant) -> Result<Option<String>, RecvTimeoutError> {
    loop {
        match lines.recv_timeout(limit.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(name) = failed_test(&line) {
                    return Ok(Some(name.into()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => return Err(RecvTimeoutError::Timeout),
        }
    }
}

/// The test that a line of libtest says has failed.
fn failed_test(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("test ")?.strip_suffix("FAILED")?;
    Some(rest.split(" ... ").next()?.trim_end_matches(" - should panic"))
}

/// Applies a function to each of a list, two at a time.
pub fn parallel<T: Sync, R: Send>(list: &[T], apply: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(list.len()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((index, item)) =
                    Some(next.fetch_add(1, Relaxed)).and_then(|at| Some((at, list.get(at)?)))
                {
                    let result = apply(item);
                    done.lock().unwrap_or_else(|error| error.into_inner()).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|error| error.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_test_that_failed() {
        assert_eq!(failed_test("test a::b ... FAILED"), Some("a::b"));
        assert_eq!(failed_test("test a::b - should panic ... FAILED"), Some("a::b"));
        assert_eq!(failed_test("test a::b ... ok"), None);
        assert_eq!(failed_test("test result: FAILED. 1 passed"), None);
    }

    #[test]
    fn results_are_in_the_order_of_the_list() {
        let list: Vec<u32> = (0..100).collect();
        assert_eq!(parallel(&list, |k| 2 * k), list.iter().map(|k| 2 * k).collect::<Vec<u32>>());
    }
}
