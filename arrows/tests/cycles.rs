//! What counts as a cycle, and how it is drawn, on small workspaces that are never written to a disk.

use std::collections::BTreeMap;
use std::path::Path;

use carom_arrows::{Package, Site, Workspace, picture};

/// A workspace of one crate with these files.
fn one(files: &[(&str, &str)]) -> Workspace {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let read = |path: &Path| files.get(path.to_str()?).map(|text| (*text).to_owned());
    let roots = BTreeMap::from([("one".to_owned(), "lib.rs".into())]);
    let package = Package { name: "one".into(), dependencies: BTreeMap::new(), roots };
    Workspace::new(&[package], &read).unwrap()
}

/// Every edge of every cycle, as `place: user -> used file:line`.
fn edges(workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for cycle in workspace.cycles() {
        for (from, to, site, _) in &cycle.edges {
            found.push(format!("{}: {from} -> {to} {}:{}", cycle.place, site.file.display(), site.line));
        }
    }
    found
}

#[test]
fn siblings_that_use_each_other_are_a_cycle() {
    let workspace = one(&[
        ("lib.rs", "mod a;\nmod b;\nmod c;"),
        ("a.rs", "use crate::c::C;\n\nuse super::b::B;\npub struct A(B, C);"),
        ("b.rs", "pub struct B;\nfn f() -> usize {\n    size_of::<crate::a::A>()\n}"),
        ("c.rs", "pub struct C;"),
    ]);
    assert_eq!(edges(&workspace), ["one: a -> b a.rs:3", "one: b -> a b.rs:3"]);
}

#[test]
fn a_cycle_may_go_through_folders_whose_files_have_none() {
    let workspace = one(&[
        ("lib.rs", "mod a; mod b;"),
        ("a/mod.rs", "mod x; mod y;"),
        ("a/x.rs", "use crate::b::u::U;"),
        ("a/y.rs", "pub struct Y;"),
        ("b/mod.rs", "pub mod u; pub mod v;"),
        ("b/u.rs", "pub struct U;"),
        ("b/v.rs", "\nuse crate::a::y::Y;"),
    ]);
    assert_eq!(edges(&workspace), ["one: a -> b a/x.rs:1", "one: b -> a b/v.rs:2"]);
}

#[test]
fn a_cycle_inside_a_folder_is_one_of_the_folder() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod x; mod y;"),
        ("a/x.rs", "use super::y::Y; pub struct X;"),
        ("a/y.rs", "use crate::a::x::X; pub struct Y;"),
    ];
    assert_eq!(edges(&one(&files)), ["one a: x -> y a/x.rs:1", "one a: y -> x a/y.rs:1"]);
}

#[test]
fn a_child_may_use_what_its_parent_defines_and_a_parent_its_children() {
    let workspace = one(&[
        ("lib.rs", "mod a; pub struct Root(a::A);"),
        ("a/mod.rs", "mod x; pub struct A(x::X); pub const ONE: usize = 1;"),
        ("a/x.rs", "use super::ONE; use crate::Root; pub struct X([crate::a::A; super::ONE]);"),
    ]);
    assert_eq!(edges(&workspace), [""; 0]);
    assert!(workspace.crates[0].levels.iter().all(|level| level.graph.edges.is_empty()));
}

#[test]
fn a_re_export_is_an_arrow_to_where_the_item_is() {
    let workspace = one(&[
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::Deep as Renamed;"),
        ("a.rs", "use crate::Renamed; pub struct A(Renamed);"),
        ("b/mod.rs", "mod x; pub use x::*; mod y;"),
        ("b/x.rs", "pub struct Deep(super::y::Y);"),
        ("b/y.rs", "pub struct Y; fn f(_: super::Deep) {}\nfn g() { assert!(crate::A::is()); }"),
    ]);
    let expected = ["one: a -> b a.rs:1", "one: b -> a b/y.rs:2", "one b: x -> y b/x.rs:1", "one b: y -> x b/y.rs:1"];
    assert_eq!(edges(&workspace), expected);
}

#[test]
fn what_an_imported_parent_is_asked_for_is_followed() {
    let workspace = one(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate as root; pub struct A(root::b::B);"),
        ("b.rs", "use super::*; pub struct B; type C = a::A;"),
    ]);
    assert_eq!(edges(&workspace), ["one: a -> b a.rs:1", "one: b -> a b.rs:1"]);
}

#[test]
fn code_of_tests_counts_nowhere() {
    let workspace = one(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests; #[cfg(test)] use crate::a::A; #[test] fn f() { crate::a::g(); }",
        ),
    ]);
    assert_eq!(edges(&workspace), [""; 0]);
    // The arrow outside tests is still there.
    assert_eq!(workspace.crates[0].levels[0].graph.edges.len(), 1);
}

#[test]
fn crates_that_use_each_other_are_a_cycle() {
    let package = |name: &str, other: &str| {
        let site = Site { file: format!("{name}/Cargo.toml").into(), line: 7, path: other.into() };
        let dependencies = BTreeMap::from([(other.to_owned(), site)]);
        Package { name: name.into(), dependencies, roots: BTreeMap::new() }
    };
    let read = |_: &Path| None;
    let workspace = Workspace::new(&[package("a", "b"), package("b", "c"), package("c", "a")], &read).unwrap();
    let expected = ["a -> b a/Cargo.toml:7", "b -> c b/Cargo.toml:7", "c -> a c/Cargo.toml:7"];
    assert_eq!(edges(&workspace), expected.map(|edge| format!("the workspace: {edge}")));
    let workspace = Workspace::new(&[package("a", "b"), package("b", "c")], &read).unwrap();
    assert_eq!(edges(&workspace), [""; 0]);
}

#[test]
fn a_file_that_is_missing_or_no_rust_is_named() {
    let roots = BTreeMap::from([("one".to_owned(), "lib.rs".into())]);
    let package = [Package { name: "one".into(), dependencies: BTreeMap::new(), roots }];
    let gone = Workspace::new(&package, &|path| (path == Path::new("lib.rs")).then(|| "mod a;".into())).err().unwrap();
    assert_eq!(gone, "a/mod.rs is missing (mod a of lib.rs)");
    let wrong = Workspace::new(&package, &|_| Some("\nfn (".into())).err().unwrap();
    assert!(wrong.starts_with("lib.rs:2: "), "{wrong}");
}

#[test]
fn the_picture_has_folders_with_the_arrows_that_do_not_follow_and_red_ones_where_they_go_back() {
    let mut files = vec![
        ("lib.rs", "mod a; mod b; mod c; mod between;"),
        ("between.rs", "use crate::c;"),
        ("a/mod.rs", "mod x; use crate::{b, between, c};"),
        ("a/x.rs", ""),
        ("b/mod.rs", "mod x; use crate::between;"),
        ("b/x.rs", ""),
        ("c/mod.rs", "mod x;"),
        ("c/x.rs", ""),
    ];
    let drawn = picture(&one(&files));
    for name in ["one", "and 1 file", "a", "b", "c"] {
        assert_eq!(drawn.matches(&format!(">{name}</text>")).count(), 1, "{name} in {drawn}");
    }
    // a to b, and b to c by way of the file between; not a to c.
    assert_eq!(drawn.matches("class=\"arrow\"").count(), 2, "{drawn}");
    assert!(!drawn.contains("class=\"arrow back\"") && !drawn.contains("between</text>"));
    files.push(("c/x.rs", "use crate::b;"));
    let drawn = picture(&one(&files));
    assert_eq!(drawn.matches("class=\"arrow back\"").count(), 1, "{drawn}");
}
