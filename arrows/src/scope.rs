//! Names in modules, and which modules a path leads through.

use std::collections::{BTreeMap, BTreeSet};

use syn::Item;

use crate::condition::{is_test_only, of_item};
use crate::import::imports;
use crate::module::ModuleTree;

/// Whether a path may end in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// In a `use`: it brings in all that has the name.
    Anything,
    /// In expressions and types: they never name a module.
    Item,
}

enum Binding {
    Item,
    Module(usize),
    Import(Vec<String>),
}

/// The names of every module of a tree: its items, its modules, and what it imports, private imports too, as children
/// see them.
pub struct Scopes<'a> {
    tree: &'a ModuleTree,
    names: Vec<BTreeMap<String, Vec<Binding>>>,
    globs: Vec<Vec<Vec<String>>>,
}

impl<'a> Scopes<'a> {
    /// The names of a tree's modules.
    pub fn new(tree: &'a ModuleTree) -> Self {
        let (mut names, mut globs) = (Vec::new(), Vec::new());
        for module in &tree.modules {
            let mut own: BTreeMap<String, Vec<Binding>> = BTreeMap::new();
            let mut stars = Vec::new();
            for (name, id) in &module.children {
                own.entry(name.clone()).or_default().push(Binding::Module(*id));
            }
            for item in module.parts.iter().flat_map(|(_, items)| items) {
                if is_test_only(of_item(item)) {
                    continue;
                }
                if let Some(name) = name_of(item) {
                    own.entry(name).or_default().push(Binding::Item);
                }
                let Item::Use(item) = item else { continue };
                for import in imports(item) {
                    match import.name {
                        Some(name) => own.entry(name).or_default().push(Binding::Import(import.path)),
                        None if import.is_glob => stars.push(import.path),
                        None => {}
                    }
                }
            }
            names.push(own);
            globs.push(stars);
        }
        Self { tree, names, globs }
    }

    /// The modules that a path in the module `from` leads through, re-exports followed, to the one that defines what
    /// it names. Empty if it leads out of the crate.
    pub fn resolve(&self, from: usize, path: &[String], end: End) -> BTreeSet<usize> {
        let mut through = BTreeSet::new();
        Walk { scopes: self, end, seen: BTreeSet::new() }.path(from, path, &mut through);
        through
    }
}

/// Segments of a path that has grown by imports; one that grows beyond goes round, and Rust would refuse it.
const LONGEST: usize = 32;

/// A path on its way.
struct Walk<'a> {
    scopes: &'a Scopes<'a>,
    end: End,
    /// Where it has been, with what was left of it: imports may go round.
    seen: BTreeSet<(usize, Vec<String>)>,
}

