//! The packages of the workspace, as Cargo describes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::graph::Site;

/// A package of the workspace.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// Its name, as used by other packages.
    pub name: String,
    /// Packages of the workspace that its own code may use, each with the line of the manifest. Dependencies of
    /// tests and benchmarks are left out.
    pub dependencies: BTreeMap<String, Site>,
    /// The root files of its library and its programs, by the name under which their modules are listed.
    pub roots: BTreeMap<String, PathBuf>,
}

/// The packages of the workspace in the folder `root`, from `cargo metadata`.
///
/// # Errors
/// If Cargo cannot be run, or does not understand a manifest.
pub fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = Command::new(cargo).args(arguments).current_dir(root).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let listed = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let names: Vec<&str> = listed.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut packages = listed.iter().map(|package| read(package, &names)).collect::<Result<Vec<_>, _>>()?;
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

fn read(package: &Value, names: &[&str]) -> Result<Package, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let name = text(&package["name"]);
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let lines = std::fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let mut dependencies = BTreeMap::new();
    for dependency in list(&package["dependencies"]) {
        let other = text(&dependency["name"]);
        let is_ours = dependency["path"].is_string() && names.contains(&other.as_str());
        if is_ours && dependency["kind"].is_null() && other != name {
            let key = dependency["rename"].as_str().unwrap_or(&other);
            let site = Site { file: manifest.clone(), line: line_of(&lines, key), path: other.clone() };
            dependencies.insert(other, site);
        }
    }
    let mut roots = BTreeMap::new();
    for target in list(&package["targets"]) {
        let kinds: Vec<String> = list(&target["kind"]).iter().map(text).collect();
        if kinds.iter().any(|kind| kind.ends_with("lib") || kind == "proc-macro") {
            roots.insert(name.clone(), PathBuf::from(text(&target["src_path"])));
        } else if kinds.iter().any(|kind| kind == "bin") {
            roots.insert(format!("{name} (bin {})", text(&target["name"])), PathBuf::from(text(&target["src_path"])));
        }
    }
    if roots.len() == 1 {
        roots = roots.into_values().map(|file| (name.clone(), file)).collect();
    }
    Ok(Package { name, dependencies, roots })
}

/// The line of a manifest with a dependency; the first line if it is not found.
fn line_of(manifest: &str, key: &str) -> usize {
    let mut is_inside = false;
    for (index, line) in manifest.lines().map(str::trim).enumerate() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let inherits = section.strip_suffix(key).is_some_and(|front| front.ends_with("dependencies."));
            if inherits && !section.contains("dev-dependencies") {
                return index + 1;
            }
            is_inside = section.ends_with("dependencies") && !section.contains("dev-");
        }
        let rest = line.strip_prefix(key).or_else(|| line.strip_prefix('"')?.strip_prefix(key)?.strip_prefix('"'));
        if is_inside && rest.is_some_and(|rest| rest.starts_with([' ', '.', '='])) {
            return index + 1;
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn the_line_of_a_dependency_is_not_that_of_a_test() {
        let manifest =
            "[dev-dependencies]\nlaw.workspace = true\n[dependencies]\nlawful = \"1\"\nlaw.workspace = true\n";
        assert_eq!(line_of(manifest, "law"), 5);
        assert_eq!(line_of("[dependencies.law]\npath = \"law\"\n", "law"), 1);
        assert_eq!(line_of("[package]\n\n[dependencies]\n\"law\" = \"1\"\n", "law"), 4);
    }
}
