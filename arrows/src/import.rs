//! The names that a `use` declaration imports.

use syn::{ItemUse, UseTree};

/// One leaf of a `use` declaration.
pub struct Import {
    /// The segments, without a last `*` or `self`.
    pub path: Vec<String>,
    /// Its name in this scope; none for `_` and for `*`.
    pub name: Option<String>,
    /// Whether it ends in `*`.
    pub is_glob: bool,
    /// The line of the leaf.
    pub line: usize,
}

/// The leaves of a declaration; none if it begins with `::`, which refers to another crate.
pub fn imports(item: &ItemUse) -> Vec<Import> {
    let mut leaves = Vec::new();
    if item.leading_colon.is_none() {
        collect(&item.tree, &mut Vec::new(), &mut leaves);
    }
    leaves
}

fn collect(tree: &UseTree, front: &mut Vec<String>, leaves: &mut Vec<Import>) {
    let mut leaf = |ident: &syn::Ident, name: String| {
        let mut path = front.clone();
        if ident != "self" || path.is_empty() {
            path.push(ident.to_string());
        }
        let name = if name == "self" { path.last().cloned() } else { Some(name) };
        let name = name.filter(|name| name != "_");
        leaves.push(Import { path, name, is_glob: false, line: ident.span().start().line });
    };
    match tree {
        UseTree::Name(name) => leaf(&name.ident, name.ident.to_string()),
        UseTree::Rename(rename) => leaf(&rename.ident, rename.rename.to_string()),
        UseTree::Glob(glob) => {
            let line = glob.star_token.spans[0].start().line;
            leaves.push(Import { path: front.clone(), name: None, is_glob: true, line });
        }
        UseTree::Path(path) => {
            front.push(path.ident.to_string());
            collect(&path.tree, front, leaves);
            front.pop();
        }
        UseTree::Group(group) => group.items.iter().for_each(|tree| collect(tree, front, leaves)),
    }
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn groups_renames_and_globs_are_taken_apart() {
        let item = syn::parse_str("use crate::a::{self, b::C as D, e::*,\n f as _};").unwrap();
        let leaves: Vec<_> = imports(&item)
            .into_iter()
            .map(|leaf| (leaf.path.join("::"), leaf.name.unwrap_or_default(), leaf.is_glob, leaf.line))
            .collect();
        let expected = [
            ("crate::a", "a", false, 1),
            ("crate::a::b::C", "D", false, 1),
            ("crate::a::e", "", true, 1),
            ("crate::a::f", "", false, 2),
        ];
        assert_eq!(leaves, expected.map(|(path, name, is_glob, line)| (path.into(), name.into(), is_glob, line)));
        assert!(imports(&syn::parse_str("use ::other::A;").unwrap()).is_empty());
    }
}
