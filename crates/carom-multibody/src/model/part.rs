//! Parts of a model that share no velocities: each moves as if the others were not there.

use super::{Joint, JointKind, Link, LinkId, LoopKind, Model, ModelJoint, NO_NODE, Node, Sparsity, Tree};

/// Some of the kinematic trees of a model as a model of their own, and the indices of its entries in the whole model.
///
/// Links and joints keep their indices and names. Those outside the part do not move, have no shapes and no meaningful
/// placement: a part is for computing, not for drawing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelPart {
    /// The part.
    pub model: Model,
    /// The index in the whole configuration of each coordinate of the part, ascending.
    pub coordinates: Vec<usize>,
    /// The index in the whole velocity of each velocity of the part, ascending.
    pub velocities: Vec<usize>,
}

impl Model {
    /// For each link the group of kinematic trees that it belongs to, numbered from 0 in the order of their first links;
    /// `None` if it cannot move. A tree consists of all links that descend from one that is attached to the world. Trees
    /// with joints that follow each other, or that a closed loop holds together, are one group; different groups have no
    /// entry of M in common.
    pub fn groups(&self) -> Vec<Option<usize>> {
        let nodes = &self.tree.nodes;
        // The first node that shares a velocity, through roots and mimics.
        let mut first: Vec<usize> = nodes.iter().map(|node| node.root).collect();
        let find = |first: &[usize], mut node: usize| {
            while first[node] != node {
                node = first[node];
            }
            node
        };
        let mut owner: Vec<Option<usize>> = vec![None; self.nv()];
        for (i, node) in nodes.iter().enumerate() {
            for entry in &mut owner[node.v..node.v + node.motion.nv()] {
                let (own, other) = (find(&first, i), find(&first, entry.unwrap_or(i)));
                first[own.max(other)] = own.min(other);
                *entry = Some(own.min(other));
            }
        }
        for held in &self.loops {
            if let [one, other] = self.held_links(&held.kind).map(|link| self.links[link.0].node)
                && one != NO_NODE
                && other != NO_NODE
            {
                let (own, other) = (find(&first, one), find(&first, other));
                first[own.max(other)] = own.min(other);
            }
        }
        let mut numbers: Vec<usize> = Vec::new();
        let group = |link: &Link| {
            (link.node != NO_NODE).then(|| {
                let first = find(&first, link.node);
                numbers.iter().position(|known| *known == first).unwrap_or_else(|| {
                    numbers.push(first);
                    numbers.len() - 1
                })
            })
        };
        self.links.iter().map(group).collect()
    }

    /// The links that a loop moves, the world in place of a joint that it does not have.
    fn held_links(&self, kind: &LoopKind) -> [LinkId; 2] {
        match kind {
            LoopKind::Connect { links, .. } | LoopKind::Hinge { links, .. } | LoopKind::Weld { links, .. } => *links,
            LoopKind::Joint { joints, .. } => {
                joints.map(|joint| joint.map_or(LinkId::WORLD, |joint| self.joints[joint].link))
            }
        }
    }

