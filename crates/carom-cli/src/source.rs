//! The source of a problem: a built-in scene, a file, or standard input.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use carom::assumed::{self, Wishes};
use carom::document::{Document, Edit, Format, Tree};
use carom::gallery::Exhibit;
use carom::report::{Id, StoredRun};
use carom::scene::Scene;
use carom::{Problem, ProblemError};

use crate::args::{Changes, Friction, Robot, RunEvent, Subject};
use crate::console::{is_quiet, note};
use crate::exhibits::Gallery;
use crate::failure::Failure;
use crate::output::Output;

/// The source of a problem.
pub enum Source {
    Scene(&'static Exhibit),
    Text {
        name: String,
        text: String,
        folder: PathBuf,
    },
    /// A robot file, with the scene that is assumed for it.
    Robot {
        name: String,
        text: String,
        folder: PathBuf,
    },
    /// An impact of a run, as a scene.
    Event {
        name: String,
        scene: Tree,
    },
}

/// A problem as read, with its changes applied.
pub struct Stated {
    pub problem: Problem,
    pub id: Id,
    /// The document, with its changes.
    pub tree: Tree,
}

impl Source {
    /// A scene's name stands for the scene; a file of that name is given as `./NAME`.
    pub fn open(subject: &Subject, robot: &Robot) -> Result<Self, Failure> {
        match (&subject.event, &subject.problem) {
            (Some(event), _) => Self::of_event(event, subject.robot_file.as_deref(), robot),
            // The command line requires one of them.
            (None, path) => Self::open_as(path.as_deref().unwrap_or(Path::new("-")), Gallery::Impacts, robot),
        }
    }

    /// The impact of an event of a run.
    fn of_event(event: &RunEvent, robot_file: Option<&Path>, robot: &Robot) -> Result<Self, Failure> {
        let name = format!("{} event {}", event.run.display(), event.number);
        if let Some(option) = robot.given().filter(|option| *option != "--save-scene") {
            return Err(Failure::NotARobot { name, option });
        }
        let stored = StoredRun::from_file(&event.run).map_err(Failure::Stored)?;
        let fail = |error| Failure::Provenance { source: event.run.display().to_string(), error: Box::new(error) };
        let folder = event.run.parent().unwrap_or(Path::new(""));
        let scene = stored.provenance.scene_here(folder, robot_file).map_err(fail)?;
        let states = match stored.events.get(event.number) {
            Some(found) => stored.states_at(found.time).map_err(Failure::Stored)?,
            None => Vec::new(),
        };
        let scene = stored.provenance.scene_of_event(&scene, &stored.events, event.number, &states).map_err(fail)?;
        if let Some(path) = &robot.save_scene {
            if path.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("json")) {
                return Err(Failure::Ending { path: path.clone(), endings: ".json".to_owned() });
            }
            save(path, &format!("{scene:#}\n"))?;
        }
        Ok(Self::Event { name, scene })
    }

    /// Opens a source, looking up names of scenes in the given list.
    pub fn open_as(path: &Path, gallery: Gallery, robot: &Robot) -> Result<Self, Failure> {
        let source = Self::find(path, gallery, robot)?;
        match robot.given() {
            Some(option) if !matches!(source, Source::Robot { .. }) => {
                Err(Failure::NotARobot { name: source.name(), option })
            }
            _ => Ok(source),
        }
    }

