//! COLLADA: the vertices that faces of the scene use, in metres.
//!
//! Each instance of a geometry is placed by the transforms of the nodes above it, in their order. The `up_axis` is ignored,
//! as RViz, coal and trimesh do: links of robots are modelled in the axes of their file, whatever it says.

use std::collections::HashMap;

use roxmltree::{Document, Node};

use super::triangles::Triangles;
use crate::Vector;

const NOT_XML: &str = "is not the XML that its name tells";
const NO_SCENE: &str = "has no scene with faces";
const BROKEN: &str = "refers to an element that does not exist, or has numbers that do not fit together";
const DEEP: &str = "has nodes inside nodes without end";
const LARGE: &str = "has instances of instances without end: more than 100,000 nodes or ten million vertices";

/// Deepest nesting of nodes: a node that contains an instance of itself would never end.
const MOST_DEPTH: usize = 64;

/// Instances of instances can make exponentially many nodes and vertices.
const MOST_NODES: usize = 100_000;
const MOST_VERTICES: usize = 10_000_000;

pub(super) fn dae(text: &str) -> Result<Triangles, &'static str> {
    let document = Document::parse(text).map_err(|_| NOT_XML)?;
    let root = document.root_element();
    let ids = root.descendants().filter_map(|node| Some((node.attribute("id")?, node))).collect();
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let meter = match unit.and_then(|unit| unit.attribute("meter")) {
        Some(text) => text.trim().parse().map_err(|_| BROKEN)?,
        None => 1.0,
    };
    let mut scene = Scene { ids, vertices: Vec::new(), nodes: 0 };
    let instance = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let visual = match instance {
        Some(instance) => Some(scene.target(instance, "url")?),
        // Some exporters do not name the scene.
        None => root.descendants().find(|node| node.has_tag_name_of("visual_scene")),
    };
    let start = Affine { columns: [[meter, 0.0, 0.0], [0.0, meter, 0.0], [0.0, 0.0, meter]], origin: [0.0; 3] };
    for node in visual.ok_or(NO_SCENE)?.children().filter(|node| node.has_tag_name_of("node")) {
        scene.node(node, &start, 0)?;
    }
    if scene.vertices.is_empty() {
        return Err(NO_SCENE);
    }
    Ok(Triangles { vertices: scene.vertices, faces: Vec::new(), is_part: false })
}

/// Whatever the namespace, which versions of the format change.
trait LocalName {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl LocalName for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

fn child<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    node.children().find(|child| child.has_tag_name_of(name))
}

fn numbers(node: Node<'_, '_>) -> Result<Vec<f64>, &'static str> {
    let text = node.text().unwrap_or("");
    text.split_whitespace().map(|word| word.parse().map_err(|_| BROKEN)).collect()
}

fn number_of(node: Node<'_, '_>, attribute: &str) -> Result<Option<usize>, &'static str> {
    node.attribute(attribute).map(|text| text.trim().parse().map_err(|_| BROKEN)).transpose()
}

struct Scene<'a, 'd> {
    ids: HashMap<&'a str, Node<'a, 'd>>,
    vertices: Vec<Vector>,
    /// Number of nodes placed so far.
    nodes: usize,
}

