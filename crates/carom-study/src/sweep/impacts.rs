//! The columns of impacts.

use carom_law::{Outcome, SimultaneousOutcome};
use carom_scene::answer::SimultaneousAnswer;
use carom_scene::document::did_you_mean;

use super::error::SweepError;
use super::field::{Length, Reader, expand, names};
use super::impact_fields::{CONTACT, MANY, ONE, Share};
use super::table::{ValueKind, Values};

/// With more contacts than these, the default columns have no contact.
const DEFAULT_CONTACTS: usize = 8;

/// The properties that all samples share.
#[derive(Debug, Clone)]
pub(super) struct ImpactShape {
    pub(super) nv: usize,
    pub(super) contacts: Vec<ContactShape>,
    /// The contact that strikes in every sample, if there is one.
    pub(super) only: Option<usize>,
    /// Whether there is a robot.
    pub(super) is_scene: bool,
}

#[derive(Debug, Clone)]
pub(super) struct ContactShape {
    /// Contacts of a problem by matrices may have none.
    pub(super) name: Option<String>,
    pub(super) dimension: usize,
}

/// The answer of a sample.
pub(super) enum ImpactRow<'a> {
    One {
        outcome: &'a Outcome,
        /// The contact that struck.
        name: Option<&'a str>,
        /// Its position and gap, if a column needs them.
        place: Option<([f64; 3], f64)>,
    },
    Many(&'a SimultaneousAnswer),
}

/// A column of impacts.
#[derive(Debug, Clone)]
pub(super) enum ImpactColumn {
    /// A field of the answer, of one contact or of several.
    Answer { one: Option<Reader<Outcome>>, many: Option<Reader<SimultaneousOutcome>> },
    /// A field of a contact.
    Contact { place: usize, name: Option<String>, reader: Reader<Share> },
    /// A coordinate of the contact that struck.
    Position(usize),
    /// Its gap.
    Gap,
}

impl ImpactColumn {
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Self::Answer { one, many } => {
                one.map(|one| one.kind()).or(many.map(|many| many.kind())).unwrap_or(ValueKind::Number)
            }
            Self::Contact { reader, .. } => reader.kind(),
            Self::Position(_) | Self::Gap => ValueKind::Number,
        }
    }

    pub(super) fn needs_place(&self) -> bool {
        matches!(self, Self::Position(_) | Self::Gap)
    }

    /// Appends the value of a sample.
    #[inline]
    pub(super) fn push(&self, row: &ImpactRow<'_>, values: &mut Values) {
        match (self, row) {
            (Self::Answer { one: Some(one), .. }, ImpactRow::One { outcome, .. }) => one.push(outcome, values),
            (Self::Answer { many: Some(many), .. }, ImpactRow::Many(answer)) => many.push(&answer.outcome, values),
            (Self::Contact { place, name, reader }, row) => match share(row, *place, name.as_deref()) {
                Some(share) => reader.push(&share, values),
                None => values.push_nothing(),
            },
            (Self::Position(axis), ImpactRow::One { place: Some((position, _)), .. }) => {
                if let Values::Numbers(values) = values {
                    values.push(position[*axis]);
                }
            }
            (Self::Gap, ImpactRow::One { place: Some((_, gap)), .. }) => {
                if let Values::Numbers(values) = values {
                    values.push(*gap);
                }
            }
            _ => values.push_nothing(),
        }
    }
}

/// The part of a contact: by its name, or by its place if it has none.
fn share(row: &ImpactRow<'_>, place: usize, name: Option<&str>) -> Option<Share> {
    match row {
        ImpactRow::One { outcome, name: struck, .. } => {
            let is_it = if name.is_some() { *struck == name } else { place == 0 };
            is_it.then(|| Share::of_one(outcome))
        }
        ImpactRow::Many(answer) => {
            let place = match name {
                Some(_) => answer.names.iter().position(|other| other.as_deref() == name)?,
                None => place,
            };
            answer.outcome.contacts.get(place).map(Share::of_many)
        }
    }
}

impl ImpactShape {
    /// The columns that names stand for.
    pub(super) fn columns(&self, requested: &[String]) -> Result<Vec<(String, ImpactColumn)>, SweepError> {
        let mut columns = Vec::new();
        for name in requested {
            columns.extend(self.expand(name)?);
        }
        Ok(columns)
    }

    /// The columns of a plan that chooses none.
    pub(super) fn default_columns(&self) -> Vec<String> {
        let whole = ["energy.change", "admissible"].map(str::to_owned);
        let velocity = (self.nv > 0).then(|| "velocity".to_owned());
        if self.only.is_some() {
            let contact = ["mode", "impulse", "contact_velocity.after"].map(str::to_owned);
            return contact.into_iter().chain(velocity).chain(whole).collect();
        }
        let contacts = self.contacts.iter().enumerate().filter(|_| self.contacts.len() <= DEFAULT_CONTACTS);
        let of_contact = contacts
            .flat_map(|(place, contact)| ["mode", "impulse"].map(|field| format!("{}.{field}", contact.prefix(place))));
        of_contact.chain(velocity).chain(whole).collect()
    }

