//! The packages as they would be published.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{cargo_program, output, root, run};

/// What is published, each after what it depends on.
const PACKAGES: [&str; 9] = [
    "carom-law",
    "carom-multibody",
    "carom-sim",
    "carom-scene",
    "carom-study",
    "carom-report",
    "carom",
    "carom-web",
    "carom-cli",
];

/// What every package has, the licences as they are at the root.
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

/// Packs every crate, and builds and tests the packages where nothing of the project is beside them: what reads a file
/// outside its package does not find it. A dependency that asks for a newer compiler than the packages promise is refused.
pub fn package() -> Result<(), String> {
    check_compiler()?;
    let mut pack = Command::new(cargo_program());
    pack.args(["package", "--allow-dirty", "--no-verify", "--quiet"]);
    pack.args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    run(&mut pack, "cargo package")?;
    let (target, version) = metadata()?;
    let outside = target.join("package/outside");
    // What an older package had is not to be found.
    let _ = fs::remove_dir_all(&outside);
    fs::create_dir_all(&outside).map_err(|error| format!("{} ({error})", outside.display()))?;
    for package in PACKAGES {
        let name = format!("{package}-{version}");
        let packed = target.join("package").join(format!("{name}.crate"));
        // Files of packages have one date for all times: without a date of their own, cargo would take what was built before.
        run(Command::new("tar").arg("-xmzf").arg(packed).arg("-C").arg(&outside), "tar")?;
        check_files(&outside.join(name))?;
    }
    test(&target, &outside, &version)
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

/// Fails if a dependency needs a newer compiler than the packages promise.
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

/// A workspace of the unpacked packages, each of which stands in for the one of the registry. Other packages that were built
/// already are shared.
fn test(target: &Path, outside: &Path, version: &str) -> Result<(), String> {
    let fault = |error: std::io::Error| format!("{} ({error})", outside.display());
    let mut manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"carom*\"]\n\n[patch.crates-io]\n".to_owned();
    manifest.extend(PACKAGES.map(|package| format!("{package} = {{ path = \"{package}-{version}\" }}\n")));
    // As in the project, whose builds of other packages serve here too.
    manifest += "\n[profile.test]\nopt-level = 2\n\n[profile.test.package.\"*\"]\nopt-level = 1\n";
    fs::write(outside.join("Cargo.toml"), manifest).map_err(fault)?;
    fs::copy(root().join("Cargo.lock"), outside.join("Cargo.lock")).map_err(fault)?;
    for kind in [&["--lib", "--bins", "--examples"][..], &["--doc"]] {
        let mut tests = Command::new(cargo_program());
        tests.args(["test", "--quiet", "--workspace", "--manifest-path"]).arg(outside.join("Cargo.toml")).args(kind);
        run(tests.env("CARGO_TARGET_DIR", target), &format!("cargo test {} of the packages", kind[0]))?;
    }
    Ok(())
}
