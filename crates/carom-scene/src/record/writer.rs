//! Records written without a serializer: the same bytes as those of [`OutcomeRecord`](super::OutcomeRecord), in half the time.

use carom_law::{ContactVector, Outcome};
use carom_multibody::Warning;

use super::fields::close_object;
use super::{Fields, OutcomeRecord, RobotRecord, StruckRecord, to_line};
use crate::document::FORMAT_VERSION;

/// Appends the chosen fields of a record of any kind.
pub(crate) fn write_record(record: &OutcomeRecord<'_>, fields: Fields, out: &mut Vec<u8>) {
    fields.write_chosen(&to_line(record), out);
}

/// The part of a robot's record that is the same in every state, with one contact that always strikes.
#[derive(Debug, Clone, Default)]
pub(crate) struct RobotText {
    /// From the beginning to the key of the position.
    head: Vec<u8>,
    /// From after the gap to the warnings about the file.
    tail: Vec<u8>,
    has_warnings: bool,
}

impl RobotText {
    /// The text of a record, whose warnings are those about the file alone. `None` for several contacts.
    pub(crate) fn new(record: &RobotRecord) -> Option<Self> {
        let StruckRecord::One(contact) = &record.struck else { return None };
        let [model, names, name] = [to_line(&record.model), to_line(&record.velocity_names), to_line(&contact.contact)];
        let head = format!("{{\"model\":{model},\"velocity_names\":{names},\"contact\":{name},\"position\":");
        let warnings = to_line(&record.warnings);
        // Warnings about the state follow.
        let open = warnings.strip_suffix(']')?;
        let tail = format!(",\"axes\":{},\"warnings\":{open}", to_line(&contact.axes));
        Some(Self { head: head.into(), tail: tail.into(), has_warnings: !record.warnings.is_empty() })
    }
}

/// What varies in a robot's record.
#[derive(Debug)]
pub(crate) struct RobotInState<'a> {
    pub(crate) text: &'a RobotText,
    /// Position of the contact.
    pub(crate) position: [f64; 3],
    pub(crate) gap: f64,
    /// Warnings about the state.
    pub(crate) warnings: &'a [Warning],
}

/// Appends the chosen fields of the record of one contact's outcome. `id` is JSON.
pub(crate) fn write_outcome(
    outcome: &Outcome,
    robot: Option<&RobotInState<'_>>,
    id: &[u8],
    fields: Fields,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    let mut writer = Writer { out, fields, place: 0 };
    writer.field(",\"format_version\":", |out| integer(out, FORMAT_VERSION));
    writer.field(",\"mode\":", |out| word(out, outcome.mode.name()));
    writer.field(",\"impulse\":", |out| list(out, &outcome.impulse));
    writer.present(",\"velocity\":", outcome.velocity.as_deref(), list);
    writer.field(",\"contact_velocity\":", |out| {
        out.extend_from_slice(b"{\"before\":");
        list(out, &outcome.contact_velocity.before);
        out.extend_from_slice(b",\"after\":");
        list(out, &outcome.contact_velocity.after);
        out.push(b'}');
    });
    writer.field(",\"direction\":", |out| or_null(out, outcome.direction, |out, u: ContactVector| list(out, &u)));
    writer.field(",\"energy\":", |out| {
        let energy = &outcome.energy;
        out.extend_from_slice(b"{\"before\":");
        or_null(out, energy.before, number);
        out.extend_from_slice(b",\"after\":");
        or_null(out, energy.after, number);
        numbers(
            out,
            [(",\"change\":", energy.change), (",\"normal\":", energy.normal), (",\"tangential\":", energy.tangential)],
        );
        out.push(b'}');
    });
    writer.field(",\"discriminator\":", |out| or_null(out, outcome.discriminator, number));
    writer.field(",\"critical_friction\":", |out| or_null(out, outcome.critical_friction, number));
    writer.field(",\"critical_reversal\":", |out| or_null(out, outcome.critical_reversal, number));
    writer.field(",\"printed\":", |out| {
        or_null(out, outcome.printed.as_ref(), |out, printed| {
            numbers(out, [("{\"discriminator\":", printed.discriminator)]);
            out.extend_from_slice(b",\"critical_friction\":");
            or_null(out, printed.critical_friction, number);
            out.push(b'}');
        });
    });
    writer.field(",\"restitution_limit\":", |out| {
        out.extend_from_slice(b"{\"state\":");
        or_null(out, outcome.restitution_limit.state, number);
        out.extend_from_slice(b",\"configuration\":");
        or_null(out, outcome.restitution_limit.configuration, number);
        out.push(b'}');
    });
    writer.field(",\"friction_limit\":", |out| or_null(out, outcome.friction_limit, number));
    writer.field(",\"admissible\":", |out| boolean(out, outcome.admissible));
    writer.field(",\"admissible_any_state\":", |out| boolean(out, outcome.admissible_any_state));
    writer.field(",\"violations\":", |out| {
        out.push(b'[');
        for (k, violation) in outcome.violations.iter().enumerate() {
            out.extend_from_slice(if k > 0 { b",{\"limit\":" } else { b"{\"limit\":" });
            word(out, violation.limit.name());
            numbers(out, [(",\"value\":", violation.value), (",\"bound\":", violation.bound)]);
            out.push(b'}');
        }
        out.push(b']');
    });
    writer.field(",\"guard\":", |out| {
        let guard = &outcome.guard;
        out.extend_from_slice(b"{\"name\":");
        word(out, guard.name.name());
        out.extend_from_slice(b",\"acted\":");
        boolean(out, guard.acted);
        numbers(out, [(",\"restitution\":", guard.restitution)]);
        out.extend_from_slice(b",\"unguarded\":");
        or_null(out, guard.unguarded.as_ref(), |out, unguarded| {
            out.extend_from_slice(b"{\"mode\":");
            word(out, unguarded.mode.name());
            numbers(out, [(",\"energy_change\":", unguarded.energy_change)]);
            out.push(b'}');
        });
        out.push(b'}');
    });
    writer.field(",\"solutions\":", |out| or_null(out, outcome.solutions, integer));
    writer.field(",\"restitution\":", |out| {
        let e = &outcome.restitution;
        numbers(out, [("{\"normal\":", e.normal), (",\"tangential\":", e.tangential)]);
        out.push(b'}');
    });
    writer.field(",\"friction\":", |out| {
        or_null(out, outcome.friction.as_ref(), |out, mu| {
            numbers(out, [("{\"static\":", mu.mu_s()), (",\"dynamic\":", mu.mu_d())]);
            out.push(b'}');
        });
    });
    writer.field(",\"contact_dimension\":", |out| integer(out, u32::from(outcome.contact_dimension)));
    writer.field(",\"law\":", |out| word(out, outcome.law.name()));
    writer.field(",\"residual\":", |out| number(out, outcome.residual));
    writer.present(",\"condition\":", outcome.condition.as_ref(), |out, condition| {
        numbers(out, [("{\"mass_matrix\":", condition.mass_matrix), (",\"delassus\":", condition.delassus)]);
        out.push(b'}');
    });
    writer.present(",\"phases\":", outcome.phases.as_deref(), word);
    writer.present(",\"chord\":", outcome.chord.as_ref(), |out, chord| {
        out.extend_from_slice(b"{\"kind\":");
        word(out, chord.kind.name());
        numbers(out, [(",\"ratio\":", chord.ratio)]);
        out.extend_from_slice(b",\"cut\":");
        boolean(out, chord.cut);
        out.push(b'}');
    });
    writer.skip_to("robot");
    writer.present(",\"robot\":", robot, robot_in_state);
    writer.field(",\"id\":", |out| out.extend_from_slice(id));
    close_object(out, start);
}

