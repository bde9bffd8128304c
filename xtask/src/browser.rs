//! Tests of the pages in a real browser.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::node::node;
use crate::python::{self, install};
use crate::run::{cargo, output, program, root, run};
use crate::web;

/// The folder of the test and its dependencies.
const FOLDER: &str = "tests/browser";

/// Robots of the Python packages that the conformance run installs: a name, the file in the folder of packages, the end
/// time, and options. Quadrupeds, humanoids, an arm and a planar walker, which falls since it stands still otherwise; with
/// ellipsoids, meshes, limits, and up to 725 contacts.
const ROBOTS: [(&str, &str, &str, &[&str]); 10] = [
    ("dog", "dm_control/suite/dog.xml", "0.5", &[]),
    ("humanoid", "dm_control/suite/humanoid.xml", "2", &[]),
    ("humanoid_cmu", "dm_control/suite/humanoid_CMU.xml", "0.5", &[]),
    ("walker", "dm_control/suite/walker.xml", "1.5", &["--height", "0.2"]),
    ("quadruped", "dm_control/suite/quadruped.xml", "1.5", &[]),
    ("go2", "cmeel.prefix/share/example-robot-data/robots/go2_description/urdf/go2.urdf", "0.8", &[]),
    ("anymal", "cmeel.prefix/share/example-robot-data/robots/anymal_c_simple_description/urdf/anymal.urdf", "0.6", &[]),
    ("talos", "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_full_v2.urdf", "0.4", &[]),
    ("solo12", "cmeel.prefix/share/example-robot-data/robots/solo_description/robots/solo12.urdf", "0.3", &[]),
    ("panda", "cmeel.prefix/share/example-robot-data/robots/panda_description/urdf/panda.urdf", "0.6", &[]),
];

/// The robot of our own whose page the book shows, and its end time.
const OWN: (&str, &str) = ("landing", "1.2");

/// Writes pages of runs, opens them in Chromium and plays them; drives the explorer, served by the command and as static files with wasm. Pictures
/// are left in `target/browser/screenshots`.
pub fn browser() -> Result<(), String> {
    let folder = root().join("target/browser");
    let (pages, shots) = (folder.join("pages"), folder.join("screenshots"));
    // Pages of robots that are not there any more would be tested, too.
    if pages.exists() {
        fs::remove_dir_all(&pages).map_err(|error| format!("{} ({error})", pages.display()))?;
    }
    fs::create_dir_all(&pages).map_err(|error| format!("{} ({error})", pages.display()))?;
    let text = pages.to_string_lossy();
    cargo(&["test", "-p", "carom-report", "--test", "pages"], &[], &[("CAROM_PAGES", &text)])?;
    cargo(&["build", "--release", "-p", "carom-cli"], &[], &[])?;
    page(&["quadruped", "--until", OWN.1], &pages.join(format!("{}.html", OWN.0)))?;
    let robots = robots(&pages)?;
    let chromium = chromium()?;
    packages()?;
    let mut node = Command::new("node");
    node.arg(format!("{FOLDER}/pages.mjs")).arg(&chromium).arg(&pages).arg(&shots);
    run(&mut node, "tests/browser/pages.mjs")?;
    explorer(&chromium, &shots, &robots)
}

/// The explorer, by both of its ways to the engine; where wasm cannot be built, by one, unless this is CI.
fn explorer(chromium: &Path, shots: &Path, robots: &[PathBuf]) -> Result<(), String> {
    let is_made = match web::web(&[]) {
        Err(what) if !is_ci() => {
            eprintln!("without the static page of the explorer: {what} failed");
            false
        }
        made => made.map(|()| true)?,
    };
    let mut node = Command::new("node");
    node.arg(format!("{FOLDER}/explorer.mjs")).arg(chromium).arg("target/release/carom");
    node.arg(if is_made { web::FOLDER } else { "-" }).arg(shots).args(robots);
    run(&mut node, "tests/browser/explorer.mjs")
}

fn is_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

/// The pages of real robots, where the Python packages are installed; under CI they are installed. Returns the robots' files.
fn robots(pages: &Path) -> Result<Vec<PathBuf>, String> {
    if !is_ci() && !python::is_installed() {
        eprintln!("without the robots of the Python packages, which cargo xtask conformance installs (3 GB)");
        return Ok(Vec::new());
    }
    let python = python::environment()?;
    let place = "import sysconfig; print(sysconfig.get_paths()['purelib'])";
    let packages = PathBuf::from(output(Command::new(python).args(["-c", place]), "python -c")?.trim());
    for (name, file, until, options) in ROBOTS {
        let file = packages.join(file).to_string_lossy().into_owned();
        let simulated = [&[&file, "--until", until], options].concat();
        page(&simulated, &pages.join(format!("robot-{name}.html")))?;
    }
    Ok(ROBOTS.map(|(_, file, ..)| packages.join(file)).to_vec())
}

/// The page of a scene or robot, as the command writes it. A run that does not reach its end has a page, too.
fn page(simulated: &[&str], file: &Path) -> Result<(), String> {
    let mut carom = Command::new("target/release/carom");
    carom.arg("simulate").args(simulated).args(["--events", "0", "--quiet", "--max-time", "60", "--render"]).arg(file);
    match run(&mut carom, &format!("carom simulate {}", simulated[0])) {
        Err(_) if file.exists() => Ok(()),
        result => result,
    }
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
    node()?;
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
