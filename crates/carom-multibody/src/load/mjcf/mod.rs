//! Models from MJCF, the format of MuJoCo, with the same coordinates, mass matrix and bias.
//!
//! A free joint's velocity is in the link's axes, while MuJoCo has its linear part in world axes. An unsupported
//! element that changes the mass matrix or the bias is an error; one that otherwise affects the motion gives a warning.
//!
//! | file | contents |
//! |---|---|
//! | `source` | the main file and its includes |
//! | `class` | default classes |
//! | `known` | the valid attributes of elements |
//! | `settings` | compiler and options |
//! | `section` | sections that are read, give a warning or are rejected |
//! | `notes` | warnings |
//! | `tree` | the tree of bodies, turned into links |
//! | `body` | one body |
//! | `pose` | poses of elements |
//! | `axes` | principal axes |
//! | `joint` | joints |
//! | `inertial` | inertias of bodies |
//! | `geom` | geoms: form, pose, mass |
//! | `form` | the form of a geom |
//! | `fit` | primitives fitted to meshes |
//! | `solid` | volumes and inertias of primitives |
//! | `mesh` | mesh assets |
//! | `integral` | inertias of triangle meshes |
//! | `site` | sites |
//! | `pair` | which geoms touch each other |
//! | `equality` | closed loops |
//! | `keyframe` | keyframes |
//! | `actuator` | the inertia of actuators |
//! | `drive` | the forces of actuators |

mod actuator;
mod axes;
mod body;
mod class;
mod drive;
mod equality;
mod fit;
mod form;
mod geom;
mod inertial;
mod integral;
mod joint;
mod keyframe;
mod known;
mod mesh;
mod notes;
mod pair;
mod pose;
mod section;
mod settings;
mod site;
mod solid;
mod source;
mod tree;

use std::path::Path;

use roxmltree::Document;

use self::class::Classes;
use self::mesh::Meshes;
use self::notes::Notes;
use self::settings::Settings;
use self::source::Sources;
use self::tree::Tree;
use super::xml::Lines;
use super::{Files, LoadError, LoadErrorKind, Options, xml};
use crate::{Model, ModelBuilder};

/// Reads a model from its parsed main file; included files are located relative to its path.
pub(super) fn from_document(
    document: &Document<'_>,
    lines: &Lines,
    path: &Path,
    options: &Options,
    disk: &dyn Files,
) -> Result<Model, LoadError> {
    if options.floating_base {
        let message = "a floating base can only be requested for URDF; in MJCF use <freejoint/>";
        return Err(xml::fault(LoadErrorKind::Unsupported, path, document.root_element(), message));
    }
    let files = source::collect(document, path, disk)?;
    let documents = files.iter().map(|file| xml::parse(&file.text, &file.path)).collect::<Result<Vec<_>, _>>()?;
    let included: Vec<Lines> = documents.iter().map(Lines::of).collect();
    let sources = Sources::new((document, lines), path, &files, &documents, &included, disk);
    let mut notes = Notes::new(path.to_owned());
    let settings = Settings::read(&sources, &mut notes)?;
    let classes = Classes::read(&sources)?;
    section::check(&sources, &classes, &mut notes)?;
    let meshes = Meshes::read(&sources, &classes, &settings, options.hulls)?;
    let rotors = actuator::rotors(&sources, &classes, &mut notes)?;
    let paired = pair::named(&sources);
    let mut tree = Tree::new(&sources, &settings, &classes, meshes, rotors, paired, notes);
    tree.grow()?;
    let carried = tree.carried();
    let name = sources.root.text("model").unwrap_or("MuJoCo Model");
    let (builder, mut notes, meshes) = tree.build(ModelBuilder::new(name))?;
    let model = builder.build().map_err(|error| LoadError::structure(path, None, &error))?;
    let model = equality::read(&sources, &classes, model, &carried, &mut notes)?;
    let model = {
        let actuators = drive::read(&sources, &classes, &settings, &model)?;
        model.with_actuators(actuators)
    };
    let keyframes = keyframe::read(&sources, &model, &mut notes)?;
    let pairs = pair::read(&sources, &classes, &model, &mut notes)?;
    let files = files.iter().map(|file| file.path.clone()).chain(meshes).collect();
    Ok(model.with_keyframes(keyframes).with_pairs(pairs).with_files(files).with_warnings(notes.into_warnings()))
}