/// Writes the fields in the order of [`Fields::NAMES`].
struct Writer<'a> {
    out: &'a mut Vec<u8>,
    fields: Fields,
    place: usize,
}

impl Writer<'_> {
    /// The next field, with its key between a comma and a colon.
    #[inline(always)]
    fn field(&mut self, key: &'static str, value: impl FnOnce(&mut Vec<u8>)) {
        debug_assert_eq!(key, format!(",\"{}\":", Fields::NAMES[self.place]));
        if self.fields.has(self.place) {
            self.out.extend_from_slice(key.as_bytes());
            value(self.out);
        }
        self.place += 1;
    }

    /// The next field, which some records do not have.
    #[inline(always)]
    fn present<T>(&mut self, key: &'static str, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
        match value {
            Some(value) => self.field(key, |out| write(out, value)),
            None => self.place += 1,
        }
    }

    /// Passes over fields that outcomes of one contact do not have.
    #[inline(always)]
    fn skip_to(&mut self, name: &str) {
        self.place = Fields::NAMES.iter().position(|known| *known == name).unwrap_or(self.place);
    }
}

fn robot_in_state(out: &mut Vec<u8>, robot: &RobotInState<'_>) {
    out.extend_from_slice(&robot.text.head);
    list(out, &robot.position);
    numbers(out, [(",\"gap\":", robot.gap)]);
    out.extend_from_slice(&robot.text.tail);
    for (k, warning) in robot.warnings.iter().enumerate() {
        if k > 0 || robot.text.has_warnings {
            out.push(b',');
        }
        out.extend_from_slice(to_line(&warning.to_string()).as_bytes());
    }
    out.extend_from_slice(b"]}");
}

/// A number as serde_json prints it: null if it is not finite.
#[inline]
fn number(out: &mut Vec<u8>, number: f64) {
    match number.is_finite() {
        true => out.extend_from_slice(zmij::Buffer::new().format_finite(number).as_bytes()),
        false => out.extend_from_slice(b"null"),
    }
}

/// Numbers, each after its key.
#[inline]
fn numbers<const N: usize>(out: &mut Vec<u8>, entries: [(&'static str, f64); N]) {
    for (key, value) in entries {
        out.extend_from_slice(key.as_bytes());
        number(out, value);
    }
}

#[inline]
fn list(out: &mut Vec<u8>, entries: &[f64]) {
    out.push(b'[');
    for (k, entry) in entries.iter().enumerate() {
        if k > 0 {
            out.push(b',');
        }
        number(out, *entry);
    }
    out.push(b']');
}

#[inline]
fn integer(out: &mut Vec<u8>, integer: u32) {
    match u8::try_from(integer) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => out.extend_from_slice(integer.to_string().as_bytes()),
    }
}

#[inline]
fn boolean(out: &mut Vec<u8>, boolean: bool) {
    out.extend_from_slice(if boolean { b"true" } else { b"false" });
}

/// A word in quotes, without characters that need an escape.
#[inline]
fn word(out: &mut Vec<u8>, word: &str) {
    out.push(b'"');
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

#[inline]
fn or_null<T>(out: &mut Vec<u8>, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    match value {
        Some(value) => write(out, value),
        None => out.extend_from_slice(b"null"),
    }
}
