//! What people expect of a command: examples that run, quiet and verbose, colours, standard output, completions, manual
//! pages, and suggestions for misspelt names.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{Ran, carom, carom_with};

const COMMANDS: [&str; 14] = [
    "impact",
    "simulate",
    "rerun",
    "map",
    "compare",
    "batch",
    "sweep",
    "plot",
    "check",
    "explore",
    "gallery",
    "schema",
    "completions",
    "man",
];

fn folder_with_files() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let robot = carom::models::find("quadruped").unwrap();
    std::fs::write(folder.path().join("robot.urdf"), robot.text).unwrap();
    std::fs::write(folder.path().join("scene.toml"), carom::gallery::find("foot").unwrap().text).unwrap();
    let problem = carom(&["gallery", "kane", "--format", "json"]).out;
    std::fs::write(folder.path().join("problems.jsonl"), problem).unwrap();
    let run = folder.path().join("run.json");
    assert_eq!(carom(&["simulate", "ball", "--until", "1", "-o", run.to_str().unwrap()]).code, 0);
    folder
}

/// A line of a shell, with `carom` as the command under test.
fn shell(line: &str, folder: &Path) -> Ran {
    let place = Path::new(env!("CARGO_BIN_EXE_carom")).parent().unwrap();
    let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// `carom explore` with arguments, without a browser and on a free port, ended as soon as it has printed its address.
#[cfg(unix)]
fn served(arguments: &str) -> String {
    let arguments = arguments.replace("--no-open", "").replace("--port 8000", "--port 0");
    format!(
        "rm -f address; (exec carom explore --no-open{arguments}\n) > address & until grep -q http address || ! kill -0 $!; do sleep 0.05; done; \
         kill -TERM $!; wait $!"
    )
}

#[cfg(unix)]
#[test]
fn every_example_of_the_help_runs() {
    let folder = folder_with_files();
    let helps = std::iter::once(vec!["--help"]).chain(COMMANDS.map(|command| vec![command, "--help"]));
    let mut count = 0;
    for help in helps {
        let text = carom(&help).out;
        let (_, examples) = text.split_once("\nExamples:\n").unwrap_or_else(|| panic!("{help:?} has no examples"));
        let (examples, exit_codes) = examples.split_once("\n\n").unwrap();
        assert!(exit_codes.starts_with("Exit codes: 0 "), "{help:?}: {exit_codes}");
        for example in examples.lines().map(str::trim) {
            assert!(example.starts_with("carom ") && example.len() <= 96, "{example}");
            let ran = match example.strip_prefix("carom explore") {
                Some(rest) => shell(&served(rest), folder.path()),
                None => shell(example, folder.path()),
            };
            assert_eq!(ran.code, 0, "{example}\n{}", ran.err);
            count += 1;
        }
    }
    assert!(count >= 25, "only {count} examples were found");
    for made in ["page.html", "run.csv", "run.events.csv", "kane.svg", "cube.svg", "outcomes.jsonl", "carom.1"] {
        assert!(folder.path().join(made).exists(), "no example makes {made}");
    }
}

#[cfg(unix)]
#[test]
fn quiet_prints_results_and_errors_only() {
    let folder = folder_with_files();
    // A URDF with a joint that mimics one that does not exist: a warning.
    let robot = carom::models::find("double_pendulum").unwrap().text;
    let joint = robot.find("</joint>").unwrap();
    let warned = format!("{}<mimic joint=\"nobody\"/>{}", &robot[..joint], &robot[joint..]);
    std::fs::write(folder.path().join("warned.urdf"), warned).unwrap();
    for line in [
        "carom impact warned.urdf",
        "carom simulate warned.urdf --until 0.1",
        "carom compare robot.urdf --link front_left_foot",
    ] {
        let (usual, quiet) = (shell(line, folder.path()), shell(&format!("{line} -q"), folder.path()));
        assert_eq!((usual.code, quiet.code), (0, 0), "{line}: {}", usual.err);
        assert!(usual.out.contains("assumed;"), "{line}");
        assert_eq!(usual.out.contains("warning"), line.contains("warned"), "{line}\n{}", usual.out);
        assert!(!quiet.out.contains("assumed;") && !quiet.out.contains("warning"), "{line} -q\n{}", quiet.out);
        assert!(quiet.err.is_empty(), "{}", quiet.err);
        // Data have everything.
        if !line.contains("compare") {
            let json = format!("{line} --format json");
            let [one, other] = [&json, &format!("{json} -q")].map(|line| shell(line, folder.path()).out);
            assert_eq!(one, other);
            assert!(one.contains("warnings"), "{one}");
        }
    }
    // Errors stay.
    let ran = shell("carom impact nothing --quiet", folder.path());
    assert!(ran.code == 2 && ran.err.starts_with("error: "), "{}", ran.err);
    assert_eq!(shell("carom impact kane -q -v", folder.path()).code, 2);
}

#[cfg(unix)]
#[test]
fn verbose_tells_times_work_and_what_is_ignored_on_standard_error() {
    let folder = folder_with_files();
    let robot = carom::models::find("double_pendulum").unwrap().text.replacen("</robot>", "<gazebo/></robot>", 1);
    std::fs::write(folder.path().join("ignored.urdf"), robot).unwrap();
    let usual = shell("carom impact landing", folder.path());
    let verbose = shell("carom -v impact landing", folder.path());
    assert_eq!(usual.out, verbose.out);
    assert!(usual.err.is_empty(), "{}", usual.err);
    for said in ["time: reading ", "time: solving ", "time: in all ", "work: ", " Newton steps"] {
        assert!(verbose.err.contains(said), "{said}: {}", verbose.err);
    }
    let ran = shell("carom simulate ignored.urdf --until 0.1 --verbose", folder.path());
    assert!(ran.err.contains("gazebo") && ran.err.contains("time: simulating "), "{}", ran.err);
    assert!(shell("carom simulate ignored.urdf --until 0.1", folder.path()).err.is_empty());
}

#[cfg(unix)]
#[test]
fn colors_follow_the_option_and_the_environment() {
    let folder = folder_with_files();
    let has_colors = |line: &str| {
        let ran = shell(line, folder.path());
        (ran.out + &ran.err).contains("\u{1b}[")
    };
    for what in ["impact kane", "impact nothing", "simulate ball --until 0.1", "--help", "impact --help", "nothing"] {
        // Neither is a terminal.
        assert!(!has_colors(&format!("carom {what}")), "{what}");
        assert!(!has_colors(&format!("CLICOLOR_FORCE=1 carom --color never {what}")), "{what}");
        assert!(has_colors(&format!("NO_COLOR=1 carom --color always {what}")), "{what}");
        assert!(has_colors(&format!("NO_COLOR=1 carom --color=always {what}")), "{what}");
        assert!(has_colors(&format!("CLICOLOR_FORCE=1 carom {what}")), "{what}");
    }
    // Colours change nothing else, and data have none.
    let plain = carom(&["impact", "kane"]).out;
    let colored = carom(&["impact", "kane", "--color", "always"]).out;
    let mut stripped = colored.clone();
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[33m"] {
        stripped = stripped.replace(code, "");
    }
    assert!(colored != plain && stripped == plain, "{stripped:?}");
    assert!(!has_colors("carom --color always impact kane --format json"));
    assert!(!has_colors("carom --color always map kane --resolution 10 -o - --format svg"));
}

/// `script` gives the command a terminal.
#[cfg(target_os = "linux")]
#[test]
fn progress_and_colors_appear_on_a_terminal_only() {
    let folder = folder_with_files();
    if shell("script --version", folder.path()).code != 0 {
        eprintln!("script is not installed: not tested on a terminal");
        return;
    }
    let on_terminal = |line: &str| shell(&format!("script -qec '{line}' /dev/null"), folder.path()).out;
    let batch = "carom gallery kane --format json > k; for i in $(seq 20000); do cat k; done > many.jsonl";
    assert_eq!(shell(batch, folder.path()).code, 0);
    let line = "carom batch many.jsonl -o out.jsonl";
    assert!(on_terminal(line).contains("problems"), "{}", on_terminal(line));
    assert_eq!(on_terminal(&format!("{line} --quiet")), "");
    assert_eq!(shell(line, folder.path()).err, "");
    assert!(on_terminal("carom impact kane").contains("\u{1b}[1m"));
    assert!(!on_terminal("NO_COLOR=1 carom impact kane").contains('\u{1b}'));
    // Where CI is set, colours are taken to be shown.
    assert!(!on_terminal("env -u CI TERM=dumb carom impact kane").contains('\u{1b}'));
    // Bytes are not for terminals.
    #[cfg(feature = "png")]
    assert!(on_terminal("carom map kane --resolution 10 -o - --format png").contains("redirect it"));
}

#[test]
fn standard_output_has_what_the_file_would_have() {
    let folder = tempfile::tempdir().unwrap();
    let formats: &[(&[&str], &[&str])] = &[
        (&["map", "kane", "--resolution", "20"], &["svg", "json", "csv"]),
        (&["compare", "kane"], &["svg", "json"]),
        (&["simulate", "ball", "--until", "1"], &["csv", "json"]),
    ];
    for (arguments, formats) in formats {
        for format in *formats {
            let file = folder.path().join(format!("out.{format}"));
            let ran = carom(&[*arguments, &["-o", file.to_str().unwrap()]].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            let ran = carom(&[*arguments, &["-o", "-", "--format", format]].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(ran.out == std::fs::read_to_string(&file).unwrap(), "{arguments:?} {format}");
        }
    }
    #[cfg(feature = "png")]
    {
        let png = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["map", "kane", "--resolution", "20", "-o", "-", "--format", "png"])
            .output()
            .unwrap();
        assert!(png.stdout.starts_with(b"\x89PNG"), "{:?}", png.stderr);
    }
    // The format is not guessed.
    for arguments in [&["map", "kane", "-o", "-"][..], &["simulate", "ball", "-o", "-"]] {
        let ran = carom(arguments);
        assert!(ran.code == 2 && ran.err.contains("give --format"), "{arguments:?}: {}", ran.err);
    }
    // --format decides over the extension.
    let file = folder.path().join("map.txt");
    let ran = carom(&["map", "kane", "--resolution", "5", "-o", file.to_str().unwrap(), "--format", "csv"]);
    assert!(ran.code == 0 && std::fs::read_to_string(file).unwrap().starts_with("restitution,"), "{}", ran.err);
    let ran = carom(&["simulate", "ball", "--format", "csv"]);
    assert!(ran.code == 2 && ran.err.contains("-o -"), "{}", ran.err);
    assert!(carom(&["compare", "kane", "-o", "-"]).out == carom(&["compare", "kane"]).out);
}

#[test]
fn coefficients_as_options_are_those_of_the_problem() {
    for command in [&["impact"][..], &["compare"], &["simulate", "--until", "0.5"]] {
        let scene = if command[0] == "simulate" { "rod" } else { "kane" };
        let json = ["--format", "json"];
        let by_option = [command, &[scene, "--restitution", "0.3", "--friction", "0.6,0.5"], &json].concat();
        let edits = ["--set", "restitution=0.3", "--set", "friction={\"static\": 0.6, \"dynamic\": 0.5}"];
        let by_edit = [command, &[scene], &edits, &json].concat();
        let (one, other) = (carom(&by_option), carom(&by_edit));
        // A run says which options changed it.
        let without_options = |ran: &Ran| {
            let mut answer = ran.json();
            let provenance = answer.pointer_mut("/header/provenance").and_then(serde_json::Value::as_object_mut);
            provenance.map(|provenance| provenance.remove("options"));
            answer
        };
        assert_eq!(without_options(&one), without_options(&other), "{command:?}: {}", one.err);
        assert_ne!(one.out, carom(&[command, &[scene], &json].concat()).out);
        assert!(one.err.is_empty(), "{}", one.err);
    }
    let map = |options: &[&str]| {
        carom(
            &[&["map", "foot", "--over", "state", "--resolution", "9", "-o", "-", "--format", "csv"], options].concat(),
        )
    };
    assert_eq!(map(&["--friction", "0.2"]).out, map(&["--set", "friction=0.2"]).out);
    assert_ne!(map(&["--friction", "0.2"]).out, map(&[]).out);
}

#[test]
fn wrong_coefficients_name_the_option() {
    for (options, said) in [
        (&["--restitution", "1.5"][..], "restitution = 1.5 is outside [0, 1] (changed by --restitution)"),
        (&["--friction", "-0.1"], "friction = -0.1 is outside [0, inf) (changed by --friction)"),
        (&["--friction", "0.2,0.5"], "(changed by --friction)"),
        (&["--restitution", "x"], "must be a finite number"),
        (&["--restitution", "nan"], "must be a finite number"),
        (&["--friction", "0.1,0.2,0.3"], "static first"),
        (&["--friction", "0.1", "--set", "friction.static=0.5"], "--friction and --set friction.static both change"),
        (&["--restitution", "0.1", "--set", "restitution=0.5"], "--restitution and --set restitution both change"),
        (&["--law", "newton", "--guard", "slip"], "--guard"),
    ] {
        let ran = carom(&[&["impact", "kane"], options].concat());
        assert!(ran.code == 2 && ran.err.contains(said), "{options:?}: {}", ran.err);
    }
}

#[test]
fn a_contact_with_coefficients_of_its_own_is_noted() {
    let problem = r#"{"delassus": [[1, 0], [0, 1]], "contact_velocity": [-1, 1], "restitution": 0.5, "friction": 0.1,
        "contacts": [{"friction": 0.2}]}"#;
    let ran = carom_with(&["impact", "-", "--friction", "0.9", "--format", "json"], problem.as_bytes());
    assert_eq!(ran.json()["friction"]["static"], 0.2);
    assert_eq!(ran.err, "note: --friction does not change contacts[0].friction: use --set\n");
    assert_eq!(carom_with(&["impact", "-", "--friction", "0.9", "-q"], problem.as_bytes()).err, "");
    assert_eq!(carom_with(&["impact", "-", "--restitution", "0.9"], problem.as_bytes()).err, "");
}

#[test]
fn misspelt_names_are_corrected() {
    for (arguments, meant) in [
        (&["impcat", "kane"][..], "'impact'"),
        (&["impact", "kane", "--fromat", "json"], "'--format'"),
        (&["impact", "kane", "--law", "nweton"], "'newton'"),
        (&["impact", "kain"], "\"kane\""),
        (&["simulate", "quadrupde"], "\"quadruped\""),
        (&["gallery", "Foot"], "\"foot\""),
        (&["check", "humanoit"], "\"humanoid\""),
        (&["man", "simulat"], "\"simulate\""),
        (&["schema", "scen"], "'scene'"),
    ] {
        let ran = carom(arguments);
        assert!(ran.code == 2 && ran.err.contains(meant), "{arguments:?}: {}", ran.err);
    }
    assert!(!carom(&["impact", "zzz"]).err.contains("did you mean"));
}

#[test]
fn the_gallery_is_a_list_for_programs_too() {
    let list: serde_json::Value = serde_json::from_str(&carom(&["gallery", "--format", "json"]).out).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), carom::gallery::SCENES.len() + carom::gallery::SIMULATIONS.len());
    for entry in list {
        let text = |key: &str| entry[key].as_str().unwrap_or_else(|| panic!("{entry}")).to_owned();
        let (name, kind) = (text("name"), text("kind"));
        let flag: &[&str] = if kind == "simulation" { &["--simulation"] } else { &[] };
        let scene = carom(&[&["gallery", &name, "--format", "json"], flag].concat()).json();
        assert_eq!(scene["title"], entry["title"], "{name}");
    }
    let simulations: serde_json::Value =
        serde_json::from_str(&carom(&["gallery", "--simulation", "--format", "json"]).out).unwrap();
    assert_eq!(simulations.as_array().unwrap().len(), carom::gallery::SIMULATIONS.len());
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_options_and_scenes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robot.urdf"), "").unwrap();
    let complete = |words: &str| {
        let count = words.split(' ').count();
        let line = format!(
            "source <(carom completions bash) && COMP_WORDS=({words}) COMP_CWORD={} && {{ cur=\"${{COMP_WORDS[-1]}}\"; \
             prev=\"${{COMP_WORDS[-2]}}\"; _carom carom \"$cur\" \"$prev\"; echo \"${{COMPREPLY[@]}}\"; }}",
            count - 1
        );
        let ran = shell(&line, folder.path());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.trim().to_owned()
    };
    assert_eq!(complete("carom sim"), "simulate");
    assert_eq!(complete("carom impact --rest"), "--restitution");
    assert_eq!(complete("carom impact ka"), "kane");
    assert_eq!(complete("carom simulate quad"), "quadruped");
    assert_eq!(complete("carom impact --guard s"), "slip");
    assert_eq!(complete("carom schema pro"), "problem");
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = carom(&["completions", shell]);
        assert!(script.code == 0 && script.out.contains("simulate"), "{shell}");
    }
    let tcsh = carom(&["completions", "tcsh"]);
    assert!(tcsh.code == 2 && tcsh.err.contains("bash"), "{}", tcsh.err);
}