    /// The part that consists of one of the [`Model::groups`].
    pub fn part(&self, groups: &[Option<usize>], group: usize) -> ModelPart {
        // A new field of a model must be handled here.
        let Self {
            name,
            links,
            joints,
            frames,
            warnings: _,
            gravity,
            home,
            keyframes: _,
            actuators: _,
            pairs,
            loops,
            loop_length,
            loop_directions,
            loop_plane,
            files: _,
            tree,
            sparsity: _,
        } = self;
        let is_in = |link: LinkId| groups.get(link.0).is_some_and(|own| *own == Some(group));
        let (mut coordinates, mut velocities) = (Vec::new(), Vec::new());
        let own = |joint: &&ModelJoint| is_in(joint.link) && joint.joint.mimic.is_none();
        for joint in joints.iter().filter(own) {
            coordinates.extend(joint.coordinates.clone());
            velocities.extend(joint.velocities.clone());
        }
        let place = |all: &[usize], index: usize| all.partition_point(|own| *own < index);
        let range = |all: &[usize], of: &std::ops::Range<usize>| place(all, of.start)..place(all, of.end);

        let of_node = |node: &Node| is_in(joints[node.joint].link);
        let mut kept = vec![NO_NODE; tree.nodes.len()];
        let mut nodes: Vec<Node> = Vec::new();
        let mut axes = 0;
        for (i, node) in tree.nodes.iter().enumerate().filter(|(_, node)| of_node(node)) {
            kept[i] = nodes.len();
            let parent = if node.parent == NO_NODE { NO_NODE } else { kept[node.parent] };
            let (q, v) = (place(&coordinates, node.q), place(&velocities, node.v));
            nodes.push(Node { parent, root: kept[node.root], q, v, axis: axes, ..node.clone() });
            axes += node.motion.nv();
        }
        let quaternions = tree.quaternions.iter().filter(|(_, joint)| is_in(joints[*joint].link));
        let quaternions = quaternions.map(|&(start, joint)| (place(&coordinates, start), joint)).collect();
        let tree = Tree { nodes, nv: velocities.len(), axes, quaternions };

        let links = links.iter().enumerate().map(|(i, link)| match groups.get(i).copied().flatten() {
            None => link.clone(),
            Some(other) if other == group => Link { node: kept[link.node], ..link.clone() },
            Some(_) => Link { node: NO_NODE, shapes: Vec::new(), ..link.clone() },
        });
        let joints = joints.iter().map(|joint| match is_in(joint.link) {
            true => ModelJoint {
                coordinates: range(&coordinates, &joint.coordinates),
                velocities: range(&velocities, &joint.velocities),
                ..joint.clone()
            },
            false => {
                let fixed = Joint::new(joint.joint.name.clone(), JointKind::Fixed);
                ModelJoint { joint: fixed, link: joint.link, coordinates: 0..0, velocities: 0..0 }
            }
        });
        let is_held = |kind: &LoopKind| self.held_links(kind).into_iter().any(is_in);
        let (loops, loop_directions) = loops
            .iter()
            .zip(loop_directions)
            .filter(|(held, _)| is_held(&held.kind))
            .map(|(held, directions)| (held.clone(), directions.clone()))
            .unzip();
        let model = Self {
            name: name.clone(),
            links: links.collect(),
            joints: joints.collect(),
            frames: frames.clone(),
            warnings: Vec::new(),
            gravity: *gravity,
            home: coordinates.iter().map(|&i| home[i]).collect(),
            keyframes: Vec::new(),
            actuators: Vec::new(),
            pairs: pairs.clone(),
            loops,
            loop_length: *loop_length,
            loop_directions,
            loop_plane: *loop_plane,
            files: Vec::new(),
            sparsity: Sparsity::of(&tree),
            tree,
        };
        ModelPart { model, coordinates, velocities }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        Dynamics, Inertia, Joint, JointKind, LinkId, LinkSpec, Loop, LoopKind, Mimic, Model, ModelBuilder, Placement,
    };

    /// Two arms of two joints and a body on a fixed post, all interleaved, and a link that is fixed to the world.
    fn scattered(mimic: Option<Mimic>) -> Model {
        let mut builder = ModelBuilder::new("scattered");
        let inertia =
            |k: usize| Inertia::cuboid(1.0 + k as f64, [0.1, 0.2, 0.3]).placed(&Placement::at([0.1, 0.0, 0.4]));
        let hinge = |name: &str| Joint::new(name, JointKind::Revolute).along([0.0, 1.0, 0.2]);
        let post = builder.link(LinkId::WORLD, LinkSpec::new("post").placed(Placement::at([1.0, 0.0, 0.0]))).unwrap();
        let spec = |name: &str, joint: Joint, k: usize| LinkSpec::new(name).joint(joint).inertia(inertia(k));
        let a = builder.link(LinkId::WORLD, spec("a", hinge("a"), 1)).unwrap();
        let b = builder.link(post, spec("b", hinge("b"), 2)).unwrap();
        let free = Joint::new("free", JointKind::Floating);
        builder.link(LinkId::WORLD, spec("body", free, 3)).unwrap();
        let mut last = hinge("d");
        last.mimic = mimic;
        builder.link(b, spec("d", last, 5).placed(Placement::at([0.0, 0.0, 0.5]))).unwrap();
        builder.link(a, spec("c", hinge("c"), 4).placed(Placement::at([0.0, 0.0, 0.5]))).unwrap();
        builder.build().unwrap()
    }

