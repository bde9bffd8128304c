//! The documentation agrees with the program.

mod common;

use std::path::Path;

use carom::document::Kind;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn the_readme_shows_what_the_command_prints() {
    let printed = common::carom(&["impact", "kane"]).out;
    assert!(!read("README.md").contains("@@"), "a placeholder was left");
    let shown = format!("$ cargo run --release -- impact kane\n{printed}```");
    assert!(read("README.md").contains(&shown), "README.md does not show\n{printed}");
}

#[test]
fn the_readme_shows_the_examples() {
    for example in ["engine", "robot"] {
        let text = read(&format!("crates/carom/examples/{example}.rs"));
        let (_, code) = text.split_once("\n\n").unwrap();
        assert!(read("README.md").contains(&format!("\n{code}```\n")), "README.md does not show {example}.rs");
    }
}

/// A run's output without digits that depend on rounding.
fn without_rounding(text: &str) -> String {
    let kept = |line: &str| match ["  not explained", "  penetration"].iter().find(|label| line.starts_with(**label)) {
        Some(label) => format!("{label}\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(kept).collect()
}

#[test]
fn the_readme_shows_what_a_simulation_prints() {
    let printed = common::carom(&["simulate", "ball", "--events", "4"]).out;
    let shown = without_rounding(&format!("$ carom simulate ball --events 4\n{printed}```"));
    assert!(without_rounding(&read("README.md")).contains(&shown), "README.md does not show\n{printed}");
}

/// The scene of the book runs, touches both surfaces, and has every key that the table explains.
#[test]
fn the_scene_in_the_book_runs() {
    let page = read("book/src/simulation.md");
    let scene = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let run = common::carom_with(&["simulate", "-", "--format", "json"], scene.as_bytes()).json();
    let strikes = |name: &str| run["events"].as_array().unwrap().iter().any(|event| event["contact"] == name);
    assert!(strikes("left on floor") && strikes("tip") && strikes("foot"));
    assert_eq!(run["summary"]["ending"], "complete");
    let table = page.split("| key | meaning | default |").nth(1).unwrap().split("\n\n").next().unwrap();
    for key in table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()) {
        // Controls are those of an MJCF file's actuators: `tests/controls.rs` runs them.
        if key == "controls" {
            continue;
        }
        let last = key.rsplit('.').next().unwrap();
        assert!(scene.contains(last), "the scene lacks {key}");
    }
}

/// The figures of the book are what the command draws, byte for byte.
#[test]
fn figures_are_what_the_command_draws() {
    let folder = tempfile::tempdir().unwrap();
    for (page, name, arguments) in [
        ("maps.md", "kane.svg", &["map", "kane"][..]),
        ("maps.md", "reversal.svg", &["map", "reversal", "--admissible-set"]),
        ("maps.md", "foot-state.svg", &["map", "foot", "--over", "state"]),
        ("laws.md", "kane-laws.svg", &["compare", "kane"]),
        ("laws.md", "cube-laws.svg", &["compare", "cube"]),
        ("simulation.md", "walker.svg", &["simulate", "walker", "--until", "3"]),
    ] {
        let flag = if arguments[0] == "simulate" { "--plot" } else { "-o" };
        let file = folder.path().join(name);
        let ran = common::carom(&[arguments, &[flag, file.to_str().unwrap()]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        let command = format!("carom {} {flag} {name}", arguments.join(" "));
        let page = read(&format!("book/src/{page}"));
        assert!(page.contains(&command) && page.contains(&format!("](figures/{name})")), "the book lacks {command}");
        let (drawn, kept) =
            (std::fs::read(&file).unwrap(), std::fs::read(root().join("book/src/figures").join(name)).unwrap());
        assert!(kept.len() < 150_000, "{name} has {} bytes", kept.len());
        assert!(drawn == kept, "book/src/figures/{name} is out of date: run {command} there");
    }
}

/// So is that of a sweep, which takes two commands, and Parquet.
#[cfg(feature = "parquet")]
#[test]
fn the_figure_of_a_sweep_is_what_the_commands_draw() {
    let folder = tempfile::tempdir().unwrap();
    let page = read("book/src/sweeps.md");
    for (name, sweep, plot) in [(
        "kane-sweep.svg",
        "carom sweep kane --vary restitution=0:1:100 --vary friction=0:1.2:100 -o kane.parquet",
        "carom plot kane.parquet --x restitution --y friction --color-by energy.change -o kane-sweep.svg",
    )] {
        assert!(page.contains(&format!("\n{sweep}\n{plot}\n")) && page.contains(&format!("](figures/{name})")));
        for command in [sweep, plot] {
            let ran = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
                .args(command.split(' ').skip(1))
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
        }
        let kept = std::fs::read(root().join("book/src/figures").join(name)).unwrap();
        assert!(kept.len() < 150_000, "{name} has {} bytes", kept.len());
        let drawn = std::fs::read(folder.path().join(name)).unwrap();
        assert!(drawn == kept, "book/src/figures/{name} is out of date");
    }
}

/// The blocks of a page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Every command of the tour runs, in order, on the robot of the page; `python/tests/test_tour.py` runs its programs.
#[test]
fn the_tour_runs() {
    let page = read("book/src/tour.md");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hopper.urdf"), blocks(&page, "xml")[0]).unwrap();
    let commands: Vec<&str> = blocks(&page, "sh").into_iter().flat_map(str::lines).collect();
    assert!(commands.len() >= 6 && commands.iter().all(|command| command.starts_with("carom ")), "{commands:?}");
    let mut printed = Vec::new();
    for command in commands {
        // Quotes are around whole arguments.
        let arguments = command.split('\'').enumerate().flat_map(|(k, part)| match k % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(arguments.skip(1))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
        printed.push(String::from_utf8_lossy(&ran.stdout).into_owned());
    }
    // What the page says of the first impact.
    assert!(printed[2].contains("sticks, and loses 64.7 % energy") && printed[2].contains("strikes with        leg"));
    for file in ["run.json", "run.html", "map.svg", "bounces.csv", "bounces.svg"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}

/// The page of the notation is the file of the project.
#[test]
fn the_book_has_the_notation() {
    assert_eq!(read("book/src/notation.md").trim(), "{{#include ../../NOTATION.md}}");
    // Links of an included file would be relative to another folder.
    assert!(!read("NOTATION.md").contains("]("));
}

#[test]
fn every_path_in_the_architecture_exists() {
    let text = read("ARCHITECTURE.md");
    let paths: Vec<&str> = text.split('`').skip(1).step_by(2).filter(|code| code.contains('/')).collect();
    assert!(paths.len() > 30);
    for path in paths {
        assert!(root().join(path).exists(), "{path} is named in ARCHITECTURE.md but does not exist");
    }
}

/// Whether a file or folder is a module of its parent folder.
fn is_module(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !["lib.rs", "main.rs", "mod.rs", "tests", "tests.rs"].contains(&name)
}

/// Collects the modules of a folder and its subfolders that are missing in the folder's documentation.
fn undocumented(folder: &Path, missing: &mut Vec<String>) {
    let root = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| folder.join(name)).find(|path| path.exists());
    let doc = root.map_or(String::new(), |root| std::fs::read_to_string(root).unwrap());
    let doc: String = doc.lines().filter(|line| line.starts_with("//!")).collect();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !is_module(&path) {
            continue;
        }
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap().to_owned();
        // The front pages of crates have their own tables.
        if !doc.is_empty() && !doc.contains(&format!("`{name}`")) && !folder.ends_with("commands") {
            missing.push(path.display().to_string());
        }
        if path.is_dir() {
            undocumented(&path, missing);
        }
    }
}

#[test]
fn every_module_is_named_by_its_folder() {
    let mut missing = Vec::new();
    for name in [
        "carom-law",
        "carom-multibody",
        "carom-sim",
        "carom-scene",
        "carom-study",
        "carom-report",
        "carom-web",
        "carom-cli",
        "carom-py",
    ] {
        let source = root().join("crates").join(name).join("src");
        let folders = source.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
        folders.for_each(|folder| undocumented(&folder, &mut missing));
        assert!(read("ARCHITECTURE.md").contains(&format!("`crates/{name}`")), "{name} is missing in ARCHITECTURE.md");
    }
    assert!(missing.is_empty(), "not named in the documentation of their folders: {missing:#?}");
}

/// The Markdown files below a folder.
fn pages(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The names of a page's headings in links: small letters, digits and hyphens.
fn anchors(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut anchors = Vec::new();
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with('#') {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign));
            anchors.push(kept.map(|sign| if sign == ' ' { '-' } else { sign }).collect());
        }
    }
    anchors
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents: Vec<_> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "NOTATION.md", "CHANGELOG.md"]
        .map(|name| root().join(name))
        .into();
    pages(&root().join("book/src"), &mut documents);
    assert!(documents.len() > 20);
    let summary = read("book/src/SUMMARY.md");
    for document in documents {
        let text = std::fs::read_to_string(&document).unwrap();
        let name = document.strip_prefix(root()).unwrap().display();
        let folder = document.parent().unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            if link.starts_with("http") || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { document.clone() } else { folder.join(file) };
            assert!(target.exists(), "{name}: {link}");
            if !anchor.is_empty() {
                let found = anchors(&std::fs::read_to_string(&target).unwrap());
                assert!(found.iter().any(|one| one == anchor), "{name}: {link}: the page has {found:?}");
            }
        }
        // Every page of the book is in its table of contents, or linked from a page that is.
        let page = document.file_name().unwrap().to_string_lossy();
        let is_page = folder.ends_with("book/src") && page != "SUMMARY.md";
        assert!(!is_page || summary.contains(&format!("]({page})")), "SUMMARY.md lacks {page}");
    }
}

/// The interface page lists exactly the kinds of errors that exist.
#[test]
fn the_interface_lists_every_kind_of_error() {
    let text = read("book/src/interface.md");
    let section = text.split("## An error").nth(1).unwrap().split("## ").next().unwrap();
    let mut listed: Vec<&str> =
        section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let law = carom::law::ErrorKind::ALL.into_iter().map(Kind::Law);
    let mut kinds: Vec<&str> = Kind::OF_DOCUMENTS.into_iter().chain(law).map(Kind::name).collect();
    listed.sort_unstable();
    kinds.sort_unstable();
    assert_eq!(listed, kinds);
}
