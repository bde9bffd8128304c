//! Runs read back from their files.
//!
//! | file | contents |
//! |---|---|
//! | `header` | header, summary and events, which are JSON in every format |
//! | `json` | the samples of a JSON file |
//! | `csv` | the samples and events of CSV files |
//! | `parquet` | the samples of a Parquet file |
//! | `compare` | a run compared with its repetition, to the bit |
//! | `error` | errors |

mod compare;
mod csv;
mod error;
mod header;
mod json;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::{Path, PathBuf};

use carom_multibody::load::{Disk, Files};
use carom_scene::provenance::{EventState, Provenance, RecordedEvent};

pub use compare::RunComparison;
pub use error::StoredError;

/// A run read back from its files.
///
/// ```no_run
/// // The impact of event 0, with less friction.
/// use carom_law::Friction;
/// use carom_report::StoredRun;
///
/// let run = StoredRun::from_file("run.json")?;
/// let scene = run.provenance.scene_here(".".as_ref(), None)?;
/// let states = run.states_at(run.events[0].time)?;
/// let impact = run.provenance.problem_here(&run.provenance.scene_of_event(&scene, &run.events, 0, &states)?)?;
/// let outcome = impact.with_friction(Friction::new(0.2)?).solve()?;
/// println!("{}", outcome.mode);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StoredRun {
    /// The file that was given.
    pub path: PathBuf,
    /// Its provenance.
    pub provenance: Provenance,
    /// Its title.
    pub title: Option<String>,
    /// How it ended: `complete`, `interrupted`, `out_of_time` or `failed`.
    pub ending: String,
    /// The samples, a column each.
    pub samples: Vec<StoredColumn>,
    /// The events, with one row per contact of an event.
    pub events: Vec<RecordedEvent>,
    /// Names of the coordinates and of the velocities.
    names: [Vec<String>; 2],
}

/// A named column of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredColumn {
    /// Its name.
    pub name: String,
    /// Its values, one a row.
    pub values: StoredValues,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredValues {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Names of modes.
    Words(Vec<String>),
}

impl StoredValues {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Words(values) => values.len(),
        }
    }
}

impl StoredRun {
    /// The run in a file that `carom simulate -o` wrote: `.json`, `.csv` with the files beside it, or `.parquet`.
    ///
    /// # Errors
    /// A file that cannot be read or is not a run, a run without provenance, or another format.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, StoredError> {
        Self::from_files(path, &Disk)
    }

    /// The run in a file among the given files; Parquet is read from the disk alone.
    ///
    /// # Errors
    /// Those of [`StoredRun::from_file`].
    pub fn from_files(path: impl AsRef<Path>, files: &dyn Files) -> Result<Self, StoredError> {
        let path = path.as_ref();
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        let (header, samples) = match ending.as_deref() {
            Some("json") => json::read(path, files)?,
            Some("csv") => csv::read(path, files)?,
            #[cfg(feature = "parquet")]
            Some("parquet") => parquet::read(path)?,
            #[cfg(not(feature = "parquet"))]
            Some("parquet") => return Err(StoredError::NoParquet { path: path.to_owned() }),
            _ => return Err(StoredError::Ending { path: path.to_owned() }),
        };
        if let Some(short) = samples.iter().find(|column| column.values.len() != samples[0].values.len()) {
            let why = format!("the columns {:?} and {:?} have different lengths", short.name, samples[0].name);
            return Err(StoredError::NotARun { path: path.to_owned(), why });
        }
        header.run(path, samples)
    }

    /// The samples at the time of an event, in order.
    ///
    /// # Errors
    /// A column of the configuration or of the velocity that the file does not have.
    pub fn states_at(&self, time: f64) -> Result<Vec<EventState>, StoredError> {
        let times = self.numbers("time")?;
        let rows: Vec<usize> = (0..times.len()).filter(|&row| times[row] == time).collect();
        let [coordinates, velocities] = &self.names;
        let columns = |kind: &str, names: &[String]| -> Result<Vec<&[f64]>, StoredError> {
            names.iter().map(|name| self.numbers(&format!("{kind}.{name}"))).collect()
        };
        let (q, v) = (columns("q", coordinates)?, columns("v", velocities)?);
        let state = |row: usize| EventState {
            configuration: q.iter().map(|column| column[row]).collect(),
            velocity: v.iter().map(|column| column[row]).collect(),
        };
        Ok(rows.into_iter().map(state).collect())
    }

    fn numbers(&self, name: &str) -> Result<&[f64], StoredError> {
        match self.samples.iter().find(|column| column.name == name).map(|column| &column.values) {
            Some(StoredValues::Numbers(values)) => Ok(values),
            _ => Err(StoredError::NoColumn { path: self.path.clone(), column: name.to_owned() }),
        }
    }
}

/// The file for the events of a table: `run.events.csv` for `run.csv`.
pub fn events_file(path: &Path) -> PathBuf {
    let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    path.with_extension(format!("events.{ending}"))
}

/// The file for the header and the summary of a CSV table: `run.header.json` for `run.csv`.
pub fn header_file(path: &Path) -> PathBuf {
    path.with_extension("header.json")
}

/// The text of a file.
fn text(path: &Path, files: &dyn Files) -> Result<String, StoredError> {
    let text = files.read(path).and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other));
    text.map_err(|error| StoredError::File { path: path.to_owned(), error: error.to_string() })
}
