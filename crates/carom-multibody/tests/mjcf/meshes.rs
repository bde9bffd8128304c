//! Meshes: their volumes, their files, and primitives fitted to them.

use carom_multibody::load::LoadErrorKind;
use carom_multibody::{Geometry, WarningKind};

use super::helpers::*;

/// A U-shaped bracket, parts of which are not visible from its centre.
const CORNERS: [[f32; 2]; 8] =
    [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [2.75, 2.0], [2.75, 0.25], [0.25, 0.25], [0.25, 2.0], [0.0, 2.0]];
const PLATES: [[usize; 3]; 6] = [[0, 1, 4], [1, 2, 3], [1, 3, 4], [0, 4, 5], [0, 5, 6], [0, 6, 7]];

fn bracket() -> (Vec<[f32; 3]>, Vec<[usize; 3]>) {
    let level = |z: f32| CORNERS.map(|[x, y]| [x, y, z]);
    let mut faces = Vec::new();
    for [a, b, c] in PLATES {
        faces.extend([[a, c, b], [a + 8, b + 8, c + 8]]);
    }
    for i in 0..8 {
        let j = (i + 1) % 8;
        faces.extend([[i, j, j + 8], [i, j + 8, i + 8]]);
    }
    ([level(0.0), level(0.5)].concat(), faces)
}

fn mesh_text(mesh: &str) -> String {
    format!(
        r#"<mujoco><asset><mesh name="m" {mesh}/></asset><worldbody><body><joint/>
           <geom type="mesh" mesh="m" pos=".3 .2 .1" euler="10 20 30" density="12"/></body></worldbody></mujoco>"#
    )
}

