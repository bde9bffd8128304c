//! Models from texts and files, and their comparison.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use carom_multibody::Model;
use carom_multibody::load::{self, LoadError, Options};

/// A temporary directory for a test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("carom-mjcf-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Self(path)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(&path, content).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn load(path: &Path) -> Result<Model, LoadError> {
    load::file(path, &Options::default())
}

/// The model given by a text.
pub fn model(text: &str) -> Model {
    let folder = Folder::new();
    load(&folder.write("model.xml", text)).unwrap_or_else(|error| panic!("{error}"))
}

/// The error in a text.
pub fn refusal(text: &str) -> LoadError {
    let folder = Folder::new();
    match load(&folder.write("model.xml", text)) {
        Ok(_) => panic!("{text} was read"),
        Err(error) => error,
    }
}

pub fn world(bodies: &str) -> String {
    format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>")
}

pub fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

#[track_caller]
pub fn near(given: impl IntoIterator<Item = f64>, expected: &[f64]) {
    let given: Vec<f64> = given.into_iter().collect();
    assert_eq!(given.len(), expected.len());
    let size = expected.iter().fold(1e-3, |most: f64, number| most.max(number.abs()));
    for (a, b) in given.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-11 * size, "{given:?}\n{expected:?}");
    }
}

/// Mass, centre of mass and entries xx, yy, zz, xy, xz, yz of the inertia of a link.
#[track_caller]
pub fn inertia_is(model: &Model, link: usize, expected: &str) {
    let expected = numbers(expected);
    let inertia = model.links()[link].inertia;
    near([inertia.mass], &expected[..1]);
    near(inertia.center.to_array(), &expected[1..4]);
    near(inertia.rotational.entries(), &expected[4..]);
}

/// Position and rows of the rotation of a link on its parent.
#[track_caller]
pub fn placement_is(model: &Model, link: usize, expected: &str) {
    let expected = numbers(expected);
    let placement = model.links()[link].placement;
    near(placement.translation.to_array(), &expected[..3]);
    near(placement.rotation.rows().concat(), &expected[3..]);
}
