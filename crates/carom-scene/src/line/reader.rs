//! The fast reader: reads the keys of a line in place, if all of them are usual ones.

use std::ops::Range;

use carom_law::{Coefficients, Friction, Guard, Law, MatrixView, Restitution};
use serde_json::Value;

use crate::document::coefficients::{friction, restitution};
use crate::document::cursor::Cursor;
use crate::document::{Document, Format, ProblemError};
use crate::scene::SCENE;

/// The forms of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Numbers alone.
    Matrices,
    /// A robot.
    Scene,
}

/// The content of a line. The next line reuses its vectors.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) delassus: Table,
    pub(super) contact_velocity: Vec<f64>,
    pub(super) mass_matrix: Table,
    pub(super) contact_jacobian: Table,
    pub(super) velocity: Vec<f64>,
    /// Keys and values of a scene that no sample changes, verbatim.
    pub(super) scene: Vec<u8>,
    /// The extents of the values of `state` and `base` in the line; empty without these keys.
    pub(super) state: Range<usize>,
    pub(super) base: Range<usize>,
    id: Range<usize>,
    restitution: Option<Restitution>,
    friction: Option<Friction>,
    guard: Option<Guard>,
    law: Option<Law>,
    seen: u32,
}

/// A matrix, row by row.
#[derive(Debug, Default)]
pub(super) struct Table {
    data: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Table {
    pub(super) fn view(&self) -> MatrixView<'_> {
        MatrixView::row_major(self.rows, self.columns, &self.data)
    }

    fn read(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        self.data.clear();
        self.rows = 0;
        cursor.pass(b'[')?;
        loop {
            let start = self.data.len();
            list(cursor, &mut self.data)?;
            let length = self.data.len() - start;
            if self.rows > 0 && length != self.columns {
                return None;
            }
            self.columns = length;
            self.rows += 1;
            if !cursor.continues(b']')? {
                return Some(());
            }
        }
    }
}

/// Appends a list of one or more numbers.
#[inline]
pub(super) fn list(cursor: &mut Cursor<'_>, numbers: &mut Vec<f64>) -> Option<()> {
    cursor.pass(b'[')?;
    loop {
        numbers.push(cursor.number()?);
        if !cursor.continues(b']')? {
            return Some(());
        }
    }
}

/// The keys that may occur once each, as bits of `seen`.
mod key {
    pub(super) const DELASSUS: u32 = 1;
    pub(super) const CONTACT_VELOCITY: u32 = 1 << 1;
    pub(super) const MASS_MATRIX: u32 = 1 << 2;
    pub(super) const CONTACT_JACOBIAN: u32 = 1 << 3;
    pub(super) const VELOCITY: u32 = 1 << 4;
    pub(super) const RESTITUTION: u32 = 1 << 5;
    pub(super) const FRICTION: u32 = 1 << 6;
    pub(super) const GUARD: u32 = 1 << 7;
    pub(super) const LAW: u32 = 1 << 8;
    pub(super) const ID: u32 = 1 << 9;
    pub(super) const FORMAT_VERSION: u32 = 1 << 10;
    pub(super) const STATE: u32 = 1 << 11;
    pub(super) const BASE: u32 = 1 << 12;
    pub(super) const MODEL: u32 = 1 << 13;
    /// Any other key of a scene.
    pub(super) const SCENE: u32 = 1 << 14;

    pub(super) const COMMON: u32 = RESTITUTION | FRICTION | GUARD | LAW | ID | FORMAT_VERSION;
    pub(super) const CONTACT_SPACE: u32 = DELASSUS | CONTACT_VELOCITY;
    pub(super) const GENERALIZED: u32 = MASS_MATRIX | CONTACT_JACOBIAN | VELOCITY;
    pub(super) const OF_SCENE: u32 = STATE | BASE | MODEL | SCENE;
}

