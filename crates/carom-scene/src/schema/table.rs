//! Objects of documents as data: their keys, with types and meanings.

/// An object of a document.
#[derive(Debug)]
pub struct Object {
    /// Its name in a schema.
    pub name: &'static str,
    /// The keys.
    pub keys: &'static [Key],
    /// The names of the keys, in the same order.
    pub names: &'static [&'static str],
    /// The rules for the keys.
    pub rules: &'static [Rule],
}

/// A key of an object.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The type of its value.
    pub value: Type,
    /// Its meaning, in one line.
    pub meaning: &'static str,
}

/// A rule for the keys of an object.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// All of these keys are given.
    Required(&'static [&'static str]),
    /// At least one of these groups of keys is given.
    AnyOf(&'static [&'static [&'static str]]),
    /// Exactly one of these groups of keys is given.
    OneOf(&'static [&'static [&'static str]]),
    /// At most one of the two keys is given.
    NotBoth(&'static str, &'static str),
    /// With the first key, at least one of the others is given.
    Needs(&'static str, &'static [&'static str]),
}

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// Any value.
    Any,
    /// True or false.
    Boolean,
    /// A string.
    Text,
    /// A number.
    Number,
    /// A number in a closed interval; an end may be infinite.
    Within(f64, f64),
    /// A number above a bound.
    Above(f64),
    /// A number from the first bound up to the second, without it.
    Below(f64, f64),
    /// An integer from the first bound to the second, if there is one.
    Integer(u64, Option<u64>),
    /// One of a closed list of strings.
    OneOfNames(fn() -> Vec<&'static str>),
    /// A list with a least and a largest length.
    List(&'static Type, usize, Option<usize>),
    /// Values of one type by names that the document chooses.
    Map(&'static Type),
    /// An object.
    Object(&'static Object),
    /// A value of one of these types.
    Either(&'static [Type]),
    /// A value of this type, or null.
    Nullable(&'static Type),
}

impl Type {
    /// A list of any length.
    pub const fn list(of: &'static Type) -> Self {
        Type::List(of, 0, None)
    }

    /// Three numbers.
    pub const TRIPLE: Type = Type::List(&Type::Number, 3, Some(3));
    /// A list of numbers.
    pub const NUMBERS: Type = Type::list(&Type::Number);
    /// A number that is not negative.
    pub const NOT_NEGATIVE: Type = Type::Within(0.0, f64::INFINITY);
    /// An integer that is not negative.
    pub const COUNT: Type = Type::Integer(0, None);
    /// A number or null.
    pub const NUMBER_OR_NULL: Type = Type::Nullable(&Type::Number);
}

/// An [`Object`] with its keys one per line: name, type and meaning; then its rules. Used as `schema::object!`.
#[doc(hidden)]
#[macro_export]
macro_rules! schema_object {
    ($name:literal { $($key:literal: $value:expr, $meaning:expr;)* } $($rule:expr),* $(,)?) => {
        $crate::schema::Object {
            name: $name,
            keys: &[$($crate::schema::Key { name: $key, value: $value, meaning: $meaning }),*],
            names: &[$($key),*],
            rules: &[$($rule),*],
        }
    };
}
