//! The graphs and their cycles as text.

use std::fmt::{Display, Formatter, Result};

use crate::graph::Graph;
use crate::workspace::{Cycle, Workspace};

/// Layers of every crate and folder, the highest first: a name only uses names further down, unless it is in a cycle.
impl Display for Workspace {
    fn fmt(&self, out: &mut Formatter) -> Result {
        writeln!(out, "the workspace")?;
        layers(&self.packages, out)?;
        for one in &self.crates {
            for level in one.levels.iter().filter(|level| !level.graph.nodes.is_empty()) {
                let gap = if level.folder.is_empty() { "" } else { " " };
                writeln!(out, "\n{}{gap}{}", one.name, level.folder)?;
                layers(&level.graph, out)?;
            }
        }
        Ok(())
    }
}

/// One line per layer; the members of a cycle are grouped in brackets.
fn layers(graph: &Graph, out: &mut Formatter) -> Result {
    let (layers, cycles) = (graph.layers(), graph.cycles());
    for layer in (0..=layers.iter().copied().max().unwrap_or(0)).rev() {
        write!(out, "{layer:4} ")?;
        for (node, name) in graph.nodes.iter().enumerate().filter(|(node, _)| layers[*node] == layer) {
            match cycles.iter().find(|cycle| cycle.contains(&node)) {
                None => write!(out, " {name}")?,
                Some(cycle) if cycle[0] == node => {
                    let names: Vec<&str> = cycle.iter().map(|node| graph.nodes[*node].as_str()).collect();
                    write!(out, " ({})", names.join(" "))?;
                }
                Some(_) => {}
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The members, then a line for every edge between them.
impl Display for Cycle {
    fn fmt(&self, out: &mut Formatter) -> Result {
        writeln!(out, "{}: cycle of {}", self.place, self.members.join(", "))?;
        for (from, to, site, count) in &self.edges {
            write!(out, "  {from} -> {to}  {}:{} {}", site.file.display(), site.line, site.path)?;
            writeln!(out, "{}", if *count > 1 { format!("  (and {} more)", count - 1) } else { String::new() })?;
        }
        Ok(())
    }
}
