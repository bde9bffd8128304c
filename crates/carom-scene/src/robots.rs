//! Robots read once: a cache of models, shared by threads.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use carom_multibody::load::{self, Disk, Files, LoadError, Options, RobotFormat};
use carom_multibody::{Model, Placement};

use crate::models;

/// The source of a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelSource {
    /// A built-in model, by name.
    BuiltIn(&'static str),
    /// A file.
    File(PathBuf),
    /// No robot: a scene of objects.
    Objects,
}

/// A cache of robots. A file is read when it is first used with given options, together with the meshes and files that it
/// includes; later changes of these files are not seen. A file that cannot be read is not tried again.
///
/// At most [`Robots::CAPACITY`] robots are kept. Beyond that the least recently used one is dropped, and is
/// read again at its next use.
///
/// ```
/// use carom_multibody::load::Options;
/// use carom_scene::robots::{ModelSource, Robots};
///
/// let robots = Robots::new();
/// let [one, other] = [0, 1].map(|_| robots.load(&ModelSource::BuiltIn("arm"), &Options::new()));
/// assert!(std::sync::Arc::ptr_eq(&one?, &other?));
/// # Ok::<(), carom_multibody::load::LoadError>(())
/// ```
#[derive(Debug)]
pub struct Robots {
    kept: Mutex<Kept>,
    /// Texts that stand for files.
    texts: Mutex<Vec<(PathBuf, Arc<str>)>>,
    /// Where files are read from.
    files: Arc<dyn Files>,
}

impl Default for Robots {
    fn default() -> Self {
        Self::from_files(Arc::new(Disk))
    }
}

#[derive(Debug, Default)]
struct Kept {
    entries: Vec<Entry>,
    /// Counts the uses.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    source: ModelSource,
    options: Options,
    robot: Arc<Robot>,
    last_use: u64,
}

/// A robot that the first thread to need it reads, while others wait.
#[derive(Debug, Default)]
struct Robot {
    loaded: OnceLock<Result<Arc<Model>, LoadError>>,
    /// Placed at the world's origin, as a scene without a base has it.
    at_origin: OnceLock<Arc<Model>>,
}

impl Robots {
    /// The largest number of robots that are kept: a few megabytes, unless they have large meshes.
    pub const CAPACITY: usize = 64;

    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty cache of robots that are read from these files alone, with their meshes and the files that they include.
    pub fn from_files(files: Arc<dyn Files>) -> Self {
        Self { kept: Mutex::default(), texts: Mutex::default(), files }
    }

    /// A text that stands for the file at a path: robots of this path are read from it. Files that it includes, and meshes,
    /// are looked for relative to the path.
    #[must_use]
    pub fn with_text(self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> Self {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner).push((path.into(), text.into()));
        self
    }

    /// The robot as its file gives it.
    ///
    /// # Errors
    /// The file cannot be read or is not a robot, or there is no built-in model of that name.
    pub fn load(&self, source: &ModelSource, options: &Options) -> Result<Arc<Model>, LoadError> {
        self.loaded(&self.robot(source, options), source, options)
    }

    /// The robot, with what is fixed or hinged to the world placed at the world's origin.
    ///
    /// # Errors
    /// Those of [`Robots::load`].
    pub fn load_at_origin(&self, source: &ModelSource, options: &Options) -> Result<Arc<Model>, LoadError> {
        let robot = self.robot(source, options);
        let model = self.loaded(&robot, source, options)?;
        let placed = || Arc::new(Arc::unwrap_or_clone(model).placed(&Placement::IDENTITY));
        Ok(Arc::clone(robot.at_origin.get_or_init(placed)))
    }

    fn loaded(&self, robot: &Robot, source: &ModelSource, options: &Options) -> Result<Arc<Model>, LoadError> {
        let read = || match (source, self.text_of(source)) {
            (ModelSource::File(path), Some(text)) => load::text_from(&text, path, options, &*self.files),
            _ => read(source, options, &*self.files),
        };
        robot.loaded.get_or_init(|| read().map(Arc::new)).clone()
    }

    /// The format of a robot's file, as its text tells.
    pub(crate) fn format(&self, path: &Path) -> Result<RobotFormat, LoadError> {
        load::format_from(path, &*self.files)
    }

    fn text_of(&self, source: &ModelSource) -> Option<Arc<str>> {
        let ModelSource::File(path) = source else { return None };
        self.text(path)
    }

