//! Mesh assets: their files and inertias.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::axes::settled;
use super::class::{Classes, Stated};
use super::integral::{self, Filling};
use super::known;
use super::notes::check_attributes;
use super::settings::{Settings, choice};
use super::source::{Part, Sources};
use crate::load::mesh_file::{self, MeshError};
use crate::load::{Files, LoadError, LoadErrorKind};
use crate::mesh::{Format, Hull, HullOptions, Objects, Triangles, hull};
use crate::{Inertia, Quaternion, Rotation, Symmetric, Vector};

struct Asset<'a> {
    stated: Stated<'a>,
    file: Option<&'a str>,
    /// Computed when first needed.
    solid: Option<Solid>,
    hull: Option<Arc<Hull>>,
}

/// A mesh filled with mass of density one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Solid {
    /// Volume or area and inertia, in the mesh's own frame.
    pub(super) inertia: Inertia,
    /// Principal moments, the largest first, and their axes.
    pub(super) moments: [f64; 3],
    pub(super) axes: Rotation,
    /// Bounds of the vertices along these axes, from the centre of mass.
    pub(super) low: [f64; 3],
    pub(super) high: [f64; 3],
}

/// The meshes of a model. A mesh is read only when its inertia or hull is needed.
pub(super) struct Meshes<'a> {
    disk: &'a dyn Files,
    assets: HashMap<String, Asset<'a>>,
    directory: PathBuf,
    strip_path: bool,
    /// How hulls of shapes are simplified; `None` if no hulls are wanted.
    hulls: Option<HullOptions>,
    /// Meshes of which only the first object contributes mass.
    pub(super) parts: Vec<Part<'a>>,
    /// The files that were opened.
    pub(super) opened: RefCell<Vec<PathBuf>>,
}

impl<'a> Meshes<'a> {
    pub(super) fn read(
        sources: &Sources<'a>,
        classes: &Classes<'a>,
        settings: &Settings,
        hulls: Option<HullOptions>,
    ) -> Result<Self, LoadError> {
        let main = sources.root.path.parent().unwrap_or(Path::new(""));
        let directory = settings.mesh_directory.as_ref().map_or(main.to_owned(), |directory| main.join(directory));
        let mut assets = HashMap::new();
        for part in sources.section("asset").into_iter().filter(|part| part.name() == "mesh") {
            let stated = classes.stated(part, "mesh", None)?;
            check_attributes(stated.part, known::MESH)?;
            let file = part.text("file");
            // A mesh without a name is named after its file, without path and extension.
            let stem = file.map(|file| {
                let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
                file.rsplit_once('.').map_or(file, |(stem, _)| stem)
            });
            let name = part.text("name").or(stem);
            let name = name.ok_or_else(|| part.value("<mesh> needs a name or a file"))?;
            if assets.insert(name.to_owned(), Asset { stated, file, solid: None, hull: None }).is_some() {
                return Err(part.value(format!("the mesh {name:?} is defined twice")));
            }
        }
        Ok(Self {
            disk: sources.disk,
            assets,
            directory,
            strip_path: settings.strip_path,
            hulls,
            parts: Vec::new(),
            opened: RefCell::default(),
        })
    }

    /// The name that a shape uses for its mesh: the file, or the asset's name for a mesh given inline.
    pub(super) fn file(&self, name: &str) -> String {
        self.assets.get(name).and_then(|asset| asset.file).unwrap_or(name).to_owned()
    }

    /// The mesh filled with mass of density one.
    pub(super) fn solid(&mut self, name: &str, geom: Part<'a>) -> Result<Solid, LoadError> {
        let missing = || geom.value(format!("<geom> mesh = {name:?} does not exist among the assets"));
        let asset = self.assets.get(name).ok_or_else(missing)?;
        if let Some(solid) = asset.solid {
            return Ok(solid);
        }
        let (solid, is_part) = self.integrate(asset, name)?;
        if let Some(asset) = self.assets.get_mut(name) {
            asset.solid = Some(solid);
            self.parts.extend(is_part.then_some(asset.stated.part));
        }
        Ok(solid)
    }