#[test]
fn meshes_are_filled_as_they_say() {
    let (vertices, faces) = bracket();
    let join = |numbers: Vec<String>| numbers.join(" ");
    let vertex = join(vertices.iter().flatten().map(f32::to_string).collect());
    let face = join(faces.iter().flatten().map(usize::to_string).collect());
    for (attributes, expected) in [
        (
            "",
            "32.9144785502959 1.22259654554159 1.64704102090606 0.284323080356984 17.9203732941403 \
         25.4982824780079 38.1445605054212 -10.518096641913 6.41245913826173 1.27934167854411",
        ),
        (
            r#"inertia="exact""#,
            "9.75 1.29447660192169 1.52110682420627 0.235551688604947 7.63121455038675 10.8045862776906 \
         16.1994155180768 -4.42291827226952 2.72499459519109 0.522039454884093",
        ),
        (
            r#"inertia="convex""#,
            "36 1.13635524746252 1.79813618057736 0.342838729142456 19.1320000149116 23.6131478740524 \
         36.7548521110366 -7.2664695866224 6.0616413598751 -0.027538566676846",
        ),
        (
            r#"inertia="shell""#,
            "120 1.28024568002037 1.54603946627967 0.245207522253323 100.164883491636 138.292522973892 \
         206.908218534476 -53.8426024978714 34.2623544532739 5.74648541425992",
        ),
        (
            r#"refpos=".3 .2 .1" refquat="1 .3 .2 .1" scale="1 2 -3""#,
            "197.660814613566 0.512609489354255 1.8511313588131 -0.646226205335676 683.467742461733 \
         568.106681195755 188.794633693837 -34.9994938998107 96.9240795936116 30.8979045503913",
        ),
    ] {
        // MuJoCo 4.0.0 gives these.
        let text = mesh_text(&format!(r#"vertex="{vertex}" face="{face}" {attributes}"#));
        inertia_is(&model(&text), 1, expected);
    }
}

#[test]
fn all_formats_of_meshes_are_one() {
    let (vertices, faces) = bracket();
    let folder = Folder::new();
    let mut binary = vec![0; 80];
    binary.extend((faces.len() as u32).to_le_bytes());
    let mut ascii = "solid bracket\n".to_owned();
    let mut obj = "o bracket\n".to_owned();
    for [x, y, z] in &vertices {
        obj += &format!("v {x} {y} {z}\n");
    }
    for face in &faces {
        binary.extend([0; 12]);
        binary.extend(face.iter().flat_map(|&i| vertices[i]).flat_map(f32::to_le_bytes));
        binary.extend([0; 2]);
        ascii += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in face.map(|i| vertices[i]) {
            ascii += &format!("vertex {x} {y} {z}\n");
        }
        ascii += "endloop\nendfacet\n";
        let [a, b, c] = face.map(|i| i + 1);
        obj += &format!("f {a}/1/1 {b}//1 {c}\n");
    }
    let mut msh: Vec<u8> = [16, 0, 0, faces.len() as i32].into_iter().flat_map(i32::to_le_bytes).collect();
    msh.extend(vertices.iter().flatten().flat_map(|number| number.to_le_bytes()));
    msh.extend(faces.iter().flatten().flat_map(|&corner| (corner as i32).to_le_bytes()));
    folder.write("meshes/binary.stl", binary);
    folder.write("meshes/ascii.STL", ascii + "endsolid\n");
    folder.write("meshes/text.obj", obj);
    folder.write("meshes/own.msh", msh);
    for file in ["meshes/binary.stl", "meshes/ascii.STL", "meshes/text.obj", "meshes/own.msh"] {
        let path = folder.write("model.xml", mesh_text(&format!(r#"file="{file}""#)));
        let model = load(&path).unwrap_or_else(|error| panic!("{error}"));
        // MuJoCo 4.0.0 gives this.
        inertia_is(
            &model,
            1,
            "32.9144785502959 1.22259654554159 1.64704102090606 0.284323080356984 17.9203732941403 \
         25.4982824780079 38.1445605054212 -10.518096641913 6.41245913826173 1.27934167854411",
        );
        assert_eq!(model.links()[1].shapes[0].geometry, Geometry::Mesh { file: file.to_owned(), hull: None });
    }
}

#[test]
fn meshes_are_read_only_where_mass_comes_from_them() {
    let text = |body: &str| {
        format!(
            r#"<mujoco><compiler meshdir="nowhere" inertiagrouprange="0 1"/><asset><mesh file="gone.stl"/></asset>
               <worldbody>{body}</worldbody></mujoco>"#
        )
    };
    for body in [
        r#"<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="gone"/></body>"#,
        r#"<body><joint/><geom size=".1"/><geom type="mesh" mesh="gone" mass="0"/></body>"#,
        r#"<body><joint/><geom size=".1"/><geom type="mesh" mesh="gone" group="2"/></body>"#,
        r#"<geom type="mesh" mesh="gone"/>"#,
    ] {
        assert!(model(&text(body)).warnings().is_empty());
    }
    let still = model(&text(r#"<body><geom type="mesh" mesh="gone"/></body>"#));
    assert_eq!(still.warnings()[0].kind, WarningKind::Missing);
    let moving = refusal(&text(r#"<body><joint/><geom type="mesh" mesh="gone"/></body>"#));
    assert_eq!(moving.kind, LoadErrorKind::Read);
    assert!(moving.message.contains("gone.stl"), "{moving}");
}

#[test]
fn primitives_are_fitted_to_meshes() {
    let (vertices, _) = bracket();
    let vertex: Vec<String> = vertices.iter().flatten().map(f32::to_string).collect();
    let vertex = vertex.join(" ");
    for (kind, by_bounds, expected) in [
        ("box", false, "8016.62228886001 1.5 1 0.25 4861.94387810534 9474.25249596567 13361.4301197809 0 0 0"),
        ("capsule", false, "9039.86580132484 1.5 1 0.25 3101.38800525016 13675.9504784787 13675.9504784787 0 0 0"),
        ("sphere", true, "18816.5691986763 1.5 1 0.25 20491.2438573588 20491.2438573588 20491.2438573588 0 0 0"),
        ("cylinder", true, "12544.3794657842 1.5 1 0.25 7589.34957679956 15178.6991535991 15178.6991535991 0 0 0"),
    ] {
        let text = format!(
            r#"<mujoco><compiler fitaabb="{by_bounds}"/><asset>
               <mesh name="m" vertex="{vertex}" inertia="shell"/></asset><worldbody><body><joint/><geom type="{kind}" mesh="m" fitscale="1.1"/></body></worldbody></mujoco>"#
        );
        // MuJoCo 4.0.0 gives these.
        inertia_is(&model(&text), 1, expected);
    }
}
