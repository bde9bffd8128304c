//! The fields of an outcome's record, and a choice of them.

use std::fmt;
use std::str::FromStr;

use crate::document::cursor::Cursor;

/// A choice of the fields of outcomes; by default all.
///
/// ```
/// use carom_scene::record::Fields;
///
/// let fields: Fields = "mode,impulse".parse()?;
/// assert!(fields.contains("impulse") && !fields.contains("energy"));
/// assert!("mode,force".parse::<Fields>().is_err());
/// # Ok::<(), carom_scene::record::UnknownField>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fields(u64);

impl Default for Fields {
    fn default() -> Self {
        Self::ALL
    }
}

impl Fields {
    /// Every field.
    pub const ALL: Self = Self(u64::MAX);

    /// The names of all fields, in the order of the record: first those of one contact, then those that only outcomes of
    /// several contacts have.
    pub const NAMES: [&str; 34] = [
        "format_version",
        "mode",
        "impulse",
        "velocity",
        "contact_velocity",
        "direction",
        "energy",
        "discriminator",
        "critical_friction",
        "critical_reversal",
        "printed",
        "restitution_limit",
        "friction_limit",
        "admissible",
        "admissible_any_state",
        "violations",
        "guard",
        "solutions",
        "restitution",
        "friction",
        "contact_dimension",
        "law",
        "residual",
        "condition",
        "phases",
        "chord",
        "contacts",
        "strong",
        "search",
        "sequence",
        "settled",
        "effort",
        "robot",
        "id",
    ];

    /// Whether a field is chosen.
    pub fn contains(&self, name: &str) -> bool {
        Self::NAMES.iter().position(|known| *known == name).is_some_and(|place| self.has(place))
    }

    /// Whether the field at a place of [`Fields::NAMES`] is chosen.
    #[inline]
    pub(super) fn has(&self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    /// Appends the chosen fields of a record on one line.
    pub(super) fn write_chosen(&self, record: &str, out: &mut Vec<u8>) {
        if *self == Self::ALL {
            out.extend_from_slice(record.as_bytes());
            return;
        }
        let start = out.len();
        // A record is valid, and its keys have no escapes.
        let _ = self.copy_chosen(record, out);
        close_object(out, start);
    }

    fn copy_chosen(&self, record: &str, out: &mut Vec<u8>) -> Option<()> {
        let mut cursor = Cursor::new(record.as_bytes());
        cursor.pass(b'{')?;
        loop {
            let key = cursor.key()?;
            let value = cursor.value()?;
            if std::str::from_utf8(key).is_ok_and(|key| self.contains(key)) {
                for part in [b",\"", key, b"\":", value] {
                    out.extend_from_slice(part);
                }
            }
            if !cursor.continues(b'}')? {
                return Some(());
            }
        }
    }
}

/// Ends an object whose entries all begin with a comma: the first comma becomes its opening bracket.
#[inline]
pub(super) fn close_object(out: &mut Vec<u8>, start: usize) {
    match out.get_mut(start) {
        Some(comma) => *comma = b'{',
        None => out.push(b'{'),
    }
    out.push(b'}');
}

/// A name that is not that of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownField {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a field of an outcome; the fields are {}", self.name, Fields::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownField {}

/// Names separated by commas.
impl FromStr for Fields {
    type Err = UnknownField;

    fn from_str(text: &str) -> Result<Self, UnknownField> {
        let mut chosen = 0;
        for name in text.split(',').map(str::trim) {
            let place = Self::NAMES.iter().position(|known| *known == name);
            chosen |= 1 << place.ok_or_else(|| UnknownField { name: name.to_owned() })?;
        }
        Ok(Self(chosen))
    }
}
