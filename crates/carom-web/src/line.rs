//! The command line and the Python lines that give the answer on the screen.

use carom::document::Edit;
use serde_json::Value;

use crate::source::{Kind, SCENE_OF_RUN};
use crate::stated::Stated;

/// The lines of Python that solve a problem.
const IMPACT: &str = "outcome = problem.impact()\nprint(outcome.to_json())";

/// The command line, with options for the changes that have one and `--set` for the others.
pub(crate) fn command(stated: &Stated) -> String {
    let source = &stated.source;
    if let Some(name) = scene_of_run(stated) {
        return format!("# {name}: the scene, saved from this page\ncarom impact {}", quoted(&name));
    }
    let (before, subject) = match source.kind {
        Kind::Simulation => (
            format!("carom gallery {0} --simulation > {0}.toml && ", source.subject),
            format!("{}.toml", source.subject),
        ),
        Kind::Impact | Kind::File => (String::new(), quoted(&source.subject)),
    };
    let mut words = vec![format!("{before}carom impact {subject}")];
    words.extend(stated.edits.iter().map(option));
    words.join(" ")
}

fn option(edit: &Edit) -> String {
    let value: Value = serde_json::from_str(&edit.value()).unwrap_or_default();
    match (edit.path(), &value) {
        ("restitution" | "friction", Value::Number(number)) => format!("--{} {number}", edit.path()),
        ("friction", Value::Object(parts)) if parts.len() == 2 => match (parts.get("static"), parts.get("dynamic")) {
            (Some(of_stick), Some(of_slip)) => format!("--friction {of_stick},{of_slip}"),
            _ => format!("--set {}", quoted(&edit.to_string())),
        },
        ("law" | "guard", Value::String(name)) => format!("--{} {}", edit.path(), quoted(name)),
        _ => format!("--set {}", quoted(&edit.to_string())),
    }
}

/// A word of a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./,=:+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The lines of Python.
pub(crate) fn python(stated: &Stated) -> String {
    let source = &stated.source;
    if let Some(name) = scene_of_run(stated) {
        let name = literal(&Value::from(name));
        return format!(
            "import carom\n\n# {name}: the scene, saved from this page\nproblem = carom.problem({name})\n{IMPACT}"
        );
    }
    let mut arguments = vec![literal(&Value::from(source.subject.as_str()))];
    if source.kind == Kind::Simulation {
        arguments.push("simulation=True".to_owned());
    }
    let mut set = Vec::new();
    for edit in &stated.edits {
        let value: Value = serde_json::from_str(&edit.value()).unwrap_or_default();
        match (edit.path(), &value) {
            ("restitution" | "friction", Value::Number(_)) | ("law" | "guard", _) => {
                arguments.push(format!("{}={}", edit.path(), literal(&value)));
            }
            (path, value) => set.push(format!("{}: {}", literal(&Value::from(path)), literal(value))),
        }
    }
    if !set.is_empty() {
        arguments.push(format!("set={{{}}}", set.join(", ")));
    }
    format!("import carom\n\nproblem = carom.problem({})\n{IMPACT}", arguments.join(", "))
}

/// For a run, the name of the file in which its scene is saved with all changes: a run itself is not a scene.
fn scene_of_run(stated: &Stated) -> Option<String> {
    stated.source.run.as_ref().map(|_| format!("{}.{SCENE_OF_RUN}", stated.source.stem()))
}

/// A value as Python writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        // Python has the escapes of JSON, except those of characters beyond 16 bits, which are not escaped here.
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(list) => format!("[{}]", list.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), literal(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_of_a_shell_stay_one_word() {
        assert_eq!(quoted("kane"), "kane");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn values_are_literals_of_python() {
        assert_eq!(literal(&json!({ "a": [1.5, true, null, "x\"y"] })), "{\"a\": [1.5, True, None, \"x\\\"y\"]}");
    }
}
