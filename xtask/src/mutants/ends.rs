//! How the tests of each mutant ended, in a file that is written as they end: a run that is cut off loses nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How the tests of a mutant ended, in the words of cargo-mutants' files.
pub const ENDS: [&str; 4] = ["caught", "missed", "timeout", "unviable"];

/// How the tests of mutants ended, by their names.
pub struct Ends {
    state: Mutex<State>,
}

struct State {
    file: File,
    ends: BTreeMap<String, String>,
}

impl Ends {
    /// The ends of a run that is resumed, or none.
    ///
    /// # Errors
    /// The file `ends.txt` of the folder cannot be read or written.
    pub fn open(folder: &Path, resume: bool) -> Result<Self, String> {
        let path = folder.join("ends.txt");
        let fail = |error: std::io::Error| format!("{} ({error})", path.display());
        fs::create_dir_all(folder).map_err(fail)?;
        if !resume && path.exists() {
            fs::remove_file(&path).map_err(fail)?;
        }
        let earlier = if path.exists() { fs::read_to_string(&path).map_err(fail)? } else { String::new() };
        let file = File::options().append(true).create(true).open(&path).map_err(fail)?;
        Ok(Self { state: Mutex::new(State { file, ends: read(&earlier) }) })
    }

    /// Adds mutants whose tests ended in one way.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&self, end: &str, names: impl Iterator<Item = String>) -> Result<(), String> {
        names.into_iter().try_for_each(|name| self.add_with(end, &name, ""))
    }

    /// Adds a mutant, and the test that noticed it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_with(&self, end: &str, name: &str, by: &str) -> Result<(), String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(state.file, "{end}\t{name}\t{by}").map_err(|error| format!("ends.txt ({error})"))?;
        state.ends.insert(name.into(), end.into());
        Ok(())
    }

    /// Whether a test noticed a mutant: one that makes a test hang is noticed, too.
    pub fn is_noticed(&self, name: &str) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ends.get(name).is_some_and(|end| end == "caught" || end == "timeout")
    }

    /// Prints a table of the mutants of a sample, and those that were missed.
    pub fn report(&self, package: &str, sample: &[&str]) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |end: &str| sample.iter().filter(|name| state.ends.get(**name).is_some_and(|is| is == end)).count();
        let [caught, missed, timeout, unviable] = ENDS.map(of);
        let viable = caught + missed + timeout;
        let share = 100.0 * (caught + timeout) as f64 / viable.max(1) as f64;
        println!("\n| crate | viable | caught | timeout | missed | unviable | caught or timeout, % |");
        println!("|---|---|---|---|---|---|---|");
        println!("| {package} | {viable} | {caught} | {timeout} | {missed} | {unviable} | {share:.1} |");
        for name in sample.iter().filter(|name| state.ends.get(**name).is_some_and(|end| end == "missed")) {
            println!("missed: {name}");
        }
    }
}

/// The last end of each mutant.
fn read(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let (end, name) = (parts.next()?, parts.next()?);
        ENDS.contains(&end).then(|| (name.to_owned(), end.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_cut_off_goes_on_with_what_it_knew() {
        let folder = tempfile::tempdir().unwrap();
        let first = Ends::open(folder.path(), false).unwrap();
        first.add_with("caught", "a", "lib a_test").unwrap();
        first.add("missed", ["b".to_owned()].into_iter()).unwrap();
        drop(first);
        let resumed = Ends::open(folder.path(), true).unwrap();
        assert!(resumed.is_noticed("a") && !resumed.is_noticed("b"));
        resumed.add_with("timeout", "b", "lib").unwrap();
        assert!(Ends::open(folder.path(), true).unwrap().is_noticed("b"));
        assert!(!Ends::open(folder.path(), false).unwrap().is_noticed("a"));
    }
}
