//! Meshes as shapes: files are found and read, and the vertices of their convex hulls touch.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use carom_multibody::load::{self, Options};
use carom_multibody::{
    CandidateOptions, Dynamics, Geometry, HalfSpace, Hull, HullOptions, LinkId, Model, Vector, WarningKind, candidates,
};
use common::*;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("carom_hulls_{name}_{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const WITH_HULLS: HullOptions = HullOptions { tolerance: 1e-2, vertices: 128 };

fn options(hulls: Option<HullOptions>) -> Options {
    let options = Options::new().floating_base(true);
    hulls.map_or(options, |hulls| options.hulls(hulls))
}

/// A wedge of six corners, and a point inside that no hull has.
const CORNERS: [[f64; 3]; 7] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 2.0, 0.0],
    [0.0, 0.0, 3.0],
    [1.0, 0.0, 3.0],
    [0.0, 2.0, 3.0],
    [0.25, 0.25, 1.0],
];
const FACES: [[usize; 3]; 9] =
    [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5], [0, 1, 6]];

fn obj() -> String {
    // Two objects, and a vertex that no face uses.
    let corners: String = CORNERS.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    let face = |face: &[usize; 3]| format!("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
    let [one, two] = [&FACES[..4], &FACES[4..]].map(|faces| faces.iter().map(face).collect::<String>());
    format!("{corners}v 9 9 9\no one\n{one}o two\n{two}")
}

fn stl() -> String {
    let corner = |k: &usize| CORNERS[*k].map(|x| x.to_string()).join(" ");
    let facet = |face: &[usize; 3]| {
        let corners: Vec<String> = face.iter().map(|k| format!("vertex {}", corner(k))).collect();
        format!("facet normal 0 0 0 outer loop {} endloop endfacet\n", corners.join(" "))
    };
    format!("solid wedge\n{}endsolid", FACES.iter().map(facet).collect::<String>())
}

fn dae() -> String {
    let numbers: Vec<String> = CORNERS.iter().flatten().map(|x| (100.0 * x).to_string()).collect();
    let places: Vec<String> = FACES.iter().flatten().map(usize::to_string).collect();
    format!(
        "<COLLADA><asset><unit meter='0.01'/></asset><library_geometries><geometry id='g'><mesh>
         <source id='s'><float_array id='a'>{}</float_array></source>
         <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
         <triangles><input semantic='VERTEX' source='#v' offset='0'/><p>{}</p></triangles></mesh></geometry>
         </library_geometries><library_visual_scenes><visual_scene id='scene'><node><instance_geometry url='#g'/></node>
         </visual_scene></library_visual_scenes><scene><instance_visual_scene url='#scene'/></scene></COLLADA>",
        numbers.join(" "),
        places.join(" ")
    )
}

fn urdf(file: &str, attributes: &str) -> String {
    format!(
        "<robot name='r'><link name='base'><inertial><mass value='1'/>
         <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry>
         <mesh filename='{file}' {attributes}/></geometry></collision></link></robot>"
    )
}

fn hull_of(model: &Model) -> Option<&Hull> {
    match &model.links()[1].shapes[0].geometry {
        Geometry::Mesh { hull, .. } => hull.as_deref(),
        other => panic!("{other:?}"),
    }
}

fn sorted(vertices: &[Vector]) -> Vec<[f64; 3]> {
    let mut vertices: Vec<[f64; 3]> = vertices.iter().map(|vertex| vertex.to_array().map(|x| x + 0.0)).collect();
    vertices.sort_by(|a, b| a.partial_cmp(b).unwrap());
    vertices
}

#[test]
fn urdf_reads_every_format_with_all_objects_and_scales() {
    let folder = Folder::new("formats");
    folder.write("meshes/wedge.obj", &obj());
    folder.write("meshes/wedge.stl", &stl());
    folder.write("meshes/wedge.DAE", &dae());
    for file in ["meshes/wedge.obj", "meshes/wedge.stl", "meshes/wedge.DAE"] {
        for (attributes, scale) in [("", [1.0; 3]), ("scale='2 1 -0.5'", [2.0, 1.0, -0.5])] {
            let robot = folder.write("robot.urdf", &urdf(file, attributes));
            let model = load::file(&robot, &options(Some(WITH_HULLS))).unwrap();
            assert!(model.warnings().is_empty(), "{:?}", model.warnings());
            let hull = hull_of(&model).unwrap();
            assert_eq!((hull.full, hull.vertices.len()), (6, 6), "{file}");
            let expected: Vec<Vector> =
                CORNERS[..6].iter().map(|corner| Vector::from([0, 1, 2].map(|i| scale[i] * corner[i]))).collect();
            for (given, expected) in sorted(&hull.vertices).iter().flatten().zip(sorted(&expected).iter().flatten()) {
                assert!((given - expected).abs() < 1e-15, "{file}");
            }
        }
    }
}

#[test]
fn packages_are_found_above_the_robot_file() {
    let folder = Folder::new("packages");
    folder.write("some_robot/meshes/wedge.stl", &stl());
    let inside = "package://some_robot/meshes/wedge.stl";
    for place in ["some_robot/urdf/robot.urdf", "other/robots/robot.urdf", "robot.urdf"] {
        let robot = folder.write(place, &urdf(inside, ""));
        let model = load::file(&robot, &options(Some(WITH_HULLS))).unwrap();
        assert!(hull_of(&model).is_some(), "{place}: {:?}", model.warnings());
    }
    let robot = folder.write("robot.urdf", &urdf("model://some_robot/meshes/wedge.stl", ""));
    assert!(hull_of(&load::file(&robot, &options(Some(WITH_HULLS))).unwrap()).is_some());
}

#[test]
fn meshes_that_cannot_touch_are_told_and_do_not_stop_the_robot() {
    let folder = Folder::new("missing");
    folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n");
    folder.write("short.stl", "solid cut\nvertex 1 2");
    folder.write("odd.ply", "ply");
    for (file, reason) in [
        ("nowhere.stl", "cannot be read"),
        ("flat.obj", "is flat: it has no hull"),
        ("short.stl", "is truncated or not in the format"),
        ("odd.ply", "is not STL, OBJ, DAE or MSH"),
        ("package://nothing/x.stl", "was not found"),
        ("package://nothing", "names no file in its package"),
    ] {
        let robot = folder.write("robot.urdf", &urdf(file, ""));
        let model = load::file(&robot, &options(Some(WITH_HULLS))).unwrap();
        assert_eq!(hull_of(&model), None);
        let [warning] = model.warnings() else { panic!("{:?}", model.warnings()) };
        assert_eq!(warning.kind, WarningKind::Missing);
        assert!(warning.message.contains(reason) && warning.message.contains("\"base\""), "{warning}");
        // Where nothing touches, nothing is opened.
        assert!(load::file(&robot, &options(None)).unwrap().warnings().is_empty());
    }
}

#[test]
fn mjcf_meshes_have_hulls_where_their_geoms_are() {
    let folder = Folder::new("mjcf");
    folder.write("wedge.obj", &obj().replace("o two", ""));
    let text = "<mujoco><asset><mesh name='w' file='wedge.obj' scale='1 1 2' refpos='0 0 1'/></asset><worldbody>
        <body><freejoint/><geom type='mesh' mesh='w' pos='5 0 0'/><geom type='mesh' mesh='w' name='again'/></body>
        </worldbody></mujoco>";
    let file = folder.write("robot.xml", text);
    let model = load::file(&file, &Options::new().hulls(WITH_HULLS)).unwrap();
    let hull = hull_of(&model).unwrap();
    let expected: Vec<Vector> = CORNERS[..6].iter().map(|[x, y, z]| Vector::new(*x, *y, 2.0 * (z - 1.0))).collect();
    assert_eq!(sorted(&hull.vertices), sorted(&expected));
    assert_eq!(model.links()[1].shapes[0].placement.translation, Vector::new(5.0, 0.0, 0.0));
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let plain = load::file(&file, &Options::default()).unwrap();
    assert_eq!(hull_of(&plain), None);
}

/// The lowest candidate is the lowest point of the mesh, to the error that the hull states.
#[test]
fn the_lowest_vertex_is_the_lowest_point_of_the_mesh() {
    let folder = Folder::new("lowest");
    for_cases(20, |rng| {
        let points: Vec<Vector> = (0..300).map(|_| magnitude(rng, 0.5, 1.0) * direction(rng)).collect();
        let corners: String = points.iter().map(|p| format!("v {:?} {:?} {:?}\n", p.x(), p.y(), p.z())).collect();
        let faces: String = (0..100).map(|k| format!("f {} {} {}\n", 3 * k + 1, 3 * k + 2, 3 * k + 3)).collect();
        folder.write("cloud.obj", &(corners + &faces));
        let robot = folder.write("robot.urdf", &urdf("cloud.obj", ""));
        let hulls = HullOptions { tolerance: if rng.bool() { 0.0 } else { 0.05 }, vertices: 128 };
        let model = load::file(&robot, &options(Some(hulls))).unwrap();
        let error = hull_of(&model).unwrap().error;
        let link = LinkId::from_index(1);
        let floor = HalfSpace::new(vector(rng, 1.0), direction(rng)).unwrap();
        let found = candidates(&model, link, 0, &floor, &CandidateOptions::default()).unwrap();
        assert!(found[0].name.ends_with("/vertex_0"), "{}", found[0].name);
        let q = configuration(&model, rng);
        let mut dynamics = Dynamics::new(model);
        dynamics.set_state(&q, &[0.0; 6]).unwrap();
        let place = dynamics.placement(link);
        // Meshes are read in single precision.
        let single = |p: &Vector| Vector::from(p.to_array().map(|x| f64::from(x as f32)));
        let lowest = points.iter().map(|p| floor.gap(place.apply(single(p)))).fold(f64::MAX, f64::min);
        let least = found.iter().map(|one| dynamics.gap(&one.contact, &floor)).fold(f64::MAX, f64::min);
        assert!(least >= lowest - 1e-14 && least <= lowest + error + 1e-14, "{least} {lowest} {error}");
    });
}

#[test]
fn paths_without_a_folder_are_relative_to_where_the_command_runs() {
    let robot = urdf("nowhere_at_all.stl", "");
    let model = load::text(&robot, Path::new("robot.urdf"), &options(Some(WITH_HULLS))).unwrap();
    assert_eq!(model.warnings().len(), 1);
}
