//! The modules of the player, joined into the one script of a page.
//!
//! A page opened from disk cannot import files. Each module is an ES module of its own, which other pages can import; here
//! their `import` lines and the word `export` are left out, and they share one scope.

/// A module: the name of its file and its text.
struct Module {
    file: &'static str,
    text: &'static str,
}

macro_rules! modules {
    ($($file:literal),* $(,)?) => {
        [$(Module { file: $file, text: include_str!(concat!("player/", $file)) }),*]
    };
}

/// The modules, each after those that it imports.
const MODULES: [Module; 12] = modules![
    "math.js",
    "colours.js",
    "shapes.js",
    "run.js",
    "camera.js",
    "space.js",
    "overlay.js",
    "chart.js",
    "strips.js",
    "rows.js",
    "list.js",
    "player.js",
];

/// The modules as files for other pages, with their style sheets: names and texts.
pub fn player_modules() -> Vec<(&'static str, &'static str)> {
    let styles =
        [("colours.css", include_str!("player/colours.css")), ("player.css", include_str!("player/player.css"))];
    MODULES.iter().map(|module| (module.file, module.text)).chain(styles).collect()
}

/// All modules as one script.
pub(super) fn script() -> String {
    let mut script = String::new();
    for line in MODULES.iter().flat_map(|module| module.text.lines()).filter(|line| !line.starts_with("import ")) {
        script += line.strip_prefix("export ").unwrap_or(line);
        script.push('\n');
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The name that a line at the top level of a module declares.
    fn declared(line: &str) -> Option<&str> {
        let line = line.strip_prefix("export ").unwrap_or(line);
        let rest = ["const ", "let ", "function ", "class "].iter().find_map(|word| line.strip_prefix(word))?;
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
    }

    /// The names and the file of an import.
    fn import(line: &str) -> Option<(Vec<&str>, &str)> {
        let (names, file) = line.strip_prefix("import { ")?.split_once(" } from \"./")?;
        Some((names.split(", ").collect(), file.strip_suffix("\";")?))
    }

    /// Joined, the modules share one scope: names must not collide, and what is imported must come before.
    #[test]
    fn modules_can_be_joined() {
        let mut declarations: BTreeMap<&str, &str> = BTreeMap::new();
        let mut exports: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for Module { file, text } in &MODULES {
            for line in text.lines() {
                if line.starts_with("import ") {
                    let (names, from) = import(line).unwrap_or_else(|| panic!("{file}: {line}"));
                    let offered =
                        exports.get(from).unwrap_or_else(|| panic!("{file} imports {from}, which comes later"));
                    for name in names {
                        assert!(offered.contains(&name), "{file}: {from} does not export {name}");
                    }
                } else if let Some(name) = declared(line) {
                    let other = declarations.insert(name, file);
                    assert_eq!(other, None, "{file} declares {name}, too");
                }
                if let Some(name) = line.strip_prefix("export ").and_then(declared) {
                    exports.entry(file).or_default().push(name);
                }
            }
            exports.entry(file).or_default();
        }
        assert!(!script().contains("\nimport ") && !script().contains("\nexport "));
    }

    /// A name of another module must be imported, or the module works in this page only.
    #[test]
    fn modules_import_what_they_use() {
        let words = |text: &'static str| -> Vec<&'static str> {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            // Every second piece between quotation marks is a string.
            let code = code.flat_map(|line| line.split('"').step_by(2));
            let words = code.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')));
            words.map(|word| word.trim_start_matches("...").split('.').next().unwrap_or("")).collect()
        };
        let mut exports: BTreeMap<&str, &str> = BTreeMap::new();
        for Module { file, text } in &MODULES {
            let own: Vec<&str> = text.lines().filter_map(declared).collect();
            let imported: Vec<&str> = text.lines().filter_map(import).flat_map(|(names, _)| names).collect();
            for word in words(text) {
                if let Some(from) = exports.get(word) {
                    let is_local = own.contains(&word);
                    assert!(is_local || imported.contains(&word), "{file} uses {word} of {from} without importing it");
                }
            }
            for name in imported {
                let uses = words(text).iter().filter(|word| **word == name).count();
                assert!(uses > 1, "{file} imports {name} and does not use it");
            }
            exports.extend(
                text.lines().filter_map(|line| declared(line.strip_prefix("export ")?)).map(|name| (name, *file)),
            );
        }
    }
}
