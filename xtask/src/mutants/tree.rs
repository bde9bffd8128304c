//! A copy of the project in which mutants are behind switches, and its build.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::binary::Binary;
use super::switches::{self, MODULE, Mutant, Rewritten};
use super::{Tests, build_folder};
use crate::run::{cargo_program, output, root};

/// Builds in which mutants that do not compile are found, at most.
const BUILDS: usize = 20;

/// A copy of the project with mutants of one crate behind switches.
pub struct Tree<'a> {
    folder: PathBuf,
    mutants: &'a [(u32, Mutant)],
    /// Rewritten files, by their paths.
    files: BTreeMap<&'a str, Rewritten>,
    left: Vec<u32>,
    unviable: Vec<u32>,
}

impl<'a> Tree<'a> {
    /// Copies the project, and rewrites the files that have mutants.
    pub fn new(package: &str, mutants: &'a [(u32, Mutant)]) -> Result<Self, String> {
        let folder = build_folder().with_file_name(format!("tree-{package}"));
        let library = format!("crates/{package}/src/lib.rs");
        copy_project(&folder, |file| file == library || mutants.iter().any(|(_, mutant)| mutant.file == file))?;
        let mut tree = Self { folder, mutants, files: BTreeMap::new(), left: Vec::new(), unviable: Vec::new() };
        let text = fs::read_to_string(root().join(&library)).map_err(|error| format!("{library} ({error})"))?;
        write(&tree.folder.join(&library), &(text + MODULE))?;
        tree.rewrite()?;
        Ok(tree)
    }

    /// Writes all files that have mutants, without those that do not compile.
    fn rewrite(&mut self) -> Result<(), String> {
        let mut by_file: BTreeMap<&'a str, Vec<(u32, &Mutant)>> = BTreeMap::new();
        for (number, mutant) in self.mutants {
            let mutants = by_file.entry(mutant.file.as_str()).or_default();
            if !self.unviable.contains(number) && !self.left.contains(number) {
                mutants.push((*number, mutant));
            }
        }
        for (file, mutants) in by_file {
            let source = root().join(file);
            let text = fs::read_to_string(&source).map_err(|error| format!("{file} ({error})"))?;
            let rewritten = switches::rewrite(&text, &mutants).map_err(|error| format!("{file} ({error})"))?;
            write(&self.folder.join(file), &rewritten.text)?;
            self.left.extend(&rewritten.left);
            self.files.insert(file, rewritten);
        }
        Ok(())
    }

    /// Builds test binaries; mutants that do not compile are taken out.
    pub fn build(&mut self, tests: &'static [Tests]) -> Result<Vec<Binary>, String> {
        for _ in 0..BUILDS {
            let built = self.compile(tests)?;
            let mut found: Vec<u32> = built.iter().filter_map(|message| self.blamed(message)).flatten().collect();
            found.sort_unstable();
            found.dedup();
            if found.is_empty() {
                return self.binaries(&built, tests);
            }
            // What a function returns instead, and an arm, may not compile because of the switch alone. Its error may be told of all of the
            // function, whose other mutants are built without it before they are blamed.
            let mutants = self.mutants;
            let is_left =
                |number: &u32| ["FnValue", "MatchArm"].contains(&mutants[*number as usize - 1].1.genre.as_str());
            if found.iter().any(is_left) {
                found.retain(is_left);
            }
            for number in found {
                let is_left = is_left(&number);
                if is_left { self.left.push(number) } else { self.unviable.push(number) }
            }
            self.rewrite()?;
        }
        Err(format!("mutants: {BUILDS} builds did not do"))
    }