    fn expand(&self, name: &str) -> Result<Vec<(String, ImpactColumn)>, SweepError> {
        if let Some(rest) = name.strip_prefix("contacts")
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            return self.expand_contacts(name);
        }
        if self.is_scene && self.only.is_some() {
            let axis = |axis: usize| (format!("robot.position[{axis}]"), ImpactColumn::Position(axis));
            match name {
                "robot.position" => return Ok((0..3).map(axis).collect()),
                "robot.position[0]" => return Ok(vec![axis(0)]),
                "robot.position[1]" => return Ok(vec![axis(1)]),
                "robot.position[2]" => return Ok(vec![axis(2)]),
                "robot.gap" => return Ok(vec![(name.to_owned(), ImpactColumn::Gap)]),
                _ => {}
            }
        }
        let dimension = self.only.map_or(3, |only| self.contacts[only].dimension);
        let one = expand(ONE, name, |length| self.length(length, dimension))?;
        if self.only.is_some() {
            let columns =
                one.into_iter().map(|(name, one)| (name, ImpactColumn::Answer { one: Some(one), many: None }));
            return non_empty(columns.collect(), || self.unknown(name));
        }
        let many = expand(MANY, name, |length| self.length(length, dimension))?;
        if many.is_empty() && !one.is_empty() {
            let names: Vec<String> = self.contacts.iter().filter_map(|contact| contact.name.clone()).collect();
            return Err(SweepError::ManyContacts { name: name.to_owned(), names: names.join(", ") });
        }
        let columns = many.into_iter().map(|(name, many)| {
            // A sample in which a single contact strikes has the fields of such an outcome.
            let same = one.iter().find(|(other, reader)| *other == name && reader.kind() == many.kind());
            let one = same.map(|(_, reader)| *reader);
            (name, ImpactColumn::Answer { one, many: Some(many) })
        });
        non_empty(columns.collect(), || self.unknown(name))
    }

    /// `contacts.NAME.FIELD`, `contacts[PLACE].FIELD`, `contacts.NAME`, `contacts`.
    fn expand_contacts(&self, name: &str) -> Result<Vec<(String, ImpactColumn)>, SweepError> {
        let mut columns = Vec::new();
        let mut is_known = name == "contacts";
        for (place, contact) in self.contacts.iter().enumerate() {
            let prefixes = [Some(contact.prefix(place)), Some(format!("contacts[{place}]")), contact.quoted()];
            let field = prefixes.iter().flatten().find_map(|prefix| name.strip_prefix(prefix.as_str()));
            let length = |length: Length| self.length(length, contact.dimension);
            let found = match field {
                _ if name == "contacts" => all_fields(length)?,
                Some("") => all_fields(length)?,
                Some(field) if field.starts_with('.') => expand(CONTACT, &field[1..], length)?,
                _ => continue,
            };
            is_known = true;
            columns.extend(found.into_iter().map(|(field, reader)| {
                let column = ImpactColumn::Contact { place, name: contact.name.clone(), reader };
                (format!("{}.{field}", contact.prefix(place)), column)
            }));
            if name != "contacts" && !columns.is_empty() {
                break;
            }
        }
        if is_known {
            return non_empty(columns, || unknown(name, &names(CONTACT)));
        }
        let known: Vec<String> =
            self.contacts.iter().enumerate().map(|(place, contact)| contact.label(place)).collect();
        let given = name.strip_prefix("contacts.").unwrap_or(name);
        Err(unknown_contact(name, given.split('.').next().unwrap_or(given), &known))
    }

    fn length(&self, length: Length, dimension: usize) -> usize {
        match length {
            Length::Velocities | Length::Coordinates => self.nv,
            Length::Rows => dimension,
            Length::Tangents => dimension.saturating_sub(1),
        }
    }

    fn unknown(&self, name: &str) -> SweepError {
        let mut known = if self.only.is_some() { names(ONE) } else { names(MANY) };
        if self.is_scene && self.only.is_some() {
            known.extend(["robot.position", "robot.gap"]);
        }
        known.push("contacts.NAME.FIELD");
        unknown(name, &known)
    }
}

impl ContactShape {
    /// The beginning of its columns' names.
    fn prefix(&self, place: usize) -> String {
        match &self.name {
            Some(name) => format!("contacts.{name}"),
            None => format!("contacts[{place}]"),
        }
    }

    /// A field with its name in quotes.
    fn quoted(&self) -> Option<String> {
        self.name.as_ref().map(|name| format!("contacts.\"{name}\""))
    }

    fn label(&self, place: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("[{place}]"))
    }
}

fn all_fields(length: impl Fn(Length) -> usize + Copy) -> Result<Vec<(String, Reader<Share>)>, SweepError> {
    let mut columns = Vec::new();
    for (field, get) in CONTACT {
        // A contact without tangents has no direction.
        if !matches!(get, super::field::Get::Vector(_, kind) if length(*kind) == 0) {
            columns.extend(expand(CONTACT, field, length)?);
        }
    }
    Ok(columns)
}

pub(super) fn non_empty<T>(columns: Vec<T>, error: impl FnOnce() -> SweepError) -> Result<Vec<T>, SweepError> {
    if columns.is_empty() { Err(error()) } else { Ok(columns) }
}

pub(super) fn unknown(name: &str, known: &[&str]) -> SweepError {
    let hint = did_you_mean(name, known.iter().copied());
    SweepError::UnknownColumn { name: name.to_owned(), hint, known: known.join(", ") }
}

pub(super) fn unknown_contact(column: &str, contact: &str, known: &[String]) -> SweepError {
    SweepError::UnknownContact {
        name: column.to_owned(),
        contact: contact.to_owned(),
        hint: did_you_mean(contact, known.iter().map(String::as_str)),
        known: known.join(", "),
    }
}
