//! This workspace has no cycle.

use std::path::Path;

use carom_arrows::Workspace;

fn workspace() -> Workspace {
    Workspace::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap()
}

#[test]
#[ignore = "there are cycles yet: cargo xtask arrows lists them"]
fn there_is_no_cycle() {
    let cycles: Vec<String> = workspace().cycles().iter().map(ToString::to_string).collect();
    assert!(cycles.is_empty(), "{}", cycles.join("\n"));
}

#[test]
fn the_crates_and_their_modules_are_found() {
    let text = workspace().to_string();
    for line in ["the workspace", "carom-law", "carom-multibody load::mjcf", "carom-arrows", "xtask"] {
        assert!(text.lines().any(|one| one == line), "{line} is missing in\n{text}");
    }
}