    #[test]
    fn a_part_has_the_entries_of_m_and_h_of_its_own() {
        let model = scattered(None);
        let groups = model.groups();
        assert_eq!(groups, [None, None, Some(0), Some(1), Some(2), Some(1), Some(0)]);
        let q: Vec<f64> = (0..model.nq()).map(|k| 0.3 + 0.1 * k as f64).collect();
        let v: Vec<f64> = (0..model.nv()).map(|k| 0.7 - 0.2 * k as f64).collect();
        let mut q = q;
        assert!(model.normalize(&mut q));
        let mut whole = Dynamics::new(Arc::new(model.clone()));
        whole.set_state(&q, &v).unwrap();
        let (mass, bias) = (whole.mass_matrix().clone(), whole.bias().to_vec());
        let mut seen = vec![false; model.nv()];
        for group in 0..3 {
            let part = model.part(&groups, group);
            let pick = |all: &[f64], places: &[usize]| places.iter().map(|&i| all[i]).collect::<Vec<f64>>();
            let mut own = Dynamics::new(Arc::new(part.model.clone()));
            own.set_state(&pick(&q, &part.coordinates), &pick(&v, &part.velocities)).unwrap();
            assert_eq!(own.bias(), pick(&bias, &part.velocities));
            let own_mass = own.mass_matrix();
            for (i, &row) in part.velocities.iter().enumerate() {
                assert!(!std::mem::replace(&mut seen[row], true));
                for column in 0..model.nv() {
                    let entry = part.velocities.iter().position(|&place| place == column);
                    assert_eq!(mass[(row, column)], entry.map_or(0.0, |j| own_mass[(i, j)]));
                }
            }
            let names = |model: &Model| (model.coordinate_names(), model.velocity_names());
            let (whole_q, whole_v) = names(&model);
            let picked =
                |all: Vec<String>, places: &[usize]| places.iter().map(|&i| all[i].clone()).collect::<Vec<_>>();
            assert_eq!(names(&part.model), (picked(whole_q, &part.coordinates), picked(whole_v, &part.velocities)));
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn trees_that_a_loop_holds_together_are_one_group_with_that_loop() {
        let joint = |name: &str| scattered(None).joints().iter().position(|joint| joint.joint.name == name);
        let held = Loop {
            name: "gear".to_owned(),
            kind: LoopKind::Joint {
                joints: [joint("a"), joint("b")],
                references: [0.0; 2],
                coefficients: [0.0, 1.0, 0.0, 0.0, 0.0],
            },
        };
        let model = scattered(None).with_loops([held]).unwrap();
        let groups = model.groups();
        assert_eq!(groups, [None, None, Some(0), Some(0), Some(1), Some(0), Some(0)]);
        let counts = [0, 1].map(|group| model.part(&groups, group).model.loops().len());
        assert_eq!(counts, [1, 0]);
    }

    #[test]
    fn joints_that_follow_each_other_are_one_group() {
        let mimic = Mimic { leader: "c".to_owned(), multiplier: 2.0, offset: 0.1 };
        let model = scattered(Some(mimic));
        let groups = model.groups();
        assert_eq!(groups, [None, None, Some(0), Some(0), Some(1), Some(0), Some(0)]);
        let part = model.part(&groups, 0);
        assert_eq!((part.model.nv(), part.coordinates.len()), (3, 3));
    }
}