    /// The simplified convex hull of a mesh in the frame of its geom; `None` if no hulls are wanted.
    pub(super) fn hull(&mut self, name: &str, geom: Part<'a>) -> Result<Option<Arc<Hull>>, LoadError> {
        let Some(options) = &self.hulls else { return Ok(None) };
        let missing = || geom.value(format!("<geom> names the mesh {name:?}, which is not an asset"));
        let asset = self.assets.get(name).ok_or_else(missing)?;
        if let Some(hull) = &asset.hull {
            return Ok(Some(Arc::clone(hull)));
        }
        let mesh = self.triangles(asset, name)?;
        let flat = || asset.stated.part.value(format!("the mesh {name:?} is flat: it has no hull"));
        // MuJoCo makes the hull of what faces use.
        let points = if mesh.faces.is_empty() { mesh.vertices } else { mesh.used_vertices() };
        let hull = Arc::new(Hull::of(&points, options).ok_or_else(flat)?);
        if let Some(asset) = self.assets.get_mut(name) {
            asset.hull = Some(Arc::clone(&hull));
        }
        Ok(Some(hull))
    }

    /// The mesh as its element places it.
    fn triangles(&self, asset: &Asset<'a>, name: &str) -> Result<Triangles, LoadError> {
        let Asset { stated, file, .. } = asset;
        let part = stated.part;
        if part.text("builtin").is_some() || part.child("plugin").is_some() {
            return Err(part.unsupported(format!("the mesh {name:?} is made by MuJoCo; save it to a file")));
        }
        let mut mesh = match file {
            Some(file) => {
                let place = self.place(file);
                let read = mesh_file::read(&place, format(part, file)?, Objects::First, self.disk);
                let mesh = read.map_err(|error| faulty(part, &error))?;
                let mut opened = self.opened.borrow_mut();
                if !opened.contains(&place) {
                    opened.push(place);
                }
                mesh
            }
            None => inline(part)?,
        };
        place(&mut mesh, stated)?;
        Ok(mesh)
    }

    fn integrate(&self, asset: &Asset<'a>, name: &str) -> Result<(Solid, bool), LoadError> {
        let stated = &asset.stated;
        let part = stated.part;
        let words = [
            ("convex", Filling::Convex),
            ("exact", Filling::Exact),
            ("legacy", Filling::Legacy),
            ("shell", Filling::Shell),
        ];
        let filling = stated.origin("inertia").map_or(Ok(None), |origin| choice(origin, "inertia", &words))?;
        let filling = filling.unwrap_or(Filling::Legacy);
        let mut mesh = self.triangles(asset, name)?;
        if filling == Filling::Exact && !integral::is_oriented(&mesh) {
            let message = format!(
                "the mesh {name:?} has inconsistently oriented faces, which inertia = \"exact\" does not allow"
            );
            return Err(part.value(message));
        }
        if mesh.faces.is_empty() || filling == Filling::Convex {
            if stated.number("maxhullvert")?.is_some_and(|count| count > 0.0) {
                let message = "<mesh> maxhullvert is not supported: the inertia of a truncated hull is not known";
                return Err(part.unsupported(message));
            }
            let faces = hull(&mesh.vertices);
            mesh.faces =
                faces.ok_or_else(|| part.value(format!("the mesh {name:?} is flat and has no convex hull")))?;
        }
        let empty = || part.value(format!("the mesh {name:?} has no volume; use inertia = \"shell\""));
        let inertia = integral::inertia(&mesh, filling).ok_or_else(empty)?;
        Ok((solid(&mesh, &inertia), mesh.is_part))
    }

