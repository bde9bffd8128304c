//! A document with the changes of a request.

use std::sync::Arc;

use carom::document::{Document, Edit, Format, Tree};
use carom::provenance::state_edits;
use carom::report::Id;
use carom::scene::Scene;
use carom::{Problem, ProblemError};

use crate::fault::Fault;
use crate::request::{Request, limits};
use crate::source::Source;

/// The problem of a request, and the source and changes that it was made from.
pub(crate) struct Stated {
    pub(crate) source: Arc<Source>,
    /// The changes, in order.
    pub(crate) edits: Vec<Edit>,
    pub(crate) tree: Tree,
    pub(crate) problem: Problem,
}

impl Stated {
    pub(crate) fn new(source: Arc<Source>, request: &Request) -> Result<Self, Fault> {
        let mut edits = Vec::new();
        let mut change = |path: &str, edit: Result<Edit, String>| {
            edit.map(|edit| edits.push(edit)).map_err(|message| Fault::request(path, message))
        };
        for (path, value) in [("restitution", &request.restitution), ("friction", &request.friction)] {
            value.as_ref().map_or(Ok(()), |value| change(path, Edit::new(path, value)))?;
        }
        for (path, value) in [("law", &request.law), ("guard", &request.guard)] {
            value.as_ref().map_or(Ok(()), |value| change(path, Edit::new(path, value)))?;
        }
        if let Some(names) = &request.strike {
            change("strike", Edit::new("strike", names))?;
        }
        let mut tree = source.tree.clone();
        edits.iter().try_for_each(|edit| edit.apply(&mut tree))?;
        let read = |tree: &Tree| Problem::from_tree_with(tree, &source.folder, &source.robots);
        let mut problem = read(&tree).map_err(|error| located(&source, &edits, error))?;
        check_size(&problem)?;
        if request.configuration.is_some() || request.velocity.is_some() {
            let scene = problem.scene().ok_or_else(|| {
                Fault::request("configuration", "this problem has matrices and no robot: there is no state to change")
            })?;
            let own = |given: &Option<Vec<f64>>, own: &[f64]| given.clone().unwrap_or_else(|| own.to_vec());
            let q = own(&request.configuration, scene.configuration());
            let v = own(&request.velocity, scene.velocity());
            if q != scene.configuration() || v != scene.velocity() {
                let changes =
                    state_edits(&tree, scene.model(), &q, &v).map_err(|message| Fault::request("state", message))?;
                changes.iter().try_for_each(|edit| edit.apply(&mut tree))?;
                edits.extend(changes);
                problem = read(&tree).map_err(|error| located(&source, &edits, error))?;
            }
        }
        Ok(Self { edits, tree, problem, source })
    }

    /// The scene, for a problem with a robot.
    pub(crate) fn scene(&self) -> Option<&Scene> {
        self.problem.scene()
    }

    pub(crate) fn id(&self) -> Id {
        Id::of_tree(&self.tree)
    }

    /// The name and the title of the scene.
    pub(crate) fn title(&self) -> String {
        match self.scene().and_then(Scene::title) {
            Some(shows) => format!("{}: {shows}", self.source.name),
            None => self.source.name.clone(),
        }
    }
}

/// Fails if a problem exceeds the limits of one request.
fn check_size(problem: &Problem) -> Result<(), Fault> {
    let velocities = problem.scene().map(|scene| scene.model().nv()).or(problem.velocity().map(<[f64]>::len));
    let contacts = problem.scene().map_or(0, |scene| scene.contacts().len());
    for (field, count, most) in
        [("velocities", velocities.unwrap_or(0), limits::VELOCITIES), ("contacts", contacts, limits::CONTACTS)]
    {
        if count > most {
            return Err(Fault::too_large(field, count as f64, most as f64));
        }
    }
    Ok(())
}

/// An error with the file and, for a document as it was given, the line.
fn located(source: &Source, edits: &[Edit], error: ProblemError) -> Fault {
    // A value of the request has no line in the document.
    let is_changed = |field: &str| edits.iter().any(|edit| field.starts_with(edit.path()));
    if error.field.as_deref().is_some_and(is_changed) {
        return error.into();
    }
    let document = Document::read(&source.text, Format::guess(&source.name, &source.text));
    let error = match document {
        Ok(document) if !source.assumed => document.locate(error),
        _ => error,
    };
    Fault::from(error).in_file(&source.name)
}
