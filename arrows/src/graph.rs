//! A graph of named nodes whose edges refer to lines of code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A location in the code that causes an edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The path used there.
    pub path: String,
}

/// Edges by the indices of their nodes, from user to used.
pub type Edges = BTreeSet<(usize, usize)>;

/// Named nodes, and edges from users to what they use.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Names, sorted.
    pub nodes: Vec<String>,
    /// Every edge with the locations that cause it, sorted; never from a node to itself.
    pub edges: BTreeMap<(usize, usize), BTreeSet<Site>>,
}

impl Graph {
    /// Nodes without edges.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let nodes: BTreeSet<String> = names.into_iter().collect();
        Self { nodes: nodes.into_iter().collect(), edges: BTreeMap::new() }
    }

    /// Adds an edge, or a location to an existing one; does nothing if a name is unknown or both are the same.
    pub fn add(&mut self, from: &str, to: &str, site: Site) {
        let find = |name: &str| self.nodes.binary_search_by(|node| node.as_str().cmp(name));
        if let (Ok(from), Ok(to)) = (find(from), find(to))
            && from != to
        {
            self.edges.entry((from, to)).or_default().insert(site);
        }
    }

    /// For every node, the nodes reachable from it.
    fn reach(&self) -> Vec<BTreeSet<usize>> {
        let next = |node: usize| self.edges.range((node, 0)..(node + 1, 0)).map(|((_, to), _)| *to);
        let all = 0..self.nodes.len();
        all.map(|start| {
            let mut reached = BTreeSet::new();
            let mut open: Vec<usize> = next(start).collect();
            while let Some(node) = open.pop() {
                if reached.insert(node) {
                    open.extend(next(node));
                }
            }
            reached
        })
        .collect()
    }

    /// The sets of nodes that reach each other: the strongly connected components with more than one node.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let reach = self.reach();
        let round = (0..self.nodes.len()).filter(|node| reach[*node].contains(node));
        let sets: BTreeSet<Vec<usize>> = round
            .map(|node| reach[node].iter().copied().filter(|other| reach[*other].contains(&node)).collect())
            .collect();
        sets.into_iter().collect()
    }

    /// The edges between different strongly connected components, and those inside a component from earlier to later names:
    /// these are acyclic. The remaining edges point back.
    pub fn without_cycles(&self) -> (Edges, Edges) {
        let cycles = self.cycles();
        let is_back = |edge: &(usize, usize)| {
            edge.0 > edge.1 && cycles.iter().any(|cycle| cycle.contains(&edge.0) && cycle.contains(&edge.1))
        };
        let (back, forward) = self.edges.keys().copied().partition(is_back);
        (forward, back)
    }

    /// Length of the longest path down from each node. All nodes of a cycle have the same height.
    pub fn layers(&self) -> Vec<usize> {
        let reach = self.reach();
        let mut layers = vec![0; self.nodes.len()];
        // A node reaches more nodes than those it uses, unless both are in one cycle; or as many, if the used one is in a cycle.
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| (reach[*node].len(), !reach[*node].contains(node)));
        for (place, node) in order.iter().copied().enumerate() {
            let is_below = |other: &&usize| reach[node].contains(other) && !reach[**other].contains(&node);
            let below = order[..place].iter().filter(is_below);
            layers[node] = below.map(|other| layers[*other] + 1).max().unwrap_or(0);
        }
        layers
    }

    /// The graph of some of the nodes: an edge for every path between two of them that avoids the others.
    pub fn restricted(&self, kept: &BTreeSet<String>) -> Self {
        let mut small = Self::new(kept.iter().filter(|name| self.nodes.contains(name)).cloned());
        for (start, name) in self.nodes.iter().enumerate().filter(|(_, name)| kept.contains(*name)) {
            let mut seen = BTreeSet::new();
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                for ((_, to), sites) in self.edges.range((node, 0)..(node + 1, 0)) {
                    if kept.contains(&self.nodes[*to]) {
                        sites.iter().for_each(|site| small.add(name, &self.nodes[*to], site.clone()));
                    } else if seen.insert(*to) {
                        open.push(*to);
                    }
                }
            }
        }
        small
    }
}

/// The transitive reduction of acyclic edges.
pub fn reduced(edges: &Edges) -> Edges {
    let is_implied = |edge: &(usize, usize)| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<usize> =
            edges.iter().filter(|one| one.0 == edge.0 && one != &edge).map(|one| one.1).collect();
        while let Some(node) = open.pop() {
            if seen.insert(node) {
                open.extend(edges.iter().filter(|one| one.0 == node).map(|one| one.1));
            }
        }
        seen.contains(&edge.1)
    };
    edges.iter().copied().filter(|edge| !is_implied(edge)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Graph, Site, reduced};

    fn graph(edges: &[(&str, &str)]) -> Graph {
        let mut graph = Graph::new(edges.iter().flat_map(|(from, to)| [(*from).to_owned(), (*to).to_owned()]));
        for (from, to) in edges {
            graph.add(from, to, Site { file: "f".into(), line: 1, path: String::new() });
        }
        graph
    }

    #[test]
    fn cycles_are_the_nodes_that_reach_each_other() {
        let cycles = graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "f"), ("f", "e")]).cycles();
        assert_eq!(cycles, [vec![0, 1, 2], vec![4, 5]]);
        assert!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]).cycles().is_empty());
    }

    #[test]
    fn layers_are_longest_ways_down() {
        assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]).layers(), [2, 1, 0, 1]);
        assert_eq!(graph(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "d"), ("e", "a")]).layers(), [2, 2, 1, 0, 3]);
        assert_eq!(graph(&[("a", "b"), ("b", "c"), ("c", "b")]).layers(), [1, 0, 0]);
    }

    #[test]
    fn what_follows_is_left_out() {
        let edges = BTreeSet::from([(0, 1), (1, 2), (0, 2), (0, 3)]);
        assert_eq!(reduced(&edges), BTreeSet::from([(0, 1), (1, 2), (0, 3)]));
    }

    #[test]
    fn a_restricted_graph_keeps_the_ways_through_others() {
        let kept = ["a", "c", "d"].map(str::to_owned).into();
        let small = graph(&[("a", "b"), ("b", "c"), ("c", "d")]).restricted(&kept);
        assert_eq!(small.edges.keys().copied().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
    }
}