    /// The messages of cargo.
    fn compile(&self, tests: &[Tests]) -> Result<Vec<Value>, String> {
        let mut command = Command::new(cargo_program());
        command.args(["test", "--no-run", "--message-format=json"]);
        for tests in tests {
            command.args(["--package", tests.package]);
            if tests.name == tests.package {
                command.arg("--lib")
            } else {
                command.args(["--test", tests.name])
            };
        }
        command.current_dir(&self.folder).env("CARGO_TARGET_DIR", build_folder()).stderr(Stdio::null());
        let output = command.output().map_err(|error| format!("cargo test --no-run ({error})"))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// The mutants in which an error of the compiler is; those of the line if it is in none.
    fn blamed(&self, message: &Value) -> Option<Vec<u32>> {
        let message = &message["message"];
        if message["level"].as_str()? != "error" {
            return None;
        }
        let span = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
        let file = span["file_name"].as_str()?;
        let rewritten = self.files.get(file)?;
        // Where an arm is behind a switch, its match may no longer be exhaustive; the error is at the match.
        if message["code"]["code"] == "E0004" {
            let is_arm = |(_, mutant): &&(u32, Mutant)| mutant.genre == "MatchArm" && mutant.file == file;
            let has = |number: u32| rewritten.places.iter().any(|(at, _)| *at == number);
            return Some(self.mutants.iter().filter(is_arm).map(|(number, _)| *number).filter(|n| has(*n)).collect());
        }
        let at = |line: &str, column: &str| {
            let place = |key: &str| span[key].as_u64().and_then(|at| usize::try_from(at).ok());
            Some(switches::byte_at(&rewritten.text, place(line)?, place(column)?))
        };
        let (start, end) = (at("line_start", "column_start")?, at("line_end", "column_end")?);
        let inside = |place: &std::ops::Range<usize>| place.start <= start && end <= place.end;
        let within: Vec<u32> =
            rewritten.places.iter().filter(|(_, place)| inside(place)).map(|(number, _)| *number).collect();
        if !within.is_empty() {
            return Some(within);
        }
        let touches = |place: &std::ops::Range<usize>| start <= place.end && place.start <= end;
        Some(rewritten.places.iter().filter(|(_, place)| touches(place)).map(|(number, _)| *number).collect())
    }

    fn binaries(&self, built: &[Value], tests: &'static [Tests]) -> Result<Vec<Binary>, String> {
        let find = |tests: &'static Tests| {
            let is_it = |message: &&Value| {
                let name = message["target"]["name"].as_str().unwrap_or_default();
                message["profile"]["test"] == true && name.replace('_', "-") == tests.name.replace('_', "-")
            };
            let path = built.iter().filter(is_it).find_map(|message| message["executable"].as_str());
            let path = path.ok_or(format!("mutants: {} of {} did not build,", tests.name, tests.package))?;
            let folder = self.folder.join("crates").join(tests.package);
            Binary::survey(tests.name, path.into(), folder, tests.arguments)
        };
        tests.iter().map(find).collect()
    }

    /// The number that the switch of a mutant has for its place.
    pub fn place(&self, number: u32) -> u32 {
        let mut all = self.files.values().flat_map(|file| &file.reached_as);
        all.find(|(mutant, _)| *mutant == number).map_or(0, |(_, place)| *place)
    }

    /// The mutants that have switches.
    pub fn switched(&self) -> Vec<u32> {
        let is_out = |number: &u32| self.left.contains(number) || self.unviable.contains(number);
        self.mutants.iter().map(|(number, _)| *number).filter(|number| !is_out(number)).collect()
    }

    /// The mutants that no switch can stand for.
    pub fn left(&self) -> &[u32] {
        &self.left
    }

    /// The mutants that do not compile.
    pub fn unviable(&self) -> &[u32] {
        &self.unviable
    }

    pub fn name(&self, number: u32) -> String {
        self.mutants[number as usize - 1].1.name.clone()
    }
}

/// Copies the files of the project but those that are rewritten. What is in the copy already stays as old as it is there: cargo builds
/// what has changed since the last time, and nothing if a run is resumed.
fn copy_project(folder: &Path, is_rewritten: impl Fn(&str) -> bool) -> Result<(), String> {
    let mut git = Command::new("git");
    let listed = output(git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]), "git ls-files")?;
    let listed: BTreeSet<&str> = listed.split('\0').filter(|file| !file.is_empty()).collect();
    // Deleted and not yet committed.
    let files: BTreeSet<&str> = listed.into_iter().filter(|file| root().join(file).is_file()).collect();
    let kept: BTreeSet<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    remove_others(folder, &kept).map_err(|error| format!("{} ({error})", folder.display()))?;
    for file in files.into_iter().filter(|file| !is_rewritten(file)) {
        let from = root().join(file);
        let bytes = fs::read(&from).map_err(|error| format!("{} ({error})", from.display()))?;
        write_bytes(&folder.join(file), &bytes)?;
    }
    Ok(())
}

/// Removes the files of a folder that are not among these.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> std::io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            remove_others(&path, kept)?;
        } else if !kept.contains(&path) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file, unless it has this content.
fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{} ({error})", path.display());
    if fs::read(path).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(fail)?;
    fs::write(path, bytes).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_not_changed_is_as_old_as_it_was_and_what_is_gone_goes() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, gone] = ["a/kept.rs", "a/gone.rs"].map(|name| folder.path().join(name));
        write(&kept, "text").unwrap();
        write(&gone, "text").unwrap();
        let old = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&kept).unwrap().set_modified(old).unwrap();
        remove_others(folder.path(), &BTreeSet::from([kept.clone()])).unwrap();
        write(&kept, "text").unwrap();
        assert!(!gone.exists() && fs::metadata(&kept).unwrap().modified().unwrap() == old);
        write(&kept, "other").unwrap();
        assert!(fs::metadata(&kept).unwrap().modified().unwrap() > old);
    }
}
