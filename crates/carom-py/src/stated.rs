//! A problem with its source.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom::document::{Edit, Tree};
use carom::report::Id;
use carom::robots::Robots;
use carom::scene::Scene;

/// A problem with its source.
pub struct Stated {
    pub problem: carom::Problem,
    pub title: String,
    pub tree: Option<Tree>,
    pub folder: PathBuf,
    pub robots: Arc<Robots>,
}

impl Stated {
    pub fn id(&self) -> Id {
        self.tree.as_ref().map_or_else(Id::default, Id::of_tree)
    }

    /// The problem of a tree, with its changes applied.
    pub fn of_tree(
        mut tree: Tree,
        name: &str,
        folder: &Path,
        robots: &Arc<Robots>,
        edits: &[Edit],
    ) -> Result<Self, carom::ProblemError> {
        for edit in edits {
            edit.apply(&mut tree)?;
        }
        let problem = carom::Problem::from_tree_with(&tree, folder, robots)?;
        let title = match problem.scene().and_then(Scene::title) {
            Some(shows) => format!("{name}: {shows}"),
            None => name.to_owned(),
        };
        Ok(Self { problem, title, tree: Some(tree), folder: folder.to_owned(), robots: Arc::clone(robots) })
    }
}