    fn place(&self, file: &str) -> PathBuf {
        let file = if self.strip_path { file.rsplit(['/', '\\']).next().unwrap_or(file) } else { file };
        self.directory.join(file)
    }
}

/// A file that cannot be opened is reported at the element, its contents at the file itself.
fn faulty(part: Part<'_>, error: &MeshError) -> LoadError {
    let (kind, file, line) = if error.is_unread() {
        (LoadErrorKind::Read, part.path, Some(part.line()))
    } else {
        (LoadErrorKind::Syntax, error.path(), None)
    };
    LoadError { kind, file: file.to_owned(), line, message: error.to_string() }
}

fn solid(mesh: &Triangles, inertia: &Inertia) -> Solid {
    let (moments, axes) = settled(&inertia.rotational);
    let rotational = Symmetric::diagonal(moments).rotated(&axes);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for vertex in &mesh.vertices {
        let place = axes.apply_inverse(*vertex - inertia.center).to_array();
        low = [0, 1, 2].map(|i| low[i].min(place[i]));
        high = [0, 1, 2].map(|i| high[i].max(place[i]));
    }
    Solid { inertia: Inertia { rotational, ..*inertia }, moments, axes, low, high }
}

/// The format: by the content type, else by the file's ending.
fn format(part: Part<'_>, file: &str) -> Result<Format, LoadError> {
    let word = match part.text("content_type") {
        Some(text) => text.rsplit(['/', '.']).next().unwrap_or(text).to_owned(),
        None => file.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase()),
    };
    // MuJoCo does not read COLLADA.
    Format::by_name(&word)
        .filter(|format| *format != Format::Dae)
        .ok_or_else(|| part.unsupported(format!("<mesh> file = {file:?} is not STL, OBJ or MSH")))
}

/// A mesh given inline by its element.
fn inline(part: Part<'_>) -> Result<Triangles, LoadError> {
    let numbers = part.list("vertex")?.ok_or_else(|| part.value("<mesh> needs a file or vertices"))?;
    // MuJoCo stores them in single precision.
    let vertex = |chunk: &[f64]| Vector::from([0, 1, 2].map(|i| f64::from(chunk[i] as f32)));
    let vertices: Vec<Vector> = numbers.chunks_exact(3).map(vertex).collect();
    let places = part.list("face")?.unwrap_or_default();
    if numbers.len() % 3 != 0 || places.len() % 3 != 0 {
        return Err(part.value("<mesh> vertex and face must have three numbers for each vertex and face"));
    }
    if places.iter().any(|place| !(*place >= 0.0 && *place < vertices.len() as f64 && place.fract() == 0.0)) {
        return Err(part.value("<mesh> face refers to a vertex that does not exist"));
    }
    let faces = places.chunks_exact(3).map(|chunk| [0, 1, 2].map(|i| chunk[i] as usize)).collect();
    Ok(Triangles { vertices, faces, is_part: false })
}

/// Translates, rotates and scales, in this order.
fn place(mesh: &mut Triangles, stated: &Stated<'_>) -> Result<(), LoadError> {
    let part = stated.part;
    let origin = Vector::from(part.numbers::<3>("refpos")?.unwrap_or_default());
    let turn = Quaternion::from_array(part.numbers("refquat")?.unwrap_or([1.0, 0.0, 0.0, 0.0]));
    let turn = turn.normalized().ok_or_else(|| part.value("<mesh> refquat has no direction"))?.to_rotation();
    let scale = stated.numbers::<3>("scale")?.unwrap_or([1.0; 3]);
    for vertex in &mut mesh.vertices {
        let moved = turn.apply_inverse(*vertex - origin).to_array();
        *vertex = Vector::from([0, 1, 2].map(|i| scale[i] * moved[i]));
    }
    // A mirrored mesh has its faces inside out.
    if scale.iter().product::<f64>() < 0.0 {
        for face in &mut mesh.faces {
            face.swap(1, 2);
        }
    }
    Ok(())
}