    fn find(path: &Path, gallery: Gallery, robot: &Robot) -> Result<Self, Failure> {
        if let Some(scene) = path.to_str().and_then(|name| gallery.find(name)) {
            return Ok(Self::Scene(scene));
        }
        if path == Path::new("-") {
            let mut text = String::new();
            let read = io::stdin().lock().read_to_string(&mut text);
            read.map_err(|error| Failure::file(Path::new("standard input"), "read", error))?;
            return Ok(Self::Text { name: "standard input".into(), text, folder: PathBuf::new() });
        }
        let name = path.display().to_string();
        let text = carom::multibody::load::check_regular(path).and_then(|()| std::fs::read_to_string(path));
        match text {
            Ok(text) if assumed::is_robot(&text) => {
                let wishes = robot.wishes(path, gallery);
                let text = assumed::scene_of_robot(path, &wishes).map_err(|error| Failure::Robot { error })?;
                if let Some(scene) = &robot.save_scene {
                    save(scene, &text)?;
                }
                Ok(Self::Robot { name, text, folder: path.parent().map_or_else(PathBuf::new, Path::to_owned) })
            }
            Ok(text) => Ok(Self::Text { name, text, folder: path.parent().map_or_else(PathBuf::new, Path::to_owned) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.components().count() == 1 => {
                Err(Failure::NoSuchScene { name, gallery, or_file: true })
            }
            Err(error) => Err(Failure::file(path, "read", error)),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Source::Scene(scene) => scene.name.to_owned(),
            Source::Text { name, .. } | Source::Robot { name, .. } | Source::Event { name, .. } => name.clone(),
        }
    }

    /// The scene that was assumed for a robot file, line by line; nothing for others, and for a quiet command.
    pub fn assumptions(&self) -> String {
        let Source::Robot { text, .. } = self else { return String::new() };
        if is_quiet() {
            return String::new();
        }
        let lines = text.lines().skip(1).filter(|line| !line.is_empty());
        let lines: String = lines.map(|line| format!("  {line}\n")).collect();
        format!("assumed; --save-scene FILE.toml writes a scene to change\n{lines}\n")
    }

    /// The name without folders, which would not fit into figures, and the title of the scene.
    pub fn title(&self, problem: &Problem) -> String {
        let name = self.name();
        let name = name.rsplit(std::path::MAIN_SEPARATOR).next().unwrap_or(&name);
        match problem.scene().and_then(Scene::title) {
            Some(shows) => format!("{name}: {shows}"),
            None => name.to_owned(),
        }
    }

    /// The problem with its changes applied.
    pub fn read(&self, edits: &[Edit]) -> Result<Stated, ProblemError> {
        match self {
            Source::Scene(scene) => stated(scene.tree()?, Path::new(""), Id::of_tree, edits),
            Source::Text { name, text, folder } => {
                let kind = Format::guess(name, text);
                let is_changed = kind == Format::Toml || edits.iter().any(|edit| edit.touches("id"));
                let id = |tree: &Tree| if is_changed { Id::of_tree(tree) } else { Id::of_json(text) };
                stated(Document::read(text, kind)?.tree().clone(), folder, id, edits)
            }
            Source::Robot { text, folder, .. } => {
                stated(Document::read(text, Format::Toml)?.tree().clone(), folder, Id::of_tree, edits)
            }
            Source::Event { scene, .. } => stated(scene.clone(), Path::new(""), Id::of_tree, edits),
        }
    }

    /// The document with its changes applied, and the folder that paths of robot files are relative to.
    pub fn tree(&self, edits: &[Edit]) -> Result<(Tree, PathBuf), ProblemError> {
        let (mut tree, folder) = match self {
            Source::Scene(scene) => (scene.tree()?, PathBuf::new()),
            Source::Text { name, text, folder } => {
                (Document::read(text, Format::guess(name, text))?.tree().clone(), folder.clone())
            }
            Source::Robot { text, folder, .. } => (Document::read(text, Format::Toml)?.tree().clone(), folder.clone()),
            Source::Event { scene, .. } => (scene.clone(), PathBuf::new()),
        };
        edits.iter().try_for_each(|edit| edit.apply(&mut tree))?;
        Ok((tree, folder))
    }

    /// Adds the line to an error of this problem; a value set by an edit has none.
    pub fn locate(&self, error: ProblemError, edits: &[Edit]) -> ProblemError {
        match self {
            Source::Text { name, text, .. } if changing(&error, edits).is_none() => {
                match Document::read(text, Format::guess(name, text)) {
                    Ok(document) => document.locate(error),
                    Err(_) => error,
                }
            }
            Source::Text { .. } | Source::Scene(_) | Source::Robot { .. } | Source::Event { .. } => error,
        }
    }

    /// The failure for an error that is already located.
    pub fn failure(self, error: ProblemError, edits: &[Edit]) -> Failure {
        let (source, option) = (self.name(), changing(&error, edits).map(Edit::option));
        let text = match self {
            Source::Scene(_) | Source::Robot { .. } | Source::Event { .. } => None,
            Source::Text { text, .. } => Some(text),
        };
        Failure::Problem { source, error: Box::new(error), text, option }
    }
}

impl Robot {
    /// The first option that was given.
    fn given(&self) -> Option<&'static str> {
        let options = [
            (self.floating_base, "--floating-base"),
            (self.fixed_base, "--fixed-base"),
            (self.link.is_some(), "--link"),
            (self.height.is_some(), "--height"),
            (self.keyframe.is_some(), "--keyframe"),
            (self.no_limits, "--no-limits"),
            (self.velocity.is_some(), "--velocity"),
            (self.save_scene.is_some(), "--save-scene"),
        ];
        options.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

    /// The options that were given, with their values.
    pub fn options(&self) -> Vec<String> {
        let text = |option: &str, value: Option<String>| value.map(|value| format!("{option} {value}"));
        let options = [
            self.floating_base.then(|| "--floating-base".to_owned()),
            self.fixed_base.then(|| "--fixed-base".to_owned()),
            text("--link", self.link.clone()),
            text("--height", self.height.map(|height| format!("{height:?}"))),
            text("--keyframe", self.keyframe.clone()),
            text("--velocity", self.velocity.map(|[x, y, z]| format!("{x:?},{y:?},{z:?}"))),
        ];
        options.into_iter().flatten().collect()
    }

    fn wishes(&self, robot: &Path, gallery: Gallery) -> Wishes {
        // A scene in another folder gives the whole path of the robot.
        let folder = |path: &Path| path.parent().map(|folder| Path::new(".").join(folder).canonicalize().ok());
        let is_beside = self.save_scene.as_ref().is_none_or(|scene| folder(scene) == folder(robot));
        let whole = (!is_beside).then(|| robot.canonicalize().ok()).flatten();
        Wishes {
            floating_base: (self.floating_base || self.fixed_base).then_some(self.floating_base),
            height: self.height,
            link: self.link.clone(),
            velocity: self.velocity,
            keyframe: self.keyframe.clone(),
            no_limits: self.no_limits,
            is_impact: gallery == Gallery::Impacts,
            file: whole.map(|path| path.to_string_lossy().into_owned()),
        }
    }
}

/// The last change of the value that an error concerns.
fn changing<'e>(error: &ProblemError, edits: &'e [Edit]) -> Option<&'e Edit> {
    let field = error.field.as_ref()?;
    edits.iter().rev().find(|edit| edit.touches(field))
}

