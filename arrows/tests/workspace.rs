//! This workspace has no cycle, and its picture is current.

use std::path::{Path, PathBuf};

use carom_arrows::{PICTURE, Workspace, picture};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn workspace() -> Workspace {
    Workspace::read(&root()).unwrap()
}

#[test]
fn there_is_no_cycle() {
    let cycles: Vec<String> = workspace().cycles().iter().map(ToString::to_string).collect();
    assert!(cycles.is_empty(), "{}", cycles.join("\n"));
}

#[test]
fn the_picture_is_current() {
    let kept = std::fs::read_to_string(root().join(PICTURE)).unwrap();
    assert!(kept == picture(&workspace()), "{PICTURE} is out of date: run cargo xtask arrows --draw");
}

#[test]
fn the_crates_and_their_modules_are_found() {
    let text = workspace().to_string();
    for line in ["the workspace", "carom-law", "carom-multibody load::mjcf", "carom-arrows", "xtask"] {
        assert!(text.lines().any(|one| one == line), "{line} is missing in\n{text}");
    }
}
