//! A graph of named nodes whose edges know a line of code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A place in the code that makes an edge.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The file.
    pub file: PathBuf,
    /// The line, from one.
    pub line: usize,
    /// The path that is named there.
    pub path: String,
}

/// Nodes with names in order, and edges from users to what they use.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Names, sorted.
    pub nodes: Vec<String>,
    /// Every edge with the places that make it, sorted; never from a node to itself.
    pub edges: BTreeMap<(usize, usize), BTreeSet<Site>>,
}

impl Graph {
    /// Nodes without edges.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        let nodes: BTreeSet<String> = names.into_iter().collect();
        Self { nodes: nodes.into_iter().collect(), edges: BTreeMap::new() }
    }

    /// Adds an edge, or a place to one; nothing where a name is unknown or both are the same.
    pub fn add(&mut self, from: &str, to: &str, site: Site) {
        let find = |name: &str| self.nodes.binary_search_by(|node| node.as_str().cmp(name));
        if let (Ok(from), Ok(to)) = (find(from), find(to))
            && from != to
        {
            self.edges.entry((from, to)).or_default().insert(site);
        }
    }

    /// For every node, which nodes its edges lead to, near or far.
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

    /// How many edges the longest way down from each node has. All nodes of a cycle are at the same height.
    pub fn layers(&self) -> Vec<usize> {
        let reach = self.reach();
        let mut layers = vec![0; self.nodes.len()];
        // A node reaches more than what it uses, unless both are in one cycle; or as much, if what it uses is in one.
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| (reach[*node].len(), !reach[*node].contains(node)));
        for (place, node) in order.iter().copied().enumerate() {
            let is_below = |other: &&usize| reach[node].contains(other) && !reach[**other].contains(&node);
            let below = order[..place].iter().filter(is_below);
            layers[node] = below.map(|other| layers[*other] + 1).max().unwrap_or(0);
        }
        layers
    }
}

#[cfg(test)]
mod tests {
    use super::{Graph, Site};

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
}