impl Changes {
    /// All changes, those of `--restitution` and `--friction` last.
    pub fn edits(&self) -> Result<Vec<Edit>, Failure> {
        let restitution = self.restitution.map(|e| ("--restitution", format!("restitution={e:?}")));
        let friction = self.friction.map(|friction| match friction {
            Friction::One(mu) => format!("friction={mu:?}"),
            Friction::StaticAndDynamic(of_stick, of_slip) => {
                format!("friction={{\"static\": {of_stick:?}, \"dynamic\": {of_slip:?}}}")
            }
        });
        let friction = friction.map(|change| ("--friction", change));
        let mut edits = self.edits.clone();
        for (option, change) in [restitution, friction].into_iter().flatten() {
            // A finite number always makes a change.
            let Ok(edit) = change.parse::<Edit>().map(|edit| edit.by_option(option)) else { continue };
            if let Some(twice) = self.edits.iter().find(|other| other.touches(edit.path())) {
                return Err(Failure::ChangedTwice { option: edit.option(), path: twice.path().to_owned() });
            }
            edits.push(edit);
        }
        Ok(edits)
    }
}

/// Notes the contacts with coefficients of their own, which an option for all contacts does not change.
fn note_own_coefficients(tree: &Tree, edit: &Edit) {
    let key = edit.path();
    let listed = (0..).map(|k| format!("contacts[{k}]")).take_while(|contact| tree.contains(contact));
    let contacts = std::iter::once("contact".to_owned()).chain(listed);
    let own: Vec<String> =
        contacts.map(|contact| format!("{contact}.{key}")).filter(|path| tree.contains(path)).collect();
    if !own.is_empty() {
        note(&format!("{} does not change {}: use --set", edit.option(), own.join(", ")));
    }
}

fn stated(mut tree: Tree, folder: &Path, id: impl Fn(&Tree) -> Id, edits: &[Edit]) -> Result<Stated, ProblemError> {
    for edit in edits {
        edit.apply(&mut tree)?;
    }
    for edit in edits.iter().filter(|edit| edit.option() != "--set") {
        note_own_coefficients(&tree, edit);
    }
    Ok(Stated { problem: Problem::from_tree_in(&tree, folder)?, id: id(&tree), tree })
}

/// Writes a scene to a file.
fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    output.write_all(text.as_bytes()).map_err(|error| output.failure(error))?;
    output.finish()
}
