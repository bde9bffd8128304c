//! The paths used in the code of a module.

use std::path::PathBuf;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItem, Item, ItemUse, Macro, Stmt, TraitItem, VisRestricted};

use crate::condition::{is_test_only, of_impl_item, of_item, of_statement, of_trait_item};
use crate::import::imports;
use crate::module::Module;
use crate::scope::End;

/// A path in the code of a module.
pub struct Usage {
    /// Its segments.
    pub path: Vec<String>,
    /// The kind of item that it may name.
    pub end: End,
    /// Its file.
    pub file: PathBuf,
    /// Its line.
    pub line: usize,
}

/// All paths in a module's own items, without those of tests.
pub fn usages(module: &Module) -> Vec<Usage> {
    let mut found = Vec::new();
    for (file, items) in &module.parts {
        let mut collector = Collector { file: file.clone(), found: Vec::new() };
        items.iter().for_each(|item| collector.visit_item(item));
        found.append(&mut collector.found);
    }
    found
}

struct Collector {
    file: PathBuf,
    found: Vec<Usage>,
}

impl Collector {
    fn add(&mut self, path: Vec<String>, end: End, line: usize) {
        self.found.push(Usage { path, end, file: self.file.clone(), line });
    }

    /// Paths in the tokens of macros: `a::b`, but not a single name, which may be anything.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut line, mut colons) = (Vec::new(), 0, 0);
        let mut is_field = false;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => {
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Ident(ident) => {
                    self.flush(&mut path, line);
                    // `::name` belongs to another crate, `.name` is a field or a method.
                    if colons != 2 && !is_field {
                        (path, line) = (vec![ident.to_string()], ident.span().start().line);
                    }
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && colons < 2 => colons += 1,
                other => {
                    self.flush(&mut path, line);
                    colons = 0;
                    is_field = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '.');
                    match other {
                        TokenTree::Group(group) => self.tokens(group.stream()),
                        TokenTree::Literal(_) | TokenTree::Punct(_) | TokenTree::Ident(_) => {}
                    }
                    continue;
                }
            }
            is_field = false;
        }
        self.flush(&mut path, line);
    }

    fn flush(&mut self, path: &mut Vec<String>, line: usize) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.add(path, End::Item, line);
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(of_item(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !is_test_only(of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if !is_test_only(of_trait_item(item)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !is_test_only(of_statement(statement)) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !is_test_only(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if !is_test_only(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if !is_test_only(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if !is_test_only(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for import in imports(item) {
            self.add(import.path, End::Anything, import.line);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let (None, Some(first)) = (path.leading_colon, path.segments.first()) {
            let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.add(names, End::Item, first.ident.span().start().line);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    /// `#[serde(with = "crate::number")]` names a module as much as a `use` does; documentation does not.
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if ["doc", "cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name)) {
            return;
        }
        let syn::Meta::List(list) = &attribute.meta else { return };
        for token in list.tokens.clone() {
            let TokenTree::Literal(literal) = token else { continue };
            let text = syn::parse_str::<syn::LitStr>(&literal.to_string());
            let Ok(path) = text.and_then(|text| text.parse::<syn::Path>()) else { continue };
            if path.leading_colon.is_none() && path.segments.len() > 1 {
                let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
                self.add(names, End::Item, literal.span().start().line);
            }
        }
        self.tokens(list.tokens.clone());
    }

    /// `pub(in crate::a)` restricts visibility and is not a use.
    fn visit_vis_restricted(&mut self, _: &'ast VisRestricted) {}
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::usages;
    use crate::module::ModuleTree;

    fn paths(text: &str) -> Vec<(String, usize)> {
        let tree = ModuleTree::read(Path::new("lib.rs"), &|_| Some(text.to_owned())).unwrap();
        let found = usages(&tree.modules[0]);
        found.into_iter().map(|usage| (usage.path.join("::"), usage.line)).filter(|one| one.0.contains(':')).collect()
    }

    #[test]
    fn paths_are_found_in_expressions_types_patterns_macros_and_attributes() {
        let text = "fn f(x: crate::a::X) -> Vec<super::b::Y> {\n let c::Z = c::d();\n x.e(|| vec![self::g::h(), x.y])\n}\n\
                    #[serde(with = \"crate::i::j\")]\nstruct S;\npub(in crate::k) fn l() {}\n/// [`crate::m::N`]\nfn o() {}";
        let expected =
            [("crate::a::X", 1), ("super::b::Y", 1), ("c::Z", 2), ("c::d", 2), ("self::g::h", 3), ("crate::i::j", 5)];
        assert_eq!(paths(text), expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn tokens_of_macros_are_paths_only_where_they_are_joined() {
        let text = "m! { crate::a::b(c: d::e), ::f::g, h.i::<j::k>(), l, Some::<m::n> }";
        let expected = ["crate::a::b", "d::e", "j::k", "m::n"];
        assert_eq!(paths(text), expected.map(|path| (path.to_owned(), 1)));
    }

    #[test]
    fn code_of_tests_is_passed_over_wherever_it_stands() {
        let text = "#[cfg(test)] use crate::a::B;\nfn f() { #[cfg(test)] crate::a::c(); }\n\
                    struct S { #[cfg(test)] d: crate::a::D }\nimpl S { #[cfg(test)] fn e() { crate::a::e(); } }\n\
                    fn g() { match 1 { #[cfg(test)] 1 => crate::a::f(), _ => crate::z::z() } }";
        assert_eq!(paths(text), [("crate::z::z".to_owned(), 5)]);
    }
}