    /// Whether any text stands for a file.
    pub fn has_texts(&self) -> bool {
        !self.texts.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The text that stands for the file at a path, if one does.
    pub fn text(&self, path: &Path) -> Option<Arc<str>> {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        texts.iter().find(|(name, _)| name == path).map(|(_, text)| Arc::clone(text))
    }

    fn robot(&self, source: &ModelSource, options: &Options) -> Arc<Robot> {
        // Nothing panics while the lock is held.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let Kept { entries, clock } = &mut *kept;
        if let Some(entry) = entries.iter_mut().find(|entry| entry.options == *options && entry.source == *source) {
            entry.last_use = *clock;
            return Arc::clone(&entry.robot);
        }
        if entries.len() >= Self::CAPACITY
            && let Some(oldest) = (0..entries.len()).min_by_key(|&k| entries[k].last_use)
        {
            entries.swap_remove(oldest);
        }
        let robot = Arc::new(Robot::default());
        let (source, options) = (source.clone(), *options);
        entries.push(Entry { source, options, robot: Arc::clone(&robot), last_use: *clock });
        robot
    }
}

fn read(source: &ModelSource, options: &Options, files: &dyn Files) -> Result<Model, LoadError> {
    match source {
        // For an unknown name this returns the error of a missing file.
        ModelSource::BuiltIn(name) => match models::find(name) {
            Some(model) => model.load(options),
            None => load::file_from(name, options, files),
        },
        ModelSource::File(path) => load::file_from(path, options, files),
        // Objects have no robot file: an empty name returns the error of a missing one.
        ModelSource::Objects => load::file_from("", options, files),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PENDULUM: &str = r#"<robot name="pendulum"><link name="world"/>
        <link name="rod"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"#;

    /// The disk, and what was read from it.
    #[derive(Debug, Default)]
    struct Counted(Mutex<Vec<PathBuf>>);

    impl Files for Counted {
        fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
            self.0.lock().unwrap().push(path.to_owned());
            Disk.read(path)
        }

        fn exists(&self, path: &Path) -> bool {
            Disk.exists(path)
        }

        fn identity(&self, path: &Path) -> PathBuf {
            Disk.identity(path)
        }
    }

    /// Its meshes take most of the time: they were read three times, and their hulls made anew.
    #[test]
    fn a_robot_that_a_scene_is_assumed_for_is_read_once_with_its_meshes() {
        let folder = tempfile::tempdir().unwrap();
        let collision = r#"<collision><geometry><mesh filename="part.obj"/></geometry></collision></link>"#;
        let robot = PENDULUM.replace("</inertial></link>", &format!("</inertial>{collision}"));
        std::fs::write(
            folder.path().join("part.obj"),
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
        )
        .unwrap();
        for (name, root) in [("fixed.urdf", "world"), ("free.urdf", "base")] {
            let path = folder.path().join(name);
            let base = robot.replace(
                "<link name=\"world\"/>",
                r#"<link name="world"><inertial><mass value="1"/>
                <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
            );
            std::fs::write(&path, if root == "world" { robot.clone() } else { base.replace("\"world\"", "\"base\"") })
                .unwrap();
            let files = Arc::new(Counted::default());
            let robots = Robots::from_files(files.clone());
            let text = crate::assumed::scene_of_robot_in(&path, &Default::default(), &robots).unwrap();
            let document = crate::document::Document::read(&text, crate::document::Format::Toml).unwrap();
            let problem = crate::problem::Problem::from_tree_with(document.tree(), folder.path(), &robots).unwrap();
            assert_eq!(problem.setup().unwrap().contacts.len(), 4, "{name}");
            let read = files.0.lock().unwrap().iter().filter(|path| path.ends_with("part.obj")).count();
            assert_eq!(read, 1, "{name}");
        }
    }

    #[test]
    fn a_file_that_changes_later_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.urdf");
        std::fs::write(&path, PENDULUM).unwrap();
        let (robots, source) = (Robots::new(), ModelSource::File(path.clone()));
        let first = robots.load(&source, &Options::new()).unwrap();
        std::fs::write(&path, PENDULUM.replace("\"2\"", "\"3\"")).unwrap();
        assert!(Arc::ptr_eq(&first, &robots.load(&source, &Options::new()).unwrap()));
        // Other options make another robot, and another cache reads the file again.
        let floating = robots.load(&source, &Options::new().floating_base(true)).unwrap();
        assert!(floating.nv() != first.nv());
        let mass = |model: &Model| model.link(model.find_link("rod").unwrap()).inertia.mass;
        let fresh = Robots::new().load(&source, &Options::new()).unwrap();
        assert_eq!((mass(&first), mass(&fresh)), (2.0, 3.0));
    }

    #[test]
    fn a_text_stands_for_a_file() {
        let robots = Robots::new().with_text("folder/given.urdf", PENDULUM);
        let load = |path: &str| robots.load(&ModelSource::File(path.into()), &Options::new());
        assert_eq!(load("folder/given.urdf").unwrap().name(), "pendulum");
        assert!(load("folder/other.urdf").is_err());
        let tree = crate::document::Document::read(
            r#"{"model": {"urdf": "given.urdf"}, "contact": {"link": "rod"}, "surface": {"normal": [0, 0, 1]}, "restitution": 0.5, "friction": 0.2}"#,
            crate::document::Format::Json,
        );
        let tree = tree.unwrap().tree().clone();
        let problem = crate::Problem::from_tree_with(&tree, "folder".as_ref(), &robots).unwrap();
        assert_eq!(problem.scene().unwrap().model().name(), "pendulum");
    }

    #[test]
    fn a_file_that_cannot_be_read_fails_alike_every_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.urdf");
        let (robots, source) = (Robots::new(), ModelSource::File(path.clone()));
        let first = robots.load(&source, &Options::new()).unwrap_err();
        std::fs::write(&path, PENDULUM).unwrap();
        assert_eq!(robots.load(&source, &Options::new()).unwrap_err(), first);
    }

    #[test]
    fn memory_is_bounded_and_the_robot_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let source = |k: usize| {
            let path = folder.path().join(format!("{k}.urdf"));
            std::fs::write(&path, PENDULUM).unwrap();
            ModelSource::File(path)
        };
        let robots = Robots::new();
        let in_use = source(0);
        let first = robots.load(&in_use, &Options::new()).unwrap();
        for k in 1..=2 * Robots::CAPACITY {
            robots.load(&source(k), &Options::new()).unwrap();
            assert!(Arc::ptr_eq(&first, &robots.load(&in_use, &Options::new()).unwrap()), "{k}");
        }
        assert_eq!(robots.kept.lock().unwrap().entries.len(), Robots::CAPACITY);
    }

    #[test]
    fn threads_that_need_a_robot_at_once_share_one() {
        let robots = Robots::new();
        let source = ModelSource::BuiltIn("humanoid");
        let load = || Arc::as_ptr(&robots.load_at_origin(&source, &Options::new()).unwrap()) as usize;
        let found: Vec<usize> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(load)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(found.iter().all(|one| *one == found[0]));
    }
}
