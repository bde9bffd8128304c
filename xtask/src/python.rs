//! Python environments of the project: that of the Python package, and that of the engines with which carom is compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::{root, run};

/// Whether the environment with the engines is there, with all requirements.
pub fn is_installed() -> bool {
    is_current(&root().join("target/conformance/venv"), "conformance/requirements.txt")
}

/// The interpreter of the environment with the engines.
pub fn environment() -> Result<PathBuf, String> {
    environment_of("conformance", "conformance/requirements.txt")
}

/// Installs packages of which only the robot files are read, beside the engines.
pub fn robot_files() -> Result<(), String> {
    const REQUIREMENTS: &str = "conformance/files.txt";
    let folder = root().join("target/conformance/files");
    let mark = folder.join("files.txt");
    let [wanted, installed] = [root().join(REQUIREMENTS), mark.clone()].map(|file| fs::read(file).ok());
    let wanted = wanted.ok_or_else(|| REQUIREMENTS.to_owned())?;
    if installed.as_ref() == Some(&wanted) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{} ({error})", folder.display()))?;
    }
    pip(&environment()?, &["--no-deps", "--target", &folder.to_string_lossy(), "-r", REQUIREMENTS])?;
    fs::write(&mark, wanted).map_err(|error| format!("{} ({error})", mark.display()))
}

/// The interpreter of an environment in `target`, which is created, or recreated if the requirements have changed.
pub fn environment_of(name: &str, requirements: &str) -> Result<PathBuf, String> {
    let folder = root().join("target").join(name).join("venv");
    let (python, mark) = (folder.join("bin/python"), folder.join("requirements.txt"));
    if is_current(&folder, requirements) {
        return Ok(python);
    }
    let wanted = fs::read(root().join(requirements)).map_err(|error| format!("{requirements} ({error})"))?;
    make(&folder)?;
    pip(&python, &["-r", requirements])?;
    // Written last, so that an interrupted installation is repeated.
    fs::write(&mark, wanted).map_err(|error| format!("{} ({error})", mark.display()))?;
    Ok(python)
}

/// Whether an environment is complete and has these requirements.
fn is_current(folder: &Path, requirements: &str) -> bool {
    let [wanted, installed] =
        [root().join(requirements), folder.join("requirements.txt")].map(|file| fs::read(file).ok());
    folder.join("bin/python").exists() && wanted.is_some() && wanted == installed
}

/// Installs packages into an environment.
pub fn pip(python: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
    run(&mut pip, &format!("pip install {}", arguments.join(" ")))
}

fn make(folder: &PathBuf) -> Result<(), String> {
    let venv = || run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder), "python3 -m venv");
    venv().or_else(|_| {
        // Debian has the module in a separate package.
        install(&["python3-venv"])?;
        venv()
    })
}

/// Debian's interpreter with Siconos, which is not on PyPI; it is installed if missing.
pub fn siconos() -> Result<PathBuf, String> {
    let python = PathBuf::from("/usr/bin/python3");
    let is_there = || {
        let import = Command::new(&python).args(["-c", "import siconos.numerics"]).stderr(Stdio::null()).status();
        import.is_ok_and(|status| status.success())
    };
    if !is_there() {
        install(&["python3-siconos"])
            .map_err(|what| format!("{what} (it needs Debian and its administrator; --only leaves it out)"))?;
    }
    if is_there() { Ok(python) } else { Err(format!("{} -c 'import siconos.numerics'", python.display())) }
}

/// Installs Debian packages, if this is Debian and permissions allow.
pub fn install(packages: &[&str]) -> Result<(), String> {
    let what = format!("apt-get install {}", packages.join(" "));
    run(Command::new("apt-get").args(["update", "-qq"]), &what)?;
    let mut command = Command::new("apt-get");
    command.args(["install", "-y", "-qq", "--no-install-recommends"]).args(packages);
    run(command.env("DEBIAN_FRONTEND", "noninteractive"), &what)
}
