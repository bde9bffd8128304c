//! Where the files of a robot are read from: the disk, or a closed set of files in memory.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::check_regular;

/// The files that a robot can be read from.
pub trait Files: Debug + Send + Sync {
    /// The content of a file.
    ///
    /// # Errors
    /// There is no such file, or it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is such a file.
    fn exists(&self, path: &Path) -> bool;

    /// One path for all the ways to write it.
    fn identity(&self, path: &Path) -> PathBuf;
}

/// The files of the disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        check_regular(path).and_then(|()| std::fs::read(path))
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    }
}

/// Files in memory, and no others: what they include is looked for among them and never on the disk. A path that none of them has means the one
/// with the same last part, if there is only one, since files that are given one by one have lost their folders.
#[derive(Debug, Clone, Default)]
pub struct FileSet {
    files: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl FileSet {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; one of the same path is replaced.
    pub fn insert(&mut self, path: impl AsRef<Path>, content: impl Into<Arc<[u8]>>) {
        self.files.insert(plain(path.as_ref()), content.into());
    }

    /// The content of the file that a path means.
    pub fn get(&self, path: &Path) -> Option<&Arc<[u8]>> {
        self.find(path).and_then(|place| self.files.get(place))
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    fn find(&self, path: &Path) -> Option<&Path> {
        let wanted = plain(path);
        if let Some((place, _)) = self.files.get_key_value(&wanted) {
            return Some(place);
        }
        let last = wanted.file_name()?;
        let mut same = self.paths().filter(|place| place.file_name() == Some(last));
        same.next().filter(|_| same.next().is_none())
    }
}

impl Files for FileSet {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "it is not among the files that were given");
        self.get(path).map(|content| content.to_vec()).ok_or_else(missing)
    }

    fn exists(&self, path: &Path) -> bool {
        self.find(path).is_some()
    }

    fn identity(&self, path: &Path) -> PathBuf {
        self.find(path).map_or_else(|| plain(path), Path::to_owned)
    }
}

/// A path without `.`, `..`, and what makes it absolute.
fn plain(path: &Path) -> PathBuf {
    let mut steps: Vec<&std::ffi::OsStr> = Vec::new();
    for step in path.components() {
        match step {
            Component::Normal(name) => steps.push(name),
            Component::ParentDir => drop(steps.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    steps.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_files_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside.stl");
        std::fs::write(&outside, "solid").unwrap();
        let mut set = FileSet::new();
        set.insert("robot/meshes/foot.stl", *b"foot");
        set.insert("./robot/a/leg.stl", *b"leg");
        set.insert("robot/b/leg.stl", *b"other leg");
        let read = |path: &str| set.read(Path::new(path)).ok();
        assert_eq!(read("robot/urdf/../meshes/foot.stl").as_deref(), Some(&b"foot"[..]));
        assert_eq!(read("anywhere/foot.stl").as_deref(), Some(&b"foot"[..]));
        assert_eq!(read("/robot/a/leg.stl").as_deref(), Some(&b"leg"[..]));
        // Two have this last part: neither is meant.
        assert_eq!(read("leg.stl"), None);
        assert!(outside.exists() && set.read(&outside).is_err() && !set.exists(&outside));
        assert!(set.read(Path::new("/etc/passwd")).is_err() && set.read(Path::new("")).is_err());
    }
}
