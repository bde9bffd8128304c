//! Conditional compilation: what is compiled only for tests.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, Item, Meta, Stmt, Token, TraitItem};

/// Whether an item with these attributes is compiled only for tests.
pub fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_test = attribute.path().is_ident("test") || attribute.path().is_ident("bench");
        let condition = attribute.path().is_ident("cfg").then(|| attribute.parse_args::<Meta>().ok()).flatten();
        is_test || condition.is_some_and(|condition| needs_test(&condition))
    })
}

/// Whether a condition holds only in tests, including doctests.
fn needs_test(condition: &Meta) -> bool {
    let list = match condition {
        Meta::Path(path) => return path.is_ident("test") || path.is_ident("doctest"),
        Meta::List(list) => list,
        Meta::NameValue(_) => return false,
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).unwrap_or_default();
    if list.path.is_ident("all") {
        parts.iter().any(needs_test)
    } else {
        list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(needs_test)
    }
}

/// The attributes of an item.
pub fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item of an `impl`.
pub fn of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of an item of a trait.
pub fn of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of a statement.
pub fn of_statement(statement: &Stmt) -> &[Attribute] {
    match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Item(item) => of_item(item),
        Stmt::Macro(item) => &item.attrs,
        Stmt::Expr(expression, _) => match expression {
            Expr::Assign(expression) => &expression.attrs,
            Expr::Binary(expression) => &expression.attrs,
            Expr::Block(expression) => &expression.attrs,
            Expr::Call(expression) => &expression.attrs,
            Expr::ForLoop(expression) => &expression.attrs,
            Expr::If(expression) => &expression.attrs,
            Expr::Loop(expression) => &expression.attrs,
            Expr::Macro(expression) => &expression.attrs,
            Expr::Match(expression) => &expression.attrs,
            Expr::MethodCall(expression) => &expression.attrs,
            Expr::Return(expression) => &expression.attrs,
            Expr::Unsafe(expression) => &expression.attrs,
            Expr::While(expression) => &expression.attrs,
            _ => &[],
        },
    }
}

#[cfg(test)]
mod tests {
    use syn::{Item, parse_str};

    use super::{is_test_only, of_item};

    #[test]
    fn a_condition_is_one_of_tests_if_it_holds_nowhere_else() {
        for (condition, expected) in [
            ("#[cfg(test)]", true),
            ("#[test]", true),
            ("#[cfg(all(test, feature = \"png\"))]", true),
            ("#[cfg(any(test, doctest))]", true),
            ("#[cfg(any(test, feature = \"png\"))]", false),
            ("#[cfg(not(test))]", false),
            ("#[cfg(feature = \"test\")]", false),
            ("#[inline]", false),
        ] {
            let item: Item = parse_str(&format!("{condition} fn f() {{}}")).unwrap();
            assert_eq!(is_test_only(of_item(&item)), expected, "{condition}");
        }
    }
}