impl Walk<'_> {
    /// From the first segment on; whether something of that name is known.
    fn path(&mut self, from: usize, path: &[String], through: &mut BTreeSet<usize>) -> bool {
        let mut module = from;
        let mut rest = path;
        while let Some((first, others)) = rest.split_first() {
            module = match first.as_str() {
                "crate" => 0,
                "self" => module,
                "super" => self.scopes.tree.modules[module].parent,
                _ => break,
            };
            rest = others;
            // The module is named even where a macro makes what is looked for in it.
            through.insert(module);
        }
        self.name(module, rest, through)
    }

    /// What is left of a path, in a module that it has come to.
    fn name(&mut self, module: usize, rest: &[String], through: &mut BTreeSet<usize>) -> bool {
        let Some((name, others)) = rest.split_first() else { return true };
        if rest.len() > LONGEST || !self.seen.insert((module, rest.to_vec())) {
            return false;
        }
        let scopes = self.scopes;
        let Some(bindings) = scopes.names[module].get(name) else {
            return self.glob(module, rest, through);
        };
        // A module shares its name only with functions, constants and macros: before the last segment it is the module
        // that is meant, and at the end of an expression or a type it is the other.
        let is_module = |binding: &Binding| matches!(binding, Binding::Module(_));
        let wanted = match (others.is_empty(), self.end) {
            (true, End::Anything) => None,
            (is_last, _) => Some(!is_last).filter(|wanted| bindings.iter().any(|one| is_module(one) == *wanted)),
        };
        let mut is_found = others.is_empty();
        for binding in bindings.iter().filter(|one| wanted.is_none_or(|wanted| is_module(one) == wanted)) {
            match binding {
                Binding::Item => {}
                Binding::Module(child) => {
                    through.insert(*child);
                    is_found |= self.name(*child, others, through);
                }
                // `use name::other as name` begins with another crate's name.
                Binding::Import(path) if path.first() == Some(name) && !bindings.iter().any(is_module) => {}
                Binding::Import(path) => {
                    let longer: Vec<String> = path.iter().chain(others).cloned().collect();
                    is_found |= self.path(module, &longer, through);
                }
            }
        }
        is_found
    }

    /// A name that a module may have by `use ...::*`.
    fn glob(&mut self, module: usize, rest: &[String], through: &mut BTreeSet<usize>) -> bool {
        let scopes = self.scopes;
        let mut is_found = false;
        for front in &scopes.globs[module] {
            let longer: Vec<String> = front.iter().chain(rest).cloned().collect();
            let mut further = BTreeSet::new();
            if self.path(module, &longer, &mut further) {
                through.append(&mut further);
                is_found = true;
            }
        }
        is_found
    }
}

/// The name that an item has in its module.
fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::{End, Scopes};
    use crate::module::ModuleTree;

    /// The modules that `path` in the module `from` leads through.
    fn through(files: &[(&str, &str)], from: &str, path: &str, end: End) -> Vec<String> {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let read = |path: &Path| files.get(path.to_str()?).map(|text| (*text).to_owned());
        let tree = ModuleTree::read(Path::new("lib.rs"), &read).unwrap();
        let from = (0..tree.modules.len()).find(|id| tree.path(*id) == from).unwrap();
        let path: Vec<String> = path.split("::").map(str::to_owned).collect();
        Scopes::new(&tree).resolve(from, &path, end).into_iter().map(|id| tree.path(id)).collect()
    }

    #[test]
    fn a_module_and_a_function_of_one_name_are_told_apart() {
        let files = [("lib.rs", "mod a; mod x; mod y;"), ("a.rs", ""), ("x.rs", "pub use crate::y::x; pub mod x {}")];
        let files = [&files[..], &[("y.rs", "pub fn x() {}")]].concat();
        assert_eq!(through(&files, "a", "crate::x::x", End::Item), ["", "x", "y"]);
        assert_eq!(through(&files, "a", "crate::x::x::Z", End::Item), ["", "x", "x::x"]);
        assert_eq!(through(&files, "a", "crate::x::x", End::Anything), ["", "x", "x::x", "y"]);
    }

    #[test]
    fn names_come_through_globs_and_imports_that_go_round_end() {
        let files = [("lib.rs", "mod a; mod b; mod c;"), ("a.rs", "use super::*; pub use crate::b::Loop;")];
        let others = [("b.rs", "pub use crate::a::Loop; pub use crate::c::*;"), ("c.rs", "pub struct Deep;")];
        let files = [&files[..], &others].concat();
        assert_eq!(through(&files, "a", "b::Deep", End::Item), ["", "b", "c"]);
        assert_eq!(through(&files, "a", "Vec", End::Item), [""; 0]);
        assert_eq!(through(&files, "a", "crate::b::Loop", End::Item), ["", "a", "b"]);
        assert_eq!(through(&files, "a", "other::Thing", End::Item), [""; 0]);
        let files = [("lib.rs", "use other::other; use a::b as c; use c::d as a;")];
        assert_eq!(through(&files, "", "other", End::Item), [""; 0]);
        assert_eq!(through(&files, "", "a", End::Item), [""; 0]);
    }
}
