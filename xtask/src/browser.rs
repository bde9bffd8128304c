//! Tests of the pages in a real browser.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::install;
use crate::run::{cargo, root, run};

/// The folder of the test and its dependencies.
const FOLDER: &str = "tests/browser";

/// Writes pages of runs, opens them in Chromium, plays them and leaves pictures in `target/browser/screenshots`.
pub fn browser() -> Result<(), String> {
    let folder = root().join("target/browser");
    let (pages, shots) = (folder.join("pages"), folder.join("screenshots"));
    fs::create_dir_all(&pages).map_err(|error| format!("{} ({error})", pages.display()))?;
    let text = pages.to_string_lossy();
    cargo(&["test", "-p", "carom", "--test", "pages"], &[], &[("CAROM_PAGES", &text)])?;
    let chromium = chromium()?;
    packages()?;
    let mut node = Command::new("node");
    node.arg(format!("{FOLDER}/pages.mjs")).arg(chromium).arg(&pages).arg(&shots);
    run(&mut node, "tests/browser/pages.mjs")
}

/// The browser given by `CHROMIUM`, or that of the system, which is installed if missing.
fn chromium() -> Result<PathBuf, String> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Ok(path.into());
    }
    let find = || ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(program);
    if let Some(path) = find() {
        return Ok(path);
    }
    install(&["chromium"])?;
    find().ok_or_else(|| "finding chromium".to_owned())
}

/// playwright-core, as the lock file has it.
fn packages() -> Result<(), String> {
    if program("npm").is_none() {
        install(&["nodejs", "npm"])?;
    }
    let folder = root().join(FOLDER);
    let (lock, mark) = (folder.join("package-lock.json"), folder.join("node_modules/.installed"));
    let wanted = fs::read(&lock).map_err(|error| format!("{} ({error})", lock.display()))?;
    if fs::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    run(npm.args(["ci", "--silent", "--no-audit", "--no-fund", "--prefix", FOLDER]), "npm ci")?;
    // Written last, so that an interrupted installation is repeated.
    fs::write(&mark, wanted).map_err(|error| format!("{} ({error})", mark.display()))
}

/// A program on the path.
fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| Path::is_file(path))
}
