//! The workspace as graphs: one of its crates, and one of the children of every module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::graph::{Graph, Site};
use crate::module::{ModuleTree, Read};
use crate::package::{Package, packages};
use crate::scope::Scopes;
use crate::usage::usages;

/// The direct children of a module and their dependencies.
pub struct Level {
    /// The path of the module from the root of its crate; empty for the root.
    pub folder: String,
    /// Its children by name.
    pub graph: Graph,
}

/// The modules of one library or program.
pub struct Crate {
    /// The name of the package; with the name of the program if the package has more than one root.
    pub name: String,
    /// The package that it belongs to.
    pub package: String,
    /// Every module that has children, the root first, then by path.
    pub levels: Vec<Level>,
    /// The modules at the top that have files of their own below them.
    pub folders: BTreeSet<String>,
}

/// All packages and their modules.
pub struct Workspace {
    /// Packages by name, and their dependencies.
    pub packages: Graph,
    /// Libraries and programs by name.
    pub crates: Vec<Crate>,
}

/// Some modules, folders or crates that use each other.
pub struct Cycle {
    /// Their location: a crate, and a folder if it is not the root.
    pub place: String,
    /// Their names.
    pub members: Vec<String>,
    /// Every edge between them, with the first location in the code that causes it and the number of such locations.
    pub edges: Vec<(String, String, Site, usize)>,
}

impl Workspace {
    /// Reads the workspace in a folder. File names are relative to it.
    ///
    /// # Errors
    /// If Cargo fails, or a file is missing or is not Rust.
    pub fn read(root: &Path) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
        let short = |file: &Path| file.strip_prefix(&root).unwrap_or(file).to_owned();
        let mut listed = packages(&root)?;
        for package in &mut listed {
            package.roots.values_mut().for_each(|file| *file = short(file));
            package.dependencies.values_mut().for_each(|site| site.file = short(&site.file));
        }
        Self::new(&listed, &|file| std::fs::read_to_string(root.join(file)).ok())
    }

    /// The workspace of these packages, whose files are read by `read`.
    ///
    /// # Errors
    /// If a file is missing or is not Rust.
    pub fn new(listed: &[Package], read: Read) -> Result<Self, String> {
        let mut packages = Graph::new(listed.iter().map(|package| package.name.clone()));
        let mut crates = Vec::new();
        for package in listed {
            for (other, site) in &package.dependencies {
                packages.add(&package.name, other, site.clone());
            }
            for (name, root) in &package.roots {
                crates.push(Crate::read(name, &package.name, root, read)?);
            }
        }
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Self { packages, crates })
    }

    /// All cycles: those of crates first, then by crate and folder.
    pub fn cycles(&self) -> Vec<Cycle> {
        let mut cycles = cycles("the workspace", &self.packages);
        for one in &self.crates {
            for level in &one.levels {
                let place =
                    if level.folder.is_empty() { one.name.clone() } else { format!("{} {}", one.name, level.folder) };
                cycles.append(&mut self::cycles(&place, &level.graph));
            }
        }
        cycles
    }
}

impl Crate {
    fn read(name: &str, package: &str, root: &Path, read: Read) -> Result<Self, String> {
        let tree = ModuleTree::read(root, read)?;
        let scopes = Scopes::new(&tree);
        let mut graphs: BTreeMap<usize, Graph> = BTreeMap::new();
        for (id, module) in tree.modules.iter().enumerate() {
            if id == 0 || !module.children.is_empty() {
                graphs.insert(id, Graph::new(module.children.keys().cloned()));
            }
        }
        for (from, module) in tree.modules.iter().enumerate() {
            for usage in usages(module) {
                for to in scopes.resolve(from, &usage.path, usage.end) {
                    let Some((parent, user, used)) = tree.parting(from, to) else { continue };
                    let site = Site { file: usage.file.clone(), line: usage.line, path: usage.path.join("::") };
                    let (user, used) = (&tree.modules[user].name, &tree.modules[used].name);
                    graphs.entry(parent).or_default().add(user, used, site);
                }
            }
        }
        let mut levels: Vec<Level> =
            graphs.into_iter().map(|(id, graph)| Level { folder: tree.path(id), graph }).collect();
        levels.sort_by(|a, b| a.folder.cmp(&b.folder));
        let top = tree.modules[0].children.iter();
        let folders = top.filter(|(_, id)| tree.is_folder(**id)).map(|(name, _)| name.clone()).collect();
        Ok(Self { name: name.into(), package: package.into(), levels, folders })
    }
}

fn cycles(place: &str, graph: &Graph) -> Vec<Cycle> {
    let name = |node: usize| graph.nodes[node].clone();
    let cycle = |members: Vec<usize>| {
        let inside = graph.edges.iter().filter(|((from, to), _)| members.contains(from) && members.contains(to));
        let edges = inside
            .filter_map(|((from, to), sites)| Some((name(*from), name(*to), sites.first()?.clone(), sites.len())));
        Cycle { place: place.into(), edges: edges.collect(), members: members.iter().map(|node| name(*node)).collect() }
    };
    graph.cycles().into_iter().map(cycle).collect()
}