impl<'a, 'd> Scene<'a, 'd> {
    /// The element that an attribute refers to.
    fn target(&self, node: Node<'a, 'd>, attribute: &str) -> Result<Node<'a, 'd>, &'static str> {
        let id = node.attribute(attribute).and_then(|url| url.strip_prefix('#')).ok_or(BROKEN)?;
        self.ids.get(id).copied().ok_or(BROKEN)
    }

    fn node(&mut self, node: Node<'a, 'd>, above: &Affine, depth: usize) -> Result<(), &'static str> {
        if depth > MOST_DEPTH {
            return Err(DEEP);
        }
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(LARGE);
        }
        let mut place = *above;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "matrix" | "translate" | "rotate" | "scale" => place = place.times(&transform(child)?),
                "instance_geometry" => {
                    let geometry = self.target(child, "url")?;
                    self.geometry(geometry, &place)?;
                }
                "instance_node" => {
                    let other = self.target(child, "url")?;
                    self.node(other, &place, depth + 1)?;
                }
                "node" => self.node(child, &place, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// The vertices that the faces of a geometry use. Lines are not part of a surface.
    fn geometry(&mut self, geometry: Node<'a, 'd>, place: &Affine) -> Result<(), &'static str> {
        let Some(mesh) = child(geometry, "mesh") else { return Ok(()) };
        let kinds = ["triangles", "polylist", "polygons", "tristrips", "trifans"];
        for part in mesh.children().filter(|node| kinds.iter().any(|kind| node.has_tag_name_of(kind))) {
            let inputs: Vec<_> = part.children().filter(|node| node.has_tag_name_of("input")).collect();
            let Some(input) = inputs.iter().find(|input| input.attribute("semantic") == Some("VERTEX")) else {
                continue;
            };
            let mut stride = 1;
            for other in &inputs {
                stride = stride.max(number_of(*other, "offset")?.unwrap_or(0).checked_add(1).ok_or(BROKEN)?);
            }
            let offset = number_of(*input, "offset")?.unwrap_or(0);
            let positions = self.positions(self.target(*input, "source")?)?;
            let mut is_used = vec![false; positions.len()];
            // <polygons> may have <p> inside <ph>, beside holes.
            for list in part.descendants().filter(|node| node.has_tag_name_of("p")) {
                let text = list.text().unwrap_or("");
                for word in text.split_whitespace().skip(offset).step_by(stride) {
                    let place: usize = word.parse().map_err(|_| BROKEN)?;
                    *is_used.get_mut(place).ok_or(BROKEN)? = true;
                }
            }
            let used = positions.into_iter().zip(is_used).filter(|(_, is_used)| *is_used);
            self.vertices.extend(used.map(|(position, _)| place.apply(position)));
            if self.vertices.len() > MOST_VERTICES {
                return Err(LARGE);
            }
        }
        Ok(())
    }

    /// Positions of a <vertices> element.
    fn positions(&self, vertices: Node<'a, 'd>) -> Result<Vec<[f64; 3]>, &'static str> {
        let mut inputs = vertices.children().filter(|node| node.has_tag_name_of("input"));
        let input = inputs.find(|input| input.attribute("semantic") == Some("POSITION")).ok_or(BROKEN)?;
        let source = self.target(input, "source")?;
        let accessor = child(source, "technique_common").and_then(|common| child(common, "accessor"));
        let stride = accessor.map(|accessor| number_of(accessor, "stride")).transpose()?.flatten().unwrap_or(3);
        let offset = accessor.map(|accessor| number_of(accessor, "offset")).transpose()?.flatten().unwrap_or(0);
        let array = child(source, "float_array").ok_or(BROKEN)?;
        let values = numbers(array)?;
        if stride < 3 {
            return Err(BROKEN);
        }
        let values = values.get(offset..).ok_or(BROKEN)?;
        Ok(values.chunks_exact(stride).map(|chunk| [chunk[0], chunk[1], chunk[2]]).collect())
    }
}

/// x ↦ C x + origin.
#[derive(Clone, Copy)]
struct Affine {
    columns: [[f64; 3]; 3],
    origin: [f64; 3],
}

impl Affine {
    const IDENTITY: Self = Self { columns: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    fn turn(&self, vector: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|i| (0..3).map(|k| self.columns[k][i] * vector[k]).sum())
    }

    fn apply(&self, point: [f64; 3]) -> Vector {
        Vector::from(self.turn(point)) + Vector::from(self.origin)
    }

    /// First `other`, then this.
    fn times(&self, other: &Self) -> Self {
        Self { columns: other.columns.map(|column| self.turn(column)), origin: self.apply(other.origin).to_array() }
    }
}

