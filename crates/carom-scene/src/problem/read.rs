//! Reads a tree into a typed problem: checks all keys and types.

use std::path::Path;
use std::str::FromStr;

use carom_law::{Guard, Law};
use serde::Serialize;
use serde_json::{Map, Value};

use super::terms::{Matrix, Terms};
use super::{Form, Problem, contacts, keys};
use crate::document::keys::COMMON as COMMON_KEYS;
use crate::document::value::{missing, named, numbers, required, rows, type_name, unknown_key};
use crate::document::{Document, Format, Kind, ProblemError, Tree, version};
use crate::robots::Robots;
use crate::scene::{SCENE, Scene};

type Result<T> = std::result::Result<T, ProblemError>;

const GENERALIZED: &[&str] = keys::GENERALIZED.names;
const CONTACT_SPACE: &[&str] = keys::CONTACT_SPACE.names;
const COMMON: &[&str] = COMMON_KEYS.names;

/// The problem given by a text in JSON or TOML. Paths of robot files are relative to the current folder.
impl FromStr for Problem {
    type Err = ProblemError;

    fn from_str(text: &str) -> Result<Self> {
        Self::from_text_in(text, Format::guess("", text), Path::new(""))
    }
}

impl Problem {
    /// The problem in a file, JSON or TOML. Paths of robot files are relative to the folder of the file.
    ///
    /// ```no_run
    /// let outcome = carom_scene::Problem::from_file("scene.toml")?.solve()?;
    /// # Ok::<(), carom_scene::ProblemError>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be read, or as [`Problem::from_tree`]; the error has the line of its field.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = carom_multibody::load::check_regular(path).and_then(|()| std::fs::read_to_string(path));
        let text =
            text.map_err(|error| ProblemError::document(Kind::File, format!("{name} cannot be read: {error}"), None))?;
        Self::from_text_in(&text, Format::guess(&name, &text), path.parent().unwrap_or(Path::new("")))
    }

    /// The problem given by a text. Paths of robot files are relative to `folder`.
    ///
    /// # Errors
    /// Those of [`Problem::from_tree`], with the line of the field.
    pub fn from_text_in(text: &str, format: Format, folder: &Path) -> Result<Self> {
        let document = Document::read(text, format)?;
        Self::from_tree_in(document.tree(), folder).map_err(|error| document.locate(error))
    }

    /// The problem given by serialisable data with the names of the interface, such as a map or a JSON value. Paths of robot
    /// files are relative to the current folder.
    ///
    /// # Errors
    /// Those of [`Problem::from_tree`].
    pub fn from_data(data: &(impl Serialize + ?Sized)) -> Result<Self> {
        Self::from_tree(&Tree::of(data)?)
    }

    /// The problem given by a tree. Paths of robot files are relative to the current folder.
    ///
    /// # Errors
    /// Unknown, missing or conflicting keys, values of the wrong type, coefficients out of range, a robot that cannot
    /// be read.
    pub fn from_tree(tree: &Tree) -> Result<Self> {
        Self::from_tree_in(tree, Path::new(""))
    }

    /// The problem given by a tree. Paths of robot files are relative to `folder`.
    ///
    /// # Errors
    /// Those of [`Problem::from_tree`].
    pub fn from_tree_in(tree: &Tree, folder: &Path) -> Result<Self> {
        Self::from_tree_with(tree, folder, &Robots::new())
    }

    /// The problem given by a tree, with robots from a cache. Paths of robot files are relative to `folder`.
    ///
    /// # Errors
    /// Those of [`Problem::from_tree`].
    pub fn from_tree_with(Tree(tree): &Tree, folder: &Path, robots: &Robots) -> Result<Self> {
        let Value::Object(map) = tree else {
            let message = format!("a problem must be an object with keys, not {}", type_name(tree));
            return Err(ProblemError::document(Kind::WrongType, message, None));
        };
        version::check(map)?;
        // A document with a robot is a scene, which has its own keys.
        let form_keys = if is_scene(map) {
            SCENE.names.to_vec()
        } else {
            [GENERALIZED, CONTACT_SPACE, keys::CONTACTS.names, &["model", "objects"]].concat()
        };
        if let Some(key) = map.keys().find(|key| !form_keys.iter().chain(COMMON).any(|known| known == key)) {
            let matrices = GENERALIZED.iter().chain(CONTACT_SPACE).any(|known| known == key);
            if matrices {
                let message = format!("{key} and model belong to different forms: a scene computes it from the robot");
                return Err(ProblemError::at(Kind::Conflict, key, message));
            }
            return Err(unknown_key("", key, &[&form_keys[..], COMMON].concat()));
        }
        Ok(Self {
            form: form(map, folder, robots)?,
            guard: match map.contains_key("guard") {
                true => Some(named(map, "", "guard", &Guard::ALL, Guard::name)?),
                false => None,
            },
            law: named(map, "", "law", &Law::ALL, Law::name)?,
        })
    }
}

/// A document with a robot or objects is a scene.
fn is_scene(map: &Map<String, Value>) -> bool {
    map.contains_key("model") || map.contains_key("objects")
}

fn form(map: &Map<String, Value>, folder: &Path, robots: &Robots) -> Result<Form> {
    if is_scene(map) {
        let scene = Box::new(Scene::from_map(map, folder, robots)?);
        return Ok(Form::Scene { scene, coefficients: contacts::of_problem(map)? });
    }
    Ok(Form::Matrices { terms: terms(map)?, contacts: contacts::read(map)? })
}

fn terms(map: &Map<String, Value>) -> Result<Terms> {
    let given = |keys: &[&'static str]| keys.iter().copied().find(|key| map.contains_key(*key));
    match (given(GENERALIZED), given(CONTACT_SPACE)) {
        (Some(one), Some(other)) => Err(ProblemError::at(
            Kind::Conflict,
            other,
            format!(
                "{one} and {other} belong to different forms: give mass_matrix, contact_jacobian and velocity, \
                 or delassus and contact_velocity"
            ),
        )),
        (None, None) => Err(missing(
            "delassus",
            "give delassus and contact_velocity, or mass_matrix, contact_jacobian and velocity, or model",
        )),
        (Some(_), None) => Ok(Terms::Generalized {
            mass_matrix: matrix(required(map, "", "mass_matrix")?, "mass_matrix")?,
            contact_jacobian: matrix(required(map, "", "contact_jacobian")?, "contact_jacobian")?,
            velocity: numbers(required(map, "", "velocity")?, "velocity")?,
        }),
        (None, Some(_)) => Ok(Terms::ContactSpace {
            delassus: rows(required(map, "", "delassus")?, "delassus")?,
            contact_velocity: numbers(required(map, "", "contact_velocity")?, "contact_velocity")?,
        }),
    }
}

fn matrix(value: &Value, path: &str) -> Result<Matrix> {
    Matrix::from_rows(&rows(value, path)?, path)
}
