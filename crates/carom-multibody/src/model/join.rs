//! Several robots and objects in one world.

use super::{BuildError, LinkId, LinkSpec, Loop, LoopKind, Model, ModelBuilder, Pairs, Shape, StatedPair};

impl Model {
    /// This model and others in one world: their links, joints, frames and loops follow, with `name/` before their names. A part without
    /// a name keeps its own names, which must then differ from all others. Coordinates and velocities are those of this
    /// model, then those of each part in order. Gravity and keyframes stay those of this model: the keyframes are dropped if a part
    /// has coordinates.
    ///
    /// Links and shapes that are fixed to the world of a part are fixed to this world.
    ///
    /// # Errors
    /// A name that occurs twice, or more links or velocities than a model may have.
    pub fn joined<'m>(
        &'m self,
        parts: impl IntoIterator<Item = (Option<&'m str>, &'m Model)>,
    ) -> Result<Self, BuildError> {
        let parts: Vec<(Option<&str>, &Model)> = std::iter::once((None, self)).chain(parts).collect();
        let mut builder = ModelBuilder::new(self.name.clone());
        builder.gravity(self.gravity);
        builder.rename_world(&self.links[0].name);
        let (mut pairs, mut loops) = (Pairs::default(), Vec::new());
        let (mut first_link, mut first_joint, mut world_shapes) = (1, 0, 0);
        let mut finished = Vec::new();
        for (name, part) in &parts {
            let named = |own: &str| name.map_or_else(|| own.to_owned(), |name| format!("{name}/{own}"));
            let link = |LinkId(index): LinkId| if index == 0 { LinkId::WORLD } else { LinkId(first_link + index - 1) };
            for shape in &part.links[0].shapes {
                builder.world_shape(Shape { name: shape.name.as_deref().map(named), ..shape.clone() });
            }
            for own in &part.links[1..] {
                let joints = part.joints[own.joints.clone()].iter().map(|joint| {
                    let mut joint = joint.joint.clone();
                    joint.name = named(&joint.name);
                    if let Some(mimic) = &mut joint.mimic {
                        mimic.leader = named(&mimic.leader);
                    }
                    joint
                });
                let spec = LinkSpec {
                    name: named(&own.name),
                    placement: own.placement,
                    joints: joints.collect(),
                    inertia: own.inertia,
                    shapes: own.shapes.clone(),
                };
                builder.link(link(own.parent.unwrap_or(LinkId::WORLD)), spec)?;
            }
            for frame in &part.frames {
                builder.frame(named(&frame.name), link(frame.link), frame.placement)?;
            }
            let shape = |(carrier, index): (LinkId, usize)| match carrier {
                LinkId::WORLD => (LinkId::WORLD, world_shapes + index),
                carrier => (link(carrier), index),
            };
            pairs.stated.extend(
                part.pairs.stated.iter().map(|pair| StatedPair { shapes: pair.shapes.map(shape), ..pair.clone() }),
            );
            pairs.excluded.extend(part.pairs.excluded.iter().map(|links| links.map(link)));
            loops.extend(part.loops.iter().map(|one| {
                let mut kind = one.kind.clone();
                match &mut kind {
                    LoopKind::Connect { links, .. } | LoopKind::Hinge { links, .. } | LoopKind::Weld { links, .. } => {
                        *links = links.map(link);
                    }
                    LoopKind::Joint { joints, .. } => {
                        *joints = joints.map(|joint| joint.map(|joint| first_joint + joint))
                    }
                }
                Loop { name: named(&one.name), kind }
            }));
            finished.extend(part.warnings.iter().map(|warning| match name {
                None => warning.clone(),
                Some(name) => warning.clone().of(name),
            }));
            first_link += part.links.len() - 1;
            first_joint += part.joints.len();
            world_shapes += part.links[0].shapes.len();
        }
        let mut joined = builder.build()?;
        joined.warnings = finished;
        joined.pairs = pairs;
        joined.files = parts.iter().flat_map(|(_, part)| part.files.iter().cloned()).collect();
        if joined.nq() == self.nq() {
            joined.keyframes.clone_from(&self.keyframes);
        }
        joined.with_loops(loops)
    }

    /// The model with more shapes fixed to the world.
    pub fn with_world_shapes(mut self, shapes: impl IntoIterator<Item = Shape>) -> Self {
        self.links[0].shapes.extend(shapes);
        self
    }
}