fn transform(element: Node<'_, '_>) -> Result<Affine, &'static str> {
    let numbers = numbers(element)?;
    let one = Affine::IDENTITY;
    match (element.tag_name().name(), numbers.as_slice()) {
        // Row by row.
        ("matrix", m) if m.len() == 16 => {
            Ok(Affine { columns: [0, 1, 2].map(|k| [m[k], m[4 + k], m[8 + k]]), origin: [m[3], m[7], m[11]] })
        }
        ("translate", &[x, y, z]) => Ok(Affine { origin: [x, y, z], ..one }),
        ("scale", &[x, y, z]) => Ok(Affine { columns: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]], ..one }),
        ("rotate", &[x, y, z, degrees]) => match Vector::new(x, y, z).normalized() {
            Some(axis) => {
                let turn = crate::Rotation::about(axis, degrees.to_radians());
                Ok(Affine { columns: turn.columns.map(Vector::to_array), ..one })
            }
            // Without an axis nothing turns, as exporters write for the identity.
            None => Ok(one),
        },
        _ => Err(BROKEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(unit: &str, scene: &str) -> String {
        format!(
            "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>
            <asset><unit name='unit' meter='{unit}'/><up_axis>Y_UP</up_axis></asset>
            <library_geometries><geometry id='g'><mesh>
              <source id='s'><float_array id='a' count='12'>0 0 0 1 0 0 0 2 0 9 9 9</float_array>
                <technique_common><accessor source='#a' count='4' stride='3'/></technique_common></source>
              <vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
              <triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/>
                <input semantic='NORMAL' source='#n' offset='1'/><p>0 7 1 7 2 7</p></triangles>
              <lines count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 3</p></lines>
            </mesh></geometry></library_geometries>
            <library_nodes><node id='part'><scale>1 1 3</scale><instance_geometry url='#g'/></node></library_nodes>
            <library_visual_scenes><visual_scene id='scene'>{scene}</visual_scene></library_visual_scenes>
            <scene><instance_visual_scene url='#scene'/></scene></COLLADA>"
        )
    }

    fn vertices(unit: &str, scene: &str) -> Vec<[f64; 3]> {
        dae(&document(unit, scene)).unwrap().vertices.into_iter().map(Vector::to_array).collect()
    }

    fn is_close(given: &[[f64; 3]], expected: &[[f64; 3]]) {
        assert_eq!(given.len(), expected.len(), "{given:?}");
        for (given, expected) in given.iter().flatten().zip(expected.iter().flatten()) {
            // Some rounding errors of coordinates of ten metres.
            assert!((given - expected).abs() < 1e-14, "{given} {expected}");
        }
    }

    #[test]
    fn only_vertices_of_faces_count_and_the_axis_that_is_up_does_not() {
        let plain = vertices("1", "<node><instance_geometry url='#g'/></node>");
        is_close(&plain, &[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
    }

    #[test]
    fn inches_are_metres_after_all_transforms() {
        let inches = vertices("0.0254", "<node><translate>1 0 0</translate><instance_geometry url='#g'/></node>");
        is_close(&inches, &[[0.0254, 0.0, 0.0], [0.0508, 0.0, 0.0], [0.0254, 0.0508, 0.0]]);
    }

    #[test]
    fn transforms_apply_in_their_order_through_nested_and_instanced_nodes() {
        let scene = "<node><translate>0 0 5</translate><rotate>0 0 1 90</rotate>
            <node><matrix>1 0 0 10  0 1 0 0  0 0 1 1  0 0 0 1</matrix><instance_node url='#part'/></node></node>";
        // x = Rz(90°) (v + (10, 0, 1)) + (0, 0, 5).
        is_close(&vertices("1", scene), &[[0.0, 10.0, 6.0], [0.0, 11.0, 6.0], [-2.0, 10.0, 6.0]]);
    }

    #[test]
    fn nodes_in_themselves_and_broken_references_are_refused() {
        let itself = "<node id='loop'><instance_node url='#loop'/></node>";
        assert_eq!(dae(&document("1", itself)).err(), Some(DEEP));
        // Two instances a level: 2^64 of them.
        let twice = "<node id='loop'><instance_node url='#loop'/><instance_node url='#loop'/></node>";
        assert_eq!(dae(&document("1", twice)).err(), Some(DEEP));
        assert_eq!(dae(&document("1", "<node><instance_geometry url='#none'/></node>")).err(), Some(BROKEN));
        assert_eq!(dae(&document("1", "<node><translate>1 2</translate></node>")).err(), Some(BROKEN));
        assert_eq!(dae(&document("1", "<node/>")).err(), Some(NO_SCENE));
        assert_eq!(dae("<COLLADA>").err(), Some(NOT_XML));
    }

    /// Each level places the one below it ten times.
    #[test]
    fn instances_of_instances_are_bounded_with_and_without_vertices() {
        for lowest in ["<instance_geometry url='#g'/>", "<extra/>"] {
            let mut scene = format!("<node id='level0'>{lowest}</node>");
            for level in 1..12 {
                let below = format!("<instance_node url='#level{}'/>", level - 1);
                scene = format!("<node id='level{level}'>{}</node>{scene}", below.repeat(10));
            }
            assert_eq!(dae(&document("1", &scene)).err(), Some(LARGE));
        }
    }
}
