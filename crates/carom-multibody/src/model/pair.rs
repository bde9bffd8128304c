//! The rules of a robot's file on which shapes touch each other, and with which friction.

use super::{LinkId, Model, NO_NODE};

/// The rules of a file for the contacts of a shape: the attributes of an MJCF geom.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ShapeContact {
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Of two shapes with different priorities the higher one decides friction and dimension.
    pub priority: i64,
    /// Dimension of its contacts: 1 means no friction.
    pub dimension: u32,
    /// `contype`: the kinds that it is of, as bits.
    pub kinds: u32,
    /// `conaffinity`: the kinds that it touches, as bits.
    pub touches: u32,
}

impl ShapeContact {
    /// Whether it can touch shapes other than those that a `<pair>` names.
    pub fn is_enabled(&self) -> bool {
        self.kinds != 0 || self.touches != 0
    }
}

/// A shape of a model: its link, and its index there.
pub type ShapeId = (LinkId, usize);

/// The rules of the robot's file for a pair of shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PairRule {
    /// Whether they touch.
    pub touches: bool,
    /// Their coefficient of sliding friction; zero for a contact of dimension 1.
    pub friction: f64,
}

/// A pair that the file names: it touches whatever the masks of its shapes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StatedPair {
    pub(crate) shapes: [ShapeId; 2],
    pub(crate) friction: f64,
    pub(crate) dimension: u32,
}

/// The pairs that a file names.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Pairs {
    pub(crate) stated: Vec<StatedPair>,
    /// Links whose shapes do not touch each other.
    pub(crate) excluded: Vec<[LinkId; 2]>,
}

impl Model {
    /// The rules of the robot's file for a pair of shapes, as in MuJoCo: a `<pair>` decides; otherwise masks and
    /// `<exclude>` decide whether they touch, and the shape of the higher priority, or the larger of both numbers, gives
    /// friction and dimension. `None` if the file has no rules, as a URDF, or a shape does not exist.
    pub fn pair_rule(&self, one: ShapeId, other: ShapeId) -> Option<PairRule> {
        let contact = |(link, shape): ShapeId| self.links.get(link.0)?.shapes.get(shape)?.contact;
        let (a, b) = (contact(one)?, contact(other)?);
        let (friction, dimension) = match a.priority.cmp(&b.priority) {
            std::cmp::Ordering::Equal => (a.friction.max(b.friction), a.dimension.max(b.dimension)),
            std::cmp::Ordering::Less => (b.friction, b.dimension),
            std::cmp::Ordering::Greater => (a.friction, a.dimension),
        };
        let is = |pair: &&StatedPair| pair.shapes == [one, other] || pair.shapes == [other, one];
        let stated = self.pairs.stated.iter().find(is);
        let links = [one.0, other.0];
        let is_excluded = self.pairs.excluded.iter().any(|pair| *pair == links || [pair[1], pair[0]] == links);
        let meet = a.kinds & b.touches != 0 || b.kinds & a.touches != 0;
        let (friction, dimension) = stated.map_or((friction, dimension), |pair| (pair.friction, pair.dimension));
        Some(PairRule {
            touches: stated.is_some() || (meet && !is_excluded),
            friction: if dimension == 1 { 0.0 } else { friction },
        })
    }

    /// The pairs of shapes of the model that may touch each other, in the order of links and shapes, by the rules of
    /// MuJoCo: pairs that a `<pair>` names; and all others of links that move against each other, except a link with
    /// the next link of its chain, pairs that masks or `<exclude>` leave out, planes, and meshes without a hull. Links
    /// that are fixed to the world are not neighbours of their children.
    pub fn shape_pairs(&self) -> Vec<[ShapeId; 2]> {
        let shapes: Vec<ShapeId> = (self.links.iter().enumerate())
            .flat_map(|(link, carrier)| (0..carrier.shapes.len()).map(move |shape| (LinkId(link), shape)))
            .filter(|(link, shape)| self.links[link.0].shapes[*shape].can_touch())
            .collect();
        let mut pairs = Vec::new();
        for (k, &one) in shapes.iter().enumerate() {
            for &other in &shapes[k + 1..] {
                let [a, b] = [one, other].map(|(link, _)| self.links[link.0].node);
                let hangs = |child: usize, parent: usize| {
                    child != NO_NODE && parent != NO_NODE && self.tree.nodes[child].parent == parent
                };
                let is_stated = |pair: &StatedPair| pair.shapes == [one, other] || pair.shapes == [other, one];
                let is_named = self.pairs.stated.iter().any(is_stated);
                let may_touch =
                    !hangs(a, b) && !hangs(b, a) && self.pair_rule(one, other).is_none_or(|rule| rule.touches);
                if a != b && (is_named || may_touch) {
                    pairs.push([one, other]);
                }
            }
        }
        pairs
    }

    /// The model with the pairs that its file names.
    pub(crate) fn with_pairs(mut self, pairs: Pairs) -> Self {
        self.pairs = pairs;
        self
    }
}
