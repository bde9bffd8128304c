//! The wheel of the Python package, and its tests.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{environment, environment_of, pip};
use crate::run::{cargo, root, run};

const WHEELS: &str = "target/wheels";

/// Builds the wheel.
pub fn wheel() -> Result<PathBuf, String> {
    let python = environment_of("python", "python/requirements.txt")?;
    build(&python)
}

fn build(python: &Path) -> Result<PathBuf, String> {
    let folder = root().join(WHEELS);
    // A wheel of an older version is not to be found.
    let _ = fs::remove_dir_all(&folder);
    let mut command = Command::new(python);
    command.args(["-m", "maturin", "build", "--release", "--quiet", "--locked", "--out", WHEELS]);
    command.arg("--interpreter").arg(python);
    run(&mut command, "maturin build")?;
    let entries = fs::read_dir(&folder).map_err(|error| format!("{WHEELS} ({error})"))?;
    let wheel =
        entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "whl"));
    wheel.ok_or_else(|| format!("{WHEELS}: no wheel"))
}

/// Tests the wheel as it is installed: pytest, mypy, and the stubs against the module.
pub fn test() -> Result<(), String> {
    let python = environment_of("python", "python/requirements.txt")?;
    install(&python, &build(&python)?)?;
    // The numbers of the command are compared with: that of the tests, which has target/debug/carom in any case. Features, and what
    // arrows shares with macros, are those of the whole workspace then; of the command alone forty crates are built again.
    let of_the_tests = ["test", "--no-run", "--quiet", "--workspace", "--features", "carom-cli/parquet"];
    cargo(&of_the_tests, &["--test", "command", "--bin", "carom-arrows"], &[])?;
    run(pytest(&python).arg("python/tests"), "pytest python/tests")?;
    run(Command::new(&python).args(["-m", "mypy"]).env("MYPY_CACHE_DIR", "target/python/mypy"), "mypy python/carom")?;
    let mut stubtest = Command::new(&python);
    stubtest.args(["-m", "mypy.stubtest", "carom._carom", "--concise"]).env("MYPY_CACHE_DIR", "target/python/mypy");
    run(&mut stubtest, "stubtest carom._carom")
}

/// [`test`] where there is a Python that can do it. Where CI=true, there must be.
pub fn test_if_possible() -> Result<(), String> {
    let new_enough = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
    let python = Command::new("python3").args(["-c", new_enough]).output();
    if python.is_ok_and(|output| output.status.success()) || env::var("CI").is_ok_and(|ci| ci == "true") {
        return test();
    }
    eprintln!("xtask: python3 is missing, older than 3.11 or without venv: the Python package is not tested");
    Ok(())
}

/// Tests the wheel beside MuJoCo and Pinocchio.
pub fn test_with_engines() -> Result<(), String> {
    let wheel = wheel()?;
    let python = environment()?;
    pip(&python, &["pytest==9.2.0"])?;
    install(&python, &wheel)?;
    let tests = ["python/tests/test_mujoco.py", "python/tests/test_pinocchio.py", "python/tests/test_notebook.py"];
    let mut command = pytest(&python);
    command.args(tests).args(["-k", "mujoco or pinocchio"]).env("CAROM_ENGINES", "1");
    run(&mut command, "pytest beside MuJoCo and Pinocchio")
}

/// Times the package, and a batch of a million beside Rust's own.
pub fn bench() -> Result<(), String> {
    let python = environment_of("python", "python/requirements.txt")?;
    install(&python, &build(&python)?)?;
    cargo(&["build", "--release", "--quiet", "-p", "carom-soak", "--bin", "batch_rate"], &[], &[])?;
    let mut command = Command::new(&python);
    command.arg("python/benchmarks/speed.py").arg(root().join("target/release/batch_rate"));
    // New memory for large arrays in each call, in Python and in Rust: otherwise glibc keeps it or not, by what was freed before, and
    // to fetch 14,000 pages takes as long as a quarter of the batch.
    command.env("MALLOC_MMAP_THRESHOLD_", "262144");
    run(&mut command, "python/benchmarks/speed.py")
}

/// Installs the wheel and nothing else; one of the same version is replaced.
fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    pip(python, &["--no-deps", "--force-reinstall", &wheel.to_string_lossy()])
}

fn pytest(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pytest", "-p", "no:cacheprovider"]).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("CAROM_COMMAND", root().join("target/debug/carom"));
    command
}
