//! Errors in plans of sweeps.

use carom_scene::ProblemError;

/// Why a sweep cannot be made. Samples without an answer are not such errors: their rows have the reason in the column
/// `error`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The scene, or a key that varies, is wrong in every sample.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// A key that varies is wrong.
    #[error("{key} cannot vary: {error}")]
    Key {
        /// The key.
        key: String,
        /// The reason.
        error: Box<ProblemError>,
    },
    /// A value that is set twice: by two entries for one key, or for a key and a part of it.
    #[error("{one} and {other} both set {one}; give only one of them")]
    SetTwice {
        /// A key.
        one: String,
        /// The other key.
        other: String,
    },
    /// A number of samples out of bounds.
    #[error("samples = {value} is outside [1, 2^53]")]
    Samples {
        /// The given number.
        value: u64,
    },
    /// Too many rows.
    #[error("{axes} give more than 2^53 samples in all; give fewer values, or fewer samples for each of them")]
    TooMany {
        /// The counts that are multiplied.
        axes: String,
    },
    /// A column that no row has.
    #[error("{name:?} is not a column{hint}; the columns are {known}")]
    UnknownColumn {
        /// The given name.
        name: String,
        /// A similar name, if there is one.
        hint: String,
        /// The names that exist.
        known: String,
    },
    /// An entry beyond the end of a vector.
    #[error("{name:?} is beyond the end: {vector} has {length} entries, counted from 0")]
    Entry {
        /// The given name.
        name: String,
        /// The vector.
        vector: String,
        /// Its length.
        length: usize,
    },
    /// A column that occurs twice, or has the name of a key.
    #[error("the column {name:?} occurs twice; give it once")]
    ColumnTwice {
        /// The name.
        name: String,
    },
    /// A contact's field where several contacts may strike.
    #[error(
        "{name:?} is a field of a single contact, and several may strike here: give contacts.NAME.{name} with one of {names}"
    )]
    ManyContacts {
        /// The given name.
        name: String,
        /// The names of the contacts.
        names: String,
    },
    /// A contact that the robot does not have.
    #[error("{contact:?} in {name:?} is not a contact{hint}; the contacts are {known}")]
    UnknownContact {
        /// The column.
        name: String,
        /// The given contact.
        contact: String,
        /// A similar name, if there is one.
        hint: String,
        /// The names that exist.
        known: String,
    },
    /// A simulation that cannot be set up.
    #[error("{message}")]
    Simulation {
        /// The reason.
        message: String,
    },
    /// A plan that cannot be parsed.
    #[error("the plan cannot be read: {message}")]
    Document {
        /// What is wrong, with its place.
        message: String,
    },
    /// A part of a sweep that it does not have.
    #[error("part {part} of {count} is not a part of a sweep: parts are counted from 0, and there is at least one")]
    Part {
        /// The given part.
        part: u64,
        /// The number of parts.
        count: u64,
    },
    /// A robot file that cannot be read again to be identified.
    #[error("{path} cannot be read to identify the robot: {error}")]
    RobotFile {
        /// The file.
        path: String,
        /// What the system says.
        error: String,
    },
}
