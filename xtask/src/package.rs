//! The packages as they would be published.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{cargo_program, output, root, run};

/// What is published, each after what it depends on.
const PACKAGES: [&str; 8] =
    ["carom-law", "carom-multibody", "carom-sim", "carom-scene", "carom-study", "carom-report", "carom", "carom-cli"];

/// What every package has, the licences as they are at the root.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Packs every crate, builds each from its package, as a registry would have it, and runs the unit tests and documentation
/// of all packages where nothing of the project is beside them. A dependency that asks for a newer compiler than the packages
/// promise is refused.
pub fn package() -> Result<(), String> {
    let mut pack = Command::new(cargo_program());
    pack.args(["package", "--allow-dirty"]).args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    run(&mut pack, "cargo package")?;
    let (target, version) = metadata()?;
    let folder = target.join("package");
    check_compiler()?;
    for package in PACKAGES {
        check_files(&folder.join(format!("{package}-{version}")))?;
    }
    test(&folder, &version)
}

/// The target folder, and the version of the packages.
fn metadata() -> Result<(PathBuf, String), String> {
    let mut command = Command::new(cargo_program());
    command.args(["metadata", "--no-deps", "--format-version", "1"]);
    let text = output(&mut command, "cargo metadata")?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata ({error})"))?;
    let target = metadata["target_directory"].as_str().ok_or("cargo metadata: no target folder")?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let version = packages.find(|package| package["name"] == "carom").and_then(|package| package["version"].as_str());
    Ok((target.into(), version.ok_or("cargo metadata: no version of carom")?.to_owned()))
}

/// That no dependency asks for a newer compiler than the packages promise.
fn check_compiler() -> Result<(), String> {
    let mut command = Command::new(cargo_program());
    command.args(["metadata", "--locked", "--format-version", "1"]);
    let text = output(&mut command, "cargo metadata")?;
    let metadata: Value = serde_json::from_str(&text).map_err(|error| format!("cargo metadata ({error})"))?;
    let packages = || metadata["packages"].as_array().into_iter().flatten();
    let asked = |package: &Value| package["rust_version"].as_str().map(minor);
    let own = packages().find(|package| package["name"] == "carom").and_then(asked).ok_or("rust-version of carom")?;
    match packages().find(|package| asked(package).is_some_and(|asked| asked > own)) {
        Some(package) => Err(format!("{} asks for Rust {}, which", package["name"], package["rust_version"])),
        None => Ok(()),
    }
}

/// 89 of 1.89.0.
fn minor(version: &str) -> u32 {
    version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or(0)
}

fn check_files(package: &Path) -> Result<(), String> {
    let read = |path: PathBuf| fs::read(&path).map_err(|error| format!("{} ({error})", path.display()));
    read(package.join("README.md"))?;
    for licence in LICENCES {
        if read(package.join(licence))? != read(root().join(licence))? {
            return Err(format!("{}: {licence} differs from the one at the root, which", package.display()));
        }
    }
    Ok(())
}

/// A workspace of the unpacked packages, elsewhere: what reads a file outside its package does not find it.
fn test(folder: &Path, version: &str) -> Result<(), String> {
    let outside = folder.join("outside");
    let _ = fs::remove_dir_all(&outside);
    let fault = |error: std::io::Error| format!("{} ({error})", outside.display());
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"*-[0-9]*\"]\n\n[patch.crates-io]\n".to_owned();
    for package in PACKAGES {
        let name = format!("{package}-{version}");
        copy(&folder.join(&name), &outside.join(&name)).map_err(fault)?;
        manifest += &format!("{package} = {{ path = \"{name}\" }}\n");
    }
    manifest += "\n[profile.test]\nopt-level = 2\n";
    fs::write(outside.join("Cargo.toml"), manifest).map_err(fault)?;
    fs::copy(root().join("Cargo.lock"), outside.join("Cargo.lock")).map_err(fault)?;
    for kind in ["--lib", "--doc"] {
        let mut tests = Command::new(cargo_program());
        let libraries = PACKAGES.iter().filter(|package| **package != "carom-cli");
        tests.args(["test", "--quiet", kind, "--manifest-path"]).arg(outside.join("Cargo.toml"));
        tests.args(libraries.flat_map(|package| ["--package", package]));
        run(tests.env("CARGO_TARGET_DIR", folder.join("tests")), &format!("cargo test {kind} of the packages"))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => fs::copy(entry.path(), target).map(|_| ())?,
        }
    }
    Ok(())
}
