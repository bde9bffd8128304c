//! Outcomes for people and for programs: text, tables, figures, pages, and batches of problems over a stream of lines.
//!
//! | file | what it has |
//! |---|---|
//! | `text` | an outcome for people |
//! | `several` | the outcome of several contacts for people |
//! | `comparison` | all laws side by side |
//! | `model` | a robot for people |
//! | `map` | a map as JSON and CSV |
//! | `run` | runs: tables, text, pages |
//! | `figure` | figures as SVG and PNG |
//! | `batch` | problems as lines of JSON |
//! | `error` | any error of this crate |
//! | `printable` | names as text that a terminal shows and does not obey |
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `parquet` | yes | runs as Parquet; without it CSV and JSON |
//! | `png` | yes | figures as PNG; without it SVG |
#![warn(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod batch;
mod comparison;
mod error;
pub mod figure;
mod map;
mod model;
mod printable;
mod run;
mod several;
mod text;

pub use comparison::{ComparisonText, comparison_json};
pub use error::Error;
pub use map::{map_csv, map_json};
pub use model::ModelText;
pub use printable::{printable, printable_json, printable_lines};
pub use run::{
    Column, EventLog, PageError, RunText, Values, run_columns, run_csv, run_event_columns, run_events_csv, run_html,
    run_json, run_summary_json,
};
#[cfg(feature = "parquet")]
pub use run::{run_events_parquet, run_parquet};
pub use several::SeveralText;
pub use text::Text;

pub use carom_scene::answer::verdict::{verdict, verdict_of_several};
pub use carom_scene::record::{ContactRecord, ErrorRecord, Id, OutcomeRecord, RobotRecord, StruckRecord};
