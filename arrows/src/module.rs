//! The modules of a library or a program, and their files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use syn::{Attribute, Expr, Item, ItemMod, Lit, Meta};

use crate::condition::is_test_only;

/// Reads the text of a source file.
pub type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// A module, without items compiled only for tests.
#[derive(Default)]
pub struct Module {
    /// Its own name; empty at the root.
    pub name: String,
    /// Its parent; the root is its own parent.
    pub parent: usize,
    /// The modules declared in it.
    pub children: BTreeMap<String, usize>,
    /// Its items by file. There are several files if a module is declared under mutually exclusive conditions.
    pub parts: Vec<(PathBuf, Vec<Item>)>,
}

/// All modules of a library or a program; the first is the root.
pub struct ModuleTree {
    /// Each module after its parent.
    pub modules: Vec<Module>,
}

impl ModuleTree {
    /// Follows the declarations of modules from the root file.
    ///
    /// # Errors
    /// If a file is missing or is not Rust.
    pub fn read(root: &Path, read: Read) -> Result<Self, String> {
        let mut tree = Self { modules: vec![Module::default()] };
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.add_file(0, root, folder, read)?;
        Ok(tree)
    }

    /// The names from the root to a module, with `::` between them.
    pub fn path(&self, module: usize) -> String {
        let names: Vec<&str> = self.lineage(module)[1..].iter().map(|id| self.modules[*id].name.as_str()).collect();
        names.join("::")
    }

    /// The modules from the root to this one.
    fn lineage(&self, module: usize) -> Vec<usize> {
        let mut up = vec![module];
        while let Some(last) = up.last().copied().filter(|last| *last != 0) {
            up.push(self.modules[last].parent);
        }
        up.reverse();
        up
    }

    /// The deepest module that contains two modules, and its two children on the paths to them. None if one
    /// contains the other: a child may use what its parent defines, and a parent may use its children.
    pub fn parting(&self, from: usize, to: usize) -> Option<(usize, usize, usize)> {
        let (a, b) = (self.lineage(from), self.lineage(to));
        let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
        Some((a[shared - 1], *a.get(shared)?, *b.get(shared)?))
    }

    /// Whether a module has children in files of their own.
    pub fn is_folder(&self, module: usize) -> bool {
        let files = |id: usize| self.modules[id].parts.iter().map(|(file, _)| file);
        self.modules[module]
            .children
            .values()
            .any(|child| files(*child).any(|file| files(module).all(|own| own != file)))
    }

    /// `folder` contains the files of the modules declared here.
    fn add_file(&mut self, module: usize, file: &Path, folder: PathBuf, read: Read) -> Result<(), String> {
        let text = read(file).ok_or_else(|| format!("{} is missing", file.display()))?;
        let parsed = syn::parse_file(&text)
            .map_err(|error| format!("{}:{}: {error}", file.display(), error.span().start().line))?;
        if is_test_only(&parsed.attrs) {
            return Ok(());
        }
        self.add_items(module, file, parsed.items, &folder, read)
    }

    fn add_items(
        &mut self,
        module: usize,
        file: &Path,
        items: Vec<Item>,
        folder: &Path,
        read: Read,
    ) -> Result<(), String> {
        let mut own = Vec::new();
        for item in items {
            match item {
                Item::Mod(item) if !is_test_only(&item.attrs) => self.add_child(module, file, item, folder, read)?,
                Item::Mod(_) => {}
                other => own.push(other),
            }
        }
        self.modules[module].parts.push((file.to_owned(), own));
        Ok(())
    }

    fn add_child(
        &mut self,
        parent: usize,
        file: &Path,
        item: ItemMod,
        folder: &Path,
        read: Read,
    ) -> Result<(), String> {
        let name = item.ident.to_string();
        let known = self.modules[parent].children.get(&name).copied();
        let child = known.unwrap_or(self.modules.len());
        if known.is_none() {
            self.modules.push(Module { name: name.clone(), parent, ..Module::default() });
            self.modules[parent].children.insert(name.clone(), child);
        }
        let below = folder.join(&name);
        if let Some((_, items)) = item.content {
            return self.add_items(child, file, items, &below, read);
        }
        if let Some(stated) = stated_path(&item.attrs) {
            let other = normal(&file.parent().unwrap_or(Path::new("")).join(stated));
            let folder = other.parent().unwrap_or(Path::new("")).to_owned();
            return self.add_file(child, &other, folder, read);
        }
        let beside = folder.join(format!("{name}.rs"));
        let other = if read(&beside).is_some() { beside } else { below.join("mod.rs") };
        self.add_file(child, &other, below, read).map_err(|error| format!("{error} (mod {name} of {})", file.display()))
    }
}

/// `#[path = "..."]`
fn stated_path(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::ModuleTree;

    #[test]
    fn modules_part_where_neither_contains_the_other() {
        let text = "mod a { mod x { mod deep {} } mod y {} } mod b {}";
        let tree = ModuleTree::read(Path::new("lib.rs"), &|_| Some(text.to_owned())).unwrap();
        let find = |path: &str| (0..tree.modules.len()).find(|id| tree.path(*id) == path).unwrap();
        for (from, to, expected) in [
            ("a::x::deep", "a", None),
            ("a::x::deep", "", None),
            ("a", "a::x::deep", None),
            ("a::x", "a::x", None),
            ("a::x::deep", "a::y", Some(("a", "a::x", "a::y"))),
            ("a::x::deep", "b", Some(("", "a", "b"))),
            ("b", "a::y", Some(("", "b", "a"))),
        ] {
            let expected = expected.map(|(parent, user, used)| (find(parent), find(user), find(used)));
            assert_eq!(tree.parting(find(from), find(to)), expected, "{from} to {to}");
        }
    }
}