#[cfg(unix)]
#[test]
fn manual_pages_are_complete_and_render_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man/man1");
    assert_eq!(carom(&["man", "-o", pages.to_str().unwrap()]).code, 0);
    let mut names: Vec<String> =
        pages.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut expected: Vec<String> = COMMANDS.iter().map(|command| format!("carom-{command}.1")).collect();
    expected.push("carom.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    let has_groff = shell("groff --version", folder.path()).code == 0;
    if !has_groff {
        eprintln!("groff is not installed: the pages are not rendered");
    }
    for name in names {
        let text = std::fs::read_to_string(pages.join(&name)).unwrap();
        assert!(text.contains("Exit codes") && text.contains("\\-\\-quiet"), "{name}");
        let command = name.trim_end_matches(".1").strip_prefix("carom-").map(str::to_owned);
        let printed = carom(&[&["man"][..], &command.iter().map(String::as_str).collect::<Vec<_>>()].concat());
        assert_eq!(printed.out, text);
        if has_groff {
            let drawn = shell(&format!("groff -man -Tutf8 -ww man/man1/{name}"), folder.path());
            assert!(drawn.code == 0 && drawn.err.is_empty(), "{name}: {}", drawn.err);
            assert!(drawn.out.contains("carom gallery") || drawn.out.contains("carom "), "{name}");
        }
    }
}