impl Reader {
    /// Reads a line; `None` for anything unexpected, which may be valid.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<Form> {
        (self.restitution, self.friction, self.guard, self.law) = (None, None, None, None);
        (self.state, self.base, self.id) = (0..0, 0..0, 0..0);
        self.seen = 0;
        self.scene.clear();
        let mut cursor = Cursor::new(line);
        cursor.pass(b'{')?;
        loop {
            let name = cursor.key()?;
            let bit = self.value(name, &mut cursor, line)?;
            // Only scenes have several keys of one bit; with a duplicate among them, a line matches no scene that was
            // read.
            if bit & self.seen & !key::SCENE != 0 {
                return None;
            }
            self.seen |= bit;
            if !cursor.continues(b'}')? {
                break;
            }
        }
        if !cursor.is_at_end() {
            return None;
        }
        match self.seen & !key::COMMON {
            key::CONTACT_SPACE | key::GENERALIZED => Some(Form::Matrices),
            seen if seen & !key::OF_SCENE == 0 && seen & key::MODEL != 0 => Some(Form::Scene),
            _ => None,
        }
    }

    /// Reads the value of a key, and returns the key's bit.
    #[inline]
    fn value(&mut self, name: &[u8], cursor: &mut Cursor<'_>, line: &[u8]) -> Option<u32> {
        Some(match name {
            b"delassus" => {
                self.delassus.read(cursor)?;
                key::DELASSUS
            }
            b"contact_velocity" => {
                self.contact_velocity.clear();
                list(cursor, &mut self.contact_velocity)?;
                key::CONTACT_VELOCITY
            }
            b"mass_matrix" => {
                self.mass_matrix.read(cursor)?;
                key::MASS_MATRIX
            }
            b"contact_jacobian" => {
                self.contact_jacobian.read(cursor)?;
                key::CONTACT_JACOBIAN
            }
            b"velocity" => {
                self.velocity.clear();
                list(cursor, &mut self.velocity)?;
                key::VELOCITY
            }
            b"restitution" => {
                self.restitution = Some(match cursor.peek()? {
                    b'{' => object(cursor, |value| restitution(value, "restitution"))?,
                    _ => Restitution::new(cursor.number()?).ok()?,
                });
                key::RESTITUTION
            }
            b"friction" => {
                self.friction = Some(match cursor.peek()? {
                    b'{' => object(cursor, |value| friction(value, "friction"))?,
                    _ => Friction::new(cursor.number()?).ok()?,
                });
                key::FRICTION
            }
            b"guard" => {
                let name = cursor.string()?;
                self.guard = Some(Guard::ALL.into_iter().find(|guard| guard.name().as_bytes() == name)?);
                key::GUARD
            }
            b"law" => {
                let name = cursor.string()?;
                self.law = Some(Law::ALL.into_iter().find(|law| law.name().as_bytes() == name)?);
                key::LAW
            }
            b"id" => {
                self.id = extent(id(cursor)?, line);
                key::ID
            }
            b"format_version" if cursor.value()? == b"1" => key::FORMAT_VERSION,
            b"state" => {
                self.state = extent(cursor.value()?, line);
                key::STATE
            }
            b"base" => {
                self.base = extent(cursor.value()?, line);
                key::BASE
            }
            _ if SCENE.names.iter().any(|known| known.as_bytes() == name) => {
                // Zero occurs neither in a name nor in the text of a valid value.
                for part in [name, &[0], cursor.value()?, &[0]] {
                    self.scene.extend_from_slice(part);
                }
                if name == b"model" { key::MODEL } else { key::SCENE }
            }
            _ => return None,
        })
    }

    pub(super) fn is_generalized(&self) -> bool {
        self.seen & key::GENERALIZED != 0
    }

    /// The coefficients; `None` without a restitution.
    pub(super) fn coefficients(&self) -> Option<Coefficients> {
        let mut coefficients = Coefficients::frictionless(self.restitution?);
        coefficients.friction = self.friction;
        Some(coefficients)
    }

    pub(super) fn guard(&self) -> Guard {
        self.guard.unwrap_or_default()
    }

    pub(super) fn law(&self) -> Law {
        self.law.unwrap_or_default()
    }

    /// The id verbatim, or null.
    pub(super) fn id<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        if self.id.is_empty() { b"null" } else { &line[self.id.clone()] }
    }
}

/// The range of a part of the line.
fn extent(part: &[u8], line: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - line.as_ptr() as usize;
    start..start + part.len()
}

/// An object, by the reader of trees.
fn object<T>(cursor: &mut Cursor<'_>, read: impl FnOnce(&Value) -> Result<T, ProblemError>) -> Option<T> {
    read(&value(cursor.value()?)?.0).ok()
}

/// A value, by the reader of trees.
pub(super) fn value(text: &[u8]) -> Option<crate::document::Tree> {
    let text = std::str::from_utf8(text).ok()?;
    Document::read(text, Format::Json).ok().map(|document| document.tree().clone())
}

/// The most nested brackets of an id that is read in place. The reader of trees accepts 128 levels, counted from the
/// whole line.
const MOST_BRACKETS: usize = 64;

/// The text of an id, which is any valid value.
fn id<'l>(cursor: &mut Cursor<'l>) -> Option<&'l [u8]> {
    let first = cursor.peek()?;
    let text = cursor.value()?;
    let is_valid = match first {
        b'"' => Cursor::new(text).string().is_some() && std::str::from_utf8(text).is_ok(),
        b'0'..=b'9' | b'-' => {
            let mut number = Cursor::new(text);
            number.number().is_some() && number.is_at_end()
        }
        b'{' | b'[' => {
            let brackets = text.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
            brackets <= MOST_BRACKETS && value(text).is_some()
        }
        _ => matches!(text, b"null" | b"true" | b"false"),
    };
    is_valid.then_some(text)
}
